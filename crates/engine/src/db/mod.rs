//! The database: handles for users, and under them the lock, the threads and the order of calls.
//!
//! `Db` is thin. The knowledge is in the folders above, which do not know `Db`. Walks through it
//! begin in `write.rs`, `get.rs`, `background.rs` and `open.rs`; the lock order is in `state.rs`.

mod assemble;
mod background;
mod builder;
mod close;
mod column_family;
mod counted;
mod errors;
mod families;
mod get;
mod handles;
mod install;
mod manual;
mod obsolete_files;
mod open;
mod properties;
mod read_only;
mod recover;
mod session;
mod state;
mod updates;
mod write;

pub use handles::{ColumnFamily, Db, DbIterator, Snapshot};
pub use open::{ColumnFamilyDescriptor, DEFAULT_COLUMN_FAMILY};
pub use updates::{TransactionLogIterator, WalFile};
