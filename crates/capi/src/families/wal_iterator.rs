//! `rocksdb_wal_iterator_t`: the batches in the WALs, from a sequence number on.

use super::{rocksdb_t, rocksdb_writebatch_t};
use crate::bytes::put;
use crate::errptr::{quiet, run};
use crate::handles::{destroy, get, get_mut, give};
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::TransactionLogIterator;
use std::ffi::{c_char, c_uchar};
use std::ptr;

/// A position in the change stream.
pub struct rocksdb_wal_iterator_t {
    inner: TransactionLogIterator,
}

/// Options for reading WALs. RocksDB's header declares the type, but no function that creates one.
pub struct rocksdb_wal_readoptions_t;

/// Returns the batches from the one that contains `seq_number` on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_updates_since(
    db: *mut rocksdb_t,
    seq_number: u64,
    _options: *const rocksdb_wal_readoptions_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_wal_iterator_t {
    run(errptr, ptr::null_mut(), || {
        let inner = get(db)?.db.get_updates_since(seq_number)?;
        Ok(give(rocksdb_wal_iterator_t { inner }))
    })
}

/// Moves to the next batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_iter_next(iter: *mut rocksdb_wal_iterator_t) {
    quiet((), || {
        if let Ok(iter) = get_mut(iter) {
            iter.inner.next();
        }
    });
}

/// Returns whether the iterator is at a batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_iter_valid(iter: *const rocksdb_wal_iterator_t) -> c_uchar {
    iter.as_ref().is_some_and(|iter| iter.inner.valid()).into()
}

/// Returns why the iterator ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_iter_status(
    iter: *const rocksdb_wal_iterator_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || get(iter)?.inner.status());
}

/// Returns a copy of the current batch, and its sequence number. The caller destroys it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_iter_get_batch(
    iter: *const rocksdb_wal_iterator_t,
    seq: *mut u64,
) -> *mut rocksdb_writebatch_t {
    quiet(ptr::null_mut(), || {
        let batch = iter.as_ref().and_then(|iter| iter.inner.batch());
        put(seq, batch.map_or(0, WriteBatch::sequence));
        let copy = batch.and_then(|batch| WriteBatch::from_data(batch.data().to_vec()).ok());
        give(rocksdb_writebatch_t::new(copy.unwrap_or_default()))
    })
}

/// Destroys an iterator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_iter_destroy(iter: *mut rocksdb_wal_iterator_t) {
    destroy(iter);
}
