//! Backups in RocksDB's directory layout. RocksDB and this engine can read and continue each other's backups.
//!
//! ```text
//! meta/N                                     what backup N consists of (meta.rs)
//! private/N/                                 files that belong to it alone
//! shared_checksum/000009_sSESSION_1970.sst   tables, shared by backups
//! shared/000009.sst                          the same without `share_files_with_checksum`
//! ```
//!
//! A backup exists when its meta file does; the meta file is written last, under a temporary name. Files of an
//! unfinished backup in `private` are removed when the next backup begins. Its shared tables have their names only when
//! they are complete. They stay until the next `garbage_collect`, which also runs when a backup is deleted or fails
//! without having been stopped, and the next backup compares them instead of copying them again. In a storage, they
//! stay after failed requests, too.
//!
//! Only one engine at a time may change a backup directory.

mod copy;
mod create;
mod meta;
mod progress;
mod restore;
mod storage;

pub use create::CreateBackupOptions;
pub use progress::BackupProgress;
pub use restore::RestoreOptions;
pub use storage::{BackupStorage, BackupWriter};

use crate::error::{Code, Error, Result};
use crate::fs::FileSystem;
use copy::{Throttle, checksum_mismatch, checksum_with};
use meta::{BackupFile, Meta};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use storage::StorageFs;

/// The naming scheme of tables in `shared_checksum`. The numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareFilesNaming(pub u32);

impl ShareFilesNaming {
    /// `000009_<crc32c>_<size>.sst`.
    pub const LEGACY_CRC32C_AND_FILE_SIZE: ShareFilesNaming = ShareFilesNaming(1);
    /// `000009_s<session>.sst`.
    pub const USE_DB_SESSION_ID: ShareFilesNaming = ShareFilesNaming(2);
    /// Adds `_<size>` if it is not part of the name yet.
    pub const FLAG_INCLUDE_FILE_SIZE: u32 = 1 << 31;

    fn by_session(self) -> bool {
        self.0 & 0xffff == ShareFilesNaming::USE_DB_SESSION_ID.0
    }

    fn with_size(self) -> bool {
        self.0 & ShareFilesNaming::FLAG_INCLUDE_FILE_SIZE != 0
    }
}

/// Options of a [`BackupEngine`]; names and defaults are RocksDB's.
#[derive(Clone)]
pub struct BackupEngineOptions {
    /// The directory of the backups. It must not be the database directory.
    pub backup_dir: PathBuf,
    /// The file system of the backups; `None` means the operating system's.
    pub file_system: Option<Arc<dyn FileSystem>>,
    /// Whether backups share identical tables.
    pub share_table_files: bool,
    /// Whether to sync every file of a backup before the backup becomes valid.
    pub sync: bool,
    /// Whether to delete the existing backups.
    pub destroy_old_data: bool,
    /// Whether WALs are part of a backup.
    pub backup_log_files: bool,
    /// The rate limit for writing backups, in bytes per second; 0 means no limit.
    pub backup_rate_limit: u64,
    /// The rate limit for restoring, in bytes per second; 0 means no limit.
    pub restore_rate_limit: u64,
    /// Whether shared tables are distinguished by more than their number.
    pub share_files_with_checksum: bool,
    /// The number of threads that copy files.
    pub max_background_operations: i32,
    /// The number of bytes between two calls of [`CreateBackupOptions::progress_callback`].
    pub callback_trigger_interval_size: u64,
    /// For engines that only read. Accepted, but without effect on other engines, as in RocksDB.
    pub max_valid_backups_to_open: i32,
    /// The naming scheme of shared tables.
    pub share_files_with_checksum_naming: ShareFilesNaming,
    /// The number of bytes that are copied at once; 0 means 5 MiB.
    pub io_buffer_size: u64,
    /// Whether a backup that fails because the place cannot be reached leaves its tables to the next one, as a stopped
    /// one does.
    pub keeps_unfinished: bool,
}

impl BackupEngineOptions {
    /// Returns RocksDB's defaults.
    pub fn new(backup_dir: impl Into<PathBuf>) -> BackupEngineOptions {
        BackupEngineOptions {
            backup_dir: backup_dir.into(),
            file_system: None,
            share_table_files: true,
            sync: true,
            destroy_old_data: false,
            backup_log_files: true,
            backup_rate_limit: 0,
            restore_rate_limit: 0,
            share_files_with_checksum: true,
            max_background_operations: 1,
            callback_trigger_interval_size: 4 << 20,
            max_valid_backups_to_open: i32::MAX,
            share_files_with_checksum_naming: ShareFilesNaming(
                ShareFilesNaming::USE_DB_SESSION_ID.0 | ShareFilesNaming::FLAG_INCLUDE_FILE_SIZE,
            ),
            io_buffer_size: 0,
            keeps_unfinished: false,
        }
    }

    /// Returns the file system of backups in a storage, whose names are below `backup_dir`.
    pub fn storage(&self, storage: Arc<dyn BackupStorage>) -> Arc<dyn FileSystem> {
        Arc::new(StorageFs::new(storage, &self.backup_dir))
    }

    fn threads(&self) -> usize {
        usize::try_from(self.max_background_operations).unwrap_or(1).clamp(1, 64)
    }

    fn throttle(&self, bytes_per_second: u64) -> Throttle {
        let chunk = if self.io_buffer_size == 0 { 5 << 20 } else { self.io_buffer_size };
        Throttle::new(bytes_per_second, chunk.clamp(4 << 10, 64 << 20) as usize)
    }
}

/// Information about a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupInfo {
    /// The backup's number. The first is 1.
    pub backup_id: u32,
    /// When the backup was created, in seconds since 1970.
    pub timestamp: i64,
    /// The size of its files in bytes, including shared files.
    pub size: u64,
    /// The number of these files.
    pub number_files: u32,
    /// The metadata that the user stored with it.
    pub app_metadata: Vec<u8>,
}

/// Creates, checks, restores and deletes backups.
pub struct BackupEngine {
    fs: Arc<dyn FileSystem>,
    dir: PathBuf,
    options: BackupEngineOptions,
    backups: BTreeMap<u32, Meta>,
    /// Backups whose meta file cannot be read, or that lack a file which it names.
    corrupt: BTreeMap<u32, Error>,
}

impl BackupEngine {
    /// Opens a directory of backups, and creates it if necessary.
    pub fn open(options: BackupEngineOptions) -> Result<BackupEngine> {
        if options.share_files_with_checksum_naming.0 & 0xffff == 0 {
            return Err(Error::invalid_argument("share_files_with_checksum_naming: no scheme"));
        }
        let fs = options.file_system.clone().unwrap_or_else(crate::fs::posix);
        let dir = fs.absolute(&options.backup_dir);
        for part in ["", "private", "meta"] {
            fs.create_dir_if_missing(&dir.join(part))?;
        }
        if options.share_table_files {
            fs.create_dir_if_missing(&dir.join(shared_dir(&options)))?;
        }
        let (backups, corrupt) = (BTreeMap::new(), BTreeMap::new());
        let mut engine = BackupEngine { fs, dir, options, backups, corrupt };
        engine.load()?;
        if engine.options.destroy_old_data {
            engine.destroy_all()?;
        }
        Ok(engine)
    }

    fn load(&mut self) -> Result<()> {
        for name in self.fs.list_dir(&self.dir.join("meta"))? {
            let Ok(id) = name.parse::<u32>() else { continue };
            match meta::read(&*self.fs, &self.dir, id) {
                Ok(meta) => drop(self.backups.insert(id, meta)),
                Err(e) if matches!(e.code(), Code::Corruption | Code::NotSupported) => {
                    self.corrupt.insert(id, e);
                }
                // The device may work again later, so this error must not cause anything to be deleted.
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn destroy_all(&mut self) -> Result<()> {
        let ids: Vec<u32> = self.backups.keys().chain(self.corrupt.keys()).copied().collect();
        ids.into_iter().try_for_each(|id| self.forget(id))?;
        self.garbage_collect()
    }

    /// Returns the backups that can be restored, oldest first.
    pub fn backup_info(&self) -> Vec<BackupInfo> {
        let info = |(&backup_id, meta): (&u32, &Meta)| BackupInfo {
            backup_id,
            timestamp: meta.timestamp,
            size: meta.files.iter().map(|file| file.size).sum(),
            number_files: meta.files.len() as u32,
            app_metadata: meta.app_metadata.clone(),
        };
        self.backups.iter().map(info).collect()
    }

    /// Returns the backups that cannot be restored, and the reasons.
    pub fn corrupted_backups(&self) -> Vec<(u32, Error)> {
        self.corrupt.iter().map(|(id, e)| (*id, e.clone())).collect()
    }

    /// Checks that the files of a backup exist with the sizes that they had when the engine was opened. With
    /// `with_checksum`, checks their checksums too.
    pub fn verify_backup(&self, id: u32, with_checksum: bool) -> Result<()> {
        let throttle = self.options.throttle(0);
        self.verify_files(id, with_checksum, &throttle, &BackupProgress::default())
    }

    /// Like [`BackupEngine::verify_backup`] with checksums, but reads no faster than `backup_rate_limit` and counts the
    /// bytes in a progress, which can stop it.
    pub fn verify_backup_with(&self, id: u32, progress: &BackupProgress) -> Result<()> {
        let throttle = self.options.throttle(self.options.backup_rate_limit);
        self.verify_files(id, true, &throttle, progress)
    }

    fn verify_files(
        &self,
        id: u32,
        with_checksum: bool,
        throttle: &Throttle,
        progress: &BackupProgress,
    ) -> Result<()> {
        // RocksDB only reports that the file was not found.
        let explained = |e: Error| match e.code() {
            Code::NotFound => Error::not_found("").explained(e.message()).about_file(&self.dir),
            _ => e,
        };
        let files = &self.backup(id).map_err(explained)?.files;
        progress.plan(files.iter().map(|file| file.size).sum());
        for file in files {
            let path = self.dir.join(&file.path);
            if !self.fs.exists(&path)? {
                let message = format!("File missing: {}", path.display());
                return Err(Error::new(Code::NotFound, message));
            }
            let found = self.fs.file_size(&path)?;
            if found != file.size {
                return Err(Error::corruption(format!(
                    "File corrupted: File size mismatch for {}: Expected file size is {} while \
                     found file size is {found}",
                    path.display(),
                    file.size
                )));
            }
            if let (true, Some(expected)) = (with_checksum, file.checksum) {
                let found = checksum_with(&*self.fs, &path, throttle, &|bytes| {
                    progress.note_copied(bytes);
                    progress.check()
                })?;
                if found != expected {
                    return Err(checksum_mismatch(&path, expected, found));
                }
            }
        }
        Ok(())
    }

    /// Deletes all backups except the newest `keep`.
    pub fn purge_old_backups(&mut self, keep: u32) -> Result<()> {
        let old = self.backups.len().saturating_sub(keep as usize);
        let ids: Vec<u32> = self.backups.keys().take(old).copied().collect();
        ids.into_iter().try_for_each(|id| self.forget(id))?;
        self.garbage_collect()
    }

    /// Deletes a backup, and the shared files that only it used.
    pub fn delete_backup(&mut self, id: u32) -> Result<()> {
        if !self.backups.contains_key(&id) && !self.corrupt.contains_key(&id) {
            return Err(self.no_backup(Some(id)));
        }
        self.forget(id)?;
        self.garbage_collect()
    }

    /// Deletes every file that no backup uses. While there are damaged backups, or some of a newer format, only what
    /// cannot be theirs is deleted: which shared files they use is not known.
    pub fn garbage_collect(&self) -> Result<()> {
        let files = self.backups.values().flat_map(|meta| &meta.files);
        let needed: BTreeSet<&str> = files.map(|file| file.path.as_str()).collect();
        for shared in ["shared", "shared_checksum"] {
            for name in self.list(shared)? {
                let is_needed = needed.contains(format!("{shared}/{name}").as_str());
                if !is_needed && self.corrupt.is_empty() {
                    self.fs.remove_file(&self.dir.join(shared).join(name))?;
                }
            }
        }
        for name in self.list("private")? {
            let is_listed =
                |id: u32| self.backups.contains_key(&id) || self.corrupt.contains_key(&id);
            let kept = name.parse().is_ok_and(is_listed);
            let path = self.dir.join("private").join(&name);
            if !kept && self.fs.is_dir(&path)? {
                for file in self.fs.list_dir(&path)? {
                    self.fs.remove_file(&path.join(file))?;
                }
                self.fs.remove_dir(&path)?;
            }
        }
        for name in self.list("meta")?.into_iter().filter(|name| name.ends_with(".tmp")) {
            self.fs.remove_file(&self.dir.join("meta").join(name))?;
        }
        Ok(())
    }

    fn list(&self, part: &str) -> Result<Vec<String>> {
        match self.fs.list_dir(&self.dir.join(part)) {
            Err(e) if e.is_path_not_found() => Ok(Vec::new()),
            names => names,
        }
    }

    /// Removes a backup from the list, permanently.
    fn forget(&mut self, id: u32) -> Result<()> {
        match self.fs.remove_file(&meta::path(&self.dir, id)) {
            Err(e) if !e.is_path_not_found() => return Err(e),
            _ => {}
        }
        self.backups.remove(&id);
        self.corrupt.remove(&id);
        Ok(())
    }

    fn backup(&self, id: u32) -> Result<&Meta> {
        match (self.backups.get(&id), self.corrupt.get(&id)) {
            (Some(meta), _) => Ok(meta),
            (None, Some(e)) => Err(e.clone()),
            (None, None) => Err(self.no_backup(Some(id))),
        }
    }

    /// Returns the error that there is no backup with this number, or no backup at all if no number is given.
    #[cold]
    fn no_backup(&self, id: Option<u32>) -> Error {
        let known: Vec<String> = self.backups.keys().map(u32::to_string).collect();
        let known = if known.is_empty() { "no backup".to_owned() } else { known.join(", ") };
        let id = id.map_or(String::new(), |id| format!(" {id}:"));
        let dir = self.dir.display();
        let message = format!("Backup not found:{id} {dir} has {known}");
        Error::not_found("Backup not found").explained(message).about_file(&self.dir)
    }

    /// Returns what the backups record about a file.
    fn known(&self, path: &str) -> Option<&BackupFile> {
        self.backups.values().flat_map(|meta| &meta.files).find(|file| file.path == path)
    }

    fn sync_dir(&self, part: &Path) -> Result<()> {
        if self.options.sync { self.fs.sync_dir(&self.dir.join(part)) } else { Ok(()) }
    }
}

fn shared_dir(options: &BackupEngineOptions) -> &'static str {
    if options.share_files_with_checksum { "shared_checksum" } else { "shared" }
}
