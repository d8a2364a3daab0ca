//! Manual compaction, and what holds background work up.

use super::{rocksdb_column_family_handle_t, rocksdb_compactoptions_t, rocksdb_t};
use crate::bytes::bound;
use crate::errptr::{quiet, run};
use crate::handles::{destroy, get, give};
use ferrolith::internal::db::ColumnFamily;
use ferrolith::internal::options::{CompactRangeOptions, WaitForCompactOptions};
use std::ffi::{c_char, c_uchar};
use std::time::Duration;

/// Compacts a range; NULL is an open end. RocksDB's C ABI has no place for its error: the LOG has it.
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

/// The options behind a handle; NULL means the defaults.
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

/// Asks for a range of the default column family to be compacted when there is time.
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

/// Asks for a range of a column family to be compacted when there is time.
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

/// Ends manual compactions and lets none begin.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_disable_manual_compaction(db: *mut rocksdb_t) {
    quiet((), || db.as_ref().map_or((), |db| db.db.disable_manual_compaction()));
}

/// Takes one [`rocksdb_disable_manual_compaction`] back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_enable_manual_compaction(db: *mut rocksdb_t) {
    quiet((), || db.as_ref().map_or((), |db| db.db.enable_manual_compaction()));
}

/// Ends flushes and compactions for good; with `wait`, none runs any more at the return.
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

/// New options with RocksDB's defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wait_for_compact_options_create()
-> *mut rocksdb_wait_for_compact_options_t {
    give(rocksdb_wait_for_compact_options_t::default())
}

/// Gives options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wait_for_compact_options_destroy(
    opt: *mut rocksdb_wait_for_compact_options_t,
) {
    destroy(opt);
}

/// How long to wait, in microseconds; 0 without end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wait_for_compact_options_set_timeout(
    opt: *mut rocksdb_wait_for_compact_options_t,
    microseconds: u64,
) {
    if let Some(opt) = opt.as_mut() {
        opt.inner.timeout = Duration::from_micros(microseconds);
    }
}

/// How long to wait, in microseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wait_for_compact_options_get_timeout(
    opt: *mut rocksdb_wait_for_compact_options_t,
) -> u64 {
    opt.as_ref().map_or(0, |opt| opt.inner.timeout.as_micros() as u64)
}
