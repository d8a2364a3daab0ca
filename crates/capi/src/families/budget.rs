//! Budgets that databases may share: rate limiters, write buffer managers, SST file managers.
//!
//! Handles are reference-counted: options keep their objects after the handle is destroyed.

use super::cache::rocksdb_cache_t;
use super::env::rocksdb_env_t;
use super::rocksdb_options_t;
use crate::handles::{destroy, give};
use ferrolith::internal::budget::{
    RateLimiter, RateLimiterMode, SstFileManager, WriteBufferManager,
};
use std::ffi::c_int;
use std::sync::Arc;

/// A rate limiter.
pub struct rocksdb_ratelimiter_t {
    inner: Arc<RateLimiter>,
}

/// A budget of memtable memory.
pub struct rocksdb_write_buffer_manager_t {
    inner: Arc<WriteBufferManager>,
}

/// Tracks the tables of databases.
pub struct rocksdb_sst_file_manager_t {
    inner: Arc<SstFileManager>,
}

/// Creates a limiter for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_ratelimiter_create(
    rate_bytes_per_sec: i64,
    refill_period_us: i64,
    fairness: i32,
) -> *mut rocksdb_ratelimiter_t {
    let inner = RateLimiter::new(rate_bytes_per_sec, refill_period_us, fairness);
    give(rocksdb_ratelimiter_t { inner })
}

/// Creates a limiter for writes whose rate adapts to demand.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_ratelimiter_create_auto_tuned(
    rate_bytes_per_sec: i64,
    refill_period_us: i64,
    fairness: i32,
) -> *mut rocksdb_ratelimiter_t {
    let (rate, mode) = (rate_bytes_per_sec, RateLimiterMode::WritesOnly);
    let inner = RateLimiter::with_mode(rate, refill_period_us, fairness, mode, true);
    give(rocksdb_ratelimiter_t { inner })
}

/// Creates a limiter for reads (0), writes (1) or both (2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_ratelimiter_create_with_mode(
    rate_bytes_per_sec: i64,
    refill_period_us: i64,
    fairness: i32,
    mode: c_int,
    auto_tuned: bool,
) -> *mut rocksdb_ratelimiter_t {
    let mode = match mode {
        0 => RateLimiterMode::ReadsOnly,
        2 => RateLimiterMode::AllIo,
        _ => RateLimiterMode::WritesOnly,
    };
    let rate = rate_bytes_per_sec;
    let inner = RateLimiter::with_mode(rate, refill_period_us, fairness, mode, auto_tuned);
    give(rocksdb_ratelimiter_t { inner })
}

/// Destroys a limiter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_ratelimiter_destroy(handle: *mut rocksdb_ratelimiter_t) {
    destroy(handle);
}

/// Databases opened with these options keep to the limiter; NULL means none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_ratelimiter(
    opt: *mut rocksdb_options_t,
    limiter: *mut rocksdb_ratelimiter_t,
) {
    if let Some(options) = opt.as_mut() {
        options.inner.db.rate_limiter = limiter.as_ref().map(|limiter| Arc::clone(&limiter.inner));
    }
}

/// Creates a budget of this many bytes; 0 means no limit. With `allow_stall`, writers wait while it is exceeded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_create(
    buffer_size: usize,
    allow_stall: bool,
) -> *mut rocksdb_write_buffer_manager_t {
    give(rocksdb_write_buffer_manager_t {
        inner: WriteBufferManager::new(buffer_size, allow_stall),
    })
}

/// Creates a budget whose use is charged to a cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_create_with_cache(
    buffer_size: usize,
    cache: *const rocksdb_cache_t,
    allow_stall: bool,
) -> *mut rocksdb_write_buffer_manager_t {
    let cache = cache.as_ref().map(|cache| Arc::clone(&cache.cache));
    let inner = WriteBufferManager::with_cache(buffer_size, cache, allow_stall);
    give(rocksdb_write_buffer_manager_t { inner })
}

/// Destroys a budget.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_destroy(
    wbm: *mut rocksdb_write_buffer_manager_t,
) {
    destroy(wbm);
}

/// Databases opened with these options share the budget; NULL means none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_write_buffer_manager(
    opt: *mut rocksdb_options_t,
    wbm: *mut rocksdb_write_buffer_manager_t,
) {
    if let Some(options) = opt.as_mut() {
        options.inner.db.components.write_buffer_manager =
            wbm.as_ref().map(|wbm| Arc::clone(&wbm.inner));
    }
}

/// Returns whether there is a limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_enabled(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> bool {
    wbm.as_ref().is_some_and(|h| h.inner.is_enabled())
}

/// Returns whether use is charged to a cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_cost_to_cache(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> bool {
    wbm.as_ref().is_some_and(|h| h.inner.costs_cache())
}

/// Returns the memory of all memtables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_memory_usage(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> usize {
    wbm.as_ref().map_or(0, |h| h.inner.memory_usage())
}

/// Returns the memory of active memtables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_mutable_memtable_memory_usage(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> usize {
    wbm.as_ref().map_or(0, |h| h.inner.mutable_memtable_memory_usage())
}

/// Returns the memory charged to the cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_dummy_entries_in_cache_usage(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> usize {
    wbm.as_ref().map_or(0, |h| h.inner.dummy_entries_in_cache_usage())
}

/// Returns the limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_buffer_size(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> usize {
    wbm.as_ref().map_or(0, |h| h.inner.buffer_size())
}

/// Sets the limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_set_buffer_size(
    wbm: *mut rocksdb_write_buffer_manager_t,
    new_size: usize,
) {
    if let Some(h) = wbm.as_ref() {
        h.inner.set_buffer_size(new_size);
    }
}

/// Sets whether writers wait.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_set_allow_stall(
    wbm: *mut rocksdb_write_buffer_manager_t,
    new_allow_stall: bool,
) {
    if let Some(h) = wbm.as_ref() {
        h.inner.set_allow_stall(new_allow_stall);
    }
}

/// Creates a manager without limits. It uses the file systems of its databases, whatever `env` is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_manager_create(
    _env: *mut rocksdb_env_t,
) -> *mut rocksdb_sst_file_manager_t {
    give(rocksdb_sst_file_manager_t { inner: SstFileManager::new() })
}

/// Destroys a manager.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_manager_destroy(sfm: *mut rocksdb_sst_file_manager_t) {
    destroy(sfm);
}

/// Databases opened with these options have the manager; NULL means none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_sst_file_manager(
    opt: *mut rocksdb_options_t,
    sfm: *mut rocksdb_sst_file_manager_t,
) {
    if let Some(options) = opt.as_mut() {
        options.inner.db.components.sst_file_manager =
            sfm.as_ref().map(|sfm| Arc::clone(&sfm.inner));
    }
}

/// Sets the limit for the total size of all tables in bytes; 0 means no limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_manager_set_max_allowed_space_usage(
    sfm: *mut rocksdb_sst_file_manager_t,
    max_allowed_space: u64,
) {
    if let Some(h) = sfm.as_ref() {
        h.inner.set_max_allowed_space_usage(max_allowed_space);
    }
}

/// Sets the number of bytes that compactions leave free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_manager_set_compaction_buffer_size(
    sfm: *mut rocksdb_sst_file_manager_t,
    compaction_buffer_size: u64,
) {
    if let Some(h) = sfm.as_ref() {
        h.inner.set_compaction_buffer_size(compaction_buffer_size);
    }
}

/// Returns whether the limit is reached.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_manager_is_max_allowed_space_reached(
    sfm: *mut rocksdb_sst_file_manager_t,
) -> bool {
    sfm.as_ref().is_some_and(|h| h.inner.is_max_allowed_space_reached())
}

/// Returns whether the limit would be reached if running compactions wrote all that they may.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_manager_is_max_allowed_space_reached_including_compactions(
    sfm: *mut rocksdb_sst_file_manager_t,
) -> bool {
    sfm.as_ref().is_some_and(|h| h.inner.is_max_allowed_space_reached_including_compactions())
}

/// Returns the total size of all tables in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_manager_get_total_size(
    sfm: *mut rocksdb_sst_file_manager_t,
) -> u64 {
    sfm.as_ref().map_or(0, |h| h.inner.total_size())
}

/// Returns the delete rate in bytes per second.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_manager_get_delete_rate_bytes_per_second(
    sfm: *mut rocksdb_sst_file_manager_t,
) -> i64 {
    sfm.as_ref().map_or(0, |h| h.inner.delete_rate_bytes_per_second())
}

/// Sets the delete rate; 0 or less means immediate deletion.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_manager_set_delete_rate_bytes_per_second(
    sfm: *mut rocksdb_sst_file_manager_t,
    delete_rate: i64,
) {
    if let Some(h) = sfm.as_ref() {
        h.inner.set_delete_rate_bytes_per_second(delete_rate);
    }
}

/// Returns the maximum ratio of trash to tables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_manager_get_max_trash_db_ratio(
    sfm: *mut rocksdb_sst_file_manager_t,
) -> f64 {
    sfm.as_ref().map_or(0.0, |h| h.inner.max_trash_db_ratio())
}

/// Sets the ratio.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_manager_set_max_trash_db_ratio(
    sfm: *mut rocksdb_sst_file_manager_t,
    ratio: f64,
) {
    if let Some(h) = sfm.as_ref() {
        h.inner.set_max_trash_db_ratio(ratio);
    }
}

/// Returns the total size of files that wait to be deleted, in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_manager_get_total_trash_size(
    sfm: *mut rocksdb_sst_file_manager_t,
) -> u64 {
    sfm.as_ref().map_or(0, |h| h.inner.total_trash_size())
}
