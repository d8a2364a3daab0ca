//! Cursors over a block: a position, with the key assembled from the preceding entries.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::view::{BlockView, bad_entry, decode_entry};
use crate::base::WalkKey;
use crate::error::Result;
use std::cmp::Ordering;

/// A position in a block, with its key assembled.
#[derive(Default)]
pub struct Cursor {
    key: WalkKey,
    /// The offset of the current entry; meaningless before the first move.
    at: usize,
    /// The offset of the next entry.
    next: usize,
    value: (usize, usize),
}

impl Cursor {
    /// The stored key.
    #[inline]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The range of the value in the block.
    #[inline]
    pub fn value_range(&self) -> (usize, usize) {
        self.value
    }

    /// The offset of the entry in the block.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The number of key bytes that the entry shares with the previous one.
    pub fn shared(&self, view: &BlockView) -> Option<usize> {
        decode_entry(view.entries(), self.at).map(|entry| entry.shared)
    }

    /// Moves to before the first entry of interval `i`.
    fn rewind(&mut self, view: &BlockView, i: usize) {
        self.key.clear();
        self.next = if view.num_restarts() == 0 { usize::MAX } else { view.restart(i) };
    }

    /// Moves to before the first entry; `next` moves to that entry.
    pub fn rewind_to_start(&mut self) {
        self.rewind_to(0);
    }

    /// Moves to before the restart at `offset`; `next` moves to its entry.
    #[inline]
    fn rewind_to(&mut self, offset: usize) {
        self.key.clear();
        self.next = offset;
    }

    /// The offset of the next entry in the block.
    #[inline]
    pub fn next_offset(&self) -> usize {
        self.next
    }

    /// Moves to the next entry; false at the end of the block.
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

    /// Moves to the first entry that is not `Less` than the target; false if there is none.
    #[inline]
    pub fn seek(&mut self, view: &BlockView, compare: impl Fn(&[u8]) -> Ordering) -> Result<bool> {
        let interval = view.last_restart_before(&compare)?;
        self.rewind(view, interval);
        self.search(view, compare)
    }

    /// Like `seek`, but starts at an interval whose end is not before the entry.
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

    /// Moves to the last entry; false if there is none.
    pub fn seek_to_last(&mut self, view: &BlockView) -> Result<bool> {
        self.go_before(view, view.entries().len())
    }

    /// Moves to the previous entry; false at the start of the block.
    pub fn prev(&mut self, view: &BlockView) -> Result<bool> {
        self.go_before(view, self.at)
    }

    /// Moves to the last entry that starts before `limit`.
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
    /// Calls `f` with every key and value in order.
    pub fn for_each(&self, mut f: impl FnMut(&[u8], &'a [u8]) -> Result<()>) -> Result<()> {
        let mut cursor = Cursor::default();
        while cursor.next(self)? {
            let (from, to) = cursor.value_range();
            f(cursor.key(), self.slice(from, to))?;
        }
        Ok(())
    }
}
