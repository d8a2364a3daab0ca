//! What runs in the background, and what waits for its next try. Guarded by the catalogue's lock.

use super::retries::Retries;
use crate::error::Error;

/// Jobs under way.
pub(crate) struct Running {
    flushes: usize,
    compactions: usize,
    /// Calls that compact a range: `close` waits for them.
    manual: usize,
    /// What failed in the background and is tried again.
    pub(crate) retries: Retries,
}

impl Default for Running {
    fn default() -> Running {
        Running { flushes: 0, compactions: 0, manual: 0, retries: Retries::new() }
    }
}

impl Running {
    /// A flush starts, or a switch of memtables that leads to one.
    pub(crate) fn start_flush(&mut self) {
        self.flushes += 1;
    }

    /// A flush ended.
    pub(crate) fn end_flush(&mut self) {
        assert!(self.flushes > 0, "a flush ended that had not started");
        self.flushes -= 1;
    }

    /// How many flushes run.
    pub(crate) fn flushes(&self) -> usize {
        self.flushes
    }

    /// A compaction starts, or something that keeps files from compactions.
    pub(crate) fn start_compaction(&mut self) {
        self.compactions += 1;
    }

    /// A compaction ended.
    pub(crate) fn end_compaction(&mut self) {
        assert!(self.compactions > 0, "a compaction ended that had not started");
        self.compactions -= 1;
    }

    /// How many compactions run.
    pub(crate) fn compactions(&self) -> usize {
        self.compactions
    }

    /// Whether any job runs.
    pub(crate) fn any(&self) -> bool {
        self.flushes + self.compactions > 0
    }

    /// A call to compact a range begins.
    pub(crate) fn start_manual(&mut self) {
        self.manual += 1;
    }

    /// It ended.
    pub(crate) fn end_manual(&mut self) {
        assert!(self.manual > 0, "a manual compaction ended that had not started");
        self.manual -= 1;
    }

    /// How many such calls are under way.
    pub(crate) fn manual(&self) -> usize {
        self.manual
    }

    /// The error of compactions that wait for room, if nothing else runs.
    pub(crate) fn waits_for_room(&self) -> Option<&Error> {
        self.retries.shortage().filter(|_| !self.any())
    }
}
