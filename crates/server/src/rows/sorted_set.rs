//! Rows of sorted sets.
//!
//! ```text
//!   D|...|member            score:8
//!   Z|...|score:8|member    (empty)
//! ```
//!
//! Scores are eight bytes whose order is that of the numbers. Members of equal scores are in the order of their bytes.
//! -0 is stored as 0, as Redis does in small sorted sets, because the two are equal.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use smallvec::SmallVec;

/// Returns the bytes of a score, in the order of numbers. The score must not be NaN.
pub fn score_bytes(score: f64) -> [u8; 8] {
    ordered_bits(score).to_be_bytes()
}

/// Returns the score of eight bytes.
pub fn score_of(bytes: [u8; 8]) -> f64 {
    let ordered = u64::from_be_bytes(bytes);
    let bits = if ordered >> 63 == 1 { ordered ^ 1 << 63 } else { !ordered };
    f64::from_bits(bits)
}

/// Parses the value of a D row.
pub fn parse_score(value: &[u8]) -> Option<f64> {
    value.try_into().ok().map(score_of)
}

/// Returns the sub-key of a member's Z row.
pub fn rank_sub(score: f64, member: &[u8]) -> SmallVec<[u8; 64]> {
    let mut sub = SmallVec::from_slice(&score_bytes(score));
    sub.extend_from_slice(member);
    sub
}

/// Splits the sub-key of a Z row into the member and its score.
pub fn parse_rank(sub: &[u8]) -> Option<(&[u8], f64)> {
    let (score, member) = sub.split_first_chunk::<8>()?;
    Some((member, score_of(*score)))
}

/// Returns what the sub-keys of Z rows of all higher scores are at or above.
pub fn above_score_bytes(score: f64) -> [u8; 8] {
    // Infinity is not the highest of the bytes.
    ordered_bits(score).saturating_add(1).to_be_bytes()
}

fn ordered_bits(score: f64) -> u64 {
    // This makes 0 of -0.
    let bits = (score + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_the_order_of_scores() {
        let scores =
            [f64::NEG_INFINITY, f64::MIN, -1.5, -5e-324, 0.0, 5e-324, 1.0, f64::MAX, f64::INFINITY];
        for pair in scores.windows(2) {
            assert!(score_bytes(pair[0]) < score_bytes(pair[1]), "{pair:?}");
            assert!(above_score_bytes(pair[0]) <= score_bytes(pair[1]), "{pair:?}");
        }
        for score in scores {
            assert!(score_bytes(score) < above_score_bytes(score));
            assert_eq!(parse_score(&score_bytes(score)).map(f64::to_bits), Some(score.to_bits()));
            assert_eq!(parse_rank(&rank_sub(score, b"member")), Some((&b"member"[..], score)));
        }
        assert_eq!(score_bytes(-0.0), score_bytes(0.0));
        assert_eq!(above_score_bytes(-0.0), above_score_bytes(0.0));
        assert_eq!(parse_score(b"1234567"), None);
        assert_eq!(parse_rank(b"1234567"), None);
    }
}
