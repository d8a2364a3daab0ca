//! Inline requests: one line of words, which may be quoted.

/// Splits a line into words and appends them to `bytes`; `ranges` receives their positions in it. Returns `false` if
/// quotes do not match.
///
/// In double quotes `\n`, `\r`, `\t`, `\a`, `\b`, `\xHH` and `\` before any other byte are escapes; in single quotes
/// only `\'` is. A closing quote must end a word.
pub(super) fn split(line: &[u8], bytes: &mut Vec<u8>, ranges: &mut Vec<(usize, usize)>) -> bool {
    let mut rest = line;
    loop {
        let spaces = rest.iter().take_while(|byte| is_space(**byte)).count();
        rest = rest.get(spaces..).unwrap_or_default();
        if rest.is_empty() {
            return true;
        }
        let start = bytes.len();
        match word(rest, bytes) {
            Some(after) => rest = after,
            None => return false,
        }
        ranges.push((start, bytes.len()));
    }
}

/// Splits a line into words. `None` if quotes do not match.
pub fn split_words(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (mut bytes, mut ranges) = (Vec::new(), Vec::new());
    let is_whole = split(line, &mut bytes, &mut ranges);
    let word = |(start, end)| bytes.get(start..end).unwrap_or_default().to_vec();
    is_whole.then(|| ranges.into_iter().map(word).collect())
}

/// Appends the first word of a line; returns what follows it, or `None` if a quote is not closed.
fn word<'a>(mut rest: &'a [u8], out: &mut Vec<u8>) -> Option<&'a [u8]> {
    loop {
        match rest {
            [] => return Some(rest),
            [b'"', tail @ ..] => return closed(double_quoted(tail, out)?),
            [b'\'', tail @ ..] => return closed(single_quoted(tail, out)?),
            [byte, ..] if is_space(*byte) => return Some(rest),
            [byte, tail @ ..] => {
                out.push(*byte);
                rest = tail;
            }
        }
    }
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0 || byte == 0x0b
}

/// Checks that the closing quote ends the word.
fn closed(rest: &[u8]) -> Option<&[u8]> {
    match rest {
        [byte, ..] if !is_space(*byte) => None,
        _ => Some(rest),
    }
}

fn double_quoted<'a>(mut rest: &'a [u8], out: &mut Vec<u8>) -> Option<&'a [u8]> {
    loop {
        match rest {
            [] => return None,
            [b'"', tail @ ..] => return Some(tail),
            [b'\\', b'x', high, low, tail @ ..]
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                let digit = |byte: u8| (byte as char).to_digit(16).unwrap_or(0) as u8;
                out.push(digit(*high) << 4 | digit(*low));
                rest = tail;
            }
            [b'\\', escaped, tail @ ..] => {
                out.push(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 0x08,
                    b'a' => 0x07,
                    other => *other,
                });
                rest = tail;
            }
            [byte, tail @ ..] => {
                out.push(*byte);
                rest = tail;
            }
        }
    }
}

fn single_quoted<'a>(mut rest: &'a [u8], out: &mut Vec<u8>) -> Option<&'a [u8]> {
    loop {
        match rest {
            [] => return None,
            [b'\'', tail @ ..] => return Some(tail),
            [b'\\', b'\'', tail @ ..] => {
                out.push(b'\'');
                rest = tail;
            }
            [byte, tail @ ..] => {
                out.push(*byte);
                rest = tail;
            }
        }
    }
}
