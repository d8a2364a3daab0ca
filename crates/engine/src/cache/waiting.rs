//! Evicted objects that wait for pinned readers, and their limit.
//!
//! A thread may be interrupted while it is pinned, for milliseconds if there are more threads than processors, or wait
//! for a slow device. Until it leaves, nothing that was evicted can be freed, while the others go on reading and
//! evicting: with 8 threads on 2 processors, a cache of 27 MB took 440 MB. So a full cache with many waiting objects
//! stays as it is, and a block that is read is used once, without being cached.

use super::{Cache, Retiree};
use crate::env::epoch;
use crate::env::sync::std_atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::Arc;

/// The part of the budget that waiting objects may have.
const SHARE: usize = 16;

/// Less is not worth a limit: collections of garbage begin with some dozens of objects.
const LEAST: usize = 1 << 20;

/// Of so many misses that are not cached, one collects garbage, since nothing else may.
const MISSES_PER_COLLECTION: u8 = 8;

/// The evicted objects of a cache that wait for readers.
#[derive(Default)]
pub(super) struct Waiting {
    bytes: Arc<AtomicUsize>,
    /// Misses that were not cached because of them, modulo 256.
    turned_away: AtomicU8,
}

/// Objects that are freed together, and then no longer counted.
struct Batch {
    retirees: Vec<Retiree>,
    bytes: usize,
    waiting: Arc<AtomicUsize>,
}

impl Drop for Batch {
    fn drop(&mut self) {
        // What the objects free is there before others may rely on it.
        self.retirees.clear();
        self.waiting.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Cache {
    /// Frees evicted objects when all readers that are pinned now have left. No shard is locked.
    pub(super) fn retire(&self, retirees: Vec<Retiree>) {
        let (count, bytes) = (retirees.len(), retirees.iter().map(Retiree::bytes).sum());
        if count > 0 {
            self.waiting.bytes.fetch_add(bytes, Ordering::Relaxed);
            let waiting = Arc::clone(&self.waiting.bytes);
            epoch::retire_all(Batch { retirees, bytes, waiting }, count);
        }
    }

    /// Whether a full cache does not take an object, because too many evicted ones wait for readers.
    #[inline]
    pub(super) fn turns_away(&self) -> bool {
        let bytes_max = (self.budget() / SHARE).max(LEAST);
        let is_too_much = self.waiting.bytes.load(Ordering::Relaxed) > bytes_max;
        if is_too_much {
            self.collect_sometimes();
        }
        is_too_much
    }

    #[cold]
    fn collect_sometimes(&self) {
        let misses = self.waiting.turned_away.fetch_add(1, Ordering::Relaxed);
        if misses.is_multiple_of(MISSES_PER_COLLECTION) {
            epoch::collect();
        }
    }
}
