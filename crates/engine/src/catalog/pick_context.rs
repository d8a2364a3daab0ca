//! What compactions are picked by beside files and options: the time, and released snapshots.

use super::catalog::Catalog;
use super::state::State;
use crate::base::SeqNo;
use crate::compaction::picker::{PickContext, bottommost_threshold};
use crate::env::sync::atomic::Ordering;
use crate::options::CompactionStyle;

impl Catalog {
    /// What a pick depends on now.
    pub(crate) fn pick_context(&self) -> PickContext {
        PickContext {
            now: crate::flush::now_seconds(),
            oldest_snapshot: self.released.oldest.load(Ordering::Acquire),
        }
    }

    /// A snapshot was released: files of the last level that kept something for it can be rewritten.
    pub(crate) fn snapshot_released(&self) {
        // In this order: a snapshot that is taken meanwhile is not older.
        let visible = self.order.visible();
        let threshold = self.released.threshold.load(Ordering::Acquire);
        if visible <= threshold {
            return; // Nobody waits, so the list need not be looked through.
        }
        let oldest = self.snapshots.oldest().unwrap_or(visible).min(visible);
        if oldest > threshold {
            self.released.oldest.fetch_max(oldest, Ordering::AcqRel);
            self.notify_jobs();
        }
    }

    /// Looks which release will be worth while. Call after every change of versions.
    pub(super) fn renew_threshold(&self, state: &State) {
        let context = self.pick_context();
        let is_leveled = |style| style == CompactionStyle::Level;
        let families =
            state.families.values().filter(|f| is_leveled(f.data.options().compaction_style));
        let least = families.map(|f| bottommost_threshold(&f.current, &context)).min();
        self.released.threshold.store(least.unwrap_or(SeqNo::MAX), Ordering::Release);
    }
}
