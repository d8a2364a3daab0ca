//! `rocksdb_env_t`: the file system of a database, and related functions.
//!
//! The engine has separate threads for each database, so the sizes of RocksDB's shared pools are stored and returned,
//! but have no effect.

use crate::bytes::path;
use crate::errptr::run;
use crate::handles::{destroy, get, give};
use ferrolith::internal::fs::{FileSystem, mem::MemFs, posix};
use ferrolith::internal::options::DbPath;
use std::ffi::{c_char, c_int};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// The file system to use.
pub struct rocksdb_env_t {
    /// `None` means the operating system's.
    pub(crate) fs: Option<Arc<dyn FileSystem>>,
}

impl rocksdb_env_t {
    pub(crate) fn file_system(&self) -> Arc<dyn FileSystem> {
        self.fs.clone().unwrap_or_else(posix)
    }
}

/// Options for opening files: RocksDB's C ABI creates them but has no setters.
pub struct rocksdb_envoptions_t;

/// A directory for tables.
pub struct rocksdb_dbpath_t {
    pub(crate) inner: DbPath,
}

/// The thread counts of RocksDB's pools, which all its environments share.
struct Pools {
    bottom: AtomicI32,
    low: AtomicI32,
    high: AtomicI32,
}

static POOLS: Pools =
    Pools { bottom: AtomicI32::new(0), low: AtomicI32::new(0), high: AtomicI32::new(0) };

fn set_threads(pool: &AtomicI32, n: c_int) {
    pool.store(n.max(0), Relaxed);
}

/// Sets the pool sizes that `IncreaseParallelism` chooses.
pub(crate) fn set_low_and_high_threads(low: c_int, high: c_int) {
    set_threads(&POOLS.low, low);
    set_threads(&POOLS.high, high);
}

/// Creates an environment with the operating system's files.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_default_env() -> *mut rocksdb_env_t {
    give(rocksdb_env_t { fs: None })
}

/// Creates an environment with files in memory, which are freed with their last user.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_mem_env() -> *mut rocksdb_env_t {
    give(rocksdb_env_t { fs: Some(Arc::new(MemFs::new())) })
}

/// Releases an environment. Databases that use it keep it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_destroy(handle: *mut rocksdb_env_t) {
    destroy(handle);
}

/// Accepted without effect: each database has threads of its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_set_background_threads(_env: *mut rocksdb_env_t, n: c_int) {
    set_threads(&POOLS.low, n);
}

/// Returns the value that was set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_get_background_threads(_env: *mut rocksdb_env_t) -> c_int {
    POOLS.low.load(Relaxed)
}

/// Accepted without effect: each database has threads of its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_set_low_priority_background_threads(
    _env: *mut rocksdb_env_t,
    n: c_int,
) {
    set_threads(&POOLS.low, n);
}

/// Returns the value that was set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_get_low_priority_background_threads(
    _env: *mut rocksdb_env_t,
) -> c_int {
    POOLS.low.load(Relaxed)
}

/// Accepted without effect: each database has threads of its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_set_high_priority_background_threads(
    _env: *mut rocksdb_env_t,
    n: c_int,
) {
    set_threads(&POOLS.high, n);
}

/// Returns the value that was set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_get_high_priority_background_threads(
    _env: *mut rocksdb_env_t,
) -> c_int {
    POOLS.high.load(Relaxed)
}

/// Accepted without effect: each database has threads of its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_set_bottom_priority_background_threads(
    _env: *mut rocksdb_env_t,
    n: c_int,
) {
    set_threads(&POOLS.bottom, n);
}

/// Returns the value that was set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_get_bottom_priority_background_threads(
    _env: *mut rocksdb_env_t,
) -> c_int {
    POOLS.bottom.load(Relaxed)
}

/// Accepted without effect: closing a database joins its threads, and there are no others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_join_all_threads(_env: *mut rocksdb_env_t) {}

/// Accepted without effect: threads keep their priority.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_lower_thread_pool_io_priority(_env: *mut rocksdb_env_t) {}

/// Accepted without effect: threads keep their priority.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_lower_high_priority_thread_pool_io_priority(
    _env: *mut rocksdb_env_t,
) {
}

/// Accepted without effect: threads keep their priority.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_lower_thread_pool_cpu_priority(_env: *mut rocksdb_env_t) {}

/// Accepted without effect: threads keep their priority.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_lower_high_priority_thread_pool_cpu_priority(
    _env: *mut rocksdb_env_t,
) {
}

/// Creates a directory if it does not exist, but not its parents.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_dir_if_missing(
    env: *mut rocksdb_env_t,
    name: *const c_char,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get(env)?.file_system().create_dir_if_missing(&path(name)));
}

/// Creates options of files.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_envoptions_create() -> *mut rocksdb_envoptions_t {
    give(rocksdb_envoptions_t)
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_envoptions_destroy(opt: *mut rocksdb_envoptions_t) {
    destroy(opt);
}

/// Creates a directory entry for tables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_dbpath_create(
    name: *const c_char,
    target_size: u64,
) -> *mut rocksdb_dbpath_t {
    give(rocksdb_dbpath_t { inner: DbPath { path: path(name), target_size } })
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_dbpath_destroy(handle: *mut rocksdb_dbpath_t) {
    destroy(handle);
}
