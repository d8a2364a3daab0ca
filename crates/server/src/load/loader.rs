//! Loads files into a table.

use super::digest;
use super::find::find;
use super::progress::LoadProgress;
use super::reading::Opened;
use super::row::{Fate, Rules};
use super::source::Part;
use super::split::{Split, Staging};
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::rows::pegasus::{Version, expiry_clock};
use crate::store::{Format, Ingest, Latches, Mode};
use crate::tables::{Catalogue, Table};
use std::path::PathBuf;
use std::sync::Arc;

/// The rows between two looks at the wish to stop.
const ROWS_BETWEEN: u64 = 1024;

/// What is to be loaded.
#[derive(Clone, Debug)]
pub struct Request {
    /// The name of the table.
    pub table: String,
    /// Files and directories. Of several rows with a key, the last one counts.
    pub paths: Vec<PathBuf>,
    /// The version of values that do not say theirs. Without, it is 1 for sorted files, and for checkpoints what they
    /// say.
    pub version: Option<Version>,
}

/// What a load did.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Loaded {
    /// The files; a checkpoint counts as one.
    pub files: u64,
    /// The bytes of the files.
    pub bytes: u64,
    /// The rows that are in the table now.
    pub rows: u64,
    /// The rows that were left out because they have expired.
    pub expired: u64,
    /// The rows that were left out because a split of partitions had left them in a partition that is not theirs.
    pub foreign: u64,
}

/// Loads files into the tables of a store.
pub struct Loader {
    store: Arc<dyn Ingest>,
    catalogue: Arc<Catalogue>,
    latches: Arc<Latches>,
    clock: Arc<dyn Clock>,
}

impl Loader {
    /// Returns a loader. `latches` are those of the commands on Pegasus tables.
    pub fn new(
        store: Arc<dyn Ingest>,
        catalogue: Arc<Catalogue>,
        latches: Arc<Latches>,
        clock: Arc<dyn Clock>,
    ) -> Loader {
        Loader { store, catalogue, latches, clock }
    }

    /// Returns the Pegasus table of a name.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn table(&self, name: &str) -> Result<Arc<Table>> {
        match self.catalogue.by_name(name) {
            Some(table) if table.format() == Format::Pegasus => Ok(table),
            Some(_) => Err(Error::Setting(format!(
                "table {name:?} has Redis keys; only Pegasus tables can be loaded"
            ))),
            None => Err(Error::Setting(format!(
                "there is no Pegasus table {name:?}: create it with ferrolith table create, or with --pegasus-table"
            ))),
        }
    }

    /// Loads files, one after the other, each as a whole or not at all.
    ///
    /// # Errors
    ///
    /// There is no such table, a file cannot be read, is not complete or has something other than rows, a table
    /// cannot be written, or the load was stopped. Nothing is loaded if a digest is wrong; else the files before stay
    /// loaded, and the text says how many.
    pub fn load(&self, request: &Request, progress: &LoadProgress) -> Result<Loaded> {
        let table = self.table(&request.table)?;
        let parts = find_all(&request.paths, progress)?;
        let mut staging = Staging::create(self.store.staging())?;
        let mut loaded = Loaded::default();
        for part in &parts {
            let result =
                self.load_part(part, &table, request.version, &mut staging, &mut loaded, progress);
            result.map_err(|error| {
                let error = of_part(&error, part);
                if loaded.files > 0 {
                    with_loaded(&error, loaded.files, parts.len())
                } else {
                    error
                }
            })?;
            progress.note_file();
        }
        Ok(loaded)
    }

    fn load_part(
        &self,
        part: &Part,
        table: &Table,
        version: Option<Version>,
        staging: &mut Staging,
        loaded: &mut Loaded,
        progress: &LoadProgress,
    ) -> Result<()> {
        progress.check()?;
        let source = Opened::new(part, version)?;
        let now_s = self.clock.wall_ms() / 1000;
        let rules = rules(part, &source, now_s, table.partitions().len() as u32);
        staging.clear()?;
        let mut split = Split::new(&*self.store, staging, table.partitions());
        let mut counted;
        loop {
            let put = &mut |at, key: &[u8], value: &[u8]| split.put(at, key, value);
            counted = pass(part, &source, &rules, put, *loaded, progress)?;
            // The same rows again, for the partitions that waited.
            if !split.end_pass()? {
                break;
            }
        }
        let files = split.finish();
        if !files.is_empty() {
            let partitions: Vec<_> = files.iter().map(|(partition, _)| *partition).collect();
            self.store.flush(&partitions)?;
            progress.check()?;
            // Commands that read a row before and write it after would undo the load.
            let _latches = self.latches.lock_all_unless(Mode::Exclusive, || false);
            self.store.ingest(&files)?;
        }
        *loaded = counted;
        loaded.files += 1;
        loaded.bytes += part.bytes;
        Ok(())
    }
}

/// Checks files as a load does, without a table: sizes and digests, then everything that is in them. Returns what a
/// load would do. `now_s` is the time, in seconds since 1970.
///
/// # Errors
///
/// As [`Loader::load`], except for those of the table.
pub fn check_files(
    paths: &[PathBuf],
    version: Option<Version>,
    now_s: u64,
    progress: &LoadProgress,
) -> Result<Loaded> {
    let parts = find_all(paths, progress)?;
    let mut checked = Loaded::default();
    for part in &parts {
        let pass = || {
            let source = Opened::new(part, version)?;
            let rules = rules(part, &source, now_s, 1);
            pass(part, &source, &rules, &mut |_, _, _| Ok(()), checked, progress)
        };
        checked = pass().map_err(|error| of_part(&error, part))?;
        checked.files += 1;
        checked.bytes += part.bytes;
        progress.note_file();
    }
    Ok(checked)
}

/// Returns what these paths have, after the sizes and digests of all files are compared.
fn find_all(paths: &[PathBuf], progress: &LoadProgress) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    for path in paths {
        parts.extend(find(path)?);
    }
    let bytes = parts.iter().map(|part| part.bytes).sum();
    let listed = || parts.iter().flat_map(|part| &part.listed);
    let digests = listed().filter(|file| !file.md5.is_empty());
    progress.plan(parts.len() as u64, bytes, digests.map(|file| file.bytes).sum());
    listed().try_for_each(|file| digest::compare(file, progress))?;
    Ok(parts)
}

fn rules(part: &Part, source: &Opened, now_s: u64, partitions: u32) -> Rules {
    Rules {
        version: source.version,
        content: part.content,
        only: part.only,
        now: expiry_clock(now_s),
        partitions,
    }
}

/// Takes a row: the number of its partition, its key, and its value.
type Put<'a> = &'a mut dyn FnMut(u32, &[u8], &[u8]) -> Result<()>;

/// Passes the rows of a part to `put`, with their partitions of the table. Returns the counts of `before` with these
/// rows.
fn pass(
    part: &Part,
    source: &Opened,
    rules: &Rules,
    put: Put<'_>,
    before: Loaded,
    progress: &LoadProgress,
) -> Result<Loaded> {
    let (mut rows, mut value, mut counted, mut read) = (source.rows(), Vec::new(), before, 0_u64);
    let rows_before = before.rows + before.expired + before.foreign;
    while let Some((key, stored)) = rows.next_row()? {
        let fate = rules.apply(key, stored, &mut value).map_err(|expected| {
            Error::Setting(format!("at the key \"{}\": {expected}", key.escape_ascii()))
        })?;
        match fate {
            Fate::Load(at) => {
                put(at, key, &value)?;
                counted.rows += 1;
            }
            Fate::Expired => counted.expired += 1,
            Fate::Foreign => counted.foreign += 1,
            Fate::Nothing => {}
        }
        read += 1;
        if read.is_multiple_of(ROWS_BETWEEN) {
            // The rows of a checkpoint are an estimate.
            let share = (read as f64 / source.rows.max(1) as f64).min(1.0);
            let bytes = before.bytes + (part.bytes as f64 * share) as u64;
            progress.note_rows(rows_before + read, bytes);
            progress.check()?;
        }
    }
    progress.note_rows(rows_before + read, before.bytes + part.bytes);
    Ok(counted)
}

/// Returns the error of a part, with its path.
fn of_part(error: &Error, part: &Part) -> Error {
    let (path, text) = (part.path.display().to_string(), error.to_string());
    match (error, text.contains(&path)) {
        (_, true) => Error::Setting(text),
        (Error::Corrupt(text), false) => Error::corrupt(format!("{path}: {text}")),
        (_, false) => Error::Setting(format!("{path}: {text}")),
    }
}

fn with_loaded(error: &Error, loaded: u64, count: usize) -> Error {
    Error::Setting(format!(
        "{error}; {loaded} of {count} files, those before it, are loaded, and to load all of them again does no harm"
    ))
}
