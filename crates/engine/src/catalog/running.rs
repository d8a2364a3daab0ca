//! The running background jobs, and the failed work that waits for a retry. Guarded by the catalogue's state lock.

use super::retries::Retries;
use crate::error::Error;

/// Counts the running jobs.
pub(crate) struct Running {
    flushes: usize,
    compactions: usize,
    /// The number of running calls that compact a range. `close` waits for them.
    manual: usize,
    /// Background work that failed and is retried.
    pub(crate) retries: Retries,
}

impl Default for Running {
    fn default() -> Running {
        Running { flushes: 0, compactions: 0, manual: 0, retries: Retries::new() }
    }
}

impl Running {
    /// Counts the start of a flush, or of a memtable switch that leads to a flush.
    pub(crate) fn start_flush(&mut self) {
        self.flushes += 1;
    }

    /// Counts the end of a flush.
    pub(crate) fn end_flush(&mut self) {
        assert!(self.flushes > 0, "a flush ended that had not started");
        self.flushes -= 1;
    }

    /// Returns the number of running flushes.
    pub(crate) fn flushes(&self) -> usize {
        self.flushes
    }

    /// Counts the start of a compaction, or of other work that keeps files from compactions.
    pub(crate) fn start_compaction(&mut self) {
        self.compactions += 1;
    }

    /// Counts the end of a compaction.
    pub(crate) fn end_compaction(&mut self) {
        assert!(self.compactions > 0, "a compaction ended that had not started");
        self.compactions -= 1;
    }

    /// Returns the number of running compactions.
    pub(crate) fn compactions(&self) -> usize {
        self.compactions
    }

    /// Returns whether any job is running.
    pub(crate) fn any(&self) -> bool {
        self.flushes + self.compactions > 0
    }

    /// Counts the start of a call that compacts a range.
    pub(crate) fn start_manual(&mut self) {
        self.manual += 1;
    }

    /// Counts the end of such a call.
    pub(crate) fn end_manual(&mut self) {
        assert!(self.manual > 0, "a manual compaction ended that had not started");
        self.manual -= 1;
    }

    /// Returns the number of such calls that are running.
    pub(crate) fn manual(&self) -> usize {
        self.manual
    }

    /// Returns the error of compactions that wait for room, if nothing else is running.
    pub(crate) fn waits_for_room(&self) -> Option<&Error> {
        self.retries.shortage().filter(|_| !self.any())
    }
}
