//! The compaction picker: chooses what to compact.
//!
//! There is one [`CompactionPicker`] per column family, guarded by the lock of the database. It
//! tracks running compactions, so that concurrent compactions never use the same files or the same
//! range of an output level. It reads versions and opens no file.
//!
//! | File | Owns |
//! |---|---|
//! | `shape` | target sizes of levels, scores, debt |
//! | `priority` | which file of a level is compacted first |
//! | `inputs` | expanding a choice until no user key is split; conflicts |
//! | `draft` | turning a choice into a plan |
//! | `due` | files due for compaction by age or after a snapshot's release |
//! | `level` | the leveled policy |
//! | `universal`, `fifo` | the other two policies |
//! | `paths` | the data path of outputs |
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
use super::plan_check::check_plan;
use crate::base::KeyOrder;
use crate::options::{ColumnFamilyOptions, CompactionStyle, TableFactory};
use crate::version::{FileMeta, Version};
use std::sync::Arc;

pub use due::{PickContext, bottommost_threshold};
pub use manual::{ManualCompaction, ManualStep};
pub use shape::{LevelShape, LevelTargets, compression_for_flush};
pub use universal::num_sorted_runs;

/// A compaction that was picked and not yet released.
#[derive(Debug)]
struct Running {
    id: u64,
    start_level: usize,
    output_level: usize,
    smallest: Vec<u8>,
    largest: Vec<u8>,
}

/// Picks the compactions of one column family.
#[derive(Debug)]
pub struct CompactionPicker {
    cf_id: u32,
    next_id: u64,
    running: Vec<Running>,
    /// The number of held ranges; while it is not 0, nothing is picked automatically, since files
    /// are being added from outside.
    held: usize,
    /// Per level, the last user key that `RoundRobin` compacted.
    cursors: Vec<Option<Vec<u8>>>,
}

impl CompactionPicker {
    /// A picker for a column family without running compactions.
    pub fn new(cf_id: u32) -> CompactionPicker {
        CompactionPicker { cf_id, next_id: 1, running: Vec::new(), held: 0, cursors: Vec::new() }
    }

    /// Whether [`CompactionPicker::pick`] returns a plan, unless a running compaction is in the way.
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

    /// The most urgent compaction that does not conflict with a running one. Its files are marked as being compacted
    /// until [`CompactionPicker::release`].
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
        self.register(&mut plan, version);
        Some(plan)
    }

    /// The choice of the policies without levels.
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

    /// Ends a compaction that was installed or failed: its files may be picked again.
    pub fn release(&mut self, plan: &CompactionPlan) {
        let before = self.running.len();
        self.running.retain(|r| r.id != plan.id);
        debug_assert_eq!(
            before - self.running.len(),
            1,
            "expected to release one compaction that runs: {plan}"
        );
        plan.input_files().for_each(|(_, f)| f.set_being_compacted(false));
    }

    /// The number of running compactions.
    pub fn num_running(&self) -> usize {
        self.running.len()
    }

    /// The outputs of running compactions: levels, and the first and last user keys.
    pub fn running_outputs(&self) -> Vec<(usize, Vec<u8>, Vec<u8>)> {
        let output = |r: &Running| (r.output_level, r.smallest.clone(), r.largest.clone());
        self.running.iter().map(output).collect()
    }

    /// Reserves this range on all levels for files that are added from outside, to a level that is
    /// not known yet. Nothing is picked automatically, and no other compaction may write into the
    /// range, until [`CompactionPicker::release_range`] with the returned id.
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

    /// Ends the effect of [`CompactionPicker::hold_range`].
    pub fn release_range(&mut self, id: u64) {
        debug_assert!(self.held > 0, "expected a range that is held, found none");
        debug_assert!(
            self.running.iter().any(|r| r.id == id && r.start_level == usize::MAX),
            "expected range {id} among those that are held, found {:?}",
            self.running
        );
        self.held -= 1;
        self.running.retain(|r| r.id != id);
    }

    /// Whether no compaction runs that was picked. Ranges may be held.
    pub fn is_idle(&self) -> bool {
        self.running.iter().all(|r| r.start_level == usize::MAX)
    }

    fn register(&mut self, plan: &mut CompactionPlan, version: &Version) {
        check_plan(plan, version);
        let order = version.order();
        debug_assert!(
            plan.output_level == 0
                || plan.deletion
                || !self.output_conflicts(
                    order,
                    plan.input_files().map(|(_, f)| f),
                    plan.output_level
                ),
            "CP4: expected a range into which nothing is written, found {plan} beside {:?}",
            self.running
        );
        plan.id = self.next_id;
        self.next_id += 1;
        let (smallest, largest) = plan.key_range(order);
        for (_, file) in plan.input_files() {
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

    /// Whether a compaction reads level 0. Files of level 0 overlap, so there is only one such compaction at a time,
    /// besides those that stay on level 0.
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

/// The value of `max_compaction_bytes`, where 0 means 25 files.
fn max_compaction_bytes(options: &ColumnFamilyOptions) -> u64 {
    match options.max_compaction_bytes {
        0 => options.target_file_size_base.saturating_mul(25),
        bytes => bytes,
    }
}

/// The maximum size of a table file.
fn max_file_size(options: &ColumnFamilyOptions) -> u64 {
    match options.table_factory {
        TableFactory::Plain(_) => crate::options::PLAIN_TABLE_FILE_SIZE_MAX,
        _ => u64::MAX,
    }
}

/// The epoch of a file that `plan` writes to level 0, which is that of its oldest input.
#[cfg(test)]
fn output_epoch(plan: &CompactionPlan) -> u64 {
    plan.input_files().map(|(_, f)| f.epoch_number).min().unwrap_or(0)
}

#[cfg(test)]
#[path = "picker_test.rs"]
mod tests;

#[cfg(test)]
mod simulate_test;
