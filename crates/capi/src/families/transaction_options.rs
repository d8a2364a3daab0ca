//! Options of transactions and of transaction databases.

use crate::handles::{destroy, give};
use ferrolith::internal::txn::{
    OptimisticTransactionOptions, TransactionDbOptions, TransactionOptions,
};

/// Options of a database with pessimistic transactions.
#[derive(Default)]
pub struct rocksdb_transactiondb_options_t {
    pub(crate) inner: TransactionDbOptions,
}

/// Options of a pessimistic transaction.
#[derive(Default)]
pub struct rocksdb_transaction_options_t {
    pub(crate) inner: TransactionOptions,
}

/// Options of an optimistic transaction.
#[derive(Default)]
pub struct rocksdb_optimistictransaction_options_t {
    pub(crate) inner: OptimisticTransactionOptions,
}

/// Creates options with RocksDB's defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transactiondb_options_create()
-> *mut rocksdb_transactiondb_options_t {
    give(rocksdb_transactiondb_options_t::default())
}

/// Destroys options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transactiondb_options_destroy(
    opt: *mut rocksdb_transactiondb_options_t,
) {
    destroy(opt);
}

/// Accepted without effect: there is one lock manager.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transactiondb_options_set_use_per_key_point_lock_mgr(
    _opt: *mut rocksdb_transactiondb_options_t,
    _v: std::ffi::c_uchar,
) {
}

/// Creates options with RocksDB's defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_options_create() -> *mut rocksdb_transaction_options_t
{
    give(rocksdb_transaction_options_t::default())
}

/// Destroys options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_transaction_options_destroy(
    opt: *mut rocksdb_transaction_options_t,
) {
    destroy(opt);
}

/// Creates options with RocksDB's defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_optimistictransaction_options_create()
-> *mut rocksdb_optimistictransaction_options_t {
    give(rocksdb_optimistictransaction_options_t::default())
}

/// Destroys options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_optimistictransaction_options_destroy(
    opt: *mut rocksdb_optimistictransaction_options_t,
) {
    destroy(opt);
}
