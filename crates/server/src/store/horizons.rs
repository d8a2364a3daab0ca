//! Versions of collections, and the horizons below which rows may be dropped.
//!
//! A version is an epoch (24 bits) and a counter (40 bits). The epoch is the number of times that the store was opened,
//! and is persisted before the first version is handed out; it never comes from a clock.
//!
//! 1. W: rows that have expired at the time W may be dropped. W stays behind the wall clock, is persisted before it is
//!    used, and no command is evaluated at an earlier time: so no command can see a dropped row as alive, whatever the
//!    clock does.
//! 2. H: rows with a version below H that their M row does not name may be dropped. Commands that write a new version's
//!    rows before its M row finish long before H reaches that version.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const COUNTER_BITS: u32 = 40;

/// W and H of a store.
#[derive(Debug, Default)]
pub struct Horizons {
    expired_ms: AtomicU64,
    version: AtomicU64,
    /// Keys that compactions removed since they expired by W.
    removed: Arc<AtomicU64>,
}

impl Horizons {
    /// Returns W in milliseconds since 1970.
    pub fn expired_ms(&self) -> u64 {
        self.expired_ms.load(Ordering::Acquire)
    }

    /// Returns H.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Returns the number of keys that compactions removed since they had expired. It grows until the store closes.
    pub fn removed(&self) -> &Arc<AtomicU64> {
        &self.removed
    }

    /// Raises both. They never move back.
    pub(crate) fn raise(&self, expired_ms: u64, version: u64) {
        self.expired_ms.fetch_max(expired_ms, Ordering::AcqRel);
        self.version.fetch_max(version, Ordering::AcqRel);
    }

    /// Returns the time at which a command is evaluated: the wall clock's, but not before W.
    pub fn evaluation_ms(&self, wall_ms: u64) -> u64 {
        wall_ms.max(self.expired_ms())
    }
}

/// The source of versions.
#[derive(Debug)]
pub struct Versions {
    next: AtomicU64,
}

impl Versions {
    /// Returns a source for this epoch.
    pub fn new(epoch: u64) -> Versions {
        Versions { next: AtomicU64::new((epoch << COUNTER_BITS) + 1) }
    }

    /// Returns a version that was never returned before.
    pub fn next(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns the version that would come next.
    pub fn peek(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }
}
