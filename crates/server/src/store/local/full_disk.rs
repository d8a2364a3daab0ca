//! Whether writes are refused because the disk is full.
//!
//! A refused write says so for a few seconds, and for longer while little space is free: without requests, which load
//! balancers send elsewhere meanwhile, no write shows the state. Small writes may succeed between refused ones, so a
//! write that succeeds changes nothing by itself.
//!
//! The log gets a line when writes begin to be refused, once a minute while they are, and when there is space again.

use parking_lot::Mutex;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tracing::{error, info};

/// For how long a refused write counts, whatever space is free.
const RECENT: Duration = Duration::from_secs(5);
/// The free bytes from which on a full disk is regarded as usable again.
const USABLE: u64 = 16 << 20;
/// How long a full disk is not reported again.
const SILENCE: Duration = Duration::from_secs(60);

/// What is known of the disk.
pub(super) struct FullDisk {
    opened: Instant,
    /// When a write was refused last, in milliseconds since the opening, plus one; 0 means never or not any more.
    refused: AtomicU64,
    /// When a successful write last made this look for free space, in the same unit.
    looked: AtomicU64,
    /// What the log tells of a full disk.
    told: Mutex<Option<Told>>,
}

struct Told {
    began: Instant,
    reported: Instant,
}

impl FullDisk {
    /// Returns the state of a disk on which no write was refused.
    pub(super) fn new() -> FullDisk {
        let (refused, looked) = (AtomicU64::new(0), AtomicU64::new(0));
        FullDisk { opened: Instant::now(), refused, looked, told: Mutex::new(None) }
    }

    fn now(&self) -> u64 {
        self.opened.elapsed().as_millis() as u64 + 1
    }

    /// Notes a write to this directory that failed or succeeded.
    #[inline]
    pub(super) fn note(&self, directory: &Path, result: &ferrolith::Result<()>) {
        match result {
            Ok(()) if self.refused.load(Ordering::Relaxed) == 0 => {}
            Ok(()) => self.note_success(directory),
            Err(error) if error.is_no_space() => self.note_refused(error),
            Err(_) => {}
        }
    }

    #[cold]
    fn note_refused(&self, error: &ferrolith::Error) {
        // Under the lock, so that what the log tells is what `/health` shows.
        let mut told = self.told.lock();
        self.refused.store(self.now(), Ordering::Relaxed);
        let now = Instant::now();
        if told.as_ref().is_none_or(|told| now - told.reported >= SILENCE) {
            let began = told.as_ref().map_or(now, |told| told.began);
            *told = Some(Told { began, reported: now });
            error!(target: "ferrolith::disk", %error, "the device is full: writes are refused");
        }
    }

    /// Looks for free space, at most once a second.
    #[cold]
    fn note_success(&self, directory: &Path) {
        let (now, looked) = (self.now(), self.looked.load(Ordering::Relaxed));
        if now >= looked + 1000
            && self
                .looked
                .compare_exchange(looked, now, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
        {
            self.is_full(directory);
        }
    }

    /// Returns whether the disk of this directory is full.
    pub(super) fn is_full(&self, directory: &Path) -> bool {
        self.is_full_with(|| {
            let stat = rustix::fs::statvfs(directory).ok()?;
            Some(stat.f_bavail.saturating_mul(stat.f_frsize))
        })
    }

    fn is_full_with(&self, free_bytes: impl FnOnce() -> Option<u64>) -> bool {
        let refused = self.refused.load(Ordering::Relaxed);
        if refused == 0 {
            return false;
        }
        let is_recent = self.now() - refused < RECENT.as_millis() as u64;
        // A system that does not tell has a disk that is usable until the next refused write.
        if is_recent || free_bytes().is_some_and(|free| free < USABLE) {
            return true;
        }
        let mut told = self.told.lock();
        match self.refused.compare_exchange(refused, 0, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => {
                if let Some(Told { began, .. }) = told.take() {
                    let seconds = began.elapsed().as_secs();
                    info!(target: "ferrolith::disk", seconds, "the device has space again: writes succeed");
                }
                false
            }
            // Another write was refused meanwhile, or another thread has found space.
            Err(refused) => refused != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_full_from_a_refused_write_until_space_is_free() {
        let now = Instant::now();
        let error = ferrolith::Error::io("write", std::io::ErrorKind::StorageFull.into());
        let Some(opened) = now.checked_sub(RECENT * 3) else { return };
        let disk = FullDisk { opened, ..FullDisk::new() };
        assert!(!disk.is_full_with(|| Some(0)), "little space alone is no refused write");
        disk.note_refused(&error);
        assert!(disk.is_full_with(|| Some(1 << 40)), "just now");
        disk.refused.store(RECENT.as_millis() as u64, Ordering::Relaxed);
        assert!(disk.is_full_with(|| Some(USABLE - 1)));
        assert!(!disk.is_full_with(|| Some(USABLE)));
        assert!(!disk.is_full_with(|| Some(0)), "forgotten");
        disk.refused.store(1, Ordering::Relaxed);
        assert!(!disk.is_full_with(|| None));
        // A write is refused while this looks for space.
        disk.refused.store(1, Ordering::Relaxed);
        let refuse = || {
            disk.note_refused(&error);
            Some(1 << 40)
        };
        assert!(disk.is_full_with(refuse) && disk.told.lock().is_some());
    }
}
