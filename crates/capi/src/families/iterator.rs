//! `rocksdb_iterator_t`.

use super::read::rocksdb_slice_t;
use super::{rocksdb_column_family_handle_t, rocksdb_readoptions_t, rocksdb_t};
use crate::bytes::{array, put, slice};
use crate::errptr::{quiet, run, save};
use crate::handles::{destroy, get, give};
use ferrolith::db::DbIterator;
use ferrolith::{Error, Result};
use std::ffi::{c_char, c_uchar};
use std::ptr;

/// An iterator, or the error that prevented it: RocksDB hands that out on `get_error`.
pub struct rocksdb_iterator_t {
    state: Result<DbIterator>,
}

impl rocksdb_iterator_t {
    pub(crate) fn new(state: Result<DbIterator>) -> rocksdb_iterator_t {
        rocksdb_iterator_t { state }
    }

    fn status(&self) -> Result<()> {
        match &self.state {
            Ok(iter) => iter.status(),
            Err(e) => Err(Error::new(e.code(), e.message())),
        }
    }
}

/// An iterator over the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_iterator(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
) -> *mut rocksdb_iterator_t {
    quiet(ptr::null_mut(), || {
        give(rocksdb_iterator_t::new((|| get(db)?.db.iter(&get(options)?.inner))()))
    })
}

/// An iterator over a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_iterator_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
) -> *mut rocksdb_iterator_t {
    quiet(ptr::null_mut(), || {
        let open = || get(db)?.db.iter_cf(&get(options)?.inner, &get(column_family)?.cf);
        give(rocksdb_iterator_t::new(open()))
    })
}

/// Iterators over several column families, as of one moment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_iterators(
    db: *mut rocksdb_t,
    opts: *mut rocksdb_readoptions_t,
    column_families: *mut *mut rocksdb_column_family_handle_t,
    iterators: *mut *mut rocksdb_iterator_t,
    size: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let (db, mut options) = (&get(db)?.db, get(opts)?.inner.clone());
        let snapshot = options.snapshot.is_none().then(|| db.snapshot());
        options.snapshot = options.snapshot.or(snapshot.as_ref().map(|s| s.sequence()));
        let families = array(column_families, size).iter();
        let opened: Result<Vec<_>> =
            families.map(|&cf| db.iter_cf(&options, &get(cf)?.cf)).collect();
        for (i, iter) in opened?.into_iter().enumerate() {
            put(iterators.add(i), give(rocksdb_iterator_t::new(Ok(iter))));
        }
        Ok(())
    });
}

/// Gives an iterator back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_destroy(handle: *mut rocksdb_iterator_t) {
    destroy(handle);
}

/// Moves an iterator that could be opened.
unsafe fn step(handle: *mut rocksdb_iterator_t, go: impl FnOnce(&mut DbIterator)) {
    quiet((), || {
        if let Some(rocksdb_iterator_t { state: Ok(iter) }) = handle.as_mut() {
            go(iter);
        }
    });
}

/// The open iterator behind a handle.
unsafe fn open<'a>(handle: *const rocksdb_iterator_t) -> Option<&'a DbIterator> {
    handle.as_ref().and_then(|h| h.state.as_ref().ok())
}

/// Whether the iterator stands on an entry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_valid(handle: *const rocksdb_iterator_t) -> c_uchar {
    open(handle).map_or(0, |iter| c_uchar::from(iter.valid()))
}

/// Goes to the first entry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_seek_to_first(handle: *mut rocksdb_iterator_t) {
    step(handle, |iter| iter.seek_to_first());
}

/// Goes to the last entry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_seek_to_last(handle: *mut rocksdb_iterator_t) {
    step(handle, |iter| iter.seek_to_last());
}

/// Goes to the first entry at or after a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_seek(
    handle: *mut rocksdb_iterator_t,
    k: *const c_char,
    klen: usize,
) {
    step(handle, |iter| iter.seek(slice(k, klen)));
}

/// Goes to the last entry at or before a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_seek_for_prev(
    handle: *mut rocksdb_iterator_t,
    k: *const c_char,
    klen: usize,
) {
    step(handle, |iter| iter.seek_for_prev(slice(k, klen)));
}

/// One entry on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_next(handle: *mut rocksdb_iterator_t) {
    step(handle, |iter| {
        if iter.valid() {
            iter.next();
        }
    });
}

/// One entry back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_prev(handle: *mut rocksdb_iterator_t) {
    step(handle, |iter| {
        if iter.valid() {
            iter.prev();
        }
    });
}

/// The key of the entry; empty where the iterator is on none.
unsafe fn current<'a>(
    handle: *const rocksdb_iterator_t,
    part: impl FnOnce(&'a DbIterator) -> &'a [u8],
) -> &'a [u8] {
    quiet(&[], || match open(handle) {
        Some(iter) if iter.valid() => part(iter),
        _ => &[],
    })
}

/// The key of the entry. Valid until the iterator moves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_key(
    handle: *const rocksdb_iterator_t,
    klen: *mut usize,
) -> *const c_char {
    let key = current(handle, |iter| iter.key());
    put(klen, key.len());
    key.as_ptr().cast()
}

/// The value of the entry. Valid until the iterator moves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_value(
    handle: *const rocksdb_iterator_t,
    vlen: *mut usize,
) -> *const c_char {
    let value = current(handle, |iter| iter.value());
    put(vlen, value.len());
    value.as_ptr().cast()
}

/// The key of the entry, by value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_key_slice(
    iter: *const rocksdb_iterator_t,
) -> rocksdb_slice_t {
    rocksdb_slice_t::of(current(iter, |iter| iter.key()))
}

/// The value of the entry, by value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_value_slice(
    iter: *const rocksdb_iterator_t,
) -> rocksdb_slice_t {
    rocksdb_slice_t::of(current(iter, |iter| iter.value()))
}

/// Always empty: user-defined timestamps are not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_timestamp(
    _handle: *const rocksdb_iterator_t,
    tslen: *mut usize,
) -> *const c_char {
    put(tslen, 0);
    [].as_ptr()
}

/// Always empty: user-defined timestamps are not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_timestamp_slice(
    _iter: *const rocksdb_iterator_t,
) -> rocksdb_slice_t {
    rocksdb_slice_t::of(&[])
}

/// What went wrong, if anything did.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_get_error(
    handle: *const rocksdb_iterator_t,
    errptr: *mut *mut c_char,
) {
    if let Some(Err(e)) = handle.as_ref().map(rocksdb_iterator_t::status) {
        save(errptr, &e);
    }
}
