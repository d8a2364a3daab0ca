//! Options of databases and operations: the handles. Simple accessors are generated from `abi.tsv`.

use crate::handles::{destroy, give};
use ferrolith::internal::options::{FlushOptions, Options, ReadOptions, WriteOptions};
use std::ffi::c_int;

/// Options of a database and of a column family in one, as RocksDB's C ABI has it.
#[derive(Clone, Default)]
pub struct rocksdb_options_t {
    pub(crate) inner: Options,
}

/// Options of reads.
#[derive(Default)]
pub struct rocksdb_readoptions_t {
    pub(crate) inner: ReadOptions,
}

/// Options of writes.
#[derive(Default)]
pub struct rocksdb_writeoptions_t {
    pub(crate) inner: WriteOptions,
}

/// Options of flushes.
#[derive(Default)]
pub struct rocksdb_flushoptions_t {
    pub(crate) inner: FlushOptions,
}

/// Creates options with RocksDB's defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_create() -> *mut rocksdb_options_t {
    give(rocksdb_options_t::default())
}

/// Destroys options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_destroy(handle: *mut rocksdb_options_t) {
    destroy(handle);
}

/// Creates a copy. Objects behind handles (caches, comparators) are shared.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_create_copy(
    handle: *mut rocksdb_options_t,
) -> *mut rocksdb_options_t {
    give(handle.as_ref().cloned().unwrap_or_default())
}

/// Creates read options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_create() -> *mut rocksdb_readoptions_t {
    give(rocksdb_readoptions_t::default())
}

/// Destroys read options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_destroy(handle: *mut rocksdb_readoptions_t) {
    destroy(handle);
}

/// Creates write options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writeoptions_create() -> *mut rocksdb_writeoptions_t {
    give(rocksdb_writeoptions_t::default())
}

/// Destroys write options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writeoptions_destroy(handle: *mut rocksdb_writeoptions_t) {
    destroy(handle);
}

/// Sets whether writes skip the WAL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writeoptions_disable_WAL(
    opt: *mut rocksdb_writeoptions_t,
    disable: c_int,
) {
    if let Some(options) = opt.as_mut() {
        options.inner.disable_wal = disable != 0;
    }
}

/// Creates flush options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flushoptions_create() -> *mut rocksdb_flushoptions_t {
    give(rocksdb_flushoptions_t::default())
}

/// Destroys flush options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flushoptions_destroy(handle: *mut rocksdb_flushoptions_t) {
    destroy(handle);
}
