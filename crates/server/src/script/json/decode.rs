//! `cjson.decode`. A text ends at its first zero byte outside a string, as in C.

use rilua::vm::state::LuaState;
use rilua::{LuaError, LuaResult, Val, runtime_error};

use super::super::value::{self, TableRef};
use super::{DEPTH_MAX, NULL, Settings};
use crate::text::double;

/// A part of the text. The names are those of error messages.
#[derive(Debug)]
enum Token {
    ObjectBegin,
    ObjectEnd,
    ArrayBegin,
    ArrayEnd,
    Text(Vec<u8>),
    Number(f64),
    Bool(bool),
    Null,
    Colon,
    Comma,
    End,
    Bad(&'static str),
}

/// A table that is being filled.
enum Frame {
    Object { table: TableRef, key: Val },
    Array { table: TableRef, index: usize },
}

struct Decoder<'a> {
    state: &'a mut LuaState,
    settings: Settings,
    text: &'a [u8],
    at: usize,
    /// Where the last token, or its error, is.
    token_at: usize,
    frames: Vec<Frame>,
}

/// `cjson.decode(text)`.
pub(super) fn decode(state: &mut LuaState) -> LuaResult<u32> {
    state.gc_check()?;
    super::check_one(state)?;
    let text = state.check_string(1)?;
    if matches!(text.as_slice(), [0, _, ..] | [_, 0, ..]) {
        return Err(runtime_error("JSON parser does not support UTF-16 or UTF-32"));
    }
    let settings = super::settings(state);
    let mut decoder =
        Decoder { state, settings, text: &text, at: 0, token_at: 0, frames: Vec::new() };
    let result = decoder.whole()?;
    state.push(result);
    Ok(1)
}

impl Token {
    fn name(&self) -> &'static str {
        match self {
            Token::ObjectBegin => "T_OBJ_BEGIN",
            Token::ObjectEnd => "T_OBJ_END",
            Token::ArrayBegin => "T_ARR_BEGIN",
            Token::ArrayEnd => "T_ARR_END",
            Token::Text(_) => "T_STRING",
            Token::Number(_) => "T_NUMBER",
            Token::Bool(_) => "T_BOOLEAN",
            Token::Null => "T_NULL",
            Token::Colon => "T_COLON",
            Token::Comma => "T_COMMA",
            Token::End => "T_END",
            Token::Bad(reason) => reason,
        }
    }
}

impl Decoder<'_> {
    fn whole(&mut self) -> LuaResult<Val> {
        let result = self.value()?;
        match self.token() {
            Token::End => Ok(result),
            token => Err(self.unexpected("the end", &token)),
        }
    }

    /// Reads one value with everything in it.
    fn value(&mut self) -> LuaResult<Val> {
        let mut token = self.token();
        loop {
            let mut done = match token {
                Token::Text(text) => {
                    value::check_room(self.state, text.len())?;
                    value::string(self.state, &text)
                }
                Token::Number(number) => Val::Num(number),
                Token::Bool(truth) => Val::Bool(truth),
                Token::Null => NULL,
                Token::ObjectBegin | Token::ArrayBegin => {
                    match self.begin(matches!(token, Token::ObjectBegin))? {
                        Begun::Empty(table) => Val::Table(table),
                        Begun::Element(next) => {
                            token = next;
                            continue;
                        }
                    }
                }
                token => return Err(self.unexpected("value", &token)),
            };
            // A finished value may finish the tables around it.
            loop {
                match self.store(done)? {
                    Stored::Finished(table) => done = Val::Table(table),
                    Stored::Element(next) => {
                        token = next;
                        break;
                    }
                    Stored::Outermost => return Ok(done),
                }
            }
        }
    }

    /// Begins a table. Returns the first token of its first element.
    fn begin(&mut self, is_object: bool) -> LuaResult<Begun> {
        let depth = self.frames.len() + 1;
        if depth > self.settings.decode_depth_max.min(DEPTH_MAX) {
            let at = self.at;
            let text = format!("Found too many nested data structures ({depth}) at character {at}");
            return Err(runtime_error(text));
        }
        let table = value::new_table(self.state);
        value::check_room(self.state, 0)?;
        let token = self.token();
        match (token, is_object) {
            (Token::ObjectEnd, true) | (Token::ArrayEnd, false) => Ok(Begun::Empty(table)),
            (token, true) => {
                let key = self.key(token)?;
                self.frames.push(Frame::Object { table, key });
                Ok(Begun::Element(self.token()))
            }
            (token, false) => {
                self.frames.push(Frame::Array { table, index: 1 });
                Ok(Begun::Element(token))
            }
        }
    }

    /// Reads the key and the colon of a pair.
    fn key(&mut self, token: Token) -> LuaResult<Val> {
        let Token::Text(text) = token else {
            return Err(self.unexpected("object key string", &token));
        };
        value::check_room(self.state, text.len())?;
        let key = value::string(self.state, &text);
        match self.token() {
            Token::Colon => Ok(key),
            token => Err(self.unexpected("colon", &token)),
        }
    }

    /// Puts a value into the innermost table and reads on to its next element or its end.
    fn store(&mut self, done: Val) -> LuaResult<Stored> {
        match self.frames.last() {
            None => Ok(Stored::Outermost),
            Some(Frame::Object { table, key }) => {
                let (table, key) = (*table, *key);
                value::set(self.state, table, key, done)?;
                match self.token() {
                    Token::ObjectEnd => {
                        self.frames.pop();
                        Ok(Stored::Finished(table))
                    }
                    Token::Comma => {
                        let token = self.token();
                        let next = self.key(token)?;
                        if let Some(Frame::Object { key, .. }) = self.frames.last_mut() {
                            *key = next;
                        }
                        Ok(Stored::Element(self.token()))
                    }
                    token => Err(self.unexpected("comma or object end", &token)),
                }
            }
            Some(Frame::Array { table, index }) => {
                let (table, index) = (*table, *index);
                value::set_element(self.state, table, index, done)?;
                match self.token() {
                    Token::ArrayEnd => {
                        self.frames.pop();
                        Ok(Stored::Finished(table))
                    }
                    Token::Comma => {
                        if let Some(Frame::Array { index, .. }) = self.frames.last_mut() {
                            *index += 1;
                        }
                        Ok(Stored::Element(self.token()))
                    }
                    token => Err(self.unexpected("comma or array end", &token)),
                }
            }
        }
    }

    fn unexpected(&self, expected: &str, found: &Token) -> LuaError {
        let (found, at) = (found.name(), self.token_at + 1);
        runtime_error(format!("Expected {expected} but found {found} at character {at}"))
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn bad(&mut self, reason: &'static str) -> Token {
        self.token_at = self.at;
        Token::Bad(reason)
    }

    fn token(&mut self) -> Token {
        while b" \t\n\r".contains(&self.byte(self.at)) {
            self.at += 1;
        }
        self.token_at = self.at;
        let single = match self.byte(self.at) {
            b'{' => Token::ObjectBegin,
            b'}' => Token::ObjectEnd,
            b'[' => Token::ArrayBegin,
            b']' => Token::ArrayEnd,
            b',' => Token::Comma,
            b':' => Token::Colon,
            0 => return Token::End,
            b'"' => return self.string(),
            byte => return self.word(byte),
        };
        self.at += 1;
        single
    }

    fn word(&mut self, byte: u8) -> Token {
        for (word, token) in [
            (&b"true"[..], Token::Bool(true)),
            (b"false", Token::Bool(false)),
            (b"null", Token::Null),
        ] {
            if self.rest().starts_with(word) {
                self.at += word.len();
                return token;
            }
        }
        let is_invalid = is_invalid_number(self.rest());
        let is_number = byte == b'-' || byte.is_ascii_digit();
        match (is_number, self.settings.decode_invalid) {
            (true, false) if is_invalid => self.bad("invalid number"),
            (true, _) => self.number(),
            (false, true) if is_invalid && b"+iInN".contains(&byte) => self.number(),
            _ => self.bad("invalid token"),
        }
    }

    fn number(&mut self) -> Token {
        match number_prefix(self.rest()) {
            Some((number, length)) => {
                self.at += length;
                Token::Number(number)
            }
            None => self.bad("invalid number"),
        }
    }

    fn string(&mut self) -> Token {
        self.at += 1;
        let mut text = Vec::new();
        loop {
            match self.byte(self.at) {
                b'"' => break,
                0 => return self.bad("unexpected end of string"),
                b'\\' => {
                    let plain = match self.byte(self.at + 1) {
                        b'u' => match self.unicode(&mut text) {
                            Some(()) => continue,
                            None => return self.bad("invalid unicode escape code"),
                        },
                        b'b' => 0x08,
                        b't' => b'\t',
                        b'n' => b'\n',
                        b'f' => 0x0c,
                        b'r' => b'\r',
                        byte @ (b'"' | b'\\' | b'/') => byte,
                        _ => return self.bad("invalid escape code"),
                    };
                    text.push(plain);
                    self.at += 2;
                }
                byte => {
                    text.push(byte);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        Token::Text(text)
    }

    /// Reads `\uXXXX`, or two of them for a character beyond 16 bits.
    fn unicode(&mut self, text: &mut Vec<u8>) -> Option<()> {
        let high = self.four_digits(self.at + 2)?;
        let (code, length) = match high {
            0xD800..0xDC00 => {
                if self.byte(self.at + 6) != b'\\' || self.byte(self.at + 7) != b'u' {
                    return None;
                }
                let low = self.four_digits(self.at + 8)?;
                if !(0xDC00..0xE000).contains(&low) {
                    return None;
                }
                (0x10000 + ((high & 0x3FF) << 10 | (low & 0x3FF)), 12)
            }
            high => (high, 6),
        };
        let character = char::from_u32(code)?;
        text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        self.at += length;
        Some(())
    }

    fn four_digits(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 4)?;
        digits.iter().try_fold(0, |code, digit| Some(code << 4 | char::from(*digit).to_digit(16)?))
    }
}

/// A table that was begun.
enum Begun {
    Empty(TableRef),
    Element(Token),
}

/// What follows a stored value.
enum Stored {
    Outermost,
    Finished(TableRef),
    Element(Token),
}

/// Returns whether a number may be one for `strtod` but not for JSON: hexadecimal, infinite, with leading zeros.
fn is_invalid_number(text: &[u8]) -> bool {
    match text.strip_prefix(b"-").unwrap_or(text) {
        [b'+', ..] => !text.starts_with(b"-"),
        [b'0', b'x' | b'X' | b'0'..=b'9', ..] => true,
        [first, second, third, ..] => {
            let word = [*first, *second, *third].map(|byte| byte.to_ascii_lowercase());
            word == *b"inf" || word == *b"nan"
        }
        _ => false,
    }
}

/// Reads the longest number at the begin of a text as C's `strtod` does. Returns it and its length.
fn number_prefix(text: &[u8]) -> Option<(f64, usize)> {
    let sign = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let body = text.get(sign..)?;
    let lower: Vec<u8> = body.iter().take(8).map(u8::to_ascii_lowercase).collect();
    let negate = |number: f64| if text.first() == Some(&b'-') { -number } else { number };
    if lower.starts_with(b"infinity") {
        return Some((negate(f64::INFINITY), sign + 8));
    }
    if lower.starts_with(b"inf") {
        return Some((negate(f64::INFINITY), sign + 3));
    }
    if lower.starts_with(b"nan") {
        return Some((f64::NAN, sign + 3));
    }
    if lower.starts_with(b"0x") {
        let digits = scan(body.get(2..)?, |byte| byte.is_ascii_hexdigit(), b'p')?;
        let number = body.get(..digits + 2)?;
        return double::parse(number).map(|number| (negate(number), sign + digits + 2));
    }
    let length = scan(body, |byte| byte.is_ascii_digit(), b'e')?;
    let number = std::str::from_utf8(body.get(..length)?).ok()?.parse().ok()?;
    Some((negate(number), sign + length))
}

/// Returns the length of digits with an optional point and exponent. `None` without a digit.
fn scan(text: &[u8], is_digit: fn(&u8) -> bool, exponent: u8) -> Option<usize> {
    let digits = |from: usize, is_digit: fn(&u8) -> bool| {
        text.get(from..).unwrap_or_default().iter().take_while(|byte| is_digit(byte)).count()
    };
    let whole = digits(0, is_digit);
    let mut length = whole;
    if text.get(length) == Some(&b'.') {
        let fraction = digits(length + 1, is_digit);
        if whole + fraction > 0 {
            length += 1 + fraction;
        }
    }
    if length == 0 {
        return None;
    }
    if text.get(length).is_some_and(|byte| byte.to_ascii_lowercase() == exponent) {
        let sign = usize::from(matches!(text.get(length + 1), Some(b'-' | b'+')));
        let count = digits(length + 1 + sign, u8::is_ascii_digit);
        if count > 0 {
            length += 1 + sign + count;
        }
    }
    Some(length)
}
