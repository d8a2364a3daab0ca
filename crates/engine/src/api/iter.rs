//! Double-ended iterators over one state of a column family.
//!
//! One inner iterator serves both ends. It is at the key that was returned last, and seeks when the end changes. So
//! both ends show the same state without a snapshot, and iterating in one direction has no cost for the other.

use super::{ColumnFamily, Db, Key, KeyRange, Value, cursor};
use crate::base::{KeyOrder, PinnedValue};
use crate::db;
use crate::error::{Error, Result};
use crate::options::ReadOptions;
use crate::utilities::AnyIterator;
use std::cmp::Ordering;
use std::fmt;
use std::iter::FusedIterator;
use std::ops::Bound;

/// The keys and values of a column family in key order, from either end.
///
/// Created by [`Db::iter`], [`Db::range`], [`Db::prefix`] and the same methods of [`ColumnFamily`] and
/// [`Snapshot`](crate::Snapshot). It shows the database as it was when the iterator was created. It owns what it reads:
/// it has no lifetime, may outlive the handle that created it, and may be sent to another thread.
///
/// # Errors
/// A scan that fails returns one `Err` and then `None`, so a loop with `?` cannot mistake a failed scan for a complete
/// one. This also holds for an iterator that could not be created (a closed database, a dropped column family, a handle
/// or snapshot of another database): its first item is the error.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let db = ferrolith::Db::open(dir.path())?;
/// for n in 0..10 {
///     db.put(format!("key{n}"), n.to_string())?;
/// }
/// for item in db.iter() {
///     let (key, value) = item?;
///     println!("{key:?} = {value:?}");
/// }
/// let (last, _) = db.iter().next_back().expect("ten keys")?;
/// assert_eq!(last, "key9");
/// let middle: Vec<_> = db.range("key3".."key6").rev().collect::<Result<_, _>>()?;
/// assert_eq!(middle.len(), 3);
/// assert_eq!(middle[0].0, "key5");
/// # Ok::<(), ferrolith::Error>(())
/// ```
///
/// Changing the end (`next_back` after `next`) costs a seek.
pub struct Iter {
    state: State,
    /// The limits that the engine's bounds cannot express, and the position of the other end.
    floor: Option<Limit>,
    ceiling: Option<Limit>,
}

enum State {
    /// Not at any key yet.
    New(Box<AnyIterator>),
    /// At the key that `next` returned last.
    Front(Box<AnyIterator>),
    /// At the key that `next_back` returned last.
    Back(Box<AnyIterator>),
    /// The error, which is returned once.
    Failed(Error),
    Done,
}

/// A key that ends the iteration on one side.
struct Limit {
    key: Vec<u8>,
    inclusive: bool,
}

type KeyBound = Bound<Vec<u8>>;

/// The begin and the end of an iterator, as the caller specified them.
pub(crate) enum Bounds {
    Range(KeyBound, KeyBound),
    Prefix(Vec<u8>),
}

impl Bounds {
    pub(crate) fn all() -> Bounds {
        Bounds::Range(Bound::Unbounded, Bound::Unbounded)
    }

    pub(crate) fn range(range: impl KeyRange) -> Bounds {
        let (lower, upper) = range.bounds();
        Bounds::Range(lower.map(<[u8]>::to_vec), upper.map(<[u8]>::to_vec))
    }

    pub(crate) fn prefix(prefix: &[u8]) -> Bounds {
        Bounds::Prefix(prefix.to_vec())
    }

    /// Returns whether the iterator may use prefix filters.
    pub(super) fn is_one_prefix(&self, db: &db::Db, cf: Option<&db::ColumnFamily>) -> bool {
        let order = cf.map_or(db.default_key_order(), db::ColumnFamily::key_order);
        matches!(self, Bounds::Prefix(prefix)
            if !prefix.is_empty() && order.is_bytewise() && db.is_one_prefix(cf, prefix))
    }

    /// Returns the bounds as a range.
    pub(super) fn in_order(self, order: &KeyOrder) -> Result<(KeyBound, KeyBound)> {
        let prefix = match self {
            Bounds::Range(lower, upper) => return Ok((lower, upper)),
            Bounds::Prefix(prefix) if prefix.is_empty() => {
                return Ok((Bound::Unbounded, Bound::Unbounded));
            }
            Bounds::Prefix(prefix) => prefix,
        };
        let after = successor(&prefix);
        if order.is_bytewise() {
            let upper = after.map_or(Bound::Unbounded, Bound::Excluded);
            Ok((Bound::Included(prefix), upper))
        } else if order.tells_bytes_apart() {
            // In reverse order, longer keys sort before their prefix.
            let lower = after.map_or(Bound::Unbounded, Bound::Excluded);
            Ok((lower, Bound::Included(prefix)))
        } else {
            Err(Error::not_supported(format!(
                "iterating over a prefix with the comparator {}: use a range",
                order.name()
            )))
        }
    }
}

/// Returns the first key after all keys with this prefix in bytewise order, or `None` if there is no such key.
fn successor(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != 0xff)?;
    let mut key = prefix[..=last].to_vec();
    key[last] += 1;
    Some(key)
}

/// Returns the key that follows this one in bytewise order.
pub(super) fn next_key(mut key: Vec<u8>) -> Vec<u8> {
    key.push(0);
    key
}

impl Limit {
    /// Returns whether a key that compares to the limit as `ordering` is within it.
    fn allows(&self, ordering: Ordering, side: Ordering) -> bool {
        ordering == side || (self.inclusive && ordering == Ordering::Equal)
    }
}

impl Iter {
    pub(crate) fn new(
        db: &Db,
        cf: Option<&ColumnFamily>,
        options: Result<&ReadOptions>,
        bounds: Bounds,
    ) -> Iter {
        Iter::try_new(db, cf, options, bounds).unwrap_or_else(|e| Iter {
            state: State::Failed(e),
            floor: None,
            ceiling: None,
        })
    }

    fn try_new(
        db: &Db,
        cf: Option<&ColumnFamily>,
        options: Result<&ReadOptions>,
        bounds: Bounds,
    ) -> Result<Iter> {
        let mut options = options?.clone();
        options.tailing = false;
        let handle = cf.map(|cf| cf.checked(db)).transpose()?;
        let order = handle.map_or(db.inner().default_key_order(), db::ColumnFamily::key_order);
        options.within_one_prefix = bounds.is_one_prefix(db.inner(), handle);
        let (mut floor, mut ceiling) = (None, None);
        let (lower, upper) = bounds.in_order(order)?;
        let lower = match lower {
            Bound::Unbounded => None,
            Bound::Included(key) => Some(key),
            Bound::Excluded(key) if order.is_bytewise() => Some(next_key(key)),
            Bound::Excluded(key) => {
                floor = Some(Limit { key: key.clone(), inclusive: false });
                Some(key)
            }
        };
        let upper = match upper {
            Bound::Unbounded => None,
            Bound::Excluded(key) => Some(key),
            Bound::Included(key) if order.is_bytewise() => Some(next_key(key)),
            Bound::Included(key) => {
                ceiling = Some(Limit { key, inclusive: true });
                None
            }
        };
        narrow(&mut options.iterate_lower_bound, lower, order, Ordering::Greater);
        narrow(&mut options.iterate_upper_bound, upper, order, Ordering::Less);
        let iter = cursor::open(db, cf, Ok(&options))?;
        Ok(Iter { state: State::New(Box::new(iter)), floor, ceiling })
    }

    /// Returns the next item from the front or from the back.
    fn step(&mut self, forward: bool) -> Option<Result<(Key, Value)>> {
        let iter = match std::mem::replace(&mut self.state, State::Done) {
            State::Done => return None,
            State::Failed(e) => return Some(Err(e)),
            State::Front(mut iter) if forward => {
                iter.next();
                iter
            }
            State::Back(mut iter) if !forward => {
                iter.prev();
                iter
            }
            State::Front(iter) => {
                self.floor = Some(Limit { key: iter.key().to_vec(), inclusive: false });
                self.enter(iter, forward)
            }
            State::Back(iter) => {
                self.ceiling = Some(Limit { key: iter.key().to_vec(), inclusive: false });
                self.enter(iter, forward)
            }
            State::New(iter) => self.enter(iter, forward),
        };
        if !iter.valid() {
            return iter.status().err().map(Err);
        }
        let (limit, side) = match forward {
            true => (&self.ceiling, Ordering::Less),
            false => (&self.floor, Ordering::Greater),
        };
        if let Some(limit) = limit {
            let ordering = iter.key_order().compare_user(iter.key(), &limit.key);
            if !limit.allows(ordering, side) {
                return None;
            }
        }
        let item =
            (Key::copy(iter.key()), Value::pinned(PinnedValue::owned(iter.value().to_vec())));
        self.state = if forward { State::Front(iter) } else { State::Back(iter) };
        Some(Ok(item))
    }

    /// Moves to the first key on this side that was not returned yet.
    fn enter(&self, mut iter: Box<AnyIterator>, forward: bool) -> Box<AnyIterator> {
        let limit = if forward { &self.floor } else { &self.ceiling };
        let Some(limit) = limit else {
            if forward {
                iter.seek_to_first();
            } else {
                iter.seek_to_last();
            }
            return iter;
        };
        if forward {
            iter.seek(&limit.key);
        } else {
            iter.seek_for_prev(&limit.key);
        }
        let on_it = iter.valid() && iter.key_order().equal_user(iter.key(), &limit.key);
        if on_it && !limit.inclusive {
            if forward {
                iter.next();
            } else {
                iter.prev();
            }
        }
        iter
    }
}

/// Replaces a bound by a narrower one, which is one that compares to it like `narrower`.
fn narrow(
    bound: &mut Option<Vec<u8>>,
    other: Option<Vec<u8>>,
    order: &KeyOrder,
    narrower: Ordering,
) {
    if let Some(other) = other
        && bound.as_ref().is_none_or(|bound| order.compare_user(&other, bound) == narrower)
    {
        *bound = Some(other);
    }
}

impl Iterator for Iter {
    type Item = Result<(Key, Value)>;

    #[inline]
    fn next(&mut self) -> Option<Result<(Key, Value)>> {
        self.step(true)
    }
}

impl DoubleEndedIterator for Iter {
    #[inline]
    fn next_back(&mut self) -> Option<Result<(Key, Value)>> {
        self.step(false)
    }
}

impl FusedIterator for Iter {}

impl fmt::Debug for Iter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &self.state {
            State::New(_) => "new",
            State::Front(_) => "on a key from the front",
            State::Back(_) => "on a key from the back",
            State::Failed(_) => "failed",
            State::Done => "done",
        };
        f.debug_struct("Iter").field("state", &state).finish_non_exhaustive()
    }
}
