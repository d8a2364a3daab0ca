//! The arguments of a command.

use super::failure::{Done, Failure, NOT_FLOAT, NOT_INTEGER, SYNTAX};
use crate::text::{double, integer};

/// The arguments of a command; the first is its name. Reading beyond the end yields empty bytes, so a handler whose
/// arity was checked reads its arguments without further checks.
#[derive(Clone, Copy, Debug)]
pub struct Args<'a>(&'a [&'a [u8]]);

impl<'a> Args<'a> {
    /// Returns arguments from a list that begins with the command's name.
    pub fn new(list: &'a [&'a [u8]]) -> Args<'a> {
        Args(list)
    }

    /// Returns the number of arguments, the name included.
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Returns whether there is not even a name.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Returns an argument; empty bytes beyond the end.
    pub fn at(self, index: usize) -> &'a [u8] {
        self.0.get(index).copied().unwrap_or_default()
    }

    /// Returns an argument, if there are so many.
    pub fn get(self, index: usize) -> Option<&'a [u8]> {
        self.0.get(index).copied()
    }

    /// Returns the arguments from an index on.
    pub fn from(self, index: usize) -> &'a [&'a [u8]] {
        self.0.get(index..).unwrap_or_default()
    }

    /// Returns the arguments from an index up to another, excluded.
    pub fn range(self, from: usize, to: usize) -> &'a [&'a [u8]] {
        self.0.get(from..to.min(self.0.len())).unwrap_or_default()
    }

    /// Returns all arguments.
    pub fn all(self) -> &'a [&'a [u8]] {
        self.0
    }

    /// Returns whether an argument is this word, in any case.
    pub fn is(self, index: usize, word: &str) -> bool {
        is(self.at(index), word)
    }

    /// Returns an argument as an integer.
    ///
    /// # Errors
    ///
    /// It is not a decimal integer of 64 bits as Redis writes it.
    pub fn integer(self, index: usize) -> Done<i64> {
        parse_integer(self.at(index))
    }

    /// Returns an argument as a floating-point number. It may be infinite, and is never NaN.
    ///
    /// # Errors
    ///
    /// It is not a number.
    pub fn float(self, index: usize) -> Done<f64> {
        double::parse(self.at(index)).ok_or_else(|| NOT_FLOAT.into())
    }

    /// Returns an argument as the timeout of a blocking command: seconds, replied in milliseconds; `None` for 0, which
    /// means no end.
    ///
    /// # Errors
    ///
    /// It is not a number, is negative, or is beyond the range of milliseconds.
    pub fn timeout_ms(self, index: usize) -> Done<Option<u64>> {
        const UNFIT: &str = "ERR timeout is not a float or out of range";
        let ms = (double::parse(self.at(index)).ok_or(UNFIT)? * 1000.0).ceil();
        if ms < 0.0 {
            return Err("ERR timeout is negative".into());
        }
        if ms >= i64::MAX as f64 {
            return Err("ERR timeout is out of range".into());
        }
        Ok((ms > 0.0).then_some(ms as u64))
    }

    /// Returns an iteration over optional arguments, from an index on.
    pub fn options(self, from: usize) -> Options<'a> {
        Options { args: self, at: from }
    }
}

/// Returns whether an argument is this word, in any case.
pub fn is(argument: &[u8], word: &str) -> bool {
    argument.eq_ignore_ascii_case(word.as_bytes())
}

/// Returns an argument as an integer.
///
/// # Errors
///
/// It is not a decimal integer of 64 bits as Redis writes it.
pub fn parse_integer(argument: &[u8]) -> Done<i64> {
    integer::parse(argument).ok_or_else(|| NOT_INTEGER.into())
}

/// Returns the error of a wrong number of arguments. Subcommands are named `config|get`.
pub fn wrong_arity(name: &str) -> Failure {
    format!("ERR wrong number of arguments for '{name}' command").into()
}

/// A walk over optional arguments: words, some of which have values.
///
/// ```text
/// let mut options = args.options(3);
/// while let Some(word) = options.next() {
///     if is(word, "count") { count = parse_integer(options.value()?)?; } else { return Err(SYNTAX.into()) }
/// }
/// ```
pub struct Options<'a> {
    args: Args<'a>,
    at: usize,
}

impl<'a> Options<'a> {
    /// Returns the next word.
    #[expect(clippy::should_implement_trait, reason = "values are taken between the words")]
    pub fn next(&mut self) -> Option<&'a [u8]> {
        let word = self.args.get(self.at)?;
        self.at += 1;
        Some(word)
    }

    /// Returns the value that follows a word.
    ///
    /// # Errors
    ///
    /// There is none: a syntax error.
    pub fn value(&mut self) -> Done<&'a [u8]> {
        self.next().ok_or_else(|| SYNTAX.into())
    }

    /// Returns the index of the next word.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Returns the number of arguments that are left.
    pub fn left(&self) -> usize {
        self.args.len().saturating_sub(self.at)
    }
}
