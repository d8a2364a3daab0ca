//! One row per option: its name, what the engine does with it, how it is read and printed.
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

mod cf_rows;
mod components;
mod db_rows;
mod nested_rows;
mod table_rows;
mod values;

use super::parse::{parse_bool, parse_float, parse_integer, split_pairs, unbrace};
use super::{
    BlockBasedTableOptions, ColumnFamilyOptions, CompressionOptions, CuckooTableOptions, DbOptions,
    FifoCompactionOptions, MetadataCacheOptions, Options, PlainTableOptions,
    UniversalCompactionOptions,
};
use crate::error::{Code, Error, Result};

pub use cf_rows::CF_ROWS;
pub use db_rows::DB_ROWS;
pub use nested_rows::{COMPRESSION_ROWS, FIFO_ROWS, METADATA_CACHE_ROWS, UNIVERSAL_ROWS};
pub use table_rows::{BLOCK_BASED_ROWS, CUCKOO_ROWS, PLAIN_ROWS};

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

/// Where the value of a row lives.
pub(crate) enum Kind<T> {
    /// In the options.
    Field { set: fn(&mut T, &str) -> Result<()>, get: fn(&T) -> String },
    /// Nowhere: there is one value.
    Fixed { value: &'static str, shape: Shape },
}

/// One option of a `T`.
pub struct Row<T: 'static> {
    /// RocksDB's name.
    pub name: &'static str,
    /// What the engine does with it.
    pub support: Support,
    /// Whether our OPTIONS files have it.
    pub in_file: InFile,
    pub(crate) kind: Kind<T>,
}

impl<T> Row<T> {
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
    pub(super) fn in_file(&self, options: &T, default: &T) -> Option<String> {
        let value = self.get(options);
        let belongs = match self.in_file {
            InFile::Always => true,
            InFile::WhenSet => value != self.get(default),
            InFile::Never => false,
        };
        belongs.then(|| format!("{}={value}", self.name))
    }

    /// Sets the option from text.
    pub fn set(&self, options: &mut T, text: &str) -> Result<()> {
        let text = text.trim();
        let named = |e: Error| Error::new(e.code(), named(self.name, e.message()));
        match &self.kind {
            Kind::Field { set, .. } => set(options, text).map_err(named),
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
            Kind::Field { get, .. } => get(options),
            Kind::Fixed { value, .. } => value.to_string(),
        }
    }
}

/// A struct of options that has rows.
pub trait OptionSet: Sized + Default + 'static {
    /// All rows.
    fn rows() -> &'static [Row<Self>];

    /// The row with this name.
    fn row(name: &str) -> Option<&'static Row<Self>> {
        Self::rows().iter().find(|r| r.name == name)
    }

    /// Sets the option `name` from text.
    fn set_option(&mut self, name: &str, value: &str) -> Result<()> {
        if let Some(row) = Self::row(name) {
            return row.set(self, value);
        }
        // One setting of a part: `part.setting`.
        match name.split_once('.').and_then(|(part, rest)| Some((Self::row(part)?, rest))) {
            Some((row, setting)) => row.set(self, &format!("{{{setting}={value};}}")),
            None => Err(unknown_option(name)),
        }
    }

    /// Sets every option of `k=v;k={...}`, in its order. On an error some may be set.
    fn set_options(&mut self, list: &str) -> Result<()> {
        split_pairs(unbrace(list))?.into_iter().try_for_each(|(k, v)| self.set_option(k, v))
    }

    /// A sentence per option that was set and has no effect.
    fn without_effect(&self) -> Vec<String> {
        let default = Self::default();
        Self::rows().iter().filter_map(|row| row.without_effect(self, &default)).collect()
    }

    /// Refuses what the engine does not have.
    fn check(&self) -> Result<()> {
        let default = Self::default();
        Self::rows().iter().try_for_each(|row| row.check(self, &default))
    }

    /// Everything that belongs into files, as `{k=v;k=v;}`.
    fn braced(&self) -> String {
        let default = Self::default();
        let rows = Self::rows().iter().filter_map(|row| row.in_file(self, &default));
        rows.fold(String::from("{"), |list, pair| list + &pair + ";") + "}"
    }

    /// The value of the option `name` as text.
    fn get_option(&self, name: &str) -> Option<String> {
        Self::row(name).map(|r| r.get(self))
    }
}

macro_rules! option_sets {
    ($($options:ident $rows:ident)*) => {$(
        impl OptionSet for $options {
            fn rows() -> &'static [Row<$options>] {
                $rows
            }
        }
    )*};
}

option_sets! {
    DbOptions DB_ROWS
    ColumnFamilyOptions CF_ROWS
    BlockBasedTableOptions BLOCK_BASED_ROWS
    PlainTableOptions PLAIN_ROWS
    CuckooTableOptions CUCKOO_ROWS
    CompressionOptions COMPRESSION_ROWS
    UniversalCompactionOptions UNIVERSAL_ROWS
    FifoCompactionOptions FIFO_ROWS
    MetadataCacheOptions METADATA_CACHE_ROWS
}

impl Options {
    /// Sets options of the database and of its default column family from `k=v;k={...}`.
    pub fn set_options(&mut self, list: &str) -> Result<()> {
        for (name, value) in split_pairs(unbrace(list))? {
            if DbOptions::row(name).is_some() {
                self.db.set_option(name, value)?;
            } else {
                self.cf.set_option(name, value)?;
            }
        }
        Ok(())
    }
}

impl Options {
    /// As [`Options::set_options`], with RocksDB's rules for strings: a part that the program would
    /// have to supply is left as it is, and so is everything after an error.
    pub fn set_options_from_string(&mut self, list: &str) -> Result<()> {
        let mut changed = self.clone();
        for (name, value) in split_pairs(unbrace(list))? {
            let result = match DbOptions::row(name) {
                Some(row) => row.set(&mut changed.db, value),
                None => changed.cf.set_option(name, value),
            };
            match result {
                Err(e) if e.code() == Code::NotSupported => {}
                other => other?,
            }
        }
        *self = changed;
        Ok(())
    }
}

#[cold]
fn unknown_option(name: &str) -> Error {
    Error::invalid_argument(format!("{UNKNOWN}{name}"))
}

const UNKNOWN: &str = "Extra option not recognized: ";

/// How messages begin that name the option which is wrong, as RocksDB's do.
const COMPLETE: [&str; 10] = [
    "cuckoo hash memtable",
    "Error parsing",
    "No mapping for enum",
    "Unrecognized option",
    "Extra option not recognized",
    "unable to parse",
    "Mismatched",
    "Unexpected char",
    "Empty key",
    "Cannot modify",
];

/// The message of an error in the value of the option `name`.
fn named(name: &str, message: &str) -> String {
    match message.strip_prefix(UNKNOWN) {
        // RocksDB names the whole part where it is a table's or a memtable's.
        Some(inner) if name.ends_with("_factory") || name == "memtable" => {
            format!("{UNKNOWN}{name}: {inner}")
        }
        Some(inner) => format!("Unrecognized option: {name}.{inner}"),
        None if COMPLETE.iter().any(|begin| message.starts_with(begin)) => message.to_owned(),
        None => format!("option {name}: {message}"),
    }
}

/// A row with a field.
macro_rules! field {
    ($support:ident $name:literal $($path:ident).+) => {
        $crate::options::registry::field!($support Always $name $($path).+)
    };
    ($support:ident $in_file:ident $name:literal $($path:ident).+) => {
        $crate::options::registry::Row {
            name: $name,
            support: $crate::options::registry::Support::$support,
            in_file: $crate::options::registry::InFile::$in_file,
            kind: $crate::options::registry::Kind::Field {
                set: |o, text| $crate::options::registry::values::store(&mut o.$($path).+, $name, text),
                get: |o| $crate::options::registry::values::OptionValue::print(&o.$($path).+),
            },
        }
    };
}

/// A row with a field whose name 7.8.3 does not know.
macro_rules! young {
    ($support:ident $name:literal $($path:ident).+) => {
        $crate::options::registry::field!($support WhenSet $name $($path).+)
    };
}

/// A row whose field is a set of options.
macro_rules! nested {
    ($support:ident $name:literal $($path:ident).+) => {
        $crate::options::registry::custom!($support $name Always
            |o, text| $crate::options::registry::OptionSet::set_options(&mut o.$($path).+, text),
            |o| $crate::options::registry::OptionSet::braced(&o.$($path).+))
    };
}

/// A row whose value is read and printed by two functions.
macro_rules! custom {
    ($support:ident $name:literal $in_file:ident $set:expr, $get:expr) => {
        $crate::options::registry::Row {
            name: $name,
            support: $crate::options::registry::Support::$support,
            in_file: $crate::options::registry::InFile::$in_file,
            kind: $crate::options::registry::Kind::Field { set: $set, get: $get },
        }
    };
}

/// A row without a field: support, whether it is written to files, name, shape, value.
macro_rules! fixed {
    ($support:ident $in_file:ident $name:literal $shape:ident $value:literal) => {
        $crate::options::registry::Row {
            name: $name,
            support: $crate::options::registry::Support::$support,
            in_file: $crate::options::registry::InFile::$in_file,
            kind: $crate::options::registry::Kind::Fixed {
                value: $value,
                shape: $crate::options::registry::Shape::$shape,
            },
        }
    };
}

use {custom, field, fixed, nested, young};

#[cfg(test)]
#[path = "registry_test.rs"]
mod tests;
