//! The FIFO policy: the oldest files are deleted when the total size is too large, or when they are too old. Snapshots
//! do not keep them. With `allow_compaction`, small files of level 0 are merged.
//!
//! A database that used the leveled policy before has files on deeper levels. When the total size is too large, these
//! are deleted first: the deepest level before the others, and each level in key order.

use super::CompactionPicker;
use super::draft::Draft;
use super::due::PickContext;
use super::inputs::{Files, any_being_compacted, cheap_to_merge, total_size};
use crate::compaction::plan::CompactionReason;
use crate::options::ColumnFamilyOptions;
use crate::version::{FileMeta, Version};
use std::sync::Arc;

/// Chooses the next action. There is one at a time, since deleting files is fast.
pub(super) fn choose(
    picker: &CompactionPicker,
    version: &Version,
    options: &ColumnFamilyOptions,
    context: &PickContext,
) -> Option<Draft> {
    if picker.num_running() > 0 {
        return None;
    }
    too_old(version, options, context)
        .or_else(|| too_large(version, options))
        .or_else(|| small_ones(version, options))
}

/// The latest time at which data of the file can have been written; 0 if unknown.
fn newest_time(file: &FileMeta) -> u64 {
    match file.file_creation_time {
        0 => file.oldest_ancestor_time,
        time => time,
    }
}

/// Files older than `ttl`, unless the remaining files are still too large: then size decides.
fn too_old(
    version: &Version,
    options: &ColumnFamilyOptions,
    context: &PickContext,
) -> Option<Draft> {
    let limit = context.now.checked_sub(options.ttl).filter(|_| options.ttl > 0)?;
    let files = version.files(0);
    let is_old = |f: &&Arc<FileMeta>| newest_time(f) > 0 && newest_time(f) < limit;
    let count = files.iter().rev().take_while(is_old).count();
    let (rest, old) = files.split_at(files.len() - count);
    let fits = total_size(rest) <= options.compaction_options_fifo.max_table_files_size;
    if old.is_empty() || !fits {
        return None;
    }
    drop_files(0, old.to_vec(), CompactionReason::FIFOTtl)
}

/// The oldest files, until the remaining size is within the limit.
fn too_large(version: &Version, options: &ColumnFamilyOptions) -> Option<Draft> {
    let limit = options.compaction_options_fifo.max_table_files_size;
    let mut total = version.all_files().fold(0u64, |sum, (_, f)| sum.saturating_add(f.file_size));
    let level = version.deepest_level()?;
    let mut take = |f: &&Arc<FileMeta>| {
        let too_large = total > limit;
        total = total.saturating_sub(f.file_size);
        too_large
    };
    let files = version.files(level).iter();
    let mut oldest: Files = match level {
        0 => files.rev().take_while(&mut take).cloned().collect(),
        _ => files.take_while(&mut take).cloned().collect(),
    };
    if level == 0 {
        oldest.reverse();
    }
    drop_files(level, oldest, CompactionReason::FIFOMaxSize)
}

fn drop_files(level: usize, files: Files, reason: CompactionReason) -> Option<Draft> {
    if files.is_empty() || any_being_compacted(&files) {
        return None;
    }
    Some(Draft::within(level, files, reason))
}

/// With `allow_compaction`, small files of level 0, to reduce their number. The result should not be larger than a
/// flushed memtable's file, or its data would outlive its time.
fn small_ones(version: &Version, options: &ColumnFamilyOptions) -> Option<Draft> {
    if !options.compaction_options_fifo.allow_compaction || version.deepest_level()? > 0 {
        return None;
    }
    let least = options.level0_file_num_compaction_trigger.max(2) as usize;
    let buffer = options.write_buffer_size as f64 * 1.1;
    let (files, per_file) = cheap_to_merge(version.files(0), options.max_compaction_bytes);
    let worth = files.len() >= least && (per_file as f64) < buffer;
    worth.then(|| Draft::within(0, files, CompactionReason::FIFOReduceNumFiles))
}
