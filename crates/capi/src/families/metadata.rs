//! `rocksdb_column_family_metadata_t`, `rocksdb_level_metadata_t` and `rocksdb_sst_file_metadata_t`: the levels and
//! files of a column family at one point in time.

use super::{rocksdb_column_family_handle_t, rocksdb_t};
use crate::bytes::{c_string, put, to_malloc};
use crate::errptr::quiet;
use crate::handles::{destroy, give};
use ferrolith::internal::db::{ColumnFamily, Db};
use ferrolith::internal::external::{ColumnFamilyMetaData, LevelMetaData, LiveFileMetaData};
use std::ffi::{c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::Arc;

/// The files of a column family.
pub struct rocksdb_column_family_metadata_t {
    meta: Arc<ColumnFamilyMetaData>,
}

/// One of its levels; keeps the whole metadata alive.
pub struct rocksdb_level_metadata_t {
    meta: Arc<ColumnFamilyMetaData>,
    level: usize,
}

/// One of its files; keeps the whole metadata alive.
pub struct rocksdb_sst_file_metadata_t {
    meta: Arc<ColumnFamilyMetaData>,
    level: usize,
    file: usize,
}

impl rocksdb_level_metadata_t {
    fn level(&self) -> Option<&LevelMetaData> {
        self.meta.levels.get(self.level)
    }
}

impl rocksdb_sst_file_metadata_t {
    fn file(&self) -> Option<&LiveFileMetaData> {
        self.meta.levels.get(self.level)?.files.get(self.file)
    }
}

fn of(db: &Db, cf: &ColumnFamily) -> *mut rocksdb_column_family_metadata_t {
    // RocksDB's C ABI cannot report an error; a dropped family has no metadata.
    let meta = db.column_family_metadata(cf).unwrap_or_default();
    give(rocksdb_column_family_metadata_t { meta: Arc::new(meta) })
}

/// Returns the files of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_column_family_metadata(
    db: *mut rocksdb_t,
) -> *mut rocksdb_column_family_metadata_t {
    quiet(ptr::null_mut(), || db.as_ref().map_or(ptr::null_mut(), |db| of(&db.db, &db.default_cf)))
}

/// Returns the files of a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_column_family_metadata_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
) -> *mut rocksdb_column_family_metadata_t {
    quiet(ptr::null_mut(), || {
        let both = db.as_ref().zip(column_family.as_ref());
        both.map_or(ptr::null_mut(), |(db, cf)| of(&db.db, &cf.cf))
    })
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_destroy(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) {
    destroy(cf_meta);
}

/// Returns the total size of all files in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_size(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) -> u64 {
    cf_meta.as_ref().map_or(0, |m| m.meta.size)
}

/// Returns the number of files.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_file_count(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) -> usize {
    cf_meta.as_ref().map_or(0, |m| m.meta.file_count)
}

/// Returns the column family's name, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_name(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) -> *mut c_char {
    c_string(cf_meta.as_ref().map_or("", |m| &m.meta.name))
}

/// Returns the number of levels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_level_count(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) -> usize {
    cf_meta.as_ref().map_or(0, |m| m.meta.levels.len())
}

/// Returns the level with this index; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_level_metadata(
    cf_meta: *mut rocksdb_column_family_metadata_t,
    i: usize,
) -> *mut rocksdb_level_metadata_t {
    match cf_meta.as_ref() {
        Some(m) if i < m.meta.levels.len() => {
            give(rocksdb_level_metadata_t { meta: Arc::clone(&m.meta), level: i })
        }
        _ => ptr::null_mut(),
    }
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_level_metadata_destroy(level_meta: *mut rocksdb_level_metadata_t) {
    destroy(level_meta);
}

/// Returns what `read` finds in a level.
unsafe fn level<T: Default>(
    level_meta: *mut rocksdb_level_metadata_t,
    read: impl FnOnce(&LevelMetaData) -> T,
) -> T {
    level_meta.as_ref().and_then(rocksdb_level_metadata_t::level).map(read).unwrap_or_default()
}

/// Returns the number of the level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_level_metadata_get_level(
    level_meta: *mut rocksdb_level_metadata_t,
) -> c_int {
    level(level_meta, |l| l.level as c_int)
}

/// Returns the total size of its files in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_level_metadata_get_size(
    level_meta: *mut rocksdb_level_metadata_t,
) -> u64 {
    level(level_meta, |l| l.size)
}

/// Returns the number of its files.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_level_metadata_get_file_count(
    level_meta: *mut rocksdb_level_metadata_t,
) -> usize {
    level(level_meta, |l| l.files.len())
}

/// Returns the file with this index; NULL if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_level_metadata_get_sst_file_metadata(
    level_meta: *mut rocksdb_level_metadata_t,
    i: usize,
) -> *mut rocksdb_sst_file_metadata_t {
    let Some(handle) = level_meta.as_ref() else { return ptr::null_mut() };
    if handle.level().is_none_or(|level| i >= level.files.len()) {
        return ptr::null_mut();
    }
    let meta = Arc::clone(&handle.meta);
    give(rocksdb_sst_file_metadata_t { meta, level: handle.level, file: i })
}

/// Destroys the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_destroy(
    file_meta: *mut rocksdb_sst_file_metadata_t,
) {
    destroy(file_meta);
}

unsafe fn file<'a>(file_meta: *mut rocksdb_sst_file_metadata_t) -> Option<&'a LiveFileMetaData> {
    let handle: Option<&'a rocksdb_sst_file_metadata_t> = file_meta.as_ref();
    handle.and_then(rocksdb_sst_file_metadata_t::file)
}

/// Returns the name without directory and slash, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_get_relative_filename(
    file_meta: *mut rocksdb_sst_file_metadata_t,
) -> *mut c_char {
    c_string(file(file_meta).map_or("", |f| f.name.trim_start_matches('/')))
}

/// Returns the directory, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_get_directory(
    file_meta: *mut rocksdb_sst_file_metadata_t,
) -> *mut c_char {
    let mut bytes = file(file_meta).map_or(&[][..], |f| f.db_path.as_os_str().as_bytes()).to_vec();
    bytes.push(0);
    to_malloc(&bytes)
}

/// Returns its size in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_get_size(
    file_meta: *mut rocksdb_sst_file_metadata_t,
) -> u64 {
    file(file_meta).map_or(0, |f| f.size)
}

/// Returns its first key, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_get_smallestkey(
    file_meta: *mut rocksdb_sst_file_metadata_t,
    len: *mut usize,
) -> *mut c_char {
    let key = file(file_meta).map_or(&[][..], |f| &f.smallest_key);
    put(len, key.len());
    to_malloc(key)
}

/// Returns its last key, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_get_largestkey(
    file_meta: *mut rocksdb_sst_file_metadata_t,
    len: *mut usize,
) -> *mut c_char {
    let key = file(file_meta).map_or(&[][..], |f| &f.largest_key);
    put(len, key.len());
    to_malloc(key)
}
