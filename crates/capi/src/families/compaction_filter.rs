//! Compaction filters and their factories: created in C, and set in options.
//!
//! As in RocksDB, options borrow a filter and take ownership of a factory. A database keeps a filter as long as it
//! needs it, even if the handle is destroyed.

use super::rocksdb_options_t;
use crate::callbacks::compaction_filter::{
    CCompactionFilter, CFilterFactory, CreateFilter, Filter,
};
use crate::callbacks::{Destructor, Name, State};
use crate::errptr::quiet;
use crate::handles::{destroy, give};
use ferrolith::internal::hooks::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory,
};
use std::ffi::{c_uchar, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A compaction filter.
pub struct rocksdb_compactionfilter_t {
    pub(crate) inner: Arc<CCompactionFilter>,
}

/// What a factory learns about a compaction.
pub struct rocksdb_compactionfiltercontext_t {
    pub(crate) inner: CompactionFilterContext,
}

/// A factory of compaction filters, until options take it over.
pub struct rocksdb_compactionfilterfactory_t {
    inner: Arc<dyn CompactionFilterFactory>,
}

/// Creates a compaction filter from a C function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfilter_create(
    state: *mut c_void,
    destructor: Destructor,
    filter: Filter,
    name: Name,
) -> *mut rocksdb_compactionfilter_t {
    let state = State::new(state, destructor);
    let name = state.name(name);
    let ignore_snapshots = AtomicBool::new(true);
    let inner = Arc::new(CCompactionFilter { state, name, filter, ignore_snapshots });
    give(rocksdb_compactionfilter_t { inner })
}

/// Sets whether versions that a snapshot needs are filtered too. With 0, compactions fail, as in RocksDB.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfilter_set_ignore_snapshots(
    filter: *mut rocksdb_compactionfilter_t,
    whether: c_uchar,
) {
    if let Some(filter) = filter.as_ref() {
        filter.inner.ignore_snapshots.store(whether != 0, Ordering::Relaxed);
    }
}

/// Destroys a filter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfilter_destroy(filter: *mut rocksdb_compactionfilter_t) {
    destroy(filter);
}

/// Sets the compaction filter of options; NULL removes it. The caller keeps ownership of the filter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_compaction_filter(
    opt: *mut rocksdb_options_t,
    filter: *mut rocksdb_compactionfilter_t,
) {
    if let Some(options) = opt.as_mut() {
        options.inner.cf.compaction_filter =
            filter.as_ref().map(|filter| Arc::clone(&filter.inner) as Arc<dyn CompactionFilter>);
    }
}

/// Returns whether a compaction reads all tables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfiltercontext_is_full_compaction(
    context: *mut rocksdb_compactionfiltercontext_t,
) -> c_uchar {
    context.as_ref().map_or(0, |context| c_uchar::from(context.inner.is_full_compaction))
}

/// Returns whether a user requested a compaction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfiltercontext_is_manual_compaction(
    context: *mut rocksdb_compactionfiltercontext_t,
) -> c_uchar {
    context.as_ref().map_or(0, |context| c_uchar::from(context.inner.is_manual_compaction))
}

/// Creates a factory of compaction filters. A filter that it creates is destroyed with its compaction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfilterfactory_create(
    state: *mut c_void,
    destructor: Destructor,
    create_compaction_filter: CreateFilter,
    name: Name,
) -> *mut rocksdb_compactionfilterfactory_t {
    let state = State::new(state, destructor);
    let name = state.name(name);
    let inner = Arc::new(CFilterFactory { state, name, create: create_compaction_filter });
    give(rocksdb_compactionfilterfactory_t { inner })
}

/// Destroys a factory that no options took over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfilterfactory_destroy(
    factory: *mut rocksdb_compactionfilterfactory_t,
) {
    destroy(factory);
}

/// Sets the filter factory of options; NULL removes it. The options take ownership of the factory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_compaction_filter_factory(
    opt: *mut rocksdb_options_t,
    factory: *mut rocksdb_compactionfilterfactory_t,
) {
    quiet((), || {
        let factory = (!factory.is_null()).then(|| Box::from_raw(factory).inner);
        if let Some(options) = opt.as_mut() {
            options.inner.cf.compaction_filter_factory = factory;
        }
    });
}
