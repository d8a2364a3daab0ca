//! PlainTable: sorted rows in a memory-mapped file, found through a hash index in memory.
//!
//! * `row` reads and writes rows.
//! * `builder` writes a file; `stored` builds the optional index and filter for RocksDB.
//! * `index` is this engine's index, built at open by a pass over the rows (`scan`).
//! * `reader` opens a file and reads its rows; `table` does point lookups; `iter` iterates over it.
//!
//! Invariants:
//! * **PT1** Opening reads every row once and checks that rows are contiguous inside the file, have
//!   known types and ascend. There is no checksum to check further.
//! * **PT2** Later reads check lengths again, because other processes can change a mapped file.

mod builder;
mod index;
mod iter;
mod reader;
mod row;
mod scan;
mod staged;
mod stored;
mod table;
#[cfg(test)]
pub(super) mod test_util;

pub use builder::PlainTableBuilder;
pub use iter::PlainIter;
pub use staged::Staged;
pub use table::PlainTable;

/// Offsets of rows have 31 bits; RocksDB's readers refuse larger files.
pub const MAX_FILE_SIZE: u64 = (1 << 31) - 1;

/// The metaindex names of the blocks.
const BLOOM_BLOCK: &str = "kBloomBlock";
const INDEX_BLOCK: &str = "PlainTableIndexBlock";

/// The user-collected properties of the format.
const ENCODING_TYPE: &str = "rocksdb.plain.table.encoding.type";
const BLOOM_VERSION: &str = "rocksdb.plain.table.bloom.version";
const BLOOM_BLOCKS: &str = "rocksdb.plain.table.bloom.numblocks";
