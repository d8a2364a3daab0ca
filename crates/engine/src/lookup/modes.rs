//! Less common read options: those that are refused, and limits on time and size.

use crate::base::PinnedValue;
use crate::budget::{IoPriority, reads_at};
use crate::error::{Code, Error, Result};
use crate::options::{ReadOptions, ReadTier};
use crate::session::ColumnFamilyData;
use crate::sst::BlockAccess;

/// Refuses timestamps, because no comparator supports them.
#[inline]
pub(super) fn check_timestamps(family: &ColumnFamilyData, ro: &ReadOptions) -> Result<()> {
    if ro.timestamp.is_none() && ro.iter_start_ts.is_none() {
        return Ok(());
    }
    Err(without_timestamps(family))
}

#[cold]
fn without_timestamps(family: &ColumnFamilyData) -> Error {
    Error::invalid_argument(format!(
        "cannot call this method on column family {} that does not enable timestamp",
        family.name
    ))
}

/// Refuses options that iterators do not support.
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

/// Charges this thread's reads to the rate limiter until the result is dropped, if the options request it.
#[inline]
pub(super) fn charged(ro: &ReadOptions) -> Option<impl Drop + use<>> {
    let priority = ro.rate_limiter_priority;
    (priority != IoPriority::Total).then(|| reads_at(priority))
}

/// Returns whether a lookup of many keys may wait for several blocks at once. The rate limiter charges reads to the
/// thread that looks up, so with it that thread reads alone.
#[inline]
pub(super) fn reads_together(ro: &ReadOptions) -> bool {
    ro.read_tier == ReadTier::All && ro.rate_limiter_priority == IoPriority::Total
}

/// Returns whether a lookup of many keys may stop before the last key.
#[inline]
pub(super) fn has_limits(ro: &ReadOptions) -> bool {
    ro.deadline_us != 0 || ro.value_size_soft_limit != u64::MAX
}

/// Looks up one key after the other until the deadline passes or the values exceed the size limit. The remaining keys
/// get errors.
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
