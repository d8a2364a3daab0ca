//! A memtable that takes no more writes, and the WALs that hold its records.

use crate::memtable::MemTable;
use std::sync::Arc;

/// A memtable that takes no more writes.
#[derive(Clone)]
pub(crate) struct Immutable {
    pub(crate) mem: Arc<MemTable>,
    /// The WAL that was live when the memtable was made: the oldest that holds its records.
    pub(crate) wal_number: u64,
    /// The WAL that was started when it became immutable: older ones hold nothing newer.
    pub(crate) next_wal_number: u64,
}
