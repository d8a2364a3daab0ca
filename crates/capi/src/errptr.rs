//! Errors across the border: `errptr`, and the guard that keeps panics inside.

use ferrolith::internal::error::rocksdb_text;
use ferrolith::{Error, Result};
use std::any::Any;
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `body`; its error, or a panic's, goes into `errptr` and `otherwise` is returned.
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
        // SAFETY: the caller's promise.
        Ok(Err(e)) => unsafe {
            save(errptr, &e);
            otherwise
        },
        // SAFETY: the caller's promise.
        Err(panic) => unsafe {
            save(errptr, &from_panic(&*panic));
            otherwise
        },
    }
}

/// Runs `body` of a function without `errptr`; a panic becomes `otherwise` and a line on stderr.
#[inline]
pub(crate) fn quiet<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        eprintln!("librocksdb (Ferrolith): {}", from_panic(&*panic));
        otherwise
    })
}

/// What a panic becomes.
#[cold]
fn from_panic(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_string());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    Error::new(ferrolith::Code::Aborted, format!("internal panic: {text}"))
}

/// Stores an error where the caller looks for it: a text from `malloc`; an older one is freed.
///
/// # Safety
/// As for [`run`].
#[cold]
pub(crate) unsafe fn save(errptr: *mut *mut c_char, error: &Error) {
    if errptr.is_null() {
        return;
    }
    // SAFETY: not NULL, and the caller's promise about what it points to.
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
    // SAFETY: the caller's promise.
    unsafe {
        save(
            errptr,
            &Error::not_supported(format!("{function}: Ferrolith does not support this function")),
        )
    }
}

/// Names an unsupported function on stderr if `FERROLITH_SHOW_REFUSALS` is set: test suites cannot see a refusal that
/// has no `errptr`.
#[cold]
pub fn show_refusal(function: &str) {
    if std::env::var_os("FERROLITH_SHOW_REFUSALS").is_some() {
        eprintln!("UNIMPLEMENTED {function}");
    }
}
