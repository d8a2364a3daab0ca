//! Manual compaction, `compact_range`: compacts a range down level by level, one plan at a time.
//!
//! It starts at the first level with keys of the range. Level 0 is merged into the base level, with all overlapping
//! files at once. Then each level from there is merged into the next, in pieces of `max_compaction_bytes`: with dynamic
//! levels down to the last level, otherwise down to the deepest level with files. That level is rewritten in place if
//! the caller requests it or to apply a filter.
//!
//! Universal compaction does not proceed by levels: all files are merged at once. FIFO compaction does the same as an
//! automatic compaction.

use super::draft::{Choice, make_plan, plan_of};
use super::due::PickContext;
use super::inputs::{Files, clean_cut, complete, total_size};
use super::shape::last_level;
use super::{CompactionPicker, LevelShape, fifo, max_compaction_bytes, universal};
use crate::compaction::plan::{CompactionPlan, CompactionReason};
use crate::options::{
    BottommostLevelCompaction, ColumnFamilyOptions, CompactRangeOptions, CompactionStyle,
};
use crate::version::Version;

/// The next step of a manual compaction.
#[derive(Debug)]
pub enum ManualStep {
    /// Run and install this plan, release it, then call `step` again with the new version.
    Run(Box<CompactionPlan>),
    /// A running compaction is in the way: call `step` again when one has ended.
    Wait,
    /// The range is compacted.
    Done,
}

/// One call of `compact_range` on one column family.
#[derive(Debug)]
pub struct ManualCompaction {
    /// Inclusive user keys; `None` is unbounded.
    begin: Option<Vec<u8>>,
    end: Option<Vec<u8>>,
    bottommost: BottommostLevelCompaction,
    /// The data path of all outputs.
    target_path: u32,
    /// Files of the last level from this number on were created by this call.
    first_new_file: u64,
    stage: Stage,
    /// The beginning of the next piece of the level.
    from: Option<Vec<u8>>,
    /// The level that the range has reached so far.
    final_level: Option<usize>,
    /// Whether the compaction ends after one level.
    one_level: bool,
}

/// The progress of a manual compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing was done yet.
    Start,
    /// This level is being merged into the next.
    Down(usize),
    /// This level is being rewritten in place.
    Bottom(usize),
    Done,
}

impl ManualCompaction {
    /// A compaction of `[begin, end]`, both inclusive user keys; `None` is unbounded. `next_file_number` is the
    /// database's current one.
    pub fn new(
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
        options: &CompactRangeOptions,
        next_file_number: u64,
    ) -> ManualCompaction {
        ManualCompaction {
            begin: begin.map(<[u8]>::to_vec),
            end: end.map(<[u8]>::to_vec),
            bottommost: options.bottommost_level_compaction,
            target_path: options.target_path_id,
            first_new_file: next_file_number,
            stage: Stage::Start,
            from: None,
            final_level: None,
            one_level: false,
        }
    }

    /// A compaction of all files of one level into the next.
    pub fn of_level(level: usize, next_file_number: u64) -> ManualCompaction {
        let options = CompactRangeOptions {
            bottommost_level_compaction: BottommostLevelCompaction::Skip,
            ..CompactRangeOptions::default()
        };
        let all = ManualCompaction::new(None, None, &options, next_file_number);
        ManualCompaction { stage: Stage::Down(level), one_level: true, ..all }
    }

    /// The level of the result after completion; `None` if no file overlapped the range.
    pub fn final_level(&self) -> Option<usize> {
        self.final_level
    }

    /// The next step. A returned plan is registered with the picker.
    pub fn step(
        &mut self,
        picker: &mut CompactionPicker,
        version: &Version,
        options: &ColumnFamilyOptions,
        context: &PickContext,
    ) -> ManualStep {
        let shape = LevelShape::new(version, options);
        if options.compaction_style != CompactionStyle::Level {
            return self.step_without_levels(picker, version, options, (&shape, context));
        }
        if self.stage == Stage::Start {
            let (begin, end) = (self.begin.as_deref(), self.end.as_deref());
            let first =
                (0..=last_level(version, options)).find(|l| version.overlaps(*l, begin, end));
            self.final_level = first;
            match first {
                None => self.stage = Stage::Done,
                Some(0) => self.enter(Stage::Down(0)),
                Some(level) => self.enter_level(level, version, options),
            }
        }
        loop {
            let (level, output_level) = match self.stage {
                Stage::Start | Stage::Done => return ManualStep::Done,
                Stage::Down(0) => (0, shape.targets.base_level),
                Stage::Down(level) => (level, level + 1),
                Stage::Bottom(level) => (level, level),
            };
            let Some((files, next)) = self.piece(version, options, level, output_level) else {
                self.leave(output_level, version, options);
                continue;
            };
            let levels = (level, output_level);
            let plan = self.plan_for(picker, version, options, &shape, levels, files);
            let Some(mut plan) = plan else { return ManualStep::Wait };
            picker.register(&mut plan, version);
            match next {
                Some(_) => self.from = next,
                None => self.leave(output_level, version, options),
            }
            return ManualStep::Run(Box::new(plan));
        }
    }

    /// The only step of policies without levels.
    fn step_without_levels(
        &mut self,
        picker: &mut CompactionPicker,
        version: &Version,
        options: &ColumnFamilyOptions,
        (shape, context): (&LevelShape, &PickContext),
    ) -> ManualStep {
        if self.stage == Stage::Done {
            return ManualStep::Done;
        }
        let is_empty = version.all_files().next().is_none();
        let draft = match options.compaction_style {
            CompactionStyle::Universal if is_empty => None,
            CompactionStyle::Universal => match universal::everything(picker, version, options) {
                None => return ManualStep::Wait,
                draft => draft,
            },
            CompactionStyle::Fifo if picker.num_running() > 0 => return ManualStep::Wait,
            CompactionStyle::Fifo => fifo::choose(picker, version, options, context),
            // Nothing is compacted.
            CompactionStyle::None | CompactionStyle::Level => None,
        };
        self.stage = Stage::Done;
        let Some(mut draft) = draft else { return ManualStep::Done };
        if options.compaction_style == CompactionStyle::Universal {
            draft.output_path = self.target_path;
        }
        self.final_level = Some(draft.output_level);
        let mut plan = plan_of(picker, version, options, shape, draft);
        picker.register(&mut plan, version);
        ManualStep::Run(Box::new(plan))
    }

    fn enter(&mut self, stage: Stage) {
        self.stage = stage;
        self.from = self.begin.clone();
    }

    /// Ends the stage; the level's files are now on `output_level`.
    fn leave(&mut self, output_level: usize, version: &Version, options: &ColumnFamilyOptions) {
        match self.stage {
            Stage::Bottom(_) => self.stage = Stage::Done,
            _ if self.one_level => {
                (self.stage, self.final_level) = (Stage::Done, Some(output_level));
            }
            _ => self.enter_level(output_level, version, options),
        }
    }

    /// Continues with a level below level 0.
    fn enter_level(&mut self, level: usize, version: &Version, options: &ColumnFamilyOptions) {
        self.final_level = Some(level);
        let last = match options.level_compaction_dynamic_level_bytes {
            true => last_level(version, options),
            false => version.deepest_level().unwrap_or(0).min(last_level(version, options)),
        };
        if level < last {
            self.enter(Stage::Down(level));
        } else if self.rewrites_last_level(options) {
            self.enter(Stage::Bottom(level));
        } else {
            self.stage = Stage::Done;
        }
    }

    fn rewrites_last_level(&self, options: &ColumnFamilyOptions) -> bool {
        match self.bottommost {
            BottommostLevelCompaction::Skip => false,
            BottommostLevelCompaction::IfHaveCompactionFilter => options.has_compaction_filter(),
            BottommostLevelCompaction::Force | BottommostLevelCompaction::ForceOptimized => true,
        }
    }

    /// The next files of the level, and the beginning of the piece after them.
    fn piece(
        &self,
        version: &Version,
        options: &ColumnFamilyOptions,
        level: usize,
        output_level: usize,
    ) -> Option<(Files, Option<Vec<u8>>)> {
        let from = self.from.as_deref();
        let mut files = version.overlapping_inputs(level, from, self.end.as_deref());
        if level == output_level && self.bottommost != BottommostLevelCompaction::Force {
            files.retain(|f| f.number < self.first_new_file);
        }
        if files.is_empty() {
            return None;
        }
        if level == 0 {
            return Some((files, None));
        }
        let (mut bytes, limit) = (0u64, max_compaction_bytes(options));
        let mut count = 0;
        for file in &files {
            let (smallest, largest) = (file.smallest_user_key(), file.largest_user_key());
            let below = if output_level > level {
                total_size(&version.overlapping_inputs(output_level, Some(smallest), Some(largest)))
            } else {
                0
            };
            bytes = bytes.saturating_add(file.file_size).saturating_add(below);
            count += 1;
            // A piece consists of adjacent files: with a gap, its key range would include the
            // skipped files.
            let next_is_neighbour = files.get(count).is_some_and(|next| {
                version
                    .level(level)
                    .overlapping_range(Some(smallest), Some(next.largest_user_key()))
                    .len()
                    == 2
            });
            if bytes >= limit || !next_is_neighbour {
                break;
            }
        }
        let rest = files.split_off(count);
        Some((files, rest.first().map(|f| f.smallest_user_key().to_vec())))
    }

    /// A plan for these files; `None` if a running compaction is in the way.
    fn plan_for(
        &self,
        picker: &CompactionPicker,
        version: &Version,
        options: &ColumnFamilyOptions,
        shape: &LevelShape,
        (level, output_level): (usize, usize),
        files: Files,
    ) -> Option<CompactionPlan> {
        if level == 0 && picker.level0_is_running() {
            return None;
        }
        let start = clean_cut(version, level, files)?;
        let inputs = complete(picker, version, options, (level, output_level), start)?;
        let choice = Choice {
            start_level: level,
            output_level,
            output_path: Some(self.target_path),
            inputs,
            reason: CompactionReason::ManualCompaction,
            score: shape.score(level),
            rewrite: false,
        };
        Some(make_plan(picker, version, options, shape, choice))
    }
}
