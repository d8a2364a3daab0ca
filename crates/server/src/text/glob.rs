//! Patterns of KEYS, SCAN MATCH, PSUBSCRIBE and CONFIG GET.
//!
//! `*` matches any bytes, `?` one byte, `[a-z]` a byte of a set, `[^…]` a byte outside it, and `\` makes the next byte
//! ordinary. Details that Redis users can observe are kept:
//!
//! * an empty text matches only the empty pattern, not `*`;
//! * a set without its `]` ends with the pattern;
//! * ranges compare signed bytes, and their ends may be in either order;
//! * an escaped byte inside a set is compared with its case even if the match ignores case;
//! * a match that needs more than [`STARS_MAX`] stars fails.
//!
//! A match takes at most `pattern.len() * text.len()` steps: when the bytes after a star do not match, only the latest
//! star takes one byte more.

/// The largest number of stars, apart from one at the end, that a match may use.
pub const STARS_MAX: usize = 1000;

/// Whether letters match in either case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Bytes match only themselves.
    Sensitive,
    /// ASCII letters match in both cases.
    Ignored,
}

/// Returns whether `pattern` matches the whole `text`.
pub fn matches(pattern: &[u8], text: &[u8], case: Case) -> bool {
    if text.is_empty() {
        return pattern.is_empty();
    }
    let (mut p, mut t, mut stars) = (pattern, text, 0);
    // The pattern after the latest star, and the text from which that was tried last.
    let mut retry: Option<(&[u8], &[u8])> = None;
    loop {
        if let [b'*', ..] = p {
            p = skip_stars(p);
            if p.is_empty() {
                return true;
            }
            if t.is_empty() {
                return false;
            }
            stars += 1;
            if stars > STARS_MAX {
                return false;
            }
            retry = Some((p, t));
            continue;
        }
        if p.is_empty() && t.is_empty() {
            return true;
        }
        let next = t.split_first().and_then(|(byte, rest)| Some((one(p, *byte, case)?, rest)));
        if let Some((pattern, text)) = next {
            (p, t) = (pattern, text);
            continue;
        }
        // Longer texts for earlier stars cannot help: the part after this star would have to match even later.
        let Some((pattern, [_, text @ ..])) = retry else { return false };
        if text.is_empty() {
            return false;
        }
        (p, t) = (pattern, text);
        retry = Some((pattern, text));
    }
}

/// Returns the bytes with which every match of a case-sensitive pattern begins, and whether only these bytes match.
pub fn literal_prefix(pattern: &[u8]) -> (Vec<u8>, bool) {
    let (mut prefix, mut rest) = (Vec::new(), pattern);
    loop {
        match rest {
            [] => return (prefix, true),
            [b'*' | b'?' | b'[', ..] => return (prefix, false),
            [b'\\', byte, tail @ ..] | [byte, tail @ ..] => {
                prefix.push(*byte);
                rest = tail;
            }
        }
    }
}

/// Matches one byte with the first element of a pattern, which is not a star. Returns the rest of the pattern.
fn one(pattern: &[u8], byte: u8, case: Case) -> Option<&[u8]> {
    match pattern {
        [] => None,
        [b'?', rest @ ..] => Some(rest),
        [b'[', rest @ ..] => set(rest, byte, case),
        [b'\\', want, rest @ ..] | [want, rest @ ..] => same(*want, byte, case).then_some(rest),
    }
}

/// Matches a byte with the set whose text follows. Returns the pattern behind the set.
fn set(pattern: &[u8], byte: u8, case: Case) -> Option<&[u8]> {
    let (negated, mut p) = match pattern {
        [b'^', rest @ ..] => (true, rest),
        _ => (false, pattern),
    };
    let mut found = false;
    loop {
        match p {
            [b'\\', want, rest @ ..] => {
                found |= *want == byte;
                p = rest;
            }
            [b']', rest @ ..] => {
                p = rest;
                break;
            }
            [] => break,
            [from, b'-', to, rest @ ..] => {
                found |= in_range(*from, *to, byte, case);
                p = rest;
            }
            [want, rest @ ..] => {
                found |= same(*want, byte, case);
                p = rest;
            }
        }
    }
    (found != negated).then_some(p)
}

fn in_range(from: u8, to: u8, byte: u8, case: Case) -> bool {
    let (from, to) = match from.cast_signed() <= to.cast_signed() {
        true => (from, to),
        false => (to, from),
    };
    let fold = |byte: u8| match case {
        Case::Sensitive => byte.cast_signed(),
        Case::Ignored => byte.to_ascii_lowercase().cast_signed(),
    };
    (fold(from)..=fold(to)).contains(&fold(byte))
}

fn same(a: u8, b: u8, case: Case) -> bool {
    match case {
        Case::Sensitive => a == b,
        Case::Ignored => a.eq_ignore_ascii_case(&b),
    }
}

fn skip_stars(pattern: &[u8]) -> &[u8] {
    let stars = pattern.iter().take_while(|byte| **byte == b'*').count();
    pattern.get(stars..).unwrap_or_default()
}

#[cfg(test)]
#[path = "glob_test.rs"]
mod tests;
