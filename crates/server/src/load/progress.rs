//! How far a load is, as other threads see it, its rate, and the wish to stop it.

use crate::error::{Error, Result};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The longest pause without a look at the wish to stop.
const PAUSE: Duration = Duration::from_millis(50);

/// How far a load is. Files are checked first, and then loaded.
#[derive(Debug, Default)]
pub struct LoadProgress {
    stops: AtomicBool,
    /// 0 for any number.
    bytes_per_second: u64,
    begun: OnceLock<Instant>,
    to_check: AtomicU64,
    checked: AtomicU64,
    planned: AtomicU64,
    loaded: AtomicU64,
    files: AtomicU64,
    files_loaded: AtomicU64,
    rows: AtomicU64,
}

impl LoadProgress {
    /// Returns the progress of a load that reads at most so many bytes of its files per second; 0 means any number. A
    /// file of which digests are compared is read twice.
    pub fn with_rate(bytes_per_second: u64) -> LoadProgress {
        LoadProgress { bytes_per_second, ..LoadProgress::default() }
    }

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

    /// Waits while the load is ahead of its rate.
    ///
    /// # Errors
    ///
    /// The load is to end.
    pub(super) fn check(&self) -> Result<()> {
        let begun = self.begun.get_or_init(Instant::now);
        loop {
            if self.stops.load(Ordering::Relaxed) {
                return Err(Error::Setting("the load was stopped".to_owned()));
            }
            let wait = self.due().saturating_sub(begun.elapsed());
            if wait.is_zero() {
                return Ok(());
            }
            std::thread::sleep(wait.min(PAUSE));
        }
    }

    /// Returns how long the work so far takes at the rate, at least.
    fn due(&self) -> Duration {
        match self.bytes_per_second {
            0 => Duration::ZERO,
            rate => {
                let done = self.checked_bytes() + self.loaded_bytes();
                Duration::from_secs_f64(done as f64 / rate as f64)
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_ahead_of_its_rate_waits_until_it_is_stopped() {
        let progress = LoadProgress::with_rate(1000);
        progress.check().unwrap();
        progress.note_checked(100);
        progress.note_rows(1, 100);
        let before = Instant::now();
        progress.check().unwrap();
        assert!(before.elapsed() >= Duration::from_millis(150), "{:?}", before.elapsed());
        progress.note_rows(2, 1_000_000);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| progress.check());
            progress.stop();
            assert!(waiting.join().unwrap().is_err());
        });
    }
}
