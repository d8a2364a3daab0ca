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
//! than the stock is filled, or a pool stays locked, the system's allocator serves them meanwhile: its small pages cost
//! more later, but a thread does not wait. It also serves large pieces, and all pieces on systems without mappings.
//!
//! The module needs `unsafe` because pieces have no static owner. Invariants:
//! * **BH1** A piece is freed once, and by the allocator that it came from, which its [`Origin`] names.
//! * **BH2** All bytes of a [`Memory`] are initialised.
//! * **BH3** A page in a pool begins with a [`PageHeader`], which only holders of the pool's lock access.

#![allow(unsafe_code)]

use super::PATIENCE;
use super::stock::{self, Pages, Supply};
use crate::env::mapping::{self, HUGE_PAGE};
use crate::env::sync::std_atomic::{AtomicUsize, Ordering};
use crate::env::sync::{LazyLock, Mutex, MutexGuard};
use crate::env::{thread_number, threads};
use dlmalloc::{Allocator, Dlmalloc};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};

/// Larger pieces gain little from huge pages and would leave large holes.
const PIECE_MAX: usize = 64 << 10;

/// All pieces are aligned to this number of bytes.
const ALIGN: usize = 16;

/// A type with that alignment.
#[repr(align(16))]
struct Aligned;

/// The beginning of a page in a pool. It also separates the page from the one before it: dlmalloc would join adjacent
/// ones, and return them only together.
#[repr(C, align(64))]
struct PageHeader {
    /// The sum of the sizes of the page's pieces, in bytes; guarded by the pool's lock.
    live: usize,
}

const HEADER: usize = size_of::<PageHeader>();

/// The address of the page that contains a piece of a pool.
pub(super) fn page_of(address: usize) -> usize {
    address & !(HUGE_PAGE - 1)
}

/// The maximum number of pools. An origin must fit into the low bits of an address.
const POOLS_MAX: usize = ALIGN - 1;

/// The number of sizes of pieces between 0 and a power of two. A piece is at most 6 % larger than necessary.
const SIZES: usize = 32;

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
    /// The pages in the pool, oldest first.
    pages: Cell<Vec<NonNull<u8>>>,
    /// Memory that the pool has returned.
    returned: Cell<Vec<Pages>>,
}

// SAFETY: the memory that it holds belongs to it, on whatever thread.
unsafe impl Send for Source {}

// SAFETY: `alloc` returns memory that nothing else uses until `free` or `free_part` receives it.
unsafe impl Allocator for Source {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        match self.page.take() {
            Some(page) if size <= HUGE_PAGE - HEADER => {
                // SAFETY: the page belongs to the pool now, and is aligned; BH3.
                unsafe { page.cast::<PageHeader>().write(PageHeader { live: 0 }) };
                let mut pages = self.pages.take();
                pages.push(page);
                self.pages.set(pages);
                (page.as_ptr().wrapping_add(HEADER), HUGE_PAGE - HEADER, 0)
            }
            page => {
                self.page.set(page);
                (ptr::null_mut(), 0, 0)
            }
        }
    }

    fn remap(&self, _ptr: *mut u8, _old: usize, _new: usize, _can_move: bool) -> *mut u8 {
        ptr::null_mut()
    }

    fn free_part(&self, _ptr: *mut u8, _old: usize, _new: usize) -> bool {
        false
    }

    fn free(&self, ptr: *mut u8, _len: usize) -> bool {
        let Some(start) = NonNull::new(ptr.wrapping_sub(HEADER)) else { return false };
        let mut pages = self.pages.take();
        let place = pages.iter().position(|&page| page == start);
        let is_whole = place.map(|place| pages.remove(place)).is_some();
        self.pages.set(pages);
        debug_assert!(is_whole, "only whole pages are returned");
        if is_whole {
            let mut returned = self.returned.take();
            returned.push(Pages { start, len: HUGE_PAGE });
            self.returned.set(returned);
        }
        is_whole
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
    let source = Source {
        page: Cell::new(None),
        pages: Cell::new(Vec::new()),
        returned: Cell::new(Vec::new()),
    };
    Pool { heap: Mutex::new(Dlmalloc::new_with_allocator(source)), freed: AtomicUsize::new(0) }
}; POOLS_MAX];

/// The number of pools in use.
static NUM_POOLS: LazyLock<usize> = LazyLock::new(|| threads::cores().clamp(1, POOLS_MAX));

/// How many [`Economy`]s there are, and the maximum number of pools in use while there are any.
static ECONOMIES: AtomicUsize = AtomicUsize::new(0);
static ECONOMY_POOLS: AtomicUsize = AtomicUsize::new(POOLS_MAX);

/// While there is one, the heap takes no memory that [`census`] does not count: a thread that finds the stock empty
/// maps a page itself, instead of taking pieces from the system's allocator.
#[derive(Debug)]
pub struct Economy(());

impl Economy {
    /// Begins, with at most `pools` pools for new pieces.
    pub fn new(pools: usize) -> Economy {
        ECONOMIES.fetch_add(1, Ordering::Relaxed);
        ECONOMY_POOLS.fetch_min(pools.max(1), Ordering::Relaxed);
        Economy(())
    }
}

impl Drop for Economy {
    fn drop(&mut self) {
        if ECONOMIES.fetch_sub(1, Ordering::Relaxed) == 1 {
            ECONOMY_POOLS.store(POOLS_MAX, Ordering::Relaxed);
        }
    }
}

fn is_economical() -> bool {
    ECONOMIES.load(Ordering::Relaxed) > 0
}

/// The pages of the heap at some moment.
#[derive(Debug, Default)]
pub struct Census {
    /// The addresses of the pages in pools, and the sizes of all their pieces in bytes. The newest page of each pool is
    /// missing: the pool never returns it.
    pub pages: Vec<(usize, usize)>,
    /// The bytes of all pages of the heap.
    pub mapped: usize,
    /// The bytes of all pieces in them.
    pub live: usize,
}

/// Counts the pages of the heap, including those in stock.
pub fn census() -> Census {
    let mut census = Census { mapped: stock::held_bytes(), ..Census::default() };
    for pool in &POOLS {
        let mut heap = pool.heap.lock();
        for &page in heap.allocator_mut().pages.get_mut().iter() {
            // SAFETY: BH3.
            let live = unsafe { page.cast::<PageHeader>().as_ref() }.live;
            census.pages.push((page.addr().get(), live));
            census.mapped += HUGE_PAGE;
            census.live += live;
        }
        if let Some(newest) = heap.allocator_mut().pages.get_mut().last() {
            census.pages.retain(|(address, _)| *address != newest.addr().get());
        }
    }
    census
}

/// Gives pages without pieces back to the system.
pub fn release_empty_pages() {
    for pool in &POOLS {
        let mut heap = pool.heap.lock();
        // SAFETY: no memory in use is released. A pad of this size keeps dlmalloc from cutting its newest page.
        unsafe { heap.trim(2 * HUGE_PAGE) };
        let returned = heap.allocator_mut().returned.take();
        drop(heap);
        returned.into_iter().for_each(stock::give_back_now);
    }
}

impl Pool {
    /// Locks the pool, unless another thread keeps it locked for [`PATIENCE`] or, if `waits` is false, has locked it.
    fn lock_briefly(&self, waits: bool) -> Option<MutexGuard<'_, Dlmalloc<Source>>> {
        match waits {
            true => self.heap.try_lock_for(PATIENCE),
            false => self.heap.try_lock(),
        }
    }

    /// Likewise, but waits as long as necessary while all memory is limited.
    fn lock(&self, waits: bool) -> Option<MutexGuard<'_, Dlmalloc<Source>>> {
        match is_economical() {
            true => Some(self.heap.lock()),
            false => self.lock_briefly(waits),
        }
    }

    /// Allocates from the pool's memory, after adding `page` to it if necessary. Returns the page if it was not needed.
    fn allocate(
        &self,
        mut heap: MutexGuard<'_, Dlmalloc<Source>>,
        size: usize,
        page: Option<Pages>,
    ) -> (Option<NonNull<u8>>, Option<Pages>) {
        heap.allocator_mut().page.set(page.map(|page| page.start));
        // SAFETY: the size is not zero.
        let piece = NonNull::new(unsafe { heap.malloc(size, ALIGN) });
        if let Some(piece) = piece {
            // SAFETY: BH3; the lock is held.
            unsafe { (*header_of(piece)).live += size };
        }
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
        // SAFETY: by contract; BH3 with the lock held.
        unsafe {
            (*header_of(piece)).live -= size;
            heap.free(piece.as_ptr(), size, ALIGN);
        }
        let returned = heap.allocator_mut().returned.take();
        self.freed.fetch_add(size, Ordering::Relaxed);
        drop(heap);
        returned.into_iter().for_each(stock::give_back);
    }
}

/// The header of the page that contains a piece of a pool.
fn header_of(piece: NonNull<u8>) -> *mut PageHeader {
    piece.as_ptr().map_addr(page_of).cast()
}

/// Rounds the size of a block up, so that blocks of about the same size take pieces of the same size. A block reuses
/// the memory of an evicted block. With exact sizes it could do so only if it is not larger: requests to the heap would
/// all be for large pieces, and the holes of smaller pieces, which nothing fills, would grow to a third of the heap.
fn rounded(size: usize) -> usize {
    let step = (size.next_power_of_two() / SIZES).max(ALIGN);
    size.next_multiple_of(step)
}

/// Whether the heap serves pieces of this size.
fn is_piece(layout: Layout) -> bool {
    mapping::IS_SUPPORTED && layout.size() <= PIECE_MAX && layout.align() <= ALIGN
}

/// Allocates from the pools; `None` if they have no memory now.
fn allocate_in_pools(size: usize) -> Option<(NonNull<u8>, Origin)> {
    let n = (*NUM_POOLS).min(ECONOMY_POOLS.load(Ordering::Relaxed));
    let own = thread_number() % n;
    for i in (0..n).map(|i| (own + i) % n) {
        let pool = &POOLS[i];
        if i != own && pool.freed.load(Ordering::Relaxed) < WORTH_A_LOOK {
            continue;
        }
        match pool.lock(i == own) {
            Some(heap) => {
                if let (Some(piece), _) = pool.allocate(heap, size, None) {
                    return Some((piece, Origin::of_pool(i)));
                }
            }
            // The pool may have memory: it needs no page.
            None if i == own => return None,
            None => {}
        }
    }
    let page = match stock::take() {
        Supply::Page(page) => page,
        Supply::Late if is_economical() => Pages::map()?,
        Supply::Late | Supply::Nothing => return None,
    };
    let Some(heap) = POOLS[own].lock(true) else {
        stock::give_back(page);
        return None;
    };
    let (piece, unused) = POOLS[own].allocate(heap, size, Some(page));
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
    allocate_outside(layout)
}

/// Like [`allocate`], but from the system's allocator.
pub(super) fn allocate_outside(layout: Layout) -> (NonNull<u8>, Origin) {
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
        Memory::new(len, allocate)
    }

    fn new(len: usize, allocate: impl FnOnce(Layout) -> (NonNull<u8>, Origin)) -> Memory {
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

    /// Zeroed memory for `len` bytes and a few more: all that the heap would take for them, so that it also suits other
    /// blocks of about this size.
    pub fn for_block(len: usize) -> Memory {
        Memory::zeroed(rounded(len))
    }

    /// Like [`Memory::for_block`], for a block that `fill` writes. `fill` returns the `len` bytes that it received when
    /// it has written them all; otherwise there is no result.
    pub fn filled_by(
        len: usize,
        fill: impl for<'b> FnOnce(&'b mut [MaybeUninit<u8>]) -> Option<&'b mut [u8]>,
    ) -> Option<Memory> {
        let memory = Memory::uninitialised(rounded(len));
        let start = memory.start();
        // SAFETY: that many bytes, which nothing else uses while this borrow exists.
        let place = unsafe { std::slice::from_raw_parts_mut(start.cast(), memory.len) };
        let (block, rest) = place.split_at_mut(len);
        rest.fill(MaybeUninit::new(0));
        let filled = fill(block)?;
        // BH2: bytes in a slice of `u8` are initialised, and these are all of the block's.
        (filled.as_mut_ptr() == start && filled.len() == len).then_some(memory)
    }

    /// Whether it is what [`Memory::for_block`] returns for `len` bytes.
    pub fn suits_block(&self, len: usize) -> bool {
        self.len == rounded(len)
    }

    /// A copy of these bytes.
    pub fn copy_of(bytes: &[u8]) -> Memory {
        Memory::uninitialised(bytes.len()).filled(bytes)
    }

    /// A copy of these bytes that keeps no page of the heap: its memory comes from the system's allocator.
    pub fn copy_outside(bytes: &[u8]) -> Memory {
        Memory::new(bytes.len(), allocate_outside).filled(bytes)
    }

    fn filled(self, bytes: &[u8]) -> Memory {
        assert_eq!(self.len, bytes.len());
        // SAFETY: the new memory has the same length and does not overlap.
        unsafe { self.start().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        self
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
