//! Closing: what is not logged is flushed, threads end, the WAL is cut to its length, and the lock
//! is let go last.

use super::state::DbInner;
use crate::env::epoch;
use crate::env::sync::atomic::Ordering;
use crate::error::{Code, Result};
use crate::hooks::FlushReason;
use crate::options::FlushOptions;
use crate::session::ColumnFamilyData;
use std::time::Duration;

/// Jobs wake us; this is for a wake-up that was lost.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// The last field of a database: frees what its other fields have just retired, such as parts that
/// users gave it, instead of leaving that to the next database of the process.
#[derive(Debug, Default)]
pub(crate) struct Sweep;

impl Drop for Sweep {
    fn drop(&mut self) {
        epoch::synchronize();
    }
}

impl DbInner {
    /// Closes the database once; later calls do nothing. Iterators keep what they read. In a child of the process
    /// that opened it nothing is closed.
    pub(crate) fn close(&self) -> Result<()> {
        if self.is_of_parent() {
            return Ok(());
        }
        self.refuses_writes.store(true, Ordering::Release);
        self.failed.store(true, Ordering::Release);
        // Who was let in before has its sequence numbers now, and the flush waits for it.
        drop(self.write.lock());
        let flushed = self.flush_unlogged();
        self.stopped.store(true, Ordering::Release);
        if self.closing.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        self.info_log.info(format_args!("Shutdown: canceling all background work"));
        self.failed.store(true, Ordering::Release);
        self.controller.close();
        let threads = std::mem::take(&mut self.state.lock().threads);
        self.work.notify_all();
        self.progress.notify_all();
        for thread in threads {
            // A thread that panicked has said so; there is nothing to add.
            let _ = thread.join();
        }
        self.wait_for_users_jobs();
        // Who makes or drops a family holds this lock; afterwards nobody writes to the directory.
        let versions = self.versions.lock();
        let closed = self.close_files();
        drop(versions);
        self.info_log.info(format_args!("Shutdown complete"));
        self.info_log.drop_sections(None);
        *self.lock.lock() = None;
        flushed.and(closed)
    }

    /// Waits for compactions on threads of users. Another process may open the directory as soon as
    /// the lock is let go: no job may install its result, or delete its inputs, after that.
    fn wait_for_users_jobs(&self) {
        let mut state = self.state.lock();
        while state.manual_compactions > 0 {
            self.progress.wait_for(&mut state, LOOK_AGAIN);
        }
    }

    /// Writes into tables what skipped the WAL, as RocksDB does at close.
    pub(super) fn flush_unlogged(&self) -> Result<()> {
        if !(self.is_closing() || self.is_stopped()) {
            // What was acknowledged may be in memory alone.
            self.wait_for_wal()?;
        }
        let unlogged = self.unlogged_data.load(Ordering::Acquire);
        let ended = self.is_closing() || self.is_stopped();
        if ended || self.live_options().avoid_flush_during_shutdown || !unlogged {
            return Ok(());
        }
        self.flush_all_because(FlushReason::ShutDown)
    }

    /// Flushes every family; one that is dropped meanwhile needs no flush.
    pub(super) fn flush_all_because(&self, reason: FlushReason) -> Result<()> {
        let (families, fo) = (self.all_families(), FlushOptions::default());
        if self.options.atomic_flush {
            let all: Vec<_> = families.iter().map(|family| &**family).collect();
            return self.flush_because(&all, &fo, reason);
        }
        let flush = |family: &ColumnFamilyData| match self.flush_because(&[family], &fo, reason) {
            Err(e) if e.code() == Code::ColumnFamilyDropped => Ok(()),
            result => result,
        };
        families.iter().try_for_each(|family| flush(family))
    }

    fn close_files(&self) -> Result<()> {
        let mut write = self.write.lock();
        let mut state = self.state.lock();
        let full = std::mem::take(&mut state.wals_to_close);
        for family in state.families.values() {
            family.data.set_super_version(None);
        }
        // Handles of users keep `DbInner`; what they must not keep is memory and open files.
        state.families.clear();
        drop(state);
        self.spare_chunks.close();
        self.families.replace(None);
        let result = full.into_iter().try_for_each(|mut wal| wal.close());
        let result = result.and_then(|()| write.wal.close());
        drop(write);
        epoch::synchronize();
        self.purge_tables();
        result
    }
}
