//! The block-based table: RocksDB's default format.
//!
//! ```text
//! file = data block*, [filter block], index block, [dictionary], [range deletions], properties, metaindex,
//!        footer
//! each block is followed by a type byte and a fixed32 checksum
//! ```
//! Reading: `open` decodes the metadata, `parts` loads what lookups need, `table` answers lookups (`early` the first
//! ones), and `iter` iterates. A lookup proceeds from the filter to the fences (the decoded index), the slot of the
//! cached block, its fingerprints and the entry, and allocates nothing. Writing: `builder` divides entries into blocks,
//! and `builder_blocks` compresses and writes them: each one when it is full, or after `dictionary` has collected
//! enough of them. Blocks that are not compressed are written many at a time.

mod block;
mod block_builder;
mod builder;
mod builder_blocks;
mod builder_tail;
mod counting;
mod cursor;
mod dictionary;
mod early;
mod early_lookup;
mod fences;
mod filter;
mod filter_parts;
mod fingerprints;
mod fingerprints_build;
mod index;
mod index_builder;
mod index_prefixes;
mod iter;
mod loading;
mod missing;
mod open;
mod parts;
mod raw_block;
mod readahead;
mod restart_prefixes;
mod ribbon;
mod ribbon_builder;
mod separated;
mod source;
mod staged;
mod table;
mod table_counts;
mod unpack;
mod view;

pub use block::Block;
pub(super) use block_builder::BlockBuilder;
pub use builder::BlockBasedTableBuilder;
pub use iter::TableIter;
pub use missing::Missing;
pub use readahead::Progress;
pub use staged::Staged;
pub use table::BlockBasedTable;
pub(super) use view::BlockView;

#[cfg(test)]
#[path = "dictionary_test.rs"]
mod dictionary_tests;
#[cfg(test)]
#[path = "round_trip_test.rs"]
mod round_trip_tests;
#[cfg(test)]
#[path = "sst_dump_test.rs"]
mod sst_dump_tests;
#[cfg(any(test, fuzzing))]
pub mod test_util;
#[cfg(test)]
#[path = "vectors_test.rs"]
mod vectors_tests;
