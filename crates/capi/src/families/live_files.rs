//! `rocksdb_livefiles_t` and `rocksdb_livefile_t`: the tables of a database, or tables to be imported that a caller
//! describes. Also functions for whole files: pausing deletions, and dropping files in ranges.

use super::{rocksdb_column_family_handle_t, rocksdb_t};
use crate::bytes::{array, bound, path, put, slice, text};
use crate::errptr::{quiet, run};
use crate::handles::{destroy, get, give};
use ferrolith::internal::db::ColumnFamily;
use ferrolith::internal::external::LiveFileMetaData;
use ferrolith::internal::options::SizeApproximationOptions;
use ferrolith::{Error, Result};
use std::ffi::{CString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::ptr;

/// A table, and the texts that C reads.
struct Listed {
    meta: LiveFileMetaData,
    family: CString,
    name: CString,
    directory: CString,
}

/// A list of tables.
pub struct rocksdb_livefiles_t {
    files: Vec<Listed>,
}

/// A table that a caller describes.
pub struct rocksdb_livefile_t {
    meta: LiveFileMetaData,
}

/// A NUL within a text ends it early, as in C.
fn c_text(bytes: &[u8]) -> CString {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    CString::new(bytes.get(..end).unwrap_or_default()).unwrap_or_default()
}

impl rocksdb_livefiles_t {
    pub(crate) fn new(files: Vec<LiveFileMetaData>) -> rocksdb_livefiles_t {
        let mut list = rocksdb_livefiles_t { files: Vec::with_capacity(files.len()) };
        files.into_iter().for_each(|meta| list.add(meta));
        list
    }

    fn add(&mut self, meta: LiveFileMetaData) {
        self.files.push(Listed {
            family: c_text(meta.column_family_name.as_bytes()),
            name: c_text(meta.name.as_bytes()),
            directory: c_text(meta.db_path.as_os_str().as_bytes()),
            meta,
        });
    }

    pub(crate) fn into_metadata(self) -> Vec<LiveFileMetaData> {
        self.files.into_iter().map(|file| file.meta).collect()
    }
}

/// Returns what `read` finds in a file of a list; a default for NULL and for an invalid index.
unsafe fn read<T>(
    handle: *const rocksdb_livefiles_t,
    index: c_int,
    otherwise: T,
    read: impl FnOnce(&'static Listed) -> T,
) -> T {
    let list: Option<&'static rocksdb_livefiles_t> = handle.as_ref();
    let file = list.and_then(|list| list.files.get(usize::try_from(index).ok()?));
    file.map_or(otherwise, read)
}

/// Returns the tables of a database.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles(db: *mut rocksdb_t) -> *const rocksdb_livefiles_t {
    quiet(ptr::null(), || match db.as_ref() {
        Some(db) => give(rocksdb_livefiles_t::new(db.db.live_files_metadata())),
        None => ptr::null(),
    })
}

/// Creates an empty list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_create() -> *mut rocksdb_livefiles_t {
    give(rocksdb_livefiles_t::new(Vec::new()))
}

/// Returns the number of tables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_count(handle: *const rocksdb_livefiles_t) -> c_int {
    handle.as_ref().map_or(0, |list| list.files.len() as c_int)
}

/// Returns the column family's name. Valid as long as the list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_column_family_name(
    handle: *const rocksdb_livefiles_t,
    index: c_int,
) -> *const c_char {
    read(handle, index, ptr::null(), |file| file.family.as_ptr())
}

/// Returns the file's name with a slash in front. Valid as long as the list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_name(
    handle: *const rocksdb_livefiles_t,
    index: c_int,
) -> *const c_char {
    read(handle, index, ptr::null(), |file| file.name.as_ptr())
}

/// Returns the file's directory. Valid as long as the list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_directory(
    handle: *const rocksdb_livefiles_t,
    index: c_int,
) -> *const c_char {
    read(handle, index, ptr::null(), |file| file.directory.as_ptr())
}

/// Returns its level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_level(
    handle: *const rocksdb_livefiles_t,
    index: c_int,
) -> c_int {
    read(handle, index, 0, |file| file.meta.level as c_int)
}

/// Returns its size in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_size(
    handle: *const rocksdb_livefiles_t,
    index: c_int,
) -> usize {
    read(handle, index, 0, |file| file.meta.size as usize)
}

unsafe fn key(
    handle: *const rocksdb_livefiles_t,
    index: c_int,
    size: *mut usize,
    of: fn(&LiveFileMetaData) -> &[u8],
) -> *const c_char {
    let bytes: &'static [u8] = read(handle, index, &[], |file| of(&file.meta));
    put(size, bytes.len());
    bytes.as_ptr().cast()
}

/// Returns its first key. Valid as long as the list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_smallestkey(
    handle: *const rocksdb_livefiles_t,
    index: c_int,
    size: *mut usize,
) -> *const c_char {
    key(handle, index, size, |meta| &meta.smallest_key)
}

/// Returns its last key. Valid as long as the list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_largestkey(
    handle: *const rocksdb_livefiles_t,
    index: c_int,
    size: *mut usize,
) -> *const c_char {
    key(handle, index, size, |meta| &meta.largest_key)
}

/// Returns its oldest sequence number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_smallest_seqno(
    handle: *const rocksdb_livefiles_t,
    index: c_int,
) -> u64 {
    read(handle, index, 0, |file| file.meta.smallest_seqno)
}

/// Returns its newest sequence number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_largest_seqno(
    handle: *const rocksdb_livefiles_t,
    index: c_int,
) -> u64 {
    read(handle, index, 0, |file| file.meta.largest_seqno)
}

/// Returns the number of its entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_entries(
    handle: *const rocksdb_livefiles_t,
    index: c_int,
) -> u64 {
    read(handle, index, 0, |file| file.meta.num_entries)
}

/// Returns the number of its tombstones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_deletions(
    handle: *const rocksdb_livefiles_t,
    index: c_int,
) -> u64 {
    read(handle, index, 0, |file| file.meta.num_deletions)
}

/// Destroys a list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_destroy(handle: *const rocksdb_livefiles_t) {
    destroy(handle.cast_mut());
}

/// Appends a table, which is handed over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_add(
    handle: *mut rocksdb_livefiles_t,
    file: *mut rocksdb_livefile_t,
) {
    quiet((), || {
        if file.is_null() {
            return;
        }
        let file = Box::from_raw(file);
        if let Some(list) = handle.as_mut() {
            list.add(file.meta);
        }
    });
}

// ---- a table that a caller describes -------------------------------------------------------

/// Creates an empty description of a table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefile_create() -> *mut rocksdb_livefile_t {
    give(rocksdb_livefile_t { meta: LiveFileMetaData::default() })
}

unsafe fn change(handle: *mut rocksdb_livefile_t, write: impl FnOnce(&mut LiveFileMetaData)) {
    crate::accessors::set(handle, |file| write(&mut file.meta));
}

/// Sets the column family's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefile_set_column_family_name(
    handle: *mut rocksdb_livefile_t,
    name: *const c_char,
) {
    change(handle, |meta| meta.column_family_name = text(name));
}

/// Sets the level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefile_set_level(handle: *mut rocksdb_livefile_t, level: c_int) {
    change(handle, |meta| meta.level = usize::try_from(level).unwrap_or(usize::MAX));
}

/// Sets the file's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefile_set_name(
    handle: *mut rocksdb_livefile_t,
    name: *const c_char,
) {
    change(handle, |meta| meta.name = text(name));
}

/// Sets the file's directory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefile_set_directory(
    handle: *mut rocksdb_livefile_t,
    directory: *const c_char,
) {
    change(handle, |meta| meta.db_path = path(directory));
}

/// Sets the bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefile_set_size(handle: *mut rocksdb_livefile_t, size: usize) {
    change(handle, |meta| meta.size = size as u64);
}

/// Sets the first key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefile_set_smallest_key(
    handle: *mut rocksdb_livefile_t,
    key: *const c_char,
    len: usize,
) {
    change(handle, |meta| meta.smallest_key = slice(key, len).to_vec());
}

/// Sets the last key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefile_set_largest_key(
    handle: *mut rocksdb_livefile_t,
    key: *const c_char,
    len: usize,
) {
    change(handle, |meta| meta.largest_key = slice(key, len).to_vec());
}

/// Sets the oldest sequence number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefile_set_smallest_seqno(
    handle: *mut rocksdb_livefile_t,
    seqno: u64,
) {
    change(handle, |meta| meta.smallest_seqno = seqno);
}

/// Sets the newest sequence number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefile_set_largest_seqno(
    handle: *mut rocksdb_livefile_t,
    seqno: u64,
) {
    change(handle, |meta| meta.largest_seqno = seqno);
}

/// Sets the count of entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefile_set_num_entries(
    handle: *mut rocksdb_livefile_t,
    count: u64,
) {
    change(handle, |meta| meta.num_entries = count);
}

/// Sets the count of tombstones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefile_set_num_deletions(
    handle: *mut rocksdb_livefile_t,
    count: u64,
) {
    change(handle, |meta| meta.num_deletions = count);
}

/// Destroys a table that was added to no list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefile_destroy(handle: *mut rocksdb_livefile_t) {
    destroy(handle);
}

// ---- whole files ---------------------------------------------------------------------------

/// Prevents the deletion of files until `rocksdb_enable_file_deletions` has been called as many times.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_disable_file_deletions(
    db: *mut rocksdb_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get(db)?.db.disable_file_deletions());
}

/// Reverts one `rocksdb_disable_file_deletions`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_enable_file_deletions(
    db: *mut rocksdb_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get(db)?.db.enable_file_deletions());
}

/// Drops the tables below level 0 that are in a range, including its end; NULL means unbounded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_delete_file_in_range(
    db: *mut rocksdb_t,
    start_key: *const c_char,
    start_key_len: usize,
    limit_key: *const c_char,
    limit_key_len: usize,
    errptr: *mut *mut c_char,
) {
    let (begin, end) = (bound(start_key, start_key_len), bound(limit_key, limit_key_len));
    run(errptr, (), || {
        let db = get(db)?;
        db.db.delete_files_in_range(&db.default_cf, begin, end)
    });
}

/// Does the same as [`rocksdb_delete_file_in_range`] in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_delete_file_in_range_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    start_key: *const c_char,
    start_key_len: usize,
    limit_key: *const c_char,
    limit_key_len: usize,
    errptr: *mut *mut c_char,
) {
    let (begin, end) = (bound(start_key, start_key_len), bound(limit_key, limit_key_len));
    run(errptr, (), || get(db)?.db.delete_files_in_range(&get(column_family)?.cf, begin, end));
}

// ---- sizes of ranges -----------------------------------------------------------------------

/// The arrays of an `approximate_sizes` call.
#[derive(Clone, Copy)]
struct Ranges {
    count: c_int,
    starts: (*const *const c_char, *const usize),
    limits: (*const *const c_char, *const usize),
    sizes: *mut u64,
}

unsafe fn approximate_sizes(
    db: &rocksdb_t,
    cf: &ColumnFamily,
    options: &SizeApproximationOptions,
    ranges: Ranges,
) -> Result<()> {
    let n = usize::try_from(ranges.count)
        .map_err(|_| Error::invalid_argument(format!("num_ranges is {}", ranges.count)))?;
    let keys = |(keys, lengths): (*const *const c_char, *const usize)| {
        array(keys, n).iter().zip(array(lengths, n)).map(|(&key, &len)| slice(key, len))
    };
    let pairs: Vec<(&[u8], &[u8])> = keys(ranges.starts).zip(keys(ranges.limits)).collect();
    let sizes = db.db.approximate_sizes(options, cf, &pairs)?;
    for (i, size) in sizes.into_iter().enumerate() {
        put(ranges.sizes.add(i), size);
    }
    Ok(())
}

/// Estimates the size in bytes of key ranges in files.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_approximate_sizes(
    db: *mut rocksdb_t,
    num_ranges: c_int,
    range_start_key: *const *const c_char,
    range_start_key_len: *const usize,
    range_limit_key: *const *const c_char,
    range_limit_key_len: *const usize,
    sizes: *mut u64,
    errptr: *mut *mut c_char,
) {
    let ranges = Ranges {
        count: num_ranges,
        starts: (range_start_key, range_start_key_len),
        limits: (range_limit_key, range_limit_key_len),
        sizes,
    };
    run(errptr, (), || {
        let db = get(db)?;
        approximate_sizes(db, &db.default_cf, &SizeApproximationOptions::default(), ranges)
    });
}

/// Does the same as [`rocksdb_approximate_sizes`] in a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_approximate_sizes_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_ranges: c_int,
    range_start_key: *const *const c_char,
    range_start_key_len: *const usize,
    range_limit_key: *const *const c_char,
    range_limit_key_len: *const usize,
    sizes: *mut u64,
    errptr: *mut *mut c_char,
) {
    let ranges = Ranges {
        count: num_ranges,
        starts: (range_start_key, range_start_key_len),
        limits: (range_limit_key, range_limit_key_len),
        sizes,
    };
    run(errptr, (), || {
        let cf = &get(column_family)?.cf;
        approximate_sizes(get(db)?, cf, &SizeApproximationOptions::default(), ranges)
    });
}

/// `rocksdb_size_approximation_flags_include_memtable`.
const INCLUDE_MEMTABLES: u8 = 1 << 0;
/// `rocksdb_size_approximation_flags_include_files`.
const INCLUDE_FILES: u8 = 1 << 1;

/// Does the same as [`rocksdb_approximate_sizes_cf`] for memtables, files or both.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_approximate_sizes_cf_with_flags(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_ranges: c_int,
    range_start_key: *const *const c_char,
    range_start_key_len: *const usize,
    range_limit_key: *const *const c_char,
    range_limit_key_len: *const usize,
    include_flags: u8,
    sizes: *mut u64,
    errptr: *mut *mut c_char,
) {
    let ranges = Ranges {
        count: num_ranges,
        starts: (range_start_key, range_start_key_len),
        limits: (range_limit_key, range_limit_key_len),
        sizes,
    };
    let options = SizeApproximationOptions {
        include_memtables: include_flags & INCLUDE_MEMTABLES != 0,
        include_files: include_flags & INCLUDE_FILES != 0,
        ..SizeApproximationOptions::default()
    };
    run(errptr, (), || approximate_sizes(get(db)?, &get(column_family)?.cf, &options, ranges));
}
