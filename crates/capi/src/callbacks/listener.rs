//! Event listeners written in C.

use super::State;
use crate::families::job_info::{
    rocksdb_compactionjobinfo_t, rocksdb_externalfileingestioninfo_t, rocksdb_flushjobinfo_t,
    rocksdb_memtableinfo_t, rocksdb_status_ptr_t, rocksdb_subcompactionjobinfo_t,
    rocksdb_writestallinfo_t,
};
use crate::families::rocksdb_t;
use ferrolith::Error;
use ferrolith::internal::db::Db;
use ferrolith::internal::hooks::{
    BackgroundErrorReason, CompactionJobInfo, EventDb, EventListener, ExternalFileIngestionInfo,
    FlushJobInfo, MemTableInfo, SubcompactionJobInfo, WriteStallInfo,
};
use std::ffi::c_void;

/// A callback that gets the database and the data of an event.
pub(crate) type WithDb<T> = Option<unsafe extern "C" fn(*mut c_void, *mut rocksdb_t, *const T)>;
/// A callback that gets the data of an event.
pub(crate) type Plain<T> = Option<unsafe extern "C" fn(*mut c_void, *const T)>;
/// A callback that may change an error.
pub(crate) type OnError = Option<unsafe extern "C" fn(*mut c_void, u32, *mut rocksdb_status_ptr_t)>;

/// A listener made of C functions. Functions that are NULL are not called.
pub(crate) struct CListener {
    pub(crate) state: State,
    pub(crate) flush_begin: WithDb<rocksdb_flushjobinfo_t>,
    pub(crate) flush_completed: WithDb<rocksdb_flushjobinfo_t>,
    pub(crate) compaction_begin: WithDb<rocksdb_compactionjobinfo_t>,
    pub(crate) compaction_completed: WithDb<rocksdb_compactionjobinfo_t>,
    pub(crate) subcompaction_begin: Plain<rocksdb_subcompactionjobinfo_t>,
    pub(crate) subcompaction_completed: Plain<rocksdb_subcompactionjobinfo_t>,
    pub(crate) file_ingested: WithDb<rocksdb_externalfileingestioninfo_t>,
    pub(crate) background_error: OnError,
    pub(crate) stalls_changed: Plain<rocksdb_writestallinfo_t>,
    pub(crate) memtable_sealed: Plain<rocksdb_memtableinfo_t>,
}

impl CListener {
    /// Calls `callback` with a database handle that is valid during the call.
    fn with_db<T>(&self, callback: WithDb<T>, db: EventDb<'_>, info: &T) {
        if let (Some(callback), Some(db)) = (callback, Db::of_event(db)) {
            let mut db = rocksdb_t::new(db);
            // SAFETY: the caller gave a function for exactly this call, and its state.
            unsafe { callback(self.state.pointer(), &mut db, info) }
        }
    }

    fn plain<T>(&self, callback: Plain<T>, info: &T) {
        if let Some(callback) = callback {
            // SAFETY: as above.
            unsafe { callback(self.state.pointer(), info) }
        }
    }
}

impl EventListener for CListener {
    fn on_flush_begin(&self, db: EventDb<'_>, info: &FlushJobInfo) {
        self.with_db(self.flush_begin, db, rocksdb_flushjobinfo_t::of(info));
    }
    fn on_flush_completed(&self, db: EventDb<'_>, info: &FlushJobInfo) {
        self.with_db(self.flush_completed, db, rocksdb_flushjobinfo_t::of(info));
    }
    fn on_compaction_begin(&self, db: EventDb<'_>, info: &CompactionJobInfo) {
        self.with_db(self.compaction_begin, db, rocksdb_compactionjobinfo_t::of(info));
    }
    fn on_compaction_completed(&self, db: EventDb<'_>, info: &CompactionJobInfo) {
        self.with_db(self.compaction_completed, db, rocksdb_compactionjobinfo_t::of(info));
    }
    fn on_subcompaction_begin(&self, info: &SubcompactionJobInfo) {
        self.plain(self.subcompaction_begin, rocksdb_subcompactionjobinfo_t::of(info));
    }
    fn on_subcompaction_completed(&self, info: &SubcompactionJobInfo) {
        self.plain(self.subcompaction_completed, rocksdb_subcompactionjobinfo_t::of(info));
    }
    fn on_external_file_ingested(&self, db: EventDb<'_>, info: &ExternalFileIngestionInfo) {
        self.with_db(self.file_ingested, db, rocksdb_externalfileingestioninfo_t::of(info));
    }
    fn on_background_error(&self, reason: BackgroundErrorReason, error: &mut Option<Error>) {
        if let Some(callback) = self.background_error {
            let mut status = rocksdb_status_ptr_t { inner: error.take() };
            // SAFETY: as above; the status is valid during the call.
            unsafe { callback(self.state.pointer(), reason as u32, &mut status) }
            *error = status.inner;
        }
    }
    fn on_stall_conditions_changed(&self, info: &WriteStallInfo) {
        self.plain(self.stalls_changed, rocksdb_writestallinfo_t::of(info));
    }
    fn on_memtable_sealed(&self, info: &MemTableInfo) {
        self.plain(self.memtable_sealed, rocksdb_memtableinfo_t::of(info));
    }
}
