//! Bytes, keys and order: the basic types that every other folder uses.
//!
//! Nothing here depends on files or on the LSM tree.

pub mod checksum;
pub mod coding;
pub mod comparator;
pub mod hash;
pub mod iterator;
pub mod key;
pub mod murmur;
pub mod perf;
mod perf_metrics;
pub mod pinned;
pub mod prefetch;
pub mod short;
#[cfg(test)]
pub(crate) mod testing;
mod walk_key;

pub use comparator::{BytewiseComparator, Comparator, KeyOrder, ReverseBytewiseComparator};
pub use iterator::InternalIterator;
pub use key::{LookupBuffer, LookupKey, MAX_SEQUENCE_NUMBER, SeqNo, ValueType};
pub use pinned::{PinnedValue, ValueBuffer};
pub use walk_key::WalkKey;
