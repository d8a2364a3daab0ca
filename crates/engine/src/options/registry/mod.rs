//! The row of an option. The rows themselves are in tables beside the types that they use: [`db`](super::db),
//! [`cf`](super::cf), [`block_based`](super::block_based), [`table`](super::table), and for nested options
//! [`compaction`](super::compaction) and [`compression`](super::compression).
//!
//! A row has the field with its docs, default, name, text form, support, whether it is changeable while the database is
//! open, and its lines in LOG. The struct, its defaults and all functions that use names are derived from the rows (see
//! [`options!`]).
//!
//! There is a row for every name that RocksDB 7.8.3 writes into an OPTIONS file, for later names, and for obsolete
//! names that RocksDB still accepts. A row is
//! * *honoured*: it has a field, and the engine implements the option;
//! * *accepted*: it concerns only speed, space or logging, or describes what the engine does anyway; the form of its
//!   value is checked, and otherwise it has no effect;
//! * *refused*: values other than those listed would change results or durability in ways that the engine does not
//!   support, and are an error.
//!
//! A name without a row is an error, which names it.

mod columns;
mod components;
mod messages;
mod parts;
mod table;
mod values;

use super::parse::{split_pairs, unbrace};
use super::{DbOptions, Options};
use crate::error::{Code, Error, Result};
use columns::Log;
use messages::{named, unknown_option};

pub use columns::Shape;
pub(super) use columns::{Columns, Kind};
pub(super) use table::{columns, options};
pub(super) use values::TextForm;

/// The engine's support for an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// The engine implements it.
    Honoured,
    /// Its value has no effect; no result depends on it.
    Accepted,
    /// It is refused unless its value describes the engine's behaviour.
    Refused,
}

/// Whether OPTIONS files contain an option. RocksDB 7.8.3 must be able to read files of unchanged options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InFile {
    /// Always: 7.8.3 has the name.
    Always,
    /// If it is not the default: 7.8.3 does not have the name.
    WhenSet,
    /// Never.
    Never,
}

/// One option of a `T`.
pub struct Row<T: 'static> {
    /// RocksDB's name.
    pub name: &'static str,
    /// The docs of its field: its meaning, and the reason if the engine does not support it. Empty without a field.
    pub docs: &'static str,
    /// The engine's support for the option.
    pub support: Support,
    /// Whether our OPTIONS files contain it.
    pub in_file: InFile,
    /// Whether it is changeable while the database is open.
    pub changeable: bool,
    log: Log<T>,
    kind: Kind<T>,
}

impl<T> Row<T> {
    /// Creates the row of the option `name`.
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

    /// Returns a sentence if the value differs from the default but has no effect.
    pub fn without_effect(&self, options: &T, default: &T) -> Option<String> {
        let ours = self.get(options);
        let differs = self.support == Support::Accepted && ours != self.get(default);
        differs.then(|| format!("option {}: value {ours} has no effect", self.name))
    }

    /// Refuses a value other than the default if the engine does not support it.
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

    /// Returns `name=value` for OPTIONS files, if the option belongs there.
    pub(in crate::options) fn in_file(&self, options: &T, default: &T) -> Option<String> {
        let value = self.get(options);
        let belongs = match self.in_file {
            InFile::Always => true,
            InFile::WhenSet => value != self.get(default),
            InFile::Never => false,
        };
        belongs.then(|| format!("{}={value}", self.name))
    }

    /// Returns the lines of LOG's dump, with `path` before the name.
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

    /// Returns the value as text.
    pub fn get(&self, options: &T) -> String {
        match &self.kind {
            Kind::Field { get, .. } | Kind::Custom { get, .. } => get(options),
            Kind::Fixed { value, .. } => value.to_string(),
        }
    }
}

/// A struct of options that has rows.
pub trait OptionSet: Sized + Default + 'static {
    /// Returns all rows.
    fn rows() -> &'static [Row<Self>];

    /// Returns the row with this name.
    fn row(name: &str) -> Option<&'static Row<Self>> {
        Self::rows().iter().find(|r| r.name == name)
    }

    /// Sets the option `name` from text.
    fn set_option(&mut self, name: &str, value: &str) -> Result<()> {
        if let Some(row) = Self::row(name) {
            return row.set(self, value);
        }
        // One setting of a nested option: `part.setting`.
        match name.split_once('.').and_then(|(part, rest)| Some((Self::row(part)?, rest))) {
            Some((row, setting)) => row.set(self, &format!("{{{setting}={value};}}")),
            None => Err(unknown_option(name)),
        }
    }

    /// Sets every option of `k=v;k={...}`, in order. After an error some may have been set.
    fn set_options(&mut self, list: &str) -> Result<()> {
        split_pairs(unbrace(list))?.into_iter().try_for_each(|(k, v)| self.set_option(k, v))
    }

    /// Returns a sentence for each option that was set and has no effect.
    fn without_effect(&self) -> Vec<String> {
        let default = Self::default();
        Self::rows().iter().filter_map(|row| row.without_effect(self, &default)).collect()
    }

    /// Returns an error for values that the engine does not support.
    fn check(&self) -> Result<()> {
        let default = Self::default();
        Self::rows().iter().try_for_each(|row| row.check(self, &default))
    }

    /// Returns all options that belong into files, as `{k=v;k=v;}`.
    fn braced(&self) -> String {
        let default = Self::default();
        let rows = Self::rows().iter().filter_map(|row| row.in_file(self, &default));
        rows.fold(String::from("{"), |list, pair| list + &pair + ";") + "}"
    }

    /// Returns the value of the option `name` as text.
    fn get_option(&self, name: &str) -> Option<String> {
        Self::row(name).map(|r| r.get(self))
    }
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
    /// Does the same as [`Options::set_options`], with RocksDB's rules for strings: an object that the program would
    /// have to supply is left unchanged, and so is everything after an error.
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

#[cfg(test)]
#[path = "registry_test.rs"]
mod tests;
