//! The options in force, as RocksDB prints them into LOG at open.

use super::dump_lines::{CF_LINES, DB_LINES, Line, TABLE_LINES};
use super::parse::{split_pairs, unbrace};
use super::{BlockBasedTableOptions, ColumnFamilyOptions, DbOptions, OptionSet, TableFactory};
use crate::compress::CompressionType;
use std::sync::Arc;

fn codec(compression: CompressionType) -> String {
    compression.name().to_owned()
}

/// The value of two options that asks the engine to choose.
const ENGINE_CHOOSES: u64 = u64::MAX - 1;

/// An object's place, as `%p` prints it.
fn pointer<T: ?Sized>(object: Option<&Arc<T>>) -> String {
    object.map_or("(nil)".to_owned(), |o| format!("{:p}", Arc::as_ptr(o)))
}

/// The value of an option of `set`, or of a part of one (`compression_opts.level`).
fn stored<T: OptionSet>(set: &T, name: &str, words: bool) -> String {
    let value = set.get_option(name).or_else(|| {
        let (whole, part) = name.split_once('.')?;
        let whole = set.get_option(whole)?;
        let pairs = split_pairs(unbrace(&whole)).ok()?;
        pairs.into_iter().find(|(key, _)| *key == part).map(|(_, value)| value.to_owned())
    });
    match value.as_deref() {
        Some("true") if !words => "1".to_owned(),
        Some("false") if !words => "0".to_owned(),
        value => value.unwrap_or_default().to_owned(),
    }
}

fn or_none(name: String) -> String {
    if matches!(name.as_str(), "nullptr" | "") { "None".to_owned() } else { name }
}

fn db_value(db: &DbOptions, name: &str, words: bool) -> String {
    match name {
        "env" => "0x1".to_owned(),
        "fs" => "PosixFileSystem".to_owned(),
        "info_log" => "0x1".to_owned(),
        "statistics" => pointer(db.statistics.as_ref()),
        "write_buffer_manager" => pointer(db.write_buffer_manager.as_ref()),
        "rate_limiter" => pointer(db.rate_limiter.as_ref()),
        "sst_file_manager.rate_bytes_per_sec" => {
            let manager = db.sst_file_manager.as_ref();
            manager.map_or(0, |manager| manager.delete_rate_bytes_per_second()).to_string()
        }
        "wal_recovery_mode" => (db.wal_recovery_mode as u8).to_string(),
        "wal_compression" => (db.wal_compression as u8).to_string(),
        "row_cache" => pointer(db.row_cache.as_ref()).replace("(nil)", "None"),
        "wal_filter" => "None".to_owned(),
        "file_checksum_gen_factory" => "Unknown".to_owned(),
        "delayed_write_rate" => db.delayed_write_rate.to_string(),
        _ => stored(db, name, words),
    }
}

fn cf_value(cf: &ColumnFamilyOptions, name: &str, words: bool) -> String {
    match name {
        "comparator" => cf.comparator.name().to_owned(),
        "merge_operator" => cf.merge_operator.as_ref().map_or("None", |m| m.name()).to_owned(),
        "compaction_filter" | "compaction_filter_factory" | "sst_partitioner_factory" => {
            or_none(stored(cf, name, words))
        }
        "memtable_factory" => cf.memtable_factory.name().to_owned(),
        "table_factory" => cf.table_factory.name().to_owned(),
        "prefix_extractor" => {
            cf.prefix_extractor.as_ref().map_or("nullptr", |p| p.name()).to_owned()
        }
        "compression" => codec(cf.compression),
        "bottommost_compression" => cf.bottommost_compression.map_or("Disabled".to_owned(), codec),
        // What RocksDB makes of "the engine chooses".
        "ttl" if cf.ttl == ENGINE_CHOOSES => (30 * 24 * 60 * 60).to_string(),
        "periodic_compaction_seconds" if cf.periodic_compaction_seconds == ENGINE_CHOOSES => {
            "0".to_owned()
        }
        "compaction_options_universal.max_read_amp" => {
            cf.compaction_options_universal.max_read_amp.to_string()
        }
        "compaction_options_universal.reduce_file_locking" => {
            u8::from(cf.compaction_options_universal.reduce_file_locking).to_string()
        }
        "table_properties_collectors" => stored(cf, name, words).replace("{}", ""),
        "blob_compression_type" => codec(cf.blob_compression_type),
        _ => stored(cf, name, words),
    }
}

fn table_value(table: &BlockBasedTableOptions, name: &str) -> String {
    let cache = table.block_cache.as_ref();
    match name {
        "flush_block_policy_factory" => "FlushBlockBySizePolicyFactory (0x1)".to_owned(),
        "index_type" => (table.index_type as u8).to_string(),
        "data_block_index_type" => (table.data_block_index_type as u8).to_string(),
        "index_shortening" => (table.index_shortening as u8).to_string(),
        "checksum" => (table.checksum as u8).to_string(),
        "prepopulate_block_cache" => (table.prepopulate_block_cache as u8).to_string(),
        "data_block_hash_table_util_ratio" => {
            format!("{:.6}", table.data_block_hash_table_util_ratio)
        }
        "block_cache" => pointer(cache),
        "block_cache_name" => cache.map_or("None", |c| c.name()).to_owned(),
        "capacity" => cache.map_or(0, |c| c.capacity()).to_string(),
        "strict_capacity_limit" => {
            u8::from(cache.is_some_and(|c| c.has_strict_capacity_limit())).to_string()
        }
        "num_shard_bits" => cache.map_or(0, |c| c.shard_bits()).to_string(),
        "memory_allocator" => "None".to_owned(),
        "persistent_cache" => "(nil)".to_owned(),
        "block_cache_options" => String::new(),
        _ => stored(table, name, false),
    }
}

/// The lines of the database's options.
pub fn dump_db_options(db: &DbOptions) -> Vec<String> {
    let mut lines = Vec::with_capacity(DB_LINES.len() + 1);
    for Line(head, name, words) in DB_LINES {
        lines.push(format!("{head}{}", db_value(db, name, *words)));
        if let ("statistics", Some(statistics)) = (*name, &db.statistics) {
            let level = statistics.level() as u8;
            lines.push(format!(
                "                             Options.statistics stats level: {level}"
            ));
        }
    }
    lines
}

/// The lines of a column family's options. The one of a table factory's options has line breaks.
pub fn dump_cf_options(cf: &ColumnFamilyOptions) -> Vec<String> {
    let mut lines = Vec::with_capacity(CF_LINES.len() + 8);
    for Line(head, name, words) in CF_LINES {
        if name.starts_with("max_bytes_for_level_multiplier_addtl") {
            for level in 0..cf.num_levels.max(0) as usize {
                let factor = cf.max_bytes_for_level_multiplier_additional.get(level).unwrap_or(&1);
                lines.push(format!(
                    "Options.max_bytes_for_level_multiplier_addtl[{level}]: {factor}"
                ));
            }
            continue;
        }
        if *name == "compression" && !cf.compression_per_level.is_empty() {
            for (level, compression) in cf.compression_per_level.iter().enumerate() {
                let compression = codec(*compression);
                lines.push(format!("       Options.compression[{level}]: {compression}"));
            }
            continue;
        }
        lines.push(format!("{head}{}", cf_value(cf, name, *words)));
        if *name == "table_factory" {
            lines.push(format!(
                "           table_factory options: {}",
                table_text(&cf.table_factory)
            ));
        }
    }
    lines
}

fn table_text(factory: &TableFactory) -> String {
    fn rows<T: OptionSet>(set: &T) -> String {
        T::rows().iter().map(|row| format!("  {}: {}\n", row.name, row.get(set))).collect()
    }
    let table = match factory {
        TableFactory::BlockBased(table) => table,
        TableFactory::Plain(table) => return rows(table),
        TableFactory::Cuckoo(table) => return rows(table),
    };
    let mut out = String::new();
    for (i, Line(head, name, _)) in TABLE_LINES.iter().enumerate() {
        let indent = if i == 0 { "  " } else { "" };
        out.push_str(&format!("{indent}{head}{}\n", table_value(table, name)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_value() {
        let mut cf = ColumnFamilyOptions::default();
        super::super::sanitize_cf(&mut cf);
        let db = dump_db_options(&DbOptions::default());
        for line in db.iter().chain(&dump_cf_options(&cf)) {
            let empty = line.ends_with(": ");
            let may =
                ["daily_offpeak_time_utc", "wal_dir", "db_log_dir", "table_properties_collectors"];
            assert!(!empty || may.iter().any(|name| line.contains(name)), "{line:?}");
        }
        let has = |line: &str| dump_cf_options(&cf).iter().any(|l| l.ends_with(line));
        assert!(has(" Options.compression: Snappy") && has("Options.ttl: 2592000"));
        assert!(has("Options.max_bytes_for_level_multiplier_addtl[6]: 1"));
        let table = dump_cf_options(&cf).into_iter().find(|l| l.contains("table_factory options"));
        let table = table.unwrap();
        assert!(table.contains("\n  cache_index_and_filter_blocks: 0\n"), "{table}");
        assert!(table.contains("\n  data_block_hash_table_util_ratio: 0.750000\n"), "{table}");
    }
}
