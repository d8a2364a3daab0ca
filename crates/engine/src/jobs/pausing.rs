//! Calls that hold background work up: for a while, for manual compactions alone, or for good.

use super::scheduler::Scheduler;
use crate::env::sync::atomic::Ordering;
use crate::error::{Error, Result};

impl Scheduler {
    /// Lets no flush and no compaction start, and waits until none runs.
    pub(crate) fn pause_background_work(&self) {
        let mut state = self.catalog.state();
        self.pauses.background.fetch_add(1, Ordering::AcqRel);
        while state.running.any() {
            self.catalog.wait_for_progress(&mut state);
        }
    }

    /// Takes one [`Scheduler::pause_background_work`] back.
    pub(crate) fn continue_background_work(&self) -> Result<()> {
        let state = self.catalog.state();
        let down = |paused: usize| paused.checked_sub(1);
        let left = self.pauses.background.fetch_update(Ordering::AcqRel, Ordering::Acquire, down);
        drop(state);
        self.catalog.notify_jobs();
        self.catalog.notify_waiters();
        match left {
            Ok(_) => Ok(()),
            Err(_) => Err(Error::invalid_argument("Background work already unpaused")),
        }
    }

    /// Ends manual compactions, and lets none start until it is taken back.
    pub(crate) fn disable_manual_compaction(&self) {
        let mut state = self.catalog.state();
        let disabled = self.pauses.manual.fetch_add(1, Ordering::AcqRel) >= 0;
        self.catalog.notify_waiters();
        while disabled && state.running.manual() > 0 {
            self.catalog.wait_for_progress(&mut state);
        }
    }

    /// Takes one [`Scheduler::disable_manual_compaction`] back.
    pub(crate) fn enable_manual_compaction(&self) {
        self.pauses.manual.fetch_sub(1, Ordering::AcqRel);
    }

    /// Ends background work for good; the database can still be read, written and closed. What skips
    /// the WAL is flushed first. With `wait`, no job runs any more at the return.
    pub(crate) fn cancel_all_background_work(&self, wait: bool) {
        self.session.info_log.info(format_args!("Shutdown: canceling all background work"));
        if let Err(e) = self.flusher.flush_unlogged() {
            self.session.info_log.warn(format_args!("Shutdown: {e}"));
        }
        self.session.health.stop();
        // Nothing that writers could wait for will come.
        self.catalog.controller().close();
        self.catalog.notify_jobs();
        self.catalog.notify_waiters();
        if !wait {
            return;
        }
        let mut state = self.catalog.state();
        while state.running.any() || state.running.manual() > 0 {
            self.catalog.wait_for_progress(&mut state);
        }
    }
}
