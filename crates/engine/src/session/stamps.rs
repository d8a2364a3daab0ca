//! Values that end with the time of their write: 4 bytes, seconds since 1970, little-endian, as RocksDB's `DBWithTTL`
//! lays them out.

use crate::batch::{BatchHandler, WriteBatch, iterate};
use crate::error::{Error, Result};

/// Bytes of a time.
pub(crate) const STAMP_SIZE: usize = 4;
/// RocksDB had no such databases before: an older time is none.
const OLDEST_STAMP: u32 = 1_368_146_402;

pub(crate) fn now() -> u32 {
    u32::try_from(crate::flush::now_seconds()).unwrap_or(u32::MAX)
}

/// A value and its time.
pub(crate) fn split(stamped: &[u8]) -> Option<(&[u8], u32)> {
    let (value, time) = stamped.split_last_chunk::<STAMP_SIZE>()?;
    Some((value, u32::from_le_bytes(*time)))
}

/// A value with a time behind it.
pub(crate) fn stamp(value: &[u8], time: u32) -> Vec<u8> {
    [value, &time.to_le_bytes()].concat()
}

/// Refuses a value without a time, or with one that no write can have had.
pub(crate) fn check(stored: &[u8]) -> Result<()> {
    match split(stored) {
        None => Err(Error::corruption("Error: value's length less than timestamp's\n")),
        Some((_, time)) if time < OLDEST_STAMP => {
            Err(Error::corruption("Error: Timestamp < ttl feature release time!\n"))
        }
        Some(_) => Ok(()),
    }
}

/// The batch with a time behind every value and operand.
pub(crate) fn stamped(batch: &WriteBatch) -> Result<WriteBatch> {
    let mut stamper =
        Stamper { out: WriteBatch::with_capacity(batch.data_size() * 2), time: now() };
    iterate(batch.data(), &mut stamper)?;
    Ok(stamper.out)
}

struct Stamper {
    out: WriteBatch,
    time: u32,
}

impl BatchHandler for Stamper {
    fn put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        self.out.put_cf(cf, key, &stamp(value, self.time))
    }

    fn delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.out.delete_cf(cf, key)
    }

    fn single_delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.out.single_delete_cf(cf, key)
    }

    fn merge(&mut self, cf: u32, key: &[u8], operand: &[u8]) -> Result<()> {
        self.out.merge_cf(cf, key, &stamp(operand, self.time))
    }

    fn delete_range(&mut self, cf: u32, begin: &[u8], end: &[u8]) -> Result<()> {
        self.out.delete_range_cf(cf, begin, end)
    }

    fn log_data(&mut self, blob: &[u8]) -> Result<()> {
        self.out.put_log_data(blob)
    }
}
