//! Comparators written in C.

use super::State;
use ferrolith::internal::base::Comparator;
use std::cmp::Ordering;
use std::ffi::{c_char, c_int, c_void};

/// Compares two keys: negative, zero or positive.
pub(crate) type Compare =
    unsafe extern "C" fn(*mut c_void, *const c_char, usize, *const c_char, usize) -> c_int;

/// A comparator made of C functions.
pub(crate) struct CComparator {
    pub(crate) state: State,
    pub(crate) name: String,
    pub(crate) compare: Compare,
    /// Bytes of user-defined timestamp at the end of each key. Opening refuses values other than 0.
    pub(crate) timestamp_size: usize,
}

impl Comparator for CComparator {
    fn name(&self) -> &str {
        &self.name
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        // SAFETY: the caller gave a function for exactly this call, and its state.
        let order = unsafe {
            let (pa, pb) = (a.as_ptr().cast(), b.as_ptr().cast());
            (self.compare)(self.state.pointer(), pa, a.len(), pb, b.len())
        };
        order.cmp(&0)
    }

    fn timestamp_size(&self) -> usize {
        self.timestamp_size
    }
}
