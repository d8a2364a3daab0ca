//! Cursors of SCAN, SSCAN, HSCAN and ZSCAN: numbers that stand for the last key or member that was returned.
//!
//! 1. An iteration continues behind the row that it returned last. So each element that exists during the whole
//!    iteration is returned, whatever else is added or removed.
//! 2. The server keeps a bounded number of positions. An unknown cursor begins again, so elements may be returned more
//!    than once, which Redis allows. A cursor of SCAN contains the slot, so SCAN begins again with that slot.
//! 3. Positions that were continued from are evicted first: a fast iteration does not evict the positions of slow ones.
//! 4. Cursors do not survive a restart: they begin at a random number.
//!
//! A cursor is below 2^53, because some clients keep cursors in doubles. Zero is the beginning and the end.
//!
//! ```text
//! serial:39 | slot:14     slot is 0 for cursors of collections
//! ```

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};

const SLOT_BITS: u32 = 14;
const SERIAL_BITS: u32 = 39;
/// Positions that are kept.
const POSITIONS_MAX: usize = 4096;
/// The bytes of positions that are kept; the newest position is kept whatever its size.
const BYTES_MAX: usize = 16 << 20;

/// What a cursor iterates over.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Scanned<'a> {
    /// The keys of a table.
    Keys(u32),
    /// The elements of a collection: its table and its key.
    Elements(u32, &'a [u8]),
}

/// The positions of all iterations.
#[derive(Debug)]
pub struct Cursors {
    hasher: RandomState,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    serial: u64,
    /// Positions that nobody continued from yet, by serial number.
    fresh: BTreeMap<u64, Position>,
    /// Positions that a client continued from; it may do so again if it lost the reply.
    used: BTreeMap<u64, Position>,
    bytes: usize,
}

#[derive(Debug)]
struct Position {
    /// The hash of what is iterated over.
    scanned: u64,
    last: Vec<u8>,
}

impl Default for Cursors {
    fn default() -> Cursors {
        let hasher = RandomState::new();
        let serial = hasher.hash_one(()) >> (u64::BITS - SERIAL_BITS);
        let (fresh, used) = (BTreeMap::new(), BTreeMap::new());
        Cursors { hasher, state: Mutex::new(State { serial, fresh, used, bytes: 0 }) }
    }
}

impl Cursors {
    /// Returns a cursor that continues behind `last`, which is in `slot`.
    pub fn save(&self, scanned: Scanned<'_>, slot: u16, last: Vec<u8>) -> u64 {
        let scanned = self.hasher.hash_one(scanned);
        let mut state = self.state.lock();
        state.serial = (state.serial + 1) & ((1 << SERIAL_BITS) - 1);
        // Serial number 0 and slot 0 would be the end.
        state.serial = state.serial.max(1);
        let serial = state.serial;
        state.bytes += last.len();
        state.fresh.insert(serial, Position { scanned, last });
        while state.is_too_large() {
            state.evict(serial);
        }
        serial << SLOT_BITS | u64::from(slot)
    }

    /// Returns the position that a cursor stands for; `None` if it is not known.
    pub fn resume(&self, scanned: Scanned<'_>, cursor: u64) -> Option<Vec<u8>> {
        let (scanned, serial) = (self.hasher.hash_one(scanned), cursor >> SLOT_BITS);
        let mut state = self.state.lock();
        if let Some(position) = state.fresh.remove(&serial) {
            state.used.insert(serial, position);
        }
        let position = state.used.get(&serial)?;
        (position.scanned == scanned).then(|| position.last.clone())
    }

    /// Returns the slot in which an iteration over keys stopped.
    pub fn slot(cursor: u64) -> u16 {
        (cursor & ((1 << SLOT_BITS) - 1)) as u16
    }
}

impl State {
    fn is_too_large(&self) -> bool {
        let count = self.fresh.len() + self.used.len();
        count > POSITIONS_MAX || (count > 1 && self.bytes > BYTES_MAX)
    }

    /// Forgets the oldest position, but not the one that was just added.
    fn evict(&mut self, added: u64) {
        let oldest = match self.used.pop_first() {
            Some(oldest) => Some(oldest),
            None => {
                let serial = self.fresh.keys().find(|serial| **serial != added).copied();
                serial.and_then(|serial| self.fresh.remove_entry(&serial))
            }
        };
        if let Some((_, position)) = oldest {
            self.bytes -= position.last.len();
        }
    }
}

#[cfg(test)]
#[path = "cursors_test.rs"]
mod tests;
