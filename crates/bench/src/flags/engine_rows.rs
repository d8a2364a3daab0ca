//! Flags that set options of the engine.
//!
//! Defaults are those of db_bench of RocksDB 10.10, which differ from the engine's own here and there.

use super::Fate::{Library, Noted, Used};
use super::Kind::{Bool, Choice, Double, Int32, Int64, Text, Uint32, Uint64};
use super::{CODECS, Row, row};

/// The database as a whole.
#[rustfmt::skip]
pub(super) const DATABASE: &[Row] = &[
    row("db", Text, "", Used, "Directory of the database; empty: dbbench in the temporary directory"),
    row("wal_dir", Text, "", Used, "Directory of the log; empty: the database directory"),
    row("use_existing_db", Bool, "false", Used, "Keep the database; filling benchmarks are then skipped"),
    row("readonly", Bool, "false", Used, "Open for reading only; implies --use_existing_db"),
    row("sync", Bool, "false", Used, "Every write reaches the device before it returns"),
    row("disable_wal", Bool, "false", Used, "Write no log"),
    row("use_fsync", Bool, "false", Used, "fsync instead of fdatasync"),
    row("manual_wal_flush", Bool, "false", Used, "Write the log only on demand"),
    row("wal_ttl_seconds", Uint64, "0", Used, "Seconds that old logs are kept"),
    row("wal_size_limit_MB", Uint64, "0", Used, "Megabytes of old logs that are kept"),
    row("max_total_wal_size", Uint64, "0", Used, "Bytes of live logs from which memtables are flushed; 0: by memtable sizes"),
    row("wal_bytes_per_sync", Uint64, "0", Used, "Push the log to the device every so many bytes; 0: never"),
    row("bytes_per_sync", Uint64, "0", Used, "Push new tables to the device every so many bytes; 0: never"),
    row("avoid_flush_during_recovery", Bool, "false", Used, "Flush nothing at open unless it must"),
    row("avoid_flush_during_shutdown", Bool, "false", Used, "Flush nothing at close"),
    row("open_files", Int32, "-1", Used, "Table files held open; -1: all"),
    row("file_opening_threads", Int32, "16", Used, "Threads that open tables when all are held open"),
    row("paranoid_checks", Bool, "true", Used, "Verify more while running"),
    row("force_consistency_checks", Bool, "true", Used, "Check the order of files in levels"),
    row("max_manifest_file_size", Int64, "1073741824", Used, "Bytes from which the manifest is rewritten"),
    row("merge_operator", Choice(&["", "put", "uint64add", "stringappend", "max"]), "", Used, "Merge operator"),
    row("statistics", Bool, "false", Used, "Collect and print tickers"),
    row("stats_level", Int32, "3", Used, "How much is collected, in RocksDB numbers; a library only"),
    row("stats_dump_period_sec", Uint64, "600", Used, "Seconds between statistics in LOG"),
    row("verify_checksum", Bool, "true", Noted("honoured: reads verify the checksums of blocks they load"), "Verify checksums of what is read"),
    row("delete_obsolete_files_period_micros", Uint64, "0", Noted("honoured here, though db_bench of RocksDB 10 ignores it; files are also deleted as soon as they are obsolete"), "Microseconds between scans for obsolete files"),
];

/// Memtables.
#[rustfmt::skip]
pub(super) const MEMTABLES: &[Row] = &[
    row("memtablerep", Choice(&["skip_list", "prefix_hash", "hash_linkedlist", "vector"]), "skip_list", Used, "Structure of memtables"),
    row("hash_bucket_count", Int64, "1048576", Used, "Buckets of prefix_hash and hash_linkedlist"),
    row("skip_list_lookahead", Int32, "0", Used, "Steps of a linear search before a seek; a library only"),
    row("write_buffer_size", Int64, "67108864", Used, "Bytes of a memtable"),
    row("db_write_buffer_size", Int64, "0", Used, "Bytes of all memtables; 0: no limit"),
    row("max_write_buffer_number", Int32, "2", Used, "Memtables in memory before writers stop"),
    row("min_write_buffer_number_to_merge", Int32, "1", Used, "Memtables flushed together"),
    row("max_write_buffer_size_to_maintain", Int64, "0", Used, "Bytes of flushed memtables that are kept"),
    row("arena_block_size", Int64, "0", Used, "Bytes of an arena block; 0: derived"),
    row("memtable_bloom_size_ratio", Double, "0", Used, "Bloom filter of memtables as a part of the write buffer"),
    row("memtable_whole_key_filtering", Bool, "false", Used, "Whole keys in the memtable filter"),
    row("allow_concurrent_memtable_write", Bool, "true", Used, "Threads insert in parallel; turned off for structures that cannot"),
    row("max_successive_merges", Int32, "0", Used, "Operands from which a write folds; 0: never"),
    row("inplace_update_support", Bool, "false", Used, "Update values in place"),
];

/// Table files, caches and reading.
#[rustfmt::skip]
pub(super) const TABLES: &[Row] = &[
    row("use_plain_table", Bool, "false", Used, "PlainTable instead of block-based tables; needs --mmap_read"),
    row("block_size", Int32, "4096", Used, "Bytes of a data block"),
    row("block_restart_interval", Int32, "16", Used, "Keys between restart points of data blocks"),
    row("index_block_restart_interval", Int32, "1", Used, "Keys between restart points of the index"),
    row("format_version", Int32, "6", Used, "Format of block-based tables"),
    row("checksum_type", Int32, "4", Used, "Checksum of blocks: 0 none, 1 crc32c, 2 xxhash, 3 xxhash64, 4 xxh3"),
    row("bloom_bits", Int32, "-1", Used, "Bits per key of the filter; negative: the default of the format, 0: none"),
    row("whole_key_filtering", Bool, "true", Used, "Whole keys in the filter"),
    row("optimize_filters_for_hits", Bool, "false", Used, "No filter on the last level"),
    row("use_data_block_hash_index", Bool, "false", Used, "Hash index in data blocks"),
    row("data_block_hash_table_util_ratio", Double, "0.75", Used, "Fill of that hash index"),
    row("cache_size", Int64, "33554432", Used, "Bytes of block cache; 0 or negative: none"),
    row("cache_numshardbits", Int32, "-1", Used, "The cache has 2^n shards; negative: chosen"),
    row("cache_type", Choice(&["hyper_clock_cache", "auto_hyper_clock_cache", "fixed_hyper_clock_cache", "lru_cache"]), "hyper_clock_cache", Used, "Kind of block cache"),
    row("cache_index_and_filter_blocks", Bool, "false", Used, "Index and filters are charged to the cache"),
    row("mmap_read", Bool, "false", Used, "Read tables through a memory map"),
    row("verify_compression", Bool, "false", Used, "Check each block after compressing it"),
    row("compression_type", Choice(CODECS), "snappy", Used, "Codec"),
    row("compression_level", Int32, "32767", Used, "Level of the codec; 32767: its default"),
    row("compression_max_dict_bytes", Int32, "0", Used, "Bytes of dictionary per file; 0: none"),
    row("compression_zstd_max_train_bytes", Int32, "0", Used, "Bytes of samples to train a dictionary for zstd from; 0: samples are the dictionary"),
    row("compression_max_dict_buffer_bytes", Uint64, "0", Used, "Bytes of blocks that wait for the dictionary; 0: those of a file"),
    row("compression_use_zstd_dict_trainer", Bool, "true", Used, "Train dictionaries for zstd rather than add tables to samples"),
    row("total_order_seek", Bool, "false", Used, "Iterate in key order across prefixes"),
    row("prefix_same_as_start", Bool, "false", Used, "An iterator ends with the prefix it was sought to"),
    row("auto_prefix_mode", Bool, "false", Used, "Use prefix filters where that is safe"),
    row("readahead_size", Int32, "0", Used, "Bytes read ahead by iterators; 0: automatic"),
    row("min_level_to_compress", Int32, "-1", Noted("-1 means that every level uses --compression_type; from 0 on, levels below it are not compressed"), "Levels above this are not compressed; -1: all are as --compression_type says"),
    row("bloom_locality", Int32, "0", Noted("filters already probe one cache line per key; a library gets the option, Ferrolith does not need it"), "Cache lines per probe of old Bloom filters"),
    row("mmap_write", Bool, "false", Noted("0 is how tables are written; 1 is passed to a library and refused by Ferrolith"), "Write tables through a memory map"),
];

/// Levels, flushes and compactions.
#[rustfmt::skip]
pub(super) const COMPACTION: &[Row] = &[
    row("compaction_style", Int32, "0", Used, "0 level, 3 none; 1 universal and 2 fifo are for a library"),
    row("compaction_pri", Int32, "3", Used, "Which file goes first, in RocksDB numbers"),
    row("num_levels", Int32, "7", Used, "Levels"),
    row("target_file_size_base", Int64, "67108864", Used, "Bytes of a file in level 1"),
    row("target_file_size_multiplier", Int32, "1", Used, "Growth of files per level"),
    row("max_bytes_for_level_base", Uint64, "268435456", Used, "Bytes of level 1"),
    row("max_bytes_for_level_multiplier", Double, "10", Used, "Growth of levels"),
    row("max_bytes_for_level_multiplier_additional", Text, "", Used, "Factor per level, comma-separated"),
    row("level_compaction_dynamic_level_bytes", Bool, "false", Used, "Sizes of levels follow the last one"),
    row("level0_file_num_compaction_trigger", Int32, "4", Used, "Level-0 files that start a compaction"),
    row("level0_slowdown_writes_trigger", Int32, "20", Used, "Level-0 files that slow writers"),
    row("level0_stop_writes_trigger", Int32, "36", Used, "Level-0 files that stop writers"),
    row("soft_pending_compaction_bytes_limit", Uint64, "68719476736", Used, "Debt that slows writers"),
    row("hard_pending_compaction_bytes_limit", Uint64, "137438953472", Used, "Debt that stops writers"),
    row("delayed_write_rate", Uint64, "8388608", Used, "Bytes per second of slowed writers"),
    row("max_background_jobs", Int32, "2", Used, "Flushes and compactions at once"),
    row("max_background_compactions", Int32, "-1", Used, "Compactions at once; -1: from --max_background_jobs"),
    row("max_background_flushes", Int32, "-1", Used, "Flushes at once; -1: from --max_background_jobs"),
    row("subcompactions", Uint64, "1", Used, "Threads of one compaction"),
    row("max_compaction_bytes", Uint64, "0", Used, "Bytes one compaction reads; 0: 25 files"),
    row("disable_auto_compactions", Bool, "false", Used, "No compaction unless asked for"),
    row("periodic_compaction_seconds", Uint64, "18446744073709551614", Used, "Age at which files are rewritten"),
    row("ttl_seconds", Uint64, "18446744073709551614", Used, "Age at which data is compacted"),
];

/// Options that only a library with RocksDB's C functions gets.
#[rustfmt::skip]
pub(super) const LIBRARY: &[Row] = &[
    row("advise_random_on_open", Bool, "true", Library, "Tell the kernel that tables are read at random"),
    row("allow_data_in_errors", Bool, "false", Library, "Keys may appear in error messages"),
    row("compaction_readahead_size", Uint64, "2097152", Library, "Bytes read ahead by compactions"),
    row("dump_malloc_stats", Bool, "true", Library, "Allocator statistics in LOG"),
    row("enable_pipelined_write", Bool, "true", Library, "Log and memtable writes overlap"),
    row("enable_write_thread_adaptive_yield", Bool, "true", Library, "Waiting writers spin first"),
    row("experimental_mempurge_threshold", Double, "0", Library, "Collect garbage in memory instead of flushing"),
    row("inplace_update_num_locks", Uint64, "10000", Library, "Locks of in-place updates"),
    row("log_readahead_size", Int32, "0", Library, "Bytes read ahead while recovering"),
    row("max_manifest_space_amp_pct", Int32, "500", Library, "Garbage in the manifest, in percent, before it is rewritten"),
    row("paranoid_memory_checks", Bool, "false", Library, "Check the order of the skip list while reading"),
    row("persist_stats_to_disk", Bool, "false", Library, "Statistics history in the database"),
    row("report_bg_io_stats", Bool, "false", Library, "Time the I/O of background jobs"),
    row("sample_for_compression", Int64, "0", Library, "One in so many blocks is test-compressed"),
    row("stats_history_buffer_size", Uint64, "1048576", Library, "Bytes of statistics history"),
    row("stats_persist_period_sec", Uint64, "600", Library, "Seconds between entries of it"),
    row("strict_max_successive_merges", Bool, "false", Library, "Fold operands even if that reads"),
    row("table_cache_numshardbits", Int32, "4", Library, "The table cache has 2^n shards"),
    row("track_and_verify_wals", Bool, "false", Library, "Verify the chain of logs"),
    row("track_and_verify_wals_in_manifest", Bool, "false", Library, "Record logs in the manifest"),
    row("uncache_aggressiveness", Uint32, "0", Library, "How eagerly blocks of deleted files leave the cache"),
    row("unordered_write", Bool, "false", Library, "Writes become visible out of order"),
    row("use_adaptive_mutex", Bool, "false", Library, "Mutexes spin first"),
    row("use_direct_reads", Bool, "false", Library, "Read past the page cache"),
    row("use_direct_io_for_flush_and_compaction", Bool, "false", Library, "Flush and compact past the page cache"),
    row("writable_file_max_buffer_size", Int32, "1048576", Library, "Bytes of a file writer's buffer"),
    row("write_thread_max_yield_usec", Uint64, "100", Library, "Microseconds a writer spins"),
    row("write_thread_slow_yield_usec", Uint64, "3", Library, "When a yield counts as slow"),
    row("wal_compression", Text, "none", Library, "Codec of the log"),
    row("memtable_protection_bytes_per_key", Uint32, "0", Library, "Checksum bytes per memtable entry"),
    row("block_protection_bytes_per_key", Uint32, "0", Library, "Checksum bytes per block entry"),
    row("memtable_op_scan_flush_trigger", Uint32, "0", Library, "Hidden entries a scan steps over before a flush"),
];
