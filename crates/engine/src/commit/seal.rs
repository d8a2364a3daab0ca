//! Memtables become immutable: one that is full, the one whose records keep an old WAL, the largest
//! where memory is short.
//!
//! With `atomic_flush` none is sealed alone by the database itself: all families that hold something
//! are sealed at one point between two writes, and flushed together (`jobs/flush.rs`). The write lock is
//! that point. A writer finds all its memtables under it, so a batch lies on one side of the point.

use super::queue::{CommitQueue, UnsyncedWal, WriteState};
use crate::budget::MemtableShare;
use crate::catalog::{ColumnFamilyState, LiveWal, State, WalHealth};
use crate::env::sync::MutexGuard;
use crate::error::Result;
use crate::hooks::FlushReason;
use crate::memtable::SpareChunks;
use crate::session::ColumnFamilyData;
use crate::wal::LogWriter;
use std::sync::Arc;
use std::time::Duration;

/// Limits of the whole database are looked at after at least and at most so many bytes.
const LIMIT_STEP_MIN: u64 = 4 << 10;
const LIMIT_STEP_MAX: u64 = 16 << 20;

/// An insert takes microseconds.
const INSERT_PATIENCE: Duration = Duration::from_micros(200);

impl CommitQueue {
    /// Starts a new WAL, makes the memtables of these families immutable and gives them new ones. If the WAL
    /// failed, that is done with all families.
    pub(crate) fn seal(
        &self,
        write: &mut MutexGuard<'_, WriteState>,
        reason: FlushReason,
        wanted: impl Fn(&ColumnFamilyState) -> bool,
    ) -> Result<()> {
        let lost = write.wal_lost;
        let retired = self.rotate_wal(write)?;
        let wal_number = write.wal.log_number();
        let mut state = self.catalog.state();
        if let Some((number, size, writer)) = retired {
            // One that failed is cut as far as that is possible, and then deleted.
            let full = (!lost).then_some(writer);
            state.wals.begin(wal_number, LiveWal { number, size }, full);
        }
        if lost {
            state.wals.set_health(WalHealth::Renewed);
        }
        let mut sealed = Vec::new();
        for cf in state.families.values_mut().filter(|cf| lost || wanted(cf)) {
            sealed.push((cf.data.name.clone(), cf.immutables.len()));
            cf.flush_requested |= lost;
            self.reporter.note_sealed(&cf.data, &cf.mem);
            cf.seal(wal_number, write.turns.last_allocated(), reason, self.spare_for_next());
        }
        self.catalog.renew_stalls(&mut state);
        self.limit_wal_size(&mut state);
        drop(state);
        self.catalog.notify_jobs();
        self.reporter.log_new_memtables(&sealed, wal_number);
        Ok(())
    }

    /// Where memtables leave their chunks; nowhere if they share a budget.
    fn spare_for_next(&self) -> Option<&Arc<SpareChunks>> {
        self.session.memtable_share.is_none().then_some(&self.spare_chunks)
    }

    /// Makes the family's memtable immutable, and with `atomic_flush` every other that holds
    /// something.
    pub(crate) fn seal_full(
        &self,
        write: &mut MutexGuard<'_, WriteState>,
        family: &ColumnFamilyData,
        reason: FlushReason,
    ) -> Result<()> {
        if !self.session.options.atomic_flush {
            return self.seal(write, reason, |cf| cf.data.id == family.id);
        }
        let holds_something = self.holding_something(write);
        self.seal(write, reason, |cf| cf.data.id == family.id || holds_something(cf))
    }

    /// Tells which memtables hold something, or soon will: while a writer has its sequence numbers and
    /// has not inserted yet, a memtable may look empty although it is not.
    pub(crate) fn holding_something(
        &self,
        write: &MutexGuard<'_, WriteState>,
    ) -> impl Fn(&ColumnFamilyState) -> bool + use<> {
        let in_flight =
            !self.catalog.order().wait_visible(write.turns.last_allocated(), INSERT_PATIENCE);
        move |cf| in_flight || !cf.mem.is_empty()
    }

    /// Replaces the live WAL by a new file unless nothing was written to it.
    fn rotate_wal(
        &self,
        write: &mut MutexGuard<'_, WriteState>,
    ) -> Result<Option<(u64, u64, LogWriter)>> {
        if write.wal_lost {
            let lost = self.renew_wal(write)?;
            return Ok(Some((lost.log_number(), lost.size(), lost)));
        }
        if write.wal.size() == 0 {
            return Ok(None);
        }
        // With `manual_wal_flush` records wait in a buffer, which syncers do not know.
        self.flush_live_wal(write)?;
        let fresh =
            self.session.new_wal(self.catalog.default_family().options().write_buffer_size)?;
        let full = std::mem::replace(&mut write.wal, fresh);
        if write.synced_ticket < write.ticket {
            write.unsynced.push(UnsyncedWal { number: full.log_number(), syncer: full.syncer() });
        }
        self.reporter.totals().wal_bytes.add(full.size());
        Ok(Some((full.log_number(), full.size(), full)))
    }

    /// What all WALs together may hold.
    fn wal_limit(&self, state: &State) -> u64 {
        let all_buffers = |sum: u64, cf: &ColumnFamilyState| {
            let o = cf.data.options();
            sum.saturating_add(o.write_buffer_size as u64 * o.max_write_buffer_number.max(1) as u64)
        };
        match self.session.live_options().max_total_wal_size {
            0 => state.families.values().fold(0, all_buffers).saturating_mul(4),
            limit => limit,
        }
    }

    /// Keeps the limits that concern all families: `max_total_wal_size` and
    /// `db_write_buffer_size`. Called once in so many bytes, as both are rough anyway.
    #[cold]
    pub(crate) fn keep_limits(&self, write: &mut MutexGuard<'_, WriteState>) -> Result<()> {
        let mut state = self.catalog.state();
        state.wals.set_live_size(write.wal.size());
        self.limit_wal_size(&mut state);
        self.catalog.report_memory(&state);
        let manager = self.session.memtable_share.as_ref().map(MemtableShare::manager);
        let limited = manager.filter(|manager| manager.is_enabled());
        let memory = limited.map_or(u64::MAX, |manager| manager.buffer_size() as u64);
        let step = (memory.min(self.wal_limit(&state)) / 16).clamp(LIMIT_STEP_MIN, LIMIT_STEP_MAX);
        write.next_limit_check = write.user_bytes + step;
        let full = manager.filter(|manager| manager.should_flush());
        let full = full.and_then(|_| state.largest_memtable());
        let full = full.map(|cf| Arc::clone(&cf.data));
        drop(state);
        self.catalog.notify_jobs();
        let reason = FlushReason::WriteBufferManager;
        full.map_or(Ok(()), |family| self.seal_and_flush(write, &family, reason))
    }

    /// Seals as [`CommitQueue::seal_full`] does and has it flushed, however few memtables there are.
    pub(crate) fn seal_and_flush(
        &self,
        write: &mut MutexGuard<'_, WriteState>,
        family: &ColumnFamilyData,
        reason: FlushReason,
    ) -> Result<()> {
        self.seal_full(write, family, reason)?;
        if let Some(cf) = self.catalog.state().families.get_mut(&family.id) {
            cf.flush_requested = true;
        }
        self.catalog.notify_jobs();
        Ok(())
    }

    /// Asks for flushes of the families that keep the oldest WAL alive, once all WALs together are
    /// larger than `max_total_wal_size`.
    fn limit_wal_size(&self, state: &mut State) {
        if state.families.len() < 2 {
            return; // One family's flush always frees the oldest WAL.
        }
        let limit = self.wal_limit(state);
        // No flush would let go what only a prepared transaction keeps.
        let Some(oldest) = state.oldest_wal_needed() else { return };
        if state.wals.bytes_from(oldest) <= limit {
            return;
        }
        for cf in state.families.values_mut() {
            if cf.oldest_wal_needed().is_some_and(|n| n <= oldest) {
                cf.flush_requested = true;
                cf.flush_reason = FlushReason::WalFull;
                // Where immutable memtables alone keep the WAL, a switch would not let it go.
                cf.seal_wanted |= !cf.mem.is_empty() && cf.mem_wal_number <= oldest;
            }
        }
    }
}
