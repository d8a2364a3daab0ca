//! Sequences as codes and extra bits (RFC 8878, section 3.1.1.3.2.1).

// Tables have an entry for each value that their index can have; codes are below 64.
#![allow(clippy::indexing_slicing)]

use super::super::codes::{Code, LITERAL_LENGTHS, MATCH_LENGTHS};

/// Kinds of codes, in the order in which the format stores their tables.
pub(super) const LITERALS: usize = 0;
pub(super) const OFFSETS: usize = 1;
pub(super) const MATCHES: usize = 2;
/// A size for arrays of one value per code.
pub(super) const CODES: usize = 64;

/// The shortest match of the format.
const MATCH_MIN: u32 = 3;

/// One sequence: literals, then a match.
#[derive(Clone, Copy)]
pub(super) struct Sequence {
    /// The bits that follow the codes, in the order in which they are written: for the literals, the match, the offset.
    pub(super) extra: u64,
    /// The number of these bits: at most 49, because lengths have at most 16 and offsets of a block 17.
    pub(super) extra_bits: u8,
    /// The codes, by kind.
    pub(super) codes: [u8; 3],
}

/// The sequences of a block.
pub(super) struct Sequences {
    list: Vec<Sequence>,
    counts: [[u32; CODES]; 3],
}

impl Sequences {
    pub(super) fn new() -> Sequences {
        Sequences { list: Vec::new(), counts: [[0; CODES]; 3] }
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.counts = [[0; CODES]; 3];
    }

    pub(super) fn list(&self) -> &[Sequence] {
        &self.list
    }

    /// Returns how often each code of a kind occurs.
    pub(super) fn counts(&self, kind: usize) -> &[u32; CODES] {
        &self.counts[kind]
    }

    /// Appends a sequence. `matched` is at least 3; `offset` is the offset plus 3, or the number of a repeated one.
    #[inline(always)]
    pub(super) fn push(&mut self, literals: u32, matched: u32, offset: u32) {
        let codes = [literal_code(literals), offset.ilog2() as u8, match_code(matched)];
        let literal = LITERAL_BASES[usize::from(codes[LITERALS]) % CODES];
        let length = MATCH_BASES[usize::from(codes[MATCHES]) % CODES];
        let mut extra = u64::from(literals - literal.base);
        extra |= u64::from(matched - length.base) << literal.bits;
        let bits = literal.bits + length.bits;
        extra |= u64::from(offset - (1 << codes[OFFSETS])) << bits;
        for (counts, code) in self.counts.iter_mut().zip(codes) {
            counts[usize::from(code) % CODES] += 1;
        }
        let extra_bits = bits + codes[OFFSETS];
        self.list.push(Sequence { extra, extra_bits, codes });
    }
}

/// Returns the code of each value from `first` on, for `N` values.
const fn codes_of<const N: usize>(codes: &[Code], first: u32) -> [u8; N] {
    let mut of = [0; N];
    let (mut i, mut code) = (0, 0);
    while i < N {
        if code + 1 < codes.len() && codes[code + 1].base <= first + i as u32 {
            code += 1;
        }
        of[i] = code as u8;
        i += 1;
    }
    of
}

/// Returns the codes with unused ones behind them, so that a masked index needs no check.
const fn padded(codes: &[Code]) -> [Code; CODES] {
    let mut bases = [Code { base: 0, bits: 0 }; CODES];
    let mut i = 0;
    while i < codes.len() {
        bases[i] = codes[i];
        i += 1;
    }
    bases
}

static LITERAL_BASES: [Code; CODES] = padded(&LITERAL_LENGTHS);
static MATCH_BASES: [Code; CODES] = padded(&MATCH_LENGTHS);
/// Longer lengths have one code per power of two.
static LITERAL_CODES: [u8; 64] = codes_of(&LITERAL_LENGTHS, 0);
static MATCH_CODES: [u8; 128] = codes_of(&MATCH_LENGTHS, MATCH_MIN);
/// The difference of such a code and the power's exponent.
const LITERAL_STEP: u32 = 19;
const MATCH_STEP: u32 = 36;

#[inline(always)]
fn literal_code(len: u32) -> u8 {
    match LITERAL_CODES.get(len as usize) {
        Some(code) => *code,
        None => (len.ilog2() + LITERAL_STEP) as u8,
    }
}

#[inline(always)]
fn match_code(len: u32) -> u8 {
    let len = len - MATCH_MIN;
    match MATCH_CODES.get(len as usize) {
        Some(code) => *code,
        None => (len.ilog2() + MATCH_STEP) as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_cover_their_values() {
        for len in 0..=131_071_u32 {
            let code = LITERAL_LENGTHS[usize::from(literal_code(len))];
            assert!(len >= code.base && len - code.base < 1 << code.bits, "{len}: {code:?}");
            let code = MATCH_LENGTHS[usize::from(match_code(len + MATCH_MIN))];
            assert!(len + 3 >= code.base && len + 3 - code.base < 1 << code.bits, "{len}");
        }
    }

    #[test]
    fn the_largest_sequence_fits() {
        let mut sequences = Sequences::new();
        sequences.push(131_071, 131_074, (1 << 18) - 1);
        let [sequence] = sequences.list() else { panic!("one sequence") };
        assert_eq!(sequence.codes, [35, 17, 52]);
        assert_eq!((sequence.extra_bits, sequence.extra), (49, (1 << 49) - 1));
        assert_eq!(sequences.counts(OFFSETS)[17], 1);
    }
}
