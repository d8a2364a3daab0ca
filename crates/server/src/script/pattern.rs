//! Lua's patterns, matched with a bound on the nesting of calls and with questions whether the script must end.

use rilua::{LuaError, LuaResult, runtime_error};

use super::run;

/// The most captures of a pattern.
const CAPTURES_MAX: usize = 32;

/// The most nested calls of the matcher.
const DEPTH_MAX: usize = 200;

/// The steps between two questions whether the script must end.
const STEPS: usize = 1 << 20;

/// The bytes that make a pattern more than a plain text.
const SPECIAL: &[u8] = b"^$*+?.([%-";

/// A captured part of the text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Capture {
    /// Its closing parenthesis was not reached.
    Open { start: usize },
    /// A part.
    Part { start: usize, end: usize },
    /// `()`: a position, counted from 0.
    Position(usize),
}

/// A pattern that is matched against a text.
pub(super) struct Matcher<'a> {
    text: &'a [u8],
    pattern: &'a [u8],
    captures: Vec<Capture>,
    depth: usize,
    steps: usize,
}

/// Returns whether a pattern is a plain text.
pub(super) fn is_plain(pattern: &[u8]) -> bool {
    !pattern.iter().take_while(|byte| **byte != 0).any(|byte| SPECIAL.contains(byte))
}

fn error(text: &str) -> LuaError {
    runtime_error(text)
}

impl<'a> Matcher<'a> {
    /// Returns a matcher. A pattern ends at its first zero byte.
    pub fn new(text: &'a [u8], pattern: &'a [u8]) -> Matcher<'a> {
        let end = memchr::memchr(0, pattern).unwrap_or(pattern.len());
        let pattern = pattern.get(..end).unwrap_or_default();
        Matcher { text, pattern, captures: Vec::new(), depth: 0, steps: 0 }
    }

    /// Returns the captures of the last match.
    pub fn captures(&self) -> &[Capture] {
        &self.captures
    }

    /// Matches at a position of the text. Returns the end of the match.
    pub fn match_at(&mut self, at: usize) -> LuaResult<Option<usize>> {
        self.captures.clear();
        self.depth = 0;
        self.rest(at, 0)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.pattern.get(at).copied()
    }

    /// Matches the pattern from `p` on at `at`, one call deeper.
    fn deeper(&mut self, at: usize, p: usize) -> LuaResult<Option<usize>> {
        if self.depth >= DEPTH_MAX {
            return Err(error("pattern too complex"));
        }
        self.depth += 1;
        let result = self.rest(at, p);
        self.depth -= 1;
        result
    }

    fn rest(&mut self, mut at: usize, mut p: usize) -> LuaResult<Option<usize>> {
        loop {
            self.count()?;
            match (self.byte(p), self.byte(p + 1)) {
                (None, _) => return Ok(Some(at)),
                (Some(b'('), next) => return self.open(at, p, next),
                (Some(b')'), _) => return self.close(at, p),
                (Some(b'$'), None) => return Ok((at == self.text.len()).then_some(at)),
                (Some(b'%'), Some(b'b')) => match self.balanced(at, p + 2)? {
                    Some(end) => (at, p) = (end, p + 4),
                    None => return Ok(None),
                },
                (Some(b'%'), Some(b'f')) => match self.frontier(at, p + 2)? {
                    Some(end) => p = end,
                    None => return Ok(None),
                },
                (Some(b'%'), Some(digit @ b'0'..=b'9')) => match self.back_reference(at, digit)? {
                    Some(end) => (at, p) = (end, p + 2),
                    None => return Ok(None),
                },
                _ => {
                    let end = self.item_end(p)?;
                    match self.byte(end) {
                        Some(b'?') => {
                            if self.fits(at, p, end)
                                && let Some(found) = self.deeper(at + 1, end + 1)?
                            {
                                return Ok(Some(found));
                            }
                            p = end + 1;
                        }
                        Some(b'*') => return self.longest(at, p, end, 0),
                        Some(b'+') => return self.longest(at, p, end, 1),
                        Some(b'-') => return self.shortest(at, p, end),
                        _ if self.fits(at, p, end) => (at, p) = (at + 1, end),
                        _ => return Ok(None),
                    }
                }
            }
        }
    }

    /// Counts a step, and asks now and then whether the script must end.
    fn count(&mut self) -> LuaResult<()> {
        self.steps += 1;
        if self.steps > STEPS {
            self.steps = 0;
            return run::poll();
        }
        Ok(())
    }

    fn open(&mut self, at: usize, p: usize, next: Option<u8>) -> LuaResult<Option<usize>> {
        if self.captures.len() >= CAPTURES_MAX {
            return Err(error("too many captures"));
        }
        let (capture, p) = match next {
            Some(b')') => (Capture::Position(at), p + 2),
            _ => (Capture::Open { start: at }, p + 1),
        };
        self.captures.push(capture);
        let count = self.captures.len();
        let result = self.deeper(at, p)?;
        if result.is_none() {
            self.captures.truncate(count - 1);
        }
        Ok(result)
    }

    fn close(&mut self, at: usize, p: usize) -> LuaResult<Option<usize>> {
        let open = self.captures.iter_mut().rev().find_map(|capture| match capture {
            Capture::Open { start } => {
                let start = *start;
                Some((capture, start))
            }
            _ => None,
        });
        let Some((capture, start)) = open else { return Err(error("invalid pattern capture")) };
        *capture = Capture::Part { start, end: at };
        let place = self.captures.iter().rposition(|c| *c == Capture::Part { start, end: at });
        let result = self.deeper(at, p + 1)?;
        if result.is_none()
            && let Some(capture) = place.and_then(|place| self.captures.get_mut(place))
        {
            *capture = Capture::Open { start };
        }
        Ok(result)
    }

    fn balanced(&self, at: usize, p: usize) -> LuaResult<Option<usize>> {
        let (Some(open), Some(close)) = (self.byte(p), self.byte(p + 1)) else {
            return Err(error("unbalanced pattern"));
        };
        if self.text.get(at) != Some(&open) {
            return Ok(None);
        }
        let mut level = 1;
        for (offset, byte) in self.text.iter().enumerate().skip(at + 1) {
            if *byte == close {
                level -= 1;
                if level == 0 {
                    return Ok(Some(offset + 1));
                }
            } else if *byte == open {
                level += 1;
            }
        }
        Ok(None)
    }

    /// Matches `%f[set]`: nothing before is in the set, and what follows is. Returns where the pattern goes on.
    fn frontier(&self, at: usize, p: usize) -> LuaResult<Option<usize>> {
        if self.byte(p) != Some(b'[') {
            return Err(error("missing '[' after '%f' in pattern"));
        }
        let end = self.item_end(p)?;
        let before = at.checked_sub(1).and_then(|at| self.text.get(at)).copied().unwrap_or(0);
        let after = self.text.get(at).copied().unwrap_or(0);
        let is_frontier = !self.set_has(before, p, end - 1) && self.set_has(after, p, end - 1);
        Ok(is_frontier.then_some(end))
    }

    fn back_reference(&self, at: usize, digit: u8) -> LuaResult<Option<usize>> {
        let index = usize::from(digit).checked_sub(usize::from(b'1'));
        let capture = index.and_then(|index| self.captures.get(index));
        let Some(Capture::Part { start, end }) = capture else {
            return Err(error("invalid capture index"));
        };
        let part = self.text.get(*start..*end).unwrap_or_default();
        let rest = self.text.get(at..).unwrap_or_default();
        Ok(rest.starts_with(part).then(|| at + part.len()))
    }

    /// Returns the end of the item at `p`: a byte, a class or a set.
    fn item_end(&self, p: usize) -> LuaResult<usize> {
        match self.byte(p) {
            Some(b'%') if self.byte(p + 1).is_none() => {
                Err(error("malformed pattern (ends with '%')"))
            }
            Some(b'%') => Ok(p + 2),
            Some(b'[') => {
                let mut end = p + 1 + usize::from(self.byte(p + 1) == Some(b'^'));
                loop {
                    match self.byte(end) {
                        None => return Err(error("malformed pattern (missing ']')")),
                        Some(b'%') if self.byte(end + 1).is_some() => end += 2,
                        Some(_) => end += 1,
                    }
                    if self.byte(end) == Some(b']') {
                        return Ok(end + 1);
                    }
                }
            }
            _ => Ok(p + 1),
        }
    }

    /// Returns whether the byte of the text at `at` fits the item from `p` to `end`.
    fn fits(&self, at: usize, p: usize, end: usize) -> bool {
        let Some(byte) = self.text.get(at).copied() else { return false };
        match self.byte(p) {
            Some(b'.') => true,
            Some(b'%') => self.byte(p + 1).is_some_and(|class| is_in_class(byte, class)),
            Some(b'[') => self.set_has(byte, p, end - 1),
            other => other == Some(byte),
        }
    }

    /// Returns whether the set that begins at `p` and whose bracket closes at `close` has a byte.
    fn set_has(&self, byte: u8, p: usize, close: usize) -> bool {
        let is_negated = self.byte(p + 1) == Some(b'^');
        let mut items =
            self.pattern.get(p + 1 + usize::from(is_negated)..close).unwrap_or_default();
        let mut found = false;
        while !found {
            (found, items) = match items {
                [] => break,
                [b'%', class, rest @ ..] => (is_in_class(byte, *class), rest),
                [low, b'-', high, rest @ ..] => ((*low..=*high).contains(&byte), rest),
                [single, rest @ ..] => (*single == byte, rest),
            };
        }
        found != is_negated
    }

    fn longest(
        &mut self,
        at: usize,
        p: usize,
        end: usize,
        least: usize,
    ) -> LuaResult<Option<usize>> {
        let mut count = 0;
        while self.fits(at + count, p, end) {
            count += 1;
        }
        self.steps += count / 8;
        while count >= least {
            self.count()?;
            if let Some(found) = self.deeper(at + count, end + 1)? {
                return Ok(Some(found));
            }
            if count == 0 {
                break;
            }
            count -= 1;
        }
        Ok(None)
    }

    fn shortest(&mut self, mut at: usize, p: usize, end: usize) -> LuaResult<Option<usize>> {
        loop {
            if let Some(found) = self.deeper(at, end + 1)? {
                return Ok(Some(found));
            }
            if !self.fits(at, p, end) {
                return Ok(None);
            }
            at += 1;
        }
    }
}

/// Returns whether a byte is in a class such as `%a`. A capital letter is the complement.
fn is_in_class(byte: u8, class: u8) -> bool {
    let is_inside = match class.to_ascii_lowercase() {
        b'a' => byte.is_ascii_alphabetic(),
        b'c' => byte.is_ascii_control(),
        b'd' => byte.is_ascii_digit(),
        b'l' => byte.is_ascii_lowercase(),
        b'p' => byte.is_ascii_punctuation(),
        b's' => byte.is_ascii_whitespace() || byte == 0x0b,
        b'u' => byte.is_ascii_uppercase(),
        b'w' => byte.is_ascii_alphanumeric(),
        b'x' => byte.is_ascii_hexdigit(),
        b'z' => byte == 0,
        _ => return class == byte,
    };
    is_inside != class.is_ascii_uppercase()
}
