//! What a test does with an engine, whichever it is, and how it is opened.

use crate::workload::{Op, Shape, Table};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Errors are for people.
pub type Result<T> = std::result::Result<T, String>;

/// The engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// This repository's.
    Ferrolith,
    /// The vendor's library.
    Rocksdb,
}

impl Engine {
    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Ferrolith => "ferrolith",
            Engine::Rocksdb => "rocksdb",
        }
    }

    /// Undoes [`Engine::name`].
    pub fn parse(name: &str) -> Result<Engine> {
        match name {
            "ferrolith" => Ok(Engine::Ferrolith),
            "rocksdb" => Ok(Engine::Rocksdb),
            _ => Err(format!("unknown engine {name:?}")),
        }
    }

    /// Opens a database.
    pub fn open(self, setup: &Setup) -> Result<Arc<dyn Store>> {
        match self {
            Engine::Ferrolith => Ok(Arc::new(crate::ours::Ours::open(setup)?)),
            Engine::Rocksdb => Ok(Arc::new(crate::theirs::Theirs::open(setup)?)),
        }
    }
}

/// Where a database is and how it is opened. Options are RocksDB's option strings.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The directory.
    pub dir: PathBuf,
    /// Options of the whole database. Of our own is `data_paths=SIZE:SIZE`, which has no form in
    /// text: directories `path0`, `path1` below the database's, with these target sizes.
    pub db: String,
    /// Options of every column family.
    pub cf: String,
    /// What is written. The families are `default`, `family1`, `family2`...
    pub shape: Shape,
}

impl Setup {
    /// The names of the families.
    pub fn names(&self) -> Vec<String> {
        let name = |n| if n == 0 { "default".to_owned() } else { format!("family{n}") };
        (0..self.shape.families).map(name).collect()
    }

    /// The options of the database that engines know.
    pub fn db_options(&self) -> String {
        let known = self.db.split(';').filter(|option| !option.starts_with(DATA_PATHS));
        known.collect::<Vec<_>>().join(";")
    }

    /// The data paths with their target sizes.
    pub fn data_paths(&self) -> Result<Vec<(PathBuf, u64)>> {
        let sizes = self.db.split(';').find_map(|option| option.strip_prefix(DATA_PATHS));
        let sizes = sizes.into_iter().flat_map(|sizes| sizes.split(':'));
        let path = |(i, size): (usize, &str)| {
            let size = size.parse().map_err(|e| format!("{size:?}: {e}"))?;
            Ok((self.dir.join(format!("path{i}")), size))
        };
        sizes.enumerate().map(path).collect()
    }

    /// The directory as text.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether tables are PlainTables or CuckooTables, which RocksDB can read only forwards.
    pub fn is_mapped(&self) -> bool {
        self.cf.contains("PlainTable") || self.cf.contains("CuckooTable")
    }

    /// Whether keys have prefixes.
    pub fn has_prefixes(&self) -> bool {
        self.cf.contains("rocksdb.FixedPrefix")
    }
}

const DATA_PATHS: &str = "data_paths=";

/// What a write does with the WAL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wal {
    /// Skips it.
    Skipped,
    /// Appends to it.
    Written,
    /// Appends to it and waits for the device.
    Synced,
}

/// A family that [`Store::churn`] makes and drops; it is opened if a directory has it.
pub const CHURN: &str = "churn";

/// Which part of a family is read, and in which direction.
#[derive(Clone, Copy, Debug)]
pub enum Scan<'a> {
    /// All of it.
    Forward,
    /// All of it, from the end.
    Backward,
    /// What has this prefix.
    Prefix(&'a [u8]),
}

/// What an export says of a file, as far as C can tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedFile {
    /// Its name with a slash in front.
    pub name: String,
    /// Its level.
    pub level: usize,
    /// Its oldest and its newest sequence number.
    pub seqnos: (u64, u64),
    /// Its bytes.
    pub size: u64,
}

impl ExportedFile {
    /// A line of text.
    pub fn to_text(&self) -> String {
        let ExportedFile { name, level, seqnos, size } = self;
        format!("{name} {level} {} {} {size}", seqnos.0, seqnos.1)
    }

    /// Undoes [`ExportedFile::to_text`].
    pub fn parse(line: &str) -> Result<ExportedFile> {
        let parts: Vec<&str> = line.split(' ').collect();
        let [name, numbers @ ..] = &parts[..] else { return Err(format!("malformed {line:?}")) };
        let number = |i: usize| -> Result<u64> {
            let text = numbers.get(i).ok_or_else(|| format!("malformed {line:?}"))?;
            text.parse().map_err(|e| format!("{line:?}: {e}"))
        };
        Ok(ExportedFile {
            name: (*name).to_owned(),
            level: number(0)? as usize,
            seqnos: (number(1)?, number(2)?),
            size: number(3)?,
        })
    }
}

/// An open database. Dropping it closes it.
pub trait Store: Send + Sync {
    /// Commits a batch.
    fn write(&self, batch: &[Op], wal: Wal) -> Result<()>;
    /// The value of a key.
    fn get(&self, family: usize, key: &[u8]) -> Result<Option<Vec<u8>>>;
    /// Calls `each` with keys and values in order.
    fn scan(&self, family: usize, scan: Scan<'_>, each: &mut dyn FnMut(&[u8], &[u8]))
    -> Result<()>;
    /// Writes the memtable of a family into a table.
    fn flush(&self, family: usize) -> Result<()>;
    /// Compacts all of a family into its last level.
    fn compact(&self, family: usize) -> Result<()>;
    /// Makes a family beside the others, writes this key to it, and drops it.
    fn churn(&self, key: &[u8], flush: bool) -> Result<()>;
    /// Waits for background work.
    fn wait(&self) -> Result<()>;
    /// Makes a copy of the database at this moment.
    fn checkpoint(&self, dir: &Path, log_size_for_flush: u64) -> Result<()>;
    /// Makes a table outside, with the options of the database.
    fn table(&self, path: &Path, table: &Table) -> Result<()>;
    /// Takes a table into a family.
    fn ingest(&self, family: usize, path: &Path) -> Result<()>;
    /// Exports a family.
    fn export(&self, family: usize, dir: &Path) -> Result<Vec<ExportedFile>>;
    /// Drops a family and makes it again, with this name, from an export. The handle of the new one
    /// is not kept: the next opening finds it.
    fn import(&self, name: &str, family: usize, dir: &Path, files: &[ExportedFile]) -> Result<()>;
}
