//! How far a load is, as other threads see it, and the wish to stop it.

use crate::error::{Error, Result};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How far a load is. Files are checked first, and then loaded.
#[derive(Debug, Default)]
pub struct LoadProgress {
    stops: AtomicBool,
    to_check: AtomicU64,
    checked: AtomicU64,
    planned: AtomicU64,
    loaded: AtomicU64,
    files: AtomicU64,
    files_loaded: AtomicU64,
    rows: AtomicU64,
}

impl LoadProgress {
    /// Makes the load end soon, with an error. Files that are loaded stay loaded.
    pub fn stop(&self) {
        self.stops.store(true, Ordering::Relaxed);
    }

    /// Returns the bytes whose digests are compared.
    pub fn bytes_to_check(&self) -> u64 {
        self.to_check.load(Ordering::Relaxed)
    }

    /// Returns the bytes whose digests have been compared.
    pub fn checked_bytes(&self) -> u64 {
        self.checked.load(Ordering::Relaxed)
    }

    /// Returns the bytes of all files.
    pub fn planned_bytes(&self) -> u64 {
        self.planned.load(Ordering::Relaxed)
    }

    /// Returns the bytes of files that have been read for loading; of the file that is being read an estimate.
    pub fn loaded_bytes(&self) -> u64 {
        self.loaded.load(Ordering::Relaxed)
    }

    /// Returns the number of all files; a checkpoint counts as one.
    pub fn files(&self) -> u64 {
        self.files.load(Ordering::Relaxed)
    }

    /// Returns the number of files whose rows are in the table.
    pub fn loaded_files(&self) -> u64 {
        self.files_loaded.load(Ordering::Relaxed)
    }

    /// Returns the number of rows that have been read.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Returns an error if the load is to end.
    pub(super) fn check(&self) -> Result<()> {
        match self.stops.load(Ordering::Relaxed) {
            true => Err(Error::Setting("the load was stopped".to_owned())),
            false => Ok(()),
        }
    }

    pub(super) fn plan(&self, files: u64, bytes: u64, to_check: u64) {
        self.files.store(files, Ordering::Relaxed);
        self.planned.store(bytes, Ordering::Relaxed);
        self.to_check.store(to_check, Ordering::Relaxed);
    }

    pub(super) fn note_checked(&self, bytes: u64) {
        self.checked.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn note_rows(&self, rows: u64, loaded_bytes: u64) {
        self.rows.store(rows, Ordering::Relaxed);
        self.loaded.store(loaded_bytes, Ordering::Relaxed);
    }

    pub(super) fn note_file(&self) {
        self.files_loaded.fetch_add(1, Ordering::Relaxed);
    }
}
