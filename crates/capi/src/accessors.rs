//! What the generated accessors call: a C scalar into a field and back.

use crate::errptr::quiet;

/// A field that C sees as a `C`.
pub(crate) trait Scalar<C> {
    /// The field as C sees it.
    fn load(&self) -> C;
    /// Sets the field. A value out of range is clamped to the nearest that the field can hold.
    fn store(&mut self, value: C);
}

/// Reads a field of a handle; NULL gives zero.
///
/// # Safety
/// `handle` is NULL or live.
pub(crate) unsafe fn get<H, C: Default>(handle: *const H, read: impl FnOnce(&H) -> C) -> C {
    // SAFETY: the caller's promise.
    quiet(C::default(), || unsafe { handle.as_ref() }.map(read).unwrap_or_default())
}

/// Changes a field of a handle; NULL does nothing.
///
/// # Safety
/// `handle` is NULL or live, and nobody else uses it.
pub(crate) unsafe fn set<H>(handle: *mut H, write: impl FnOnce(&mut H)) {
    // SAFETY: the caller's promise.
    quiet((), || unsafe { handle.as_mut() }.map_or((), write));
}

impl Scalar<u8> for bool {
    fn load(&self) -> u8 {
        u8::from(*self)
    }
    fn store(&mut self, value: u8) {
        *self = value != 0;
    }
}

impl Scalar<bool> for bool {
    fn load(&self) -> bool {
        *self
    }
    fn store(&mut self, value: bool) {
        *self = value;
    }
}

impl Scalar<f64> for f64 {
    fn load(&self) -> f64 {
        *self
    }
    fn store(&mut self, value: f64) {
        *self = value;
    }
}

/// Integers convert as C converts them: the low bits, sign-extended.
macro_rules! integers {
    ($($field:ty: $($c:ty),*;)*) => {$($(
        impl Scalar<$c> for $field {
            fn load(&self) -> $c {
                *self as $c
            }
            fn store(&mut self, value: $c) {
                *self = value as $field;
            }
        }
    )*)*};
}

integers! {
    i32: i32, u32;
    u32: i32, u32, usize;
    i64: i64, i32;
    u64: u64, usize, i32, u32, i64;
    usize: usize, u64, i32, u32;
}
