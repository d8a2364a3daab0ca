//! One row of a file: its checks, its place, and the bytes that this server stores.

use super::source::Content;
use crate::rows::pegasus::{EXPIRY_MAX, Value, Version, is_expired, split_key};
use crate::thrift::{partition_hash, partition_of};

/// How the rows of a file are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// The version of values that do not say theirs.
    pub(super) version: Version,
    /// What the rows are in.
    pub(super) content: Content,
    /// Rows of other partitions of the source are left out: its number, and how many there are.
    pub(super) only: Option<(u32, u32)>,
    /// The time, in seconds since 2016.
    pub(super) now: u32,
    /// The partitions of the table, a power of two.
    pub(super) partitions: u32,
}

/// What becomes of a row.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Fate {
    /// It belongs to this partition of the table, and its value is in the buffer.
    Load(u32),
    /// It has expired.
    Expired,
    /// A split of partitions has left it in this one.
    Foreign,
    /// It is no row: Pegasus writes it when a write changes nothing.
    Nothing,
}

impl Rules {
    /// Decides on a row, and writes its value as this server stores it to `out`.
    ///
    /// # Errors
    ///
    /// The key or the value does not have Pegasus's form. The text says what was expected.
    pub(super) fn apply(
        &self,
        key: &[u8],
        value: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Fate, String> {
        if key.is_empty() && self.content == Content::Checkpoint {
            return Ok(Fate::Nothing);
        }
        let Some((hash_key, sort_key)) = split_key(key) else { return Err(wrong_key(key)) };
        let hash = partition_hash(hash_key, sort_key);
        if self.only.is_some_and(|(index, count)| partition_of(hash, count) != index) {
            return Ok(Fate::Foreign);
        }
        let read = self.version.read(value).ok_or_else(|| self.wrong_value(value))?;
        if is_expired(read.expiry, self.now) {
            return Ok(Fate::Expired);
        }
        if read.expiry > EXPIRY_MAX {
            return Err(format!("expected an expiry up to {EXPIRY_MAX}, found {}", read.expiry));
        }
        out.clear();
        Version::V1.write(Value { ..read }, out);
        Ok(Fate::Load(partition_of(hash, self.partitions)))
    }

    fn wrong_value(&self, value: &[u8]) -> String {
        match value.first() {
            Some(first) if *first >= 0x80 && *first != 0x82 => {
                let version = first & 0x7f;
                format!("expected a value of version 0, 1 or 2, found version {version}")
            }
            Some(0x82) => format!("expected at least 13 bytes of value, found {}", value.len()),
            _ => {
                let (version, least) = match self.version {
                    Version::V0 => (0, 4),
                    Version::V1 => (1, 12),
                };
                let length = value.len();
                format!(
                    "expected at least {least} bytes of value in version {version}, found {length}"
                )
            }
        }
    }
}

fn wrong_key(key: &[u8]) -> String {
    match key.first_chunk::<2>() {
        None => format!("expected a key of at least 2 bytes, found {}", key.len()),
        Some([0xff, 0xff]) => "expected a hash key of at most 65534 bytes, found 65535".to_owned(),
        Some(length) => {
            let (length, rest) = (u16::from_be_bytes(*length), key.len() - 2);
            format!(
                "expected a hash key of {length} bytes, as the key's first 2 bytes say, found {rest}"
            )
        }
    }
}

#[cfg(test)]
#[path = "row_test.rs"]
mod tests;
