//! Databases whose transactions check for conflicts at commit.

use super::{OptimisticTransactionOptions, Transaction};
use crate::api::error::not_opened;
use crate::api::open::descriptors;
use crate::error::{Code, Error, Result};
use crate::txn as engine;
use crate::{ColumnFamily, Db, Options};
use std::borrow::Borrow;
use std::path::Path;

/// A database whose transactions take no locks. A commit fails if a key was changed meanwhile.
///
/// Writes to the database itself ([`OptimisticTransactionDb::db`]) count as writes by others.
///
/// ```
/// use ferrolith::ErrorKind;
/// use ferrolith::transaction::OptimisticTransactionDb;
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path();
/// let db = OptimisticTransactionDb::open(path)?;
/// db.db().put("stock", "1")?;
/// let (one, other) = (db.begin(), db.begin());
/// for txn in [&one, &other] {
///     assert_eq!(txn.get_for_update("stock")?.unwrap(), "1");
///     txn.put("stock", "0")?;
/// }
/// one.commit()?;
/// assert_eq!(other.commit().unwrap_err().kind(), ErrorKind::Busy);
/// # Ok::<(), ferrolith::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OptimisticTransactionDb {
    db: Db,
    inner: engine::OptimisticTransactionDb,
}

impl OptimisticTransactionDb {
    /// Opens the database in this directory with default options, and creates it if there is none.
    ///
    /// # Errors
    /// Same as [`Db::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<OptimisticTransactionDb> {
        OptimisticTransactionDb::open_with(Options::new().create_if_missing(true), path)
    }

    /// Opens the database in this directory. Column families are opened as by [`Db::open_with`].
    ///
    /// # Errors
    /// Same as [`Db::open_with`]; `NotSupported` with [`Options::time_to_live`].
    pub fn open_with(
        options: impl Borrow<Options>,
        path: impl AsRef<Path>,
    ) -> Result<OptimisticTransactionDb> {
        let options = options.borrow();
        options.refuse_ttl()?;
        let families = descriptors(options, path.as_ref())?;
        let database = options.to_open();
        let opened = engine::OptimisticTransactionDb::open_cf(&database, path, families);
        let (inner, _) = opened.map_err(not_opened)?;
        Ok(OptimisticTransactionDb { db: Db::from_inner(inner.db().clone().into()), inner })
    }

    /// Returns the database, for reads, maintenance and writes outside transactions.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Returns the handle of the column family with this name.
    ///
    /// # Errors
    /// Fails with `NotFound` if there is no such family.
    pub fn cf(&self, name: &str) -> Result<ColumnFamily> {
        self.db.cf(name)
    }

    /// Begins a transaction.
    pub fn begin(&self) -> Transaction {
        self.begin_with(&OptimisticTransactionOptions::default())
    }

    /// Begins a transaction with options.
    pub fn begin_with(&self, options: &OptimisticTransactionOptions) -> Transaction {
        Transaction::new(&self.db, self.inner.begin(&options.write.inner, &options.inner))
    }

    /// Runs `body` in a transaction and commits it. Repeats both, at most `attempts` times in total, while the commit
    /// fails with `Busy`. An error of `body` rolls the transaction back and is returned immediately.
    ///
    /// ```
    /// use ferrolith::transaction::OptimisticTransactionDb;
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = OptimisticTransactionDb::open(dir.path())?;
    /// let next = |old: Option<ferrolith::Value>| match old.as_deref() {
    ///     Some([n]) => n + 1,
    ///     _ => 1,
    /// };
    /// let count = db.transact(10, |txn| {
    ///     let count = next(txn.get_for_update("count")?);
    ///     txn.put("count", [count])?;
    ///     Ok(count)
    /// })?;
    /// assert_eq!(count, 1);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// The error of `body` or of the last commit; `InvalidArgument` if `attempts` is 0.
    pub fn transact<R>(
        &self,
        attempts: usize,
        mut body: impl FnMut(&Transaction) -> Result<R>,
    ) -> Result<R> {
        let mut last = Error::invalid_argument("attempts: 0");
        for _ in 0..attempts {
            let txn = self.begin();
            let result = body(&txn)?;
            match txn.commit() {
                Ok(()) => return Ok(result),
                Err(e) if e.code() == Code::Busy => last = e,
                Err(e) => return Err(e),
            }
        }
        Err(last)
    }
}
