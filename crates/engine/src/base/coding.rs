//! Little-endian fixed and variable-length integers, and length-prefixed strings.
//!
//! Grammar (`docs/formats/primitives.md`): `fixed32`, `fixed64` little-endian; `varint` base 128, low seven bits first,
//! bit 7 means that another byte follows; `lps` = varint32 length, bytes. Decoders never panic.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use crate::env::mapping::LargeVec;
use crate::error::{Error, Result};

/// Appends a little-endian u32.
pub fn put_fixed32(out: &mut Vec<u8>, v: u32) {
    out.extend_from_slice(&v.to_le_bytes());
}

/// Appends a little-endian u64.
pub fn put_fixed64(out: &mut Vec<u8>, v: u64) {
    out.extend_from_slice(&v.to_le_bytes());
}

/// A destination that bytes are appended to.
pub trait ByteSink {
    /// Appends a byte.
    fn put(&mut self, byte: u8);
}

impl ByteSink for Vec<u8> {
    #[inline]
    fn put(&mut self, byte: u8) {
        self.push(byte);
    }
}

impl ByteSink for LargeVec<u8> {
    #[inline]
    fn put(&mut self, byte: u8) {
        self.push(byte);
    }
}

/// Appends a varint32.
#[inline]
pub fn put_varint32(out: &mut impl ByteSink, v: u32) {
    put_varint64(out, u64::from(v));
}

/// Appends a varint64.
#[inline]
pub fn put_varint64(out: &mut impl ByteSink, mut v: u64) {
    while v >= 0x80 {
        out.put(v as u8 | 0x80);
        v >>= 7;
    }
    out.put(v as u8);
}

/// Appends a zigzag-coded signed varint64.
pub fn put_varsignedint64(out: &mut Vec<u8>, v: i64) {
    put_varint64(out, ((v << 1) ^ (v >> 63)) as u64);
}

/// Appends a varint32 length and the bytes.
#[inline]
pub fn put_length_prefixed(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint32(out, bytes.len() as u32);
    out.extend_from_slice(bytes);
}

/// The number of bytes that `put_varint64` writes.
#[inline]
pub fn varint_length(v: u64) -> usize {
    (64 - (v | 1).leading_zeros() as usize).div_ceil(7)
}

/// Reads a varint32 from the front of `b`. Returns the value and its length in bytes, or `None` if
/// it is truncated or does not fit 32 bits.
#[inline]
pub fn get_varint32(b: &[u8]) -> Option<(u32, usize)> {
    if let Some(&first) = b.first()
        && first < 0x80
    {
        return Some((u32::from(first), 1));
    }
    let mut v: u32 = 0;
    for (i, &byte) in b.iter().take(5).enumerate() {
        v |= u32::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Some((v, i + 1));
        }
    }
    None
}

/// Reads a varint64 from the front of `b`. Returns the value and its length in bytes.
#[inline]
pub fn get_varint64(b: &[u8]) -> Option<(u64, usize)> {
    let mut v: u64 = 0;
    for (i, &byte) in b.iter().take(10).enumerate() {
        v |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Some((v, i + 1));
        }
    }
    None
}

/// The little-endian u32 at `offset`, if there are four bytes there.
#[inline]
pub fn fixed32_at(b: &[u8], offset: usize) -> Option<u32> {
    let bytes = b.get(offset..offset.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

/// The little-endian u64 at `offset`, if there are eight bytes there.
#[inline]
pub fn fixed64_at(b: &[u8], offset: usize) -> Option<u64> {
    let bytes = b.get(offset..offset.checked_add(8)?)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

/// Reads values from the front of a byte slice. Every read can fail, and none panics.
#[derive(Clone, Debug)]
pub struct Decoder<'a> {
    rest: &'a [u8],
}

impl<'a> Decoder<'a> {
    /// Starts at the front of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Decoder<'a> {
        Decoder { rest: bytes }
    }

    /// The bytes that were not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether all bytes were read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next `n` bytes.
    #[inline]
    pub fn bytes(&mut self, n: usize, what: &str) -> Result<&'a [u8]> {
        match self.rest.split_at_checked(n) {
            Some((head, tail)) => {
                self.rest = tail;
                Ok(head)
            }
            None => Err(too_short(what, n, self.rest.len())),
        }
    }

    /// One byte.
    pub fn byte(&mut self, what: &str) -> Result<u8> {
        Ok(self.bytes(1, what)?.first().copied().unwrap_or_default())
    }

    /// A little-endian u32.
    pub fn fixed32(&mut self, what: &str) -> Result<u32> {
        let b = self.bytes(4, what)?;
        Ok(fixed32_at(b, 0).unwrap_or_default())
    }

    /// A little-endian u64.
    pub fn fixed64(&mut self, what: &str) -> Result<u64> {
        let b = self.bytes(8, what)?;
        Ok(fixed64_at(b, 0).unwrap_or_default())
    }

    /// A varint32.
    #[inline]
    pub fn varint32(&mut self, what: &str) -> Result<u32> {
        let (v, n) = get_varint32(self.rest).ok_or_else(|| bad_varint(what, 32))?;
        self.rest = self.rest.get(n..).unwrap_or_default();
        Ok(v)
    }

    /// A varint64.
    #[inline]
    pub fn varint64(&mut self, what: &str) -> Result<u64> {
        let (v, n) = get_varint64(self.rest).ok_or_else(|| bad_varint(what, 64))?;
        self.rest = self.rest.get(n..).unwrap_or_default();
        Ok(v)
    }

    /// A zigzag-coded signed varint64.
    #[inline]
    pub fn varsignedint64(&mut self, what: &str) -> Result<i64> {
        let v = self.varint64(what)?;
        Ok((v >> 1) as i64 ^ -((v & 1) as i64))
    }

    /// A varint32 length and that many bytes.
    pub fn length_prefixed(&mut self, what: &str) -> Result<&'a [u8]> {
        let n = self.varint32(what)?;
        self.bytes(n as usize, what)
    }
}

#[cold]
fn bad_varint(what: &str, bits: u32) -> Error {
    Error::corruption(format!("{what}: bad varint{bits}"))
}

#[cold]
fn too_short(what: &str, expected: usize, found: usize) -> Error {
    Error::corruption(format!("{what}: expected {expected} bytes, found {found}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_round_trip_at_every_length() {
        for shift in 0..64 {
            for v in [1u64 << shift, (1u64 << shift) - 1, (1u64 << shift) + 1] {
                let mut b = Vec::new();
                put_varint64(&mut b, v);
                assert_eq!(b.len(), varint_length(v));
                assert_eq!(get_varint64(&b), Some((v, b.len())));
                assert_eq!(get_varint64(&b[..b.len() - 1]), None);
                assert_eq!(get_varint32(&b).is_some(), b.len() <= 5);
                // Bytes after the varint change nothing.
                for next in [0, 0x7f, 0x80, 0xff] {
                    let followed = [&b[..], &[next; 8]].concat();
                    assert_eq!(get_varint64(&followed), Some((v, b.len())));
                }
            }
        }
    }

    #[test]
    fn signed_varints_round_trip() {
        for v in [0, 1, -1, 63, -64, i64::MAX, i64::MIN] {
            let mut b = Vec::new();
            put_varsignedint64(&mut b, v);
            assert_eq!(Decoder::new(&b).varsignedint64("v").unwrap(), v);
        }
    }

    #[test]
    fn a_decoder_reports_what_is_missing() {
        let mut d = Decoder::new(&[3, b'a', b'b']);
        let e = d.length_prefixed("key").unwrap_err();
        assert_eq!(e.to_string(), "Corruption: key: expected 3 bytes, found 2");
    }
}
