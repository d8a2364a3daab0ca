//! The inputs of compaction picking besides files and options: the time and the oldest snapshot.

use super::catalog::Catalog;
use super::state::State;
use crate::base::SeqNo;
use crate::compaction::picker::{PickContext, bottommost_threshold};
use crate::env::sync::atomic::Ordering;
use crate::options::CompactionStyle;

impl Catalog {
    /// Returns the current pick context.
    pub(crate) fn pick_context(&self) -> PickContext {
        PickContext {
            now: crate::flush::now_seconds(),
            oldest_snapshot: self.released.oldest.load(Ordering::Acquire),
        }
    }

    /// Handles the release of a snapshot: files of the last level that kept entries for it can now be rewritten.
    pub(crate) fn snapshot_released(&self) {
        // Read in this order: a snapshot taken in between is not older.
        let visible = self.order.visible();
        let threshold = self.released.threshold.load(Ordering::Acquire);
        if visible <= threshold {
            return; // No file waits for this release, so the list need not be searched.
        }
        let oldest = self.snapshots.oldest().unwrap_or(visible).min(visible);
        if oldest > threshold {
            self.released.oldest.fetch_max(oldest, Ordering::AcqRel);
            self.notify_jobs();
        }
    }

    /// Computes which snapshot release makes files worth rewriting. Call it after every change of versions.
    pub(super) fn renew_threshold(&self, state: &State) {
        let context = self.pick_context();
        let is_leveled = |style| style == CompactionStyle::Level;
        let families =
            state.families.values().filter(|f| is_leveled(f.data.options().compaction_style));
        let least = families.map(|f| bottommost_threshold(&f.current, &context)).min();
        self.released.threshold.store(least.unwrap_or(SeqNo::MAX), Ordering::Release);
    }
}
