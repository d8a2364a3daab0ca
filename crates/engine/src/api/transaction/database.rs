//! Databases whose transactions lock keys.

use super::{Transaction, TransactionDbOptions, TransactionOptions};
use crate::api::error::not_opened;
use crate::api::open::descriptors;
use crate::error::Result;
use crate::txn as engine;
use crate::{ColumnFamily, Db, Options};
use std::borrow::Borrow;
use std::path::Path;

/// A database whose transactions lock the keys that they write.
///
/// Its own writes ([`put`](TransactionDb::put), [`write`](TransactionDb::write)) take locks too. Writes through
/// [`TransactionDb::db`] and through the methods of a [`ColumnFamily`] take none: use those for reading.
///
/// ```
/// use ferrolith::{ErrorKind, Options};
/// use ferrolith::transaction::{TransactionDb, TransactionDbOptions};
/// use std::time::Duration;
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path();
/// let locking = TransactionDbOptions::new().default_lock_timeout(Duration::from_millis(1));
/// let db = TransactionDb::open_opt(Options::new().create_if_missing(true), &locking, path)?;
/// let txn = db.begin();
/// txn.put("account:1", "90")?;
/// assert_eq!(db.put("account:1", "0").unwrap_err().kind(), ErrorKind::LockTimeout);
/// txn.commit()?;
/// assert_eq!(db.get("account:1")?.unwrap(), "90");
/// # Ok::<(), ferrolith::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TransactionDb {
    pub(super) db: Db,
    pub(super) inner: engine::TransactionDb,
}

impl TransactionDb {
    /// Opens the database in this directory with default options, and creates it if there is none.
    ///
    /// # Errors
    /// Same as [`Db::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<TransactionDb> {
        TransactionDb::open_with(Options::new().create_if_missing(true), path)
    }

    /// Opens the database in this directory. Column families are opened as by [`Db::open_with`].
    ///
    /// # Errors
    /// Same as [`Db::open_with`]; `NotSupported` with [`Options::time_to_live`].
    pub fn open_with(
        options: impl Borrow<Options>,
        path: impl AsRef<Path>,
    ) -> Result<TransactionDb> {
        TransactionDb::open_opt(options, &TransactionDbOptions::default(), path)
    }

    /// Like [`TransactionDb::open_with`], with options for the locks.
    ///
    /// # Errors
    /// Same as [`Db::open_with`].
    pub fn open_opt(
        options: impl Borrow<Options>,
        locking: &TransactionDbOptions,
        path: impl AsRef<Path>,
    ) -> Result<TransactionDb> {
        let options = options.borrow();
        options.refuse_ttl()?;
        let families = descriptors(options, path.as_ref())?;
        let database = options.to_open();
        let opened = engine::TransactionDb::open_cf(&database, &locking.inner, path, families);
        let (inner, _) = opened.map_err(not_opened)?;
        Ok(TransactionDb { db: Db::from_inner(inner.db().clone().into()), inner })
    }

    /// Returns the database, for reads and maintenance. Writes to it take no locks.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Returns the handle of the column family with this name. Writes through the handle take no locks: use
    /// [`TransactionDb::put_cf`] or a transaction.
    ///
    /// # Errors
    /// Fails with `NotFound` if there is no such family.
    pub fn cf(&self, name: &str) -> Result<ColumnFamily> {
        self.db.cf(name)
    }

    /// Begins a transaction.
    pub fn begin(&self) -> Transaction {
        self.begin_with(&TransactionOptions::default())
    }

    /// Begins a transaction with options.
    pub fn begin_with(&self, options: &TransactionOptions) -> Transaction {
        Transaction::new(&self.db, self.inner.begin(&options.write.inner, &options.inner))
    }

    /// Returns the transactions that were prepared before the database was opened and are neither committed nor rolled
    /// back, ordered by name. Each is returned once. One that is dropped undecided is found again by the next opening.
    ///
    /// ```
    /// use ferrolith::transaction::TransactionDb;
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path();
    /// let db = TransactionDb::open(path)?;
    /// let txn = db.begin();
    /// txn.set_name("transfer-1")?;
    /// txn.put("account:1", "90")?;
    /// txn.prepare()?;
    /// drop((txn, db)); // or a crash
    ///
    /// let db = TransactionDb::open(path)?;
    /// for txn in db.prepared_transactions() {
    ///     assert_eq!(txn.name(), b"transfer-1");
    ///     txn.commit()?;
    /// }
    /// assert_eq!(db.get("account:1")?.unwrap(), "90");
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    pub fn prepared_transactions(&self) -> Vec<Transaction> {
        let found = self.inner.get_all_prepared_transactions();
        found.into_iter().map(|inner| Transaction::new(&self.db, inner)).collect()
    }

    /// Returns the one of [`TransactionDb::prepared_transactions`] with this name, if it was not returned before.
    pub fn prepared_transaction(&self, name: impl AsRef<[u8]>) -> Option<Transaction> {
        let found = self.inner.get_transaction_by_name(name.as_ref())?;
        Some(Transaction::new(&self.db, found))
    }
}
