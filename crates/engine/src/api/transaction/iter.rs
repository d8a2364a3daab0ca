//! Iterators over a transaction's view of the database.

use crate::api::iter::{Bounds, next_key};
use crate::base::{KeyOrder, PinnedValue};
use crate::batch::IndexedBatch;
use crate::db;
use crate::error::{Error, Result};
use crate::options::ReadOptions;
use crate::txn as engine;
use crate::utilities::BatchIterator;
use crate::{Key, Value};
use std::cmp::Ordering;
use std::fmt;
use std::iter::FusedIterator;
use std::ops::Bound;
use std::sync::Arc;

type Merged = BatchIterator<Arc<IndexedBatch>>;

/// The keys and values of a column family in key order, as the transaction saw them when the iterator was created.
///
/// Created by [`Transaction::iter`](super::Transaction::iter) and related methods. It is double-ended, has no lifetime
/// and may be sent to another thread. A scan that fails returns one `Err` and then `None`.
pub struct TransactionIter {
    state: State,
    order: KeyOrder,
    lower: Bound<Vec<u8>>,
    upper: Bound<Vec<u8>>,
}

enum State {
    /// Not at any key yet.
    New(Merged),
    /// At the key that was returned last, by this end.
    On(Merged, End),
    /// The error, which is returned once.
    Failed(Error),
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Front,
    Back,
}

impl TransactionIter {
    pub(super) fn new(
        txn: &engine::Transaction,
        cf: &db::ColumnFamily,
        options: &ReadOptions,
        bounds: Bounds,
    ) -> Result<TransactionIter> {
        let order = cf.key_order().clone();
        let mut options = options.clone();
        options.tailing = false;
        options.within_one_prefix = bounds.is_one_prefix(txn.db(), Some(cf));
        let (lower, upper) = bounds.in_order(&order)?;
        let lower =
            inner_bound(lower, options.iterate_lower_bound.take(), &order, Ordering::Greater);
        let upper = match (upper, options.iterate_upper_bound.take()) {
            (Bound::Included(key), other) if order.is_bytewise() => {
                inner_bound(Bound::Excluded(next_key(key)), other, &order, Ordering::Less)
            }
            (upper, other) => inner_bound(upper, other, &order, Ordering::Less),
        };
        // Pass bounds to the engine where possible, so that it does not read beyond them.
        if let Bound::Included(key) | Bound::Excluded(key) = &lower {
            options.iterate_lower_bound = Some(key.clone());
        }
        if let Bound::Excluded(key) = &upper {
            options.iterate_upper_bound = Some(key.clone());
        }
        let state = State::New(txn.owned_iter(&options, cf)?);
        Ok(TransactionIter { state, order, lower, upper })
    }

    pub(super) fn failed(error: Error) -> TransactionIter {
        TransactionIter {
            state: State::Failed(error),
            order: KeyOrder::bytewise(),
            lower: Bound::Unbounded,
            upper: Bound::Unbounded,
        }
    }

    fn step(&mut self, end: End) -> Option<Result<(Key, Value)>> {
        let iter = match std::mem::replace(&mut self.state, State::Done) {
            State::Done => return None,
            State::Failed(e) => return Some(Err(e)),
            State::On(mut iter, at) if at == end => {
                match end {
                    End::Front => iter.next(),
                    End::Back => iter.prev(),
                }
                iter
            }
            State::On(iter, at) => {
                let returned = Bound::Excluded(iter.key().to_vec());
                match at {
                    End::Front => self.lower = returned,
                    End::Back => self.upper = returned,
                }
                self.enter(iter, end)
            }
            State::New(iter) => self.enter(iter, end),
        };
        if !iter.valid() {
            return iter.status().err().map(Err);
        }
        let (limit, inside) = match end {
            End::Front => (&self.upper, Ordering::Less),
            End::Back => (&self.lower, Ordering::Greater),
        };
        let within = match limit {
            Bound::Unbounded => true,
            Bound::Included(key) => self.order.compare_user(iter.key(), key) != inside.reverse(),
            Bound::Excluded(key) => self.order.compare_user(iter.key(), key) == inside,
        };
        if !within {
            return None;
        }
        let value = Value::pinned(PinnedValue::owned(iter.value().to_vec()));
        let item = (Key::copy(iter.key()), value);
        self.state = State::On(iter, end);
        Some(Ok(item))
    }

    /// Moves to the first key on this side.
    fn enter(&self, mut iter: Merged, end: End) -> Merged {
        let limit = match end {
            End::Front => &self.lower,
            End::Back => &self.upper,
        };
        match (limit, end) {
            (Bound::Unbounded, End::Front) => iter.seek_to_first(),
            (Bound::Unbounded, End::Back) => iter.seek_to_last(),
            (Bound::Included(key) | Bound::Excluded(key), End::Front) => iter.seek(key),
            (Bound::Included(key) | Bound::Excluded(key), End::Back) => iter.seek_for_prev(key),
        }
        if let Bound::Excluded(key) = limit
            && iter.valid()
            && self.order.compare_user(iter.key(), key).is_eq()
        {
            match end {
                End::Front => iter.next(),
                End::Back => iter.prev(),
            }
        }
        iter
    }
}

/// Returns the narrower of the range's bound and the bound in the options, which includes a lower key and excludes an
/// upper one. `narrower` is how a narrower bound compares to a wider one.
fn inner_bound(
    bound: Bound<Vec<u8>>,
    other: Option<Vec<u8>>,
    order: &KeyOrder,
    narrower: Ordering,
) -> Bound<Vec<u8>> {
    let Some(other) = other else { return bound };
    let is_lower = narrower == Ordering::Greater;
    let replaces = match &bound {
        Bound::Unbounded => true,
        Bound::Included(key) | Bound::Excluded(key) => {
            let found = order.compare_user(&other, key);
            found == narrower || (found.is_eq() && !is_lower)
        }
    };
    match (replaces, is_lower) {
        (false, _) => bound,
        (true, true) => Bound::Included(other),
        (true, false) => Bound::Excluded(other),
    }
}

impl Iterator for TransactionIter {
    type Item = Result<(Key, Value)>;

    fn next(&mut self) -> Option<Result<(Key, Value)>> {
        self.step(End::Front)
    }
}

impl DoubleEndedIterator for TransactionIter {
    fn next_back(&mut self) -> Option<Result<(Key, Value)>> {
        self.step(End::Back)
    }
}

impl FusedIterator for TransactionIter {}

impl fmt::Debug for TransactionIter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &self.state {
            State::New(_) => "new",
            State::On(_, End::Front) => "on a key from the front",
            State::On(_, End::Back) => "on a key from the back",
            State::Failed(_) => "failed",
            State::Done => "done",
        };
        f.debug_struct("TransactionIter").field("state", &state).finish_non_exhaustive()
    }
}
