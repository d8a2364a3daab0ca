//! The text forms of values, and of lists of options.
//!
//! ```text
//! list  := pair (';' pair)* [';']
//! pair  := name '=' value
//! value := '{' list-or-text '}' | text without ';'
//! ```
//!
//! A backslash before a character makes it literal; `\n` and `\r` are line ends. Numbers may end in K, M, G or T.
//! Whitespace around names and values is ignored. Any text gives a list or an error, never a panic.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use crate::error::{Error, Result};

/// Splits `k=v;k={a=b;}` into pairs. Values in braces are returned without the outer braces. Errors begin with
/// RocksDB's words.
pub fn split_pairs(text: &str) -> Result<Vec<(&str, &str)>> {
    let mut pairs = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, after) = match rest.find(['=', '{', '}', ';']) {
            None => return Err(malformed("Mismatched key value pair, '=' expected", rest)),
            Some(at) => rest.split_at(at),
        };
        let Some(after) = after.strip_prefix('=') else {
            return Err(malformed("Unexpected char in key", rest));
        };
        let name = name.trim();
        if name.is_empty() {
            return Err(malformed("Empty key found", rest));
        }
        let after = after.trim_start();
        let (value, tail) = if after.starts_with('{') {
            let Some(end) = closing_brace(after) else {
                return Err(malformed("Mismatched curly braces for nested options", after));
            };
            let (inside, tail) = after.split_at(end);
            (inside.get(1..).unwrap_or(""), tail.get(1..).unwrap_or(""))
        } else {
            after.split_at(find_unescaped(after, ';'))
        };
        pairs.push((name, value.trim()));
        let tail = tail.trim_start();
        rest = match tail.strip_prefix(';') {
            Some(next) => next.trim_start(),
            None if tail.is_empty() => tail,
            None => return Err(malformed("Unexpected chars after nested options", tail)),
        };
    }
    Ok(pairs)
}

/// Returns the content of `{...}`; other text is returned unchanged.
pub fn unbrace(text: &str) -> &str {
    let text = text.trim();
    match text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
        Some(inside) if closing_brace(text) == Some(text.len() - 1) => inside.trim(),
        _ => text,
    }
}

#[cold]
fn malformed(what: &str, at: &str) -> Error {
    Error::invalid_argument(format!("{what}: at {at:?}"))
}

/// Returns the position of the brace that closes the one at the beginning of `text`.
fn closing_brace(text: &str) -> Option<usize> {
    let (mut depth, mut escaped) = (0usize, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => depth += 1,
            '}' if depth == 1 => return Some(at),
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Returns the position of the first `wanted` that does not follow a backslash, or the length of `text`.
pub(super) fn find_unescaped(text: &str, wanted: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == wanted {
            return at;
        }
    }
    text.len()
}

/// Escapes text for an OPTIONS file.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\\' | '#' | ':' | ';' | '{' | '}' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

/// Undoes [`escape`].
pub fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some(c) => out.push(c),
                None => out.push('\\'),
            },
            _ => out.push(c),
        }
    }
    out
}

/// Parses an integer, with an optional unit K, M, G or T.
///
/// As lenient as RocksDB, which uses the digits at the beginning of the text and a unit directly after them, and
/// ignores the rest: `1.5` is 1, `10kb` is 10240, `3x` is 3.
pub fn parse_integer(text: &str) -> Option<i128> {
    let text = text.trim();
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(text.len() - unsigned.len() + digits);
    let number: i128 = number.parse().ok()?;
    let shift = match rest.chars().next().map(|unit| unit.to_ascii_uppercase()) {
        Some('K') => 10,
        Some('M') => 20,
        Some('G') => 30,
        Some('T') => 40,
        _ => 0,
    };
    number.checked_mul(1 << shift)
}

/// Parses a floating-point number at the beginning of a text, as [`parse_integer`] does.
pub fn parse_float(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        // A number that is too large is invalid, but infinity can be written by name.
        return Some(number)
            .filter(|n| n.is_finite() || !text.contains(|c: char| c.is_ascii_digit()));
    }
    let ends = text.char_indices().map(|(at, _)| at).rev();
    ends.filter_map(|end| text.get(..end)?.parse().ok()).find(|n: &f64| n.is_finite())
}

/// Parses `true`, `false`, `1` or `0`.
pub fn parse_bool(text: &str) -> Option<bool> {
    match text.trim() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_apart() {
        let pairs = split_pairs(" a=1; b = {c=2;d={e=3;}} ;f=x\\;y;g={};h=").unwrap();
        let expected = [("a", "1"), ("b", "c=2;d={e=3;}"), ("f", "x\\;y"), ("g", ""), ("h", "")];
        assert_eq!(pairs, expected);
        assert_eq!(split_pairs("").unwrap(), []);
        assert_eq!(split_pairs("  ;").ok(), None);
        let words = split_pairs("a").unwrap_err();
        assert!(words.message().starts_with("Mismatched key value pair, '=' expected"), "{words}");
        for bad in ["a", "a=1;b", "a={1", "=1", "a={1}x;b=2", "a;b=1"] {
            assert!(split_pairs(bad).is_err(), "{bad}");
        }
        assert_eq!(unbrace(" {a=1;} "), "a=1;");
        assert_eq!(unbrace("{a}{b}"), "{a}{b}");
    }

    #[test]
    fn escapes_round_trip() {
        let text = "a:b;c#d\\e\nf{g}";
        assert_eq!(unescape(&escape(text)), text);
        assert_eq!(escape(":"), "\\:");
    }

    #[test]
    fn numbers_have_suffixes() {
        assert_eq!(parse_integer("64M"), Some(64 << 20));
        assert_eq!(parse_integer("-2k"), Some(-2048));
        assert_eq!(parse_integer("18446744073709551615"), Some(u64::MAX.into()));
        let tolerated =
            [("1.5", 1), ("0x10", 0), ("12Q", 12), ("10 K", 10), ("10kb", 10240), ("+5", 5)];
        for (text, number) in tolerated {
            assert_eq!(parse_integer(text), Some(number), "{text}");
        }
        assert_eq!(parse_float("2.5x"), Some(2.5));
        assert_eq!(parse_float("1e400"), None);
        for bad in ["", "M", "x1", "-", "é"] {
            assert_eq!(parse_integer(bad), None, "{bad}");
        }
    }

    #[test]
    fn no_text_panics() {
        let alphabet: Vec<char> = "ab=;{}\\ é1M".chars().collect();
        for _ in 0..20_000 {
            let text: String = (0..fastrand::usize(..12))
                .map(|_| alphabet[fastrand::usize(..alphabet.len())])
                .collect();
            let _ = split_pairs(&text);
            let _ = parse_integer(unbrace(&text)).map(|n| unescape(&n.to_string()));
            let _ = unescape(&text);
        }
    }
}
