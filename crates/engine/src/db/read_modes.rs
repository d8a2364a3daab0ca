//! What read options beyond the plain ones ask for: where to look, until when, and iterators that
//! follow writers.

use super::handles::DbIterator;
use super::state::DbInner;
use crate::base::PinnedValue;
use crate::error::{Code, Error, Result};
use crate::options::{ReadOptions, ReadTier};
use crate::session::ColumnFamilyData;
use crate::sst::BlockAccess;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Refuses timestamps: no comparator has them.
pub(super) fn check_timestamps(family: &ColumnFamilyData, ro: &ReadOptions) -> Result<()> {
    if ro.timestamp.is_none() && ro.iter_start_ts.is_none() {
        return Ok(());
    }
    Err(Error::invalid_argument(format!(
        "cannot call this method on column family {} that does not enable timestamp",
        family.name
    )))
}

/// Refuses what an iterator cannot do.
pub(super) fn check_iterator(family: &ColumnFamilyData, ro: &ReadOptions) -> Result<()> {
    if ro.read_tier == ReadTier::Persisted {
        let what = "ReadTier::kPersistedData is not yet supported in iterators.";
        return Err(Error::not_supported(what));
    }
    if ro.managed {
        return Err(Error::not_supported("Managed iterator is not supported anymore."));
    }
    check_timestamps(family, ro)
}

impl DbInner {
    /// Whether a lookup leaves memtables out, since a crash would lose what is in them.
    #[inline]
    pub(super) fn skips_memtables(&self, ro: &ReadOptions) -> bool {
        ro.read_tier == ReadTier::Persisted && self.unlogged_data.load(Ordering::Relaxed)
    }
}

/// Whether a lookup of many keys may end before the last one.
#[inline]
pub(super) fn has_limits(ro: &ReadOptions) -> bool {
    ro.deadline_us != 0 || ro.value_size_soft_limit != u64::MAX
}

/// Looks up one key after the other until the time is over or the values are too large; the rest
/// are errors.
pub(super) fn within_limits<K>(
    ro: &ReadOptions,
    keys: &[K],
    mut look_up: impl FnMut(&K) -> Result<Option<PinnedValue>>,
) -> Vec<Result<Option<PinnedValue>>> {
    if !has_limits(ro) {
        return keys.iter().map(look_up).collect();
    }
    let access = BlockAccess::of(ro);
    let mut size = 0u64;
    let one = |key: &K| {
        access.check_deadline()?;
        if size > ro.value_size_soft_limit {
            return Err(Error::new(Code::Aborted, ""));
        }
        let found = look_up(key)?;
        size = size.saturating_add(found.as_ref().map_or(0, |value| value.len() as u64));
        Ok(found)
    };
    keys.iter().map(one).collect()
}

/// A tailing iterator sees at each seek and each step forward what is newest then. RocksDB's cannot go
/// backward; this one can.
impl DbIterator {
    /// Brings a tailing iterator up to date; false if that failed.
    #[inline]
    fn follow(&mut self) -> bool {
        !self.options.tailing || self.follow_writers()
    }

    fn follow_writers(&mut self) -> bool {
        let now = self.family().hold_super_version();
        // Loaded before tombstones are looked for: later ones are newer.
        let newest = self.shared.inner.order.visible();
        let is_same = match (&now, &self.followed) {
            // What range tombstones hide was found out when the iterator was made.
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

    /// One key on. Does nothing where it is not valid.
    #[inline]
    pub fn next(&mut self) {
        if self.options.tailing && self.valid() {
            self.next_of_newest();
        } else {
            (**self).next();
        }
    }

    /// The key after this one, of what is newest now.
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

    /// Goes to the first key within bounds.
    pub fn seek_to_first(&mut self) {
        if self.follow() {
            (**self).seek_to_first();
        }
    }

    /// Goes to the last key within bounds.
    pub fn seek_to_last(&mut self) {
        if self.follow() {
            (**self).seek_to_last();
        }
    }

    /// Goes to the first key `>= target` within bounds.
    pub fn seek(&mut self, target: &[u8]) {
        if self.follow() {
            (**self).seek(target);
        }
    }

    /// Goes to the last key `<= target` within bounds.
    pub fn seek_for_prev(&mut self, target: &[u8]) {
        if self.follow() {
            (**self).seek_for_prev(target);
        }
    }
}
