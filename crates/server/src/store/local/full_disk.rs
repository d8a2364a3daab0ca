//! Whether writes are refused because the disk is full.
//!
//! A refused write says so for a few seconds, and for longer while little space is free: without requests, which load
//! balancers send elsewhere meanwhile, no write shows the state. Small writes may succeed between refused ones, so a
//! write that succeeds changes nothing.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// For how long a refused write counts, whatever space is free.
const RECENT: Duration = Duration::from_secs(5);
/// The free bytes from which on a full disk is regarded as usable again.
const USABLE: u64 = 16 << 20;

/// What is known of the disk.
pub(super) struct FullDisk {
    opened: Instant,
    /// When a write was refused last, in milliseconds since the opening, plus one; 0 means never or not any more.
    refused: AtomicU64,
}

impl FullDisk {
    /// Returns the state of a disk on which no write was refused.
    pub(super) fn new() -> FullDisk {
        FullDisk { opened: Instant::now(), refused: AtomicU64::new(0) }
    }

    fn now(&self) -> u64 {
        self.opened.elapsed().as_millis() as u64 + 1
    }

    /// Notes a refused write.
    #[cold]
    pub(super) fn note_refused(&self) {
        self.refused.store(self.now(), Ordering::Relaxed);
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
        // Unless another write was refused meanwhile.
        _ = self.refused.compare_exchange(refused, 0, Ordering::Relaxed, Ordering::Relaxed);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_full_from_a_refused_write_until_space_is_free() {
        let now = Instant::now();
        let Some(opened) = now.checked_sub(RECENT * 3) else { return };
        let disk = FullDisk { opened, refused: AtomicU64::new(0) };
        assert!(!disk.is_full_with(|| Some(0)), "little space alone is no refused write");
        disk.note_refused();
        assert!(disk.is_full_with(|| Some(1 << 40)), "just now");
        disk.refused.store(RECENT.as_millis() as u64, Ordering::Relaxed);
        assert!(disk.is_full_with(|| Some(USABLE - 1)));
        assert!(!disk.is_full_with(|| Some(USABLE)));
        assert!(!disk.is_full_with(|| Some(0)), "forgotten");
        disk.refused.store(1, Ordering::Relaxed);
        assert!(!disk.is_full_with(|| None));
    }
}
