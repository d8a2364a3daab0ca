//! Properties of a family's tree: estimates and lists.

use crate::catalog::ColumnFamilyState;
use std::fmt::Write;

const MIB: f64 = 1024.0 * 1024.0;

/// Returns the number of entries minus twice the number of tombstones, which is RocksDB's estimate.
pub(super) fn estimate_keys(cf: &ColumnFamilyState) -> u64 {
    let mut entries = cf.mem.num_entries();
    let mut deletes = cf.mem.num_deletes();
    for immutable in &cf.immutables {
        entries += immutable.mem.num_entries();
        deletes += immutable.mem.num_deletes();
    }
    for level in 0..cf.current.num_levels() {
        for file in cf.current.files(level) {
            entries += file.stats().num_entries;
            deletes += file.stats().num_deletions;
        }
    }
    entries.saturating_sub(2 * deletes)
}

/// Returns the number of files and the size of each level.
pub(super) fn level_stats(cf: &ColumnFamilyState) -> String {
    let mut out = String::from("Level Files Size(MB)\n--------------------\n");
    for level in 0..cf.current.num_levels() {
        let size = cf.current.level_bytes(level) as f64 / MIB;
        let _ = writeln!(out, "{level:3} {:8} {size:8.0}", cf.current.num_files(level));
    }
    out
}

/// Returns the list of all tables, level by level.
pub(super) fn tables_text(cf: &ColumnFamilyState) -> String {
    let mut out = String::new();
    let side = |key: &[u8]| {
        let (user, trailer) = key.split_at(key.len().saturating_sub(8));
        let hex: String = user.iter().map(|byte| format!("{byte:02X}")).collect();
        let kind = trailer.first().copied().unwrap_or(0);
        format!("'{hex}' seq:{}, type:{kind}", crate::base::key::sequence(key))
    };
    for level in 0..cf.current.num_levels() {
        let _ = writeln!(out, "--- level {level} --- version# {} ---", cf.memtables_made);
        for file in cf.current.files(level) {
            let _ = writeln!(
                out,
                " {}:{}[{} .. {}][{} .. {}]({})",
                file.number,
                file.file_size,
                file.smallest_seqno,
                file.largest_seqno,
                side(&file.smallest),
                side(&file.largest),
                file.oldest_blob_file_number
            );
        }
    }
    out
}

/// Returns the ratio of raw bytes to file bytes of a level; -1 if it has no files.
pub(super) fn compression_ratio(cf: &ColumnFamilyState, level: usize) -> f64 {
    let (mut raw, mut stored) = (0, 0);
    for file in cf.current.files(level) {
        raw += file.stats().raw_key_size + file.stats().raw_value_size;
        stored += file.file_size;
    }
    if stored == 0 { -1.0 } else { raw as f64 / stored as f64 }
}

/// Returns the total size of the files that no deeper or older file overlaps: RocksDB's estimate of live data.
pub(super) fn live_data_size(cf: &ColumnFamilyState) -> u64 {
    let order = cf.current.order();
    let mut counted: Vec<(&[u8], &[u8])> = Vec::new();
    let mut size = 0;
    for level in (0..cf.current.num_levels()).rev() {
        for file in cf.current.files(level) {
            let (first, last) = (file.smallest_user_key(), file.largest_user_key());
            // Ranges counted so far are disjoint and sorted.
            let at = counted.partition_point(|(_, end)| order.compare_user(end, first).is_lt());
            let overlaps =
                counted.get(at).is_some_and(|(start, _)| order.compare_user(start, last).is_le());
            if !overlaps {
                counted.insert(at, (first, last));
                size += file.file_size;
            }
        }
    }
    size
}
