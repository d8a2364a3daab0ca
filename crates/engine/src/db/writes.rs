//! Writing one key or a batch.

use super::handles::{ColumnFamily, Db};
use crate::batch::WriteBatch;
use crate::commit::CommitTerms;
use crate::error::{Error, Result};
use crate::options::WriteOptions;
use std::cell::RefCell;

thread_local! {
    /// The batch for single writes. Its memory is reused.
    static SCRATCH: RefCell<WriteBatch> = RefCell::new(WriteBatch::new());
}

/// A scratch batch larger than this is not kept.
const SCRATCH_MAX: usize = 1 << 20;

impl Db {
    /// Sets a key in the default column family.
    pub fn put(&self, wo: &WriteOptions, key: &[u8], value: &[u8]) -> Result<()> {
        self.write_one(wo, |batch| batch.put(key, value))
    }

    /// Sets a key.
    pub fn put_cf(
        &self,
        wo: &WriteOptions,
        cf: &ColumnFamily,
        key: &[u8],
        value: &[u8],
    ) -> Result<()> {
        self.write_one(wo, |batch| batch.put_cf(cf.id(), key, value))
    }

    /// Deletes a key of the default column family.
    pub fn delete(&self, wo: &WriteOptions, key: &[u8]) -> Result<()> {
        self.write_one(wo, |batch| batch.delete(key))
    }

    /// Deletes a key.
    pub fn delete_cf(&self, wo: &WriteOptions, cf: &ColumnFamily, key: &[u8]) -> Result<()> {
        self.write_one(wo, |batch| batch.delete_cf(cf.id(), key))
    }

    /// Deletes a key that was put exactly once since its last deletion.
    pub fn single_delete(&self, wo: &WriteOptions, key: &[u8]) -> Result<()> {
        self.write_one(wo, |batch| batch.single_delete(key))
    }

    /// Does the same as [`Db::single_delete`] in a column family.
    pub fn single_delete_cf(&self, wo: &WriteOptions, cf: &ColumnFamily, key: &[u8]) -> Result<()> {
        self.write_one(wo, |batch| batch.single_delete_cf(cf.id(), key))
    }

    /// Deletes the keys in `[begin, end)` of the default column family with one record, whatever the number of keys. An
    /// `end` before `begin` is an error; if both are equal, nothing is deleted.
    pub fn delete_range(&self, wo: &WriteOptions, begin: &[u8], end: &[u8]) -> Result<()> {
        self.write_one(wo, |batch| batch.delete_range(begin, end))
    }

    /// Does the same as [`Db::delete_range`] in a column family.
    pub fn delete_range_cf(
        &self,
        wo: &WriteOptions,
        cf: &ColumnFamily,
        begin: &[u8],
        end: &[u8],
    ) -> Result<()> {
        self.write_one(wo, |batch| batch.delete_range_cf(cf.id(), begin, end))
    }

    /// Adds a merge operand to a key of the default column family.
    pub fn merge(&self, wo: &WriteOptions, key: &[u8], operand: &[u8]) -> Result<()> {
        self.merge_cf(wo, &self.default_cf(), key, operand)
    }

    /// Adds a merge operand to a key.
    pub fn merge_cf(
        &self,
        wo: &WriteOptions,
        cf: &ColumnFamily,
        key: &[u8],
        operand: &[u8],
    ) -> Result<()> {
        // A batch with an operand is refused with a different message, as in RocksDB.
        if cf.data.merge_operator.is_none() && !self.core().session.read_only {
            let rocksdb = "Not implemented: Provide a merge_operator when opening DB";
            return Err(Error::no_merge_operator(rocksdb).in_family(cf.name()));
        }
        self.write_one(wo, |batch| batch.merge_cf(cf.id(), key, operand))
    }

    fn write_one(
        &self,
        wo: &WriteOptions,
        fill: impl Fn(&mut WriteBatch) -> Result<()>,
    ) -> Result<()> {
        let kept = SCRATCH.try_with(|scratch| {
            let mut batch = scratch.try_borrow_mut().ok()?;
            batch.clear();
            let result = fill(&mut batch)
                .and_then(|()| self.write_with(wo, &mut batch, CommitTerms::default()));
            if batch.data().len() > SCRATCH_MAX {
                *batch = WriteBatch::new();
            }
            Some(result)
        });
        // A merge operator or comparator that writes on this thread finds the batch borrowed. The destructor of another
        // thread-local variable finds it destroyed.
        kept.ok().flatten().unwrap_or_else(|| {
            let mut batch = WriteBatch::new();
            fill(&mut batch)?;
            self.write_with(wo, &mut batch, CommitTerms::default())
        })
    }

    /// Commits a batch atomically, over any number of column families. The batch gets its sequence number and can be
    /// reused.
    pub fn write(&self, wo: &WriteOptions, batch: &mut WriteBatch) -> Result<()> {
        self.write_with(wo, batch, CommitTerms::default())
    }

    /// Commits a batch if `check` succeeds at the time of the commit: every earlier write is visible then, and no write
    /// can come in between.
    pub(crate) fn write_if(
        &self,
        wo: &WriteOptions,
        batch: &mut WriteBatch,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<()> {
        self.write_with(wo, batch, CommitTerms { check: Some(check), ends: None })
    }

    /// Writes buffered WAL records to the file; with `sync`, also syncs the file.
    pub fn flush_wal(&self, sync: bool) -> Result<()> {
        if sync { self.core().commit.sync_wal() } else { self.core().commit.flush_wal() }
    }

    /// Waits until every record written so far is on the device.
    pub fn sync_wal(&self) -> Result<()> {
        self.core().commit.sync_wal()
    }

    /// Commits a batch under these terms.
    #[inline]
    pub(super) fn write_with(
        &self,
        wo: &WriteOptions,
        batch: &mut WriteBatch,
        terms: CommitTerms<'_>,
    ) -> Result<()> {
        self.core().commit.write(wo, batch, terms)
    }
}
