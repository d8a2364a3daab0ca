//! The heap of blocks: the allocator for cached blocks, built on huge pages.
//!
//! A lookup in a cache of some hundred MiB reads two locations that no other lookup has read recently: a block's object
//! and an entry. With pages of 4 KiB both miss the TLB, and the processor walks the page table before it can request
//! the line. With pages of 2 MiB the TLB covers the whole cache.
//!
//! There is one heap per process, guarded by a lock that is taken when a block is read or freed, but never by a hit. It
//! is Doug Lea's allocator from the crate `dlmalloc`, over mappings of 2 MiB: it is as dense as the system's and needs
//! no code of our own. The system's allocator serves large pieces, and all pieces on systems without mappings.
//!
//! The module needs `unsafe` because pieces have no static owner. Invariants:
//! * **BH1** A piece is freed once, and by the allocator that it came from, which its size determines.
//! * **BH2** All bytes of a [`Memory`] are initialised.

#![allow(unsafe_code)]

use crate::env::mapping::{self, HUGE_PAGE};
use crate::env::sync::Mutex;
use dlmalloc::{Allocator, Dlmalloc};
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};

/// Larger pieces gain little from huge pages and would leave large holes.
const PIECE_MAX: usize = 64 << 10;

/// All pieces are aligned to this number of bytes.
const ALIGN: usize = 16;

/// Marks memory that was not mapped and that the heap therefore keeps.
const NOT_MAPPED: u32 = 1;

/// The source of the heap's memory.
struct HugePages;

// SAFETY: `alloc` returns memory that nothing else uses until `free` or `free_part` receives it.
unsafe impl Allocator for HugePages {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let size = size.next_multiple_of(HUGE_PAGE);
        let mapped = mapping::map(size, HUGE_PAGE);
        if !mapped.is_null() {
            return (mapped, size, 0);
        }
        // The process may have reached its limit of mappings although memory is left.
        let Ok(layout) = Layout::from_size_align(size, HUGE_PAGE) else { return (mapped, 0, 0) };
        // SAFETY: the size is not zero, since the heap requests memory.
        (unsafe { alloc_zeroed(layout) }, size, NOT_MAPPED)
    }

    fn remap(&self, _ptr: *mut u8, _old: usize, _new: usize, _can_move: bool) -> *mut u8 {
        ptr::null_mut()
    }

    fn free_part(&self, ptr: *mut u8, old: usize, new: usize) -> bool {
        // SAFETY: the heap owns the mapping and has no piece in the part after `new`.
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

/// Whether the heap serves pieces of this size.
fn is_piece(layout: Layout) -> bool {
    mapping::IS_SUPPORTED && layout.size() <= PIECE_MAX && layout.align() <= ALIGN
}

/// Allocates uninitialised memory for one value of this layout, which must not be empty.
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

/// Frees memory.
///
/// # Safety
/// The memory must come from [`allocate`] with this layout, and must not be used any more.
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

/// The bytes of a block, allocated in the heap.
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

    /// Zeroed memory of `len` bytes.
    pub fn zeroed(len: usize) -> Memory {
        let memory = Memory::uninitialised(len);
        // SAFETY: `len` bytes that nothing else uses.
        unsafe { memory.start.write_bytes(0, len) };
        memory
    }

    /// A copy of these bytes.
    pub fn copy_of(bytes: &[u8]) -> Memory {
        let memory = Memory::uninitialised(bytes.len());
        // SAFETY: the new memory has the same length and does not overlap.
        unsafe { memory.start.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        memory
    }
}

impl Default for Memory {
    /// Empty memory.
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
        // SAFETY: BH2, and `self` is the only owner of the bytes.
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
