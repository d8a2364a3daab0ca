//! `rocksdb_transaction_t`: reads and writes in a transaction, and its end.
//!
//! A prepared transaction may have several handles: the one with which it was begun, and one from each list of prepared
//! transactions. As in RocksDB, all of them refer to the same transaction, only one thread may use it at a time,
//! through any of the handles, and destroying one handle ends it. Unlike in RocksDB, the other handles stay valid.

use super::batch::rocksdb_writebatch_t;
use super::batch_wi::{self, rocksdb_writebatch_wi_t};
use super::rocksdb_column_family_handle_t;
use super::snapshot::rocksdb_snapshot_t;
use crate::bytes::{put, slice, to_malloc};
use crate::errptr::{quiet, run};
use crate::handles::{destroy, get, get_mut, give};
use ferrolith::Result;
use ferrolith::internal::db::ColumnFamily;
use ferrolith::internal::txn::Transaction;
use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::ffi::c_char;
use std::ops::{Deref, DerefMut};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A transaction to which several handles may refer.
pub(super) struct SharedTransaction(Arc<Cell>);

/// The named transactions; the handles own them.
#[derive(Default)]
pub(super) struct NamedTransactions(Mutex<BTreeMap<Vec<u8>, Weak<Cell>>>);

struct Cell(UnsafeCell<Transaction>);

// SAFETY: a transaction may move between threads, and rocksdb/c.h lets only one thread use it at a time.
unsafe impl Send for Cell {}
// SAFETY: as above; the list of named transactions does not access their content.
unsafe impl Sync for Cell {}

impl Deref for SharedTransaction {
    type Target = Transaction;
    fn deref(&self) -> &Transaction {
        // SAFETY: the caller of a C function has exclusive use of the transaction while the function runs, and no
        // reference outlives it.
        unsafe { &*self.0.0.get() }
    }
}

impl DerefMut for SharedTransaction {
    fn deref_mut(&mut self) -> &mut Transaction {
        // SAFETY: as in `deref`.
        unsafe { &mut *self.0.0.get() }
    }
}

impl NamedTransactions {
    fn add(&self, transaction: &SharedTransaction) {
        let mut named = self.lock();
        named.retain(|_, transaction| transaction.strong_count() > 0);
        named.insert(transaction.name().to_vec(), Arc::downgrade(&transaction.0));
    }

    /// Returns the transaction with this name, if there is one.
    pub(super) fn find(&self, name: &[u8]) -> Option<SharedTransaction> {
        self.lock().get(name)?.upgrade().map(SharedTransaction)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Vec<u8>, Weak<Cell>>> {
        // Nothing in it can be half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A transaction.
pub struct rocksdb_transaction_t {
    pub(super) inner: SharedTransaction,
    default_cf: ColumnFamily,
    /// The list that it joins when it gets a name.
    named: Option<Arc<NamedTransactions>>,
}

impl rocksdb_transaction_t {
    /// Returns a transaction to the caller, in place of an old one if that is not NULL.
    pub(super) unsafe fn begun(
        inner: Transaction,
        named: Option<&Arc<NamedTransactions>>,
        old: *mut rocksdb_transaction_t,
    ) -> *mut rocksdb_transaction_t {
        let inner = SharedTransaction(Arc::new(Cell(UnsafeCell::new(inner))));
        if old.is_null() {
            return rocksdb_transaction_t::handle(inner, named);
        }
        let default_cf = inner.db().default_cf();
        (*old).inner.abandon();
        *old = rocksdb_transaction_t { inner, default_cf, named: named.cloned() };
        old
    }

    /// Creates a handle of a transaction.
    pub(super) unsafe fn handle(
        inner: SharedTransaction,
        named: Option<&Arc<NamedTransactions>>,
    ) -> *mut rocksdb_transaction_t {
        let default_cf = inner.db().default_cf();
        give(rocksdb_transaction_t { inner, default_cf, named: named.cloned() })
    }

    /// Creates a handle of a transaction that recovery found prepared.
    pub(super) unsafe fn recovered(
        inner: Transaction,
        named: &Arc<NamedTransactions>,
    ) -> *mut rocksdb_transaction_t {
        let txn = rocksdb_transaction_t::begun(inner, Some(named), ptr::null_mut());
        named.add(&(*txn).inner);
        txn
    }

    /// Returns the column family of a handle; without a handle, the default one.
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

/// Destroys a transaction. If it was neither prepared nor committed, it is rolled back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_destroy(txn: *mut rocksdb_transaction_t) {
    // It may have other handles.
    quiet((), || txn.as_mut().map_or((), |txn| txn.inner.abandon()));
    destroy(txn);
}

/// Commits all writes at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_commit(
    txn: *mut rocksdb_transaction_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(txn)?.inner.commit());
}

/// Discards all writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_rollback(
    txn: *mut rocksdb_transaction_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(txn)?.inner.rollback());
}

/// Prepares the transaction, the first phase of a commit: all writes are logged to the WAL under the transaction's
/// name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_prepare(
    txn: *mut rocksdb_transaction_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(txn)?.inner.prepare());
}

/// Sets the transaction's name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_set_name(
    txn: *mut rocksdb_transaction_t,
    name: *const c_char,
    name_len: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let txn = get_mut(txn)?;
        txn.inner.set_name(slice(name, name_len))?;
        if let Some(named) = &txn.named {
            named.add(&txn.inner);
        }
        Ok(())
    });
}

/// Returns a transaction's name, for the caller to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_get_name(
    txn: *mut rocksdb_transaction_t,
    name_len: *mut usize,
) -> *mut c_char {
    let name = txn.as_ref().map_or(&[][..], |txn| txn.inner.name());
    put(name_len, name.len());
    to_malloc(name)
}

/// Sets a save point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_set_savepoint(txn: *mut rocksdb_transaction_t) {
    quiet((), || txn.as_mut().map_or((), |txn| txn.inner.set_save_point()));
}

/// Rolls back to the newest save point and removes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_rollback_to_savepoint(
    txn: *mut rocksdb_transaction_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get_mut(txn)?.inner.rollback_to_save_point());
}

/// Returns the transaction's writes. The caller may read or add to them, and must release them with `rocksdb_free`.
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

/// Returns the transaction's snapshot, which the caller must release with `rocksdb_free`. It is valid as long as the
/// transaction. If there is none, it reads the newest data.
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
