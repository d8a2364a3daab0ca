//! Options of the other table formats, and the choice.

use super::BlockBasedTableOptions;

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
    /// Fill of the hash index; 0 means total order: prefixes are not hashed, and point lookups go by a hash of
    /// whole keys.
    pub hash_table_ratio: f64,
    /// Rows between index entries inside one prefix.
    pub index_sparseness: usize,
    /// Accepted, has no effect: indexes get huge pages where the system offers them.
    pub huge_page_tlb_size: usize,
    /// How rows hold their keys.
    pub encoding_type: PlainTableEncoding,
    /// No hash index is built; lookups search the rows by their order.
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

/// Options of CuckooTable; names and defaults are RocksDB 10.10's. For keys and values of one
/// length each, without snapshots while there are writes, merges and range deletions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CuckooTableOptions {
    /// Fill of the hash table, 0 to 1.
    pub hash_table_ratio: f64,
    /// How many entries may move to make room for one.
    pub max_search_depth: u32,
    /// Buckets that are tried in a row for each hash.
    pub cuckoo_block_size: u32,
    /// Eight-byte keys are their own first hash.
    pub identity_as_first_hash: bool,
    /// Hashes become buckets by division rather than by masking.
    pub use_module_hash: bool,
}

impl Default for CuckooTableOptions {
    fn default() -> CuckooTableOptions {
        CuckooTableOptions {
            hash_table_ratio: 0.9,
            max_search_depth: 100,
            cuckoo_block_size: 5,
            identity_as_first_hash: false,
            use_module_hash: true,
        }
    }
}

/// The format of new tables, and how tables are read. A file is recognised by its footer, so a
/// database may hold several formats; other formats are then read with their default options.
#[derive(Clone)]
pub enum TableFactory {
    /// The default format.
    BlockBased(BlockBasedTableOptions),
    /// Rows in a memory-mapped file; needs `allow_mmap_reads`.
    Plain(PlainTableOptions),
    /// A hash table in a memory-mapped file; without `allow_mmap_reads` it is written but not read.
    Cuckoo(CuckooTableOptions),
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
            TableFactory::Cuckoo(_) => "CuckooTable",
        }
    }
}
