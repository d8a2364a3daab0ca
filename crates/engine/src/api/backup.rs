//! Backups: many states of a database in one directory, which share what is the same.
//!
//! The layout is RocksDB's: either engine reads and continues the other's backups. For one copy of the present state
//! in a directory of its own, on the same device and without copying tables, use
//! [`checkpoint`](crate::checkpoint).
//!
//! ```
//! use ferrolith::Db;
//! use ferrolith::backup::BackupEngine;
//! # let dir = tempfile::tempdir().unwrap();
//! # let (path, backups, copy) = (dir.path().join("db"), dir.path().join("backups"), dir.path().join("copy"));
//! let db = Db::open(&path)?;
//! db.put("key", "value")?;
//!
//! let mut engine = BackupEngine::open(&backups)?;
//! engine.create_new_backup(&db)?;
//! engine.purge_old_backups(7)?;
//!
//! engine.restore_from_latest_backup(&copy)?;
//! assert_eq!(Db::open(&copy)?.get("key")?.unwrap(), "value");
//! # Ok::<(), ferrolith::Error>(())
//! ```

use crate::Db;
use crate::db::backup as engine;
use crate::error::{Error, Result};
use std::fmt;
use std::path::Path;

pub use crate::db::backup::BackupInfo;

/// Options of a [`BackupEngine`], set one after the other. Names and defaults are RocksDB's.
#[derive(Clone)]
pub struct BackupEngineOptions(engine::BackupEngineOptions);

impl BackupEngineOptions {
    /// The defaults, for backups in this directory.
    pub fn new(backup_dir: impl AsRef<Path>) -> BackupEngineOptions {
        BackupEngineOptions(engine::BackupEngineOptions::new(backup_dir.as_ref()))
    }

    /// Backups share tables that are the same. Default: true.
    #[must_use]
    pub fn share_table_files(mut self, yes: bool) -> BackupEngineOptions {
        self.0.share_table_files = yes;
        self
    }

    /// Syncs every file of a backup before the backup counts. Default: true.
    #[must_use]
    pub fn sync(mut self, yes: bool) -> BackupEngineOptions {
        self.0.sync = yes;
        self
    }

    /// Deletes the backups that exist when the engine is opened. Default: false.
    #[must_use]
    pub fn destroy_old_data(mut self, yes: bool) -> BackupEngineOptions {
        self.0.destroy_old_data = yes;
        self
    }

    /// Logs are part of a backup. Default: true. Without them only what was flushed is.
    #[must_use]
    pub fn backup_log_files(mut self, yes: bool) -> BackupEngineOptions {
        self.0.backup_log_files = yes;
        self
    }

    /// The bytes per second that making a backup may write; 0 is no limit. Default: 0.
    #[must_use]
    pub fn backup_rate_limit(mut self, bytes_per_second: u64) -> BackupEngineOptions {
        self.0.backup_rate_limit = bytes_per_second;
        self
    }

    /// The bytes per second that a restore may write; 0 is no limit. Default: 0.
    #[must_use]
    pub fn restore_rate_limit(mut self, bytes_per_second: u64) -> BackupEngineOptions {
        self.0.restore_rate_limit = bytes_per_second;
        self
    }

    /// The number of threads that copy files. Default: 1.
    #[must_use]
    pub fn max_background_operations(mut self, threads: u32) -> BackupEngineOptions {
        self.0.max_background_operations = i32::try_from(threads).unwrap_or(i32::MAX);
        self
    }
}

impl fmt::Debug for BackupEngineOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BackupEngineOptions")
            .field("backup_dir", &self.0.backup_dir)
            .finish_non_exhaustive()
    }
}

/// Makes, checks, restores and deletes the backups in a directory. One engine at a time may change the directory.
pub struct BackupEngine {
    inner: engine::BackupEngine,
    dir: std::path::PathBuf,
}

impl BackupEngine {
    /// Opens a directory of backups with default options, and creates it if there is none.
    ///
    /// # Errors
    /// Fails if the directory cannot be read or created.
    pub fn open(backup_dir: impl AsRef<Path>) -> Result<BackupEngine> {
        BackupEngine::open_with(BackupEngineOptions::new(backup_dir))
    }

    /// Opens a directory of backups.
    ///
    /// # Errors
    /// As [`BackupEngine::open`].
    pub fn open_with(options: BackupEngineOptions) -> Result<BackupEngine> {
        let dir = options.0.backup_dir.clone();
        Ok(BackupEngine { inner: engine::BackupEngine::open(options.0)?, dir })
    }

    /// Makes a backup of everything written so far, and returns its number. The first is 1. Writes to the database
    /// continue meanwhile.
    ///
    /// # Errors
    /// Fails if a file cannot be read or written. The backup does not exist then.
    pub fn create_new_backup(&mut self, db: &Db) -> Result<u32> {
        self.inner.create_new_backup(db.inner())
    }

    /// [`BackupEngine::create_new_backup`] that flushes memtables first, if `flush` is set, and keeps `metadata` with
    /// the backup ([`BackupInfo::app_metadata`]). A flush is needed for writes that skipped the log.
    ///
    /// # Errors
    /// As [`BackupEngine::create_new_backup`].
    pub fn create_new_backup_opt(
        &mut self,
        db: &Db,
        flush: bool,
        metadata: impl AsRef<[u8]>,
    ) -> Result<u32> {
        let options = engine::CreateBackupOptions {
            flush_before_backup: flush,
            app_metadata: metadata.as_ref().to_vec(),
            ..engine::CreateBackupOptions::default()
        };
        self.inner.create_new_backup_with(db.inner(), &options)
    }

    /// Returns the backups that can be restored, oldest first.
    pub fn get_backup_info(&self) -> Vec<BackupInfo> {
        self.inner.backup_info()
    }

    /// Returns the numbers of the backups that cannot be restored, with the reasons.
    pub fn corrupted_backups(&self) -> Vec<(u32, Error)> {
        self.inner.corrupted_backups()
    }

    /// Checks that a backup's files exist with their sizes and, if `with_checksum` is set, reads them all and checks
    /// their checksums.
    ///
    /// # Errors
    /// Fails with `NotFound` for an unknown backup or a missing file, and with `Corruption` for a damaged file.
    pub fn verify_backup(&self, id: u32, with_checksum: bool) -> Result<()> {
        self.inner.verify_backup(id, with_checksum)
    }

    /// Makes `db_dir` the database of the newest backup. A database in that directory is replaced; other files stay.
    /// No process may have it open.
    ///
    /// # Errors
    /// Fails with `NotFound` if there is no backup, with `Io` if the database is open or a file cannot be written, and
    /// with `Corruption` if a file of the backup is damaged.
    pub fn restore_from_latest_backup(&self, db_dir: impl AsRef<Path>) -> Result<()> {
        let dir = db_dir.as_ref();
        self.inner.restore_from_latest(dir, dir, &engine::RestoreOptions::default())
    }

    /// Makes `db_dir` the database of this backup.
    ///
    /// # Errors
    /// As [`BackupEngine::restore_from_latest_backup`].
    pub fn restore_from_backup(&self, id: u32, db_dir: impl AsRef<Path>) -> Result<()> {
        let dir = db_dir.as_ref();
        self.inner.restore(id, dir, dir, &engine::RestoreOptions::default())
    }

    /// Deletes all but the newest `keep` backups.
    ///
    /// # Errors
    /// Fails if a file cannot be deleted.
    pub fn purge_old_backups(&mut self, keep: u32) -> Result<()> {
        self.inner.purge_old_backups(keep)
    }

    /// Deletes a backup and the files that only it needs.
    ///
    /// # Errors
    /// Fails with `NotFound` for an unknown backup, or if a file cannot be deleted.
    pub fn delete_backup(&mut self, id: u32) -> Result<()> {
        self.inner.delete_backup(id)
    }

    /// Deletes every file that no backup needs, such as those of a backup that was cut short.
    ///
    /// # Errors
    /// Fails if a file cannot be deleted.
    pub fn garbage_collect(&self) -> Result<()> {
        self.inner.garbage_collect()
    }
}

impl fmt::Debug for BackupEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BackupEngine").field("dir", &self.dir).finish_non_exhaustive()
    }
}
