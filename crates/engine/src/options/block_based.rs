//! Options of the block-based format.

use super::dump;
use super::registry::options;
use super::unnamed::Unnamed;
pub use crate::base::checksum::ChecksumType;
use crate::cache::Cache;
use std::sync::Arc;

/// The kind of index. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum IndexType {
    /// One sorted block.
    #[default]
    BinarySearch = 0,
    /// The same, with a hash table over prefixes.
    HashSearch = 1,
    /// Partitions below a top-level index.
    TwoLevelIndexSearch = 2,
    /// Entries also contain their block's first key.
    BinarySearchWithFirstKey = 3,
}

/// The index of a data block for point lookups. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum DataBlockIndexType {
    /// The restart array only.
    #[default]
    BinarySearch = 0,
    /// A hash table over user keys as well.
    BinaryAndHash = 1,
}

/// The filter of new tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FilterPolicy {
    /// RocksDB's FastLocalBloom.
    Bloom {
        /// Bits per key; RocksDB rounds to thousandths.
        bits_per_key: f64,
    },
    /// Ribbon: smaller, but slower to build and to query.
    Ribbon {
        /// Bits per key that a Bloom filter would need for the same accuracy.
        bits_per_key: f64,
        /// Files above this level get a Bloom filter instead; -1 means that all get Ribbon.
        bloom_before_level: i32,
    },
}

impl FilterPolicy {
    /// Returns the name in a table's properties.
    pub fn name(&self) -> &'static str {
        match self {
            FilterPolicy::Bloom { .. } => "bloomfilter",
            FilterPolicy::Ribbon { .. } => "ribbonfilter",
        }
    }

    /// Returns the bits per key; for Ribbon, those of an equally accurate Bloom filter.
    pub fn bits_per_key(&self) -> f64 {
        match *self {
            FilterPolicy::Bloom { bits_per_key } | FilterPolicy::Ribbon { bits_per_key, .. } => {
                bits_per_key
            }
        }
    }
}

/// Which index keys are shortened. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum IndexShorteningMode {
    /// None.
    NoShortening = 0,
    /// The keys between blocks.
    #[default]
    ShortenSeparators = 1,
    /// The last key as well.
    ShortenSeparatorsAndSuccessor = 2,
}

/// Which blocks are added to the cache when they are written. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum PrepopulateBlockCache {
    /// None.
    #[default]
    Disable = 0,
    /// The blocks of flushed tables.
    FlushOnly = 1,
}

/// Which blocks stay in the cache while their file is open. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum PinningTier {
    /// Determined by the older options.
    #[default]
    Fallback = 0,
    /// None.
    None = 1,
    /// The blocks of small level-0 files.
    FlushedAndSimilar = 2,
    /// All.
    All = 3,
}

options! {
    /// Which index and filter blocks stay in the cache.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    MetadataCacheOptions {
        /// Unpartitioned indexes and filters.
        unpartitioned_pinning: PinningTier = PinningTier::Fallback => accepted();
        /// The partitions of indexes and filters.
        partition_pinning: PinningTier = PinningTier::Fallback => accepted();
        /// The top levels of partitioned indexes and filters.
        top_level_index_pinning: PinningTier = PinningTier::Fallback => accepted();
    }
}

options! {
    /// Options of the block-based format; names and defaults are RocksDB 10.10's except
    /// `format_version`, which is 5 so that RocksDB 7.8.3 can read what we write.
    #[derive(Clone)]
    BlockBasedTableOptions {
        "flush_block_policy_factory": fixed(Text, "FlushBlockBySizePolicyFactory")
            => accepted().log_as(2, |_| "FlushBlockBySizePolicyFactory (0x1)".into());
        /// Charge index and filter blocks to the cache. They are never evicted while their file is open.
        cache_index_and_filter_blocks: bool = false => honoured().log(2);
        /// Evict index and filter blocks last. Accepted, has no effect.
        cache_index_and_filter_blocks_with_high_priority: bool = true => accepted().log(2);
        /// Keep index and filter blocks of level 0 in the cache. Accepted, has no effect: the blocks of all levels
        /// always stay.
        pin_l0_filter_and_index_blocks_in_cache: bool = false => accepted().log(2);
        /// Keep top-level blocks of partitioned indexes and filters in the cache. Accepted, has no effect: they always
        /// stay.
        pin_top_level_index_and_filter: bool = true => accepted().log(2);
        /// The kind of index.
        index_type: IndexType = IndexType::BinarySearch
            => honoured().log_as(2, |o| (o.index_type as u8).to_string());
        /// The index of data blocks for point lookups.
        data_block_index_type: DataBlockIndexType = DataBlockIndexType::BinarySearch
            => honoured().log_as(2, |o| (o.data_block_index_type as u8).to_string());
        /// Which index keys are shortened.
        index_shortening: IndexShorteningMode = IndexShorteningMode::default()
            => honoured().log_as(2, |o| (o.index_shortening as u8).to_string());
        /// The fill ratio of the data-block hash table.
        data_block_hash_table_util_ratio: f64 = 0.75 => honoured().log(2);
        /// The checksum of blocks.
        checksum: ChecksumType = ChecksumType::Xxh3
            => honoured().log_as(2, |o| (o.checksum as u8).to_string());
        /// Disable the block cache.
        no_block_cache: bool = false => honoured().log(2);
        /// The cache for uncompressed blocks; `None` creates a cache of 32 MiB unless `no_block_cache` is set.
        block_cache: Option<Arc<Cache>> = None
            => honoured().never_written().log_lines(dump::block_cache);
        "persistent_cache": fixed(Text, "nullptr")
            => accepted().never_written().log_as(2, |_| "(nil)".into());
        /// Size of a data block before compression, in bytes.
        block_size: usize = 4096 => honoured().log(2);
        /// A block is closed early when the free part is at most this percentage of `block_size`.
        block_size_deviation: i32 = 10 => honoured().log(2);
        /// Keys between restart points in data blocks.
        block_restart_interval: usize = 16 => honoured().log(2);
        /// Keys between restart points in the index.
        index_block_restart_interval: usize = 1 => honoured().log(2);
        /// Size of the partitions of indexes and filters, in bytes.
        metadata_block_size: u64 = 4096 => honoured().log(2);
        /// Partition filters; requires `IndexType::TwoLevelIndexSearch`.
        partition_filters: bool = false => honoured().log(2);
        /// Omit the prefix that a key of a block shares with the previous key.
        use_delta_encoding: bool = true => honoured().written_when_set().log(2);
        /// The filter policy; `None` writes and reads no filters.
        filter_policy: Option<FilterPolicy> = None => honoured().log(2);
        "user_defined_index_factory": fixed(Text, "nullptr") => refused().never_written().log(2);
        /// Refuse tables without a user-defined index, if one is set. Accepted, has no effect.
        fail_if_no_udi_on_open: bool = false => accepted().written_when_set().log(2);
        /// Add whole keys to the filter.
        whole_key_filtering: bool = true => honoured().log(2);
        /// Verify each block right after compressing it.
        verify_compression: bool = false => honoured().log(2);
        /// Bytes per bit of the read-amplification estimate; 0 disables the estimate. Accepted, has no effect.
        read_amp_bytes_per_bit: u32 = 0 => accepted().log(2);
        /// The format version of new tables: 2 to 7.
        format_version: u32 = 5 => honoured().log(2);
        /// Compress index blocks.
        enable_index_compression: bool = true => honoured().log(2);
        /// Align data blocks to pages. Requires uncompressed blocks.
        block_align: bool = false => honoured().log(2);
        /// Blocks do not cross multiples of this size in bytes; 0 means no alignment. Accepted, has no effect.
        super_block_alignment_size: usize = 0 => accepted().written_when_set().log(2);
        /// The inverse of the largest fraction of padding that this alignment may cost. Accepted, has no effect.
        super_block_alignment_space_overhead_ratio: usize = 128
            => accepted().written_when_set().log(2);
        /// The maximum readahead of a scan, in bytes, unless `ReadOptions` has a readahead; 0 means no readahead.
        max_auto_readahead_size: usize = 256 << 10 => honoured().log(2);
        /// Which blocks are added to the cache when they are written. Accepted, has no effect.
        prepopulate_block_cache: PrepopulateBlockCache = PrepopulateBlockCache::Disable
            => accepted().log_as(2, |o| (o.prepopulate_block_cache as u8).to_string());
        /// The initial readahead of a scan, in bytes, which doubles up to the maximum; 0 means no readahead.
        initial_auto_readahead_size: usize = 8 << 10 => honoured().log(2);
        /// The number of sequential reads of a table after which a scan reads ahead; 0 means from the first read on.
        num_file_reads_for_auto_readahead: u64 = 2 => honoured().log(2);

        // LOG does not show these.
        /// Choose filter sizes that match the allocator's size classes. Accepted, has no effect.
        optimize_filters_for_memory: bool = true => accepted();
        /// Verify a filter right after building it. Accepted, has no effect.
        detect_filter_construct_corruption: bool = false => accepted();
        /// Which index and filter blocks stay in the cache. Accepted, has no effect: all of them do.
        metadata_cache_options: MetadataCacheOptions = MetadataCacheOptions::default()
            => accepted();
        "block_cache_compressed": fixed(Text, "") => obsolete();
        "cache_usage_options": fixed(Text, "") => accepted().never_written();
        /// Cut filter partitions when they are full, rather than where the index is cut. Accepted, has no effect.
        decouple_partitioned_filters: bool = true => accepted().written_when_set();
        "hash_index_allow_collision": fixed(Text, "") => obsolete();
        "index_block_search_type": fixed(Text, "kBinary") => accepted().never_written();
        "index_per_partition": fixed(Text, "") => obsolete();
        "reserve_table_builder_memory": fixed(Text, "") => obsolete();
        "reserve_table_reader_memory": fixed(Text, "") => obsolete();
        "skip_table_builder_flush": fixed(Text, "") => obsolete();
        "uniform_cv_threshold": fixed(Number, "0") => accepted().never_written();
        "separate_key_value_in_data_block": fixed(Bool, "false") => refused().never_written();
        "use_udi_as_primary_index": fixed(Bool, "false") => refused().never_written();
    }
    without_row {
        /// Numbers that are no enumeration value and were set through the C ABI; opening refuses them.
        unnamed: Unnamed = Unnamed::default();
    }
}
