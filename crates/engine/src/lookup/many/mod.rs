//! Lookups of many keys at one point in time.
//!
//! Keys are looked up in groups. As in a single lookup, places are searched from the newest to the oldest. Each place
//! is searched for all keys of a group before the next place, and in stages, so that the cache misses of the keys
//! overlap.

mod group;
mod stages;
mod together;

#[cfg(test)]
#[path = "many_test.rs"]
mod tests;

use super::modes::{has_limits, within_limits};
use super::observe::{Call, Observable, Observe, Unobserved, Values, observed};
use super::one::pinned;
use super::{Host, Lookup, skips_memtables};
use crate::base::perf;
use crate::env::epoch::Guard;
use crate::error::Result;
use crate::options::ReadOptions;
use crate::session::ColumnFamilyData;

/// Returns the values of many keys at one point in time.
pub(crate) fn multi_get<H: Host, K: AsRef<[u8]>>(
    host: &H,
    family: &ColumnFamilyData,
    ro: &ReadOptions,
    keys: &[K],
) -> Values {
    observed(host.statistics(), Call::MultiGet, MultiGet { host, family, ro, keys })
}

/// Passes the position and the value of each key that has one to `give`, in any order, all from one state. Small values
/// are not copied. `give` must not use the database, because the lookup is pinned.
pub(crate) fn multi_get_with<H: Host, K: AsRef<[u8]>>(
    host: &H,
    family: &ColumnFamilyData,
    ro: &ReadOptions,
    keys: &[K],
    give: &mut dyn FnMut(usize, &[u8]),
) -> Result<()> {
    let is_plain = keys.len() >= 2
        && host.statistics().is_none()
        && !has_limits(ro)
        && !perf::is_used()
        && !skips_memtables(host, ro);
    if is_plain {
        return pinned(host, family, ro, &Unobserved, |lookup, guard| {
            group::give(lookup, keys, guard, give)
        });
    }
    for (at, value) in multi_get(host, family, ro, keys).into_iter().enumerate() {
        if let Some(value) = value? {
            give(at, &value);
        }
    }
    Ok(())
}

struct MultiGet<'a, H, K> {
    host: &'a H,
    family: &'a ColumnFamilyData,
    ro: &'a ReadOptions,
    keys: &'a [K],
}

impl<H: Host, K: AsRef<[u8]>> Observable for MultiGet<'_, H, K> {
    type Output = Values;

    fn run<O: Observe>(self, observer: &O) -> Values {
        let values = pinned(self.host, self.family, self.ro, observer, |lookup, guard| {
            let values = look_up(lookup, self.keys, guard, observer);
            observer.got_many(&values);
            Ok(values)
        });
        values.unwrap_or_else(|e| self.keys.iter().map(|_| Err(e.clone())).collect())
    }
}

/// Looks up keys in groups where possible. If there are limits, or if the perf context counts, keys are looked up one
/// by one.
fn look_up<K: AsRef<[u8]>, O: Observe>(
    lookup: &Lookup<'_>,
    keys: &[K],
    guard: &Guard,
    observer: &O,
) -> Values {
    if keys.len() < 2 || lookup.files_only || has_limits(lookup.ro) || perf::is_used() {
        return within_limits(lookup.ro, keys, |key| lookup.value(key.as_ref(), observer));
    }
    group::look_up(lookup, keys, guard, observer)
}
