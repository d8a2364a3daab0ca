//! All entries of an unordered structure, sorted at one point in time.
//!
//! Entries added later are missing: the reader that made the list reads at an earlier sequence
//! number.

#![allow(unsafe_code)] // To read the keys of entries, under R1 of `entry.rs`.

use super::entry::Entry;
use super::rep::RepCursor;
use crate::base::KeyOrder;
use crate::base::key::TRAILER_SIZE;
use crate::base::short::first_eight;
use std::cmp::Ordering;
use std::sync::Arc;

/// Entries in order.
pub(super) type Sorted = Arc<[Entry]>;

fn key<'a>(entry: Entry) -> &'a [u8] {
    // SAFETY: R1: the holder of a sorted list or of its cursor also holds the memtable.
    unsafe { entry.internal_key() }
}

/// The first eight bytes of the user key as a number that sorts like the keys.
fn front(entry: Entry) -> u64 {
    let key = key(entry);
    let user_key = &key[..key.len() - TRAILER_SIZE];
    first_eight(user_key)
}

/// Sorts entries.
pub(super) fn sort(order: &KeyOrder, entries: Vec<Entry>) -> Sorted {
    if !order.is_bytewise() {
        let mut entries = entries;
        entries.sort_unstable_by(|a, b| order.compare(key(*a), key(*b)));
        return entries.into();
    }
    // Most comparisons end at the first eight bytes and do not access the entries.
    let mut entries: Vec<(u64, Entry)> = entries.into_iter().map(|e| (front(e), e)).collect();
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| order.compare(key(a.1), key(b.1))));
    entries.into_iter().map(|(_, entry)| entry).collect()
}

/// The number of entries before `target`.
pub(super) fn lower_bound(order: &KeyOrder, entries: &[Entry], target: &[u8]) -> usize {
    entries.partition_point(|&e| order.compare(key(e), target) == Ordering::Less)
}

/// A position in a sorted list.
pub(super) struct SortedCursor {
    order: KeyOrder,
    entries: Sorted,
    /// The current index; the length of the list means that the cursor is invalid.
    at: usize,
}

impl SortedCursor {
    pub(super) fn new(order: KeyOrder, entries: Sorted) -> SortedCursor {
        let at = entries.len();
        SortedCursor { order, entries, at }
    }

    /// The index before `at`, or the invalid position.
    fn before(&self, at: usize) -> usize {
        at.checked_sub(1).unwrap_or(self.entries.len())
    }
}

impl RepCursor for SortedCursor {
    fn entry(&self) -> Option<Entry> {
        self.entries.get(self.at).copied()
    }
    fn seek_to_first(&mut self) {
        self.at = 0;
    }
    fn seek_to_last(&mut self) {
        self.at = self.before(self.entries.len());
    }
    fn seek(&mut self, target: &[u8]) {
        self.at = lower_bound(&self.order, &self.entries, target);
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        self.seek(target);
        let exact = self.entry().is_some_and(|e| self.order.compare(key(e), target).is_eq());
        if !exact {
            self.at = self.before(self.at);
        }
    }
    fn next(&mut self) {
        self.at = (self.at + 1).min(self.entries.len());
    }
    fn prev(&mut self) {
        self.at = self.before(self.at);
    }
}
