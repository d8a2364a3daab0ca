//! Reads of a transaction: with options, of many keys, and at its snapshot.

use super::{Transaction, TransactionIter};
use crate::api::iter::Bounds;
use crate::error::Result;
use crate::{ColumnFamily, KeyRange, ReadOptions, Snapshot, Value};

impl Transaction {
    /// Returns the snapshot that [`Transaction::set_snapshot`], or the option of that name, took last; `None` if there
    /// is none. It shows the data that was committed then. With options made from it, reads of the transaction return
    /// its own writes, and otherwise the data of the snapshot.
    ///
    /// It may outlive the transaction.
    ///
    /// ```
    /// use ferrolith::transaction::OptimisticTransactionDb;
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path();
    /// let db = OptimisticTransactionDb::open(path)?;
    /// db.db().put("a", "old")?;
    /// let txn = db.begin();
    /// txn.set_snapshot();
    /// txn.put("b", "own")?;
    /// db.db().put("a", "new")?;
    ///
    /// let then = txn.snapshot().expect("just taken").read_options();
    /// assert_eq!(txn.get_opt("a", &then)?.unwrap(), "old");
    /// assert_eq!(txn.get_opt("b", &then)?.unwrap(), "own");
    /// assert_eq!(txn.iter_opt(&then).count(), 2);
    /// assert_eq!(txn.get("a")?.unwrap(), "new");
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    pub fn snapshot(&self) -> Option<Snapshot> {
        let taken = self.inner.lock().shared_snapshot()?;
        Some(Snapshot::from_inner(&self.db, taken))
    }

    /// Like [`Transaction::get_for_update`], with options. They affect the value, but not the check whether others
    /// changed the key.
    ///
    /// # Errors
    /// Same as [`Transaction::get_for_update`] and [`Transaction::get_opt`].
    pub fn get_for_update_opt(
        &self,
        key: impl AsRef<[u8]>,
        options: &ReadOptions,
    ) -> Result<Option<Value>> {
        self.read_for(None, key.as_ref(), options, true)
    }

    /// Like [`Transaction::get_for_update_cf`], with options.
    ///
    /// # Errors
    /// Same as [`Transaction::get_for_update_cf`] and [`Transaction::get_cf_opt`].
    pub fn get_for_update_cf_opt(
        &self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
        options: &ReadOptions,
    ) -> Result<Option<Value>> {
        self.read_for(Some(cf), key.as_ref(), options, true)
    }

    /// Like [`Transaction::get_for_share`], with options.
    ///
    /// # Errors
    /// Same as [`Transaction::get_for_update_opt`].
    pub fn get_for_share_opt(
        &self,
        key: impl AsRef<[u8]>,
        options: &ReadOptions,
    ) -> Result<Option<Value>> {
        self.read_for(None, key.as_ref(), options, false)
    }

    /// Like [`Transaction::get_for_share_cf`], with options.
    ///
    /// # Errors
    /// Same as [`Transaction::get_for_update_cf_opt`].
    pub fn get_for_share_cf_opt(
        &self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
        options: &ReadOptions,
    ) -> Result<Option<Value>> {
        self.read_for(Some(cf), key.as_ref(), options, false)
    }

    /// Returns the values of many keys in their order: the transaction's own writes, otherwise values from one state of
    /// the database.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::transaction::TransactionDb::open(dir.path())?;
    /// db.put("a", "1")?;
    /// let txn = db.begin();
    /// txn.put("b", "2")?;
    /// let values: Vec<_> = txn.multi_get(["a", "b", "c"]).into_iter().collect::<Result<_, _>>()?;
    /// assert_eq!(values[0].as_deref(), Some(&b"1"[..]));
    /// assert_eq!(values[1].as_deref(), Some(&b"2"[..]));
    /// assert_eq!(values[2], None);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Transaction::get`], for each key.
    pub fn multi_get<K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = K>,
    ) -> Vec<Result<Option<Value>>> {
        self.multi_get_opt(keys, &ReadOptions::default())
    }

    /// Like [`Transaction::multi_get`], with options.
    ///
    /// # Errors
    /// Same as [`Transaction::get_opt`], for each key.
    pub fn multi_get_opt<K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        options: &ReadOptions,
    ) -> Vec<Result<Option<Value>>> {
        self.read_many(keys.into_iter().map(|key| (None, key)).collect(), options)
    }

    /// Like [`Transaction::multi_get`], for keys of any column families.
    ///
    /// # Errors
    /// Same as [`Transaction::get_cf`], for each key.
    pub fn multi_get_cf<'a, K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = (&'a ColumnFamily, K)>,
    ) -> Vec<Result<Option<Value>>> {
        self.multi_get_cf_opt(keys, &ReadOptions::default())
    }

    /// Like [`Transaction::multi_get_cf`], with options.
    ///
    /// # Errors
    /// Same as [`Transaction::get_cf_opt`], for each key.
    pub fn multi_get_cf_opt<'a, K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = (&'a ColumnFamily, K)>,
        options: &ReadOptions,
    ) -> Vec<Result<Option<Value>>> {
        self.read_many(keys.into_iter().map(|(cf, key)| (Some(cf), key)).collect(), options)
    }

    fn read_many<K: AsRef<[u8]>>(
        &self,
        keys: Vec<(Option<&ColumnFamily>, K)>,
        options: &ReadOptions,
    ) -> Vec<Result<Option<Value>>> {
        let one_state = match options.has_snapshot() {
            true => options.clone(),
            false => options.clone().snapshot(&self.db.snapshot()),
        };
        keys.iter().map(|(cf, key)| self.read(*cf, key.as_ref(), &one_state)).collect()
    }

    /// Like [`Transaction::iter_cf`], with options.
    pub fn iter_cf_opt(&self, cf: &ColumnFamily, options: &ReadOptions) -> TransactionIter {
        self.iter_within(Some(cf), options, Bounds::all())
    }

    /// Like [`Transaction::range`], with options. Bounds in the options narrow the range.
    pub fn range_opt(&self, range: impl KeyRange, options: &ReadOptions) -> TransactionIter {
        self.iter_within(None, options, Bounds::range(range))
    }

    /// Like [`Transaction::range_cf`], with options.
    pub fn range_cf_opt(
        &self,
        cf: &ColumnFamily,
        range: impl KeyRange,
        options: &ReadOptions,
    ) -> TransactionIter {
        self.iter_within(Some(cf), options, Bounds::range(range))
    }

    /// Like [`Transaction::prefix`], with options.
    pub fn prefix_opt(&self, prefix: impl AsRef<[u8]>, options: &ReadOptions) -> TransactionIter {
        self.iter_within(None, options, Bounds::prefix(prefix.as_ref()))
    }

    /// Like [`Transaction::prefix_cf`], with options.
    pub fn prefix_cf_opt(
        &self,
        cf: &ColumnFamily,
        prefix: impl AsRef<[u8]>,
        options: &ReadOptions,
    ) -> TransactionIter {
        self.iter_within(Some(cf), options, Bounds::prefix(prefix.as_ref()))
    }
}
