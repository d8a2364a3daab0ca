//! Checkpoints: a directory that can be opened as a copy of the database at one point in time.
//!
//! That point is when all three locks are held. The MANIFEST then names the tables, and the WALs up to their current
//! sizes hold the rest. Tables never change and are hard-linked. The MANIFEST and the WALs grow, so they are copied up
//! to those sizes. Deletions are paused meanwhile. The directory gets its final name when it is complete.

use crate::base::SeqNo;
use crate::catalog::LiveWal;
use crate::commit::HeldWal;
use crate::db::Db;
use crate::error::{Error, Result};
use crate::external::copy::Staging;
use crate::fs::filename;
use crate::open::Core;
use crate::options;
use crate::session::ColumnFamilyData;
use crate::version::FileMeta;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Creates checkpoints of a database, and exports of its column families.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    db: Db,
}

/// The files of a checkpoint.
pub(super) struct Contents {
    /// The tables, by number.
    pub(super) tables: BTreeMap<u64, (Arc<ColumnFamilyData>, Arc<FileMeta>)>,
    /// The number and size of the MANIFEST.
    pub(super) manifest: (u64, u64),
    pub(super) wals: Vec<LiveWal>,
}

impl Checkpoint {
    /// Creates an object for this database, which stays open while the object exists.
    pub fn new(db: &Db) -> Checkpoint {
        Checkpoint { db: db.clone() }
    }

    /// Returns the database.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Creates the directory `dir`, which must not exist, as a copy of the database. Memtables are flushed first if the
    /// WALs together have at least `log_size_for_flush` bytes: with 0 always, with `u64::MAX` never. Data that is not
    /// flushed is in the copied WALs. Returns a sequence number up to which the copy has every write.
    pub fn create(&self, dir: impl AsRef<Path>, log_size_for_flush: u64) -> Result<SeqNo> {
        let inner = &self.db.core();
        let name = dir.as_ref();
        let target = inner.new_directory(name, "Directory exists")?;
        let Some(target) = target else {
            return Err(Error::invalid_argument("invalid checkpoint directory name"));
        };
        let log = &inner.session.info_log;
        log.info(format_args!("Started the snapshot process -- in directory {}", name.display()));
        let made = inner.make_checkpoint(&target, log_size_for_flush);
        match &made {
            Ok(sequence) => log.info(format_args!("Snapshot DONE, sequence number {sequence}")),
            Err(e) => log.warn(format_args!("Snapshot failed -- {e}")),
        }
        made
    }
}

impl Core {
    /// Returns the path of a directory to be created, `None` for an empty name, or an error with the text `exists` if
    /// it exists.
    pub(super) fn new_directory(&self, name: &Path, exists: &str) -> Result<Option<PathBuf>> {
        self.session.health.check_open()?;
        if name.as_os_str().is_empty() {
            return Ok(None);
        }
        if self.session.fs.exists(name)? {
            let name_it = "give a directory that does not exist yet";
            let message = format!("{exists}: {}: {name_it}", name.display());
            return Err(Error::invalid_argument(exists).about_file(name).explained(message));
        }
        // Without trailing slashes.
        Ok(Some(self.session.fs.absolute(name).components().collect()))
    }

    fn make_checkpoint(&self, target: &Path, log_size_for_flush: u64) -> Result<SeqNo> {
        // Not the file system of a read-only database, which cannot write anywhere.
        let fs = crate::open::file_system(&self.session.options);
        let mut staging = Staging::new(&*fs, target, self.session.options.use_fsync)?;
        let _kept = self.files.pause_file_deletions();
        let sequence = self.catalog.order().visible();
        if !self.session.read_only && self.live_wal_bytes() >= log_size_for_flush {
            self.jobs.flusher().flush_all()?;
        }
        let contents = self.contents()?;
        for (family, file) in contents.tables.values() {
            self.take_table(&mut staging, &family.paths.table(file))?;
        }
        let (number, size) = contents.manifest;
        let manifest = filename::manifest_file_name(Path::new(""), number);
        let manifest = manifest.to_string_lossy();
        staging.copy(&self.session.dir.join(&*manifest), &manifest, size)?;
        staging.create("CURRENT", format!("{manifest}\n").as_bytes())?;
        self.take_options(&mut staging)?;
        for wal in &contents.wals {
            let from = filename::wal_file_name(&self.session.wal_dir, wal.number);
            staging.copy(&from, &file_name(&from), wal.size)?;
        }
        staging.finish()?;
        Ok(sequence)
    }

    /// Adds a table to a new directory, under its name there.
    pub(super) fn take_table(&self, staging: &mut Staging<'_>, path: &Path) -> Result<()> {
        let old = path.with_extension("ldb");
        let from = if !self.session.fs.exists(path)? && self.session.fs.exists(&old)? {
            &old
        } else {
            path
        };
        staging.link_or_copy(from, &file_name(from))
    }

    /// Adds the newest OPTIONS file. A newer one may replace it after it was found.
    fn take_options(&self, staging: &mut Staging<'_>) -> Result<()> {
        let mut tries = 3;
        while let Some(path) = options::newest_options_file(&*self.session.fs, &self.session.dir)? {
            tries -= 1;
            match staging.link_or_copy(&path, &file_name(&path)) {
                Err(e) if e.is_path_not_found() && tries > 0 => {}
                result => return result,
            }
        }
        Ok(())
    }

    fn live_wal_bytes(&self) -> u64 {
        let live = self.commit.written().live_wal_bytes;
        live.saturating_add(self.catalog.state().wals.full_bytes())
    }

    /// Returns the files at this point in time. A copy has one directory, so all tables must be in the database
    /// directory, as in RocksDB. Otherwise a copy opened with the same options would treat the original's paths as its
    /// own and delete unknown files there.
    pub(super) fn contents(&self) -> Result<Contents> {
        let mut versions = self.catalog.versions();
        self.session.health.check_open()?;
        self.catalog.ensure_manifest(&mut versions)?;
        let held = HeldWal::begin(&self.commit)?;
        let live = held.live();
        let state = self.catalog.state();
        let needed = versions.min_log_number_to_keep();
        let sized = |wal: &LiveWal| match wal.number {
            number if number == live.number => live,
            _ => *wal,
        };
        // A read-only database has only the number of a live WAL, but no file.
        let exists = |wal: &LiveWal| !self.session.read_only || wal.number != live.number;
        let wals = state.wals.iter().map(sized).filter(|w| w.number >= needed && exists(w));
        let mut tables = BTreeMap::new();
        for cf in state.families.values() {
            let files = || cf.current.all_files();
            if files().any(|(_, f)| **cf.data.paths.dir(f.path_id) != *self.session.dir) {
                return Err(Error::not_supported(
                    "db_paths / cf_paths not supported for Checkpoint nor BackupEngine",
                ));
            }
            tables.extend(files().map(|(_, f)| (f.number, (Arc::clone(&cf.data), Arc::clone(f)))));
        }
        Ok(Contents {
            tables,
            manifest: (versions.manifest_number(), versions.manifest_size()),
            wals: wals.collect(),
        })
    }
}

/// Returns the last component of a path.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
