//! Handles of callers: boxes behind opaque pointers.

use ferrolith::{Error, Result};

/// Hands an object over to the caller, who passes it to [`destroy`] in the end.
pub(crate) fn give<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Drops an object from [`give`]. NULL does nothing.
///
/// # Safety
/// `handle` is NULL or came from [`give`] and is not used again.
pub(crate) unsafe fn destroy<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: guaranteed by the caller.
        crate::errptr::quiet((), || drop(unsafe { Box::from_raw(handle) }));
    }
}

/// Returns the object of a handle; NULL is an error that names the expected type.
///
/// # Safety
/// `handle` is NULL or points to a live object that nobody changes for `'a`.
#[inline]
pub(crate) unsafe fn get<'a, T>(handle: *const T) -> Result<&'a T> {
    // SAFETY: guaranteed by the caller.
    unsafe { handle.as_ref() }.ok_or_else(null_handle::<T>)
}

/// Does the same as [`get`], for an object that the function changes.
///
/// # Safety
/// `handle` is NULL or points to a live object that nobody else uses for `'a`.
#[inline]
pub(crate) unsafe fn get_mut<'a, T>(handle: *mut T) -> Result<&'a mut T> {
    // SAFETY: guaranteed by the caller.
    unsafe { handle.as_mut() }.ok_or_else(null_handle::<T>)
}

#[cold]
fn null_handle<T>() -> Error {
    let name = std::any::type_name::<T>();
    let name = name.rsplit("::").next().unwrap_or(name);
    Error::invalid_argument(format!("NULL where a {name} is expected"))
}
