//! Iterators over a memtable.
//!
//! The module uses `unsafe` for two purposes, and the `Arc` makes both sound: the cursor borrows
//! the memtable that the iterator itself keeps alive, and the iterator returns slices of entries.
//! Invariants:
//! * **MM1** `cursor` never outlives `table`: it is private, and declared (and therefore dropped)
//!   first.
//! * **MM2** Entries never move or change while the memtable lives, so slices stay valid even when
//!   the iterator moves on. Values that may change (`in_place.rs`) are copied on arrival.

#![allow(unsafe_code)]

use super::entry::Entry;
use super::kinds::{Cursor, Rep};
use super::memtable::MemTable;
use super::rep::RepCursor;
use crate::base::InternalIterator;
use crate::base::perf::{self, PerfMetric, PerfTimer};
use crate::error::Result;
use std::sync::Arc;

/// An iterator over a memtable, which it keeps alive.
pub struct MemTableIterator {
    cursor: Cursor<'static>,
    /// The cursor's current entry.
    entry: Option<Entry>,
    /// The entry's value, if values change in place.
    copy: Vec<u8>,
    /// Keeps everything above alive.
    table: Arc<MemTable>,
}

impl MemTable {
    /// An iterator over all entries. If `total_order` is false, the iterator of a hash structure
    /// stays inside the prefix of the seek target, and seeks are cheap.
    pub fn iter(self: &Arc<Self>, total_order: bool) -> MemTableIterator {
        MemTableIterator::new(self.clone(), total_order)
    }
}

impl MemTableIterator {
    pub(super) fn new(table: Arc<MemTable>, total_order: bool) -> MemTableIterator {
        let cursor = table.rep().cursor(total_order);
        // SAFETY: the memtable is behind an `Arc`, so it does not move, and MM1.
        let cursor = unsafe { std::mem::transmute::<Cursor<'_>, Cursor<'static>>(cursor) };
        MemTableIterator { cursor, entry: None, copy: Vec::new(), table }
    }

    fn settle(&mut self) {
        self.entry = self.cursor.entry();
        if let (Some(entry), Some(stripes)) = (self.entry, self.table.stripes()) {
            // SAFETY: the entry lies in the memtable that the iterator holds.
            unsafe { stripes.copy_value(entry, &mut self.copy) };
        }
    }
}

impl InternalIterator for MemTableIterator {
    fn valid(&self) -> bool {
        self.entry.is_some()
    }
    fn release(&mut self) -> bool {
        self.entry = None;
        self.copy = Vec::new();
        match &mut self.cursor {
            Cursor::BTree(_) => true,
            Cursor::Other(cursor) => cursor.release(),
        }
    }
    fn seek_to_first(&mut self) {
        self.cursor.seek_to_first();
        self.settle();
    }
    fn seek_to_last(&mut self) {
        self.cursor.seek_to_last();
        self.settle();
    }
    fn walk_ahead(&self, target: &[u8], step: usize) {
        if let Rep::Hash(rep) = self.table.rep() {
            rep.walk_ahead(target, step);
        }
    }
    fn seek(&mut self, target: &[u8]) {
        let _timer = PerfTimer::start(PerfMetric::SeekOnMemtableTime);
        perf::count(PerfMetric::SeekOnMemtableCount, 1);
        self.cursor.seek(target);
        self.settle();
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        self.cursor.seek_for_prev(target);
        self.settle();
    }
    fn next(&mut self) {
        debug_assert!(self.valid(), "next on an iterator that is not valid");
        self.cursor.next();
        self.settle();
    }
    fn prev(&mut self) {
        debug_assert!(self.valid(), "prev on an iterator that is not valid");
        self.cursor.prev();
        self.settle();
    }
    fn key(&self) -> &[u8] {
        debug_assert!(self.valid(), "key of an iterator that is not valid");
        // SAFETY: MM2; the slice borrows the iterator, which holds the memtable.
        self.entry.map_or(&[], |entry| unsafe { entry.internal_key() })
    }
    fn value(&self) -> &[u8] {
        debug_assert!(self.valid(), "value of an iterator that is not valid");
        if self.table.updates_in_place() {
            return &self.copy;
        }
        // SAFETY: as for `key`.
        self.entry.map_or(&[], |entry| unsafe { entry.value() })
    }
    fn status(&self) -> Result<()> {
        Ok(())
    }
}
