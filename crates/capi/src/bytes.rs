//! Byte buffers at the C boundary: arguments of callers, and results that callers free.

use std::ffi::{CStr, c_char};
use std::path::PathBuf;
use std::{ptr, slice};

/// Returns the bytes at `p`; NULL means empty.
///
/// # Safety
/// `p` is NULL or points to `len` bytes that live and stay unchanged for `'a`.
#[inline]
pub(crate) unsafe fn slice<'a>(p: *const c_char, len: usize) -> &'a [u8] {
    if p.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: guaranteed by the caller.
    unsafe { slice::from_raw_parts(p.cast(), len) }
}

/// Does the same as [`slice`], but NULL is `None`, which means an unbounded end of a range.
///
/// # Safety
/// As for [`slice`].
pub(crate) unsafe fn bound<'a>(p: *const c_char, len: usize) -> Option<&'a [u8]> {
    // SAFETY: guaranteed by the caller.
    (!p.is_null()).then(|| unsafe { slice(p, len) })
}

/// Returns an array of `n` items; NULL means empty.
///
/// # Safety
/// `p` is NULL or points to `n` items that live and stay unchanged for `'a`.
pub(crate) unsafe fn array<'a, T>(p: *const T, n: usize) -> &'a [T] {
    if p.is_null() || n == 0 {
        return &[];
    }
    // SAFETY: guaranteed by the caller.
    unsafe { slice::from_raw_parts(p, n) }
}

/// Returns a C string as text; NULL means empty.
///
/// # Safety
/// `p` is NULL or a NUL-terminated string that lives for `'a`.
pub(crate) unsafe fn text(p: *const c_char) -> String {
    if p.is_null() {
        return String::new();
    }
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned()
}

/// Returns a C string as a path, with any bytes.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn path(p: *const c_char) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    if p.is_null() {
        return PathBuf::new();
    }
    // SAFETY: guaranteed by the caller.
    let bytes = unsafe { CStr::from_ptr(p) }.to_bytes();
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// Returns a copy for the caller to `free`. Never NULL, even for no bytes.
pub(crate) fn to_malloc(bytes: &[u8]) -> *mut c_char {
    list_to_malloc(bytes).cast()
}

/// Returns a copy of these items for the caller to `free`, never NULL.
pub(crate) fn list_to_malloc<T: Copy>(items: &[T]) -> *mut T {
    const { assert!(align_of::<T>() <= align_of::<libc::max_align_t>()) };
    // SAFETY: malloc of at least one byte, aligned for every T that passes the check; the copy stays within it. Out of
    // memory ends the process, as everywhere in Rust.
    unsafe {
        let p = libc::malloc(size_of_val(items).max(1)).cast::<T>();
        if p.is_null() {
            std::alloc::handle_alloc_error(std::alloc::Layout::for_value(items));
        }
        ptr::copy_nonoverlapping(items.as_ptr(), p, items.len());
        p
    }
}

/// Returns a NUL-terminated copy for the caller to `free`. A NUL within the text ends it early, as in C.
pub(crate) fn c_string(text: &str) -> *mut c_char {
    let mut bytes = Vec::with_capacity(text.len() + 1);
    bytes.extend_from_slice(text.as_bytes());
    bytes.push(0);
    to_malloc(&bytes)
}

/// Stores a value through an output pointer unless it is NULL.
///
/// # Safety
/// `p` is NULL or may be written.
#[inline]
pub(crate) unsafe fn put<T>(p: *mut T, value: T) {
    if !p.is_null() {
        // SAFETY: guaranteed by the caller.
        unsafe { p.write(value) }
    }
}
