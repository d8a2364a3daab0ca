//! The order in which the files of a level are compacted.

use super::shape::AverageValue;
use crate::base::KeyOrder;
use crate::options::CompactionPri;
use crate::version::{FileMeta, Version};
use std::sync::Arc;

/// The indexes of the files of `level`, best first. `RoundRobin` continues after the key `cursor`.
pub(super) fn by_priority(
    version: &Version,
    level: usize,
    priority: CompactionPri,
    cursor: Option<&[u8]>,
) -> Vec<usize> {
    let files = version.files(level);
    let mut indexes: Vec<usize> = (0..files.len()).collect();
    if level == 0 {
        // Oldest first: files that overlap it are added anyway.
        indexes.reverse();
        return indexes;
    }
    match priority {
        CompactionPri::ByCompensatedSize => {
            let average = AverageValue::of(version);
            indexes.sort_by_key(|i| std::cmp::Reverse(average.compensated_size(&files[*i])));
        }
        CompactionPri::OldestLargestSeqFirst => indexes.sort_by_key(|i| files[*i].largest_seqno),
        CompactionPri::OldestSmallestSeqFirst => indexes.sort_by_key(|i| files[*i].smallest_seqno),
        CompactionPri::MinOverlappingRatio => {
            let average = AverageValue::of(version);
            let below = version.files(level + 1);
            let overlaps = overlapping_bytes(version.order(), files, below);
            let ratio = |i: &usize| {
                overlaps[*i] as f64 / average.compensated_size(&files[*i]).max(1) as f64
            };
            indexes.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)));
        }
        CompactionPri::RoundRobin => {
            let order = version.order();
            let done = cursor.map_or(0, |cursor| {
                files.partition_point(|f| order.compare_user(f.smallest_user_key(), cursor).is_le())
            });
            indexes.rotate_left(done % files.len().max(1));
        }
    }
    indexes
}

/// For each file of `above`, the total size of the files of `below` that it overlaps. Both are
/// sorted, so one pass over both suffices.
fn overlapping_bytes(
    order: &KeyOrder,
    above: &[Arc<FileMeta>],
    below: &[Arc<FileMeta>],
) -> Vec<u64> {
    let mut first = 0;
    let overlap = |file: &Arc<FileMeta>| {
        let ends_before = |f: &Arc<FileMeta>| {
            order.compare_user(f.largest_user_key(), file.smallest_user_key()).is_lt()
        };
        while below.get(first).is_some_and(ends_before) {
            first += 1;
        }
        let starts_inside = |f: &&Arc<FileMeta>| {
            order.compare_user(f.smallest_user_key(), file.largest_user_key()).is_le()
        };
        below[first..].iter().take_while(starts_inside).map(|f| f.file_size).sum()
    };
    above.iter().map(overlap).collect()
}
