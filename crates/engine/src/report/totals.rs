//! What a database did in all, for properties and amplification figures.

use crate::env::sync::atomic::{AtomicU64, Ordering};

/// Counters that only grow.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    /// Bytes of WALs that are full.
    pub(crate) wal_bytes: Counter,
    /// Syncs of WALs.
    pub(crate) wal_syncs: Counter,
    /// Bytes that flushes wrote.
    pub(crate) flush_bytes: Counter,
    /// Tables that flushes made.
    pub(crate) flush_count: Counter,
    /// Bytes that compactions read.
    pub(crate) compaction_read_bytes: Counter,
    /// Bytes that compactions wrote.
    pub(crate) compaction_write_bytes: Counter,
    /// Compactions that wrote tables.
    pub(crate) compaction_count: Counter,
    /// Writes that waited for memory.
    pub(crate) memory_stalls: Counter,
}

/// A number that any thread adds to.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Adds `n`.
    pub(crate) fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    /// The sum.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
