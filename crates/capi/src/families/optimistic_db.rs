//! Databases with optimistic transactions.

use super::batch::rocksdb_writebatch_t;
use super::checkpoint::rocksdb_checkpoint_t;
use super::db::{descriptors, give_families};
use super::transaction::rocksdb_transaction_t;
use super::transaction_options::rocksdb_optimistictransaction_options_t;
use super::{checkpoint, property, write};
use super::{rocksdb_column_family_handle_t, rocksdb_options_t, rocksdb_t, rocksdb_writeoptions_t};
use crate::bytes::path;
use crate::errptr::{quiet, run};
use crate::handles::{destroy, get, give};
use ferrolith::internal::txn::OptimisticTransactionDb;
use std::ffi::{c_char, c_int};
use std::ptr;

/// A database with optimistic transactions.
pub struct rocksdb_optimistictransactiondb_t {
    inner: OptimisticTransactionDb,
    base: rocksdb_t,
}

/// The database below; NULL for NULL.
unsafe fn base(otxn_db: *mut rocksdb_optimistictransactiondb_t) -> *mut rocksdb_t {
    otxn_db.as_mut().map_or(ptr::null_mut(), |db| &raw mut db.base)
}

/// Opens a database that has only the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_optimistictransactiondb_open(
    options: *const rocksdb_options_t,
    name: *const c_char,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_optimistictransactiondb_t {
    run(errptr, ptr::null_mut(), || {
        let inner = OptimisticTransactionDb::open(&get(options)?.inner, path(name))?;
        let base = rocksdb_t::new(inner.db().clone());
        Ok(give(rocksdb_optimistictransactiondb_t { inner, base }))
    })
}

/// Opens a database with its column families.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_optimistictransactiondb_open_column_families(
    options: *const rocksdb_options_t,
    name: *const c_char,
    num_column_families: c_int,
    column_family_names: *const *const c_char,
    column_family_options: *const *const rocksdb_options_t,
    column_family_handles: *mut *mut rocksdb_column_family_handle_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_optimistictransactiondb_t {
    run(errptr, ptr::null_mut(), || {
        let families =
            descriptors(num_column_families, column_family_names, column_family_options)?;
        let options = &get(options)?.inner.db;
        let (inner, families) = OptimisticTransactionDb::open_cf(options, path(name), families)?;
        give_families(families, column_family_handles);
        let base = rocksdb_t::new(inner.db().clone());
        Ok(give(rocksdb_optimistictransactiondb_t { inner, base }))
    })
}

/// Closes the database, whatever handles of it are still held.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_optimistictransactiondb_close(
    otxn_db: *mut rocksdb_optimistictransactiondb_t,
) {
    quiet((), || {
        if let Some(otxn_db) = otxn_db.as_ref() {
            // Its own close logs; RocksDB's C ABI has no place for the error.
            let _ = otxn_db.base.db.close();
        }
    });
    destroy(otxn_db);
}

/// A handle of the database below. Writes to it count as other writers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_optimistictransactiondb_get_base_db(
    otxn_db: *mut rocksdb_optimistictransactiondb_t,
) -> *mut rocksdb_t {
    let base = otxn_db.as_ref().map(|db| rocksdb_t::new(db.inner.db().clone()));
    base.map_or(ptr::null_mut(), give)
}

/// Gives the handle back; the database stays open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_optimistictransactiondb_close_base_db(base_db: *mut rocksdb_t) {
    destroy(base_db);
}

/// Begins a transaction; `old_txn`, if not NULL, is used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_optimistictransaction_begin(
    otxn_db: *mut rocksdb_optimistictransactiondb_t,
    write_options: *const rocksdb_writeoptions_t,
    otxn_options: *const rocksdb_optimistictransaction_options_t,
    old_txn: *mut rocksdb_transaction_t,
) -> *mut rocksdb_transaction_t {
    quiet(ptr::null_mut(), || {
        let (Some(db), Some(wo)) = (otxn_db.as_ref(), write_options.as_ref()) else {
            return ptr::null_mut();
        };
        let default = rocksdb_optimistictransaction_options_t::default();
        let options = otxn_options.as_ref().unwrap_or(&default);
        rocksdb_transaction_t::begun(db.inner.begin(&wo.inner, &options.inner), None, old_txn)
    })
}

/// Commits a batch outside transactions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_optimistictransactiondb_write(
    otxn_db: *mut rocksdb_optimistictransactiondb_t,
    options: *const rocksdb_writeoptions_t,
    batch: *mut rocksdb_writebatch_t,
    errptr: *mut *mut c_char,
) {
    write::rocksdb_write(base(otxn_db), options, batch, errptr);
}

/// A property, for the caller to free; NULL if there is no such one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_optimistictransactiondb_property_value(
    db: *mut rocksdb_optimistictransactiondb_t,
    propname: *const c_char,
) -> *mut c_char {
    property::rocksdb_property_value(base(db), propname)
}

/// A property that is a number; 0 if it was stored, -1 if there is no such one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_optimistictransactiondb_property_int(
    db: *mut rocksdb_optimistictransactiondb_t,
    propname: *const c_char,
    out_val: *mut u64,
) -> c_int {
    property::rocksdb_property_int(base(db), propname, out_val)
}

/// Makes checkpoints of this database.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_optimistictransactiondb_checkpoint_object_create(
    otxn_db: *mut rocksdb_optimistictransactiondb_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_checkpoint_t {
    checkpoint::rocksdb_checkpoint_object_create(base(otxn_db), errptr)
}
