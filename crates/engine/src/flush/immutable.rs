//! An immutable memtable, and the WALs that hold its records.

use crate::memtable::MemTable;
use std::sync::Arc;

/// A memtable that accepts no more writes.
#[derive(Clone)]
pub(crate) struct Immutable {
    pub(crate) mem: Arc<MemTable>,
    /// The WAL that was live when the memtable was created, which is the oldest that holds its records.
    pub(crate) wal_number: u64,
    /// The WAL that began when the memtable became immutable. Older WALs hold no newer records.
    pub(crate) next_wal_number: u64,
}
