//! Which options may change while a database is open, and how a change is judged: all of it counts,
//! or none.

use super::registry::OptionSet;
use super::{ColumnFamilyOptions, DbOptions, TableFactory};
use super::{sanitize_cf, sanitize_db, validate_cf, validate_db};
use crate::error::{Code, Error, Result};
use std::sync::Arc;

/// Options of a column family that `SetOptions` of RocksDB 10.10 changes, without `prefix_extractor`:
/// open tables and memtables are built around that.
pub const CHANGEABLE_CF: &[&str] = &[
    "block_based_table_factory",
    "plain_table_factory",
    "write_buffer_size",
    "max_write_buffer_number",
    "level0_file_num_compaction_trigger",
    "level0_slowdown_writes_trigger",
    "level0_stop_writes_trigger",
    "target_file_size_base",
    "target_file_size_multiplier",
    "max_bytes_for_level_base",
    "max_bytes_for_level_multiplier",
    "max_bytes_for_level_multiplier_additional",
    "max_compaction_bytes",
    "soft_pending_compaction_bytes_limit",
    "hard_pending_compaction_bytes_limit",
    "disable_auto_compactions",
    "compression",
    "compression_per_level",
    "bottommost_compression",
    "compression_opts",
    "bottommost_compression_opts",
    "memtable_prefix_bloom_size_ratio",
    "memtable_whole_key_filtering",
    "arena_block_size",
    "max_successive_merges",
    "max_sequential_skip_in_iterations",
    "paranoid_file_checks",
    "ttl",
    "periodic_compaction_seconds",
    "memtable_protection_bytes_per_key",
    "report_bg_io_stats",
    "memtable_huge_page_size",
    "inplace_update_num_locks",
    "ignore_max_compaction_bytes_for_input",
    "check_flush_compaction_key_order",
    "sample_for_compression",
    "experimental_mempurge_threshold",
    "preserve_internal_time_seconds",
    "last_level_temperature",
    "compaction_options_fifo",
    "compaction_options_universal",
    "enable_blob_files",
    "min_blob_size",
    "blob_file_size",
    "blob_compression_type",
    "enable_blob_garbage_collection",
    "blob_garbage_collection_age_cutoff",
    "blob_garbage_collection_force_threshold",
    "blob_compaction_readahead_size",
    "blob_file_starting_level",
    "prepopulate_blob_cache",
    "preclude_last_level_data_seconds",
    "verify_output_flags",
    "target_file_size_is_upper_bound",
    "strict_max_successive_merges",
    "default_write_temperature",
    "bottommost_file_compaction_delay",
    "uncache_aggressiveness",
    "block_protection_bytes_per_key",
    "paranoid_memory_checks",
    "memtable_veirfy_per_key_checksum_on_seek",
    "memtable_max_range_deletions",
    "memtable_op_scan_flush_trigger",
    "memtable_avg_op_scan_flush_trigger",
    "compression_manager",
    "bottommost_temperature",
    "expanded_compaction_factor",
    "filter_deletes",
    "hard_rate_limit",
    "max_grandparent_overlap_factor",
    "memtable_prefix_bloom_bits",
    "memtable_prefix_bloom_huge_page_tlb_size",
    "memtable_prefix_bloom_probes",
    "min_partial_merge_operands",
    "snap_refresh_nanos",
    "soft_rate_limit",
    "source_compaction_factor",
    "verify_checksums_in_compaction",
];

/// Options of the whole database that `SetDBOptions` of RocksDB 10.10 changes.
pub const CHANGEABLE_DB: &[&str] = &[
    "allow_os_buffer",
    "base_background_compactions",
    "max_background_jobs",
    "max_background_compactions",
    "max_background_flushes",
    "max_subcompactions",
    "avoid_flush_during_shutdown",
    "writable_file_max_buffer_size",
    "delayed_write_rate",
    "max_total_wal_size",
    "delete_obsolete_files_period_micros",
    "stats_dump_period_sec",
    "stats_persist_period_sec",
    "stats_history_buffer_size",
    "max_open_files",
    "bytes_per_sync",
    "wal_bytes_per_sync",
    "strict_bytes_per_sync",
    "compaction_readahead_size",
    "daily_offpeak_time_utc",
];

/// The options after a change, and a sentence for each value that was moved to a sensible one.
pub type Changed<T> = (T, Vec<String>);

/// Options of an open column family with changes, which are pairs of name and value.
pub fn change_cf(
    options: &ColumnFamilyOptions,
    changes: &[(&str, &str)],
) -> Result<Changed<ColumnFamilyOptions>> {
    if changes.is_empty() {
        return Err(Error::invalid_argument("empty input"));
    }
    let mut changed = options.clone();
    for (name, value) in changes {
        change_one(&mut changed, name, value)?;
    }
    keep_block_cache(options, &changed)?;
    validate_cf(&changed)?;
    let moved = sanitize_cf(&mut changed);
    Ok((changed, moved))
}

/// Options of an open database with changes.
pub fn change_db(options: &DbOptions, changes: &[(&str, &str)]) -> Result<Changed<DbOptions>> {
    if changes.is_empty() {
        return Err(Error::invalid_argument("empty input"));
    }
    let mut changed = options.clone();
    for (name, value) in changes {
        match DbOptions::row(name) {
            Some(row) if CHANGEABLE_DB.contains(name) => {
                row.set(&mut changed, value).map_err(|e| unreadable(name, &e))?;
            }
            _ => return Err(Error::new(Code::NotFound, format!("Unrecognized option: {name}"))),
        }
    }
    if changed.bytes_per_sync == 0 {
        changed.bytes_per_sync = 1 << 20;
    }
    if (options.max_open_files == -1) != (changed.max_open_files == -1) {
        return Err(Error::not_supported(
            "option max_open_files: a change from or to -1 while the database is open",
        ));
    }
    validate_db(&changed)?;
    let moved = sanitize_db(&mut changed);
    Ok((changed, moved))
}

/// A name may lead into a part: `compression_opts.level`.
fn change_one(options: &mut ColumnFamilyOptions, name: &str, value: &str) -> Result<()> {
    let (outer, nested) = match name.split_once('.') {
        Some((outer, inner)) => (outer, Some(format!("{inner}={value}"))),
        None => (name, None),
    };
    let outer = match (outer, &options.table_factory) {
        ("table_factory", TableFactory::BlockBased(_)) => "block_based_table_factory",
        ("table_factory", TableFactory::Plain(_)) => "plain_table_factory",
        _ => outer,
    };
    let other_format = match &options.table_factory {
        TableFactory::BlockBased(_) => outer == "plain_table_factory",
        TableFactory::Plain(_) => outer == "block_based_table_factory",
        TableFactory::Cuckoo(_) => outer.ends_with("_table_factory"),
    };
    let row = ColumnFamilyOptions::row(outer)
        .ok_or_else(|| Error::invalid_argument(format!("Extra option not recognized: {name}")))?;
    if other_format && matches!(outer, "plain_table_factory" | "block_based_table_factory") {
        let have = options.table_factory.name();
        return Err(Error::invalid_argument(format!("Cannot modify {have} as {name}")));
    }
    if !CHANGEABLE_CF.contains(&outer) || other_format {
        return Err(Error::invalid_argument(format!("Option not changeable: {name}")));
    }
    row.set(options, nested.as_deref().unwrap_or(value)).map_err(|e| unreadable(name, &e))
}

fn unreadable(name: &str, e: &Error) -> Error {
    match e.code() {
        Code::NotSupported => e.clone(),
        _ if e.message().starts_with("option ") => {
            Error::invalid_argument(format!("Error parsing {name}:{}", e.message()))
        }
        _ => e.clone(),
    }
}

/// Open tables keep their blocks in the cache that they were opened with.
fn keep_block_cache(old: &ColumnFamilyOptions, new: &ColumnFamilyOptions) -> Result<()> {
    let (TableFactory::BlockBased(old), TableFactory::BlockBased(new)) =
        (&old.table_factory, &new.table_factory)
    else {
        return Ok(());
    };
    let same = match (&old.block_cache, &new.block_cache) {
        (Some(old), Some(new)) => Arc::ptr_eq(old, new),
        (None, None) => true,
        _ => false,
    };
    if same && old.no_block_cache == new.no_block_cache {
        return Ok(());
    }
    Err(Error::not_supported("changing the block cache while the database is open"))
}

#[cfg(test)]
#[path = "change_test.rs"]
mod tests;
