//! Manual compaction, and control of background work.

use super::{rocksdb_column_family_handle_t, rocksdb_compactoptions_t, rocksdb_t};
use crate::bytes::bound;
use crate::errptr::{quiet, run};
use crate::handles::{destroy, get, give};
use ferrolith::internal::db::ColumnFamily;
use ferrolith::internal::options::{CompactRangeOptions, WaitForCompactOptions};
use std::ffi::{c_char, c_uchar};
use std::time::Duration;

/// Compacts a range; NULL means unbounded. RocksDB's C ABI cannot report the error, so it is only in LOG.
unsafe fn compact(
    db: *mut rocksdb_t,
    cf: impl FnOnce(&rocksdb_t) -> Option<&ColumnFamily>,
    options: &CompactRangeOptions,
    begin: Option<&[u8]>,
    end: Option<&[u8]>,
) {
    quiet((), || {
        let Some(db) = db.as_ref() else { return };
        let Some(cf) = cf(db) else { return };
        let _ = db.db.compact_range_cf(options, cf, begin, end);
    });
}

/// Compacts a range of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compact_range(
    db: *mut rocksdb_t,
    start_key: *const c_char,
    start_key_len: usize,
    limit_key: *const c_char,
    limit_key_len: usize,
) {
    let (begin, end) = (bound(start_key, start_key_len), bound(limit_key, limit_key_len));
    compact(db, |db| Some(&db.default_cf), &CompactRangeOptions::default(), begin, end);
}

/// Compacts a range of a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compact_range_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    start_key: *const c_char,
    start_key_len: usize,
    limit_key: *const c_char,
    limit_key_len: usize,
) {
    let (begin, end) = (bound(start_key, start_key_len), bound(limit_key, limit_key_len));
    let cf = column_family.as_ref().map(|cf| &cf.cf);
    compact(db, |_| cf, &CompactRangeOptions::default(), begin, end);
}

/// Returns the options of a handle; NULL means the defaults.
unsafe fn compact_options(opt: *const rocksdb_compactoptions_t) -> CompactRangeOptions {
    opt.as_ref().map(|opt| opt.inner.clone()).unwrap_or_default()
}

/// Compacts a range of the default column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compact_range_opt(
    db: *mut rocksdb_t,
    opt: *mut rocksdb_compactoptions_t,
    start_key: *const c_char,
    start_key_len: usize,
    limit_key: *const c_char,
    limit_key_len: usize,
) {
    let (begin, end) = (bound(start_key, start_key_len), bound(limit_key, limit_key_len));
    compact(db, |db| Some(&db.default_cf), &compact_options(opt), begin, end);
}

/// Compacts a range of a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compact_range_cf_opt(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    opt: *mut rocksdb_compactoptions_t,
    start_key: *const c_char,
    start_key_len: usize,
    limit_key: *const c_char,
    limit_key_len: usize,
) {
    let (begin, end) = (bound(start_key, start_key_len), bound(limit_key, limit_key_len));
    let cf = column_family.as_ref().map(|cf| &cf.cf);
    compact(db, |_| cf, &compact_options(opt), begin, end);
}

/// Requests that a range of the default column family is compacted when there is time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_suggest_compact_range(
    db: *mut rocksdb_t,
    start_key: *const c_char,
    start_key_len: usize,
    limit_key: *const c_char,
    limit_key_len: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let (begin, end) = (bound(start_key, start_key_len), bound(limit_key, limit_key_len));
        let db = get(db)?;
        db.db.suggest_compact_range_cf(&db.default_cf, begin, end)
    });
}

/// Requests that a range of a column family is compacted when there is time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_suggest_compact_range_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    start_key: *const c_char,
    start_key_len: usize,
    limit_key: *const c_char,
    limit_key_len: usize,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let (begin, end) = (bound(start_key, start_key_len), bound(limit_key, limit_key_len));
        get(db)?.db.suggest_compact_range_cf(&get(column_family)?.cf, begin, end)
    });
}

/// Ends running manual compactions and prevents new ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_disable_manual_compaction(db: *mut rocksdb_t) {
    quiet((), || db.as_ref().map_or((), |db| db.db.disable_manual_compaction()));
}

/// Reverts one [`rocksdb_disable_manual_compaction`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_enable_manual_compaction(db: *mut rocksdb_t) {
    quiet((), || db.as_ref().map_or((), |db| db.db.enable_manual_compaction()));
}

/// Ends flushes and compactions for good. With `wait`, none is running any more when this returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cancel_all_background_work(db: *mut rocksdb_t, wait: c_uchar) {
    quiet((), || db.as_ref().map_or((), |db| db.db.cancel_all_background_work(wait != 0)));
}

/// Options of [`rocksdb_wait_for_compact`].
#[derive(Default)]
pub struct rocksdb_wait_for_compact_options_t {
    pub(crate) inner: WaitForCompactOptions,
}

/// Waits for background work to end; NULL options mean the defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wait_for_compact(
    db: *mut rocksdb_t,
    options: *mut rocksdb_wait_for_compact_options_t,
    errptr: *mut *mut c_char,
) {
    run(errptr, (), || {
        let options = options.as_ref().map(|options| options.inner).unwrap_or_default();
        get(db)?.db.wait_for_compact_opt(&options)
    });
}

/// Creates options with RocksDB's defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wait_for_compact_options_create()
-> *mut rocksdb_wait_for_compact_options_t {
    give(rocksdb_wait_for_compact_options_t::default())
}

/// Destroys options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wait_for_compact_options_destroy(
    opt: *mut rocksdb_wait_for_compact_options_t,
) {
    destroy(opt);
}

/// Sets how long to wait, in microseconds; 0 means no limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wait_for_compact_options_set_timeout(
    opt: *mut rocksdb_wait_for_compact_options_t,
    microseconds: u64,
) {
    if let Some(opt) = opt.as_mut() {
        opt.inner.timeout = Duration::from_micros(microseconds);
    }
}

/// Returns how long to wait, in microseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wait_for_compact_options_get_timeout(
    opt: *mut rocksdb_wait_for_compact_options_t,
) -> u64 {
    opt.as_ref().map_or(0, |opt| opt.inner.timeout.as_micros() as u64)
}
