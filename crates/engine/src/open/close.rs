//! Closing: data that skipped the WAL is flushed, threads end, the WAL is truncated to its used length, and finally the
//! lock is released.

use super::core::Core;
use crate::env::epoch;
use crate::error::Result;

impl Core {
    /// Closes the database; later calls do nothing. Existing iterators can still read. Does nothing in a forked child
    /// of the process that opened the database.
    pub(crate) fn close(&self) -> Result<()> {
        if self.session.health.is_of_parent() {
            return Ok(());
        }
        self.session.health.refuse_writes();
        // Writers that were admitted earlier now have their sequence numbers, and the flush waits for them.
        self.commit.wait_for_admitted();
        let flushed = self.jobs.flusher().flush_unlogged();
        if !self.session.health.begin_closing() {
            return Ok(());
        }
        self.session.info_log.info(format_args!("Shutdown: canceling all background work"));
        self.catalog.controller().close();
        self.jobs.join();
        #[cfg(debug_assertions)]
        super::tree_check::check_trees(self);
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
