//! Holding background work up: for a while, for manual compactions alone, or for good.
//!
//! What holds work up is set under the `state` lock, so that who waits on `progress` sees it; so are all
//! other changes but that of `enable_manual_compaction`. Jobs look at the counters without the lock.

use super::state::DbInner;
use crate::env::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use crate::error::{Code, Error, Result, SubCode};
use std::sync::Arc;
use std::time::Duration;

/// Somebody who waits looks again at least this often.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Who holds background work up.
#[derive(Debug, Default)]
pub(crate) struct Pauses {
    /// Calls of `pause_background_work` that were not taken back.
    background: AtomicUsize,
    /// Calls of `disable_manual_compaction` less those of `enable_manual_compaction`: above zero there
    /// is no manual compaction. RocksDB lets it fall below, and bindings do.
    manual: Arc<AtomicIsize>,
    /// Manual compactions that want to be alone: one runs, others wait.
    exclusive: AtomicUsize,
}

impl Pauses {
    /// Whether no job may start.
    pub(crate) fn all(&self) -> bool {
        self.background.load(Ordering::Acquire) > 0
    }

    /// Whether no automatic compaction may start.
    pub(crate) fn automatic(&self) -> bool {
        self.all() || self.exclusive()
    }

    /// Whether a manual compaction wants to be alone.
    pub(crate) fn exclusive(&self) -> bool {
        self.exclusive.load(Ordering::Acquire) > 0
    }

    /// Whether manual compactions must end. Jobs hold it.
    pub(crate) fn manual(&self) -> Arc<AtomicIsize> {
        Arc::clone(&self.manual)
    }

    /// Says whether a manual compaction is alone. Under the `state` lock.
    pub(super) fn set_exclusive(&self, yes: bool) {
        self.exclusive.store(usize::from(yes), Ordering::Release);
    }
}

/// What a manual compaction ends with when it was disabled or cancelled.
#[cold]
pub(crate) fn manual_compaction_paused() -> Error {
    Error::new(Code::Incomplete, "").with_subcode(SubCode::ManualCompactionPaused)
}

impl DbInner {
    /// Lets no flush and no compaction start, and waits until none runs.
    pub(crate) fn pause_background_work(&self) {
        let mut state = self.state.lock();
        self.pauses.background.fetch_add(1, Ordering::AcqRel);
        while state.running_flushes + state.running_compactions > 0 {
            self.progress.wait_for(&mut state, LOOK_AGAIN);
        }
    }

    /// Takes one [`DbInner::pause_background_work`] back.
    pub(crate) fn continue_background_work(&self) -> Result<()> {
        let state = self.state.lock();
        let down = |paused: usize| paused.checked_sub(1);
        let left = self.pauses.background.fetch_update(Ordering::AcqRel, Ordering::Acquire, down);
        drop(state);
        self.work.notify_all();
        self.progress.notify_all();
        match left {
            Ok(_) => Ok(()),
            Err(_) => Err(Error::invalid_argument("Background work already unpaused")),
        }
    }

    /// Ends manual compactions, and lets none start until it is taken back.
    pub(crate) fn disable_manual_compaction(&self) {
        let mut state = self.state.lock();
        let disabled = self.pauses.manual.fetch_add(1, Ordering::AcqRel) >= 0;
        self.progress.notify_all();
        while disabled && state.manual_compactions > 0 {
            self.progress.wait_for(&mut state, LOOK_AGAIN);
        }
    }

    /// Takes one [`DbInner::disable_manual_compaction`] back.
    pub(crate) fn enable_manual_compaction(&self) {
        self.pauses.manual.fetch_sub(1, Ordering::AcqRel);
    }

    /// Ends background work for good; the database can still be read, written and closed. What skips
    /// the WAL is flushed first. With `wait`, no job runs any more at the return.
    pub(crate) fn cancel_all_background_work(&self, wait: bool) {
        self.info_log.info(format_args!("Shutdown: canceling all background work"));
        if let Err(e) = self.flush_unlogged() {
            self.info_log.warn(format_args!("Shutdown: {e}"));
        }
        self.stopped.store(true, Ordering::Release);
        // Nothing that writers could wait for will come.
        self.controller.close();
        self.work.notify_all();
        self.progress.notify_all();
        if !wait {
            return;
        }
        let mut state = self.state.lock();
        while state.running_flushes + state.running_compactions + state.manual_compactions > 0 {
            self.progress.wait_for(&mut state, LOOK_AGAIN);
        }
    }

    /// Whether background work has ended for good.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// An error where nobody works in the background any more.
    pub(crate) fn check_running(&self) -> Result<()> {
        if self.is_stopped() {
            return Err(Error::new(Code::ShutdownInProgress, "background work was cancelled"));
        }
        Ok(())
    }
}
