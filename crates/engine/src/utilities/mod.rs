//! Features on top of the database. Each has its own folder or file, and nothing below depends on them.

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
