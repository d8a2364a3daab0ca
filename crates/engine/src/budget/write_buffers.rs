//! The write buffer manager: a memtable budget that databases may share.
//!
//! Each database reports the memory of its memtables through a [`MemtableShare`]. The manager adds up the shares,
//! decides when memtables should be flushed and when writers should wait, and may charge the sum to a block cache, in
//! pieces of 256 KiB.

use crate::cache::{Cache, Reservation};
use crate::env::sync::std_atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use crate::env::sync::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Duration;

/// The number of bytes charged to the cache at a time.
const PIECE: usize = 256 << 10;
/// The eighths of the limit at which active memtables are flushed: RocksDB's, and those of a memory account.
const USUAL: usize = 7;
const DOUBLE_BUFFERED: usize = 4;

/// A budget of memtable memory, for any number of databases.
pub struct WriteBufferManager {
    buffer_size: AtomicUsize,
    allow_stall: AtomicBool,
    /// The part of the limit in eighths at which active memtables are flushed.
    flush_from: usize,
    /// See [`WriteBufferManager::spares_writers`].
    spares_writers: bool,
    /// The memory of active memtables.
    active: AtomicUsize,
    /// The memory of all memtables.
    total: AtomicUsize,
    cache: Option<Arc<Cache>>,
    charged: Mutex<Vec<Reservation>>,
    /// Mutex for the condition variable; it protects no data.
    waiting: Mutex<()>,
    freed: Condvar,
}

impl WriteBufferManager {
    /// Creates a budget; 0 means no limit. With `allow_stall`, writers wait while it is exceeded.
    pub fn new(buffer_size: usize, allow_stall: bool) -> Arc<WriteBufferManager> {
        WriteBufferManager::with_cache(buffer_size, None, allow_stall)
    }

    /// Creates a budget for writers that wait while it is exceeded. Memtables are flushed at half of it, so that the
    /// other half takes the writes during the flush.
    pub(super) fn double_buffered(buffer_size: usize) -> Arc<WriteBufferManager> {
        WriteBufferManager::with_settings(buffer_size, None, true, DOUBLE_BUFFERED)
    }

    /// Creates a budget whose use is charged to a block cache.
    pub fn with_cache(
        buffer_size: usize,
        cache: Option<Arc<Cache>>,
        allow_stall: bool,
    ) -> Arc<WriteBufferManager> {
        WriteBufferManager::with_settings(buffer_size, cache, allow_stall, USUAL)
    }

    fn with_settings(
        buffer_size: usize,
        cache: Option<Arc<Cache>>,
        allow_stall: bool,
        flush_from: usize,
    ) -> Arc<WriteBufferManager> {
        Arc::new(WriteBufferManager {
            buffer_size: AtomicUsize::new(buffer_size),
            allow_stall: AtomicBool::new(allow_stall),
            flush_from,
            spares_writers: flush_from == DOUBLE_BUFFERED,
            active: AtomicUsize::new(0),
            total: AtomicUsize::new(0),
            cache,
            charged: Mutex::new(Vec::new()),
            waiting: Mutex::new(()),
            freed: Condvar::new(),
        })
    }

    /// Returns whether there is a limit.
    pub fn is_enabled(&self) -> bool {
        self.buffer_size() > 0
    }

    /// Returns the limit; 0 means no limit.
    pub fn buffer_size(&self) -> usize {
        self.buffer_size.load(Relaxed)
    }

    /// Sets the limit.
    pub fn set_buffer_size(&self, size: usize) {
        self.buffer_size.store(size, Relaxed);
        self.freed.notify_all();
    }

    /// Sets whether writers wait while the limit is exceeded.
    pub fn set_allow_stall(&self, allow: bool) {
        self.allow_stall.store(allow, Relaxed);
        self.freed.notify_all();
    }

    /// Returns whether use is charged to a cache.
    pub fn costs_cache(&self) -> bool {
        self.cache.is_some()
    }

    /// Returns the memory of all memtables.
    pub fn memory_usage(&self) -> usize {
        self.total.load(Relaxed)
    }

    /// Returns the memory of active memtables.
    pub fn mutable_memtable_memory_usage(&self) -> usize {
        self.active.load(Relaxed)
    }

    /// Returns the memory charged to the cache.
    pub fn dummy_entries_in_cache_usage(&self) -> usize {
        self.charged.lock().len() * PIECE
    }

    /// Returns whether a memtable should be flushed. As in RocksDB, this is from seven eighths of the limit on, or,
    /// once the limit is exceeded, while at least half of the memory is in active memtables.
    pub fn should_flush(&self) -> bool {
        let (limit, active) = (self.buffer_size(), self.mutable_memtable_memory_usage());
        limit > 0
            && (active > limit - (8 - self.flush_from) * (limit / 8)
                || (self.memory_usage() >= limit && active >= limit / 2))
    }

    /// Returns whether writers should wait.
    #[inline]
    pub fn should_stall(&self) -> bool {
        self.allow_stall.load(Relaxed)
            && self.is_enabled()
            && self.memory_usage() >= self.buffer_size()
    }

    /// Returns whether a writer is admitted although the budget is exceeded, if it must not wait, or if its database
    /// has nothing to flush.
    pub(crate) fn spares_writers(&self) -> bool {
        self.spares_writers
    }

    /// Waits until memory was freed, or for at most this time.
    pub fn wait_for_memory(&self, at_most: Duration) {
        let mut waiting = self.waiting.lock();
        if self.should_stall() {
            self.freed.wait_for(&mut waiting, at_most);
        }
    }

    fn charge_cache(&self) {
        let Some(cache) = &self.cache else { return };
        let mut charged = self.charged.lock();
        let wanted = self.memory_usage().div_ceil(PIECE);
        charged.truncate(wanted);
        while charged.len() < wanted {
            // A full cache with a strict limit accepts no more charges; writes must continue.
            let Ok(piece) = cache.reserve(PIECE) else { break };
            charged.push(piece);
        }
    }
}

impl std::fmt::Debug for WriteBufferManager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WriteBufferManager({} of {})", self.memory_usage(), self.buffer_size())
    }
}

/// The use of a budget by one database. Dropping it releases the use.
pub struct MemtableShare {
    manager: Arc<WriteBufferManager>,
    active: AtomicUsize,
    total: AtomicUsize,
}

impl MemtableShare {
    /// Creates a share that uses no memory yet.
    pub fn new(manager: Arc<WriteBufferManager>) -> MemtableShare {
        MemtableShare { manager, active: AtomicUsize::new(0), total: AtomicUsize::new(0) }
    }

    /// Returns the budget.
    pub fn manager(&self) -> &WriteBufferManager {
        &self.manager
    }

    /// Reports the current memory of the database's memtables. Only one thread at a time calls this.
    pub fn report(&self, active: usize, total: usize) {
        let m = &self.manager;
        // Add first, so that the sum is never below the actual use.
        m.active.fetch_add(active, Relaxed);
        m.total.fetch_add(total, Relaxed);
        m.active.fetch_sub(self.active.swap(active, Relaxed), Relaxed);
        m.total.fetch_sub(self.total.swap(total, Relaxed), Relaxed);
        m.charge_cache();
        if !m.should_stall() {
            m.freed.notify_all();
        }
    }
}

impl Drop for MemtableShare {
    fn drop(&mut self) {
        self.report(0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_are_charged() {
        let cache = Cache::new_lru(8 << 20);
        let manager = WriteBufferManager::with_cache(1 << 20, Some(Arc::clone(&cache)), true);
        let (a, b) =
            (MemtableShare::new(Arc::clone(&manager)), MemtableShare::new(Arc::clone(&manager)));
        a.report(300 << 10, 400 << 10);
        b.report(100 << 10, 100 << 10);
        assert_eq!(manager.memory_usage(), 500 << 10);
        assert_eq!(manager.mutable_memtable_memory_usage(), 400 << 10);
        assert_eq!(manager.dummy_entries_in_cache_usage(), 512 << 10);
        assert_eq!(cache.usage(), 512 << 10);
        assert!(!manager.should_flush() && !manager.should_stall());
        a.report(600 << 10, 1000 << 10);
        assert!(manager.should_flush() && manager.should_stall());
        manager.set_buffer_size(2 << 20);
        assert!(!manager.should_flush() && !manager.should_stall());
        drop((a, b));
        assert_eq!((manager.memory_usage(), cache.usage()), (0, 0));
    }
}
