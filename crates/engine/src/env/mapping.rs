//! Memory directly from the operating system, in huge pages where they fit.
//!
//! Without huge pages, lookups spread over some hundred MiB pay for a page walk with each cache miss.
//!
//! [`LargeVec`] is for the memory of background jobs and open tables: indexes, filters, and the buffers for building
//! and reading them. glibc also maps such pieces, but only until the first one is freed: after that it takes all pieces
//! up to that size from its heaps, and memory freed there stays with the process (after a compaction of 230 MB it was
//! 5.7 MB, in the heap of a thread that was idle). A mapping is returned at once, it grows without a copy, and only its
//! pages in use have memory.
//!
//! If the system refuses a mapping (a process may have 65,530 of them), the allocator is used instead, which can still
//! grow its heap. Such pieces are listed in `FROM_ALLOCATOR`, since by their size they would be mapped. While memory is
//! limited ([`Thrift`]), smaller pieces are mapped, too, and listed in `MAPPED_SMALL`: tables that are opened and
//! closed by many threads leave holes in the heaps of all.
//!
//! The unsafe operations are mapping memory, and unmapping memory that the caller states was mapped. Systems other than
//! Linux, and Miri, have no such memory ([`IS_SUPPORTED`]). Tests of its users cover it: `arena_test.rs`,
//! `heap_test.rs`; `mapping_test.rs` tests the vector, and `os-calls` in `crates/interop` tests refused mappings.
//! Invariants of the vector:
//! * **L1** `start` has room for `capacity` elements, as [`allocate`] returns it; it dangles if they take no bytes.
//! * **L2** The first `len` elements, at most `capacity`, are initialised.

#![allow(unsafe_code)]

use crate::env::sync::Mutex;
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, handle_alloc_error};
use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The size of a huge page. Memory aligned to it is advised for huge pages.
pub const HUGE_PAGE: usize = 2 << 20;

/// Pieces of at least this size are mapped. This is glibc's threshold before any such piece was
/// freed.
pub const MAP_FROM: usize = 128 << 10;

/// The same while there is a [`Thrift`]. A mapping is whole pages, so smaller pieces would waste much of theirs.
pub const MAP_FROM_THRIFTY: usize = 16 << 10;

/// Whether [`map`] can return memory.
pub const IS_SUPPORTED: bool = cfg!(all(target_os = "linux", not(miri)));

#[cfg(all(target_os = "linux", not(miri)))]
pub use linux::{map, populate, remap, unmap};

#[cfg(all(target_os = "linux", not(miri)))]
mod linux {
    use super::HUGE_PAGE;
    use std::ptr;

    const PAGE: usize = 4 << 10;

    /// Maps zeroed, aligned memory; null if the system refuses.
    pub fn map(size: usize, align: usize) -> *mut u8 {
        let (size, align) = (size.next_multiple_of(PAGE), align.max(PAGE));
        let Some(length) = size.checked_add(align - PAGE) else { return ptr::null_mut() };
        let (access, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, at an address that the system chooses.
        let start = unsafe { libc::mmap(ptr::null_mut(), length, access, kind, -1, 0) };
        if start == libc::MAP_FAILED {
            return ptr::null_mut();
        }
        let start = start.cast::<u8>();
        let before = start.align_offset(align);
        // SAFETY: both pieces are inside the mapping, before and after the part that is kept; the
        // advice is for the kept part, and a refusal costs only speed.
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

    /// Populates all pages that overlap the range, which costs less than touching them one by one. Kernels before 5.14
    /// leave them to be touched.
    ///
    /// # Safety
    /// The range must be a part of memory from `map`.
    pub unsafe fn populate(start: *mut u8, len: usize) {
        let before = start as usize % PAGE;
        let start = start.wrapping_sub(before).cast();
        // SAFETY: by contract; mappings are whole pages. The contents of the pages do not change.
        unsafe { libc::madvise(start, before + len, libc::MADV_POPULATE_WRITE) };
    }

    /// Resizes memory, possibly moving it to another page-aligned address. Returns null if that is impossible, and then
    /// nothing has changed.
    ///
    /// # Safety
    /// `memory` must come from `map` or `remap` with this size, and only the caller may have pointers into it.
    pub unsafe fn remap(memory: *mut u8, size: usize, new_size: usize) -> *mut u8 {
        let (size, new_size) = (size.next_multiple_of(PAGE), new_size.next_multiple_of(PAGE));
        // SAFETY: by contract, the caller owns the mapping.
        let moved = unsafe { libc::mremap(memory.cast(), size, new_size, libc::MREMAP_MAYMOVE) };
        if moved == libc::MAP_FAILED { ptr::null_mut() } else { moved.cast() }
    }

    /// Unmaps memory; returns false if the system refuses.
    ///
    /// # Safety
    /// `memory` must come from `map` or `remap` with this size, or be a part of such memory consisting of whole pages,
    /// and must not be used any more.
    pub unsafe fn unmap(memory: *mut u8, size: usize) -> bool {
        // SAFETY: by contract, the caller owns the mapping.
        unsafe { libc::munmap(memory.cast(), size.next_multiple_of(PAGE)) == 0 }
    }
}

/// Makes the C library's allocator return the whole pages that it has free, in all its heaps. Does nothing where there
/// is no such function. Other allocators return memory by themselves.
pub fn trim_allocator() {
    // SAFETY: the function has no preconditions; it takes the locks of the heaps.
    #[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Keeps the C library's allocator at its initial thresholds: it maps pieces of 128 KiB and more, and returns the free
/// end of each heap when that is larger. Otherwise it raises both when a mapped piece is freed, and keeps up to 64 MiB
/// at the end of each heap, which [`trim_allocator`] returns for the main heap only. Does nothing where there are no
/// such thresholds. It also adds no heap to `heaps` ones, unless it has had more: what a thread frees in its heap does
/// not serve others.
fn economise_allocator(heaps: usize) {
    let _ = heaps;
    // SAFETY: the function has no preconditions.
    #[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAP_FROM as libc::c_int);
        libc::mallopt(libc::M_TRIM_THRESHOLD, MAP_FROM as libc::c_int);
        libc::mallopt(libc::M_ARENA_MAX, libc::c_int::try_from(heaps.max(1)).unwrap_or(i32::MAX));
    }
}

/// The number of [`Thrift`]s.
static THRIFTS: AtomicUsize = AtomicUsize::new(0);

/// While there is one, pieces of at least [`MAP_FROM_THRIFTY`] are mapped, so that they leave nothing behind. The first
/// one also makes the C library's allocator keep less, for good.
#[derive(Debug)]
pub struct Thrift(());

impl Thrift {
    /// Begins to be thrifty. The C library's allocator should have at most `heaps` heaps.
    pub fn new(heaps: usize) -> Thrift {
        economise_allocator(heaps);
        THRIFTS.fetch_add(1, Ordering::Relaxed);
        Thrift(())
    }
}

impl Drop for Thrift {
    fn drop(&mut self) {
        THRIFTS.fetch_sub(1, Ordering::Relaxed);
    }
}

fn is_thrifty() -> bool {
    IS_SUPPORTED && THRIFTS.load(Ordering::Relaxed) > 0
}

/// Returns null: there is no such memory.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub fn map(_size: usize, _align: usize) -> *mut u8 {
    std::ptr::null_mut()
}

/// Does nothing.
///
/// # Safety
/// Never called, since [`map`] returns no memory.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub unsafe fn populate(_start: *mut u8, _len: usize) {}

/// Returns null: there is no such memory.
///
/// # Safety
/// Never called, since [`map`] returns no memory.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub unsafe fn remap(_memory: *mut u8, _size: usize, _new_size: usize) -> *mut u8 {
    std::ptr::null_mut()
}

/// Returns false: there is nothing to unmap.
///
/// # Safety
/// Never called, since [`map`] returns no memory.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub unsafe fn unmap(_memory: *mut u8, _size: usize) -> bool {
    false
}

/// Whether [`allocate`] maps a piece of this size. An allocator would keep such memory when it is freed: glibc then
/// raises its threshold for mapping.
pub fn is_mapped(size: usize) -> bool {
    IS_SUPPORTED && size >= MAP_FROM
}

/// The addresses of pieces that come from elsewhere than their size suggests: usually none.
struct Listed {
    addresses: Mutex<BTreeSet<usize>>,
    /// The number of addresses. The thread that frees a piece sees at least that one counted.
    count: AtomicUsize,
}

impl Listed {
    const fn new() -> Listed {
        Listed { addresses: Mutex::new(BTreeSet::new()), count: AtomicUsize::new(0) }
    }

    /// Adds a piece before its owner receives it.
    fn add(&self, memory: *mut u8) {
        self.addresses.lock().insert(memory.addr());
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    fn has(&self, memory: *mut u8) -> bool {
        self.count.load(Ordering::Relaxed) > 0 && self.addresses.lock().contains(&memory.addr())
    }

    /// Removes a piece before its address can be allocated again. Returns whether it was listed.
    fn remove(&self, memory: *mut u8) -> bool {
        let found = self.has(memory) && self.addresses.lock().remove(&memory.addr());
        if found {
            self.count.fetch_sub(1, Ordering::Relaxed);
        }
        found
    }
}

/// Pieces of mapped size that came from the allocator.
static FROM_ALLOCATOR: Listed = Listed::new();
/// Mapped pieces below [`MAP_FROM`].
static MAPPED_SMALL: Listed = Listed::new();

/// Allocates memory of this layout, which is zeroed if [`is_mapped`] and uninitialised otherwise.
///
/// # Safety
/// The layout must have bytes.
pub unsafe fn allocate(layout: Layout) -> NonNull<u8> {
    let mapped = match layout.size() {
        size if is_mapped(size) || (size >= MAP_FROM_THRIFTY && is_thrifty()) => {
            map(size, layout.align())
        }
        _ => ptr::null_mut(),
    };
    let memory = match (mapped.is_null(), is_mapped(layout.size())) {
        // SAFETY: by contract.
        (true, true) => unsafe { allocate_unmapped(layout) },
        // SAFETY: by contract.
        (true, false) => unsafe { alloc(layout) },
        (false, true) => mapped,
        (false, false) => {
            MAPPED_SMALL.add(mapped);
            mapped
        }
    };
    NonNull::new(memory).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Zeroed memory from the allocator instead of a mapping; null if that fails, too.
///
/// # Safety
/// The layout must have bytes.
#[cold]
unsafe fn allocate_unmapped(layout: Layout) -> *mut u8 {
    // SAFETY: by contract.
    let memory = unsafe { alloc_zeroed(layout) };
    if !memory.is_null() {
        FROM_ALLOCATOR.add(memory);
    }
    memory
}

/// Frees memory.
///
/// # Safety
/// It must come from [`allocate`] with this layout, or have been resized to it by [`remap`], and must not be used any
/// more.
pub unsafe fn free(memory: NonNull<u8>, layout: Layout) {
    let (start, size) = (memory.as_ptr(), layout.size());
    let was_mapped = match is_mapped(size) {
        true => !FROM_ALLOCATOR.remove(start),
        false => size >= MAP_FROM_THRIFTY && MAPPED_SMALL.remove(start),
    };
    // SAFETY: by contract, and each call is the counterpart of the one that `allocate` made for
    // this piece.
    unsafe {
        if was_mapped {
            unmap(start, size);
        } else {
            dealloc(start, layout);
        }
    }
}

/// Like `Vec`, for elements that are plain bits.
pub struct LargeVec<T: Copy> {
    start: NonNull<T>,
    len: usize,
    capacity: usize,
}

// SAFETY: it owns its elements, as `Vec` does.
unsafe impl<T: Copy + Send> Send for LargeVec<T> {}
// SAFETY: as for `Send`.
unsafe impl<T: Copy + Sync> Sync for LargeVec<T> {}

impl<T: Copy> Default for LargeVec<T> {
    fn default() -> LargeVec<T> {
        LargeVec { start: NonNull::dangling(), len: 0, capacity: 0 }
    }
}

impl<T: Copy> LargeVec<T> {
    /// An empty vector without memory.
    pub fn new() -> LargeVec<T> {
        LargeVec::default()
    }

    /// A vector of `len` copies of `value`.
    pub fn filled(value: T, len: usize) -> LargeVec<T> {
        let mut filled = LargeVec::new();
        filled.resize(len, value);
        filled
    }

    /// The number of elements that fit without growing.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Appends an element.
    #[inline]
    pub fn push(&mut self, value: T) {
        self.extend_from_slice(&[value]);
    }

    /// Appends copies of the elements.
    #[inline]
    pub fn extend_from_slice(&mut self, elements: &[T]) {
        if self.capacity - self.len < elements.len() {
            self.grow(elements.len());
        }
        // SAFETY: L1: there is room after the first `len`; `elements` cannot overlap this vector's memory, which is
        // borrowed. After that L2 also holds for the new elements.
        unsafe {
            let end = self.start.as_ptr().add(self.len);
            ptr::copy_nonoverlapping(elements.as_ptr(), end, elements.len());
        }
        self.len += elements.len();
    }

    /// Shortens the vector to `len` elements, or extends it with copies of `value`.
    pub fn resize(&mut self, len: usize, value: T) {
        self.reserve(len.saturating_sub(self.len));
        for at in self.len..len {
            // SAFETY: L1: there is room.
            unsafe { self.start.as_ptr().add(at).write(value) };
        }
        self.len = len;
    }

    /// Keeps the first `len` elements.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Removes all elements and keeps the memory.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Reserves room for exactly `more` further elements, if there is less.
    pub fn reserve(&mut self, more: usize) {
        if self.capacity - self.len < more {
            self.change_capacity(self.len.saturating_add(more));
        }
    }

    /// Releases unused memory. In a mapping only pages in use have memory; the rest costs nothing.
    pub fn shrink_to_fit(&mut self) {
        if self.len < self.capacity {
            self.change_capacity(self.len);
        }
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        let needed = self.len.saturating_add(more);
        self.change_capacity(needed.max(2 * self.capacity).max(64 / size_of::<T>().max(1)));
    }

    /// Moves the elements, which must fit, to memory of this capacity.
    fn change_capacity(&mut self, capacity: usize) {
        let (old, new) = (layout::<T>(self.capacity), layout::<T>(capacity));
        if is_mapped(old.size())
            && is_mapped(new.size())
            && !FROM_ALLOCATOR.has(self.start.as_ptr().cast())
        {
            // SAFETY: L1, and there is no other pointer into it.
            let memory = unsafe { remap(self.start.as_ptr().cast(), old.size(), new.size()) };
            // If the system refuses, the elements are moved.
            if let Some(start) = NonNull::new(memory.cast()) {
                (self.start, self.capacity) = (start, capacity);
                return;
            }
        }
        let start = match new.size() {
            0 => NonNull::dangling(),
            // SAFETY: there are bytes.
            _ => unsafe { allocate(new) }.cast(),
        };
        // SAFETY: both have room for `len` elements (L1, L2), and one is new.
        unsafe { ptr::copy_nonoverlapping(self.start.as_ptr(), start.as_ptr(), self.len) };
        self.release();
        (self.start, self.capacity) = (start, capacity);
    }

    /// Frees the memory, after which `start` and `capacity` are meaningless.
    fn release(&mut self) {
        let layout = layout::<T>(self.capacity);
        if layout.size() > 0 {
            // SAFETY: L1; nothing uses it any more.
            unsafe { free(self.start.cast(), layout) };
        }
    }
}

impl LargeVec<u8> {
    /// A vector of `len` zeros; a new mapping contains them already.
    pub fn zeroed(len: usize) -> LargeVec<u8> {
        let mut zeroed = LargeVec::new();
        zeroed.reserve(len);
        if is_mapped(len) {
            // L2: it was just mapped.
            zeroed.len = len;
        } else {
            zeroed.resize(len, 0);
        }
        zeroed
    }
}

#[cfg(test)]
impl LargeVec<u8> {
    /// A vector of this capacity, large enough to be mapped, whose memory comes from the allocator.
    fn with_refused_mapping(capacity: usize) -> LargeVec<u8> {
        let layout = layout::<u8>(capacity);
        // SAFETY: there are bytes.
        let memory = unsafe { allocate_unmapped(layout) };
        let start = NonNull::new(memory).unwrap_or_else(|| handle_alloc_error(layout));
        LargeVec { start, len: 0, capacity }
    }
}

impl<T: Copy> Drop for LargeVec<T> {
    fn drop(&mut self) {
        self.release();
    }
}

impl<T: Copy> Deref for LargeVec<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: L2.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T: Copy> DerefMut for LargeVec<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: L2, and there is no other reference.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T: Copy> From<&[T]> for LargeVec<T> {
    fn from(elements: &[T]) -> LargeVec<T> {
        let mut copy = LargeVec::new();
        copy.reserve(elements.len());
        copy.extend_from_slice(elements);
        copy
    }
}

impl<T: Copy> FromIterator<T> for LargeVec<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> LargeVec<T> {
        let elements = elements.into_iter();
        let mut all = LargeVec::new();
        all.reserve(elements.size_hint().0);
        elements.for_each(|element| all.push(element));
        all
    }
}

fn layout<T>(capacity: usize) -> Layout {
    Layout::array::<T>(capacity)
        .unwrap_or_else(|_| panic!("{capacity} elements exceed the address space"))
}

#[cfg(test)]
#[path = "mapping_test.rs"]
mod tests;
