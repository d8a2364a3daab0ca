//! Latches on keys. A key belongs to one of many stripes, each of which is a lock.
//!
//! 1. A command that writes holds the latches of its keys exclusively, from its first read until its commit.
//! 2. A command that reads several rows holds them shared, so that the rows agree. A command that reads one row holds
//!    none: the engine's read is consistent by itself.
//! 3. All latches of a command are taken at once, in the order of stripes, so that commands never wait in a cycle.
//!    Nothing else is locked before them and kept.

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use smallvec::SmallVec;

/// Stripes. Two commands on different keys wait for each other once in so many cases.
const STRIPES: usize = 4096;

/// How a latch is held.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Mode {
    /// With other readers.
    Shared,
    /// Alone.
    Exclusive,
}

/// The latches of all keys of a server.
pub struct Latches {
    stripes: Box<[RwLock<()>]>,
}

/// Held latches; dropping them releases all.
#[derive(Default)]
pub struct Guards<'a> {
    _shared: SmallVec<[RwLockReadGuard<'a, ()>; 2]>,
    _exclusive: SmallVec<[RwLockWriteGuard<'a, ()>; 2]>,
}

impl Default for Latches {
    fn default() -> Latches {
        Latches { stripes: (0..STRIPES).map(|_| RwLock::new(())).collect() }
    }
}

impl Latches {
    /// Waits for the latches of these keys, given with the number of their table.
    pub fn lock<'a>(
        &self,
        keys: impl IntoIterator<Item = (u32, &'a [u8])>,
        mode: Mode,
    ) -> Guards<'_> {
        let mut wanted: SmallVec<[usize; 8]> =
            keys.into_iter().map(|(table, key)| stripe(table, key)).collect();
        if wanted.len() > 1 {
            wanted.sort_unstable();
            wanted.dedup();
        }
        self.lock_stripes(wanted.iter().copied(), mode)
    }

    /// Waits for all latches: for commands that write keys which they do not name.
    pub fn lock_all(&self, mode: Mode) -> Guards<'_> {
        self.lock_stripes(0..self.stripes.len(), mode)
    }

    fn lock_stripes(&self, stripes: impl Iterator<Item = usize>, mode: Mode) -> Guards<'_> {
        let mut guards = Guards::default();
        for stripe in stripes.filter_map(|at| self.stripes.get(at)) {
            match mode {
                Mode::Shared => guards._shared.push(stripe.read()),
                Mode::Exclusive => guards._exclusive.push(stripe.write()),
            }
        }
        guards
    }
}

/// Returns the stripe of a key.
fn stripe(table: u32, key: &[u8]) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = u64::from(table) ^ key.len() as u64;
    let mut words = key.chunks_exact(8);
    for word in &mut words {
        let word = word.try_into().map_or(0, u64::from_le_bytes);
        hash = (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
    let rest = words.remainder().iter().fold(0, |rest, byte| rest << 8 | u64::from(*byte));
    hash = (hash.rotate_left(5) ^ rest).wrapping_mul(FACTOR);
    hash = (hash ^ hash >> 29).wrapping_mul(FACTOR);
    (hash >> 40) as usize % STRIPES
}

#[cfg(test)]
#[path = "latches_test.rs"]
mod tests;
