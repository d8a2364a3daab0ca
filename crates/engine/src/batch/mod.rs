//! The write batch and its encoding, which is also the payload of WAL records.
//!
//! Grammar (`docs/formats/batch.md`):
//! ```text
//! batch  := fixed64 sequence of the first counted record, fixed32 count, record*
//! record := tag, [varint32 column family id, for the tags of other families], field*
//! field  := varint32 length, bytes
//! ```
//! Invariant **W1**: the bytes of a [`WriteBatch`] are always well formed and their count is right. A batch is plain
//! data: `Send`, `Sync`, no interior mutability.

mod indexed;
mod iterate;
pub(crate) mod section;
mod wire;
mod write_batch;

pub use indexed::{BatchLookup, IndexedBatch, MergeBase};
pub use iterate::{BatchHandler, iterate};
pub use wire::HEADER_SIZE;
pub use write_batch::WriteBatch;
