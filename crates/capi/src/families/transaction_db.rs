//! Databases with transactions: opening, beginning transactions, and operations outside transactions.

use super::batch::rocksdb_writebatch_t;
use super::db::{descriptors, give_families};
use super::transaction::{NamedTransactions, rocksdb_transaction_t};
use super::transaction_options::{rocksdb_transaction_options_t, rocksdb_transactiondb_options_t};
use super::{rocksdb_column_family_handle_t, rocksdb_options_t, rocksdb_t, rocksdb_writeoptions_t};
use crate::accessors::Wraps;
use crate::bytes::{list_to_malloc, path, put, slice};
use crate::errptr::{quiet, run};
use crate::handles::{destroy, get, get_mut, give};
use ferrolith::internal::txn::TransactionDb;
use std::ffi::{c_char, c_int};
use std::ptr;
use std::sync::Arc;

/// A database with pessimistic transactions.
pub struct rocksdb_transactiondb_t {
    inner: TransactionDb,
    /// For operations that need no locks.
    base: rocksdb_t,
    named: Arc<NamedTransactions>,
}

/// Returns an opened database to the caller.
fn opened(inner: TransactionDb) -> *mut rocksdb_transactiondb_t {
    let base = rocksdb_t::new(inner.db().clone().into());
    give(rocksdb_transactiondb_t { inner, base, named: Arc::default() })
}

impl Wraps for rocksdb_transactiondb_t {
    fn database(&mut self) -> &mut rocksdb_t {
        &mut self.base
    }
}

/// Opens a database that has only the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transactiondb_open(
    options: *const rocksdb_options_t,
    txn_db_options: *const rocksdb_transactiondb_options_t,
    name: *const c_char,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_transactiondb_t {
    run(errptr, ptr::null_mut(), || {
        let txn_options = &get(txn_db_options)?.inner;
        Ok(opened(TransactionDb::open(&get(options)?.inner, txn_options, path(name))?))
    })
}

/// Opens a database with its column families.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transactiondb_open_column_families(
    options: *const rocksdb_options_t,
    txn_db_options: *const rocksdb_transactiondb_options_t,
    name: *const c_char,
    num_column_families: c_int,
    column_family_names: *const *const c_char,
    column_family_options: *const *const rocksdb_options_t,
    column_family_handles: *mut *mut rocksdb_column_family_handle_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_transactiondb_t {
    run(errptr, ptr::null_mut(), || {
        let families =
            descriptors(num_column_families, column_family_names, column_family_options)?;
        let (options, txn_options) = (&get(options)?.inner.db, &get(txn_db_options)?.inner);
        let (inner, families) = TransactionDb::open_cf(options, txn_options, path(name), families)?;
        give_families(families, column_family_handles);
        Ok(opened(inner))
    })
}

/// Closes the database, even if other handles of it exist.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transactiondb_close(txn_db: *mut rocksdb_transactiondb_t) {
    quiet((), || {
        if let Some(txn_db) = txn_db.as_ref() {
            // Closing logs its own error; RocksDB's C ABI cannot report it.
            let _ = txn_db.base.db.close();
        }
    });
    destroy(txn_db);
}

/// Returns a handle of the underlying database. Writes to it take no locks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transactiondb_get_base_db(
    txn_db: *mut rocksdb_transactiondb_t,
) -> *mut rocksdb_t {
    let base = txn_db.as_ref().map(|db| rocksdb_t::new(db.inner.db().clone().into()));
    base.map_or(ptr::null_mut(), give)
}

/// Destroys the handle; the database stays open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transactiondb_close_base_db(base_db: *mut rocksdb_t) {
    destroy(base_db);
}

/// Begins a transaction; `old_txn`, if not NULL, is reused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_begin(
    txn_db: *mut rocksdb_transactiondb_t,
    write_options: *const rocksdb_writeoptions_t,
    txn_options: *const rocksdb_transaction_options_t,
    old_txn: *mut rocksdb_transaction_t,
) -> *mut rocksdb_transaction_t {
    quiet(ptr::null_mut(), || {
        let (Some(db), Some(wo)) = (txn_db.as_ref(), write_options.as_ref()) else {
            return ptr::null_mut();
        };
        let default = rocksdb_transaction_options_t::default();
        let options = txn_options.as_ref().unwrap_or(&default);
        let begun = db.inner.begin(&wo.inner, &options.inner);
        rocksdb_transaction_t::begun(begun, Some(&db.named), old_txn)
    })
}

/// Returns the transactions that are prepared and undecided. The caller releases the list with `rocksdb_free`, and
/// destroys each transaction that no other caller has. NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transactiondb_get_prepared_transactions(
    txn_db: *mut rocksdb_transactiondb_t,
    cnt: *mut usize,
) -> *mut *mut rocksdb_transaction_t {
    put(cnt, 0);
    quiet(ptr::null_mut(), || {
        let Some(db) = txn_db.as_ref() else { return ptr::null_mut() };
        let handle = |name: Vec<u8>| match db.inner.get_transaction_by_name(&name) {
            Some(recovered) => Some(rocksdb_transaction_t::recovered(recovered, &db.named)),
            // One that was destroyed undecided has no owner until the next opening.
            None => {
                let held = db.named.find(&name)?;
                Some(rocksdb_transaction_t::handle(held, Some(&db.named)))
            }
        };
        let handles: Vec<_> = db.inner.prepared_names().into_iter().filter_map(handle).collect();
        if handles.is_empty() {
            return ptr::null_mut();
        }
        put(cnt, handles.len());
        list_to_malloc(&handles)
    })
}

/// Sets a key of the default column family, after waiting for its lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transactiondb_put(
    txn_db: *mut rocksdb_transactiondb_t,
    options: *const rocksdb_writeoptions_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let db = get(txn_db)?;
        db.inner.put(
            &get(options)?.inner,
            &db.base.default_cf,
            slice(key, keylen),
            slice(val, vallen),
        )
    });
}

/// Sets a key, after waiting for its lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transactiondb_put_cf(
    txn_db: *mut rocksdb_transactiondb_t,
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
        get(txn_db)?.inner.put(&get(options)?.inner, cf, slice(key, keylen), slice(val, vallen))
    });
}

/// Adds a merge operand to a key of the default column family, after waiting for its lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transactiondb_merge(
    txn_db: *mut rocksdb_transactiondb_t,
    options: *const rocksdb_writeoptions_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let db = get(txn_db)?;
        db.inner.merge(
            &get(options)?.inner,
            &db.base.default_cf,
            slice(key, keylen),
            slice(val, vallen),
        )
    });
}

/// Adds a merge operand to a key, after waiting for its lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transactiondb_merge_cf(
    txn_db: *mut rocksdb_transactiondb_t,
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
        get(txn_db)?.inner.merge(&get(options)?.inner, cf, slice(key, keylen), slice(val, vallen))
    });
}

/// Deletes a key of the default column family, after waiting for its lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transactiondb_delete(
    txn_db: *mut rocksdb_transactiondb_t,
    options: *const rocksdb_writeoptions_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let db = get(txn_db)?;
        db.inner.delete(&get(options)?.inner, &db.base.default_cf, slice(key, keylen))
    });
}

/// Deletes a key, after waiting for its lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transactiondb_delete_cf(
    txn_db: *mut rocksdb_transactiondb_t,
    options: *const rocksdb_writeoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let cf = &get(column_family)?.cf;
        get(txn_db)?.inner.delete(&get(options)?.inner, cf, slice(key, keylen))
    });
}

/// Commits a batch, after waiting for the locks of its keys.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transactiondb_write(
    txn_db: *mut rocksdb_transactiondb_t,
    options: *const rocksdb_writeoptions_t,
    batch: *mut rocksdb_writebatch_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let batch = get_mut(batch)?;
        batch.sound()?;
        get(txn_db)?.inner.write(&get(options)?.inner, &mut batch.inner)
    });
}
