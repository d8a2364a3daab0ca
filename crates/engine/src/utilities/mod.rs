//! Features on top of the database. Each has its own folder or file, and nothing below depends on them.

mod any_db;
mod any_iterator;
pub mod backup;
mod batch_get;
mod batch_iter;
mod checkpoint;
mod export_import;
mod file_ranges;
mod ingest;
mod repair;
mod ttl;
mod updates;

pub use any_db::AnyDb;
pub use any_iterator::AnyIterator;
pub use batch_get::get_from_batch;
pub use batch_iter::BatchIterator;
pub use checkpoint::Checkpoint;
pub use ingest::IngestExternalFileArg;
pub use updates::TransactionLogIterator;
