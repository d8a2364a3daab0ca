//! Spares: evicted objects that are kept for their memory.
//!
//! A cache smaller than the data evicts a block for each one that it reads. Freed memory would return to the heap of
//! the thread that allocated it, in bursts whenever an epoch ends, and threads would wait for each other's heaps: this
//! took a tenth of the time of all reads, and caused nearly all of the tail latency. So an evicted object without
//! readers is kept here, and the next block that is read reuses its memory.
//!
//! Only a few are kept, outside the budget, like all objects that wait for readers to leave. There are several lists,
//! and a thread uses its own: with one list, its lock would go from core to core with every block. It uses another one
//! if its own is full or empty, because the thread that frees evicted objects is not always the one that evicted them.

use crate::env::sync::std_atomic::{AtomicUsize, Ordering};
use crate::env::sync::{Mutex, MutexGuard};
use crate::env::{thread_number, threads};
use std::any::Any;

/// A [`super::Held`] whose type only its owner can restore.
pub(super) type Anonymous = Box<dyn Any + Send>;

/// The maximum number of bytes kept; it is also limited to a small share of the cache's capacity.
const BYTES_MAX: usize = 1 << 20;
const SHARE: usize = 32;
/// The number of objects that are checked for one that fits.
const LOOKS: usize = 4;
/// The maximum number of lists, and the number of bytes for which a further one is worth it.
const LISTS_MAX: usize = 16;
const LIST_MIN: usize = 64 << 10;

/// Alone on its cache lines.
#[derive(Default)]
#[repr(align(128))]
struct Aligned(Mutex<List>);

#[derive(Default)]
struct List {
    objects: Vec<(Anonymous, usize)>,
    bytes: usize,
}

/// The kept objects.
pub(super) struct Spares {
    lists: Box<[Aligned]>,
    /// The number of lists in use, at least 1.
    used: AtomicUsize,
    /// The limit of each list.
    bytes_max: AtomicUsize,
}

impl Default for Spares {
    fn default() -> Spares {
        let lists = (0..threads::cores().clamp(1, LISTS_MAX)).map(|_| Aligned::default()).collect();
        Spares { lists, used: AtomicUsize::new(1), bytes_max: AtomicUsize::new(0) }
    }
}

impl Spares {
    /// Sets the limit from the cache's capacity, and frees all objects.
    pub(super) fn limit(&self, capacity: usize) {
        let all = BYTES_MAX.min(capacity / SHARE);
        let used = (all / LIST_MIN).clamp(1, self.lists.len());
        self.used.store(used, Ordering::Relaxed);
        self.bytes_max.store(all / used, Ordering::Relaxed);
        self.clear();
    }

    /// Frees all objects.
    pub(super) fn clear(&self) {
        for Aligned(list) in &self.lists {
            let _gone = std::mem::take(&mut *list.lock());
        }
    }

    /// The lists in use, beginning with that of this thread.
    fn lists(&self) -> impl Iterator<Item = &Mutex<List>> {
        let used = self.used.load(Ordering::Relaxed);
        let (before, from_own) = self.lists[..used].split_at(thread_number() % used);
        from_own.iter().chain(before).map(|Aligned(list)| list)
    }

    /// Keeps an object of about `bytes` bytes if a list that no thread has locked has room.
    pub(super) fn keep(&self, object: Anonymous, bytes: usize) {
        let bytes_max = self.bytes_max.load(Ordering::Relaxed);
        let has_room = |list: &MutexGuard<'_, List>| list.bytes + bytes <= bytes_max;
        if let Some(mut list) = self.lists().filter_map(Mutex::try_lock).find(has_room) {
            list.bytes += bytes;
            list.objects.push((object, bytes));
        }
    }

    /// An object of this type from a list that no thread has locked: one that fits, if there is one near the end,
    /// otherwise any.
    pub(super) fn take<T: 'static>(&self, suits: impl Fn(&T) -> bool) -> Option<T> {
        let mut lists = self.lists().filter_map(Mutex::try_lock);
        let mut list = lists.find(|list| !list.objects.is_empty())?;
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
