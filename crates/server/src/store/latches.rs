//! Latches on keys. A key belongs to one of many stripes, each of which is a lock.
//!
//! 1. A command that writes holds the latches of its keys exclusively, from its first read until its commit.
//! 2. A command that reads several rows holds them shared, so that the rows agree. A command that reads one row holds
//!    none: the engine's read is consistent by itself.
//! 3. All latches of a command are taken at once, in the order of stripes, so that commands never wait in a cycle.
//!    Nothing else is locked before them and kept.
//! 4. A caller that waits may give up, such as when a script that runs too long holds its latches.

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use smallvec::SmallVec;
use std::time::Duration;

/// Stripes. Two commands on different keys wait for each other once in so many cases.
const STRIPES: usize = 4096;

/// How often a caller that waits for a latch is asked whether it gives up.
const ASKED_EVERY: Duration = Duration::from_millis(20);

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
        let wanted = stripes(keys);
        loop {
            if let Some(guards) = self.lock_stripes(wanted.iter().copied(), mode, || false) {
                return guards;
            }
        }
    }

    /// Waits for the latches of these keys as [`lock`](Latches::lock) does, and returns `None` when `gives_up` does
    /// not want to wait any longer. It is asked every 20 ms while a latch is held by others.
    pub fn lock_unless<'a>(
        &self,
        keys: impl IntoIterator<Item = (u32, &'a [u8])>,
        mode: Mode,
        gives_up: impl Fn() -> bool,
    ) -> Option<Guards<'_>> {
        self.lock_stripes(stripes(keys).iter().copied(), mode, gives_up)
    }

    /// Waits for all latches: for commands that write keys which they do not name. Gives up as
    /// [`lock_unless`](Latches::lock_unless) does.
    pub fn lock_all_unless(&self, mode: Mode, gives_up: impl Fn() -> bool) -> Option<Guards<'_>> {
        self.lock_stripes(0..self.stripes.len(), mode, gives_up)
    }

    fn lock_stripes(
        &self,
        stripes: impl Iterator<Item = usize>,
        mode: Mode,
        gives_up: impl Fn() -> bool,
    ) -> Option<Guards<'_>> {
        let mut guards = Guards::default();
        for stripe in stripes.filter_map(|at| self.stripes.get(at)) {
            loop {
                let is_held = match mode {
                    Mode::Shared => {
                        let guard = stripe.try_read_for(ASKED_EVERY);
                        guard.map(|guard| guards._shared.push(guard)).is_some()
                    }
                    Mode::Exclusive => {
                        let guard = stripe.try_write_for(ASKED_EVERY);
                        guard.map(|guard| guards._exclusive.push(guard)).is_some()
                    }
                };
                if is_held {
                    break;
                }
                if gives_up() {
                    return None;
                }
            }
        }
        Some(guards)
    }
}

/// Returns the stripes of these keys, each once, in the order in which they are locked.
fn stripes<'a>(keys: impl IntoIterator<Item = (u32, &'a [u8])>) -> SmallVec<[usize; 8]> {
    let mut wanted: SmallVec<[usize; 8]> =
        keys.into_iter().map(|(table, key)| stripe(table, key)).collect();
    if wanted.len() > 1 {
        wanted.sort_unstable();
        wanted.dedup();
    }
    wanted
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
