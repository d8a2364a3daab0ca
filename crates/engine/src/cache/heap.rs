//! Memory of cached blocks: pieces of huge pages.
//!
//! A lookup in a cache of some hundred MiB reads two places that no other lookup has read lately, a
//! block's object and an entry. With pages of 4 KiB the processor does not know where either lies and
//! walks the page table before it can even ask for the line. With pages of 2 MiB it knows of all.
//!
//! The heap is one for the process and behind a lock, which is taken when a block is read or freed and
//! never by a hit. It is Doug Lea's, of the crate `dlmalloc`, over mappings of 2 MiB: as dense as the
//! system's and nothing that we need to invent. Large pieces are the system's business, and where there
//! are no mappings all pieces.
//!
//! Unsafe: pieces have no static owner. Invariants:
//! * **BH1** A piece goes back the way it came, which its size tells, and once.
//! * **BH2** All bytes of a [`Memory`] are initialised.

#![allow(unsafe_code)]

use crate::env::mapping::{self, HUGE_PAGE};
use crate::env::sync::Mutex;
use dlmalloc::{Allocator, Dlmalloc};
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};

/// Pieces above this size gain little from huge pages, and would leave large holes.
const PIECE_MAX: usize = 64 << 10;

/// All pieces are aligned to this.
const ALIGN: usize = 16;

/// Flags memory that the system did not map: the heap keeps it.
const NOT_MAPPED: u32 = 1;

/// Where the heap takes memory from and gives it back.
struct HugePages;

// SAFETY: what `alloc` gives is memory of its own until `free` or `free_part` is told about it.
unsafe impl Allocator for HugePages {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let size = size.next_multiple_of(HUGE_PAGE);
        let mapped = mapping::map(size, HUGE_PAGE);
        if !mapped.is_null() {
            return (mapped, size, 0);
        }
        // The process may have all the mappings that it may have, and memory left.
        let Ok(layout) = Layout::from_size_align(size, HUGE_PAGE) else { return (mapped, 0, 0) };
        // SAFETY: the size is not zero: the heap asks for room.
        (unsafe { alloc_zeroed(layout) }, size, NOT_MAPPED)
    }

    fn remap(&self, _ptr: *mut u8, _old: usize, _new: usize, _can_move: bool) -> *mut u8 {
        ptr::null_mut()
    }

    fn free_part(&self, ptr: *mut u8, old: usize, new: usize) -> bool {
        // SAFETY: the heap owns the mapping and has no piece in the part behind `new`.
        unsafe { mapping::unmap(ptr.wrapping_add(new), old - new) }
    }

    fn free(&self, ptr: *mut u8, size: usize) -> bool {
        // SAFETY: as above, of the whole mapping.
        unsafe { mapping::unmap(ptr, size) }
    }

    fn can_release_part(&self, flags: u32) -> bool {
        flags != NOT_MAPPED
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        4 << 10
    }
}

static HEAP: Mutex<Dlmalloc<HugePages>> = Mutex::new(Dlmalloc::new_with_allocator(HugePages));

/// Whether the heap has pieces of this size.
fn is_piece(layout: Layout) -> bool {
    mapping::IS_SUPPORTED && layout.size() <= PIECE_MAX && layout.align() <= ALIGN
}

/// Memory for one value of this layout, which must not be empty, not initialised.
pub(super) fn allocate(layout: Layout) -> NonNull<u8> {
    let memory = if is_piece(layout) {
        // SAFETY: the size is not zero.
        unsafe { HEAP.lock().malloc(layout.size(), ALIGN) }
    } else {
        // SAFETY: the size is not zero.
        unsafe { alloc(layout) }
    };
    NonNull::new(memory).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Gives memory back.
///
/// # Safety
/// It came from [`allocate`] with this layout, and is not used any more.
pub(super) unsafe fn free(memory: NonNull<u8>, layout: Layout) {
    // SAFETY: BH1, by contract.
    unsafe {
        if is_piece(layout) {
            HEAP.lock().free(memory.as_ptr(), layout.size(), ALIGN);
        } else {
            dealloc(memory.as_ptr(), layout);
        }
    }
}

/// The bytes of a block, in the heap.
pub struct Memory {
    /// Dangling if there are no bytes.
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: it owns its bytes, as a boxed slice does.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    fn uninitialised(len: usize) -> Memory {
        let start = if len == 0 { NonNull::dangling() } else { allocate(layout(len)) };
        Memory { start, len }
    }

    /// So many zeros.
    pub fn zeroed(len: usize) -> Memory {
        let memory = Memory::uninitialised(len);
        // SAFETY: `len` bytes that nobody else has.
        unsafe { memory.start.write_bytes(0, len) };
        memory
    }

    /// A copy of these bytes.
    pub fn copy_of(bytes: &[u8]) -> Memory {
        let memory = Memory::uninitialised(bytes.len());
        // SAFETY: as many bytes, and new ones.
        unsafe { memory.start.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        memory
    }
}

impl Default for Memory {
    /// No bytes.
    fn default() -> Memory {
        Memory::uninitialised(0)
    }
}

impl Deref for Memory {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: BH2.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl DerefMut for Memory {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: BH2, and the bytes belong to `self` alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.len > 0 {
            // SAFETY: BH1.
            unsafe { free(self.start, layout(self.len)) };
        }
    }
}

fn layout(len: usize) -> Layout {
    Layout::from_size_align(len, ALIGN)
        .unwrap_or_else(|_| panic!("a block of {len} bytes exceeds the address space"))
}

#[cfg(test)]
#[path = "heap_test.rs"]
mod tests;
