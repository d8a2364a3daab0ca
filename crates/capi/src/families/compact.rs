//! Manual compaction.

use super::{rocksdb_column_family_handle_t, rocksdb_t};
use crate::bytes::bound;
use crate::errptr::quiet;
use ferrolith::db::ColumnFamily;
use ferrolith::options::CompactRangeOptions;
use std::ffi::c_char;

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
