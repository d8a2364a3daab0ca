//! Renewal of a failed WAL: a new WAL begins, and everything in memory is written to tables.
//!
//! Every acknowledged write is in a memtable until it is in a table. So no data is lost while the process lives,
//! whatever happened to the log: another process truncated it, a sync failed, or its end is unknown. From the failure
//! on, writes are refused. They resume after these steps:
//!
//! 1. [`WalHealth::Lost`]: the next seal begins a new WAL and makes all memtables immutable, including empty ones. If
//!    nothing else seals, a flush thread does.
//! 2. [`WalHealth::Renewed`]: prepared, undecided sections are copied into the new WAL, which is synced. One flush of
//!    all families is installed as one group. No family may be ahead of another, because the old WALs no longer
//!    represent one point in time.
//! 3. [`WalHealth::Whole`]: the old WALs are obsolete.
//!
//! A failed sync is not repeated. Every writer that waits for a record of the old WAL gets its error, until step 3 has
//! made all acknowledged writes durable.

use super::prepared::{carry_over, sections_in_wal};
use super::queue::{CommitQueue, WriteState};
use crate::catalog::WalHealth;
use crate::env::lock_rank::RankedGuard;
use crate::error::{Error, Result, Severity};
use crate::files::Leftovers;
use crate::hooks::BackgroundErrorReason;
use crate::report::Event;
use crate::wal::LogWriter;
use crate::write::Sections;
use std::collections::BTreeSet;

impl CommitQueue {
    /// Handles an error after which the live WAL cannot be used. Writes stop until a new WAL replaces it.
    pub(super) fn wal_failed(&self, write: &mut RankedGuard<'_, WriteState>, error: &Error) {
        if std::mem::replace(&mut write.wal_lost, true) {
            return;
        }
        let number = write.wal.log_number();
        self.session
            .info_log
            .error(format_args!("WAL {number} failed and must be replaced: {error}"));
        self.reporter.queue(|| Event::Failed(BackgroundErrorReason::WriteCallback, error.clone()));
        self.catalog.state().wals.set_health(WalHealth::Lost);
        self.catalog.stop_writes(error.clone().with_severity(Severity::HardError));
        self.catalog.notify_jobs();
    }

    /// Handles opening on a full device: all recovered data is in memtables, and the WALs that hold it are unchanged.
    /// The database recovers from this as from a failed WAL.
    pub(crate) fn begin_without_room(&self, error: &Error) {
        // Best effort: files that recovery has written so far take up room.
        let _ = self.catalog.purge_leftovers(Leftovers::Tables);
        self.wal_failed(&mut self.write.lock(), error);
    }

    /// Returns the error that stops writes while the WAL is lost.
    pub(super) fn check_wal(&self, write: &RankedGuard<'_, WriteState>) -> Result<()> {
        match self.session.health.error() {
            Some(e) if write.wal_lost => Err(e),
            _ => Ok(()),
        }
    }

    /// Handles the error of a sync up to this ticket.
    pub(super) fn wal_sync_failed(&self, ticket: u64, error: &Error) {
        let mut write = self.write.lock();
        // Otherwise the error concerns a WAL that has been replaced meanwhile.
        if ticket > write.lost_ticket {
            self.wal_failed(&mut write, error);
        }
    }

    /// Handles the error of a sync of a full WAL, unless that WAL has been given up meanwhile.
    pub(super) fn full_wal_failed(&self, number: u64, error: &Error) {
        let mut write = self.write.lock();
        if write.unsynced.iter().any(|wal| wal.number == number) {
            self.wal_failed(&mut write, error);
        }
    }

    /// Writes the records that wait in a buffer to the file, without syncing it.
    pub(super) fn flush_live_wal(&self, write: &mut RankedGuard<'_, WriteState>) -> Result<()> {
        self.check_wal(write)?;
        let flushed = write.wal.flush();
        if let (Err(e), true) = (&flushed, write.wal.is_broken()) {
            self.wal_failed(write, e);
        }
        flushed
    }

    /// Replaces a failed WAL and returns the old one. Its number and size are still needed for the list of WALs; it is
    /// not written again.
    pub(super) fn renew_wal(&self, write: &mut RankedGuard<'_, WriteState>) -> Result<LogWriter> {
        let fresh =
            self.session.new_wal(self.catalog.default_family().options().write_buffer_size)?;
        let lost = std::mem::replace(&mut write.wal, fresh);
        // The flush of all memtables replaces the syncs that the old WALs still needed.
        write.unsynced.clear();
        write.wal_lost = false;
        write.lost_ticket = write.ticket;
        let error = self.session.health.error();
        let error = error.unwrap_or_else(|| Error::corruption("the WAL failed"));
        self.sync_group.give_up(write.ticket, error);
        Ok(lost)
    }

    /// Copies prepared, undecided sections into the live WAL, for the flush of all memtables. No write is in flight, so
    /// everything that was decided is in memtables, and everything left in the list is undecided.
    pub(crate) fn carry_sections_over(&self) -> Result<()> {
        let prepared = self.catalog.state().wals.prepared().clone();
        let mut write = self.write.lock();
        let live = write.wal.log_number();
        let mut sections = Sections::new();
        let old: BTreeSet<u64> = prepared.values().copied().filter(|wal| *wal != live).collect();
        for number in old {
            sections.append(&mut sections_in_wal(&self.session, number)?);
        }
        sections.retain(|name, _| prepared.get(name).is_some_and(|wal| *wal != live));
        let next = write.turns.last_allocated() + 1;
        carry_over(&self.session, &sections, &mut write.wal, next)?;
        self.catalog.state().wals.moved(|name| sections.contains_key(name), live);
        Ok(())
    }

    /// Notes that everything in memory is in tables: waiting for a record of the old WAL no longer fails.
    pub(crate) fn settle(&self) {
        self.sync_group.settle();
    }
}
