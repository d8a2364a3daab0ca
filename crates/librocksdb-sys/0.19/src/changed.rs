//! Functions whose arguments changed between RocksDB 10.10, which `ferrolith-capi` follows, and 11.8.

use crate::bindings::rocksdb_slicetransform_t;
use libc::{c_char, c_uchar, c_void};

type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;
type Transform =
    Option<unsafe extern "C" fn(*mut c_void, *const c_char, usize, *mut usize) -> *mut c_char>;
type InDomain = Option<unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> c_uchar>;
type Name = Option<unsafe extern "C" fn(*mut c_void) -> *const c_char>;

mod capi {
    use super::*;

    // The bindings declare the same symbol with 11.8's arguments. Nothing calls it by that declaration.
    #[allow(clashing_extern_declarations)]
    unsafe extern "C" {
        pub(super) fn rocksdb_slicetransform_create(
            state: *mut c_void,
            destructor: Destructor,
            transform: Transform,
            in_domain: InDomain,
            in_range: InDomain,
            name: Name,
        ) -> *mut rocksdb_slicetransform_t;
    }
}

/// Makes a prefix extractor of callbacks. RocksDB 10.10 has one more argument, `in_range`, which it never calls.
///
/// # Safety
/// The callbacks accept `state` until `destructor` is called with it, from any thread.
pub unsafe extern "C" fn rocksdb_slicetransform_create(
    state: *mut c_void,
    destructor: Destructor,
    transform: Transform,
    in_domain: InDomain,
    name: Name,
) -> *mut rocksdb_slicetransform_t {
    // SAFETY: the caller's promise.
    unsafe {
        capi::rocksdb_slicetransform_create(state, destructor, transform, in_domain, None, name)
    }
}
