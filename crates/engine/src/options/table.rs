//! Options of the table formats.

pub use crate::base::checksum::ChecksumType;
use crate::cache::Cache;
use std::sync::Arc;

/// The form of the index. Numbers are RocksDB's. Every form is read; only the first is written.
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
}

/// Options of the block-based format; names and defaults are RocksDB 10.10's except
/// `format_version`, which is 5 so that RocksDB 7.8.3 can read what we write.
#[derive(Clone)]
pub struct BlockBasedTableOptions {
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
    /// The form of the index. Anything but BinarySearch is refused at open.
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
    /// Align blocks to pages. Not supported: true is refused at open.
    pub block_align: bool,
    /// Verify the compressed form right after compressing.
    pub verify_compression: bool,
}

impl Default for BlockBasedTableOptions {
    fn default() -> BlockBasedTableOptions {
        BlockBasedTableOptions {
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
        }
    }
}

/// How PlainTable rows hold their keys. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum PlainTableEncoding {
    /// Whole keys.
    #[default]
    Plain = 0,
    /// Shared prefixes once.
    Prefix = 1,
}

/// Options of PlainTable; names and defaults are RocksDB 10.10's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainTableOptions {
    /// Length of every user key in bytes; 0 means they vary.
    pub user_key_len: u32,
    /// Bits of Bloom filter per prefix; 0 means none.
    pub bloom_bits_per_key: i32,
    /// Fill of the hash index; 0 means binary search over one sorted index (total order).
    pub hash_table_ratio: f64,
    /// Rows between index entries inside one prefix.
    pub index_sparseness: usize,
    /// Accepted, has no effect: indexes get huge pages where the system offers them.
    pub huge_page_tlb_size: usize,
    /// How rows hold their keys.
    pub encoding_type: PlainTableEncoding,
    /// Scan only; no index is built.
    pub full_scan_mode: bool,
    /// Write index and Bloom filter into the file.
    pub store_index_in_file: bool,
}

impl Default for PlainTableOptions {
    fn default() -> PlainTableOptions {
        PlainTableOptions {
            user_key_len: 0,
            bloom_bits_per_key: 10,
            hash_table_ratio: 0.75,
            index_sparseness: 16,
            huge_page_tlb_size: 0,
            encoding_type: PlainTableEncoding::Plain,
            full_scan_mode: false,
            store_index_in_file: false,
        }
    }
}

/// The format of new tables, and how tables are read. A file is recognised by its footer, so a
/// database may hold both formats; the other format is then read with its default options.
#[derive(Clone)]
pub enum TableFactory {
    /// The default format.
    BlockBased(BlockBasedTableOptions),
    /// Rows in a memory-mapped file; needs `allow_mmap_reads`.
    Plain(PlainTableOptions),
}

impl Default for TableFactory {
    fn default() -> TableFactory {
        TableFactory::BlockBased(BlockBasedTableOptions::default())
    }
}

impl TableFactory {
    /// The name in RocksDB's LOG and OPTIONS.
    pub fn name(&self) -> &'static str {
        match self {
            TableFactory::BlockBased(_) => "BlockBasedTable",
            TableFactory::Plain(_) => "PlainTable",
        }
    }
}
