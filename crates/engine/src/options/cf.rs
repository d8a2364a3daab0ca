//! Options of one column family.

use super::TableFactory;
use crate::base::{BytewiseComparator, Comparator};
use crate::compress::CompressionType;
use crate::hooks::{CompactionFilter, CompactionFilterFactory, MergeOperator, SliceTransform};
use std::sync::Arc;

/// How levels are kept in shape. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum CompactionStyle {
    /// Sorted levels of growing size.
    #[default]
    Level = 0,
    /// Sorted runs merged by size. Not supported yet: refused at open.
    Universal = 1,
    /// Old files dropped. Not supported yet: refused at open.
    Fifo = 2,
    /// No automatic compaction.
    None = 3,
}

/// Which file of a level is compacted first. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum CompactionPri {
    /// The largest, deletions counted extra.
    ByCompensatedSize = 0,
    /// The one whose newest data is oldest.
    OldestLargestSeqFirst = 1,
    /// The one whose oldest data is oldest.
    OldestSmallestSeqFirst = 2,
    /// The one that overlaps least with the next level.
    #[default]
    MinOverlappingRatio = 3,
    /// One after the other.
    RoundRobin = 4,
}

/// Which structure holds recent writes in order.
#[derive(Clone, Debug, PartialEq)]
pub enum MemtableFactory {
    /// `skip_list`: concurrent inserts, any order of reading.
    SkipList {
        /// Entries that a seek may step over before it searches; accepted, has no effect.
        lookahead: usize,
    },
    /// `prefix_hash`: a skip list per prefix.
    HashSkipList {
        /// Buckets of the hash table.
        bucket_count: usize,
        /// Tallest tower of a bucket's list.
        skiplist_height: i32,
        /// One tower in so many is a level taller.
        skiplist_branching_factor: i32,
    },
    /// `hash_linkedlist`: a sorted list per prefix.
    HashLinkList {
        /// Buckets of the hash table.
        bucket_count: usize,
    },
    /// `vector`: appended, sorted when first read.
    Vector {
        /// Entries that there is room for at first.
        count: usize,
    },
}

impl Default for MemtableFactory {
    fn default() -> MemtableFactory {
        MemtableFactory::SkipList { lookahead: 0 }
    }
}

impl MemtableFactory {
    /// RocksDB's defaults of `prefix_hash`.
    pub fn hash_skip_list() -> MemtableFactory {
        MemtableFactory::HashSkipList {
            bucket_count: 1_000_000,
            skiplist_height: 4,
            skiplist_branching_factor: 4,
        }
    }

    /// The name in RocksDB's LOG and OPTIONS.
    pub fn name(&self) -> &'static str {
        match self {
            MemtableFactory::SkipList { .. } => "SkipListFactory",
            MemtableFactory::HashSkipList { .. } => "HashSkipListRepFactory",
            MemtableFactory::HashLinkList { .. } => "HashLinkListRepFactory",
            MemtableFactory::Vector { .. } => "VectorRepFactory",
        }
    }
}

/// Settings of a codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompressionOptions {
    /// zlib's window, a negative number means raw deflate.
    pub window_bits: i32,
    /// The codec's level; 32767 is its default.
    pub level: i32,
    /// Bytes of dictionary per file; anything but 0 is refused at open.
    pub max_dict_bytes: u32,
}

impl Default for CompressionOptions {
    fn default() -> CompressionOptions {
        CompressionOptions { window_bits: -14, level: 32767, max_dict_bytes: 0 }
    }
}

/// Options of one column family; names and defaults are RocksDB 10.10's.
#[derive(Clone)]
pub struct ColumnFamilyOptions {
    /// The order of user keys.
    pub comparator: Arc<dyn Comparator>,
    /// How merge operands become values.
    pub merge_operator: Option<Arc<dyn MergeOperator>>,
    /// Drops or changes values when they are compacted; goes before the factory.
    pub compaction_filter: Option<Arc<dyn CompactionFilter>>,
    /// Makes a filter per job.
    pub compaction_filter_factory: Option<Arc<dyn CompactionFilterFactory>>,
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
    /// Accepted, has no effect: conflict checks, for which flushed memtables would be kept, are not
    /// made.
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
    /// Update in place. Not supported: true is refused at open.
    pub inplace_update_support: bool,
    /// Hidden entries in a row from which an iterator searches instead of stepping.
    pub max_sequential_skip_in_iterations: u64,
    /// Check order and counts of every new file by reading it again.
    pub paranoid_file_checks: bool,
    /// Accepted, has no effect: levels are always checked.
    pub force_consistency_checks: bool,
    /// Seconds after which data is compacted again; accepted, has no effect here.
    pub ttl: u64,
    /// Seconds after which a file is rewritten; accepted, has no effect here.
    pub periodic_compaction_seconds: u64,
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
            comparator: Arc::new(BytewiseComparator),
            merge_operator: None,
            compaction_filter: None,
            compaction_filter_factory: None,
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
            max_bytes_for_level_multiplier_additional: Vec::new(),
            max_compaction_bytes: 0,
            soft_pending_compaction_bytes_limit: 64 << 30,
            hard_pending_compaction_bytes_limit: 256 << 30,
            compaction_style: CompactionStyle::default(),
            compaction_pri: CompactionPri::default(),
            disable_auto_compactions: false,
            compression: CompressionType::Snappy,
            compression_per_level: Vec::new(),
            bottommost_compression: None,
            compression_opts: CompressionOptions::default(),
            memtable_prefix_bloom_size_ratio: 0.0,
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
        }
    }
}
