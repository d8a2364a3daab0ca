//! Transactions: writes that can be read before they are committed, are checked for conflicts, and are committed
//! together.
//!
//! | | [`TransactionDb`] | [`OptimisticTransactionDb`] |
//! |---|---|---|
//! | A write, or [`Transaction::get_for_update`], | locks the key; others wait | only notes the key |
//! | A conflict is found | when the key is touched: `LockTimeout`, `Deadlock`, or `Busy` | by the commit: `Busy` |
//! | Suits | keys that many writers change | keys that rarely collide |
//! | Two-phase commit | yes | no |
//!
//! Both create the same [`Transaction`]. It sees its own writes. Methods take `&self`, and its iterators own what they
//! read, so that a loop over one may change the transaction:
//!
//! ```
//! use ferrolith::transaction::TransactionDb;
//! # let dir = tempfile::tempdir().unwrap();
//! # let path = dir.path();
//! let db = TransactionDb::open(path)?;
//! db.put("job:1", "done")?;
//! db.put("job:2", "open")?;
//!
//! let txn = db.begin();
//! for item in txn.prefix("job:") {
//!     let (key, value) = item?;
//!     if value == "done" {
//!         txn.delete(&key)?;
//!     }
//! }
//! assert_eq!(txn.get("job:1")?, None);
//! assert!(db.get("job:1")?.is_some(), "nobody else sees it yet");
//! txn.commit()?;
//! assert_eq!(db.get("job:1")?, None);
//! # Ok::<(), ferrolith::Error>(())
//! ```
//!
//! Dropping a transaction rolls it back, unless it is prepared.

mod database;
mod iter;
mod once;
mod optimistic;
mod options;
mod reads;
mod txn;

pub use crate::txn::TransactionState;
pub use database::TransactionDb;
pub use iter::TransactionIter;
pub use optimistic::OptimisticTransactionDb;
pub use options::{OptimisticTransactionOptions, TransactionDbOptions, TransactionOptions};
pub use txn::Transaction;
