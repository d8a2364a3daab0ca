//! Reading: one key, many keys, iterators.

use super::handles::{ColumnFamily, Db};
use super::iterator::DbIterator;
use crate::base::{PinnedValue, SeqNo, ValueBuffer};
use crate::env::sharded::ShardRef;
use crate::error::{Error, Result};
use crate::lookup::{self, get_into_buffer, get_into_vec, get_with};
use crate::options::ReadOptions;
use crate::session::ColumnFamilyData;

impl Db {
    /// Returns the sequence number of the newest write to a key; 0 if there is none.
    pub(crate) fn newest_sequence(&self, cf: u32, key: &[u8]) -> Result<SeqNo> {
        let family = self.core().catalog.family_by_id(cf).ok_or_else(|| {
            Error::invalid_argument(format!("Could not access column family {cf}"))
        })?;
        lookup::newest_sequence(&family, key)
    }

    /// Returns the value of a key of the default column family.
    pub fn get(&self, ro: &ReadOptions, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.get_pinned(ro, key)?.map(PinnedValue::into_vec))
    }

    /// Returns the value of a key.
    pub fn get_cf(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
    ) -> Result<Option<Vec<u8>>> {
        Ok(self.get_pinned_cf(ro, cf, key)?.map(PinnedValue::into_vec))
    }

    /// Returns the value of a key of the default column family, without copying a large value.
    pub fn get_pinned(&self, ro: &ReadOptions, key: &[u8]) -> Result<Option<PinnedValue>> {
        let core = self.core();
        lookup::get(core, core.catalog.default_family(), ro, key)
    }

    /// Returns the value of a key, without copying a large value.
    pub fn get_pinned_cf(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
    ) -> Result<Option<PinnedValue>> {
        lookup::get(self.core(), &cf.data, ro, key)
    }

    /// Returns the merge operands of a key, oldest first, after the value below them if there is one. The result has
    /// one element for a key with a value and no operands, and none for a key without a value.
    pub fn merge_operands_cf(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
    ) -> Result<Vec<Vec<u8>>> {
        lookup::merge_operands(self.core(), &cf.data, ro, key)
    }

    /// Returns the values of many keys of the default column family at one point in time.
    pub fn multi_get<K: AsRef<[u8]>>(
        &self,
        ro: &ReadOptions,
        keys: &[K],
    ) -> Vec<Result<Option<PinnedValue>>> {
        let core = self.core();
        lookup::multi_get(core, core.catalog.default_family(), ro, keys)
    }

    /// Returns the values of many keys at one point in time.
    pub fn multi_get_cf<K: AsRef<[u8]>>(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        keys: &[K],
    ) -> Vec<Result<Option<PinnedValue>>> {
        lookup::multi_get(self.core(), &cf.data, ro, keys)
    }

    /// Calls `give` with the position and the value of each of these keys that has a value, in any order, all from one
    /// point in time. Small values are passed in place. `give` must be quick and must not use the database.
    pub fn multi_get_with<K: AsRef<[u8]>>(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        keys: &[K],
        give: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<()> {
        lookup::multi_get_with(self.core(), &cf.data, ro, keys, give)
    }

    /// Returns an iterator over the default column family. It is invalid before its first seek.
    pub fn iter(&self, ro: &ReadOptions) -> Result<DbIterator> {
        self.iter_of(ro, None)
    }

    /// Returns an iterator over a column family.
    pub fn iter_cf(&self, ro: &ReadOptions, cf: &ColumnFamily) -> Result<DbIterator> {
        self.iter_of(ro, Some(cf.hold()))
    }

    fn iter_of(
        &self,
        ro: &ReadOptions,
        family: Option<ShardRef<ColumnFamilyData>>,
    ) -> Result<DbIterator> {
        let data = family.as_deref().unwrap_or(self.core().catalog.default_family());
        let mut options = ro.clone();
        options.within_one_prefix |= lookup::may_ask_prefix_filters(data, ro);
        let iter = lookup::iterator(self.core(), data, &options)?;
        let shared = self.hold();
        if options.tailing {
            options.snapshot = None;
        }
        Ok(DbIterator { iter: Some(iter), family, options, shared, followed: None })
    }

    // ---- into memory that the caller reuses --------------------------------------------------

    /// Replaces the content of `out` by the value of a key of the default column family. Returns whether the key has a
    /// value; if not, `out` is empty.
    #[inline]
    pub fn get_into(&self, ro: &ReadOptions, key: &[u8], out: &mut Vec<u8>) -> Result<bool> {
        let core = self.core();
        get_into_vec(core, core.catalog.default_family(), ro, key, out)
    }

    /// Does the same as [`Db::get_into`] in a column family.
    #[inline]
    pub fn get_into_cf(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<bool> {
        get_into_vec(self.core(), &cf.data, ro, key, out)
    }

    /// Does the same as [`Db::get_into`], without copying a large value.
    #[inline]
    pub fn get_pinned_into(
        &self,
        ro: &ReadOptions,
        key: &[u8],
        out: &mut ValueBuffer,
    ) -> Result<bool> {
        let core = self.core();
        get_into_buffer(core, core.catalog.default_family(), ro, key, out)
    }

    /// Does the same as [`Db::get_pinned_into`] in a column family.
    #[inline]
    pub fn get_pinned_into_cf(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
        out: &mut ValueBuffer,
    ) -> Result<bool> {
        get_into_buffer(self.core(), &cf.data, ro, key, out)
    }

    /// Calls `receive` with the value of a key and returns its result, or `None` if the key has no value. A small value
    /// is passed in place, without a copy. `receive` must be quick and must not use the database, because the lookup
    /// stays pinned until it returns.
    #[inline]
    pub fn get_with<R>(
        &self,
        ro: &ReadOptions,
        cf: Option<&ColumnFamily>,
        key: &[u8],
        receive: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>> {
        let core = self.core();
        let family = cf.map_or(core.catalog.default_family(), |cf| &cf.data);
        get_with(core, family, ro, key, receive)
    }
}
