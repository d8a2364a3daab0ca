//! Comparison of short pieces of keys.
//!
//! A lookup compares a handful of pieces of a few bytes each, whose lengths are known only at run time. The general
//! comparison is a call that takes 30 instructions; two loads that may overlap take ten.

/// The first eight bytes as a number that sorts like the bytes; a shorter piece is padded with zeros.
#[inline]
pub fn first_eight(bytes: &[u8]) -> u64 {
    match bytes.first_chunk::<8>() {
        Some(chunk) => u64::from_be_bytes(*chunk),
        None => bytes.iter().rev().fold(0, |v, &b| (v >> 8) | (u64::from(b) << 56)),
    }
}

/// Whether two pieces are equal.
#[inline(always)]
pub fn equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    match a.len() {
        4..=8 => ends_equal::<4>(a, b),
        9..=16 => ends_equal::<8>(a, b),
        _ => a == b,
    }
}

/// The rest of `a` after `start`; `None` if `a` does not begin with `start`.
#[inline(always)]
pub fn strip_prefix<'a>(a: &'a [u8], start: &[u8]) -> Option<&'a [u8]> {
    match a.split_at_checked(start.len()) {
        Some((front, rest)) if equal(front, start) => Some(rest),
        _ => None,
    }
}

/// The number of bytes that two pieces share at their beginnings.
#[inline]
pub fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut n = 0;
    // Most pieces differ soon.
    if let (Some(x), Some(y)) = (a.first_chunk(), b.first_chunk()) {
        let differences = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if differences != 0 {
            return (differences.trailing_zeros() / 8) as usize;
        }
        n = 8;
    }
    while let (Some(x), Some(y)) = (a[n..].first_chunk(), b[n..].first_chunk()) {
        let differences = u128::from_le_bytes(*x) ^ u128::from_le_bytes(*y);
        if differences != 0 {
            return n + (differences.trailing_zeros() / 8) as usize;
        }
        n += 16;
    }
    while n < len && a[n] == b[n] {
        n += 1;
    }
    n
}

/// Whether `a` ends with `end`.
#[inline(always)]
pub fn ends_with(a: &[u8], end: &[u8]) -> bool {
    a.len().checked_sub(end.len()).and_then(|at| a.get(at..)).is_some_and(|a| equal(a, end))
}

/// Compares `N` to `2 * N` bytes: the first `N` and the last `N`.
#[inline(always)]
fn ends_equal<const N: usize>(a: &[u8], b: &[u8]) -> bool {
    a.first_chunk::<N>() == b.first_chunk::<N>() && a.last_chunk::<N>() == b.last_chunk::<N>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_piece_counts_as_filled_up_with_zeros() {
        assert_eq!(first_eight(b""), 0);
        assert_eq!(first_eight(b"\x01"), 1 << 56);
        assert_eq!(first_eight(b"\x01\x02"), (1 << 56) | (2 << 48));
        assert_eq!(first_eight(b"12345678"), u64::from_be_bytes(*b"12345678"));
        assert_eq!(first_eight(b"123456789"), u64::from_be_bytes(*b"12345678"));
    }

    #[test]
    fn common_prefixes_end_at_the_first_difference() {
        let piece: Vec<u8> = (1..=40).collect();
        for len in 0..=piece.len() {
            assert_eq!(common_prefix(&piece[..len], &piece), len);
            assert_eq!(common_prefix(&piece, &piece[..len]), len);
            for at in 0..len {
                let mut other = piece.clone();
                other[at] ^= 0x80;
                other[at + 1..].reverse();
                assert_eq!(common_prefix(&piece[..len], &other), at, "{len} bytes");
            }
        }
    }

    #[test]
    fn pieces_are_compared_to_their_ends() {
        let piece: Vec<u8> = (1..=40).collect();
        for len in 0..=piece.len() {
            let a = &piece[..len];
            assert!(
                equal(a, &piece.clone()[..len])
                    && strip_prefix(&piece, a) == Some(&piece[len..])
                    && ends_with(&piece, &piece[40 - len..])
            );
            for at in 0..len {
                let mut b = a.to_vec();
                b[at] ^= 0x80;
                assert!(
                    !equal(a, &b) && strip_prefix(&piece, &b).is_none(),
                    "{len} bytes, {at} differs"
                );
                assert!(!ends_with(a, &b[at..]));
            }
            assert_eq!(equal(a, &piece), len == piece.len());
            assert_eq!(strip_prefix(a, &piece).is_some(), len == piece.len());
            assert_eq!(ends_with(a, &piece), len == piece.len());
        }
    }
}
