//! Options of the block-based format.

use super::unnamed::Unnamed;
pub use crate::base::checksum::ChecksumType;
use crate::cache::Cache;
use std::sync::Arc;

/// The form of the index. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum IndexType {
    /// One sorted block.
    #[default]
    BinarySearch = 0,
    /// As the first, with a hash table over prefixes.
    HashSearch = 1,
    /// Partitions below a top-level index.
    TwoLevelIndexSearch = 2,
    /// Entries also hold their block's first key.
    BinarySearchWithFirstKey = 3,
}

/// What a data block carries for point lookups. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum DataBlockIndexType {
    /// The restart array alone.
    #[default]
    BinarySearch = 0,
    /// A hash table over user keys as well.
    BinaryAndHash = 1,
}

/// The filter of new tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FilterPolicy {
    /// RocksDB's FastLocalBloom with so many bits per key.
    Bloom {
        /// Bits per key; RocksDB rounds to thousandths.
        bits_per_key: f64,
    },
    /// Ribbon: smaller, slower to build and to ask.
    Ribbon {
        /// Bits per key that Bloom would need for the same accuracy.
        bits_per_key: f64,
        /// Files above this level get Bloom instead; -1 means all are Ribbon.
        bloom_before_level: i32,
    },
}

impl FilterPolicy {
    /// The name in a table's properties.
    pub fn name(&self) -> &'static str {
        match self {
            FilterPolicy::Bloom { .. } => "bloomfilter",
            FilterPolicy::Ribbon { .. } => "ribbonfilter",
        }
    }

    /// Bits per key, or for Ribbon those of the Bloom filter that is as accurate.
    pub fn bits_per_key(&self) -> f64 {
        match *self {
            FilterPolicy::Bloom { bits_per_key } | FilterPolicy::Ribbon { bits_per_key, .. } => {
                bits_per_key
            }
        }
    }
}

/// Which keys of an index are shortened. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum IndexShorteningMode {
    /// None.
    NoShortening = 0,
    /// Those between blocks.
    #[default]
    ShortenSeparators = 1,
    /// The last one as well.
    ShortenSeparatorsAndSuccessor = 2,
}

/// Which blocks go into the cache when they are written. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum PrepopulateBlockCache {
    /// None.
    #[default]
    Disable = 0,
    /// Those of flushes.
    FlushOnly = 1,
}

/// Which blocks stay in the cache while their file is open. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum PinningTier {
    /// What older options say.
    #[default]
    Fallback = 0,
    /// None.
    None = 1,
    /// Those of small files of level 0.
    FlushedAndSimilar = 2,
    /// All.
    All = 3,
}

/// Which index and filter blocks stay in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct MetadataCacheOptions {
    /// Top levels of partitioned indexes and filters.
    pub top_level_index_pinning: PinningTier,
    /// Their parts.
    pub partition_pinning: PinningTier,
    /// Indexes and filters of one part.
    pub unpartitioned_pinning: PinningTier,
}

/// Options of the block-based format; names and defaults are RocksDB 10.10's except
/// `format_version`, which is 5 so that RocksDB 7.8.3 can read what we write.
#[derive(Clone)]
pub struct BlockBasedTableOptions {
    /// Numbers without a name that were set through the C ABI; opening refuses them.
    pub unnamed: Unnamed,
    /// Size of a data block before compression, in bytes.
    pub block_size: usize,
    /// A block is closed early when it is this close to full, in percent.
    pub block_size_deviation: i32,
    /// Keys between restart points in data blocks.
    pub block_restart_interval: usize,
    /// Keys between restart points in the index.
    pub index_block_restart_interval: usize,
    /// Version of the format written: 2 to 7.
    pub format_version: u32,
    /// The checksum of blocks.
    pub checksum: ChecksumType,
    /// The form of the index.
    pub index_type: IndexType,
    /// What data blocks carry for point lookups.
    pub data_block_index_type: DataBlockIndexType,
    /// Fill of the data-block hash table.
    pub data_block_hash_table_util_ratio: f64,
    /// The filter; `None` writes and reads none.
    pub filter_policy: Option<FilterPolicy>,
    /// Whole keys go into the filter.
    pub whole_key_filtering: bool,
    /// Where uncompressed blocks are kept; `None` makes a cache of 32 MiB unless `no_block_cache`.
    pub block_cache: Option<Arc<Cache>>,
    /// Keep no blocks.
    pub no_block_cache: bool,
    /// Charge index and filter blocks to the cache (they are never evicted while the file is open).
    pub cache_index_and_filter_blocks: bool,
    /// Data blocks begin with pages. Needs uncompressed blocks.
    pub block_align: bool,
    /// Verify the compressed form right after compressing.
    pub verify_compression: bool,
    /// Index and filter blocks leave the cache last. Accepted, has no effect.
    pub cache_index_and_filter_blocks_with_high_priority: bool,
    /// Index and filter blocks of level 0 stay in the cache; all of them always do.
    pub pin_l0_filter_and_index_blocks_in_cache: bool,
    /// Top-level blocks of partitioned indexes and filters stay in the cache; they always do.
    pub pin_top_level_index_and_filter: bool,
    /// Which keys of an index are shortened.
    pub index_shortening: IndexShorteningMode,
    /// Bytes that a scan reads ahead at first. Accepted, has no effect.
    pub initial_auto_readahead_size: usize,
    /// Bytes that a scan reads ahead at most. Accepted, has no effect.
    pub max_auto_readahead_size: usize,
    /// Reads in a row from which a scan reads ahead. Accepted, has no effect.
    pub num_file_reads_for_auto_readahead: u64,
    /// Which blocks go into the cache when they are written. Accepted, has no effect.
    pub prepopulate_block_cache: PrepopulateBlockCache,
    /// Cut filters into parts; needs `IndexType::TwoLevelIndexSearch`.
    pub partition_filters: bool,
    /// Size of parts of indexes and filters, in bytes.
    pub metadata_block_size: u64,
    /// Size filters for what the allocator gives anyway. Accepted, has no effect.
    pub optimize_filters_for_memory: bool,
    /// Verify a filter right after it was made. Accepted, has no effect.
    pub detect_filter_construct_corruption: bool,
    /// Bytes per bit of the estimate of what is read in vain; 0 estimates nothing. Accepted, has no
    /// effect.
    pub read_amp_bytes_per_bit: u32,
    /// Compress index blocks.
    pub enable_index_compression: bool,
    /// Cut filters where they are full rather than where the index is cut. Accepted, has no effect.
    pub decouple_partitioned_filters: bool,
    /// Keys of a block leave out what they share with the key before.
    pub use_delta_encoding: bool,
    /// Size at whose multiples blocks do not cross, in bytes; 0 means none. Accepted, has no
    /// effect.
    pub super_block_alignment_size: usize,
    /// How much padding that may cost: one part in so many. Accepted, has no effect.
    pub super_block_alignment_space_overhead_ratio: usize,
    /// Refuse tables without a user-defined index, if one is set. Accepted, has no effect.
    pub fail_if_no_udi_on_open: bool,
    /// Which index and filter blocks stay in the cache. Accepted, has no effect: all of them do.
    pub metadata_cache_options: MetadataCacheOptions,
}

impl Default for BlockBasedTableOptions {
    fn default() -> BlockBasedTableOptions {
        BlockBasedTableOptions {
            unnamed: Unnamed::default(),
            block_size: 4096,
            block_size_deviation: 10,
            block_restart_interval: 16,
            index_block_restart_interval: 1,
            format_version: 5,
            checksum: ChecksumType::Xxh3,
            index_type: IndexType::BinarySearch,
            data_block_index_type: DataBlockIndexType::BinarySearch,
            data_block_hash_table_util_ratio: 0.75,
            filter_policy: None,
            whole_key_filtering: true,
            block_cache: None,
            no_block_cache: false,
            cache_index_and_filter_blocks: false,
            block_align: false,
            verify_compression: false,
            cache_index_and_filter_blocks_with_high_priority: true,
            pin_l0_filter_and_index_blocks_in_cache: false,
            pin_top_level_index_and_filter: true,
            index_shortening: IndexShorteningMode::default(),
            initial_auto_readahead_size: 8 << 10,
            max_auto_readahead_size: 256 << 10,
            num_file_reads_for_auto_readahead: 2,
            prepopulate_block_cache: PrepopulateBlockCache::Disable,
            partition_filters: false,
            metadata_block_size: 4096,
            optimize_filters_for_memory: true,
            detect_filter_construct_corruption: false,
            read_amp_bytes_per_bit: 0,
            enable_index_compression: true,
            decouple_partitioned_filters: true,
            use_delta_encoding: true,
            super_block_alignment_size: 0,
            super_block_alignment_space_overhead_ratio: 128,
            fail_if_no_udi_on_open: false,
            metadata_cache_options: MetadataCacheOptions::default(),
        }
    }
}
