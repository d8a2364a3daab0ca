//! Evicted objects, and those of closed tables, that wait for pinned readers, and their limit.
//!
//! A thread may be interrupted while it is pinned, for milliseconds if there are more threads than processors, or wait
//! for a slow device. Until it leaves, nothing that was evicted can be freed, while the others go on reading and
//! evicting: with 8 threads on 2 processors, a cache of 27 MB took 440 MB. So a cache that is full together with many
//! waiting objects stays as it is, and a block that is read is used once, without being cached.

use super::{Cache, Retiree};
use crate::env::epoch;
use crate::env::sync::std_atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::Arc;

/// The part of the budget that waiting objects may have while the cache is full.
const SHARE: usize = 16;

/// Less is not worth a limit: there are always some objects that wait.
const LEAST: usize = 1 << 20;

/// Of so many misses that are not cached, one collects garbage, since nothing else may.
const MISSES_PER_COLLECTION: u8 = 8;

/// The removed objects of a cache that wait for readers.
#[derive(Default)]
pub(super) struct Waiting {
    bytes: Arc<AtomicUsize>,
    /// Misses that were not cached because of them, modulo 256.
    turned_away: AtomicU8,
}

/// Objects that are freed together, and then no longer counted.
struct Batch<T> {
    objects: Vec<T>,
    bytes: usize,
    waiting: Arc<AtomicUsize>,
}

impl<T> Drop for Batch<T> {
    fn drop(&mut self) {
        // What the objects free is there before others may rely on it.
        self.objects.clear();
        self.waiting.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Cache {
    /// Frees evicted objects when all readers that are pinned now have left. No shard is locked.
    pub(super) fn retire(&self, retirees: Vec<Retiree>) {
        let bytes = retirees.iter().map(Retiree::bytes).sum();
        self.retire_counted(retirees, bytes);
    }

    /// Likewise for any objects, of `bytes` bytes together.
    pub(super) fn retire_counted<T: Send + 'static>(&self, objects: Vec<T>, bytes: usize) {
        let count = objects.len();
        if count > 0 {
            self.waiting.bytes.fetch_add(bytes, Ordering::Relaxed);
            let waiting = Arc::clone(&self.waiting.bytes);
            epoch::retire_all(Batch { objects, bytes, waiting }, count);
        }
    }

    /// Whether the cache does not take an object of `charge` bytes, because with it and the removed objects that wait
    /// for readers, there would be too much memory.
    #[inline]
    pub(super) fn turns_away(&self, charge: usize) -> bool {
        let waiting = self.waiting.bytes.load(Ordering::Relaxed);
        let bytes_max = (self.budget() / SHARE).max(LEAST);
        let is_too_much = waiting > bytes_max && self.is_full_for(charge.saturating_add(waiting));
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
