//! `rocksdb_snapshot_t`.

use super::rocksdb_t;
use crate::errptr::quiet;
use crate::handles::{destroy, give};
use ferrolith::db::Snapshot;
use std::ptr;

/// A moment of a database.
pub struct rocksdb_snapshot_t {
    pub(crate) snapshot: Snapshot,
}

/// A snapshot of this moment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_snapshot(db: *mut rocksdb_t) -> *const rocksdb_snapshot_t {
    quiet(ptr::null(), || match db.as_ref() {
        Some(db) => give(rocksdb_snapshot_t { snapshot: db.db.snapshot() }),
        None => ptr::null(),
    })
}

/// Gives a snapshot back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_release_snapshot(
    _db: *mut rocksdb_t,
    snapshot: *const rocksdb_snapshot_t,
) {
    destroy(snapshot.cast_mut());
}

/// The sequence number that a snapshot reads at.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_snapshot_get_sequence_number(
    snapshot: *const rocksdb_snapshot_t,
) -> u64 {
    snapshot.as_ref().map_or(0, |s| s.snapshot.sequence())
}
