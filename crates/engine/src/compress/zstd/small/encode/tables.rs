//! Matches by hash tables that keep one position per hash: fast, and sufficient for small blocks.
//!
//! A table is cleared for each block: it has about as many entries as the block has bytes, and an entry that was not
//! written is position 0, which is a candidate like any other. So no candidate needs a check that it is valid.

// Hashes are masked to the size of their table.
#![allow(clippy::indexing_slicing)]

use super::super::codes::MAX_BLOCK;
use super::input::Input;
use super::parsed::{Match, Parsed};
use super::zeroed;

/// The largest tables, as exponents of two. They fill half of the processor's second cache.
const LONG_LOG_MAX: u32 = 15;
const SHORT_LOG_MAX: u32 = 15;
const LONG_SIZE: usize = 1 << LONG_LOG_MAX;
const SHORT_SIZE: usize = 1 << SHORT_LOG_MAX;
/// The smallest ones.
const LOG_MIN: u32 = 8;
/// The bytes without a match after which the search begins to skip positions, as an exponent of two.
const PATIENCE: u32 = 7;
/// The bytes that are hashed, and read, at a position. The last positions of a block are not searched.
pub(super) const WINDOW: usize = 9;

/// A position in a block.
pub(super) trait Slot: Copy + Default {
    /// The longest block whose positions fit.
    const BLOCK_MAX: usize;
    fn new(at: usize) -> Self;
    fn get(self) -> usize;
}

impl Slot for u16 {
    const BLOCK_MAX: usize = 1 << 16;
    #[inline(always)]
    fn new(at: usize) -> u16 {
        at as u16
    }
    #[inline(always)]
    fn get(self) -> usize {
        usize::from(self)
    }
}

impl Slot for u32 {
    const BLOCK_MAX: usize = MAX_BLOCK;
    #[inline(always)]
    fn new(at: usize) -> u32 {
        at as u32
    }
    #[inline(always)]
    fn get(self) -> usize {
        self as usize
    }
}

/// Returns the high bits of a product that depends on the low `bytes` bytes.
#[inline(always)]
pub(super) fn hash(word: u64, bytes: u32, shift: u32) -> usize {
    // The golden ratio: its multiples are spread evenly.
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    ((word << (64 - 8 * bytes)).wrapping_mul(FACTOR) >> (shift & 63)) as usize
}

/// Returns the exponent of a table for a block of `len` bytes.
pub(super) fn table_log(len: usize, max: u32) -> u32 {
    len.next_power_of_two().ilog2().clamp(LOG_MIN, max)
}

/// The last positions of hashes of eight bytes, and of a few bytes.
pub(super) struct Tables<S> {
    long: Box<[S; LONG_SIZE]>,
    short: Box<[S; SHORT_SIZE]>,
    long_shift: u32,
    short_shift: u32,
}

impl<S: Slot> Tables<S> {
    pub(super) fn new() -> Tables<S> {
        Tables { long: zeroed(), short: zeroed(), long_shift: 0, short_shift: 0 }
    }

    fn clear_long(&mut self, len: usize) {
        let log = table_log(len, LONG_LOG_MAX);
        self.long_shift = 64 - log;
        self.long[..1 << log].fill(S::default());
    }

    fn clear_short(&mut self, len: usize) {
        let log = table_log(len, SHORT_LOG_MAX);
        self.short_shift = 64 - log;
        self.short[..1 << log].fill(S::default());
    }

    /// Enters a position by its first eight bytes and returns the last one with the same hash.
    #[inline(always)]
    fn enter_long(&mut self, word: u64, at: usize) -> usize {
        let slot = &mut self.long[hash(word, 8, self.long_shift) % LONG_SIZE];
        std::mem::replace(slot, S::new(at)).get()
    }

    /// Enters a position by its first `BYTES` bytes.
    #[inline(always)]
    fn enter_short<const BYTES: u32>(&mut self, word: u64, at: usize) -> usize {
        let slot = &mut self.short[hash(word, BYTES, self.short_shift) % SHORT_SIZE];
        std::mem::replace(slot, S::new(at)).get()
    }
}

/// Returns a match with the last offset, if it begins directly after `at` and has at least four bytes.
#[inline(always)]
fn repeated(input: &Input, at: usize, offset: usize) -> Option<Match> {
    let start = at + 1;
    let different = input.word(start) ^ input.word(start - offset);
    (different as u32 == 0).then(|| measured(input, start, start - offset, 4))
}

/// Returns the match of two positions whose first `known` bytes are equal.
#[inline(always)]
fn measured(input: &Input, start: usize, from: usize, known: usize) -> Match {
    let len = known + input.common_length(start + known, from + known);
    Match { start, offset: start - from, len }
}

/// Whether the first `BYTES` bytes of two positions are equal.
#[inline(always)]
fn same<const BYTES: u32>(input: &Input, word: u64, from: usize) -> bool {
    (word ^ input.word(from)) << (64 - 8 * BYTES) == 0
}

/// Appends matches that follow the last one without literals and have the offset before its offset. Returns the
/// position behind them.
#[inline(always)]
fn push_alternating(input: &Input, parsed: &mut Parsed) -> usize {
    let mut at = parsed.end();
    while at + WINDOW <= input.len() {
        let from = at - parsed.repeat(1).min(at);
        if !same::<4>(input, input.word(at), from) {
            break;
        }
        parsed.push(input, measured(input, at, from, 4));
        at = parsed.end();
    }
    at
}

/// Parses with one table. `stride` is added to each step: more is faster, and finds less.
pub(super) fn parse_fast<S: Slot, const BYTES: u32>(
    tables: &mut Tables<S>,
    input: &Input,
    parsed: &mut Parsed,
    stride: usize,
) {
    tables.clear_short(input.len());
    let mut at = 1;
    while at + WINDOW <= input.len() {
        let word = input.word(at);
        let from = tables.enter_short::<BYTES>(word, at);
        let found = if let Some(found) = repeated(input, at, parsed.repeat(0)) {
            found
        } else if same::<BYTES>(input, word, from) {
            measured(input, at, from, BYTES as usize)
        } else {
            at += 1 + stride + ((at - parsed.end()) >> PATIENCE);
            continue;
        };
        parsed.push(input, found.extended_back(input, parsed.end()));
        let end = parsed.end();
        if end + WINDOW <= input.len() {
            tables.enter_short::<BYTES>(input.word(at + 2), at + 2);
            tables.enter_short::<BYTES>(input.word(end - 2), end - 2);
        }
        at = push_alternating(input, parsed);
    }
    parsed.finish(input);
}

/// Parses with both tables: a match of eight bytes is preferred.
pub(super) fn parse_double<S: Slot, const BYTES: u32>(
    tables: &mut Tables<S>,
    input: &Input,
    parsed: &mut Parsed,
) {
    tables.clear_long(input.len());
    tables.clear_short(input.len());
    let mut at = 1;
    while at + WINDOW <= input.len() {
        let word = input.word(at);
        let (far, near) = (tables.enter_long(word, at), tables.enter_short::<BYTES>(word, at));
        let found = if let Some(found) = repeated(input, at, parsed.repeat(0)) {
            found
        } else if same::<8>(input, word, far) {
            measured(input, at, far, 8)
        } else if same::<BYTES>(input, word, near) {
            longer_next(tables, input, at)
                .unwrap_or_else(|| measured(input, at, near, BYTES as usize))
        } else {
            at += 1 + ((at - parsed.end()) >> PATIENCE);
            continue;
        };
        parsed.push(input, found.extended_back(input, parsed.end()));
        let end = parsed.end();
        if end + WINDOW <= input.len() {
            let word = input.word(at + 2);
            tables.enter_long(word, at + 2);
            tables.enter_short::<BYTES>(word, at + 2);
            tables.enter_long(input.word(end - 2), end - 2);
            tables.enter_short::<BYTES>(input.word(end - 1), end - 1);
        }
        at = push_alternating(input, parsed);
    }
    parsed.finish(input);
}

/// Returns a match of at least eight bytes that begins directly after `at`.
#[inline(always)]
fn longer_next<S: Slot>(tables: &mut Tables<S>, input: &Input, at: usize) -> Option<Match> {
    let word = input.word(at + 1);
    let from = tables.enter_long(word, at + 1);
    same::<8>(input, word, from).then(|| measured(input, at + 1, from, 8))
}
