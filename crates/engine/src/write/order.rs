//! The commit order: the order in which writes become visible.
//!
//! Under the write lock a writer takes its [`Turn`], which is a range of sequence numbers and a place in line. It
//! inserts without the lock. A write becomes visible when every earlier write is. A thread that has finished inserting
//! notes this in the slot of its place, and any thread that finds the next turn in line finished publishes it. So a
//! writer waits only while an earlier one is still inserting, never for a thread that only has to publish. (If each
//! writer published its own turn, a writer that was descheduled after its insertion would hold up the next one, which
//! would then have to yield the processor: every write would cost a context switch.)
//!
//! ```text
//! head  := newest visible sequence number << 8 | place of the next in line, modulo 256
//! slots := for each place modulo SLOTS, the last sequence number of the write that is done
//! ```
//! Sequence numbers only increase. So a slot with a number above that of `head` belongs to the next in line, and any
//! other number is left from an earlier round. If `head` has the same value, it has not changed in the meantime.
//!
//! Invariant **O1**: at most `SLOTS` turns are reserved and not yet published, so no slot is written before its last
//! use is over.
//!
//! Why no turn is missed: a thread that has finished stores the slot, executes a fence, and loads `head`. A thread that
//! advances `head` stores it, executes a fence, and loads the next slot. One of the two sees the other's store. The
//! loom models check this.

use crate::base::SeqNo;
use crate::env::clock::Instant;
use crate::env::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::Duration;

/// The number of slots. Small under loom, so that its small models reuse slots.
const SLOTS: u64 = if cfg!(loom) { 2 } else { 128 };
const PLACE_BITS: u32 = 8;
const PLACE_MASK: u64 = (1 << PLACE_BITS) - 1;

/// A reservation of sequence numbers and of a place in line. Each must be published.
#[derive(Debug)]
#[must_use]
pub struct Turn {
    first: SeqNo,
    last: SeqNo,
    place: u64,
}

impl Turn {
    /// Returns the first sequence number.
    #[inline]
    pub fn first(&self) -> SeqNo {
        self.first
    }

    /// Returns the last sequence number.
    #[inline]
    pub fn last(&self) -> SeqNo {
        self.last
    }
}

/// Allocates turns; guarded by the write lock.
#[derive(Debug)]
pub struct TurnAllocator {
    /// The newest allocated sequence number. The newest visible one may be older.
    last_allocated: SeqNo,
    next_place: u64,
    /// Places below this one are known to be free.
    free_below: u64,
}

impl TurnAllocator {
    /// Creates an allocator that has allocated everything up to `last`.
    pub fn new(last: SeqNo) -> TurnAllocator {
        TurnAllocator { last_allocated: last, next_place: 0, free_below: 0 }
    }

    /// Returns the newest allocated sequence number.
    #[inline]
    pub fn last_allocated(&self) -> SeqNo {
        self.last_allocated
    }

    /// Returns whether [`TurnAllocator::reserve`] may be called, that is, whether there is a free place (O1).
    #[inline]
    pub fn has_room(&mut self, order: &CommitOrder) -> bool {
        if self.next_place < self.free_below {
            return true;
        }
        let head = order.head.load(Ordering::Acquire);
        let out = self.next_place.wrapping_sub(head) & PLACE_MASK;
        debug_assert!(out <= SLOTS, "O1: expected at most {SLOTS} turns out, found {out}");
        self.free_below = self.next_place + SLOTS - out;
        out < SLOTS
    }

    /// Reserves the next `count` sequence numbers, at least one.
    #[inline]
    pub fn reserve(&mut self, count: u64) -> Turn {
        debug_assert!(count > 0, "expected a turn of at least one sequence number, found 0");
        debug_assert!(
            self.next_place < self.free_below,
            "O1: expected a place below {}, which is free, found {}",
            self.free_below,
            self.next_place
        );
        let first = self.last_allocated + 1;
        self.last_allocated += count;
        let place = self.next_place;
        self.next_place += 1;
        Turn { first, last: self.last_allocated, place }
    }
}

/// Publishes sequence numbers in order.
pub struct CommitOrder {
    head: AtomicU64,
    slots: [AtomicU64; SLOTS as usize],
}

impl CommitOrder {
    /// Creates the order with everything up to `last` visible.
    pub fn new(last: SeqNo) -> CommitOrder {
        CommitOrder {
            head: AtomicU64::new(last << PLACE_BITS),
            slots: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }

    /// Returns the newest sequence number that is visible to readers.
    #[inline]
    pub fn visible(&self) -> SeqNo {
        self.head.load(Ordering::Acquire) >> PLACE_BITS
    }

    /// Waits until everything before the turn is visible. Earlier writers have their reservations, so they only have to
    /// finish an insert or a sync.
    #[inline]
    pub fn wait_turn(&self, turn: &Turn) {
        debug_assert!(turn.first > 0, "expected sequence numbers above 0, found {turn:?}");
        self.wait_for(turn.first - 1);
    }

    /// Waits until `last` is visible. Returns false if it is not visible after `patience`.
    pub fn wait_visible(&self, last: SeqNo, patience: Duration) -> bool {
        let start = Instant::now();
        while self.visible() < last {
            if start.elapsed() > patience {
                return false;
            }
            crate::env::threads::yield_now();
        }
        true
    }

    /// Publishes the turn. Returns when everything before it, and then the turn itself, is visible. The caller has
    /// inserted the entries.
    #[inline]
    pub fn publish(&self, turn: &Turn) {
        debug_assert!(turn.first <= turn.last, "expected numbers in the turn, found {turn:?}");
        let visible = self.visible();
        debug_assert!(
            visible < turn.first,
            "expected {turn:?} to be published once, found {visible} visible before"
        );
        if visible == turn.first - 1 {
            debug_assert!(
                self.is_next(turn.place),
                "expected the next place in line at {visible}, found {turn:?}"
            );
            // No other thread advances `head` while this turn is the next in line.
            let next = (turn.place + 1) & PLACE_MASK;
            self.head.store(turn.last << PLACE_BITS | next, Ordering::Release);
            self.publish_next();
            return;
        }
        let slot = &self.slots[(turn.place % SLOTS) as usize];
        debug_assert!(
            cfg!(loom) || slot.load(Ordering::Relaxed) < turn.first,
            "O1: expected a slot whose last use is over, found {} in that of {turn:?}",
            slot.load(Ordering::Relaxed)
        );
        slot.store(turn.last, Ordering::Release);
        self.publish_next();
        self.wait_for(turn.last);
    }

    /// Returns whether the write at this place is the next to be published.
    fn is_next(&self, place: u64) -> bool {
        // Under loom, this would be one more load to interleave.
        cfg!(loom) || (self.head.load(Ordering::Relaxed) ^ place) & PLACE_MASK == 0
    }

    /// Publishes the turns that are next in line, as far as they are finished.
    #[inline]
    fn publish_next(&self) {
        loop {
            fence(Ordering::SeqCst);
            let head = self.head.load(Ordering::Acquire);
            let place = head & PLACE_MASK;
            let last = self.slots[(place % SLOTS) as usize].load(Ordering::Acquire);
            if last <= head >> PLACE_BITS {
                return;
            }
            let next = last << PLACE_BITS | (place + 1) & PLACE_MASK;
            // A thread that advances `head` instead of this one checks the next turn as well.
            let _ = self.head.compare_exchange(head, next, Ordering::AcqRel, Ordering::Relaxed);
        }
    }

    #[inline]
    fn wait_for(&self, last: SeqNo) {
        let mut round = 0u32;
        while self.visible() < last {
            pause(round);
            round = round.saturating_add(1);
        }
    }
}

/// Waits briefly for another thread. That thread may not be running: then yielding costs less than sleeping, unless it
/// waits for the device.
#[inline]
fn pause(round: u32) {
    #[cfg(loom)]
    {
        let _ = round;
        crate::env::sync::thread::yield_now();
    }
    #[cfg(not(loom))]
    match round {
        0..64 => std::hint::spin_loop(),
        64..2048 => crate::env::threads::yield_now(),
        _ => crate::env::clock::sleep(Duration::from_micros(20)),
    }
}

#[cfg(test)]
#[path = "order_test.rs"]
mod tests;
