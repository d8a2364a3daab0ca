//! In-place updates of values: `inplace_update_support`.
//!
//! If the newest entry of a key in the memtable is a value of at least the same length, a put overwrites that entry:
//! its value changes, its sequence number stays. The put is therefore visible before its own sequence number is
//! published, and older snapshots see it, too; RocksDB documents the same for this option.
//!
//! Invariants:
//! * **U1** The value of an entry is written only under the write lock of its key's stripe, and read only under the
//!   read lock, into a copy. The stripe is that of the stored key. Keys never change and need no lock.
//! * **U2** One writer at a time uses the memtable: `supports_concurrent_insert` returns false.
//! * **U3** A value is overwritten only if the memtable has no range tombstones: a tombstone between the old sequence
//!   number and the new one would hide the new value.

#![allow(unsafe_code)]

use super::memtable::MemTable;
use super::stripes::Stripes;
use crate::base::key::{trailer, user_key};
use crate::base::{LookupBuffer, SeqNo, ValueType};

impl MemTable {
    /// Whether puts may overwrite entries; if so, they use [`MemTable::put_in_place`].
    #[inline]
    pub fn updates_in_place(&self) -> bool {
        self.stripes().is_some()
    }

    /// Sets a key, in place if possible. Requires one writer at a time. Returns whether the update
    /// was in place.
    pub fn put_in_place(&self, seq: SeqNo, user_key: &[u8], value: &[u8]) -> bool {
        if let Some(stripes) = self.stripes()
            && self.num_range_deletes() == 0
            && self.take_over(stripes, seq, user_key, value)
        {
            return true;
        }
        self.add(seq, ValueType::Value, user_key, value);
        false
    }

    fn take_over(&self, stripes: &Stripes, seq: SeqNo, key: &[u8], value: &[u8]) -> bool {
        let mut newest = None;
        self.rep().visit_from(&LookupBuffer::new(key, seq).key(), |entry| {
            newest = Some(entry);
            false
        });
        let Some(entry) = newest else { return false };
        // SAFETY: the entry lies in this memtable's arena; keys never change.
        let stored = unsafe { entry.internal_key() };
        let is_value = ValueType::from_byte(trailer(stored) as u8) == Some(ValueType::Value);
        if !is_value || !self.order().equal_user(user_key(stored), key) {
            return false;
        }
        let _writing = stripes.of(stored).write();
        // SAFETY: U1 and U2; no thread reads the value while the lock is held.
        unsafe { entry.overwrite_value(value) }
    }
}

#[cfg(test)]
#[path = "in_place_test.rs"]
mod tests;
