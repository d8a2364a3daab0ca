//! Rows of hashes.
//!
//! ```text
//!   D|...|field                flags:1 [expire_ms:6] payload     flags: bit 7 set if expire_ms follows, others 0
//!   Z|...|expire_ms:8|field    (empty)                           one for each field that expires
//!   extra of the M row         empty, or earliest_ms:6|latest_ms:6|expiring:varint
//! ```
//!
//! 1. A field whose expiry is over is absent, although its rows exist until a later command writes to the hash.
//! 2. `expiring` is the number of Z rows. `earliest_ms` is at most the expiry of the first Z row, `latest_ms` is the
//!    expiry of the last one.
//! 3. A hash all of whose fields have expired is an absent key: see [`Expiries::has_ended`].
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::redis::{Collection, read_varint, write_varint};
use smallvec::SmallVec;

const EXPIRES: u8 = 0x80;
/// Bytes of a time in milliseconds. Later times are refused by commands.
const TIME_BYTES: usize = 6;

/// The encoding of a hash some of whose fields expire; the others have encoding 0.
pub const EXPIRING: u8 = 1;

/// The latest time at which a field can expire, in milliseconds since 1970.
pub const EXPIRE_MS_MAX: u64 = (1 << 46) - 1;

/// A field of a hash: the value of a D row.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Field<'a> {
    /// The last millisecond since 1970 in which the field is there; 0 means that it never expires.
    pub expire_ms: u64,
    /// The field's value.
    pub payload: &'a [u8],
}

impl<'a> Field<'a> {
    /// Parses the value of a D row. Returns `None` for bytes that are no such value.
    pub fn parse(value: &'a [u8]) -> Option<Field<'a>> {
        let (flags, rest) = value.split_first()?;
        if flags & EXPIRES == 0 {
            return Some(Field { expire_ms: 0, payload: rest });
        }
        let (expire_ms, payload) = read_time(rest)?;
        Some(Field { expire_ms, payload })
    }

    /// Returns the value of the D row.
    pub fn to_bytes(self) -> SmallVec<[u8; 128]> {
        let mut out = SmallVec::with_capacity(self.payload.len() + 1 + TIME_BYTES);
        if self.expire_ms == 0 {
            out.push(0);
        } else {
            out.push(EXPIRES);
            write_time(self.expire_ms, &mut out);
        }
        out.extend_from_slice(self.payload);
        out
    }

    /// Returns whether the field has expired at this time: its last millisecond is over. An expired field is absent.
    pub fn is_expired(&self, now_ms: u64) -> bool {
        self.expire_ms != 0 && self.expire_ms < now_ms
    }
}

/// What a hash's M row tells about the expiries of its fields.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Expiries {
    /// No field is absent at this time or before.
    pub earliest_ms: u64,
    /// The last millisecond of the expiring field that expires last.
    pub latest_ms: u64,
    /// The number of fields that expire, expired ones whose rows still exist included.
    pub count: u64,
}

impl Expiries {
    /// Parses the extra bytes of an M row. Returns `None` for bytes of another form.
    pub fn parse(extra: &[u8]) -> Option<Expiries> {
        if extra.is_empty() {
            return Some(Expiries::default());
        }
        let (earliest_ms, rest) = read_time(extra)?;
        let (latest_ms, rest) = read_time(rest)?;
        let (count, _) = read_varint(rest)?;
        Some(Expiries { earliest_ms, latest_ms, count })
    }

    /// Returns the extra bytes of the M row.
    pub fn to_bytes(self) -> SmallVec<[u8; 32]> {
        let mut out = SmallVec::new();
        if self.count > 0 {
            write_time(self.earliest_ms, &mut out);
            write_time(self.latest_ms, &mut out);
            write_varint(self.count, &mut out);
        }
        out
    }

    /// Returns whether fields may have expired whose rows exist.
    pub fn are_due(&self, now_ms: u64) -> bool {
        self.count > 0 && self.earliest_ms < now_ms
    }

    /// Returns whether all of a hash's fields have expired, so that its key is absent.
    pub fn has_ended(&self, fields: u64, now_ms: u64) -> bool {
        self.count > 0 && self.count == fields && self.latest_ms < now_ms
    }
}

/// Returns whether all fields of a hash have expired, so that its key is absent.
pub fn has_ended(row: &Collection, now_ms: u64) -> bool {
    if row.extra.is_empty() {
        return false;
    }
    Expiries::parse(&row.extra).is_some_and(|expiries| expiries.has_ended(row.count, now_ms))
}

/// Returns the sub-key of a field's Z row.
pub fn expiry_sub(expire_ms: u64, field: &[u8]) -> SmallVec<[u8; 64]> {
    let mut sub = SmallVec::from_slice(&expire_ms.to_be_bytes());
    sub.extend_from_slice(field);
    sub
}

/// Splits the sub-key of a Z row into the time and the field.
pub fn parse_expiry_sub(sub: &[u8]) -> Option<(u64, &[u8])> {
    let (time, field) = sub.split_first_chunk::<8>()?;
    Some((u64::from_be_bytes(*time), field))
}

fn read_time(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (time, rest) = bytes.split_at_checked(TIME_BYTES)?;
    Some((time.iter().fold(0, |ms, byte| ms << 8 | u64::from(*byte)), rest))
}

fn write_time(time_ms: u64, out: &mut impl Extend<u8>) {
    out.extend(time_ms.to_be_bytes().into_iter().skip(8 - TIME_BYTES));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_parsed_as_they_were_written() {
        for field in [
            Field { expire_ms: 0, payload: b"" },
            Field { expire_ms: 0, payload: b"value" },
            Field { expire_ms: EXPIRE_MS_MAX, payload: b"\x80\x00" },
            Field { expire_ms: 1, payload: b"" },
        ] {
            assert_eq!(Field::parse(&field.to_bytes()), Some(field));
        }
        assert_eq!(Field::parse(b""), None);
        assert_eq!(Field::parse(b"\x80\x00\x00\x00\x00\x01"), None);
        assert!(!Field { expire_ms: 0, payload: b"" }.is_expired(u64::MAX));
        assert!(Field { expire_ms: 5, payload: b"" }.is_expired(6));
        assert!(!Field { expire_ms: 5, payload: b"" }.is_expired(5));
    }

    #[test]
    fn expiries_are_parsed_as_they_were_written() {
        let some = Expiries { earliest_ms: 5, latest_ms: EXPIRE_MS_MAX, count: 300 };
        assert_eq!(Expiries::parse(&some.to_bytes()), Some(some));
        assert_eq!(Expiries::parse(&Expiries::default().to_bytes()), Some(Expiries::default()));
        assert_eq!(Expiries::parse(b"short"), None);
        let bounded = Expiries { earliest_ms: 5, latest_ms: 9, count: 3 };
        assert!(bounded.are_due(6) && !bounded.are_due(5));
        assert!(bounded.has_ended(3, 10) && !bounded.has_ended(3, 9) && !bounded.has_ended(4, 10));
        assert!(!Expiries::default().has_ended(0, u64::MAX));
        assert_eq!(parse_expiry_sub(&expiry_sub(7, b"f")), Some((7, &b"f"[..])));
        assert_eq!(parse_expiry_sub(b"short"), None);
    }
}
