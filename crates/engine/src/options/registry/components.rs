//! Options whose values are parts with a name and perhaps settings: `name`, `name:number` or
//! `{id=name;setting=value;}`.

use super::super::parse::{split_pairs, unbrace, unescape};
use super::super::{
    BlockBasedTableOptions, ColumnFamilyOptions, CompressionOptions, CuckooTableOptions, DbPath,
    FifoCompactionOptions, FilterPolicy, MemtableFactory, PlainTableOptions, TableFactory,
};
use super::OptionSet;
use super::values::store;
use crate::base::{BytewiseComparator, Comparator, ReverseBytewiseComparator};
use crate::budget::RateLimiter;
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::hooks::{
    FixedPrefixPartitionerFactory, MergeOperator, SliceTransform, StringAppendOperator,
    compaction_filter_by_name, merge_operator_by_name, slice_transform_by_name,
};
use std::sync::Arc;

/// A part's name and its settings.
fn name_and_settings(text: &str) -> Result<(&str, Vec<(&str, &str)>)> {
    let inside = unbrace(text);
    if !inside.contains('=') {
        return Ok((inside, Vec::new()));
    }
    let mut settings = split_pairs(inside)?;
    let id = settings.iter().position(|(k, _)| *k == "id");
    let name = id.map_or("", |at| settings.remove(at).1);
    Ok((name, settings))
}

fn unknown_setting(part: &str, name: &str) -> Error {
    super::unknown_option(&format!("{part} has no setting {name:?}"))
}

fn unknown_part(what: &str, name: &str) -> Error {
    Error::not_supported(format!("{what} {name:?} is not built in; set it in the program"))
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "nullptr" | "{}")
}

pub(super) fn set_comparator(o: &mut ColumnFamilyOptions, text: &str) -> Result<()> {
    let (name, _) = name_and_settings(text)?;
    let part: Arc<dyn Comparator> = match name {
        _ if name == o.comparator.name() => return Ok(()),
        "leveldb.BytewiseComparator" => Arc::new(BytewiseComparator),
        "rocksdb.ReverseBytewiseComparator" => Arc::new(ReverseBytewiseComparator),
        _ => return Err(unknown_part("comparator", name)),
    };
    o.comparator = part;
    Ok(())
}

pub(super) fn set_merge_operator(o: &mut ColumnFamilyOptions, text: &str) -> Result<()> {
    if is_null(text) {
        o.merge_operator = None;
        return Ok(());
    }
    let (name, settings) = name_and_settings(text)?;
    let mut part: Option<Arc<dyn MergeOperator>> = match &o.merge_operator {
        Some(have) if have.name() == name => Some(have.clone()),
        _ => merge_operator_by_name(name),
    };
    for (key, value) in settings {
        match (key, part.as_ref().map(|p| p.name())) {
            ("delimiter" | "delim", Some("StringAppendOperator")) => {
                part = Some(Arc::new(StringAppendOperator::new(unescape(value))));
            }
            _ => return Err(unknown_setting(name, key)),
        }
    }
    o.merge_operator = Some(part.ok_or_else(|| unknown_part("merge operator", name))?);
    Ok(())
}

pub(super) fn print_merge_operator(o: &ColumnFamilyOptions) -> String {
    o.merge_operator.as_ref().map_or("nullptr".into(), |m| m.options_text())
}

pub(super) fn set_compaction_filter(o: &mut ColumnFamilyOptions, text: &str) -> Result<()> {
    if is_null(text) {
        o.compaction_filter = None;
        return Ok(());
    }
    let (name, _) = name_and_settings(text)?;
    if o.compaction_filter.as_ref().is_some_and(|have| have.name() == name) {
        return Ok(());
    }
    let part = compaction_filter_by_name(name);
    o.compaction_filter = Some(part.ok_or_else(|| unknown_part("compaction filter", name))?);
    Ok(())
}

pub(super) fn print_compaction_filter(o: &ColumnFamilyOptions) -> String {
    o.compaction_filter.as_ref().map_or("nullptr".into(), |f| f.name().to_string())
}

/// The fixed-prefix factory is built in; any other must be the one in the program.
pub(super) fn set_partitioner_factory(o: &mut ColumnFamilyOptions, text: &str) -> Result<()> {
    if is_null(text) {
        o.sst_partitioner_factory = None;
        return Ok(());
    }
    let (name, settings) = name_and_settings(text)?;
    if name == FixedPrefixPartitionerFactory::NAME {
        let mut length = 0usize;
        for (key, value) in settings {
            match key {
                "length" => store(&mut length, key, value)?,
                _ => return Err(unknown_setting(name, key)),
            }
        }
        o.sst_partitioner_factory = Some(Arc::new(FixedPrefixPartitionerFactory::new(length)));
        return Ok(());
    }
    match &o.sst_partitioner_factory {
        Some(have) if have.name() == name => Ok(()),
        _ => Err(unknown_part("SST partitioner factory", name)),
    }
}

pub(super) fn print_partitioner_factory(o: &ColumnFamilyOptions) -> String {
    o.sst_partitioner_factory.as_ref().map_or("nullptr".into(), |f| f.options_text())
}

/// Collectors are made in the program.
pub(super) fn set_collectors(o: &mut ColumnFamilyOptions, text: &str) -> Result<()> {
    if !is_null(text) && text != print_collectors(o) {
        return Err(unknown_part("table properties collector", text));
    }
    Ok(())
}

/// As RocksDB's LOG has it: each followed by a semicolon.
pub(super) fn print_collectors(o: &ColumnFamilyOptions) -> String {
    if o.compact_on_deletion.is_empty() {
        return "{}".into();
    }
    o.compact_on_deletion.iter().map(|collector| format!("{collector}; ")).collect()
}

/// There are no built-in factories: a name must be that of the one in the program.
pub(super) fn set_filter_factory(o: &mut ColumnFamilyOptions, text: &str) -> Result<()> {
    if is_null(text) {
        o.compaction_filter_factory = None;
        return Ok(());
    }
    let (name, _) = name_and_settings(text)?;
    match &o.compaction_filter_factory {
        Some(have) if have.name() == name => Ok(()),
        _ => Err(unknown_part("compaction filter factory", name)),
    }
}

pub(super) fn print_filter_factory(o: &ColumnFamilyOptions) -> String {
    o.compaction_filter_factory.as_ref().map_or("nullptr".into(), |f| f.name().to_string())
}

pub(super) fn set_transform(field: &mut Option<Arc<dyn SliceTransform>>, text: &str) -> Result<()> {
    if is_null(text) {
        *field = None;
        return Ok(());
    }
    let (name, settings) = name_and_settings(text)?;
    if field.as_ref().is_some_and(|have| have.name() == name) {
        return Ok(());
    }
    let length = settings.iter().find(|(k, _)| matches!(*k, "length" | "cap_len"));
    let full = length.map_or(name.to_string(), |(_, n)| format!("{name}.{n}"));
    let part: Option<Arc<dyn SliceTransform>> = slice_transform_by_name(&full);
    *field = Some(part.ok_or_else(|| unknown_part("prefix extractor", name))?);
    Ok(())
}

pub(super) fn print_transform(field: &Option<Arc<dyn SliceTransform>>) -> String {
    field.as_ref().map_or("nullptr".into(), |p| p.name().to_string())
}

/// `skip_list:16`, `prefix_hash:1000`, or RocksDB's class name, or `{id=...;...}`.
pub(super) fn set_memtable(o: &mut ColumnFamilyOptions, text: &str) -> Result<()> {
    let (name, settings) = name_and_settings(text)?;
    let (name, number) = match name.split_once(':') {
        Some((name, number)) => (name, Some(number)),
        None => (name, None),
    };
    let mut factory = match name {
        "skip_list" | "SkipListFactory" => MemtableFactory::default(),
        "prefix_hash" | "HashSkipListRepFactory" => MemtableFactory::hash_skip_list(),
        "hash_linkedlist" | "HashLinkListRepFactory" => {
            MemtableFactory::HashLinkList { bucket_count: 50_000 }
        }
        "vector" | "VectorRepFactory" => MemtableFactory::Vector { count: 0 },
        "cuckoo" => {
            return Err(Error::invalid_argument(
                "cuckoo hash memtable is not supported anymore.: cuckoo",
            ));
        }
        _ => return Err(unknown_part("memtable", name)),
    };
    let first = match factory {
        MemtableFactory::SkipList { .. } => "lookahead",
        MemtableFactory::HashSkipList { .. } | MemtableFactory::HashLinkList { .. } => {
            "bucket_count"
        }
        MemtableFactory::Vector { .. } => "count",
    };
    // `name:text` is the name of no memtable.
    if number.is_some_and(|n| n.is_empty() || !n.bytes().all(|b| b.is_ascii_digit())) {
        return Err(unknown_part("memtable", text));
    }
    for (key, value) in number.map(|n| (first, n)).into_iter().chain(settings) {
        set_memtable_setting(&mut factory, key, value)?;
    }
    o.memtable_factory = factory;
    Ok(())
}

fn set_memtable_setting(factory: &mut MemtableFactory, key: &str, value: &str) -> Result<()> {
    use MemtableFactory::{HashLinkList, HashSkipList, SkipList, Vector};
    let name = factory.name();
    match (factory, key) {
        (SkipList { lookahead }, "lookahead") => store(lookahead, key, value),
        (HashSkipList { bucket_count, .. } | HashLinkList { bucket_count }, "bucket_count") => {
            store(bucket_count, key, value)
        }
        (HashSkipList { skiplist_height, .. }, "skiplist_height") => {
            store(skiplist_height, key, value)
        }
        (HashSkipList { skiplist_branching_factor, .. }, "branching_factor") => {
            store(skiplist_branching_factor, key, value)
        }
        // When RocksDB's list turns into a skip list, and what it logs: no result depends on it.
        (
            HashLinkList { .. },
            "threshold" | "huge_page_size" | "logging_threshold" | "log_when_flash",
        ) => Ok(()),
        (Vector { count }, "count") => store(count, key, value),
        _ => Err(unknown_setting(name, key)),
    }
}

pub(super) fn print_memtable(o: &ColumnFamilyOptions) -> String {
    let name = o.memtable_factory.name();
    match o.memtable_factory {
        MemtableFactory::SkipList { lookahead: 0 } => name.into(),
        MemtableFactory::SkipList { lookahead } => format!("{name}:{lookahead}"),
        MemtableFactory::HashSkipList {
            bucket_count,
            skiplist_height,
            skiplist_branching_factor,
        } => format!(
            "{{id={name};bucket_count={bucket_count};skiplist_height={skiplist_height};\
             branching_factor={skiplist_branching_factor};}}"
        ),
        MemtableFactory::HashLinkList { bucket_count } => {
            format!("{{id={name};bucket_count={bucket_count};}}")
        }
        MemtableFactory::Vector { count } => format!("{{id={name};count={count};}}"),
    }
}

/// The options of the block-based format, which becomes the format if it was not.
pub(super) fn block_based(o: &mut ColumnFamilyOptions) -> &mut BlockBasedTableOptions {
    if !matches!(o.table_factory, TableFactory::BlockBased(_)) {
        o.table_factory = TableFactory::default();
    }
    match &mut o.table_factory {
        TableFactory::BlockBased(table) => table,
        _ => unreachable!("it was replaced above"),
    }
}

/// The options of PlainTable, which becomes the format if it was not.
pub(super) fn plain(o: &mut ColumnFamilyOptions) -> &mut PlainTableOptions {
    if !matches!(o.table_factory, TableFactory::Plain(_)) {
        o.table_factory = TableFactory::Plain(PlainTableOptions::default());
    }
    match &mut o.table_factory {
        TableFactory::Plain(table) => table,
        _ => unreachable!("it was replaced above"),
    }
}

pub(super) fn set_table_factory(o: &mut ColumnFamilyOptions, text: &str) -> Result<()> {
    let (name, settings) = name_and_settings(text)?;
    match name {
        "BlockBasedTable" => {
            let table = block_based(o);
            settings.into_iter().try_for_each(|(k, v)| table.set_option(k, v))
        }
        "PlainTable" => {
            let table = plain(o);
            settings.into_iter().try_for_each(|(k, v)| table.set_option(k, v))
        }
        "CuckooTable" => {
            let mut table = CuckooTableOptions::default();
            settings.into_iter().try_for_each(|(k, v)| table.set_option(k, v))?;
            o.table_factory = TableFactory::Cuckoo(table);
            Ok(())
        }
        _ => Err(Error::not_supported(format!("table format {name:?}"))),
    }
}

/// The options of whichever format it is, as `{k=v;}`.
pub(super) fn print_table(o: &ColumnFamilyOptions) -> String {
    match &o.table_factory {
        TableFactory::BlockBased(table) => table.braced(),
        TableFactory::Plain(table) => table.braced(),
        TableFactory::Cuckoo(table) => table.braced(),
    }
}

/// `nullptr`, `bloomfilter:bits[:bool]`, `ribbonfilter:bits[:level]`, with or without `{id=...}`.
pub(super) fn set_filter_policy(o: &mut BlockBasedTableOptions, text: &str) -> Result<()> {
    if is_null(text) {
        o.filter_policy = None;
        return Ok(());
    }
    let (name, settings) = name_and_settings(text)?;
    let setting = |key: &str| settings.iter().find(|(k, _)| *k == key).map(|(_, v)| *v);
    let mut parts = name.split(':');
    let kind = parts.next().unwrap_or("");
    let bits = parts.next().or_else(|| setting("bits_per_key"));
    let level = parts.next().or_else(|| setting("bloom_before_level"));
    let mut bits_per_key = 0.0;
    // `bloomfilter:text` is the name of no filter.
    let bits = bits.filter(|bits| bits.trim().parse::<f64>().is_ok());
    match (kind, bits) {
        (
            "bloomfilter" | "rocksdb.BloomFilter" | "rocksdb.internal.FastLocalBloomFilter",
            Some(bits),
        ) => {
            store(&mut bits_per_key, "filter_policy", bits)?;
            o.filter_policy = Some(FilterPolicy::Bloom { bits_per_key });
            Ok(())
        }
        ("ribbonfilter" | "rocksdb.RibbonFilter", Some(bits)) => {
            let mut bloom_before_level = 0;
            store(&mut bits_per_key, "filter_policy", bits)?;
            level.map_or(Ok(()), |level| store(&mut bloom_before_level, "filter_policy", level))?;
            o.filter_policy = Some(FilterPolicy::Ribbon { bits_per_key, bloom_before_level });
            Ok(())
        }
        _ => Err(Error::not_supported(format!(
            "filter {name:?}; expected bloomfilter:bits or ribbonfilter:bits"
        ))),
    }
}

pub(super) fn print_filter_policy(o: &BlockBasedTableOptions) -> String {
    match o.filter_policy {
        None => "nullptr".into(),
        Some(FilterPolicy::Bloom { bits_per_key }) => format!("bloomfilter:{bits_per_key}:false"),
        Some(FilterPolicy::Ribbon { bits_per_key, bloom_before_level }) => {
            let level = bloom_before_level;
            format!("{{id=ribbonfilter:{bits_per_key}:{level};bloom_before_level={level};}}")
        }
    }
}

/// What RocksDB takes for a cache, shards and priorities included.
const CACHE_SETTINGS: [&str; 7] = [
    "id",
    "capacity",
    "num_shard_bits",
    "strict_capacity_limit",
    "high_pri_pool_ratio",
    "low_pri_pool_ratio",
    "estimated_entry_charge",
];

/// `nullptr`, a size such as `64M`, or `{capacity=64M;...}`. Shards are the cache's own affair.
pub(super) fn set_cache(field: &mut Option<Arc<Cache>>, text: &str) -> Result<()> {
    if is_null(text) {
        *field = None;
        return Ok(());
    }
    let mut capacity = 0usize;
    let inside = unbrace(text);
    if inside.contains('=') {
        let settings = split_pairs(inside)?;
        let found = settings.iter().find(|(k, _)| *k == "capacity");
        if let Some((name, _)) = settings.iter().find(|(k, _)| !CACHE_SETTINGS.contains(k)) {
            return Err(Error::invalid_argument(format!("Unrecognized option: .{name}")));
        }
        store(&mut capacity, "block_cache", found.map_or("", |(_, v)| v))?;
    } else {
        store(&mut capacity, "block_cache", inside)?;
    }
    *field = Some(Cache::new_lru(capacity));
    Ok(())
}

pub(super) fn print_cache(field: &Option<Arc<Cache>>) -> String {
    field.as_ref().map_or("nullptr".into(), |cache| cache.capacity().to_string())
}

/// RocksDB has no text for paths either.
pub(super) fn no_text<T>(_: &mut T, text: &str) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    Err(Error::invalid_argument(format!(
        "{text:?}: paths cannot be set from text; set them in the program"
    )))
}

pub(super) fn print_paths(paths: &[DbPath]) -> String {
    let one = |p: &DbPath| format!("{}({} bytes)", p.path.display(), p.target_size);
    paths.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// `{max_table_files_size=5;...}`, or that number alone.
pub(super) fn set_fifo(o: &mut FifoCompactionOptions, text: &str) -> Result<()> {
    if text.contains('=') || text.is_empty() {
        return o.set_options(text);
    }
    store(&mut o.max_table_files_size, "compaction_options_fifo", text)
}

/// `{level=5;...}`, or the older `window_bits:level:strategy[:max_dict_bytes[:...]]`.
pub(super) fn set_compression_opts(o: &mut CompressionOptions, text: &str) -> Result<()> {
    let inside = unbrace(text);
    if inside.contains('=') {
        return o.set_options(inside);
    }
    let names = [
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
    let values: Vec<&str> = inside.split(':').collect();
    if values.len() < 3 || values.len() > names.len() {
        let what = "unable to parse the specified CF option compression_opts";
        let expected = "expected window_bits:level:strategy";
        return Err(Error::invalid_argument(format!("{what}: {expected}, found {text:?}")));
    }
    // Of six values the last one is `enabled`: the form is older than threads.
    let last = if values.len() == 6 { "enabled" } else { "parallel_threads" };
    let names = names.map(|name| if name == "parallel_threads" { last } else { name });
    names.iter().zip(values).try_for_each(|(k, v)| o.set_option(k, v))
}

/// `rate_limiter_bytes_per_sec`: a limiter with RocksDB's other defaults; 0 is none.
pub(super) fn set_rate(to: &mut Option<Arc<RateLimiter>>, text: &str) -> Result<()> {
    let mut rate = 0i64;
    store(&mut rate, "rate_limiter_bytes_per_sec", text)?;
    *to = (rate > 0).then(|| RateLimiter::new(rate, 100_000, 10));
    Ok(())
}
