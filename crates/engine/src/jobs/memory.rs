//! What jobs may hold if the database's memory is limited.

use crate::budget::{Charge, MemoryAccount, MemoryOwner};
use crate::catalog::State;
use crate::compaction::plan::{CompactionPlan, PlanLevel};
use crate::session::{ColumnFamilyData, Session};
use std::sync::Arc;

/// How a compaction uses memory. Its inputs charge their readahead themselves.
pub(super) struct CompactionMemory {
    /// The number of threads that may share the work.
    pub(super) threads: u32,
    /// The readahead of each input in bytes; 0 means the usual one.
    pub(super) readahead: usize,
    _building: Option<Charge>,
}

impl CompactionMemory {
    /// Plans the memory of a compaction, and charges what building its tables takes.
    pub(super) fn new(session: &Session, plan: &CompactionPlan, threads: u32) -> CompactionMemory {
        let Some(account) = session.memory() else {
            return CompactionMemory { threads, readahead: 0, _building: None };
        };
        let shares = account.shares();
        let level_0 = |level: &&PlanLevel| level.level == 0;
        let in_level_0: usize = plan.inputs.iter().filter(level_0).map(|l| l.files.len()).sum();
        let readahead = shares.compaction_readahead(in_level_0 + 1);
        let building = shares.building(plan.target_file_size.min(plan.input_bytes()));
        let each = building.saturating_add(readahead.saturating_mul(in_level_0 + 1));
        let threads = shares.compaction_threads(threads, each);
        let bytes = building.saturating_mul(threads.max(1) as usize);
        let charge = account.charge(MemoryOwner::Compactions, bytes);
        CompactionMemory { threads, readahead, _building: Some(charge) }
    }
}

/// Makes the tables of a compaction smaller if memory is limited: what a builder holds grows with its table. On level
/// 0, a table is a sorted run and must stay whole.
pub(super) fn limit_tables(session: &Session, plan: &mut CompactionPlan) {
    if let Some(account) = session.memory()
        && plan.output_level > 0
    {
        plan.target_file_size = account.shares().table_size(plan.target_file_size);
    }
}

/// Charges what a flush of memtables of this size takes.
pub(super) fn charge_flush(account: &Arc<MemoryAccount>, bytes: usize) -> Charge {
    account.charge(MemoryOwner::Flushes, account.shares().building(bytes as u64))
}

/// Returns a family to flush because the memory of all databases of the account is short and this one holds much of
/// it. A database that nobody writes to does not notice that otherwise. Immutable memtables come first.
pub(super) fn family_to_flush(
    session: &Session,
    state: &mut State,
) -> Option<Arc<ColumnFamilyData>> {
    let manager = session.memory()?.memtables();
    let stalls = manager.should_stall();
    if session.read_only || !(stalls || manager.should_flush()) {
        return None;
    }
    if state.request_flushes_for_memory() {
        return None;
    }
    let largest = state.largest_memtable()?;
    // While writers of other databases wait, everything counts: many databases may hold little each.
    let holds_much = largest.mem.approximate_memory_usage() > manager.buffer_size() / 8;
    (stalls || holds_much).then(|| Arc::clone(&largest.data))
}

#[cfg(all(test, not(loom)))]
#[path = "memory_test.rs"]
mod tests;
