//! Repairing a database whose MANIFEST is lost or damaged (`RepairDB`).
//!
//! A table's properties name its column family; a table without that name is treated as one of `default`. Tables that
//! can be read completely are added to level 0 of a new MANIFEST. Then the WALs are replayed as far as they can be
//! read. The directory `lost` gets the old MANIFESTs, the unusable tables, and copies of the WALs.
//!
//! Some deleted data may reappear, and data that only a damaged file had is lost.

use crate::base::KeyOrder;
use crate::base::key::sequence;
use crate::db::Db;
use crate::error::{Code, Error, Result};
use crate::external::{Destination, key_range_of_all};
use crate::files::{move_to_lost, place_in_lost};
use crate::fs::filename::{self, FileKind};
use crate::fs::info_log::InfoLog;
use crate::fs::{FileSystem, is_device_failure};
use crate::open::{self, ColumnFamilyDescriptor, DEFAULT_COLUMN_FAMILY};
use crate::options::{ColumnFamilyOptions, DbOptions, Options, WalRecoveryMode};
use crate::sst::FinishedTable;
use crate::sst::properties::UNKNOWN_COLUMN_FAMILY;
use crate::version::{DataPaths, FileMeta, SalvagedFamily, write_salvaged};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl Db {
    /// Rebuilds a database from the remaining files of a directory. All column families that are found get the same
    /// options.
    pub fn repair(options: &Options, path: impl AsRef<Path>) -> Result<()> {
        let default = ColumnFamilyDescriptor::new(DEFAULT_COLUMN_FAMILY, options.cf.clone());
        Db::repair_cf(&options.db, path, &[default], Some(&options.cf))
    }

    /// Does the same as [`Db::repair`], with options per column family, and options for families that are not listed.
    /// Without the latter, the tables of those families are set aside.
    pub fn repair_cf(
        options: &DbOptions,
        path: impl AsRef<Path>,
        families: &[ColumnFamilyDescriptor],
        unknown: Option<&ColumnFamilyOptions>,
    ) -> Result<()> {
        let fs = open::file_system(options);
        let dir = fs.absolute(path.as_ref());
        let wal_dir = open::wal_directory(&*fs, options, &dir);
        let lock = fs.lock_file(&filename::lock_file_name(&dir));
        let lock = lock.map_err(|e| match e.is_path_not_found() {
            true => e.explained(format!("the directory {} does not exist", dir.display())),
            false => e,
        })?;
        let log = open::open_info_log(&fs, &dir, options)?;
        let repairer = Repairer { fs, dir, wal_dir, options, families, unknown, log };
        let found = repairer.find_files()?;
        let salvaged = repairer.salvage_tables(&found)?;
        let described = repairer.describe(&salvaged)?;
        let number = found.largest + 1;
        write_salvaged(&*repairer.fs, &repairer.dir, number, salvaged)?;
        for manifest in found.manifests {
            let path = filename::manifest_file_name(&repairer.dir, manifest);
            repairer.set_aside(&path, true)?;
        }
        for &wal in &found.wals {
            let path = filename::wal_file_name(&repairer.wal_dir, wal);
            repairer.set_aside(&path, false)?;
        }
        drop(lock);
        repairer.replay(described, &found.wals)
    }
}

/// The files in the directories.
#[derive(Default)]
struct Found {
    manifests: Vec<u64>,
    /// The tables, by number. If a table is in several data paths, the first path counts.
    tables: BTreeMap<u64, PathBuf>,
    wals: Vec<u64>,
    largest: u64,
}

struct Repairer<'a> {
    fs: Arc<dyn FileSystem>,
    dir: PathBuf,
    wal_dir: PathBuf,
    options: &'a DbOptions,
    families: &'a [ColumnFamilyDescriptor],
    unknown: Option<&'a ColumnFamilyOptions>,
    log: InfoLog,
}

impl Repairer<'_> {
    /// Returns the directories, data paths first: a table in a data path is more likely live than one elsewhere.
    fn directories(&self) -> Vec<PathBuf> {
        let of_families = self.families.iter().map(|family| &family.options).chain(self.unknown);
        let paths = self.options.db_paths.iter();
        let paths = paths.chain(of_families.flat_map(|options| &options.cf_paths));
        let mut dirs: Vec<PathBuf> = paths.map(|path| self.fs.absolute(&path.path)).collect();
        dirs.extend([self.dir.clone(), self.wal_dir.clone()]);
        dirs
    }

    /// Returns the index of the family's data path that contains a table.
    fn path_id(&self, path: &Path, options: &ColumnFamilyOptions) -> Result<u32> {
        let own = match options.cf_paths.is_empty() {
            true => &self.options.db_paths,
            false => &options.cf_paths,
        };
        let dirs = DataPaths::new(&*self.fs, &self.dir, own);
        let id = dirs.dirs().position(|dir| path.parent() == Some(dir));
        id.map(|id| id as u32).ok_or_else(|| {
            Error::corruption(format!("{}: not in a path of its family", path.display()))
        })
    }

    fn find_files(&self) -> Result<Found> {
        let mut found = Found::default();
        for dir in self.directories() {
            if !self.fs.is_dir(&dir)? {
                continue;
            }
            for name in self.fs.list_dir(&dir)? {
                let number = match filename::parse_file_name(&name) {
                    Some(FileKind::Manifest(n)) => {
                        found.manifests.push(n);
                        n
                    }
                    Some(FileKind::Table(n)) => {
                        found.tables.entry(n).or_insert_with(|| dir.join(&name));
                        n
                    }
                    Some(FileKind::Wal(n)) => {
                        found.wals.push(n);
                        n
                    }
                    Some(FileKind::Options(n) | FileKind::Blob(n) | FileKind::Temp(n)) => n,
                    _ => continue,
                };
                found.largest = found.largest.max(number);
            }
        }
        for numbers in [&mut found.manifests, &mut found.wals] {
            numbers.sort_unstable();
            numbers.dedup();
        }
        match found.manifests.len() + found.tables.len() + found.wals.len() {
            0 => Err(Error::corruption(format!("{}: repair found no files", self.dir.display()))),
            _ => Ok(found),
        }
    }

    /// Returns the readable tables by column family. The others are set aside.
    fn salvage_tables(&self, found: &Found) -> Result<Vec<SalvagedFamily>> {
        let mut families = BTreeMap::new();
        let default = self.options_of(DEFAULT_COLUMN_FAMILY).unwrap_or_default();
        families.insert(0, salvaged_family(0, DEFAULT_COLUMN_FAMILY, &default));
        for (&number, path) in &found.tables {
            let salvaged = self.salvage_table(path, number, &mut families).or_else(|e| {
                if e.code() != Code::IOError {
                    return Err(e);
                }
                // The cause may be a temporary error rather than a damaged file.
                self.log.warn(format_args!("Table #{number}: reading it again after {e}"));
                self.salvage_table(path, number, &mut families)
            });
            if let Err(e) = salvaged {
                if !is_about_the_file(&e) {
                    return Err(e);
                }
                self.log.warn(format_args!("Table #{number}: ignoring {e}"));
                self.set_aside(path, true)?;
            }
        }
        Ok(families.into_values().collect())
    }

    fn salvage_table(
        &self,
        path: &Path,
        number: u64,
        families: &mut BTreeMap<u32, SalvagedFamily>,
    ) -> Result<()> {
        let any = self.options_of(DEFAULT_COLUMN_FAMILY).unwrap_or_default();
        let (id, name) = self.family_of(path, number, any)?;
        let options = self.options_of(&name).ok_or_else(|| {
            let what = format!("Encountered unknown column family with name={name}, id={id}");
            Error::corruption(what)
        })?;
        let mut file = self.examine(path, number, id, &options)?;
        file.path_id = self.path_id(path, &options)?;
        let family = families.entry(id).or_insert_with(|| salvaged_family(id, &name, &options));
        if family.name != name {
            return Err(Error::corruption(format!(
                "inconsistent column family name {name:?}, expected {:?}",
                family.name
            )));
        }
        family.files.push(file);
        Ok(())
    }

    /// Returns the number and name of the family for which a table was created.
    fn family_of(
        &self,
        path: &Path,
        number: u64,
        mut options: ColumnFamilyOptions,
    ) -> Result<(u32, String)> {
        let peek = |options: ColumnFamilyOptions| {
            let order = KeyOrder::new(Arc::clone(&options.comparator));
            self.destination(0, options, &order).peek(&*self.fs, path, number)
        };
        options.prefix_extractor = None;
        let properties = peek(options)?;
        match u32::try_from(properties.column_family_id) {
            Ok(id) if u64::from(id) != UNKNOWN_COLUMN_FAMILY => {
                Ok((id, properties.column_family_name))
            }
            _ => Ok((0, DEFAULT_COLUMN_FAMILY.to_owned())),
        }
    }

    fn destination<'b>(
        &self,
        id: u32,
        options: ColumnFamilyOptions,
        order: &'b KeyOrder,
    ) -> Destination<'b> {
        let read_mode = self.options.read_mode();
        Destination { id, options: Arc::new(options), order, read_mode }
    }

    /// Reads a table completely.
    fn examine(
        &self,
        path: &Path,
        number: u64,
        id: u32,
        options: &ColumnFamilyOptions,
    ) -> Result<FileMeta> {
        let order = KeyOrder::new(Arc::clone(&options.comparator));
        let destination = self.destination(id, options.clone(), &order);
        let table = destination.open_as_it_is(&*self.fs, path, number)?;
        let (oldest, newest) = (Cell::new(u64::MAX), Cell::new(0));
        let range = key_range_of_all(&table, &order, |key| {
            oldest.set(oldest.get().min(sequence(key)));
            newest.set(newest.get().max(sequence(key)));
            Ok(())
        })?;
        let (smallest, largest) = range.ok_or_else(|| Error::corruption("it has no entries"))?;
        let finished = FinishedTable {
            file_size: self.fs.file_size(path)?,
            properties: table.properties().clone(),
        };
        let mut file = FileMeta::of_table(number, &finished, smallest, largest);
        (file.smallest_seqno, file.largest_seqno) = (oldest.get(), newest.get());
        Ok(file)
    }

    fn options_of(&self, name: &str) -> Option<ColumnFamilyOptions> {
        let known = self.families.iter().find(|family| family.name == name);
        known.map(|family| &family.options).or(self.unknown).cloned()
    }

    fn describe(&self, salvaged: &[SalvagedFamily]) -> Result<Vec<ColumnFamilyDescriptor>> {
        let described = salvaged.iter().map(|family| {
            let options = self.options_of(&family.name).unwrap_or_default();
            ColumnFamilyDescriptor::new(family.name.clone(), options)
        });
        let described: Vec<_> = described.collect();
        open::validate(self.options, &described)?;
        Ok(described)
    }

    /// Moves a file to `lost`, or creates a hard link to it there.
    fn set_aside(&self, path: &Path, moved: bool) -> Result<()> {
        if moved {
            return move_to_lost(&*self.fs, path);
        }
        self.copy(path, &place_in_lost(&*self.fs, path)?)
    }

    fn copy(&self, from: &Path, to: &Path) -> Result<()> {
        if self.fs.exists(to)? {
            self.fs.remove_file(to)?;
        }
        crate::external::copy::copy_file(&*self.fs, from, to, None, false)
    }

    /// Opens the database, which flushes the content of the WALs to tables. If the WALs prevent this, opens it without
    /// them; `lost` has copies.
    fn replay(&self, families: Vec<ColumnFamilyDescriptor>, wals: &[u64]) -> Result<()> {
        let mut options = self.options.clone();
        options.wal_recovery_mode = WalRecoveryMode::SkipAnyCorruptedRecords;
        options.avoid_flush_during_recovery = false;
        // Keep prepared transactions prepared.
        options.allow_2pc = true;
        (options.error_if_exists, options.create_if_missing) = (false, false);
        let opened = Db::open_cf(&options, &self.dir, families.clone()).or_else(|e| {
            self.log.warn(format_args!("repair ignores the WALs: {e}"));
            for &wal in wals {
                let path = filename::wal_file_name(&self.wal_dir, wal);
                if self.fs.exists(&path)? {
                    self.fs.remove_file(&path)?;
                }
            }
            Db::open_cf(&options, &self.dir, families)
        });
        opened?.0.close()
    }
}

/// Returns whether an error means that a file is damaged. Too many open files or missing permissions do not mean that,
/// and then nothing is set aside.
fn is_about_the_file(error: &Error) -> bool {
    let source = std::error::Error::source(error).and_then(|e| e.downcast_ref::<std::io::Error>());
    source.is_none_or(|e| is_device_failure(e) || e.kind() == std::io::ErrorKind::UnexpectedEof)
}

fn salvaged_family(id: u32, name: &str, options: &ColumnFamilyOptions) -> SalvagedFamily {
    let comparator = options.comparator.name().to_owned();
    SalvagedFamily { id, name: name.to_owned(), comparator, files: Vec::new() }
}
