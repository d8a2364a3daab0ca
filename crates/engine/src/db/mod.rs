//! The database: handles for users, and under them the lock, the threads and the order of calls.
//!
//! `Db` is thin. The knowledge is in the folders above, which do not know `Db`. Walks through it
//! begin in `write.rs`, `background.rs` and `open.rs`; the lock order is in `state.rs`.

mod assemble;
mod background;
pub mod backup;
mod batch_iter;
mod budgets;
mod builder;
mod checkpoint;
mod close;
mod column_family;
mod db_stats;
mod errors;
mod events;
mod export_import;
mod families;
mod file_ranges;
mod flushes;
mod handles;
mod ingest;
mod install;
mod late_tables;
mod level_jobs;
mod live_files;
mod log_lines;
mod log_state;
mod manual;
mod moment;
mod obsolete_files;
mod open;
mod pause;
mod prepared;
mod properties;
mod read_only;
mod reads;
mod recover;
mod refit;
mod repair;
mod retries;
mod seal;
mod settings;
mod state;
mod table_totals;
mod tailing;
mod ttl;
mod unclaimed;
mod updates;
mod wal_renewal;
mod write;
mod write_entry;

pub use batch_iter::{BatchIterator, get_from_batch};
pub use checkpoint::Checkpoint;
pub use handles::{ColumnFamily, Db, DbIterator, Snapshot};
pub use ingest::IngestExternalFileArg;
pub use open::{ColumnFamilyDescriptor, DEFAULT_COLUMN_FAMILY};
pub use updates::TransactionLogIterator;
