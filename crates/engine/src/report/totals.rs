//! Totals of a database's work, for properties and amplification figures.

use crate::env::sync::atomic::{AtomicU64, Ordering};

/// Counters that only increase.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    /// Bytes of full WALs.
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

/// A counter that any thread can increment.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Adds `n`.
    pub(crate) fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    /// Returns the current value.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
