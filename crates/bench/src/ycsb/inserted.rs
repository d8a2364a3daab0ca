//! The set of existing records: threads insert records while others read them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Allocates the numbers of new records, and tracks up to which number all are written, so that no thread reads a
/// record that is being written.
#[derive(Debug)]
pub struct Inserted {
    next: AtomicU64,
    /// Every record below exists.
    limit: AtomicU64,
    /// Records above the limit that exist.
    beyond: Mutex<BTreeSet<u64>>,
}

impl Inserted {
    /// Records below `limit` exist.
    pub fn new(limit: u64) -> Inserted {
        Inserted {
            next: AtomicU64::new(limit),
            limit: AtomicU64::new(limit),
            beyond: Mutex::default(),
        }
    }

    /// Returns the number of the next new record.
    pub fn begin(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// A record was written, or will never be.
    pub fn end(&self, record: u64) {
        let mut beyond = self.beyond.lock().unwrap_or_else(PoisonError::into_inner);
        beyond.insert(record);
        let mut limit = self.limit.load(Ordering::Relaxed);
        while beyond.first() == Some(&limit) {
            beyond.pop_first();
            limit += 1;
        }
        self.limit.store(limit, Ordering::Release);
    }

    /// Every record below exists.
    #[inline]
    pub fn limit(&self) -> u64 {
        self.limit.load(Ordering::Acquire)
    }
}
