//! The order in which writes become visible.
//!
//! A writer takes its [`Turn`], sequence numbers and a place in line, under the write lock, and inserts
//! without it. A write becomes visible when every write before it is. Whoever is done says so in
//! the slot of its place, and whoever sees that the next in line is done makes it visible. So a writer never waits
//! for a thread that has only to say something: it waits while an earlier one is still inserting.
//! (When each made itself visible, a writer that had lost its processor after its insertion held up the
//! next, which then had to hand the processor back: every write cost a change of threads.)
//!
//! ```text
//! head  := newest visible sequence number << 8 | place of the next in line, modulo 256
//! slots := for each place modulo SLOTS, the last sequence number of the write that is done
//! ```
//! Sequence numbers only grow. So a slot with a number above that of `head` belongs to the next in line, any
//! other is left from an earlier round, and a `head` that is unchanged has not changed meanwhile.
//!
//! Invariant **O1**: at most `SLOTS` turns are out, so no slot is written before its last use is over.
//!
//! Why nobody is forgotten: who is done stores the slot, fences, and loads `head`; who moves `head` stores
//! it, fences, and loads the next slot. One of the two sees the other. Trusted by the loom models.

use crate::base::SeqNo;
use crate::env::clock::Instant;
use crate::env::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::Duration;

/// Places in line. Few under loom, so that its small models go round.
const SLOTS: u64 = if cfg!(loom) { 2 } else { 128 };
const PLACE_BITS: u32 = 8;
const PLACE_MASK: u64 = (1 << PLACE_BITS) - 1;

/// What a writer reserved: sequence numbers and its place in line. Each must be published.
#[derive(Debug)]
#[must_use]
pub struct Turn {
    first: SeqNo,
    last: SeqNo,
    place: u64,
}

impl Turn {
    /// The first sequence number.
    #[inline]
    pub fn first(&self) -> SeqNo {
        self.first
    }
}

/// Gives turns away; guarded by the write lock.
#[derive(Debug)]
pub struct TurnAllocator {
    /// The newest sequence number that was given away; visible ones may lag behind.
    last_allocated: SeqNo,
    next_place: u64,
    /// Places below are known to be free.
    free_below: u64,
}

impl TurnAllocator {
    /// Everything up to `last` was given away.
    pub fn new(last: SeqNo) -> TurnAllocator {
        TurnAllocator { last_allocated: last, next_place: 0, free_below: 0 }
    }

    /// The newest sequence number that was given away.
    #[inline]
    pub fn last_allocated(&self) -> SeqNo {
        self.last_allocated
    }

    /// Whether [`TurnAllocator::reserve`] may be called: there is a place for another turn (O1).
    #[inline]
    pub fn has_room(&mut self, order: &CommitOrder) -> bool {
        if self.next_place < self.free_below {
            return true;
        }
        let head = order.head.load(Ordering::Acquire);
        let out = self.next_place.wrapping_sub(head) & PLACE_MASK;
        self.free_below = self.next_place + SLOTS - out;
        out < SLOTS
    }

    /// The next `count` sequence numbers, at least one.
    #[inline]
    pub fn reserve(&mut self, count: u64) -> Turn {
        debug_assert!(count > 0 && self.next_place < self.free_below);
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
    /// Everything up to `last` is visible.
    pub fn new(last: SeqNo) -> CommitOrder {
        CommitOrder {
            head: AtomicU64::new(last << PLACE_BITS),
            slots: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }

    /// The newest sequence number that readers see.
    #[inline]
    pub fn visible(&self) -> SeqNo {
        self.head.load(Ordering::Acquire) >> PLACE_BITS
    }

    /// Waits until everything before the turn is visible. Writers before it are past their
    /// reservation and hence only an insert (or a sync) away.
    #[inline]
    pub fn wait_turn(&self, turn: &Turn) {
        self.wait_for(turn.first - 1);
    }

    /// Waits until `last` is visible; false if it is not after `patience`.
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

    /// Makes the turn's numbers visible once everything before them is, and returns then. The caller has
    /// inserted the entries.
    #[inline]
    pub fn publish(&self, turn: &Turn) {
        if self.visible() == turn.first - 1 {
            // Nobody else moves `head` while it is our turn.
            let next = (turn.place + 1) & PLACE_MASK;
            self.head.store(turn.last << PLACE_BITS | next, Ordering::Release);
            self.publish_next();
            return;
        }
        self.slots[(turn.place % SLOTS) as usize].store(turn.last, Ordering::Release);
        self.publish_next();
        self.wait_for(turn.last);
    }

    /// Makes visible what is next in line, as far as it is done.
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
            // Who moves it instead of us looks at the next one as we do.
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

/// Waits a little for another thread. It may not be running: then giving way costs less than sleeping, unless
/// it waits for the device.
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
