//! Handles of column families. They have the same methods that the database has for its default family.

use super::error::{dropped, foreign};
use super::iter::{Bounds, Iter};
use super::read_options::{READ, WRITE};
use super::{Cursor, Db, Key, KeyRange, ReadOptions, Value, WriteOptions};
use crate::db;
use crate::error::Result;
use std::fmt;

/// A column family of an open database: a key space with its own options and files.
///
/// A handle is cheap to clone, keeps the database open and may be sent to other threads. [`Db::cf`] and
/// [`Db::create_cf`] return handles. To make writes to several families visible together, use a
/// [`WriteBatch`](crate::WriteBatch).
///
/// A handle belongs to one opening of one database. Reading or writing through it after its family was dropped, or
/// using it with another database, is an error.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let db = ferrolith::Db::open(dir.path())?;
/// let planets = db.create_cf("planets")?;
/// planets.put("3", "Earth")?;
/// assert_eq!(planets.get("3")?.unwrap(), "Earth");
/// assert_eq!(db.get("3")?, None); // the default family is another key space
/// assert_eq!(db.cf("planets")?.iter().count(), 1);
/// # Ok::<(), ferrolith::Error>(())
/// ```
#[derive(Clone)]
pub struct ColumnFamily {
    /// Dropped first: the last handle of a dropped family deletes its files, for which the database must be open.
    handle: db::ColumnFamily,
    db: Db,
}

impl ColumnFamily {
    pub(crate) fn new(db: &Db, handle: db::ColumnFamily) -> ColumnFamily {
        ColumnFamily { db: db.clone(), handle }
    }

    /// Returns the engine's handle, even if the family was dropped.
    pub(crate) fn inner(&self) -> &db::ColumnFamily {
        &self.handle
    }

    /// Returns the engine's handle, if the family still exists.
    #[inline]
    pub(crate) fn alive(&self) -> Result<&db::ColumnFamily> {
        if self.handle.is_dropped() {
            return Err(dropped(self.name()));
        }
        Ok(&self.handle)
    }

    /// Returns the engine's handle, if it belongs to this opening of a database and the family still exists.
    #[inline]
    pub(crate) fn checked(&self, db: &Db) -> Result<&db::ColumnFamily> {
        if !self.db.inner().is_same_opening(db.inner()) {
            return Err(foreign(&format!("column family handle {:?}", self.name())));
        }
        self.alive()
    }

    /// Returns the name of the family.
    pub fn name(&self) -> &str {
        self.handle.name()
    }

    /// Returns the number of the family, which is used in files and in [`Record`](crate::Record).
    pub fn id(&self) -> u32 {
        self.handle.id()
    }

    /// Returns the database to which the family belongs.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Sets a key.
    ///
    /// # Errors
    /// Fails if the family was dropped, if the database is closed, read-only or stopped by an earlier error, or if the
    /// log cannot be written.
    #[inline]
    pub fn put(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<()> {
        self.db.inner().put_cf(&WRITE, self.alive()?, key.as_ref(), value.as_ref())
    }

    /// Like [`ColumnFamily::put`], with options.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::put`].
    #[inline]
    pub fn put_opt(
        &self,
        key: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
        options: &WriteOptions,
    ) -> Result<()> {
        self.db.inner().put_cf(&options.inner, self.alive()?, key.as_ref(), value.as_ref())
    }

    /// Deletes a key. Deleting a key that does not exist is no error.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::put`].
    #[inline]
    pub fn delete(&self, key: impl AsRef<[u8]>) -> Result<()> {
        self.db.inner().delete_cf(&WRITE, self.alive()?, key.as_ref())
    }

    /// Like [`ColumnFamily::delete`], with options.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::put`].
    #[inline]
    pub fn delete_opt(&self, key: impl AsRef<[u8]>, options: &WriteOptions) -> Result<()> {
        self.db.inner().delete_cf(&options.inner, self.alive()?, key.as_ref())
    }

    /// Deletes a key that was put exactly once since it was last deleted; see [`Db::single_delete`].
    ///
    /// # Errors
    /// Same as [`ColumnFamily::put`].
    pub fn single_delete(&self, key: impl AsRef<[u8]>) -> Result<()> {
        self.single_delete_opt(key, &WriteOptions::default())
    }

    /// Like [`ColumnFamily::single_delete`], with options.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::put`].
    pub fn single_delete_opt(&self, key: impl AsRef<[u8]>, options: &WriteOptions) -> Result<()> {
        self.db.inner().single_delete_cf(&options.inner, self.alive()?, key.as_ref())
    }

    /// Adds a merge operand to a key.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::put`]; also if the family has no merge operator.
    #[inline]
    pub fn merge(&self, key: impl AsRef<[u8]>, operand: impl AsRef<[u8]>) -> Result<()> {
        self.db.inner().merge_cf(&WRITE, self.alive()?, key.as_ref(), operand.as_ref())
    }

    /// Like [`ColumnFamily::merge`], with options.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::merge`].
    pub fn merge_opt(
        &self,
        key: impl AsRef<[u8]>,
        operand: impl AsRef<[u8]>,
        options: &WriteOptions,
    ) -> Result<()> {
        self.db.inner().merge_cf(&options.inner, self.alive()?, key.as_ref(), operand.as_ref())
    }

    /// Deletes all keys from `begin` up to but excluding `end`; see [`Db::delete_range`].
    ///
    /// # Errors
    /// Same as [`ColumnFamily::put`]; also if `end` sorts before `begin`.
    pub fn delete_range(&self, begin: impl AsRef<[u8]>, end: impl AsRef<[u8]>) -> Result<()> {
        self.delete_range_opt(begin, end, &WriteOptions::default())
    }

    /// Like [`ColumnFamily::delete_range`], with options.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::delete_range`].
    pub fn delete_range_opt(
        &self,
        begin: impl AsRef<[u8]>,
        end: impl AsRef<[u8]>,
        options: &WriteOptions,
    ) -> Result<()> {
        let handle = self.alive()?;
        self.db.inner().delete_range_cf(&options.inner, handle, begin.as_ref(), end.as_ref())
    }

    /// Returns the value of a key, or `None` if it has none.
    ///
    /// # Errors
    /// Fails if the family was dropped, if the database is closed, or if a file cannot be read or is damaged.
    #[inline]
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        let found = self.db.inner().get_pinned_cf(&READ, self.alive()?, key.as_ref())?;
        Ok(found.map(Value::pinned))
    }

    /// Like [`ColumnFamily::get`], with options.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::get`]; also for a snapshot of another database.
    #[inline]
    pub fn get_opt(&self, key: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Option<Value>> {
        let db = self.db.inner();
        let found = db.get_pinned_cf(options.checked(db)?, self.alive()?, key.as_ref())?;
        Ok(found.map(Value::pinned))
    }

    /// Calls `read` with the value of a key in place, without copying it; see [`Db::get_with`].
    ///
    /// # Errors
    /// Same as [`ColumnFamily::get`].
    #[inline]
    pub fn get_with<R>(
        &self,
        key: impl AsRef<[u8]>,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>> {
        self.db.inner().get_with(&READ, Some(self.alive()?), key.as_ref(), read)
    }

    /// Returns whether the key has a value.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::get`].
    #[inline]
    pub fn contains_key(&self, key: impl AsRef<[u8]>) -> Result<bool> {
        Ok(self.get_with(key, |_| ())?.is_some())
    }

    /// Returns the values of many keys in their order, all from one state of the database.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::get`], for each key.
    pub fn multi_get<K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = K>,
    ) -> Vec<Result<Option<Value>>> {
        self.multi_get_opt(keys, &ReadOptions::default())
    }

    /// Like [`ColumnFamily::multi_get`], with options.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::get_opt`], for each key.
    pub fn multi_get_opt<K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        options: &ReadOptions,
    ) -> Vec<Result<Option<Value>>> {
        let keys: Vec<K> = keys.into_iter().collect();
        let db = self.db.inner();
        match options.checked(db).and_then(|options| Ok((options, self.alive()?))) {
            Ok((options, handle)) => super::db::values(db.multi_get_cf(options, handle, &keys)),
            Err(e) => keys.iter().map(|_| Err(e.clone())).collect(),
        }
    }

    /// Calls `read` with the position and the value of each of these keys that has a value, in any order, all from one
    /// state of the database. Small values are passed in place, so this allocates nothing for them. `read` must be
    /// quick and must not use the database.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// let planets = db.create_cf("planets")?;
    /// planets.put("3", "Earth")?;
    /// let mut lengths = [0; 2];
    /// planets.multi_get_with(&["3", "9"], |at, value| lengths[at] = value.len())?;
    /// assert_eq!(lengths, [5, 0]);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`ColumnFamily::get`], of any of the keys. `read` may have been called for others.
    pub fn multi_get_with<K: AsRef<[u8]>>(
        &self,
        keys: &[K],
        mut read: impl FnMut(usize, &[u8]),
    ) -> Result<()> {
        self.db.inner().multi_get_with(&READ, self.alive()?, keys, &mut read)
    }

    /// Returns the first key and its value, or `None` if the family is empty.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::get`].
    pub fn first(&self) -> Result<Option<(Key, Value)>> {
        self.iter().next().transpose()
    }

    /// Returns the last key and its value, or `None` if the family is empty.
    ///
    /// # Errors
    /// Same as [`ColumnFamily::get`].
    pub fn last(&self) -> Result<Option<(Key, Value)>> {
        self.iter().next_back().transpose()
    }

    /// Iterates over all keys and values, from either end; see [`Iter`].
    pub fn iter(&self) -> Iter {
        Iter::new(&self.db, Some(self), Ok(&READ), Bounds::all())
    }

    /// Like [`ColumnFamily::iter`], with options.
    pub fn iter_opt(&self, options: &ReadOptions) -> Iter {
        Iter::new(&self.db, Some(self), options.checked(self.db.inner()), Bounds::all())
    }

    /// Iterates over the keys in a range, from either end; see [`Db::range`].
    pub fn range(&self, range: impl KeyRange) -> Iter {
        Iter::new(&self.db, Some(self), Ok(&READ), Bounds::range(range))
    }

    /// Like [`ColumnFamily::range`], with options.
    pub fn range_opt(&self, range: impl KeyRange, options: &ReadOptions) -> Iter {
        Iter::new(&self.db, Some(self), options.checked(self.db.inner()), Bounds::range(range))
    }

    /// Iterates over the keys that start with a prefix, from either end; see [`Db::prefix`].
    pub fn prefix(&self, prefix: impl AsRef<[u8]>) -> Iter {
        Iter::new(&self.db, Some(self), Ok(&READ), Bounds::prefix(prefix.as_ref()))
    }

    /// Like [`ColumnFamily::prefix`], with options.
    pub fn prefix_opt(&self, prefix: impl AsRef<[u8]>, options: &ReadOptions) -> Iter {
        let bounds = Bounds::prefix(prefix.as_ref());
        Iter::new(&self.db, Some(self), options.checked(self.db.inner()), bounds)
    }

    /// Creates a cursor; see [`Cursor`].
    pub fn cursor(&self) -> Cursor {
        Cursor::new(&self.db, Some(self), Ok(&READ))
    }

    /// Like [`ColumnFamily::cursor`], with options.
    pub fn cursor_opt(&self, options: &ReadOptions) -> Cursor {
        Cursor::new(&self.db, Some(self), options.checked(self.db.inner()))
    }
}

impl fmt::Debug for ColumnFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ColumnFamily")
            .field("name", &self.name())
            .field("id", &self.id())
            .finish_non_exhaustive()
    }
}

/// Iterates over the whole family: `for item in &cf`.
impl IntoIterator for &ColumnFamily {
    type Item = Result<(Key, Value)>;
    type IntoIter = Iter;

    fn into_iter(self) -> Iter {
        self.iter()
    }
}
