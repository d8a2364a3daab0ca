//! Where an output file ends.
//!
//! A file that overlaps much of the level below makes the next compaction large; one that ends where
//! a file below ends can often move down without being read. So an output ends at its target size,
//! and before that where the keys cross a boundary of a grandparent:
//! * when the grandparents overlapped so far would make too large a compaction,
//! * when the file is at least half full; the more boundaries it has crossed, the fuller it must be,
//! * when the keys jump over a whole grandparent that is worth an eighth of a file: that one will
//!   then stay untouched.
//!
//! In return a file may grow to twice its target while it looks for a boundary.

use super::plan::CompactionPlan;
use crate::base::KeyOrder;
use crate::version::FileMeta;
use std::sync::Arc;

/// Follows the keys of one run of outputs. One per sub-compaction.
#[derive(Debug)]
pub struct OutputCutter {
    order: KeyOrder,
    grandparents: Vec<Arc<FileMeta>>,
    target: u64,
    largest: u64,
    overlap_max: u64,
    /// Boundaries of grandparents (starts and ends) that lie at or before the last key: an odd
    /// number means that the key is inside one.
    passed: usize,
    /// Boundaries passed since the output began.
    crossings: u64,
    /// Bytes of grandparents that the output has met.
    overlap: u64,
    /// Whether a key was seen.
    started: bool,
    wanted: bool,
}

impl OutputCutter {
    /// For the outputs of this plan.
    pub fn new(plan: &CompactionPlan, order: &KeyOrder) -> OutputCutter {
        // Level 0 and the last level have nothing to align to.
        let aligned = plan.output_level > 0 && !plan.grandparents.is_empty();
        let stretched = if aligned { plan.target_file_size.saturating_mul(2) } else { u64::MAX };
        let largest = if aligned { stretched } else { plan.target_file_size };
        OutputCutter {
            order: order.clone(),
            grandparents: plan.grandparents.clone(),
            target: plan.target_file_size,
            largest: largest.min(plan.max_file_size),
            overlap_max: plan.max_compaction_bytes,
            passed: 0,
            crossings: 0,
            overlap: 0,
            started: false,
            wanted: false,
        }
    }

    /// Whether the output, `size` bytes so far, should end before `user_key`. Keys ascend from call
    /// to call; asking for every entry or once per user key comes to the same. The caller cuts only
    /// between two user keys, and then calls [`OutputCutter::cut`]; until it does the answer stays.
    pub fn should_cut(&mut self, user_key: &[u8], size: u64) -> bool {
        if self.wanted {
            return true;
        }
        let met_before = self.overlap;
        let crossed = self.pass(user_key);
        if size == 0 {
            return false;
        }
        self.wanted = size >= self.largest
            || (crossed > 0 && self.cut_at_boundary(crossed, met_before, size));
        self.wanted
    }

    /// A new output begins with the key that was asked about last.
    pub fn cut(&mut self) {
        self.wanted = false;
        self.crossings = 0;
        // The new output overlaps the grandparent that its first key is in.
        self.overlap = self.current().map_or(0, |f| f.file_size);
    }

    fn cut_at_boundary(&self, crossed: u64, met_before: u64, size: u64) -> bool {
        if self.overlap.saturating_add(size) > self.overlap_max {
            return true;
        }
        // From a gap: in and out of one file. From inside: out, then in and out.
        let jump = if self.current().is_none() { 2 } else { 3 };
        if crossed >= jump && self.overlap - met_before > self.target / 8 {
            return true;
        }
        let fill = 50 + (self.crossings * 5).min(40);
        u128::from(size) * 100 >= u128::from(self.target) * u128::from(fill)
    }

    /// The grandparent that the last key is in.
    fn current(&self) -> Option<&FileMeta> {
        (self.passed % 2 == 1).then(|| &*self.grandparents[self.passed / 2])
    }

    /// Moves to `user_key`; returns how many boundaries lie between it and the key before.
    fn pass(&mut self, user_key: &[u8]) -> u64 {
        let first = !std::mem::replace(&mut self.started, true);
        let mut crossed = 0;
        while let Some(file) = self.grandparents.get(self.passed / 2) {
            let is_inside = self.passed % 2 == 1;
            let goes_on = if is_inside {
                self.order.compare_user(user_key, file.largest_user_key()).is_gt()
            } else {
                self.order.compare_user(user_key, file.smallest_user_key()).is_ge()
            };
            if !goes_on {
                break;
            }
            self.passed += 1;
            // Files before the very first key are not met.
            let skipped = first
                && !is_inside
                && self.order.compare_user(user_key, file.largest_user_key()).is_gt();
            if !is_inside && !skipped {
                self.overlap = self.overlap.saturating_add(file.file_size);
            }
            crossed += u64::from(!first);
        }
        self.crossings += crossed;
        crossed
    }
}

#[cfg(test)]
#[path = "cut_test.rs"]
mod tests;
