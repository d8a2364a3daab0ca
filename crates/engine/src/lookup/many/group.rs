//! Groups of keys, and the memory for their values.
//!
//! The state of each key of a group is on the stack, and small values share one allocation: one allocation per value
//! took a sixth of a lookup's time.

use super::super::Lookup;
use super::super::observe::{Observe, Unobserved, Values};
use super::stages::{GROUP, Levels};
use crate::base::pinned::PinnedBytes;
use crate::base::{LookupKey, PinnedValue};
use crate::env::epoch::Guard;
use crate::error::Result;
use crate::iter::{GetContext, Outcome};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// One item per key of a group.
type Group<T> = SmallVec<[T; GROUP]>;

/// Values up to this many bytes share memory, which is freed when the last of them is dropped.
const SHARED_MAX: usize = 512;

/// Looks up keys, group by group.
pub(super) fn look_up<K: AsRef<[u8]>, O: Observe>(
    lookup: &Lookup<'_>,
    keys: &[K],
    guard: &Guard,
    observer: &O,
) -> Values {
    let mut results = Vec::with_capacity(keys.len());
    let mut bytes = Vec::new();
    for group in keys.chunks(GROUP) {
        let group: Group<&[u8]> = group.iter().map(AsRef::as_ref).collect();
        let group: Group<LookupKey<'_>> = LookupKey::many(&group, lookup.seq, &mut bytes).collect();
        look_up_group(lookup, &group, guard, observer, &mut results);
    }
    results
}

#[inline(never)]
fn look_up_group<O: Observe>(
    lookup: &Lookup<'_>,
    keys: &[LookupKey<'_>],
    guard: &Guard,
    observer: &O,
    results: &mut Values,
) {
    let small = SmallValues { num_keys: keys.len(), bytes: RefCell::default() };
    let places: Group<Cell<CopiedTo>> = keys.iter().map(|_| Cell::default()).collect();
    let mut receivers: Group<_> = places.iter().map(|place| small.receiver(place)).collect();
    let contexts = keys.iter().zip(&mut receivers);
    let contexts =
        contexts.map(|(key, receiver)| lookup.context(key, observer).with_receiver(receiver));
    let mut contexts: Group<GetContext<'_>> = contexts.collect();
    let mut levels: Levels = [None; GROUP];
    search_memtables(lookup, keys, &mut contexts, observer);
    lookup.search_files(keys, &mut contexts, guard, observer, &mut levels);
    let small: Arc<dyn PinnedBytes> = Arc::new(GroupValues(small.bytes.take()));
    for (i, (context, place)) in contexts.into_iter().zip(&places).enumerate() {
        let outcome = context.outcome().map_err(|e| e.in_family(&lookup.family.name));
        let value = outcome.map(|outcome| match outcome {
            Outcome::Missing => None,
            Outcome::Kept(value) => Some(value),
            Outcome::Received => Some(match place.take() {
                CopiedTo::Own(value) => PinnedValue::owned(value),
                CopiedTo::Group { start, end } => {
                    PinnedValue::shared(Arc::clone(&small), start as usize..end as usize)
                }
            }),
        });
        if O::OBSERVES
            && let (Some(level), Ok(Some(_))) = (levels[i], &value)
        {
            observer.found_in_level(level.into());
        }
        results.push(value);
    }
}

/// A function that receives the position and the value of a key.
pub(super) type Give<'g> = &'g mut dyn FnMut(usize, &[u8]);

/// Passes the position and the value of each key that has one to `give`, in any order and in place if it is small.
pub(super) fn give<K: AsRef<[u8]>>(
    lookup: &Lookup<'_>,
    keys: &[K],
    guard: &Guard,
    give: Give<'_>,
) -> Result<()> {
    let mut bytes = Vec::new();
    let give = RefCell::new(give);
    for (nth, group) in keys.chunks(GROUP).enumerate() {
        let group: Group<&[u8]> = group.iter().map(AsRef::as_ref).collect();
        let group: Group<LookupKey<'_>> = LookupKey::many(&group, lookup.seq, &mut bytes).collect();
        give_group(lookup, &group, guard, nth * GROUP, &give)?;
    }
    Ok(())
}

#[inline(never)]
fn give_group(
    lookup: &Lookup<'_>,
    keys: &[LookupKey<'_>],
    guard: &Guard,
    first: usize,
    give: &RefCell<Give<'_>>,
) -> Result<()> {
    let receivers = (first..).take(keys.len());
    let mut receivers: Group<_> =
        receivers.map(|at| move |value: &[u8]| give.borrow_mut()(at, value)).collect();
    let mut contexts: Group<GetContext<'_>> = Group::new();
    for (key, receiver) in keys.iter().zip(&mut receivers) {
        contexts.push(lookup.context(key, &Unobserved).with_receiver(receiver));
    }
    search_memtables(lookup, keys, &mut contexts, &Unobserved);
    if contexts.iter().any(|context| !context.is_done()) {
        lookup.search_files(keys, &mut contexts, guard, &Unobserved, &mut [None; GROUP]);
    }
    for (at, context) in (first..).zip(contexts) {
        match context.outcome().map_err(|e| e.in_family(&lookup.family.name))? {
            Outcome::Missing | Outcome::Received => {}
            Outcome::Kept(value) => give.borrow_mut()(at, &value),
        }
    }
    Ok(())
}

/// Searches each memtable for all keys before the next memtable.
fn search_memtables<O: Observe>(
    lookup: &Lookup<'_>,
    keys: &[LookupKey<'_>],
    contexts: &mut [GetContext<'_>],
    observer: &O,
) {
    for mem in std::iter::once(&lookup.sv.mem).chain(&lookup.sv.immutables) {
        mem.get_many(keys, contexts);
    }
    if O::OBSERVES {
        contexts.iter().for_each(|ctx| observer.left_memtables(ctx.is_done() && ctx.has_seen()));
    }
}

/// The location of a copied value.
enum CopiedTo {
    Group { start: u32, end: u32 },
    Own(Vec<u8>),
}

impl Default for CopiedTo {
    fn default() -> CopiedTo {
        CopiedTo::Group { start: 0, end: 0 }
    }
}

/// Collects the small values of a group during the lookup.
struct SmallValues {
    num_keys: usize,
    bytes: RefCell<Vec<u8>>,
}

impl SmallValues {
    /// Returns the receiver for the value of one key. It records where it has copied the value.
    #[inline]
    fn receiver(&self, place: &Cell<CopiedTo>) -> impl FnMut(&[u8]) {
        |value| {
            if value.len() > SHARED_MAX {
                place.set(CopiedTo::Own(value.to_vec()));
                return;
            }
            let mut bytes = self.bytes.borrow_mut();
            if bytes.is_empty() {
                // Most values are as long as the first one.
                bytes.reserve(value.len() * self.num_keys);
            }
            let start = bytes.len() as u32;
            bytes.extend_from_slice(value);
            place.set(CopiedTo::Group { start, end: bytes.len() as u32 });
        }
    }
}

/// The collected small values of a group.
struct GroupValues(Vec<u8>);

impl PinnedBytes for GroupValues {
    fn bytes(&self) -> &[u8] {
        &self.0
    }
}
