//! The block cache: the memory budget of cached blocks, and the choice of blocks to evict.
//!
//! A cached object is stored in a *slot* of the table that read it ([`SlotArray`]), so a hit is one load under an epoch
//! pin, without a hash table, a lock or a reference count. The [`Cache`] owns the budget. It has one ring of occupied
//! slots per shard, from which it chooses the objects to evict ([`ring`]): those that were not used lately and to which
//! there are no references. Shards follow one of two policies, depending on which has fewer misses now ([`duel`]). An
//! evicted object is removed from its slot and freed when the last pinned reader has left, or kept as a spare for the
//! next object that needs its memory.
//!
//! Thread safety: all methods take `&self`. Locks: one shard at a time; code under a shard's lock takes no other lock
//! except the epoch's. The lock of the statistics is taken before a shard's. Readers wait for a shard or a pool of
//! the heap only briefly ([`PATIENCE`]), unless the limit is strict or all memory is limited.
//!
//! Invariants:
//! * **BC1** While a shard's lock is held, a slot of that shard is occupied if and only if the shard's ring has an
//!   entry for it.
//! * **BC2** `usage` is the sum of the charges of all ring entries, reservations and the statistics, plus those of
//!   inserts in progress.
//! * **BC3** With a strict limit, `usage` exceeds the capacity only briefly, while an insert determines that it does
//!   not fit.

mod duel;
mod entry_stats;
mod ghosts;
mod heap;
mod held;
mod page_set;
mod ring;
mod slots;
mod spares;
mod stock;
mod vacate;
mod waiting;

use duel::{Duel, Policy};
pub use entry_stats::CacheUser;
use entry_stats::Collector;
use ghosts::Ghosts;
pub use heap::{Economy, Memory, census, release_empty_pages};
pub use held::{Held, Node};
pub use page_set::PageSet;
use ring::{Forget, Owner, OwnerBox, Retiree, Ring, USES_MAX, Verdict};
pub use slots::{Handling, SlotArray};
use spares::{Anonymous, Spares};
use stock::OpenStock;
pub use stock::mapped_bytes;
use waiting::Waiting;

use crate::env::sync::Mutex;
use crate::env::sync::std_atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::error::{Code, Error, Result, SubCode};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// RocksDB's name of its oldest cache.
const LRU: &str = "LRUCache";

/// The part of the budget that all objects that were set aside may have.
const ASIDE_SHARE: usize = 32;

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
    duel: Duel,
    waiting: Waiting,
    /// The shard that was the last one to evict something for another one or for a reservation.
    turn: AtomicUsize,
    collector: Mutex<Collector>,
    spares: Arc<Spares>,
    /// Keeps pages ready for this cache.
    _stock: OpenStock,
}

impl Cache {
    /// A cache under RocksDB's name `LRUCache`. Both names give the same cache.
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
            duel: Duel::default(),
            waiting: Waiting::default(),
            turn: AtomicUsize::new(0),
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
        self.shrink(None);
        self.retire_aside();
    }

    /// Sets a second limit in bytes; objects and reservations together exceed neither it nor the capacity. Evicts what
    /// exceeds it.
    pub(crate) fn set_ceiling(&self, ceiling: usize) {
        self.ceiling.store(ceiling, Ordering::Relaxed);
        self.shrink(None);
    }

    /// The number of bytes of evicted objects that a shard may set aside.
    fn aside_max(&self) -> usize {
        self.budget() / self.shards.len() / ASIDE_SHARE
    }

    /// Retires all evicted objects that were set aside.
    fn retire_aside(&self) {
        for shard in &self.shards {
            let aside = shard.lock().take_aside();
            self.retire(aside);
        }
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
            for entry in shard.lock().entries() {
                total += entry.charge();
                held += if entry.is_held() { entry.charge() } else { 0 };
            }
        }
        held + self.usage().saturating_sub(total + self.collector.lock().idle_charge())
    }

    /// The number of objects in the cache. Its statistics count as one object while they are charged. Visits every
    /// entry.
    pub fn len(&self) -> usize {
        let objects = |s: &Mutex<Ring>| s.lock().entries().count();
        self.shards.iter().map(objects).sum::<usize>() + self.collector.lock().count()
    }

    /// The number of ring entries allocated so far. Visits every shard.
    pub fn places(&self) -> usize {
        self.shards.iter().map(|s| s.lock().capacity().max(1)).sum()
    }

    /// Whether the cache has no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes `charge` bytes of the budget until the reservation is dropped.
    pub fn reserve(self: &Arc<Self>, charge: usize) -> Result<Reservation> {
        self.admit(charge, None)?;
        self.reserved.fetch_add(charge, Ordering::Relaxed);
        Ok(Reservation { cache: Arc::clone(self), charge })
    }

    /// Counts `charge` bytes and makes room for them, in the shard `own` first.
    fn admit(&self, charge: usize, own: Option<usize>) -> Result<()> {
        self.usage.fetch_add(charge, Ordering::Relaxed);
        if self.shrink(own) || !self.has_strict_capacity_limit() {
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

    /// Makes room for `charge` bytes in a shard that is locked, by one eviction if necessary, and counts them. Returns
    /// objects that the caller retires after it has released the lock.
    fn replace(&self, ring: &mut Ring, shard: usize, charge: usize) -> Vec<Retiree> {
        let is_full = self.is_full_for(charge);
        let Some(retiree) = is_full.then(|| ring.evict_one(self.policy(shard))).flatten() else {
            self.usage.fetch_add(charge, Ordering::Relaxed);
            return Vec::new();
        };
        // Most blocks are of one size, and then no thread writes to the line that all of them read.
        if charge != retiree.bytes() {
            self.usage.fetch_add(charge.wrapping_sub(retiree.bytes()), Ordering::Relaxed);
        }
        ring.set_aside(retiree, self.aside_max())
    }

    /// Whether `charge` more bytes exceed the budget.
    fn is_full_for(&self, charge: usize) -> bool {
        self.usage().saturating_add(charge) > self.budget()
    }

    /// The policy by which a shard evicts now.
    fn policy(&self, shard: usize) -> Policy {
        self.duel.policy(shard, self.shards.len())
    }

    fn release(&self, charge: usize) {
        self.usage.fetch_sub(charge, Ordering::Relaxed);
    }

    /// Evicts objects until usage is within the budget, and returns whether it is: from the shard `own` as long as it
    /// has any, then from all shards in turn. Reservations that always evicted from one shard would leave it empty,
    /// since shards of a full cache do not grow, and the policy that is tried in it would lose the contest. An insert
    /// passes over locked shards unless the limit is strict; a later one evicts more.
    fn shrink(&self, own: Option<usize>) -> bool {
        let waits = own.is_none() || self.has_strict_capacity_limit();
        if let Some(own) = own {
            while self.is_over() && self.evict_from(own, waits) {}
        }
        if !self.is_over() {
            return true;
        }
        let n = self.shards.len();
        let (mut shard, mut without) = (self.turn.load(Ordering::Relaxed), 0);
        while self.is_over() && without < n {
            shard = (shard + 1) % n;
            without = if self.evict_from(shard, waits) { 0 } else { without + 1 };
        }
        self.turn.store(shard, Ordering::Relaxed);
        if self.is_over() {
            self.drop_idle_stats();
        }
        !self.is_over()
    }

    /// Whether objects and reservations exceed the budget.
    fn is_over(&self) -> bool {
        self.usage() > self.budget()
    }

    /// Evicts an object from a shard. Returns whether there was one, and no other thread had locked the shard or the
    /// call waits.
    fn evict_from(&self, shard: usize, waits: bool) -> bool {
        let ring = match waits {
            true => Some(self.shards[shard].lock()),
            false => self.shards[shard].try_lock(),
        };
        let Some(mut ring) = ring else { return false };
        let evicted = ring.evict_one(self.policy(shard));
        drop(ring);
        let Some(retiree) = evicted else { return false };
        self.release(retiree.bytes());
        self.retire(vec![retiree]);
        true
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        self.retire_aside();
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(capacity {}, usage {})", self.name, self.capacity(), self.usage())
    }
}

/// Readers wait at most this long for a shard or a pool, and then do without. These locks are usually held for less
/// than a microsecond, unless their owner has lost its processor. Those who wait then get the lock one after another,
/// each of them after other threads had the processor: with 80 threads on two processors, a read took up to 2.6 s.
const PATIENCE: Duration = Duration::from_micros(100);

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

#[cfg(test)]
#[path = "policy_test.rs"]
mod policy_tests;
