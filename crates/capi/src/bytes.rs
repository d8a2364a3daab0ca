//! Bytes across the border: what callers pass in, and what they get and free.

use std::ffi::{CStr, c_char};
use std::path::PathBuf;
use std::{ptr, slice};

/// The bytes at `p`; NULL is empty.
///
/// # Safety
/// `p` is NULL or points to `len` bytes that live and stay unchanged for `'a`.
#[inline]
pub(crate) unsafe fn slice<'a>(p: *const c_char, len: usize) -> &'a [u8] {
    if p.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(p.cast(), len) }
}

/// As [`slice`], but NULL is `None`: an open end of a range.
///
/// # Safety
/// As for [`slice`].
pub(crate) unsafe fn bound<'a>(p: *const c_char, len: usize) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise.
    (!p.is_null()).then(|| unsafe { slice(p, len) })
}

/// An array of `n` items; NULL is empty.
///
/// # Safety
/// `p` is NULL or points to `n` items that live and stay unchanged for `'a`.
pub(crate) unsafe fn array<'a, T>(p: *const T, n: usize) -> &'a [T] {
    if p.is_null() || n == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(p, n) }
}

/// A C string as text; NULL is empty.
///
/// # Safety
/// `p` is NULL or a NUL-terminated string that lives for `'a`.
pub(crate) unsafe fn text(p: *const c_char) -> String {
    if p.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned()
}

/// A C string as a path, whatever its bytes.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn path(p: *const c_char) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    if p.is_null() {
        return PathBuf::new();
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { CStr::from_ptr(p) }.to_bytes();
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// A copy for the caller to `free`, never NULL (also for no bytes).
pub(crate) fn to_malloc(bytes: &[u8]) -> *mut c_char {
    list_to_malloc(bytes).cast()
}

/// A copy of these items for the caller to `free`, never NULL.
pub(crate) fn list_to_malloc<T: Copy>(items: &[T]) -> *mut T {
    const { assert!(align_of::<T>() <= align_of::<libc::max_align_t>()) };
    // SAFETY: malloc of at least one byte, aligned for every T that gets past the check; the copy
    // stays inside. Out of memory ends the process, as everywhere in Rust.
    unsafe {
        let p = libc::malloc(size_of_val(items).max(1)).cast::<T>();
        if p.is_null() {
            std::alloc::handle_alloc_error(std::alloc::Layout::for_value(items));
        }
        ptr::copy_nonoverlapping(items.as_ptr(), p, items.len());
        p
    }
}

/// A NUL-terminated copy for the caller to `free`. A NUL inside ends it early, as in C.
pub(crate) fn c_string(text: &str) -> *mut c_char {
    let mut bytes = Vec::with_capacity(text.len() + 1);
    bytes.extend_from_slice(text.as_bytes());
    bytes.push(0);
    to_malloc(&bytes)
}

/// Stores through an out pointer unless it is NULL.
///
/// # Safety
/// `p` is NULL or may be written.
#[inline]
pub(crate) unsafe fn put<T>(p: *mut T, value: T) {
    if !p.is_null() {
        // SAFETY: the caller's promise.
        unsafe { p.write(value) }
    }
}
