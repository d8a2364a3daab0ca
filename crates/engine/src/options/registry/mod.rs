//! What the row of an option is. The rows themselves stand in tables beside the types that they use: [`db`](super::db),
//! [`cf`](super::cf), [`block_based`](super::block_based), [`table`](super::table), and for parts of other options
//! [`compaction`](super::compaction) and [`compression`](super::compression).
//!
//! A row has the field with its docs, default, name, text form, support, whether it may change while the database is
//! open, and its lines in LOG; struct, defaults and everything that goes by names follow from it (see [`options!`]).
//!
//! Rows cover every name that RocksDB 7.8.3 writes into an OPTIONS file, the names that came later,
//! and those it still accepts from the past. A row is
//! * *honoured*: it has a field and the engine does what it says;
//! * *accepted*: it concerns speed, space or logging alone, or says what the engine does anyway;
//!   its value is checked for shape and otherwise has no effect;
//! * *refused*: values other than those listed would change results or durability in ways that the
//!   engine does not have, and are an error.
//!
//! A name without a row is an error that names it.

mod components;
mod parts;
mod set;
mod table;
mod values;

use super::parse::{parse_bool, parse_float, parse_integer};
use crate::error::{Error, Result};
use set::{named, unknown_option};

pub use set::OptionSet;
pub(super) use table::{columns, options};
pub(super) use values::TextForm;

/// What the engine does with an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// What it says.
    Honoured,
    /// Nothing that depends on its value; no result does.
    Accepted,
    /// It fails unless the value is the one that names the engine's behaviour.
    Refused,
}

/// Whether OPTIONS files have an option. RocksDB 7.8.3 must be able to read what nobody changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InFile {
    /// Always: 7.8.3 knows the name.
    Always,
    /// When it is not the default: younger than 7.8.3.
    WhenSet,
    /// Never.
    Never,
}

/// The shape of a value that is not kept.
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
    fn name(self) -> &'static str {
        match self {
            Shape::Bool => "true or false",
            Shape::Integer => "a whole number",
            Shape::Number => "a number",
            Shape::Text => "text",
        }
    }

    /// What RocksDB says where it cannot read such a value.
    fn complaint(self) -> &'static str {
        match self {
            Shape::Bool | Shape::Text => "",
            Shape::Integer => "stoull",
            Shape::Number => "stod",
        }
    }

    fn accepts(self, text: &str) -> bool {
        match self {
            Shape::Bool => parse_bool(text).is_some(),
            Shape::Integer => parse_integer(text).is_some(),
            Shape::Number => parse_float(text).is_some(),
            Shape::Text => true,
        }
    }

    fn same(self, a: &str, b: &str) -> bool {
        match self {
            Shape::Bool => parse_bool(a) == parse_bool(b),
            Shape::Integer => parse_integer(a) == parse_integer(b),
            Shape::Number => a.parse::<f64>().ok() == b.parse::<f64>().ok(),
            Shape::Text => a == b,
        }
    }
}

/// Where the value of a row lives, and its text form.
pub(in crate::options) enum Kind<T> {
    /// In a field, whose type has a text form. `set` also gets the name of the option, for messages.
    Field { set: fn(&mut T, &str, &str) -> Result<()>, get: fn(&T) -> String },
    /// In fields that these functions know.
    Custom { set: fn(&mut T, &str) -> Result<()>, get: fn(&T) -> String },
    /// Nowhere: there is one value.
    Fixed { value: &'static str, shape: Shape },
}

/// How the options dump in LOG shows an option. Spaces and order are RocksDB's, as programs search LOG for its lines.
enum Log<T> {
    /// Not at all.
    Hidden,
    /// `name: value` after so many spaces. Booleans are 1 and 0 unless they are to be words.
    Value { spaces: usize, words: bool },
    /// The same with another text for the value.
    As { spaces: usize, value: fn(&T) -> String },
    /// As these lines.
    Lines(fn(&T) -> Vec<String>),
}

/// The columns of a row behind name, field and default. [`options!`] has functions that make one
/// for each [`Support`]; the methods fill in what differs from the usual.
pub(in crate::options) struct Columns<T> {
    name: Option<&'static str>,
    support: Support,
    in_file: InFile,
    changeable: bool,
    log: Log<T>,
}

impl<T> Columns<T> {
    pub(in crate::options) const fn new(support: Support) -> Columns<T> {
        let in_file = InFile::Always;
        Columns { name: None, support, in_file, changeable: false, log: Log::Hidden }
    }

    /// RocksDB's name, where the field has another one.
    pub(in crate::options) const fn named(mut self, name: &'static str) -> Columns<T> {
        self.name = Some(name);
        self
    }

    /// OPTIONS files have the option only if it is not the default: RocksDB 7.8.3 does not know it.
    pub(in crate::options) const fn written_when_set(mut self) -> Columns<T> {
        self.in_file = InFile::WhenSet;
        self
    }

    /// OPTIONS files never have the option.
    pub(in crate::options) const fn never_written(mut self) -> Columns<T> {
        self.in_file = InFile::Never;
        self
    }

    /// `SetOptions` or `SetDBOptions` of RocksDB 10.10 changes it while the database is open, and so do we.
    pub(in crate::options) const fn changeable(mut self) -> Columns<T> {
        self.changeable = true;
        self
    }

    /// LOG shows the option after so many spaces, booleans as 1 and 0.
    pub(in crate::options) const fn log(mut self, spaces: usize) -> Columns<T> {
        self.log = Log::Value { spaces, words: false };
        self
    }

    /// LOG shows the option after so many spaces, booleans as `true` and `false`.
    pub(in crate::options) const fn log_words(mut self, spaces: usize) -> Columns<T> {
        self.log = Log::Value { spaces, words: true };
        self
    }

    /// LOG shows the option after so many spaces, with a text that is not its text form.
    pub(in crate::options) const fn log_as(
        mut self,
        spaces: usize,
        value: fn(&T) -> String,
    ) -> Columns<T> {
        self.log = Log::As { spaces, value };
        self
    }

    /// LOG shows the option, and perhaps what goes with it, in lines of its own form.
    pub(in crate::options) const fn log_lines(
        mut self,
        lines: fn(&T) -> Vec<String>,
    ) -> Columns<T> {
        self.log = Log::Lines(lines);
        self
    }
}

/// One option of a `T`.
pub struct Row<T: 'static> {
    /// RocksDB's name.
    pub name: &'static str,
    /// The docs of its field: what it does, and why where the engine does not do that. Empty without a field.
    pub docs: &'static str,
    /// What the engine does with it.
    pub support: Support,
    /// Whether our OPTIONS files have it.
    pub in_file: InFile,
    /// Whether it can change while the database is open.
    pub changeable: bool,
    log: Log<T>,
    kind: Kind<T>,
}

impl<T> Row<T> {
    /// The row of the option `name`.
    pub(in crate::options) const fn new(
        name: &'static str,
        docs: &'static str,
        kind: Kind<T>,
        columns: Columns<T>,
    ) -> Row<T> {
        let Columns { name: other_name, support, in_file, changeable, log } = columns;
        let name = match other_name {
            Some(other) => other,
            None => name,
        };
        Row { name, docs, support, in_file, changeable, log, kind }
    }

    /// One sentence if the value differs from the default although the engine does nothing with it.
    pub fn without_effect(&self, options: &T, default: &T) -> Option<String> {
        let ours = self.get(options);
        let differs = self.support == Support::Accepted && ours != self.get(default);
        differs.then(|| format!("option {}: value {ours} has no effect", self.name))
    }

    /// Refuses a value other than the default if the engine does not have what it asks for.
    fn check(&self, options: &T, default: &T) -> Result<()> {
        let (ours, expected) = (self.get(options), self.get(default));
        if self.support != Support::Refused || ours == expected {
            return Ok(());
        }
        let name = self.name;
        Err(Error::not_supported(format!(
            "option {name}: value {ours} is not supported; expected {expected}"
        )))
    }

    /// `name=value` for OPTIONS files, if it belongs there.
    pub(in crate::options) fn in_file(&self, options: &T, default: &T) -> Option<String> {
        let value = self.get(options);
        let belongs = match self.in_file {
            InFile::Always => true,
            InFile::WhenSet => value != self.get(default),
            InFile::Never => false,
        };
        belongs.then(|| format!("{}={value}", self.name))
    }

    /// The lines of LOG's dump, with `path` in front of the name.
    pub(in crate::options) fn in_log(&self, path: &str, options: &T) -> Vec<String> {
        let line = |spaces: usize, value: String| {
            vec![format!("{:spaces$}{path}{}: {value}", "", self.name)]
        };
        match self.log {
            Log::Hidden => Vec::new(),
            Log::Value { spaces, words } => {
                let value = self.get(options);
                match value.as_str() {
                    "true" if !words => line(spaces, "1".to_owned()),
                    "false" if !words => line(spaces, "0".to_owned()),
                    _ => line(spaces, value),
                }
            }
            Log::As { spaces, value } => line(spaces, value(options)),
            Log::Lines(lines) => lines(options),
        }
    }

    /// Sets the option from text.
    pub fn set(&self, options: &mut T, text: &str) -> Result<()> {
        let text = text.trim();
        let named = |e: Error| Error::new(e.code(), named(self.name, e.message()));
        match &self.kind {
            Kind::Field { set, .. } => set(options, self.name, text).map_err(named),
            Kind::Custom { set, .. } => set(options, text).map_err(named),
            Kind::Fixed { shape, .. } if !shape.accepts(text) => {
                let (name, complaint, expected) = (self.name, shape.complaint(), shape.name());
                Err(Error::invalid_argument(format!(
                    "Error parsing {name}:{complaint}: expected {expected}, found {text:?}"
                )))
            }
            Kind::Fixed { value, shape }
                if self.support == Support::Refused && !shape.same(value, text) =>
            {
                Err(Error::not_supported(format!(
                    "option {}: value {text} is not supported; expected {value:?}",
                    self.name
                )))
            }
            Kind::Fixed { .. } => Ok(()),
        }
    }

    /// The value as text.
    pub fn get(&self, options: &T) -> String {
        match &self.kind {
            Kind::Field { get, .. } | Kind::Custom { get, .. } => get(options),
            Kind::Fixed { value, .. } => value.to_string(),
        }
    }
}

#[cfg(test)]
#[path = "registry_test.rs"]
mod tests;
