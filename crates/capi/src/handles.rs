//! What callers hold: boxes behind opaque pointers.

use ferrolith::{Error, Result};

/// Hands an object to the caller, who gives it back to [`destroy`].
pub(crate) fn give<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Drops what [`give`] gave. NULL does nothing.
///
/// # Safety
/// `handle` is NULL or came from [`give`] and is not used again.
pub(crate) unsafe fn destroy<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: the caller's promise.
        crate::errptr::quiet((), || drop(unsafe { Box::from_raw(handle) }));
    }
}

/// The object behind a handle; NULL is an error that says which type was expected.
///
/// # Safety
/// `handle` is NULL or points to a live object that nobody changes for `'a`.
#[inline]
pub(crate) unsafe fn get<'a, T>(handle: *const T) -> Result<&'a T> {
    // SAFETY: the caller's promise.
    unsafe { handle.as_ref() }.ok_or_else(null_handle::<T>)
}

/// As [`get`], for an object that the function changes.
///
/// # Safety
/// `handle` is NULL or points to a live object that nobody else uses for `'a`.
#[inline]
pub(crate) unsafe fn get_mut<'a, T>(handle: *mut T) -> Result<&'a mut T> {
    // SAFETY: the caller's promise.
    unsafe { handle.as_mut() }.ok_or_else(null_handle::<T>)
}

#[cold]
fn null_handle<T>() -> Error {
    let name = std::any::type_name::<T>();
    let name = name.rsplit("::").next().unwrap_or(name);
    Error::invalid_argument(format!("NULL where a {name} is expected"))
}
