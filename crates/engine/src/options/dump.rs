//! The options in force, in the form that RocksDB prints into LOG at open.
//!
//! The row of an option specifies how LOG shows it. This file assembles the lines, and has the lines with a special
//! form.

use super::registry::TextForm;
use super::{
    BlockBasedTableOptions, ColumnFamilyOptions, CompressionOptions, DbOptions, OptionSet,
    TableFactory,
};
use std::fmt::Display;
use std::sync::Arc;

/// Returns the lines of the database's options.
pub fn dump_db_options(db: &DbOptions) -> Vec<String> {
    lines("Options.", db)
}

/// Returns the lines of a column family's options. The line of a table factory's options contains line breaks.
pub fn dump_cf_options(cf: &ColumnFamilyOptions) -> Vec<String> {
    lines("Options.", cf)
}

fn lines<T: OptionSet>(path: &str, options: &T) -> Vec<String> {
    T::rows().iter().flat_map(|row| row.in_log(path, options)).collect()
}

/// Returns the lines of the named options of the part `part`: RocksDB prints them in a different order than in their
/// text form.
fn part_lines<T: OptionSet>(part: &str, options: &T, names: &[&str]) -> Vec<String> {
    let path = format!("Options.{part}.");
    let rows = names.iter().filter_map(|name| T::row(name));
    rows.flat_map(|row| row.in_log(&path, options)).collect()
}

fn line(spaces: usize, name: &str, value: impl Display) -> String {
    format!("{:spaces$}Options.{name}: {value}", "")
}

/// Returns an object's address, as `%p` prints it.
fn pointer<T: ?Sized>(object: Option<&Arc<T>>) -> String {
    object.map_or("(nil)".to_owned(), |o| format!("{:p}", Arc::as_ptr(o)))
}

/// Returns the text form of a component, or `None`.
pub(super) fn or_none(component: &impl TextForm) -> String {
    match component.to_text() {
        name if matches!(name.as_str(), "nullptr" | "") => "None".to_owned(),
        name => name,
    }
}

/// Returns the lines of `env`, and of the file system and logger that RocksDB takes from it.
pub(super) fn environment(_: &DbOptions) -> Vec<String> {
    vec![line(36, "env", "0x1"), line(37, "fs", "PosixFileSystem"), line(31, "info_log", "0x1")]
}

pub(super) fn statistics(db: &DbOptions) -> Vec<String> {
    let mut lines = vec![line(29, "statistics", pointer(db.statistics.as_ref()))];
    if let Some(statistics) = &db.statistics {
        lines.push(line(29, "statistics stats level", statistics.level() as u8));
    }
    lines
}

/// Returns the lines of `db_write_buffer_size` and of its manager.
pub(super) fn memtable_memory(db: &DbOptions) -> Vec<String> {
    let manager = pointer(db.components.write_buffer_manager.as_ref());
    vec![
        line(19, "db_write_buffer_size", db.db_write_buffer_size),
        line(19, "write_buffer_manager", manager),
    ]
}

/// Returns the lines of `rate_limiter` and of the delete rate.
pub(super) fn write_rates(db: &DbOptions) -> Vec<String> {
    let manager = db.components.sst_file_manager.as_ref();
    let rate = manager.map_or(0, |manager| manager.delete_rate_bytes_per_second());
    vec![
        line(27, "rate_limiter", pointer(db.rate_limiter.as_ref())),
        line(4, "sst_file_manager.rate_bytes_per_sec", rate),
    ]
}

pub(super) fn row_cache(db: &DbOptions) -> String {
    pointer(db.row_cache.as_ref()).replace("(nil)", "None")
}

/// Returns the line of `delayed_write_rate`. RocksDB has a space before this colon.
pub(super) fn delayed_write_rate(db: &DbOptions) -> Vec<String> {
    vec![line(12, "delayed_write_rate ", db.delayed_write_rate)]
}

pub(super) fn merge_operator(cf: &ColumnFamilyOptions) -> String {
    cf.merge_operator.as_ref().map_or("None", |m| m.name()).to_owned()
}

/// Returns the line of the codec, or those of the levels if they have their own.
pub(super) fn compression(cf: &ColumnFamilyOptions) -> Vec<String> {
    if cf.compression_per_level.is_empty() {
        return vec![line(9, "compression", cf.compression.name())];
    }
    let levels = cf.compression_per_level.iter().enumerate();
    levels.map(|(level, codec)| line(7, &format!("compression[{level}]"), codec.name())).collect()
}

pub(super) fn bottommost_compression(cf: &ColumnFamilyOptions) -> String {
    cf.bottommost_compression.map_or("Disabled", |codec| codec.name()).to_owned()
}

pub(super) fn compression_opts(cf: &ColumnFamilyOptions) -> Vec<String> {
    const ORDER: [&str; 9] = [
        "window_bits",
        "level",
        "strategy",
        "max_dict_bytes",
        "zstd_max_train_bytes",
        "use_zstd_dict_trainer",
        "parallel_threads",
        "enabled",
        "max_dict_buffer_bytes",
    ];
    part_lines("compression_opts", &cf.compression_opts, &ORDER)
}

pub(super) fn bottommost_compression_opts(cf: &ColumnFamilyOptions) -> Vec<String> {
    const ORDER: [&str; 9] = [
        "window_bits",
        "level",
        "strategy",
        "max_dict_bytes",
        "zstd_max_train_bytes",
        "parallel_threads",
        "enabled",
        "max_dict_buffer_bytes",
        "use_zstd_dict_trainer",
    ];
    let options: &CompressionOptions = &cf.bottommost_compression_opts;
    part_lines("bottommost_compression_opts", options, &ORDER)
}

pub(super) fn universal_compaction(cf: &ColumnFamilyOptions) -> Vec<String> {
    const ORDER: [&str; 8] = [
        "size_ratio",
        "min_merge_width",
        "max_merge_width",
        "max_size_amplification_percent",
        "compression_size_percent",
        "stop_style",
        "max_read_amp",
        "reduce_file_locking",
    ];
    part_lines("compaction_options_universal", &cf.compaction_options_universal, &ORDER)
}

pub(super) fn fifo_compaction(cf: &ColumnFamilyOptions) -> Vec<String> {
    const ORDER: [&str; 2] = ["max_table_files_size", "allow_compaction"];
    part_lines("compaction_options_fifo", &cf.compaction_options_fifo, &ORDER)
}

/// Returns the collectors; empty if there are none.
pub(super) fn table_properties_collectors(cf: &ColumnFamilyOptions) -> String {
    cf.compact_on_deletion.to_text().replace("{}", "")
}

pub(super) fn level_factors(cf: &ColumnFamilyOptions) -> Vec<String> {
    let factor =
        |level| cf.max_bytes_for_level_multiplier_additional.get(level).copied().unwrap_or(1);
    let name = |level| format!("max_bytes_for_level_multiplier_addtl[{level}]");
    let levels = 0..cf.num_levels.max(0) as usize;
    levels.map(|level| line(0, &name(level), factor(level))).collect()
}

/// The value of two options that lets the engine choose.
const ENGINE_CHOOSES: u64 = u64::MAX - 1;

/// Returns `ttl`, with the value that RocksDB shows if the engine chooses.
pub(super) fn ttl(cf: &ColumnFamilyOptions) -> String {
    let month = 30 * 24 * 60 * 60;
    if cf.ttl == ENGINE_CHOOSES { month.to_string() } else { cf.ttl.to_string() }
}

/// Returns `periodic_compaction_seconds`, with the value that RocksDB shows if the engine chooses.
pub(super) fn periodic_compaction_seconds(cf: &ColumnFamilyOptions) -> String {
    let seconds = cf.periodic_compaction_seconds;
    if seconds == ENGINE_CHOOSES { "0".to_owned() } else { seconds.to_string() }
}

/// Returns the format and its options.
pub(super) fn table_factory(cf: &ColumnFamilyOptions) -> Vec<String> {
    let options = match &cf.table_factory {
        TableFactory::BlockBased(table) => {
            lines("", table).iter().map(|line| format!("{line}\n")).collect()
        }
        TableFactory::Plain(table) => every_option(table),
        TableFactory::Cuckoo(table) => every_option(table),
    };
    vec![
        line(11, "table_factory", cf.table_factory.name()),
        format!("           table_factory options: {options}"),
    ]
}

fn every_option<T: OptionSet>(table: &T) -> String {
    T::rows().iter().map(|row| format!("  {}: {}\n", row.name, row.get(table))).collect()
}

/// Returns the cache, and the details that RocksDB prints about it.
pub(super) fn block_cache(table: &BlockBasedTableOptions) -> Vec<String> {
    let cache = table.block_cache.as_ref();
    let is_strict = cache.is_some_and(|c| c.has_strict_capacity_limit());
    vec![
        format!("  block_cache: {}", pointer(cache)),
        format!("  block_cache_name: {}", cache.map_or("None", |c| c.name())),
        "  block_cache_options:".to_owned(),
        format!("    capacity : {}", cache.map_or(0, |c| c.capacity())),
        format!("    num_shard_bits : {}", cache.map_or(0, |c| c.shard_bits())),
        format!("    strict_capacity_limit : {}", u8::from(is_strict)),
        "    memory_allocator : None".to_owned(),
    ]
}

#[cfg(test)]
#[path = "dump_test.rs"]
mod tests;
