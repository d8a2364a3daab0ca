//! A check before compiling: the compiler recurses over expressions, so their depth must be bounded.
//!
//! `a+b+c...` and `f()()()...` become trees as deep as the chain is long. This scan counts the operators and suffixes
//! of each open bracket or block since its last statement or comma. It may count more than the compiler nests, never
//! less.

/// The most operators and suffixes of an expression together with the expressions around it.
const CHAIN_MAX: usize = 1_000;

/// The most open brackets and blocks. The compiler itself refuses 200 nested expressions or blocks.
const OPEN_MAX: usize = 220;

/// Words between expressions that neither begin nor end a block.
const SEPARATORS: &[&[u8]] =
    &[b"break", b"else", b"elseif", b"for", b"in", b"local", b"return", b"then", b"while"];

/// What a token is for the depth of expressions.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Token {
    /// A name, a number or a constant.
    Word,
    /// A string, which may be the argument of a call.
    Text,
    /// An operator, a dot or a colon.
    Operator,
    /// A bracket or the begin of a block.
    Open,
    /// The end of a bracket or block.
    Close,
    /// Anything between expressions.
    Separator,
}

/// The operators of each open bracket or block, the outermost first.
struct Depths {
    open: Vec<usize>,
    total: usize,
}

/// A position in the source.
struct Scanner<'a> {
    rest: &'a [u8],
    line: usize,
}

/// Checks the depth of all expressions. The error is the line that exceeds it.
pub(super) fn check(source: &[u8]) -> Result<(), usize> {
    let mut scanner = Scanner { rest: source, line: 1 };
    let mut depths = Depths { open: vec![0], total: 0 };
    let mut last = Token::Separator;
    while let Some(token) = scanner.token() {
        let follows_operand = matches!(last, Token::Word | Token::Text | Token::Close);
        match token {
            Token::Operator => depths.add(),
            Token::Open => {
                if follows_operand {
                    depths.add();
                }
                depths.open.push(0);
            }
            Token::Close => depths.close(),
            Token::Text if follows_operand => depths.add(),
            // A name after a whole expression begins a statement.
            Token::Word if follows_operand => depths.reset(),
            Token::Separator => depths.reset(),
            Token::Word | Token::Text => {}
        }
        if depths.total > CHAIN_MAX || depths.open.len() > OPEN_MAX {
            return Err(scanner.line);
        }
        last = token;
    }
    Ok(())
}

impl Depths {
    fn add(&mut self) {
        if let Some(last) = self.open.last_mut() {
            *last += 1;
            self.total += 1;
        }
    }

    fn reset(&mut self) {
        if let Some(last) = self.open.last_mut() {
            self.total -= *last;
            *last = 0;
        }
    }

    fn close(&mut self) {
        if self.open.len() > 1
            && let Some(last) = self.open.pop()
        {
            self.total -= last;
        }
    }
}

impl Scanner<'_> {
    fn token(&mut self) -> Option<Token> {
        self.skip_blanks();
        let token = match self.rest {
            [] => return None,
            [b'.', b'.', b'.', ..] => (Token::Word, 3),
            [b'.', digit, ..] if digit.is_ascii_digit() => return Some(self.word()),
            [b'.', b'.', ..] | [b'=' | b'<' | b'>' | b'~', b'=', ..] => (Token::Operator, 2),
            [b'=' | b',' | b';', ..] => (Token::Separator, 1),
            [b'"' | b'\'', ..] => return Some(self.quoted()),
            [b'[', ..] => match self.long_bracket() {
                Some(()) => return Some(Token::Text),
                None => (Token::Open, 1),
            },
            [b'(' | b'{', ..] => (Token::Open, 1),
            [b')' | b'}' | b']', ..] => (Token::Close, 1),
            [byte, ..] if byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80 => {
                return Some(self.word());
            }
            _ => (Token::Operator, 1),
        };
        self.skip(token.1);
        Some(token.0)
    }

    fn skip(&mut self, count: usize) {
        let (skipped, rest) = self.rest.split_at(count.min(self.rest.len()));
        self.line += memchr::memchr_iter(b'\n', skipped).count();
        self.rest = rest;
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) {
        loop {
            let blanks =
                self.rest.iter().take_while(|b| b.is_ascii_whitespace() || **b == 0x0b).count();
            self.skip(blanks);
            if !self.rest.starts_with(b"--") {
                return;
            }
            self.skip(2);
            if self.long_bracket().is_none() {
                let end = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
                self.skip(end);
            }
        }
    }

    /// Skips `[[...]]`, `[=[...]=]` and so on, if one begins here.
    fn long_bracket(&mut self) -> Option<()> {
        let level = self.rest.get(1..)?.iter().take_while(|byte| **byte == b'=').count();
        if self.rest.first() != Some(&b'[') || self.rest.get(level + 1) != Some(&b'[') {
            return None;
        }
        self.skip(level + 2);
        let mut end = vec![b']'];
        end.resize(level + 1, b'=');
        end.push(b']');
        let at = memchr::memmem::find(self.rest, &end).map(|at| at + end.len());
        self.skip(at.unwrap_or(self.rest.len()));
        Some(())
    }

    fn quoted(&mut self) -> Token {
        let quote = self.rest.first().copied();
        let mut length = 1;
        loop {
            match self.rest.get(length) {
                None => break,
                Some(b'\\') => length += 2,
                byte if byte == quote.as_ref() => {
                    length += 1;
                    break;
                }
                Some(_) => length += 1,
            }
        }
        self.skip(length);
        Token::Text
    }

    fn word(&mut self) -> Token {
        let is_number = self.rest.first().is_some_and(|b| b.is_ascii_digit() || *b == b'.');
        let is_inside = |byte: &u8| {
            byte.is_ascii_alphanumeric()
                || *byte == b'_'
                || *byte >= 0x80
                || (is_number && *byte == b'.')
        };
        let length = self.rest.iter().take_while(|byte| is_inside(byte)).count().max(1);
        let token = match self.rest.get(..length).unwrap_or_default() {
            b"and" | b"or" | b"not" => Token::Operator,
            b"do" | b"function" | b"if" | b"repeat" => Token::Open,
            b"end" | b"until" => Token::Close,
            word if SEPARATORS.contains(&word) => Token::Separator,
            _ => Token::Word,
        };
        self.skip(length);
        token
    }
}

#[cfg(test)]
#[path = "syntax_test.rs"]
mod tests;
