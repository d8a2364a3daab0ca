//! The encoding of PlainTable rows: reading and writing a row.
//!
//! ```text
//! row     = key, varint32 value length, value
//! key     = user key, trailer                                  plain, fixed length
//!         | varint32 length, user key, trailer                 plain, variable length
//!         | flag(FULL, n), n bytes, trailer                    prefix encoding
//!         | [flag(SHARED, p)], flag(SUFFIX, n), n bytes, trailer
//! trailer = fixed64 (sequence << 8 | type) | 0xFF               0xFF: sequence 0, type Value
//! flag    = kind << 6 | n            n < 63
//!         | kind << 6 | 63, varint32 n - 63
//! ```
//!
//! The key of a suffix row is the first `p` bytes of the last full key, followed by the row's own
//! bytes; `p` holds until the next full key. So a prefix-encoded file can be read only forwards,
//! starting at a full row.
//!
//! No byte is trusted: every length is checked against the end of the rows.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use crate::base::KeyOrder;
use crate::base::coding::{get_varint32, put_varint32, varint_length};
use crate::base::key::{TRAILER_SIZE, ValueType, pack_trailer};
use crate::options::PlainTableEncoding;
use std::cmp::Ordering;
use std::fmt;

/// Replaces the trailer of sequence 0 and type Value. It is not the number of any type.
const SHORT_TRAILER: u8 = 0xFF;
/// The trailer that [`SHORT_TRAILER`] replaces.
const ZERO_VALUE: u64 = pack_trailer(0, ValueType::Value);

const FULL: u8 = 0;
const SHARED: u8 = 1;
const SUFFIX: u8 = 2;
/// The size field of a flag byte; this value means that a varint32 follows.
const SIZE_MASK: u8 = 0x3F;

/// The file properties that apply to all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowFormat {
    /// The length of every user key; 0 means that each row stores its own.
    pub(super) user_key_len: usize,
    /// The encoding of keys.
    pub(super) encoding: PlainTableEncoding,
}

/// The state that a suffix row depends on: the last full key and the shared part of it. It starts
/// empty.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SharedPrefix {
    full_at: usize,
    full_len: usize,
    shared_len: usize,
}

/// One row. The user key is `shared` followed by `rest`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    /// The beginning of the user key, which lies in an earlier row; mostly empty.
    pub(super) shared: &'a [u8],
    /// The remainder of the user key.
    pub(super) rest: &'a [u8],
    /// The offset of `rest` in the file.
    pub(super) rest_at: usize,
    /// Sequence number and type.
    pub(super) trailer: u64,
    /// Whether the full trailer follows `rest`, so that both together are the internal key.
    pub(super) contiguous: bool,
    /// Whether the row can be read without the rows before it.
    pub(super) full: bool,
    /// The value.
    pub(super) value: &'a [u8],
    /// The offset of the next row.
    pub(super) next: usize,
}

/// The reason why bytes are not a valid row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadRow {
    KeyLength,
    Key,
    Flag,
    SharedLength,
    Trailer,
    ValueLength,
    Value,
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BadRow::KeyLength => "row: expected a key length, found a bad varint32",
            BadRow::Key => "row: the key extends beyond the rows",
            BadRow::Flag => "row: unexpected kind in a key flag",
            BadRow::SharedLength => "row: shares more bytes than the last full key has",
            BadRow::Trailer => "row: the key's trailer extends beyond the rows",
            BadRow::ValueLength => "row: expected a value length, found a bad varint32",
            BadRow::Value => "row: the value extends beyond the rows",
        })
    }
}

impl<'a> Row<'a> {
    /// Reads the row at `at`. `rows` are all rows of the file, without the rest of the file.
    #[inline]
    pub(super) fn read(
        rows: &'a [u8],
        format: RowFormat,
        state: &mut SharedPrefix,
        at: usize,
    ) -> Result<Row<'a>, BadRow> {
        if format.encoding == PlainTableEncoding::Prefix {
            return Row::read_prefix_encoded(rows, state, at);
        }
        let (len, rest_at) = if format.user_key_len != 0 {
            (format.user_key_len, at)
        } else {
            let (len, n) = rows.get(at..).and_then(get_varint32).ok_or(BadRow::KeyLength)?;
            (len as usize, at + n)
        };
        Row::read_from_key(rows, rest_at, len, &[], true)
    }

    fn read_prefix_encoded(
        rows: &'a [u8],
        state: &mut SharedPrefix,
        at: usize,
    ) -> Result<Row<'a>, BadRow> {
        let (mut kind, mut len, mut rest_at) = read_flag(rows, at)?;
        if kind == FULL {
            let row = Row::read_from_key(rows, rest_at, len, &[], true)?;
            *state = SharedPrefix { full_at: rest_at, full_len: len, shared_len: 0 };
            return Ok(row);
        }
        if kind == SHARED {
            if len > state.full_len {
                return Err(BadRow::SharedLength);
            }
            state.shared_len = len;
            (kind, len, rest_at) = read_flag(rows, rest_at)?;
        }
        if kind != SUFFIX {
            return Err(BadRow::Flag);
        }
        let shared =
            rows.get(state.full_at..state.full_at + state.shared_len).ok_or(BadRow::Key)?;
        Row::read_from_key(rows, rest_at, len, shared, false)
    }

    #[inline]
    fn read_from_key(
        rows: &'a [u8],
        rest_at: usize,
        len: usize,
        shared: &'a [u8],
        full: bool,
    ) -> Result<Row<'a>, BadRow> {
        let (rest, tail) =
            rows.get(rest_at..).and_then(|r| r.split_at_checked(len)).ok_or(BadRow::Key)?;
        let (trailer, contiguous, tail) = match tail.split_first() {
            Some((&SHORT_TRAILER, tail)) => (ZERO_VALUE, false, tail),
            _ => {
                let (t, tail) = tail.split_first_chunk::<TRAILER_SIZE>().ok_or(BadRow::Trailer)?;
                (u64::from_le_bytes(*t), shared.is_empty(), tail)
            }
        };
        let (value_len, n) = get_varint32(tail).ok_or(BadRow::ValueLength)?;
        let (value, tail) = tail
            .get(n..)
            .and_then(|t| t.split_at_checked(value_len as usize))
            .ok_or(BadRow::Value)?;
        let next = rows.len() - tail.len();
        Ok(Row { shared, rest, rest_at, trailer, contiguous, full, value, next })
    }

    /// Whether the user key equals these bytes.
    #[inline]
    pub(super) fn is_key(&self, user_key: &[u8]) -> bool {
        if self.shared.is_empty() {
            return self.rest == user_key;
        }
        user_key.strip_prefix(self.shared) == Some(self.rest)
    }

    /// The user key in one piece; `scratch` is used if it is in two pieces.
    #[inline]
    pub(super) fn user_key<'k>(&'k self, scratch: &'k mut Vec<u8>) -> &'k [u8] {
        if self.shared.is_empty() {
            return self.rest;
        }
        scratch.clear();
        scratch.extend_from_slice(self.shared);
        scratch.extend_from_slice(self.rest);
        scratch
    }

    /// The order of the row's user key and `user_key`. Allocates nothing if the comparator is
    /// bytewise.
    #[inline]
    pub(super) fn compare_user(&self, order: &KeyOrder, user_key: &[u8]) -> Ordering {
        if self.shared.is_empty() {
            return order.compare_user(self.rest, user_key);
        }
        if order.is_bytewise() {
            let (front, back) =
                user_key.split_at_checked(self.shared.len()).unwrap_or((user_key, &[]));
            return self.shared.cmp(front).then_with(|| self.rest.cmp(back));
        }
        order.compare_user(self.user_key(&mut Vec::new()), user_key)
    }
}

#[inline]
fn read_flag(rows: &[u8], at: usize) -> Result<(u8, usize, usize), BadRow> {
    let (&flag, tail) = rows.get(at..).and_then(<[u8]>::split_first).ok_or(BadRow::KeyLength)?;
    let (kind, size) = (flag >> 6, flag & SIZE_MASK);
    if size != SIZE_MASK {
        return Ok((kind, usize::from(size), at + 1));
    }
    let (more, n) = get_varint32(tail).ok_or(BadRow::KeyLength)?;
    Ok((kind, usize::from(SIZE_MASK) + more as usize, at + 1 + n))
}

fn put_flag(out: &mut Vec<u8>, kind: u8, size: usize) {
    if size < usize::from(SIZE_MASK) {
        out.push(kind << 6 | size as u8);
    } else {
        out.push(kind << 6 | SIZE_MASK);
        put_varint32(out, (size - usize::from(SIZE_MASK)) as u32);
    }
}

/// Writes rows in order and keeps the prefix-encoding state.
#[derive(Debug)]
pub(super) struct RowWriter {
    format: RowFormat,
    /// The maximum distance between full rows of a prefix.
    full_interval: usize,
    prefix: Vec<u8>,
    /// The number of rows since the last full one, including it; 0 before the first.
    run: usize,
}

impl RowWriter {
    /// A writer. `full_interval` is `index_sparseness`, so that index entries point at full rows.
    pub(super) fn new(format: RowFormat, full_interval: usize) -> RowWriter {
        RowWriter { format, full_interval, prefix: Vec::new(), run: 0 }
    }

    /// The maximum size of a row with these lengths, in bytes.
    pub(super) fn max_len(key_len: usize, value_len: usize) -> u64 {
        // Two flags of at most six bytes each, the trailer, and the length of the value.
        12 + (TRAILER_SIZE + varint_length(value_len as u64)) as u64
            + key_len as u64
            + value_len as u64
    }

    /// Appends a row. `prefix` is the extractor's prefix of the user key, or empty.
    pub(super) fn put(
        &mut self,
        out: &mut Vec<u8>,
        user_key: &[u8],
        prefix: &[u8],
        trailer: u64,
        value: &[u8],
    ) {
        match self.format.encoding {
            PlainTableEncoding::Plain => {
                if self.format.user_key_len == 0 {
                    put_varint32(out, user_key.len() as u32);
                }
                out.extend_from_slice(user_key);
            }
            PlainTableEncoding::Prefix => self.put_prefix_encoded(out, user_key, prefix),
        }
        if trailer == ZERO_VALUE {
            out.push(SHORT_TRAILER);
        } else {
            out.extend_from_slice(&trailer.to_le_bytes());
        }
        put_varint32(out, value.len() as u32);
        out.extend_from_slice(value);
    }

    fn put_prefix_encoded(&mut self, out: &mut Vec<u8>, user_key: &[u8], prefix: &[u8]) {
        // An extractor may return a prefix that the key does not begin with; such keys stay whole.
        let rest = user_key.strip_prefix(prefix);
        let full = self.run == 0 || self.run >= self.full_interval || prefix != self.prefix;
        match rest {
            Some(rest) if !full => {
                self.run += 1;
                if self.run == 2 {
                    put_flag(out, SHARED, prefix.len());
                }
                put_flag(out, SUFFIX, rest.len());
                out.extend_from_slice(rest);
            }
            _ => {
                self.run = usize::from(rest.is_some());
                self.prefix.clear();
                self.prefix.extend_from_slice(prefix);
                put_flag(out, FULL, user_key.len());
                out.extend_from_slice(user_key);
            }
        }
    }
}

/// The error text for a row whose trailer has this type byte.
pub(super) fn unknown_type(byte: u8) -> String {
    format!("row: unknown value type {byte}")
}

#[cfg(test)]
#[path = "row_test.rs"]
mod tests;
