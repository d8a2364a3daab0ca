//! The states of a transaction.

/// The state of a transaction; the numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionState {
    /// It accepts reads and writes. A rollback returns to this state.
    Started = 0,
    /// A prepare has failed. Whether the transaction is prepared is known only after the database is reopened.
    AwaitingPrepare = 1,
    /// It is prepared: in the WAL, and waiting for its commit or rollback.
    Prepared = 2,
    /// It was committed.
    Committed = 4,
    /// It was prepared, and then rolled back.
    RolledBack = 6,
}
