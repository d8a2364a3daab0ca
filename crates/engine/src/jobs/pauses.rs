//! The counters that pause background work: for a while, for manual compactions only, or for good.
//!
//! Every counter is raised under the `state` lock, so that threads that wait on `progress` see the change. All other
//! changes also happen under it, except that of `enable_manual_compaction`. Jobs read the counters without the lock.

use crate::env::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use crate::error::{Code, Error, SubCode};
use std::sync::Arc;

/// The pauses in force.
#[derive(Debug, Default)]
pub(crate) struct Pauses {
    /// Calls of `pause_background_work` without a matching `continue_background_work`.
    pub(super) background: AtomicUsize,
    /// Calls of `disable_manual_compaction` minus calls of `enable_manual_compaction`. Manual compactions are disabled
    /// while it is above zero. RocksDB lets it become negative, and language bindings make use of that.
    pub(super) manual: Arc<AtomicIsize>,
    /// 1 while an exclusive manual compaction runs or waits for running compactions; other exclusive ones wait.
    exclusive: AtomicUsize,
}

impl Pauses {
    /// Returns whether no job may start.
    pub(crate) fn all(&self) -> bool {
        self.background.load(Ordering::Acquire) > 0
    }

    /// Returns whether no automatic compaction may start.
    pub(crate) fn automatic(&self) -> bool {
        self.all() || self.exclusive()
    }

    /// Returns whether an exclusive manual compaction is running or about to run.
    pub(crate) fn exclusive(&self) -> bool {
        self.exclusive.load(Ordering::Acquire) > 0
    }

    /// Returns the counter that tells jobs to end manual compactions. Jobs keep a reference to it.
    pub(crate) fn manual(&self) -> Arc<AtomicIsize> {
        Arc::clone(&self.manual)
    }

    /// Sets whether an exclusive manual compaction is running. Call it under the `state` lock.
    pub(crate) fn set_exclusive(&self, yes: bool) {
        self.exclusive.store(usize::from(yes), Ordering::Release);
    }
}

/// Returns the error of a manual compaction that was disabled or cancelled.
#[cold]
pub(crate) fn manual_compaction_paused() -> Error {
    Error::new(Code::Incomplete, "").with_subcode(SubCode::ManualCompactionPaused)
}
