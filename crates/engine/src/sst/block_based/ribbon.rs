//! Queries of Standard128Ribbon filters. `ribbon_builder` builds them.
//!
//! The body is an array of 128-bit segments. A key picks a row of 128 coefficient bits that spans
//! two neighbouring blocks; for each column the parity of the coefficients with the column's
//! segments must be the bit that the key expects.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

const SEGMENT: usize = 16;

/// The value that hashes are mixed with, from the seed in the file.
pub(super) fn raw_seed(seed: u8) -> u64 {
    let mut t = u64::from(seed).wrapping_mul(0xC782_19A2_3EEA_DD03);
    t ^= (t & 0xF0F0_F0F0_F0F0_F0F0) >> 4;
    u64::from(t as u32)
}

/// The equation of a key.
pub(super) struct Row {
    /// The first slot.
    pub(super) start: u64,
    /// The coefficients of the 128 slots from there on; the first is always set.
    pub(super) coefficients: u128,
    /// The parity of each column.
    pub(super) expected: u32,
}

impl Row {
    #[inline]
    pub(super) fn new(hash: u64, raw_seed: u64, starts: u64) -> Row {
        let h = (hash ^ raw_seed).wrapping_mul(0x6193_D459_236A_3A0D);
        let start = ((u128::from(h) * u128::from(starts)) >> 64) as u64;
        let a = h.wrapping_mul(0xC28F_8282_2B65_0BED);
        let coefficients = u128::from(a) << 64 | u128::from(a ^ 0xC367_844A_6E52_731D) | 1;
        Row { start, coefficients, expected: a.swap_bytes() as u32 }
    }
}

/// The shape of a Ribbon filter.
pub struct Ribbon {
    raw_seed: u64,
    blocks: u64,
    /// The number of columns of the later blocks; the first `lower_blocks` have one fewer.
    columns: u64,
    lower_blocks: u64,
}

impl Ribbon {
    /// A filter with a body of `len` bytes; `None` if such a filter would admit every key.
    pub fn new(len: usize, seed: u8, blocks: u32) -> Option<Ribbon> {
        let segments = (len / SEGMENT) as u64;
        let blocks = u64::from(blocks);
        if blocks < 2 || segments == 0 {
            return None;
        }
        let mut columns = segments.div_ceil(blocks);
        let mut lower_blocks = columns * blocks - segments;
        if columns > 32 {
            (columns, lower_blocks) = (32, 0);
        }
        Some(Ribbon { raw_seed: raw_seed(seed), blocks, columns, lower_blocks })
    }

    /// Whether a key with this hash may have been added.
    pub fn may_match(&self, body: &[u8], hash: u64) -> bool {
        let Row { start, coefficients: row, expected } =
            Row::new(hash, self.raw_seed, self.blocks * 128 - 127);
        let (block, bit) = (start / 128, (start % 128) as u32);
        let segment = (block * self.columns - block.min(self.lower_blocks)) as usize;
        let columns = (self.columns - u64::from(block < self.lower_blocks)) as usize;
        (0..columns).all(|c| {
            let Some(low) = segment_at(body, segment + c) else { return true };
            let mut parity = (low & (row << bit)).count_ones();
            if bit > 0 {
                let Some(high) = segment_at(body, segment + columns + c) else { return true };
                parity ^= (high & (row >> (128 - bit))).count_ones();
            }
            parity & 1 == expected >> c & 1
        })
    }
}

fn segment_at(body: &[u8], i: usize) -> Option<u128> {
    let bytes = body.get(i * SEGMENT..)?.first_chunk::<SEGMENT>()?;
    Some(u128::from_le_bytes(*bytes))
}
