//! Options of the other table formats, and the choice.

use super::BlockBasedTableOptions;
use super::registry::options;

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

options! {
    /// Options of PlainTable; names and defaults are RocksDB 10.10's.
    #[derive(Clone, Copy, Debug, PartialEq)]
    PlainTableOptions {
        /// Length of every user key in bytes; 0 means they vary.
        user_key_len: u32 = 0 => honoured();
        /// Bits of Bloom filter per prefix; 0 means none.
        bloom_bits_per_key: i32 = 10 => honoured();
        /// Fill of the hash index; 0 means total order: prefixes are not hashed, and point lookups go by a hash of
        /// whole keys.
        hash_table_ratio: f64 = 0.75 => honoured();
        /// Rows between index entries inside one prefix.
        index_sparseness: usize = 16 => honoured();
        /// Accepted, has no effect: indexes get huge pages where the system offers them.
        huge_page_tlb_size: usize = 0 => accepted();
        /// How rows hold their keys.
        encoding_type: PlainTableEncoding = PlainTableEncoding::Plain => honoured();
        /// No hash index is built; lookups search the rows by their order.
        full_scan_mode: bool = false => honoured();
        /// Write index and Bloom filter into the file.
        store_index_in_file: bool = false => honoured();
    }
}

options! {
    /// Options of CuckooTable; names and defaults are RocksDB 10.10's. For keys and values of one
    /// length each, without snapshots while there are writes, merges and range deletions.
    #[derive(Clone, Copy, Debug, PartialEq)]
    CuckooTableOptions {
        /// Fill of the hash table, 0 to 1.
        hash_table_ratio: f64 = 0.9 => honoured();
        /// How many entries may move to make room for one.
        max_search_depth: u32 = 100 => honoured();
        /// Buckets that are tried in a row for each hash.
        cuckoo_block_size: u32 = 5 => honoured();
        /// Eight-byte keys are their own first hash.
        identity_as_first_hash: bool = false => honoured();
        /// Hashes become buckets by division rather than by masking.
        use_module_hash: bool = true => honoured();
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
