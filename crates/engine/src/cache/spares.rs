//! Spares: evicted objects that are kept for their memory.
//!
//! A cache smaller than the data evicts a block for each one that it reads. Freed memory would return to the heap of
//! the thread that allocated it, in bursts whenever an epoch ends, and threads would wait for each other's heaps: this
//! took a tenth of the time of all reads, and caused nearly all of the tail latency. So an evicted object without
//! readers is kept here, and the next block that is read reuses its memory.
//!
//! Only a few are kept, outside the budget, like all objects that wait for readers to leave.

use crate::env::sync::Mutex;
use crate::env::sync::std_atomic::{AtomicUsize, Ordering};
use std::any::Any;

/// A [`super::Held`] whose type only its owner can restore.
pub(super) type Anonymous = Box<dyn Any + Send>;

/// The maximum number of bytes kept; it is also limited to a small share of the cache's capacity.
const BYTES_MAX: usize = 1 << 20;
const SHARE: usize = 32;
/// The number of objects that are checked for one that fits.
const LOOKS: usize = 4;

#[derive(Default)]
struct List {
    objects: Vec<(Anonymous, usize)>,
    bytes: usize,
}

/// The kept objects.
#[derive(Default)]
pub(super) struct Spares {
    list: Mutex<List>,
    bytes_max: AtomicUsize,
}

impl Spares {
    /// Sets the limit from the cache's capacity, and frees all objects.
    pub(super) fn limit(&self, capacity: usize) {
        self.bytes_max.store(BYTES_MAX.min(capacity / SHARE), Ordering::Relaxed);
        let _gone = std::mem::take(&mut *self.list.lock());
    }

    /// Frees all objects.
    pub(super) fn clear(&self) {
        let _gone = std::mem::take(&mut *self.list.lock());
    }

    /// Keeps an object of about `bytes` bytes if there is room.
    pub(super) fn keep(&self, object: Anonymous, bytes: usize) {
        let mut list = self.list.lock();
        if list.bytes + bytes <= self.bytes_max.load(Ordering::Relaxed) {
            list.bytes += bytes;
            list.objects.push((object, bytes));
        }
    }

    /// An object of this type: one that fits, if there is one near the end, otherwise any.
    pub(super) fn take<T: 'static>(&self, suits: impl Fn(&T) -> bool) -> Option<T> {
        let mut list = self.list.lock();
        let from = list.objects.len().saturating_sub(LOOKS);
        let suits =
            |(object, _): &(Anonymous, usize)| object.downcast_ref::<T>().is_some_and(&suits);
        let found =
            list.objects[from..].iter().rposition(suits).map_or(list.objects.len(), |i| from + i);
        let at = found.min(list.objects.len().checked_sub(1)?);
        let (object, bytes) = list.objects.swap_remove(at);
        list.bytes -= bytes;
        drop(list);
        object.downcast().ok().map(|object| *object)
    }
}
