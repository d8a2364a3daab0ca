//! Event listeners: created in C, and added to options.

use super::job_info::{
    rocksdb_compactionjobinfo_t, rocksdb_externalfileingestioninfo_t, rocksdb_flushjobinfo_t,
    rocksdb_memtableinfo_t, rocksdb_subcompactionjobinfo_t, rocksdb_writestallinfo_t,
};
use super::rocksdb_options_t;
use crate::callbacks::listener::{CListener, OnError, Plain, WithDb};
use crate::callbacks::{Destructor, State};
use crate::handles::{destroy, give};
use std::ffi::c_void;
use std::sync::Arc;

/// A listener, until options take it over.
pub struct rocksdb_eventlistener_t {
    inner: Arc<CListener>,
}

/// Creates a listener from C functions. Functions that are NULL are not called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_eventlistener_create(
    state_: *mut c_void,
    destructor_: Destructor,
    on_flush_begin: WithDb<rocksdb_flushjobinfo_t>,
    on_flush_completed: WithDb<rocksdb_flushjobinfo_t>,
    on_compaction_begin: WithDb<rocksdb_compactionjobinfo_t>,
    on_compaction_completed: WithDb<rocksdb_compactionjobinfo_t>,
    on_subcompaction_begin: Plain<rocksdb_subcompactionjobinfo_t>,
    on_subcompaction_completed: Plain<rocksdb_subcompactionjobinfo_t>,
    on_external_file_ingested: WithDb<rocksdb_externalfileingestioninfo_t>,
    on_background_error: OnError,
    on_stall_conditions_changed: Plain<rocksdb_writestallinfo_t>,
    on_memtable_sealed: Plain<rocksdb_memtableinfo_t>,
) -> *mut rocksdb_eventlistener_t {
    let inner = Arc::new(CListener {
        state: State::new(state_, destructor_),
        flush_begin: on_flush_begin,
        flush_completed: on_flush_completed,
        compaction_begin: on_compaction_begin,
        compaction_completed: on_compaction_completed,
        subcompaction_begin: on_subcompaction_begin,
        subcompaction_completed: on_subcompaction_completed,
        file_ingested: on_external_file_ingested,
        background_error: on_background_error,
        stalls_changed: on_stall_conditions_changed,
        memtable_sealed: on_memtable_sealed,
    });
    give(rocksdb_eventlistener_t { inner })
}

/// Destroys a listener that no options took over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_eventlistener_destroy(handle: *mut rocksdb_eventlistener_t) {
    destroy(handle);
}

/// Adds the listener to options, which take ownership of it: the caller must not use it again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_add_eventlistener(
    handle: *mut rocksdb_options_t,
    listener: *mut rocksdb_eventlistener_t,
) {
    if let (Some(options), false) = (handle.as_mut(), listener.is_null()) {
        options.inner.db.components.listeners.push(Box::from_raw(listener).inner);
    }
}
