//! Point lookups into memory that the caller uses again: they allocate nothing on their way.

use super::Host;
use super::get::receive;
use crate::base::ValueBuffer;
use crate::error::Result;
use crate::iter::Outcome;
use crate::options::ReadOptions;
use crate::session::ColumnFamilyData;

/// Puts the value of a key into `out`, in place of what was there. Returns whether there is one; `out` is empty where
/// there is none.
#[inline]
pub(crate) fn get_into_vec(
    host: &impl Host,
    family: &ColumnFamilyData,
    ro: &ReadOptions,
    key: &[u8],
    out: &mut Vec<u8>,
) -> Result<bool> {
    out.clear();
    match receive(host, family, ro, key, &mut |value| out.extend_from_slice(value))? {
        Outcome::Missing => return Ok(false),
        Outcome::Received => {}
        Outcome::Kept(value) => out.extend_from_slice(&value),
    }
    Ok(true)
}

/// As [`get_into_vec`], without copying a large value.
#[inline]
pub(crate) fn get_into_buffer(
    host: &impl Host,
    family: &ColumnFamilyData,
    ro: &ReadOptions,
    key: &[u8],
    out: &mut ValueBuffer,
) -> Result<bool> {
    match receive(host, family, ro, key, &mut |value| out.copy(value)) {
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

/// Calls `give` with the value of a key, where it lies if it is small, and returns what that returns; `None` where
/// there is no value. `give` must be quick and must not use the database: what the lookup has pinned waits for it.
#[inline]
pub(crate) fn get_with<R>(
    host: &impl Host,
    family: &ColumnFamilyData,
    ro: &ReadOptions,
    key: &[u8],
    give: impl FnOnce(&[u8]) -> R,
) -> Result<Option<R>> {
    let (mut give, mut result) = (Some(give), None);
    let mut once = |value: &[u8]| result = give.take().map(|give| give(value));
    match receive(host, family, ro, key, &mut once)? {
        Outcome::Missing => return Ok(None),
        Outcome::Received => {}
        Outcome::Kept(value) => once(&value),
    }
    Ok(result)
}
