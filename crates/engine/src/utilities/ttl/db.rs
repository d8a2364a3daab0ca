//! The database with a time to live: the operations that see values.

use super::filter::wrap_filter;
use super::mark::mark;
use super::merge::wrap_merge_operator;
use super::stamps::{STAMP_SIZE, cut, now, stamp, stamped};
use crate::base::{PinnedValue, ValueBuffer};
use crate::batch::{IndexedBatch, WriteBatch};
use crate::db::{ColumnFamily, Db};
use crate::error::{Error, Result};
use crate::open::ColumnFamilyDescriptor;
use crate::options::{ColumnFamilyOptions, DbOptions, ReadOptions, WriteOptions};
use crate::utilities::any_iterator::AnyIterator;
use crate::utilities::batch_get::get_over_batch;
use std::path::Path;

/// A database with a time to live. It has the methods that see values; [`TtlDb::plain`] has all others.
#[derive(Clone)]
pub struct TtlDb {
    db: Db,
}

/// Wraps the compaction filter and the merge operator of a column family, so that users' code sees no stamps.
fn wrap(options: &mut ColumnFamilyOptions, ttl: i32) {
    wrap_filter(options, ttl);
    wrap_merge_operator(options);
}

impl TtlDb {
    /// Opens a database with these column families and the time to live of each, in seconds. Compactions keep an entry
    /// for at least that long, and forever if the time is 0 or less.
    ///
    /// # Errors
    /// InvalidArgument if the numbers of times and of column families differ; otherwise as [`Db::open_cf`].
    pub fn open_cf(
        options: &DbOptions,
        path: impl AsRef<Path>,
        mut families: Vec<ColumnFamilyDescriptor>,
        ttls: &[i32],
        read_only: bool,
    ) -> Result<(TtlDb, Vec<ColumnFamily>)> {
        if families.len() != ttls.len() {
            let message = "ttls size has to be the same as number of column families";
            return Err(Error::invalid_argument(message));
        }
        for (family, &ttl) in families.iter_mut().zip(ttls) {
            wrap(&mut family.options, ttl);
        }
        let mut options = options.clone();
        mark(&mut options);
        let (db, handles) = match read_only {
            true => Db::open_cf_for_read_only(&options, path, families, false)?,
            false => Db::open_cf(&options, path, families)?,
        };
        Ok((TtlDb { db }, handles))
    }

    /// Makes a handle of a database that is open with a time to live from a plain handle of it.
    pub(crate) fn over(db: Db) -> TtlDb {
        TtlDb { db }
    }

    /// Returns the plain database, whose values end with stamps.
    #[inline]
    pub fn plain(&self) -> &Db {
        &self.db
    }

    /// Creates a column family that keeps entries forever.
    pub fn create_cf(&self, name: &str, options: &ColumnFamilyOptions) -> Result<ColumnFamily> {
        self.create_cf_with_ttl(name, options, 0)
    }

    /// Creates a column family with this time to live, in seconds.
    pub fn create_cf_with_ttl(
        &self,
        name: &str,
        options: &ColumnFamilyOptions,
        ttl: i32,
    ) -> Result<ColumnFamily> {
        let mut options = options.clone();
        wrap(&mut options, ttl);
        self.db.create_cf(name, &options)
    }
}

/// Writes.
impl TtlDb {
    /// Does the same as [`Db::put`].
    pub fn put(&self, wo: &WriteOptions, key: &[u8], value: &[u8]) -> Result<()> {
        self.db.put(wo, key, &stamp(value, now()))
    }

    /// Does the same as [`Db::put_cf`].
    pub fn put_cf(
        &self,
        wo: &WriteOptions,
        cf: &ColumnFamily,
        key: &[u8],
        value: &[u8],
    ) -> Result<()> {
        self.db.put_cf(wo, cf, key, &stamp(value, now()))
    }

    /// Does the same as [`Db::merge`].
    pub fn merge(&self, wo: &WriteOptions, key: &[u8], operand: &[u8]) -> Result<()> {
        self.db.merge(wo, key, &stamp(operand, now()))
    }

    /// Does the same as [`Db::merge_cf`].
    pub fn merge_cf(
        &self,
        wo: &WriteOptions,
        cf: &ColumnFamily,
        key: &[u8],
        operand: &[u8],
    ) -> Result<()> {
        self.db.merge_cf(wo, cf, key, &stamp(operand, now()))
    }

    /// Does the same as [`Db::write`]. Writes a stamped copy; the batch gets its sequence number.
    pub fn write(&self, wo: &WriteOptions, batch: &mut WriteBatch) -> Result<()> {
        let mut stamped = stamped(batch)?;
        let result = self.db.write(wo, &mut stamped);
        batch.set_sequence(stamped.sequence());
        result
    }
}

/// Reads. A missing or damaged stamp is an error, Corruption.
impl TtlDb {
    /// Does the same as [`Db::get_pinned`].
    pub fn get_pinned(&self, ro: &ReadOptions, key: &[u8]) -> Result<Option<PinnedValue>> {
        cut(self.db.get_pinned(ro, key)?)
    }

    /// Does the same as [`Db::get_pinned_cf`].
    pub fn get_pinned_cf(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
    ) -> Result<Option<PinnedValue>> {
        cut(self.db.get_pinned_cf(ro, cf, key)?)
    }

    /// Does the same as [`Db::get_into`].
    pub fn get_into(&self, ro: &ReadOptions, key: &[u8], out: &mut Vec<u8>) -> Result<bool> {
        fill_vec(self.get_pinned(ro, key), out)
    }

    /// Does the same as [`Db::get_into_cf`].
    pub fn get_into_cf(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<bool> {
        fill_vec(self.get_pinned_cf(ro, cf, key), out)
    }

    /// Does the same as [`Db::get_pinned_into`].
    pub fn get_pinned_into(
        &self,
        ro: &ReadOptions,
        key: &[u8],
        out: &mut ValueBuffer,
    ) -> Result<bool> {
        fill_buffer(self.get_pinned(ro, key), out)
    }

    /// Does the same as [`Db::get_pinned_into_cf`].
    pub fn get_pinned_into_cf(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
        out: &mut ValueBuffer,
    ) -> Result<bool> {
        fill_buffer(self.get_pinned_cf(ro, cf, key), out)
    }

    /// Does the same as [`Db::get_with`].
    pub fn get_with<R>(
        &self,
        ro: &ReadOptions,
        cf: Option<&ColumnFamily>,
        key: &[u8],
        receive: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>> {
        let value = match cf {
            None => self.get_pinned(ro, key)?,
            Some(cf) => self.get_pinned_cf(ro, cf, key)?,
        };
        Ok(value.map(|value| receive(&value)))
    }

    /// Does the same as [`Db::get_with_batch`]. Values in the batch have no stamps yet.
    pub fn get_with_batch(
        &self,
        batch: &IndexedBatch,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
    ) -> Result<Option<PinnedValue>> {
        get_over_batch(batch, cf, key, || self.get_pinned_cf(ro, cf, key))
    }

    /// Not supported: operands are stamped, and so is the value below them.
    pub fn merge_operands_cf(
        &self,
        _ro: &ReadOptions,
        _cf: &ColumnFamily,
        _key: &[u8],
    ) -> Result<Vec<Vec<u8>>> {
        Err(Error::not_supported("merge operands of a database with time to live"))
    }

    /// Does the same as [`Db::multi_get`].
    pub fn multi_get<K: AsRef<[u8]>>(
        &self,
        ro: &ReadOptions,
        keys: &[K],
    ) -> Vec<Result<Option<PinnedValue>>> {
        self.db.multi_get(ro, keys).into_iter().map(|value| cut(value?)).collect()
    }

    /// Does the same as [`Db::multi_get_cf`].
    pub fn multi_get_cf<K: AsRef<[u8]>>(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        keys: &[K],
    ) -> Vec<Result<Option<PinnedValue>>> {
        self.db.multi_get_cf(ro, cf, keys).into_iter().map(|value| cut(value?)).collect()
    }

    /// Does the same as [`Db::multi_get_with`].
    pub fn multi_get_with<K: AsRef<[u8]>>(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        keys: &[K],
        give: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<()> {
        for (at, value) in self.multi_get_cf(ro, cf, keys).into_iter().enumerate() {
            if let Some(value) = value? {
                give(at, &value);
            }
        }
        Ok(())
    }

    /// Does the same as [`Db::iter`]. The iterator cuts stamps off without checking them.
    pub fn iter(&self, ro: &ReadOptions) -> Result<AnyIterator> {
        Ok(AnyIterator::cutting(self.db.iter(ro)?, STAMP_SIZE))
    }

    /// Does the same as [`Db::iter_cf`]; see [`TtlDb::iter`].
    pub fn iter_cf(&self, ro: &ReadOptions, cf: &ColumnFamily) -> Result<AnyIterator> {
        Ok(AnyIterator::cutting(self.db.iter_cf(ro, cf)?, STAMP_SIZE))
    }
}

/// Copies the result of a lookup into `out`, which is empty if there is no value. Returns whether there is one.
fn fill_vec(found: Result<Option<PinnedValue>>, out: &mut Vec<u8>) -> Result<bool> {
    out.clear();
    let Some(value) = found? else { return Ok(false) };
    out.extend_from_slice(&value);
    Ok(true)
}

/// Does the same as [`fill_vec`], without copying the value.
fn fill_buffer(found: Result<Option<PinnedValue>>, out: &mut ValueBuffer) -> Result<bool> {
    out.clear();
    let Some(value) = found? else { return Ok(false) };
    out.pin(value);
    Ok(true)
}
