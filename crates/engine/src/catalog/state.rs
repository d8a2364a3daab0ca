//! The state that the catalogue's lock guards.

use super::family_state::ColumnFamilyState;
use super::running::Running;
use super::wals::Wals;
use crate::compaction::picker::PickContext;
use crate::hooks::FlushReason;
use crate::report::TreeShape;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The families of a database, its WALs, and the running background jobs.
pub(crate) struct State {
    pub(crate) families: BTreeMap<u32, ColumnFamilyState>,
    pub(crate) wals: Wals,
    pub(crate) running: Running,
}

impl State {
    /// Returns the shape of a family's tree; an empty shape if the family was dropped.
    pub(crate) fn shape_of(&self, id: u32) -> TreeShape {
        self.families.get(&id).map_or_else(TreeShape::default, |cf| {
            TreeShape::new(Arc::clone(&cf.current), cf.immutables.len(), cf.memtables_made)
        })
    }

    /// Returns the oldest WAL with records that are in no table yet.
    pub(crate) fn oldest_wal_needed(&self) -> Option<u64> {
        self.families.values().filter_map(ColumnFamilyState::oldest_wal_needed).min()
    }

    /// Returns whether a job is running or due.
    pub(crate) fn has_background_work(&self, context: &PickContext) -> bool {
        let due = |cf: &ColumnFamilyState| {
            let flush_due = cf.wants_flush() || cf.seal_wanted;
            flush_due || cf.needs_compaction(context)
        };
        self.running.any() || self.families.values().any(due)
    }

    /// Requests flushes of all immutable memtables because memory is short, also where more of them should be merged.
    /// Returns whether there are any, or flushes are running already.
    pub(crate) fn request_flushes_for_memory(&mut self) -> bool {
        let mut any = false;
        for cf in self.families.values_mut().filter(|cf| !cf.immutables.is_empty()) {
            any = true;
            if !cf.flushing && !cf.flush_requested {
                cf.flush_requested = true;
                cf.flush_reason = FlushReason::WriteBufferManager;
            }
        }
        any
    }

    /// Returns the family with the largest memtable, unless all are empty. Flushing it frees the most memory.
    pub(crate) fn largest_memtable(&self) -> Option<&ColumnFamilyState> {
        self.largest_memtable_of(|_| true)
    }

    /// Returns the family with the largest memtable among those `wanted`, unless all these are empty.
    pub(crate) fn largest_memtable_of(
        &self,
        wanted: impl Fn(&ColumnFamilyState) -> bool,
    ) -> Option<&ColumnFamilyState> {
        let size = |cf: &&ColumnFamilyState| cf.mem.approximate_memory_usage();
        let wanted = self.families.values().filter(|cf| wanted(cf));
        wanted.max_by_key(size).filter(|cf| !cf.mem.is_empty())
    }
}
