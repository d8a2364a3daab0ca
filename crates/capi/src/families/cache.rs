//! `rocksdb_cache_t`: block caches, and the options that make them.
//!
//! A handle counts its cache: tables and options that use it keep it after the handle is gone.

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

/// Memory from somewhere else. There is none: see `rocksdb_jemalloc_nodump_allocator_create`.
pub struct rocksdb_memory_allocator_t;

/// What an LRU cache is made of.
pub struct rocksdb_lru_cache_options_t {
    pub(crate) capacity: usize,
    pub(crate) num_shard_bits: i32,
}

/// What a HyperClockCache is made of.
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

/// A negative number of shard bits leaves it to the cache.
fn with_shards(name: &'static str, capacity: usize, shard_bits: i32) -> *mut rocksdb_cache_t {
    match u32::try_from(shard_bits) {
        _ if shard_bits > SHARD_BITS_MAX => ptr::null_mut(),
        Ok(bits) => give_cache(Cache::with_settings(name, capacity, bits, false)),
        Err(_) if name == "LRUCache" => give_cache(Cache::new_lru(capacity)),
        Err(_) => give_cache(Cache::new_hyper_clock(capacity)),
    }
}

/// An LRU cache of so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_create_lru(capacity: usize) -> *mut rocksdb_cache_t {
    quiet(ptr::null_mut(), || give_cache(Cache::new_lru(capacity)))
}

/// An LRU cache whose inserts fail when it is full.
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

/// An LRU cache from its options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_create_lru_opts(
    opts: *const rocksdb_lru_cache_options_t,
) -> *mut rocksdb_cache_t {
    quiet(ptr::null_mut(), || match opts.as_ref() {
        Some(o) => with_shards("LRUCache", o.capacity, o.num_shard_bits),
        None => ptr::null_mut(),
    })
}

/// A HyperClockCache. The size of entries is no matter here: there is no table of fixed size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_create_hyper_clock(
    capacity: usize,
    _estimated_entry_charge: usize,
) -> *mut rocksdb_cache_t {
    quiet(ptr::null_mut(), || give_cache(Cache::new_hyper_clock(capacity)))
}

/// A HyperClockCache from its options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_create_hyper_clock_opts(
    opts: *const rocksdb_hyper_clock_cache_options_t,
) -> *mut rocksdb_cache_t {
    quiet(ptr::null_mut(), || match opts.as_ref() {
        Some(o) => with_shards("HyperClockCache", o.capacity, o.num_shard_bits),
        None => ptr::null_mut(),
    })
}

/// Gives a cache back. Who else uses it keeps it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_destroy(cache: *mut rocksdb_cache_t) {
    destroy(cache);
}

/// Caches that stay for good. Held, so that no checker of leaks takes them for forgotten.
static DISOWNED: Mutex<Vec<Arc<Cache>>> = Mutex::new(Vec::new());

/// What the cache holds is not freed when it goes: for a quick end of the process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_disown_data(cache: *mut rocksdb_cache_t) {
    if let Some(cache) = cache.as_ref() {
        let mut disowned = DISOWNED.lock().unwrap_or_else(PoisonError::into_inner);
        disowned.push(Arc::clone(&cache.cache));
    }
}

/// Changes the capacity; what does not fit a smaller one is evicted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_set_capacity(cache: *mut rocksdb_cache_t, capacity: usize) {
    quiet((), || cache.as_ref().map_or((), |c| c.cache.set_capacity(capacity)));
}

unsafe fn number(cache: *const rocksdb_cache_t, read: impl FnOnce(&Cache) -> usize) -> usize {
    quiet(0, || cache.as_ref().map_or(0, |c| read(&c.cache)))
}

/// The capacity in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_capacity(cache: *const rocksdb_cache_t) -> usize {
    number(cache, Cache::capacity)
}

/// Bytes in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_usage(cache: *const rocksdb_cache_t) -> usize {
    number(cache, Cache::usage)
}

/// Bytes in use that cannot be evicted now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_pinned_usage(cache: *const rocksdb_cache_t) -> usize {
    number(cache, Cache::pinned_usage)
}

/// Places that the cache has for entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_table_address_count(
    cache: *const rocksdb_cache_t,
) -> usize {
    number(cache, Cache::places)
}

/// Entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_occupancy_count(cache: *const rocksdb_cache_t) -> usize {
    number(cache, Cache::len)
}

/// New options of an LRU cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_lru_cache_options_create() -> *mut rocksdb_lru_cache_options_t {
    give(rocksdb_lru_cache_options_t { capacity: 0, num_shard_bits: -1 })
}

/// Gives them back.
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

/// New options of a HyperClockCache.
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

/// Gives them back.
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

/// Fails as in a RocksDB without jemalloc; the handle is valid all the same.
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

/// Gives an allocator back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memory_allocator_destroy(handle: *mut rocksdb_memory_allocator_t) {
    destroy(handle);
}
