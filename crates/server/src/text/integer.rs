//! Integers as Redis reads them from arguments and values.

/// The longest text of an integer: a sign and 19 digits.
const LENGTH_MAX: usize = 20;

/// Parses a signed integer strictly: an optional `-`, digits without leading zeros, nothing else. `-0` is refused.
pub fn parse(text: &[u8]) -> Option<i64> {
    if text.len() > LENGTH_MAX {
        return None;
    }
    if text == b"0" {
        return Some(0);
    }
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if !matches!(digits.first(), Some(b'1'..=b'9')) {
        return None;
    }
    let magnitude = magnitude(digits)?;
    match negative {
        true => 0i64.checked_sub_unsigned(magnitude),
        false => i64::try_from(magnitude).ok(),
    }
}

/// Parses an unsigned integer as the parts of stream ids are parsed: as [`parse`] if that succeeds and the result is
/// not negative; otherwise as C's `strtoull` does, which also skips white space, accepts `+` and leading zeros, and
/// takes a negative number modulo 2^64. The text ends at its first zero byte.
pub fn parse_unsigned(text: &[u8]) -> Option<u64> {
    let text = until_zero(text);
    if let Some(value) = parse(text) {
        return u64::try_from(value).ok();
    }
    let blanks = text.iter().take_while(|b| is_space(**b)).count();
    let text = text.get(blanks..)?;
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() {
        return None;
    }
    let magnitude = magnitude(digits)?;
    Some(if negative { magnitude.wrapping_neg() } else { magnitude })
}

/// Returns the bytes before the first zero byte, which is where C's functions stop to read.
pub(crate) fn until_zero(text: &[u8]) -> &[u8] {
    text.split(|b| *b == 0).next().unwrap_or(text)
}

/// Returns whether C's `isspace` holds in the C locale.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Returns the value of decimal digits; `None` for another byte or an overflow.
fn magnitude(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |value, digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_integers() {
        for (text, value) in [
            ("0", Some(0)),
            ("-1", Some(-1)),
            ("42", Some(42)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("-9223372036854775809", None),
            ("18446744073709551616", None),
            ("", None),
            ("-", None),
            ("-0", None),
            ("+1", None),
            ("01", None),
            (" 1", None),
            ("1 ", None),
            ("1.0", None),
            ("100000000000000000000", None),
        ] {
            assert_eq!(parse(text.as_bytes()), value, "{text}");
        }
    }

    #[test]
    fn unsigned_integers() {
        for (text, value) in [
            ("0", Some(0)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("-5", None),
            ("-05", Some(5u64.wrapping_neg())),
            ("+5", Some(5)),
            (" 007", Some(7)),
            ("7\0rest", Some(7)),
            ("", None),
            (" ", None),
            ("5 ", None),
            ("-0", Some(0)),
        ] {
            assert_eq!(parse_unsigned(text.as_bytes()), value, "{text}");
        }
    }
}
