//! Restoring a backup into a directory.

use super::BackupEngine;
use super::copy::{Copier, Copy};
use super::meta::BackupFile;
use crate::error::{Error, Result};
use crate::fs::filename::{self, FileKind};
use crate::fs::no_parent;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Options for restoring a backup.
#[derive(Clone, Copy, Debug, Default)]
pub struct RestoreOptions {
    /// Whether existing WALs stay and archived ones are moved back. For backups without `backup_log_files` of a
    /// database whose WALs survived.
    pub keep_log_files: bool,
}

impl BackupEngine {
    /// Restores the newest backup.
    pub fn restore_from_latest(
        &self,
        db_dir: impl AsRef<Path>,
        wal_dir: impl AsRef<Path>,
        options: &RestoreOptions,
    ) -> Result<()> {
        let newest = self.backups.keys().next_back().copied();
        let id = newest.ok_or_else(|| self.no_backup(None))?;
        self.restore(id, db_dir, wal_dir, options)
    }

    /// Restores a backup's database to `db_dir`, with its WALs in `wal_dir`. Existing database files are deleted.
    pub fn restore(
        &self,
        id: u32,
        db_dir: impl AsRef<Path>,
        wal_dir: impl AsRef<Path>,
        options: &RestoreOptions,
    ) -> Result<()> {
        let meta = self.backup(id)?;
        let db_dir = self.fs.absolute(db_dir.as_ref());
        let wal_dir = self.fs.absolute(wal_dir.as_ref());
        self.make_target(&db_dir)?;
        self.make_target(&wal_dir)?;
        let _lock = self.lock_if_there(&db_dir)?;
        self.clear(&db_dir, &wal_dir, options)?;
        let mut files = Vec::with_capacity(meta.files.len());
        for file in &meta.files {
            if let Some(to) = target(file, &db_dir, &wal_dir)? {
                files.push((file, to));
            }
        }
        // The database exists once CURRENT does.
        let (current, others): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|(_, to)| to.ends_with("CURRENT"));
        self.bring_back(&others)?;
        self.fs.sync_dir(&wal_dir)?;
        self.fs.sync_dir(&db_dir)?;
        self.bring_back(&current)?;
        self.fs.sync_dir(&db_dir)
    }

    /// Creates a directory to restore into. If its parent is missing, returns RocksDB's error.
    fn make_target(&self, dir: &Path) -> Result<()> {
        let has_parent =
            || dir.parent().is_some_and(|parent| self.fs.is_dir(parent).is_ok_and(|it| it));
        self.fs.create_dir_if_missing(dir).map_err(|e| {
            match e.is_path_not_found() && !has_parent() {
                true => no_parent("While open directory", dir),
                false => e,
            }
        })
    }

    /// Locks the directory, so that an open database there does not lose its files.
    fn lock_if_there(&self, dir: &Path) -> Result<Option<Box<dyn crate::fs::FileLock>>> {
        let path = filename::lock_file_name(dir);
        if self.fs.exists(&path)? { self.fs.lock_file(&path).map(Some) } else { Ok(None) }
    }

    fn clear(&self, db_dir: &Path, wal_dir: &Path, options: &RestoreOptions) -> Result<()> {
        let archive = filename::archive_dir(wal_dir);
        for dir in [&archive, wal_dir, db_dir] {
            if !self.fs.is_dir(dir)? {
                continue;
            }
            for name in self.fs.list_dir(dir)? {
                let from = dir.join(&name);
                match filename::parse_file_name(&name) {
                    None | Some(FileKind::Lock) => {}
                    Some(FileKind::Wal(_)) if options.keep_log_files => {
                        if dir == archive {
                            self.fs.rename(&from, &wal_dir.join(&name))?;
                        }
                    }
                    Some(_) => self.fs.remove_file(&from)?,
                }
            }
        }
        Ok(())
    }

    fn bring_back(&self, files: &[(&BackupFile, PathBuf)]) -> Result<()> {
        let copier = Copier {
            source: Arc::clone(&self.fs),
            target: Arc::clone(&self.fs),
            sync: true,
            threads: self.options.threads(),
            throttle: self.options.throttle(self.options.restore_rate_limit),
            verifies: false,
            progress: &|_| Ok(()),
        };
        let job = |(file, to): &(&BackupFile, PathBuf)| Copy {
            from: self.dir.join(&file.path),
            to: to.clone(),
            size: None,
            is_shared: false,
            may_exist: false,
        };
        let jobs: Vec<Copy> = files.iter().map(job).collect();
        for ((file, to), copied) in files.iter().zip(copier.run(&jobs)?) {
            if let Some(expected) = file.checksum
                && expected != copied.checksum
            {
                return Err(Error::corruption(format!(
                    "While restoring {} -> {}: expected checksum is {expected:08X} while computed \
                     checksum is {:08X}",
                    file.path,
                    to.display(),
                    copied.checksum
                )));
            }
        }
        Ok(())
    }
}

/// Returns the destination of a backup's file: `shared_checksum/000009_sSESSION_1970.sst` becomes `000009.sst`.
fn target(file: &BackupFile, db_dir: &Path, wal_dir: &Path) -> Result<Option<PathBuf>> {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    let plain = match (file.path.starts_with("shared_checksum/"), name.split_once('_')) {
        (true, Some((number, rest))) => {
            let suffix = rest.rsplit('.').next().unwrap_or_default();
            format!("{number}.{suffix}")
        }
        _ => name.to_owned(),
    };
    match filename::parse_file_name(&plain) {
        Some(FileKind::Wal(_)) => Ok(Some(wal_dir.join(plain))),
        Some(_) => Ok(Some(db_dir.join(plain))),
        None => Err(Error::corruption(format!("Parse error: {}", file.path))),
    }
}
