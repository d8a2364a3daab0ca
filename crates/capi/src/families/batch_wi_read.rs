//! Reads through a `rocksdb_writebatch_wi_t`: lookups, and iterators over batch and database.

use super::batch_wi::{pointer, rocksdb_writebatch_wi_t, take_base};
use super::iterator::{BatchPointer, rocksdb_iterator_t};
use super::read::{rocksdb_pinnableslice_t, to_caller};
use super::{rocksdb_column_family_handle_t, rocksdb_options_t, rocksdb_readoptions_t, rocksdb_t};
use crate::bytes::slice;
use crate::errptr::{quiet, run};
use crate::handles::{get, give};
use ferrolith::internal::base::PinnedValue;
use ferrolith::internal::db::{BatchIterator, ColumnFamily, get_from_batch};
use ferrolith::internal::options::ReadOptions;
use ferrolith::{Error, Result};
use std::ffi::c_char;
use std::ptr;

/// Returns the value of a key in the batch only, for the caller to free. Merge operands need
/// `rocksdb_writebatch_wi_get_from_batch_cf`, which has the operator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_get_from_batch(
    wbwi: *mut rocksdb_writebatch_wi_t,
    _options: *const rocksdb_options_t,
    key: *const c_char,
    keylen: usize,
    vallen: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut c_char {
    let value =
        run(errptr, None, || get_from_batch(&get(wbwi)?.inner, 0, None, slice(key, keylen)));
    to_caller(value.map(PinnedValue::owned), vallen)
}

/// Returns the value of a key in the batch only, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_get_from_batch_cf(
    wbwi: *mut rocksdb_writebatch_wi_t,
    _options: *const rocksdb_options_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    vallen: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut c_char {
    let value = run(errptr, None, || {
        let cf = &get(column_family)?.cf;
        let options = cf.options();
        let operator = options.merge_operator.as_deref();
        get_from_batch(&get(wbwi)?.inner, cf.id(), operator, slice(key, keylen))
    });
    to_caller(value.map(PinnedValue::owned), vallen)
}

/// Returns the value of a key as if the batch were written; `cf` NULL is the default column family.
unsafe fn look_up(
    wbwi: *mut rocksdb_writebatch_wi_t,
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    cf: Option<*mut rocksdb_column_family_handle_t>,
    key: &[u8],
) -> Result<Option<PinnedValue>> {
    let db = get(db)?;
    let cf = match cf {
        None => &db.default_cf,
        Some(cf) => &get(cf)?.cf,
    };
    db.db.get_with_batch(&get(wbwi)?.inner, &get(options)?.inner, cf, key)
}

/// Returns the value of a key of the default column family, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_get_from_batch_and_db(
    wbwi: *mut rocksdb_writebatch_wi_t,
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
    vallen: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut c_char {
    let value = run(errptr, None, || look_up(wbwi, db, options, None, slice(key, keylen)));
    to_caller(value, vallen)
}

/// Returns the value of a key, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_get_from_batch_and_db_cf(
    wbwi: *mut rocksdb_writebatch_wi_t,
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    vallen: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut c_char {
    let cf = Some(column_family);
    let value = run(errptr, None, || look_up(wbwi, db, options, cf, slice(key, keylen)));
    to_caller(value, vallen)
}

/// Returns the value of a key of the default column family; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_get_pinned_from_batch_and_db(
    wbwi: *mut rocksdb_writebatch_wi_t,
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_pinnableslice_t {
    let value = run(errptr, None, || look_up(wbwi, db, options, None, slice(key, keylen)));
    value.map_or(ptr::null_mut(), |value| give(rocksdb_pinnableslice_t::of(value)))
}

/// Returns the value of a key; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_get_pinned_from_batch_and_db_cf(
    wbwi: *mut rocksdb_writebatch_wi_t,
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_pinnableslice_t {
    let cf = Some(column_family);
    let value = run(errptr, None, || look_up(wbwi, db, options, cf, slice(key, keylen)));
    value.map_or(ptr::null_mut(), |value| give(rocksdb_pinnableslice_t::of(value)))
}

/// Returns an iterator over batch and base. It takes ownership of the base; the batch must outlive it.
unsafe fn with_base(
    wbwi: *mut rocksdb_writebatch_wi_t,
    base: *mut rocksdb_iterator_t,
    cf: Option<&ColumnFamily>,
    bounds: *const rocksdb_readoptions_t,
) -> *mut rocksdb_iterator_t {
    quiet(ptr::null_mut(), || {
        let opened = match take_base(base) {
            Some(rocksdb_iterator_t::Db(base)) => pointer(wbwi).map(|batch| {
                let cf = cf.cloned().unwrap_or_else(|| base.column_family());
                let none = ReadOptions::default();
                let bounds = bounds.as_ref().map_or(&none, |b| &b.inner);
                BatchIterator::new(base, batch, &cf, bounds)
            }),
            Some(rocksdb_iterator_t::Failed(e)) => Err(e),
            _ => Err(Error::invalid_argument("the base must be an iterator over a database")),
        };
        give(self::opened(opened))
    })
}

/// Returns a handle of an iterator over batch and base, or of the error that prevented it.
pub(super) fn opened(iter: Result<BatchIterator<BatchPointer>>) -> rocksdb_iterator_t {
    match iter {
        Ok(iter) => rocksdb_iterator_t::Batch(Box::new(iter)),
        Err(e) => rocksdb_iterator_t::Failed(e),
    }
}

/// Creates an iterator over the batch and the base's column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_create_iterator_with_base(
    wbwi: *mut rocksdb_writebatch_wi_t,
    base_iterator: *mut rocksdb_iterator_t,
) -> *mut rocksdb_iterator_t {
    with_base(wbwi, base_iterator, None, ptr::null())
}

/// Does the same, with the bounds of read options for the batch's keys.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_create_iterator_with_base_readopts(
    wbwi: *mut rocksdb_writebatch_wi_t,
    base_iterator: *mut rocksdb_iterator_t,
    options: *const rocksdb_readoptions_t,
) -> *mut rocksdb_iterator_t {
    with_base(wbwi, base_iterator, None, options)
}

/// Creates an iterator over the batch's keys of a column family and the base.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_create_iterator_with_base_cf(
    wbwi: *mut rocksdb_writebatch_wi_t,
    base_iterator: *mut rocksdb_iterator_t,
    cf: *mut rocksdb_column_family_handle_t,
) -> *mut rocksdb_iterator_t {
    with_base(wbwi, base_iterator, cf.as_ref().map(|cf| &cf.cf), ptr::null())
}

/// Does the same, with the bounds of read options for the batch's keys.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_create_iterator_with_base_cf_readopts(
    wbwi: *mut rocksdb_writebatch_wi_t,
    base_iterator: *mut rocksdb_iterator_t,
    cf: *mut rocksdb_column_family_handle_t,
    options: *const rocksdb_readoptions_t,
) -> *mut rocksdb_iterator_t {
    with_base(wbwi, base_iterator, cf.as_ref().map(|cf| &cf.cf), options)
}
