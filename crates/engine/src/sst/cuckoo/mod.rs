//! CuckooTable: one hash table in a memory-mapped file, for keys and values of one length each.
//!
//! ```text
//! file   = bucket * (table size + block size - 1), properties, metaindex, footer (version 1)
//! bucket = key, value
//! ```
//! The key is an internal key; in a file whose sequence numbers are all 0 it is the user key alone.
//! Buckets that no entry is in hold one user key that is no key of the file. No block has a checksum.
//!
//! A key's **path** is where it may stand: the `block size` buckets from where the first hash points,
//! then those from the second, and so on. A lookup follows the path to the key or to the first bucket
//! without an entry.
//!
//! * `layout` knows the numbers of a file, and paths.
//! * `placing` finds a bucket for every entry; `builder` writes the file.
//! * `reader` opens a file and answers point lookups; `iter` walks it in order.
//!
//! Invariants:
//! * **CU1** No bucket before a key's own on its path is without an entry.
//! * **CU2** A user key has one entry in a file.
//! * **CU3** Opening checks that the buckets are as many as the numbers say and all lie in the file, so
//!   paths stay inside. What is in the buckets is checked when it is read.

mod builder;
mod iter;
mod layout;
mod placing;
mod reader;
#[cfg(test)]
mod test_util;

pub use builder::CuckooTableBuilder;
pub use iter::CuckooIter;
pub use reader::CuckooTable;

/// As many hashes as a file may have.
const HASHES_MAX: u32 = 64;
