//! A cursor over a snapshot.
//!
//! Opening ForestDB's iterator moves it to its smallest key. The cursor therefore opens one when the first target is
//! known and makes that the smallest key, as programs for ForestDB do, and opens another one without a smallest key
//! when it has to go below.
//!
//! The library is asked for little else, because its iterators have errors in a file with one store (8901b10): they do
//! not find the ends of a range that has bounds, or entries at the ends that are only in the WAL index, and may skip
//! keys when they turn. Bounds are therefore checked here, and ends and turns are reached with new iterators and seeks.

use super::super::store::Cursor;
use super::Result;
use super::handle::{Iter, Snapshot};
use std::rc::Rc;

/// A position in the order of keys.
pub(super) struct Position {
    iter: Option<Iter>,
    snapshot: Rc<Snapshot>,
    /// The smallest key; empty: all keys.
    lower: Vec<u8>,
    upper: Option<Vec<u8>>,
    /// The last move was back.
    is_reverse: bool,
    error: Option<String>,
}

impl Position {
    /// Creates a cursor on the keys from `lower` up to but excluding `upper`.
    pub(super) fn new(snapshot: Snapshot, lower: Option<&[u8]>, upper: Option<&[u8]>) -> Position {
        let (lower, upper) = (lower.unwrap_or_default().to_vec(), upper.map(<[u8]>::to_vec));
        let snapshot = Rc::new(snapshot);
        Position { iter: None, snapshot, lower, upper, is_reverse: false, error: None }
    }

    /// Returns an iterator that can go to all keys from `key` on, and whether it was opened for that. A new one is at
    /// the first of these keys.
    fn reaching(&mut self, key: &[u8]) -> Result<(&mut Iter, bool)> {
        let is_new = self.iter.as_ref().is_none_or(|iter| iter.from() > key);
        if is_new {
            // The old one is closed first, so that there is at most one.
            self.iter = None;
        }
        match &mut self.iter {
            Some(iter) => Ok((iter, false)),
            none => Ok((none.insert(Iter::open(&self.snapshot, key)?), true)),
        }
    }

    fn move_to(&mut self, key: &[u8]) -> Result<()> {
        if key.is_empty() {
            // A new iterator is at the first key. The library's function for it may miss that after steps back.
            self.iter = None;
        }
        match self.reaching(key)? {
            (_, true) => Ok(()),
            (iter, false) => iter.seek(key),
        }
    }

    fn move_to_last(&mut self) -> Result<()> {
        let upper = self.upper.take();
        let moved = self.reaching(b"").and_then(|(iter, _)| match upper.as_deref() {
            None => iter.last(),
            Some(b"") => {
                iter.leave();
                Ok(())
            }
            Some(upper) => {
                iter.seek_back(upper)?;
                let is_upper = iter.entry().is_some_and(|(key, _)| key == upper);
                if is_upper { iter.prev() } else { Ok(()) }
            }
        });
        self.upper = upper;
        moved
    }

    fn move_on(&mut self) -> Result<()> {
        let is_reverse = self.is_reverse;
        let Some(iter) = &mut self.iter else { return Ok(()) };
        let Some((key, _)) = iter.entry() else { return Ok(()) };
        if is_reverse {
            // The library may skip keys when it turns.
            let key = key.to_vec();
            iter.seek(&key)?;
        }
        iter.next()
    }

    fn move_back(&mut self) -> Result<()> {
        let Some((key, _)) = self.entry() else { return Ok(()) };
        let key = key.to_vec();
        match self.reaching(b"")? {
            (iter, false) => iter.prev(),
            (iter, true) => {
                iter.seek(&key)?;
                iter.prev()
            }
        }
    }

    /// Notes the direction and an error, and leaves an entry beyond the bounds.
    fn moved(&mut self, moved: Result<()>, is_reverse: bool) {
        self.is_reverse = is_reverse;
        self.error = moved.err().or(self.error.take());
        let (lower, upper) = (self.lower.as_slice(), self.upper.as_deref());
        let is_within = |key: &[u8]| lower <= key && upper.is_none_or(|upper| key < upper);
        if let Some(iter) = &mut self.iter
            && !iter.entry().is_some_and(|(key, _)| is_within(key))
        {
            iter.leave();
        }
    }
}

impl Cursor for Position {
    fn seek(&mut self, key: &[u8]) {
        let target = key.max(&self.lower).to_vec();
        let moved = self.move_to(&target);
        self.moved(moved, false);
    }

    fn seek_to_first(&mut self) {
        self.seek(b"");
    }

    fn seek_to_last(&mut self) {
        let moved = self.move_to_last();
        self.moved(moved, true);
    }

    fn next(&mut self) {
        let moved = self.move_on();
        self.moved(moved, false);
    }

    fn prev(&mut self) {
        let moved = self.move_back();
        self.moved(moved, true);
    }

    #[inline]
    fn entry(&self) -> Option<(&[u8], &[u8])> {
        self.iter.as_ref()?.entry()
    }

    fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }
}
