//! Integers in values, as INCR and the integer checks read them.
//!
//! ```text
//! integer = white space *, [+ or -], digits | 0 octal digits | 0x hexadecimal digits
//! ```
//!
//! The value must fit in 64 bits. Values that this server writes are plain decimal.

/// Returns the integer that the whole text spells.
pub fn parse(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let text = text.trim_start_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
    let (is_negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, digits.get(2..)?),
        [b'0', _, ..] => (8, digits.get(1..)?),
        _ => (10, digits),
    };
    // from_str_radix accepts a sign of its own.
    if !digits.bytes().next()?.is_ascii_alphanumeric() {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    if is_negative { 0_i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn integers() {
        let max = i64::MAX.to_string();
        let min = i64::MIN.to_string();
        let rows: [(&str, Option<i64>); 21] = [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("42", Some(42)),
            ("+42", Some(42)),
            (" \t-42", Some(-42)),
            ("010", Some(8)),
            ("0x1F", Some(31)),
            ("-0x10", Some(-16)),
            (&max, Some(i64::MAX)),
            (&min, Some(i64::MIN)),
            ("9223372036854775808", None),
            ("-9223372036854775809", None),
            ("", None),
            (" ", None),
            ("-", None),
            ("0x", None),
            ("1 ", None),
            ("1.5", None),
            ("--1", None),
            ("0x-1", None),
            ("08", None),
        ];
        for (text, expected) in rows {
            assert_eq!(parse(text.as_bytes()), expected, "{text:?}");
        }
        assert_eq!(parse(b"\xff"), None);
        assert_eq!(parse(b"1\0"), None);
    }
}
