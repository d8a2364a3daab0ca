//! The iterator over the rows of a PlainTable.
//!
//! Forward iteration reads consecutive rows. Rows have no backward links, so a step backwards reads
//! from the last anchor before the current row and remembers the rows that it passed: one pass over
//! at most `index_sparseness` rows serves as many steps.
//!
//! **Bound to a prefix.** Unless the iterator was made for total order, a seek whose target has a
//! prefix visits only rows of that prefix, found by hash. The iterator is not valid outside the
//! prefix: other files were not searched there, so it would return entries that may be deleted.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::reader::Reader;
use super::row::{Row, SharedPrefix};
use crate::base::InternalIterator;
use crate::base::hash::hash64;
use crate::base::key::{TRAILER_SIZE, trailer, user_key};
use crate::base::prefetch::{LINE, prefetch_bytes};
use crate::error::{Error, Result};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// The number of bytes of a prefix's rows that are prefetched at once.
const ROWS_AHEAD: usize = 6 * LINE;

/// An iterator over the rows of one file.
pub struct PlainIter {
    reader: Arc<Reader>,
    cursor: Cursor,
    total_order: bool,
    /// The prefix that the iterator is bound to, if any.
    bound: Vec<u8>,
    bounded: bool,
}

/// A position in the rows.
#[derive(Default)]
struct Cursor {
    valid: bool,
    status: Option<Error>,
    /// The offset of the current row, or the end of the rows; then the offset of the next row.
    at: usize,
    next: usize,
    /// The prefix-encoding state for reading the next row.
    state: SharedPrefix,
    /// The range of the internal key in the file, unless it was assembled in `key`.
    key_in_file: Option<Range<usize>>,
    key: Vec<u8>,
    value: Range<usize>,
    /// The rows between the last anchor and the current row, with the state for reading each.
    behind: Vec<(u32, SharedPrefix)>,
}

impl Cursor {
    fn reset(&mut self) {
        self.valid = false;
        self.status = None;
        self.behind.clear();
    }

    #[cold]
    fn fail(&mut self, error: Error) {
        self.valid = false;
        self.status = Some(error);
    }

    /// Moves to `row`, which starts at `at`; `state` is the state after reading it.
    fn accept(&mut self, reader: &Reader, at: usize, state: SharedPrefix, row: &Row) {
        self.at = at;
        self.next = row.next;
        self.state = state;
        self.value = row.next - row.value.len()..row.next;
        if reader.is_in_place(row) {
            self.key_in_file = Some(row.rest_at..row.rest_at + row.rest.len() + TRAILER_SIZE);
        } else {
            self.key_in_file = None;
            self.key.clear();
            self.key.extend_from_slice(row.shared);
            self.key.extend_from_slice(row.rest);
            self.key.extend_from_slice(&reader.trailer_of(row).to_le_bytes());
        }
        self.valid = true;
    }

    /// Reads the row at `at` and moves to it, or past the end.
    fn load(&mut self, reader: &Reader, at: usize, mut state: SharedPrefix) {
        let rows = reader.rows();
        if at >= rows.len() {
            self.at = rows.len();
            self.valid = false;
            return;
        }
        match Row::read(rows, reader.format, &mut state, at) {
            Ok(row) => self.accept(reader, at, state, &row),
            Err(why) => self.fail(reader.corruption(at, why)),
        }
    }

    /// Moves to the first row at or after `start` that is not before `target`. With `group`, the
    /// first row must belong to it; if it does not, returns false and changes nothing.
    fn scan(&mut self, reader: &Reader, start: usize, target: &[u8], group: Option<&[u8]>) -> bool {
        let rows = reader.rows();
        let (target_key, target_trailer) = (user_key(target), trailer(target));
        let (mut at, mut state) = (start, SharedPrefix::default());
        self.valid = false;
        while at < rows.len() {
            let row = match Row::read(rows, reader.format, &mut state, at) {
                Ok(row) => row,
                Err(why) => {
                    self.fail(reader.corruption(at, why));
                    return true;
                }
            };
            if at == start && group.is_some_and(|g| reader.grouping.of(row.rest) != g) {
                return false;
            }
            let order = row
                .compare_user(&reader.order, target_key)
                .then_with(|| target_trailer.cmp(&reader.trailer_of(&row)));
            if order != Ordering::Less {
                self.accept(reader, at, state, &row);
                return true;
            }
            at = row.next;
        }
        self.at = rows.len();
        true
    }

    /// Moves to the row before the one at `end`, or to none.
    fn step_back(&mut self, reader: &Reader, end: usize) {
        self.valid = false;
        if self.behind.is_empty() {
            let Some(anchor) = reader.index.anchor_before(end) else { return };
            let rows = reader.rows().get(..end).unwrap_or_default();
            let (mut at, mut state) = (anchor, SharedPrefix::default());
            while at < rows.len() {
                self.behind.push((at as u32, state));
                match Row::read(rows, reader.format, &mut state, at) {
                    Ok(row) => at = row.next,
                    Err(why) => return self.fail(reader.corruption(at, why)),
                }
            }
        }
        if let Some((at, state)) = self.behind.pop() {
            self.load(reader, at as usize, state);
        }
    }

    fn key<'a>(&'a self, reader: &'a Reader) -> &'a [u8] {
        match &self.key_in_file {
            Some(range) => reader.rows().get(range.clone()).unwrap_or_default(),
            None => &self.key,
        }
    }
}

impl PlainIter {
    pub(super) fn new(reader: Arc<Reader>, total_order: bool) -> PlainIter {
        let cursor = Cursor::default();
        PlainIter { reader, cursor, total_order, bound: Vec::new(), bounded: false }
    }

    /// Moves to the first row not before `target` in the range that the iterator searches; returns
    /// false if no row has the target's prefix. Does not check the bound.
    fn position(&mut self, target: &[u8]) -> bool {
        let PlainIter { reader, cursor, .. } = self;
        cursor.reset();
        let target_key = user_key(target);
        self.bounded = !self.total_order
            && reader.index.has_groups()
            && reader.grouping.has_prefix(target_key);
        if !self.bounded {
            match reader.start_of_search(reader.index.everything(), target_key) {
                Ok(start) => {
                    cursor.scan(reader, start, target, None);
                }
                Err(e) => cursor.fail(e),
            }
            return true;
        }
        let group = reader.grouping.of(target_key);
        self.bound.clear();
        self.bound.extend_from_slice(group);
        let mut known = false;
        for place in reader.index.places(hash64(group)) {
            match reader.start_of_search(place, target_key) {
                Ok(start) if !cursor.scan(reader, start, target, Some(group)) => continue,
                Ok(_) => {}
                Err(e) => cursor.fail(e),
            }
            known = true;
            if cursor.status.is_some()
                || (cursor.valid && reader.grouping.of(user_key(cursor.key(reader))) == group)
            {
                break;
            }
        }
        known
    }

    /// Invalidates the iterator if it left its prefix.
    #[inline]
    fn check_bound(&mut self) {
        if self.bounded
            && self.cursor.valid
            && self.reader.grouping.of(user_key(self.cursor.key(&self.reader))) != self.bound
        {
            self.cursor.valid = false;
        }
    }
}

impl InternalIterator for PlainIter {
    fn release(&mut self) -> bool {
        self.cursor.reset();
        self.bounded = false;
        true
    }

    fn valid(&self) -> bool {
        self.cursor.valid
    }

    fn seek_to_first(&mut self) {
        self.bounded = false;
        self.cursor.reset();
        self.cursor.load(&self.reader, 0, SharedPrefix::default());
    }

    fn seek_to_last(&mut self) {
        self.bounded = false;
        self.cursor.reset();
        self.cursor.step_back(&self.reader, self.reader.rows().len());
    }

    fn seek(&mut self, target: &[u8]) {
        self.position(target);
        self.check_bound();
    }

    fn walk_ahead(&self, target: &[u8], step: usize) {
        let (reader, target_key) = (&self.reader, user_key(target));
        if self.total_order || !reader.grouping.has_prefix(target_key) {
            return;
        }
        let hash = hash64(reader.grouping.of(target_key));
        if step == 0 {
            reader.index.prefetch_group(hash);
        } else if let Some(place) = reader.index.places(hash).next() {
            let row = reader.rows().as_ptr().wrapping_add(place.first_row);
            prefetch_bytes(row, ROWS_AHEAD);
        }
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        if !self.position(target) || self.cursor.status.is_some() {
            return;
        }
        let exact =
            self.cursor.valid && self.reader.order.compare(self.key(), target) == Ordering::Equal;
        if !exact {
            self.cursor.step_back(&self.reader, self.cursor.at);
        }
        self.check_bound();
    }

    fn next(&mut self) {
        debug_assert!(self.cursor.valid, "next on an iterator that is not valid");
        self.cursor.behind.clear();
        self.cursor.load(&self.reader, self.cursor.next, self.cursor.state);
        self.check_bound();
    }

    fn prev(&mut self) {
        debug_assert!(self.cursor.valid, "prev on an iterator that is not valid");
        self.cursor.step_back(&self.reader, self.cursor.at);
        self.check_bound();
    }

    fn key(&self) -> &[u8] {
        self.cursor.key(&self.reader)
    }

    fn value(&self) -> &[u8] {
        self.reader.rows().get(self.cursor.value.clone()).unwrap_or_default()
    }

    fn status(&self) -> Result<()> {
        self.cursor.status.clone().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
#[path = "iter_test.rs"]
mod tests;
