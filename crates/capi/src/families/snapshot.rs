//! `rocksdb_snapshot_t`.

use super::{rocksdb_readoptions_t, rocksdb_t};
use crate::errptr::quiet;
use crate::handles::{destroy, give};
use ferrolith::internal::base::SeqNo;
use ferrolith::internal::db::{Db, Snapshot};
use std::ptr;

/// A snapshot of a database.
pub struct rocksdb_snapshot_t {
    /// `None` reads the newest data.
    pub(crate) sequence: Option<SeqNo>,
    /// Keeps the snapshot's data; the data of a transaction's snapshot is kept by the transaction.
    _owned: Option<Snapshot>,
}

impl rocksdb_snapshot_t {
    /// If values are updated in place, there is no consistent snapshot, and none is kept.
    pub(crate) fn new(db: &Db) -> rocksdb_snapshot_t {
        let snapshot = db.supports_snapshots().then(|| db.snapshot());
        rocksdb_snapshot_t { sequence: snapshot.as_ref().map(Snapshot::sequence), _owned: snapshot }
    }

    /// Returns a snapshot that another object owns, in memory that the caller may pass to `free`.
    pub(super) unsafe fn borrowed(sequence: Option<SeqNo>) -> *const rocksdb_snapshot_t {
        let p = libc::malloc(size_of::<rocksdb_snapshot_t>()).cast::<rocksdb_snapshot_t>();
        if !p.is_null() {
            p.write(rocksdb_snapshot_t { sequence, _owned: None });
        }
        p
    }
}

/// Takes a snapshot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_snapshot(db: *mut rocksdb_t) -> *const rocksdb_snapshot_t {
    quiet(ptr::null(), || match db.as_ref() {
        Some(db) => give(rocksdb_snapshot_t::new(&db.db)),
        None => ptr::null(),
    })
}

/// Destroys a snapshot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_release_snapshot(
    _db: *mut rocksdb_t,
    snapshot: *const rocksdb_snapshot_t,
) {
    destroy(snapshot.cast_mut());
}

/// Returns the sequence number at which a snapshot reads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_snapshot_get_sequence_number(
    snapshot: *const rocksdb_snapshot_t,
) -> u64 {
    snapshot.as_ref().map_or(0, |s| s.sequence.unwrap_or(0))
}

/// Makes reads use this snapshot; NULL means the newest data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_set_snapshot(
    handle: *mut rocksdb_readoptions_t,
    snapshot: *const rocksdb_snapshot_t,
) {
    if let Some(options) = handle.as_mut() {
        options.inner.snapshot = snapshot.as_ref().and_then(|s| s.sequence);
    }
}
