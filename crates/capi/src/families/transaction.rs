//! `rocksdb_transaction_t`: reads and writes inside a transaction, and its end.

use super::batch::rocksdb_writebatch_t;
use super::batch_wi::{self, rocksdb_writebatch_wi_t};
use super::rocksdb_column_family_handle_t;
use super::snapshot::rocksdb_snapshot_t;
use crate::bytes::{put, slice, to_malloc};
use crate::errptr::{quiet, run};
use crate::handles::{destroy, get, get_mut, give};
use ferrolith::Result;
use ferrolith::db::ColumnFamily;
use ferrolith::transaction::Transaction;
use std::ffi::c_char;
use std::ptr;

/// A transaction.
pub struct rocksdb_transaction_t {
    pub(super) inner: Transaction,
    default_cf: ColumnFamily,
}

impl rocksdb_transaction_t {
    /// Hands a transaction out, in the place of an old one if that is not NULL.
    pub(super) unsafe fn begun(
        inner: Transaction,
        old: *mut rocksdb_transaction_t,
    ) -> *mut rocksdb_transaction_t {
        let default_cf = inner.db().default_cf();
        let begun = rocksdb_transaction_t { inner, default_cf };
        if old.is_null() {
            return give(begun);
        }
        *old = begun;
        old
    }

    /// The column family of a handle; none given is the default one.
    pub(super) unsafe fn family(
        &self,
        cf: Option<*mut rocksdb_column_family_handle_t>,
    ) -> Result<ColumnFamily> {
        Ok(match cf {
            None => self.default_cf.clone(),
            Some(cf) => get(cf)?.cf.clone(),
        })
    }
}

/// Gives a transaction back; what was not committed is rolled back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_destroy(txn: *mut rocksdb_transaction_t) {
    destroy(txn);
}

/// Writes everything at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_commit(
    txn: *mut rocksdb_transaction_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(txn)?.inner.commit());
}

/// Gives up all writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_rollback(
    txn: *mut rocksdb_transaction_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(txn)?.inner.rollback());
}

/// Always an error: there is no two-phase commit yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_prepare(
    txn: *mut rocksdb_transaction_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(txn)?.inner.prepare());
}

/// Names a transaction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_set_name(
    txn: *mut rocksdb_transaction_t,
    name: *const c_char,
    name_len: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(txn)?.inner.set_name(slice(name, name_len)));
}

/// A transaction's name, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_get_name(
    txn: *mut rocksdb_transaction_t,
    name_len: *mut usize,
) -> *mut c_char {
    let name = txn.as_ref().map_or(&[][..], |txn| txn.inner.name());
    put(name_len, name.len());
    to_malloc(name)
}

/// Remembers this state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_set_savepoint(txn: *mut rocksdb_transaction_t) {
    quiet((), || txn.as_mut().map_or((), |txn| txn.inner.set_save_point()));
}

/// Goes back to the newest save point and forgets it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_rollback_to_savepoint(
    txn: *mut rocksdb_transaction_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(txn)?.inner.rollback_to_save_point());
}

/// The transaction's writes, for the caller to read or add to and then to `rocksdb_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_get_writebatch_wi(
    txn: *mut rocksdb_transaction_t,
) -> *mut rocksdb_writebatch_wi_t {
    match txn.as_mut() {
        Some(txn) => batch_wi::borrowed(txn.inner.batch_mut()),
        None => ptr::null_mut(),
    }
}

/// Adds the records of a batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_rebuild_from_writebatch(
    txn: *mut rocksdb_transaction_t,
    writebatch: *mut rocksdb_writebatch_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let batch = get(writebatch)?;
        batch.sound()?;
        get_mut(txn)?.inner.rebuild_from(&batch.inner)
    });
}

/// Adds the records of an indexed batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_rebuild_from_writebatch_wi(
    txn: *mut rocksdb_transaction_t,
    wi: *mut rocksdb_writebatch_wi_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let batch = get(wi)?.inner.batch().clone();
        get_mut(txn)?.inner.rebuild_from(&batch)
    });
}

/// The transaction's snapshot, for the caller to `rocksdb_free`; it lives as long as the
/// transaction. Without one it reads what is newest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_get_snapshot(
    txn: *mut rocksdb_transaction_t,
) -> *const rocksdb_snapshot_t {
    let snapshot = txn.as_ref().and_then(|txn| txn.inner.snapshot());
    rocksdb_snapshot_t::borrowed(snapshot.map(|snapshot| snapshot.sequence()))
}

/// Sets a key of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_put(
    txn: *mut rocksdb_transaction_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let txn = get_mut(txn)?;
        let cf = txn.family(None)?;
        txn.inner.put(&cf, slice(key, klen), slice(val, vlen))
    });
}

/// Sets a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_put_cf(
    txn: *mut rocksdb_transaction_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let txn = get_mut(txn)?;
        let cf = txn.family(Some(column_family))?;
        txn.inner.put(&cf, slice(key, klen), slice(val, vlen))
    });
}

/// Adds a merge operand to a key of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_merge(
    txn: *mut rocksdb_transaction_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let txn = get_mut(txn)?;
        let cf = txn.family(None)?;
        txn.inner.merge(&cf, slice(key, klen), slice(val, vlen))
    });
}

/// Adds a merge operand to a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_merge_cf(
    txn: *mut rocksdb_transaction_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let txn = get_mut(txn)?;
        let cf = txn.family(Some(column_family))?;
        txn.inner.merge(&cf, slice(key, klen), slice(val, vlen))
    });
}

/// Deletes a key of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_delete(
    txn: *mut rocksdb_transaction_t,
    key: *const c_char,
    klen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let txn = get_mut(txn)?;
        let cf = txn.family(None)?;
        txn.inner.delete(&cf, slice(key, klen))
    });
}

/// Deletes a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_delete_cf(
    txn: *mut rocksdb_transaction_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let txn = get_mut(txn)?;
        let cf = txn.family(Some(column_family))?;
        txn.inner.delete(&cf, slice(key, klen))
    });
}
