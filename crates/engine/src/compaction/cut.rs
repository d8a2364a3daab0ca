//! The output cutter: decides where an output file of a compaction ends.
//!
//! A file that overlaps much of the level below makes the next compaction large; a file that ends where a file below
//! ends can often move down without being read. So an output ends at its target size, or earlier when the keys cross a
//! boundary of a grandparent:
//! * when the grandparents overlapped so far would make too large a compaction,
//! * when the file is at least half full; the more boundaries it has crossed, the fuller it must be, or
//! * when the keys skip a whole grandparent larger than an eighth of a file: the next compaction then does not touch
//!   it.
//!
//! In return, a file may grow to twice its target size before it reaches a boundary.

use super::plan::CompactionPlan;
use crate::base::KeyOrder;
use crate::version::FileMeta;
use std::sync::Arc;

/// Tracks the keys of one sequence of outputs. There is one per sub-compaction.
#[derive(Debug)]
pub struct OutputCutter {
    order: KeyOrder,
    grandparents: Vec<Arc<FileMeta>>,
    target: u64,
    largest: u64,
    overlap_max: u64,
    /// The number of boundaries of grandparents (starts and ends) at or before the last key. An odd
    /// number means that the key is inside a grandparent.
    passed: usize,
    /// The number of boundaries passed since the output began.
    crossings: u64,
    /// The total size of the grandparents that the output overlaps, in bytes.
    overlap: u64,
    /// Whether any key was processed.
    started: bool,
    wanted: bool,
}

impl OutputCutter {
    /// A cutter for the outputs of this plan.
    pub fn new(plan: &CompactionPlan, order: &KeyOrder) -> OutputCutter {
        // Level 0 and the last level have no grandparents to align to.
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

    /// Whether the output, `size` bytes so far, should end before `user_key`. Keys must ascend from
    /// call to call; calls for every entry and once per user key give the same result. The caller
    /// cuts only between two user keys, and then calls [`OutputCutter::cut`]; until then the answer
    /// remains true.
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

    /// Begins a new output with the key of the last call of `should_cut`.
    pub fn cut(&mut self) {
        self.wanted = false;
        self.crossings = 0;
        // The new output overlaps the grandparent that contains its first key.
        self.overlap = self.current().map_or(0, |f| f.file_size);
    }

    fn cut_at_boundary(&self, crossed: u64, met_before: u64, size: u64) -> bool {
        if self.overlap.saturating_add(size) > self.overlap_max {
            return true;
        }
        // From a gap: into one file and out of it. From inside a file: out of it, then into another
        // and out.
        let jump = if self.current().is_none() { 2 } else { 3 };
        if crossed >= jump && self.overlap - met_before > self.target / 8 {
            return true;
        }
        let fill = 50 + (self.crossings * 5).min(40);
        u128::from(size) * 100 >= u128::from(self.target) * u128::from(fill)
    }

    /// The grandparent that contains the last key.
    fn current(&self) -> Option<&FileMeta> {
        (self.passed % 2 == 1).then(|| &*self.grandparents[self.passed / 2])
    }

    /// Moves to `user_key`; returns the number of boundaries between the previous key and this one.
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
            // Files before the very first key do not overlap the output.
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
