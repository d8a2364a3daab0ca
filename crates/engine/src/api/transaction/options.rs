//! Options of databases with transactions, and of transactions. Names and defaults are RocksDB's.

use crate::WriteOptions;
use crate::txn as engine;
use std::time::Duration;

/// Converts a time to milliseconds, up to the largest value that the engine's options can hold.
fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Options of a [`TransactionDb`](super::TransactionDb), set with chained methods.
///
/// ```
/// use ferrolith::Options;
/// use ferrolith::transaction::{TransactionDb, TransactionDbOptions};
/// use std::time::Duration;
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path();
/// let locking = TransactionDbOptions::new().transaction_lock_timeout(Duration::from_millis(20));
/// let db = TransactionDb::open_opt(Options::new().create_if_missing(true), &locking, path)?;
/// # Ok::<(), ferrolith::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TransactionDbOptions {
    pub(super) inner: engine::TransactionDbOptions,
}

impl TransactionDbOptions {
    /// Returns the defaults.
    pub fn new() -> TransactionDbOptions {
        TransactionDbOptions::default()
    }

    /// Sets how long a transaction waits for a lock. Default: 1 s.
    #[must_use]
    pub fn transaction_lock_timeout(mut self, timeout: Duration) -> TransactionDbOptions {
        self.inner.transaction_lock_timeout = millis(timeout);
        self
    }

    /// Sets how long a write outside transactions waits for a lock. Default: 1 s.
    #[must_use]
    pub fn default_lock_timeout(mut self, timeout: Duration) -> TransactionDbOptions {
        self.inner.default_lock_timeout = millis(timeout);
        self
    }

    /// Sets the number of keys per column family that may be locked at once; another lock fails with `Busy`. Default:
    /// no limit.
    #[must_use]
    pub fn max_num_locks(mut self, locks: u64) -> TransactionDbOptions {
        self.inner.max_num_locks = i64::try_from(locks).unwrap_or(i64::MAX);
        self
    }

    /// Sets the number of independent parts of a column family's lock table. Default: 16.
    #[must_use]
    pub fn num_stripes(mut self, stripes: usize) -> TransactionDbOptions {
        self.inner.num_stripes = stripes;
        self
    }
}

/// Options of a transaction of a [`TransactionDb`](super::TransactionDb), set with chained methods.
///
/// ```
/// use ferrolith::WriteOptions;
/// use ferrolith::transaction::{TransactionDb, TransactionOptions};
/// # let dir = tempfile::tempdir().unwrap();
/// # let db = TransactionDb::open(dir.path())?;
/// let options = TransactionOptions::new()
///     .deadlock_detect(true)
///     .write_options(WriteOptions::new().sync(true));
/// let txn = db.begin_with(&options);
/// txn.put("key", "value")?;
/// txn.commit()?; // on the device when this returns
/// # Ok::<(), ferrolith::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TransactionOptions {
    pub(super) inner: engine::TransactionOptions,
    pub(super) write: WriteOptions,
}

impl TransactionOptions {
    /// Returns the defaults.
    pub fn new() -> TransactionOptions {
        TransactionOptions::default()
    }

    /// Calls [`Transaction::set_snapshot`](super::Transaction::set_snapshot) when the transaction begins. Default:
    /// false.
    #[must_use]
    pub fn set_snapshot(mut self, yes: bool) -> TransactionOptions {
        self.inner.set_snapshot = yes;
        self
    }

    /// Makes a lock request in a deadlock fail immediately with `Deadlock`, instead of after the timeout. Default:
    /// false.
    #[must_use]
    pub fn deadlock_detect(mut self, yes: bool) -> TransactionOptions {
        self.inner.deadlock_detect = yes;
        self
    }

    /// Sets the number of waiting transactions that deadlock detection follows. Default: 50.
    #[must_use]
    pub fn deadlock_detect_depth(mut self, transactions: u32) -> TransactionOptions {
        self.inner.deadlock_detect_depth = i64::from(transactions);
        self
    }

    /// Sets how long to wait for a lock. Default: the database's setting.
    #[must_use]
    pub fn lock_timeout(mut self, timeout: Duration) -> TransactionOptions {
        self.inner.lock_timeout = millis(timeout);
        self
    }

    /// Sets the time after which others may take the transaction's locks; its commit then fails with `Expired`.
    /// Default: never.
    #[must_use]
    pub fn expiration(mut self, time: Duration) -> TransactionOptions {
        self.inner.expiration = millis(time);
        self
    }

    /// Sets the maximum number of bytes that the transaction may write; a write beyond it fails. Default: no limit.
    #[must_use]
    pub fn max_write_batch_size(mut self, bytes: usize) -> TransactionOptions {
        self.inner.max_write_batch_size = bytes;
        self
    }

    /// Sets the options with which the transaction is written when it is prepared, committed or rolled back.
    #[must_use]
    pub fn write_options(mut self, options: WriteOptions) -> TransactionOptions {
        self.write = options;
        self
    }
}

/// Options of a transaction of an [`OptimisticTransactionDb`](super::OptimisticTransactionDb).
#[derive(Clone, Copy, Debug, Default)]
pub struct OptimisticTransactionOptions {
    pub(super) inner: engine::OptimisticTransactionOptions,
    pub(super) write: WriteOptions,
}

impl OptimisticTransactionOptions {
    /// Returns the defaults.
    pub fn new() -> OptimisticTransactionOptions {
        OptimisticTransactionOptions::default()
    }

    /// Calls [`Transaction::set_snapshot`](super::Transaction::set_snapshot) when the transaction begins. Default:
    /// false.
    #[must_use]
    pub fn set_snapshot(mut self, yes: bool) -> OptimisticTransactionOptions {
        self.inner.set_snapshot = yes;
        self
    }

    /// Sets the options with which the transaction is written when it is committed.
    #[must_use]
    pub fn write_options(mut self, options: WriteOptions) -> OptimisticTransactionOptions {
        self.write = options;
        self
    }
}
