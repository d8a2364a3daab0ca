//! Reading inside a transaction.

use super::batch_wi_read;
use super::iterator::{BatchPointer, rocksdb_iterator_t};
use super::read::{fail_all, rocksdb_pinnableslice_t, store_answer, to_caller};
use super::transaction::rocksdb_transaction_t;
use super::{rocksdb_column_family_handle_t, rocksdb_readoptions_t};
use crate::bytes::{array, put, slice};
use crate::errptr::{quiet, run};
use crate::handles::{get, get_mut, give};
use ferrolith::Result;
use ferrolith::internal::base::PinnedValue;
use ferrolith::internal::db::BatchIterator;
use std::ffi::{c_char, c_uchar};
use std::ptr;

type Family = *mut rocksdb_column_family_handle_t;

/// Returns the value of a key as the transaction sees it.
unsafe fn look_up(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
    cf: Option<Family>,
    key: &[u8],
) -> Result<Option<PinnedValue>> {
    let txn = get(txn)?;
    txn.inner.get(&get(options)?.inner, &txn.family(cf)?, key)
}

/// The same, but no other writer may change the key until the transaction ends.
unsafe fn look_up_for_update(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
    cf: Option<Family>,
    key: &[u8],
    exclusive: c_uchar,
) -> Result<Option<PinnedValue>> {
    let txn = get_mut(txn)?;
    let cf = txn.family(cf)?;
    txn.inner.get_for_update(&get(options)?.inner, &cf, key, exclusive != 0)
}

/// Returns the value behind a handle; NULL if there is none.
fn pinned(value: Option<PinnedValue>) -> *mut rocksdb_pinnableslice_t {
    value.map_or(ptr::null_mut(), |value| give(rocksdb_pinnableslice_t::of(value)))
}

/// Returns the value of a key of the default column family, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_get(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    klen: usize,
    vlen: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut c_char {
    let value = run(errptr, None, || look_up(txn, options, None, slice(key, klen)));
    to_caller(value, vlen)
}

/// Returns the value of a key, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_get_cf(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
    vlen: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut c_char {
    let value = run(errptr, None, || look_up(txn, options, Some(column_family), slice(key, klen)));
    to_caller(value, vlen)
}

/// Returns the value of a key of the default column family; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_get_pinned(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    klen: usize,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_pinnableslice_t {
    let value = run(errptr, None, || look_up(txn, options, None, slice(key, klen)));
    pinned(value)
}

/// Returns the value of a key; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_get_pinned_cf(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_pinnableslice_t {
    let value = run(errptr, None, || look_up(txn, options, Some(column_family), slice(key, klen)));
    pinned(value)
}

/// Returns the value of a key of the default column family and locks the key until the transaction ends. The caller
/// frees the value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_get_for_update(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    klen: usize,
    vlen: *mut usize,
    exclusive: c_uchar,
    errptr: *mut *mut c_char,
) -> *mut c_char {
    let value =
        run(errptr, None, || look_up_for_update(txn, options, None, slice(key, klen), exclusive));
    to_caller(value, vlen)
}

/// Returns the value of a key, which no other writer may change until the transaction ends. The caller frees it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_get_for_update_cf(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
    vlen: *mut usize,
    exclusive: c_uchar,
    errptr: *mut *mut c_char,
) -> *mut c_char {
    let value = run(errptr, None, || {
        look_up_for_update(txn, options, Some(column_family), slice(key, klen), exclusive)
    });
    to_caller(value, vlen)
}

/// Returns the pinned value of a key of the default column family, or NULL if it has none, and locks the key until
/// the transaction ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_get_pinned_for_update(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    klen: usize,
    exclusive: c_uchar,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_pinnableslice_t {
    let value =
        run(errptr, None, || look_up_for_update(txn, options, None, slice(key, klen), exclusive));
    pinned(value)
}

/// Returns the value of a key, which no other writer may change until the transaction ends; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_get_pinned_for_update_cf(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
    exclusive: c_uchar,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_pinnableslice_t {
    let value = run(errptr, None, || {
        look_up_for_update(txn, options, Some(column_family), slice(key, klen), exclusive)
    });
    pinned(value)
}

/// Looks up many keys, one after the other, and stores the answers in the caller's arrays.
unsafe fn look_up_many(
    num_keys: usize,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    values_list: *mut *mut c_char,
    values_list_sizes: *mut usize,
    errs: *mut *mut c_char,
    look_up: impl Fn(usize, &[u8]) -> Result<Option<PinnedValue>>,
) {
    let lens = array(keys_list_sizes, num_keys);
    for (i, (&key, &len)) in array(keys_list, num_keys).iter().zip(lens).enumerate() {
        let mut failure = ptr::null_mut();
        let answer = run(&mut failure, None, || Ok(Some(look_up(i, slice(key, len)))));
        if let Some(answer) = answer {
            store_answer(answer, values_list.add(i), values_list_sizes.add(i), errs.add(i));
        }
        fail_all(failure, 1, errs.add(i), |_| put(values_list.add(i), ptr::null_mut()));
    }
}

/// Returns the values of many keys of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_multi_get(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
    num_keys: usize,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    values_list: *mut *mut c_char,
    values_list_sizes: *mut usize,
    errs: *mut *mut c_char,
) {
    let find = |_: usize, key: &[u8]| look_up(txn, options, None, key);
    look_up_many(num_keys, keys_list, keys_list_sizes, values_list, values_list_sizes, errs, find);
}

/// Returns the values of many keys, each of its own column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_multi_get_cf(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
    column_families: *const *const rocksdb_column_family_handle_t,
    num_keys: usize,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    values_list: *mut *mut c_char,
    values_list_sizes: *mut usize,
    errs: *mut *mut c_char,
) {
    let find = |i: usize, key: &[u8]| {
        look_up(txn, options, Some((*column_families.add(i)).cast_mut()), key)
    };
    look_up_many(num_keys, keys_list, keys_list_sizes, values_list, values_list_sizes, errs, find);
}

/// Returns the values of many keys of the default column family. No other writer may change the keys until the
/// transaction ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_multi_get_for_update(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
    num_keys: usize,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    values_list: *mut *mut c_char,
    values_list_sizes: *mut usize,
    errs: *mut *mut c_char,
) {
    let find = |_: usize, key: &[u8]| look_up_for_update(txn, options, None, key, 1);
    look_up_many(num_keys, keys_list, keys_list_sizes, values_list, values_list_sizes, errs, find);
}

/// Returns the values of many keys, each of its own column family. No other writer may change the keys until the
/// transaction ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_multi_get_for_update_cf(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
    column_families: *const *const rocksdb_column_family_handle_t,
    num_keys: usize,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    values_list: *mut *mut c_char,
    values_list_sizes: *mut usize,
    errs: *mut *mut c_char,
) {
    let find = |i: usize, key: &[u8]| {
        look_up_for_update(txn, options, Some((*column_families.add(i)).cast_mut()), key, 1)
    };
    look_up_many(num_keys, keys_list, keys_list_sizes, values_list, values_list_sizes, errs, find);
}

/// Creates an iterator over the transaction's view. It must not outlive the transaction.
unsafe fn iterator(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
    cf: Option<Family>,
) -> *mut rocksdb_iterator_t {
    quiet(ptr::null_mut(), || {
        let open = || {
            let (txn, options) = (get(txn)?, &get(options)?.inner);
            let cf = txn.family(cf)?;
            let base = txn.inner.db().iter_cf(options, &cf)?;
            let batch = BatchPointer::new(txn.inner.batch());
            Ok(BatchIterator::new(base, batch, &cf, options))
        };
        give(batch_wi_read::opened(open()))
    })
}

/// Creates an iterator over the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_create_iterator(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
) -> *mut rocksdb_iterator_t {
    iterator(txn, options, None)
}

/// Creates an iterator over a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_create_iterator_cf(
    txn: *mut rocksdb_transaction_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
) -> *mut rocksdb_iterator_t {
    iterator(txn, options, Some(column_family))
}
