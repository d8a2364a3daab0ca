//! Matches by hash tables that keep one position per hash: fast, and sufficient for small blocks.
//!
//! A table is cleared for each block: it has about as many entries as the block has bytes, and an entry that was not
//! written is position 0, which is a candidate like any other. So no candidate needs a check that it is valid.

// Hashes are masked to the size of their table.
#![allow(clippy::indexing_slicing)]

use super::input::Input;
use super::parsed::{Match, Parsed};
use super::zeroed;
use crate::compress::position::Position;

/// The largest table has 2^15 entries.
pub(super) const TABLE_LOG: u32 = 15;
pub(super) const TABLE_SIZE: usize = 1 << TABLE_LOG;
/// The smallest one.
const LOG_MIN: u32 = 8;
/// The largest one of the fast search, which must stay in the processor's first cache.
const FAST_LOG_MAX: u32 = 14;
/// After so many bytes without a match, the steps of the search become longer by 1.
const PATIENCE: usize = 64;
/// The bytes that are hashed, and read, at a position. The last positions of a block are not searched.
pub(super) const WINDOW: usize = 9;

/// Returns the highest bits of a product that depends on the low `bytes` bytes: an index below [`TABLE_SIZE`].
#[inline(always)]
pub(super) fn hash(word: u64, bytes: u32, shift: u32) -> usize {
    // The golden ratio: its multiples are spread evenly.
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let product = (word << (64 - 8 * bytes)).wrapping_mul(FACTOR);
    (product >> (shift & 63)) as usize % TABLE_SIZE
}

/// Clears as much of a table as a block of `len` bytes needs, at most 2^`log_max` entries. Returns the shift for
/// hashes.
pub(super) fn clear<S: Position>(table: &mut [S; TABLE_SIZE], len: usize, log_max: u32) -> u32 {
    let log = len.next_power_of_two().ilog2().clamp(LOG_MIN, log_max.min(TABLE_LOG));
    table[..1 << log].fill(S::default());
    64 - log
}

/// The last positions of hashes of eight bytes, and of a few bytes.
pub(super) struct Tables<S> {
    long: Box<[S; TABLE_SIZE]>,
    short: Box<[S; TABLE_SIZE]>,
    shift: u32,
}

impl<S: Position> Tables<S> {
    pub(super) fn new() -> Tables<S> {
        Tables { long: zeroed(), short: zeroed(), shift: 0 }
    }

    /// Enters a position by its first eight bytes and returns the last one with the same hash.
    #[inline(always)]
    fn enter_long(&mut self, word: u64, at: usize) -> usize {
        let slot = &mut self.long[hash(word, 8, self.shift)];
        std::mem::replace(slot, S::new(at)).get()
    }

    /// Enters a position by its first `BYTES` bytes.
    #[inline(always)]
    fn enter_short<const BYTES: u32>(&mut self, word: u64, at: usize) -> usize {
        let slot = &mut self.short[hash(word, BYTES, self.shift)];
        std::mem::replace(slot, S::new(at)).get()
    }
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

/// Where a search ended: two positions whose first `known` bytes are equal.
struct Hit {
    /// The last position that was entered.
    at: usize,
    start: usize,
    from: usize,
    known: usize,
}

impl Hit {
    /// A repetition with the last offset, which begins directly after `at`.
    #[inline(always)]
    fn repeated(at: usize, offset: usize) -> Hit {
        Hit { at, start: at + 1, from: at + 1 - offset, known: 4 }
    }
}

/// Looks for a match in one table, from `at` on. Not inlined, so that the loop has the processor's registers for
/// itself.
#[inline(never)]
fn search_fast<S: Position, const BYTES: u32>(
    tables: &mut Tables<S>,
    input: &Input,
    mut at: usize,
    offset: usize,
    mut stride: usize,
) -> Option<Hit> {
    let end = (input.len() + 1).saturating_sub(WINDOW);
    while at < end {
        let pause = (at + PATIENCE).min(end);
        while at < pause {
            let word = input.word(at);
            let from = tables.enter_short::<BYTES>(word, at);
            if same::<4>(input, word >> 8, at + 1 - offset) {
                return Some(Hit::repeated(at, offset));
            }
            if same::<BYTES>(input, word, from) {
                return Some(Hit { at, start: at, from, known: BYTES as usize });
            }
            at += stride;
        }
        stride += 1;
    }
    None
}

/// Looks for a match in both tables. One of eight bytes is preferred.
#[inline(never)]
fn search_double<S: Position, const BYTES: u32>(
    tables: &mut Tables<S>,
    input: &Input,
    mut at: usize,
    offset: usize,
) -> Option<Hit> {
    let end = (input.len() + 1).saturating_sub(WINDOW);
    let mut step = 1;
    while at < end {
        let pause = (at + PATIENCE).min(end);
        while at < pause {
            let word = input.word(at);
            let far = tables.enter_long(word, at);
            let near = tables.enter_short::<BYTES>(word, at);
            if same::<4>(input, word >> 8, at + 1 - offset) {
                return Some(Hit::repeated(at, offset));
            }
            if same::<8>(input, word, far) {
                return Some(Hit { at, start: at, from: far, known: 8 });
            }
            if same::<BYTES>(input, word, near) {
                return Some(longer_next(tables, input, at).unwrap_or(Hit {
                    at,
                    start: at,
                    from: near,
                    known: BYTES as usize,
                }));
            }
            at += step;
        }
        step += 1;
    }
    None
}

/// Returns a match of at least eight bytes that begins directly after `at`.
#[inline(always)]
fn longer_next<S: Position>(tables: &mut Tables<S>, input: &Input, at: usize) -> Option<Hit> {
    let word = input.word(at + 1);
    let from = tables.enter_long(word, at + 1);
    same::<8>(input, word, from).then_some(Hit { at, start: at + 1, from, known: 8 })
}

/// Appends the match that was found, with equal bytes before and behind it.
#[inline(always)]
fn push(input: &Input, parsed: &mut Parsed, hit: &Hit) {
    let found = measured(input, hit.start, hit.from, hit.known);
    parsed.push(input, found.extended_back(input, parsed.end()));
}

/// Parses with one table. A longer `stride` from position to position is faster, and finds less.
pub(super) fn parse_fast<S: Position, const BYTES: u32>(
    tables: &mut Tables<S>,
    input: &Input,
    parsed: &mut Parsed,
    stride: usize,
) {
    tables.shift = clear(&mut tables.short, input.len(), FAST_LOG_MAX);
    let mut at = 1;
    while let Some(hit) = search_fast::<S, BYTES>(tables, input, at, parsed.repeat(0), stride) {
        push(input, parsed, &hit);
        let (after, before) = (hit.at + 2, parsed.end() - 2);
        if before + 2 + WINDOW <= input.len() {
            tables.enter_short::<BYTES>(input.word(after), after);
            tables.enter_short::<BYTES>(input.word(before), before);
        }
        at = push_alternating(input, parsed);
    }
    parsed.finish(input);
}

/// Parses with both tables.
pub(super) fn parse_double<S: Position, const BYTES: u32>(
    tables: &mut Tables<S>,
    input: &Input,
    parsed: &mut Parsed,
) {
    tables.shift = clear(&mut tables.long, input.len(), TABLE_LOG);
    clear(&mut tables.short, input.len(), TABLE_LOG);
    let mut at = 1;
    while let Some(hit) = search_double::<S, BYTES>(tables, input, at, parsed.repeat(0)) {
        push(input, parsed, &hit);
        let (after, before) = (hit.at + 2, parsed.end() - 2);
        if before + 2 + WINDOW <= input.len() {
            let word = input.word(after);
            tables.enter_long(word, after);
            tables.enter_short::<BYTES>(word, after);
            tables.enter_long(input.word(before), before);
            tables.enter_short::<BYTES>(input.word(before + 1), before + 1);
        }
        at = push_alternating(input, parsed);
    }
    parsed.finish(input);
}
