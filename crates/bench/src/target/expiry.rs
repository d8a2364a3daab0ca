//! Entries of `timeseries` that have expired, and the compaction filter that drops them.

use crate::flags::Flags;
use ferrolith::internal::hooks::{CompactionFilter, FilterDecision};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Returns whether a key is older than `range`: bytes 8 to 15 are its time, big-endian.
pub fn expired(now: u64, key: &[u8], range: u64) -> bool {
    let time = key.get(8..16).and_then(|bytes| bytes.try_into().ok()).map(u64::from_be_bytes);
    time.is_some_and(|time| now.saturating_sub(time) > range)
}

/// The compaction filter of `--expire_style=compaction_filter`.
pub(super) struct ExpiredTimeFilter {
    clock: Arc<AtomicU64>,
    range: u64,
}

impl ExpiredTimeFilter {
    /// A filter that reads the time from `clock`, if the flags ask for one.
    pub(super) fn of(flags: &Flags, clock: &Arc<AtomicU64>) -> Option<ExpiredTimeFilter> {
        is_wanted(flags).then(|| ExpiredTimeFilter {
            clock: Arc::clone(clock),
            range: flags.uint("time_range"),
        })
    }
}

/// Returns whether compactions are to drop expired entries.
pub(super) fn is_wanted(flags: &Flags) -> bool {
    flags.text("expire_style") == "compaction_filter"
}

impl CompactionFilter for ExpiredTimeFilter {
    fn name(&self) -> &str {
        "ExpiredTimeFilter"
    }

    fn filter(&self, _level: usize, key: &[u8], _value: &[u8]) -> FilterDecision {
        match expired(self.clock.load(Ordering::Relaxed), key, self.range) {
            true => FilterDecision::Remove,
            false => FilterDecision::Keep,
        }
    }
}
