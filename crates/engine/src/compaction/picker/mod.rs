//! Chooses what to compact.
//!
//! One [`CompactionPicker`] per column family, behind the lock of the database. It knows what is
//! running, so that compactions beside each other never touch the same files, nor the same range of
//! an output level. It reads versions and opens no file.
//!
//! | File | Owns |
//! |---|---|
//! | `shape` | target sizes of levels, scores, debt |
//! | `priority` | which file of a level goes first |
//! | `inputs` | growing a choice until no user key is split; conflicts |
//! | `draft` | from what was chosen to a plan |
//! | `due` | files whose time has come |
//! | `level` | the leveled policy |
//! | `universal`, `fifo` | the other two |
//! | `paths` | which data path outputs go to |
//! | `manual` | `compact_range`, step by step |

mod draft;
mod due;
mod fifo;
mod inputs;
mod level;
pub mod manual;
mod paths;
mod priority;
mod shape;
mod universal;

use super::plan::{CompactionPlan, key_range};
use crate::base::KeyOrder;
use crate::options::{ColumnFamilyOptions, CompactionStyle, TableFactory};
use crate::version::{FileMeta, Version};
use std::sync::Arc;

pub use due::{PickContext, bottommost_threshold};
pub use manual::{ManualCompaction, ManualStep};
pub use shape::{LevelShape, LevelTargets, compression_for_flush};
pub use universal::num_sorted_runs;

/// A compaction that was picked and not released.
#[derive(Debug)]
struct Running {
    id: u64,
    start_level: usize,
    output_level: usize,
    smallest: Vec<u8>,
    largest: Vec<u8>,
}

/// Chooses the compactions of one column family.
#[derive(Debug)]
pub struct CompactionPicker {
    cf_id: u32,
    next_id: u64,
    running: Vec<Running>,
    /// Nothing is picked automatically while somebody puts files into the tree.
    held: usize,
    /// Per level the last user key that `RoundRobin` took.
    cursors: Vec<Option<Vec<u8>>>,
}

impl CompactionPicker {
    /// The picker of a column family in which nothing runs.
    pub fn new(cf_id: u32) -> CompactionPicker {
        CompactionPicker { cf_id, next_id: 1, running: Vec::new(), held: 0, cursors: Vec::new() }
    }

    /// Whether [`CompactionPicker::pick`] finds something, unless a running compaction is in the way.
    pub fn needs_compaction(
        &self,
        version: &Version,
        options: &ColumnFamilyOptions,
        shape: &LevelShape,
        context: &PickContext,
    ) -> bool {
        if options.disable_auto_compactions {
            return false;
        }
        match options.compaction_style {
            CompactionStyle::Level => {
                shape.worst_score() >= 1.0 || level::has_due_file(version, options, context)
            }
            _ => self.draft(version, options, context).is_some(),
        }
    }

    /// The most urgent compaction that does not disturb a running one. Its files are marked as being
    /// compacted until [`CompactionPicker::release`].
    pub fn pick(
        &mut self,
        version: &Version,
        options: &ColumnFamilyOptions,
        shape: &LevelShape,
        context: &PickContext,
    ) -> Option<CompactionPlan> {
        if self.held > 0 || options.disable_auto_compactions {
            return None;
        }
        let mut plan = match options.compaction_style {
            CompactionStyle::Level => level::pick(self, version, options, shape, context)?,
            _ => {
                let draft = self.draft(version, options, context)?;
                draft::plan_of(self, version, options, shape, draft)
            }
        };
        self.register(&mut plan, version.order());
        Some(plan)
    }

    /// What the policies without levels choose.
    fn draft(
        &self,
        version: &Version,
        options: &ColumnFamilyOptions,
        context: &PickContext,
    ) -> Option<draft::Draft> {
        match options.compaction_style {
            CompactionStyle::Universal => universal::choose(self, version, options, context),
            CompactionStyle::Fifo => fifo::choose(self, version, options, context),
            CompactionStyle::Level | CompactionStyle::None => None,
        }
    }

    /// The compaction was installed, or failed: its files may be picked again.
    pub fn release(&mut self, plan: &CompactionPlan) {
        self.running.retain(|r| r.id != plan.id);
        plan.input_files().for_each(|(_, f)| f.set_being_compacted(false));
    }

    /// How many compactions run.
    pub fn num_running(&self) -> usize {
        self.running.len()
    }

    /// Where running compactions will write: levels, and the first and last user keys.
    pub fn running_outputs(&self) -> Vec<(usize, Vec<u8>, Vec<u8>)> {
        let output = |r: &Running| (r.output_level, r.smallest.clone(), r.largest.clone());
        self.running.iter().map(output).collect()
    }

    /// Files of this range come into the tree from outside, to a level that is not known yet:
    /// nothing is picked automatically, and nothing else that writes into the range of any level,
    /// until [`CompactionPicker::release_range`] with the result.
    pub fn hold_range(&mut self, smallest: &[u8], largest: &[u8], levels: usize) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.held += 1;
        self.running.extend((0..levels).map(|output_level| Running {
            id,
            start_level: usize::MAX,
            output_level,
            smallest: smallest.to_vec(),
            largest: largest.to_vec(),
        }));
        id
    }

    /// Undoes [`CompactionPicker::hold_range`].
    pub fn release_range(&mut self, id: u64) {
        self.held -= 1;
        self.running.retain(|r| r.id != id);
    }

    fn register(&mut self, plan: &mut CompactionPlan, order: &KeyOrder) {
        plan.id = self.next_id;
        self.next_id += 1;
        let (smallest, largest) = plan.key_range(order);
        for (_, file) in plan.input_files() {
            debug_assert!(!file.is_being_compacted(), "file {} picked twice", file.number);
            file.set_being_compacted(true);
        }
        self.running.push(Running {
            id: plan.id,
            start_level: plan.start_level,
            output_level: plan.output_level,
            smallest,
            largest,
        });
    }

    /// Whether a compaction reads level 0. Its files overlap, so there is one such at a time, beside
    /// those that stay on level 0.
    fn level0_is_running(&self) -> bool {
        self.running.iter().any(|r| r.start_level == 0)
    }

    /// Whether a running compaction writes into the range of these files on `level`.
    fn output_conflicts<'a>(
        &self,
        order: &KeyOrder,
        files: impl IntoIterator<Item = &'a Arc<FileMeta>>,
        level: usize,
    ) -> bool {
        let Some((smallest, largest)) = key_range(order, files) else { return false };
        self.running.iter().any(|r| {
            r.output_level == level
                && order.compare_user(&r.smallest, largest).is_le()
                && order.compare_user(&r.largest, smallest).is_ge()
        })
    }
}

/// The limit of `max_compaction_bytes`, where 0 means 25 files.
fn max_compaction_bytes(options: &ColumnFamilyOptions) -> u64 {
    match options.max_compaction_bytes {
        0 => options.target_file_size_base.saturating_mul(25),
        bytes => bytes,
    }
}

/// What a table file may hold.
fn max_file_size(options: &ColumnFamilyOptions) -> u64 {
    match options.table_factory {
        TableFactory::Plain(_) => crate::options::PLAIN_TABLE_FILE_SIZE_MAX,
        _ => u64::MAX,
    }
}

/// The epoch of a file that `plan` writes to level 0: that of its oldest input.
#[cfg(test)]
fn output_epoch(plan: &CompactionPlan) -> u64 {
    plan.input_files().map(|(_, f)| f.epoch_number).min().unwrap_or(0)
}

#[cfg(test)]
#[path = "picker_test.rs"]
mod tests;

#[cfg(test)]
mod simulate_test;
