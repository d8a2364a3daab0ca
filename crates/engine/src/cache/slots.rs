//! The slots of one table: an array of its cached objects.
//!
//! A slot is an atomic pointer that owns one reference to its object. It differs from [`epoch::EpochCell`] in one
//! point: it returns the old object, so that the caller can retire it after releasing the shard's lock. Retiring may
//! free any retired object, for example a table, whose drop empties its slots and needs the shards' locks.
//!
//! Unsafe code turns a slot's pointer into a Rust reference bound to a guard, or into its counted reference. Invariant
//! **S1**: a pointer in a slot comes from `Held::into_raw`; after the pointer was removed, its counted reference is
//! retired, never dropped. The stress test in `cache_test.rs` exercises this.

#![allow(unsafe_code)]

use super::{
    Anonymous, Cache, Forget, Held, Node, Owner, OwnerBox, PATIENCE, PageSet, Spares, Verdict,
};
use crate::base::prefetch::{prefetch, prefetch_bytes};
use crate::env::epoch::{self, Guard};
use crate::env::sync::std_atomic::{AtomicPtr, AtomicUsize, Ordering};
use crate::error::Result;
use std::ptr::NonNull;
use std::sync::Arc;

struct Slot<T>(AtomicPtr<Node<T>>);

impl<T> Slot<T> {
    #[inline]
    fn load<'g>(&self, _guard: &'g Guard) -> Option<&'g Node<T>> {
        // SAFETY: by S1 the object had a reference when the pointer was loaded, and the guard keeps
        // retired objects alive.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    fn hold(&self) -> Option<Held<T>> {
        let _guard = epoch::pin();
        let node = NonNull::new(self.0.load(Ordering::Acquire))?;
        // The count and the object's data are on different lines.
        prefetch_bytes(node.as_ptr().cast(), size_of::<Node<T>>());
        // SAFETY: by S1 and the guard the object is alive.
        Some(unsafe { Held::of_raw(node) })
    }

    fn is_empty(&self) -> bool {
        self.0.load(Ordering::Relaxed).is_null()
    }

    /// Puts an object into an empty slot. The shard is locked, so that it stays empty until then.
    fn fill(&self, node: &Held<T>) {
        let before = self.0.swap(node.clone().into_raw(), Ordering::AcqRel);
        debug_assert!(before.is_null(), "a slot is filled twice");
    }

    /// Empties the slot. The caller retires the object (S1).
    fn take(&self) -> Option<Held<T>> {
        let node = NonNull::new(self.0.swap(std::ptr::null_mut(), Ordering::AcqRel))?;
        // SAFETY: by S1 the pointer owns a count, which passes to the result.
        Some(unsafe { Held::from_raw(node) })
    }
}

impl<T> Drop for Slot<T> {
    fn drop(&mut self) {
        // Ring entries hold references to the cells, so the cells are dropped only after all slots
        // were emptied.
        debug_assert!(self.0.get_mut().is_null(), "an occupied slot is dropped");
    }
}

/// The objects of a table that is closed are retired in groups of so many.
const CLEARED_TOGETHER: usize = 64;

/// A salt that distributes the slots of different tables over the shards.
static NEXT_SALT: AtomicUsize = AtomicUsize::new(0);

/// A fixed number of slots, which belong to one table and one cache.
pub struct SlotArray<T: Send + Sync + 'static> {
    cells: Arc<[Slot<T>]>,
    /// The cells as the owner that ring entries refer to.
    owner: Arc<OwnerBox>,
    cache: Arc<Cache>,
    salt: usize,
}

/// The slots as the ring uses them.
struct Cells<T> {
    cells: Arc<[Slot<T>]>,
    spares: Arc<Spares>,
    handling: Option<Handling<T>>,
    salt: usize,
}

/// How a cache treats the memory of an object beyond the object itself.
pub struct Handling<T> {
    /// Clears an evicted object; returns whether its memory is worth keeping.
    pub recycle: fn(&mut T) -> bool,
    /// The object's largest piece of memory in the heap of blocks; empty if it has none there.
    pub memory: fn(&T) -> &[u8],
}

impl<T> Clone for Handling<T> {
    fn clone(&self) -> Handling<T> {
        *self
    }
}

impl<T> Copy for Handling<T> {}

impl<T: Send + Sync + 'static> SlotArray<T> {
    /// `n` empty slots.
    pub fn new(cache: Arc<Cache>, n: usize) -> Arc<SlotArray<T>> {
        SlotArray::with_recycling(cache, n, None)
    }

    /// Like [`SlotArray::new`], but keeps the memory of evicted objects for [`SlotArray::spare`].
    pub fn with_recycling(
        cache: Arc<Cache>,
        n: usize,
        handling: Option<Handling<T>>,
    ) -> Arc<SlotArray<T>> {
        let cells: Arc<[Slot<T>]> = (0..n).map(|_| Slot(AtomicPtr::default())).collect();
        let spares = Arc::clone(&cache.spares);
        let salt = NEXT_SALT.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9E37_79B9);
        let owner: OwnerBox = Box::new(Cells { cells: Arc::clone(&cells), spares, handling, salt });
        let owner = Arc::new(owner);
        Arc::new(SlotArray { cells, owner, cache, salt })
    }

    /// The object in a slot, valid as long as the reader is pinned.
    #[inline]
    pub fn load<'g>(&self, slot: usize, guard: &'g Guard) -> Option<&'g Node<T>> {
        self.cells.get(slot)?.load(guard)
    }

    /// Prefetches the line of a slot.
    #[inline]
    pub fn prefetch(&self, slot: usize) {
        prefetch(self.cells.as_ptr().wrapping_add(slot).cast());
    }

    /// A reference to the object in a slot. The object is not evicted while the reference exists.
    pub fn hold(&self, slot: usize) -> Option<Held<T>> {
        let node = self.cells.get(slot)?.hold()?;
        node.touch();
        Some(node)
    }

    /// Puts an object into a slot and charges the cache. If another thread was faster, its object
    /// stays and is returned. An object larger than the whole cache is returned without being
    /// cached, and likewise any object while too many evicted ones wait for readers, or if another
    /// thread keeps the shard locked for [`PATIENCE`].
    pub fn insert(&self, slot: usize, object: T, charge: usize) -> Result<Held<T>> {
        self.insert_node(slot, Held::new(object), charge)
    }

    /// An evicted object whose memory can be reused, preferably one that fits.
    pub fn spare(&self, suits: impl Fn(&T) -> bool) -> Option<Held<T>> {
        self.cache.spares.take(|node: &Held<T>| suits(node.object()))
    }

    /// Like [`SlotArray::insert`], for an object that already has a node but is in no cache.
    pub fn insert_node(&self, slot: usize, node: Held<T>, charge: usize) -> Result<Held<T>> {
        let cache = &*self.cache;
        let Some(cell) = self.cells.get(slot) else { return Ok(node) };
        let is_strict = cache.has_strict_capacity_limit();
        if charge > cache.budget() && !is_strict {
            return Ok(node);
        }
        if cache.turns_away(charge) {
            return Ok(node);
        }
        let is_full = cache.is_full_for(charge);
        let shard = self.shard_of(slot);
        let narrow = u32::try_from(charge).unwrap_or(u32::MAX);
        let charge = narrow as usize;
        if is_strict {
            // Without room the insert fails, so room is made first.
            cache.admit(charge, Some(shard))?;
        }
        let ring = match is_strict {
            true => Some(cache.shards[shard].lock()),
            false => cache.shards[shard].try_lock_for(PATIENCE),
        };
        let Some(mut ring) = ring else { return Ok(node) };
        if !cell.is_empty() {
            drop(ring);
            if is_strict {
                cache.release(charge);
            }
            return Ok(self.hold(slot).unwrap_or(node));
        }
        if is_full {
            cache.duel.count_miss(shard, cache.shards.len(), &mut ring.pending_misses);
        }
        let retirees = match is_strict {
            true => Vec::new(),
            false => cache.replace(&mut ring, shard, charge),
        };
        cell.fill(&node);
        let owner = Arc::clone(&self.owner);
        let position = ring.add(owner, slot as u32, narrow, cache.policy(shard));
        node.position.store(position, Ordering::Relaxed);
        drop(ring);
        cache.retire(retirees);
        cache.shrink(Some(shard));
        Ok(node)
    }

    /// Lets the object in a slot grow by `more` bytes, and increases its charge, unless another thread has locked the
    /// shard. `grow` gets the object that is there, and returns whether it has grown. Lookups of cached objects call
    /// this, and do not wait (see [`PATIENCE`]).
    pub fn try_grow(&self, slot: usize, more: usize, grow: impl FnOnce(&T) -> bool) {
        let guard = epoch::pin();
        let Some(mut ring) = self.cache.shards[self.shard_of(slot)].try_lock() else { return };
        let Some(node) = self.load(slot, &guard) else { return };
        if grow(node.object()) {
            let added = ring.add_charge(node.position.load(Ordering::Relaxed), more);
            self.cache.usage.fetch_add(added, Ordering::Relaxed);
        }
    }

    /// Whether [`SlotArray::try_grow`] would do nothing now.
    pub fn is_busy(&self, slot: usize) -> bool {
        self.cache.shards[self.shard_of(slot)].is_locked()
    }

    /// Empties all slots. The table must call it before it is dropped, because the ring holds
    /// references to the slots.
    pub fn clear(&self) {
        let (mut removed, mut bytes) = (Vec::new(), 0);
        for slot in 0..self.cells.len() {
            if self.cells[slot].is_empty() {
                continue;
            }
            let mut ring = self.cache.shards[self.shard_of(slot)].lock();
            let Some(node) = self.cells[slot].take() else { continue };
            let entry = ring.remove(node.position.load(Ordering::Relaxed));
            drop(ring);
            let charge = entry.map_or(0, |entry| entry.charge());
            self.cache.release(charge);
            removed.push(node);
            bytes += charge;
            if removed.len() == CLEARED_TOGETHER {
                self.cache.retire_counted(std::mem::take(&mut removed), std::mem::take(&mut bytes));
            }
        }
        self.cache.retire_counted(removed, bytes);
        // Objects that were set aside refer to files of their tables.
        self.cache.retire_aside();
    }

    /// The number of slots.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there are no slots.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    fn shard_of(&self, slot: usize) -> usize {
        (mixed(slot, self.salt) >> 32) & (self.cache.shards.len() - 1)
    }
}

/// A number whose upper half distributes slots of all tables evenly.
fn mixed(slot: usize, salt: usize) -> usize {
    slot.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(salt)
}

impl<T: Send + Sync + 'static> Owner for Cells<T> {
    fn judge(&self, slot: u32, forget: Forget) -> Verdict {
        let guard = epoch::pin();
        let node = self.cells.get(slot as usize).and_then(|cell| cell.load(&guard));
        match node {
            Some(node) if node.take_use(forget) => Verdict::Used,
            Some(node) if node.is_held() => Verdict::Held,
            _ => Verdict::Idle,
        }
    }

    fn identity(&self, slot: u32) -> u64 {
        // Other bits than those that choose the shard.
        let mixed = mixed(slot as usize, self.salt) as u64;
        let folded = (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        folded ^ (folded >> 32)
    }

    fn ask_slot(&self, slot: u32) {
        prefetch(self.cells.as_ptr().wrapping_add(slot as usize).cast());
    }

    fn ask_object(&self, slot: u32) {
        if let Some(Slot(object)) = self.cells.get(slot as usize) {
            prefetch(object.load(Ordering::Relaxed).cast_const().cast());
        }
    }

    fn is_held(&self, slot: u32) -> bool {
        let guard = epoch::pin();
        let node = self.cells.get(slot as usize).and_then(|cell| cell.load(&guard));
        node.is_some_and(Node::is_held)
    }

    fn lies_in(&self, slot: u32, pages: &PageSet) -> bool {
        let guard = epoch::pin();
        let node = self.cells.get(slot as usize).and_then(|cell| cell.load(&guard));
        node.is_some_and(|node| {
            let bytes = self.handling.map_or(&[][..], |handling| (handling.memory)(node.object()));
            !node.is_held()
                && (pages.has(std::ptr::from_ref(node).addr())
                    || (!bytes.is_empty() && pages.has(bytes.as_ptr().addr())))
        })
    }

    fn evict(&self, slot: u32) -> Option<Anonymous> {
        self.cells.get(slot as usize).and_then(Slot::take).map(|node| Box::new(node) as Anonymous)
    }

    fn bury(&self, object: Anonymous, bytes: usize) {
        let Some(Handling { recycle, .. }) = self.handling else { return };
        // Another thread may hold a reference; then its drop frees the object.
        if let Ok(mut node) = object.downcast::<Held<T>>()
            && node.get_mut().is_some_and(recycle)
        {
            self.spares.keep(node, bytes);
        }
    }
}
