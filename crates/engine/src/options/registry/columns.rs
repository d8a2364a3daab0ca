//! The columns of a row after its name and field.

use super::super::parse::{parse_bool, parse_float, parse_integer};
use super::{InFile, Support};
use crate::error::Result;

/// The shape of a value that is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// Anything.
    Text,
}

impl Shape {
    pub(super) fn name(self) -> &'static str {
        match self {
            Shape::Bool => "true or false",
            Shape::Integer => "a whole number",
            Shape::Number => "a number",
            Shape::Text => "text",
        }
    }

    /// Returns RocksDB's error text for a value that it cannot parse.
    pub(super) fn complaint(self) -> &'static str {
        match self {
            Shape::Bool | Shape::Text => "",
            Shape::Integer => "stoull",
            Shape::Number => "stod",
        }
    }

    pub(super) fn accepts(self, text: &str) -> bool {
        match self {
            Shape::Bool => parse_bool(text).is_some(),
            Shape::Integer => parse_integer(text).is_some(),
            Shape::Number => parse_float(text).is_some(),
            Shape::Text => true,
        }
    }

    pub(super) fn same(self, a: &str, b: &str) -> bool {
        match self {
            Shape::Bool => parse_bool(a) == parse_bool(b),
            Shape::Integer => parse_integer(a) == parse_integer(b),
            Shape::Number => a.parse::<f64>().ok() == b.parse::<f64>().ok(),
            Shape::Text => a == b,
        }
    }
}

/// Where the value of a row is stored, and its text form.
pub(in crate::options) enum Kind<T> {
    /// In a field whose type has a text form. `set` also gets the name of the option, for messages.
    Field { set: fn(&mut T, &str, &str) -> Result<()>, get: fn(&T) -> String },
    /// In fields that these functions access.
    Custom { set: fn(&mut T, &str) -> Result<()>, get: fn(&T) -> String },
    /// Not stored: there is only one value.
    Fixed { value: &'static str, shape: Shape },
}

/// How the dump of options in LOG shows an option. Spaces and order are RocksDB's, because programs search LOG for its
/// lines.
pub(super) enum Log<T> {
    /// Not at all.
    Hidden,
    /// `name: value` after this many spaces. Booleans are 1 and 0, or words if `words` is set.
    Value { spaces: usize, words: bool },
    /// The same with another text for the value.
    As { spaces: usize, value: fn(&T) -> String },
    /// As these lines.
    Lines(fn(&T) -> Vec<String>),
}

/// The columns of a row after name, field and default. [`options!`] provides one function per [`Support`]; the methods
/// set what differs from the usual.
pub(in crate::options) struct Columns<T> {
    pub(super) name: Option<&'static str>,
    pub(super) support: Support,
    pub(super) in_file: InFile,
    pub(super) changeable: bool,
    pub(super) log: Log<T>,
}

impl<T> Columns<T> {
    pub(in crate::options) const fn new(support: Support) -> Columns<T> {
        let in_file = InFile::Always;
        Columns { name: None, support, in_file, changeable: false, log: Log::Hidden }
    }

    /// Sets RocksDB's name, if the field has another one.
    pub(in crate::options) const fn named(mut self, name: &'static str) -> Columns<T> {
        self.name = Some(name);
        self
    }

    /// Writes the option to OPTIONS files only if it is not the default: RocksDB 7.8.3 does not have it.
    pub(in crate::options) const fn written_when_set(mut self) -> Columns<T> {
        self.in_file = InFile::WhenSet;
        self
    }

    /// Never writes the option to OPTIONS files.
    pub(in crate::options) const fn never_written(mut self) -> Columns<T> {
        self.in_file = InFile::Never;
        self
    }

    /// Marks the option as changeable while the database is open, as `SetOptions` and `SetDBOptions` of RocksDB 10.10
    /// allow.
    pub(in crate::options) const fn changeable(mut self) -> Columns<T> {
        self.changeable = true;
        self
    }

    /// Shows the option in LOG after this many spaces, booleans as 1 and 0.
    pub(in crate::options) const fn log(mut self, spaces: usize) -> Columns<T> {
        self.log = Log::Value { spaces, words: false };
        self
    }

    /// Shows the option in LOG after this many spaces, booleans as `true` and `false`.
    pub(in crate::options) const fn log_words(mut self, spaces: usize) -> Columns<T> {
        self.log = Log::Value { spaces, words: true };
        self
    }

    /// Shows the option in LOG after this many spaces, with a text other than its text form.
    pub(in crate::options) const fn log_as(
        mut self,
        spaces: usize,
        value: fn(&T) -> String,
    ) -> Columns<T> {
        self.log = Log::As { spaces, value };
        self
    }

    /// Shows the option in LOG, possibly with related values, in lines of a special form.
    pub(in crate::options) const fn log_lines(
        mut self,
        lines: fn(&T) -> Vec<String>,
    ) -> Columns<T> {
        self.log = Log::Lines(lines);
        self
    }
}
