//! Values of many keys: keys are looked up in groups, those of a group at the same time.
//!
//! What there is of each key of a group lies on the stack, and its small values lie in one piece of memory:
//! an allocation for each of them was a sixth of a lookup.

use super::get::{context, look_up};
use super::read_modes::{has_limits, within_limits};
use crate::base::perf;
use crate::base::pinned::PinnedBytes;
use crate::base::{LookupKey, PinnedValue, SeqNo};
use crate::env::epoch::Guard;
use crate::error::Result;
use crate::iter::{GetContext, Outcome};
use crate::options::ReadOptions;
use crate::read::SuperVersion;
use crate::session::ColumnFamilyData;
use crate::version::GROUP;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// Something of each key of a group.
type Group<T> = SmallVec<[T; GROUP]>;

/// Values up to so many bytes share memory, which lives as long as one of them.
const SHARED_MAX: usize = 512;

/// The newest values of keys that are visible at `seq`.
pub(super) fn look_up_in_groups<K: AsRef<[u8]>>(
    family: &ColumnFamilyData,
    sv: &SuperVersion,
    ro: &ReadOptions,
    keys: &[K],
    seq: SeqNo,
    guard: &Guard,
) -> Vec<Result<Option<PinnedValue>>> {
    // What is counted is counted key by key, and so are limits.
    if keys.len() < 2 || has_limits(ro) || perf::is_used() {
        return within_limits(ro, keys, |key| look_up(family, sv, ro, key.as_ref(), seq));
    }
    let mut results = Vec::with_capacity(keys.len());
    let mut bytes = Vec::new();
    for group in keys.chunks(GROUP) {
        let group: Group<&[u8]> = group.iter().map(AsRef::as_ref).collect();
        let group: Group<LookupKey<'_>> = LookupKey::many(&group, seq, &mut bytes).collect();
        look_up_group(family, sv, ro, &group, guard, &mut results);
    }
    results
}

fn look_up_group(
    family: &ColumnFamilyData,
    sv: &SuperVersion,
    ro: &ReadOptions,
    keys: &[LookupKey<'_>],
    guard: &Guard,
    results: &mut Vec<Result<Option<PinnedValue>>>,
) {
    let small = SmallValues { num_keys: keys.len(), bytes: RefCell::default() };
    let places: Group<Cell<Place>> = keys.iter().map(|_| Cell::default()).collect();
    let mut receivers: Group<_> = places.iter().map(|place| small.receiver(place)).collect();
    let contexts = keys.iter().zip(&mut receivers);
    let contexts = contexts.map(|(key, receiver)| context(family, ro, key).with_receiver(receiver));
    let mut contexts: Group<GetContext<'_>> = contexts.collect();
    sv.get_many(keys, ro, &mut contexts, &family.tables, guard);
    let small: Arc<dyn PinnedBytes> = Arc::new(Shared(small.bytes.take()));
    for (context, place) in contexts.into_iter().zip(&places) {
        results.push(context.outcome().map(|outcome| match outcome {
            Outcome::Missing => None,
            Outcome::Kept(value) => Some(value),
            Outcome::Received => Some(match place.take() {
                Place::Own(value) => PinnedValue::owned(value),
                Place::Shared { start, end } => {
                    PinnedValue::shared(Arc::clone(&small), start as usize..end as usize)
                }
            }),
        }));
    }
}

/// Where a value was copied to.
enum Place {
    Shared { start: u32, end: u32 },
    Own(Vec<u8>),
}

impl Default for Place {
    fn default() -> Place {
        Place::Shared { start: 0, end: 0 }
    }
}

/// The small values of a group while they are found.
struct SmallValues {
    num_keys: usize,
    bytes: RefCell<Vec<u8>>,
}

impl SmallValues {
    /// What takes the value of one key, and notes its place.
    #[inline]
    fn receiver(&self, place: &Cell<Place>) -> impl FnMut(&[u8]) {
        |value| {
            if value.len() > SHARED_MAX {
                place.set(Place::Own(value.to_vec()));
                return;
            }
            let mut bytes = self.bytes.borrow_mut();
            if bytes.is_empty() {
                // Values are mostly as long as the first one.
                bytes.reserve(value.len() * self.num_keys);
            }
            let start = bytes.len() as u32;
            bytes.extend_from_slice(value);
            place.set(Place::Shared { start, end: bytes.len() as u32 });
        }
    }
}

/// The small values of a group.
struct Shared(Vec<u8>);

impl PinnedBytes for Shared {
    fn bytes(&self) -> &[u8] {
        &self.0
    }
}
