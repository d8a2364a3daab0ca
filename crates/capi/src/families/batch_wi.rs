//! `rocksdb_writebatch_wi_t`: a batch that can be read before it is written.

use super::batch::{DefaultFamilyRecords, OnDelete, OnPut, joined};
use super::iterator::{BatchPointer, rocksdb_iterator_t};
use super::{
    rocksdb_column_family_handle_t, rocksdb_comparator_t, rocksdb_t, rocksdb_writeoptions_t,
};
use crate::bytes::{put, slice};
use crate::errptr::{quiet, run};
use crate::handles::{destroy, get, get_mut, give};
use ferrolith::Result;
use ferrolith::internal::base::KeyOrder;
use ferrolith::internal::batch::{IndexedBatch, iterate};
use std::ffi::{c_char, c_int, c_uchar, c_void};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Writes that can be read before they are committed.
pub struct rocksdb_writebatch_wi_t {
    pub(crate) inner: Place,
    /// The maximum number of bytes, 0 for no limit: records that do not fit are omitted, as in RocksDB.
    max_bytes: usize,
}

/// The owner of the batch.
pub(crate) enum Place {
    /// This handle.
    Owned(IndexedBatch),
    /// A transaction, which outlives the handle.
    Transaction(*mut IndexedBatch),
}

impl Deref for Place {
    type Target = IndexedBatch;
    fn deref(&self) -> &IndexedBatch {
        match self {
            Place::Owned(batch) => batch,
            // SAFETY: also RocksDB's rule: such a handle is used only while its transaction lives.
            Place::Transaction(batch) => unsafe { &**batch },
        }
    }
}

impl DerefMut for Place {
    fn deref_mut(&mut self) -> &mut IndexedBatch {
        match self {
            Place::Owned(batch) => batch,
            // SAFETY: as above; and the caller uses one thread for a transaction at a time.
            Place::Transaction(batch) => unsafe { &mut **batch },
        }
    }
}

/// Returns a handle of a transaction's batch, in memory that the caller passes to `free`.
pub(super) unsafe fn borrowed(batch: *mut IndexedBatch) -> *mut rocksdb_writebatch_wi_t {
    let p = libc::malloc(size_of::<rocksdb_writebatch_wi_t>()).cast::<rocksdb_writebatch_wi_t>();
    if !p.is_null() {
        p.write(rocksdb_writebatch_wi_t { inner: Place::Transaction(batch), max_bytes: 0 });
    }
    p
}

/// Adds a record. Its error is lost, as in RocksDB's C ABI. NULL does nothing.
unsafe fn add(
    batch: *mut rocksdb_writebatch_wi_t,
    cf: *mut rocksdb_column_family_handle_t,
    record: impl FnOnce(&mut IndexedBatch, u32) -> Result<()>,
) {
    quiet((), || {
        let Some(rocksdb_writebatch_wi_t { inner, max_bytes }) = batch.as_mut() else { return };
        let id = match cf.as_ref() {
            Some(cf) => {
                inner.register(cf.cf.id(), cf.cf.key_order());
                cf.cf.id()
            }
            None => 0,
        };
        let _ = inner.add_within(*max_bytes, |batch| record(batch, id));
    });
}

/// No column family handle, which means the default family.
const DEFAULT: *mut rocksdb_column_family_handle_t = std::ptr::null_mut();

/// Creates an empty batch. Reads return the newest update of a key whether `overwrite_keys` is set or not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_create(
    reserved_bytes: usize,
    _overwrite_keys: c_uchar,
) -> *mut rocksdb_writebatch_wi_t {
    let inner = IndexedBatch::new(KeyOrder::bytewise(), reserved_bytes.min(1 << 30));
    give(rocksdb_writebatch_wi_t { inner: Place::Owned(inner), max_bytes: 0 })
}

/// Creates an empty batch with a comparator for the default family's keys, and a limit. Checksums per key are accepted
/// without effect.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_create_with_params(
    backup_index_comparator: *mut rocksdb_comparator_t,
    reserved_bytes: usize,
    _overwrite_key: c_uchar,
    max_bytes: usize,
    _protection_bytes_per_key: usize,
) -> *mut rocksdb_writebatch_wi_t {
    let order = match backup_index_comparator.as_ref() {
        Some(comparator) => KeyOrder::new(Arc::clone(&comparator.inner)),
        None => KeyOrder::bytewise(),
    };
    let inner = IndexedBatch::new(order, reserved_bytes.min(1 << 30));
    give(rocksdb_writebatch_wi_t { inner: Place::Owned(inner), max_bytes })
}

/// Destroys a batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_destroy(handle: *mut rocksdb_writebatch_wi_t) {
    destroy(handle);
}

/// Empties a batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_clear(handle: *mut rocksdb_writebatch_wi_t) {
    if let Some(batch) = handle.as_mut() {
        batch.inner.clear();
    }
}

/// Returns the number of records in a batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_count(b: *mut rocksdb_writebatch_wi_t) -> c_int {
    b.as_ref().map_or(0, |batch| batch.inner.batch().count() as c_int)
}

/// Sets a key of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_put(
    handle: *mut rocksdb_writebatch_wi_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
) {
    add(handle, DEFAULT, |b, cf| b.put_cf(cf, slice(key, klen), slice(val, vlen)));
}

/// Sets a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_put_cf(
    handle: *mut rocksdb_writebatch_wi_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
) {
    add(handle, column_family, |b, cf| b.put_cf(cf, slice(key, klen), slice(val, vlen)));
}

/// Sets a key; key and value are given in parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_putv(
    b: *mut rocksdb_writebatch_wi_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    num_values: c_int,
    values_list: *const *const c_char,
    values_list_sizes: *const usize,
) {
    let key = joined(num_keys, keys_list, keys_list_sizes);
    let value = joined(num_values, values_list, values_list_sizes);
    add(b, DEFAULT, |b, cf| b.put_cf(cf, &key, &value));
}

/// Sets a key; key and value are given in parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_putv_cf(
    b: *mut rocksdb_writebatch_wi_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    num_values: c_int,
    values_list: *const *const c_char,
    values_list_sizes: *const usize,
) {
    let key = joined(num_keys, keys_list, keys_list_sizes);
    let value = joined(num_values, values_list, values_list_sizes);
    add(b, column_family, |b, cf| b.put_cf(cf, &key, &value));
}

/// Adds a merge operand to a key of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_merge(
    handle: *mut rocksdb_writebatch_wi_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
) {
    add(handle, DEFAULT, |b, cf| b.merge_cf(cf, slice(key, klen), slice(val, vlen)));
}

/// Adds a merge operand to a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_merge_cf(
    handle: *mut rocksdb_writebatch_wi_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
) {
    add(handle, column_family, |b, cf| b.merge_cf(cf, slice(key, klen), slice(val, vlen)));
}

/// Adds a merge operand; key and operand are given in parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_mergev(
    b: *mut rocksdb_writebatch_wi_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    num_values: c_int,
    values_list: *const *const c_char,
    values_list_sizes: *const usize,
) {
    let key = joined(num_keys, keys_list, keys_list_sizes);
    let value = joined(num_values, values_list, values_list_sizes);
    add(b, DEFAULT, |b, cf| b.merge_cf(cf, &key, &value));
}

/// Adds a merge operand; key and operand are given in parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_mergev_cf(
    b: *mut rocksdb_writebatch_wi_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    num_values: c_int,
    values_list: *const *const c_char,
    values_list_sizes: *const usize,
) {
    let key = joined(num_keys, keys_list, keys_list_sizes);
    let value = joined(num_values, values_list, values_list_sizes);
    add(b, column_family, |b, cf| b.merge_cf(cf, &key, &value));
}

/// Deletes a key of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_delete(
    handle: *mut rocksdb_writebatch_wi_t,
    key: *const c_char,
    klen: usize,
) {
    add(handle, DEFAULT, |b, cf| b.delete_cf(cf, slice(key, klen)));
}

/// Deletes a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_delete_cf(
    handle: *mut rocksdb_writebatch_wi_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
) {
    add(handle, column_family, |b, cf| b.delete_cf(cf, slice(key, klen)));
}

/// Deletes a key that was put once, in the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_singledelete(
    handle: *mut rocksdb_writebatch_wi_t,
    key: *const c_char,
    klen: usize,
) {
    add(handle, DEFAULT, |b, cf| b.single_delete_cf(cf, slice(key, klen)));
}

/// Deletes a key that was put once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_singledelete_cf(
    handle: *mut rocksdb_writebatch_wi_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
) {
    add(handle, column_family, |b, cf| b.single_delete_cf(cf, slice(key, klen)));
}

/// Deletes a key that is given in parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_deletev(
    b: *mut rocksdb_writebatch_wi_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
) {
    let key = joined(num_keys, keys_list, keys_list_sizes);
    add(b, DEFAULT, |b, cf| b.delete_cf(cf, &key));
}

/// Deletes a key that is given in parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_deletev_cf(
    b: *mut rocksdb_writebatch_wi_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
) {
    let key = joined(num_keys, keys_list, keys_list_sizes);
    add(b, column_family, |b, cf| b.delete_cf(cf, &key));
}

/// Accepted without effect: RocksDB also refuses range deletions in an indexed batch, and its C ABI does not report
/// that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_delete_range(
    _b: *mut rocksdb_writebatch_wi_t,
    _start_key: *const c_char,
    _start_key_len: usize,
    _end_key: *const c_char,
    _end_key_len: usize,
) {
}

/// Accepted without effect, as `rocksdb_writebatch_wi_delete_range`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_delete_range_cf(
    _b: *mut rocksdb_writebatch_wi_t,
    _column_family: *mut rocksdb_column_family_handle_t,
    _start_key: *const c_char,
    _start_key_len: usize,
    _end_key: *const c_char,
    _end_key_len: usize,
) {
}

/// Accepted without effect, as `rocksdb_writebatch_wi_delete_range`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_delete_rangev(
    _b: *mut rocksdb_writebatch_wi_t,
    _num_keys: c_int,
    _start_keys_list: *const *const c_char,
    _start_keys_list_sizes: *const usize,
    _end_keys_list: *const *const c_char,
    _end_keys_list_sizes: *const usize,
) {
}

/// Accepted without effect, as `rocksdb_writebatch_wi_delete_range`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_delete_rangev_cf(
    _b: *mut rocksdb_writebatch_wi_t,
    _column_family: *mut rocksdb_column_family_handle_t,
    _num_keys: c_int,
    _start_keys_list: *const *const c_char,
    _start_keys_list_sizes: *const usize,
    _end_keys_list: *const *const c_char,
    _end_keys_list_sizes: *const usize,
) {
}

/// Adds bytes that are written to the log only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_put_log_data(
    handle: *mut rocksdb_writebatch_wi_t,
    blob: *const c_char,
    len: usize,
) {
    add(handle, DEFAULT, |b, _| b.put_log_data(slice(blob, len)));
}

/// Iterates over the records of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_iterate(
    b: *mut rocksdb_writebatch_wi_t,
    state: *mut c_void,
    put: OnPut,
    deleted: OnDelete,
) {
    quiet((), || {
        if let Some(batch) = b.as_ref() {
            let mut records = DefaultFamilyRecords { state, put, deleted };
            let _ = iterate(batch.inner.batch().data(), &mut records);
        }
    });
}

/// Returns the encoding. Valid until the batch changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_data(
    b: *mut rocksdb_writebatch_wi_t,
    size: *mut usize,
) -> *const c_char {
    let data: &[u8] = b.as_ref().map_or(&[], |batch| batch.inner.batch().data());
    put(size, data.len());
    data.as_ptr().cast()
}

/// Sets a save point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_set_save_point(
    handle: *mut rocksdb_writebatch_wi_t,
) {
    if let Some(batch) = handle.as_mut() {
        batch.inner.set_save_point();
    }
}

/// Rolls back to the newest save point and removes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_wi_rollback_to_save_point(
    handle: *mut rocksdb_writebatch_wi_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(handle)?.inner.rollback_to_save_point());
}

/// Commits a batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_writebatch_wi(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    wbwi: *mut rocksdb_writebatch_wi_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let batch = get_mut(wbwi)?.inner.batch_mut();
        get(db)?.db.write(&get(options)?.inner, batch)
    });
}

/// Returns access to the batch for an iterator.
pub(super) unsafe fn pointer(wbwi: *const rocksdb_writebatch_wi_t) -> Result<BatchPointer> {
    Ok(BatchPointer::new(&raw const *get(wbwi)?.inner))
}

/// Takes ownership of the base of an iterator with a batch.
pub(super) unsafe fn take_base(base: *mut rocksdb_iterator_t) -> Option<rocksdb_iterator_t> {
    (!base.is_null()).then(|| *Box::from_raw(base))
}
