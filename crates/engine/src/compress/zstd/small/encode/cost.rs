//! Logarithms for estimates, in units of 1/256.

// The index is masked to the table's size.
#![allow(clippy::indexing_slicing)]

/// Fractions of the logarithms of 1, 1 + 1/256, 1 + 2/256 and so on.
const FRACTIONS: [u8; 256] = fractions();

const fn fractions() -> [u8; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = fraction(i as u64);
        i += 1;
    }
    table
}

/// Returns the first eight digits of the logarithm of 1 + i/256: each is whether the square exceeds 2.
const fn fraction(i: u64) -> u8 {
    let mut value = (256 + i) << 22;
    let (mut digits, mut n) = (0, 0);
    while n < 8 {
        value = (value * value) >> 30;
        let exceeds = value >> 31;
        value >>= exceeds;
        digits = digits << 1 | exceeds as u8;
        n += 1;
    }
    digits
}

/// Returns the binary logarithm of a number, which must not be 0, times 256.
#[inline(always)]
pub(super) const fn log2(value: u32) -> u32 {
    let exponent = value.ilog2();
    let mantissa = ((value as u64) << 8 >> exponent) as usize % 256;
    (exponent << 8) + FRACTIONS[mantissa] as u32
}

/// Returns the bits that symbols of these counts take with the best code, times 256. `total` is their sum.
pub(super) fn entropy(counts: &[u32], total: u32) -> u64 {
    let whole = log2(total.max(1));
    let used = counts.iter().filter(|&&count| count > 0);
    used.map(|&count| u64::from(count) * u64::from(whole - log2(count).min(whole))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_close() {
        for value in 1..200_000_u32 {
            let exact = f64::from(value).log2() * 256.0;
            assert!((exact - f64::from(log2(value))).abs() < 2.5, "{value}: {exact}");
        }
    }

    #[test]
    fn entropy_is_that_of_the_counts() {
        assert_eq!(entropy(&[8, 8, 0, 16], 32), (8 * 2 + 8 * 2 + 16) * 256);
        assert_eq!(entropy(&[0, 5], 5), 0);
    }
}
