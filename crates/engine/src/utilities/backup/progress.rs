//! The progress of a backup, as other threads see it, and their request to stop it.

use crate::env::sync::std_atomic::{AtomicBool, AtomicU64, Ordering};
use crate::error::{Code, Error, Result};

/// How far the creation or the verification of a backup is. The thread that does it updates the progress; other threads
/// read it, and may stop the work.
#[derive(Debug, Default)]
pub struct BackupProgress {
    planned: AtomicU64,
    copied: AtomicU64,
    reused: AtomicU64,
    is_stopped: AtomicBool,
}

impl BackupProgress {
    /// Returns the bytes that have to be copied, without those that earlier backups have, or verified; 0 until they are
    /// known.
    pub fn planned_bytes(&self) -> u64 {
        self.planned.load(Ordering::Relaxed)
    }

    /// Returns the bytes copied or verified so far, with those of [`BackupProgress::reused_bytes`].
    pub fn copied_bytes(&self) -> u64 {
        self.copied.load(Ordering::Relaxed)
    }

    /// Returns the bytes that an unfinished backup had copied, and that were compared instead of copied again.
    pub fn reused_bytes(&self) -> u64 {
        self.reused.load(Ordering::Relaxed)
    }

    /// Makes the work fail soon. Tables that a backup has copied stay, and the next backup uses them.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Returns whether the backup was told to stop.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    pub(super) fn plan(&self, bytes: u64) {
        self.planned.store(bytes, Ordering::Relaxed);
    }

    pub(super) fn note_copied(&self, bytes: u64) {
        self.copied.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn note_reused(&self, bytes: u64) {
        self.reused.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Fails if the backup was told to stop.
    pub(super) fn check(&self) -> Result<()> {
        match self.is_stopped() {
            // RocksDB's text.
            true => Err(Error::new(Code::Incomplete, "Backup stopped")),
            false => Ok(()),
        }
    }
}
