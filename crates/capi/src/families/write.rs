//! Writes and flushes.

use super::{
    rocksdb_column_family_handle_t, rocksdb_flushoptions_t, rocksdb_t, rocksdb_writebatch_t,
    rocksdb_writeoptions_t,
};
use crate::bytes::{array, slice};
use crate::errptr::run;
use crate::handles::{get, get_mut};
use std::ffi::{c_char, c_int, c_uchar};

/// Sets a key of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_put(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        get(db)?.db.put(&get(options)?.inner, slice(key, keylen), slice(val, vallen))
    });
}

/// Sets a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_put_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let cf = &get(column_family)?.cf;
        get(db)?.db.put_cf(&get(options)?.inner, cf, slice(key, keylen), slice(val, vallen))
    });
}

/// Deletes a key of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_delete(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get(db)?.db.delete(&get(options)?.inner, slice(key, keylen)));
}

/// Deletes a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_delete_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let cf = &get(column_family)?.cf;
        get(db)?.db.delete_cf(&get(options)?.inner, cf, slice(key, keylen))
    });
}

/// Deletes a key of the default column family that was put once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_singledelete(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get(db)?.db.single_delete(&get(options)?.inner, slice(key, keylen)));
}

/// Deletes a key that was put once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_singledelete_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let cf = &get(column_family)?.cf;
        get(db)?.db.single_delete_cf(&get(options)?.inner, cf, slice(key, keylen))
    });
}

/// Deletes the keys from `start_key` up to but excluding `end_key`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_delete_range_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    start_key: *const c_char,
    start_key_len: usize,
    end_key: *const c_char,
    end_key_len: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let (cf, wo) = (&get(column_family)?.cf, &get(options)?.inner);
        let (begin, end) = (slice(start_key, start_key_len), slice(end_key, end_key_len));
        get(db)?.db.delete_range_cf(wo, cf, begin, end)
    });
}

/// Adds a merge operand to a key of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_merge(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        get(db)?.db.merge(&get(options)?.inner, slice(key, keylen), slice(val, vallen))
    });
}

/// Adds a merge operand to a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_merge_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let cf = &get(column_family)?.cf;
        get(db)?.db.merge_cf(&get(options)?.inner, cf, slice(key, keylen), slice(val, vallen))
    });
}

/// Commits a batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    batch: *mut rocksdb_writebatch_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let batch = get_mut(batch)?;
        batch.sound()?;
        get(db)?.db.write(&get(options)?.inner, &mut batch.inner)
    });
}

/// Flushes the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flush(
    db: *mut rocksdb_t,
    options: *const rocksdb_flushoptions_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get(db)?.db.flush(&get(options)?.inner));
}

/// Flushes a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flush_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_flushoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get(db)?.db.flush_cf(&get(options)?.inner, &get(column_family)?.cf));
}

/// Flushes several column families; with `atomic_flush`, together.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flush_cfs(
    db: *mut rocksdb_t,
    options: *const rocksdb_flushoptions_t,
    column_family: *mut *mut rocksdb_column_family_handle_t,
    num_column_families: c_int,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let n = usize::try_from(num_column_families).unwrap_or(0);
        let families: Vec<_> =
            array(column_family, n).iter().map(|&cf| get(cf)).collect::<Result<_, _>>()?;
        let families: Vec<_> = families.into_iter().map(|family| &family.cf).collect();
        get(db)?.db.flush_cfs(&get(options)?.inner, &families)
    });
}

/// Writes buffered WAL records to the file; with `sync`, also syncs it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flush_wal(
    db: *mut rocksdb_t,
    sync: c_uchar,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get(db)?.db.flush_wal(sync != 0));
}
