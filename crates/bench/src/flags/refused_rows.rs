//! Flags of unsupported features: the default is accepted, any other value is refused for the reason below.
//!
//! A reason completes the sentence "--flag=value is not supported: ", names what lacks the feature, and is also
//! the flag's help.

use super::Fate::{Noted, Refused};
use super::Kind::{Bool, Double, Int32, Int64, Text, Uint32, Uint64};
use super::{Row, row};

const MULTISCAN: &str = "this tool's multiscan reads its ranges with one iterator, because neither \
    Ferrolith nor RocksDB's C API plans the reads of several ranges together";
const REMOTE: &str =
    "Ferrolith does not support remote compaction, which the benchmark openandcompact measures";
const HOT: &str = "this tool always creates all column families when it opens the database";
const ONE_DB: &str = "this tool opens a single database";
const TIMESTAMPS: &str = "Ferrolith does not support user-defined timestamps";
const NUMA: &str = "this tool does not bind threads to NUMA nodes; use numactl --interleave=all";
const POOLS: &str = "Ferrolith's databases do not share thread pools; --max_background_jobs \
    sets the number of background threads";
const IO_URING: &str = "Ferrolith reads with pread and does not use io_uring";
const ENVS: &str = "this tool supports only the operating system's file system";
const SECONDARY_CACHE: &str = "Ferrolith does not support secondary caches";
const SIMCACHE: &str = "Ferrolith does not support simulated caches";
const ALLOCATORS: &str =
    "Ferrolith uses the program's memory allocator and cannot select or inspect another one";
const READ_CACHE: &str = "Ferrolith does not support persistent caches";
const SECONDARY_DB: &str = "Ferrolith supports neither secondary instances nor followers";
const CACHE_URI: &str = "Ferrolith creates block caches only by --cache_type";
const COMPRESSION_MANAGER: &str =
    "Ferrolith does not support compression managers; --compression_type selects the codec";
const CHARGES: &str = "Ferrolith charges only blocks and, with --cost_write_buffer_to_cache, \
    memtables to the block cache";
const STATISTICS_STRING: &str =
    "Ferrolith has a single statistics implementation, which --statistics turns on";
const FILE_CHECKSUM: &str = "Ferrolith does not support whole-file checksums";
const THREAD_STATUS: &str = "Ferrolith does not track thread status";
const COUNTED_ENV: &str = "this tool does not count file system calls by type; the output line \
    'files:' shows bytes and read calls";
const STACKED_BLOB: &str =
    "RocksDB's stacked BlobDB is supported neither by Ferrolith nor by RocksDB's C API";
const BLOB_CACHE: &str = "Ferrolith does not support blob files";
const TRACES: &str = "Ferrolith does not support recording and replaying traces";
const BURST: &str =
    "Ferrolith's rate limiter derives the burst size from the rate and the refill period";

const POOLS_OF_CACHES: &str = "this flag has no effect: neither Ferrolith's block cache nor \
    RocksDB's hyper clock cache has priority pools";

/// All of them.
#[rustfmt::skip]
pub(super) const REFUSED: &[Row] = &[
    row("multiscan_coalesce_threshold", Uint64, "16384", Refused(MULTISCAN), MULTISCAN),
    row("multiscan_use_async_io", Bool, "false", Refused(MULTISCAN), MULTISCAN),
    row("openandcompact_allow_resumption", Bool, "false", Refused(REMOTE), REMOTE),
    row("openandcompact_test_cancel_on_odd", Bool, "false", Refused(REMOTE), REMOTE),
    row("openandcompact_cancel_after_millseconds", Uint32, "1", Refused(REMOTE), REMOTE),
    row("num_hot_column_families", Int32, "0", Refused(HOT), HOT),
    row("num_multi_db", Int32, "0", Refused(ONE_DB), ONE_DB),
    row("user_timestamp_size", Int32, "0", Refused(TIMESTAMPS), TIMESTAMPS),
    row("read_with_latest_user_timestamp", Bool, "true", Refused(TIMESTAMPS), TIMESTAMPS),
    row("enable_numa", Bool, "false", Refused(NUMA), NUMA),
    row("num_bottom_pri_threads", Int32, "0", Refused(POOLS), POOLS),
    row("num_high_pri_threads", Int32, "0", Refused(POOLS), POOLS),
    row("num_low_pri_threads", Int32, "0", Refused(POOLS), POOLS),
    row("io_uring_enabled", Bool, "true", Refused(IO_URING), IO_URING),
    row("env_uri", Text, "", Refused(ENVS), ENVS),
    row("fs_uri", Text, "", Refused(ENVS), ENVS),
    row("simulate_hybrid_fs_file", Text, "", Refused(ENVS), ENVS),
    row("simulate_hybrid_hdd_multipliers", Int32, "1", Refused(ENVS), ENVS),
    row("simulate_hdd", Bool, "false", Refused(ENVS), ENVS),
    row("enable_io_prio", Bool, "false", Refused(POOLS), POOLS),
    row("enable_cpu_prio", Bool, "false", Refused(POOLS), POOLS),
    row("cache_high_pri_pool_ratio", Double, "0", Noted(POOLS_OF_CACHES), "Fraction of an LRU cache reserved for high-priority blocks"),
    row("cache_low_pri_pool_ratio", Double, "0", Noted(POOLS_OF_CACHES), "Fraction of an LRU cache reserved for low-priority blocks"),
    row("use_compressed_secondary_cache", Bool, "false", Refused(SECONDARY_CACHE), SECONDARY_CACHE),
    row("compressed_secondary_cache_size", Int64, "33554432", Refused(SECONDARY_CACHE), SECONDARY_CACHE),
    row("compressed_secondary_cache_numshardbits", Int32, "6", Refused(SECONDARY_CACHE), SECONDARY_CACHE),
    row("compressed_secondary_cache_high_pri_pool_ratio", Double, "0", Refused(SECONDARY_CACHE), SECONDARY_CACHE),
    row("compressed_secondary_cache_low_pri_pool_ratio", Double, "0", Refused(SECONDARY_CACHE), SECONDARY_CACHE),
    row("compressed_secondary_cache_compression_type", Text, "lz4", Refused(SECONDARY_CACHE), SECONDARY_CACHE),
    row("compressed_secondary_cache_compression_level", Int32, "32767", Refused(SECONDARY_CACHE), SECONDARY_CACHE),
    row("compressed_secondary_cache_compress_format_version", Uint32, "2", Refused(SECONDARY_CACHE), SECONDARY_CACHE),
    row("use_tiered_cache", Bool, "false", Refused(SECONDARY_CACHE), SECONDARY_CACHE),
    row("tiered_adm_policy", Text, "auto", Refused(SECONDARY_CACHE), SECONDARY_CACHE),
    row("simcache_size", Int64, "-1", Refused(SIMCACHE), SIMCACHE),
    row("use_cache_jemalloc_no_dump_allocator", Bool, "false", Refused(ALLOCATORS), ALLOCATORS),
    row("use_cache_memkind_kmem_allocator", Bool, "false", Refused(ALLOCATORS), ALLOCATORS),
    row("compressed_cache_size", Int64, "-1", Refused(SECONDARY_CACHE), SECONDARY_CACHE),
    row("read_cache_path", Text, "", Refused(READ_CACHE), READ_CACHE),
    row("read_cache_size", Int64, "4294967296", Refused(READ_CACHE), READ_CACHE),
    row("read_cache_direct_write", Bool, "true", Refused(READ_CACHE), READ_CACHE),
    row("read_cache_direct_read", Bool, "true", Refused(READ_CACHE), READ_CACHE),
    row("use_secondary_db", Bool, "false", Refused(SECONDARY_DB), SECONDARY_DB),
    row("secondary_path", Text, "", Refused(SECONDARY_DB), SECONDARY_DB),
    row("secondary_update_interval", Int32, "5", Refused(SECONDARY_DB), SECONDARY_DB),
    row("open_as_follower", Bool, "false", Refused(SECONDARY_DB), SECONDARY_DB),
    row("leader_path", Text, "", Refused(SECONDARY_DB), SECONDARY_DB),
    row("cache_uri", Text, "", Refused(CACHE_URI), CACHE_URI),
    row("secondary_cache_uri", Text, "", Refused(SECONDARY_CACHE), SECONDARY_CACHE),
    row("compression_manager", Text, "none", Refused(COMPRESSION_MANAGER), COMPRESSION_MANAGER),
    row("charge_compression_dictionary_building_buffer", Bool, "false", Refused(CHARGES), CHARGES),
    row("charge_filter_construction", Bool, "false", Refused(CHARGES), CHARGES),
    row("charge_table_reader", Bool, "false", Refused(CHARGES), CHARGES),
    row("charge_file_metadata", Bool, "false", Refused(CHARGES), CHARGES),
    row("statistics_string", Text, "", Refused(STATISTICS_STRING), STATISTICS_STRING),
    row("file_checksum", Bool, "false", Refused(FILE_CHECKSUM), FILE_CHECKSUM),
    row("thread_status_per_interval", Int32, "0", Refused(THREAD_STATUS), THREAD_STATUS),
    row("print_malloc_stats", Bool, "false", Refused(ALLOCATORS), ALLOCATORS),
    row("report_file_operations", Bool, "false", Refused(COUNTED_ENV), COUNTED_ENV),
    row("transaction_sleep", Int32, "0", Noted("this flag has no effect in RocksDB 10's db_bench either"), "Time between the operations of a transaction, in microseconds"),
    row("use_blob_db", Bool, "false", Refused(STACKED_BLOB), STACKED_BLOB),
    row("blob_db_enable_gc", Bool, "false", Refused(STACKED_BLOB), STACKED_BLOB),
    row("blob_db_gc_cutoff", Double, "0.25", Refused(STACKED_BLOB), STACKED_BLOB),
    row("blob_db_is_fifo", Bool, "false", Refused(STACKED_BLOB), STACKED_BLOB),
    row("blob_db_max_db_size", Uint64, "0", Refused(STACKED_BLOB), STACKED_BLOB),
    row("blob_db_max_ttl_range", Uint64, "0", Refused(STACKED_BLOB), STACKED_BLOB),
    row("blob_db_ttl_range_secs", Uint64, "3600", Refused(STACKED_BLOB), STACKED_BLOB),
    row("blob_db_min_blob_size", Uint64, "0", Refused(STACKED_BLOB), STACKED_BLOB),
    row("blob_db_bytes_per_sync", Uint64, "524288", Refused(STACKED_BLOB), STACKED_BLOB),
    row("blob_db_file_size", Uint64, "268435456", Refused(STACKED_BLOB), STACKED_BLOB),
    row("blob_db_compression_type", Text, "snappy", Refused(STACKED_BLOB), STACKED_BLOB),
    row("use_blob_cache", Bool, "false", Refused(BLOB_CACHE), BLOB_CACHE),
    row("use_shared_block_and_blob_cache", Bool, "true", Refused(BLOB_CACHE), BLOB_CACHE),
    row("blob_cache_size", Uint64, "8388608", Refused(BLOB_CACHE), BLOB_CACHE),
    row("blob_cache_numshardbits", Int32, "6", Refused(BLOB_CACHE), BLOB_CACHE),
    row("charge_blob_cache", Bool, "false", Refused(CHARGES), CHARGES),
    row("trace_file", Text, "", Refused(TRACES), TRACES),
    row("trace_replay_fast_forward", Double, "1", Refused(TRACES), TRACES),
    row("block_cache_trace_sampling_frequency", Int32, "1", Refused(TRACES), TRACES),
    row("block_cache_trace_max_trace_file_size_in_bytes", Int64, "68719476736", Refused(TRACES), TRACES),
    row("block_cache_trace_file", Text, "", Refused(TRACES), TRACES),
    row("trace_replay_threads", Int32, "1", Refused(TRACES), TRACES),
    row("rate_limiter_single_burst_bytes", Int64, "0", Refused(BURST), BURST),
];
