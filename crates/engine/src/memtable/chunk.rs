//! Chunks of memory, which an arena allocates pieces from.
//!
//! The module needs `unsafe` because a chunk has no static owner: either an [`super::arena::Arena`]
//! or [`super::spare::SpareChunks`] holds it. Invariant A2 of `arena.rs`: a chunk's cursor only
//! grows.

#![allow(unsafe_code)]

use crate::env::mapping::{self, HUGE_PAGE, is_mapped};
use crate::env::sync::std_atomic::{AtomicUsize, Ordering};
use std::alloc::Layout;
use std::ptr::NonNull;

const LINE: usize = 64;

/// The header of a chunk; the memory that it allocates from follows it.
#[repr(C, align(64))]
pub(super) struct Chunk {
    /// The offset of the next free byte from the chunk's start. It is past `size` once the chunk is
    /// full.
    pub(super) cursor: AtomicUsize,
    /// The size in bytes, including the header.
    pub(super) size: usize,
    /// The chunk is mapped, and only the pages in use have memory yet.
    pub(super) fresh: bool,
    /// The chunk created before this one.
    pub(super) older: *mut Chunk,
}

/// Takes `size` bytes from `chunk` if they fit.
///
/// # Safety
/// `chunk` must be live.
#[inline]
pub(super) unsafe fn bump(chunk: *mut Chunk, size: usize) -> Option<NonNull<u8>> {
    // SAFETY: live, by contract; after its creation the header is only read or changed atomically.
    let head = unsafe { &*chunk };
    if size > head.size {
        return None; // Also keeps the cursor from wrapping.
    }
    let at = head.cursor.fetch_add(size, Ordering::Relaxed);
    if at > head.size - size {
        return None;
    }
    // SAFETY: `at + size <= head.size`, the length of the chunk's allocation.
    Some(unsafe { NonNull::new_unchecked(chunk.cast::<u8>().add(at)) })
}

fn layout(size: usize) -> Layout {
    let align = if size >= HUGE_PAGE && size.is_multiple_of(HUGE_PAGE) { HUGE_PAGE } else { LINE };
    Layout::from_size_align(size, align)
        .unwrap_or_else(|_| panic!("a memtable chunk of {size} bytes exceeds the address space"))
}

/// A chunk from the operating system; the size includes the header.
pub(super) fn new_chunk(size: usize, older: *mut Chunk) -> *mut Chunk {
    // SAFETY: the size is not zero.
    let chunk = unsafe { mapping::allocate(layout(size)) };
    // SAFETY: aligned to a line, of this size, and not shared.
    unsafe { begin_chunk(chunk.as_ptr().cast(), size, is_mapped(size), older) }
}

/// A chunk whose pages are all populated; `None` if the system refuses. The size must be one that is mapped.
pub(super) fn populated_chunk(size: usize) -> Option<*mut Chunk> {
    let chunk = mapping::map(size, layout(size).align());
    if chunk.is_null() {
        return None;
    }
    // SAFETY: the mapping is new and has this size.
    unsafe {
        mapping::populate(chunk, size);
        Some(begin_chunk(chunk.cast(), size, false, std::ptr::null_mut()))
    }
}

/// Writes a chunk's header.
///
/// # Safety
/// `chunk` has this size, which includes the header, and nothing else uses it.
pub(super) unsafe fn begin_chunk(
    chunk: *mut Chunk,
    size: usize,
    fresh: bool,
    older: *mut Chunk,
) -> *mut Chunk {
    let head = Chunk { cursor: AtomicUsize::new(size_of::<Chunk>()), size, fresh, older };
    // SAFETY: by contract.
    unsafe { chunk.write(head) };
    chunk
}

/// Gives a chunk back to the operating system.
///
/// # Safety
/// `chunk` was made by `new_chunk` with this size, and nothing uses it any more.
pub(super) unsafe fn free_chunk(chunk: *mut Chunk, size: usize) {
    // SAFETY: by contract, and chunks are never null.
    unsafe { mapping::free(NonNull::new_unchecked(chunk.cast()), layout(size)) }
}
