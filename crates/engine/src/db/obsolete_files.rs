//! Deletes files that nobody needs, and never one that somebody does.
//!
//! Tables announce themselves: the last holder of a table that left the current version puts its
//! number into the graveyard (`version/file_meta.rs`). WALs go when every family has flushed what
//! they hold. At open, files that a crash left behind are found by listing the directory.

use super::recover::{list_wals, wals_among};
use super::state::{DbInner, State};
use crate::env::sync::atomic::{AtomicUsize, Ordering};
use crate::env::sync::{Mutex, MutexGuard};
use crate::error::Result;
use crate::fs::FileSystem;
use crate::fs::filename::{self, FileKind};
use crate::stats::{self, Ticker};
use crate::version::{ObsoleteTable, VersionSet};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Whether obsolete files may go, and those that wait. Its lock is the innermost one and is held
/// while a file is deleted: so who has paused deletions knows that none is under way.
#[derive(Debug, Default)]
pub(crate) struct FileDeletions {
    /// How often deletions were paused and not resumed; changes under the lock of `waiting`.
    paused: AtomicUsize,
    waiting: Mutex<Waiting>,
}

/// Obsolete files besides tables, which wait in the graveyard.
#[derive(Debug, Default)]
struct Waiting {
    wals: Vec<u64>,
    manifests: Vec<u64>,
}

/// Which files of older sessions go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leftovers {
    /// All that nobody needs.
    All,
    /// Tables: until a MANIFEST was written, it is not known which of them count.
    Tables,
}

impl FileDeletions {
    /// How often deletions were paused and not resumed.
    pub(crate) fn paused(&self) -> usize {
        self.paused.load(Ordering::Acquire)
    }
}

/// Keeps every file of the database until it is dropped.
pub(crate) struct DeletionsPaused<'a>(&'a DbInner);

impl Drop for DeletionsPaused<'_> {
    fn drop(&mut self) {
        self.0.enable_file_deletions();
    }
}

impl DbInner {
    /// Keeps every file of the database until as many calls of `enable_file_deletions`.
    pub(crate) fn disable_file_deletions(&self) {
        let waiting = self.file_deletions.waiting.lock();
        let paused = self.file_deletions.paused.fetch_add(1, Ordering::AcqRel) + 1;
        drop(waiting);
        if paused == 1 {
            self.info_log.info(format_args!("File Deletions Disabled"));
        } else {
            self.info_log.info(format_args!(
                "File Deletions Disabled, but already disabled. Counter: {paused}"
            ));
        }
    }

    /// Takes one `disable_file_deletions` back; the last one deletes what has waited.
    pub(crate) fn enable_file_deletions(&self) {
        let mut waiting = self.file_deletions.waiting.lock();
        let before = self.file_deletions.paused();
        let paused = before.saturating_sub(1);
        self.file_deletions.paused.store(paused, Ordering::Release);
        if paused > 0 {
            drop(waiting);
            self.info_log.info(format_args!(
                "File Deletions Enable, but not really enabled. Counter: {paused}"
            ));
            return;
        }
        let Waiting { wals, manifests } = std::mem::take(&mut *waiting);
        drop(waiting);
        self.info_log.info(format_args!("File Deletions Enabled"));
        if !self.is_closing() {
            self.delete_wals(&wals);
            self.delete_manifests(&manifests);
            self.purge_tables();
        }
    }

    /// Keeps every file until the result is dropped.
    pub(crate) fn pause_file_deletions(&self) -> DeletionsPaused<'_> {
        self.disable_file_deletions();
        DeletionsPaused(self)
    }

    /// Whether there are tables that may be deleted now.
    pub(crate) fn has_tables_to_purge(&self) -> bool {
        self.file_deletions.paused() == 0 && !self.graveyard.is_empty()
    }

    /// Deletes the tables that nobody can read any more.
    pub(crate) fn purge_tables(&self) {
        while self.purge_table() {}
    }

    /// Deletes one of them, if there is one: a large file takes milliseconds, and who wants to delete
    /// others waits for this one alone.
    pub(crate) fn purge_table(&self) -> bool {
        let _deleting = self.file_deletions.waiting.lock();
        if self.file_deletions.paused() > 0 {
            return false;
        }
        let Some(ObsoleteTable { number, dir }) = self.graveyard.take_one() else { return false };
        if let Some(open_tables) = &self.open_tables {
            open_tables.remove(number);
        }
        let path = filename::table_file_name(&dir, number);
        let deleted = self.delete_table(&path);
        self.log_table_deleted(number, &deleted);
        self.tell_table_deleted(&path, &deleted);
        true
    }

    /// Takes WALs older than `needed` out of the list of live ones; the caller deletes them
    /// with [`DbInner::delete_wals`] after letting go of the lock.
    pub(crate) fn take_obsolete_wals(
        &self,
        state: &mut MutexGuard<'_, State>,
        needed: u64,
    ) -> Vec<u64> {
        let mut obsolete = Vec::new();
        while state.wals.len() > 1 && state.wals[0].number < needed {
            obsolete.extend(state.wals.pop_front().map(|wal| wal.number));
        }
        state.wals_to_close.retain(|wal| !obsolete.contains(&wal.log_number()));
        obsolete
    }

    /// Deletes WALs, or moves them to the archive if the options keep some.
    pub(crate) fn delete_wals(&self, numbers: &[u64]) {
        if numbers.is_empty() {
            return;
        }
        self.write.lock().unsynced.retain(|wal| !numbers.contains(&wal.number));
        let mut waiting = self.file_deletions.waiting.lock();
        if self.file_deletions.paused() > 0 {
            waiting.wals.extend(numbers);
            return;
        }
        let archives = self.options.wal_ttl_seconds > 0 || self.options.wal_size_limit_mb > 0;
        for &number in numbers {
            let path = filename::wal_file_name(&self.wal_dir, number);
            if archives {
                self.archive(&path, number);
            } else {
                let _ = self.delete(&path);
            }
        }
        if archives {
            self.trim_archive();
        }
    }

    /// Deletes MANIFESTs that were replaced.
    pub(crate) fn delete_manifests(&self, numbers: &[u64]) {
        if numbers.is_empty() {
            return; // Without the lock: a flush must not wait for files of a compaction here.
        }
        let mut waiting = self.file_deletions.waiting.lock();
        if self.file_deletions.paused() > 0 {
            waiting.manifests.extend(numbers);
            return;
        }
        for &number in numbers {
            let _ = self.delete(&filename::manifest_file_name(&self.dir, number));
        }
    }

    fn archive(&self, path: &Path, number: u64) {
        let dir = filename::archive_dir(&self.wal_dir);
        let to = filename::wal_file_name(&dir, number);
        let moved = self.fs.create_dir_if_missing(&dir).and_then(|()| self.fs.rename(path, &to));
        if let Err(e) = moved {
            self.info_log.warn(format_args!("cannot archive {}: {e}", path.display()));
        }
    }

    /// Deletes archived WALs beyond their time to live or the size limit, oldest first.
    fn trim_archive(&self) {
        let dir = filename::archive_dir(&self.wal_dir);
        let Ok(names) = self.fs.list_dir(&dir) else { return };
        let now = crate::flush::now_seconds();
        let limit = self.options.wal_size_limit_mb << 20;
        let mut kept = 0u64;
        for number in wals_among(&names).into_iter().rev() {
            let path = filename::wal_file_name(&dir, number);
            kept += self.fs.file_size(&path).unwrap_or(0);
            let age = now.saturating_sub(self.fs.modified_time(&path).unwrap_or(now));
            let too_old = self.options.wal_ttl_seconds > 0 && age > self.options.wal_ttl_seconds;
            if too_old || (limit > 0 && kept > limit) {
                let _ = self.delete(&path);
            }
        }
    }

    /// Deletes a file; what cannot be deleted is told in LOG, and tried again at the next open.
    fn delete(&self, path: &Path) -> Result<()> {
        let deleted = match self.fs.remove_file(path) {
            Err(e) if !e.is_path_not_found() => Err(e),
            _ => Ok(()),
        };
        if deleted.is_ok() {
            stats::add(&self.statistics, Ticker::FilesDeletedImmediately, 1);
            self.info_log.info(format_args!("Deleted file {} immediately", path.display()));
        }
        deleted.inspect_err(|e| {
            self.info_log.warn(format_args!("cannot delete {}: {e}", path.display()));
        })
    }

    /// Deletes what a crash or an older session left in the directories. Runs once, after a
    /// successful recovery and before any job: so no file is being made.
    ///
    /// If the MANIFEST did not end with its last edit, edits may be missing: it and the tables that
    /// nobody knows go to `lost`, for a repair.
    pub(super) fn purge_leftovers(&self, which: Leftovers) -> Result<()> {
        let versions = self.versions.lock();
        let wals: BTreeSet<u64> = self.state.lock().wals.iter().map(|wal| wal.number).collect();
        let names = self.fs.list_dir(&self.dir)?;
        for name in &names {
            match filename::parse_file_name(name) {
                Some(FileKind::Table(number)) if !versions.needs_table(number) => {
                    self.remove_leftover(&versions, &self.dir.join(name));
                }
                Some(FileKind::Manifest(number))
                    if which == Leftovers::All && !versions.needs_manifest(number) =>
                {
                    self.remove_leftover(&versions, &self.dir.join(name));
                }
                Some(FileKind::Temp(_)) => drop(self.delete(&self.dir.join(name))),
                // What an older session had no time to remove.
                None if is_trash(name) => drop(self.delete(&self.dir.join(name))),
                _ => {}
            }
        }
        self.purge_data_paths(&versions)?;
        if which == Leftovers::Tables {
            return Ok(());
        }
        let mut replayed = match self.wal_dir == self.dir {
            true => wals_among(&names),
            false => list_wals(&self.session)?,
        };
        replayed.retain(|number| !wals.contains(number));
        self.delete_wals(&replayed);
        Ok(())
    }

    /// The part of [`DbInner::purge_leftovers`] for directories that hold nothing but tables.
    fn purge_data_paths(&self, versions: &VersionSet) -> Result<()> {
        let mut dirs = BTreeSet::new();
        for family in self.state.lock().families.values() {
            dirs.extend(family.data.paths.dirs().cloned());
        }
        dirs.remove(&*self.dir);
        for dir in dirs {
            for name in self.fs.list_dir(&dir)? {
                match filename::parse_file_name(&name) {
                    Some(FileKind::Table(number)) if !versions.needs_table(number) => {
                        self.remove_leftover(versions, &dir.join(&name));
                    }
                    None if is_trash(&name) => drop(self.delete(&dir.join(&name))),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Removes a table or a MANIFEST that nobody knows. What cannot be removed is tried again at the
    /// next open.
    fn remove_leftover(&self, versions: &VersionSet, path: &Path) {
        if versions.read_clean() {
            let _ = self.delete(path);
            return;
        }
        let path_text = path.display();
        match move_to_lost(&*self.fs, path) {
            Ok(()) => self.info_log.warn(format_args!(
                "{path_text} was moved to the directory lost: the MANIFEST ends in the middle \
                 of a record, so edits may be missing"
            )),
            Err(e) => self
                .info_log
                .warn(format_args!("cannot move {path_text} to the directory lost: {e}")),
        }
    }
}

/// Moves a file that may still be needed out of the way, into the directory `lost` beside it.
pub(super) fn move_to_lost(fs: &dyn FileSystem, path: &Path) -> Result<()> {
    fs.rename(path, &place_in_lost(fs, path)?)
}

/// Where a file goes that is set aside. Makes the directory.
pub(super) fn place_in_lost(fs: &dyn FileSystem, path: &Path) -> Result<PathBuf> {
    let dir = path.parent().unwrap_or(path).join("lost");
    fs.create_dir_if_missing(&dir)?;
    Ok(dir.join(path.file_name().unwrap_or_default()))
}

/// Whether it is a table that waited to be removed at a limited rate.
fn is_trash(name: &str) -> bool {
    name.ends_with(".sst.trash")
}
