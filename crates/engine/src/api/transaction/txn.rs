//! A transaction.

use super::{TransactionIter, TransactionState};
use crate::api::iter::Bounds;
use crate::env::sync::Mutex;
use crate::error::Result;
use crate::txn as engine;
use crate::{ColumnFamily, Db, ReadOptions, Value, db};
use std::fmt;

/// Writes that are committed atomically.
///
/// A transaction sees its own writes before others do. Methods take `&self`, so a transaction may be changed while it
/// is iterated. Threads that share one wait for each other. Dropping a transaction rolls it back, unless it is
/// prepared: then the next opening of the database returns it.
///
/// Methods without a column family work on the default one.
pub struct Transaction {
    pub(super) db: Db,
    pub(super) inner: Mutex<engine::Transaction>,
}

impl Transaction {
    pub(super) fn new(db: &Db, inner: engine::Transaction) -> Transaction {
        Transaction { db: db.clone(), inner: Mutex::new(inner) }
    }

    /// Calls `run` with the engine's transaction and the engine's handle of a family.
    fn with<R>(
        &self,
        cf: Option<&ColumnFamily>,
        run: impl FnOnce(&mut engine::Transaction, &db::ColumnFamily) -> Result<R>,
    ) -> Result<R> {
        match cf {
            Some(cf) => run(&mut self.inner.lock(), cf.checked(&self.db)?),
            None => run(&mut self.inner.lock(), &self.db.inner().default_cf()),
        }
    }

    /// Returns the database to which the transaction belongs.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Returns the state of the transaction.
    pub fn state(&self) -> TransactionState {
        self.inner.lock().state()
    }

    /// Sets a key.
    ///
    /// # Errors
    /// In a [`TransactionDb`](super::TransactionDb): `LockTimeout` if another transaction holds the key's lock for too
    /// long, `Deadlock` if the two would wait for each other, `Busy` if the key was written after
    /// [`set_snapshot`](Transaction::set_snapshot). The transaction can continue afterwards, without this write.
    pub fn put(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<()> {
        self.with(None, |txn, cf| txn.put(cf, key.as_ref(), value.as_ref()))
    }

    /// Sets a key of a column family.
    ///
    /// # Errors
    /// Same as [`Transaction::put`]; also for a dropped family or one of another database.
    pub fn put_cf(
        &self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
    ) -> Result<()> {
        self.with(Some(cf), |txn, cf| txn.put(cf, key.as_ref(), value.as_ref()))
    }

    /// Deletes a key. Deleting a key that does not exist is no error.
    ///
    /// # Errors
    /// Same as [`Transaction::put`].
    pub fn delete(&self, key: impl AsRef<[u8]>) -> Result<()> {
        self.with(None, |txn, cf| txn.delete(cf, key.as_ref()))
    }

    /// Deletes a key of a column family.
    ///
    /// # Errors
    /// Same as [`Transaction::put_cf`].
    pub fn delete_cf(&self, cf: &ColumnFamily, key: impl AsRef<[u8]>) -> Result<()> {
        self.with(Some(cf), |txn, cf| txn.delete(cf, key.as_ref()))
    }

    /// Deletes a key that was put exactly once since its last deletion; see [`Db::single_delete`].
    ///
    /// # Errors
    /// Same as [`Transaction::put`].
    pub fn single_delete(&self, key: impl AsRef<[u8]>) -> Result<()> {
        self.with(None, |txn, cf| txn.single_delete(cf, key.as_ref()))
    }

    /// Like [`Transaction::single_delete`], in a column family.
    ///
    /// # Errors
    /// Same as [`Transaction::put_cf`].
    pub fn single_delete_cf(&self, cf: &ColumnFamily, key: impl AsRef<[u8]>) -> Result<()> {
        self.with(Some(cf), |txn, cf| txn.single_delete(cf, key.as_ref()))
    }

    /// Adds a merge operand to a key.
    ///
    /// # Errors
    /// Same as [`Transaction::put`]; also if the family has no merge operator.
    pub fn merge(&self, key: impl AsRef<[u8]>, operand: impl AsRef<[u8]>) -> Result<()> {
        self.with(None, |txn, cf| txn.merge(cf, key.as_ref(), operand.as_ref()))
    }

    /// Adds a merge operand to a key of a column family.
    ///
    /// # Errors
    /// Same as [`Transaction::put_cf`]; also if the family has no merge operator.
    pub fn merge_cf(
        &self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
        operand: impl AsRef<[u8]>,
    ) -> Result<()> {
        self.with(Some(cf), |txn, cf| txn.merge(cf, key.as_ref(), operand.as_ref()))
    }

    /// Returns the value of a key as the transaction sees it: its own write, otherwise the newest committed value.
    ///
    /// # Errors
    /// Same as [`Db::get`].
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        self.read(None, key.as_ref(), &ReadOptions::default())
    }

    /// Returns the value of a key of a column family as the transaction sees it.
    ///
    /// # Errors
    /// Same as [`Db::get`]; also for a dropped family or one of another database.
    pub fn get_cf(&self, cf: &ColumnFamily, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        self.read(Some(cf), key.as_ref(), &ReadOptions::default())
    }

    /// Like [`Transaction::get`], with options. With a snapshot it returns the transaction's own write, otherwise the
    /// snapshot's value.
    ///
    /// # Errors
    /// Same as [`Db::get_opt`].
    pub fn get_opt(&self, key: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Option<Value>> {
        self.read(None, key.as_ref(), options)
    }

    /// Like [`Transaction::get_cf`], with options.
    ///
    /// # Errors
    /// Same as [`Transaction::get_cf`] and [`Db::get_opt`].
    pub fn get_cf_opt(
        &self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
        options: &ReadOptions,
    ) -> Result<Option<Value>> {
        self.read(Some(cf), key.as_ref(), options)
    }

    pub(super) fn read(
        &self,
        cf: Option<&ColumnFamily>,
        key: &[u8],
        options: &ReadOptions,
    ) -> Result<Option<Value>> {
        let options = options.checked(self.db.inner())?;
        let found = self.with(cf, |txn, cf| txn.get(options, cf, key))?;
        Ok(found.map(Value::pinned))
    }

    pub(super) fn read_for(
        &self,
        cf: Option<&ColumnFamily>,
        key: &[u8],
        options: &ReadOptions,
        exclusive: bool,
    ) -> Result<Option<Value>> {
        let options = options.checked(self.db.inner())?;
        let found = self.with(cf, |txn, cf| txn.get_for_update(options, cf, key, exclusive))?;
        Ok(found.map(Value::pinned))
    }

    /// Returns the value of a key and treats the key as written: no other writer may change it before the commit.
    ///
    /// # Errors
    /// Same as [`Transaction::put`] and [`Transaction::get`].
    pub fn get_for_update(&self, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        self.read_for(None, key.as_ref(), &ReadOptions::default(), true)
    }

    /// Like [`Transaction::get_for_update`], in a column family.
    ///
    /// # Errors
    /// Same as [`Transaction::put_cf`] and [`Transaction::get_cf`].
    pub fn get_for_update_cf(
        &self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
    ) -> Result<Option<Value>> {
        self.read_for(Some(cf), key.as_ref(), &ReadOptions::default(), true)
    }

    /// Like [`Transaction::get_for_update`], but takes a shared lock, which other transactions can hold too.
    ///
    /// # Errors
    /// Same as [`Transaction::get_for_update`].
    pub fn get_for_share(&self, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        self.read_for(None, key.as_ref(), &ReadOptions::default(), false)
    }

    /// Like [`Transaction::get_for_share`], in a column family.
    ///
    /// # Errors
    /// Same as [`Transaction::get_for_update_cf`].
    pub fn get_for_share_cf(
        &self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
    ) -> Result<Option<Value>> {
        self.read_for(Some(cf), key.as_ref(), &ReadOptions::default(), false)
    }

    /// Iterates over all keys and values as the transaction sees them now, from either end. Later writes of the
    /// transaction do not change what the iterator shows.
    pub fn iter(&self) -> TransactionIter {
        self.iter_within(None, &ReadOptions::default(), Bounds::all())
    }

    /// Like [`Transaction::iter`], with options.
    pub fn iter_opt(&self, options: &ReadOptions) -> TransactionIter {
        self.iter_within(None, options, Bounds::all())
    }

    /// Like [`Transaction::iter`], over a column family.
    pub fn iter_cf(&self, cf: &ColumnFamily) -> TransactionIter {
        self.iter_within(Some(cf), &ReadOptions::default(), Bounds::all())
    }

    /// Iterates over the keys in a range; see [`Db::range`].
    pub fn range(&self, range: impl crate::KeyRange) -> TransactionIter {
        self.iter_within(None, &ReadOptions::default(), Bounds::range(range))
    }

    /// Iterates over the keys of a column family in a range.
    pub fn range_cf(&self, cf: &ColumnFamily, range: impl crate::KeyRange) -> TransactionIter {
        self.iter_within(Some(cf), &ReadOptions::default(), Bounds::range(range))
    }

    /// Iterates over the keys that start with a prefix; see [`Db::prefix`].
    pub fn prefix(&self, prefix: impl AsRef<[u8]>) -> TransactionIter {
        self.iter_within(None, &ReadOptions::default(), Bounds::prefix(prefix.as_ref()))
    }

    /// Iterates over the keys of a column family that start with a prefix.
    pub fn prefix_cf(&self, cf: &ColumnFamily, prefix: impl AsRef<[u8]>) -> TransactionIter {
        self.iter_within(Some(cf), &ReadOptions::default(), Bounds::prefix(prefix.as_ref()))
    }

    pub(super) fn iter_within(
        &self,
        cf: Option<&ColumnFamily>,
        options: &ReadOptions,
        bounds: Bounds,
    ) -> TransactionIter {
        let made = options.checked(self.db.inner()).and_then(|options| {
            self.with(cf, |txn, cf| TransactionIter::new(txn, cf, options, bounds))
        });
        made.unwrap_or_else(TransactionIter::failed)
    }

    /// Takes a snapshot. From now on, a key that others have written since counts as a conflict, even if this
    /// transaction uses it only later. Reads still return the newest committed values, unless their options name the
    /// [`snapshot`](Transaction::snapshot). It replaces an earlier one.
    pub fn set_snapshot(&self) {
        self.inner.lock().set_snapshot();
    }

    /// Sets a save point for [`Transaction::rollback_to_save_point`]. Save points nest.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::transaction::TransactionDb::open(dir.path())?;
    /// let txn = db.begin();
    /// txn.put("kept", "1")?;
    /// txn.set_save_point();
    /// txn.put("dropped", "2")?;
    /// txn.rollback_to_save_point()?;
    /// txn.commit()?;
    /// assert!(db.get("kept")?.is_some() && db.get("dropped")?.is_none());
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    pub fn set_save_point(&self) {
        self.inner.lock().set_save_point();
    }

    /// Undoes the writes since the last save point, releases the keys first used since, and removes the save point.
    ///
    /// # Errors
    /// Fails with `NotFound` if there is no save point.
    pub fn rollback_to_save_point(&self) -> Result<()> {
        self.inner.lock().rollback_to_save_point()
    }

    /// Removes the last save point and keeps the writes since.
    ///
    /// # Errors
    /// Fails with `NotFound` if there is no save point.
    pub fn pop_save_point(&self) -> Result<()> {
        self.inner.lock().pop_save_point()
    }

    /// Sets the transaction's name, which [`Transaction::prepare`] requires: 1 to 512 bytes that no other transaction
    /// of the database uses.
    ///
    /// # Errors
    /// Fails with `InvalidArgument` for a name that is taken or not allowed, or if the transaction already has a name.
    pub fn set_name(&self, name: impl AsRef<[u8]>) -> Result<()> {
        self.inner.lock().set_name(name.as_ref())
    }

    /// Returns the transaction's name; empty if none was set.
    pub fn name(&self) -> Vec<u8> {
        self.inner.lock().name().to_vec()
    }

    /// Prepares the transaction, which is the first phase of a two-phase commit: everything written so far is written
    /// to the log under the transaction's name, and survives the program. [`Transaction::commit`] or
    /// [`Transaction::rollback`] follow, now or after the next opening
    /// ([`TransactionDb::prepared_transactions`](super::TransactionDb::prepared_transactions)).
    ///
    /// # Errors
    /// Fails without a name, in an [`OptimisticTransactionDb`](super::OptimisticTransactionDb), with `Expired`, or if
    /// the log cannot be written.
    pub fn prepare(&self) -> Result<()> {
        self.inner.lock().prepare()
    }

    /// Commits all writes at once. For a prepared transaction this is the second phase.
    ///
    /// # Errors
    /// `Busy` if another writer changed a key of an optimistic transaction, `Expired`, or the errors of [`Db::put`].
    /// Nothing is written then, and the transaction is rolled back; a prepared one stays prepared.
    pub fn commit(self) -> Result<()> {
        self.inner.into_inner().commit()
    }

    /// Discards all writes and releases all keys. The transaction can be used again, unless it was prepared.
    ///
    /// # Errors
    /// Fails if the log cannot be written, which can happen only for a prepared transaction.
    pub fn rollback(&self) -> Result<()> {
        self.inner.lock().rollback()
    }
}

impl fmt::Debug for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let txn = self.inner.lock();
        f.debug_struct("Transaction")
            .field("state", &txn.state())
            .field("name", &txn.name().escape_ascii().to_string())
            .field("writes", &txn.batch().batch().count())
            .finish_non_exhaustive()
    }
}
