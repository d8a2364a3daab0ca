//! Memtables: recent writes, kept in key order in memory.
//!
//! A [`MemTable`] owns an arena with all entries and a structure (`kinds::Rep`) that orders them.
//! Writers add entries with sequence numbers that are not visible to readers yet; readers need no
//! lock and allocate nothing. Nothing is ever removed: a memtable is filled, marked immutable,
//! flushed and dropped as a whole.

mod arena;
mod bloom;
mod btree;
mod btree_cursor;
mod btree_node;
mod btree_slot;
mod buckets;
mod chunk;
mod entry;
mod gaps;
mod hash;
mod in_place;
mod iterator;
mod kinds;
mod many;
#[expect(clippy::module_inception, reason = "the file of the type of that name")]
mod memtable;
mod range_dels;
mod rep;
mod sorted;
mod spare;
mod stripes;
mod tower;
mod vector;
mod zeroed;

pub use gaps::{AllocatorCell, Gaps, SequenceAllocator};
pub use iterator::MemTableIterator;
pub use many::Additions;
pub use memtable::MemTable;
pub use spare::SpareChunks;
