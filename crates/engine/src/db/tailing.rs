//! Tailing iterators, which follow writers.

use super::iterator::DbIterator;
use std::sync::Arc;

/// A tailing iterator reads the newest data at each seek and each step forward. RocksDB's tailing iterators cannot go
/// backward; this one can.
impl DbIterator {
    /// Brings a tailing iterator up to date. Returns false if that failed.
    #[inline]
    fn follow(&mut self) -> bool {
        !self.options.tailing || self.follow_writers()
    }

    fn follow_writers(&mut self) -> bool {
        let now = self.family().hold_super_version();
        // Load this before the check for tombstones: later tombstones are newer.
        let newest = self.shared.core.catalog.order().visible();
        let is_same = match (&now, &self.followed) {
            // The iterator collected range tombstones when it was created, so it can be kept only if there are none.
            (Some(now), Some(followed)) => {
                Arc::ptr_eq(now, followed) && !now.has_range_tombstones(&self.family().tables)
            }
            _ => false,
        };
        if is_same {
            (**self).set_sequence(newest);
        } else if let Err(e) = self.refresh() {
            (**self).fail(e);
            return false;
        } else {
            self.followed = now;
        }
        true
    }

    /// Moves to the next key. Does nothing if the iterator is invalid.
    #[inline]
    pub fn next(&mut self) {
        if self.options.tailing && self.valid() {
            self.next_of_newest();
        } else {
            (**self).next();
        }
    }

    /// Moves to the next key in the newest data.
    #[cold]
    fn next_of_newest(&mut self) {
        let key = self.key().to_vec();
        if self.follow() {
            (**self).seek(&key);
            if self.valid() && self.family().order.equal_user(self.key(), &key) {
                (**self).next();
            }
        }
    }

    /// Moves to the first key within bounds.
    pub fn seek_to_first(&mut self) {
        if self.follow() {
            (**self).seek_to_first();
        }
    }

    /// Moves to the last key within bounds.
    pub fn seek_to_last(&mut self) {
        if self.follow() {
            (**self).seek_to_last();
        }
    }

    /// Moves to the first key `>= target` within bounds.
    pub fn seek(&mut self, target: &[u8]) {
        if self.follow() {
            (**self).seek(target);
        }
    }

    /// Moves to the last key `<= target` within bounds.
    pub fn seek_for_prev(&mut self, target: &[u8]) {
        if self.follow() {
            (**self).seek_for_prev(target);
        }
    }
}
