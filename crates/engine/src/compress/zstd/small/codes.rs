//! The tables that the format fixes: codes of lengths, and distributions of codes that frames may use without storing
//! them. Source: RFC 8878, sections 3.1.1.3.2.1 and 3.1.1.3.2.2.

/// The first value of a code and the number of bits that follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Code {
    pub(super) base: u32,
    pub(super) bits: u8,
}

// The compiler evaluates this: an index out of range does not compile.
#[allow(clippy::indexing_slicing)]
const fn codes<const N: usize>(first: u32, direct: usize, bits: [u8; N]) -> [Code; N] {
    let mut codes = [Code { base: 0, bits: 0 }; N];
    let (mut i, mut base) = (0, first);
    while i < N {
        codes[i] = Code { base, bits: bits[i] };
        base += 1 << bits[i];
        i += 1;
    }
    assert!(codes[direct].base == first + direct as u32);
    codes
}

/// Codes of literals' lengths. The first 16 are the lengths themselves.
pub(super) const LITERAL_LENGTHS: [Code; 36] = codes(
    0,
    15,
    [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10,
        11, 12, 13, 14, 15, 16,
    ],
);

/// Codes of matches' lengths. The first 32 are the lengths from 3 on.
pub(super) const MATCH_LENGTHS: [Code; 53] = codes(
    3,
    31,
    [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
    ],
);

/// Binary logarithms of the sizes of the tables for the default distributions: literals' lengths, offsets, matches'
/// lengths.
pub(super) const DEFAULT_LOGS: [u8; 3] = [6, 5, 6];

/// The default distribution of the codes of literals' lengths. -1 is a probability below 1.
pub(super) const DEFAULT_LITERAL_LENGTHS: [i16; 36] = [
    4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1,
    -1, -1, -1, -1,
];

/// The default distribution of the codes of offsets.
pub(super) const DEFAULT_OFFSETS: [i16; 29] =
    [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1];

/// The default distribution of the codes of matches' lengths.
pub(super) const DEFAULT_MATCH_LENGTHS: [i16; 53] = [
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
];

/// The most that a frame's compressed block may become.
pub(super) const MAX_BLOCK: usize = 128 << 10;

/// The offsets that a frame without a dictionary begins with.
pub(super) const FIRST_OFFSETS: [u32; 3] = [1, 4, 8];
