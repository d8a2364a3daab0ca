//! Options of one column family.

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

/// Options of one column family; names and defaults are RocksDB 10.10's.
#[derive(Clone)]
pub struct ColumnFamilyOptions {
    /// Numbers without a name that were set through the C ABI; opening refuses them.
    pub unnamed: Unnamed,
    /// The order of user keys.
    pub comparator: Arc<dyn Comparator>,
    /// How merge operands become values.
    pub merge_operator: Option<Arc<dyn MergeOperator>>,
    /// Drops or changes values when they are compacted; goes before the factory.
    pub compaction_filter: Option<Arc<dyn CompactionFilter>>,
    /// Makes a filter per job.
    pub compaction_filter_factory: Option<Arc<dyn CompactionFilterFactory>>,
    /// Marks tables with many tombstones for compaction.
    pub compact_on_deletion: Vec<CompactOnDeletion>,
    /// Says where compactions must start another table.
    pub sst_partitioner_factory: Option<Arc<dyn SstPartitionerFactory>>,
    /// Maps keys to prefixes, for filters and hash structures.
    pub prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// The format of new tables and how tables are read.
    pub table_factory: TableFactory,
    /// The structure of memtables.
    pub memtable_factory: MemtableFactory,
    /// Memtable size in bytes from which it is flushed.
    pub write_buffer_size: usize,
    /// Memtables in memory, the active one included, before writers stop.
    pub max_write_buffer_number: i32,
    /// Immutable memtables that are flushed together.
    pub min_write_buffer_number_to_merge: i32,
    /// Accepted, has no effect: where a memtable is gone, the conflict checks of transactions read the tables instead
    /// of flushed memtables that were kept for them.
    pub max_write_buffer_size_to_maintain: i64,
    /// Levels of the tree.
    pub num_levels: i32,
    /// Level-0 files from which a compaction starts; negative never.
    pub level0_file_num_compaction_trigger: i32,
    /// Level-0 files from which writers are delayed; negative never.
    pub level0_slowdown_writes_trigger: i32,
    /// Level-0 files from which writers stop.
    pub level0_stop_writes_trigger: i32,
    /// Size of files in level 1, in bytes.
    pub target_file_size_base: u64,
    /// Each deeper level's files are so many times larger.
    pub target_file_size_multiplier: i32,
    /// Size of level 1, in bytes.
    pub max_bytes_for_level_base: u64,
    /// Sizes follow from the last level instead of the first.
    pub level_compaction_dynamic_level_bytes: bool,
    /// Each deeper level is so many times larger.
    pub max_bytes_for_level_multiplier: f64,
    /// A factor per level on top of the multiplier; empty means all 1.
    pub max_bytes_for_level_multiplier_additional: Vec<i32>,
    /// Bytes one compaction may read; 0 means 25 files.
    pub max_compaction_bytes: u64,
    /// Debt in bytes from which writers are delayed; 0 never.
    pub soft_pending_compaction_bytes_limit: u64,
    /// Debt in bytes from which writers stop; 0 never.
    pub hard_pending_compaction_bytes_limit: u64,
    /// How levels are kept in shape.
    pub compaction_style: CompactionStyle,
    /// Which file of a level goes first.
    pub compaction_pri: CompactionPri,
    /// No compaction starts by itself.
    pub disable_auto_compactions: bool,
    /// The codec of blocks.
    pub compression: CompressionType,
    /// The codec per level; empty means `compression` everywhere.
    pub compression_per_level: Vec<CompressionType>,
    /// The codec of the last level; `None` means as the others.
    pub bottommost_compression: Option<CompressionType>,
    /// Settings of the codec.
    pub compression_opts: CompressionOptions,
    /// Memtable Bloom bits as a part of the write buffer; 0 means none.
    pub memtable_prefix_bloom_size_ratio: f64,
    /// The memtable's Bloom filter also holds whole keys.
    pub memtable_whole_key_filtering: bool,
    /// Arena block in bytes; 0 means an eighth of the write buffer, at most 1 MiB.
    pub arena_block_size: usize,
    /// Operands of one key before a read merges them in place; accepted, has no effect.
    pub max_successive_merges: usize,
    /// Bloom bits of the last level are left out.
    pub optimize_filters_for_hits: bool,
    /// A put of a key whose newest entry in the memtable is a value of at least the same length takes
    /// its place. Readers of older moments see it, too; needs `allow_concurrent_memtable_write` false.
    /// RocksDB's `inplace_callback` is not there.
    pub inplace_update_support: bool,
    /// Hidden entries in a row from which an iterator searches instead of stepping.
    pub max_sequential_skip_in_iterations: u64,
    /// Check order and counts of every new file by reading it again.
    pub paranoid_file_checks: bool,
    /// Accepted, has no effect: levels are always checked.
    pub force_consistency_checks: bool,
    /// Seconds after which data goes down a level, or, with FIFO compaction, goes for good; 0 never.
    /// Unset (the default) means 30 days with block-based tables.
    pub ttl: u64,
    /// Seconds after which a file is rewritten; 0 never. Unset (the default) means 30 days with
    /// universal compaction or a compaction filter.
    pub periodic_compaction_seconds: u64,
    /// Bytes of checksum per entry of a memtable. Accepted, has no effect.
    pub memtable_protection_bytes_per_key: u32,
    /// Measure the I/O of background jobs. Accepted, has no effect.
    pub report_bg_io_stats: bool,
    /// Size of huge pages for memtables; 0 means none. Accepted, has no effect.
    pub memtable_huge_page_size: usize,
    /// Locks over the values of a memtable with `inplace_update_support`.
    pub inplace_update_num_locks: usize,
    /// Probes of the memtable's Bloom filter stay in one cache line. Accepted, has no effect.
    pub bloom_locality: u32,
    /// One block in so many is compressed for statistics; 0 none. Accepted, has no effect.
    pub sample_for_compression: u64,
    /// How much of a memtable must be garbage to be compacted in memory; 0 never. Accepted, has no
    /// effect.
    pub experimental_mempurge_threshold: f64,
    /// Seconds for which the time of writes is kept. Accepted, has no effect.
    pub preserve_internal_time_seconds: u64,
    /// Seconds for which data stays out of the last level. Refused at open unless it is the
    /// default.
    pub preclude_last_level_data_seconds: u64,
    /// The temperature of files in the last level. Accepted, has no effect.
    pub last_level_temperature: Temperature,
    /// The temperature of files that are written. Accepted, has no effect.
    pub default_write_temperature: Temperature,
    /// The temperature of files that have none. Accepted, has no effect.
    pub default_temperature: Temperature,
    /// Keep large values in blob files. Refused at open unless it is the default.
    pub enable_blob_files: bool,
    /// Size from which a value goes into a blob file, in bytes. Accepted, has no effect.
    pub min_blob_size: u64,
    /// Size of blob files, in bytes. Accepted, has no effect.
    pub blob_file_size: u64,
    /// The codec of blobs. Accepted, has no effect.
    pub blob_compression_type: CompressionType,
    /// Move blobs out of old files. Accepted, has no effect.
    pub enable_blob_garbage_collection: bool,
    /// Which part of the blob files is old. Accepted, has no effect.
    pub blob_garbage_collection_age_cutoff: f64,
    /// Part of garbage from which old blob files are collected at once. Accepted, has no effect.
    pub blob_garbage_collection_force_threshold: f64,
    /// Bytes of blobs that a compaction reads ahead. Accepted, has no effect.
    pub blob_compaction_readahead_size: u64,
    /// Level from which values go into blob files. Accepted, has no effect.
    pub blob_file_starting_level: i32,
    /// Which blobs go into the cache when they are written. Accepted, has no effect.
    pub prepopulate_blob_cache: PrepopulateBlobCache,
    /// How the outputs of compactions are verified, as bits. Accepted, has no effect.
    pub verify_output_flags: u32,
    /// Files of compactions never exceed their target size. Accepted, has no effect.
    pub target_file_size_is_upper_bound: bool,
    /// Merge in place even if that reads files. Accepted, has no effect.
    pub strict_max_successive_merges: bool,
    /// The minimum age in seconds of a bottommost file before it is compacted because a snapshot was
    /// released; 0 means no minimum.
    pub bottommost_file_compaction_delay: u32,
    /// How eagerly blocks of obsolete files leave the cache. Accepted, has no effect.
    pub uncache_aggressiveness: u32,
    /// Bytes of checksum per entry of a block in memory. Accepted, has no effect.
    pub block_protection_bytes_per_key: u8,
    /// Check the order of memtables while they are read. Accepted, has no effect.
    pub paranoid_memory_checks: bool,
    /// Check the entries that a seek in a memtable passes. Accepted, has no effect.
    pub memtable_veirfy_per_key_checksum_on_seek: bool,
    /// Range deletions after which a memtable is flushed; 0 never.
    pub memtable_max_range_deletions: u32,
    /// Hidden entries that one step of an iterator passes before it asks for a flush; 0 never.
    /// Accepted, has no effect.
    pub memtable_op_scan_flush_trigger: u32,
    /// The same for the average step. Accepted, has no effect.
    pub memtable_avg_op_scan_flush_trigger: u32,
    /// Data comes by ingestion alone. Refused at open unless it is the default.
    pub disallow_memtable_writes: bool,
    /// Keep users' timestamps in files. Refused at open unless it is the default.
    pub persist_user_defined_timestamps: bool,
    /// As `allow_ingest_behind`, for this family.
    pub cf_allow_ingest_behind: bool,
    /// Settings of universal compaction; used if `compaction_style` is universal.
    pub compaction_options_universal: UniversalCompactionOptions,
    /// Settings of FIFO compaction; used if `compaction_style` is FIFO.
    pub compaction_options_fifo: FifoCompactionOptions,
    /// Settings of the last level's codec, where `enabled`; else `compression_opts`.
    pub bottommost_compression_opts: CompressionOptions,
    /// Inserts look first where the last key of the same prefix went. Accepted, has no effect.
    pub memtable_insert_with_hint_prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// Where blobs are kept. Accepted, has no effect.
    pub blob_cache: Option<Arc<Cache>>,
    /// Where the family's tables are, with target sizes; empty means the database's paths.
    pub cf_paths: Vec<DbPath>,
}

impl ColumnFamilyOptions {
    /// Whether compactions are filtered.
    pub fn has_compaction_filter(&self) -> bool {
        self.compaction_filter.is_some() || self.compaction_filter_factory.is_some()
    }
}

impl Default for ColumnFamilyOptions {
    fn default() -> ColumnFamilyOptions {
        ColumnFamilyOptions {
            unnamed: Unnamed::default(),
            comparator: Arc::new(BytewiseComparator),
            merge_operator: None,
            compaction_filter: None,
            compaction_filter_factory: None,
            compact_on_deletion: Vec::new(),
            sst_partitioner_factory: None,
            prefix_extractor: None,
            table_factory: TableFactory::default(),
            memtable_factory: MemtableFactory::default(),
            write_buffer_size: 64 << 20,
            max_write_buffer_number: 2,
            min_write_buffer_number_to_merge: 1,
            max_write_buffer_size_to_maintain: 0,
            num_levels: 7,
            level0_file_num_compaction_trigger: 4,
            level0_slowdown_writes_trigger: 20,
            level0_stop_writes_trigger: 36,
            target_file_size_base: 64 << 20,
            target_file_size_multiplier: 1,
            max_bytes_for_level_base: 256 << 20,
            level_compaction_dynamic_level_bytes: true,
            max_bytes_for_level_multiplier: 10.0,
            max_bytes_for_level_multiplier_additional: vec![1; 7],
            max_compaction_bytes: 0,
            soft_pending_compaction_bytes_limit: 64 << 30,
            hard_pending_compaction_bytes_limit: 256 << 30,
            compaction_style: CompactionStyle::default(),
            compaction_pri: CompactionPri::default(),
            disable_auto_compactions: false,
            // As in RocksDB: none where Snappy was left out of the build.
            compression: match CompressionType::Snappy.is_supported() {
                true => CompressionType::Snappy,
                false => CompressionType::None,
            },
            compression_per_level: Vec::new(),
            bottommost_compression: None,
            compression_opts: CompressionOptions::default(),
            memtable_prefix_bloom_size_ratio: 0.0,
            memtable_max_range_deletions: 0,
            memtable_whole_key_filtering: false,
            arena_block_size: 0,
            max_successive_merges: 0,
            optimize_filters_for_hits: false,
            inplace_update_support: false,
            max_sequential_skip_in_iterations: 8,
            paranoid_file_checks: false,
            force_consistency_checks: true,
            ttl: 0xffff_ffff_ffff_fffe,
            periodic_compaction_seconds: 0xffff_ffff_ffff_fffe,
            memtable_protection_bytes_per_key: 0,
            report_bg_io_stats: false,
            memtable_huge_page_size: 0,
            inplace_update_num_locks: 10_000,
            bloom_locality: 0,
            sample_for_compression: 0,
            experimental_mempurge_threshold: 0.0,
            preserve_internal_time_seconds: 0,
            preclude_last_level_data_seconds: 0,
            last_level_temperature: Temperature::Unknown,
            default_write_temperature: Temperature::Unknown,
            default_temperature: Temperature::Unknown,
            enable_blob_files: false,
            min_blob_size: 0,
            blob_file_size: 256 << 20,
            blob_compression_type: CompressionType::None,
            enable_blob_garbage_collection: false,
            blob_garbage_collection_age_cutoff: 0.25,
            blob_garbage_collection_force_threshold: 1.0,
            blob_compaction_readahead_size: 0,
            blob_file_starting_level: 0,
            prepopulate_blob_cache: PrepopulateBlobCache::Disable,
            verify_output_flags: 0,
            target_file_size_is_upper_bound: false,
            strict_max_successive_merges: false,
            bottommost_file_compaction_delay: 0,
            uncache_aggressiveness: 0,
            block_protection_bytes_per_key: 0,
            paranoid_memory_checks: false,
            memtable_veirfy_per_key_checksum_on_seek: false,
            memtable_op_scan_flush_trigger: 0,
            memtable_avg_op_scan_flush_trigger: 0,
            disallow_memtable_writes: false,
            persist_user_defined_timestamps: true,
            cf_allow_ingest_behind: false,
            compaction_options_universal: UniversalCompactionOptions::default(),
            compaction_options_fifo: FifoCompactionOptions::default(),
            bottommost_compression_opts: CompressionOptions::default(),
            memtable_insert_with_hint_prefix_extractor: None,
            blob_cache: None,
            cf_paths: Vec::new(),
        }
    }
}
