//! Values that are overwritten where they lie: `inplace_update_support`.
//!
//! A put of a key whose newest entry in the memtable is a value of at least the same length takes the
//! entry over: its value changes, its sequence number stays. So it is visible before its own number is,
//! and readers of older moments see it, too; RocksDB says the same of the option.
//!
//! Invariants:
//! * **U1** The value of an entry is written only under the write lock of its key's stripe, and read
//!   only under the read lock, into a copy. The stripe is that of the stored key. Keys never change,
//!   and nobody needs a lock for them.
//! * **U2** One writer at a time uses the memtable: `supports_concurrent_insert` says so.
//! * **U3** A value is taken over only where the memtable has no range tombstones: one between the old
//!   sequence number and the new one would hide the new value.

#![allow(unsafe_code)]

use super::memtable::MemTable;
use super::stripes::Stripes;
use crate::base::key::{trailer, user_key};
use crate::base::{LookupBuffer, SeqNo, ValueType};

impl MemTable {
    /// Whether puts may take entries over; then they go through [`MemTable::put_in_place`].
    #[inline]
    pub fn updates_in_place(&self) -> bool {
        self.stripes().is_some()
    }

    /// Sets a key, in place if that is possible; one writer at a time. Returns whether it was.
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
        // SAFETY: U1 and U2; nobody reads the value while the lock is held.
        unsafe { entry.overwrite_value(value) }
    }
}

#[cfg(test)]
#[path = "in_place_test.rs"]
mod tests;
