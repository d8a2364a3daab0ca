//! The builder of Standard128Ribbon filters.
//!
//! Every key is one equation: the parity of its row of 128 coefficients with the same number of solution slots must
//! equal the bits that the key expects. *Banding* brings the equations into a triangular form, one per slot, and fails
//! if two contradict each other: then another seed gives other rows. Back substitution from the last slot yields the
//! solution, column by column.
//!
//! The number of slots, the number of columns and the first seed follow RocksDB's rules, so the same keys in the same
//! order give the same bytes. The numbers in `FITTING` are RocksDB's measurements.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::ribbon::{Row, raw_seed};
use crate::env::mapping::LargeVec;

const BLOCK: usize = 128;
const SEGMENT: usize = 16;
/// With more keys than this, a Bloom filter is used.
const KEYS_MAX: usize = 950_000_000;
/// The number of seeds: the file stores a seed in one byte.
const SEEDS: u32 = 256;

/// The number of keys that fit into `2^i` slots such that one attempt in twenty fails.
const FITTING: [f64; 18] = [
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 248.851, 499.532, 1001.26, 2003.97, 4005.59, 8000.39,
    15966.6, 31828.1, 63447.3, 126_506.0,
];
/// Beyond the table, slots per key grow by this much with each doubling.
const GROWTH: f64 = 0.0038;
#[expect(clippy::approx_constant, reason = "RocksDB's literal: the same bits give the same sizes")]
const LOG2_E: f64 = 1.442_695_040_9;

/// The size of a filter.
pub(super) struct RibbonShape {
    slots: usize,
    /// The size of the body in bytes.
    len: usize,
}

impl RibbonShape {
    /// The shape for `keys` keys; `None` if a Bloom filter should be used instead, which would take `bloom_len` bytes
    /// with its metadata. `entropy` is the first key's hash.
    pub(super) fn new(
        keys: usize,
        one_in_false_positives: f64,
        entropy: u64,
        bloom_len: usize,
    ) -> Option<RibbonShape> {
        if keys == 0 || keys > KEYS_MAX {
            return None;
        }
        let slots = slots_for(keys as f64);
        let len = body_len(slots, one_in_false_positives, (entropy >> 32) as u32);
        let is_small = slots < 1024 && bloom_len < len + 5;
        (!is_small).then_some(RibbonShape { slots, len })
    }

    /// Builds the filter's block; `None` if no seed works.
    pub(super) fn build(
        &self,
        hashes: impl Iterator<Item = u64> + Clone,
        entropy: u64,
    ) -> Option<LargeVec<u8>> {
        let first = (entropy as u32) & (SEEDS - 1);
        (0..SEEDS).map(|i| (first + i) & (SEEDS - 1)).find_map(|seed| {
            let mut banding = Banding::new(self.slots);
            let starts = (self.slots - BLOCK + 1) as u64;
            let raw = raw_seed(seed as u8);
            let fits = hashes.clone().all(|hash| banding.add(&Row::new(hash, raw, starts)));
            fits.then(|| self.solve(&banding, seed as u8))
        })
    }

    /// Solves the equations, last slot first. A block's segments are its columns' next 128 solution
    /// bits.
    fn solve(&self, banding: &Banding, seed: u8) -> LargeVec<u8> {
        let blocks = self.slots / BLOCK;
        let segments = self.len / SEGMENT;
        let mut columns = segments.div_ceil(blocks);
        let mut upper_start = columns * blocks - segments;
        if columns > 32 {
            (columns, upper_start) = (32, 0);
        }
        let mut out = LargeVec::zeroed(self.len);
        let mut end = upper_start * (columns - 1) + (blocks - upper_start) * columns;
        let mut state = [0u128; 32];
        for block in (0..blocks).rev() {
            let columns = if block < upper_start { columns - 1 } else { columns };
            banding.back_substitute(block * BLOCK, &mut state, columns);
            end -= columns;
            let places = out.chunks_exact_mut(SEGMENT).skip(end);
            for (place, column) in places.zip(state.iter().take(columns)) {
                place.copy_from_slice(&column.to_le_bytes());
            }
        }
        let [a, b, c, ..] = (blocks as u32).to_le_bytes();
        out.extend_from_slice(&[0xFE, seed, a, b, c]);
        out
    }
}

/// One equation per slot: coefficients that begin with the slot, and the required parities.
struct Banding {
    rows: LargeVec<(u128, u32)>,
}

impl Banding {
    fn new(slots: usize) -> Banding {
        Banding { rows: LargeVec::filled((0, 0), slots) }
    }

    /// Adds an equation; false if it contradicts the others.
    #[inline]
    fn add(&mut self, row: &Row) -> bool {
        let mut at = row.start as usize;
        let (mut coefficients, mut result) = (row.coefficients, row.expected);
        while let Some(slot) = self.rows.get_mut(at) {
            if slot.0 == 0 {
                *slot = (coefficients, result);
                return true;
            }
            coefficients ^= slot.0;
            result ^= slot.1;
            if coefficients == 0 {
                return result == 0;
            }
            let zeros = coefficients.trailing_zeros();
            at += zeros as usize;
            coefficients >>= zeros;
        }
        false
    }

    /// Solves the 128 slots from `start` on. Bit `i` of a state is the solution of slot `start + i`
    /// in that column; before the call, the states are those of the following block.
    fn back_substitute(&self, start: usize, state: &mut [u128; 32], columns: usize) {
        for (coefficients, result) in self.rows.iter().skip(start).take(BLOCK).rev() {
            for (j, column) in state.iter_mut().enumerate().take(columns) {
                let shifted = *column << 1;
                let parity = (shifted & coefficients).count_ones() ^ (result >> j);
                *column = shifted | u128::from(parity & 1);
            }
        }
    }
}

fn keys_for_power(log2_slots: u32) -> f64 {
    match FITTING.get(log2_slots as usize) {
        Some(&keys) => keys,
        None => (1u64 << log2_slots) as f64 / slots_per_key(f64::from(log2_slots)),
    }
}

fn slots_per_key(log2_slots: f64) -> f64 {
    let last = (FITTING.len() - 1) as u32;
    let known = f64::from(1u32 << last) / keys_for_power(last);
    known - f64::from(last) * GROWTH + log2_slots * GROWTH
}

/// The number of slots for `keys` keys: interpolated between powers of two, then rounded to whole
/// blocks, at least two.
fn slots_for(keys: f64) -> usize {
    let mut log2 = (keys.ln() * LOG2_E + 0.5) as u32;
    let mut lower = keys_for_power(log2);
    let slots = if log2 == 0 || lower == 0.0 {
        2 * BLOCK
    } else {
        let upper = if keys < lower {
            let upper = lower;
            log2 -= 1;
            lower = keys_for_power(log2);
            upper
        } else {
            keys_for_power(log2 + 1)
        };
        let portion = (keys - lower) / (upper - lower);
        let power = (1u64 << log2) as f64;
        (portion * power + power + 0.999_999_999) as usize
    };
    slots.next_multiple_of(BLOCK).max(2 * BLOCK)
}

/// The size of the body in bytes: some blocks have one column fewer, so that the average rate is as
/// requested. `bias` rounds that number of blocks randomly.
fn body_len(slots: usize, one_in: f64, bias: u32) -> usize {
    if one_in <= 1.0 || one_in.is_nan() {
        return SEGMENT;
    }
    if one_in > f64::from(u32::MAX) {
        return slots * 4;
    }
    let lower_columns = (one_in as u32).ilog2();
    let lower_rate = 0.5f64.powi(lower_columns as i32);
    let upper_rate = 0.5f64.powi(lower_columns as i32 + 1);
    let lower_portion = (1.0 / one_in - upper_rate) / (lower_rate - upper_rate);
    let bias = (f64::from(bias) + 0.5) / 4_294_967_296.0;
    let starts = (slots - BLOCK + 1) as f64;
    let upper_start = ((lower_portion * starts + bias) / BLOCK as f64) as usize;
    let blocks = slots / BLOCK;
    (blocks * lower_columns as usize + blocks.saturating_sub(upper_start)) * SEGMENT
}

/// The inverse of the false-positive rate of a Bloom filter with these bits per key, as RocksDB
/// estimates it: the mean of a crowded line and of one that is not.
pub(super) fn one_in_false_positives(bits_per_key: f64, probes: u32) -> f64 {
    let rate = |bits: f64| (1.0 - (-f64::from(probes) / bits).exp()).powf(f64::from(probes));
    let line = 512.0;
    let keys = line / bits_per_key;
    let deviation = keys.sqrt();
    2.0 / (rate(line / (keys + deviation)) + rate(line / (keys - deviation)))
}
