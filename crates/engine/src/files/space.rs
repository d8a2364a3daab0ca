//! Accounting of the space for tables, which is shared with the user's [`SstFileManager`].

use super::keeper::FileKeeper;
use crate::budget::SstFileManager;
use crate::error::{Code, Error, Result, Severity, SubCode};
use crate::session::ColumnFamilyData;
use crate::stats::{self, Ticker};
use crate::version::FileMeta;
use std::path::{Path, PathBuf};

impl FileKeeper {
    fn sst_files(&self) -> Option<&SstFileManager> {
        self.session.options.components.sst_file_manager.as_deref()
    }

    /// Registers a table that exists at open with the manager.
    pub(crate) fn note_table_at_open(&self, family: &ColumnFamilyData, file: &FileMeta) {
        if let Some(manager) = self.sst_files() {
            manager.on_add_file(&family.paths.table(file), file.file_size);
        }
    }

    /// Registers a job's new tables with the manager. Returns an error if they exceed the limit.
    pub(crate) fn note_tables(&self, tables: &[PathBuf]) -> Result<()> {
        let Some(manager) = self.sst_files() else { return Ok(()) };
        for path in tables {
            manager.on_add_file(path, self.session.fs.file_size(path).unwrap_or(0));
        }
        if manager.is_max_allowed_space_reached() {
            return Err(Error::new(Code::IOError, "Max allowed space was reached")
                .with_subcode(SubCode::SpaceLimit)
                .with_severity(Severity::FatalError));
        }
        Ok(())
    }

    /// Returns whether tables use all the space that they may.
    pub(crate) fn is_out_of_allowed_space(&self) -> bool {
        self.sst_files().is_some_and(SstFileManager::is_max_allowed_space_reached)
    }

    /// Reserves space for a compaction with this many input bytes, until the result is dropped.
    pub(crate) fn room_for_compaction(&self, bytes: u64) -> Result<Option<SpaceReservation<'_>>> {
        let Some(manager) = self.sst_files() else { return Ok(None) };
        if manager.reserve_for_compaction(bytes) {
            return Ok(Some(SpaceReservation { manager, bytes }));
        }
        stats::add(&self.session.statistics, Ticker::CompactionCancelled, 1);
        Err(Error::new(Code::CompactionTooLarge, "Not enough space for the compaction"))
    }

    /// Deletes an orphan table immediately, because it may be what fills the device.
    pub(crate) fn delete_orphan_table(&self, number: u64, path: &Path) {
        if let Some(open_tables) = &self.session.open_tables {
            open_tables.remove(number);
        }
        // Best effort: the next open removes unknown files.
        let _ = self.session.fs.remove_file(path);
        if let Some(manager) = self.sst_files() {
            manager.on_delete_file(path);
        }
    }

    /// Deletes a table, at the manager's rate if there is a manager.
    pub(crate) fn delete_table(&self, path: &Path) -> Result<()> {
        let trashed = match self.sst_files() {
            Some(manager) => manager.delete_file(&self.session.fs, path),
            None => self.session.fs.remove_file(path).map(|()| false),
        };
        let ticker = match &trashed {
            Ok(true) => Ticker::FilesMarkedTrash,
            _ => Ticker::FilesDeletedImmediately,
        };
        stats::add(&self.session.statistics, ticker, 1);
        let log = &self.session.info_log;
        match &trashed {
            Ok(true) => log.info(format_args!("Mark file: {} as trash -- OK", path.display())),
            Ok(false) => log.info(format_args!("Deleted file {} immediately", path.display())),
            Err(_) => {}
        }
        match trashed {
            Err(e) if !e.is_path_not_found() => {
                self.session.info_log.warn(format_args!("cannot delete {}: {e}", path.display()));
                Err(e)
            }
            _ => Ok(()),
        }
    }
}

/// Space reserved for a running compaction.
pub(crate) struct SpaceReservation<'a> {
    manager: &'a SstFileManager,
    bytes: u64,
}

impl Drop for SpaceReservation<'_> {
    fn drop(&mut self) {
        self.manager.release(self.bytes);
    }
}
