//! The part of a column family that the database lock guards. [`crate::session`] has the part that is shared.

use super::level_jobs::FamilyJobs;
use crate::compaction::picker::CompactionPicker;
use crate::hooks::{FlushReason, WriteStallCondition};
use crate::memtable::MemTable;
use crate::read::SuperVersion;
use crate::session::ColumnFamilyData;
use crate::version::Version;
use std::sync::Arc;

/// A memtable that takes no more writes.
#[derive(Clone)]
pub(crate) struct Immutable {
    pub(crate) mem: Arc<MemTable>,
    /// The WAL that was live when the memtable was made: the oldest that holds its records.
    pub(crate) wal_number: u64,
    /// The WAL that was started when it became immutable: older ones hold nothing newer.
    pub(crate) next_wal_number: u64,
}

/// The part of a column family that changes; guarded by the database lock.
pub(crate) struct ColumnFamilyState {
    pub(crate) data: Arc<ColumnFamilyData>,
    pub(crate) mem: Arc<MemTable>,
    /// The WAL that was live when `mem` was made.
    pub(crate) mem_wal_number: u64,
    /// Oldest first.
    pub(crate) immutables: Vec<Immutable>,
    pub(crate) current: Arc<Version>,
    /// A flush of this family is running.
    pub(crate) flushing: bool,
    /// Somebody waits for everything immutable to be flushed.
    pub(crate) flush_requested: bool,
    /// The memtable should be switched to let an old WAL go.
    pub(crate) switch_wanted: bool,
    /// Memtables that were ever made, for their numbers.
    pub(crate) memtables_made: u64,
    /// Manual compactions that wait for a running one: no automatic one may start before them.
    pub(crate) manual_waits: usize,
    /// Chooses compactions, and knows which run.
    pub(crate) picker: CompactionPicker,
    /// Why the next flush will be started.
    pub(crate) flush_reason: FlushReason,
    /// How writers go, as listeners know it.
    pub(crate) stall_condition: WriteStallCondition,
    /// What jobs did to its levels.
    pub(crate) jobs: FamilyJobs,
    /// Cached for properties and stalls; renewed with every new version.
    pub(crate) pending_compaction_bytes: u64,
}

impl ColumnFamilyState {
    /// Makes the current memtables and version visible to readers.
    pub(crate) fn install_super_version(&self) {
        let immutables = self.immutables.iter().rev().map(|i| Arc::clone(&i.mem)).collect();
        self.data.set_super_version(Some(Arc::new(SuperVersion {
            mem: Arc::clone(&self.mem),
            immutables,
            version: Arc::clone(&self.current),
        })));
    }

    /// The oldest WAL that holds something of this family which is in no table yet; `None` where
    /// there is no such thing.
    pub(crate) fn oldest_wal_needed(&self) -> Option<u64> {
        if let Some(oldest) = self.immutables.first() {
            return Some(oldest.wal_number);
        }
        if self.mem.is_empty() { None } else { Some(self.mem_wal_number) }
    }

    /// Whether a flush should be started.
    pub(crate) fn wants_flush(&self) -> bool {
        let enough = self.data.options().min_write_buffer_number_to_merge.max(1) as usize;
        let ready = self.immutables.len();
        !self.flushing && ready > 0 && (self.flush_requested || ready >= enough)
    }
}
