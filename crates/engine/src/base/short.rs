//! Comparing short pieces of keys.
//!
//! A lookup compares a handful of pieces of some bytes each, and how long they are is known only then. The general
//! comparison is a call, of 30 instructions; two loads that may overlap are ten.

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

/// What follows a piece at the beginning of another one, if that begins with it.
#[inline(always)]
pub fn strip_prefix<'a>(a: &'a [u8], start: &[u8]) -> Option<&'a [u8]> {
    match a.split_at_checked(start.len()) {
        Some((front, rest)) if equal(front, start) => Some(rest),
        _ => None,
    }
}

/// Whether a piece ends with another one.
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
