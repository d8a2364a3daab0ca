//! A WAL that takes no more records, or may have lost some: a new one begins, and everything in memory
//! becomes tables.
//!
//! Every acknowledged write is in a memtable until it is in a table. So nothing is lost while the process lives,
//! whatever became of the log: it was cut by another process, a sync failed, or the end of it is unknown. Writes
//! are refused from the failure on, and go on after these steps:
//!
//! 1. [`WalHealth::Lost`]: the next seal, which a flush thread makes if nobody else does, begins a new WAL
//!    and makes all memtables immutable, also the empty ones.
//! 2. [`WalHealth::Renewed`]: what is prepared and undecided is copied into the new WAL and synced. One flush of all
//!    families is installed as one group: no family may be ahead of another in a WAL that is no point in time.
//! 3. [`WalHealth::Whole`]: the old WALs are obsolete.
//!
//! A failed sync is not repeated: whoever waits for a record of the old WAL gets its error, until step 3 has
//! made everything durable that was acknowledged.

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
    /// Takes an error of the live WAL that ends it. Writes stop until there is another one.
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

    /// The database was opened on a full device: everything that was recovered is in memtables, and the WALs that
    /// hold it are as they were. That is cured as a WAL that failed.
    pub(crate) fn begin_without_room(&self, error: &Error) {
        // Best effort: what recovery has written until then takes room.
        let _ = self.catalog.purge_leftovers(Leftovers::Tables);
        self.wal_failed(&mut self.write.lock(), error);
    }

    /// The error that stops writes while the WAL is lost.
    pub(super) fn check_wal(&self, write: &RankedGuard<'_, WriteState>) -> Result<()> {
        match self.session.health.error() {
            Some(e) if write.wal_lost => Err(e),
            _ => Ok(()),
        }
    }

    /// Takes the error of a sync up to this ticket.
    pub(super) fn wal_sync_failed(&self, ticket: u64, error: &Error) {
        let mut write = self.write.lock();
        // Otherwise it is an error of a WAL that was replaced meanwhile.
        if ticket > write.lost_ticket {
            self.wal_failed(&mut write, error);
        }
    }

    /// Takes the error of the sync of a full WAL, unless that was given up meanwhile.
    pub(super) fn full_wal_failed(&self, number: u64, error: &Error) {
        let mut write = self.write.lock();
        if write.unsynced.iter().any(|wal| wal.number == number) {
            self.wal_failed(&mut write, error);
        }
    }

    /// Hands the records that wait in a buffer to the operating system.
    pub(super) fn flush_live_wal(&self, write: &mut RankedGuard<'_, WriteState>) -> Result<()> {
        self.check_wal(write)?;
        let flushed = write.wal.flush();
        if let (Err(e), true) = (&flushed, write.wal.is_broken()) {
            self.wal_failed(write, e);
        }
        flushed
    }

    /// Replaces a WAL that failed. Its number and size are for the list of WALs; it is not written again.
    pub(super) fn renew_wal(&self, write: &mut RankedGuard<'_, WriteState>) -> Result<LogWriter> {
        let fresh =
            self.session.new_wal(self.catalog.default_family().options().write_buffer_size)?;
        let lost = std::mem::replace(&mut write.wal, fresh);
        // The flush of all memtables stands in for the syncs that they still needed.
        write.unsynced.clear();
        write.wal_lost = false;
        write.lost_ticket = write.ticket;
        let error = self.session.health.error();
        let error = error.unwrap_or_else(|| Error::corruption("the WAL failed"));
        self.sync_group.give_up(write.ticket, error);
        Ok(lost)
    }

    /// Copies what is prepared and undecided into the live WAL, for the flush of all memtables. No writer is under
    /// way: so what was decided is in memtables, and what is left in the list is not.
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

    /// Everything in memory is in tables: who waits for a record of the old WAL need not fail any more.
    pub(crate) fn settle(&self) {
        self.sync_group.settle();
    }
}
