//! Evicted objects that are kept for their memory.
//!
//! A cache smaller than the data evicts a block for each one it reads. Freed memory would go back to the
//! heap of the thread that took it, in lumps whenever an epoch ends, and threads would wait for each
//! other's heaps: a tenth of all reads, and nearly the whole tail. So an evicted object that nobody
//! reads any more waits here, and the next block that is read takes its place.
//!
//! A few at most, outside of the budget like everything that waits for readers to leave.

use crate::env::sync::Mutex;
use crate::env::sync::std_atomic::{AtomicUsize, Ordering};
use std::any::Any;

/// A [`super::Held`] whose type only its owner knows.
pub(super) type Anonymous = Box<dyn Any + Send>;

/// So much is kept at most, and a small part of the cache's capacity.
const BYTES_MAX: usize = 1 << 20;
const SHARE: usize = 32;
/// So many are looked at for one that suits.
const LOOKS: usize = 4;

#[derive(Default)]
struct List {
    objects: Vec<(Anonymous, usize)>,
    bytes: usize,
}

/// What is kept.
#[derive(Default)]
pub(super) struct Spares {
    list: Mutex<List>,
    bytes_max: AtomicUsize,
}

impl Spares {
    /// Sets the limit by the cache's capacity, and lets everything go.
    pub(super) fn limit(&self, capacity: usize) {
        self.bytes_max.store(BYTES_MAX.min(capacity / SHARE), Ordering::Relaxed);
        let _gone = std::mem::take(&mut *self.list.lock());
    }

    /// Keeps an object of about so many bytes, if there is room.
    pub(super) fn keep(&self, object: Anonymous, bytes: usize) {
        let mut list = self.list.lock();
        if list.bytes + bytes <= self.bytes_max.load(Ordering::Relaxed) {
            list.bytes += bytes;
            list.objects.push((object, bytes));
        }
    }

    /// An object of this type: one that suits, if there is one near the end, else any.
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
