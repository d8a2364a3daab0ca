//! Syncing WALs. One sync covers several writers, older WALs are synced before the live one, and file names are synced
//! too.

use super::queue::CommitQueue;
use crate::error::Result;
use crate::stats::{self, HistogramType, Ticker, Timer};
use crate::write::Followers;

impl CommitQueue {
    /// Waits until the record with this ticket, and every earlier record, is on the device.
    pub(super) fn sync_up_to(&self, ticket: u64) -> Result<Followers> {
        self.sync_group.wait(ticket, || {
            let (covered, full, live, number) = {
                let mut write = self.write.lock();
                // With `manual_wal_flush`, records wait in a buffer.
                write.wal.flush()?;
                (write.ticket, write.unsynced.clone(), write.wal.syncer(), write.wal.log_number())
            };
            self.reporter.totals().wal_syncs.add(1);
            let timer = Timer::start(&self.session.statistics, HistogramType::WalFileSyncMicros);
            full.iter().try_for_each(|wal| wal.syncer.sync())?;
            live.sync()?;
            self.sync_wal_names(number)?;
            drop(timer);
            stats::add(&self.session.statistics, Ticker::WalFileSynced, 1);
            debug_assert!(
                covered >= ticket,
                "expected a sync that covers ticket {ticket}, found one up to {covered}"
            );
            debug_assert!(
                full.iter().all(|wal| wal.number < number),
                "expected full WALs older than the live one, {number}"
            );
            let mut write = self.write.lock();
            debug_assert!(
                covered <= write.ticket,
                "expected tickets up to {}, found {covered} covered by a sync",
                write.ticket
            );
            write.unsynced.retain(|wal| !full.iter().any(|synced| synced.number == wal.number));
            write.synced_ticket = write.synced_ticket.max(covered);
            Ok(covered)
        })
    }

    /// Syncs the full WALs that have records not covered by a sync, and the directory entries up to the newest of these
    /// WALs, for a flush job.
    pub(crate) fn sync_full_wals(&self, job_id: i32) -> Result<()> {
        let unsynced = self.write.lock().unsynced.clone();
        let Some(newest) = unsynced.last().map(|wal| wal.number) else { return Ok(()) };
        // A failed sync is not repeated: a second one may succeed although the first one lost data.
        let timer = Timer::start(&self.session.statistics, HistogramType::WalFileSyncMicros);
        for wal in &unsynced {
            let number = wal.number;
            self.session.info_log.info(format_args!("[JOB {job_id}] Syncing log #{number}"));
            wal.syncer.sync().inspect_err(|e| self.full_wal_failed(number, e))?;
        }
        self.reporter.totals().wal_syncs.add(1);
        stats::add(&self.session.statistics, Ticker::WalFileSynced, 1);
        drop(timer);
        self.sync_wal_names(newest)?;
        let covered: Vec<u64> = unsynced.iter().map(|wal| wal.number).collect();
        self.write.lock().unsynced.retain(|wal| !covered.contains(&wal.number));
        Ok(())
    }

    /// Ensures that the directory entries of all WALs up to `newest` are on the device.
    pub(super) fn sync_wal_names(&self, newest: u64) -> Result<()> {
        if self.write.lock().named_wal >= newest {
            return Ok(());
        }
        self.session.fs.sync_dir(&self.session.wal_dir)?;
        let mut write = self.write.lock();
        write.named_wal = write.named_wal.max(newest);
        Ok(())
    }

    /// Syncs every record written so far.
    pub(crate) fn sync_wal(&self) -> Result<()> {
        self.session.check_may_write()?;
        let ticket = {
            let write = self.write.lock();
            self.session.health.check_open()?;
            self.check_wal(&write)?;
            write.ticket
        };
        self.sync_up_to(ticket).map(drop).inspect_err(|e| self.wal_sync_failed(ticket, e))
    }

    /// Writes the records that `manual_wal_flush` keeps in a buffer to the file, without syncing it.
    pub(crate) fn flush_wal(&self) -> Result<()> {
        self.session.check_may_write()?;
        let mut write = self.write.lock();
        self.session.health.check_open()?;
        self.flush_live_wal(&mut write)
    }
}
