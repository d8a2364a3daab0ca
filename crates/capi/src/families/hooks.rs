//! Comparators, merge operators and prefix extractors: created in C, and set in options.
//!
//! As in RocksDB, options borrow a comparator, and take ownership of a merge operator or a prefix extractor.

use super::rocksdb_options_t;
use crate::callbacks::comparator::{CComparator, Compare};
use crate::callbacks::merge_operator::{CMergeOperator, DeleteValue, FullMerge, PartialMerge};
use crate::callbacks::slice_transform::{CSliceTransform, InDomain, Transform};
use crate::callbacks::{Destructor, Name, State};
use crate::errptr::quiet;
use crate::handles::{destroy, give};
use ferrolith::internal::base::Comparator;
use ferrolith::internal::hooks::{
    FixedPrefixTransform, MergeOperator, NoopTransform, SliceTransform, UInt64AddOperator,
};
use std::ffi::{c_char, c_int, c_uchar, c_void};
use std::sync::Arc;

/// A comparator.
pub struct rocksdb_comparator_t {
    pub(crate) inner: Arc<dyn Comparator>,
}

/// A merge operator, until options take it over.
pub struct rocksdb_mergeoperator_t {
    inner: Arc<dyn MergeOperator>,
}

/// A prefix extractor, until options take it over.
pub struct rocksdb_slicetransform_t {
    inner: Arc<dyn SliceTransform>,
}

/// Creates a comparator from C functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_comparator_create(
    state: *mut c_void,
    destructor: Destructor,
    compare: Compare,
    name: Name,
) -> *mut rocksdb_comparator_t {
    comparator(State::new(state, destructor), compare, name, 0)
}

unsafe fn comparator(
    state: State,
    compare: Compare,
    name: Name,
    timestamp_size: usize,
) -> *mut rocksdb_comparator_t {
    let name = state.name(name);
    let inner = Arc::new(CComparator { state, name, compare, timestamp_size });
    give(rocksdb_comparator_t { inner })
}

type CompareTimestamps = Compare;
type CompareWithoutTimestamp = unsafe extern "C" fn(
    *mut c_void,
    *const c_char,
    usize,
    c_uchar,
    *const c_char,
    usize,
    c_uchar,
) -> c_int;

/// Creates a comparator of keys that end in a timestamp. Opening a database with it is refused, because user-defined
/// timestamps are not supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_comparator_with_ts_create(
    state: *mut c_void,
    destructor: Destructor,
    compare: Compare,
    _compare_ts: CompareTimestamps,
    _compare_without_ts: CompareWithoutTimestamp,
    name: Name,
    timestamp_size: usize,
) -> *mut rocksdb_comparator_t {
    comparator(State::new(state, destructor), compare, name, timestamp_size)
}

/// Releases a comparator. Databases that use it keep it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_comparator_destroy(handle: *mut rocksdb_comparator_t) {
    destroy(handle);
}

/// Sets the comparator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_comparator(
    handle: *mut rocksdb_options_t,
    comparator: *mut rocksdb_comparator_t,
) {
    if let (Some(options), Some(comparator)) = (handle.as_mut(), comparator.as_ref()) {
        options.inner.cf.comparator = Arc::clone(&comparator.inner);
    }
}

/// Creates a merge operator from C functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_mergeoperator_create(
    state: *mut c_void,
    destructor: Destructor,
    full_merge: FullMerge,
    partial_merge: Option<PartialMerge>,
    delete_value: Option<DeleteValue>,
    name: Name,
) -> *mut rocksdb_mergeoperator_t {
    let state = State::new(state, destructor);
    let name = state.name(name);
    let inner = CMergeOperator { state, name, full_merge, partial_merge, delete_value };
    give(rocksdb_mergeoperator_t { inner: Arc::new(inner) })
}

/// Destroys a merge operator that no options took over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_mergeoperator_destroy(handle: *mut rocksdb_mergeoperator_t) {
    destroy(handle);
}

/// Sets the merge operator and takes ownership of it; NULL removes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_merge_operator(
    handle: *mut rocksdb_options_t,
    operator: *mut rocksdb_mergeoperator_t,
) {
    quiet((), || {
        let operator = (!operator.is_null()).then(|| Box::from_raw(operator).inner);
        if let Some(options) = handle.as_mut() {
            options.inner.cf.merge_operator = operator;
        }
    });
}

/// Sets RocksDB's built-in operator that adds numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_uint64add_merge_operator(
    handle: *mut rocksdb_options_t,
) {
    if let Some(options) = handle.as_mut() {
        options.inner.cf.merge_operator = Some(Arc::new(UInt64AddOperator));
    }
}

/// Creates a prefix extractor from C functions. `in_range` is not called, as in RocksDB.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_slicetransform_create(
    state: *mut c_void,
    destructor: Destructor,
    transform: Transform,
    in_domain: InDomain,
    _in_range: Option<InDomain>,
    name: Name,
) -> *mut rocksdb_slicetransform_t {
    let state = State::new(state, destructor);
    let name = state.name(name);
    let inner = CSliceTransform { state, name, transform, in_domain };
    give(rocksdb_slicetransform_t { inner: Arc::new(inner) })
}

/// Creates an extractor of the first bytes of a key; shorter keys have no prefix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_slicetransform_create_fixed_prefix(
    length: usize,
) -> *mut rocksdb_slicetransform_t {
    give(rocksdb_slicetransform_t { inner: Arc::new(FixedPrefixTransform::new(length)) })
}

/// Creates an extractor of the whole key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_slicetransform_create_noop() -> *mut rocksdb_slicetransform_t {
    give(rocksdb_slicetransform_t { inner: Arc::new(NoopTransform) })
}

/// Destroys a prefix extractor that no options took over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_slicetransform_destroy(handle: *mut rocksdb_slicetransform_t) {
    destroy(handle);
}

/// Sets the prefix extractor and takes ownership of it; NULL removes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_prefix_extractor(
    handle: *mut rocksdb_options_t,
    transform: *mut rocksdb_slicetransform_t,
) {
    quiet((), || {
        let transform = (!transform.is_null()).then(|| Box::from_raw(transform).inner);
        if let Some(options) = handle.as_mut() {
            options.inner.cf.prefix_extractor = transform;
        }
    });
}
