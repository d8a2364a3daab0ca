//! Compaction filters and their factories written in C.

use super::State;
use crate::families::{rocksdb_compactionfilter_t, rocksdb_compactionfiltercontext_t};
use ferrolith::internal::hooks::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, FilterDecision,
};
use std::ffi::{c_char, c_int, c_uchar, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) type Filter = unsafe extern "C" fn(
    *mut c_void,
    level: c_int,
    key: *const c_char,
    key_length: usize,
    existing_value: *const c_char,
    value_length: usize,
    new_value: *mut *mut c_char,
    new_value_length: *mut usize,
    value_changed: *mut c_uchar,
) -> c_uchar;

pub(crate) type CreateFilter = unsafe extern "C" fn(
    *mut c_void,
    context: *mut rocksdb_compactionfiltercontext_t,
) -> *mut rocksdb_compactionfilter_t;

/// A compaction filter made of a C function.
pub(crate) struct CCompactionFilter {
    pub(crate) state: State,
    pub(crate) name: String,
    pub(crate) filter: Filter,
    pub(crate) ignore_snapshots: AtomicBool,
}

impl CompactionFilter for CCompactionFilter {
    fn name(&self) -> &str {
        &self.name
    }

    fn filter(&self, level: usize, key: &[u8], value: &[u8]) -> FilterDecision {
        let (mut new_value, mut new_length, mut changed) = (ptr::null_mut(), 0, 0);
        // SAFETY: the caller gave a function for exactly this call, and its state. The function keeps ownership of what
        // it returns; the result is copied before the function can be called again on this thread.
        unsafe {
            let remove = (self.filter)(
                self.state.pointer(),
                level as c_int,
                key.as_ptr().cast(),
                key.len(),
                value.as_ptr().cast(),
                value.len(),
                &mut new_value,
                &mut new_length,
                &mut changed,
            );
            if remove != 0 {
                FilterDecision::Remove
            } else if changed != 0 {
                FilterDecision::ChangeValue(crate::bytes::slice(new_value, new_length).to_vec())
            } else {
                FilterDecision::Keep
            }
        }
    }

    fn ignore_snapshots(&self) -> bool {
        self.ignore_snapshots.load(Ordering::Relaxed)
    }
}

/// A filter that a factory has handed over. It is dropped with the compaction for which it was created.
struct Owned(Arc<CCompactionFilter>);

impl CompactionFilter for Owned {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn filter(&self, level: usize, key: &[u8], value: &[u8]) -> FilterDecision {
        self.0.filter(level, key, value)
    }
    fn ignore_snapshots(&self) -> bool {
        self.0.ignore_snapshots()
    }
}

/// A factory of compaction filters made of a C function.
pub(crate) struct CFilterFactory {
    pub(crate) state: State,
    pub(crate) name: String,
    pub(crate) create: CreateFilter,
}

impl CompactionFilterFactory for CFilterFactory {
    fn name(&self) -> &str {
        &self.name
    }

    fn create(&self, context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>> {
        let mut context = rocksdb_compactionfiltercontext_t { inner: *context };
        // SAFETY: the caller gave a function for exactly this call, and its state. It returns NULL or a filter from
        // `rocksdb_compactionfilter_create`, and gives up ownership of it.
        unsafe {
            let filter = (self.create)(self.state.pointer(), &mut context);
            let filter = (!filter.is_null()).then(|| Box::from_raw(filter))?;
            Some(Box::new(Owned(Arc::clone(&filter.inner))))
        }
    }
}
