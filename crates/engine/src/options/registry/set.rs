//! A struct of options by the names of its options: what follows from rows for all of them together.

use super::super::parse::{split_pairs, unbrace};
use super::super::{DbOptions, Options};
use super::Row;
use crate::error::{Code, Error, Result};

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
pub(super) fn unknown_option(name: &str) -> Error {
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
pub(super) fn named(name: &str, message: &str) -> String {
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
