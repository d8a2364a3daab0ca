//! Prefix extractors written in C.

use super::State;
use ferrolith::internal::hooks::SliceTransform;
use std::ffi::{c_char, c_uchar, c_void};

/// Returns the prefix of a key: bytes that are valid as long as the key or the transform.
pub(crate) type Transform =
    unsafe extern "C" fn(*mut c_void, *const c_char, usize, *mut usize) -> *mut c_char;

/// Returns whether a key has a prefix.
pub(crate) type InDomain = unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> c_uchar;

/// A prefix extractor made of C functions.
pub(crate) struct CSliceTransform {
    pub(crate) state: State,
    pub(crate) name: String,
    pub(crate) transform: Transform,
    pub(crate) in_domain: InDomain,
}

impl SliceTransform for CSliceTransform {
    fn name(&self) -> &str {
        &self.name
    }

    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        let mut len = 0;
        // SAFETY: the caller gave a function for exactly this call, and its state. RocksDB also uses the result as long
        // as the key.
        unsafe {
            let prefix =
                (self.transform)(self.state.pointer(), key.as_ptr().cast(), key.len(), &mut len);
            crate::bytes::slice(prefix, len)
        }
    }

    fn in_domain(&self, key: &[u8]) -> bool {
        // SAFETY: as in `transform`.
        unsafe { (self.in_domain)(self.state.pointer(), key.as_ptr().cast(), key.len()) != 0 }
    }
}
