//! `rocksdb_cache_t`: block caches, and the options that create them.
//!
//! A handle is reference-counted: tables and options keep their cache after the handle is destroyed.

use crate::errptr::{quiet, run};
use crate::handles::{destroy, give};
use ferrolith::Error;
use ferrolith::internal::cache::Cache;
use std::ffi::c_char;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

/// A block cache.
pub struct rocksdb_cache_t {
    pub(crate) cache: Arc<Cache>,
}

/// A custom memory allocator. None is supported: see `rocksdb_jemalloc_nodump_allocator_create`.
pub struct rocksdb_memory_allocator_t;

/// Options for creating an LRU cache.
pub struct rocksdb_lru_cache_options_t {
    pub(crate) capacity: usize,
    pub(crate) num_shard_bits: i32,
}

/// Options for creating a HyperClockCache.
pub struct rocksdb_hyper_clock_cache_options_t {
    pub(crate) capacity: usize,
    pub(crate) estimated_entry_charge: usize,
    pub(crate) num_shard_bits: i32,
}

/// RocksDB refuses more shards than this.
const SHARD_BITS_MAX: i32 = 19;

fn give_cache(cache: Arc<Cache>) -> *mut rocksdb_cache_t {
    give(rocksdb_cache_t { cache })
}

/// A negative number of shard bits lets the cache choose.
fn with_shards(name: &'static str, capacity: usize, shard_bits: i32) -> *mut rocksdb_cache_t {
    match u32::try_from(shard_bits) {
        _ if shard_bits > SHARD_BITS_MAX => ptr::null_mut(),
        Ok(bits) => give_cache(Cache::with_settings(name, capacity, bits, false)),
        Err(_) if name == "LRUCache" => give_cache(Cache::new_lru(capacity)),
        Err(_) => give_cache(Cache::new_hyper_clock(capacity)),
    }
}

/// Creates an LRU cache of this many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_create_lru(capacity: usize) -> *mut rocksdb_cache_t {
    quiet(ptr::null_mut(), || give_cache(Cache::new_lru(capacity)))
}

/// Creates an LRU cache whose inserts fail when it is full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_create_lru_with_strict_capacity_limit(
    capacity: usize,
) -> *mut rocksdb_cache_t {
    quiet(ptr::null_mut(), || {
        let cache = Cache::new_lru(capacity);
        cache.set_strict_capacity_limit(true);
        give_cache(cache)
    })
}

/// Creates an LRU cache from its options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_create_lru_opts(
    opts: *const rocksdb_lru_cache_options_t,
) -> *mut rocksdb_cache_t {
    quiet(ptr::null_mut(), || match opts.as_ref() {
        Some(o) => with_shards("LRUCache", o.capacity, o.num_shard_bits),
        None => ptr::null_mut(),
    })
}

/// Creates a HyperClockCache. The size of entries is irrelevant here, because there is no table of fixed size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_create_hyper_clock(
    capacity: usize,
    _estimated_entry_charge: usize,
) -> *mut rocksdb_cache_t {
    quiet(ptr::null_mut(), || give_cache(Cache::new_hyper_clock(capacity)))
}

/// Creates a HyperClockCache from its options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_create_hyper_clock_opts(
    opts: *const rocksdb_hyper_clock_cache_options_t,
) -> *mut rocksdb_cache_t {
    quiet(ptr::null_mut(), || match opts.as_ref() {
        Some(o) => with_shards("HyperClockCache", o.capacity, o.num_shard_bits),
        None => ptr::null_mut(),
    })
}

/// Releases a cache. Other users of the cache keep it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_destroy(cache: *mut rocksdb_cache_t) {
    destroy(cache);
}

/// Caches that are never freed. They are held here, so that leak checkers do not report them.
static DISOWNED: Mutex<Vec<Arc<Cache>>> = Mutex::new(Vec::new());

/// Leaks the cache's content when the cache is released, for a quick exit of the process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_disown_data(cache: *mut rocksdb_cache_t) {
    if let Some(cache) = cache.as_ref() {
        let mut disowned = DISOWNED.lock().unwrap_or_else(PoisonError::into_inner);
        disowned.push(Arc::clone(&cache.cache));
    }
}

/// Changes the capacity. Blocks that exceed a smaller one are evicted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_set_capacity(cache: *mut rocksdb_cache_t, capacity: usize) {
    quiet((), || cache.as_ref().map_or((), |c| c.cache.set_capacity(capacity)));
}

unsafe fn number(cache: *const rocksdb_cache_t, read: impl FnOnce(&Cache) -> usize) -> usize {
    quiet(0, || cache.as_ref().map_or(0, |c| read(&c.cache)))
}

/// Returns the capacity in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_capacity(cache: *const rocksdb_cache_t) -> usize {
    number(cache, Cache::capacity)
}

/// Returns the bytes in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_usage(cache: *const rocksdb_cache_t) -> usize {
    number(cache, Cache::usage)
}

/// Returns the bytes in use that cannot be evicted now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_pinned_usage(cache: *const rocksdb_cache_t) -> usize {
    number(cache, Cache::pinned_usage)
}

/// Returns the number of slots for entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_table_address_count(
    cache: *const rocksdb_cache_t,
) -> usize {
    number(cache, Cache::places)
}

/// Returns the number of entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_occupancy_count(cache: *const rocksdb_cache_t) -> usize {
    number(cache, Cache::len)
}

/// Creates options of an LRU cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_lru_cache_options_create() -> *mut rocksdb_lru_cache_options_t {
    give(rocksdb_lru_cache_options_t { capacity: 0, num_shard_bits: -1 })
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_lru_cache_options_destroy(
    handle: *mut rocksdb_lru_cache_options_t,
) {
    destroy(handle);
}

/// Accepted without effect: memory comes from the process's allocator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_lru_cache_options_set_memory_allocator(
    _handle: *mut rocksdb_lru_cache_options_t,
    _allocator: *mut rocksdb_memory_allocator_t,
) {
}

/// Creates options of a HyperClockCache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_hyper_clock_cache_options_create(
    capacity: usize,
    estimated_entry_charge: usize,
) -> *mut rocksdb_hyper_clock_cache_options_t {
    give(rocksdb_hyper_clock_cache_options_t {
        capacity,
        estimated_entry_charge,
        num_shard_bits: -1,
    })
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_hyper_clock_cache_options_destroy(
    handle: *mut rocksdb_hyper_clock_cache_options_t,
) {
    destroy(handle);
}

/// Accepted without effect: memory comes from the process's allocator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_hyper_clock_cache_options_set_memory_allocator(
    _handle: *mut rocksdb_hyper_clock_cache_options_t,
    _allocator: *mut rocksdb_memory_allocator_t,
) {
}

/// Fails as in a RocksDB without jemalloc; the handle is valid nevertheless.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_jemalloc_nodump_allocator_create(
    errptr: *mut *mut c_char,
) -> *mut rocksdb_memory_allocator_t {
    run(errptr, (), || {
        Err(Error::not_supported(
            "JemallocNodumpAllocator only available with jemalloc version >= 5 and MADV_DONTDUMP is \
             available.",
        ))
    });
    give(rocksdb_memory_allocator_t)
}

/// Destroys an allocator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memory_allocator_destroy(handle: *mut rocksdb_memory_allocator_t) {
    destroy(handle);
}
