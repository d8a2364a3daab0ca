//! `rocksdb_t` and `rocksdb_column_family_handle_t`: open, close, column families.

use super::rocksdb_options_t;
use crate::bytes::{array, c_string, path, put, text, to_malloc};
use crate::errptr::{quiet, run};
use crate::handles::{destroy, get, give};
use ferrolith::Result;
use ferrolith::internal::db::{ColumnFamily, ColumnFamilyDescriptor, Db};
use ferrolith::internal::env::epoch;
use std::ffi::{c_char, c_int, c_void};
use std::ptr;

/// An open database.
pub struct rocksdb_t {
    pub(crate) db: Db,
    /// Kept, so that calls without a column family need no reference counting.
    pub(crate) default_cf: ColumnFamily,
}

impl rocksdb_t {
    pub(crate) fn new(db: Db) -> rocksdb_t {
        let default_cf = db.default_cf();
        rocksdb_t { db, default_cf }
    }
}

/// A column family of an open database.
pub struct rocksdb_column_family_handle_t {
    pub(crate) cf: ColumnFamily,
}

/// Opens a database that has only the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_open(
    options: *const rocksdb_options_t,
    name: *const c_char,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_t {
    run(errptr, ptr::null_mut(), || {
        let db = Db::open(&get(options)?.inner, path(name))?;
        Ok(give(rocksdb_t::new(db)))
    })
}

/// Returns the descriptors in the arrays of an `open_column_families` call.
pub(crate) unsafe fn descriptors(
    n: c_int,
    names: *const *const c_char,
    options: *const *const rocksdb_options_t,
) -> Result<Vec<ColumnFamilyDescriptor>> {
    let n = usize::try_from(n).unwrap_or(0);
    let pairs = array(names, n).iter().zip(array(options, n));
    pairs
        .map(|(&name, &options)| {
            Ok(ColumnFamilyDescriptor::new(text(name), get(options)?.inner.cf.clone()))
        })
        .collect()
}

/// Stores handles of opened column families in the caller's array.
pub(crate) unsafe fn give_families(
    families: Vec<ColumnFamily>,
    out: *mut *mut rocksdb_column_family_handle_t,
) {
    for (i, cf) in families.into_iter().enumerate() {
        put(out.add(i), give(rocksdb_column_family_handle_t { cf }));
    }
}

/// Opens a database with its column families. All existing ones must be named.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_open_column_families(
    options: *const rocksdb_options_t,
    name: *const c_char,
    num_column_families: c_int,
    column_family_names: *const *const c_char,
    column_family_options: *const *const rocksdb_options_t,
    column_family_handles: *mut *mut rocksdb_column_family_handle_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_t {
    run(errptr, ptr::null_mut(), || {
        let families =
            descriptors(num_column_families, column_family_names, column_family_options)?;
        let (db, families) = Db::open_cf(&get(options)?.inner.db, path(name), families)?;
        give_families(families, column_family_handles);
        Ok(give(rocksdb_t::new(db)))
    })
}

/// Returns the names of the column families of a closed database.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_list_column_families(
    options: *const rocksdb_options_t,
    name: *const c_char,
    lencf: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut *mut c_char {
    put(lencf, 0);
    run(errptr, ptr::null_mut(), || {
        let names = Db::list_column_families(&get(options)?.inner.db, path(name))?;
        put(lencf, names.len());
        Ok(give_array(names.iter().map(|n| c_string(n)).collect()))
    })
}

/// Returns an array from `malloc`.
pub(crate) unsafe fn give_array<T: Copy>(items: Vec<T>) -> *mut T {
    let bytes = std::slice::from_raw_parts(items.as_ptr().cast(), size_of_val(&items[..]));
    to_malloc(bytes).cast()
}

/// Frees what `rocksdb_list_column_families` returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_list_column_families_destroy(list: *mut *mut c_char, len: usize) {
    for &name in array(list, len) {
        libc::free(name.cast());
    }
    libc::free(list.cast());
}

/// Creates a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_column_family(
    db: *mut rocksdb_t,
    column_family_options: *const rocksdb_options_t,
    column_family_name: *const c_char,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_column_family_handle_t {
    run(errptr, ptr::null_mut(), || {
        let options = &get(column_family_options)?.inner.cf;
        let cf = get(db)?.db.create_cf(&text(column_family_name), options)?;
        Ok(give(rocksdb_column_family_handle_t { cf }))
    })
}

/// Creates several column families. Those made before an error stay, and are returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_column_families(
    db: *mut rocksdb_t,
    column_family_options: *const rocksdb_options_t,
    num_column_families: c_int,
    column_family_names: *const *const c_char,
    lencfs: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut *mut rocksdb_column_family_handle_t {
    let mut made = Vec::new();
    run(errptr, (), || {
        let options = &get(column_family_options)?.inner.cf;
        let n = usize::try_from(num_column_families).unwrap_or(0);
        for &name in array(column_family_names, n) {
            let cf = get(db)?.db.create_cf(&text(name), options)?;
            made.push(give(rocksdb_column_family_handle_t { cf }));
        }
        Ok(())
    });
    put(lencfs, made.len());
    give_array(made)
}

/// Frees the array that `rocksdb_create_column_families` returned, not its handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_column_families_destroy(
    list: *mut *mut rocksdb_column_family_handle_t,
) {
    libc::free(list.cast());
}

/// Drops a column family. Its handle stays valid and is destroyed by the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_drop_column_family(
    db: *mut rocksdb_t,
    handle: *mut rocksdb_column_family_handle_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get(db)?.db.drop_cf(&get(handle)?.cf));
}

/// Returns a handle of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_default_column_family_handle(
    db: *mut rocksdb_t,
) -> *mut rocksdb_column_family_handle_t {
    quiet(ptr::null_mut(), || {
        let cf = db.as_ref().map(|db| db.default_cf.clone());
        cf.map_or(ptr::null_mut(), |cf| give(rocksdb_column_family_handle_t { cf }))
    })
}

/// Destroys a handle. The column family stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_handle_destroy(
    handle: *mut rocksdb_column_family_handle_t,
) {
    destroy(handle);
}

/// Returns a column family's number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_handle_get_id(
    handle: *mut rocksdb_column_family_handle_t,
) -> u32 {
    handle.as_ref().map_or(0, |h| h.cf.id())
}

/// Returns a column family's name, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_handle_get_name(
    handle: *mut rocksdb_column_family_handle_t,
    name_len: *mut usize,
) -> *mut c_char {
    let name = handle.as_ref().map_or("", |h| h.cf.name());
    put(name_len, name.len());
    c_string(name)
}

/// Closes a database, even if other handles of it exist. An error is in the LOG.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_close(db: *mut rocksdb_t) {
    quiet((), || {
        if let Some(handle) = db.as_ref() {
            // Closing logs its own error; RocksDB's C ABI cannot report it.
            let _ = handle.db.close();
        }
    });
    destroy(db);
    free_retired();
}

/// Frees objects that the engine keeps until no reader uses them, so that callbacks of a closed database are destroyed
/// as soon as the caller releases them. Objects freed in one round may retire further ones.
fn free_retired() {
    for _ in 0..4 {
        epoch::synchronize();
    }
}

/// Deletes a closed database. Files that do not belong to a database stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_destroy_db(
    options: *const rocksdb_options_t,
    name: *const c_char,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || Db::destroy(&get(options)?.inner.db, path(name)));
}

/// Frees memory from `malloc` that a function of this library returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_free(ptr: *mut c_void) {
    libc::free(ptr);
}

/// Returns the newest sequence number that readers see.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_latest_sequence_number(db: *mut rocksdb_t) -> u64 {
    db.as_ref().map_or(0, |db| db.db.latest_sequence_number())
}

/// Returns the database's identity, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_db_identity(
    db: *mut rocksdb_t,
    id_len: *mut usize,
) -> *mut c_char {
    let identity = db.as_ref().map_or("", |db| db.db.identity());
    put(id_len, identity.len());
    to_malloc(identity.as_bytes())
}
