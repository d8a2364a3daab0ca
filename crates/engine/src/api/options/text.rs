//! Options as text: by name, as lists, from OPTIONS files.

use super::{ColumnFamilyOptions, Options};
use crate::error::{Code, Error, Result};
use crate::fs::FileSystem;
use crate::options::{
    self, ColumnFamilyOptions as CfOptions, DbOptions, Leniency, OptionSet, newest_options_file,
    options_file_text, read_options_file,
};
use std::fmt::DebugStruct;
use std::path::Path;
use std::sync::Arc;

/// Adds the options that differ from the defaults.
pub(super) fn debug_changes<T: OptionSet>(options: &T, out: &mut DebugStruct<'_, '_>) {
    let default = T::default();
    for row in T::rows() {
        let value = row.get(options);
        if value != row.get(&default) {
            out.field(row.name, &format_args!("{value}"));
        }
    }
}

/// Explains what is wrong with an option that was set as text, without the wording of RocksDB's parser.
#[cold]
pub(in crate::api) fn explained(e: Error) -> Error {
    match explanation(e.message()) {
        Some(message) => e.explained(message).regarded_as(Code::InvalidArgument),
        None => e,
    }
}

fn explanation(message: &str) -> Option<String> {
    if let Some(name) = message.strip_prefix("Option not changeable: ") {
        return Some(fixed(name));
    }
    let unknown = ["Extra option not recognized: ", "Unrecognized option: "];
    if let Some(name) = unknown.iter().find_map(|words| message.strip_prefix(words)) {
        return Some(match (DbOptions::row(name), CfOptions::row(name)) {
            (Some(_), _) if message.starts_with("Unrecognized") => fixed(name),
            (Some(_), _) => format!("{name} is an option of the database, not of column families"),
            (_, Some(_)) => format!("{name} is an option of column families, not of the database"),
            _ => format!("there is no option {name}{}", similar(name)),
        });
    }
    let (words, expected) = message.split_once(": expected ")?;
    let name =
        words.strip_prefix("Error parsing:: ").or(words.strip_prefix("No mapping for enum : "));
    let name = name.or_else(|| words.strip_prefix("Error parsing ")?.split(':').next())?;
    Some(format!("option {name}: expected {expected}"))
}

fn fixed(name: &str) -> String {
    format!("option {name} cannot change while the database is open: set it at the next opening")
}

/// Returns the name that was probably meant, if a similar one exists.
fn similar(name: &str) -> String {
    let names = DbOptions::rows().iter().map(|row| row.name);
    let names = names.chain(CfOptions::rows().iter().map(|row| row.name));
    let near = names.map(|known| (distance(known, name), known)).min();
    near.filter(|(distance, _)| *distance <= 3)
        .map_or(String::new(), |(_, known)| format!(": did you mean {known}?"))
}

/// Returns the smallest number of bytes to insert, delete or change.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let cost = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

impl Options {
    /// Sets an option of the database or of its default column family by RocksDB's name. The value is in RocksDB's
    /// syntax: `100`, `4M`, `true`, `kZSTD`, `{filter_policy=bloomfilter:10;block_size=8K}`.
    ///
    /// ```
    /// use ferrolith::Options;
    /// let options = Options::new()
    ///     .set("max_open_files", "100")?
    ///     .set("block_based_table_factory", "{block_size=8K;filter_policy=bloomfilter:10}")?;
    /// assert_eq!(options.get("max_open_files").as_deref(), Some("100"));
    /// assert!(Options::new().set("max_open_flies", "100").is_err());
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `InvalidArgument` for a name that RocksDB does not have or a value that cannot be parsed, and with
    /// `NotSupported` for a value that the engine cannot honour.
    pub fn set(mut self, name: &str, value: &str) -> Result<Options> {
        match DbOptions::row(name) {
            Some(row) => row.set(&mut self.inner.db, value),
            None => self.inner.cf.set_option(name, value),
        }
        .map_err(explained)?;
        self.note_text(name, value);
        Ok(self)
    }

    fn note_text(&mut self, name: &str, value: &str) {
        if name == "create_missing_column_families" {
            self.refuse_missing = value.trim() == "false" || value.trim() == "0";
        }
    }

    /// Sets options from a list `name=value;name={...}`, in order.
    ///
    /// ```
    /// use ferrolith::Options;
    /// let options = Options::new().set_from_str("write_buffer_size=8M;compression=kZSTD")?;
    /// assert_eq!(options.get("write_buffer_size").as_deref(), Some("8388608"));
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Options::set`]; also for a list that cannot be parsed.
    pub fn set_from_str(mut self, list: &str) -> Result<Options> {
        for (name, value) in options::parse::split_pairs(options::parse::unbrace(list))? {
            self = self.set(name, value)?;
        }
        Ok(self)
    }

    /// Returns the value of an option as text, or `None` for a name that RocksDB does not have.
    pub fn get(&self, name: &str) -> Option<String> {
        self.inner.db.get_option(name).or_else(|| self.inner.cf.get_option(name))
    }

    /// Returns one sentence for each option that was set and has no effect in this engine.
    ///
    /// ```
    /// use ferrolith::Options;
    /// let options = Options::new().set("use_adaptive_mutex", "true")?;
    /// assert!(options.without_effect()[0].contains("use_adaptive_mutex"));
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    pub fn without_effect(&self) -> Vec<String> {
        let mut lines = self.inner.db.without_effect();
        lines.extend(self.inner.cf.without_effect());
        lines
    }

    /// Reads an OPTIONS file, which Ferrolith and RocksDB write into each database. It has the options of the database
    /// and of all its column families. It does not have closures; set them afterwards.
    ///
    /// ```
    /// use ferrolith::{Db, Options};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path();
    /// drop(Db::open_with(Options::new().create_if_missing(true).max_open_files(100), path)?);
    /// let stored = Options::latest(path)?;
    /// assert_eq!(stored.get("max_open_files").as_deref(), Some("100"));
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the file cannot be read, and for the same reasons as [`Options::set`]. Objects that a program supplies
    /// (comparators, merge operators) are an error unless they are built in.
    pub fn from_options_file(path: impl AsRef<Path>) -> Result<Options> {
        from_file(&crate::fs::posix(), path.as_ref())
    }

    /// Reads the newest OPTIONS file of a database.
    ///
    /// # Errors
    /// Same as [`Options::from_options_file`]; with `NotFound` if the directory has no such file.
    pub fn latest(database: impl AsRef<Path>) -> Result<Options> {
        let (fs, dir) = (crate::fs::posix(), database.as_ref());
        match newest_options_file(&*fs, dir)? {
            Some(path) => from_file(&fs, &path),
            None => Err(Error::new(Code::NotFound, format!("OPTIONS file in {}", dir.display()))),
        }
    }

    /// Returns the options as the text of an OPTIONS file.
    ///
    /// ```
    /// use ferrolith::Options;
    /// assert!(Options::new().max_open_files(100).to_text().contains("max_open_files=100"));
    /// ```
    pub fn to_text(&self) -> String {
        let mut families = vec![("default", &self.inner.cf)];
        families.extend(self.families.iter().map(|(name, cf)| (name.as_str(), &cf.inner)));
        options_file_text(&self.inner.db, &families)
    }
}

fn from_file(fs: &Arc<dyn FileSystem>, path: &Path) -> Result<Options> {
    let known = options::Options::default();
    let file = read_options_file(&**fs, path, &known, Leniency::default())?;
    let mut options = Options::new();
    options.inner.db = file.db;
    for (name, cf) in file.column_families {
        options = options.column_family(name, ColumnFamilyOptions { inner: cf, ttl: None });
    }
    Ok(options)
}

impl ColumnFamilyOptions {
    /// Sets an option by RocksDB's name; see [`Options::set`].
    ///
    /// # Errors
    /// Same as [`Options::set`].
    pub fn set(mut self, name: &str, value: &str) -> Result<ColumnFamilyOptions> {
        self.inner.set_option(name, value).map_err(explained)?;
        Ok(self)
    }

    /// Sets options from a list `name=value;name={...}`, in order.
    ///
    /// # Errors
    /// Same as [`Options::set_from_str`].
    pub fn set_from_str(mut self, list: &str) -> Result<ColumnFamilyOptions> {
        self.inner.set_options(list).map_err(explained)?;
        Ok(self)
    }

    /// Returns the value of an option as text, or `None` for a name that RocksDB does not have.
    pub fn get(&self, name: &str) -> Option<String> {
        self.inner.get_option(name)
    }

    /// Returns one sentence for each option that was set and has no effect in this engine.
    pub fn without_effect(&self) -> Vec<String> {
        self.inner.without_effect()
    }
}

#[cfg(test)]
mod tests {
    use crate::options::{
        BlockBasedTableOptions, ColumnFamilyOptions, CompressionOptions, DbOptions,
        FifoCompactionOptions, OptionSet, PlainTableOptions, Support, UniversalCompactionOptions,
    };

    fn missing<T: OptionSet>(text: &str) -> Vec<&'static str> {
        let accepted = T::rows().iter().filter(|row| row.support == Support::Accepted);
        let listed = |name: &str| text.contains(&format!("`{name}`"));
        accepted.map(|row| row.name).filter(|name| !listed(name)).collect()
    }

    #[test]
    fn every_option_without_effect_is_listed() {
        let text = include_str!("without_effect.md");
        let mut all = missing::<DbOptions>(text);
        all.extend(missing::<ColumnFamilyOptions>(text));
        all.extend(missing::<BlockBasedTableOptions>(text));
        all.extend(missing::<PlainTableOptions>(text));
        all.extend(missing::<CompressionOptions>(text));
        all.extend(missing::<UniversalCompactionOptions>(text));
        all.extend(missing::<FifoCompactionOptions>(text));
        assert_eq!(all, Vec::<&str>::new(), "add them to api/options/without_effect.md");
        assert!(!text.contains("`write_buffer_size`"), "an option that is honoured");
    }
}
