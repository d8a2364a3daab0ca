//! The block cache: the memory budget of cached blocks, and the choice of blocks to evict.
//!
//! A cached object is stored in a *slot* of the table that read it ([`SlotArray`]), so a hit is one load under an epoch
//! pin, without a hash table, a lock or a reference count. The [`Cache`] owns the budget. It has one ring of occupied
//! slots per shard and runs the CLOCK algorithm on it: an object that was used since the hand's last visit gets another
//! round, and an object with references is skipped. Any other object is removed from its slot and freed when the last
//! pinned reader has left, or kept as a spare for the next object that needs its memory.
//!
//! Thread safety: all methods take `&self`. Locks: one shard at a time; code under a shard's lock takes no other lock
//! except the epoch's. The lock of the statistics is taken before a shard's.
//!
//! Invariants:
//! * **BC1** While a shard's lock is held, a slot of that shard is occupied if and only if the shard's ring has an
//!   entry for it.
//! * **BC2** `usage` is the sum of the charges of all ring entries, reservations and the statistics, plus those of
//!   inserts in progress.
//! * **BC3** With a strict limit, `usage` exceeds the capacity only briefly, while an insert determines that it does
//!   not fit.

mod entry_stats;
mod heap;
mod held;
mod slots;
mod spares;
mod stock;
mod vacate;

pub use entry_stats::CacheUser;
use entry_stats::Collector;
pub use heap::{Economy, Memory, census, release_empty_pages};
pub use held::{Held, Node};
pub use slots::{Handling, SlotArray};
use spares::{Anonymous, Spares};
use stock::OpenStock;
pub use stock::mapped_bytes;
pub use vacate::PageSet;

use crate::env::epoch;
use crate::env::sync::Mutex;
use crate::env::sync::std_atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::error::{Code, Error, Result, SubCode};
use std::fmt;
use std::sync::Arc;

/// The state of the object at the hand.
enum Verdict {
    /// There are references to the object.
    Held,
    /// The object was used since the last visit. This visit clears the mark.
    Used,
    /// The object may be evicted.
    Idle,
}

/// The slots of one table, as the ring uses them.
trait Owner: Send + Sync {
    /// Determines the state of the object in a slot.
    fn judge(&self, slot: u32) -> Verdict;
    /// Prefetches the line of a slot, which [`Owner::ask_object`] reads.
    fn ask_slot(&self, slot: u32);
    /// Prefetches the line of the object in a slot, which [`Owner::judge`] reads.
    fn ask_object(&self, slot: u32);
    /// Whether there are references to the object besides the cache's.
    fn is_held(&self, slot: u32) -> bool;
    /// Whether an object without references besides the cache's has memory in one of these pages.
    fn lies_in(&self, slot: u32, pages: &PageSet) -> bool;
    /// Empties a slot. The shard is locked; the object is retired after the lock is released.
    fn evict(&self, slot: u32) -> Option<Anonymous>;
    /// Disposes of an evicted object of about `bytes` bytes, which no pinned reader can access any
    /// more.
    fn bury(&self, object: Anonymous, bytes: usize);
}

/// An evicted object, until the last pinned reader has left.
struct Retiree {
    owner: Arc<OwnerBox>,
    object: Option<Anonymous>,
    bytes: usize,
}

impl Retiree {
    /// The object, which is then not kept as a spare.
    fn into_object(mut self) -> Option<Anonymous> {
        self.object.take()
    }
}

impl Drop for Retiree {
    fn drop(&mut self) {
        if let Some(object) = self.object.take() {
            self.owner.bury(object, self.bytes);
        }
    }
}

/// Boxed twice, so that the pointer to it is one word.
type OwnerBox = Box<dyn Owner>;

/// A ring entry, which is small because there is one for each cached block.
struct Entry {
    owner: Arc<OwnerBox>,
    slot: u32,
    charge: u32,
}

#[derive(Default)]
struct Ring {
    entries: Vec<Option<Entry>>,
    free: Vec<u32>,
    hand: usize,
}

impl Ring {
    fn add(&mut self, entry: Entry) -> u32 {
        match self.free.pop() {
            Some(at) => {
                self.entries[at as usize] = Some(entry);
                at
            }
            None => {
                self.entries.push(Some(entry));
                (self.entries.len() - 1) as u32
            }
        }
    }

    /// Removes and returns an entry.
    fn remove(&mut self, at: u32) -> Option<Entry> {
        let entry = self.entries.get_mut(at as usize)?.take()?;
        self.free.push(at);
        Some(entry)
    }

    /// Moves the hand until an object could be evicted or two rounds are done.
    fn evict_one(&mut self) -> Option<Retiree> {
        for _ in 0..2 * self.entries.len() {
            let at = self.hand;
            self.hand = if at + 1 < self.entries.len() { at + 1 } else { 0 };
            self.ask_before(at);
            let Some(Some(entry)) = self.entries.get(at) else { continue };
            if let Verdict::Idle = entry.owner.judge(entry.slot) {
                let object = entry.owner.evict(entry.slot);
                let Entry { owner, charge, .. } = self.remove(at as u32)?;
                return Some(Retiree { owner, object, bytes: charge as usize });
            }
        }
        None
    }

    /// Prefetches what the next visits read, since slots and objects are scattered in memory.
    #[inline]
    fn ask_before(&self, at: usize) {
        if let Some(Some(entry)) = self.entries.get(at + 2 * AHEAD) {
            entry.owner.ask_slot(entry.slot);
        }
        if let Some(Some(entry)) = self.entries.get(at + AHEAD) {
            entry.owner.ask_object(entry.slot);
        }
    }
}

/// The object of an entry is prefetched this many steps before the hand reaches it, and its slot twice as many.
const AHEAD: usize = 2;

/// RocksDB's name of its oldest cache.
const LRU: &str = "LRUCache";

/// A block cache, shared by tables, column families and databases.
pub struct Cache {
    name: &'static str,
    capacity: AtomicUsize,
    /// A second limit, which follows what other owners of memory leave to the cache.
    ceiling: AtomicUsize,
    strict: AtomicBool,
    usage: AtomicUsize,
    /// The part of the usage that is reserved.
    reserved: AtomicUsize,
    shards: Box<[Mutex<Ring>]>,
    collector: Mutex<Collector>,
    spares: Arc<Spares>,
    /// Keeps pages ready for this cache.
    _stock: OpenStock,
}

impl Cache {
    /// A cache under RocksDB's name `LRUCache`. Both names give the same CLOCK.
    pub fn new_lru(capacity: usize) -> Arc<Cache> {
        Cache::with_settings(LRU, capacity, default_shard_bits(capacity), false)
    }

    /// A cache under RocksDB's name `HyperClockCache`.
    pub fn new_hyper_clock(capacity: usize) -> Arc<Cache> {
        Cache::with_settings("HyperClockCache", capacity, default_shard_bits(capacity), false)
    }

    /// A cache with all settings: `2^shard_bits` locks, and whether inserts fail when the cache is
    /// full.
    pub fn with_settings(
        name: &'static str,
        capacity: usize,
        shard_bits: u32,
        strict_capacity_limit: bool,
    ) -> Arc<Cache> {
        let spares = Arc::new(Spares::default());
        spares.limit(capacity);
        Arc::new(Cache {
            name,
            capacity: AtomicUsize::new(capacity),
            ceiling: AtomicUsize::new(usize::MAX),
            strict: AtomicBool::new(strict_capacity_limit),
            usage: AtomicUsize::new(0),
            reserved: AtomicUsize::new(0),
            shards: (0..1usize << shard_bits.min(16)).map(|_| Mutex::default()).collect(),
            collector: Mutex::default(),
            spares,
            _stock: OpenStock::new(capacity),
        })
    }

    /// The name in RocksDB's LOG.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The budget in bytes.
    pub fn capacity(&self) -> usize {
        self.capacity.load(Ordering::Relaxed)
    }

    /// Changes the budget and evicts what exceeds a smaller one.
    pub fn set_capacity(&self, capacity: usize) {
        self.capacity.store(capacity, Ordering::Relaxed);
        self.spares.limit(capacity);
        self.shrink(0);
    }

    /// Sets a second limit in bytes; objects and reservations together exceed neither it nor the capacity. Evicts what
    /// exceeds it.
    pub(crate) fn set_ceiling(&self, ceiling: usize) {
        self.ceiling.store(ceiling, Ordering::Relaxed);
        self.shrink(0);
    }

    /// The limit in force: the capacity or the ceiling, whichever is smaller.
    fn budget(&self) -> usize {
        self.capacity().min(self.ceiling.load(Ordering::Relaxed))
    }

    /// The binary logarithm of the number of locks.
    pub fn shard_bits(&self) -> u32 {
        self.shards.len().ilog2()
    }

    /// Whether inserts fail when nothing can be evicted.
    pub fn has_strict_capacity_limit(&self) -> bool {
        self.strict.load(Ordering::Relaxed)
    }

    /// Changes whether inserts fail when nothing can be evicted.
    pub fn set_strict_capacity_limit(&self, strict: bool) {
        self.strict.store(strict, Ordering::Relaxed);
    }

    /// Bytes in use.
    pub fn usage(&self) -> usize {
        self.usage.load(Ordering::Relaxed)
    }

    /// Bytes in use by objects, without reservations and statistics.
    pub(crate) fn object_usage(&self) -> usize {
        let others = self.reserved.load(Ordering::Relaxed) + self.collector.lock().charge();
        self.usage().saturating_sub(others)
    }

    /// Bytes in use that cannot be evicted now because there are references to them. Visits every
    /// entry.
    pub fn pinned_usage(&self) -> usize {
        let mut held = 0;
        let mut total = 0;
        for shard in &self.shards {
            for entry in shard.lock().entries.iter().flatten() {
                let charge = entry.charge as usize;
                total += charge;
                held += if entry.owner.is_held(entry.slot) { charge } else { 0 };
            }
        }
        held + self.usage().saturating_sub(total + self.collector.lock().idle_charge())
    }

    /// The number of objects in the cache. Its statistics count as one object while they are charged. Visits every
    /// entry.
    pub fn len(&self) -> usize {
        let objects = |s: &Mutex<Ring>| s.lock().entries.iter().flatten().count();
        self.shards.iter().map(objects).sum::<usize>() + self.collector.lock().count()
    }

    /// The number of ring entries allocated so far. Visits every shard.
    pub fn places(&self) -> usize {
        self.shards.iter().map(|s| s.lock().entries.capacity().max(1)).sum()
    }

    /// Whether the cache has no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes `charge` bytes of the budget until the reservation is dropped.
    pub fn reserve(self: &Arc<Self>, charge: usize) -> Result<Reservation> {
        self.admit(charge, 0)?;
        self.reserved.fetch_add(charge, Ordering::Relaxed);
        Ok(Reservation { cache: Arc::clone(self), charge })
    }

    /// Counts `charge` bytes and makes room for them.
    fn admit(&self, charge: usize, shard: usize) -> Result<()> {
        self.usage.fetch_add(charge, Ordering::Relaxed);
        if self.shrink(shard) || !self.has_strict_capacity_limit() {
            return Ok(());
        }
        // Nothing fails because of the ceiling, which is another's limit.
        if self.usage() <= self.capacity() {
            return Ok(());
        }
        self.release(charge);
        let full = match self.name {
            LRU => "Insert failed due to LRU cache being full.",
            _ => "Insert failed because unable to evict entries to stay within capacity limit.",
        };
        Err(Error::new(Code::Aborted, full).with_subcode(SubCode::MemoryLimit))
    }

    fn release(&self, charge: usize) {
        self.usage.fetch_sub(charge, Ordering::Relaxed);
    }

    /// Evicts until usage is within the budget, beginning with shard `start`. Returns whether it
    /// is.
    fn shrink(&self, start: usize) -> bool {
        let n = self.shards.len();
        for i in 0..n {
            let shard = &self.shards[(start + i) % n];
            while self.usage() > self.budget() {
                let evicted = shard.lock().evict_one();
                let Some(retiree) = evicted else { break };
                self.release(retiree.bytes);
                epoch::retire(retiree);
            }
            if self.usage() <= self.budget() {
                return true;
            }
        }
        self.drop_idle_stats();
        self.usage() <= self.budget()
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(capacity {}, usage {})", self.name, self.capacity(), self.usage())
    }
}

/// One lock per half MiB, at most 64: small caches must not be divided into uselessly small shards.
fn default_shard_bits(capacity: usize) -> u32 {
    (capacity >> 19).max(1).ilog2().min(6)
}

/// A part of the budget for something that is not evicted, such as index and filter blocks.
#[derive(Debug)]
pub struct Reservation {
    cache: Arc<Cache>,
    charge: usize,
}

impl Reservation {
    /// The size of the reservation in bytes.
    pub fn charge(&self) -> usize {
        self.charge
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.cache.reserved.fetch_sub(self.charge, Ordering::Relaxed);
        self.cache.release(self.charge);
    }
}

#[cfg(test)]
#[path = "cache_test.rs"]
mod tests;
