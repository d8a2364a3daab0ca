//! The cursor: a position among keys that is moved explicitly.

use super::{ColumnFamily, Db};
use crate::error::Result;
use crate::options::ReadOptions;
use crate::utilities::AnyIterator;
use std::fmt;

/// A position among the keys of a column family, moved by seeks and steps.
///
/// An iterator ([`Db::iter`], [`Db::range`], [`Db::prefix`]) is simpler for nearly everything. A cursor lends keys and
/// values instead of copying them, and can seek again. It shows the database as it was when the cursor was created, is
/// invalid before its first seek, owns what it reads, and may be sent to another thread.
///
/// When the cursor is invalid, [`status`](Cursor::status) distinguishes the end of the keys from an error.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let db = ferrolith::Db::open(dir.path())?;
/// for (key, value) in [("a", "1"), ("b", "2"), ("c", "3")] {
///     db.put(key, value)?;
/// }
/// let mut cursor = db.cursor();
/// cursor.seek("b");
/// while let Some((key, value)) = cursor.item() {
///     println!("{key:?} = {value:?}");
///     cursor.next();
/// }
/// cursor.status()?;
/// # Ok::<(), ferrolith::Error>(())
/// ```
///
/// The engine's inner iterator cannot be reached through a cursor:
///
/// ```compile_fail,E0599
/// # let dir = tempfile::tempdir().unwrap();
/// # let db = ferrolith::Db::open(dir.path()).unwrap();
/// let mut cursor = db.cursor();
/// cursor.release();
/// ```
///
/// ```compile_fail,E0599
/// # let dir = tempfile::tempdir().unwrap();
/// # let db = ferrolith::Db::open(dir.path()).unwrap();
/// let mut cursor = db.cursor();
/// cursor.set_sequence(1);
/// ```
///
/// ```compile_fail,E0599
/// # let dir = tempfile::tempdir().unwrap();
/// # let db = ferrolith::Db::open(dir.path()).unwrap();
/// let cursor = db.cursor();
/// cursor.super_version();
/// ```
///
/// ```compile_fail,E0614
/// # let dir = tempfile::tempdir().unwrap();
/// # let db = ferrolith::Db::open(dir.path()).unwrap();
/// let cursor = db.cursor();
/// let inner = &*cursor;
/// ```
pub struct Cursor(Result<AnyIterator>);

impl Cursor {
    pub(crate) fn new(db: &Db, cf: Option<&ColumnFamily>, options: Result<&ReadOptions>) -> Cursor {
        Cursor(open(db, cf, options))
    }

    /// Returns whether the cursor is at a key.
    #[inline]
    pub fn valid(&self) -> bool {
        self.0.as_ref().is_ok_and(|iter| iter.valid())
    }

    /// Returns the current key, or `None` if the cursor is invalid.
    #[inline]
    pub fn key(&self) -> Option<&[u8]> {
        self.item().map(|(key, _)| key)
    }

    /// Returns the current value, or `None` if the cursor is invalid.
    #[inline]
    pub fn value(&self) -> Option<&[u8]> {
        self.item().map(|(_, value)| value)
    }

    /// Returns the current key and value, or `None` if the cursor is invalid.
    #[inline]
    pub fn item(&self) -> Option<(&[u8], &[u8])> {
        let iter = self.0.as_ref().ok()?;
        iter.valid().then(|| (iter.key(), iter.value()))
    }

    /// Returns the error that stopped the cursor, if any. It lasts until the next seek.
    ///
    /// # Errors
    /// Returns the error of the last seek or step, or of creating the cursor: a file that cannot be read or is damaged,
    /// a closed database, a dropped column family, a handle or snapshot of another database, or contradictory options.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// let mut cursor = db.cursor();
    /// cursor.seek_to_first();
    /// assert!(!cursor.valid());
    /// cursor.status()?; // the end, not an error
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    pub fn status(&self) -> Result<()> {
        match &self.0 {
            Ok(iter) => iter.status(),
            Err(e) => Err(e.clone()),
        }
    }

    /// Moves to the first key.
    pub fn seek_to_first(&mut self) {
        if let Ok(iter) = &mut self.0 {
            iter.seek_to_first();
        }
    }

    /// Moves to the last key.
    pub fn seek_to_last(&mut self) {
        if let Ok(iter) = &mut self.0 {
            iter.seek_to_last();
        }
    }

    /// Moves to the first key at or after `key`.
    pub fn seek(&mut self, key: impl AsRef<[u8]>) {
        if let Ok(iter) = &mut self.0 {
            iter.seek(key.as_ref());
        }
    }

    /// Moves to the last key at or before `key`.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let db = ferrolith::Db::open(dir.path())?;
    /// db.put("a", "1")?;
    /// db.put("c", "3")?;
    /// let mut cursor = db.cursor();
    /// cursor.seek_for_prev("b");
    /// assert_eq!(cursor.key(), Some(&b"a"[..]));
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    pub fn seek_for_prev(&mut self, key: impl AsRef<[u8]>) {
        if let Ok(iter) = &mut self.0 {
            iter.seek_for_prev(key.as_ref());
        }
    }

    /// Moves to the next key. Does nothing if the cursor is invalid.
    #[inline]
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) {
        if let Ok(iter) = &mut self.0 {
            iter.next();
        }
    }

    /// Moves to the previous key. Does nothing if the cursor is invalid.
    pub fn prev(&mut self) {
        if let Ok(iter) = &mut self.0 {
            iter.prev();
        }
    }

    /// Switches to the newest state. The cursor is invalid until its next seek.
    ///
    /// # Errors
    /// Fails if the database is closed.
    pub fn refresh(&mut self) -> Result<()> {
        match &mut self.0 {
            Ok(iter) => iter.refresh(),
            Err(e) => Err(e.clone()),
        }
    }
}

impl fmt::Debug for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key().map(|key| key.escape_ascii().to_string());
        f.debug_struct("Cursor").field("key", &key).field("status", &self.status()).finish()
    }
}

/// Opens the engine's iterator over a column family; without a handle, over the default one.
pub(crate) fn open(
    db: &Db,
    cf: Option<&ColumnFamily>,
    options: Result<&ReadOptions>,
) -> Result<AnyIterator> {
    match cf {
        None => db.inner().iter(options?),
        Some(cf) => db.inner().iter_cf(options?, cf.checked(db)?),
    }
}
