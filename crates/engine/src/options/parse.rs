//! The text forms of values, and of lists of options.
//!
//! ```text
//! list  := pair (';' pair)* [';']
//! pair  := name '=' value
//! value := '{' list-or-text '}' | text without ';'
//! ```
//!
//! A backslash in front of a character takes its meaning away; `\n` and `\r` are line ends. Numbers
//! may end in K, M, G or T. Whitespace around names and values does not count. Any text gives a list
//! or an error, never a panic.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use crate::error::{Error, Result};

/// Takes `k=v;k={a=b;}` apart. Values in braces come without their outer pair.
pub fn split_pairs(text: &str) -> Result<Vec<(&str, &str)>> {
    let mut pairs = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let Some((name, after)) = rest.split_once('=') else {
            return Err(malformed(text, format!("no '=' after {rest:?}")));
        };
        let name = name.trim();
        if name.is_empty() || name.contains([';', '{', '}']) {
            return Err(malformed(text, format!("{name:?} is not a name")));
        }
        let after = after.trim_start();
        let (value, tail) = if after.starts_with('{') {
            let Some(end) = closing_brace(after) else {
                return Err(malformed(text, format!("no '}}' for the '{{' of {name}")));
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
            None => return Err(malformed(text, format!("expected ';' before {tail:?}"))),
        };
    }
    Ok(pairs)
}

/// The value of `{...}` without its braces; other text as it is.
pub fn unbrace(text: &str) -> &str {
    let text = text.trim();
    match text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
        Some(inside) if closing_brace(text) == Some(text.len() - 1) => inside.trim(),
        _ => text,
    }
}

fn malformed(text: &str, what: String) -> Error {
    Error::invalid_argument(format!("option string {text:?}: {what}"))
}

/// Where the brace that `text` starts with is closed.
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

/// Where `wanted` stands without a backslash in front; the length of `text` if nowhere.
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

/// Writes text such that it survives an OPTIONS file.
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

/// A whole number, perhaps with K, M, G or T behind it.
pub fn parse_integer(text: &str) -> Option<i128> {
    let text = text.trim();
    let shift = match text.chars().last()?.to_ascii_uppercase() {
        'K' => 10,
        'M' => 20,
        'G' => 30,
        'T' => 40,
        _ => return text.parse().ok(),
    };
    let digits = text.get(..text.len() - 1)?;
    digits.trim_end().parse::<i64>().ok().map(|n| i128::from(n) << shift)
}

/// `true`, `false`, `1` or `0`.
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
        for bad in ["", "M", "1.5", "0x10", "12Q", "é"] {
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
