//! `rocksdb_writebatch_t`: collects writes, and reads and writes their encoding.

use super::rocksdb_column_family_handle_t;
use crate::bytes::{array, put, slice};
use crate::errptr::{quiet, run};
use crate::handles::{destroy, get_mut, give};
use ferrolith::internal::batch::{BatchHandler, WriteBatch, iterate};
use ferrolith::{Error, Result};
use std::ffi::{c_char, c_int, c_void};

/// Writes that are committed together.
#[derive(Default)]
pub struct rocksdb_writebatch_t {
    pub(crate) inner: WriteBatch,
    /// The maximum number of bytes, 0 for no limit: records that do not fit are omitted, as in RocksDB.
    max_bytes: usize,
    /// Bytes given by the caller that are not a batch. They are returned unchanged, and refused when written.
    malformed: Option<(Vec<u8>, Error)>,
}

impl rocksdb_writebatch_t {
    pub(crate) fn new(inner: WriteBatch) -> rocksdb_writebatch_t {
        rocksdb_writebatch_t { inner, ..Default::default() }
    }

    /// Returns the error of a batch that was created from invalid bytes.
    pub(crate) fn sound(&self) -> Result<()> {
        match &self.malformed {
            None => Ok(()),
            Some((_, e)) => Err(e.clone()),
        }
    }

    /// Adds a record. If this fails, the batch is unchanged and the error is lost, as in RocksDB's C ABI.
    fn add(&mut self, record: impl FnOnce(&mut WriteBatch) -> Result<()>) {
        if self.max_bytes == 0 {
            let _ = record(&mut self.inner);
            return;
        }
        self.inner.set_save_point();
        let fits = record(&mut self.inner).is_ok() && self.inner.data_size() <= self.max_bytes;
        let done =
            if fits { self.inner.pop_save_point() } else { self.inner.rollback_to_save_point() };
        debug_assert!(done.is_ok(), "the save point was just set");
    }
}

/// Adds a record to the batch of a handle; NULL does nothing.
unsafe fn add(
    batch: *mut rocksdb_writebatch_t,
    record: impl FnOnce(&mut WriteBatch) -> Result<()>,
) {
    quiet((), || {
        if let Some(batch) = batch.as_mut() {
            batch.add(record);
        }
    });
}

/// Returns the number of a column family; NULL means the default one.
pub(crate) unsafe fn family_id(cf: *mut rocksdb_column_family_handle_t) -> u32 {
    cf.as_ref().map_or(0, |cf| cf.cf.id())
}

/// Joins parts into one key or value.
pub(crate) unsafe fn joined(n: c_int, parts: *const *const c_char, lens: *const usize) -> Vec<u8> {
    let n = usize::try_from(n).unwrap_or(0);
    let parts = array(parts, n).iter().zip(array(lens, n));
    parts.flat_map(|(&p, &len)| slice(p, len)).copied().collect()
}

/// Creates an empty batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_create() -> *mut rocksdb_writebatch_t {
    give(rocksdb_writebatch_t::default())
}

/// Creates a batch from its encoding.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_create_from(
    rep: *const c_char,
    size: usize,
) -> *mut rocksdb_writebatch_t {
    quiet(std::ptr::null_mut(), || {
        let bytes = slice(rep, size).to_vec();
        give(match WriteBatch::from_data(bytes.clone()) {
            Ok(inner) => rocksdb_writebatch_t::new(inner),
            Err(e) => rocksdb_writebatch_t { malformed: Some((bytes, e)), ..Default::default() },
        })
    })
}

/// Creates a batch with reserved memory and a limit. Checksums per key are accepted without effect. User-defined
/// timestamps are not supported: their sizes are ignored until a function that needs them refuses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_create_with_params(
    reserved_bytes: usize,
    max_bytes: usize,
    _protection_bytes_per_key: usize,
    _default_cf_ts_sz: usize,
) -> *mut rocksdb_writebatch_t {
    let inner = WriteBatch::with_capacity(reserved_bytes.min(1 << 30));
    give(rocksdb_writebatch_t { inner, max_bytes, malformed: None })
}

/// Destroys a batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_destroy(handle: *mut rocksdb_writebatch_t) {
    destroy(handle);
}

/// Empties a batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_clear(handle: *mut rocksdb_writebatch_t) {
    if let Some(batch) = handle.as_mut() {
        quiet((), || batch.inner.clear());
        batch.malformed = None;
    }
}

/// Returns the number of records in a batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_count(handle: *mut rocksdb_writebatch_t) -> c_int {
    handle.as_ref().map_or(0, |batch| batch.inner.count() as c_int)
}

/// Sets a key of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_put(
    handle: *mut rocksdb_writebatch_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
) {
    add(handle, |batch| batch.put(slice(key, klen), slice(val, vlen)));
}

/// Sets a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_put_cf(
    handle: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
) {
    let cf = family_id(column_family);
    add(handle, |batch| batch.put_cf(cf, slice(key, klen), slice(val, vlen)));
}

/// Sets a key; key and value are given in parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_putv(
    b: *mut rocksdb_writebatch_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    num_values: c_int,
    values_list: *const *const c_char,
    values_list_sizes: *const usize,
) {
    let key = joined(num_keys, keys_list, keys_list_sizes);
    let value = joined(num_values, values_list, values_list_sizes);
    add(b, |batch| batch.put(&key, &value));
}

/// Sets a key; key and value are given in parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_putv_cf(
    b: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    num_values: c_int,
    values_list: *const *const c_char,
    values_list_sizes: *const usize,
) {
    let cf = family_id(column_family);
    let key = joined(num_keys, keys_list, keys_list_sizes);
    let value = joined(num_values, values_list, values_list_sizes);
    add(b, |batch| batch.put_cf(cf, &key, &value));
}

/// Adds a merge operand to a key of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_merge(
    handle: *mut rocksdb_writebatch_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
) {
    add(handle, |batch| batch.merge(slice(key, klen), slice(val, vlen)));
}

/// Adds a merge operand to a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_merge_cf(
    handle: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
) {
    let cf = family_id(column_family);
    add(handle, |batch| batch.merge_cf(cf, slice(key, klen), slice(val, vlen)));
}

/// Adds a merge operand; key and operand are given in parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_mergev(
    b: *mut rocksdb_writebatch_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    num_values: c_int,
    values_list: *const *const c_char,
    values_list_sizes: *const usize,
) {
    let key = joined(num_keys, keys_list, keys_list_sizes);
    let value = joined(num_values, values_list, values_list_sizes);
    add(b, |batch| batch.merge(&key, &value));
}

/// Adds a merge operand; key and operand are given in parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_mergev_cf(
    b: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    num_values: c_int,
    values_list: *const *const c_char,
    values_list_sizes: *const usize,
) {
    let cf = family_id(column_family);
    let key = joined(num_keys, keys_list, keys_list_sizes);
    let value = joined(num_values, values_list, values_list_sizes);
    add(b, |batch| batch.merge_cf(cf, &key, &value));
}

/// Deletes a key of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete(
    handle: *mut rocksdb_writebatch_t,
    key: *const c_char,
    klen: usize,
) {
    add(handle, |batch| batch.delete(slice(key, klen)));
}

/// Deletes a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete_cf(
    handle: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
) {
    let cf = family_id(column_family);
    add(handle, |batch| batch.delete_cf(cf, slice(key, klen)));
}

/// Deletes a key that was put once, in the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_singledelete(
    b: *mut rocksdb_writebatch_t,
    key: *const c_char,
    klen: usize,
) {
    add(b, |batch| batch.single_delete(slice(key, klen)));
}

/// Deletes a key that was put once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_singledelete_cf(
    b: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
) {
    let cf = family_id(column_family);
    add(b, |batch| batch.single_delete_cf(cf, slice(key, klen)));
}

/// Deletes a key that is given in parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_deletev(
    b: *mut rocksdb_writebatch_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
) {
    let key = joined(num_keys, keys_list, keys_list_sizes);
    add(b, |batch| batch.delete(&key));
}

/// Deletes a key that is given in parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_deletev_cf(
    b: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
) {
    let cf = family_id(column_family);
    let key = joined(num_keys, keys_list, keys_list_sizes);
    add(b, |batch| batch.delete_cf(cf, &key));
}

/// Deletes the keys of the default column family from `start_key` up to but excluding `end_key`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete_range(
    b: *mut rocksdb_writebatch_t,
    start_key: *const c_char,
    start_key_len: usize,
    end_key: *const c_char,
    end_key_len: usize,
) {
    let (begin, end) = (slice(start_key, start_key_len), slice(end_key, end_key_len));
    add(b, |batch| batch.delete_range(begin, end));
}

/// Deletes the keys from `start_key` up to but excluding `end_key`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete_range_cf(
    b: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    start_key: *const c_char,
    start_key_len: usize,
    end_key: *const c_char,
    end_key_len: usize,
) {
    let cf = family_id(column_family);
    let (begin, end) = (slice(start_key, start_key_len), slice(end_key, end_key_len));
    add(b, |batch| batch.delete_range_cf(cf, begin, end));
}

/// Deletes a range of the default column family whose two keys are given in parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete_rangev(
    b: *mut rocksdb_writebatch_t,
    num_keys: c_int,
    start_keys_list: *const *const c_char,
    start_keys_list_sizes: *const usize,
    end_keys_list: *const *const c_char,
    end_keys_list_sizes: *const usize,
) {
    let begin = joined(num_keys, start_keys_list, start_keys_list_sizes);
    let end = joined(num_keys, end_keys_list, end_keys_list_sizes);
    add(b, |batch| batch.delete_range(&begin, &end));
}

/// Deletes a range whose two keys are given in parts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete_rangev_cf(
    b: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: c_int,
    start_keys_list: *const *const c_char,
    start_keys_list_sizes: *const usize,
    end_keys_list: *const *const c_char,
    end_keys_list_sizes: *const usize,
) {
    let cf = family_id(column_family);
    let begin = joined(num_keys, start_keys_list, start_keys_list_sizes);
    let end = joined(num_keys, end_keys_list, end_keys_list_sizes);
    add(b, |batch| batch.delete_range_cf(cf, &begin, &end));
}

/// Adds bytes that are written to the log only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_put_log_data(
    handle: *mut rocksdb_writebatch_t,
    blob: *const c_char,
    len: usize,
) {
    add(handle, |batch| batch.put_log_data(slice(blob, len)));
}

/// Returns the encoding. Valid until the batch changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_data(
    handle: *mut rocksdb_writebatch_t,
    size: *mut usize,
) -> *const c_char {
    let data: &[u8] = match handle.as_ref() {
        None => &[],
        Some(rocksdb_writebatch_t { malformed: Some((bytes, _)), .. }) => bytes,
        Some(batch) => batch.inner.data(),
    };
    put(size, data.len());
    data.as_ptr().cast()
}

/// Sets a save point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_set_save_point(handle: *mut rocksdb_writebatch_t) {
    if let Some(batch) = handle.as_mut() {
        batch.inner.set_save_point();
    }
}

/// Rolls back to the newest save point and removes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_rollback_to_save_point(
    handle: *mut rocksdb_writebatch_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(handle)?.inner.rollback_to_save_point());
}

/// Removes the newest save point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_pop_save_point(
    handle: *mut rocksdb_writebatch_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(handle)?.inner.pop_save_point());
}

pub(crate) type OnPut =
    unsafe extern "C" fn(*mut c_void, *const c_char, usize, *const c_char, usize);
pub(crate) type OnDelete = unsafe extern "C" fn(*mut c_void, *const c_char, usize);

/// Passes on the puts and deletes of the default column family. The iteration ends at a record of another kind or
/// family, as in RocksDB.
pub(crate) struct DefaultFamilyRecords {
    pub(crate) state: *mut c_void,
    pub(crate) put: OnPut,
    pub(crate) deleted: OnDelete,
}

fn not_shown<T>(what: &str) -> Result<T> {
    Err(Error::invalid_argument(what))
}

impl BatchHandler for DefaultFamilyRecords {
    fn put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        if cf != 0 {
            return not_shown("non-default column family and PutCF not implemented");
        }
        // SAFETY: the caller gave a function for exactly this call, and its state.
        unsafe {
            let (k, v) = (key.as_ptr().cast(), value.as_ptr().cast());
            (self.put)(self.state, k, key.len(), v, value.len());
        }
        Ok(())
    }

    fn delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        if cf != 0 {
            return not_shown("non-default column family and DeleteCF not implemented");
        }
        // SAFETY: as in `put`.
        unsafe { (self.deleted)(self.state, key.as_ptr().cast(), key.len()) };
        Ok(())
    }

    fn single_delete(&mut self, cf: u32, _key: &[u8]) -> Result<()> {
        if cf == 0 { Ok(()) } else { not_shown("non-default column family and SingleDeleteCF") }
    }

    fn merge(&mut self, cf: u32, _key: &[u8], _operand: &[u8]) -> Result<()> {
        if cf == 0 { Ok(()) } else { not_shown("non-default column family and MergeCF") }
    }
}

/// Iterates over the records of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_iterate(
    handle: *mut rocksdb_writebatch_t,
    state: *mut c_void,
    put: OnPut,
    deleted: OnDelete,
) {
    show(handle, &mut DefaultFamilyRecords { state, put, deleted });
}

/// Iterates over a batch. If the iteration ends early, no error is reported, as in RocksDB's C ABI.
unsafe fn show(handle: *mut rocksdb_writebatch_t, handler: &mut impl BatchHandler) {
    quiet((), || {
        if let Some(batch) = handle.as_ref() {
            let _ = iterate(batch.inner.data(), handler);
        }
    });
}

type OnPutCf = unsafe extern "C" fn(*mut c_void, u32, *const c_char, usize, *const c_char, usize);
type OnDeleteCf = unsafe extern "C" fn(*mut c_void, u32, *const c_char, usize);

/// Passes on puts, deletes and merges of all column families.
struct Records {
    state: *mut c_void,
    put: OnPutCf,
    deleted: OnDeleteCf,
    merge: OnPutCf,
}

impl BatchHandler for Records {
    fn put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        // SAFETY: the caller gave a function for exactly this call, and its state.
        unsafe {
            let (k, v) = (key.as_ptr().cast(), value.as_ptr().cast());
            (self.put)(self.state, cf, k, key.len(), v, value.len());
        }
        Ok(())
    }

    fn delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        // SAFETY: as in `put`.
        unsafe { (self.deleted)(self.state, cf, key.as_ptr().cast(), key.len()) };
        Ok(())
    }

    fn single_delete(&mut self, cf: u32, _key: &[u8]) -> Result<()> {
        if cf == 0 { Ok(()) } else { not_shown("non-default column family and SingleDeleteCF") }
    }

    fn merge(&mut self, cf: u32, key: &[u8], operand: &[u8]) -> Result<()> {
        // SAFETY: as in `put`.
        unsafe {
            let (k, v) = (key.as_ptr().cast(), operand.as_ptr().cast());
            (self.merge)(self.state, cf, k, key.len(), v, operand.len());
        }
        Ok(())
    }
}

/// Iterates over the records of all column families.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_iterate_cf(
    handle: *mut rocksdb_writebatch_t,
    state: *mut c_void,
    put_cf: OnPutCf,
    deleted_cf: OnDeleteCf,
    merge_cf: OnPutCf,
) {
    show(handle, &mut Records { state, put: put_cf, deleted: deleted_cf, merge: merge_cf });
}
