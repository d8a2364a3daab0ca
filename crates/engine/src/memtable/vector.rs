//! The structure for `vector`: entries in insertion order, sorted when a reader arrives.
//!
//! It is made for bulk loads that are read only by the flush: an insert is a push. A reader sorts
//! all entries unless nothing was added since the last sort.
//!
//! Threads: the caller admits one writer at a time. Readers and the writer block each other only
//! for the duration of a push or of a copy of the list.

use super::arena::Arena;
use super::entry::Entry;
use super::rep::{MemtableRep, RepCursor};
use super::sorted::{self, Sorted, SortedCursor};
use crate::base::{KeyOrder, LookupKey};
use crate::env::sync::Mutex;
use crate::env::sync::std_atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// The list.
pub struct VectorRep {
    order: KeyOrder,
    entries: Mutex<Vec<Entry>>,
    /// The entries as the last reader sorted them.
    sorted: Mutex<Sorted>,
    /// The size of the list in bytes; readable without the lock.
    memory: AtomicUsize,
}

impl VectorRep {
    /// An empty list with room for `count` entries, as far as `write_buffer_size` allows.
    pub fn new(order: KeyOrder, count: usize, write_buffer_size: usize) -> VectorRep {
        let most = write_buffer_size / 4 / size_of::<Entry>();
        let entries: Vec<Entry> = Vec::with_capacity(count.min(most));
        VectorRep {
            order,
            memory: AtomicUsize::new(entries.capacity() * size_of::<Entry>()),
            entries: Mutex::new(entries),
            sorted: Mutex::new(Arc::new([])),
        }
    }

    /// All entries in order. Concurrent readers sort once.
    fn sorted(&self) -> Sorted {
        let mut last = self.sorted.lock();
        let entries = self.entries.lock();
        if last.len() != entries.len() {
            let copy = entries.clone();
            drop(entries); // The writer need not wait for the sorting.
            *last = sorted::sort(&self.order, copy);
        }
        Arc::clone(&last)
    }
}

impl MemtableRep for VectorRep {
    fn insert(&self, _arena: &Arena, entry: Entry) {
        let mut entries = self.entries.lock();
        entries.push(entry);
        self.memory.store(entries.capacity() * size_of::<Entry>(), Ordering::Relaxed);
    }

    fn visit_from(&self, key: &LookupKey, visit: &mut dyn FnMut(Entry) -> bool) {
        let sorted = self.sorted();
        let start = sorted::lower_bound(&self.order, &sorted, key.internal_key());
        for &entry in &sorted[start..] {
            if !visit(entry) {
                return;
            }
        }
    }

    fn cursor(&self, _total_order: bool) -> Box<dyn RepCursor + '_> {
        Box::new(SortedCursor::new(self.order.clone(), self.sorted()))
    }

    fn outside_memory(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }
}
