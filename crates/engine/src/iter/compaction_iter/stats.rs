//! Counters of a compaction iterator.

use crate::base::ValueType;
use crate::base::key::trailer;

/// Counters of the entries that a compaction iterator has read and dropped, with RocksDB's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompactionIterStats {
    /// Entries read.
    pub num_input_records: u64,
    /// Tombstones read.
    pub num_input_deletion_records: u64,
    /// Bytes of internal keys read.
    pub total_input_raw_key_bytes: u64,
    /// Entries dropped because a newer one hides them, without merged entries.
    pub num_record_drop_hidden: u64,
    /// Operands and values that were merged into one entry, minus that entry.
    pub num_record_merged: u64,
    /// Tombstones dropped because they hid nothing.
    pub num_record_drop_obsolete: u64,
    /// Such tombstones that were dropped above the bottommost level.
    pub num_optimized_del_drop_obsolete: u64,
    /// Values and operands that a compaction filter dropped.
    pub num_record_drop_user: u64,
    /// Single deletes without a put below.
    pub num_single_del_fallthru: u64,
    /// Single deletes above an entry other than a put.
    pub num_single_del_mismatch: u64,
    /// Entries returned.
    pub num_output_records: u64,
}

impl CompactionIterStats {
    /// Counts an entry that was read, by its internal key.
    #[inline]
    pub(super) fn count_input(&mut self, stored: &[u8]) {
        self.num_input_records += 1;
        self.total_input_raw_key_bytes += stored.len() as u64;
        let kind = trailer(stored) as u8;
        let tombstone =
            kind == ValueType::Deletion as u8 || kind == ValueType::SingleDeletion as u8;
        self.num_input_deletion_records += u64::from(tombstone);
    }
}
