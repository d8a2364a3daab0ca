//! Watches the tombstones in a table that is being written. If they are dense, the table is marked for compaction, so
//! that scans do not have to step over them for long.
//!
//! The window of keys is a ring of 128 buckets, so it moves by a 128th of its size.

use crate::options::CompactOnDeletion;

const BUCKETS: usize = 128;

/// The state of one [`CompactOnDeletion`] for one table.
#[derive(Debug)]
pub(super) struct DeletionWatch {
    settings: CompactOnDeletion,
    /// Tombstones per bucket.
    buckets: [usize; BUCKETS],
    /// The number of keys per bucket; 0 means that there is no window.
    bucket_size: usize,
    bucket: usize,
    /// Keys in the newest bucket.
    in_bucket: usize,
    /// The current and the largest number of tombstones in the window.
    in_window: usize,
    in_window_max: usize,
    entries: u64,
    deletions: u64,
    file_size: u64,
    asks: bool,
}

impl DeletionWatch {
    /// Creates the state before the first entry.
    pub(super) fn new(settings: &CompactOnDeletion) -> DeletionWatch {
        DeletionWatch {
            settings: *settings,
            buckets: [0; BUCKETS],
            bucket_size: settings.window_size.div_ceil(BUCKETS),
            bucket: 0,
            in_bucket: 0,
            in_window: 0,
            in_window_max: 0,
            entries: 0,
            deletions: 0,
            file_size: 0,
            asks: false,
        }
    }

    /// Adds an entry of a table that has `file_size` bytes so far.
    pub(super) fn add(&mut self, is_deletion: bool, file_size: u64) {
        self.entries += 1;
        self.deletions += u64::from(is_deletion);
        self.file_size = file_size;
        if self.asks || self.bucket_size == 0 {
            return;
        }
        if self.in_bucket == self.bucket_size {
            self.bucket = (self.bucket + 1) % BUCKETS;
            self.in_window -= std::mem::take(&mut self.buckets[self.bucket]);
            self.in_bucket = 0;
        }
        self.in_bucket += 1;
        self.buckets[self.bucket] += usize::from(is_deletion);
        self.in_window += usize::from(is_deletion);
        self.in_window_max = self.in_window_max.max(self.in_window);
        let dense = self.in_window_max >= self.settings.deletion_trigger;
        self.asks = dense && file_size >= self.settings.min_file_size;
    }

    /// Returns whether the table should be marked for compaction.
    pub(super) fn asks(&self) -> bool {
        let ratio = self.settings.deletion_ratio;
        let counts = ratio > 0.0 && ratio <= 1.0 && self.entries > 0;
        let dense = self.deletions as f64 / self.entries.max(1) as f64 >= ratio;
        self.asks || (counts && dense && self.file_size >= self.settings.min_file_size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(window_size: usize, deletion_trigger: usize, deletion_ratio: f64) -> DeletionWatch {
        let settings =
            CompactOnDeletion { window_size, deletion_trigger, deletion_ratio, min_file_size: 50 };
        DeletionWatch::new(&settings)
    }

    fn asks(mut watch: DeletionWatch, entries: &str, file_size: u64) -> bool {
        entries.chars().for_each(|c| watch.add(c == 'd', file_size));
        watch.asks()
    }

    #[test]
    fn tombstones_are_counted_within_the_window() {
        let dense = "p".repeat(300) + &"d".repeat(20) + &"p".repeat(300);
        assert!(asks(watch(128, 20, 0.0), &dense, 100));
        assert!(!asks(watch(128, 21, 0.0), &dense, 100));
        assert!(!asks(watch(128, 20, 0.0), &dense, 49), "too small");
        assert!(!asks(watch(0, 20, 0.0), &dense, 100), "switched off");
        let spread = "dppppppppp".repeat(40);
        assert!(!asks(watch(128, 20, 0.0), &spread, 100));
        assert!(asks(watch(256, 20, 0.0), &spread, 100));
    }

    #[test]
    fn so_is_their_share_of_the_table() {
        let half = "dp".repeat(10);
        assert!(asks(watch(0, 0, 0.5), &half, 100));
        assert!(!asks(watch(0, 0, 0.51), &half, 100));
        assert!(!asks(watch(0, 0, 0.5), &half, 49));
        assert!(!asks(watch(0, 0, 1.5), &"d".repeat(9), 100), "not a share");
        assert!(!asks(watch(0, 0, 0.5), "", 100));
    }
}
