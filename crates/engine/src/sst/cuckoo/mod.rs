//! CuckooTable: one hash table in a memory-mapped file, for keys and values of one length each.
//!
//! ```text
//! file   = bucket * (table size + block size - 1), properties, metaindex, footer (version 1)
//! bucket = key, value
//! ```
//! The key is an internal key; in a file whose sequence numbers are all 0 it is only the user key. Empty buckets
//! contain a user key that is not a key of the file. No block has a checksum.
//!
//! A key's **path** is the sequence of buckets that may contain it: the `block size` buckets starting where the first
//! hash points, then those of the second hash, and so on. A lookup follows the path to the key or to the first empty
//! bucket.
//!
//! * `layout` has the parameters of a file, and computes paths.
//! * `placing` assigns a bucket to every entry; `builder` writes the file.
//! * `reader` opens a file and reads its buckets; `table` does point lookups; `iter` iterates over it in order.
//!
//! Invariants:
//! * **CU1** No bucket on a key's path before the key's own is empty.
//! * **CU2** A user key has one entry in a file.
//! * **CU3** Opening checks that the number of buckets matches the parameters and that all buckets are inside the file,
//!   so paths stay inside. The contents of buckets are checked when they are read.

mod builder;
mod iter;
mod layout;
mod placing;
mod reader;
mod table;
#[cfg(test)]
mod test_util;

pub use builder::CuckooTableBuilder;
pub use iter::CuckooIter;
pub use table::CuckooTable;

/// The maximum number of hashes of a file.
const HASHES_MAX: u32 = 64;
