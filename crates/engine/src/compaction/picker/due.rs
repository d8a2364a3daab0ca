//! Files that are due for compaction because of their age, or because a snapshot was released.

use super::shape::last_level;
use crate::base::SeqNo;
use crate::options::ColumnFamilyOptions;
use crate::version::{FileMeta, Version};
use std::sync::Arc;

/// The inputs of a pick besides version and options.
#[derive(Clone, Copy, Debug, Default)]
pub struct PickContext {
    /// The current time in seconds since 1970.
    pub now: u64,
    /// The oldest snapshot at the time when one was last released, or the visible sequence number if none was left; 0
    /// if none was ever released.
    pub oldest_snapshot: SeqNo,
}

/// A file and its level.
pub(super) type Found<'a> = (usize, &'a Arc<FileMeta>);

/// Files on the last level of their range with data that only a released snapshot needed: sequence
/// numbers, tombstones, hidden entries.
pub(super) fn bottommost<'a>(
    version: &'a Version,
    options: &ColumnFamilyOptions,
    context: &PickContext,
) -> impl Iterator<Item = Found<'a>> {
    let (oldest_snapshot, now) = (context.oldest_snapshot, context.now);
    let delay = u64::from(options.bottommost_file_compaction_delay);
    // Older data may be ingested below at any time.
    let keeps_history = options.cf_allow_ingest_behind;
    version.all_files().filter(move |(level, f)| {
        let old_enough = delay == 0 || f.file_creation_time <= now.saturating_sub(delay);
        !keeps_history
            && f.largest_seqno != 0
            && f.largest_seqno < oldest_snapshot
            && !f.is_being_compacted()
            && old_enough
            && is_bottommost(version, *level, f)
    })
}

/// The smallest sequence number that a released snapshot must reach for `bottommost` to find
/// further files.
pub fn bottommost_threshold(version: &Version, context: &PickContext) -> SeqNo {
    let waits = |f: &FileMeta| f.largest_seqno != 0 && f.largest_seqno >= context.oldest_snapshot;
    let files =
        version.all_files().filter(|(level, f)| waits(f) && is_bottommost(version, *level, f));
    files.map(|(_, f)| f.largest_seqno).min().unwrap_or(SeqNo::MAX)
}

/// Whether no older file can contain keys of this file.
fn is_bottommost(version: &Version, level: usize, file: &FileMeta) -> bool {
    if level == 0 {
        let oldest = version.files(0).last().is_some_and(|f| f.number == file.number);
        return oldest && version.deepest_level() == Some(0);
    }
    let (begin, end) = (Some(file.smallest_user_key()), Some(file.largest_user_key()));
    !(level + 1..version.num_levels()).any(|l| version.overlaps(l, begin, end))
}

/// Files above the deepest level whose oldest data is older than `ttl`. They should move down,
/// where the entries that they hide can be dropped.
pub(super) fn expired<'a>(
    version: &'a Version,
    options: &ColumnFamilyOptions,
    context: &PickContext,
) -> impl Iterator<Item = Found<'a>> {
    let limit = context.now.checked_sub(options.ttl).filter(|_| options.ttl > 0).unwrap_or(0);
    let deepest = version.deepest_level().unwrap_or(0).min(last_level(version, options));
    version.all_files().filter(move |(level, f)| {
        let oldest = f.oldest_ancestor_time;
        *level < deepest && oldest > 0 && oldest < limit && !f.is_being_compacted()
    })
}

/// Files that were written more than `periodic_compaction_seconds` ago.
pub(super) fn periodic<'a>(
    version: &'a Version,
    options: &ColumnFamilyOptions,
    context: &PickContext,
) -> impl Iterator<Item = Found<'a>> {
    let period = options.periodic_compaction_seconds;
    let limit = context.now.checked_sub(period).filter(|_| period > 0).unwrap_or(0);
    let last = last_level(version, options);
    version.all_files().filter(move |(level, f)| {
        let written = match f.file_creation_time {
            0 => f.oldest_ancestor_time,
            time => time,
        };
        *level <= last && written > 0 && written < limit && !f.is_being_compacted()
    })
}

/// Files marked for compaction, above the last level with data.
pub(super) fn marked<'a>(
    version: &'a Version,
    options: &ColumnFamilyOptions,
) -> impl Iterator<Item = Found<'a>> {
    let deepest = version.deepest_level().unwrap_or(0).min(last_level(version, options));
    version.all_files().filter(move |(level, f)| {
        let marked = f.marked_for_compaction || f.is_compaction_suggested();
        marked && *level < deepest && !f.is_being_compacted()
    })
}
