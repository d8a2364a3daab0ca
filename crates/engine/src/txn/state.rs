//! The states of a transaction.

/// How far a transaction has come; the numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionState {
    /// It takes reads and writes. A rollback leads back here.
    Started = 0,
    /// It was to be prepared, and that failed: whether it is, the next opening of the database tells.
    AwaitingPrepare = 1,
    /// It is in the WAL, and waits for its commit or rollback.
    Prepared = 2,
    /// It was committed.
    Committed = 4,
    /// It was prepared, and then rolled back.
    RolledBack = 6,
}
