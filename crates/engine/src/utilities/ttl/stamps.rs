//! Stamps: each value and each merge operand ends with the time of its write, 4 bytes, seconds since 1970,
//! little-endian.

use crate::base::PinnedValue;
use crate::batch::{BatchHandler, WriteBatch, iterate};
use crate::error::{Error, Result};

/// The size of a stamp, in bytes.
pub(super) const STAMP_SIZE: usize = 4;
/// The oldest valid time. RocksDB had no such databases before it.
const OLDEST_STAMP: u32 = 1_368_146_402;

/// Returns the current time in seconds since 1970.
pub(super) fn now() -> u32 {
    u32::try_from(crate::flush::now_seconds()).unwrap_or(u32::MAX)
}

/// Splits a stored value into the user's value and its time; `None` if it is too short.
pub(super) fn split(stamped: &[u8]) -> Option<(&[u8], u32)> {
    let (value, time) = stamped.split_last_chunk::<STAMP_SIZE>()?;
    Some((value, u32::from_le_bytes(*time)))
}

/// Returns a value with a stamp appended.
pub(super) fn stamp(value: &[u8], time: u32) -> Vec<u8> {
    [value, &time.to_le_bytes()].concat()
}

/// Checks the stamp of a value that was looked up and cuts it off.
pub(super) fn cut(value: Option<PinnedValue>) -> Result<Option<PinnedValue>> {
    let Some(mut value) = value else { return Ok(None) };
    check(&value)?;
    value.truncate(value.len().saturating_sub(STAMP_SIZE));
    Ok(Some(value))
}

/// Returns an error if a value has no stamp, or a time before [`OLDEST_STAMP`].
fn check(stored: &[u8]) -> Result<()> {
    match split(stored) {
        None => Err(Error::corruption("Error: value's length less than timestamp's\n")),
        Some((_, time)) if time < OLDEST_STAMP => {
            Err(Error::corruption("Error: Timestamp < ttl feature release time!\n"))
        }
        Some(_) => Ok(()),
    }
}

/// Returns a copy of the batch in which each value and each merge operand is stamped with the current time.
pub(super) fn stamped(batch: &WriteBatch) -> Result<WriteBatch> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn cut_of(stored: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(cut(Some(PinnedValue::owned(stored.to_vec())))?.map(PinnedValue::into_vec))
    }

    #[test]
    fn cut_takes_the_stamp_off_and_reports_a_bad_one() {
        assert_eq!(cut_of(&stamp(b"value", now())).unwrap().as_deref(), Some(&b"value"[..]));
        assert_eq!(cut_of(&stamp(b"", OLDEST_STAMP)).unwrap().as_deref(), Some(&b""[..]));
        assert!(cut(None).unwrap().is_none());
        let text = |stored: &[u8]| cut_of(stored).unwrap_err().to_string();
        let too_short = "Corruption: Error: value's length less than timestamp's\n";
        assert_eq!(text(b"abc"), too_short);
        let too_old = "Corruption: Error: Timestamp < ttl feature release time!\n";
        assert_eq!(text(&stamp(b"value", OLDEST_STAMP - 1)), too_old);
    }

    /// Collects the records as text, with stamps checked and cut off.
    #[derive(Default)]
    struct Records(Vec<String>);

    impl Records {
        fn add(&mut self, kind: &str, cf: u32, parts: &[&[u8]]) -> Result<()> {
            let parts: Vec<_> = parts.iter().map(|part| part.escape_ascii().to_string()).collect();
            self.0.push(format!("{kind} {cf} {}", parts.join(" ")));
            Ok(())
        }

        fn add_stamped(&mut self, kind: &str, cf: u32, key: &[u8], stored: &[u8]) -> Result<()> {
            let (value, time) = split(stored).unwrap();
            assert!(time >= OLDEST_STAMP);
            self.add(kind, cf, &[key, value])
        }
    }

    impl BatchHandler for Records {
        fn put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
            self.add_stamped("put", cf, key, value)
        }
        fn delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
            self.add("delete", cf, &[key])
        }
        fn single_delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
            self.add("single_delete", cf, &[key])
        }
        fn merge(&mut self, cf: u32, key: &[u8], operand: &[u8]) -> Result<()> {
            self.add_stamped("merge", cf, key, operand)
        }
        fn delete_range(&mut self, cf: u32, begin: &[u8], end: &[u8]) -> Result<()> {
            self.add("delete_range", cf, &[begin, end])
        }
        fn log_data(&mut self, blob: &[u8]) -> Result<()> {
            self.add("log_data", 0, &[blob])
        }
    }

    #[test]
    fn a_stamped_batch_has_the_same_records_in_the_same_families() {
        let mut batch = WriteBatch::new();
        batch.put(b"a", b"1").unwrap();
        batch.put_cf(3, b"b", b"").unwrap();
        batch.merge_cf(1, b"c", b"2").unwrap();
        batch.delete_cf(2, b"d").unwrap();
        batch.single_delete(b"e").unwrap();
        batch.delete_range_cf(3, b"f", b"g").unwrap();
        batch.put_log_data(b"blob").unwrap();
        let mut records = Records::default();
        iterate(stamped(&batch).unwrap().data(), &mut records).unwrap();
        let expected = [
            "put 0 a 1",
            "put 3 b ",
            "merge 1 c 2",
            "delete 2 d",
            "single_delete 0 e",
            "delete_range 3 f g",
            "log_data 0 blob",
        ];
        assert_eq!(records.0, expected);
    }
}
