//! The universal policy: merges adjacent sorted runs, which are ordered from the newest to the oldest.
//!
//! A run is a file of level 0 or a whole deeper level. A merge always takes adjacent runs, and its result replaces
//! them: on the level before that of the next older run, on level 0 if that run is there, or on the last level if no
//! run is older. The rules, in order of precedence:
//!
//! 1. Merge the oldest runs, up to the first busy one, if any file is older than `periodic_compaction_seconds`.
//! 2. Do the same if the size of the runs above the oldest is at least `max_size_amplification_percent` of it. Some of
//!    the newest files of level 0 may be excluded.
//! 3. Merge runs of similar size, according to `size_ratio`.
//! 4. Merge the newest runs if there are more than a reader should search.
//! 5. Merge a file marked for compaction with the files of the next run that it overlaps.
//!
//! Rules 2 to 4 need at least `level0_file_num_compaction_trigger` runs.

use super::CompactionPicker;
use super::draft::Draft;
use super::due::{self, PickContext};
use super::inputs::{Files, any_being_compacted, clean_cut, complete, total_size};
use super::paths::path_of_size;
use super::shape::{AverageValue, last_level};
use crate::compaction::plan::{CompactionReason, PlanLevel};
use crate::options::{ColumnFamilyOptions, CompactionStopStyle};
use crate::version::{FileMeta, Version};
use std::ops::Range;
use std::sync::Arc;

/// One sorted run.
struct Run<'a> {
    level: usize,
    files: &'a [Arc<FileMeta>],
    /// The size in bytes.
    size: u64,
    /// The size in bytes, increased for tombstones.
    compensated: u64,
    is_busy: bool,
}

/// The number of sorted runs, which stalls and the trigger depend on.
pub fn num_sorted_runs(version: &Version, options: &ColumnFamilyOptions) -> usize {
    let deeper = 1..=last_level(version, options);
    version.num_files(0) + deeper.filter(|l| version.num_files(*l) > 0).count()
}

/// The runs of a version, newest first.
fn runs<'a>(version: &'a Version, options: &ColumnFamilyOptions) -> Vec<Run<'a>> {
    let average = AverageValue::of(version);
    let level0 = version.files(0).iter().map(|f| (0, std::slice::from_ref(f)));
    let deeper = (1..=last_level(version, options)).map(|l| (l, version.files(l)));
    let all = level0.chain(deeper.filter(|(_, files)| !files.is_empty()));
    all.map(|(level, files)| Run {
        level,
        files,
        size: total_size(files),
        compensated: files.iter().map(|f| average.compensated_size(f)).fold(0, u64::saturating_add),
        is_busy: any_being_compacted(files),
    })
    .collect()
}

/// The reasons of compactions whose runs were chosen by size or number.
const BY_SIZE: [CompactionReason; 2] =
    [CompactionReason::UniversalSizeRatio, CompactionReason::UniversalSortedRunNum];

/// The inputs of the functions below.
struct PickInput<'a> {
    picker: &'a CompactionPicker,
    version: &'a Version,
    options: &'a ColumnFamilyOptions,
    runs: Vec<Run<'a>>,
}

/// The most urgent compaction that can run now.
pub(super) fn choose(
    picker: &CompactionPicker,
    version: &Version,
    options: &ColumnFamilyOptions,
    context: &PickContext,
) -> Option<Draft> {
    let input = PickInput { picker, version, options, runs: runs(version, options) };
    let trigger = usize::try_from(options.level0_file_num_compaction_trigger);
    let many = trigger.is_ok_and(|trigger| input.runs.len() >= trigger);
    let draft = input
        .periodic(context)
        .or_else(|| many.then(|| input.amplified()).flatten())
        .or_else(|| many.then(|| input.of_similar_size()).flatten())
        .or_else(|| many.then(|| input.too_many()).flatten())
        .or_else(|| input.marked())?;
    Some(input.movable(draft))
}

/// All files at once, for `compact_range`; `None` if a running compaction is in the way.
pub(super) fn everything(
    picker: &CompactionPicker,
    version: &Version,
    options: &ColumnFamilyOptions,
) -> Option<Draft> {
    let input = PickInput { picker, version, options, runs: runs(version, options) };
    if input.runs.iter().any(|run| run.is_busy) {
        return None;
    }
    input.draft(0..input.runs.len(), CompactionReason::ManualCompaction)
}

impl PickInput<'_> {
    fn last_level(&self) -> usize {
        last_level(self.version, self.options)
    }

    /// Rule 1. Takes all idle runs down to the oldest.
    fn periodic(&self, context: &PickContext) -> Option<Draft> {
        let due: Vec<u64> =
            due::periodic(self.version, self.options, context).map(|(_, f)| f.number).collect();
        if due.is_empty() {
            return None;
        }
        let idle = self.runs.iter().rev().take_while(|run| !run.is_busy).count();
        let start = self.runs.len() - idle;
        // Take the oldest run alone only if it is due itself.
        let is_due = |run: &Run<'_>| run.files.iter().any(|f| due.contains(&f.number));
        if idle == 0 || (idle == 1 && !is_due(&self.runs[start])) {
            return None;
        }
        self.draft(start..self.runs.len(), CompactionReason::PeriodicCompaction)
    }

    /// Rule 2. In the worst case, all bytes above the oldest run are newer copies of its entries.
    fn amplified(&self) -> Option<Draft> {
        let (oldest, newer) = self.runs.split_last()?;
        if oldest.is_busy {
            return None;
        }
        let idle = newer.iter().rev().take_while(|run| !run.is_busy).count();
        let mut start = newer.len() - idle;
        let sum = |from: usize| -> u64 {
            newer[from..].iter().map(|run| run.compensated).fold(0, u64::saturating_add)
        };
        let percent =
            u128::from(self.options.compaction_options_universal.max_size_amplification_percent);
        let enough = |bytes: u64| u128::from(bytes) * 100 >= percent * u128::from(oldest.size);
        if idle == 0 || !enough(sum(start)) {
            return None;
        }
        start += self.newest_to_leave_out(start, |from| {
            enough(sum(from)) && u128::from(sum(from)) * 10 >= u128::from(sum(start)) * 9
        });
        self.draft(start..self.runs.len(), CompactionReason::UniversalSizeAmplification)
    }

    /// The number of the newest files of level 0 that a large compaction starting at `start` should
    /// exclude, so that other compactions can merge them before writes stop.
    fn newest_to_leave_out(&self, start: usize, still_worth: impl Fn(usize) -> bool) -> usize {
        let options = &self.options.compaction_options_universal;
        let on_level0 = self.runs[start..].iter().take_while(|run| run.level == 0).count();
        let width = self.runs.len() - start;
        let most = on_level0.saturating_sub(1).min(width.saturating_sub(2));
        let stop = usize::try_from(self.options.level0_stop_writes_trigger).unwrap_or(usize::MAX);
        let room = stop.saturating_sub(width);
        let limit = |width: u32| (width as usize).saturating_sub(room).min(most);
        let (least, most) = (limit(options.min_merge_width), limit(options.max_merge_width));
        (least..=most).take_while(|n| still_worth(start + n)).last().unwrap_or(0)
    }

    /// Rule 3. Takes the first sequence of runs of which none is much larger than those before it.
    fn of_similar_size(&self) -> Option<Draft> {
        let ratio = self.options.compaction_options_universal.size_ratio;
        let range = self.similar(ratio, usize::MAX)?;
        self.draft(range, CompactionReason::UniversalSizeRatio)
    }

    /// Rule 4. Takes runs regardless of their sizes.
    fn too_many(&self) -> Option<Draft> {
        let idle = self.runs.iter().filter(|run| !run.is_busy).count();
        let surplus = idle.checked_sub(self.runs_max()).filter(|surplus| *surplus > 0)?;
        let range = self.similar(u32::MAX, surplus + 1)?;
        self.draft(range, CompactionReason::UniversalSortedRunNum)
    }

    /// The number of runs that a reader may have to search.
    fn runs_max(&self) -> usize {
        let trigger = usize::try_from(self.options.level0_file_num_compaction_trigger).unwrap_or(0);
        let options = &self.options.compaction_options_universal;
        match usize::try_from(options.max_read_amp) {
            Err(_) => trigger,
            Ok(0) if options.stop_style == CompactionStopStyle::SimilarSize => trigger,
            Ok(0) => self.runs_of_this_size(),
            Ok(runs) => runs,
        }
    }

    /// The number of runs if each is as large as all newer ones allow and the newest is a memtable.
    fn runs_of_this_size(&self) -> usize {
        let largest = self.runs.iter().map(|run| run.size).max().unwrap_or(0) as f64;
        let ratio = f64::from(self.options.compaction_options_universal.size_ratio);
        let (mut runs, mut total) = (1, 0.0);
        let mut size = self.options.write_buffer_size as f64;
        while size < largest {
            total += size;
            size = total * (100.0 + ratio) / 100.0;
            runs += 1;
        }
        runs
    }

    /// The first sequence of at least `min_merge_width` idle runs such that each is at most `ratio`
    /// percent larger than the sum of those before it, or than the one before it.
    fn similar(&self, ratio: u32, most: usize) -> Option<Range<usize>> {
        let options = &self.options.compaction_options_universal;
        let least = options.min_merge_width.max(2) as usize;
        let most = most.min(options.max_merge_width as usize);
        let factor = (100.0 + f64::from(ratio)) / 100.0;
        (0..self.runs.len()).find_map(|start| {
            let first = Some(&self.runs[start]).filter(|run| !run.is_busy)?;
            let mut size = first.compensated as f64;
            let mut fits = |run: &&Run<'_>| {
                let next = run.size as f64;
                let similar = options.stop_style == CompactionStopStyle::SimilarSize;
                if run.is_busy || size * factor < next || (similar && next * factor < size) {
                    return false;
                }
                let compensated = run.compensated as f64;
                size = if similar { compensated } else { size + compensated };
                true
            };
            let more = most.saturating_sub(1);
            let width =
                1 + self.runs[start + 1..].iter().take(more).take_while(|run| fits(run)).count();
            (width >= least).then_some(start..start + width)
        })
    }

    /// Rule 5.
    fn marked(&self) -> Option<Draft> {
        due::marked(self.version, self.options).find_map(|(level, file)| {
            let seed = (file.smallest_user_key(), file.largest_user_key());
            let output_level = self.next_run_level(level)?;
            if level == 0 && self.picker.level0_is_running() {
                return None;
            }
            let start = self.version.overlapping_inputs(level, Some(seed.0), Some(seed.1));
            let start = clean_cut(self.version, level, start)?;
            let levels = (level, output_level);
            let inputs = complete(self.picker, self.version, self.options, levels, start)?;
            let mut draft = Draft::of(levels, inputs, CompactionReason::FilesMarkedForCompaction);
            draft.compressed = true;
            let there = total_size(self.version.files(output_level));
            draft.output_path = path_of_size(self.options, there);
            Some(draft)
        })
    }

    /// The level at which a file of `level` meets older data; without older data, only files of
    /// level 0 have a deeper level to move to.
    fn next_run_level(&self, level: usize) -> Option<usize> {
        let below = (level + 1..=self.last_level()).find(|l| self.version.num_files(*l) > 0);
        below.or((level == 0 && self.last_level() > 0).then(|| self.last_level()))
    }

    /// A compaction of these runs, with the output level that follows from the next older run.
    fn draft(&self, range: Range<usize>, reason: CompactionReason) -> Option<Draft> {
        let compressed = self.is_compressed(&range, reason);
        let picked = &self.runs[range.clone()];
        let start_level = picked.first()?.level;
        let output_level = match self.runs.get(range.end) {
            None => self.last_level(),
            Some(older) => older.level.saturating_sub(1),
        };
        let mut levels: Vec<PlanLevel> = Vec::new();
        for run in picked {
            match levels.last_mut() {
                Some(last) if last.level == run.level => last.files.extend_from_slice(run.files),
                _ => levels.push(PlanLevel { level: run.level, files: run.files.to_vec() }),
            }
        }
        let files = levels.iter().flat_map(|l| &l.files);
        let order = self.version.order();
        if output_level > 0 && self.picker.output_conflicts(order, files, output_level) {
            return None;
        }
        let trivial_move = false;
        Some(Draft {
            start_level,
            output_level,
            output_path: path_of_size(self.options, self.size_of(&range, reason)),
            levels,
            reason,
            score: 0.0,
            compressed,
            trivial_move,
        })
    }

    /// The expected size of the result, for the choice of a data path. If sizes decided, newer runs
    /// that are not merged are included, since they will soon be merged into it.
    fn size_of(&self, range: &Range<usize>, reason: CompactionReason) -> u64 {
        let first = if BY_SIZE.contains(&reason) { 0 } else { range.start };
        self.runs[first..range.end].iter().fold(0, |sum, run| sum.saturating_add(run.size))
    }

    /// Whether the output is compressed. With `compression_size_percent`, data newer than that part
    /// of the total stays uncompressed.
    fn is_compressed(&self, range: &Range<usize>, reason: CompactionReason) -> bool {
        let percent = self.options.compaction_options_universal.compression_size_percent;
        let Ok(percent) = u128::try_from(percent) else { return true };
        if !BY_SIZE.contains(&reason) {
            return true;
        }
        let total: u128 = self.runs.iter().map(|run| u128::from(run.compensated)).sum();
        let older: u128 = self.runs[range.end..].iter().map(|run| u128::from(run.size)).sum();
        range.end == self.runs.len() || older * 100 < total * percent
    }

    /// Allows a move of files that do not overlap, if the options permit it.
    fn movable(&self, mut draft: Draft) -> Draft {
        let order = self.version.order();
        let mut files: Files = draft.levels.iter().flat_map(|l| l.files.iter().cloned()).collect();
        files.sort_by(|a, b| order.compare_user(a.smallest_user_key(), b.smallest_user_key()));
        let disjoint = files
            .windows(2)
            .all(|w| order.compare_user(w[0].largest_user_key(), w[1].smallest_user_key()).is_lt());
        draft.trivial_move = self.options.compaction_options_universal.allow_trivial_move
            && draft.reason != CompactionReason::PeriodicCompaction
            && draft.output_level > 0
            && draft.start_level != draft.output_level
            && disjoint;
        draft
    }
}
