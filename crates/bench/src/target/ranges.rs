//! A cursor over an engine that has ranges instead of iterators with a position.
//!
//! A range goes one way. The cursor therefore keeps the entry where it is, and begins a new range from that key when it
//! turns.

use super::Result;
use super::store::Cursor;
use std::ops::Bound;

/// The two ends of a range.
pub(super) type Bounds<'a> = (Bound<&'a [u8]>, Bound<&'a [u8]>);

/// A view of an engine's contents from which ranges are read.
pub(super) trait Ranges {
    /// A key with its value.
    type Entry;
    /// A range, from either end.
    type Range: DoubleEndedIterator<Item = Result<Self::Entry>>;

    /// Returns a range; the lower bound is below the upper one.
    fn range(&self, bounds: Bounds<'_>) -> Result<Self::Range>;
    /// Returns the key and the value of an entry.
    fn parts(entry: &Self::Entry) -> (&[u8], &[u8]);
}

/// A cursor over ranges.
pub(super) struct RangeCursor<R: Ranges> {
    // Fields are dropped in this order: the view last.
    current: Option<R::Entry>,
    range: Option<R::Range>,
    forward: bool,
    lower: Option<Vec<u8>>,
    upper: Option<Vec<u8>>,
    error: Option<String>,
    view: R,
}

impl<R: Ranges> RangeCursor<R> {
    /// Creates a cursor on the keys from `lower` up to but excluding `upper`.
    pub(super) fn new(view: R, lower: Option<&[u8]>, upper: Option<&[u8]>) -> RangeCursor<R> {
        let (lower, upper) = (lower.map(<[u8]>::to_vec), upper.map(<[u8]>::to_vec));
        RangeCursor { current: None, range: None, forward: true, lower, upper, error: None, view }
    }

    /// Begins a range from a key, or from an end, and moves to its first entry.
    fn start(&mut self, from: Bound<&[u8]>, forward: bool) {
        let lower = self.lower.as_deref().map_or(Bound::Unbounded, Bound::Included);
        let upper = self.upper.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let bounds = match (from, forward) {
            (Bound::Unbounded, _) => (lower, upper),
            (from, true) => (later(lower, from), upper),
            (from, false) => (lower, earlier(upper, from)),
        };
        (self.current, self.range, self.forward) = (None, None, forward);
        if is_empty(bounds) {
            return;
        }
        match self.view.range(bounds) {
            Ok(range) => self.range = Some(range),
            Err(error) => self.error = Some(error),
        }
        self.step();
    }

    fn step(&mut self) {
        let entry = match (&mut self.range, self.forward) {
            (Some(range), true) => range.next(),
            (Some(range), false) => range.next_back(),
            (None, _) => None,
        };
        self.current = match entry.transpose() {
            Ok(entry) => entry,
            Err(error) => {
                self.error = Some(error);
                None
            }
        };
    }

    /// Moves one step, and turns first if need be.
    fn go(&mut self, forward: bool) {
        if self.forward == forward {
            return self.step();
        }
        if let Some(entry) = self.current.take() {
            self.start(Bound::Excluded(R::parts(&entry).0), forward);
        }
    }
}

impl<R: Ranges> Cursor for RangeCursor<R> {
    fn seek(&mut self, key: &[u8]) {
        self.start(Bound::Included(key), true);
    }

    fn seek_to_first(&mut self) {
        self.start(Bound::Unbounded, true);
    }

    fn seek_to_last(&mut self) {
        self.start(Bound::Unbounded, false);
    }

    fn next(&mut self) {
        self.go(true);
    }

    fn prev(&mut self) {
        self.go(false);
    }

    #[inline]
    fn entry(&self) -> Option<(&[u8], &[u8])> {
        self.current.as_ref().map(R::parts)
    }

    fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }
}

/// Returns the key of a bound.
fn key(bound: Bound<&[u8]>) -> Option<&[u8]> {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) => Some(key),
        Bound::Unbounded => None,
    }
}

/// Returns the lower bound that leaves less.
fn later<'a>(lower: Bound<&'a [u8]>, from: Bound<&'a [u8]>) -> Bound<&'a [u8]> {
    if key(lower) > key(from) { lower } else { from }
}

/// Returns the upper bound that leaves less.
fn earlier<'a>(upper: Bound<&'a [u8]>, from: Bound<&'a [u8]>) -> Bound<&'a [u8]> {
    if key(upper).is_some_and(|upper| Some(upper) < key(from)) { upper } else { from }
}

/// Returns whether no key can be within. Engines panic or fail on such ranges.
fn is_empty((lower, upper): Bounds<'_>) -> bool {
    match (key(lower), key(upper)) {
        (Some(from), Some(to)) => {
            from > to
                || from == to && !matches!((lower, upper), (Bound::Included(_), Bound::Included(_)))
        }
        _ => false,
    }
}
