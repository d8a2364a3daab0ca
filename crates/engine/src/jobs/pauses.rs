//! Holding background work up: for a while, for manual compactions alone, or for good.
//!
//! What holds work up is set under the `state` lock, so that who waits on `progress` sees it; so are all
//! other changes but that of `enable_manual_compaction`. Jobs look at the counters without the lock.

use crate::env::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use crate::error::{Code, Error, SubCode};
use std::sync::Arc;

/// Who holds background work up.
#[derive(Debug, Default)]
pub(crate) struct Pauses {
    /// Calls of `pause_background_work` that were not taken back.
    pub(super) background: AtomicUsize,
    /// Calls of `disable_manual_compaction` less those of `enable_manual_compaction`: above zero there
    /// is no manual compaction. RocksDB lets it fall below, and bindings do.
    pub(super) manual: Arc<AtomicIsize>,
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
    pub(crate) fn set_exclusive(&self, yes: bool) {
        self.exclusive.store(usize::from(yes), Ordering::Release);
    }
}

/// What a manual compaction ends with when it was disabled or cancelled.
#[cold]
pub(crate) fn manual_compaction_paused() -> Error {
    Error::new(Code::Incomplete, "").with_subcode(SubCode::ManualCompactionPaused)
}
