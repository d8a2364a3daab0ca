//! Backups: many states of a database in one directory, which share identical files.
//!
//! The layout is RocksDB's: each engine can read and continue the other's backups. For a single copy of the current
//! state in its own directory, on the same device and without copying tables, use [`checkpoint`](crate::checkpoint).
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
use crate::error::{Error, Result};
use crate::utilities::backup as engine;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

pub use crate::utilities::backup::{BackupInfo, BackupProgress, BackupStorage, BackupWriter};

/// Options of a [`BackupEngine`], set with chained methods. Names and defaults are RocksDB's.
#[derive(Clone)]
pub struct BackupEngineOptions(engine::BackupEngineOptions);

impl BackupEngineOptions {
    /// Returns the defaults, for backups in this directory.
    pub fn new(backup_dir: impl AsRef<Path>) -> BackupEngineOptions {
        BackupEngineOptions(engine::BackupEngineOptions::new(backup_dir.as_ref()))
    }

    /// Keeps the backups in a storage, such as an object store, instead of a directory. The directory of
    /// [`BackupEngineOptions::new`] then only names them in messages, and restores must lead elsewhere. A backup that
    /// fails because of the storage leaves its tables to the next one.
    #[must_use]
    pub fn storage(mut self, storage: Arc<dyn BackupStorage>) -> BackupEngineOptions {
        self.0.file_system = Some(self.0.storage(storage));
        self.0.keeps_unfinished = true;
        self
    }

    /// Makes backups share identical tables. Default: true.
    #[must_use]
    pub fn share_table_files(mut self, yes: bool) -> BackupEngineOptions {
        self.0.share_table_files = yes;
        self
    }

    /// Syncs every file of a backup before the backup becomes valid. Default: true.
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

    /// Includes logs in backups. Default: true. Without them, a backup has only flushed data.
    #[must_use]
    pub fn backup_log_files(mut self, yes: bool) -> BackupEngineOptions {
        self.0.backup_log_files = yes;
        self
    }

    /// Limits the write rate of backups, in bytes per second; 0 means no limit. Default: 0.
    #[must_use]
    pub fn backup_rate_limit(mut self, bytes_per_second: u64) -> BackupEngineOptions {
        self.0.backup_rate_limit = bytes_per_second;
        self
    }

    /// Limits the write rate of restores, in bytes per second; 0 means no limit. Default: 0.
    #[must_use]
    pub fn restore_rate_limit(mut self, bytes_per_second: u64) -> BackupEngineOptions {
        self.0.restore_rate_limit = bytes_per_second;
        self
    }

    /// Sets the number of bytes copied between two calls of [`CreateBackupOptions::progress_callback`]. Default: 4 MiB.
    #[must_use]
    pub fn callback_trigger_interval_size(mut self, bytes: u64) -> BackupEngineOptions {
        self.0.callback_trigger_interval_size = bytes;
        self
    }

    /// Sets the number of threads that copy files. Default: 1.
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

/// Options for creating a backup, set with chained methods. Names and defaults are RocksDB's.
///
/// ```
/// use ferrolith::Db;
/// use ferrolith::backup::{BackupEngine, BackupEngineOptions, CreateBackupOptions};
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// # let dir = tempfile::tempdir().unwrap();
/// # let (path, backups) = (dir.path().join("db"), dir.path().join("backups"));
/// # let db = Db::open(&path)?;
/// # db.put("key", vec![7; 100_000])?;
/// let engine = BackupEngineOptions::new(&backups).callback_trigger_interval_size(10_000);
/// let copied = Arc::new(AtomicU64::new(0));
/// let so_far = Arc::clone(&copied);
/// let options = CreateBackupOptions::new()
///     .flush_before_backup(true)
///     .app_metadata("before the upgrade")
///     .progress_callback(move || {
///         so_far.fetch_add(10_000, Ordering::Relaxed);
///     });
/// BackupEngine::open_with(engine)?.create_new_backup_opt(&db, &options)?;
/// println!("at least {} bytes", copied.load(Ordering::Relaxed));
/// # Ok::<(), ferrolith::Error>(())
/// ```
#[derive(Default)]
pub struct CreateBackupOptions(engine::CreateBackupOptions);

impl CreateBackupOptions {
    /// Returns the defaults.
    pub fn new() -> CreateBackupOptions {
        CreateBackupOptions::default()
    }

    /// Flushes memtables first, which is needed for writes that skipped the log. Default: false.
    #[must_use]
    pub fn flush_before_backup(mut self, yes: bool) -> CreateBackupOptions {
        self.0.flush_before_backup = yes;
        self
    }

    /// Stores metadata with the backup ([`BackupInfo::app_metadata`]).
    #[must_use]
    pub fn app_metadata(mut self, metadata: impl Into<Vec<u8>>) -> CreateBackupOptions {
        self.0.app_metadata = metadata.into();
        self
    }

    /// Sets a function that the copying threads call each time they have copied
    /// [`BackupEngineOptions::callback_trigger_interval_size`] bytes. Tables that an earlier backup has are not copied.
    #[must_use]
    pub fn progress_callback(
        mut self,
        callback: impl Fn() + Send + Sync + 'static,
    ) -> CreateBackupOptions {
        self.0.progress_callback = Some(Box::new(callback));
        self
    }

    /// Sets the progress that other threads read, and through which they can stop the backup.
    ///
    /// A stopped backup fails with the text "Backup stopped". The next backup uses the tables that it has copied.
    #[must_use]
    pub fn progress(mut self, progress: &Arc<BackupProgress>) -> CreateBackupOptions {
        self.0.progress = Some(Arc::clone(progress));
        self
    }

    /// Reads each copied file again, from the device where the system allows it, and compares checksums. Default:
    /// false.
    #[must_use]
    pub fn verify_copies(mut self, yes: bool) -> CreateBackupOptions {
        self.0.verify_copies = yes;
        self
    }

    /// Makes the backup fail before it copies a file if the free space of the backup directory is too small. Default:
    /// false.
    #[must_use]
    pub fn check_free_space(mut self, yes: bool) -> CreateBackupOptions {
        self.0.check_free_space = yes;
        self
    }
}

impl fmt::Debug for CreateBackupOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreateBackupOptions")
            .field("flush_before_backup", &self.0.flush_before_backup)
            .finish_non_exhaustive()
    }
}

/// Options of a restore, set with chained methods. Names and defaults are RocksDB's.
#[derive(Clone, Copy, Debug, Default)]
pub struct RestoreOptions(engine::RestoreOptions);

impl RestoreOptions {
    /// Returns the defaults.
    pub fn new() -> RestoreOptions {
        RestoreOptions::default()
    }

    /// Keeps existing logs in the log directory, and moves logs in its archive back, so that they are replayed over the
    /// backup. Default: false. For backups without logs ([`BackupEngineOptions::backup_log_files`]) of a database whose
    /// logs survived.
    #[must_use]
    pub fn keep_log_files(mut self, yes: bool) -> RestoreOptions {
        self.0.keep_log_files = yes;
        self
    }
}

/// Creates, checks, restores and deletes the backups in a directory. Only one engine at a time may change the
/// directory.
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
    /// Same as [`BackupEngine::open`].
    pub fn open_with(options: BackupEngineOptions) -> Result<BackupEngine> {
        let dir = options.0.backup_dir.clone();
        Ok(BackupEngine { inner: engine::BackupEngine::open(options.0)?, dir })
    }

    /// Creates a backup of everything written so far, and returns its number. The first number is 1. Writes to the
    /// database continue meanwhile.
    ///
    /// # Errors
    /// Fails if a file cannot be read or written. Then no backup is created.
    pub fn create_new_backup(&mut self, db: &Db) -> Result<u32> {
        self.inner.create_new_backup(db.inner())
    }

    /// Like [`BackupEngine::create_new_backup`], with options.
    ///
    /// # Errors
    /// Same as [`BackupEngine::create_new_backup`].
    pub fn create_new_backup_opt(&mut self, db: &Db, options: &CreateBackupOptions) -> Result<u32> {
        self.inner.create_new_backup_with(db.inner(), &options.0)
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

    /// Reads all files of a backup and checks their checksums, no faster than
    /// [`BackupEngineOptions::backup_rate_limit`]. `progress` counts the bytes, and can stop the verification.
    ///
    /// # Errors
    /// Same as [`BackupEngine::verify_backup`], and "Backup stopped" after a stop.
    pub fn verify_backup_opt(&self, id: u32, progress: &BackupProgress) -> Result<()> {
        self.inner.verify_backup_with(id, progress)
    }

    /// Restores the newest backup to `db_dir`. A database in that directory is replaced; other files stay. The database
    /// must not be open in any process.
    ///
    /// # Errors
    /// Fails with `NotFound` if there is no backup, with `Io` if the database is open or a file cannot be written, and
    /// with `Corruption` if a file of the backup is damaged.
    pub fn restore_from_latest_backup(&self, db_dir: impl AsRef<Path>) -> Result<()> {
        let dir = db_dir.as_ref();
        self.restore_from_latest_backup_opt(dir, dir, &RestoreOptions::default())
    }

    /// Like [`BackupEngine::restore_from_latest_backup`], with options and with the directory of the logs, which is
    /// `wal_dir` in the database's options.
    ///
    /// ```
    /// use ferrolith::backup::{BackupEngine, RestoreOptions};
    /// use ferrolith::{Db, Options};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let (path, logs, backups) = (dir.path().join("db"), dir.path().join("logs"), dir.path().join("backups"));
    /// let options = Options::new().create_if_missing(true).wal_dir(&logs);
    /// let db = Db::open_with(&options, &path)?;
    /// db.put("key", "value")?;
    /// let mut engine = BackupEngine::open(&backups)?;
    /// engine.create_new_backup(&db)?;
    /// db.close()?;
    /// engine.restore_from_latest_backup_opt(&path, &logs, &RestoreOptions::new())?;
    /// assert_eq!(Db::open_with(&options, &path)?.get("key")?.unwrap(), "value");
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`BackupEngine::restore_from_latest_backup`].
    pub fn restore_from_latest_backup_opt(
        &self,
        db_dir: impl AsRef<Path>,
        wal_dir: impl AsRef<Path>,
        options: &RestoreOptions,
    ) -> Result<()> {
        self.inner.restore_from_latest(db_dir, wal_dir, &options.0)
    }

    /// Restores this backup to `db_dir`.
    ///
    /// # Errors
    /// Same as [`BackupEngine::restore_from_latest_backup`].
    pub fn restore_from_backup(&self, id: u32, db_dir: impl AsRef<Path>) -> Result<()> {
        let dir = db_dir.as_ref();
        self.restore_from_backup_opt(id, dir, dir, &RestoreOptions::default())
    }

    /// Like [`BackupEngine::restore_from_backup`], with the directory of the logs and with options; see
    /// [`BackupEngine::restore_from_latest_backup_opt`].
    ///
    /// # Errors
    /// Same as [`BackupEngine::restore_from_latest_backup`].
    pub fn restore_from_backup_opt(
        &self,
        id: u32,
        db_dir: impl AsRef<Path>,
        wal_dir: impl AsRef<Path>,
        options: &RestoreOptions,
    ) -> Result<()> {
        self.inner.restore(id, db_dir, wal_dir, &options.0)
    }

    /// Deletes all backups except the newest `keep`.
    ///
    /// # Errors
    /// Fails if a file cannot be deleted.
    pub fn purge_old_backups(&mut self, keep: u32) -> Result<()> {
        self.inner.purge_old_backups(keep)
    }

    /// Deletes a backup, and the files that only it uses.
    ///
    /// # Errors
    /// Fails with `NotFound` for an unknown backup, or if a file cannot be deleted.
    pub fn delete_backup(&mut self, id: u32) -> Result<()> {
        self.inner.delete_backup(id)
    }

    /// Deletes every file that no backup uses, such as files of an unfinished backup.
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
