//! Closing: what is not logged is flushed, threads end, the WAL is cut to its length, and the lock
//! is let go last.

use super::core::Core;
use crate::env::epoch;
use crate::error::Result;

impl Core {
    /// Closes the database once; later calls do nothing. Iterators keep what they read. In a child of the process
    /// that opened it nothing is closed.
    pub(crate) fn close(&self) -> Result<()> {
        if self.session.health.is_of_parent() {
            return Ok(());
        }
        self.session.health.refuse_writes();
        // Who was let in before has its sequence numbers now, and the flush waits for it.
        self.commit.wait_for_admitted();
        let flushed = self.jobs.flusher().flush_unlogged();
        if !self.session.health.begin_closing() {
            return Ok(());
        }
        self.session.info_log.info(format_args!("Shutdown: canceling all background work"));
        self.catalog.controller().close();
        self.jobs.join();
        // Creating and dropping families takes this lock; afterwards nothing writes to the directory.
        let versions = self.catalog.versions();
        let closed = self.commit.close();
        drop(versions);
        epoch::synchronize();
        self.files.purge_tables();
        self.session.info_log.info(format_args!("Shutdown complete"));
        self.session.info_log.drop_sections(None);
        *self.lock.lock() = None;
        flushed.and(closed)
    }
}
