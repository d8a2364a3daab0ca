//! Errors at the C boundary: `errptr`, and the guard that catches panics.

use ferrolith::internal::error::rocksdb_text;
use ferrolith::{Error, Result};
use std::any::Any;
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `body`. If it fails or panics, stores the error in `errptr` and returns `otherwise`.
///
/// # Safety
/// `errptr` is NULL or points to NULL or to memory from `malloc`, as RocksDB's header demands.
#[inline]
pub(crate) unsafe fn run<T>(
    errptr: *mut *mut c_char,
    otherwise: T,
    body: impl FnOnce() -> Result<T>,
) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => value,
        // SAFETY: guaranteed by the caller.
        Ok(Err(e)) => unsafe {
            save(errptr, &e);
            otherwise
        },
        // SAFETY: guaranteed by the caller.
        Err(panic) => unsafe {
            save(errptr, &from_panic(&*panic));
            otherwise
        },
    }
}

/// Runs the `body` of a function without `errptr`. A panic returns `otherwise` and prints a line on stderr.
#[inline]
pub(crate) fn quiet<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        eprintln!("librocksdb (Ferrolith): {}", from_panic(&*panic));
        otherwise
    })
}

/// Converts a panic to an error.
#[cold]
fn from_panic(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_string());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    Error::new(ferrolith::Code::Aborted, format!("internal panic: {text}"))
}

/// Stores an error for the caller: a text from `malloc`. An older one is freed.
///
/// # Safety
/// As for [`run`].
#[cold]
pub(crate) unsafe fn save(errptr: *mut *mut c_char, error: &Error) {
    if errptr.is_null() {
        return;
    }
    // SAFETY: not NULL, and the caller guarantees what it points to.
    unsafe {
        libc::free((*errptr).cast());
        *errptr = crate::bytes::c_string(&rocksdb_text(error));
    }
}

/// Sets `errptr` to an error that names `function` as unsupported.
///
/// # Safety
/// `errptr` is NULL or points to NULL or to memory from `malloc`, as RocksDB's header demands.
#[cold]
pub unsafe fn refuse(errptr: *mut *mut c_char, function: &str) {
    show_refusal(function);
    // SAFETY: guaranteed by the caller.
    unsafe {
        save(
            errptr,
            &Error::not_supported(format!("{function}: Ferrolith does not support this function")),
        )
    }
}

/// Prints the name of an unsupported function on stderr if `FERROLITH_SHOW_REFUSALS` is set, because test suites cannot
/// see a refusal without `errptr`.
#[cold]
pub fn show_refusal(function: &str) {
    if std::env::var_os("FERROLITH_SHOW_REFUSALS").is_some() {
        eprintln!("UNIMPLEMENTED {function}");
    }
}
