//! Doubles (scores of sorted sets, coordinates) as Redis parses and prints them.

use std::fmt::Write;

use super::integer::{is_space, until_zero};
use super::long_double::LongDouble;
use super::scan::{self, Format, Value};

const DOUBLE: Format = Format { precision: 53, exponent_min: -1074, exponent_max: 971 };

/// The digits behind the point at most in [`format_human`].
const SIGNIFICANT_DIGITS: i32 = 17;

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
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return infinity(value);
    }
    // All doubles of this size without a fraction, and none that an i64 cannot hold.
    if value != 0.0 && value.abs() <= (i64::MAX / 2) as f64 && value.trunc() == value {
        return (value as i64).to_string();
    }
    let (digits, exponent) = significant(format_args!("{:e}", value.abs()));
    let text = plain_or_scientific(&digits, exponent);
    if value.is_sign_negative() { format!("-{text}") } else { text }
}

/// Formats a double with 17 significant digits without trailing zeros, as C's `%.17g`: scores in Redis 7.0.
pub fn format_17_digits(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return infinity(value);
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let (digits, exponent) = significant(format_args!("{:.16e}", value.abs()));
    let kept = digits.trim_end_matches('0').len().max(1);
    let digits = digits.get(..kept).unwrap_or("0");
    if !(-4..SIGNIFICANT_DIGITS).contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let letter = if exponent < 0 { "e-" } else { "e+" };
        return format!("{sign}{first}{point}{rest}{letter}{:02}", exponent.abs());
    }
    format!("{sign}{}", with_point(digits, exponent))
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

fn infinity(value: f64) -> String {
    if value > 0.0 { "inf".to_owned() } else { "-inf".to_owned() }
}

/// Returns the digits and the exponent of a number that Rust printed in its scientific form.
fn significant(printed: std::fmt::Arguments<'_>) -> (String, i32) {
    let text = printed.to_string();
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

/// Prints significant digits whose first stands for `10^exponent` in the form that Redis 7.2 chooses.
fn plain_or_scientific(digits: &str, exponent: i32) -> String {
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let last = exponent - (count - 1);
    let is_plain = if last >= 0 { exponent < count + 7 } else { last > -7 || exponent.abs() < 4 };
    if is_plain {
        return with_point(digits, exponent);
    }
    let (first, rest) = digits.split_at(1);
    let mut text = first.to_owned();
    if !rest.is_empty() {
        let _ = write!(text, ".{rest}");
    }
    let _ = write!(text, "e{exponent:+}");
    text
}

/// Prints significant digits whose first stands for `10^exponent` without an exponent.
fn with_point(digits: &str, exponent: i32) -> String {
    let Ok(before_point) = usize::try_from(exponent + 1) else {
        let zeros = usize::try_from(-exponent - 1).unwrap_or(0);
        return format!("0.{}{digits}", "0".repeat(zeros));
    };
    match digits.split_at_checked(before_point) {
        Some(("", digits)) => format!("0.{digits}"),
        Some((whole, "")) => whole.to_owned(),
        Some((whole, fraction)) => format!("{whole}.{fraction}"),
        None => format!("{digits}{}", "0".repeat(before_point - digits.len())),
    }
}

#[cfg(test)]
#[path = "double_test.rs"]
mod tests;
