//! The heap of blocks: the allocator for cached blocks, built on huge pages.
//!
//! A lookup in a cache of some hundred MiB reads two locations that no other lookup has read recently: a block's object
//! and an entry. With pages of 4 KiB both miss the TLB, and the processor walks the page table before it can request
//! the line. With pages of 2 MiB the TLB covers the whole cache.
//!
//! There is one heap per process, divided into *pools*, at most one per core. A thread allocates from its own pool, and
//! from another one only if much was freed there. A pool is Doug Lea's allocator from the crate `dlmalloc` under a
//! lock, over huge pages from the [`stock`]: it is as dense as the system's and needs no code of our own. No page is
//! mapped, populated or unmapped under a pool's lock, and hits in the cache take none. If readers need pages faster
//! than the stock is filled, the system's allocator serves them meanwhile: its small pages cost more later, but a
//! thread does not wait for a large one. It also serves large pieces, and all pieces on systems without mappings.
//!
//! The module needs `unsafe` because pieces have no static owner. Invariants:
//! * **BH1** A piece is freed once, and by the allocator that it came from, which its [`Origin`] names.
//! * **BH2** All bytes of a [`Memory`] are initialised.

#![allow(unsafe_code)]

use super::stock::{self, Pages, Supply};
use crate::env::mapping::{self, HUGE_PAGE};
use crate::env::sync::std_atomic::{AtomicUsize, Ordering};
use crate::env::sync::{LazyLock, Mutex};
use crate::env::{thread_number, threads};
use dlmalloc::{Allocator, Dlmalloc};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};

/// Larger pieces gain little from huge pages and would leave large holes.
const PIECE_MAX: usize = 64 << 10;

/// All pieces are aligned to this number of bytes.
const ALIGN: usize = 16;

/// A type with that alignment.
#[repr(align(16))]
struct Aligned;

/// The maximum number of pools. An origin must fit into the low bits of an address.
const POOLS_MAX: usize = ALIGN - 1;

/// Other threads allocate from a pool if at least this many bytes were freed there since it was last exhausted.
const WORTH_A_LOOK: usize = 64 << 10;

/// The allocator of a piece: the system's, or that of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin(u8);

impl Origin {
    const SYSTEM: Origin = Origin(0);
    const MASK: usize = ALIGN - 1;

    fn of_pool(pool: usize) -> Origin {
        Origin(pool as u8 + 1)
    }

    /// The pool, or `None` for the system's allocator.
    fn pool(self) -> Option<&'static Pool> {
        POOLS.get(usize::from(self.0).checked_sub(1)?)
    }
}

/// The source of a pool's memory. It only passes on pages that are there already.
struct Source {
    /// A page that the pool may take.
    page: Cell<Option<NonNull<u8>>>,
    /// Memory that the pool has returned.
    returned: Cell<Vec<Pages>>,
}

// SAFETY: the memory that it holds belongs to it, on whatever thread.
unsafe impl Send for Source {}

// SAFETY: `alloc` returns memory that nothing else uses until `free` or `free_part` receives it.
unsafe impl Allocator for Source {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        match self.page.take() {
            Some(page) if size <= HUGE_PAGE => (page.as_ptr(), HUGE_PAGE, 0),
            page => {
                self.page.set(page);
                (ptr::null_mut(), 0, 0)
            }
        }
    }

    fn remap(&self, _ptr: *mut u8, _old: usize, _new: usize, _can_move: bool) -> *mut u8 {
        ptr::null_mut()
    }

    fn free_part(&self, ptr: *mut u8, old: usize, new: usize) -> bool {
        self.free(ptr.wrapping_add(new), old - new)
    }

    fn free(&self, ptr: *mut u8, len: usize) -> bool {
        let Some(start) = NonNull::new(ptr) else { return false };
        let mut returned = self.returned.take();
        returned.push(Pages { start, len });
        self.returned.set(returned);
        true
    }

    fn can_release_part(&self, _flags: u32) -> bool {
        true
    }

    fn allocates_zeros(&self) -> bool {
        // A page may have been used before.
        false
    }

    fn page_size(&self) -> usize {
        4 << 10
    }
}

/// A part of the heap.
struct Pool {
    heap: Mutex<Dlmalloc<Source>>,
    /// Bytes freed since an allocation last failed.
    freed: AtomicUsize,
}

static POOLS: [Pool; POOLS_MAX] = [const {
    let source = Source { page: Cell::new(None), returned: Cell::new(Vec::new()) };
    Pool { heap: Mutex::new(Dlmalloc::new_with_allocator(source)), freed: AtomicUsize::new(0) }
}; POOLS_MAX];

/// The number of pools in use.
static NUM_POOLS: LazyLock<usize> = LazyLock::new(|| threads::cores().clamp(1, POOLS_MAX));

impl Pool {
    /// Allocates from the pool's memory, after adding `page` to it if necessary. Returns the page if it was not needed.
    fn allocate(&self, size: usize, page: Option<Pages>) -> (Option<NonNull<u8>>, Option<Pages>) {
        let mut heap = self.heap.lock();
        heap.allocator_mut().page.set(page.map(|page| page.start));
        // SAFETY: the size is not zero.
        let piece = NonNull::new(unsafe { heap.malloc(size, ALIGN) });
        let unused = heap.allocator_mut().page.take();
        if piece.is_none() {
            self.freed.store(0, Ordering::Relaxed);
        }
        drop(heap);
        (piece, unused.map(|start| Pages { start, len: HUGE_PAGE }))
    }

    /// Frees a piece.
    ///
    /// # Safety
    /// BH1: the piece comes from this pool.
    unsafe fn free(&self, piece: NonNull<u8>, size: usize) {
        let mut heap = self.heap.lock();
        // SAFETY: by contract.
        unsafe { heap.free(piece.as_ptr(), size, ALIGN) };
        let returned = heap.allocator_mut().returned.take();
        self.freed.fetch_add(size, Ordering::Relaxed);
        drop(heap);
        returned.into_iter().for_each(stock::give_back);
    }
}

/// Whether the heap serves pieces of this size.
fn is_piece(layout: Layout) -> bool {
    mapping::IS_SUPPORTED && layout.size() <= PIECE_MAX && layout.align() <= ALIGN
}

/// Allocates from the pools; `None` if they have no memory now.
fn allocate_in_pools(size: usize) -> Option<(NonNull<u8>, Origin)> {
    let (own, n) = (thread_number() % *NUM_POOLS, *NUM_POOLS);
    for i in (0..n).map(|i| (own + i) % n) {
        let pool = &POOLS[i];
        if i != own && pool.freed.load(Ordering::Relaxed) < WORTH_A_LOOK {
            continue;
        }
        if let (Some(piece), _) = pool.allocate(size, None) {
            return Some((piece, Origin::of_pool(i)));
        }
    }
    let Supply::Page(page) = stock::take() else { return None };
    let (piece, unused) = POOLS[own].allocate(size, Some(page));
    // Another thread may have freed a piece in the meantime.
    unused.into_iter().for_each(stock::give_back);
    Some((piece?, Origin::of_pool(own)))
}

/// Allocates uninitialised memory for one value of this layout, which must not be empty.
pub(super) fn allocate(layout: Layout) -> (NonNull<u8>, Origin) {
    if is_piece(layout)
        && let Some(found) = allocate_in_pools(layout.size())
    {
        return found;
    }
    // SAFETY: the size is not zero.
    let piece = NonNull::new(unsafe { alloc(layout) });
    (piece.unwrap_or_else(|| handle_alloc_error(layout)), Origin::SYSTEM)
}

/// Frees memory.
///
/// # Safety
/// The memory must come from [`allocate`] with this layout and origin, and must not be used any more.
pub(super) unsafe fn free(memory: NonNull<u8>, layout: Layout, origin: Origin) {
    // SAFETY: BH1, by contract.
    unsafe {
        match origin.pool() {
            Some(pool) => pool.free(memory, layout.size()),
            None => dealloc(memory.as_ptr(), layout),
        }
    }
}

/// The bytes of a block, allocated in the heap.
pub struct Memory {
    /// The address of the bytes, with the origin in its lowest bits. Dangling if there are no bytes.
    tagged: NonNull<u8>,
    len: usize,
}

// SAFETY: it owns its bytes, as a boxed slice does.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    fn uninitialised(len: usize) -> Memory {
        if len == 0 {
            return Memory { tagged: NonNull::<Aligned>::dangling().cast(), len };
        }
        let (start, origin) = allocate(layout(len));
        // The address is a multiple of ALIGN, so its lowest bits are free.
        let tagged = start.map_addr(|address| address | usize::from(origin.0));
        Memory { tagged, len }
    }

    #[inline]
    fn start(&self) -> *mut u8 {
        self.tagged.as_ptr().map_addr(|address| address & !Origin::MASK)
    }

    fn origin(&self) -> Origin {
        Origin((self.tagged.addr().get() & Origin::MASK) as u8)
    }

    /// Zeroed memory of `len` bytes.
    pub fn zeroed(len: usize) -> Memory {
        let memory = Memory::uninitialised(len);
        // SAFETY: `len` bytes that nothing else uses.
        unsafe { memory.start().write_bytes(0, len) };
        memory
    }

    /// A copy of these bytes.
    pub fn copy_of(bytes: &[u8]) -> Memory {
        let memory = Memory::uninitialised(bytes.len());
        // SAFETY: the new memory has the same length and does not overlap.
        unsafe { memory.start().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
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
        unsafe { std::slice::from_raw_parts(self.start(), self.len) }
    }
}

impl DerefMut for Memory {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: BH2, and `self` is the only owner of the bytes.
        unsafe { std::slice::from_raw_parts_mut(self.start(), self.len) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(start) = NonNull::new(self.start()).filter(|_| self.len > 0) {
            // SAFETY: BH1.
            unsafe { free(start, layout(self.len), self.origin()) };
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
