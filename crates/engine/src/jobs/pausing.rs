//! Calls that pause background work: for a while, for manual compactions only, or for good.

use super::scheduler::Scheduler;
use crate::env::sync::atomic::Ordering;
use crate::error::{Error, Result};

impl Scheduler {
    /// Prevents flushes and compactions from starting, and waits until none is running.
    pub(crate) fn pause_background_work(&self) {
        let mut state = self.catalog.state();
        self.pauses.background.fetch_add(1, Ordering::AcqRel);
        while state.running.any() {
            self.catalog.wait_for_progress(&mut state);
        }
    }

    /// Reverts one [`Scheduler::pause_background_work`].
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

    /// Ends running manual compactions, and prevents new ones until the call is reverted.
    pub(crate) fn disable_manual_compaction(&self) {
        let mut state = self.catalog.state();
        let disabled = self.pauses.manual.fetch_add(1, Ordering::AcqRel) >= 0;
        self.catalog.notify_waiters();
        while disabled && state.running.manual() > 0 {
            self.catalog.wait_for_progress(&mut state);
        }
    }

    /// Reverts one [`Scheduler::disable_manual_compaction`].
    pub(crate) fn enable_manual_compaction(&self) {
        self.pauses.manual.fetch_sub(1, Ordering::AcqRel);
    }

    /// Ends background work for good. The database can still be read, written and closed. Data that skipped the WAL is
    /// flushed first. With `wait`, no job is running any more when this returns.
    pub(crate) fn cancel_all_background_work(&self, wait: bool) {
        self.session.info_log.info(format_args!("Shutdown: canceling all background work"));
        if let Err(e) = self.flusher.flush_unlogged() {
            self.session.info_log.warn(format_args!("Shutdown: {e}"));
        }
        self.session.health.stop();
        // The work that stalled writers wait for will not happen any more.
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
