//! Deletes files that nobody needs, and never one that somebody does.
//!
//! Tables announce themselves: the last holder of a table that left the current version puts its
//! number into the graveyard (`version/file_meta.rs`). WALs go when every family has flushed what
//! they hold. At open, files that a crash left behind are found by listing the directory.

use super::recover::list_wals;
use super::state::{DbInner, State};
use crate::env::sync::MutexGuard;
use crate::error::Result;
use crate::fs::filename::{self, FileKind};
use std::collections::BTreeSet;
use std::path::Path;

impl DbInner {
    /// Deletes the tables that nobody can read any more.
    pub(crate) fn purge_tables(&self) {
        for number in self.graveyard.take() {
            if let Some(open_tables) = &self.open_tables {
                open_tables.remove(number);
            }
            self.delete(&filename::table_file_name(&self.dir, number));
        }
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
        let archives = self.options.wal_ttl_seconds > 0 || self.options.wal_size_limit_mb > 0;
        for &number in numbers {
            let path = filename::wal_file_name(&self.wal_dir, number);
            if archives {
                self.archive(&path, number);
            } else {
                self.delete(&path);
            }
        }
        if archives {
            self.trim_archive();
        }
    }

    /// Deletes MANIFESTs that were replaced.
    pub(crate) fn delete_manifests(&self, numbers: &[u64]) {
        for &number in numbers {
            self.delete(&filename::manifest_file_name(&self.dir, number));
        }
    }

    fn archive(&self, path: &Path, number: u64) {
        let dir = filename::archive_dir(&self.wal_dir);
        let to = filename::wal_file_name(&dir, number);
        let moved = self.fs.create_dir_all(&dir).and_then(|()| self.fs.rename(path, &to));
        if let Err(e) = moved {
            self.info_log.warn(format_args!("cannot archive {}: {e}", path.display()));
        }
    }

    /// Deletes archived WALs beyond their time to live or the size limit, oldest first.
    fn trim_archive(&self) {
        let dir = filename::archive_dir(&self.wal_dir);
        let Ok(names) = self.fs.list_dir(&dir) else { return };
        let mut wals: Vec<u64> = names
            .iter()
            .filter_map(|name| match filename::parse_file_name(name) {
                Some(FileKind::Wal(number)) => Some(number),
                _ => None,
            })
            .collect();
        wals.sort_unstable();
        let now = crate::flush::now_seconds();
        let limit = self.options.wal_size_limit_mb << 20;
        let mut kept = 0u64;
        for number in wals.into_iter().rev() {
            let path = filename::wal_file_name(&dir, number);
            kept += self.fs.file_size(&path).unwrap_or(0);
            let age = now.saturating_sub(self.fs.modified_time(&path).unwrap_or(now));
            let too_old = self.options.wal_ttl_seconds > 0 && age > self.options.wal_ttl_seconds;
            if too_old || (limit > 0 && kept > limit) {
                self.delete(&path);
            }
        }
    }

    fn delete(&self, path: &Path) {
        match self.fs.remove_file(path) {
            Ok(()) => {}
            Err(e) if e.is_path_not_found() => {}
            Err(e) => self.info_log.warn(format_args!("cannot delete {}: {e}", path.display())),
        }
    }

    /// Deletes what a crash or an older session left in the directories. Runs once, after a
    /// successful recovery and before any job: so no file is being made.
    pub(crate) fn purge_leftovers(&self) -> Result<()> {
        let versions = self.versions.lock();
        let wals: BTreeSet<u64> = self.state.lock().wals.iter().map(|wal| wal.number).collect();
        for name in self.fs.list_dir(&self.dir)? {
            let obsolete = match filename::parse_file_name(&name) {
                Some(FileKind::Table(number)) => !versions.needs_table(number),
                Some(FileKind::Manifest(number)) => !versions.needs_manifest(number),
                Some(FileKind::Temp(_)) => true,
                _ => false,
            };
            if obsolete {
                self.delete(&self.dir.join(&name));
            }
        }
        let mut replayed = list_wals(&self.session)?;
        replayed.retain(|number| !wals.contains(number));
        self.delete_wals(&replayed);
        Ok(())
    }
}
