//! The hash of an element: MurmurHash64A with Redis's seed.

use super::REGISTERS;

const SEED: u64 = 0xadc8_3b19;
const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
const SHIFT: u32 = 47;

/// Returns an element's register, and its rank: one more than the number of zeros at the low end of the other bits of
/// its hash, at most 51.
pub(super) fn index_and_rank(element: &[u8]) -> (usize, u8) {
    let hash = murmur64a(element, SEED);
    let index = hash as usize & (REGISTERS - 1);
    let rest = hash >> REGISTERS.trailing_zeros();
    let zeros = rest.trailing_zeros().min(u64::BITS - REGISTERS.trailing_zeros());
    (index, zeros as u8 + 1)
}

/// Returns the MurmurHash64A of bytes.
fn murmur64a(bytes: &[u8], seed: u64) -> u64 {
    let (words, tail) = bytes.as_chunks::<8>();
    let mut hash = seed ^ (bytes.len() as u64).wrapping_mul(FACTOR);
    for word in words {
        let mut word = u64::from_le_bytes(*word).wrapping_mul(FACTOR);
        word ^= word >> SHIFT;
        hash = (hash ^ word.wrapping_mul(FACTOR)).wrapping_mul(FACTOR);
    }
    if !tail.is_empty() {
        let word = tail.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        hash = (hash ^ word).wrapping_mul(FACTOR);
    }
    hash = (hash ^ hash >> SHIFT).wrapping_mul(FACTOR);
    hash ^ hash >> SHIFT
}
