//! Databases with a time to live, laid out as by RocksDB's `DBWithTTL`: each value and each merge operand ends with the
//! time of its write, its stamp. Compactions drop what is older than the time to live. Until then it can still be read.
//!
//! [`TtlDb`] is a layer above the plain database. Its writes append stamps; its reads check them and cut them off. The
//! compaction filter and the merge operator of each column family are wrapped when it is opened or created. Files,
//! logs, backups, checkpoints and the change stream contain stamped values.

mod db;
mod filter;
mod mark;
mod merge;
mod stamps;

pub use db::TtlDb;
pub(super) use mark::is_marked;
