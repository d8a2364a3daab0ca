//! Epoch-based reclamation: readers use shared objects without reference counts, and owners free an object when no
//! reader is left.
//!
//! A cached read must not write to memory that other readers write to. So a reader *pins* itself: it publishes, in its
//! own slot, the epoch at which it entered. A thread that makes an object unreachable *retires* it, stamped with the
//! current epoch, and the object is freed once every pinned reader has entered later. Pins last for one point lookup;
//! iterators use reference counts.
//!
//! Invariants:
//! * **E1** A slot holds 0, or an epoch that was global when its reader pinned itself.
//! * **E2** A reader loads shared pointers only between `pin` and the drop of the guard.
//! * **E3** An object is retired only after it was made unreachable for new readers.
//! * **E4** The process's domain never frees a slot, so a thread's pointer to its own slot stays valid
//!   (`epoch_slots.rs`).
//!
//! Freeing is safe for this reason. The reader stores its slot, then fences, then loads the pointer; the owner stores
//! the pointer, then fences, then loads the slots. So either the owner sees the slot, or the reader sees the new
//! pointer (both fences are SeqCst). A slot with an epoch above the stamp belongs to a reader that acquired the global
//! epoch after the stamp was taken, and therefore after the object became unreachable. A slot that the owner does not
//! find in the list was linked after the owner's fence, like an announcement that it does not see.
//!
//! The module needs `unsafe` because [`EpochCell`] returns references bound to a guard, and a thread finds its slot
//! through a pointer (E4). The loom model and the stress tests in `epoch_test.rs` check it.

#![allow(unsafe_code)]

use super::epoch_slots::{Slot, Slots};
use super::lock_rank;
use super::sync::Mutex;
use super::sync::atomic::{AtomicPtr, AtomicU64, Ordering, fence};
use crate::env::clock::{self, Instant};
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc as StdArc;
use std::time::Duration;

/// What one call has retired.
struct Retired {
    stamp: u64,
    /// The number of objects.
    count: usize,
    _objects: Box<dyn Send>,
}

/// Retired objects that wait for readers to leave.
#[derive(Default)]
struct Waiting {
    list: Vec<Retired>,
    /// The number of objects in the list.
    count: usize,
    /// How many of them the last collection could not free.
    left: usize,
}

/// A set of readers and retired objects; the process has one.
struct Domain {
    epoch: AtomicU64,
    slots: Slots,
    retired: Mutex<Waiting>,
    /// The number of collections in progress: they hold objects that are in no list.
    collecting: AtomicU64,
}

/// Counts a collection while it runs.
struct Collecting<'a>(&'a AtomicU64);

impl Drop for Collecting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Domain {
    fn new() -> Domain {
        Domain {
            epoch: AtomicU64::new(1),
            slots: Slots::new(),
            retired: Mutex::default(),
            collecting: AtomicU64::new(0),
        }
    }

    #[inline]
    fn enter(&self, slot: &Slot) {
        // Acquire: the thread that advanced the epoch to this value had unlinked its objects
        // before. Release: who sees this epoch frees what the thread read during earlier pins.
        slot.epoch.store(self.epoch.load(Ordering::Acquire), Ordering::Release);
        fence(Ordering::SeqCst);
    }

    #[inline]
    fn leave(slot: &Slot) {
        slot.epoch.store(0, Ordering::Release);
    }

    /// Starts a new epoch and returns the stamp for objects unlinked before.
    fn advance(&self) -> u64 {
        fence(Ordering::SeqCst);
        let stamp = self.epoch.fetch_add(1, Ordering::AcqRel);
        fence(Ordering::SeqCst);
        stamp
    }

    /// The oldest epoch at which a reader is pinned.
    fn oldest_pinned(&self) -> u64 {
        let epochs = self.slots.iter().map(|slot| slot.epoch.load(Ordering::Acquire));
        epochs.filter(|&e| e != 0).min().unwrap_or(u64::MAX)
    }

    /// Retires `count` objects. Returns whether so many wait that it is time for a collection.
    fn retire(&self, objects: Box<dyn Send>, count: usize) -> bool {
        let stamp = self.advance();
        let mut waiting = self.retired.lock();
        waiting.list.push(Retired { stamp, count, _objects: objects });
        waiting.count += count;
        // While a reader stays pinned, for example this thread in a multi-get, collections free nothing.
        waiting.count >= waiting.left + COLLECT_FROM
    }

    /// Frees the objects that no reader can hold any more. Returns the number of remaining objects.
    fn collect(&self) -> usize {
        self.collecting.fetch_add(1, Ordering::AcqRel);
        let _counted = Collecting(&self.collecting);
        // The list is taken before the slots are read: objects retired in the meantime wait.
        let Waiting { mut list, .. } = std::mem::take(&mut *self.retired.lock());
        if list.is_empty() {
            return 0;
        }
        let oldest = self.oldest_pinned();
        let kept: Vec<Retired> = list.extract_if(.., |r| r.stamp >= oldest).collect();
        let left = kept.iter().map(|retired| retired.count).sum();
        if left > 0 {
            let mut waiting = self.retired.lock();
            waiting.list.extend(kept);
            waiting.count += left;
            waiting.left = left;
        }
        // Objects are dropped outside every lock, since dropping may retire others.
        drop(list);
        left
    }
}

static DOMAIN: std::sync::LazyLock<Domain> = std::sync::LazyLock::new(Domain::new);

/// A collection starts at the latest when this many objects were retired since the last one. The thread that retires
/// the last of them frees them all: with 64, one of 75 reads that missed the block cache took 5 us instead of 2.
const COLLECT_FROM: usize = 16;

/// The state of a thread. It has no destructor, so it can be used as long as the thread runs: by
/// destructors of other thread-locals, and after `main` has returned.
struct Local {
    /// The thread's slot; null before its first pin. It is one of `DOMAIN.slots` (E4).
    slot: Cell<*const Slot>,
    /// Set if the slot was taken after [`AT_END`] was destroyed; the last guard then returns the
    /// slot.
    for_now: Cell<bool>,
    depth: Cell<usize>,
    /// The number of this thread's collections in progress: freeing an object may begin another.
    collections: Cell<usize>,
}

/// Returns the slot of an ended thread.
struct AtEnd;

thread_local! {
    static LOCAL: Local = const {
        Local {
            slot: Cell::new(std::ptr::null()),
            for_now: Cell::new(false),
            depth: Cell::new(0),
            collections: Cell::new(0),
        }
    };
    static AT_END: AtEnd = const { AtEnd };
}

impl Drop for AtEnd {
    fn drop(&mut self) {
        LOCAL.with(|local| {
            if local.depth.get() == 0 {
                local.give_back();
            } else {
                local.for_now.set(true);
            }
        });
    }
}

impl Local {
    #[cold]
    fn take_slot(&self) -> *const Slot {
        let slot = std::ptr::from_ref(DOMAIN.slots.take());
        self.slot.set(slot);
        self.for_now.set(AT_END.try_with(|_| ()).is_err());
        slot
    }

    #[cold]
    fn give_back(&self) {
        let slot = self.slot.replace(std::ptr::null());
        // SAFETY: it is not null and therefore one of the domain's (E4).
        if let Some(slot) = unsafe { slot.as_ref() } {
            slot.give_back();
        }
    }

    #[inline]
    fn enter(&self) {
        let slot = self.slot.get();
        let slot = if slot.is_null() { self.take_slot() } else { slot };
        // SAFETY: as in `give_back`.
        DOMAIN.enter(unsafe { &*slot });
    }

    #[inline]
    fn leave(&self) {
        // SAFETY: as in `give_back`; `enter` has taken it.
        Domain::leave(unsafe { &*self.slot.get() });
        if self.for_now.get() {
            self.give_back();
        }
    }
}

/// A pinned reader. Objects loaded from an [`EpochCell`] stay alive while it exists.
pub struct Guard {
    _not_send: PhantomData<*const ()>,
}

/// Pins this thread. Pins may nest; keep them short, since they delay the freeing of memory.
#[inline]
pub fn pin() -> Guard {
    LOCAL.with(|local| {
        let depth = local.depth.get();
        local.depth.set(depth + 1);
        if depth == 0 {
            local.enter();
        }
    });
    Guard { _not_send: PhantomData }
}

impl Drop for Guard {
    #[inline]
    fn drop(&mut self) {
        LOCAL.with(|local| {
            let depth = local.depth.get() - 1;
            local.depth.set(depth);
            if depth == 0 {
                local.leave();
            }
        });
    }
}

/// Frees `object` when every reader that is pinned now has left. The caller must have made it
/// unreachable for later readers.
pub fn retire<T: Send + 'static>(object: T) {
    if DOMAIN.retire(Box::new(object), 1) {
        collect();
    }
}

/// Like [`retire`], for `count` objects at once.
pub fn retire_all<T: Send + 'static>(objects: T, count: usize) {
    if DOMAIN.retire(Box::new(objects), count) {
        collect();
    }
}

/// Frees all objects that can be freed now. Returns the number of retired objects that are left.
pub fn collect() -> usize {
    let count =
        |by: isize| LOCAL.with(|local| local.collections.update(|n| n.wrapping_add_signed(by)));
    count(1);
    let left = DOMAIN.collect();
    count(-1);
    left
}

/// The maximum time for which [`synchronize`] waits for objects that other threads are freeing.
/// They may wait for this thread: freeing a database ends its threads, and those call
/// `synchronize`.
const PATIENCE: Duration = Duration::from_secs(1);

/// Waits until no other thread is freeing objects, at most for [`PATIENCE`].
fn wait_for_collections() {
    if LOCAL.with(|local| local.collections.get() > 0) {
        return;
    }
    let start = Instant::now();
    while DOMAIN.collecting.load(Ordering::Acquire) > 0 && start.elapsed() < PATIENCE {
        std::thread::yield_now();
    }
}

/// Waits until every reader that is pinned now has left, and frees the objects retired before. Must
/// not be called by a pinned thread, which would wait for itself; such a call only collects.
pub fn synchronize() {
    let pinned = LOCAL.with(|local| local.depth.get() > 0);
    if !pinned {
        // Pinned writers wait for these locks.
        lock_rank::assert_free_from(lock_rank::COMMIT_QUEUE);
    }
    let stamp = DOMAIN.advance();
    let mut round = 0u32;
    while !pinned && DOMAIN.oldest_pinned() <= stamp {
        match round {
            0..64 => std::hint::spin_loop(),
            64..256 => std::thread::yield_now(),
            _ => clock::sleep(Duration::from_micros(100)),
        }
        round = round.saturating_add(1);
    }
    if pinned {
        collect();
        return;
    }
    // A collection that began before the readers left may put objects back; one that begins later
    // frees them.
    wait_for_collections();
    collect();
    wait_for_collections();
}

/// A cell with a reference-counted object or nothing, which readers access without counting.
pub struct EpochCell<T: Send + Sync + 'static> {
    pointer: AtomicPtr<T>,
    _owns: PhantomData<StdArc<T>>,
}

impl<T: Send + Sync + 'static> EpochCell<T> {
    /// A cell with this object.
    pub fn new(object: Option<StdArc<T>>) -> EpochCell<T> {
        EpochCell { pointer: AtomicPtr::new(into_raw(object)), _owns: PhantomData }
    }

    /// The object in the cell, valid as long as the reader is pinned.
    #[inline]
    pub fn load<'g>(&self, _guard: &'g Guard) -> Option<&'g T> {
        // SAFETY: a non-null pointer came from `Arc::into_raw`, and its count is retired, not
        // dropped, when it is replaced (E3); the guard keeps retired objects alive.
        unsafe { self.pointer.load(Ordering::Acquire).as_ref() }
    }

    /// A counted reference to the object in the cell.
    pub fn load_arc(&self) -> Option<StdArc<T>> {
        let _guard = pin();
        let pointer = self.pointer.load(Ordering::Acquire);
        if pointer.is_null() {
            return None;
        }
        // SAFETY: as in `load`, the object is alive while pinned, so its count can be raised; the
        // new count is then owned by the returned `Arc`.
        unsafe {
            StdArc::increment_strong_count(pointer);
            Some(StdArc::from_raw(pointer))
        }
    }

    /// Whether the cell contains this object. Needs no pin, since the pointer is only compared; the caller keeps
    /// `object` alive.
    #[inline]
    pub fn holds(&self, object: &T) -> bool {
        std::ptr::eq(self.pointer.load(Ordering::Acquire), object)
    }

    /// Replaces the object; the previous one is retired.
    pub fn replace(&self, object: Option<StdArc<T>>) {
        let old = self.pointer.swap(into_raw(object), Ordering::AcqRel);
        retire_raw(old);
    }
}

fn into_raw<T>(object: Option<StdArc<T>>) -> *mut T {
    object.map_or(std::ptr::null_mut(), |o| StdArc::into_raw(o).cast_mut())
}

fn retire_raw<T: Send + Sync + 'static>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: the pointer came from `Arc::into_raw` and was removed from the only cell that
        // owned this count.
        retire(unsafe { StdArc::from_raw(pointer) });
    }
}

impl<T: Send + Sync + 'static> Drop for EpochCell<T> {
    fn drop(&mut self) {
        // A reader may still use the object although it cannot reach the cell again.
        retire_raw(self.pointer.swap(std::ptr::null_mut(), Ordering::AcqRel));
    }
}

#[cfg(test)]
#[path = "epoch_test.rs"]
mod tests;
