//! Turns a policy's choice into a plan: compression, sizes, grandparents, and whether a trivial
//! move suffices.

use super::inputs::{Files, Inputs, total_size};
use super::paths::path_of_level;
use super::shape::{LevelShape, compression_for_flush, compression_for_level};
use super::{CompactionPicker, max_compaction_bytes, max_file_size};
use crate::compaction::plan::{
    CompactionPlan, CompactionReason, PlanLevel, key_range, partitioner,
};
use crate::compress::CompressionType;
use crate::options::{ColumnFamilyOptions, CompactionStyle};
use crate::version::{FileMeta, Version};
use std::sync::Arc;

/// The choice of the leveled policy.
pub(super) struct Choice {
    pub(super) start_level: usize,
    pub(super) output_level: usize,
    /// The data path that the user requests; `None` chooses it by the sizes of levels.
    pub(super) output_path: Option<u32>,
    pub(super) inputs: Inputs,
    pub(super) reason: CompactionReason,
    pub(super) score: f64,
    /// Whether files must be rewritten.
    pub(super) rewrite: bool,
}

/// Chosen inputs, independent of the policy.
pub(super) struct Draft {
    pub(super) start_level: usize,
    pub(super) output_level: usize,
    pub(super) output_path: u32,
    pub(super) levels: Vec<PlanLevel>,
    pub(super) reason: CompactionReason,
    pub(super) score: f64,
    /// Whether outputs are compressed as their level requires; if not, they are uncompressed.
    pub(super) compressed: bool,
    pub(super) trivial_move: bool,
}

impl Draft {
    /// A compaction from one level to another.
    pub(super) fn of(
        (start_level, output_level): (usize, usize),
        inputs: Inputs,
        reason: CompactionReason,
    ) -> Draft {
        let mut levels = vec![PlanLevel { level: start_level, files: inputs.start }];
        if !inputs.output.is_empty() {
            levels.push(PlanLevel { level: output_level, files: inputs.output });
        }
        let (score, compressed, trivial_move) = (0.0, true, false);
        Draft {
            start_level,
            output_level,
            output_path: 0,
            levels,
            reason,
            score,
            compressed,
            trivial_move,
        }
    }

    /// A compaction of files that stay on their level, or that are deleted.
    pub(super) fn within(level: usize, files: Files, reason: CompactionReason) -> Draft {
        Draft::of((level, level), Inputs { start: files, output: Files::new() }, reason)
    }
}

/// Turns a draft into a plan.
pub(super) fn plan_of(
    picker: &CompactionPicker,
    version: &Version,
    options: &ColumnFamilyOptions,
    shape: &LevelShape,
    draft: Draft,
) -> CompactionPlan {
    let Draft { start_level, output_level, levels, reason, score, compressed, .. } = draft;
    let largest_file = max_file_size(options);
    let is_leveled = options.compaction_style == CompactionStyle::Level;
    let mut plan = CompactionPlan {
        id: 0,
        cf_id: picker.cf_id,
        start_level,
        output_level,
        output_path: draft.output_path,
        grandparents: match is_leveled {
            true => grandparents(version, output_level, &levels),
            // Levels are merged as a whole, so there is nothing to align to.
            false => Files::new(),
        },
        // The output on level 0 must be one file.
        target_file_size: match output_level {
            0 => largest_file,
            _ => shape.targets.target_file_size(options, output_level),
        },
        max_file_size: largest_file,
        max_compaction_bytes: max_compaction_bytes(options),
        compression: match compressed {
            true => compression_for_level(version, options, output_level, shape.targets.base_level),
            false => CompressionType::None,
        },
        bottommost: !options.cf_allow_ingest_behind
            && is_bottommost(version, output_level, &levels),
        trivial_move: draft.trivial_move,
        deletion: matches!(reason, CompactionReason::FIFOMaxSize | CompactionReason::FIFOTtl),
        reason,
        score,
        inputs: levels,
    };
    plan.trivial_move &= partitions_allow_move(options, version, &plan);
    plan
}

/// Turns a choice into a plan.
pub(super) fn make_plan(
    picker: &CompactionPicker,
    version: &Version,
    options: &ColumnFamilyOptions,
    shape: &LevelShape,
    choice: Choice,
) -> CompactionPlan {
    let Choice { start_level, output_level, inputs, reason, score, rewrite, .. } = choice;
    let no_output_inputs = inputs.output.is_empty();
    let codec_now = match start_level {
        0 => compression_for_flush(options),
        level => compression_for_level(version, options, level, shape.targets.base_level),
    };
    let output_path = choice.output_path.unwrap_or_else(|| path_of_level(options, output_level));
    let draft = Draft::of((start_level, output_level), inputs, reason);
    let draft = Draft { score, output_path, ..draft };
    let mut plan = plan_of(picker, version, options, shape, draft);
    // A manual compaction may be intended to run the filter over the data.
    let filters = reason == CompactionReason::ManualCompaction && options.has_compaction_filter();
    plan.trivial_move = !rewrite
        && !filters
        && no_output_inputs
        && start_level != output_level
        && codec_now == plan.compression
        && plan.input_files().all(|(_, f)| f.path_id == output_path)
        && can_move(version, &plan)
        && partitions_allow_move(options, version, &plan);
    plan
}

fn grandparents(version: &Version, output_level: usize, inputs: &[PlanLevel]) -> Files {
    let all = inputs.iter().flat_map(|l| &l.files);
    let Some((smallest, largest)) = key_range(version.order(), all) else { return Files::new() };
    if output_level == 0 {
        return Files::new();
    }
    (output_level + 1..version.num_levels())
        .map(|level| version.overlapping_inputs(level, Some(smallest), Some(largest)))
        .find(|files| !files.is_empty())
        .unwrap_or_default()
}

/// Whether nothing older than the inputs is in their range.
fn is_bottommost(version: &Version, output_level: usize, inputs: &[PlanLevel]) -> bool {
    let order = version.order();
    let Some((smallest, largest)) = key_range(order, inputs.iter().flat_map(|l| &l.files)) else {
        return false;
    };
    let (begin, end) = (Some(smallest), Some(largest));
    let deeper = (output_level + 1..version.num_levels()).any(|l| version.overlaps(l, begin, end));
    let older_on_level0 = inputs.iter().filter(|l| l.level == 0).any(|l| {
        let is_input = |f: &FileMeta| l.files.iter().any(|i| i.number == f.number);
        // Newest first: files after the first input may be older.
        let rest = version.files(0).iter().skip_while(|f| !is_input(f));
        rest.filter(|f| !is_input(f)).any(|f| version.file_overlaps(f, begin, end))
    });
    !deeper && !older_on_level0
}

/// Whether the inputs, which overlap nothing on the output level, can be moved there unchanged:
/// they do not overlap each other, and will not make the next compaction too large.
fn can_move(version: &Version, plan: &CompactionPlan) -> bool {
    let order = version.order();
    let [PlanLevel { files, .. }] = &plan.inputs[..] else { return false };
    let mut by_key: Vec<&Arc<FileMeta>> = files.iter().collect();
    by_key.sort_by(|a, b| order.compare_user(a.smallest_user_key(), b.smallest_user_key()));
    let disjoint = by_key
        .windows(2)
        .all(|w| order.compare_user(w[0].largest_user_key(), w[1].smallest_user_key()).is_lt());
    let below = plan.output_level + 1;
    disjoint
        && files.iter().all(|f| {
            let (smallest, largest) = (f.smallest_user_key(), f.largest_user_key());
            let overlap = if below < version.num_levels() {
                version.overlapping_inputs(below, Some(smallest), Some(largest))
            } else {
                Files::new()
            };
            total_size(&overlap).saturating_add(f.file_size) <= plan.max_compaction_bytes
        })
}

/// Whether the partitioner would not divide any input.
fn partitions_allow_move(
    options: &ColumnFamilyOptions,
    version: &Version,
    plan: &CompactionPlan,
) -> bool {
    let is_full = plan.num_input_files() == version.all_files().count();
    partitioner(options, plan, version.order(), is_full).is_none_or(|mut partitioner| {
        plan.input_files().all(|(_, f)| {
            partitioner.can_do_trivial_move(f.smallest_user_key(), f.largest_user_key())
        })
    })
}
