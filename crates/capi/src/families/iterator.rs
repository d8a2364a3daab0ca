//! `rocksdb_iterator_t`.

use super::read::rocksdb_slice_t;
use super::{rocksdb_column_family_handle_t, rocksdb_readoptions_t, rocksdb_t};
use crate::bytes::{array, put, slice};
use crate::errptr::{quiet, run, save};
use crate::handles::{destroy, get, get_mut, give};
use ferrolith::internal::batch::IndexedBatch;
use ferrolith::internal::db::{BatchIterator, DbIterator};
use ferrolith::{Error, Result};
use std::ffi::{c_char, c_uchar};
use std::ops::Deref;
use std::ptr;

/// Gives an iterator access to a batch.
pub(crate) struct BatchPointer(*const IndexedBatch);

impl BatchPointer {
    /// # Safety
    /// The batch outlives the iterator, as RocksDB demands.
    pub(crate) unsafe fn new(batch: *const IndexedBatch) -> BatchPointer {
        BatchPointer(batch)
    }
}

impl Deref for BatchPointer {
    type Target = IndexedBatch;
    fn deref(&self) -> &IndexedBatch {
        // SAFETY: guaranteed by the caller of `new`.
        unsafe { &*self.0 }
    }
}

/// An iterator. The common variant is not boxed: one allocation for each iterator.
#[expect(clippy::large_enum_variant, reason = "the common one is the large one")]
pub enum rocksdb_iterator_t {
    /// Over a database.
    Db(DbIterator),
    /// Over a database and a batch.
    Batch(Box<BatchIterator<BatchPointer>>),
    /// The error that prevented the iterator: as in RocksDB, `get_error` returns it.
    Failed(Error),
}

impl rocksdb_iterator_t {
    pub(crate) fn new(opened: Result<DbIterator>) -> rocksdb_iterator_t {
        opened.map_or_else(rocksdb_iterator_t::Failed, rocksdb_iterator_t::Db)
    }

    fn status(&self) -> Result<()> {
        match self {
            rocksdb_iterator_t::Db(iter) => iter.status(),
            rocksdb_iterator_t::Batch(iter) => iter.status(),
            rocksdb_iterator_t::Failed(e) => Err(e.clone()),
        }
    }
}

/// Calls the same method of either kind of iterator; a failed one returns `$otherwise`.
macro_rules! on {
    ($handle:expr, $iter:ident => $call:expr, $otherwise:expr) => {
        match $handle {
            Some(rocksdb_iterator_t::Db($iter)) => $call,
            Some(rocksdb_iterator_t::Batch($iter)) => $call,
            Some(rocksdb_iterator_t::Failed(_)) | None => $otherwise,
        }
    };
}

/// Creates an iterator over the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_iterator(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
) -> *mut rocksdb_iterator_t {
    quiet(ptr::null_mut(), || {
        give(rocksdb_iterator_t::new((|| get(db)?.db.iter(&get(options)?.inner))()))
    })
}

/// Creates an iterator over a column family.
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

/// Creates iterators over several column families, at one point in time.
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

/// Destroys an iterator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_destroy(handle: *mut rocksdb_iterator_t) {
    destroy(handle);
}

/// Returns whether the iterator is at an entry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_valid(handle: *const rocksdb_iterator_t) -> c_uchar {
    on!(handle.as_ref(), iter => c_uchar::from(iter.valid()), 0)
}

/// Moves to the first entry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_seek_to_first(handle: *mut rocksdb_iterator_t) {
    quiet((), || on!(handle.as_mut(), iter => iter.seek_to_first(), ()));
}

/// Moves to the last entry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_seek_to_last(handle: *mut rocksdb_iterator_t) {
    quiet((), || on!(handle.as_mut(), iter => iter.seek_to_last(), ()));
}

/// Moves to the first entry at or after a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_seek(
    handle: *mut rocksdb_iterator_t,
    k: *const c_char,
    klen: usize,
) {
    quiet((), || on!(handle.as_mut(), iter => iter.seek(slice(k, klen)), ()));
}

/// Moves to the last entry at or before a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_seek_for_prev(
    handle: *mut rocksdb_iterator_t,
    k: *const c_char,
    klen: usize,
) {
    quiet((), || on!(handle.as_mut(), iter => iter.seek_for_prev(slice(k, klen)), ()));
}

/// Moves to the next entry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_next(handle: *mut rocksdb_iterator_t) {
    quiet((), || on!(handle.as_mut(), iter => iter.next(), ()));
}

/// Moves to the previous entry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_prev(handle: *mut rocksdb_iterator_t) {
    quiet((), || on!(handle.as_mut(), iter => iter.prev(), ()));
}

/// Returns the key of the entry. Valid until the iterator moves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_key(
    handle: *const rocksdb_iterator_t,
    klen: *mut usize,
) -> *const c_char {
    let key = on!(handle.as_ref(), iter => iter.key(), &[]);
    put(klen, key.len());
    key.as_ptr().cast()
}

/// Returns the value of the entry. Valid until the iterator moves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_value(
    handle: *const rocksdb_iterator_t,
    vlen: *mut usize,
) -> *const c_char {
    let value = on!(handle.as_ref(), iter => iter.value(), &[]);
    put(vlen, value.len());
    value.as_ptr().cast()
}

/// Returns the key of the entry, as a slice passed by value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_key_slice(
    iter: *const rocksdb_iterator_t,
) -> rocksdb_slice_t {
    rocksdb_slice_t::of(on!(iter.as_ref(), iter => iter.key(), &[]))
}

/// Returns the value of the entry, as a slice passed by value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_value_slice(
    iter: *const rocksdb_iterator_t,
) -> rocksdb_slice_t {
    rocksdb_slice_t::of(on!(iter.as_ref(), iter => iter.value(), &[]))
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

/// Returns the error, if there is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_get_error(
    handle: *const rocksdb_iterator_t,
    errptr: *mut *mut c_char,
) {
    if let Some(Err(e)) = handle.as_ref().map(rocksdb_iterator_t::status) {
        save(errptr, &e);
    }
}

/// Switches to the newest data. The iterator is invalid until the next seek.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_refresh(
    iter: *const rocksdb_iterator_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || match get_mut(iter.cast_mut())? {
        rocksdb_iterator_t::Db(iter) => iter.refresh(),
        _ => Err(Error::not_supported("Refresh() is not supported")),
    });
}
