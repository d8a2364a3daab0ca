//! What jobs may hold if the database's memory is limited.

use super::flush::Flusher;
use crate::base::SeqNo;
use crate::budget::{Charge, MemoryAccount, MemoryOwner};
use crate::catalog::{ColumnFamilyState, State};
use crate::compaction::plan::{CompactionPlan, PlanLevel};
use crate::env::clock::Instant;
use crate::error::Result;
use crate::hooks::FlushReason;
use crate::read::Moment;
use crate::session::{ColumnFamilyData, Session};
use crate::stats::{self, Activity};
use std::sync::Arc;
use std::time::Duration;

/// A new iterator waits at most this long for the flush of the memtables that it would keep.
const FLUSH_PATIENCE: Duration = Duration::from_secs(1);

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

impl Flusher {
    /// Flushes a family for a new iterator if iterators keep much memory of flushed memtables already. The iterator
    /// must read at the result: then all memtables of that moment are in tables, and it keeps none. If the flush takes
    /// long or fails, it keeps them.
    pub(crate) fn flush_for_iterator(
        &self,
        family: &ColumnFamilyData,
        snapshot: Option<SeqNo>,
    ) -> Option<Moment<'_>> {
        let account = self.session.memory()?;
        // A listener of a job would wait for its own job.
        let in_job = matches!(stats::activity(), Activity::Flush | Activity::Compaction);
        if account.may_keep_memtables() || in_job || self.session.read_only {
            return None;
        }
        let order = self.catalog.order();
        let moment = self.catalog.snapshots().moment(|| order.visible());
        let seq = snapshot.unwrap_or(moment.sequence());
        // Errors stop writers, and are reported there.
        let _ = self.flush_older(family, seq);
        Some(moment)
    }

    /// Flushes the memtables that have entries up to `seq`. Gives up after a while, or if flushes are paused.
    fn flush_older(&self, family: &ColumnFamilyData, seq: SeqNo) -> Result<()> {
        let end = Instant::now() + FLUSH_PATIENCE;
        let given_up = || Instant::now() >= end || self.pauses.all();
        loop {
            let mut state = self.catalog.state();
            self.wait_until(&mut state, |state| {
                let Some(cf) = state.families.get_mut(&family.id) else { return true };
                let waits = cf.immutables.iter().any(|i| i.mem.has_up_to(seq));
                if waits && !cf.flushing && !cf.flush_requested {
                    cf.flush_requested = true;
                    cf.flush_reason = FlushReason::WriteBufferManager;
                    self.catalog.notify_jobs();
                }
                !waits || given_up()
            })?;
            let older = |cf: &ColumnFamilyState| cf.mem.has_up_to(seq);
            if given_up() || !state.families.get(&family.id).is_some_and(older) {
                return Ok(());
            }
            drop(state);
            self.commit.seal_for_memory(family)?;
            self.reporter.deliver();
        }
    }
}

#[cfg(all(test, not(loom)))]
#[path = "memory_test.rs"]
mod tests;
