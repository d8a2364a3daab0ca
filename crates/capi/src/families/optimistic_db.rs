//! Databases with optimistic transactions.

use super::db::{descriptors, give_families};
use super::transaction::rocksdb_transaction_t;
use super::transaction_options::rocksdb_optimistictransaction_options_t;
use super::{rocksdb_column_family_handle_t, rocksdb_options_t, rocksdb_t, rocksdb_writeoptions_t};
use crate::accessors::Wraps;
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

impl Wraps for rocksdb_optimistictransactiondb_t {
    fn database(&mut self) -> &mut rocksdb_t {
        &mut self.base
    }
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
        let base = rocksdb_t::new(inner.db().clone().into());
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
        let base = rocksdb_t::new(inner.db().clone().into());
        Ok(give(rocksdb_optimistictransactiondb_t { inner, base }))
    })
}

/// Closes the database, even if other handles of it exist.
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
    let base = otxn_db.as_ref().map(|db| rocksdb_t::new(db.inner.db().clone().into()));
    base.map_or(ptr::null_mut(), give)
}

/// Destroys the handle; the database stays open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_optimistictransactiondb_close_base_db(base_db: *mut rocksdb_t) {
    destroy(base_db);
}

/// Begins a transaction; `old_txn`, if not NULL, is reused.
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
