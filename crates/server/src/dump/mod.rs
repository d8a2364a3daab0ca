//! The payloads of DUMP and RESTORE: one value in the encodings of RDB files.
//!
//! ```text
//! payload = type:1 value version:2 crc64:8      version and checksum little-endian
//! ```
//!
//! [`decode`] reads every encoding that Redis 2.6 to 7.4 writes, and those of the older RDB files that Redis 7 still
//! accepts. [`encode`] writes encodings that Redis 7.0 and 7.2 accept, except for hashes with fields that expire, which
//! Redis has from 7.4 on. [`RdbFile`] reads the same values from whole RDB files up to Redis 7.4, and [`RdbWriter`]
//! writes such files. Values of modules are refused by name.
//!
//! Invariants of a decoded value, which Redis checks only in part: collections are not empty (streams may be), members
//! and fields are unique, scores are numbers, and ids of a stream ascend up to its last id. Foreign bytes never panic,
//! and the memory of a value is bounded by a limit of the caller.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod collections;
mod error;
mod expiring;
mod file;
mod functions;
mod intset;
mod kind;
mod listpack;
mod nodes;
mod reader;
mod save;
mod stream;
mod value;
mod writer;
mod ziplist;
mod zipmap;

pub use error::DumpError;
pub use file::{Entry, Item, RdbFile};
pub use functions::{decode_functions, encode_functions};
pub use save::RdbWriter;
pub use value::{Consumer, Group, HashField, Pending, Stream, StreamEntry, Value};

use crate::text::crc64;
use kind::Kind;
use reader::Reader;

/// Version and checksum at the end of a payload.
const FOOTER: usize = 10;

/// A version of the RDB format, which the end of a payload names. Redis refuses payloads of newer versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// Redis 7.0 and later. Consumers of streams lose the time of their last successful read.
    V10,
    /// Redis 7.2 and later.
    #[default]
    V11,
    /// Redis 7.4 and later. Hashes with fields that expire need it.
    V12,
}

impl Version {
    /// Returns the version of a number, from 10 to 12.
    pub fn from_number(number: u16) -> Option<Version> {
        [Version::V10, Version::V11, Version::V12].into_iter().find(|it| it.number() == number)
    }

    /// Returns the number.
    pub fn number(self) -> u16 {
        match self {
            Version::V10 => 10,
            Version::V11 => 11,
            Version::V12 => 12,
        }
    }
}

/// Returns the value of a payload. `memory_max` bounds the memory that the value takes, in bytes; a compressed payload
/// can be much smaller. Bytes behind the value are ignored, as Redis does.
pub fn decode(payload: &[u8], memory_max: usize) -> Result<Value, DumpError> {
    let mut reader = Reader::new(checked_body(payload)?, memory_max);
    let kind = reader.byte()?;
    kind::read(Kind::from_byte(kind)?, &mut reader)
}

/// Returns a payload without its version and checksum, which are checked.
fn checked_body(payload: &[u8]) -> Result<&[u8], DumpError> {
    let (body, footer) = payload.split_last_chunk::<FOOTER>().ok_or(DumpError::Footer)?;
    let [version @ .., _, _, _, _, _, _, _, _] = *footer;
    let is_sound = payload.split_last_chunk::<8>().is_some_and(|(checked, checksum)| {
        crc64::checksum(checked) == u64::from_le_bytes(*checksum)
    });
    if u16::from_le_bytes(version) > Version::V12.number() || !is_sound {
        return Err(DumpError::Footer);
    }
    Ok(body)
}

/// Returns the payload of a value. That of a hash with fields that expire has version 12, whichever is asked for.
pub fn encode(value: &Value, version: Version) -> Vec<u8> {
    let version = if matches!(value, Value::ExpiringHash(_)) { Version::V12 } else { version };
    let mut payload = Vec::new();
    kind::write(value, version, &mut payload);
    finish(payload, version)
}

/// Returns the length of a value in its payload: without type, version and checksum.
pub fn encoded_len(value: &Value, version: Version) -> usize {
    encode(value, version).len().saturating_sub(1 + FOOTER)
}

/// Appends the version and the checksum.
fn finish(mut payload: Vec<u8>, version: Version) -> Vec<u8> {
    payload.extend_from_slice(&version.number().to_le_bytes());
    let checksum = crc64::checksum(&payload);
    payload.extend_from_slice(&checksum.to_le_bytes());
    payload
}

#[cfg(test)]
#[path = "dump_test.rs"]
mod tests;

#[cfg(test)]
mod blobs_test;

#[cfg(test)]
mod redis_test;
