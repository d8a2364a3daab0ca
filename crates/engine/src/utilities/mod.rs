//! Features above the database: each is a folder or a file of its own, and none is known below.

pub mod backup;
mod batch_iter;
mod checkpoint;
mod export_import;
mod file_ranges;
mod ingest;
mod repair;
mod ttl;
mod updates;

pub use batch_iter::{BatchIterator, get_from_batch};
pub use checkpoint::Checkpoint;
pub use ingest::IngestExternalFileArg;
pub use updates::TransactionLogIterator;
