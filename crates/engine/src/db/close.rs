//! Closing: what is not logged is flushed, threads end, the WAL is cut to its length, and the lock
//! is let go last.

use super::state::DbInner;
use crate::env::epoch;
use crate::env::sync::atomic::Ordering;
use crate::error::Result;
use crate::options::FlushOptions;

impl DbInner {
    /// Closes the database once; later calls do nothing. Iterators keep what they read.
    pub(crate) fn close(&self) -> Result<()> {
        let flushed = self.flush_unlogged();
        if self.closing.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        self.failed.store(true, Ordering::Release);
        self.controller.close();
        let threads = std::mem::take(&mut self.state.lock().threads);
        self.work.notify_all();
        self.progress.notify_all();
        for thread in threads {
            // A thread that panicked has said so; there is nothing to add.
            let _ = thread.join();
        }
        let closed = self.close_files();
        self.info_log.info(format_args!("Shutdown complete"));
        *self.lock.lock() = None;
        flushed.and(closed)
    }

    /// Writes into tables what skipped the WAL, as RocksDB does at close.
    fn flush_unlogged(&self) -> Result<()> {
        let unlogged = self.unlogged_data.load(Ordering::Acquire);
        if self.is_closing() || self.options.avoid_flush_during_shutdown || !unlogged {
            return Ok(());
        }
        let state = self.state.lock();
        let families: Vec<_> = state.families.values().map(|cf| cf.data.clone()).collect();
        drop(state);
        families.iter().try_for_each(|family| self.flush(family, &FlushOptions::default()))
    }

    fn close_files(&self) -> Result<()> {
        let mut write = self.write.lock();
        let mut state = self.state.lock();
        let full = std::mem::take(&mut state.wals_to_close);
        for family in state.families.values() {
            family.data.super_version.replace(None);
        }
        // Handles of users keep `DbInner`; what they must not keep is memory and open files.
        state.families.clear();
        drop(state);
        self.families.replace(None);
        let result = full.into_iter().try_for_each(|mut wal| wal.close());
        let result = result.and_then(|()| write.wal.close());
        drop(write);
        epoch::synchronize();
        self.purge_tables();
        result
    }
}
