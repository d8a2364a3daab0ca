//! Doubles (scores of sorted sets, coordinates) as Redis parses and prints them.

use std::fmt;
use std::io::Write;

use super::integer::{self, is_space, until_zero};
use super::long_double::LongDouble;
use super::scan::{self, Format, Value};

const DOUBLE: Format = Format { precision: 53, exponent_min: -1074, exponent_max: 971 };

/// Digits that suffice for every double.
const SIGNIFICANT_DIGITS: usize = 17;

/// The longest text of a double, with some room.
const TEXT_MAX: usize = 32;

/// Parses the whole text as C's `strtod` does, including hexadecimal numbers and `inf`. Refuses NaN, white space,
/// numbers too large for a double, and numbers other than 0 that round to 0.
pub fn parse(text: &[u8]) -> Option<f64> {
    let (value, exact_range) = parse_any(text)?;
    exact_range.then_some(value)
}

/// Parses an end of a range of scores, or a stored score. This is more lenient than [`parse`]: white space may come
/// first, the text ends at its first zero byte, an empty text is 0, and a number outside the range of doubles is an
/// infinity or 0.
pub(crate) fn parse_lenient(text: &[u8]) -> Option<f64> {
    let text = until_zero(text);
    if text.is_empty() {
        return Some(0.0);
    }
    let blanks = text.iter().take_while(|b| is_space(**b)).count();
    parse_any(text.get(blanks..)?).map(|(value, _)| value)
}

/// Formats a double as Redis 7.2 replies with scores: integers plainly, otherwise the shortest text that reads back
/// as the same double, `inf`, `-inf` and `nan`.
///
/// Redis's own digits are not the shortest for about one double in a thousand; both texts read back equal.
pub fn format(value: f64) -> String {
    let mut out = Vec::with_capacity(TEXT_MAX);
    append(&mut out, value);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends the text of [`format()`].
pub fn append(out: &mut Vec<u8>, value: f64) {
    if !value.is_finite() {
        return append_not_finite(out, value);
    }
    // All doubles of this size without a fraction, and none that an i64 cannot hold.
    if value != 0.0 && value.abs() <= (i64::MAX / 2) as f64 && value.trunc() == value {
        out.extend_from_slice(itoa::Buffer::new().format(value as i64).as_bytes());
        return;
    }
    let digits = Digits::of(format_args!("{:e}", value.abs()));
    if value.is_sign_negative() {
        out.push(b'-');
    }
    let last = digits.exponent - (digits.count() - 1);
    let is_plain = if last >= 0 {
        digits.exponent < digits.count() + 7
    } else {
        last > -7 || digits.exponent.abs() < 4
    };
    if is_plain { digits.append_plain(out) } else { digits.append_scientific(out, 1) }
}

/// Formats a double with 17 significant digits without trailing zeros, as C's `%.17g`: scores in Redis 7.0.
pub fn format_17_digits(value: f64) -> String {
    let mut out = Vec::with_capacity(TEXT_MAX);
    append_17_digits(&mut out, value);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends the text of [`format_17_digits`].
pub fn append_17_digits(out: &mut Vec<u8>, value: f64) {
    append_significant(out, value, SIGNIFICANT_DIGITS);
}

/// Appends a double with 1 to 17 significant digits without trailing zeros, as C's `%.*g`.
pub fn append_significant(out: &mut Vec<u8>, value: f64, count: usize) {
    if !value.is_finite() {
        return append_not_finite(out, value);
    }
    let count = count.clamp(1, SIGNIFICANT_DIGITS);
    let mut digits = Digits::of(format_args!("{:.*e}", count - 1, value.abs()));
    digits.trim_zeros();
    if value.is_sign_negative() {
        out.push(b'-');
    }
    if digits.exponent >= -4 && digits.exponent < count as i32 {
        digits.append_plain(out);
    } else {
        digits.append_scientific(out, 2);
    }
}

/// Formats a double with up to 17 digits behind the point and never an exponent: coordinates in replies.
pub fn format_human(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    LongDouble::from(value).to_string()
}

/// Formats a double with a fixed number of digits behind the point. Redis rounds the scaled double to an integer, ties
/// to even; numbers beyond 64 bits then print as the smallest integer.
pub fn format_scaled(value: f64, digits: u32) -> String {
    let unit = 10u64.pow(digits);
    let scaled = (value * unit as f64).round_ties_even();
    let is_inside = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&scaled);
    let scaled = if is_inside { scaled as i64 } else { i64::MIN };
    let sign = if scaled < 0 { "-" } else { "" };
    let (whole, fraction) = (scaled.unsigned_abs() / unit, scaled.unsigned_abs() % unit);
    format!("{sign}{whole}.{fraction:0width$}", width = digits as usize)
}

/// Returns a number and whether it is inside the range of doubles.
fn parse_any(text: &[u8]) -> Option<(f64, bool)> {
    let scanned = scan::scan(text)?;
    let (magnitude, in_range) = match scanned.value {
        Value::Infinite => (f64::INFINITY, true),
        Value::Decimal { whole, fraction, .. } => {
            let unsigned = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
            let value: f64 = std::str::from_utf8(unsigned).ok()?.parse().ok()?;
            let is_zero = whole.iter().chain(fraction).all(|digit| *digit == b'0');
            (value, value.is_finite() && (value != 0.0 || is_zero))
        }
        Value::Hex(wide) => match scan::round(wide, &DOUBLE) {
            Some((mantissa, exponent)) => {
                let value = compose(mantissa, exponent);
                (value, value != 0.0 || wide.mantissa == 0)
            }
            None => (f64::INFINITY, false),
        },
    };
    Some((if scanned.negative { -magnitude } else { magnitude }, in_range))
}

/// Returns the double of a rounded mantissa.
fn compose(mantissa: u64, exponent: i64) -> f64 {
    // Below this bit, the number is 0 or subnormal, and its exponent the smallest.
    let is_normal = mantissa >> 52 == 1;
    let biased = if is_normal { u64::try_from(exponent + 1075).unwrap_or(0) } else { 0 };
    f64::from_bits(biased << 52 | mantissa & ((1 << 52) - 1))
}

fn append_not_finite(out: &mut Vec<u8>, value: f64) {
    out.extend_from_slice(match value {
        _ if value.is_nan() => b"nan",
        _ if value > 0.0 => b"inf",
        _ => b"-inf",
    });
}

/// Significant digits, of which the first stands for `10^exponent`.
struct Digits {
    bytes: [u8; TEXT_MAX],
    length: usize,
    exponent: i32,
}

impl Digits {
    /// Takes the digits of a number that is not negative and printed in Rust's scientific form.
    fn of(printed: fmt::Arguments<'_>) -> Digits {
        let mut digits = Digits { bytes: [0; TEXT_MAX], length: 0, exponent: 0 };
        let mut text = [0; TEXT_MAX];
        let mut rest = &mut text[..];
        // A double prints at most 17 digits, a point, and an exponent of five bytes.
        let _ = rest.write_fmt(printed);
        let unused = rest.len();
        let text = text.get(..TEXT_MAX - unused).unwrap_or_default();
        let mut parts = text.split(|byte| *byte == b'e');
        let mantissa = parts.next().unwrap_or_default();
        for (to, digit) in digits.bytes.iter_mut().zip(mantissa.iter().filter(|b| **b != b'.')) {
            *to = *digit;
            digits.length += 1;
        }
        let exponent = parts.next().and_then(integer::parse).unwrap_or(0);
        digits.exponent = i32::try_from(exponent).unwrap_or(0);
        digits
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    fn count(&self) -> i32 {
        i32::try_from(self.length).unwrap_or(i32::MAX)
    }

    /// Drops zeros at the end; one digit stays.
    fn trim_zeros(&mut self) {
        let kept = self.as_bytes().iter().rposition(|digit| *digit != b'0').unwrap_or(0);
        self.length = kept + 1;
    }

    /// Appends the number with an exponent of at least so many digits.
    fn append_scientific(&self, out: &mut Vec<u8>, exponent_digits: usize) {
        let (first, rest) = self.as_bytes().split_at(1);
        out.extend_from_slice(first);
        if !rest.is_empty() {
            out.push(b'.');
            out.extend_from_slice(rest);
        }
        let sign = if self.exponent < 0 { '-' } else { '+' };
        let exponent = self.exponent.unsigned_abs();
        let _ = write!(out, "e{sign}{exponent:0exponent_digits$}");
    }

    /// Appends the number without an exponent.
    fn append_plain(&self, out: &mut Vec<u8>) {
        let digits = self.as_bytes();
        let Ok(before_point) = usize::try_from(self.exponent + 1) else {
            let zeros = usize::try_from(-self.exponent - 1).unwrap_or(0);
            out.extend_from_slice(b"0.");
            out.extend(std::iter::repeat_n(b'0', zeros));
            return out.extend_from_slice(digits);
        };
        let (whole, fraction) = digits.split_at_checked(before_point).unwrap_or((digits, b""));
        out.extend_from_slice(if before_point == 0 { b"0" } else { whole });
        out.extend(std::iter::repeat_n(b'0', before_point.saturating_sub(digits.len())));
        if !fraction.is_empty() {
            out.push(b'.');
            out.extend_from_slice(fraction);
        }
    }
}

#[cfg(test)]
#[path = "double_test.rs"]
mod tests;
