//! Expansion of a first choice to complete inputs: no user key is split, no file is used twice, and
//! files of the start level are added if they need no further files of the output level.

use super::{CompactionPicker, max_compaction_bytes};
use crate::compaction::plan::key_range;
use crate::options::ColumnFamilyOptions;
use crate::version::{FileMeta, Version};
use std::sync::Arc;

pub(super) type Files = Vec<Arc<FileMeta>>;

/// Inputs of the start level and of the output level.
pub(super) struct Inputs {
    pub(super) start: Files,
    pub(super) output: Files,
}

pub(super) fn any_being_compacted(files: &[Arc<FileMeta>]) -> bool {
    files.iter().any(|f| f.is_being_compacted())
}

/// The newest files of level 0, as long as each of them lowers the cost of the merge per file that it removes, within
/// `limit` bytes; and that cost.
pub(super) fn cheap_to_merge(files: &[Arc<FileMeta>], limit: u64) -> (Files, u64) {
    let (mut bytes, mut per_file) = (0u64, u64::MAX);
    let mut taken = Files::new();
    for file in files.iter().take_while(|f| !f.is_being_compacted()) {
        bytes = bytes.saturating_add(file.file_size);
        // Merging n files removes n - 1.
        let cost = if taken.is_empty() { u64::MAX } else { bytes / taken.len() as u64 };
        if cost > per_file || bytes > limit {
            break;
        }
        per_file = cost;
        taken.push(file.clone());
    }
    (taken, per_file)
}

pub(super) fn total_size(files: &[Arc<FileMeta>]) -> u64 {
    files.iter().fold(0, |sum, f| sum.saturating_add(f.file_size))
}

/// Adds neighbours until no user key is on both sides of a boundary. This engine's files never
/// split a user key, but those of older RocksDB releases did. Returns `None` if a file is being
/// compacted.
pub(super) fn clean_cut(version: &Version, level: usize, files: Files) -> Option<Files> {
    if level == 0 || files.is_empty() {
        return (!any_being_compacted(&files)).then_some(files);
    }
    let order = version.order();
    let all = version.files(level);
    let (smallest, largest) = key_range(order, &files)?;
    let mut range = version.level(level).overlapping_range(Some(smallest), Some(largest));
    // A file that begins where a tombstone of the last one ends was not requested.
    if let [.., before, last] = &all[range.clone()]
        && before.ends_before(order, last.smallest_user_key())
        && !files.iter().any(|f| f.number == last.number)
    {
        range.end -= 1;
    }
    let meet = |left: usize| {
        let (left, right) = (&all[left], &all[left + 1]);
        !left.ends_before(order, right.smallest_user_key())
    };
    while range.start > 0 && meet(range.start - 1) {
        range.start -= 1;
    }
    while range.end < all.len() && meet(range.end - 1) {
        range.end += 1;
    }
    let files = all[range].to_vec();
    (!any_being_compacted(&files)).then_some(files)
}

/// The files of `level` that overlap any of `files`, with a clean cut.
pub(super) fn overlapping(version: &Version, level: usize, files: &Files) -> Option<Files> {
    let (smallest, largest) = key_range(version.order(), files)?;
    clean_cut(version, level, version.overlapping_inputs(level, Some(smallest), Some(largest)))
}

/// Completes `start`, which must have a clean cut, with the files of the output level. Returns
/// `None` if a running compaction is in the way.
pub(super) fn complete(
    picker: &CompactionPicker,
    version: &Version,
    options: &ColumnFamilyOptions,
    levels: (usize, usize),
    start: Files,
) -> Option<Inputs> {
    let (start_level, output_level) = levels;
    if start_level == output_level {
        let conflict = picker.output_conflicts(version.order(), &start, output_level);
        return (!conflict).then_some(Inputs { start, output: Files::new() });
    }
    let output = overlapping(version, output_level, &start)?;
    let mut inputs = Inputs { start, output };
    if !inputs.output.is_empty() {
        let limit = max_compaction_bytes(options);
        if let Some(start) = grow(version, levels, &inputs, limit) {
            inputs.start = start;
        }
    }
    let all = inputs.start.iter().chain(&inputs.output);
    let conflict = picker.output_conflicts(version.order(), all, output_level);
    (!conflict).then_some(inputs)
}

/// More files of the start level for the same files of the output level, within `limit` bytes:
/// preferably all that overlap the whole range, otherwise those inside it.
fn grow(
    version: &Version,
    (start_level, output_level): (usize, usize),
    inputs: &Inputs,
    limit: u64,
) -> Option<Files> {
    let order = version.order();
    let (smallest, largest) = key_range(order, inputs.start.iter().chain(&inputs.output))?;
    let room = limit.saturating_sub(total_size(&inputs.output));
    let fits = |files: &Files| {
        files.len() > inputs.start.len()
            && total_size(files) < room
            && overlapping(version, output_level, files)
                .is_some_and(|output| output.len() == inputs.output.len())
    };
    let wide = version.overlapping_inputs(start_level, Some(smallest), Some(largest));
    let wide = clean_cut(version, start_level, wide).filter(fits);
    if wide.is_some() || start_level == 0 {
        return wide;
    }
    let inside = |f: &&Arc<FileMeta>| {
        order.compare_user(f.smallest_user_key(), smallest).is_ge()
            && order.compare_user(f.largest_user_key(), largest).is_le()
    };
    let narrow = version.files(start_level).iter().filter(inside).cloned().collect();
    clean_cut(version, start_level, narrow).filter(fits)
}
