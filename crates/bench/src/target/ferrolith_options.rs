//! From flags to Ferrolith's options: each option that a flag names, with the flag's value.

use super::Result;
use crate::flags::Flags;
use ferrolith::cache::Cache;
use ferrolith::compress::CompressionType;
use ferrolith::hooks::{FixedPrefixTransform, SliceTransform, merge_operator_by_name};
use ferrolith::options::{
    BlockBasedTableOptions, ChecksumType, ColumnFamilyOptions, CompactionPri, CompactionStyle,
    CompressionOptions, DataBlockIndexType, DbOptions, FilterPolicy, MemtableFactory, Options,
    PlainTableOptions, TableFactory,
};
use std::sync::Arc;

/// What `Db::open` gets.
pub(super) fn options(flags: &Flags) -> Result<Options> {
    Ok(Options { db: database(flags), cf: family(flags)? })
}

fn database(f: &Flags) -> DbOptions {
    let mut options = DbOptions {
        create_if_missing: true,
        paranoid_checks: f.on("paranoid_checks"),
        max_open_files: f.int32("open_files"),
        max_file_opening_threads: f.int32("file_opening_threads"),
        max_total_wal_size: f.uint("max_total_wal_size"),
        max_background_jobs: f.int32("max_background_jobs"),
        max_background_compactions: f.int32("max_background_compactions"),
        max_background_flushes: f.int32("max_background_flushes"),
        max_subcompactions: f.uint("subcompactions") as u32,
        use_fsync: f.on("use_fsync"),
        wal_dir: f.text("wal_dir").into(),
        wal_ttl_seconds: f.uint("wal_ttl_seconds"),
        wal_size_limit_mb: f.uint("wal_size_limit_MB"),
        max_manifest_file_size: f.uint("max_manifest_file_size"),
        allow_mmap_reads: f.on("mmap_read"),
        allow_mmap_writes: f.on("mmap_write"),
        bytes_per_sync: f.uint("bytes_per_sync"),
        wal_bytes_per_sync: f.uint("wal_bytes_per_sync"),
        db_write_buffer_size: f.uint("db_write_buffer_size") as usize,
        delayed_write_rate: f.uint("delayed_write_rate"),
        allow_concurrent_memtable_write: super::concurrent_memtable_write(f),
        avoid_flush_during_recovery: f.on("avoid_flush_during_recovery"),
        avoid_flush_during_shutdown: f.on("avoid_flush_during_shutdown"),
        manual_wal_flush: f.on("manual_wal_flush"),
        statistics: f.on("statistics").then(ferrolith::stats::Statistics::new),
        stats_dump_period_sec: f.uint("stats_dump_period_sec") as u32,
        ..DbOptions::default()
    };
    if f.is_given("delete_obsolete_files_period_micros") {
        options.delete_obsolete_files_period_micros = f.uint("delete_obsolete_files_period_micros");
    }
    options
}

fn family(f: &Flags) -> Result<ColumnFamilyOptions> {
    let prefix = f.uint("prefix_size") as usize;
    let extractor = || Arc::new(FixedPrefixTransform::new(prefix)) as Arc<dyn SliceTransform>;
    let compression = codec(f)?;
    Ok(ColumnFamilyOptions {
        merge_operator: match f.text("merge_operator") {
            "" => None,
            name => Some(merge_operator_by_name(name).ok_or_else(|| bad(f, "merge_operator"))?),
        },
        prefix_extractor: (prefix > 0).then(extractor),
        table_factory: table(f)?,
        memtable_factory: memtable(f),
        write_buffer_size: f.uint("write_buffer_size") as usize,
        max_write_buffer_number: f.int32("max_write_buffer_number"),
        min_write_buffer_number_to_merge: f.int32("min_write_buffer_number_to_merge"),
        max_write_buffer_size_to_maintain: f.int("max_write_buffer_size_to_maintain"),
        num_levels: f.int32("num_levels"),
        level0_file_num_compaction_trigger: f.int32("level0_file_num_compaction_trigger"),
        level0_slowdown_writes_trigger: f.int32("level0_slowdown_writes_trigger"),
        level0_stop_writes_trigger: f.int32("level0_stop_writes_trigger"),
        target_file_size_base: f.uint("target_file_size_base"),
        target_file_size_multiplier: f.int32("target_file_size_multiplier"),
        max_bytes_for_level_base: f.uint("max_bytes_for_level_base"),
        level_compaction_dynamic_level_bytes: f.on("level_compaction_dynamic_level_bytes"),
        max_bytes_for_level_multiplier: f.double("max_bytes_for_level_multiplier"),
        max_bytes_for_level_multiplier_additional: super::additional_multipliers(f)?,
        max_compaction_bytes: f.uint("max_compaction_bytes"),
        soft_pending_compaction_bytes_limit: f.uint("soft_pending_compaction_bytes_limit"),
        hard_pending_compaction_bytes_limit: f.uint("hard_pending_compaction_bytes_limit"),
        compaction_style: style(f)?,
        compaction_pri: priority(f)?,
        disable_auto_compactions: f.on("disable_auto_compactions"),
        compression,
        compression_per_level: per_level(f, compression),
        compression_opts: CompressionOptions {
            level: f.int32("compression_level"),
            max_dict_bytes: f.int32("compression_max_dict_bytes").max(0) as u32,
            zstd_max_train_bytes: f.int32("compression_zstd_max_train_bytes").max(0) as u32,
            max_dict_buffer_bytes: f.uint("compression_max_dict_buffer_bytes"),
            use_zstd_dict_trainer: f.on("compression_use_zstd_dict_trainer"),
            ..CompressionOptions::default()
        },
        memtable_prefix_bloom_size_ratio: f.double("memtable_bloom_size_ratio"),
        memtable_whole_key_filtering: f.on("memtable_whole_key_filtering"),
        arena_block_size: f.uint("arena_block_size") as usize,
        max_successive_merges: f.uint("max_successive_merges") as usize,
        optimize_filters_for_hits: f.on("optimize_filters_for_hits"),
        inplace_update_support: f.on("inplace_update_support"),
        force_consistency_checks: f.on("force_consistency_checks"),
        ttl: f.uint("ttl_seconds"),
        periodic_compaction_seconds: f.uint("periodic_compaction_seconds"),
        ..ColumnFamilyOptions::default()
    })
}

fn bad(f: &Flags, name: &str) -> String {
    format!("ERROR: --{name}={} is not supported by Ferrolith", f.value(name))
}

fn table(f: &Flags) -> Result<TableFactory> {
    if f.on("use_plain_table") {
        return Ok(TableFactory::Plain(PlainTableOptions {
            user_key_len: f.uint("key_size") as u32,
            bloom_bits_per_key: super::plain_bloom_bits(f),
            ..PlainTableOptions::default()
        }));
    }
    let bits = f.int("bloom_bits");
    Ok(TableFactory::BlockBased(BlockBasedTableOptions {
        block_size: f.uint("block_size") as usize,
        block_restart_interval: f.uint("block_restart_interval") as usize,
        index_block_restart_interval: f.uint("index_block_restart_interval") as usize,
        format_version: f.uint("format_version") as u32,
        checksum: checksum(f)?,
        data_block_index_type: if f.on("use_data_block_hash_index") {
            DataBlockIndexType::BinaryAndHash
        } else {
            DataBlockIndexType::BinarySearch
        },
        data_block_hash_table_util_ratio: f.double("data_block_hash_table_util_ratio"),
        filter_policy: (bits > 0).then_some(FilterPolicy::Bloom { bits_per_key: bits as f64 }),
        whole_key_filtering: f.on("whole_key_filtering"),
        block_cache: cache(f),
        no_block_cache: f.int("cache_size") <= 0,
        cache_index_and_filter_blocks: f.on("cache_index_and_filter_blocks"),
        verify_compression: f.on("verify_compression"),
        ..BlockBasedTableOptions::default()
    }))
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

fn memtable(f: &Flags) -> MemtableFactory {
    let bucket_count = f.uint("hash_bucket_count") as usize;
    match f.text("memtablerep") {
        "prefix_hash" => MemtableFactory::HashSkipList {
            bucket_count,
            skiplist_height: 4,
            skiplist_branching_factor: 4,
        },
        "hash_linkedlist" => MemtableFactory::HashLinkList { bucket_count },
        "vector" => MemtableFactory::Vector { count: 0 },
        _ => MemtableFactory::SkipList { lookahead: f.uint("skip_list_lookahead") as usize },
    }
}

fn codec(f: &Flags) -> Result<CompressionType> {
    use CompressionType as T;
    Ok(match f.text("compression_type") {
        "none" => T::None,
        "snappy" => T::Snappy,
        "zlib" => T::Zlib,
        "lz4" => T::Lz4,
        "lz4hc" => T::Lz4hc,
        "bzip2" => T::Bzip2,
        "zstd" => T::Zstd,
        _ => return Err(bad(f, "compression_type")),
    })
}

fn per_level(f: &Flags, codec: CompressionType) -> Vec<CompressionType> {
    let first = f.int("min_level_to_compress");
    if first < 0 {
        return Vec::new();
    }
    let of = |level| if level < first { CompressionType::None } else { codec };
    (0..f.int("num_levels")).map(of).collect()
}

fn checksum(f: &Flags) -> Result<ChecksumType> {
    use ChecksumType as T;
    let all = [T::NoChecksum, T::Crc32c, T::XxHash, T::XxHash64, T::Xxh3];
    let index = f.int("checksum_type") as usize;
    all.get(index).copied().ok_or_else(|| bad(f, "checksum_type"))
}

fn style(f: &Flags) -> Result<CompactionStyle> {
    match f.int("compaction_style") {
        0 => Ok(CompactionStyle::Level),
        3 => Ok(CompactionStyle::None),
        _ => Err(bad(f, "compaction_style")),
    }
}

fn priority(f: &Flags) -> Result<CompactionPri> {
    use CompactionPri as P;
    let all = [
        P::ByCompensatedSize,
        P::OldestLargestSeqFirst,
        P::OldestSmallestSeqFirst,
        P::MinOverlappingRatio,
        P::RoundRobin,
    ];
    let index = f.int("compaction_pri") as usize;
    all.get(index).copied().ok_or_else(|| bad(f, "compaction_pri"))
}
