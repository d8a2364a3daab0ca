//! Point lookups into memory that the caller reuses. They allocate no memory.

use super::Host;
use super::get::receive;
use crate::base::ValueBuffer;
use crate::error::Result;
use crate::iter::Outcome;
use crate::options::ReadOptions;
use crate::session::ColumnFamilyData;

/// Replaces the content of `out` by the value of a key. Returns whether the key has a value; if not, `out` is empty.
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

/// Does the same as [`get_into_vec`], without copying a large value.
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

/// Calls `give` with the value of a key and returns its result, or `None` if the key has no value. A small value is
/// passed in place. `give` must be quick and must not use the database, because the lookup stays pinned until it
/// returns.
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
