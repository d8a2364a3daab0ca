//! Epochs: readers use shared objects without counting them, owners free them when no reader is left.
//!
//! A cached read must not write to memory that other readers write to. So a reader *pins* itself:
//! it publishes, in a slot of its own, the epoch it entered at. Whoever takes an object out of
//! reach *retires* it, stamped with the epoch of that moment, and the object is freed once every
//! pinned reader entered later. Pins last for one point lookup; iterators count their objects.
//!
//! Invariants:
//! * **E1** A slot holds 0, or an epoch that was global when its reader pinned itself.
//! * **E2** A reader loads shared pointers only between `pin` and the drop of the guard.
//! * **E3** An object is retired only after it was made unreachable for new readers.
//! * **E4** The process's domain never lets go of a slot, so a thread's pointer to its own stays good.
//!
//! Why freeing is safe. The reader stores its slot, then fences, then loads the pointer; the
//! owner stores the pointer, then fences, then loads the slots. So either the owner sees the slot,
//! or the reader sees the new pointer (both fences are SeqCst). A slot with an epoch above the
//! stamp belongs to a reader that acquired the global epoch after the stamp was taken, hence after
//! the object was out of reach.
//!
//! Unsafe: [`EpochCell`] hands out references bound to a guard, and a thread finds its slot by a pointer (E4).
//! Trusted by the loom model and the stress tests in `epoch_test.rs`.

#![allow(unsafe_code)]

use super::lock_rank;
use super::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering, fence};
use super::sync::{Arc, Mutex};
use crate::env::clock::{self, Instant};
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc as StdArc;
use std::time::Duration;

/// One reader's announcement. On a cache line pair of its own.
#[repr(align(128))]
struct Slot {
    epoch: AtomicU64,
    taken: AtomicBool,
}

struct Retired {
    stamp: u64,
    _object: Box<dyn Send>,
}

/// The readers and the retired objects that belong together; the process has one.
struct Domain {
    epoch: AtomicU64,
    slots: Mutex<Vec<Arc<Slot>>>,
    retired: Mutex<Vec<Retired>>,
    /// Collections under way: they hold what is in no list.
    collecting: AtomicU64,
}

/// Counts a collection for as long as it lasts.
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
            slots: Mutex::new(Vec::new()),
            retired: Mutex::new(Vec::new()),
            collecting: AtomicU64::new(0),
        }
    }

    /// A slot that nobody else uses; slots of ended threads are used again.
    fn register(&self) -> Arc<Slot> {
        let mut slots = self.slots.lock();
        for slot in slots.iter() {
            if !slot.taken.swap(true, Ordering::AcqRel) {
                return Arc::clone(slot);
            }
        }
        let slot = Arc::new(Slot { epoch: AtomicU64::new(0), taken: AtomicBool::new(true) });
        slots.push(Arc::clone(&slot));
        slot
    }

    #[inline]
    fn enter(&self, slot: &Slot) {
        // Acquire: whoever advanced the epoch to this value had unlinked its objects before.
        slot.epoch.store(self.epoch.load(Ordering::Acquire), Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    #[inline]
    fn leave(slot: &Slot) {
        slot.epoch.store(0, Ordering::Release);
    }

    /// Starts a new epoch and returns the stamp for what was unlinked before.
    fn advance(&self) -> u64 {
        fence(Ordering::SeqCst);
        let stamp = self.epoch.fetch_add(1, Ordering::AcqRel);
        fence(Ordering::SeqCst);
        stamp
    }

    /// The oldest epoch that some reader is pinned at.
    fn oldest_pinned(&self) -> u64 {
        let slots = self.slots.lock().clone();
        let epochs = slots.iter().map(|slot| slot.epoch.load(Ordering::Acquire));
        epochs.filter(|&e| e != 0).min().unwrap_or(u64::MAX)
    }

    /// Returns how many objects wait now.
    fn retire(&self, object: Box<dyn Send>) -> usize {
        let stamp = self.advance();
        let mut retired = self.retired.lock();
        retired.push(Retired { stamp, _object: object });
        retired.len()
    }

    /// Frees what no reader can hold any more; returns how many objects are left.
    fn collect(&self) -> usize {
        self.collecting.fetch_add(1, Ordering::AcqRel);
        let _counted = Collecting(&self.collecting);
        // The list is taken before the slots are read: what is retired meanwhile waits.
        let mut list = std::mem::take(&mut *self.retired.lock());
        if list.is_empty() {
            return 0;
        }
        let oldest = self.oldest_pinned();
        let kept: Vec<Retired> = list.extract_if(.., |r| r.stamp >= oldest).collect();
        let left = kept.len();
        if left > 0 {
            self.retired.lock().extend(kept);
        }
        // Objects are dropped outside of every lock: they may retire others.
        drop(list);
        left
    }
}

static DOMAIN: std::sync::LazyLock<Domain> = std::sync::LazyLock::new(Domain::new);

/// Retired objects that are collected at the latest when so many have gathered.
const COLLECT_FROM: usize = 64;

/// What a thread keeps. Without a destructor, so that it can be used as long as the thread runs: by
/// destructors of other thread-locals, and after `main` has returned.
struct Local {
    /// The thread's slot; null before its first pin. It is one of `DOMAIN.slots` (E4).
    slot: Cell<*const Slot>,
    /// The slot was taken when [`AT_END`] was gone, so the last guard gives it back.
    for_now: Cell<bool>,
    depth: Cell<usize>,
    /// How many collections of this thread are under way: what one frees may begin another.
    collections: Cell<usize>,
}

/// Gives the slot of an ended thread back.
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
        let slot = std::ptr::from_ref(&*DOMAIN.register());
        self.slot.set(slot);
        self.for_now.set(AT_END.try_with(|_| ()).is_err());
        slot
    }

    #[cold]
    fn give_back(&self) {
        let slot = self.slot.replace(std::ptr::null());
        // SAFETY: not null, so it is the domain's (E4).
        if let Some(slot) = unsafe { slot.as_ref() } {
            slot.taken.store(false, Ordering::Release);
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

/// Pins this thread. Pins may nest; keep them short, since they hold up the freeing of memory.
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

/// Frees `object` when no reader that is pinned now is pinned any more. The caller has made it
/// unreachable for readers that come later.
pub fn retire<T: Send + 'static>(object: T) {
    if DOMAIN.retire(Box::new(object)) >= COLLECT_FROM {
        collect();
    }
}

/// Frees what can be freed now. Returns how many retired objects are left.
pub fn collect() -> usize {
    let count =
        |by: isize| LOCAL.with(|local| local.collections.update(|n| n.wrapping_add_signed(by)));
    count(1);
    let left = DOMAIN.collect();
    count(-1);
    left
}

/// How long [`synchronize`] waits for what other threads are freeing. They may wait for this one: a
/// database that is freed ends its threads, and those synchronize.
const PATIENCE: Duration = Duration::from_secs(1);

/// Waits until no other thread is freeing anything, or for [`PATIENCE`].
fn wait_for_collections() {
    if LOCAL.with(|local| local.collections.get() > 0) {
        return;
    }
    let start = Instant::now();
    while DOMAIN.collecting.load(Ordering::Acquire) > 0 && start.elapsed() < PATIENCE {
        std::thread::yield_now();
    }
}

/// Waits until every reader that is pinned now has left, and frees what was retired before.
/// Must not be called by a pinned thread, which would wait for itself; such a call only collects.
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
    // Who began before the readers left may put back what it took; who began later frees it.
    wait_for_collections();
    collect();
    wait_for_collections();
}

/// A place that holds a counted object, or nothing, and that readers look at without counting.
pub struct EpochCell<T: Send + Sync + 'static> {
    pointer: AtomicPtr<T>,
    _owns: PhantomData<StdArc<T>>,
}

impl<T: Send + Sync + 'static> EpochCell<T> {
    /// A cell that holds this.
    pub fn new(object: Option<StdArc<T>>) -> EpochCell<T> {
        EpochCell { pointer: AtomicPtr::new(into_raw(object)), _owns: PhantomData }
    }

    /// What the cell holds, for as long as the reader is pinned.
    #[inline]
    pub fn load<'g>(&self, _guard: &'g Guard) -> Option<&'g T> {
        // SAFETY: a non-null pointer came from `Arc::into_raw`, and the count it stands for is
        // retired, not dropped, when it is replaced (E3); the guard keeps retired objects alive.
        unsafe { self.pointer.load(Ordering::Acquire).as_ref() }
    }

    /// What the cell holds, counted.
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

    /// Whether the cell holds this object. Needs no pin: it says nothing of an object that the caller
    /// does not keep alive.
    #[inline]
    pub fn holds(&self, object: &T) -> bool {
        std::ptr::eq(self.pointer.load(Ordering::Acquire), object)
    }

    /// Puts `object` in; what was there before is retired.
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
        // SAFETY: the pointer came from `Arc::into_raw` and was taken out of the only cell that
        // held this count.
        retire(unsafe { StdArc::from_raw(pointer) });
    }
}

impl<T: Send + Sync + 'static> Drop for EpochCell<T> {
    fn drop(&mut self) {
        // A reader may still be looking at the object although it cannot reach the cell again.
        retire_raw(self.pointer.swap(std::ptr::null_mut(), Ordering::AcqRel));
    }
}

#[cfg(test)]
#[path = "epoch_test.rs"]
mod tests;
