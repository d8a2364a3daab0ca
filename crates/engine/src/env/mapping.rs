//! Memory straight from the operating system, in huge pages where they fit.
//!
//! A lookup that goes anywhere in some hundred MiB otherwise pays for a page walk with each cache miss.
//!
//! Unsafe: mapping, and giving back what the caller says was mapped. Where the system is not Linux, and
//! under Miri, there is no such memory ([`IS_SUPPORTED`]). Tested by what uses it: `arena_test.rs`,
//! `heap_test.rs`, `large_vec_test.rs`.

#![allow(unsafe_code)]

/// The size of a huge page; what is aligned to it is advised for huge pages.
pub const HUGE_PAGE: usize = 2 << 20;

/// Whether [`map`] can give memory.
pub const IS_SUPPORTED: bool = cfg!(all(target_os = "linux", not(miri)));

#[cfg(all(target_os = "linux", not(miri)))]
pub use linux::{map, populate, remap, unmap};

#[cfg(all(target_os = "linux", not(miri)))]
mod linux {
    use super::HUGE_PAGE;
    use std::ptr;

    const PAGE: usize = 4 << 10;

    /// Zeroed memory of its own, aligned; null where there is none.
    pub fn map(size: usize, align: usize) -> *mut u8 {
        let (size, align) = (size.next_multiple_of(PAGE), align.max(PAGE));
        let Some(length) = size.checked_add(align - PAGE) else { return ptr::null_mut() };
        let (access, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, at a place that the system chooses.
        let start = unsafe { libc::mmap(ptr::null_mut(), length, access, kind, -1, 0) };
        if start == libc::MAP_FAILED {
            return ptr::null_mut();
        }
        let start = start.cast::<u8>();
        let before = start.align_offset(align);
        // SAFETY: both pieces lie inside the mapping, before and behind the part that is kept; the
        // advice is about that part, and a refusal costs speed alone.
        unsafe {
            let kept = start.add(before);
            if before > 0 {
                libc::munmap(start.cast(), before);
            }
            if length - before > size {
                libc::munmap(kept.add(size).cast(), length - before - size);
            }
            if align == HUGE_PAGE {
                libc::madvise(kept.cast(), size, libc::MADV_HUGEPAGE);
            }
            kept
        }
    }

    /// Gives all pages that lie in the range at least in part their memory, for less than it costs to
    /// touch one after the other. Kernels before 5.14 leave them to be touched.
    ///
    /// # Safety
    /// The range is a part of memory that came from `map`.
    pub unsafe fn populate(start: *mut u8, len: usize) {
        let before = start as usize % PAGE;
        let start = start.wrapping_sub(before).cast();
        // SAFETY: by contract; mappings are whole pages. What is in the pages stays.
        unsafe { libc::madvise(start, before + len, libc::MADV_POPULATE_WRITE) };
    }

    /// The same memory in another size, perhaps elsewhere, aligned to pages; null, and nothing has changed, if
    /// there is none.
    ///
    /// # Safety
    /// `memory` came from `map` or `remap` with this size, and only the caller has pointers into it.
    pub unsafe fn remap(memory: *mut u8, size: usize, new_size: usize) -> *mut u8 {
        let (size, new_size) = (size.next_multiple_of(PAGE), new_size.next_multiple_of(PAGE));
        // SAFETY: by contract, nobody else's mapping.
        let moved = unsafe { libc::mremap(memory.cast(), size, new_size, libc::MREMAP_MAYMOVE) };
        if moved == libc::MAP_FAILED { ptr::null_mut() } else { moved.cast() }
    }

    /// Gives memory back; false if the system refuses.
    ///
    /// # Safety
    /// `memory` came from `map` or `remap` with this size, or is a part of such memory that is whole pages, and is
    /// not used any more.
    pub unsafe fn unmap(memory: *mut u8, size: usize) -> bool {
        // SAFETY: by contract, nobody else's mapping.
        unsafe { libc::munmap(memory.cast(), size.next_multiple_of(PAGE)) == 0 }
    }
}

/// No memory.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub fn map(_size: usize, _align: usize) -> *mut u8 {
    std::ptr::null_mut()
}

/// Nothing to do.
///
/// # Safety
/// Never called: [`map`] gives nothing.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub unsafe fn populate(_start: *mut u8, _len: usize) {}

/// No memory.
///
/// # Safety
/// Never called: [`map`] gives nothing.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub unsafe fn remap(_memory: *mut u8, _size: usize, _new_size: usize) -> *mut u8 {
    std::ptr::null_mut()
}

/// Nothing to give back.
///
/// # Safety
/// Never called: [`map`] gives nothing.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub unsafe fn unmap(_memory: *mut u8, _size: usize) -> bool {
    false
}
