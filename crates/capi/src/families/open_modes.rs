//! Other ways to open `rocksdb_t`, and changes of options while it is open.

use super::db::{descriptors, give_families};
use super::{rocksdb_column_family_handle_t, rocksdb_options_t, rocksdb_t};
use crate::bytes::{array, path, text};
use crate::errptr::run;
use crate::handles::{get, give};
use ferrolith::Result;
use ferrolith::internal::db::{ColumnFamily, Db};
use std::ffi::{c_char, c_int, c_uchar};
use std::ptr;

/// Opens the default column family read-only. As in RocksDB, WALs are no error here, whatever
/// the flag says: they are with a list of column families.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_open_for_read_only(
    options: *const rocksdb_options_t,
    name: *const c_char,
    _error_if_wal_file_exists: c_uchar,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_t {
    run(errptr, ptr::null_mut(), || {
        let db = Db::open_for_read_only(&get(options)?.inner, path(name), false)?;
        Ok(give(rocksdb_t::new(db)))
    })
}

/// Opens column families read-only; they need not be all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_open_for_read_only_column_families(
    options: *const rocksdb_options_t,
    name: *const c_char,
    num_column_families: c_int,
    column_family_names: *const *const c_char,
    column_family_options: *const *const rocksdb_options_t,
    column_family_handles: *mut *mut rocksdb_column_family_handle_t,
    error_if_wal_file_exists: c_uchar,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_t {
    run(errptr, ptr::null_mut(), || {
        let families =
            descriptors(num_column_families, column_family_names, column_family_options)?;
        let wal_is_error = error_if_wal_file_exists != 0;
        let options = &get(options)?.inner.db;
        let (db, families) =
            Db::open_cf_for_read_only(options, path(name), families, wal_is_error)?;
        give_families(families, column_family_handles);
        Ok(give(rocksdb_t::new(db)))
    })
}

/// Changes options of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_set_options(
    db: *mut rocksdb_t,
    count: c_int,
    keys: *const *const c_char,
    values: *const *const c_char,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let db = get(db)?;
        set_options(db, &db.default_cf, count, keys, values)
    });
}

/// Changes options of a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_set_options_cf(
    db: *mut rocksdb_t,
    handle: *mut rocksdb_column_family_handle_t,
    count: c_int,
    keys: *const *const c_char,
    values: *const *const c_char,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || set_options(get(db)?, &get(handle)?.cf, count, keys, values));
}

unsafe fn set_options(
    db: &rocksdb_t,
    cf: &ColumnFamily,
    count: c_int,
    keys: *const *const c_char,
    values: *const *const c_char,
) -> Result<()> {
    let count = usize::try_from(count).unwrap_or(0);
    let pairs = array(keys, count).iter().zip(array(values, count));
    let pairs: Vec<_> = pairs.map(|(&key, &value)| (text(key), text(value))).collect();
    let pairs: Vec<_> = pairs.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    db.db.set_options_cf(cf, &pairs)
}

/// Opens a database whose entries live for at least `ttl` seconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_open_with_ttl(
    options: *const rocksdb_options_t,
    name: *const c_char,
    ttl: c_int,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_t {
    run(errptr, ptr::null_mut(), || {
        let db = Db::open_with_ttl(&get(options)?.inner, path(name), ttl, false)?;
        Ok(give(rocksdb_t::new(db)))
    })
}

/// Opens column families with a time to live for each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_open_column_families_with_ttl(
    options: *const rocksdb_options_t,
    name: *const c_char,
    num_column_families: c_int,
    column_family_names: *const *const c_char,
    column_family_options: *const *const rocksdb_options_t,
    column_family_handles: *mut *mut rocksdb_column_family_handle_t,
    ttls: *const c_int,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_t {
    run(errptr, ptr::null_mut(), || {
        let families =
            descriptors(num_column_families, column_family_names, column_family_options)?;
        let ttls = array(ttls, families.len());
        let options = &get(options)?.inner.db;
        let (db, families) = Db::open_cf_with_ttl(options, path(name), families, ttls, false)?;
        give_families(families, column_family_handles);
        Ok(give(rocksdb_t::new(db)))
    })
}

/// Creates a column family whose entries live for at least `ttl` seconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_column_family_with_ttl(
    db: *mut rocksdb_t,
    column_family_options: *const rocksdb_options_t,
    column_family_name: *const c_char,
    ttl: c_int,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_column_family_handle_t {
    run(errptr, ptr::null_mut(), || {
        let options = &get(column_family_options)?.inner.cf;
        let cf = get(db)?.db.create_cf_with_ttl(&text(column_family_name), options, ttl)?;
        Ok(give(rocksdb_column_family_handle_t { cf }))
    })
}

/// Rebuilds a database from the remaining files of a directory whose MANIFEST is lost.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_repair_db(
    options: *const rocksdb_options_t,
    name: *const c_char,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || Db::repair(&get(options)?.inner, path(name)));
}
