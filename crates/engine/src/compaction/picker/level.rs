//! The leveled policy: the level with the highest score passes files to the next level.

use super::draft::{Choice, make_plan};
use super::due::{self, PickContext};
use super::inputs::{
    self, Files, Inputs, any_being_compacted, cheap_to_merge, clean_cut, complete, total_size,
};
use super::priority::by_priority;
use super::shape::LevelShape;
use super::{CompactionPicker, max_compaction_bytes, max_file_size};
use crate::compaction::plan::{CompactionPlan, CompactionReason, key_range};
use crate::options::{ColumnFamilyOptions, CompactionPri};
use crate::version::{FileMeta, Version};
use std::sync::Arc;

/// The minimum number of files for a merge inside level 0.
const INTRA_LEVEL0_FILES_MIN: usize = 4;
/// The maximum number of files that move down together, so that the next level is not flooded.
const TRIVIAL_MOVE_FILES_MAX: usize = 4;

/// The inputs of the functions below.
struct PickInput<'a> {
    version: &'a Version,
    options: &'a ColumnFamilyOptions,
    shape: &'a LevelShape,
    context: &'a PickContext,
}

/// The most urgent compaction that can run now.
pub(super) fn pick(
    picker: &mut CompactionPicker,
    version: &Version,
    options: &ColumnFamilyOptions,
    shape: &LevelShape,
    context: &PickContext,
) -> Option<CompactionPlan> {
    let input = PickInput { version, options, shape, context };
    let mut base_waits_for_level0 = false;
    for &(level, score) in shape.scores.iter().take_while(|s| s.1 >= 1.0) {
        // Level 0 needs the base level and could not start: moving more files of the base level
        // down would only delay it further.
        if base_waits_for_level0 && level == shape.targets.base_level {
            continue;
        }
        let choice = if level == 0 {
            pick_level0(picker, &input, score)
        } else {
            pick_deeper(picker, &input, level, score)
        };
        match choice {
            Some(choice) => return Some(make_plan(picker, version, options, shape, choice)),
            None => base_waits_for_level0 |= level == 0,
        }
    }
    let choice = pick_due(picker, &input)?;
    Some(make_plan(picker, version, options, shape, choice))
}

fn pick_level0(picker: &CompactionPicker, input: &PickInput<'_>, score: f64) -> Option<Choice> {
    let (version, base) = (input.version, input.shape.targets.base_level);
    let reason = CompactionReason::LevelL0FilesNum;
    let choice = |output_level, inputs| {
        Some(Choice {
            start_level: 0,
            output_level,
            output_path: None,
            inputs,
            reason,
            score,
            rewrite: false,
        })
    };
    if picker.level0_is_running() {
        let inside = merge_if_base_is_large(input).or_else(|| merge_while_blocked(input))?;
        return choice(0, Inputs { start: inside, output: Files::new() });
    }
    if let Some(files) = oldest_disjoint(picker, input) {
        return choice(base, Inputs { start: files, output: Files::new() });
    }
    if let Some(files) = merge_if_base_is_large(input) {
        return choice(0, Inputs { start: files, output: Files::new() });
    }
    for index in by_priority(version, 0, input.options.compaction_pri, None) {
        let seed = vec![version.files(0)[index].clone()];
        let Some((smallest, largest)) = key_range(version.order(), &seed) else { continue };
        let start = version.overlapping_inputs(0, Some(smallest), Some(largest));
        if any_being_compacted(&start) {
            continue;
        }
        if let Some(inputs) = complete(picker, version, input.options, (0, base), start) {
            return choice(base, inputs);
        }
    }
    let inside = merge_while_blocked(input)?;
    choice(0, Inputs { start: inside, output: Files::new() })
}

/// The oldest files that overlap neither each other nor the base level, and therefore only need to
/// move. If the base level is empty, the usual selection finds the same files, one at a time.
fn oldest_disjoint(picker: &CompactionPicker, input: &PickInput<'_>) -> Option<Files> {
    let (version, base) = (input.version, input.shape.targets.base_level);
    let order = version.order();
    if base == 0 || version.level(base).is_empty() {
        return None;
    }
    if !input.options.compression_per_level.is_empty() {
        return None;
    }
    let mut taken = Files::new();
    for file in version.files(0).iter().rev() {
        let (s, l) = (file.smallest_user_key(), file.largest_user_key());
        let disjoint = key_range(order, &taken).is_none_or(|(smallest, largest)| {
            order.compare_user(l, smallest).is_lt() || order.compare_user(s, largest).is_gt()
        });
        if file.is_being_compacted() || !disjoint {
            break;
        }
        taken.push(file.clone());
        let Some((smallest, largest)) = key_range(order, &taken) else { break };
        if version.overlaps(base, Some(smallest), Some(largest))
            || picker.output_conflicts(order, &taken, base)
        {
            taken.pop();
            break;
        }
    }
    taken.reverse();
    (!taken.is_empty()).then_some(taken)
}

/// Merges files inside level 0 if the base level is so much larger that merging into it would
/// mostly rewrite it.
fn merge_if_base_is_large(input: &PickInput<'_>) -> Option<Files> {
    let files = input.version.files(0);
    let least = input.options.level0_file_num_compaction_trigger.max(2) as usize;
    let factor = input.options.max_bytes_for_level_multiplier.max(10.0) * 2.0;
    let level0 = input.version.level_bytes(0) as f64;
    let base = input.version.level_bytes(input.shape.targets.base_level) as f64;
    if files.len() < least || base <= level0 * factor {
        return None;
    }
    let newest: Files = files.iter().take_while(|f| !f.is_being_compacted()).cloned().collect();
    let newest = within(newest, max_file_size(input.options));
    (newest.len() >= least).then_some(newest)
}

/// Merges the newest files of level 0 while the compaction into the base level is blocked, so that
/// reads and the stall limit see fewer files. Takes files as long as each lowers the cost of the
/// merge per file that it removes.
fn merge_while_blocked(input: &PickInput<'_>) -> Option<Files> {
    let files = input.version.files(0);
    let trigger = input.options.level0_file_num_compaction_trigger.max(0) as usize;
    if files.len() < trigger + 2 {
        return None;
    }
    let limit = max_compaction_bytes(input.options).min(max_file_size(input.options));
    let (taken, _) = cheap_to_merge(files, limit);
    (taken.len() >= INTRA_LEVEL0_FILES_MIN).then_some(taken)
}

/// The first files, up to `limit` bytes.
fn within(mut files: Files, limit: u64) -> Files {
    let mut bytes = 0u64;
    let mut fits = |f: &Arc<FileMeta>| {
        bytes = bytes.saturating_add(f.file_size);
        bytes <= limit
    };
    let count = files.iter().take_while(|f| fits(f)).count();
    files.truncate(count);
    files
}

fn pick_deeper(
    picker: &mut CompactionPicker,
    input: &PickInput<'_>,
    level: usize,
    score: f64,
) -> Option<Choice> {
    let (version, options) = (input.version, input.options);
    let output_level = level + 1;
    let is_round_robin = options.compaction_pri == CompactionPri::RoundRobin;
    picker.cursors.resize(version.num_levels(), None);
    let cursor = picker.cursors[level].clone();
    for index in by_priority(version, level, options.compaction_pri, cursor.as_deref()) {
        let file = &version.files(level)[index];
        let inputs = if file.is_being_compacted() {
            None
        } else {
            choose_from(picker, input, (level, output_level), index)
        };
        let Some(inputs) = inputs else {
            if is_round_robin {
                return None; // Files are compacted in turn; do not skip one.
            }
            continue;
        };
        if is_round_robin {
            let next = inputs.start.last().map(|f| f.largest_user_key().to_vec());
            picker.cursors[level] = next;
        }
        let reason = CompactionReason::LevelMaxLevelSize;
        let start_level = level;
        return Some(Choice {
            start_level,
            output_level,
            output_path: None,
            inputs,
            reason,
            score,
            rewrite: false,
        });
    }
    None
}

/// Complete inputs that start from one file.
fn choose_from(
    picker: &CompactionPicker,
    input: &PickInput<'_>,
    levels: (usize, usize),
    index: usize,
) -> Option<Inputs> {
    let (version, options) = (input.version, input.options);
    let seed = vec![version.files(levels.0)[index].clone()];
    let start = clean_cut(version, levels.0, seed)?;
    if picker.output_conflicts(version.order(), &start, levels.1) {
        return None;
    }
    if start.len() == 1 && inputs::overlapping(version, levels.1, &start)?.is_empty() {
        let start = neighbours_that_move_too(picker, input, levels, index);
        return Some(Inputs { start, output: Files::new() });
    }
    complete(picker, version, options, levels, start)
}

/// A file that overlaps nothing below, together with the files to its right for which the same
/// holds.
fn neighbours_that_move_too(
    picker: &CompactionPicker,
    input: &PickInput<'_>,
    (start_level, output_level): (usize, usize),
    index: usize,
) -> Files {
    let (version, order) = (input.version, input.version.order());
    let files = version.files(start_level);
    let mut taken = vec![files[index].clone()];
    if !input.options.compression_per_level.is_empty() {
        return taken;
    }
    for (next, file) in files.iter().enumerate().skip(index + 1) {
        let smallest = files[index].smallest_user_key();
        let splits_key = files.get(next + 1).is_some_and(|after| {
            order.equal_user(file.largest_user_key(), after.smallest_user_key())
        });
        let stop = taken.len() >= TRIVIAL_MOVE_FILES_MAX
            || file.is_being_compacted()
            || splits_key
            || version.overlaps(output_level, Some(smallest), Some(file.largest_user_key()))
            || total_size(&taken).saturating_add(file.file_size)
                > max_compaction_bytes(input.options);
        if stop {
            break;
        }
        taken.push(file.clone());
        if picker.output_conflicts(order, &taken, output_level) {
            taken.pop();
            break;
        }
    }
    taken
}

/// Whether any file is due for compaction although its level is within its target.
pub(super) fn has_due_file(
    version: &Version,
    options: &ColumnFamilyOptions,
    context: &PickContext,
) -> bool {
    due::marked(version, options).next().is_some()
        || due::bottommost(version, options, context).next().is_some()
        || due::expired(version, options, context).next().is_some()
        || due::periodic(version, options, context).next().is_some()
}

/// Chooses files that are due although their level is within its target.
fn pick_due(picker: &CompactionPicker, input: &PickInput<'_>) -> Option<Choice> {
    let (version, options, context) = (input.version, input.options, input.context);
    let down = |level: usize| if level == 0 { input.shape.targets.base_level } else { level + 1 };
    let marked = || {
        due::marked(version, options).find_map(|(level, file)| {
            let reason = CompactionReason::FilesMarkedForCompaction;
            let choice = choice_from(picker, input, (level, down(level)), file, reason)?;
            // A file that moves keeps a suggestion, which then moves it further down.
            Some(Choice { rewrite: file.marked_for_compaction, ..choice })
        })
    };
    let bottommost = || {
        due::bottommost(version, options, context).find_map(|(level, file)| {
            let reason = CompactionReason::BottommostFiles;
            choice_from(picker, input, (level, level), file, reason)
        })
    };
    let expired = || {
        due::expired(version, options, context).find_map(|(level, file)| {
            choice_from(picker, input, (level, down(level)), file, CompactionReason::Ttl)
        })
    };
    let periodic = || {
        due::periodic(version, options, context).find_map(|(level, file)| {
            let reason = CompactionReason::PeriodicCompaction;
            choice_from(picker, input, (level, level), file, reason)
        })
    };
    marked().or_else(bottommost).or_else(expired).or_else(periodic)
}

/// Complete inputs around one file.
fn choice_from(
    picker: &CompactionPicker,
    input: &PickInput<'_>,
    levels: (usize, usize),
    file: &Arc<FileMeta>,
    reason: CompactionReason,
) -> Option<Choice> {
    let (version, (start_level, output_level)) = (input.version, levels);
    if start_level == 0 && picker.level0_is_running() {
        return None;
    }
    let start = if start_level == output_level {
        vec![Arc::clone(file)]
    } else {
        let (smallest, largest) = (file.smallest_user_key(), file.largest_user_key());
        version.overlapping_inputs(start_level, Some(smallest), Some(largest))
    };
    let start = clean_cut(version, start_level, start)?;
    let inputs = complete(picker, version, input.options, levels, start)?;
    Some(Choice {
        start_level,
        output_level,
        output_path: None,
        inputs,
        reason,
        score: 0.0,
        rewrite: false,
    })
}
