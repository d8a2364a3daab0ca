//! Validates and adjusts settings before a database opens. Combinations of database and family options are checked in
//! `open/checks.rs`.
//!
//! The functions `validate_*` refuse settings that would give wrong results, impossible settings, and settings that the
//! engine does not support. Messages name the option, the value and the allowed values. The functions `sanitize_*` then
//! change values to the nearest sensible one, as RocksDB does, and return a sentence about each change, for LOG.

use super::{
    BlockBasedTableOptions, ColumnFamilyOptions, CompactionStyle, CuckooTableOptions,
    DataBlockIndexType, DbOptions, DbPath, FilterPolicy, IndexType, MemtableFactory, OptionSet,
    PlainTableOptions, TableFactory,
};
use crate::compress::CompressionType;
use crate::error::{Error, Result};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Row offsets in a PlainTable have 31 bits. Files stop growing well below that limit, because the last entry and the
/// end of the file still follow.
pub const PLAIN_TABLE_FILE_SIZE_MAX: u64 = 3 << 29;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
const GIB: usize = 1 << 30;

/// Returns the limits of concurrent background jobs as `(flushes, compactions)`, by RocksDB's rule: a quarter of
/// `max_background_jobs` flush, unless one of the older options is set.
pub fn background_job_limits(db: &DbOptions) -> (usize, usize) {
    let at_least_1 = |n: i32| usize::try_from(n).unwrap_or(0).max(1);
    if db.max_background_flushes == -1 && db.max_background_compactions == -1 {
        let jobs = at_least_1(db.max_background_jobs);
        let flushes = (jobs / 4).max(1);
        (flushes, jobs.saturating_sub(flushes).max(1))
    } else {
        (at_least_1(db.max_background_flushes), at_least_1(db.max_background_compactions))
    }
}

#[cold]
fn out_of_range(option: &str, value: impl Display, allowed: impl Display) -> Error {
    Error::invalid_argument(format!("option {option}: value {value} is not allowed: {allowed}"))
}

fn in_range<T: PartialOrd + Display>(
    option: &str,
    value: T,
    allowed: RangeInclusive<T>,
) -> Result<()> {
    if allowed.contains(&value) {
        return Ok(());
    }
    let range = format!("expected {} to {}", allowed.start(), allowed.end());
    Err(out_of_range(option, value, range))
}

/// Refuses a number above `largest`. Too small numbers are raised later, by the functions `sanitize_*`.
fn at_most<T: PartialOrd + Display>(option: &str, value: T, largest: T) -> Result<()> {
    if value <= largest {
        return Ok(());
    }
    Err(out_of_range(option, value, format!("expected at most {largest}")))
}

fn refuse(option: &str, value: impl Display, is_set: bool, instead: &str) -> Result<()> {
    if !is_set {
        return Ok(());
    }
    Err(Error::not_supported(format!("option {option}: value {value} is not supported; {instead}")))
}

/// Refuses database options that cannot be honoured.
pub fn validate_db(db: &DbOptions) -> Result<()> {
    db.check()?;
    db.unnamed.check()?;
    if db.allow_mmap_reads && db.use_direct_reads {
        return Err(Error::not_supported(
            "If memory mapped reads (allow_mmap_reads) are enabled then direct I/O reads (use_direct_reads) must be \
             disabled. ",
        ));
    }
    validate_write_modes(db)?;
    if db.keep_log_file_num == 0 {
        return Err(Error::invalid_argument("keep_log_file_num must be greater than 0"));
    }
    if !is_time_range(&db.daily_offpeak_time_utc) {
        return Err(Error::invalid_argument(
            "daily_offpeak_time_utc should be set in the format HH:mm-HH:mm (e.g. 04:30-07:30)",
        ));
    }
    at_most_four_paths("DB", &db.db_paths)
}

/// Returns whether the text is `HH:mm-HH:mm` or empty.
fn is_time_range(text: &str) -> bool {
    let below = |digits: &str, end: u32| {
        digits.len() == 2
            && digits.bytes().all(|b| b.is_ascii_digit())
            && digits.parse().is_ok_and(|n: u32| n < end)
    };
    let is_time =
        |time: &str| time.split_once(':').is_some_and(|(h, m)| below(h, 24) && below(m, 60));
    text.is_empty()
        || text.split_once('-').is_some_and(|(begin, end)| is_time(begin) && is_time(end))
}

/// Refuses combinations of write modes that RocksDB does not allow: a program that sets both is wrong.
fn validate_write_modes(db: &DbOptions) -> Result<()> {
    let excluded = [
        (
            db.unordered_write && !db.allow_concurrent_memtable_write,
            "unordered_write is incompatible with !allow_concurrent_memtable_write",
        ),
        (
            db.unordered_write && db.enable_pipelined_write,
            "unordered_write is incompatible with enable_pipelined_write",
        ),
        (
            db.atomic_flush && db.enable_pipelined_write,
            "atomic_flush is incompatible with enable_pipelined_write",
        ),
    ];
    let found = excluded.into_iter().find(|(set, _)| *set);
    found.map_or(Ok(()), |(_, what)| Err(Error::invalid_argument(what)))
}

/// Refuses column family options that cannot be honoured.
pub fn validate_cf(cf: &ColumnFamilyOptions) -> Result<()> {
    let timestamp = cf.comparator.timestamp_size();
    let none = "expected 0: user-defined timestamps are not supported";
    refuse("comparator timestamp size", timestamp, timestamp != 0, none)?;
    validate_times(cf)?;
    validate_universal(cf)?;
    at_most_four_paths("CF", &cf.cf_paths)?;
    cf.check()?;
    cf.unnamed.check()?;
    cf.compression_opts.check()?;
    if cf.bottommost_compression_opts.enabled {
        cf.bottommost_compression_opts.check()?;
    }
    validate_compression(cf)?;
    validate_levels(cf)?;
    protection("Memtable", cf.memtable_protection_bytes_per_key)?;
    protection("Block", cf.block_protection_bytes_per_key)?;
    let bloom = cf.memtable_prefix_bloom_size_ratio;
    if bloom.is_nan() {
        return Err(out_of_range("memtable_prefix_bloom_size_ratio", bloom, "expected 0 to 0.25"));
    }
    finite("experimental_mempurge_threshold", cf.experimental_mempurge_threshold)?;
    finite("blob_garbage_collection_age_cutoff", cf.blob_garbage_collection_age_cutoff)?;
    finite("blob_garbage_collection_force_threshold", cf.blob_garbage_collection_force_threshold)?;
    match &cf.table_factory {
        TableFactory::BlockBased(table) => validate_block_based(table, cf),
        TableFactory::Plain(table) => validate_plain(table),
        TableFactory::Cuckoo(table) => validate_cuckoo(table),
    }
}

fn protection(of: &str, bytes: impl Into<u64>) -> Result<()> {
    match bytes.into() {
        0 | 1 | 2 | 4 | 8 => Ok(()),
        _ => Err(Error::not_supported(format!(
            "{of} per key-value checksum protection only supports 0, 1, 2, 4 or 8 bytes per key."
        ))),
    }
}

/// Refuses more than four paths: the MANIFEST has two bits for the path of a file.
fn at_most_four_paths(which: &str, paths: &[DbPath]) -> Result<()> {
    match paths.len() {
        0..=4 => Ok(()),
        _ => Err(Error::not_supported(format!(
            "More than four {which} paths are not supported yet. "
        ))),
    }
}

/// RocksDB's value for "not set" in `ttl` and `periodic_compaction_seconds`.
const TIME_UNSET: u64 = u64::MAX - 1;

fn validate_times(cf: &ColumnFamilyOptions) -> Result<()> {
    let is_set = |seconds: u64| seconds > 0 && seconds != TIME_UNSET;
    if matches!(cf.table_factory, TableFactory::BlockBased(_)) {
        return Ok(());
    }
    let only = |what: &str| {
        Error::not_supported(format!("{what} is only supported in Block-Based Table format. "))
    };
    if is_set(cf.ttl) {
        return Err(only("TTL"));
    }
    if is_set(cf.periodic_compaction_seconds) {
        return Err(only("Periodic Compaction"));
    }
    Ok(())
}

fn validate_universal(cf: &ColumnFamilyOptions) -> Result<()> {
    let universal = &cf.compaction_options_universal;
    let incremental = "compaction_options_universal.incremental";
    refuse(incremental, true, universal.incremental, "expected false")?;
    universal.unnamed.check()?;
    if cf.compaction_style != CompactionStyle::Universal {
        return Ok(());
    }
    if universal.max_read_amp < -1 {
        return Err(Error::not_supported(
            "CompactionOptionsUniversal::max_read_amp should be at least -1.",
        ));
    }
    if (1..cf.level0_file_num_compaction_trigger).contains(&universal.max_read_amp) {
        return Err(Error::not_supported(
            "CompactionOptionsUniversal::max_read_amp limits the number of sorted runs but is \
             smaller than the compaction trigger level0_file_num_compaction_trigger.",
        ));
    }
    Ok(())
}

/// As in RocksDB, `compression` is ignored if each level has its own codec. The last level's codec is checked too:
/// RocksDB finds out only in a compaction that it is missing, and then writes uncompressed blocks.
fn validate_compression(cf: &ColumnFamilyOptions) -> Result<()> {
    let levels = cf.compression_per_level.iter().copied();
    let for_all = Some(cf.compression).filter(|_| cf.compression_per_level.is_empty());
    if let Some(codec) =
        levels.chain(for_all).chain(cf.bottommost_compression).find(|codec| !codec.is_supported())
    {
        return Err(Error::invalid_argument(format!(
            "Compression type {} is not linked with the binary.",
            codec.name()
        )));
    }
    let opts = &cf.compression_opts;
    if opts.zstd_max_train_bytes > 0 && opts.max_dict_bytes == 0 {
        return Err(Error::invalid_argument(
            "The dictionary size limit (`CompressionOptions::max_dict_bytes`) should be nonzero if \
             we're using zstd's dictionary generator.",
        ));
    }
    Ok(())
}

fn validate_levels(cf: &ColumnFamilyOptions) -> Result<()> {
    at_most("num_levels", cf.num_levels, 64)?;
    finite("max_bytes_for_level_multiplier", cf.max_bytes_for_level_multiplier)
}

/// Refuses infinite values and NaN: RocksDB writes them to OPTIONS, reads something else back, and refuses to open.
fn finite(option: &str, value: f64) -> Result<()> {
    if value.is_finite() {
        return Ok(());
    }
    Err(out_of_range(option, value, "expected a finite number"))
}

fn validate_block_based(table: &BlockBasedTableOptions, cf: &ColumnFamilyOptions) -> Result<()> {
    if table.block_size > u32::MAX as usize {
        return Err(Error::invalid_argument("block size exceeds maximum number (4GiB) allowed"));
    }
    if table.format_version > 7 {
        return Err(Error::invalid_argument(
            "Unsupported BlockBasedTable format_version. Please check include/rocksdb/table.h for more info",
        ));
    }
    table.check()?;
    table.unnamed.check()?;
    if table.index_type == IndexType::HashSearch && cf.prefix_extractor.is_none() {
        return Err(Error::invalid_argument(
            "Hash index is specified for block-based table, but prefix_extractor is not given",
        ));
    }
    if table.block_align && cf.compression != CompressionType::None {
        return Err(Error::invalid_argument("Enable block_align, but compression enabled"));
    }
    if table.block_align && !table.block_size.is_power_of_two() {
        let what = "Block alignment requested but block size is not a power of 2";
        return Err(Error::invalid_argument(what));
    }
    if table.cache_index_and_filter_blocks && table.no_block_cache {
        let what = "Enable cache_index_and_filter_blocks, , but block cache is disabled";
        return Err(Error::invalid_argument(what));
    }
    let ratio = table.data_block_hash_table_util_ratio;
    finite("data_block_hash_table_util_ratio", ratio)?;
    let hashed = table.data_block_index_type == DataBlockIndexType::BinaryAndHash;
    if hashed && !(ratio > 0.0 && ratio <= 1.0) {
        return Err(Error::invalid_argument(
            "data_block_hash_table_util_ratio should be greater than 0 when data_block_index_type is set to \
             kDataBlockBinaryAndHash",
        ));
    }
    Ok(())
}

fn validate_plain(table: &PlainTableOptions) -> Result<()> {
    let ratio = table.hash_table_ratio;
    if !(0.0..=64.0).contains(&ratio) {
        return Err(out_of_range("hash_table_ratio", ratio, "expected 0 to 64"));
    }
    in_range("bloom_bits_per_key", table.bloom_bits_per_key, 0..=100)?;
    in_range("index_sparseness", table.index_sparseness, 0..=u32::MAX as usize)?;
    in_range("user_key_len", table.user_key_len, 0..=1 << 30)
}

fn validate_cuckoo(table: &CuckooTableOptions) -> Result<()> {
    let ratio = table.hash_table_ratio;
    if !(ratio > 0.0 && ratio <= 1.0) {
        return Err(out_of_range("hash_table_ratio", ratio, "expected more than 0, at most 1"));
    }
    // Every file has this many extra buckets, besides those of the hash table.
    in_range("cuckoo_block_size", table.cuckoo_block_size, 0..=1 << 20)
}

/// Returns a sentence for each setting that differs from its default and has no effect. Call it before [`sanitize`],
/// which sets some of them.
pub fn settings_without_effect(db: &DbOptions, families: &[&ColumnFamilyOptions]) -> Vec<String> {
    let mut out = db.without_effect();
    for cf in families {
        out.extend(cf.without_effect());
        out.extend(nested_without_effect("compression_opts", &cf.compression_opts));
        match &cf.table_factory {
            TableFactory::BlockBased(table) => out.extend(table.without_effect()),
            TableFactory::Plain(table) => out.extend(table.without_effect()),
            TableFactory::Cuckoo(table) => out.extend(table.without_effect()),
        }
        if let MemtableFactory::SkipList { lookahead: n @ 1.. } = cf.memtable_factory {
            out.push(format!("option memtable_factory: a lookahead of {n} has no effect"));
        }
    }
    out.sort();
    out.dedup();
    out
}

fn nested_without_effect<T: OptionSet>(part: &str, options: &T) -> Vec<String> {
    let dotted = |told: String| told.replacen("option ", &format!("option {part}."), 1);
    options.without_effect().into_iter().map(dotted).collect()
}

/// Collects the changes.
struct Changes(Vec<String>);

impl Changes {
    /// Sets `field` to `to` if it differs, and records the reason.
    fn set<T: PartialOrd + Display>(&mut self, option: &str, field: &mut T, to: T, why: &str) {
        if *field != to {
            self.0.push(format!("option {option}: {field} changed to {to}: {why}"));
            *field = to;
        }
    }

    /// Clamps `field` to the range, and records the change.
    fn clip<T: PartialOrd + Display + Copy>(
        &mut self,
        option: &str,
        field: &mut T,
        low: T,
        high: T,
    ) {
        let to = if *field < low {
            low
        } else if *field > high {
            high
        } else {
            return;
        };
        let why = format!("it must be {low} to {high}");
        self.set(option, field, to, &why);
    }
}

/// Changes unreasonable values of a database to sensible ones. Returns the changes.
pub fn sanitize_db(db: &mut DbOptions) -> Vec<String> {
    let mut changes = Changes(Vec::new());
    if db.max_open_files != -1 {
        changes.clip("max_open_files", &mut db.max_open_files, 20, 0x40_0000);
    }
    changes.clip("max_background_jobs", &mut db.max_background_jobs, 1, 1024);
    changes.clip("max_file_opening_threads", &mut db.max_file_opening_threads, 1, 1024);
    changes.clip("max_subcompactions", &mut db.max_subcompactions, 1, 1024);
    // -1 means "follow max_background_jobs".
    changes.clip("max_background_compactions", &mut db.max_background_compactions, -1, 1024);
    changes.clip("max_background_flushes", &mut db.max_background_flushes, -1, 1024);
    if !matches!(db.wal_compression, CompressionType::None | CompressionType::Zstd) {
        let why = "RocksDB compresses logs with kZSTD only";
        changes.0.push(format!("option wal_compression changed to kNoCompression: {why}"));
        db.wal_compression = CompressionType::None;
    }
    // No message: 0 is documented as "the engine chooses".
    if db.delayed_write_rate == 0 {
        db.delayed_write_rate = 16 * MIB as u64;
    }
    // No message, as in RocksDB: prepared sections are copied into a new WAL, and the old ones must be deleted.
    db.avoid_flush_during_recovery &= !db.allow_2pc;
    changes.0
}

/// Returns what RocksDB makes of an `arena_block_size` of 0, in bytes. OPTIONS files hold this value.
pub fn default_arena_block_size(write_buffer_size: usize) -> usize {
    (write_buffer_size / 8).min(MIB).next_multiple_of(4 * KIB)
}

/// Changes unreasonable values of a column family to sensible ones. Returns the changes.
pub fn sanitize_cf(cf: &mut ColumnFamilyOptions) -> Vec<String> {
    let mut changes = Changes(Vec::new());
    sanitize_memory(cf, &mut changes);
    sanitize_levels(cf, &mut changes);
    sanitize_times(cf);
    sanitize_table(&mut cf.table_factory, &mut changes);
    changes.0
}

fn sanitize_memory(cf: &mut ColumnFamilyOptions, changes: &mut Changes) {
    let largest = match cf.table_factory {
        // One memtable becomes one file.
        TableFactory::Plain(_) => GIB,
        TableFactory::BlockBased(_) | TableFactory::Cuckoo(_) => 64 * GIB,
    };
    changes.clip("write_buffer_size", &mut cf.write_buffer_size, 64 * KIB, largest);
    if cf.arena_block_size == 0 {
        // No message: 0 is documented to mean this.
        cf.arena_block_size = default_arena_block_size(cf.write_buffer_size);
    }
    changes.clip("arena_block_size", &mut cf.arena_block_size, 1, 2 * GIB);
    changes.clip("max_write_buffer_number", &mut cf.max_write_buffer_number, 2, 10_000);
    let mut merge_max = cf.max_write_buffer_number - 1;
    if let TableFactory::Plain(_) = cf.table_factory {
        let fit = PLAIN_TABLE_FILE_SIZE_MAX / cf.write_buffer_size as u64;
        merge_max = merge_max.min(fit.try_into().unwrap_or(i32::MAX)).max(1);
    }
    let merge = &mut cf.min_write_buffer_number_to_merge;
    changes.clip("min_write_buffer_number_to_merge", merge, 1, merge_max);
    if cf.max_write_buffer_size_to_maintain < 0 {
        let all = i64::from(cf.max_write_buffer_number).saturating_mul(cf.write_buffer_size as i64);
        let why = "a negative size means the size of all memtables";
        let kept = &mut cf.max_write_buffer_size_to_maintain;
        changes.set("max_write_buffer_size_to_maintain", kept, all, why);
    }
    let bloom = &mut cf.memtable_prefix_bloom_size_ratio;
    changes.clip("memtable_prefix_bloom_size_ratio", bloom, 0.0, 0.25);
    sanitize_memtable(&mut cf.memtable_factory, changes);
    let hashed = matches!(
        cf.memtable_factory,
        MemtableFactory::HashSkipList { .. } | MemtableFactory::HashLinkList { .. }
    );
    if hashed && cf.prefix_extractor.is_none() {
        let from = cf.memtable_factory.name();
        cf.memtable_factory = MemtableFactory::default();
        changes.0.push(format!(
            "option memtable_factory: {from} changed to SkipListFactory: no prefix_extractor is set"
        ));
    }
}

fn sanitize_memtable(factory: &mut MemtableFactory, changes: &mut Changes) {
    const BUCKETS_MAX: usize = 1 << 32;
    match factory {
        MemtableFactory::SkipList { .. } => {}
        MemtableFactory::HashSkipList {
            bucket_count,
            skiplist_height,
            skiplist_branching_factor: branching,
        } => {
            changes.clip("memtable_factory.bucket_count", bucket_count, 1, BUCKETS_MAX);
            changes.clip("memtable_factory.skiplist_height", skiplist_height, 1, 32);
            changes.clip("memtable_factory.branching_factor", branching, 2, 1 << 16);
        }
        MemtableFactory::HashLinkList { bucket_count } => {
            changes.clip("memtable_factory.bucket_count", bucket_count, 1, BUCKETS_MAX);
        }
        MemtableFactory::Vector { count } => {
            changes.clip("memtable_factory.count", count, 0, BUCKETS_MAX);
        }
    }
}

/// Resolves unset times. No message: unset is documented to mean this.
fn sanitize_times(cf: &mut ColumnFamilyOptions) {
    const MONTH: u64 = 30 * 24 * 60 * 60;
    let knows_time = matches!(cf.table_factory, TableFactory::BlockBased(_));
    if cf.ttl == TIME_UNSET {
        cf.ttl = if knows_time { MONTH } else { 0 };
    }
    let is_universal = cf.compaction_style == CompactionStyle::Universal;
    let is_leveled = cf.compaction_style == CompactionStyle::Level;
    let rewrites = is_universal || (is_leveled && cf.has_compaction_filter());
    let period = &mut cf.periodic_compaction_seconds;
    if *period == TIME_UNSET && rewrites && knows_time {
        *period = MONTH;
    }
    // For universal compaction both options have the same meaning: the shorter time applies.
    if is_universal {
        *period = match (*period, cf.ttl) {
            (0, ttl) => ttl,
            (period, 0) => period,
            (period, ttl) => period.min(ttl),
        };
    }
    if *period == TIME_UNSET {
        *period = 0;
    }
}

/// Applies the database's options to a family. Call it before [`sanitize_cf`].
pub fn inherit_from_db(db: &DbOptions, cf: &mut ColumnFamilyOptions) -> Vec<String> {
    let mut changes = Changes(Vec::new());
    if cf.cf_paths.is_empty() {
        // No message: empty is documented to mean these.
        cf.cf_paths.clone_from(&db.db_paths);
    }
    cf.cf_allow_ingest_behind |= db.allow_ingest_behind;
    if cf.cf_allow_ingest_behind {
        // Level 0, one level to compact into, and one for files that are ingested behind.
        changes.clip("num_levels", &mut cf.num_levels, 3, 64);
    }
    if db.atomic_flush {
        // Memtables that are sealed together are flushed together, however small they are.
        let merge = &mut cf.min_write_buffer_number_to_merge;
        changes.set("min_write_buffer_number_to_merge", merge, 1, "atomic_flush is true");
    }
    changes.0
}

fn sanitize_levels(cf: &mut ColumnFamilyOptions, changes: &mut Changes) {
    let is_level = cf.compaction_style == CompactionStyle::Level;
    changes.clip("num_levels", &mut cf.num_levels, if is_level { 2 } else { 1 }, 64);
    if cf.level_compaction_dynamic_level_bytes && !is_level {
        let dynamic = &mut cf.level_compaction_dynamic_level_bytes;
        let why = "it needs kCompactionStyleLevel";
        changes.set("level_compaction_dynamic_level_bytes", dynamic, false, why);
    }
    if cf.level_compaction_dynamic_level_bytes && cf.cf_paths.len() > 1 {
        let dynamic = &mut cf.level_compaction_dynamic_level_bytes;
        let why = "several cf_paths or db_paths require fixed level sizes";
        changes.set("level_compaction_dynamic_level_bytes", dynamic, false, why);
    }
    let factor = &mut cf.max_bytes_for_level_multiplier;
    changes.clip("max_bytes_for_level_multiplier", factor, 1.0, f64::MAX);
    changes.clip("target_file_size_base", &mut cf.target_file_size_base, 1, u64::MAX);
    changes.clip("target_file_size_multiplier", &mut cf.target_file_size_multiplier, 1, i32::MAX);
    changes.clip("max_bytes_for_level_base", &mut cf.max_bytes_for_level_base, 1, u64::MAX);
    for factor in &mut cf.max_bytes_for_level_multiplier_additional {
        changes.clip("max_bytes_for_level_multiplier_additional", factor, 1, i32::MAX);
    }
    if cf.level0_file_num_compaction_trigger == 0 {
        let trigger = &mut cf.level0_file_num_compaction_trigger;
        changes.set("level0_file_num_compaction_trigger", trigger, 1, "it cannot be 0");
    }
    if cf.compaction_style == CompactionStyle::Fifo {
        // Files are dropped, not compacted, so their number must not delay writers.
        cf.level0_slowdown_writes_trigger = i32::MAX;
        cf.level0_stop_writes_trigger = i32::MAX;
    }
    let order = "stop >= slowdown >= compaction trigger must hold";
    let (trigger, stop) = (cf.level0_file_num_compaction_trigger, cf.level0_stop_writes_trigger);
    let slowdown = &mut cf.level0_slowdown_writes_trigger;
    if *slowdown < trigger {
        changes.set("level0_slowdown_writes_trigger", slowdown, trigger, order);
    }
    let lowest_stop = (*slowdown).max(trigger);
    if stop < lowest_stop {
        let stop = &mut cf.level0_stop_writes_trigger;
        changes.set("level0_stop_writes_trigger", stop, lowest_stop, order);
    }
    let hard = cf.hard_pending_compaction_bytes_limit;
    let soft = &mut cf.soft_pending_compaction_bytes_limit;
    if hard > 0 && (*soft == 0 || *soft > hard) {
        let why = "it must be at most hard_pending_compaction_bytes_limit";
        changes.set("soft_pending_compaction_bytes_limit", soft, hard, why);
    }
    if cf.max_compaction_bytes == 0 {
        // No message: 0 is documented to mean this.
        cf.max_compaction_bytes = cf.target_file_size_base.saturating_mul(25);
    }
}

fn sanitize_table(factory: &mut TableFactory, changes: &mut Changes) {
    let TableFactory::BlockBased(table) = factory else { return };
    if !(0..=100).contains(&table.block_size_deviation) {
        let why = "it must be 0 to 100";
        changes.set("block_size_deviation", &mut table.block_size_deviation, 0, why);
    }
    changes.clip("block_size", &mut table.block_size, 1, u32::MAX as usize);
    changes.clip("format_version", &mut table.format_version, 2, 7);
    changes.clip("metadata_block_size", &mut table.metadata_block_size, 1, u32::MAX.into());
    let index = &mut table.index_block_restart_interval;
    for (option, field) in [
        ("block_restart_interval", &mut table.block_restart_interval),
        ("index_block_restart_interval", index),
    ] {
        if *field > i32::MAX as usize {
            changes.set(option, field, 1, "a negative number is not allowed");
        }
        changes.clip(option, field, 1, i32::MAX as usize);
    }
    if table.partition_filters && table.index_type != IndexType::TwoLevelIndexSearch {
        let why = "it needs kTwoLevelIndexSearch";
        changes.set("partition_filters", &mut table.partition_filters, false, why);
    }
    if let Some(FilterPolicy::Bloom { bits_per_key } | FilterPolicy::Ribbon { bits_per_key, .. }) =
        &mut table.filter_policy
    {
        if bits_per_key.is_nan() {
            changes.set("filter_policy bits per key", bits_per_key, 100.0, "it must be a number");
        }
        changes.clip("filter_policy bits per key", bits_per_key, 0.0, 100.0);
        // As in RocksDB: below half a bit there is no filter, otherwise at least one bit.
        if *bits_per_key < 0.5 {
            table.filter_policy = None;
        }
    }
}

#[cfg(test)]
#[path = "sanitize_test.rs"]
mod tests;
