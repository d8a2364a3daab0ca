//! The parser of requests. It keeps its state between calls, so that a request that arrives in many pieces is looked
//! at once, and it never copies arguments of multi-bulk requests.
//!
//! ```text
//! request  = "*" count CRLF ("$" length CRLF bytes CRLF)*count  |  inline line LF
//! ```
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::inline;
use memchr::memchr;

/// The longest line that may precede arguments, or be an inline request.
const LINE_MAX: usize = 64 * 1024;

/// Limits of a request. Unauthenticated clients get small ones.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The number of arguments.
    pub arguments_max: i64,
    /// The bytes of one argument.
    pub bulk_max: i64,
    /// Whether the client has yet to authenticate, which changes the text of errors.
    pub is_anonymous: bool,
}

/// Why a request cannot be parsed. The connection is closed after this text is sent.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ProtocolError(pub String);

/// The state of parsing one connection's requests.
///
/// [`next`](Parser::next) finds the end of a request in a buffer that begins with that request;
/// [`arguments`](Parser::arguments) then lends its arguments.
#[derive(Debug, Default)]
pub struct Parser {
    /// The arguments: positions in the buffer, or in `inline`.
    ranges: Vec<(usize, usize)>,
    /// Arguments that are missing; `None` before the first line is complete.
    missing: Option<i64>,
    /// The length of the argument whose bytes are awaited.
    bulk: Option<usize>,
    /// How far the buffer has been parsed.
    at: usize,
    /// The words of an inline request.
    inline: Vec<u8>,
    is_inline: bool,
}

impl Parser {
    /// Returns the length of the first request of the buffer, or `None` if it is incomplete. The buffer must begin with
    /// the same bytes as in the call before, unless that call found a request. A request without arguments is complete,
    /// too; it is to be ignored.
    ///
    /// # Errors
    ///
    /// Returns the text that the client must receive before its connection is closed.
    pub fn next(&mut self, buffer: &[u8], limits: Limits) -> Result<Option<usize>, ProtocolError> {
        if self.missing.is_none() && self.at == 0 {
            self.ranges.clear();
            self.inline.clear();
            self.is_inline = buffer.first().is_some_and(|byte| *byte != b'*');
        }
        if buffer.is_empty() {
            return Ok(None);
        }
        let found = match self.is_inline {
            true => self.next_inline(buffer)?,
            false => self.next_multibulk(buffer, limits)?,
        };
        if found.is_some() {
            (self.missing, self.bulk, self.at) = (None, None, 0);
        }
        Ok(found)
    }

    /// Returns the number of arguments of the request that was found last.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Returns whether the request that was found last has no arguments.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns where the arguments of the request that was found last are in its buffer, or `None` if it is an inline
    /// request, whose words are not in the buffer.
    pub fn positions(&self) -> Option<&[(usize, usize)]> {
        (!self.is_inline).then_some(&self.ranges)
    }

    /// Returns the arguments of the request that was found last, in the buffer in which it was found.
    pub fn arguments<'a>(&'a self, buffer: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let bytes = if self.is_inline { &self.inline } else { buffer };
        self.ranges.iter().map(|(from, to)| bytes.get(*from..*to).unwrap_or_default())
    }

    /// Returns how many bytes the incomplete request needs at least, to size the buffer.
    pub fn wanted(&self) -> usize {
        self.bulk.map_or(0, |length| self.at + length + 2)
    }

    fn next_inline(&mut self, buffer: &[u8]) -> Result<Option<usize>, ProtocolError> {
        let Some(end) = memchr(b'\n', buffer) else {
            return match buffer.len() > LINE_MAX {
                true => Err(protocol("too big inline request")),
                false => Ok(None),
            };
        };
        let line = buffer.get(..end).unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !inline::split(line, &mut self.inline, &mut self.ranges) {
            return Err(protocol("unbalanced quotes in request"));
        }
        Ok(Some(end + 1))
    }

    fn next_multibulk(
        &mut self,
        buffer: &[u8],
        limits: Limits,
    ) -> Result<Option<usize>, ProtocolError> {
        if self.missing.is_none()
            && let Some((count, length)) = short_number(buffer, self.at, b'*')
            && count <= limits.arguments_max
        {
            self.missing = Some(count);
            self.at += length;
        }
        if self.missing.is_none() {
            let Some(line) = self.line(buffer, "too big mbulk count string")? else {
                return Ok(None);
            };
            let count = number(line.get(1..).unwrap_or_default());
            let after = self.at + line.len() + 2;
            match count {
                Some(count) if count <= limits.arguments_max => self.missing = Some(count),
                Some(count) if limits.is_anonymous && count <= i64::from(i32::MAX) => {
                    return Err(protocol("unauthenticated multibulk length"));
                }
                _ => return Err(protocol("invalid multibulk length")),
            }
            self.at = after;
        }
        while self.missing.is_some_and(|missing| missing > 0) {
            let length = match self.bulk {
                Some(length) => length,
                None => match self.bulk_length(buffer, limits)? {
                    Some(length) => length,
                    None => return Ok(None),
                },
            };
            self.bulk = Some(length);
            if buffer.len() < self.at + length + 2 {
                return Ok(None);
            }
            self.ranges.push((self.at, self.at + length));
            self.at += length + 2;
            self.bulk = None;
            self.missing = self.missing.map(|missing| missing - 1);
        }
        Ok(Some(self.at))
    }

    /// Parses the line before an argument.
    fn bulk_length(
        &mut self,
        buffer: &[u8],
        limits: Limits,
    ) -> Result<Option<usize>, ProtocolError> {
        if let Some((length, bytes)) = short_number(buffer, self.at, b'$')
            && length <= limits.bulk_max
        {
            self.at += bytes;
            return Ok(Some(length as usize));
        }
        let Some(line) = self.line(buffer, "too big bulk count string")? else { return Ok(None) };
        let Some((first, digits)) = line.split_first() else {
            return Err(protocol("expected '$', got ' '"));
        };
        if *first != b'$' {
            return Err(protocol(&format!("expected '$', got '{}'", *first as char)));
        }
        let after = self.at + line.len() + 2;
        match number(digits) {
            Some(length) if (0..=limits.bulk_max).contains(&length) => {
                self.at = after;
                Ok(Some(length as usize))
            }
            Some(length) if length > 0 && limits.is_anonymous => {
                Err(protocol("unauthenticated bulk length"))
            }
            _ => Err(protocol("invalid bulk length")),
        }
    }

    /// Returns the line at the current position without its end, or `None` if it is incomplete.
    fn line<'a>(&self, buffer: &'a [u8], long: &str) -> Result<Option<&'a [u8]>, ProtocolError> {
        let rest = buffer.get(self.at..).unwrap_or_default();
        match memchr(b'\r', rest) {
            Some(end) if end + 1 < rest.len() => Ok(rest.get(..end)),
            Some(_) => Ok(None),
            None if rest.len() > LINE_MAX => Err(protocol(long)),
            None => Ok(None),
        }
    }
}

fn protocol(what: &str) -> ProtocolError {
    ProtocolError(format!("ERR Protocol error: {what}"))
}

/// Returns the number of a complete line such as `$16`, and the bytes of the line with its end; `None` for anything but
/// a few digits, which [`Parser::line`] then looks at.
#[inline]
fn short_number(buffer: &[u8], at: usize, kind: u8) -> Option<(i64, usize)> {
    const DIGITS_MAX: usize = 5;
    let (first, rest) = buffer.get(at..)?.split_first()?;
    if *first != kind {
        return None;
    }
    let mut value = 0;
    for (digits, byte) in rest.iter().enumerate().take(DIGITS_MAX + 1) {
        match byte {
            b'0'..=b'9' if value > 0 || digits == 0 => value = value * 10 + i64::from(byte - b'0'),
            b'\r' if digits > 0 && digits + 1 < rest.len() => return Some((value, digits + 3)),
            _ => return None,
        }
    }
    None
}

/// Parses a decimal integer without spaces, plus sign or leading zeros.
fn number(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 || (digits.len() > 1 && digits.starts_with(b"0")) {
        return None;
    }
    let mut value = 0i64;
    for digit in digits {
        value = value * 10 + i64::from(digit.is_ascii_digit().then(|| digit - b'0')?);
    }
    Some(if negative { -value } else { value })
}

#[cfg(test)]
#[path = "parser_test.rs"]
mod tests;
