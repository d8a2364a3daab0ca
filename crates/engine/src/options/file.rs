//! The OPTIONS file: all options of a database as text, for tools and for people.
//!
//! ```text
//! [Version]                              rocksdb_version, options_file_version
//! [DBOptions]                            once
//! [CFOptions "name"]                     per column family, "default" first,
//! [TableOptions/BlockBasedTable "name"]  each followed by its table's
//! ```
//!
//! Lines are `name=value`; `#` starts a comment unless it follows a backslash. RocksDB's `DB::Open` ignores the file,
//! but `ldb` reads the newest one whenever it opens a database. Therefore names that RocksDB 7.8.3 does not have are
//! written only if they were set.
//!
//! The parser accepts every file that RocksDB 7.8.3 to 11 writes, unless it requires features that the engine does not
//! have.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::parse::find_unescaped;
use super::registry::OptionSet;
use super::{
    BlockBasedTableOptions, ColumnFamilyOptions, Components, DbOptions, MemtableFactory, Options,
    PlainTableOptions, TableFactory,
};
use crate::error::{Code, Error, Result};
use crate::fs::filename::{FileKind, options_file_name, parse_file_name, temp_options_file_name};
use crate::fs::{FileSystem, WritableOptions};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The RocksDB version whose option names we write.
pub const ROCKSDB_VERSION: &str = "10.10.1";
const FILE_VERSION: &str = "1.1";

/// What a reader tolerates, as in RocksDB's `ConfigOptions`. The default is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leniency {
    /// Skip unknown names if the file was written by a RocksDB newer than [`ROCKSDB_VERSION`].
    pub unknown_options: bool,
    /// Keep defaults for objects that the program would have to supply, and for values that the engine does not
    /// support.
    pub unsupported_parts: bool,
}

impl Leniency {
    /// Replaces a tolerated error by success.
    fn allow(self, result: Result<()>) -> Result<()> {
        match result {
            Err(e) if self.unsupported_parts && e.code() == Code::NotSupported => Ok(()),
            other => other,
        }
    }
}

/// The content of an OPTIONS file.
#[derive(Clone)]
pub struct OptionsFile {
    /// The version of RocksDB that wrote the file, or whose format its writer used.
    pub rocksdb_version: String,
    /// The database-wide options.
    pub db: DbOptions,
    /// The options of each column family in file order: the default family is first.
    pub column_families: Vec<(String, ColumnFamilyOptions)>,
}

/// Returns the text of an OPTIONS file. The default column family is first.
pub fn options_file_text(db: &DbOptions, cfs: &[(&str, &ColumnFamilyOptions)]) -> String {
    let mut out = format!(
        "# Options of a Ferrolith database, as RocksDB writes them.\n\n[Version]\n  \
         rocksdb_version={ROCKSDB_VERSION}\n  options_file_version={FILE_VERSION}\n\n[DBOptions]\n"
    );
    let mut db = db.clone();
    // RocksDB refuses this option together with memtables that allow one writer at a time; here writers simply take
    // turns.
    let one_writer =
        |cf: &ColumnFamilyOptions| !matches!(cf.memtable_factory, MemtableFactory::SkipList { .. });
    db.allow_concurrent_memtable_write &= !cfs.iter().any(|(_, cf)| one_writer(cf));
    print_rows(&mut out, &db);
    let (first, others): (Vec<_>, Vec<_>) = cfs.iter().partition(|(name, _)| *name == "default");
    for (name, cf) in first.into_iter().chain(others) {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "\n[CFOptions \"{name}\"]");
        print_rows(&mut out, cf);
        let _ = writeln!(out, "\n[TableOptions/{} \"{name}\"]", cf.table_factory.name());
        match &cf.table_factory {
            TableFactory::BlockBased(table) => print_rows(&mut out, table),
            TableFactory::Plain(table) => print_rows(&mut out, table),
            TableFactory::Cuckoo(table) => print_rows(&mut out, table),
        }
    }
    out
}

fn print_rows<T: OptionSet>(out: &mut String, options: &T) {
    let default = T::default();
    for pair in T::rows().iter().filter_map(|row| row.in_file(options, &default)) {
        // RocksDB omits empty lists and paths.
        if !pair.ends_with('=') {
            let _ = writeln!(out, "  {pair}");
        }
    }
}

/// The subject of the lines below a section header.
enum Section {
    Start,
    Version,
    Db,
    ColumnFamily(usize),
    Table(usize),
}

impl OptionsFile {
    /// Parses the text of an OPTIONS file. Options that it does not contain keep their defaults. Comparators and merge
    /// operators that are not built in are taken from `known` if their names match; so are the file system and the
    /// block cache.
    pub fn parse(text: &str, known: &Options, leniency: Leniency) -> Result<OptionsFile> {
        let file_system = known.db.components.file_system.clone();
        let components = Components { file_system, ..Components::default() };
        let mut file = OptionsFile {
            rocksdb_version: String::new(),
            db: DbOptions { components, ..DbOptions::default() },
            column_families: Vec::new(),
        };
        let (mut section, mut saw_db) = (Section::Start, false);
        for (at, line) in text.lines().enumerate() {
            let line = line.get(..find_unescaped(line, '#')).unwrap_or(line).trim();
            let here = |e: Error| {
                Error::new(e.code(), format!("OPTIONS line {}: {}", at + 1, e.message()))
            };
            if let Some(header) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
                section = file.enter(header, known, &mut saw_db).map_err(here)?;
            } else if let Some((name, value)) = line.split_once('=') {
                let result = file.set(&section, name.trim(), value.trim(), leniency);
                leniency.allow(result).map_err(here)?;
            } else if !line.is_empty() {
                let what = format!("expected name=value or [section], found {line:?}");
                return Err(here(Error::invalid_argument(what)));
            }
        }
        if !saw_db || file.column_families.is_empty() {
            return Err(Error::invalid_argument(
                "OPTIONS: expected [DBOptions] and [CFOptions \"default\"]",
            ));
        }
        Ok(file)
    }

    fn enter(&mut self, header: &str, known: &Options, saw_db: &mut bool) -> Result<Section> {
        let (title, argument) = match header.split_once('"') {
            Some((title, rest)) => (title.trim(), rest.strip_suffix('"')),
            None => (header.trim(), None),
        };
        match (title, argument) {
            ("Version", None) => Ok(Section::Version),
            ("DBOptions", None) if *saw_db => Err(Error::invalid_argument("a second [DBOptions]")),
            ("DBOptions", None) => {
                *saw_db = true;
                Ok(Section::Db)
            }
            ("CFOptions", Some(name)) => {
                if self.column_families.is_empty() != (name == "default") {
                    return Err(Error::invalid_argument(format!(
                        "[CFOptions \"{name}\"]: expected \"default\" first and once"
                    )));
                }
                if self.column_families.iter().any(|(have, _)| have == name) {
                    return Err(Error::invalid_argument(format!(
                        "a second [CFOptions \"{name}\"]"
                    )));
                }
                let block_cache = match &known.cf.table_factory {
                    TableFactory::BlockBased(table) => table.block_cache.clone(),
                    _ => None,
                };
                let table = BlockBasedTableOptions { block_cache, ..Default::default() };
                let parts = ColumnFamilyOptions {
                    table_factory: TableFactory::BlockBased(table),
                    comparator: known.cf.comparator.clone(),
                    merge_operator: known.cf.merge_operator.clone(),
                    compaction_filter: known.cf.compaction_filter.clone(),
                    compaction_filter_factory: known.cf.compaction_filter_factory.clone(),
                    sst_partitioner_factory: known.cf.sst_partitioner_factory.clone(),
                    prefix_extractor: known.cf.prefix_extractor.clone(),
                    ..ColumnFamilyOptions::default()
                };
                self.column_families.push((name.to_string(), parts));
                Ok(Section::ColumnFamily(self.column_families.len() - 1))
            }
            (_, Some(name)) if title.starts_with("TableOptions/") => {
                let format = title.trim_start_matches("TableOptions/");
                let at = self.column_families.iter().position(|(have, _)| have == name);
                let cf = at.and_then(|at| self.column_families.get_mut(at));
                match (at, cf) {
                    (Some(at), Some((_, cf))) if cf.table_factory.name() == format => {
                        Ok(Section::Table(at))
                    }
                    (_, Some((_, cf))) => Err(Error::invalid_argument(format!(
                        "[{header}]: the table_factory of {name:?} is {}",
                        cf.table_factory.name()
                    ))),
                    _ => Err(Error::invalid_argument(format!(
                        "[{header}]: expected [CFOptions \"{name}\"] before"
                    ))),
                }
            }
            _ => Err(Error::invalid_argument(format!("unknown section [{header}]"))),
        }
    }

    fn set(
        &mut self,
        section: &Section,
        name: &str,
        value: &str,
        leniency: Leniency,
    ) -> Result<()> {
        if leniency.unknown_options && self.is_younger() && !self.knows(section, name) {
            return Ok(());
        }
        let cf = match section {
            Section::Start => {
                return Err(Error::invalid_argument(format!(
                    "{name:?} appears before the first section"
                )));
            }
            Section::Version => return self.set_version(name, value),
            Section::Db => return self.db.set_option(name, value),
            Section::ColumnFamily(at) | Section::Table(at) => self.column_families.get_mut(*at),
        };
        // A section that was entered has a column family.
        let Some((_, cf)) = cf else { return Ok(()) };
        match (section, &mut cf.table_factory) {
            (Section::Table(_), TableFactory::BlockBased(table)) => table.set_option(name, value),
            (Section::Table(_), TableFactory::Plain(table)) => table.set_option(name, value),
            (Section::Table(_), TableFactory::Cuckoo(table)) => table.set_option(name, value),
            _ => cf.set_option(name, value),
        }
    }

    /// Returns whether the file was written by a RocksDB that may have more options than this engine.
    fn is_younger(&self) -> bool {
        let numbers =
            |v: &str| -> Vec<u32> { v.split('.').map_while(|n| n.parse().ok()).collect() };
        numbers(&self.rocksdb_version) > numbers(ROCKSDB_VERSION)
    }

    fn knows(&self, section: &Section, name: &str) -> bool {
        let table = |at: &usize| self.column_families.get(*at).map(|(_, cf)| &cf.table_factory);
        match section {
            Section::Start | Section::Version => true,
            Section::Db => DbOptions::row(name).is_some(),
            Section::ColumnFamily(_) => ColumnFamilyOptions::row(name).is_some(),
            Section::Table(at) => match table(at) {
                Some(TableFactory::BlockBased(_)) => BlockBasedTableOptions::row(name).is_some(),
                Some(TableFactory::Plain(_)) => PlainTableOptions::row(name).is_some(),
                Some(TableFactory::Cuckoo(_)) | None => true,
            },
        }
    }

    fn set_version(&mut self, name: &str, value: &str) -> Result<()> {
        match name {
            "rocksdb_version" => self.rocksdb_version = value.to_string(),
            "options_file_version" => {
                let major = value.split('.').next().and_then(|m| m.parse::<u32>().ok());
                if major.is_none_or(|m| m < 1) {
                    return Err(Error::invalid_argument(format!(
                        "options_file_version: expected 1.0 or later, found {value:?}"
                    )));
                }
            }
            _ => return Err(Error::invalid_argument(format!("unknown option {name:?}"))),
        }
        Ok(())
    }
}

/// Reads an OPTIONS file; see [`OptionsFile::parse`].
pub fn read_options_file(
    fs: &dyn FileSystem,
    path: &Path,
    known: &Options,
    leniency: Leniency,
) -> Result<OptionsFile> {
    let bytes = fs.read_file(path)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Error::invalid_argument("expected text in UTF-8").in_file(path))?;
    OptionsFile::parse(&text, known, leniency).map_err(|e| e.in_file(path))
}

/// Returns the numbers of the OPTIONS files in `dir`, oldest first.
fn option_file_numbers(fs: &dyn FileSystem, dir: &Path) -> Result<Vec<u64>> {
    let names = fs.list_dir(dir)?;
    let number = |name: &String| match parse_file_name(name) {
        Some(FileKind::Options(number)) => Some(number),
        _ => None,
    };
    let mut numbers: Vec<u64> = names.iter().filter_map(number).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Returns the path of a database's newest OPTIONS file, if it has one.
pub fn newest_options_file(fs: &dyn FileSystem, dir: &Path) -> Result<Option<PathBuf>> {
    Ok(option_file_numbers(fs, dir)?.last().map(|number| options_file_name(dir, *number)))
}

/// Writes `OPTIONS-<number>` under a temporary name, syncs and renames it, and removes all but the newest two files.
pub fn write_options_file(
    fs: &dyn FileSystem,
    dir: &Path,
    number: u64,
    db: &DbOptions,
    cfs: &[(&str, &ColumnFamilyOptions)],
) -> Result<()> {
    let path = options_file_name(dir, number);
    let temporary = temp_options_file_name(dir, number);
    let mut file = fs.new_writable(&temporary, WritableOptions::default())?;
    file.append(options_file_text(db, cfs).as_bytes())?;
    file.sync()?;
    file.close()?;
    fs.rename(&temporary, &path)?;
    fs.sync_dir(dir)?;
    let numbers = option_file_numbers(fs, dir)?;
    for old in numbers.iter().rev().skip(2) {
        fs.remove_file(&options_file_name(dir, *old))?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "file_test.rs"]
mod tests;
