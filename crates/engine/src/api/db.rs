//! The database: reads and writes. `open.rs` opens it, and `maintenance.rs` has the methods that concern files.

use super::error::no_family;
use super::iter::{Bounds, Iter};
use super::read_options::{READ, WRITE};
use super::{
    ColumnFamily, ColumnFamilyOptions, Cursor, Key, KeyRange, ReadOptions, Snapshot, ToBatch,
    Value, WriteBatch, WriteOptions,
};
use crate::base::PinnedValue;
use crate::error::Result;
use crate::utilities::AnyDb;
use std::fmt;

/// An open database.
///
/// A handle is cheap to clone and may be used by any number of threads. The database closes when the last handle,
/// iterator and snapshot is dropped, or at [`Db::close`]. Methods without a column family work on the default one.
///
/// ```
/// use ferrolith::Db;
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path();
/// let db = Db::open(path)?;
/// db.put("planet:3", "Earth")?;
/// assert_eq!(db.get("planet:3")?.unwrap(), "Earth");
/// for item in db.prefix("planet:") {
///     let (key, value) = item?;
///     println!("{key:?} = {value:?}");
/// }
/// # Ok::<(), ferrolith::Error>(())
/// ```
#[derive(Clone)]
pub struct Db {
    inner: AnyDb,
}

/// Converts the values of a lookup of many keys.
pub(crate) fn values(found: Vec<Result<Option<PinnedValue>>>) -> Vec<Result<Option<Value>>> {
    found.into_iter().map(|value| Ok(value?.map(Value::pinned))).collect()
}

impl Db {
    pub(crate) fn from_inner(inner: AnyDb) -> Db {
        Db { inner }
    }

    /// Returns the engine's handle.
    #[inline]
    pub(crate) fn inner(&self) -> &AnyDb {
        &self.inner
    }

    /// Sets a key.
    ///
    /// When this returns, the write is in the log, so it survives a crash of the program. To survive a crash of the
    /// machine, it needs [`WriteOptions::sync`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("key", "value")?;
    /// db.put(7_u32.to_be_bytes(), vec![1, 2, 3])?;
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the database is closed, read-only or stopped by an earlier error, or if the log cannot be written.
    #[inline]
    pub fn put(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<()> {
        self.inner.put(&WRITE, key.as_ref(), value.as_ref())
    }

    /// Like [`Db::put`], with options.
    ///
    /// # Errors
    /// Same as [`Db::put`].
    #[inline]
    pub fn put_opt(
        &self,
        key: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
        options: &WriteOptions,
    ) -> Result<()> {
        self.inner.put(&options.inner, key.as_ref(), value.as_ref())
    }

    /// Sets a key of a column family; the same as [`ColumnFamily::put`].
    ///
    /// # Errors
    /// Same as [`Db::put`]; also for a dropped family or one of another database.
    #[inline]
    pub fn put_cf(
        &self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
    ) -> Result<()> {
        self.inner.put_cf(&WRITE, cf.checked(self)?, key.as_ref(), value.as_ref())
    }

    /// Deletes a key. Deleting a key that does not exist is no error.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("key", "value")?;
    /// db.delete("key")?;
    /// assert_eq!(db.get("key")?, None);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Db::put`].
    #[inline]
    pub fn delete(&self, key: impl AsRef<[u8]>) -> Result<()> {
        self.inner.delete(&WRITE, key.as_ref())
    }

    /// Like [`Db::delete`], with options.
    ///
    /// # Errors
    /// Same as [`Db::put`].
    #[inline]
    pub fn delete_opt(&self, key: impl AsRef<[u8]>, options: &WriteOptions) -> Result<()> {
        self.inner.delete(&options.inner, key.as_ref())
    }

    /// Deletes a key of a column family; the same as [`ColumnFamily::delete`].
    ///
    /// # Errors
    /// Same as [`Db::put_cf`].
    #[inline]
    pub fn delete_cf(&self, cf: &ColumnFamily, key: impl AsRef<[u8]>) -> Result<()> {
        self.inner.delete_cf(&WRITE, cf.checked(self)?, key.as_ref())
    }

    /// Deletes a key that was put exactly once since its last deletion, and never merged. The tombstone is removed as
    /// soon as it meets the value, which is earlier than for [`Db::delete`]. For other keys the result is undefined.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("queue:1", "job")?;
    /// db.single_delete("queue:1")?;
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Db::put`].
    pub fn single_delete(&self, key: impl AsRef<[u8]>) -> Result<()> {
        self.inner.single_delete(&WRITE, key.as_ref())
    }

    /// Like [`Db::single_delete`], with options.
    ///
    /// # Errors
    /// Same as [`Db::put`].
    pub fn single_delete_opt(&self, key: impl AsRef<[u8]>, options: &WriteOptions) -> Result<()> {
        self.inner.single_delete(&options.inner, key.as_ref())
    }

    /// Like [`Db::single_delete`], in a column family.
    ///
    /// # Errors
    /// Same as [`Db::put_cf`].
    pub fn single_delete_cf(&self, cf: &ColumnFamily, key: impl AsRef<[u8]>) -> Result<()> {
        self.inner.single_delete_cf(&WRITE, cf.checked(self)?, key.as_ref())
    }

    /// Deletes all keys from `begin` up to but excluding `end` with one record, however many keys there are.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("a", "1")?;
    /// db.put("b", "2")?;
    /// db.put("c", "3")?;
    /// db.delete_range("a", "c")?;
    /// assert_eq!(db.first()?.unwrap().0, "c");
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Db::put`]; also if `end` sorts before `begin`.
    pub fn delete_range(&self, begin: impl AsRef<[u8]>, end: impl AsRef<[u8]>) -> Result<()> {
        self.inner.delete_range(&WRITE, begin.as_ref(), end.as_ref())
    }

    /// Like [`Db::delete_range`], with options.
    ///
    /// # Errors
    /// Same as [`Db::delete_range`].
    pub fn delete_range_opt(
        &self,
        begin: impl AsRef<[u8]>,
        end: impl AsRef<[u8]>,
        options: &WriteOptions,
    ) -> Result<()> {
        self.inner.delete_range(&options.inner, begin.as_ref(), end.as_ref())
    }

    /// Like [`Db::delete_range`], in a column family.
    ///
    /// # Errors
    /// Same as [`Db::delete_range`] and [`Db::put_cf`].
    pub fn delete_range_cf(
        &self,
        cf: &ColumnFamily,
        begin: impl AsRef<[u8]>,
        end: impl AsRef<[u8]>,
    ) -> Result<()> {
        self.inner.delete_range_cf(&WRITE, cf.checked(self)?, begin.as_ref(), end.as_ref())
    }

    /// Adds a merge operand to a key. Reads and compactions merge operands into the value, with the merge operator in
    /// the options.
    ///
    /// ```
    /// use ferrolith::{Db, Options};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path();
    /// let options = Options::new().create_if_missing(true).merge_operator(
    ///     "example.concat",
    ///     |_key, value, operands| {
    ///         let mut all = value.unwrap_or_default().to_vec();
    ///         operands.iter().for_each(|operand| all.extend_from_slice(operand));
    ///         Some(all)
    ///     },
    /// );
    /// let db = Db::open_with(options, path)?;
    /// db.merge("log", "a")?;
    /// db.merge("log", "b")?;
    /// assert_eq!(db.get("log")?.unwrap(), "ab");
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Db::put`]; also if the default column family has no merge operator.
    #[inline]
    pub fn merge(&self, key: impl AsRef<[u8]>, operand: impl AsRef<[u8]>) -> Result<()> {
        self.inner.merge(&WRITE, key.as_ref(), operand.as_ref())
    }

    /// Like [`Db::merge`], with options.
    ///
    /// # Errors
    /// Same as [`Db::merge`].
    pub fn merge_opt(
        &self,
        key: impl AsRef<[u8]>,
        operand: impl AsRef<[u8]>,
        options: &WriteOptions,
    ) -> Result<()> {
        self.inner.merge(&options.inner, key.as_ref(), operand.as_ref())
    }

    /// Adds a merge operand to a key of a column family; the same as [`ColumnFamily::merge`].
    ///
    /// # Errors
    /// Same as [`Db::merge`] and [`Db::put_cf`].
    #[inline]
    pub fn merge_cf(
        &self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
        operand: impl AsRef<[u8]>,
    ) -> Result<()> {
        self.inner.merge_cf(&WRITE, cf.checked(self)?, key.as_ref(), operand.as_ref())
    }

    /// Creates an empty batch; the same as [`WriteBatch::new`].
    pub fn batch(&self) -> WriteBatch {
        WriteBatch::new()
    }

    /// Writes a batch: either all of it becomes visible together, or nothing. Takes the batch, `&mut` of it (which can
    /// be cleared and reused), or `&` of it (which copies its bytes).
    ///
    /// ```
    /// use ferrolith::WriteBatch;
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// let mut batch = WriteBatch::new();
    /// batch.put("from", "90").put("to", "110");
    /// db.write(batch)?;
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Db::put`]; also for a batch with a handle of another database or of a dropped family, and for a range
    /// deletion whose end sorts before its begin. Nothing is written then.
    pub fn write(&self, batch: impl ToBatch) -> Result<()> {
        batch.write_to(self, &WRITE)
    }

    /// Like [`Db::write`], with options.
    ///
    /// # Errors
    /// Same as [`Db::write`].
    pub fn write_opt(&self, batch: impl ToBatch, options: &WriteOptions) -> Result<()> {
        batch.write_to(self, &options.inner)
    }

    /// Returns the value of a key, or `None` if it has none.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("key", "value")?;
    /// if let Some(value) = db.get("key")? {
    ///     assert_eq!(&value[..3], b"val");
    /// }
    /// assert_eq!(db.get("other")?, None);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the database is closed, if a file cannot be read or is damaged, or if a merge operator fails.
    #[inline]
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        Ok(self.inner.get_pinned(&READ, key.as_ref())?.map(Value::pinned))
    }

    /// Like [`Db::get`], with options.
    ///
    /// # Errors
    /// Same as [`Db::get`]; also for a snapshot of another database.
    #[inline]
    pub fn get_opt(&self, key: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Option<Value>> {
        let options = options.checked(&self.inner)?;
        Ok(self.inner.get_pinned(options, key.as_ref())?.map(Value::pinned))
    }

    /// Returns the value of a key of a column family; the same as [`ColumnFamily::get`].
    ///
    /// # Errors
    /// Same as [`Db::get`]; also for a dropped family or one of another database.
    #[inline]
    pub fn get_cf(&self, cf: &ColumnFamily, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        let found = self.inner.get_pinned_cf(&READ, cf.checked(self)?, key.as_ref())?;
        Ok(found.map(Value::pinned))
    }

    /// Calls `read` with the value of a key in place, without copying it, and returns the result of `read`, or `None`
    /// if there is no value. `read` must be quick and must not use the database, because data that the lookup reads
    /// cannot be freed meanwhile.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("key", "value")?;
    /// assert_eq!(db.get_with("key", |value| value.len())?, Some(5));
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Db::get`].
    #[inline]
    pub fn get_with<R>(
        &self,
        key: impl AsRef<[u8]>,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>> {
        self.inner.get_with(&READ, None, key.as_ref(), read)
    }

    /// Returns whether a key has a value.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("key", "value")?;
    /// assert!(db.contains_key("key")? && !db.contains_key("other")?);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Db::get`].
    #[inline]
    pub fn contains_key(&self, key: impl AsRef<[u8]>) -> Result<bool> {
        Ok(self.get_with(key, |_| ())?.is_some())
    }

    /// Returns the values of many keys in their order, all from one state of the database. This is faster than single
    /// lookups.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("a", "1")?;
    /// db.put("c", "3")?;
    /// let values: Vec<_> = db.multi_get(["a", "b", "c"]).into_iter().collect::<Result<_, _>>()?;
    /// assert_eq!(values[0].as_deref(), Some(&b"1"[..]));
    /// assert_eq!(values[1], None);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Db::get`], for each key.
    pub fn multi_get<K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = K>,
    ) -> Vec<Result<Option<Value>>> {
        let keys: Vec<K> = keys.into_iter().collect();
        values(self.inner.multi_get(&READ, &keys))
    }

    /// Like [`Db::multi_get`], with options.
    ///
    /// # Errors
    /// Same as [`Db::get_opt`], for each key.
    pub fn multi_get_opt<K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        options: &ReadOptions,
    ) -> Vec<Result<Option<Value>>> {
        let keys: Vec<K> = keys.into_iter().collect();
        match options.checked(&self.inner) {
            Ok(options) => values(self.inner.multi_get(options, &keys)),
            Err(e) => keys.iter().map(|_| Err(e.clone())).collect(),
        }
    }

    /// Returns the first key and its value, or `None` if the column family is empty.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("b", "2")?;
    /// db.put("a", "1")?;
    /// assert_eq!(db.first()?.unwrap().0, "a");
    /// assert_eq!(db.last()?.unwrap().0, "b");
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Db::get`].
    pub fn first(&self) -> Result<Option<(Key, Value)>> {
        self.iter().next().transpose()
    }

    /// Returns the last key and its value, or `None` if the column family is empty.
    ///
    /// # Errors
    /// Same as [`Db::get`].
    pub fn last(&self) -> Result<Option<(Key, Value)>> {
        self.iter().next_back().transpose()
    }

    /// Iterates over all keys and values in order, from either end.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("a", "1")?;
    /// db.put("b", "2")?;
    /// for item in db.iter() {
    ///     let (key, value) = item?;
    ///     println!("{key:?} = {value:?}");
    /// }
    /// let backward: Vec<_> = db.iter().rev().map(|item| item.unwrap().0).collect();
    /// assert_eq!(backward, ["b", "a"]);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    pub fn iter(&self) -> Iter {
        Iter::new(self, None, Ok(&READ), Bounds::all())
    }

    /// Like [`Db::iter`], with options.
    pub fn iter_opt(&self, options: &ReadOptions) -> Iter {
        Iter::new(self, None, options.checked(&self.inner), Bounds::all())
    }

    /// Iterates over a column family; the same as [`ColumnFamily::iter`].
    pub fn iter_cf(&self, cf: &ColumnFamily) -> Iter {
        Iter::new(self, Some(cf), Ok(&READ), Bounds::all())
    }

    /// Iterates over the keys in a range, from either end. A range that ends before it begins has no keys.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// for key in ["a", "b", "c", "d"] {
    ///     db.put(key, "")?;
    /// }
    /// assert_eq!(db.range("b".."d").count(), 2);
    /// assert_eq!(db.range("b"..="d").count(), 3);
    /// assert_eq!(db.range(.."c").count(), 2);
    /// assert_eq!(db.range(..).count(), 4);
    /// let newest = db.range("b"..).next_back().unwrap()?;
    /// assert_eq!(newest.0, "d");
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    pub fn range(&self, range: impl KeyRange) -> Iter {
        Iter::new(self, None, Ok(&READ), Bounds::range(range))
    }

    /// Like [`Db::range`], with options. Bounds in the options narrow the range.
    pub fn range_opt(&self, range: impl KeyRange, options: &ReadOptions) -> Iter {
        Iter::new(self, None, options.checked(&self.inner), Bounds::range(range))
    }

    /// Iterates over the keys of a column family in a range; the same as [`ColumnFamily::range`].
    pub fn range_cf(&self, cf: &ColumnFamily, range: impl KeyRange) -> Iter {
        Iter::new(self, Some(cf), Ok(&READ), Bounds::range(range))
    }

    /// Iterates over the keys that start with a prefix, from either end. It needs no prefix extractor. With a program's
    /// own comparator, the only item is a `NotSupported` error, because keys with a common prefix need not be adjacent.
    ///
    /// If all keys that start with `prefix` have the same prefix according to the column family's prefix extractor,
    /// tables whose filter excludes that prefix are skipped. This applies to bytewise order, in both directions. The
    /// result is the same.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("user:1", "Ada")?;
    /// db.put("user:2", "Grace")?;
    /// db.put("visit:1", "today")?;
    /// assert_eq!(db.prefix("user:").count(), 2);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// With prefix filters:
    ///
    /// ```
    /// use ferrolith::{BlockBasedOptions, Db, Options, Ticker};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path();
    /// let options = Options::new()
    ///     .create_if_missing(true)
    ///     .fixed_prefix(5)
    ///     .block_based_table(BlockBasedOptions::new().bloom_filter(10.0))
    ///     .enable_statistics();
    /// let db = Db::open_with(options, path)?;
    /// db.put("user:1", "Ada")?;
    /// db.put("visit:1", "today")?;
    /// db.flush()?;
    /// assert_eq!(db.prefix("users:").count(), 0); // the table was not read
    /// let statistics = db.statistics().expect("enabled");
    /// assert_eq!(statistics.ticker(Ticker::NonLastLevelSeekFiltered), 1);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    pub fn prefix(&self, prefix: impl AsRef<[u8]>) -> Iter {
        Iter::new(self, None, Ok(&READ), Bounds::prefix(prefix.as_ref()))
    }

    /// Like [`Db::prefix`], with options.
    pub fn prefix_opt(&self, prefix: impl AsRef<[u8]>, options: &ReadOptions) -> Iter {
        let bounds = Bounds::prefix(prefix.as_ref());
        Iter::new(self, None, options.checked(&self.inner), bounds)
    }

    /// Iterates over the keys of a column family with a prefix; the same as [`ColumnFamily::prefix`].
    pub fn prefix_cf(&self, cf: &ColumnFamily, prefix: impl AsRef<[u8]>) -> Iter {
        Iter::new(self, Some(cf), Ok(&READ), Bounds::prefix(prefix.as_ref()))
    }

    /// Creates a cursor, which is moved explicitly; see [`Cursor`].
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("b", "2")?;
    /// let mut cursor = db.cursor();
    /// cursor.seek("a");
    /// assert_eq!(cursor.item(), Some((&b"b"[..], &b"2"[..])));
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    pub fn cursor(&self) -> Cursor {
        Cursor::new(self, None, Ok(&READ))
    }

    /// Like [`Db::cursor`], with options.
    pub fn cursor_opt(&self, options: &ReadOptions) -> Cursor {
        Cursor::new(self, None, options.checked(&self.inner))
    }

    /// Creates a cursor over a column family; the same as [`ColumnFamily::cursor`].
    pub fn cursor_cf(&self, cf: &ColumnFamily) -> Cursor {
        Cursor::new(self, Some(cf), Ok(&READ))
    }

    /// Takes a snapshot of all column families; see [`Snapshot`].
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self)
    }

    /// Returns the handle of the column family with this name.
    ///
    /// ```
    /// use ferrolith::ErrorKind;
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// assert_eq!(db.cf("planets").unwrap_err().kind(), ErrorKind::NotFound);
    /// db.create_cf("planets")?;
    /// db.cf("planets")?.put("3", "Earth")?;
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `NotFound` if there is no such family.
    pub fn cf(&self, name: &str) -> Result<ColumnFamily> {
        match self.inner.cf(name) {
            Some(handle) => Ok(ColumnFamily::new(self, handle)),
            None => Err(no_family(&self.inner, name)),
        }
    }

    /// Returns the handle of the default column family.
    pub fn default_cf(&self) -> ColumnFamily {
        ColumnFamily::new(self, self.inner.default_cf())
    }

    /// Creates a column family with default options.
    /// # Errors
    /// Fails if a family of that name exists, and for the same reasons as [`Db::put`].
    pub fn create_cf(&self, name: &str) -> Result<ColumnFamily> {
        self.create_cf_with(name, ColumnFamilyOptions::new())
    }

    /// Creates a column family with these options. The next opening must specify them again:
    /// [`Options::column_family`].
    ///
    /// [`Options::column_family`]: crate::Options::column_family
    ///
    /// ```
    /// use ferrolith::{ColumnFamilyOptions, CompressionType};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// let options = ColumnFamilyOptions::new().compression(CompressionType::Zstd);
    /// let archive = db.create_cf_with("archive", options)?;
    /// assert_eq!(archive.name(), "archive");
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if a family of that name exists, for options that cannot be honoured, and for the same reasons as
    /// [`Db::put`].
    pub fn create_cf_with(
        &self,
        name: &str,
        options: impl Into<ColumnFamilyOptions>,
    ) -> Result<ColumnFamily> {
        let handle = self.inner.create_cf(name, options.into().inner())?;
        Ok(ColumnFamily::new(self, handle))
    }

    /// Returns the column family with this name. If there is none, creates it with default options, which do not
    /// include the merge operator of the default family. [`Db::create_cf_with`] takes options.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.cf_or_create("planets")?.put("3", "Earth")?;
    /// assert!(db.cf_or_create("planets")?.contains_key("3")?);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Db::create_cf`].
    pub fn cf_or_create(&self, name: &str) -> Result<ColumnFamily> {
        self.cf(name).or_else(|_| match self.create_cf(name) {
            // Another thread may have created it first.
            Err(e) => self.cf(name).map_err(|_| e),
            created => created,
        })
    }

    /// Drops a column family with all its data. All its handles become invalid: using one is an error. Existing
    /// iterators and cursors can still be used.
    ///
    /// ```
    /// use ferrolith::ErrorKind;
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// let cf = db.create_cf("planets")?;
    /// db.drop_cf("planets")?;
    /// assert_eq!(cf.get("3").unwrap_err().kind(), ErrorKind::ColumnFamilyDropped);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `NotFound` if there is no such family, with `InvalidArgument` for the default one, and for the same
    /// reasons as [`Db::put`].
    pub fn drop_cf(&self, name: &str) -> Result<()> {
        self.inner.drop_cf(self.cf(name)?.inner())
    }
}

impl fmt::Debug for Db {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Db").field("path", &self.path()).finish_non_exhaustive()
    }
}

/// Iterates over the default column family: `for item in &db`.
impl IntoIterator for &Db {
    type Item = Result<(Key, Value)>;
    type IntoIter = Iter;

    fn into_iter(self) -> Iter {
        self.iter()
    }
}
