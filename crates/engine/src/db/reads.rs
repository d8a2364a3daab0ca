//! What the database gives to lookups, and lookups into memory that the caller uses again.

use super::handles::{ColumnFamily, Db};
use super::state::DbInner;
use super::ttl::VALUE_SUFFIX;
use crate::base::{SeqNo, ValueBuffer};
use crate::error::{Error, Result};
use crate::lookup::{self, Host, ValueSuffix, get_into_buffer, get_into_vec, get_with};
use crate::options::ReadOptions;
use crate::stats::Statistics;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Host for DbInner {
    #[inline]
    fn statistics(&self) -> Option<&Arc<Statistics>> {
        self.statistics.as_ref()
    }

    #[inline]
    fn visible(&self) -> SeqNo {
        self.order.visible()
    }

    #[inline]
    fn has_unlogged_data(&self) -> bool {
        self.unlogged_data.load(Ordering::Relaxed)
    }

    #[inline]
    fn value_suffix(&self) -> Option<ValueSuffix> {
        self.stamps_values().then_some(VALUE_SUFFIX)
    }
}

impl DbInner {
    /// The sequence number of the newest write to a key; see [`lookup::newest_sequence`].
    pub(crate) fn newest_sequence(&self, cf: u32, user_key: &[u8]) -> Result<SeqNo> {
        let family = self.family_by_id(cf).ok_or_else(|| {
            Error::invalid_argument(format!("Could not access column family {cf}"))
        })?;
        lookup::newest_sequence(&family, user_key)
    }
}

impl Db {
    /// Puts the value of a key of the default column family into `out`, in place of what was there.
    /// Returns whether there is one; `out` is empty where there is none.
    #[inline]
    pub fn get_into(&self, ro: &ReadOptions, key: &[u8], out: &mut Vec<u8>) -> Result<bool> {
        let inner = self.inner();
        get_into_vec(inner, &inner.default_family, ro, key, out)
    }

    /// [`Db::get_into`] in a column family.
    #[inline]
    pub fn get_into_cf(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<bool> {
        get_into_vec(self.inner(), &cf.data, ro, key, out)
    }

    /// As [`Db::get_into`], without copying a large value.
    #[inline]
    pub fn get_pinned_into(
        &self,
        ro: &ReadOptions,
        key: &[u8],
        out: &mut ValueBuffer,
    ) -> Result<bool> {
        let inner = self.inner();
        get_into_buffer(inner, &inner.default_family, ro, key, out)
    }

    /// [`Db::get_pinned_into`] in a column family.
    #[inline]
    pub fn get_pinned_into_cf(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
        out: &mut ValueBuffer,
    ) -> Result<bool> {
        get_into_buffer(self.inner(), &cf.data, ro, key, out)
    }

    /// Calls `receive` with the value of a key, where it lies if it is small, and returns what that
    /// returns; `None` where there is no value. `receive` must be quick and must not use the
    /// database: what the lookup has pinned waits for it.
    #[inline]
    pub fn get_with<R>(
        &self,
        ro: &ReadOptions,
        cf: Option<&ColumnFamily>,
        key: &[u8],
        receive: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>> {
        let inner = self.inner();
        let family = cf.map_or(&inner.default_family, |cf| &cf.data);
        get_with(inner, family, ro, key, receive)
    }
}
