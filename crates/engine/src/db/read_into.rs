//! Point lookups into memory that the caller uses again: they allocate nothing on their way.

use super::handles::{ColumnFamily, Db};
use super::state::DbInner;
use crate::base::ValueBuffer;
use crate::error::Result;
use crate::iter::Outcome;
use crate::options::ReadOptions;
use crate::session::ColumnFamilyData;

impl Db {
    /// Puts the value of a key of the default column family into `out`, in place of what was there.
    /// Returns whether there is one; `out` is empty where there is none.
    #[inline]
    pub fn get_into(&self, ro: &ReadOptions, key: &[u8], out: &mut Vec<u8>) -> Result<bool> {
        let inner = self.inner();
        into_vec(inner, &inner.default_family, ro, key, out)
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
        into_vec(self.inner(), &cf.data, ro, key, out)
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
        into_buffer(inner, &inner.default_family, ro, key, out)
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
        into_buffer(self.inner(), &cf.data, ro, key, out)
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
        let (mut receive, mut result) = (Some(receive), None);
        let mut once = |value: &[u8]| result = receive.take().map(|receive| receive(value));
        match inner.get_to(family, ro, key, &mut once)? {
            Outcome::Missing => return Ok(None),
            Outcome::Received => {}
            Outcome::Kept(value) => once(&value),
        }
        Ok(result)
    }
}

#[inline]
fn into_vec(
    inner: &DbInner,
    family: &ColumnFamilyData,
    ro: &ReadOptions,
    key: &[u8],
    out: &mut Vec<u8>,
) -> Result<bool> {
    out.clear();
    match inner.get_to(family, ro, key, &mut |value| out.extend_from_slice(value))? {
        Outcome::Missing => return Ok(false),
        Outcome::Received => {}
        Outcome::Kept(value) => out.extend_from_slice(&value),
    }
    Ok(true)
}

#[inline]
fn into_buffer(
    inner: &DbInner,
    family: &ColumnFamilyData,
    ro: &ReadOptions,
    key: &[u8],
    out: &mut ValueBuffer,
) -> Result<bool> {
    match inner.get_to(family, ro, key, &mut |value| out.copy(value)) {
        Ok(Outcome::Received) => return Ok(true),
        Ok(Outcome::Kept(value)) => {
            out.pin(value);
            return Ok(true);
        }
        Ok(Outcome::Missing) => out.clear(),
        Err(e) => {
            out.clear();
            return Err(e);
        }
    }
    Ok(false)
}
