//! Read options that point to keys and timestamps. Simple accessors are generated from `abi.tsv`.
//!
//! RocksDB keeps the caller's pointers. Here the bytes are copied, so the caller may free them immediately.

use super::rocksdb_readoptions_t;
use crate::bytes::bound;
use crate::errptr::quiet;
use ferrolith::internal::options::ReadOptions;
use std::ffi::c_char;

unsafe fn set_bytes(
    handle: *mut rocksdb_readoptions_t,
    bytes: Option<&[u8]>,
    field: impl FnOnce(&mut ReadOptions) -> &mut Option<Vec<u8>>,
) {
    quiet((), || {
        if let Some(options) = handle.as_mut() {
            *field(&mut options.inner) = bytes.map(<[u8]>::to_vec);
        }
    });
}

/// An iterator's end, exclusive; NULL means none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_set_iterate_upper_bound(
    handle: *mut rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
) {
    set_bytes(handle, bound(key, keylen), |o| &mut o.iterate_upper_bound);
}

/// An iterator's first key; NULL means none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_set_iterate_lower_bound(
    handle: *mut rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
) {
    set_bytes(handle, bound(key, keylen), |o| &mut o.iterate_lower_bound);
}

/// The timestamp to read at; NULL means none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_set_timestamp(
    handle: *mut rocksdb_readoptions_t,
    ts: *const c_char,
    tslen: usize,
) {
    set_bytes(handle, bound(ts, tslen), |o| &mut o.timestamp);
}

/// The oldest timestamp that an iterator shows; NULL means none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_set_iter_start_ts(
    handle: *mut rocksdb_readoptions_t,
    ts: *const c_char,
    tslen: usize,
) {
    set_bytes(handle, bound(ts, tslen), |o| &mut o.iter_start_ts);
}
