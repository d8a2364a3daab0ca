//! Limits that span all families: the total size of the WALs, and the total memory of the memtables.

use super::queue::{CommitQueue, WriteState};
use crate::budget::{MemtableShare, WriteBufferManager};
use crate::catalog::{ColumnFamilyState, State};
use crate::env::lock_rank::RankedGuard;
use crate::error::Result;
use crate::hooks::FlushReason;
use crate::session::Session;
use std::sync::Arc;

/// The limits are checked once per this many bytes written: the smallest and the largest step.
const LIMIT_STEP_MIN: u64 = 4 << 10;
const LIMIT_STEP_MAX: u64 = 16 << 20;

impl CommitQueue {
    /// Enforces the limits that span all families: `max_total_wal_size`, `db_write_buffer_size` and `memory_limit`.
    /// Runs only once per step of written bytes, because these limits are approximate anyway.
    #[cold]
    pub(super) fn keep_limits(&self, write: &mut RankedGuard<'_, WriteState>) -> Result<()> {
        let mut state = self.catalog.state();
        state.wals.set_live_size(write.wal.size());
        limit_wal_size(&self.session, &mut state);
        self.catalog.report_memory(&state);
        let managers = || self.session.memtable_shares.iter().map(MemtableShare::manager);
        let limited = managers().filter(|manager| manager.is_enabled());
        let memory = limited.map(|manager| manager.buffer_size() as u64).min().unwrap_or(u64::MAX);
        let step = (memory.min(wal_limit(&self.session, &state)) / 16)
            .clamp(LIMIT_STEP_MIN, LIMIT_STEP_MAX);
        write.next_limit_check = write.user_bytes + step;
        let full = |spares_writers: bool| {
            let mut asked = managers().filter(|m| m.spares_writers() == spares_writers);
            asked.any(WriteBufferManager::should_flush)
        };
        let (is_full, is_short) = (full(false), full(true));
        if is_short && !is_full {
            state.request_flushes_for_memory();
        }
        let keeps_much = self.session.memory().is_some_and(|memory| !memory.may_keep_memtables());
        // A second memtable that waits for its flush could stop writers, which must not fail because of `memory_limit`.
        let spares = |cf: &ColumnFamilyState| cf.immutables.is_empty();
        // A flush frees nothing of a memtable that iterators keep, but it would grow on.
        let kept = || state.largest_memtable_of(|cf| spares(cf) && cf.mem.is_kept());
        let full = match (is_full, is_short, keeps_much) {
            (true, ..) => state.largest_memtable(),
            (false, true, true) => kept().or_else(|| state.largest_memtable_of(spares)),
            (false, true, false) => state.largest_memtable_of(spares),
            (false, false, true) => kept(),
            (false, false, false) => None,
        };
        let full = full.map(|cf| Arc::clone(&cf.data));
        drop(state);
        self.catalog.notify_jobs();
        let reason = FlushReason::WriteBufferManager;
        full.map_or(Ok(()), |family| self.seal_and_flush(write, &family, reason))
    }
}

/// Returns the limit for the total size of all WALs, in bytes.
fn wal_limit(session: &Session, state: &State) -> u64 {
    let all_buffers = |sum: u64, cf: &ColumnFamilyState| {
        let o = cf.data.options();
        sum.saturating_add(o.write_buffer_size as u64 * o.max_write_buffer_number.max(1) as u64)
    };
    match session.live_options().max_total_wal_size {
        0 => state.families.values().fold(0, all_buffers).saturating_mul(4),
        limit => limit,
    }
}

/// Requests flushes of the families that keep the oldest WAL alive, once the total size of all WALs exceeds
/// `max_total_wal_size`.
pub(super) fn limit_wal_size(session: &Session, state: &mut State) {
    if state.families.len() < 2 {
        return; // With one family, every flush frees the oldest WAL.
    }
    let limit = wal_limit(session, state);
    // A flush would not free a WAL that only a prepared transaction keeps.
    let Some(oldest) = state.oldest_wal_needed() else { return };
    if state.wals.bytes_from(oldest) <= limit {
        return;
    }
    for cf in state.families.values_mut() {
        if cf.oldest_wal_needed().is_some_and(|n| n <= oldest) {
            cf.flush_requested = true;
            cf.flush_reason = FlushReason::WalFull;
            // If only immutable memtables keep the WAL, sealing the active one would not free it.
            cf.seal_wanted |= !cf.mem.is_empty() && cf.mem_wal_number <= oldest;
        }
    }
}
