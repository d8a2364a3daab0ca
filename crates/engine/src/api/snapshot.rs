//! Snapshots, which own what they read.

use super::iter::{Bounds, Iter};
use super::read_options::READ;
use super::{ColumnFamily, Cursor, Db, KeyRange, ReadOptions, Value};
use crate::base::SeqNo;
use crate::db;
use crate::error::Result;
use crate::options;
use std::fmt;
use std::sync::Arc;

/// A consistent, read-only view of the database at one point in time.
///
/// A snapshot owns what it needs: it keeps the database open and its data alive, and may be sent to another thread.
/// Clones share it. Its data may be freed when the last clone, and the last [`ReadOptions`] made from it, is dropped.
/// An old snapshot costs space, because compactions keep the versions that it shows.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let db = ferrolith::Db::open(dir.path())?;
/// db.put("key", "old")?;
/// let snapshot = db.snapshot();
/// db.put("key", "new")?;
/// assert_eq!(snapshot.get("key")?.unwrap(), "old");
/// assert_eq!(db.get("key")?.unwrap(), "new");
/// # Ok::<(), ferrolith::Error>(())
/// ```
///
/// In a column family with `inplace_update_support`, puts overwrite values in place, and snapshots show the
/// overwritten values.
#[derive(Clone)]
pub struct Snapshot(Arc<Taken>);

struct Taken {
    db: Db,
    snapshot: Arc<db::Snapshot>,
    /// Options that read at the snapshot.
    options: options::ReadOptions,
}

impl Snapshot {
    pub(crate) fn new(db: &Db) -> Snapshot {
        Snapshot::from_inner(db, Arc::new(db.inner().snapshot()))
    }

    /// Creates a snapshot of this database from one that others share.
    pub(crate) fn from_inner(db: &Db, snapshot: Arc<db::Snapshot>) -> Snapshot {
        let options = options::ReadOptions { snapshot: Some(snapshot.sequence()), ..READ.clone() };
        Snapshot(Arc::new(Taken { db: db.clone(), snapshot, options }))
    }

    /// Returns the sequence number of the newest write that the snapshot shows.
    pub fn sequence(&self) -> SeqNo {
        self.0.snapshot.sequence()
    }

    /// Returns the database of the snapshot.
    pub fn db(&self) -> &Db {
        &self.0.db
    }

    #[inline]
    pub(crate) fn is_of(&self, db: &db::Db) -> bool {
        self.0.db.inner().is_same_opening(db)
    }

    /// Returns options that read at this snapshot. They can be extended.
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions::new().snapshot(self)
    }

    /// Returns the value that the default column family had for a key.
    ///
    /// # Errors
    /// Fails if a file cannot be read or is damaged, or if the database is closed.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        let found = self.0.db.inner().get_pinned(&self.0.options, key.as_ref())?;
        Ok(found.map(Value::pinned))
    }

    /// Returns the value that a column family had for a key.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// let cf = db.create_cf("planets")?;
    /// cf.put("3", "Earth")?;
    /// let snapshot = db.snapshot();
    /// cf.delete("3")?;
    /// assert_eq!(snapshot.get_cf(&cf, "3")?.unwrap(), "Earth");
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Snapshot::get`]; also for a dropped column family or one of another database.
    pub fn get_cf(&self, cf: &ColumnFamily, key: impl AsRef<[u8]>) -> Result<Option<Value>> {
        let handle = cf.checked(&self.0.db)?;
        let found = self.0.db.inner().get_pinned_cf(&self.0.options, handle, key.as_ref())?;
        Ok(found.map(Value::pinned))
    }

    /// Returns the values that the default column family had for these keys, in their order.
    ///
    /// # Errors
    /// Same as [`Snapshot::get`], for each key.
    pub fn multi_get<K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = K>,
    ) -> Vec<Result<Option<Value>>> {
        self.0.db.multi_get_opt(keys, &self.read_options())
    }

    /// Returns the values that keys of any column families had, in their order.
    ///
    /// # Errors
    /// Same as [`Snapshot::get_cf`], for each key.
    pub fn multi_get_cf<'a, K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = (&'a ColumnFamily, K)>,
    ) -> Vec<Result<Option<Value>>> {
        self.0.db.multi_get_cf_opt(keys, &self.read_options())
    }

    /// Iterates over the default column family.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("a", "1")?;
    /// let snapshot = db.snapshot();
    /// db.put("b", "2")?;
    /// assert_eq!(snapshot.iter().count(), 1);
    /// assert_eq!(db.iter().count(), 2);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    pub fn iter(&self) -> Iter {
        self.iter_within(None, Bounds::all())
    }

    /// Iterates over a column family.
    pub fn iter_cf(&self, cf: &ColumnFamily) -> Iter {
        self.iter_within(Some(cf), Bounds::all())
    }

    /// Iterates over the keys of the default column family in a range.
    pub fn range(&self, range: impl KeyRange) -> Iter {
        self.iter_within(None, Bounds::range(range))
    }

    /// Iterates over the keys of a column family in a range.
    pub fn range_cf(&self, cf: &ColumnFamily, range: impl KeyRange) -> Iter {
        self.iter_within(Some(cf), Bounds::range(range))
    }

    /// Iterates over the keys of the default column family that start with a prefix.
    pub fn prefix(&self, prefix: impl AsRef<[u8]>) -> Iter {
        self.iter_within(None, Bounds::prefix(prefix.as_ref()))
    }

    /// Iterates over the keys of a column family that start with a prefix.
    pub fn prefix_cf(&self, cf: &ColumnFamily, prefix: impl AsRef<[u8]>) -> Iter {
        self.iter_within(Some(cf), Bounds::prefix(prefix.as_ref()))
    }

    fn iter_within(&self, cf: Option<&ColumnFamily>, bounds: Bounds) -> Iter {
        Iter::new(&self.0.db, cf, Ok(&self.0.options), bounds)
    }

    /// Creates a cursor over the default column family; see [`Db::cursor`].
    pub fn cursor(&self) -> Cursor {
        Cursor::new(&self.0.db, None, Ok(&self.0.options))
    }

    /// Creates a cursor over a column family.
    pub fn cursor_cf(&self, cf: &ColumnFamily) -> Cursor {
        Cursor::new(&self.0.db, Some(cf), Ok(&self.0.options))
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("sequence", &self.sequence()).finish_non_exhaustive()
    }
}
