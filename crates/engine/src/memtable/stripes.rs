//! Locks over values that may change in place; `in_place.rs` has the invariants.

#![allow(unsafe_code)]

use super::entry::Entry;
use crate::base::hash::hash64;
use crate::base::key::user_key;
use crate::env::sync::RwLock;
use crate::options::ColumnFamilyOptions;

/// The maximum number of locks; more would not help.
const STRIPES_MAX: usize = 1 << 20;

/// The locks over the values of a memtable.
pub(super) struct Stripes {
    locks: Box<[RwLock<()>]>,
}

impl Stripes {
    /// The number of locks that the options set; `None` if values never change.
    pub(super) fn new(options: &ColumnFamilyOptions) -> Option<Stripes> {
        let count = options.inplace_update_num_locks.clamp(1, STRIPES_MAX);
        let locks = || (0..count).map(|_| RwLock::new(())).collect();
        options.inplace_update_support.then(|| Stripes { locks: locks() })
    }

    #[allow(clippy::indexing_slicing, reason = "the remainder is below the length, which is not 0")]
    pub(super) fn of(&self, internal_key: &[u8]) -> &RwLock<()> {
        let hash = hash64(user_key(internal_key)) as usize;
        &self.locks[hash % self.locks.len()]
    }

    /// Copies the value of an entry.
    ///
    /// # Safety
    /// The entry must lie in the arena of this memtable, which must be alive.
    pub(super) unsafe fn copy_value(&self, entry: Entry, to: &mut Vec<u8>) {
        // SAFETY: alive by contract; keys never change.
        let key = unsafe { entry.internal_key() };
        let _reading = self.of(key).read();
        to.clear();
        // SAFETY: U1; the slice is dropped before the lock is released.
        to.extend_from_slice(unsafe { entry.value() });
    }
}
