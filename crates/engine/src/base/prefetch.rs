//! Prefetching of cache lines.
//!
//! The module needs `unsafe` because the prefetch instruction takes a pointer; it never faults,
//! whatever the address is.

#![allow(unsafe_code)]

/// The usual size of a cache line.
pub const LINE: usize = 64;

/// Prefetches the cache line of an address. This is only a hint, and any address is allowed.
#[inline]
pub fn prefetch(address: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch never faults.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = address;
}

/// Prefetches the lines of the first `bytes` bytes at an address.
#[inline]
pub fn prefetch_bytes(address: *const u8, bytes: usize) {
    for at in (0..bytes).step_by(LINE) {
        prefetch(address.wrapping_add(at));
    }
}
