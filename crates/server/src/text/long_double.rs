//! The arithmetic of INCRBYFLOAT and HINCRBYFLOAT: x86's extended format with a mantissa of 64 bits.
//!
//! Redis adds `long double` numbers and stores the result with 17 digits behind the point, so other formats would give
//! other texts. Parsing, adding and printing round correctly, as glibc and the processor do. Numbers with at most 19
//! digits and small exponents take a short way in 128-bit integers.

use std::fmt;

use num_bigint::BigUint;

use super::scan::{self, Format, Value, Wide};

const EXTENDED: Format = Format { precision: 64, exponent_min: -16445, exponent_max: 16320 };

/// The shortest text that Redis refuses without looking at it.
const LENGTH_LIMIT: usize = 5 * 1024;

/// Decimal exponents beyond this are outside the format, whatever the digits are.
const DECIMAL_EXPONENT_MAX: i64 = 5000;

/// Digits behind the point in the printed form.
const FRACTION_DIGITS: usize = 17;

/// A finite or infinite number of the extended format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongDouble {
    negative: bool,
    /// The value is `mantissa * 2^exponent`; `None` is infinity. Unless the exponent is the smallest, the mantissa's
    /// highest bit is set.
    finite: Option<(u64, i64)>,
}

impl LongDouble {
    /// Zero, the value of an absent key.
    pub const ZERO: LongDouble = LongDouble::new(false, 0, EXTENDED.exponent_min);

    const fn new(negative: bool, mantissa: u64, exponent: i64) -> LongDouble {
        LongDouble { negative, finite: Some((mantissa, exponent)) }
    }

    /// Parses the whole text as C's `strtold` does. Refuses NaN, white space, texts of 5 KiB, numbers outside the
    /// format's range, and numbers other than 0 that round to 0. Accepts `inf`.
    pub fn parse(text: &[u8]) -> Option<LongDouble> {
        if text.len() >= LENGTH_LIMIT {
            return None;
        }
        let scanned = scan::scan(text)?;
        let negative = scanned.negative;
        let wide = match scanned.value {
            Value::Infinite => return Some(LongDouble { negative, finite: None }),
            Value::Hex(wide) => wide,
            Value::Decimal { whole, fraction, exponent } => decimal(whole, fraction, exponent)?,
        };
        let (mantissa, exponent) = scan::round(wide, &EXTENDED)?;
        (mantissa != 0 || wide.mantissa == 0)
            .then_some(LongDouble::new(negative, mantissa, exponent))
    }

    /// Returns whether the number is infinite.
    pub fn is_infinite(self) -> bool {
        self.finite.is_none()
    }

    /// Returns the rounded sum, or `None` if it is infinite or not a number, which Redis's commands refuse.
    pub fn checked_add(self, other: LongDouble) -> Option<LongDouble> {
        let (mine, theirs) = (self.finite?, other.finite?);
        let ((high, low), (high_negative, low_negative)) = match mine.1 >= theirs.1 {
            true => ((mine, theirs), (self.negative, other.negative)),
            false => ((theirs, mine), (other.negative, self.negative)),
        };
        // Room for a carry above, and for bits that decide about rounding below.
        const ROOM: u32 = 62;
        let shift = u32::try_from(high.1 - low.1).unwrap_or(u32::MAX);
        let (large, unshifted) = (u128::from(high.0) << ROOM, u128::from(low.0) << ROOM);
        let small = unshifted.checked_shr(shift).unwrap_or(0);
        let sticky = small.checked_shl(shift).unwrap_or(0) != unshifted;
        let (negative, mantissa) = if high_negative == low_negative {
            (high_negative, large + small)
        } else if large >= small + u128::from(sticky) {
            (high_negative, large - small - u128::from(sticky))
        } else {
            // Only numbers with equal exponents get here, and those have no dropped bits.
            (low_negative, small - large)
        };
        let wide = Wide { mantissa, exponent: high.1 - i64::from(ROOM), sticky };
        let (mantissa, exponent) = scan::round(wide, &EXTENDED)?;
        Some(LongDouble::new(negative && mantissa != 0, mantissa, exponent))
    }
}

impl From<f64> for LongDouble {
    /// Converts exactly. NaN becomes 0.
    fn from(value: f64) -> LongDouble {
        let bits = value.to_bits();
        let (fraction, biased) = (bits & ((1 << 52) - 1), bits >> 52 & 0x7ff);
        let negative = value.is_sign_negative();
        let (mantissa, exponent) = match biased {
            _ if value.is_nan() => return LongDouble::ZERO,
            0x7ff => return LongDouble { negative, finite: None },
            0 => (fraction, -1074),
            _ => (fraction | 1 << 52, biased.cast_signed() - 1075),
        };
        if mantissa == 0 {
            return LongDouble { negative, ..LongDouble::ZERO };
        }
        let up = mantissa.leading_zeros();
        LongDouble::new(negative, mantissa << up, exponent - i64::from(up))
    }
}

/// Prints up to 17 digits behind the point, without trailing zeros or an exponent.
impl fmt::Display for LongDouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        let Some((mantissa, exponent)) = self.finite else { return write!(f, "{sign}inf") };
        if let Ok(exponent) = u64::try_from(exponent) {
            return write!(f, "{sign}{}", BigUint::from(mantissa) << exponent);
        }
        let (whole, fraction) = fixed_point(mantissa, exponent.unsigned_abs());
        if whole == 0 && fraction == 0 {
            return f.write_str("0");
        }
        write!(f, "{sign}{whole}")?;
        if fraction == 0 {
            return Ok(());
        }
        let digits = format!("{fraction:0width$}", width = FRACTION_DIGITS);
        write!(f, ".{}", digits.trim_end_matches('0'))
    }
}

/// Returns the integer part of `mantissa / 2^down`, and its fraction in units of `10^-17`, rounded to even.
fn fixed_point(mantissa: u64, down: u64) -> (u64, u128) {
    const UNITS: u128 = 10u128.pow(FRACTION_DIGITS as u32);
    let down = u32::try_from(down).unwrap_or(u32::MAX);
    let whole = mantissa.checked_shr(down).unwrap_or(0);
    let rest = mantissa - whole.checked_shl(down).unwrap_or(0);
    let fraction = scan::shift_right(u128::from(rest) * UNITS, down, false);
    // A fraction that rounds up to 1 has fewer bits than the mantissa, so the integer part cannot overflow.
    if fraction == UNITS { (whole + 1, 0) } else { (whole, fraction) }
}

/// Returns the value of decimal digits and a power of ten with more than 64 exact bits; `None` if it is outside the
/// format's range.
fn decimal(whole: &[u8], fraction: &[u8], exponent: i64) -> Option<Wide> {
    let digits: Vec<u8> =
        whole.iter().chain(fraction).copied().skip_while(|digit| *digit == b'0').collect();
    if digits.is_empty() {
        return Some(Wide { mantissa: 0, exponent: 0, sticky: false });
    }
    let count = i64::try_from(digits.len()).ok()?;
    let exponent = exponent - i64::try_from(fraction.len()).ok()?;
    if exponent.abs() <= 18 && count <= 19 {
        let value = digits.iter().fold(0u64, |value, digit| value * 10 + u64::from(digit - b'0'));
        return Some(small_decimal(value, exponent));
    }
    if exponent + count > DECIMAL_EXPONENT_MAX || exponent + count < -DECIMAL_EXPONENT_MAX {
        return None;
    }
    let value = BigUint::parse_bytes(&digits, 10)?;
    let power = BigUint::from(10u32).pow(u32::try_from(exponent.unsigned_abs()).ok()?);
    if exponent >= 0 {
        return top_bits(&(value * power), 0, false);
    }
    let up = (power.bits() + 70).saturating_sub(value.bits());
    let shifted = value << up;
    let quotient = &shifted / &power;
    let inexact = &quotient * &power != shifted;
    top_bits(&quotient, -i64::try_from(up).ok()?, inexact)
}

/// Returns `value * 10^exponent` for exponents of at most 18 digits.
fn small_decimal(value: u64, exponent: i64) -> Wide {
    let power = 10u128.pow(u32::try_from(exponent.unsigned_abs()).unwrap_or(0).min(18));
    if exponent >= 0 {
        return Wide { mantissa: u128::from(value) * power, exponent: 0, sticky: false };
    }
    // The quotient keeps 67 bits or more: the power has at most 60.
    let up = u128::from(value).leading_zeros();
    let dividend = u128::from(value) << up;
    let (quotient, rest) = (dividend / power, dividend % power);
    Wide { mantissa: quotient, exponent: -i64::from(up), sticky: rest != 0 }
}

/// Returns the highest bits of `value * 2^exponent`.
fn top_bits(value: &BigUint, exponent: i64, inexact: bool) -> Option<Wide> {
    let drop = value.bits().saturating_sub(120);
    let mantissa = u128::try_from(value >> drop).ok()?;
    let dropped = drop > 0 && value.trailing_zeros().is_some_and(|zeros| zeros < drop);
    Some(Wide { mantissa, exponent: exponent + drop.cast_signed(), sticky: inexact || dropped })
}

#[cfg(test)]
#[path = "long_double_test.rs"]
mod tests;
