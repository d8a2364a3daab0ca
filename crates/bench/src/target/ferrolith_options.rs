//! Converts flags to Ferrolith's options: the settings that every engine gets, and the objects that text cannot create.

use super::Result;
use super::settings::{Setting, settings};
use crate::flags::Flags;
use ferrolith::internal::base::Comparator;
use ferrolith::internal::budget::{RateLimiter, RateLimiterMode, WriteBufferManager};
use ferrolith::internal::cache::Cache;
use ferrolith::internal::fs::info_log::{LogLevel, Logger};
use ferrolith::internal::hooks::{CompactionFilter, FilterDecision};
use ferrolith::internal::options::{
    BlockBasedTableOptions, ColumnFamilyOptions, CompressionOptions, DbOptions,
    FifoCompactionOptions, Leniency, OptionSet, Options, StatsLevel, Support, TableFactory,
    UniversalCompactionOptions, read_options_file,
};
use ferrolith::internal::stats::Statistics;
use std::cmp::Ordering;
use std::path::Path;
use std::sync::Arc;

/// Returns the options for opening a database, and a line about each given flag that has no effect.
pub(super) fn options(flags: &Flags) -> Result<(Options, Vec<String>)> {
    let mut notices = Vec::new();
    let mut options = match flags.text("options_file") {
        "" => from_flags(flags, &mut notices)?,
        path => from_file(path)?,
    };
    objects(flags, &mut options)?;
    let more = flags.text("options_string");
    let refused =
        |error: ferrolith::Error| format!("ERROR: --options_string={more}: {}", error.message());
    let unused =
        |options: &Options| [options.db.without_effect(), options.cf.without_effect()].concat();
    let before = unused(&options);
    options
        .set_options(more)
        .and_then(|()| options.db.check())
        .and_then(|()| options.cf.check())
        .map_err(refused)?;
    notices.extend(unused(&options).into_iter().filter(|line| !before.contains(line)));
    Ok((options, notices))
}

fn from_flags(flags: &Flags, notices: &mut Vec<String>) -> Result<Options> {
    let (mut options, default) = (Options::default(), Options::default());
    for setting in settings(flags)? {
        let flag = format!("--{}={}", setting.flag, flags.value(setting.flag));
        let refused = |why: &str| format!("ERROR: {flag} is not supported: {why}");
        options.set_options(&setting.text()).map_err(|error| refused(error.message()))?;
        let Some((support, before)) = state_of(&setting, &default) else { continue };
        let differs = state_of(&setting, &options).is_some_and(|(_, now)| now != before);
        match support {
            Support::Refused if differs => {
                return Err(refused(&why_not(setting.option)));
            }
            Support::Accepted if differs && setting.given => {
                notices.push(format!("{flag}: Ferrolith ignores the option {}", setting.option));
            }
            _ => {}
        }
    }
    Ok(options)
}

/// Returns why Ferrolith refuses an option.
fn why_not(option: &str) -> String {
    match option {
        "enable_blob_files" => "Ferrolith does not support blob files",
        "allow_mmap_writes" => "Ferrolith does not write table files through memory maps",
        "compaction_options_universal.incremental" => {
            "Ferrolith does not support incremental universal compaction"
        }
        "preclude_last_level_data_seconds" => "Ferrolith does not support tiered storage",
        other => {
            return format!("Ferrolith does not support a value other than the default of {other}");
        }
    }
    .to_owned()
}

/// Returns the engine's support for an option, and the option's value.
fn state_of(setting: &Setting, options: &Options) -> Option<(Support, String)> {
    fn of<T: OptionSet>(set: &T, name: &str) -> Option<(Support, String)> {
        T::row(name).map(|row| (row.support, row.get(set)))
    }
    match setting.option.split_once('.') {
        None => of::<DbOptions>(&options.db, setting.option)
            .or_else(|| of::<ColumnFamilyOptions>(&options.cf, setting.option)),
        Some(("block_based_table_factory", name)) => match &options.cf.table_factory {
            TableFactory::BlockBased(table) => of::<BlockBasedTableOptions>(table, name),
            _ => None,
        },
        Some(("compression_opts", name)) => {
            of::<CompressionOptions>(&options.cf.compression_opts, name)
        }
        Some(("compaction_options_fifo", name)) => {
            of::<FifoCompactionOptions>(&options.cf.compaction_options_fifo, name)
        }
        Some((_, name)) => {
            of::<UniversalCompactionOptions>(&options.cf.compaction_options_universal, name)
        }
    }
}

/// Returns the engine's support for an option, by its name.
#[cfg(test)]
pub fn support(option: &'static str) -> Option<Support> {
    let setting = Setting { flag: "", option, value: String::new(), given: false };
    state_of(&setting, &Options::default()).map(|(support, _)| support)
}

fn from_file(path: &str) -> Result<Options> {
    let fs = ferrolith::internal::fs::posix();
    let file = read_options_file(&*fs, Path::new(path), &Options::default(), Leniency::default())
        .map_err(|error| format!("Unable to load options file {path} --- {error}"))?;
    let family = file.column_families.into_iter().find(|(name, _)| name == "default");
    let (_, cf) = family
        .ok_or_else(|| format!("options file {path}: found no column family named default"))?;
    Ok(Options { db: file.db, cf })
}

/// Sets objects that text cannot create; some of them also complete an options file, as in RocksDB's tool.
fn objects(f: &Flags, options: &mut Options) -> Result<()> {
    let from_file = !f.text("options_file").is_empty();
    options.db.create_if_missing = true;
    options.db.create_missing_column_families = true;
    let is_elastic = f.uint("memory_limit") > 0 && !f.is_given("cache_size");
    let block_cache = cache(f).filter(|_| !is_elastic);
    if let TableFactory::BlockBased(table) = &mut options.cf.table_factory {
        if is_elastic {
            // Opening gives it the cache of the memory limit.
            (table.no_block_cache, table.block_cache) = (false, None);
        } else if block_cache.is_some() || !from_file {
            table.no_block_cache = block_cache.is_none();
            table.block_cache.clone_from(&block_cache);
        }
        let bits = f.int("bloom_bits");
        if from_file && table.filter_policy.is_none() && bits > 0 {
            let kind = if f.on("use_ribbon_filter") { "ribbonfilter" } else { "bloomfilter" };
            table
                .set_option("filter_policy", &format!("{kind}:{bits}"))
                .map_err(|error| error.to_string())?;
        }
    }
    if f.on("statistics") {
        let statistics = Statistics::new();
        let level =
            usize::try_from(f.int("stats_level")).ok().and_then(|index| StatsLevel::ALL.get(index));
        let level = level.ok_or_else(|| {
            format!("ERROR: --stats_level={} must be 0 to 5", f.int("stats_level"))
        })?;
        statistics.set_level(*level);
        options.db.statistics = Some(statistics);
    }
    if f.on("cost_write_buffer_to_cache") {
        let size = f.uint("db_write_buffer_size") as usize;
        options.db.components.write_buffer_manager =
            Some(WriteBufferManager::with_cache(size, block_cache, false));
    }
    if f.int("row_cache_size") > 0 {
        options.db.row_cache = Some(Cache::new_lru(f.uint("row_cache_size") as usize));
    }
    if f.uint("rate_limiter_bytes_per_sec") > 0 {
        options.db.rate_limiter = Some(rate_limiter(f));
    }
    if f.on("use_keep_filter") {
        options.cf.compaction_filter = Some(Arc::new(KeepFilter));
    }
    if f.on("use_stderr_info_logger") {
        options.db.components.info_log = Some(Arc::new(StderrLogger));
    }
    if f.on("use_uint64_comparator") {
        options.cf.comparator = Arc::new(Uint64Comparator);
    }
    Ok(())
}

fn rate_limiter(f: &Flags) -> Arc<RateLimiter> {
    let mode = if f.on("rate_limit_bg_reads") {
        RateLimiterMode::ReadsOnly
    } else {
        RateLimiterMode::WritesOnly
    };
    let rate = i64::try_from(f.uint("rate_limiter_bytes_per_sec")).unwrap_or(i64::MAX);
    RateLimiter::with_mode(
        rate,
        f.int("rate_limiter_refill_period_us"),
        10,
        mode,
        f.on("rate_limiter_auto_tuned"),
    )
}

fn cache(f: &Flags) -> Option<Arc<Cache>> {
    let (size, lru) = (f.uint("cache_size") as usize, f.text("cache_type") == "lru_cache");
    match (u32::try_from(f.int("cache_numshardbits")), lru) {
        _ if size == 0 => None,
        (Ok(bits), true) => Some(Cache::with_settings("LRUCache", size, bits, false)),
        (Ok(bits), false) => Some(Cache::with_settings("HyperClockCache", size, bits, false)),
        (Err(_), true) => Some(Cache::new_lru(size)),
        (Err(_), false) => Some(Cache::new_hyper_clock(size)),
    }
}

/// Keeps everything, to measure only the cost of a filter.
struct KeepFilter;

impl CompactionFilter for KeepFilter {
    fn name(&self) -> &str {
        "KeepFilter"
    }

    fn filter(&self, _level: usize, _key: &[u8], _value: &[u8]) -> FilterDecision {
        FilterDecision::Keep
    }
}

struct StderrLogger;

impl Logger for StderrLogger {
    fn log(&self, _level: LogLevel, text: &str) {
        eprintln!("{text}");
    }
}

/// Keys are integers in this machine's byte order, as in RocksDB's tool.
struct Uint64Comparator;

impl Comparator for Uint64Comparator {
    fn name(&self) -> &str {
        "rocksdb.Uint64Comparator"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        match (<[u8; 8]>::try_from(a), <[u8; 8]>::try_from(b)) {
            (Ok(a), Ok(b)) => u64::from_ne_bytes(a).cmp(&u64::from_ne_bytes(b)),
            // Excluded by the configuration: keys have eight bytes.
            _ => a.cmp(b),
        }
    }
}
