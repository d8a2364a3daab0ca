//! Reads and writes outside transactions: writes lock their keys, one write at a time.

use super::TransactionDb;
use crate::error::Result;
use crate::{ColumnFamily, ReadOptions, Value, WriteBatch, WriteOptions};

impl TransactionDb {
    /// Returns the committed value of a key of the default column family.
    ///
    /// # Errors
    /// Same as [`Db::get`](crate::Db::get).
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        self.db.get(key)
    }

    /// Like [`TransactionDb::get`], with options.
    ///
    /// # Errors
    /// Same as [`Db::get_opt`](crate::Db::get_opt).
    pub fn get_opt(&self, key: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Option<Value>> {
        self.db.get_opt(key, options)
    }

    /// Returns the committed value of a key of a column family.
    ///
    /// # Errors
    /// Same as [`Db::get_cf`](crate::Db::get_cf).
    pub fn get_cf(&self, cf: &ColumnFamily, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        self.db.get_cf(cf, key)
    }

    /// Sets a key of the default column family, after waiting for its lock.
    ///
    /// # Errors
    /// Fails with `LockTimeout` if another transaction holds the lock for too long, or as [`Db::put`](crate::Db::put).
    pub fn put(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<()> {
        self.put_cf(&self.db.default_cf(), key, value)
    }

    /// Like [`TransactionDb::put`], with options.
    ///
    /// # Errors
    /// Same as [`TransactionDb::put`].
    pub fn put_opt(
        &self,
        key: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
        options: &WriteOptions,
    ) -> Result<()> {
        self.put_cf_opt(&self.db.default_cf(), key, value, options)
    }

    /// Sets a key, after waiting for its lock.
    ///
    /// # Errors
    /// Same as [`TransactionDb::put`]; also for a dropped family or one of another database.
    pub fn put_cf(
        &self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
    ) -> Result<()> {
        self.put_cf_opt(cf, key, value, &WriteOptions::default())
    }

    /// Like [`TransactionDb::put_cf`], with options.
    ///
    /// # Errors
    /// Same as [`TransactionDb::put_cf`].
    pub fn put_cf_opt(
        &self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
        options: &WriteOptions,
    ) -> Result<()> {
        let cf = cf.checked(&self.db)?;
        self.inner.put(&options.inner, cf, key.as_ref(), value.as_ref())
    }

    /// Deletes a key of the default column family, after waiting for its lock.
    ///
    /// # Errors
    /// Same as [`TransactionDb::put`].
    pub fn delete(&self, key: impl AsRef<[u8]>) -> Result<()> {
        self.delete_cf(&self.db.default_cf(), key)
    }

    /// Like [`TransactionDb::delete`], with options.
    ///
    /// # Errors
    /// Same as [`TransactionDb::delete`].
    pub fn delete_opt(&self, key: impl AsRef<[u8]>, options: &WriteOptions) -> Result<()> {
        self.delete_cf_opt(&self.db.default_cf(), key, options)
    }

    /// Deletes a key, after waiting for its lock.
    ///
    /// # Errors
    /// Same as [`TransactionDb::put_cf`].
    pub fn delete_cf(&self, cf: &ColumnFamily, key: impl AsRef<[u8]>) -> Result<()> {
        self.delete_cf_opt(cf, key, &WriteOptions::default())
    }

    /// Like [`TransactionDb::delete_cf`], with options.
    ///
    /// # Errors
    /// Same as [`TransactionDb::delete_cf`].
    pub fn delete_cf_opt(
        &self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
        options: &WriteOptions,
    ) -> Result<()> {
        let cf = cf.checked(&self.db)?;
        self.inner.delete(&options.inner, cf, key.as_ref())
    }

    /// Adds a merge operand to a key of the default column family, after waiting for its lock.
    ///
    /// # Errors
    /// Same as [`TransactionDb::put`]; also if the family has no merge operator.
    pub fn merge(&self, key: impl AsRef<[u8]>, operand: impl AsRef<[u8]>) -> Result<()> {
        self.merge_cf(&self.db.default_cf(), key, operand)
    }

    /// Like [`TransactionDb::merge`], with options.
    ///
    /// # Errors
    /// Same as [`TransactionDb::merge`].
    pub fn merge_opt(
        &self,
        key: impl AsRef<[u8]>,
        operand: impl AsRef<[u8]>,
        options: &WriteOptions,
    ) -> Result<()> {
        self.merge_cf_opt(&self.db.default_cf(), key, operand, options)
    }

    /// Adds a merge operand to a key, after waiting for its lock.
    ///
    /// # Errors
    /// Same as [`TransactionDb::put_cf`]; also if the family has no merge operator.
    pub fn merge_cf(
        &self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
        operand: impl AsRef<[u8]>,
    ) -> Result<()> {
        self.merge_cf_opt(cf, key, operand, &WriteOptions::default())
    }

    /// Like [`TransactionDb::merge_cf`], with options.
    ///
    /// # Errors
    /// Same as [`TransactionDb::merge_cf`].
    pub fn merge_cf_opt(
        &self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
        operand: impl AsRef<[u8]>,
        options: &WriteOptions,
    ) -> Result<()> {
        let cf = cf.checked(&self.db)?;
        self.inner.merge(&options.inner, cf, key.as_ref(), operand.as_ref())
    }

    /// Commits a batch after waiting for the locks of its keys. The locks are taken in key order, so that two batches
    /// never wait for each other.
    ///
    /// # Errors
    /// Same as [`TransactionDb::put_cf`]; also for an error in the batch. None of it is written then.
    pub fn write(&self, batch: WriteBatch) -> Result<()> {
        self.write_opt(batch, &WriteOptions::default())
    }

    /// Like [`TransactionDb::write`], with options.
    ///
    /// ```
    /// use ferrolith::{WriteBatch, WriteOptions};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::transaction::TransactionDb::open(dir.path())?;
    /// let mut batch = WriteBatch::new();
    /// batch.put("from", "90").put("to", "110");
    /// db.write_opt(batch, &WriteOptions::new().sync(true))?; // on the device when this returns
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`TransactionDb::write`].
    pub fn write_opt(&self, mut batch: WriteBatch, options: &WriteOptions) -> Result<()> {
        self.inner.write(&options.inner, batch.checked(&self.db)?)
    }
}
