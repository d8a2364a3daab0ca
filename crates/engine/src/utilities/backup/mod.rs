//! Backups in RocksDB's directory layout, which RocksDB and this engine read and continue for each
//! other.
//!
//! ```text
//! meta/N                                     what backup N consists of (meta.rs)
//! private/N/                                 files that belong to it alone
//! shared_checksum/000009_sSESSION_1970.sst   tables, shared by backups
//! shared/000009.sst                          the same without `share_files_with_checksum`
//! ```
//!
//! A backup exists when its meta file does, which is written last under a temporary name. What a
//! backup that was cut short left in `private` is removed when the next one begins; shared tables that
//! it left stay until the next `garbage_collect`, which also runs when backups are deleted or one fails.
//!
//! One engine at a time may change a backup directory.

mod copy;
mod create;
mod meta;
mod restore;

pub use create::CreateBackupOptions;
pub use restore::RestoreOptions;

use crate::error::{Code, Error, Result};
use crate::fs::FileSystem;
use copy::{Throttle, checksum_of};
use meta::{BackupFile, Meta};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How the tables of `shared_checksum` are named. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareFilesNaming(pub u32);

impl ShareFilesNaming {
    /// `000009_<crc32c>_<size>.sst`.
    pub const LEGACY_CRC32C_AND_FILE_SIZE: ShareFilesNaming = ShareFilesNaming(1);
    /// `000009_s<session>.sst`.
    pub const USE_DB_SESSION_ID: ShareFilesNaming = ShareFilesNaming(2);
    /// Adds `_<size>` where it is not yet part of the name.
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
    /// Where backups are. Not the directory of the database.
    pub backup_dir: PathBuf,
    /// The file system of the backups; `None` is the operating system's.
    pub file_system: Option<Arc<dyn FileSystem>>,
    /// Backups share tables that are the same.
    pub share_table_files: bool,
    /// Sync every file of a backup before it counts.
    pub sync: bool,
    /// Delete the backups that are there.
    pub destroy_old_data: bool,
    /// WALs are part of a backup.
    pub backup_log_files: bool,
    /// Bytes per second that a backup may write; 0 is no limit.
    pub backup_rate_limit: u64,
    /// Bytes per second that a restore may write; 0 is no limit.
    pub restore_rate_limit: u64,
    /// Shared tables are told apart by more than their number.
    pub share_files_with_checksum: bool,
    /// Threads that copy.
    pub max_background_operations: i32,
    /// Bytes between two calls of [`CreateBackupOptions::progress_callback`].
    pub callback_trigger_interval_size: u64,
    /// Of engines that only read; accepted, has no effect on others, as in RocksDB.
    pub max_valid_backups_to_open: i32,
    /// How shared tables are named.
    pub share_files_with_checksum_naming: ShareFilesNaming,
    /// Bytes that are copied at once; 0 is 5 MiB.
    pub io_buffer_size: u64,
}

impl BackupEngineOptions {
    /// RocksDB's defaults.
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
        }
    }

    fn threads(&self) -> usize {
        usize::try_from(self.max_background_operations).unwrap_or(1).clamp(1, 64)
    }

    fn throttle(&self, bytes_per_second: u64) -> Throttle {
        let chunk = if self.io_buffer_size == 0 { 5 << 20 } else { self.io_buffer_size };
        Throttle::new(bytes_per_second, chunk.clamp(4 << 10, 64 << 20) as usize)
    }
}

/// What is known of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupInfo {
    /// Its number: the first is 1.
    pub backup_id: u32,
    /// When it was made, in seconds since 1970.
    pub timestamp: i64,
    /// Bytes of its files, those included that it shares.
    pub size: u64,
    /// How many files those are.
    pub number_files: u32,
    /// What the user gave with it.
    pub app_metadata: Vec<u8>,
}

/// Makes, checks, restores and deletes backups.
pub struct BackupEngine {
    fs: Arc<dyn FileSystem>,
    dir: PathBuf,
    options: BackupEngineOptions,
    backups: BTreeMap<u32, Meta>,
    /// Their meta file cannot be read, or a file that it names is missing.
    corrupt: BTreeMap<u32, Error>,
}

impl BackupEngine {
    /// Opens a directory of backups, which is made if need be.
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
                // A device that fails now may not fail later: nothing is to be deleted for that.
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

    /// The backups that can be restored, oldest first.
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

    /// The backups that cannot, and why.
    pub fn corrupted_backups(&self) -> Vec<(u32, Error)> {
        self.corrupt.iter().map(|(id, e)| (*id, e.clone())).collect()
    }

    /// Checks that the files of a backup are there with the sizes that they had when the engine was
    /// opened; on request also their checksums.
    pub fn verify_backup(&self, id: u32, with_checksum: bool) -> Result<()> {
        // RocksDB says only that it was not found.
        let explained = |e: Error| match e.code() {
            Code::NotFound => Error::not_found("").explained(e.message()).about_file(&self.dir),
            _ => e,
        };
        for file in &self.backup(id).map_err(explained)?.files {
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
            let throttle = self.options.throttle(0);
            if let (true, Some(expected)) = (with_checksum, file.checksum) {
                let found = checksum_of(&*self.fs, &path, &throttle)?;
                if found != expected {
                    return Err(Error::corruption(format!(
                        "File corrupted: Checksum mismatch for {}: Expected checksum is \
                         {expected:08X} while computed checksum is {found:08X}",
                        path.display()
                    )));
                }
            }
        }
        Ok(())
    }

    /// Deletes all but the newest backups.
    pub fn purge_old_backups(&mut self, keep: u32) -> Result<()> {
        let old = self.backups.len().saturating_sub(keep as usize);
        let ids: Vec<u32> = self.backups.keys().take(old).copied().collect();
        ids.into_iter().try_for_each(|id| self.forget(id))?;
        self.garbage_collect()
    }

    /// Deletes a backup, and the shared files that only it had.
    pub fn delete_backup(&mut self, id: u32) -> Result<()> {
        if !self.backups.contains_key(&id) && !self.corrupt.contains_key(&id) {
            return Err(self.no_backup(Some(id)));
        }
        self.forget(id)?;
        self.garbage_collect()
    }

    /// Deletes every file that no backup needs.
    pub fn garbage_collect(&self) -> Result<()> {
        let files = self.backups.values().flat_map(|meta| &meta.files);
        let needed: BTreeSet<&str> = files.map(|file| file.path.as_str()).collect();
        for shared in ["shared", "shared_checksum"] {
            for name in self.list(shared)? {
                if !needed.contains(format!("{shared}/{name}").as_str()) {
                    self.fs.remove_file(&self.dir.join(shared).join(name))?;
                }
            }
        }
        for name in self.list("private")? {
            let kept = name.parse().is_ok_and(|id: u32| self.backups.contains_key(&id));
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

    /// Takes a backup out of the list, for good.
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

    /// There is no backup with this number; without one, there is none at all.
    #[cold]
    fn no_backup(&self, id: Option<u32>) -> Error {
        let known: Vec<String> = self.backups.keys().map(u32::to_string).collect();
        let known = if known.is_empty() { "no backup".to_owned() } else { known.join(", ") };
        let id = id.map_or(String::new(), |id| format!(" {id}:"));
        let dir = self.dir.display();
        let message = format!("Backup not found:{id} {dir} has {known}");
        Error::not_found("Backup not found").explained(message).about_file(&self.dir)
    }

    /// What some backup knows of a file.
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
