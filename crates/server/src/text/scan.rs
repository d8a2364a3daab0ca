//! The grammar of C's `strtod` and `strtold` for a whole text, and rounding to a binary format.
//!
//! ```text
//! number   = [ "+" | "-" ] ( decimal | hex | "inf" | "infinity" )      letters in either case
//! decimal  = digits [ "." [ digits ] ] [ exponent ] | "." digits [ exponent ]     exponent = "e" [ sign ] digits
//! hex      = "0x" the same with hexadecimal digits                                exponent = "p" [ sign ] digits
//! ```
//!
//! NaN is not accepted: every caller refuses it.

/// A number's text, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Scanned<'a> {
    pub negative: bool,
    pub value: Value<'a>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Infinite,
    /// The digits before and after the point, and a power of ten.
    Decimal {
        whole: &'a [u8],
        fraction: &'a [u8],
        exponent: i64,
    },
    /// A mantissa, a power of two, and whether bits below the mantissa were dropped.
    Hex(Wide),
}

/// The value `mantissa * 2^exponent`, plus less than `2^exponent` if `sticky`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wide {
    pub mantissa: u128,
    pub exponent: i64,
    pub sticky: bool,
}

/// A binary floating-point format.
pub(super) struct Format {
    /// Bits of the mantissa.
    pub precision: u32,
    /// The exponent of the last bit of the smallest numbers.
    pub exponent_min: i64,
    /// The exponent of the last bit of the largest numbers.
    pub exponent_max: i64,
}

/// Takes a number apart. Returns `None` unless the whole text is one number.
pub(super) fn scan(text: &[u8]) -> Option<Scanned<'_>> {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let value = match text {
        [b'0', b'x' | b'X', rest @ ..] => Value::Hex(hex(rest)?),
        _ if text.eq_ignore_ascii_case(b"inf") || text.eq_ignore_ascii_case(b"infinity") => {
            Value::Infinite
        }
        _ => {
            let (whole, fraction, rest) = digits(text, u8::is_ascii_digit)?;
            Value::Decimal { whole, fraction, exponent: exponent(rest, b'e')? }
        }
    };
    Some(Scanned { negative, value })
}

/// Rounds to the nearest number of a format, ties to even. Returns a mantissa and its exponent, or `None` if the number
/// is too large. If the number is sticky, its mantissa must have more bits than the format.
pub(super) fn round(wide: Wide, format: &Format) -> Option<(u64, i64)> {
    if wide.mantissa == 0 {
        return Some((0, format.exponent_min));
    }
    let bits = i64::from(u128::BITS - wide.mantissa.leading_zeros());
    let excess = bits - i64::from(format.precision);
    let exponent = wide.exponent.saturating_add(excess).max(format.exponent_min);
    let drop = exponent.saturating_sub(wide.exponent);
    let mantissa = match u32::try_from(drop) {
        Ok(0) => wide.mantissa,
        Ok(drop) => shift_right(wide.mantissa, drop, wide.sticky),
        // Fewer bits than the format has: the mantissa moves up.
        Err(_) if drop < 0 => {
            let up = u32::try_from(-drop).ok().filter(|up| *up < 64)?;
            wide.mantissa << up
        }
        Err(_) => 0,
    };
    let mantissa = u64::try_from(mantissa);
    let (mantissa, exponent) = match mantissa {
        Ok(mantissa) if mantissa >> (format.precision - 1) <= 1 => (mantissa, exponent),
        // Rounding up carried into one bit more; the mantissa is a power of two.
        _ => (1 << (format.precision - 1), exponent + 1),
    };
    (mantissa == 0 || exponent <= format.exponent_max).then_some((mantissa, exponent))
}

/// Shifts right by at least one bit and rounds to the nearest number, ties to even.
pub(super) fn shift_right(value: u128, by: u32, sticky: bool) -> u128 {
    if by > 128 {
        return 0;
    }
    let kept = value.checked_shr(by).unwrap_or(0);
    let half = 1u128 << (by - 1);
    let dropped = value & (half | (half - 1));
    let up = dropped > half || (dropped == half && (sticky || kept & 1 == 1));
    kept + u128::from(up)
}

/// Splits off digits with at most one point; at least one digit is needed.
fn digits(text: &[u8], is_digit: fn(&u8) -> bool) -> Option<(&[u8], &[u8], &[u8])> {
    let split = |text: &'_ [u8]| text.iter().take_while(|b| is_digit(b)).count();
    let (whole, rest) = text.split_at_checked(split(text))?;
    let (fraction, rest) = match rest {
        [b'.', rest @ ..] => rest.split_at_checked(split(rest))?,
        _ => (&[][..], rest),
    };
    (!whole.is_empty() || !fraction.is_empty()).then_some((whole, fraction, rest))
}

/// Parses the exponent that ends a text, saturating; 0 if there is none.
fn exponent(text: &[u8], letter: u8) -> Option<i64> {
    let [first, rest @ ..] = text else { return Some(0) };
    if first.to_ascii_lowercase() != letter {
        return None;
    }
    let (sign, digits) = match rest {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] => (1, digits),
        _ => (1, rest),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let magnitude = digits.iter().fold(0i64, |value, digit| {
        value.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
    });
    // Sums with lengths of texts must not overflow.
    Some(sign * magnitude.min(i64::MAX / 4))
}

/// Parses a hexadecimal number behind its `0x`.
fn hex(text: &[u8]) -> Option<Wide> {
    let (whole, fraction, rest) = digits(text, u8::is_ascii_hexdigit)?;
    let mut wide = Wide { mantissa: 0, exponent: exponent(rest, b'p')?, sticky: false };
    wide.exponent -= 4 * i64::try_from(fraction.len()).ok()?;
    for digit in whole.iter().chain(fraction) {
        let digit = u128::from(char::from(*digit).to_digit(16)?);
        if wide.mantissa >> 120 == 0 {
            wide.mantissa = wide.mantissa << 4 | digit;
        } else {
            wide.exponent += 4;
            wide.sticky |= digit != 0;
        }
    }
    Some(wide)
}
