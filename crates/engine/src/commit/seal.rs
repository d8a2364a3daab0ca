//! Memtables become immutable: one that is full, the one whose records keep an old WAL, the largest
//! where memory is short.
//!
//! With `atomic_flush` none is sealed alone by the database itself: all families that hold something
//! are sealed at one point between two writes, and flushed together (`jobs/flush.rs`). The write lock is
//! that point. A writer finds all its memtables under it, so a batch lies on one side of the point.

use super::limits::limit_wal_size;
use super::queue::{CommitQueue, UnsyncedWal, WriteState};
use crate::catalog::{ColumnFamilyState, LiveWal, WalHealth};
use crate::env::lock_rank::RankedGuard;
use crate::error::Result;
use crate::hooks::FlushReason;
use crate::session::{ColumnFamilyData, dropped};
use crate::wal::LogWriter;
use std::time::Duration;

/// An insert takes microseconds.
const INSERT_PATIENCE: Duration = Duration::from_micros(200);

impl CommitQueue {
    /// Starts a new WAL, makes the memtables of these families immutable and gives them new ones. If the WAL
    /// failed, that is done with all families.
    pub(super) fn seal(
        &self,
        write: &mut RankedGuard<'_, WriteState>,
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
        // Memtables that share a budget leave no chunks behind.
        let spare = self.session.memtable_share.is_none().then_some(&self.spare_chunks);
        let mut sealed = Vec::new();
        for cf in state.families.values_mut().filter(|cf| lost || wanted(cf)) {
            sealed.push((cf.data.name.clone(), cf.immutables.len()));
            cf.flush_requested |= lost;
            self.reporter.note_sealed(&cf.data, &cf.mem);
            cf.seal(wal_number, write.turns.last_allocated(), reason, spare);
        }
        self.catalog.renew_stalls(&mut state);
        limit_wal_size(&self.session, &mut state);
        drop(state);
        self.catalog.notify_jobs();
        self.reporter.log_new_memtables(&sealed, wal_number);
        Ok(())
    }

    /// Makes the family's memtable immutable, and with `atomic_flush` every other that holds
    /// something.
    pub(super) fn seal_full(
        &self,
        write: &mut RankedGuard<'_, WriteState>,
        family: &ColumnFamilyData,
        reason: FlushReason,
    ) -> Result<()> {
        if !self.session.options.atomic_flush {
            return self.seal(write, reason, |cf| cf.data.id == family.id);
        }
        let holds_something = self.holding_something(write);
        self.seal(write, reason, |cf| cf.data.id == family.id || holds_something(cf))
    }

    /// Seals the memtables of these families that hold something. An error if a single family was dropped; of
    /// several, a dropped one needs no flush.
    pub(crate) fn seal_filled(
        &self,
        families: &[&ColumnFamilyData],
        reason: FlushReason,
    ) -> Result<()> {
        let mut write = self.write.lock();
        self.session.health.check_open()?;
        let holds_something = self.holding_something(&write);
        let chosen = |cf: &ColumnFamilyState| {
            families.iter().any(|family| family.id == cf.data.id) && holds_something(cf)
        };
        let any = {
            let state = self.catalog.state();
            if let [family] = families
                && !state.families.contains_key(&family.id)
            {
                return Err(dropped(&family.name));
            }
            state.families.values().any(chosen)
        };
        if any { self.seal(&mut write, reason, chosen) } else { Ok(()) }
    }

    /// Seals a family's memtable and has it flushed, however few immutable memtables there are.
    pub(crate) fn seal_family(&self, family: &ColumnFamilyData, reason: FlushReason) -> Result<()> {
        self.seal_and_flush(&mut self.write.lock(), family, reason)
    }

    /// Begins a new WAL and seals all memtables if the live WAL failed.
    pub(crate) fn seal_if_lost(&self) -> Result<()> {
        let mut write = self.write.lock();
        match write.wal_lost {
            true => self.seal(&mut write, FlushReason::ErrorRecovery, |_| true),
            false => Ok(()),
        }
    }

    /// Tells which memtables hold something, or soon will: while a writer has its sequence numbers and
    /// has not inserted yet, a memtable may look empty although it is not.
    pub(super) fn holding_something(
        &self,
        write: &RankedGuard<'_, WriteState>,
    ) -> impl Fn(&ColumnFamilyState) -> bool + use<> {
        let in_flight =
            !self.catalog.order().wait_visible(write.turns.last_allocated(), INSERT_PATIENCE);
        move |cf| in_flight || !cf.mem.is_empty()
    }

    /// Replaces the live WAL by a new file unless nothing was written to it.
    fn rotate_wal(
        &self,
        write: &mut RankedGuard<'_, WriteState>,
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

    /// Seals as [`CommitQueue::seal_full`] does and has it flushed, however few memtables there are.
    pub(super) fn seal_and_flush(
        &self,
        write: &mut RankedGuard<'_, WriteState>,
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
}
