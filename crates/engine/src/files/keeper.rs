//! Deletes obsolete files, and never a file that is still in use.
//!
//! The last holder of a table that left the current version puts the table's number into the list of obsolete files
//! (`version/file_meta.rs`). Flushes decide which WALs are obsolete (`jobs/flush.rs`); this file deletes or archives
//! them.

use super::wal_list::wals_among;
use crate::env::epoch;
use crate::env::lock_rank::{self, DELETIONS, RankedMutex};
use crate::env::sync::atomic::{AtomicUsize, Ordering};
use crate::error::Result;
use crate::fs::filename;
use crate::report::Reporter;
use crate::session::{PurgesTables, Session};
use crate::stats::{self, Ticker};
use crate::version::{ObsoleteFiles, ObsoleteTable};
use std::path::Path;
use std::sync::Arc;

/// Tracks whether obsolete files may be deleted, and which ones wait. Its lock is inside those of the catalogue. It is
/// held while a file is deleted, so a thread that has paused deletions can be sure that none is running.
pub(crate) struct FileKeeper {
    pub(crate) session: Arc<Session>,
    reporter: Arc<Reporter>,
    obsolete_files: ObsoleteFiles,
    /// The number of pauses not yet reverted. It changes under the lock of `waiting`.
    paused: AtomicUsize,
    waiting: RankedMutex<Waiting, DELETIONS>,
}

/// Obsolete files other than tables. Tables wait in the list of obsolete files.
#[derive(Debug, Default)]
struct Waiting {
    wals: Vec<u64>,
    manifests: Vec<u64>,
    /// The numbers of recently deleted tables, newest first, to check that no number is used twice.
    #[cfg(debug_assertions)]
    deleted: [u64; 32],
}

impl FileKeeper {
    /// Creates the keeper of a database that is being opened. `obsolete_files` lists tables that have no holder any
    /// more.
    pub(crate) fn new(
        session: Arc<Session>,
        reporter: Arc<Reporter>,
        obsolete_files: ObsoleteFiles,
    ) -> FileKeeper {
        let (paused, waiting) = (AtomicUsize::new(0), RankedMutex::default());
        FileKeeper { session, reporter, obsolete_files, paused, waiting }
    }

    /// Sets a callback for when a table may be deleted. It may be called under any lock.
    pub(crate) fn on_obsolete_table(&self, notify: impl Fn() + Send + Sync + 'static) {
        self.obsolete_files.set_notify(notify);
    }

    /// Returns the number of pauses not yet reverted.
    pub(crate) fn paused(&self) -> usize {
        self.paused.load(Ordering::Acquire)
    }
}

/// Keeps every file of the database until it is dropped.
pub(crate) struct DeletionsPaused<'a>(&'a FileKeeper);

impl Drop for DeletionsPaused<'_> {
    fn drop(&mut self) {
        self.0.enable_file_deletions();
    }
}

impl FileKeeper {
    /// Prevents the deletion of files until `enable_file_deletions` has been called as many times.
    pub(crate) fn disable_file_deletions(&self) {
        let waiting = self.waiting.lock();
        let paused = self.paused.fetch_add(1, Ordering::AcqRel) + 1;
        drop(waiting);
        if paused == 1 {
            self.session.info_log.info(format_args!("File Deletions Disabled"));
        } else {
            self.session.info_log.info(format_args!(
                "File Deletions Disabled, but already disabled. Counter: {paused}"
            ));
        }
    }

    /// Reverts one `disable_file_deletions`. Reverting the last one deletes the files that have waited.
    pub(crate) fn enable_file_deletions(&self) {
        let mut waiting = self.waiting.lock();
        let before = self.paused();
        let paused = before.saturating_sub(1);
        self.paused.store(paused, Ordering::Release);
        if paused > 0 {
            drop(waiting);
            self.session.info_log.info(format_args!(
                "File Deletions Enable, but not really enabled. Counter: {paused}"
            ));
            return;
        }
        let wals = std::mem::take(&mut waiting.wals);
        let manifests = std::mem::take(&mut waiting.manifests);
        drop(waiting);
        self.session.info_log.info(format_args!("File Deletions Enabled"));
        if !self.session.health.is_closing() {
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

    /// Returns whether there are tables that may be deleted now.
    pub(crate) fn has_tables_to_purge(&self) -> bool {
        self.paused() == 0 && !self.obsolete_files.is_empty()
    }

    /// Deletes the tables that no reader can use any more.
    pub(crate) fn purge_tables(&self) {
        while self.purge_table() {}
    }

    /// Deletes one obsolete table, if there is one, and notifies listeners. Deletes only one at a time: a large file
    /// takes milliseconds, and a thread that waits to delete others waits only for this one. The caller must hold no
    /// lock.
    pub(crate) fn purge_table(&self) -> bool {
        // Check even if there is nothing to delete, so that every caller is checked.
        lock_rank::assert_free_from(lock_rank::OPTIONS);
        #[allow(unused_mut)]
        let mut deleting = self.waiting.lock();
        if self.paused() > 0 {
            return false;
        }
        let Some(ObsoleteTable { number, dir }) = self.obsolete_files.take_one() else {
            return false;
        };
        #[cfg(debug_assertions)]
        {
            let next = self.session.counters.next_file_number();
            assert!(number < next, "expected a file number below {next}, found {number}");
            assert!(
                !deleting.deleted.contains(&number),
                "expected table #{number} to be deleted once, found it among {:?}",
                deleting.deleted
            );
            deleting.deleted.rotate_right(1);
            deleting.deleted[0] = number;
        }
        if let Some(open_tables) = &self.session.open_tables {
            open_tables.remove(number);
        }
        let path = filename::table_file_name(&dir, number);
        let deleted = self.delete_table(&path);
        // Listeners may call the database, and pause deletions.
        drop(deleting);
        self.reporter.log_table_deleted(number, &deleted);
        self.reporter.tell_table_deleted(&path, &deleted);
        true
    }

    /// Deletes WALs, or moves them to the archive if the options require it.
    pub(crate) fn delete_wals(&self, numbers: &[u64]) {
        if numbers.is_empty() {
            return;
        }
        let mut waiting = self.waiting.lock();
        if self.paused() > 0 {
            waiting.wals.extend(numbers);
            return;
        }
        let archives =
            self.session.options.wal_ttl_seconds > 0 || self.session.options.wal_size_limit_mb > 0;
        for &number in numbers {
            let path = filename::wal_file_name(&self.session.wal_dir, number);
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

    /// Deletes replaced MANIFESTs.
    pub(crate) fn delete_manifests(&self, numbers: &[u64]) {
        if numbers.is_empty() {
            return; // Return without taking the lock: a flush must not wait here for files of a compaction.
        }
        let mut waiting = self.waiting.lock();
        if self.paused() > 0 {
            waiting.manifests.extend(numbers);
            return;
        }
        for &number in numbers {
            let _ = self.delete(&filename::manifest_file_name(&self.session.dir, number));
        }
    }

    fn archive(&self, path: &Path, number: u64) {
        let dir = filename::archive_dir(&self.session.wal_dir);
        let to = filename::wal_file_name(&dir, number);
        let moved = self
            .session
            .fs
            .create_dir_if_missing(&dir)
            .and_then(|()| self.session.fs.rename(path, &to));
        if let Err(e) = moved {
            self.session.info_log.warn(format_args!("cannot archive {}: {e}", path.display()));
        }
    }

    /// Deletes archived WALs beyond their time to live or the size limit, oldest first.
    fn trim_archive(&self) {
        let dir = filename::archive_dir(&self.session.wal_dir);
        let Ok(names) = self.session.fs.list_dir(&dir) else { return };
        let now = crate::flush::now_seconds();
        let limit = self.session.options.wal_size_limit_mb << 20;
        let mut kept = 0u64;
        for number in wals_among(&names).into_iter().rev() {
            let path = filename::wal_file_name(&dir, number);
            kept += self.session.fs.file_size(&path).unwrap_or(0);
            let age = now.saturating_sub(self.session.fs.modified_time(&path).unwrap_or(now));
            let too_old = self.session.options.wal_ttl_seconds > 0
                && age > self.session.options.wal_ttl_seconds;
            if too_old || (limit > 0 && kept > limit) {
                let _ = self.delete(&path);
            }
        }
    }

    /// Deletes a file. A failure is logged, and the next open retries it.
    pub(super) fn delete(&self, path: &Path) -> Result<()> {
        let deleted = match self.session.fs.remove_file(path) {
            Err(e) if !e.is_path_not_found() => Err(e),
            _ => Ok(()),
        };
        if deleted.is_ok() {
            stats::add(&self.session.statistics, Ticker::FilesDeletedImmediately, 1);
            self.session.info_log.info(format_args!("Deleted file {} immediately", path.display()));
        }
        deleted.inspect_err(|e| {
            self.session.info_log.warn(format_args!("cannot delete {}: {e}", path.display()));
        })
    }
}

impl PurgesTables for FileKeeper {
    fn purge_dropped(&self) {
        if !self.session.health.is_closing() {
            epoch::synchronize();
            self.purge_tables();
        }
    }
}
