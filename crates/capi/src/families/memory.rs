//! The memory of databases and caches, by purpose.

use super::cache::rocksdb_cache_t;
use super::rocksdb_t;
use crate::errptr::run;
use crate::handles::{destroy, get, give};
use ferrolith::internal::cache::Cache;
use ferrolith::internal::db::Db;
use std::ffi::c_char;
use std::ptr;
use std::sync::Arc;

/// A list of databases and caches.
#[derive(Default)]
pub struct rocksdb_memory_consumers_t {
    dbs: Vec<Db>,
    caches: Vec<Arc<Cache>>,
}

/// Their memory at one point in time, in bytes.
#[derive(Default)]
pub struct rocksdb_memory_usage_t {
    mem_table_total: u64,
    mem_table_unflushed: u64,
    mem_table_readers_total: u64,
    cache_total: u64,
}

/// Creates an empty list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memory_consumers_create() -> *mut rocksdb_memory_consumers_t {
    give(rocksdb_memory_consumers_t::default())
}

/// Adds a database. If it is closed meanwhile, it uses no memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memory_consumers_add_db(
    consumers: *mut rocksdb_memory_consumers_t,
    db: *mut rocksdb_t,
) {
    if let (Some(consumers), Some(db)) = (consumers.as_mut(), db.as_ref()) {
        consumers.dbs.push(db.db.without_keeping_open());
    }
}

/// Adds a cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memory_consumers_add_cache(
    consumers: *mut rocksdb_memory_consumers_t,
    cache: *mut rocksdb_cache_t,
) {
    if let (Some(consumers), Some(cache)) = (consumers.as_mut(), cache.as_ref()) {
        consumers.caches.push(Arc::clone(&cache.cache));
    }
}

/// Destroys the list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memory_consumers_destroy(
    consumers: *mut rocksdb_memory_consumers_t,
) {
    destroy(consumers);
}

/// Queries all of them. A cache that was added twice counts once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_approximate_memory_usage_create(
    consumers: *mut rocksdb_memory_consumers_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_memory_usage_t {
    run(errptr, ptr::null_mut(), || {
        let consumers = get(consumers)?;
        let sum = |property: &str| {
            let numbers = consumers.dbs.iter().map(|db| db.aggregated_property_int(property));
            numbers.map(Option::unwrap_or_default).sum()
        };
        let mut caches: Vec<&Arc<Cache>> = consumers.caches.iter().collect();
        caches.sort_by_key(|cache| Arc::as_ptr(cache));
        caches.dedup_by_key(|cache| Arc::as_ptr(cache));
        Ok(give(rocksdb_memory_usage_t {
            mem_table_total: sum("rocksdb.size-all-mem-tables"),
            mem_table_unflushed: sum("rocksdb.cur-size-all-mem-tables"),
            mem_table_readers_total: sum("rocksdb.estimate-table-readers-mem"),
            cache_total: caches.iter().map(|cache| cache.usage() as u64).sum(),
        }))
    })
}

/// Destroys the figures.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_approximate_memory_usage_destroy(
    usage: *mut rocksdb_memory_usage_t,
) {
    destroy(usage);
}

/// Returns the memory of memtables, including those that only iterators still hold.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_approximate_memory_usage_get_mem_table_total(
    memory_usage: *mut rocksdb_memory_usage_t,
) -> u64 {
    memory_usage.as_ref().map_or(0, |usage| usage.mem_table_total)
}

/// Returns the memory of memtables that are not flushed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_approximate_memory_usage_get_mem_table_unflushed(
    memory_usage: *mut rocksdb_memory_usage_t,
) -> u64 {
    memory_usage.as_ref().map_or(0, |usage| usage.mem_table_unflushed)
}

/// Returns the memory of table readers outside caches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_approximate_memory_usage_get_mem_table_readers_total(
    memory_usage: *mut rocksdb_memory_usage_t,
) -> u64 {
    memory_usage.as_ref().map_or(0, |usage| usage.mem_table_readers_total)
}

/// Returns the memory of the caches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_approximate_memory_usage_get_cache_total(
    memory_usage: *mut rocksdb_memory_usage_t,
) -> u64 {
    memory_usage.as_ref().map_or(0, |usage| usage.cache_total)
}
