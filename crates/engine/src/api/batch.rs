//! Write batches: writes that take effect together.

use super::error::foreign;
use super::{ColumnFamily, Db};
use crate::batch::{self, BatchHandler, iterate};
use crate::error::{Error, Result};
use crate::options;
use std::fmt;
use std::ops::Range;

/// Writes that take effect together, in order, over any number of column families.
///
/// Adding a write never fails by itself. An invalid write (a handle of another database or of a dropped family, or a
/// key of 4 GiB) makes [`Db::write`] of the batch fail, and none of the batch is written. [`WriteBatch::error`] returns
/// the error earlier. Methods return the batch, so that they can be chained.
///
/// ```
/// use ferrolith::{Db, WriteBatch};
/// # let dir = tempfile::tempdir().unwrap();
/// # let db = Db::open(dir.path())?;
/// let planets = db.create_cf("planets")?;
/// let mut batch = WriteBatch::new();
/// batch.put("count", "1").delete("old");
/// batch.put_cf(&planets, "4", "Mars");
/// db.write(batch)?;
/// assert_eq!(planets.get("4")?.unwrap(), "Mars");
/// # Ok::<(), ferrolith::Error>(())
/// ```
///
/// A handle of another database is an error, and so is a handle of a dropped family:
///
/// ```
/// use ferrolith::{Db, ErrorKind, WriteBatch};
/// # let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
/// let (one, other) = (Db::open(a.path())?, Db::open(b.path())?);
/// let foreign = other.create_cf("planets")?;
/// let mut batch = WriteBatch::new();
/// batch.put_cf(&foreign, "4", "Mars");
/// assert_eq!(one.write(&batch).unwrap_err().kind(), ErrorKind::InvalidArgument);
/// # Ok::<(), ferrolith::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct WriteBatch {
    inner: batch::WriteBatch,
    /// The serial number of the opening to which the batch's handles belong; 0 if it has none.
    owner: u64,
    /// The first error.
    error: Option<Error>,
}

impl WriteBatch {
    /// Creates an empty batch.
    pub fn new() -> WriteBatch {
        WriteBatch::default()
    }

    /// Creates an empty batch with room for this many bytes of keys and values.
    pub fn with_capacity(bytes: usize) -> WriteBatch {
        WriteBatch { inner: batch::WriteBatch::with_capacity(bytes), owner: 0, error: None }
    }

    /// Decodes a batch from bytes that [`WriteBatch::data`] or RocksDB's `WriteBatch::Data` returned. Its column family
    /// numbers refer to the database to which it is written.
    ///
    /// # Errors
    /// Fails with `Corruption` if the bytes are not a batch.
    ///
    /// ```
    /// use ferrolith::WriteBatch;
    /// let mut batch = WriteBatch::new();
    /// batch.put("key", "value");
    /// let copy = WriteBatch::from_data(batch.data())?;
    /// assert_eq!(copy.len(), 1);
    /// assert!(WriteBatch::from_data(b"no batch").is_err());
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    pub fn from_data(data: impl Into<Vec<u8>>) -> Result<WriteBatch> {
        let inner = batch::WriteBatch::from_data(data.into())?;
        Ok(WriteBatch { inner, owner: 0, error: None })
    }

    /// Keeps the error of adding a record, if there is one.
    #[inline]
    fn note(&mut self, result: Result<()>) -> &mut WriteBatch {
        if let Err(e) = result {
            self.error.get_or_insert(e);
        }
        self
    }

    /// Adds a record for a family, if its handle belongs to the same database as those already in the batch.
    #[inline]
    fn add_to(
        &mut self,
        cf: &ColumnFamily,
        add: impl FnOnce(&mut batch::WriteBatch, u32) -> Result<()>,
    ) -> &mut WriteBatch {
        let result = match self.family(cf) {
            Ok(id) => add(&mut self.inner, id),
            Err(e) => Err(e),
        };
        self.note(result)
    }

    #[inline]
    fn family(&mut self, cf: &ColumnFamily) -> Result<u32> {
        let serial = cf.db().inner().serial();
        if self.owner != serial {
            if self.owner != 0 {
                return Err(foreign(&format!("column family handle {:?}", cf.name())));
            }
            self.owner = serial;
        }
        Ok(cf.alive()?.id())
    }

    /// Sets a key in the default column family.
    #[inline]
    pub fn put(&mut self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> &mut WriteBatch {
        let result = self.inner.put(key.as_ref(), value.as_ref());
        self.note(result)
    }

    /// Sets a key.
    #[inline]
    pub fn put_cf(
        &mut self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
    ) -> &mut WriteBatch {
        self.add_to(cf, |batch, id| batch.put_cf(id, key.as_ref(), value.as_ref()))
    }

    /// Deletes a key of the default column family.
    #[inline]
    pub fn delete(&mut self, key: impl AsRef<[u8]>) -> &mut WriteBatch {
        let result = self.inner.delete(key.as_ref());
        self.note(result)
    }

    /// Deletes a key.
    #[inline]
    pub fn delete_cf(&mut self, cf: &ColumnFamily, key: impl AsRef<[u8]>) -> &mut WriteBatch {
        self.add_to(cf, |batch, id| batch.delete_cf(id, key.as_ref()))
    }

    /// Deletes a key of the default column family that was put exactly once since it was last deleted.
    pub fn single_delete(&mut self, key: impl AsRef<[u8]>) -> &mut WriteBatch {
        let result = self.inner.single_delete(key.as_ref());
        self.note(result)
    }

    /// Deletes a key that was put exactly once since it was last deleted.
    pub fn single_delete_cf(
        &mut self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
    ) -> &mut WriteBatch {
        self.add_to(cf, |batch, id| batch.single_delete_cf(id, key.as_ref()))
    }

    /// Adds a merge operand to a key of the default column family.
    #[inline]
    pub fn merge(&mut self, key: impl AsRef<[u8]>, operand: impl AsRef<[u8]>) -> &mut WriteBatch {
        let result = self.inner.merge(key.as_ref(), operand.as_ref());
        self.note(result)
    }

    /// Adds a merge operand to a key.
    #[inline]
    pub fn merge_cf(
        &mut self,
        cf: &ColumnFamily,
        key: impl AsRef<[u8]>,
        operand: impl AsRef<[u8]>,
    ) -> &mut WriteBatch {
        self.add_to(cf, |batch, id| batch.merge_cf(id, key.as_ref(), operand.as_ref()))
    }

    /// Deletes all keys of the default column family from `begin` up to but excluding `end`.
    pub fn delete_range(
        &mut self,
        begin: impl AsRef<[u8]>,
        end: impl AsRef<[u8]>,
    ) -> &mut WriteBatch {
        let result = self.inner.delete_range(begin.as_ref(), end.as_ref());
        self.note(result)
    }

    /// Deletes all keys from `begin` up to but excluding `end`.
    pub fn delete_range_cf(
        &mut self,
        cf: &ColumnFamily,
        begin: impl AsRef<[u8]>,
        end: impl AsRef<[u8]>,
    ) -> &mut WriteBatch {
        self.add_to(cf, |batch, id| batch.delete_range_cf(id, begin.as_ref(), end.as_ref()))
    }

    /// Adds bytes that are written to the log only; readers of the log receive them.
    pub fn put_log_data(&mut self, bytes: impl AsRef<[u8]>) -> &mut WriteBatch {
        let result = self.inner.put_log_data(bytes.as_ref());
        self.note(result)
    }

    /// Appends all records of another batch. Its families must belong to the same database.
    pub fn append(&mut self, other: &WriteBatch) -> &mut WriteBatch {
        let result = match (self.owner, other.owner, &other.error) {
            (_, _, Some(e)) => Err(e.clone()),
            (own, theirs, None) if own != 0 && theirs != 0 && own != theirs => {
                Err(foreign("a column family in the appended batch"))
            }
            (own, theirs, None) => {
                self.owner = own.max(theirs);
                self.inner.append(&other.inner)
            }
        };
        self.note(result)
    }

    /// Removes all records, save points and the error. Keeps the memory.
    pub fn clear(&mut self) {
        self.inner.clear();
        self.owner = 0;
        self.error = None;
    }

    /// Returns the number of writes in the batch.
    pub fn len(&self) -> usize {
        self.inner.count() as usize
    }

    /// Returns whether the batch has no records.
    pub fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    /// Returns the size in bytes of [`WriteBatch::data`].
    pub fn size_in_bytes(&self) -> usize {
        self.inner.data_size()
    }

    /// Returns the batch in RocksDB's encoding, as it is written to the log.
    pub fn data(&self) -> &[u8] {
        self.inner.data()
    }

    /// Returns the error that makes writing this batch fail, if a method found one.
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// Sets a save point for [`WriteBatch::rollback_to_save_point`]. Save points nest.
    ///
    /// ```
    /// use ferrolith::WriteBatch;
    /// let mut batch = WriteBatch::new();
    /// batch.put("kept", "1");
    /// batch.set_save_point();
    /// batch.put("dropped", "2");
    /// batch.rollback_to_save_point()?;
    /// assert_eq!(batch.len(), 1);
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    pub fn set_save_point(&mut self) -> &mut WriteBatch {
        self.inner.set_save_point();
        self
    }

    /// Removes the records added since the last save point, and the save point.
    ///
    /// # Errors
    /// Fails with `NotFound` if there is no save point.
    pub fn rollback_to_save_point(&mut self) -> Result<()> {
        self.inner.rollback_to_save_point()
    }

    /// Removes the last save point and keeps the records added since.
    ///
    /// # Errors
    /// Fails with `NotFound` if there is no save point.
    pub fn pop_save_point(&mut self) -> Result<()> {
        self.inner.pop_save_point()
    }

    /// Returns the records in order.
    ///
    /// ```
    /// use ferrolith::{Record, WriteBatch};
    /// let mut batch = WriteBatch::new();
    /// batch.put("a", "1").delete("b");
    /// let puts = batch.iter().filter(|record| matches!(record, Record::Put { .. }));
    /// assert_eq!(puts.count(), 1);
    /// ```
    pub fn iter(&self) -> Records<'_> {
        let data = self.inner.data();
        let mut collector = Collector { data, records: Vec::new() };
        // The bytes of a batch are always well formed. Records of unsupported features are omitted.
        let _ = iterate(data, &mut collector);
        Records(collector.records.into_iter())
    }

    /// Returns the engine's batch, if all of it may be written to this database.
    pub(crate) fn checked(&mut self, db: &Db) -> Result<&mut batch::WriteBatch> {
        if let Some(e) = &self.error {
            return Err(e.clone());
        }
        if self.owner != 0 && self.owner != db.inner().serial() {
            return Err(foreign("a column family in the batch"));
        }
        Ok(&mut self.inner)
    }
}

impl fmt::Debug for WriteBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteBatch")
            .field("len", &self.len())
            .field("size_in_bytes", &self.size_in_bytes())
            .field("error", &self.error)
            .finish()
    }
}

impl<'a> IntoIterator for &'a WriteBatch {
    type Item = Record<'a>;
    type IntoIter = Records<'a>;

    fn into_iter(self) -> Records<'a> {
        self.iter()
    }
}

/// A record of a batch. `cf` is the number of a column family ([`ColumnFamily::id`]), 0 for the default one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are named as in the methods of WriteBatch")]
pub enum Record<'a> {
    /// Sets a key to a value.
    Put { cf: u32, key: &'a [u8], value: &'a [u8] },
    /// Deletes a key.
    Delete { cf: u32, key: &'a [u8] },
    /// Deletes a key that was put once.
    SingleDelete { cf: u32, key: &'a [u8] },
    /// Adds a merge operand to a key.
    Merge { cf: u32, key: &'a [u8], operand: &'a [u8] },
    /// Deletes the keys from `begin` up to but excluding `end`.
    DeleteRange { cf: u32, begin: &'a [u8], end: &'a [u8] },
    /// Bytes that are written to the log only.
    LogData(&'a [u8]),
}

/// The records of a [`WriteBatch`], from [`WriteBatch::iter`].
#[derive(Clone, Debug)]
pub struct Records<'a>(std::vec::IntoIter<Record<'a>>);

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for Records<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back()
    }
}

impl ExactSizeIterator for Records<'_> {}

struct Collector<'a> {
    data: &'a [u8],
    records: Vec<Record<'a>>,
}

impl<'a> Collector<'a> {
    /// Returns `part` as a slice of the batch's bytes.
    fn own(&self, part: &[u8]) -> &'a [u8] {
        let start = (part.as_ptr() as usize).wrapping_sub(self.data.as_ptr() as usize);
        let range = Range { start, end: start.wrapping_add(part.len()) };
        self.data.get(range).unwrap_or_default()
    }

    fn push(&mut self, record: Record<'a>) -> Result<()> {
        self.records.push(record);
        Ok(())
    }
}

impl BatchHandler for Collector<'_> {
    fn put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        self.push(Record::Put { cf, key: self.own(key), value: self.own(value) })
    }
    fn delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.push(Record::Delete { cf, key: self.own(key) })
    }
    fn single_delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.push(Record::SingleDelete { cf, key: self.own(key) })
    }
    fn merge(&mut self, cf: u32, key: &[u8], operand: &[u8]) -> Result<()> {
        self.push(Record::Merge { cf, key: self.own(key), operand: self.own(operand) })
    }
    fn delete_range(&mut self, cf: u32, begin: &[u8], end: &[u8]) -> Result<()> {
        self.push(Record::DeleteRange { cf, begin: self.own(begin), end: self.own(end) })
    }
    fn log_data(&mut self, bytes: &[u8]) -> Result<()> {
        self.push(Record::LogData(self.own(bytes)))
    }
    fn put_blob_index(&mut self, _: u32, _: &[u8], _: &[u8]) -> Result<()> {
        Ok(())
    }
    fn put_entity(&mut self, _: u32, _: &[u8], _: &[u8]) -> Result<()> {
        Ok(())
    }
    fn timed_put(&mut self, _: u32, _: &[u8], _: &[u8]) -> Result<()> {
        Ok(())
    }
    fn mark_begin_prepare(&mut self, _: u8) -> Result<()> {
        Ok(())
    }
    fn mark_end_prepare(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }
    fn mark_commit(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }
    fn mark_commit_with_timestamp(&mut self, _: &[u8], _: &[u8]) -> Result<()> {
        Ok(())
    }
    fn mark_rollback(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::WriteBatch {}
    impl Sealed for &super::WriteBatch {}
    impl Sealed for &mut super::WriteBatch {}
}

/// The argument of [`Db::write`]: a [`WriteBatch`], `&mut WriteBatch`, or `&WriteBatch`, which is copied.
pub trait ToBatch: sealed::Sealed {
    #[doc(hidden)]
    fn write_to(self, db: &Db, options: &options::WriteOptions) -> Result<()>;
}

impl ToBatch for WriteBatch {
    fn write_to(mut self, db: &Db, options: &options::WriteOptions) -> Result<()> {
        (&mut self).write_to(db, options)
    }
}

impl ToBatch for &WriteBatch {
    fn write_to(self, db: &Db, options: &options::WriteOptions) -> Result<()> {
        self.clone().write_to(db, options)
    }
}

impl ToBatch for &mut WriteBatch {
    fn write_to(self, db: &Db, options: &options::WriteOptions) -> Result<()> {
        let batch = self.checked(db)?;
        db.inner().write(options, batch)
    }
}
