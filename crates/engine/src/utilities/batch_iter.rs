//! Reading a database together with an [`IndexedBatch`] that is not written yet.
//!
//! [`BatchIterator`] merges an iterator of the database, the base, with the keys of the batch. If both have a key, the
//! batch takes precedence.
//!
//! * **BI1** While valid and moving forward, base and batch are each at their first key at or after the current key, or
//!   at none. While moving backward, they are at their last key at or before it.
//! * **BI2** The current key is the base's if `source` says so, otherwise a copy in `delta`.

use super::any_iterator::AnyIterator;
use super::batch_get::no_merge_operator;
use crate::base::KeyOrder;
use crate::batch::{BatchLookup, IndexedBatch, MergeBase};
use crate::db::ColumnFamily;
use crate::error::{Error, Result};
use crate::hooks::MergeOperator;
use crate::iter::merge_helper::full_merge;
use crate::options::ReadOptions;
use std::cmp::Ordering;
use std::ops::{Bound, Deref};
use std::sync::Arc;

impl ColumnFamily {
    /// Returns the order of the iterator's keys.
    pub fn key_order(&self) -> &KeyOrder {
        &self.data.order
    }
}

/// The source of the current entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// None: the iterator is invalid.
    None,
    /// The base only.
    Base,
    /// The batch. The base may be at the same key.
    Batch,
}

/// An iterator over a database and a batch that is not written yet. `B` provides access to the batch, for example an
/// `Arc<IndexedBatch>` or a reference.
pub struct BatchIterator<B> {
    base: AnyIterator,
    batch: B,
    cf: u32,
    order: KeyOrder,
    merge_operator: Option<Arc<dyn MergeOperator>>,
    lower: Option<Vec<u8>>,
    upper: Option<Vec<u8>>,
    /// The batch's key, if `delta_valid`.
    delta: Vec<u8>,
    delta_valid: bool,
    forward: bool,
    source: Source,
    /// The value of the current entry, if it is from the batch.
    value: Vec<u8>,
    error: Option<Error>,
}

impl<B: Deref<Target = IndexedBatch>> BatchIterator<B> {
    /// Iterates over the entries of `base`, an iterator over `cf`, as if `batch` were written. `bounds` limit the keys
    /// of the batch; the base has its own bounds.
    pub fn new(
        base: impl Into<AnyIterator>,
        batch: B,
        cf: &ColumnFamily,
        bounds: &ReadOptions,
    ) -> Self {
        BatchIterator {
            base: base.into(),
            batch,
            cf: cf.id(),
            order: cf.key_order().clone(),
            merge_operator: cf.options().merge_operator.clone(),
            lower: bounds.iterate_lower_bound.clone(),
            upper: bounds.iterate_upper_bound.clone(),
            delta: Vec::new(),
            delta_valid: false,
            forward: true,
            source: Source::None,
            value: Vec::new(),
            error: None,
        }
    }

    /// Returns whether the iterator is at an entry.
    pub fn valid(&self) -> bool {
        self.source != Source::None
    }

    /// Returns the current key; empty if the iterator is invalid.
    pub fn key(&self) -> &[u8] {
        match self.source {
            Source::None => &[],
            Source::Base => self.base.key(),
            Source::Batch => &self.delta,
        }
    }

    /// Returns the current value; empty if the iterator is invalid.
    pub fn value(&self) -> &[u8] {
        match self.source {
            Source::None => &[],
            Source::Base => self.base.value(),
            Source::Batch => &self.value,
        }
    }

    /// Returns the error that stopped the iterator, if any.
    pub fn status(&self) -> Result<()> {
        match &self.error {
            Some(e) => Err(e.clone()),
            None => self.base.status(),
        }
    }

    /// Moves to the first entry.
    pub fn seek_to_first(&mut self) {
        self.start(true);
        self.base.seek_to_first();
        match self.lower.clone() {
            Some(lower) => self.delta_forward(Bound::Included(&lower)),
            None => self.delta_forward(Bound::Unbounded),
        }
        self.settle();
    }

    /// Moves to the last entry.
    pub fn seek_to_last(&mut self) {
        self.start(false);
        self.base.seek_to_last();
        match self.upper.clone() {
            Some(upper) => self.delta_backward(Bound::Excluded(&upper)),
            None => self.delta_backward(Bound::Unbounded),
        }
        self.settle();
    }

    /// Moves to the first entry at or after `target`.
    pub fn seek(&mut self, target: &[u8]) {
        self.start(true);
        self.base.seek(target);
        let lower = self.lower.clone().filter(|l| self.order.compare_user(l, target).is_gt());
        self.delta_forward(Bound::Included(lower.as_deref().unwrap_or(target)));
        self.settle();
    }

    /// Moves to the last entry at or before `target`.
    pub fn seek_for_prev(&mut self, target: &[u8]) {
        self.start(false);
        self.base.seek_for_prev(target);
        match self.upper.clone().filter(|u| self.order.compare_user(u, target).is_le()) {
            Some(upper) => self.delta_backward(Bound::Excluded(&upper)),
            None => self.delta_backward(Bound::Included(target)),
        }
        self.settle();
    }

    /// Moves to the next entry. Does nothing if the iterator is invalid.
    pub fn next(&mut self) {
        self.advance(true);
    }

    /// Moves to the previous entry. Does nothing if the iterator is invalid.
    pub fn prev(&mut self) {
        self.advance(false);
    }

    fn start(&mut self, forward: bool) {
        self.forward = forward;
        self.source = Source::None;
        self.error = None;
    }

    /// Leaves the current key, after changing direction if necessary.
    fn advance(&mut self, forward: bool) {
        if !self.valid() {
            return;
        }
        let key = self.key().to_vec();
        let turns = self.forward != forward;
        if turns {
            self.forward = forward;
            if forward { self.base.seek(&key) } else { self.base.seek_for_prev(&key) }
        }
        if self.base.valid() && self.order.equal_user(self.base.key(), &key) {
            if forward { self.base.next() } else { self.base.prev() }
        }
        // The batch may have changed meanwhile, so its position is found by key. Once it has reached its end it stays
        // there, as in RocksDB, until a seek or a change of direction.
        if turns || (self.delta_valid && self.order.equal_user(&self.delta, &key)) {
            if forward {
                self.delta_forward(Bound::Excluded(&key));
            } else {
                self.delta_backward(Bound::Excluded(&key));
            }
        }
        self.settle();
    }

    fn delta_forward(&mut self, from: Bound<&[u8]>) {
        let upper = self.upper.as_deref();
        let key = self.batch.first_key(self.cf, from);
        let key = key.filter(|k| upper.is_none_or(|u| self.order.compare_user(k, u).is_lt()));
        self.delta_valid = key.is_some();
        self.delta.clear();
        self.delta.extend_from_slice(key.unwrap_or_default());
    }

    fn delta_backward(&mut self, to: Bound<&[u8]>) {
        let lower = self.lower.as_deref();
        let key = self.batch.last_key(self.cf, to);
        let key = key.filter(|k| lower.is_none_or(|l| self.order.compare_user(k, l).is_ge()));
        self.delta_valid = key.is_some();
        self.delta.clear();
        self.delta.extend_from_slice(key.unwrap_or_default());
    }

    /// Finds the nearest entry from the positions of base and batch, skipping keys that the batch deletes.
    fn settle(&mut self) {
        loop {
            self.source = Source::None;
            if self.base.status().is_err() {
                return;
            }
            let side = match (self.base.valid(), self.delta_valid) {
                (false, false) => return,
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
                (true, true) => {
                    let order = self.order.compare_user(self.base.key(), &self.delta);
                    if self.forward { order } else { order.reverse() }
                }
            };
            if side.is_lt() {
                self.source = Source::Base;
                return;
            }
            match self.take_delta(side.is_eq()) {
                Ok(true) => {
                    self.source = Source::Batch;
                    return;
                }
                Ok(false) => self.skip_deleted(side.is_eq()),
                Err(e) => {
                    self.error = Some(e);
                    return;
                }
            }
        }
    }

    /// Computes the value of the batch's key. Returns false if the batch deletes the key.
    fn take_delta(&mut self, base_has_it: bool) -> Result<bool> {
        let lookup = self.batch.get(self.cf, &self.delta);
        self.value.clear();
        match lookup {
            BatchLookup::NotFound | BatchLookup::Deleted => return Ok(false),
            BatchLookup::Value(value) => self.value.extend_from_slice(value),
            BatchLookup::Merge { base, operands } => {
                let base = match base {
                    MergeBase::Value(value) => Some(value),
                    MergeBase::Database if base_has_it => Some(self.base.value()),
                    MergeBase::Nothing | MergeBase::Database => None,
                };
                let operator = self.merge_operator.as_deref().ok_or_else(no_merge_operator)?;
                self.value = full_merge(operator, &self.delta, base, &operands)?;
            }
        }
        Ok(true)
    }

    /// Moves past a key that the batch deletes.
    fn skip_deleted(&mut self, base_has_it: bool) {
        let key = std::mem::take(&mut self.delta);
        if self.forward {
            if base_has_it {
                self.base.next();
            }
            self.delta_forward(Bound::Excluded(&key));
        } else {
            if base_has_it {
                self.base.prev();
            }
            self.delta_backward(Bound::Excluded(&key));
        }
    }
}
