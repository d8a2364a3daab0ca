//! Bit commands on strings: ranges, counting, searching, BITOP, and the arithmetic of BITFIELD.
//!
//! Bit 0 is the highest bit of byte 0. All functions work on parts of a value, so that a caller can keep large values
//! in chunks: a part is a slice and the offset of its first byte. Missing parts count as zero bytes.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

pub mod field;
pub mod ops;
pub mod range;

/// Returns a bit of a byte. `offset` counts bits of the whole value; only its last three bits are used.
pub fn get(byte: u8, offset: u64) -> bool {
    byte & mask(offset) != 0
}

/// Returns a byte with one bit replaced. `offset` counts bits of the whole value; only its last three bits are used.
pub fn set(byte: u8, offset: u64, bit: bool) -> u8 {
    if bit { byte | mask(offset) } else { byte & !mask(offset) }
}

fn mask(offset: u64) -> u8 {
    0x80 >> (offset & 7)
}

#[cfg(test)]
mod redis_test;
