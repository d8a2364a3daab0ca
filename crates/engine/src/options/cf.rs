//! Options of one column family.

use super::dump;
use super::registry::options;
use super::unnamed::Unnamed;
use super::{
    CompactOnDeletion, CompactionPri, CompactionStyle, CompressionOptions, DbPath,
    FifoCompactionOptions, MemtableFactory, PrepopulateBlobCache, TableFactory, Temperature,
    UniversalCompactionOptions,
};
use crate::base::{BytewiseComparator, Comparator};
use crate::cache::Cache;
use crate::compress::CompressionType;
use crate::hooks::{
    CompactionFilter, CompactionFilterFactory, MergeOperator, SliceTransform, SstPartitionerFactory,
};
use std::sync::Arc;

options! {
    /// Options of one column family; names and defaults are RocksDB 10.10's.
    #[derive(Clone)]
    ColumnFamilyOptions {
        /// The order of user keys.
        comparator: Arc<dyn Comparator> = Arc::new(BytewiseComparator) => honoured().log(14);
        /// Merges operands into values.
        merge_operator: Option<Arc<dyn MergeOperator>> = None
            => honoured().log_as(10, dump::merge_operator);
        /// Drops or changes values when they are compacted; takes precedence over the factory.
        compaction_filter: Option<Arc<dyn CompactionFilter>> = None
            => honoured().log_as(7, |o| dump::or_none(&o.compaction_filter));
        /// Creates a compaction filter for each job.
        compaction_filter_factory: Option<Arc<dyn CompactionFilterFactory>> = None
            => honoured().log_as(7, |o| dump::or_none(&o.compaction_filter_factory));
        /// Decides where compactions must start another table.
        sst_partitioner_factory: Option<Arc<dyn SstPartitionerFactory>> = None
            => honoured().log_as(1, |o| dump::or_none(&o.sst_partitioner_factory));
        /// The structure of memtables.
        memtable_factory: MemtableFactory = MemtableFactory::default()
            => honoured().log_as(8, |o| o.memtable_factory.name().into());
        "memtable": custom(
            |o, text| o.memtable_factory.set_text("memtable", text),
            |o| o.memtable_factory.to_text(),
        ) => honoured().never_written();
        /// The format of new tables, and how tables are read.
        table_factory: TableFactory = TableFactory::default()
            => honoured().log_lines(dump::table_factory);
        "block_based_table_factory": custom(
            |o, text| o.table_factory.make_block_based().set_options(text),
            |o| o.table_factory.braced(),
        ) => honoured().never_written().changeable();
        "plain_table_factory": custom(
            |o, text| o.table_factory.make_plain().set_options(text),
            |o| o.table_factory.braced(),
        ) => honoured().never_written().changeable();
        /// The size of a memtable in bytes at which it is flushed.
        write_buffer_size: usize = 64 << 20 => honoured().changeable().log(7);
        /// The number of memtables in memory, including the active one, at which writers stop.
        max_write_buffer_number: i32 = 2 => honoured().changeable().log(1);
        /// The codec of blocks.
        compression: CompressionType = default_codec()
            => honoured().changeable().log_lines(dump::compression);
        /// The codec of each level; empty means `compression` for all levels.
        compression_per_level: Vec<CompressionType> = Vec::new() => honoured().changeable();
        /// The codec of the last level; `None` means the same as for other levels.
        bottommost_compression: Option<CompressionType> = None
            => honoured().changeable().log_as(17, dump::bottommost_compression);
        // RocksDB can change it while the database is open; here, open tables and memtables depend on it.
        /// Maps keys to prefixes, for filters and hash structures.
        prefix_extractor: Option<Arc<dyn SliceTransform>> = None => honoured().log(6);
        /// Start an insert where the last key with the same prefix was inserted. Accepted, has no effect.
        memtable_insert_with_hint_prefix_extractor: Option<Arc<dyn SliceTransform>> = None
            => accepted().log(2);
        /// The number of levels.
        num_levels: i32 = 7 => honoured().log(12);
        /// The minimum number of immutable memtables that are flushed together.
        min_write_buffer_number_to_merge: i32 = 1 => honoured().log(7);
        /// Accepted, has no effect: when a memtable is freed, the conflict checks of transactions read the tables,
        /// instead of flushed memtables that were kept for this purpose.
        max_write_buffer_size_to_maintain: i64 = 0 => accepted().log(4);
        /// Settings of the last level's codec, if `enabled`; otherwise `compression_opts` applies.
        bottommost_compression_opts: CompressionOptions = CompressionOptions::default()
            => honoured().changeable().log_lines(dump::bottommost_compression_opts);
        /// Settings of the codec.
        compression_opts: CompressionOptions = CompressionOptions::default()
            => honoured().changeable().log_lines(dump::compression_opts);
        /// The number of level-0 files at which a compaction starts; negative means never.
        level0_file_num_compaction_trigger: i32 = 4 => honoured().changeable().log(5);
        /// The number of level-0 files at which writers are delayed; negative means never.
        level0_slowdown_writes_trigger: i32 = 20 => honoured().changeable().log(9);
        /// The number of level-0 files at which writers stop.
        level0_stop_writes_trigger: i32 = 36 => honoured().changeable().log(13);
        /// Size of a file in level 1, in bytes.
        target_file_size_base: u64 = 64 << 20 => honoured().changeable().log(18);
        /// The factor by which file sizes grow from level to level.
        target_file_size_multiplier: i32 = 1 => honoured().changeable().log(12);
        /// Keep compaction outputs from exceeding their target size. Accepted, has no effect.
        target_file_size_is_upper_bound: bool = false
            => accepted().written_when_set().changeable().log(11);
        /// Size of level 1, in bytes.
        max_bytes_for_level_base: u64 = 256 << 20 => honoured().changeable().log(15);
        /// Derive level sizes from the last level instead of the first.
        level_compaction_dynamic_level_bytes: bool = true => honoured().log(0);
        /// The factor by which level sizes grow from level to level.
        max_bytes_for_level_multiplier: f64 = 10.0 => honoured().changeable().log(9);
        /// An additional factor for each level; empty means 1 for all.
        max_bytes_for_level_multiplier_additional: Vec<i32> = vec![1; 7]
            => honoured().changeable().log_lines(dump::level_factors);
        /// After this many consecutive hidden entries, an iterator reseeks.
        max_sequential_skip_in_iterations: u64 = 8 => honoured().changeable().log(6);
        /// The number of hidden entries in one step of an iterator at which it requests a flush; 0 means never.
        /// Accepted, has no effect.
        memtable_op_scan_flush_trigger: u32 = 0
            => accepted().written_when_set().changeable().log(9);
        /// The same for the average of an iterator's steps. Accepted, has no effect.
        memtable_avg_op_scan_flush_trigger: u32 = 0
            => accepted().written_when_set().changeable().log(5);
        /// The maximum number of bytes that one compaction reads; 0 means 25 files.
        max_compaction_bytes: u64 = 0 => honoured().changeable().log(19);
        /// Size of an arena block in bytes; 0 means an eighth of the write buffer, at most 1 MiB.
        arena_block_size: usize = 0 => honoured().changeable().log(23);
        /// Bytes of pending compactions at which writers are delayed; 0 means never.
        soft_pending_compaction_bytes_limit: u64 = 64 << 30 => honoured().changeable().log(2);
        /// Bytes of pending compactions at which writers stop; 0 means never.
        hard_pending_compaction_bytes_limit: u64 = 256 << 30 => honoured().changeable().log(2);
        /// Disable automatic compactions.
        disable_auto_compactions: bool = false => honoured().changeable().log(15);
        /// The compaction style.
        compaction_style: CompactionStyle = CompactionStyle::default() => honoured().log(23);
        /// The order in which the files of a level are compacted.
        compaction_pri: CompactionPri = CompactionPri::default() => honoured().log(25);
        /// Settings of universal compaction; used if `compaction_style` is universal.
        compaction_options_universal: UniversalCompactionOptions = Default::default()
            => honoured().changeable().log_lines(dump::universal_compaction);
        /// Settings of FIFO compaction; used if `compaction_style` is FIFO.
        compaction_options_fifo: FifoCompactionOptions = Default::default()
            => honoured().changeable().log_lines(dump::fifo_compaction);
        /// Marks tables with many tombstones for compaction.
        compact_on_deletion: Vec<CompactOnDeletion> = Vec::new()
            => honoured().named("table_properties_collectors").never_written()
                .log_as(18, dump::table_properties_collectors);
        /// If the newest entry of a key in the memtable is a value of at least the same length, a put overwrites it in
        /// place. Readers at older snapshots see the new value too. Requires `allow_concurrent_memtable_write` to be
        /// false. RocksDB's `inplace_callback` is not supported.
        inplace_update_support: bool = false => honoured().log(18);
        /// The number of locks for the values of a memtable with `inplace_update_support`.
        inplace_update_num_locks: usize = 10_000 => honoured().changeable().log(16);
        /// Size of the memtable's Bloom filter as a fraction of the write buffer; 0 means no filter.
        memtable_prefix_bloom_size_ratio: f64 = 0.0 => honoured().changeable().log(14);
        /// Add whole keys to the memtable's Bloom filter.
        memtable_whole_key_filtering: bool = false => honoured().changeable().log(14);
        /// Size of huge pages for memtables; 0 means no huge pages. Accepted, has no effect.
        memtable_huge_page_size: usize = 0 => accepted().changeable().log(2);
        /// Keep the probes of the memtable's Bloom filter in one cache line. Accepted, has no effect.
        bloom_locality: u32 = 0 => accepted().log(26);
        /// The number of operands of one key at which a write merges them in the memtable; accepted, has no effect.
        max_successive_merges: usize = 0 => accepted().changeable().log(19);
        /// Merge in the memtable even if this reads files. Accepted, has no effect.
        strict_max_successive_merges: bool = false
            => accepted().written_when_set().changeable().log(12);
        /// Omit filters from the last level.
        optimize_filters_for_hits: bool = false => honoured().log(15);
        /// Reread every new file, and check the order and number of its entries.
        paranoid_file_checks: bool = false => honoured().changeable().log(15);
        /// Accepted, has no effect: levels are always checked.
        force_consistency_checks: bool = true => accepted().log(15);
        /// Measure the I/O of background jobs. Accepted, has no effect.
        report_bg_io_stats: bool = false => accepted().changeable().log(15);
        /// Allow data only by ingestion. Refused at open unless it is the default.
        disallow_memtable_writes: bool = false => refused().written_when_set().log(15);
        /// Seconds after which data is compacted to the next level or, with FIFO compaction, dropped; 0 means never.
        /// Unset (the default) means 30 days with block-based tables.
        ttl: u64 = 0xffff_ffff_ffff_fffe => honoured().changeable().log_as(30, dump::ttl);
        /// Seconds after which a file is rewritten; 0 means never. Unset (the default) means 30 days with universal
        /// compaction or a compaction filter.
        periodic_compaction_seconds: u64 = 0xffff_ffff_ffff_fffe
            => honoured().changeable().log_as(9, dump::periodic_compaction_seconds);
        /// The temperature of files without one. Accepted, has no effect.
        default_temperature: Temperature = Temperature::Unknown
            => accepted().written_when_set().log(23);
        /// Seconds for which data is kept out of the last level. Refused at open unless it is the default.
        preclude_last_level_data_seconds: u64 = 0 => refused().changeable().log(1);
        /// Seconds for which write times are kept. Accepted, has no effect.
        preserve_internal_time_seconds: u64 = 0 => accepted().changeable().log(3);
        /// Store large values in blob files. Refused at open unless it is the default.
        enable_blob_files: bool = false => refused().changeable().log_words(22);
        /// The size in bytes from which a value is stored in a blob file. Accepted, has no effect.
        min_blob_size: u64 = 0 => accepted().changeable().log(26);
        /// Size of blob files, in bytes. Accepted, has no effect.
        blob_file_size: u64 = 256 << 20 => accepted().changeable().log(25);
        /// The codec of blobs. Accepted, has no effect.
        blob_compression_type: CompressionType = CompressionType::None
            => accepted().changeable().log_as(18, |o| o.blob_compression_type.name().into());
        /// Move live blobs out of old files. Accepted, has no effect.
        enable_blob_garbage_collection: bool = false => accepted().changeable().log_words(9);
        /// The fraction of the blob files that counts as old. Accepted, has no effect.
        blob_garbage_collection_age_cutoff: f64 = 0.25 => accepted().changeable().log(5);
        /// The fraction of garbage at which old blob files are collected. Accepted, has no effect.
        blob_garbage_collection_force_threshold: f64 = 1.0 => accepted().changeable().log(0);
        /// The readahead of compactions for blobs, in bytes. Accepted, has no effect.
        blob_compaction_readahead_size: u64 = 0 => accepted().changeable().log(9);
        /// The first level whose values are stored in blob files. Accepted, has no effect.
        blob_file_starting_level: i32 = 0 => accepted().changeable().log(15);
        /// The fraction of garbage at which a memtable is compacted in memory; 0 means never. Accepted, has no effect.
        experimental_mempurge_threshold: f64 = 0.0 => accepted().changeable().log(8);
        /// The number of range deletions after which a memtable is flushed; 0 means never.
        memtable_max_range_deletions: u32 = 0 => honoured().written_when_set().changeable().log(11);
        /// The same as `allow_ingest_behind`, for this family.
        cf_allow_ingest_behind: bool = false => honoured().written_when_set().log_words(17);

        // LOG does not show these.
        /// Bytes of checksum per memtable entry. Accepted, has no effect.
        memtable_protection_bytes_per_key: u32 = 0 => accepted().changeable();
        "ignore_max_compaction_bytes_for_input": fixed(Bool, "true") => accepted().changeable();
        "check_flush_compaction_key_order": fixed(Bool, "true") => accepted().changeable();
        "level_compaction_dynamic_file_size": fixed(Bool, "true") => accepted();
        "max_write_buffer_number_to_maintain": fixed(Integer, "0") => accepted();
        /// One in this many blocks is compressed for statistics; 0 means none. Accepted, has no effect.
        sample_for_compression: u64 = 0 => accepted().changeable();
        /// The temperature of files in the last level. Accepted, has no effect.
        last_level_temperature: Temperature = Temperature::Unknown => accepted().changeable();
        /// Which blobs are added to the cache when they are written. Accepted, has no effect.
        prepopulate_blob_cache: PrepopulateBlobCache = PrepopulateBlobCache::Disable
            => accepted().changeable();
        /// How compaction outputs are verified, as a bit mask. Accepted, has no effect.
        verify_output_flags: u32 = 0 => accepted().written_when_set().changeable();
        "read_triggered_compaction_threshold": fixed(Number, "0") => accepted().never_written();
        /// The temperature of new files. Accepted, has no effect.
        default_write_temperature: Temperature = Temperature::Unknown
            => accepted().written_when_set().changeable();
        "blob_compression_opts": fixed(Text, "") => accepted().never_written();
        /// The minimum age in seconds of a bottommost file before it is compacted because a snapshot was
        /// released; 0 means no minimum.
        bottommost_file_compaction_delay: u32 = 0 => honoured().written_when_set().changeable();
        /// How aggressively blocks of obsolete files are evicted from the cache. Accepted, has no effect.
        uncache_aggressiveness: u32 = 0 => accepted().written_when_set().changeable();
        /// Bytes of checksum per entry of a block in memory. Accepted, has no effect.
        block_protection_bytes_per_key: u8 = 0 => accepted().written_when_set().changeable();
        /// Check the order of memtable entries while reading. Accepted, has no effect.
        paranoid_memory_checks: bool = false => accepted().written_when_set().changeable();
        /// Check the entries that a memtable seek passes. Accepted, has no effect.
        memtable_veirfy_per_key_checksum_on_seek: bool = false
            => accepted().written_when_set().changeable();
        "memtable_verify_per_key_checksum_on_seek": fixed(Bool, "false")
            => accepted().never_written();
        "min_tombstones_for_range_conversion": fixed(Integer, "0") => accepted().never_written();
        "memtable_batch_lookup_optimization": fixed(Bool, "false") => accepted().never_written();
        "enable_blob_direct_write": fixed(Bool, "false") => accepted().never_written();
        "blob_direct_write_partitions": fixed(Integer, "1") => accepted().never_written();
        "blob_direct_write_partition_strategy": fixed(Text, "") => accepted().never_written();
        /// The cache for blobs. Accepted, has no effect.
        blob_cache: Option<Arc<Cache>> = None => accepted().never_written();
        /// The directories of the family's tables, with target sizes; empty means the database's directories.
        cf_paths: Vec<DbPath> = Vec::new() => honoured().never_written();
        "compression_manager": fixed(Text, "nullptr") => refused().never_written().changeable();
        /// Store user-defined timestamps in files. Refused at open unless it is the default.
        persist_user_defined_timestamps: bool = true => refused().written_when_set();

        // Obsolete: RocksDB accepts these and ignores them.
        "bottommost_temperature": fixed(Text, "") => obsolete().changeable();
        "compaction_measure_io_stats": fixed(Text, "") => obsolete();
        "expanded_compaction_factor": fixed(Text, "") => obsolete().changeable();
        "filter_deletes": fixed(Text, "") => obsolete().changeable();
        "hard_rate_limit": fixed(Text, "") => obsolete().changeable();
        "max_grandparent_overlap_factor": fixed(Text, "") => obsolete().changeable();
        "max_mem_compaction_level": fixed(Text, "") => obsolete();
        "memtable_prefix_bloom_bits": fixed(Text, "") => obsolete().changeable();
        "memtable_prefix_bloom_huge_page_tlb_size": fixed(Text, "") => obsolete().changeable();
        "memtable_prefix_bloom_probes": fixed(Text, "") => obsolete().changeable();
        "min_partial_merge_operands": fixed(Text, "") => obsolete().changeable();
        "purge_redundant_kvs_while_flush": fixed(Text, "") => obsolete();
        "rate_limit_delay_max_milliseconds": fixed(Text, "") => obsolete();
        "snap_refresh_nanos": fixed(Text, "") => obsolete().changeable();
        "soft_rate_limit": fixed(Text, "") => obsolete().changeable();
        "source_compaction_factor": fixed(Text, "") => obsolete().changeable();
        "verify_checksums_in_compaction": fixed(Text, "") => obsolete().changeable();
    }
    without_row {
        /// Numbers that are no enumeration value and were set through the C ABI; opening refuses them.
        unnamed: Unnamed = Unnamed::default();
    }
}

/// Returns RocksDB's default: no compression if Snappy is not part of the build.
fn default_codec() -> CompressionType {
    match CompressionType::Snappy.is_supported() {
        true => CompressionType::Snappy,
        false => CompressionType::None,
    }
}

impl ColumnFamilyOptions {
    /// Returns whether compactions use a filter.
    pub fn has_compaction_filter(&self) -> bool {
        self.compaction_filter.is_some() || self.compaction_filter_factory.is_some()
    }
}
