//! Merge operators written in C.

use super::State;
use ferrolith::internal::hooks::MergeOperator;
use std::ffi::{c_char, c_int, c_uchar, c_void};
use std::ptr;

pub(crate) type FullMerge = unsafe extern "C" fn(
    *mut c_void,
    key: *const c_char,
    key_length: usize,
    existing_value: *const c_char,
    existing_value_length: usize,
    operands_list: *const *const c_char,
    operands_list_length: *const usize,
    num_operands: c_int,
    success: *mut c_uchar,
    new_value_length: *mut usize,
) -> *mut c_char;

pub(crate) type PartialMerge = unsafe extern "C" fn(
    *mut c_void,
    key: *const c_char,
    key_length: usize,
    operands_list: *const *const c_char,
    operands_list_length: *const usize,
    num_operands: c_int,
    success: *mut c_uchar,
    new_value_length: *mut usize,
) -> *mut c_char;

pub(crate) type DeleteValue = unsafe extern "C" fn(*mut c_void, *const c_char, usize);

/// A merge operator made of C functions.
pub(crate) struct CMergeOperator {
    pub(crate) state: State,
    pub(crate) name: String,
    pub(crate) full_merge: FullMerge,
    pub(crate) partial_merge: Option<PartialMerge>,
    /// Frees the results of the other two functions; without it, `free` does.
    pub(crate) delete_value: Option<DeleteValue>,
}

/// Operands in the form that C functions take: two arrays.
struct Operands {
    pointers: Vec<*const c_char>,
    lengths: Vec<usize>,
}

impl Operands {
    fn new(operands: &[&[u8]]) -> Operands {
        Operands {
            pointers: operands.iter().map(|o| o.as_ptr().cast()).collect(),
            lengths: operands.iter().map(|o| o.len()).collect(),
        }
    }

    fn count(&self) -> c_int {
        self.pointers.len() as c_int
    }
}

impl CMergeOperator {
    /// Copies the result of a C function and returns it to be freed.
    ///
    /// # Safety
    /// `value` is NULL or points to `len` bytes that the caller's function has just returned.
    unsafe fn take(&self, value: *mut c_char, len: usize, success: c_uchar) -> Option<Vec<u8>> {
        // SAFETY: guaranteed by the contract above, and by the caller that its `delete_value` frees the value.
        unsafe {
            let copy = (success != 0).then(|| crate::bytes::slice(value, len).to_vec());
            match self.delete_value {
                Some(delete) => delete(self.state.pointer(), value, len),
                None => libc::free(value.cast()),
            }
            copy
        }
    }
}

impl MergeOperator for CMergeOperator {
    fn name(&self) -> &str {
        &self.name
    }

    fn full_merge(
        &self,
        key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Option<Vec<u8>> {
        let operands = Operands::new(operands);
        let (mut success, mut len) = (0, 0);
        // SAFETY: the caller gave a function for exactly this call, and its state.
        unsafe {
            let value = (self.full_merge)(
                self.state.pointer(),
                key.as_ptr().cast(),
                key.len(),
                existing.map_or(ptr::null(), |v| v.as_ptr().cast()),
                existing.map_or(0, <[u8]>::len),
                operands.pointers.as_ptr(),
                operands.lengths.as_ptr(),
                operands.count(),
                &mut success,
                &mut len,
            );
            self.take(value, len, success)
        }
    }

    fn partial_merge(&self, key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        let partial_merge = self.partial_merge?;
        let operands = Operands::new(operands);
        let (mut success, mut len) = (0, 0);
        // SAFETY: as in `full_merge`.
        unsafe {
            let value = partial_merge(
                self.state.pointer(),
                key.as_ptr().cast(),
                key.len(),
                operands.pointers.as_ptr(),
                operands.lengths.as_ptr(),
                operands.count(),
                &mut success,
                &mut len,
            );
            self.take(value, len, success)
        }
    }
}
