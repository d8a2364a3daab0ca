//! Transactions: writes that are collected, checked against other writers and committed together.
//!
//! As in RocksDB, there are two kinds of transaction databases. [`TransactionDb`] locks keys as they are written or
//! read for update. [`OptimisticTransactionDb`] takes no locks and checks at commit whether a key has changed
//! meanwhile. Both create the same [`Transaction`].
//!
//! ```text
//! put, get_for_update   lock the key (pessimistic) or note its present sequence number (optimistic)
//!                       -> IndexedBatch
//! get, iterators        IndexedBatch over the database
//! commit                check (optimistic) and write the batch, one atomic write; release locks
//! set_name, prepare     write the batch to the WAL alone, under a name; commit or rollback follow
//!                       (pessimistic)
//! ```
//!
//! * **TX1** A key that a transaction wrote is tracked until the transaction ends, or until a rollback to a save point
//!   before the key was first used. Writes through `batch_mut` are not tracked.
//! * **TX2** A pessimistic transaction holds a lock on each tracked key, unless it has expired.
//! * **TX3** A transaction with a snapshot fails with Busy on a key that was written after the snapshot.
//! * **TX4** A prepared transaction survives the process, with its name: [`TransactionDb::open`] finds it and locks its
//!   keys again.

mod locks;
mod names;
mod optimistic;
mod pessimistic;
mod phases;
mod rebuild;
mod state;
mod tracked;
mod transaction;

pub use optimistic::{OptimisticTransactionDb, OptimisticTransactionOptions};
pub use pessimistic::{TransactionDb, TransactionDbOptions, TransactionOptions};
pub use state::TransactionState;
pub use transaction::Transaction;
