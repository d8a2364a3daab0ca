//! `compact_range`: pushes a range down level by level, one plan at a time.
//!
//! Level 0 goes first, all that overlaps at once. Then every level from there gives its part of the
//! range to the next, in pieces of `max_compaction_bytes`, down to the deepest level that held any of
//! it when the call began. That one is rewritten in place if the caller asks.

use super::inputs::{Files, clean_cut, complete, total_size};
use super::level::{Choice, make_plan};
use super::{CompactionPicker, LevelShape, max_compaction_bytes};
use crate::compaction::plan::{CompactionPlan, CompactionReason};
use crate::options::{BottommostLevelCompaction, ColumnFamilyOptions, CompactRangeOptions};
use crate::version::Version;

/// What to do next.
#[derive(Debug)]
pub enum ManualStep {
    /// Run and install this, release it, then ask again with the new version.
    Run(Box<CompactionPlan>),
    /// A running compaction is in the way: ask again when one has ended.
    Wait,
    /// The range is compacted.
    Done,
}

/// One call of `compact_range` on one column family.
#[derive(Debug)]
pub struct ManualCompaction {
    /// Inclusive user keys; `None` is open.
    begin: Option<Vec<u8>>,
    end: Option<Vec<u8>>,
    bottommost: BottommostLevelCompaction,
    /// Files of the last level from this number on were made by this call.
    first_new_file: u64,
    place: Option<Place>,
}

/// How far it is.
#[derive(Debug)]
struct Place {
    level: usize,
    /// The deepest level that held keys of the range at the start.
    deepest: usize,
    /// Where the next piece of the level begins.
    from: Option<Vec<u8>>,
}

impl ManualCompaction {
    /// A compaction of `[begin, end]`, both inclusive user keys, `None` is open. `next_file_number` is
    /// that of the database now.
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
            first_new_file: next_file_number,
            place: None,
        }
    }

    /// The next thing to do. A plan it returns is registered with the picker.
    pub fn step(
        &mut self,
        picker: &mut CompactionPicker,
        version: &Version,
        options: &ColumnFamilyOptions,
    ) -> ManualStep {
        let shape = LevelShape::new(version, options);
        if self.place.is_none() {
            let (begin, end) = (self.begin.as_deref(), self.end.as_deref());
            let mut levels = (0..version.num_levels()).filter(|l| version.overlaps(*l, begin, end));
            let Some(first) = levels.next() else { return ManualStep::Done };
            let deepest = levels.next_back().unwrap_or(first);
            self.place = Some(Place { level: first, deepest, from: self.begin.clone() });
        }
        loop {
            let Some(place) = &self.place else { return ManualStep::Done };
            let level = place.level;
            let Some(output_level) = self.output_of(place, &shape) else {
                return ManualStep::Done;
            };
            match self.piece(version, options, level, output_level) {
                None => self.leave_level(&shape),
                Some((files, next)) => {
                    let plan = self.plan_for(picker, version, options, &shape, output_level, files);
                    let Some(mut plan) = plan else { return ManualStep::Wait };
                    picker.register(&mut plan, version.order());
                    match next {
                        Some(next) => self.go_on_from(next),
                        None => self.leave_level(&shape),
                    }
                    return ManualStep::Run(Box::new(plan));
                }
            }
        }
    }

    /// Where the level's files go; `None` if this level ends the call.
    fn output_of(&self, place: &Place, shape: &LevelShape) -> Option<usize> {
        let forced = self.is_forced();
        match place.level {
            level if level > place.deepest => None,
            0 => Some(shape.base_level),
            level if level == place.deepest => forced.then_some(level),
            level => Some(level + 1),
        }
    }

    fn is_forced(&self) -> bool {
        use BottommostLevelCompaction::{Force, ForceOptimized};
        matches!(self.bottommost, Force | ForceOptimized)
    }

    fn leave_level(&mut self, shape: &LevelShape) {
        if let Some(place) = &mut self.place {
            // Below level 0 there is nothing before the base level, or what is there is older.
            let below_0 = if place.deepest == 0 { 1 } else { shape.base_level.min(place.deepest) };
            place.level = if place.level == 0 { below_0 } else { place.level + 1 };
            place.from = self.begin.clone();
        }
    }

    fn go_on_from(&mut self, key: Vec<u8>) {
        if let Some(place) = &mut self.place {
            place.from = Some(key);
        }
    }

    /// The next files of the level, and where the piece after them begins.
    fn piece(
        &self,
        version: &Version,
        options: &ColumnFamilyOptions,
        level: usize,
        output_level: usize,
    ) -> Option<(Files, Option<Vec<u8>>)> {
        let from = self.place.as_ref().and_then(|p| p.from.as_deref());
        let mut files = version.overlapping_inputs(level, from, self.end.as_deref());
        if level > 0 && level == output_level {
            let only_old = self.bottommost == BottommostLevelCompaction::ForceOptimized;
            files.retain(|f| !only_old || f.number < self.first_new_file);
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
            // A file with gaps before it must not be pulled in by the next: keep runs together.
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

    fn plan_for(
        &self,
        picker: &CompactionPicker,
        version: &Version,
        options: &ColumnFamilyOptions,
        shape: &LevelShape,
        output_level: usize,
        files: Files,
    ) -> Option<CompactionPlan> {
        let place = self.place.as_ref()?;
        let level = place.level;
        if level == 0 && picker.level0_is_running() {
            return None;
        }
        let start = clean_cut(version, level, files)?;
        let inputs = complete(picker, version, options, (level, output_level), start)?;
        let choice = Choice {
            start_level: level,
            output_level,
            inputs,
            reason: CompactionReason::ManualCompaction,
            score: shape.score(level),
            // The last step of a forced call must rewrite; steps before it may move.
            rewrite: self.is_forced() && (level == 0 && place.deepest == 0),
        };
        Some(make_plan(picker, version, options, shape, choice))
    }
}
