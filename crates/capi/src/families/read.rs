//! Lookups in all their forms.

use super::{rocksdb_column_family_handle_t, rocksdb_readoptions_t, rocksdb_t};
use crate::bytes::{array, put, slice, to_malloc};
use crate::errptr::{quiet, run, save};
use crate::handles::{destroy, get, give};
use ferrolith::internal::base::{PinnedValue, ValueBuffer};
use ferrolith::internal::db::ColumnFamily;
use ferrolith::internal::options::{ReadOptions, ReadTier};
use ferrolith::{Code, Result};
use std::cell::Cell;
use std::ffi::{c_char, c_uchar};
use std::ptr;

/// A value: a large one stays in place, and a small one is copied into memory that is reused.
#[derive(Default)]
pub struct rocksdb_pinnableslice_t {
    value: ValueBuffer,
}

impl rocksdb_pinnableslice_t {
    /// Creates a slice of this value.
    pub(crate) fn of(value: PinnedValue) -> rocksdb_pinnableslice_t {
        let mut slice = rocksdb_pinnableslice_t::default();
        slice.value.pin(value);
        slice
    }
}

/// A spare slice with more memory than this is not kept.
const SPARE_BYTES_MAX: usize = 16 << 10;

thread_local! {
    /// The slice that this thread destroyed last. A thread that looks up one key after the other reuses it and needs no
    /// allocation.
    static SPARE: Cell<Option<Box<rocksdb_pinnableslice_t>>> = const { Cell::new(None) };
}

/// Like `rocksdb_pinnableslice_t`, for the newer functions.
pub struct rocksdb_pinnable_handle_t {
    value: PinnedValue,
}

/// Bytes and their length in C's form.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct rocksdb_slice_t {
    pub(crate) data: *const c_char,
    pub(crate) size: usize,
}

impl rocksdb_slice_t {
    pub(crate) fn of(bytes: &[u8]) -> rocksdb_slice_t {
        rocksdb_slice_t { data: bytes.as_ptr().cast(), size: bytes.len() }
    }
}

/// Looks up a key in a column family, or in the default one if the handle is `None`.
unsafe fn look_up(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    cf: Option<*mut rocksdb_column_family_handle_t>,
    key: &[u8],
) -> Result<Option<PinnedValue>> {
    let (db, options) = (&get(db)?.db, &get(options)?.inner);
    match cf {
        None => db.get_pinned(options, key),
        Some(cf) => db.get_pinned_cf(options, &get(cf)?.cf, key),
    }
}

/// Looks up a key and copies its value for the caller to free; NULL if there is none.
#[inline]
unsafe fn look_up_copy(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    cf: Option<*mut rocksdb_column_family_handle_t>,
    key: &[u8],
    vallen: *mut usize,
) -> Result<*mut c_char> {
    put(vallen, 0);
    let cf = match cf {
        None => None,
        Some(cf) => Some(&get(cf)?.cf),
    };
    let value = get(db)?.db.get_with(&get(options)?.inner, cf, key, |value| {
        put(vallen, value.len());
        to_malloc(value)
    })?;
    Ok(value.unwrap_or(ptr::null_mut()))
}

/// Looks up a key into a slice; NULL if there is no value.
#[inline]
unsafe fn look_up_slice(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    cf: Option<*mut rocksdb_column_family_handle_t>,
    key: &[u8],
) -> Result<*mut rocksdb_pinnableslice_t> {
    let (db, options) = (&get(db)?.db, &get(options)?.inner);
    // Without thread-local storage the thread is ending.
    let mut slice = SPARE.try_with(Cell::take).ok().flatten().unwrap_or_default();
    let found = match cf {
        None => db.get_pinned_into(options, key, &mut slice.value)?,
        Some(cf) => db.get_pinned_into_cf(options, &get(cf)?.cf, key, &mut slice.value)?,
    };
    if found {
        return Ok(Box::into_raw(slice));
    }
    keep_spare(slice);
    Ok(ptr::null_mut())
}

/// Keeps an empty slice for this thread's next lookup.
#[inline]
fn keep_spare(slice: Box<rocksdb_pinnableslice_t>) {
    if slice.value.capacity() <= SPARE_BYTES_MAX {
        let _ = SPARE.try_with(|spare| spare.set(Some(slice)));
    }
}

/// Returns the value in the caller's memory; NULL and length 0 if there is none.
pub(super) unsafe fn to_caller(value: Option<PinnedValue>, vallen: *mut usize) -> *mut c_char {
    put(vallen, value.as_ref().map_or(0, |v| v.len()));
    value.map_or(ptr::null_mut(), |v| to_malloc(&v))
}

/// Returns the value of a key of the default column family, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
    vallen: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut c_char {
    let key = slice(key, keylen);
    run(errptr, ptr::null_mut(), || look_up_copy(db, options, None, key, vallen))
}

/// Returns the value of a key, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    vallen: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut c_char {
    let (cf, key) = (Some(column_family), slice(key, keylen));
    run(errptr, ptr::null_mut(), || look_up_copy(db, options, cf, key, vallen))
}

/// Returns the value of a key of the default column family; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_pinned(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_pinnableslice_t {
    let key = slice(key, keylen);
    run(errptr, ptr::null_mut(), || look_up_slice(db, options, None, key))
}

/// Returns the value of a key; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_pinned_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_pinnableslice_t {
    let (cf, key) = (Some(column_family), slice(key, keylen));
    run(errptr, ptr::null_mut(), || look_up_slice(db, options, cf, key))
}

/// Destroys a value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_pinnableslice_destroy(v: *mut rocksdb_pinnableslice_t) {
    if v.is_null() {
        return;
    }
    quiet((), || {
        let mut slice = Box::from_raw(v);
        slice.value.clear();
        keep_spare(slice);
    });
}

/// Returns the bytes of a value; NULL gives NULL and 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_pinnableslice_value(
    t: *const rocksdb_pinnableslice_t,
    vlen: *mut usize,
) -> *const c_char {
    let value = t.as_ref().map(|t| &*t.value);
    put(vlen, value.map_or(0, <[u8]>::len));
    value.map_or(ptr::null(), |v| v.as_ptr().cast())
}

/// Does the same as `rocksdb_get_pinned`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_pinned_v2(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_pinnable_handle_t {
    let value = run(errptr, None, || look_up(db, options, None, slice(key, keylen)));
    value.map_or(ptr::null_mut(), |value| give(rocksdb_pinnable_handle_t { value }))
}

/// Does the same as `rocksdb_get_pinned_cf`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_pinned_cf_v2(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_pinnable_handle_t {
    let cf = Some(column_family);
    let value = run(errptr, None, || look_up(db, options, cf, slice(key, keylen)));
    value.map_or(ptr::null_mut(), |value| give(rocksdb_pinnable_handle_t { value }))
}

/// Returns the bytes of a value; NULL gives NULL and 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_pinnable_handle_get_value(
    handle: *const rocksdb_pinnable_handle_t,
    vallen: *mut usize,
) -> *const c_char {
    let value = handle.as_ref().map(|h| &*h.value);
    put(vallen, value.map_or(0, <[u8]>::len));
    value.map_or(ptr::null(), |v| v.as_ptr().cast())
}

/// Destroys a value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_pinnable_handle_destroy(handle: *mut rocksdb_pinnable_handle_t) {
    destroy(handle);
}

/// The destination of a lookup into the caller's buffer.
struct Buffer {
    data: *mut c_char,
    size: usize,
    vallen: *mut usize,
    found: *mut c_uchar,
}

impl Buffer {
    /// Stores the answer. Returns 1 if the value was found and fits.
    unsafe fn fill(self, value: Option<PinnedValue>) -> c_uchar {
        put(self.found, c_uchar::from(value.is_some()));
        put(self.vallen, value.as_ref().map_or(0, |v| v.len()));
        match value {
            Some(value) if value.len() <= self.size => {
                if !value.is_empty() {
                    ptr::copy_nonoverlapping(value.as_ptr(), self.data.cast(), value.len());
                }
                1
            }
            _ => 0,
        }
    }
}

/// Copies the value of a key of the default column family into the caller's buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_into_buffer(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
    buffer: *mut c_char,
    buffer_size: usize,
    vallen: *mut usize,
    found: *mut c_uchar,
    errptr: *mut *mut c_char,
) -> c_uchar {
    let value = run(errptr, None, || look_up(db, options, None, slice(key, keylen)));
    Buffer { data: buffer, size: buffer_size, vallen, found }.fill(value)
}

/// Copies the value of a key into the caller's buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_into_buffer_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    buffer: *mut c_char,
    buffer_size: usize,
    vallen: *mut usize,
    found: *mut c_uchar,
    errptr: *mut *mut c_char,
) -> c_uchar {
    let cf = Some(column_family);
    let value = run(errptr, None, || look_up(db, options, cf, slice(key, keylen)));
    Buffer { data: buffer, size: buffer_size, vallen, found }.fill(value)
}

/// Stores an answer of a multi-get: a value or NULL, and an error or NULL.
pub(super) unsafe fn store_answer(
    answer: Result<Option<PinnedValue>>,
    value: *mut *mut c_char,
    size: *mut usize,
    err: *mut *mut c_char,
) {
    put(err, ptr::null_mut());
    match answer {
        Ok(found) => put(value, to_caller(found, size)),
        Err(e) => {
            put(value, ptr::null_mut());
            put(size, 0);
            save(err, &e);
        }
    }
}

/// Returns the values of many keys of the default column family, at one point in time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_multi_get(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    num_keys: usize,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    values_list: *mut *mut c_char,
    values_list_sizes: *mut usize,
    errs: *mut *mut c_char,
) {
    let lens = array(keys_list_sizes, num_keys);
    let keys = array(keys_list, num_keys).iter().zip(lens).map(|(&k, &n)| slice(k, n));
    let keys: Vec<&[u8]> = keys.collect();
    let mut failure = ptr::null_mut();
    let answers =
        run(&mut failure, Vec::new(), || Ok(get(db)?.db.multi_get(&get(options)?.inner, &keys)));
    for (i, answer) in answers.into_iter().enumerate() {
        store_answer(answer, values_list.add(i), values_list_sizes.add(i), errs.add(i));
    }
    fail_all(failure, num_keys, errs, |i| put(values_list.add(i), ptr::null_mut()));
}

/// A failure before any key was looked up applies to every key.
pub(super) unsafe fn fail_all(
    failure: *mut c_char,
    n: usize,
    errs: *mut *mut c_char,
    clear: impl Fn(usize),
) {
    if failure.is_null() {
        return;
    }
    let text = crate::bytes::text(failure);
    libc::free(failure.cast());
    for i in 0..n {
        put(errs.add(i), crate::bytes::c_string(&text));
        clear(i);
    }
}

/// Returns the values of many keys, each of its own column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_multi_get_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_families: *const *const rocksdb_column_family_handle_t,
    num_keys: usize,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    values_list: *mut *mut c_char,
    values_list_sizes: *mut usize,
    errs: *mut *mut c_char,
) {
    let mut failure = ptr::null_mut();
    let answers = run(&mut failure, Vec::new(), || {
        let lens = array(keys_list_sizes, num_keys);
        let keys = array(keys_list, num_keys).iter().zip(lens).map(|(&k, &n)| slice(k, n));
        let keys: Vec<&[u8]> = keys.collect();
        let families: Result<Vec<&ColumnFamily>> =
            array(column_families, num_keys).iter().map(|&cf| Ok(&get(cf)?.cf)).collect();
        let families = families?;
        let (db, options) = (&get(db)?.db, &get(options)?.inner);
        Ok(as_of_one_moment(db, options, &families, &keys))
    });
    for (i, answer) in answers.into_iter().enumerate() {
        store_answer(answer, values_list.add(i), values_list_sizes.add(i), errs.add(i));
    }
    fail_all(failure, num_keys, errs, |i| put(values_list.add(i), ptr::null_mut()));
}

/// Looks up keys of several families. A single family is read in one call; several share a snapshot.
fn as_of_one_moment(
    db: &ferrolith::internal::db::Db,
    options: &ferrolith::internal::options::ReadOptions,
    families: &[&ColumnFamily],
    keys: &[&[u8]],
) -> Vec<Result<Option<PinnedValue>>> {
    match families {
        [] => Vec::new(),
        [first, rest @ ..] if rest.iter().all(|cf| cf.id() == first.id()) => {
            db.multi_get_cf(options, first, keys)
        }
        _ => {
            let snapshot = options.snapshot.is_none().then(|| db.snapshot());
            let mut options = options.clone();
            options.snapshot = options.snapshot.or(snapshot.as_ref().map(|s| s.sequence()));
            let pairs = families.iter().zip(keys);
            pairs.map(|(cf, key)| db.get_pinned_cf(&options, cf, key)).collect()
        }
    }
}

/// Returns the values of many keys of one column family, pinned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_batched_multi_get_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: usize,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    values: *mut *mut rocksdb_pinnableslice_t,
    errs: *mut *mut c_char,
    _sorted_input: bool,
) {
    let lens = array(keys_list_sizes, num_keys);
    let keys = array(keys_list, num_keys).iter().zip(lens).map(|(&k, &n)| slice(k, n));
    let keys: Vec<&[u8]> = keys.collect();
    batched(db, options, column_family, &keys, values, errs);
}

/// Returns the values of many keys of one column family, pinned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_batched_multi_get_cf_slice(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: usize,
    keys_list: *const rocksdb_slice_t,
    values: *mut *mut rocksdb_pinnableslice_t,
    errs: *mut *mut c_char,
    _sorted_input: bool,
) {
    let keys = array(keys_list, num_keys).iter().map(|k| slice(k.data, k.size));
    batched(db, options, column_family, &keys.collect::<Vec<_>>(), values, errs);
}

unsafe fn batched(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    keys: &[&[u8]],
    values: *mut *mut rocksdb_pinnableslice_t,
    errs: *mut *mut c_char,
) {
    let mut failure = ptr::null_mut();
    let answers = run(&mut failure, Vec::new(), || {
        Ok(get(db)?.db.multi_get_cf(&get(options)?.inner, &get(column_family)?.cf, keys))
    });
    for (i, answer) in answers.into_iter().enumerate() {
        put(errs.add(i), ptr::null_mut());
        put(values.add(i), ptr::null_mut());
        match answer {
            Ok(None) => {}
            Ok(Some(value)) => put(values.add(i), give(rocksdb_pinnableslice_t::of(value))),
            Err(e) => save(errs.add(i), &e),
        }
    }
    fail_all(failure, keys.len(), errs, |i| put(values.add(i), ptr::null_mut()));
}

/// Returns whether a key may exist, as far as memtables, filters and cached blocks show.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_key_may_exist(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    key_len: usize,
    value: *mut *mut c_char,
    val_len: *mut usize,
    _timestamp: *const c_char,
    _timestamp_len: usize,
    value_found: *mut c_uchar,
) -> c_uchar {
    may_exist(peek(db, options, None, slice(key, key_len)), value, val_len, value_found)
}

/// Returns whether a key of a column family may exist.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_key_may_exist_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    key_len: usize,
    value: *mut *mut c_char,
    val_len: *mut usize,
    _timestamp: *const c_char,
    _timestamp_len: usize,
    value_found: *mut c_uchar,
) -> c_uchar {
    let found = peek(db, options, Some(column_family), slice(key, key_len));
    may_exist(found, value, val_len, value_found)
}

/// Looks up a key without reading files. Returns Incomplete if that is not sufficient.
unsafe fn peek(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    cf: Option<*mut rocksdb_column_family_handle_t>,
    key: &[u8],
) -> Result<Option<PinnedValue>> {
    let options = ReadOptions { read_tier: ReadTier::BlockCache, ..get(options)?.inner.clone() };
    match cf {
        None => get(db)?.db.get_pinned(&options, key),
        Some(cf) => get(db)?.db.get_pinned_cf(&options, &get(cf)?.cf, key),
    }
}

/// Stores a value only if the caller asks whether there is one, as RocksDB does.
unsafe fn may_exist(
    found: Result<Option<PinnedValue>>,
    value: *mut *mut c_char,
    val_len: *mut usize,
    value_found: *mut c_uchar,
) -> c_uchar {
    let may = match &found {
        Ok(found) => found.is_some(),
        Err(e) => e.code() == Code::Incomplete,
    };
    if !value_found.is_null() {
        put(value_found, c_uchar::from(found.is_ok()));
        if let Ok(found) = found {
            // A missing key is an answer as well: RocksDB returns an empty value with it.
            let found = found.as_deref().unwrap_or_default();
            put(val_len, found.len());
            put(value, to_malloc(found));
        }
    }
    c_uchar::from(may)
}
