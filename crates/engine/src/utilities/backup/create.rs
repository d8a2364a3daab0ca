//! Creating a backup of an open database: its files at one point in time, as in a checkpoint.

use super::copy::{Copied, Copier, Copy, checksum_of};
use super::meta::{self, BackupFile, Meta};
use super::{BackupEngine, BackupProgress, shared_dir};
use crate::db::Db;
use crate::env::sync::atomic::{AtomicU64, Ordering};
use crate::error::{Code, Error, Result, SubCode};
use crate::fs::{WritableOptions, filename};
use crate::open::Core;
use crate::options;
use crate::session::ColumnFamilyData;
use crate::stats::{self, Ticker};
use crate::utilities::checkpoint::Contents;
use crate::version::FileMeta;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Options for creating a backup.
#[derive(Default)]
pub struct CreateBackupOptions {
    /// Whether to flush memtables first. Without it, data that skipped the WAL is not in the backup.
    pub flush_before_backup: bool,
    /// Metadata that is stored with the backup.
    pub app_metadata: Vec<u8>,
    /// Called, from any thread, each time this many bytes were copied:
    /// [`super::BackupEngineOptions::callback_trigger_interval_size`].
    pub progress_callback: Option<Box<dyn Fn() + Send + Sync>>,
    /// Updated during the backup, which it can stop.
    pub progress: Option<Arc<BackupProgress>>,
    /// Whether to read each copied file again from the device and to compare checksums.
    pub verify_copies: bool,
    /// Whether to fail before the first copy if the free space of the backup directory is less than what it needs.
    pub check_free_space: bool,
}

/// A file of the database, and its path in the backup directory.
struct Planned {
    from: PathBuf,
    size: Option<u64>,
    /// The path, relative to the backup directory.
    path: String,
    /// The file, if a backup contains it already.
    known: Option<BackupFile>,
    /// Whether it is a table that backups share.
    is_shared: bool,
    /// Whether an unfinished backup has left it in the backup directory.
    may_exist: bool,
}

impl BackupEngine {
    /// Creates a backup of everything written so far.
    pub fn create_new_backup(&mut self, db: &Db) -> Result<u32> {
        self.create_new_backup_with(db, &CreateBackupOptions::default())
    }

    /// Creates a backup and returns its number.
    pub fn create_new_backup_with(&mut self, db: &Db, how: &CreateBackupOptions) -> Result<u32> {
        let inner = db.core();
        let newest = self.backups.keys().chain(self.corrupt.keys()).max();
        let id = newest.copied().unwrap_or(0) + 1;
        inner
            .session
            .info_log
            .info(format_args!("Started the backup process -- creating backup {id}"));
        self.remove_unfinished(id)?;
        let made = self.create(inner, id, how);
        match &made {
            Ok(()) => inner.session.info_log.info(format_args!("Backup DONE: {id}")),
            Err(e) => {
                inner.session.info_log.warn(format_args!("Backup failed -- {e}"));
                // Best effort: the next backup and the next purge try again. A stopped backup leaves its tables to the
                // next one, and so does one that lost the connection to its storage.
                let is_stopped =
                    how.progress.as_ref().is_some_and(|progress| progress.is_stopped());
                let is_cut_off = self.options.keeps_unfinished && e.code() == Code::IOError;
                if !is_stopped && !is_cut_off {
                    let _ = self.garbage_collect();
                }
            }
        }
        made.map(|()| id)
    }

    /// Removes the directory of an unfinished backup.
    fn remove_unfinished(&self, id: u32) -> Result<()> {
        let private = self.dir.join("private").join(id.to_string());
        if !self.fs.exists(&private)? {
            return Ok(());
        }
        for name in self.fs.list_dir(&private)? {
            self.fs.remove_file(&private.join(name))?;
        }
        Ok(())
    }

    fn create(&mut self, inner: &Core, id: u32, how: &CreateBackupOptions) -> Result<()> {
        let private = format!("private/{id}");
        self.fs.create_dir_if_missing(&self.dir.join(&private))?;
        let _kept = inner.files.pause_file_deletions();
        if how.flush_before_backup && !inner.session.read_only {
            inner.jobs.flusher().flush_all()?;
        }
        let sequence = inner.catalog.order().visible();
        let timestamp = crate::flush::now_seconds() as i64;
        let contents = inner.contents()?;
        let plan = self.plan(inner, &contents, &private)?;
        self.announce(inner, &plan, how)?;
        let mut files = self.copy_all(inner, plan, how)?;
        files.push(self.write_current(contents.manifest.0, &private)?);
        for part in [private.as_str(), "private", shared_dir(&self.options)] {
            if self.fs.is_dir(&self.dir.join(part))? {
                self.sync_dir(Path::new(part))?;
            }
        }
        let app_metadata = how.app_metadata.clone();
        let meta = Meta { timestamp, sequence, app_metadata, files };
        meta::write(&*self.fs, &self.dir, id, &meta, self.options.sync)?;
        self.backups.insert(id, meta);
        Ok(())
    }

    /// Plans the files: tables first, then those that belong only to this backup.
    fn plan(&self, inner: &Core, contents: &Contents, private: &str) -> Result<Vec<Planned>> {
        let mut plan = Vec::new();
        for (family, file) in contents.tables.values() {
            plan.push(self.plan_table(inner, family, file, private)?);
        }
        let mut alone = |from: PathBuf, size: Option<u64>| {
            let name = from.file_name().unwrap_or_default().to_string_lossy();
            let path = format!("{private}/{name}");
            plan.push(Planned {
                from,
                size,
                path,
                known: None,
                is_shared: false,
                may_exist: false,
            });
        };
        let (number, size) = contents.manifest;
        alone(filename::manifest_file_name(&inner.session.dir, number), Some(size));
        if let Some(options) = options::newest_options_file(&*inner.session.fs, &inner.session.dir)?
        {
            alone(options, None);
        }
        if self.options.backup_log_files {
            for wal in &contents.wals {
                alone(filename::wal_file_name(&inner.session.wal_dir, wal.number), Some(wal.size));
            }
        }
        Ok(plan)
    }

    fn plan_table(
        &self,
        inner: &Core,
        family: &ColumnFamilyData,
        file: &FileMeta,
        private: &str,
    ) -> Result<Planned> {
        let number = file.number;
        let from = family.paths.table_that_exists(&*inner.session.fs, file)?;
        if !self.options.share_table_files {
            let path = format!("{private}/{number:06}.sst");
            let (known, is_shared, may_exist) = (None, false, false);
            return Ok(Planned { from, size: None, path, known, is_shared, may_exist });
        }
        let path = match self.options.share_files_with_checksum {
            true => {
                format!("shared_checksum/{}", self.shared_name(inner, family, file, &from)?)
            }
            false => format!("shared/{number:06}.sst"),
        };
        let there = self.fs.exists(&self.dir.join(&path))?;
        let known = self.known(&path).filter(|_| there).cloned();
        if let Some(known) = &known {
            let (size, expected) = (inner.session.fs.file_size(&from)?, known.size);
            if size != expected {
                return Err(Error::corruption(format!(
                    "{}: expected {expected} bytes as in {path} of the backups, found {size}",
                    from.display()
                )));
            }
        }
        let may_exist = there && known.is_none();
        Ok(Planned { from, size: None, path, known, is_shared: true, may_exist })
    }

    /// Tells the progress how many bytes will be copied, and checks that there is space for them.
    fn announce(&self, inner: &Core, plan: &[Planned], how: &CreateBackupOptions) -> Result<()> {
        if how.progress.is_none() && !how.check_free_space {
            return Ok(());
        }
        let (mut all, mut needed) = (0, 0);
        for file in plan.iter().filter(|file| file.known.is_none()) {
            let size = match file.size {
                Some(size) => size,
                None => inner.session.fs.file_size(&file.from)?,
            };
            all += size;
            needed += if file.may_exist { 0 } else { size };
        }
        if let Some(progress) = &how.progress {
            progress.plan(all);
        }
        let free = self.fs.free_space(&self.dir)?;
        if how.check_free_space && free < needed {
            let dir = self.dir.display();
            return Err(Error::new(
                Code::IOError,
                format!("the backup needs {needed} bytes in {dir}, which has {free} free bytes"),
            )
            .with_subcode(SubCode::NoSpace)
            .about_file(&self.dir));
        }
        Ok(())
    }

    /// Returns a name that differs from that of any other table with the same number.
    fn shared_name(
        &self,
        inner: &Core,
        family: &ColumnFamilyData,
        file: &FileMeta,
        from: &Path,
    ) -> Result<String> {
        let number = file.number;
        let naming = self.options.share_files_with_checksum_naming;
        let size = inner.session.fs.file_size(from)?;
        if naming.by_session() {
            let table = family.tables.find(file)?;
            let session = &table.properties().db_session_id;
            let plain = session.bytes().all(|b| b.is_ascii_alphanumeric());
            if !session.is_empty() && plain {
                return Ok(match naming.with_size() {
                    true => format!("{number:06}_s{session}_{size}.sst"),
                    false => format!("{number:06}_s{session}.sst"),
                });
            }
        }
        let checksum = checksum_of(&*inner.session.fs, from, &self.options.throttle(0))?;
        Ok(format!("{number:06}_{checksum}_{size}.sst"))
    }

    fn copy_all(
        &self,
        inner: &Core,
        plan: Vec<Planned>,
        how: &CreateBackupOptions,
    ) -> Result<Vec<BackupFile>> {
        let copied = AtomicU64::new(0);
        let interval = self.options.callback_trigger_interval_size.max(1);
        let progress = |bytes: u64| {
            let before = copied.fetch_add(bytes, Ordering::Relaxed);
            stats::add(&inner.session.statistics, Ticker::BackupReadBytes, bytes);
            stats::add(&inner.session.statistics, Ticker::BackupWriteBytes, bytes);
            let calls = (before + bytes) / interval - before / interval;
            let callback = how.progress_callback.iter();
            callback.for_each(|callback| (0..calls).for_each(|_| callback()));
            how.progress.as_ref().map_or(Ok(()), |progress| {
                progress.note_copied(bytes);
                progress.check()
            })
        };
        let copier = Copier {
            source: Arc::clone(&inner.session.fs),
            target: Arc::clone(&self.fs),
            sync: self.options.sync,
            threads: self.options.threads(),
            throttle: self.options.throttle(self.options.backup_rate_limit),
            verifies: how.verify_copies,
            progress: &progress,
        };
        let fresh = plan.iter().filter(|file| file.known.is_none());
        let jobs: Vec<Copy> = fresh.map(|file| self.job(file)).collect();
        let mut results = copier.run(&jobs)?.into_iter();
        let mut files = Vec::with_capacity(plan.len() + 1);
        for file in plan {
            files.push(match file.known {
                Some(known) => known,
                None => {
                    let Copied { size, checksum, is_reused } = results.next().unwrap_or_default();
                    if let (true, Some(progress)) = (is_reused, &how.progress) {
                        progress.note_reused(size);
                    }
                    BackupFile { path: file.path, size, checksum: Some(checksum) }
                }
            });
        }
        Ok(files)
    }

    fn job(&self, file: &Planned) -> Copy {
        Copy {
            from: file.from.clone(),
            to: self.dir.join(&file.path),
            size: file.size,
            is_shared: file.is_shared,
            may_exist: file.may_exist,
        }
    }

    fn write_current(&self, manifest: u64, private: &str) -> Result<BackupFile> {
        let content = format!("MANIFEST-{manifest:06}\n");
        let path = format!("{private}/CURRENT");
        let mut file = self.fs.new_writable(&self.dir.join(&path), WritableOptions::default())?;
        file.append(content.as_bytes())?;
        if self.options.sync {
            file.sync()?;
        }
        file.close()?;
        let checksum = Some(crate::base::checksum::crc32c(content.as_bytes()));
        Ok(BackupFile { path, size: content.len() as u64, checksum })
    }
}
