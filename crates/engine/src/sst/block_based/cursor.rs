//! Walking a block: a position, with the key put together from the entries before it.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::view::{BlockView, bad_entry, decode_entry};
use crate::base::WalkKey;
use crate::error::Result;
use std::cmp::Ordering;

/// A position in a block, with its key put together.
#[derive(Default)]
pub struct Cursor {
    key: WalkKey,
    /// Where the entry starts; meaningless before the first move.
    at: usize,
    /// Where the entry after it starts.
    next: usize,
    value: (usize, usize),
}

impl Cursor {
    /// The stored key.
    #[inline]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// Where in the block the value is.
    #[inline]
    pub fn value_range(&self) -> (usize, usize) {
        self.value
    }

    /// Where in the block the entry starts.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Bytes of the key that the entry takes from the one before.
    pub fn shared(&self, view: &BlockView) -> Option<usize> {
        decode_entry(view.entries(), self.at).map(|entry| entry.shared)
    }

    /// Stands before the first entry of interval `i`.
    fn rewind(&mut self, view: &BlockView, i: usize) {
        self.key.clear();
        self.next = if view.num_restarts() == 0 { usize::MAX } else { view.restart(i) };
    }

    /// Stands before the first entry; `next` goes there.
    pub fn rewind_to_start(&mut self) {
        self.rewind_to(0);
    }

    /// Stands before the restart at `offset`; `next` goes there.
    #[inline]
    fn rewind_to(&mut self, offset: usize) {
        self.key.clear();
        self.next = offset;
    }

    /// Where in the block the next entry starts.
    #[inline]
    pub fn next_offset(&self) -> usize {
        self.next
    }

    /// Goes one entry on; false at the end of the block.
    #[inline]
    pub fn next(&mut self, view: &BlockView) -> Result<bool> {
        let entries = view.entries();
        if self.next >= entries.len() {
            return Ok(false);
        }
        self.at = self.next;
        let Some(entry) = decode_entry(entries, self.at) else { return Err(bad_entry(self.at)) };
        if entry.shared > self.key.len() {
            return Err(bad_entry(self.at));
        }
        self.key.splice(entry.shared, view.slice(entry.suffix, entry.value));
        self.value = (entry.value, entry.end);
        self.next = entry.end;
        Ok(true)
    }

    /// Goes to the first entry that is not `Less` than the target; false if there is none.
    #[inline]
    pub fn seek(&mut self, view: &BlockView, compare: impl Fn(&[u8]) -> Ordering) -> Result<bool> {
        let interval = view.last_restart_before(&compare)?;
        self.rewind(view, interval);
        self.search(view, compare)
    }

    /// As `seek`, from the start of the interval before whose end the entry is.
    #[inline]
    pub fn seek_from(
        &mut self,
        view: &BlockView,
        interval: usize,
        compare: impl Fn(&[u8]) -> Ordering,
    ) -> Result<bool> {
        self.rewind_to(interval);
        self.search(view, compare)
    }

    #[inline]
    fn search(&mut self, view: &BlockView, compare: impl Fn(&[u8]) -> Ordering) -> Result<bool> {
        while self.next(view)? {
            if compare(&self.key) != Ordering::Less {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes to the last entry; false if there is none.
    pub fn seek_to_last(&mut self, view: &BlockView) -> Result<bool> {
        self.go_before(view, view.entries().len())
    }

    /// Goes one entry back; false at the start of the block.
    pub fn prev(&mut self, view: &BlockView) -> Result<bool> {
        self.go_before(view, self.at)
    }

    /// Goes to the last entry that starts before `limit`.
    fn go_before(&mut self, view: &BlockView, limit: usize) -> Result<bool> {
        let (mut low, mut high) = (0, view.num_restarts());
        while low < high {
            let middle = low + (high - low) / 2;
            if view.restart(middle) < limit { low = middle + 1 } else { high = middle }
        }
        let Some(interval) = low.checked_sub(1) else { return Ok(false) };
        self.rewind(view, interval);
        while self.next(view)? {
            if self.next >= limit {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl<'a> BlockView<'a> {
    /// Calls `f` with every key and value, in the order of the block.
    pub fn for_each(&self, mut f: impl FnMut(&[u8], &'a [u8]) -> Result<()>) -> Result<()> {
        let mut cursor = Cursor::default();
        while cursor.next(self)? {
            let (from, to) = cursor.value_range();
            f(cursor.key(), self.slice(from, to))?;
        }
        Ok(())
    }
}
