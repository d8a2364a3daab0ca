//! Options of the other table formats, and the choice of the format.

use super::BlockBasedTableOptions;
use super::registry::options;

/// The key encoding of PlainTable rows. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum PlainTableEncoding {
    /// Whole keys.
    #[default]
    Plain = 0,
    /// Shared prefixes are stored once.
    Prefix = 1,
}

options! {
    /// Options of PlainTable; names and defaults are RocksDB 10.10's.
    #[derive(Clone, Copy, Debug, PartialEq)]
    PlainTableOptions {
        /// Length of every user key in bytes; 0 means variable.
        user_key_len: u32 = 0 => honoured();
        /// Bloom filter bits per prefix; 0 means no filter.
        bloom_bits_per_key: i32 = 10 => honoured();
        /// Fill ratio of the hash index; 0 means total order: prefixes are not hashed, and point lookups use a hash of
        /// whole keys.
        hash_table_ratio: f64 = 0.75 => honoured();
        /// The number of rows per index entry within one prefix.
        index_sparseness: usize = 16 => honoured();
        /// Accepted, has no effect: indexes use huge pages if the system provides them.
        huge_page_tlb_size: usize = 0 => accepted();
        /// The key encoding of rows.
        encoding_type: PlainTableEncoding = PlainTableEncoding::Plain => honoured();
        /// Build no hash index; lookups search the sorted rows.
        full_scan_mode: bool = false => honoured();
        /// Store the index and the Bloom filter in the file.
        store_index_in_file: bool = false => honoured();
    }
}

options! {
    /// Options of CuckooTable; names and defaults are RocksDB 10.10's. The format requires keys of one length and
    /// values of one length, without snapshots during writes, merges and range deletions.
    #[derive(Clone, Copy, Debug, PartialEq)]
    CuckooTableOptions {
        /// Fill ratio of the hash table, from 0 to 1.
        hash_table_ratio: f64 = 0.9 => honoured();
        /// The maximum number of entries that are moved to make room for one.
        max_search_depth: u32 = 100 => honoured();
        /// The number of consecutive buckets that are tried for each hash.
        cuckoo_block_size: u32 = 5 => honoured();
        /// Use eight-byte keys as their own first hash.
        identity_as_first_hash: bool = false => honoured();
        /// Map hashes to buckets by division rather than by masking.
        use_module_hash: bool = true => honoured();
    }
}

/// The format of new tables, and how tables are read. A file's footer identifies its format, so a database may have
/// several formats; tables of another format are read with that format's default options.
#[derive(Clone)]
pub enum TableFactory {
    /// The default format.
    BlockBased(BlockBasedTableOptions),
    /// Rows in a memory-mapped file; requires `allow_mmap_reads`.
    Plain(PlainTableOptions),
    /// A hash table in a memory-mapped file; without `allow_mmap_reads` it can be written but not read.
    Cuckoo(CuckooTableOptions),
}

impl Default for TableFactory {
    fn default() -> TableFactory {
        TableFactory::BlockBased(BlockBasedTableOptions::default())
    }
}

impl TableFactory {
    /// Returns the name in RocksDB's LOG and OPTIONS.
    pub fn name(&self) -> &'static str {
        match self {
            TableFactory::BlockBased(_) => "BlockBasedTable",
            TableFactory::Plain(_) => "PlainTable",
            TableFactory::Cuckoo(_) => "CuckooTable",
        }
    }
}
