//! The slots in which threads announce the epochs of their pins: a list that only grows, without a lock.
//!
//! A thread takes a slot with its first pin. A lock made threads that begin at the same time wait for each other: each
//! waiter that is woken needs a processor before it can wake the next one, so that of 80 threads on two processors the
//! last one waited for 1 to 2 s.
//!
//! The module needs `unsafe` for the links of the list. Invariants: **ES1** a slot that was linked is freed only with
//! the list; **ES2** its link does not change. Tests, among them a loom model: `epoch_test.rs`.

#![allow(unsafe_code)]

use super::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::iter::successors;
use std::ptr;

/// One thread's announcement, on its own pair of cache lines.
#[repr(align(128))]
pub(super) struct Slot {
    /// 0, or the epoch of the thread's pin.
    pub(super) epoch: AtomicU64,
    taken: AtomicBool,
    next: *const Slot,
}

impl Slot {
    /// Takes the slot if no thread has it.
    fn try_take(&self) -> bool {
        !self.taken.load(Ordering::Relaxed) && !self.taken.swap(true, Ordering::AcqRel)
    }

    /// Leaves the slot to other threads.
    pub(super) fn give_back(&self) {
        self.taken.store(false, Ordering::Release);
    }
}

/// All slots that were ever taken.
pub(super) struct Slots {
    first: AtomicPtr<Slot>,
}

// SAFETY: slots are shared with all threads and consist of atomics, apart from the link, which does not change (ES2).
unsafe impl Send for Slots {}
// SAFETY: as above.
unsafe impl Sync for Slots {}

impl Slots {
    pub(super) fn new() -> Slots {
        Slots { first: AtomicPtr::new(ptr::null_mut()) }
    }

    /// A slot that no other thread uses: one that was given back, or a new one.
    pub(super) fn take(&self) -> &Slot {
        if let Some(slot) = self.iter().find(|slot| slot.try_take()) {
            return slot;
        }
        let (epoch, taken) = (AtomicU64::new(0), AtomicBool::new(true));
        let slot = Box::into_raw(Box::new(Slot { epoch, taken, next: ptr::null() }));
        let mut first = self.first.load(Ordering::Relaxed);
        loop {
            // SAFETY: the slot is not linked yet, so this thread is the only one that knows it.
            unsafe { (*slot).next = first };
            match self.first.compare_exchange(first, slot, Ordering::Release, Ordering::Relaxed) {
                // SAFETY: ES1.
                Ok(_) => return unsafe { &*slot },
                Err(other) => first = other,
            }
        }
    }

    /// All slots, the newest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Slot> {
        // SAFETY: ES1 and ES2. The load acquires what the threads that linked this slot and those behind it have
        // stored: a later link extends the release sequence of an earlier one.
        let first = unsafe { self.first.load(Ordering::Acquire).as_ref() };
        // SAFETY: as above.
        successors(first, |slot| unsafe { slot.next.as_ref() })
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        let mut slot = self.first.load(Ordering::Acquire);
        while !slot.is_null() {
            // SAFETY: each slot came from a box and is in the list once; nobody can reach it any more.
            slot = unsafe { Box::from_raw(slot) }.next.cast_mut();
        }
    }
}
