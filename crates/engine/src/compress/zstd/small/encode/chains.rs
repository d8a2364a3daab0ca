//! Matches by a hash table whose positions are chained: several candidates are compared, and a match is deferred while
//! one that begins later is better.

// Hashes and positions are masked to the size of their table.
#![allow(clippy::indexing_slicing)]

use super::super::codes::MAX_BLOCK;
use super::input::Input;
use super::parsed::{Match, Parsed};
use super::tables::{TABLE_LOG, TABLE_SIZE, WINDOW, clear, hash};
use super::zeroed;
use crate::compress::position::Position;

/// The bytes that are hashed: the shortest match that is found.
const BYTES: u32 = 4;
/// See `tables.rs`.
const PATIENCE: u32 = 8;
/// A deferred match must be better by this, because its sequence has one more literal.
const DEFER_COST: i32 = 4;

/// The last position of each hash, and for each position the one before it.
pub(super) struct Chains<S> {
    heads: Box<[S; TABLE_SIZE]>,
    /// Not cleared for a block: only positions of the block are reached from `heads`.
    before: Box<[S; MAX_BLOCK]>,
    shift: u32,
    /// The first position that is not entered.
    next: usize,
}

impl<S: Position> Chains<S> {
    pub(super) fn new() -> Chains<S> {
        Chains { heads: zeroed(), before: zeroed(), shift: 0, next: 1 }
    }

    fn clear(&mut self, len: usize) {
        // Larger than the block, so that most positions of random bytes have no candidate.
        self.shift = clear(&mut self.heads, 4 * len, TABLE_LOG);
        self.next = 1;
    }

    /// Enters all positions up to `at` and returns the last one with the same hash as `at`.
    #[inline(always)]
    fn enter_to(&mut self, input: &Input, at: usize) -> usize {
        let mut from = 0;
        while self.next <= at {
            let slot = &mut self.heads[hash(input.word(self.next), BYTES, self.shift)];
            from = std::mem::replace(slot, S::new(self.next)).get();
            self.before[self.next % MAX_BLOCK] = S::new(from);
            self.next += 1;
        }
        from
    }

    /// Returns the best match at a position that was not looked at before.
    #[inline(always)]
    fn best(&mut self, input: &Input, parsed: &Parsed, at: usize, depth: u32) -> Option<Rated> {
        let mut from = self.enter_to(input, at);
        let word = input.word(at);
        let mut best = None::<Rated>;
        for number in 0..2 {
            let offset = parsed.repeat(number);
            if offset <= at && input.word(at - offset) as u32 == word as u32 {
                better(&mut best, Rated::new(input, at, at - offset, true));
            }
        }
        for _ in 0..depth {
            if input.word(from) as u32 == word as u32 {
                better(&mut best, Rated::new(input, at, from, false));
            }
            let before = self.before[from % MAX_BLOCK].get();
            // Position 0 ends each chain; it has no entry.
            if from == 0 || before >= from {
                break;
            }
            from = before;
        }
        best
    }
}

/// A match and what it saves: a quarter of a byte per unit.
#[derive(Clone, Copy)]
struct Rated {
    found: Match,
    gain: i32,
}

impl Rated {
    #[inline(always)]
    fn new(input: &Input, start: usize, from: usize, repeats: bool) -> Rated {
        let (known, offset) = (BYTES as usize, start - from);
        let len = known + input.common_length(start + known, from + known);
        let cost = if repeats { 0 } else { offset.ilog2() as i32 };
        Rated { found: Match { start, offset, len }, gain: 4 * len as i32 - cost }
    }
}

#[inline(always)]
fn better(best: &mut Option<Rated>, other: Rated) {
    if best.is_none_or(|best| other.gain > best.gain) {
        *best = Some(other);
    }
}

/// Parses with chains. `depth` is the number of candidates per position.
pub(super) fn parse_lazy<S: Position>(
    chains: &mut Chains<S>,
    input: &Input,
    parsed: &mut Parsed,
    depth: u32,
) {
    chains.clear(input.len());
    let mut at = 1;
    while at + WINDOW <= input.len() {
        let Some(mut best) = chains.best(input, parsed, at, depth) else {
            at += 1 + ((at - parsed.end()) >> PATIENCE);
            continue;
        };
        while at + 1 + WINDOW <= input.len() {
            at += 1;
            let later = chains.best(input, parsed, at, depth);
            let Some(later) = later.filter(|later| later.gain > best.gain + DEFER_COST) else {
                break;
            };
            best = later;
        }
        parsed.push(input, best.found.extended_back(input, parsed.end()));
        at = parsed.end();
        if at + WINDOW <= input.len() {
            chains.enter_to(input, at - 1);
        }
    }
    parsed.finish(input);
}
