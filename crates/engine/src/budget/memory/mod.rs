//! The memory account: one limit for the memory of any number of databases.
//!
//! Owners of memory charge what they hold to the account ([`Charge`]); block caches report their use when they are
//! asked. When the sum nears the limit, the account's *keeper* ([`keeper`]), a thread, takes memory back in this order:
//! the block caches shrink and return their pages, memtables are flushed earlier, and table readers that are not in use
//! are closed. Jobs ask the account how much they may hold before they begin. Nothing fails because of the limit: a
//! request that exceeds what is left is admitted, and others give memory back.
//!
//! Charges are counters, so charging costs two atomic additions and takes no lock. No lookup in cached blocks and no
//! insert into a memtable charges anything.

mod keeper;
mod shares;

pub use shares::Shares;

use super::write_buffers::WriteBufferManager;
use crate::cache::{self, Cache, Economy};
use crate::env::mapping::Thrift;
use crate::env::sync::std_atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use crate::env::sync::{Mutex, OnceLock};
use keeper::Signal;
use std::fmt;
use std::sync::{Arc, Weak};

/// What holds memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryOwner {
    /// Memtables with their structures and filters that are active or wait for their flush.
    Memtables,
    /// Memtables that iterators have taken, also after they are flushed.
    KeptMemtables,
    /// Open tables: indexes, filters, dictionaries, and the slots of cached blocks.
    TableReaders,
    /// Open iterators and their readahead. Cached blocks that they hold count as cached.
    Iterators,
    /// Flushes: filters, indexes and blocks of the tables that they build.
    Flushes,
    /// Compactions: readahead of their inputs, and what they hold of their outputs.
    Compactions,
    /// Mapped parts of write-ahead logs.
    WriteAheadLogs,
}

impl MemoryOwner {
    /// All owners that charge memory.
    pub const ALL: [MemoryOwner; 7] = [
        MemoryOwner::Memtables,
        MemoryOwner::KeptMemtables,
        MemoryOwner::TableReaders,
        MemoryOwner::Iterators,
        MemoryOwner::Flushes,
        MemoryOwner::Compactions,
        MemoryOwner::WriteAheadLogs,
    ];

    /// Returns the owner's name in properties.
    pub fn name(self) -> &'static str {
        match self {
            MemoryOwner::Memtables => "memtables",
            MemoryOwner::KeptMemtables => "kept-memtables",
            MemoryOwner::TableReaders => "table-readers",
            MemoryOwner::Iterators => "iterators",
            MemoryOwner::Flushes => "flushes",
            MemoryOwner::Compactions => "compactions",
            MemoryOwner::WriteAheadLogs => "write-ahead-logs",
        }
    }
}

/// Something that can close table readers.
pub trait EvictsTables: Send + Sync {
    /// Closes readers that are not in use until their memory adds up to `bytes`, or none is left. Returns the number of
    /// bytes.
    fn evict(&self, bytes: usize) -> usize;
}

/// A limit for the memory of databases, and the account of what holds it. Databases share it if they are opened with
/// the same object.
pub struct MemoryAccount {
    shares: Shares,
    used: [AtomicUsize; MemoryOwner::ALL.len()],
    /// The sum of `used`.
    charged: AtomicUsize,
    /// The number of bytes charged at which the keeper is woken.
    wake_at: AtomicUsize,
    /// The budget of memtables, which the keeper adjusts.
    memtables: Arc<WriteBufferManager>,
    /// The block cache of families that have none of their own.
    cache: OnceLock<Arc<Cache>>,
    /// All caches that give memory back.
    caches: Mutex<Vec<Weak<Cache>>>,
    readers: Mutex<Vec<Weak<dyn EvictsTables>>>,
    /// The pages for cached blocks for which others answer, in bytes, as the keeper has seen them.
    foreign_pages: AtomicUsize,
    signal: Arc<Signal>,
    is_kept: AtomicBool,
    _economy: Economy,
    _thrift: Thrift,
}

impl MemoryAccount {
    /// Creates an account with a limit in bytes. Limits below 1 MiB are raised to 1 MiB.
    pub fn new(limit: usize) -> Arc<MemoryAccount> {
        let shares = Shares::of(limit);
        Arc::new(MemoryAccount {
            used: Default::default(),
            charged: AtomicUsize::new(0),
            wake_at: AtomicUsize::new(0),
            memtables: WriteBufferManager::double_buffered(shares.memtables()),
            caches: Mutex::default(),
            readers: Mutex::default(),
            foreign_pages: AtomicUsize::new(0),
            signal: Arc::default(),
            is_kept: AtomicBool::new(false),
            _economy: Economy::new(shares.pools()),
            _thrift: Thrift::new(shares.pools()),
            cache: OnceLock::new(),
            shares,
        })
    }

    /// Returns the limit in bytes.
    pub fn limit(&self) -> usize {
        self.shares.limit()
    }

    /// Returns the fixed shares of the limit.
    pub(crate) fn shares(&self) -> &Shares {
        &self.shares
    }

    /// Returns the memory in use in bytes: all charges, the objects in block caches, and unused parts of the pages that
    /// hold them.
    pub fn usage(&self) -> usize {
        self.by_owner().iter().map(|(_, bytes)| bytes).sum()
    }

    /// Returns the memory in use by owner, in bytes. The names do not change between releases.
    pub fn by_owner(&self) -> Vec<(&'static str, usize)> {
        let mut all = vec![("block-cache", self.cache_usage())];
        let census = cache::census();
        all.push(("block-cache-unused", census.mapped.saturating_sub(census.live)));
        all.extend(MemoryOwner::ALL.map(|owner| (owner.name(), self.used(owner))));
        all
    }

    /// Returns the memory in use by owner as text: a line `owner: bytes` for each, then `total` and `limit`.
    pub fn text(&self) -> String {
        let owners = self.by_owner();
        let total = owners.iter().map(|(_, bytes)| bytes).sum();
        let lines = owners.into_iter().chain([("total", total), ("limit", self.limit())]);
        lines.map(|(name, bytes)| format!("{name}: {bytes}\n")).collect()
    }

    /// Returns the bytes that an owner has charged.
    pub(crate) fn used(&self, owner: MemoryOwner) -> usize {
        self.used[owner as usize].load(Relaxed)
    }

    /// Returns the sum of all charges in bytes. Block caches are not part of it.
    pub(crate) fn charged(&self) -> usize {
        self.charged.load(Relaxed)
    }

    /// Charges bytes to the account until the charge is dropped.
    pub(crate) fn charge(self: &Arc<Self>, owner: MemoryOwner, bytes: usize) -> Charge {
        let mut charge = Charge { account: Arc::clone(self), owner, bytes: 0 };
        charge.set(bytes);
        charge
    }

    /// Returns the budget of memtables.
    pub(crate) fn memtables(&self) -> &Arc<WriteBufferManager> {
        &self.memtables
    }

    /// Returns the block cache for families that have none of their own. Its capacity is the limit, but it takes only
    /// what others leave.
    pub(crate) fn cache(&self) -> &Arc<Cache> {
        let cache = self.cache.get_or_init(|| Cache::new_lru(self.shares.limit()));
        self.add_cache(cache);
        cache
    }

    /// Makes a block cache give way to the other owners. A cache should belong to one account.
    pub(crate) fn add_cache(&self, cache: &Arc<Cache>) {
        let mut caches = self.caches.lock();
        caches.retain(|known| known.strong_count() > 0);
        if caches.iter().all(|known| !std::ptr::eq(known.as_ptr(), Arc::as_ptr(cache))) {
            caches.push(Arc::downgrade(cache));
        }
        drop(caches);
        self.signal.wake();
    }

    /// Adds a source of table readers that can be closed.
    pub(crate) fn add_readers(&self, readers: Weak<dyn EvictsTables>) {
        let mut all = self.readers.lock();
        all.retain(|known| known.strong_count() > 0);
        all.push(readers);
    }

    /// Returns whether another compaction may begin: none is running, or those that run hold less than half of their
    /// share.
    pub(crate) fn may_compact(&self) -> bool {
        let used = self.used(MemoryOwner::Compactions);
        used == 0 || used < self.shares.compactions() / 2
    }

    /// Returns how many of `wanted` bytes an iterator may read ahead.
    pub(crate) fn readahead_of_scan(&self, wanted: usize) -> usize {
        let left = self.shares.iterators().saturating_sub(self.used(MemoryOwner::Iterators));
        wanted.min(left)
    }

    /// Lets memtables have their share, or less if other owners have left less. That includes pages of cached blocks
    /// that the keeper has not returned yet: writers are faster than the keeper.
    pub(crate) fn fit_memtables(&self) {
        let shares = &self.shares;
        let used = self.used(MemoryOwner::Memtables);
        let pages = cache::mapped_bytes().saturating_sub(self.foreign_pages.load(Relaxed));
        let others = self.charged().saturating_sub(used).saturating_add(pages);
        let left = shares.limit().saturating_sub(shares.margin()).saturating_sub(others);
        let budget = shares.memtables().min(left).max(shares.memtables_min());
        if budget != self.memtables.buffer_size() {
            self.memtables.set_buffer_size(budget);
        }
    }

    /// Returns whether a new iterator may keep memtables: those that are flushed and kept by others do not exceed their
    /// share.
    pub(crate) fn may_keep_memtables(&self) -> bool {
        self.used(MemoryOwner::KeptMemtables) <= self.shares.kept_memtables()
    }

    /// Returns the size in bytes for which a memtable should be laid out. Its flush may begin later.
    pub(crate) fn memtable_size(&self, wanted: usize, families: usize) -> usize {
        let budget = self.memtables.buffer_size();
        wanted.min((budget / families.max(2)).max(64 << 10))
    }

    fn caches(&self) -> Vec<Arc<Cache>> {
        self.caches.lock().iter().filter_map(Weak::upgrade).collect()
    }

    fn cache_usage(&self) -> usize {
        self.caches().iter().map(|cache| cache.object_usage()).sum()
    }

    fn add(&self, owner: MemoryOwner, bytes: usize) {
        let used = self.used[owner as usize].fetch_add(bytes, Relaxed) + bytes;
        let charged = self.charged.fetch_add(bytes, Relaxed) + bytes;
        let many_readers = owner == MemoryOwner::TableReaders && used > self.shares.readers();
        if charged > self.wake_at.load(Relaxed) || many_readers {
            self.signal.wake();
        }
    }

    fn subtract(&self, owner: MemoryOwner, bytes: usize) {
        let before = self.used[owner as usize].fetch_sub(bytes, Relaxed);
        debug_assert!(before >= bytes, "{owner:?}: {bytes} of {before} bytes returned");
        self.charged.fetch_sub(bytes, Relaxed);
    }
}

impl Drop for MemoryAccount {
    fn drop(&mut self) {
        self.caches().iter().for_each(|cache| cache.set_ceiling(usize::MAX));
        self.signal.end();
    }
}

impl fmt::Debug for MemoryAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryAccount(limit {}, {:?})", self.limit(), self.by_owner())
    }
}

/// A part of an account's memory, which is returned when the charge is dropped.
pub struct Charge {
    account: Arc<MemoryAccount>,
    owner: MemoryOwner,
    bytes: usize,
}

impl Charge {
    /// Returns the number of bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Changes the number of bytes.
    pub(crate) fn set(&mut self, bytes: usize) {
        let before = std::mem::replace(&mut self.bytes, bytes);
        match bytes.checked_sub(before) {
            Some(0) => {}
            Some(more) => self.account.add(self.owner, more),
            None => self.account.subtract(self.owner, before - bytes),
        }
    }

    /// Makes another owner answer for the bytes, of which there are now `bytes`.
    pub(crate) fn move_to(&mut self, owner: MemoryOwner, bytes: usize) {
        self.set(0);
        self.owner = owner;
        self.set(bytes);
    }

    /// Returns the account.
    pub(crate) fn account(&self) -> &Arc<MemoryAccount> {
        &self.account
    }
}

impl fmt::Debug for Charge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of {}", self.bytes, self.owner.name())
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
#[path = "memory_test.rs"]
mod tests;
