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

/// The largest table has 2^15 entries.
const TABLE_LOG: u32 = 15;
pub(super) const TABLE_SIZE: usize = 1 << TABLE_LOG;
/// The smallest one.
const SIZE_MIN: usize = 1 << 8;
/// The largest one of the fast search, which must stay in the processor's first cache.
const FAST_SIZE_MAX: usize = 1 << 14;
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

/// Returns high bits of a product that depends on the low `bytes` bytes: below [`TABLE_SIZE`], and masked.
#[inline(always)]
pub(super) fn hash(word: u64, bytes: u32, mask: usize) -> usize {
    // The golden ratio: its multiples are spread evenly.
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let product = (word << (64 - 8 * bytes)).wrapping_mul(FACTOR);
    (product >> (64 - TABLE_LOG)) as usize & mask
}

/// Returns the mask for a table of a block of `len` bytes: its size, which is a power of two, less 1.
pub(super) fn table_mask(len: usize, max: usize) -> usize {
    len.next_power_of_two().clamp(SIZE_MIN, max.min(TABLE_SIZE)) - 1
}

/// The last positions of hashes of eight bytes, and of a few bytes.
pub(super) struct Tables<S> {
    long: Box<[S; TABLE_SIZE]>,
    short: Box<[S; TABLE_SIZE]>,
    mask: usize,
}

impl<S: Slot> Tables<S> {
    pub(super) fn new() -> Tables<S> {
        Tables { long: zeroed(), short: zeroed(), mask: 0 }
    }

    /// Enters a position by its first eight bytes and returns the last one with the same hash.
    #[inline(always)]
    fn enter_long(&mut self, word: u64, at: usize) -> usize {
        let slot = &mut self.long[hash(word, 8, self.mask)];
        std::mem::replace(slot, S::new(at)).get()
    }

    /// Enters a position by its first `BYTES` bytes.
    #[inline(always)]
    fn enter_short<const BYTES: u32>(&mut self, word: u64, at: usize) -> usize {
        let slot = &mut self.short[hash(word, BYTES, self.mask)];
        std::mem::replace(slot, S::new(at)).get()
    }
}

/// Returns a match with the last offset, if it begins directly after `at`, where `word` is, and has at least four bytes.
#[inline(always)]
fn repeated(input: &Input, word: u64, at: usize, offset: usize) -> Option<Match> {
    let from = at + 1 - offset;
    same::<4>(input, word >> 8, from).then(|| measured(input, at + 1, from, 4))
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
    tables.mask = table_mask(input.len(), FAST_SIZE_MAX);
    tables.short[..=tables.mask].fill(S::default());
    let mut at = 1;
    while at + WINDOW <= input.len() {
        let word = input.word(at);
        let from = tables.enter_short::<BYTES>(word, at);
        let found = if let Some(found) = repeated(input, word, at, parsed.repeat(0)) {
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
    tables.mask = table_mask(input.len(), TABLE_SIZE);
    tables.long[..=tables.mask].fill(S::default());
    tables.short[..=tables.mask].fill(S::default());
    let mut at = 1;
    while at + WINDOW <= input.len() {
        let word = input.word(at);
        let (far, near) = (tables.enter_long(word, at), tables.enter_short::<BYTES>(word, at));
        let found = if let Some(found) = repeated(input, word, at, parsed.repeat(0)) {
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
