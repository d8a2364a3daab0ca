//! A block as literals and matches.

// Positions are masked to the size of the buffer, which has room for one piece behind the last position.
#![allow(clippy::indexing_slicing)]

use super::super::codes::{FIRST_OFFSETS, MAX_BLOCK};
use super::input::{Input, PADDING};
use super::sequence::Sequences;
use super::zeroed;

/// A repetition of earlier bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) start: usize,
    /// The distance to the earlier bytes: at least 1, at most `start`.
    pub(super) offset: usize,
    pub(super) len: usize,
}

impl Match {
    /// Adds equal bytes before the match, but none before `first`.
    #[inline(always)]
    pub(super) fn extended_back(mut self, input: &Input, first: usize) -> Match {
        let first = first.max(self.offset);
        while self.start > first && input.same_before(self.start, self.start - self.offset) {
            self.start -= 1;
            self.len += 1;
        }
        self
    }
}

/// The literals and sequences of a block.
pub(super) struct Parsed {
    literals: Box<[u8; MAX_BLOCK + PADDING]>,
    literal_count: usize,
    sequences: Sequences,
    /// The offsets that the decoder knows, the last one first.
    repeats: [u32; 3],
    /// The end of the last match.
    end: usize,
}

impl Parsed {
    pub(super) fn new() -> Parsed {
        Parsed {
            literals: zeroed(),
            literal_count: 0,
            sequences: Sequences::new(),
            repeats: FIRST_OFFSETS,
            end: 0,
        }
    }

    /// Begins a block.
    pub(super) fn clear(&mut self) {
        self.literal_count = 0;
        self.sequences.clear();
        self.repeats = FIRST_OFFSETS;
        self.end = 0;
    }

    pub(super) fn literals(&self) -> &[u8] {
        &self.literals[..self.literal_count]
    }

    pub(super) fn sequences(&self) -> &Sequences {
        &self.sequences
    }

    /// Returns the end of the last match.
    #[inline(always)]
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// Returns one of the last offsets: number 0 is the last one.
    #[inline(always)]
    pub(super) fn repeat(&self, number: usize) -> usize {
        self.repeats[number] as usize
    }

    /// Appends a match. It must not begin before the end of the last one.
    #[inline(always)]
    pub(super) fn push(&mut self, input: &Input, found: Match) {
        let literals = found.start - self.end;
        self.copy_literals(input, literals);
        let offset = self.offset_value(found.offset as u32, literals == 0);
        self.sequences.push(literals as u32, found.len as u32, offset);
        self.end = found.start + found.len;
    }

    /// Appends the bytes after the last match as literals.
    pub(super) fn finish(&mut self, input: &Input) {
        self.copy_literals(input, input.len() - self.end);
    }

    #[inline(always)]
    fn copy_literals(&mut self, input: &Input, count: usize) {
        let mut done = 0;
        while done < count {
            let at = (self.literal_count + done) & (MAX_BLOCK - 1);
            if let Some(place) = self.literals[at..].first_chunk_mut() {
                *place = input.piece(self.end + done);
            }
            done += 32;
        }
        self.literal_count += count;
    }

    /// Returns the number by which the format stores an offset, and updates the last offsets as the decoder does.
    #[inline(always)]
    fn offset_value(&mut self, offset: u32, no_literals: bool) -> u32 {
        let [a, b, c] = self.repeats;
        // Directly after a match, the numbers 1 to 3 mean others: the last offset would have made that match longer.
        let known = if no_literals { [b, c, a - 1] } else { [a, b, c] };
        let number = known.iter().position(|&k| k == offset);
        self.repeats = match (number, no_literals) {
            (Some(0), false) => return 1,
            (Some(0), true) | (Some(1), false) => [b, a, c],
            (Some(1), true) | (Some(2), false) => [c, a, b],
            _ => [offset, a, b],
        };
        number.map_or(offset + 3, |n| n as u32 + 1)
    }
}
