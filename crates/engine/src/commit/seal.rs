//! Sealing memtables: a full one, one whose records keep an old WAL, or the largest one when memory is short.
//!
//! With `atomic_flush` the database never seals one memtable alone. All families that have entries are sealed at one
//! point between two writes, and are flushed together (`jobs/flush.rs`). The write lock defines that point: a writer
//! looks up all its memtables under the lock, so each batch lies entirely before or after the point.

use super::limits::limit_wal_size;
use super::queue::{CommitQueue, UnsyncedWal, WriteState};
use crate::catalog::{ColumnFamilyState, LiveWal, WalHealth};
use crate::env::lock_rank::RankedGuard;
use crate::error::Result;
use crate::hooks::FlushReason;
use crate::session::{ColumnFamilyData, dropped};
use crate::wal::LogWriter;
use std::time::Duration;

/// How long to wait for inserts that are in flight. An insert takes microseconds.
const INSERT_PATIENCE: Duration = Duration::from_micros(200);

impl CommitQueue {
    /// Starts a new WAL, makes the memtables of the chosen families immutable and gives these families new ones. If the
    /// live WAL failed, all families are sealed.
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
            debug_assert!(
                number < wal_number,
                "expected a WAL newer than {number}, which it replaces, found {wal_number}"
            );
            // A failed WAL is truncated as far as possible, and then deleted.
            let full = (!lost).then_some(writer);
            state.wals.begin(wal_number, LiveWal { number, size }, full);
        }
        debug_assert_eq!(
            state.wals.live(),
            Some(wal_number),
            "the live WAL of catalogue and queue"
        );
        if lost {
            state.wals.set_health(WalHealth::Renewed);
        }
        let spare = self.session.memtable_spares();
        let families = state.families.len();
        let mut sealed = Vec::new();
        for cf in state.families.values_mut().filter(|cf| lost || wanted(cf)) {
            sealed.push((cf.data.name.clone(), cf.immutables.len()));
            cf.flush_requested |= lost;
            self.reporter.note_sealed(&cf.data, &cf.mem);
            cf.seal(wal_number, write.turns.last_allocated(), reason, families, spare.clone());
        }
        self.catalog.renew_stalls(&mut state);
        limit_wal_size(&self.session, &mut state);
        drop(state);
        self.catalog.notify_jobs();
        self.reporter.log_new_memtables(&sealed, wal_number);
        Ok(())
    }

    /// Seals the family's memtable and, with `atomic_flush`, every other memtable that has entries.
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

    /// Seals those memtables of these families that have entries. Returns an error if a single family is given and it
    /// was dropped; among several families, a dropped one needs no flush.
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

    /// Seals a family's memtable and requests its flush, however few immutable memtables there are.
    pub(crate) fn seal_family(&self, family: &ColumnFamilyData, reason: FlushReason) -> Result<()> {
        self.seal_and_flush(&mut self.write.lock(), family, reason)
    }

    /// Seals a family's memtable and requests its flush because memory is short, unless a memtable waits for its flush
    /// already: a second one could stop writers, which must not fail because of this limit.
    pub(crate) fn seal_for_memory(&self, family: &ColumnFamilyData) -> Result<()> {
        let mut write = self.write.lock();
        let state = self.catalog.state();
        let flushed = state.families.get(&family.id).is_some_and(|cf| cf.immutables.is_empty());
        drop(state);
        match flushed {
            true => self.seal_and_flush(&mut write, family, FlushReason::WriteBufferManager),
            false => Ok(()),
        }
    }

    /// If the live WAL failed, begins a new one and seals all memtables.
    pub(crate) fn seal_if_lost(&self) -> Result<()> {
        let mut write = self.write.lock();
        match write.wal_lost {
            true => self.seal(&mut write, FlushReason::ErrorRecovery, |_| true),
            false => Ok(()),
        }
    }

    /// Returns a test for memtables that have entries or may get some from writes in flight. While a writer has its
    /// sequence numbers but has not inserted yet, its memtable may look empty.
    pub(super) fn holding_something(
        &self,
        write: &RankedGuard<'_, WriteState>,
    ) -> impl Fn(&ColumnFamilyState) -> bool + use<> {
        let in_flight =
            !self.catalog.order().wait_visible(write.turns.last_allocated(), INSERT_PATIENCE);
        move |cf| in_flight || !cf.mem.is_empty()
    }

    /// Replaces the live WAL by a new file, unless nothing was written to it.
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
        // With `manual_wal_flush`, records wait in a buffer, which a sync of the file would miss.
        self.flush_live_wal(write)?;
        let fresh =
            self.session.new_wal(self.catalog.default_family().options().write_buffer_size)?;
        let mut full = std::mem::replace(&mut write.wal, fresh);
        if self.session.memory().is_some() {
            full.release_memory();
        }
        if write.synced_ticket < write.ticket {
            write.unsynced.push(UnsyncedWal { number: full.log_number(), syncer: full.syncer() });
        }
        self.reporter.totals().wal_bytes.add(full.size());
        Ok(Some((full.log_number(), full.size(), full)))
    }

    /// Seals as [`CommitQueue::seal_full`] does and requests a flush, however few immutable memtables there are.
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
