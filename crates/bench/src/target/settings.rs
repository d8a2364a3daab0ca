//! Converts flags to options in RocksDB's text form: the same list for every engine.
//!
//! All options that RocksDB's db_bench sets are set here, with its defaults, so that no engine uses its own defaults. A
//! row of the flags that `Sets` an option is one setting; a few options depend on several flags.

use super::Result;
use crate::flags::{Fate, Flags, TABLES};

/// Options of block-based tables.
const BLOCK_BASED: &str = "block_based_table_factory";

/// One option of the database or of its column families.
pub(super) struct Setting {
    /// The flag that it comes from.
    pub(super) flag: &'static str,
    /// The option by RocksDB's name; `part.setting` is one setting of a part.
    pub(super) option: &'static str,
    /// Its value.
    pub(super) value: String,
    /// The command line has the flag.
    pub(super) given: bool,
}

impl Setting {
    /// `name=value`, or `part={setting=value}`.
    pub(super) fn text(&self) -> String {
        match self.option.split_once('.') {
            Some((part, setting)) => format!("{part}={{{setting}={};}}", self.value),
            None => format!("{}={}", self.option, self.value),
        }
    }
}

/// Returns all settings for the flags, in an order in which they can be set.
pub(super) fn settings(flags: &Flags) -> Result<Vec<Setting>> {
    let block_based = !flags.on("use_plain_table") && !flags.on("use_cuckoo_table");
    let mut all = tables(flags)?;
    for row in TABLES.iter().flat_map(|(_, rows)| rows.iter()) {
        let Fate::Sets(option) = row.fate else { continue };
        if option.starts_with(BLOCK_BASED) && !block_based {
            continue;
        }
        if let Some(value) = value(flags, row.name)? {
            all.push(Setting { flag: row.name, option, value, given: flags.is_given(row.name) });
        }
    }
    all.extend(memtables(flags));
    Ok(all)
}

fn setting(flags: &Flags, flag: &'static str, option: &'static str, value: String) -> Setting {
    Setting { flag, option, value, given: flags.is_given(flag) }
}

/// Returns the format of tables, which must be known before its options are set.
fn tables(f: &Flags) -> Result<Vec<Setting>> {
    let table = |flag, option, value| vec![setting(f, flag, option, value)];
    if f.on("use_plain_table") {
        let (size, bits) = (f.int("key_size"), f.int("bloom_bits"));
        let bits = if bits < 0 { 10 } else { bits };
        let value = format!(
            "{{id=PlainTable;user_key_len={size};bloom_bits_per_key={bits};hash_table_ratio=0.75;}}"
        );
        return Ok(table("use_plain_table", "table_factory", value));
    }
    if f.on("use_cuckoo_table") {
        let (ratio, identity) = (f.double("cuckoo_hash_ratio"), f.on("identity_as_first_hash"));
        if !(0.0..=1.0).contains(&ratio) {
            return Err(format!("ERROR: --cuckoo_hash_ratio={ratio} must be between 0 and 1"));
        }
        let value = format!(
            "{{id=CuckooTable;hash_table_ratio={ratio};identity_as_first_hash={identity};}}"
        );
        return Ok(table("use_cuckoo_table", "table_factory", value));
    }
    let mut all = Vec::new();
    let bits = f.int("bloom_bits");
    if bits > 0 {
        let kind = if f.on("use_ribbon_filter") { "ribbonfilter" } else { "bloomfilter" };
        all.extend(table(
            "bloom_bits",
            "block_based_table_factory.filter_policy",
            format!("{kind}:{bits}"),
        ));
    }
    let partitioned = f.on("partition_index_and_filters") || f.on("partition_index");
    let (flag, index) = if f.on("partition_index_and_filters") {
        ("partition_index_and_filters", "kTwoLevelIndexSearch")
    } else if partitioned {
        ("partition_index", "kTwoLevelIndexSearch")
    } else if f.on("index_with_first_key") {
        ("index_with_first_key", "kBinarySearchWithFirstKey")
    } else if f.on("use_hash_search") {
        ("use_hash_search", "kHashSearch")
    } else {
        return Ok(all);
    };
    all.extend(table(flag, "block_based_table_factory.index_type", index.to_owned()));
    if f.on("partition_index_and_filters") {
        all.extend(table(flag, "block_based_table_factory.partition_filters", "true".to_owned()));
    }
    Ok(all)
}

fn memtables(f: &Flags) -> Vec<Setting> {
    let mut all = Vec::new();
    let number = |flag| format!("{}:{}", f.text("memtablerep"), f.int(flag));
    let memtable = match f.text("memtablerep") {
        "prefix_hash" | "hash_linkedlist" => number("hash_bucket_count"),
        "skip_list" => number("skip_list_lookahead"),
        other => other.to_owned(),
    };
    all.push(setting(f, "memtablerep", "memtable_factory", memtable));
    let prefix = f.int("prefix_size");
    if prefix > 0 {
        all.push(setting(
            f,
            "prefix_size",
            "prefix_extractor",
            format!("rocksdb.FixedPrefix.{prefix}"),
        ));
    }
    all
}

/// Returns the value in the text form of options; `None` leaves the option as it is.
fn value(f: &Flags, flag: &'static str) -> Result<Option<String>> {
    let is = |value: &str| Ok(Some(value.to_owned()));
    let bad = |known: &str| {
        Err(format!(
            "ERROR: illegal value '{}' specified for flag '{flag}'; known: {known}",
            f.value(flag)
        ))
    };
    let numbered = |names: &[&str]| {
        let name = usize::try_from(f.int(flag)).ok().and_then(|index| names.get(index));
        name.map_or_else(|| bad(&format!("0 to {}", names.len() - 1)), |name| is(name))
    };
    match flag {
        // Empty or zero: the option keeps its default, as in RocksDB's tool.
        "merge_operator" | "wal_dir" if f.text(flag).is_empty() => Ok(None),
        "universal_size_ratio"
        | "universal_min_merge_width"
        | "universal_max_merge_width"
        | "universal_max_size_amplification_percent"
            if f.int(flag) == 0 =>
        {
            Ok(None)
        }
        // RocksDB's tool reads this flag but ignores it.
        "delete_obsolete_files_period_micros" if !f.is_given(flag) => Ok(None),
        "fifo_compaction_max_table_files_size_mb" => Ok(Some((f.uint(flag) << 20).to_string())),
        "memtable_use_huge_page" => is(if f.on(flag) { "2048" } else { "0" }),
        "memtable_insert_with_hint_prefix_size" => Ok(Some(f.int(flag))
            .filter(|size| *size > 0)
            .map(|size| format!("rocksdb.CappedPrefix.{size}"))),
        "allow_concurrent_memtable_write" => {
            is(if concurrent_memtable_write(f) { "true" } else { "false" })
        }
        "use_data_block_hash_index" => {
            is(if f.on(flag) { "kDataBlockBinaryAndHash" } else { "kDataBlockBinarySearch" })
        }
        "min_level_to_compress" => Ok(per_level(f)),
        "compression_type" | "blob_compression_type" | "wal_compression" => {
            codec_option(f.text(flag))
                .map_or_else(|| bad("none, snappy, zlib, bzip2, lz4, lz4hc, xpress, zstd"), is)
        }
        "max_bytes_for_level_multiplier_additional" => Ok(multipliers(f)?),
        "checksum_type" => numbered(&["kNoChecksum", "kCRC32c", "kxxHash", "kxxHash64", "kXXH3"]),
        "index_shortening_mode" => {
            numbered(&["kNoShortening", "kShortenSeparators", "kShortenSeparatorsAndSuccessor"])
        }
        "prepopulate_block_cache" | "prepopulate_blob_cache" => {
            numbered(&["kDisable", "kFlushOnly"])
        }
        "universal_stop_style" => {
            numbered(&["kCompactionStopStyleSimilarSize", "kCompactionStopStyleTotalSize"])
        }
        "compaction_style" => numbered(&[
            "kCompactionStyleLevel",
            "kCompactionStyleUniversal",
            "kCompactionStyleFIFO",
            "kCompactionStyleNone",
        ]),
        "compaction_pri" => numbered(&[
            "kByCompensatedSize",
            "kOldestLargestSeqFirst",
            "kOldestSmallestSeqFirst",
            "kMinOverlappingRatio",
            "kRoundRobin",
        ]),
        _ => Ok(Some(f.value(flag).to_string())),
    }
}

/// Hash structures and vectors take one writer at a time.
fn concurrent_memtable_write(flags: &Flags) -> bool {
    flags.on("allow_concurrent_memtable_write")
        && flags.text("memtablerep") == "skip_list"
        && !flags.on("inplace_update_support")
}

/// Returns the name in options of a codec of `--compression_type`.
pub fn codec_option(name: &str) -> Option<&'static str> {
    Some(match name {
        "none" => "kNoCompression",
        "snappy" => "kSnappyCompression",
        "zlib" => "kZlibCompression",
        "bzip2" => "kBZip2Compression",
        "lz4" => "kLZ4Compression",
        "lz4hc" => "kLZ4HCCompression",
        "xpress" => "kXpressCompression",
        "zstd" => "kZSTD",
        _ => return None,
    })
}

fn per_level(f: &Flags) -> Option<String> {
    let (first, wanted) =
        (f.int("min_level_to_compress"), codec_option(f.text("compression_type"))?);
    let of = |level| if level < first { "kNoCompression" } else { wanted };
    (first >= 0).then(|| (0..f.int("num_levels")).map(of).collect::<Vec<_>>().join(":"))
}

fn multipliers(f: &Flags) -> Result<Option<String>> {
    let name = "max_bytes_for_level_multiplier_additional";
    let text = f.text(name);
    let factors: Vec<&str> = text.split(',').filter(|factor| !factor.is_empty()).collect();
    if factors.iter().any(|factor| factor.parse::<i32>().is_err()) {
        return Err(format!("ERROR: illegal value '{text}' specified for string flag '{name}'"));
    }
    if !factors.is_empty() && factors.len() as i64 != f.int("num_levels") {
        return Err(format!("ERROR: --{name} needs --num_levels factors, found {}", factors.len()));
    }
    Ok((!factors.is_empty()).then(|| factors.join(":")))
}
