//! Memory straight from the operating system, in huge pages where they fit.
//!
//! A lookup that goes anywhere in some hundred MiB otherwise pays for a page walk with each cache miss.
//!
//! [`LargeVec`] is for what background jobs and open tables hold: indexes, filters, what they are made of and read
//! through. glibc maps such pieces too, but only until the first one is freed: then it takes all pieces up to that
//! size from its heaps, and what is freed there stays with the process (after a compaction of 230 MB it
//! was 5.7 MB, in the heap of a thread that did nothing any more). A mapping goes back at once, it grows
//! without a copy, and of its room only the pages in use have memory.
//!
//! Where the system refuses a mapping (a process may have 65,530 of them), the allocator is asked instead: it can
//! still grow its heap. Such pieces are listed in `FROM_ALLOCATOR`, since their size says that they are mapped.
//!
//! Unsafe: mapping, and giving back what the caller says was mapped. Where the system is not Linux, and
//! under Miri, there is no such memory ([`IS_SUPPORTED`]). Tested by what uses it: `arena_test.rs`,
//! `heap_test.rs`; the vector by `mapping_test.rs`; refused mappings by `os-calls` in `crates/interop`. Its invariants:
//! * **L1** `start` has room for `capacity` elements, as [`allocate`] gives it; it dangles if they are no bytes.
//! * **L2** The first `len` elements, at most `capacity`, are initialised.

#![allow(unsafe_code)]

use crate::env::sync::Mutex;
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, handle_alloc_error};
use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The size of a huge page; what is aligned to it is advised for huge pages.
pub const HUGE_PAGE: usize = 2 << 20;

/// Bytes from which memory is mapped: where glibc's threshold is until something is freed.
pub const MAP_FROM: usize = 128 << 10;

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

/// Whether [`allocate`] takes a piece of this size from the operating system. An allocator would keep what
/// is freed: glibc's raises the size from which it maps memory when such a piece is.
pub fn is_mapped(size: usize) -> bool {
    IS_SUPPORTED && size >= MAP_FROM
}

/// Addresses of pieces as large as mapped ones that came from the allocator, and how many they are: usually none.
static FROM_ALLOCATOR: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
static NUM_FROM_ALLOCATOR: AtomicUsize = AtomicUsize::new(0);

/// Memory of this layout, which is zero if [`is_mapped`] and not initialised otherwise.
///
/// # Safety
/// The layout has bytes.
pub unsafe fn allocate(layout: Layout) -> NonNull<u8> {
    let memory = match is_mapped(layout.size()) {
        true => match map(layout.size(), layout.align()) {
            // SAFETY: by contract.
            refused if refused.is_null() => unsafe { allocate_unmapped(layout) },
            mapped => mapped,
        },
        // SAFETY: by contract.
        false => unsafe { alloc(layout) },
    };
    NonNull::new(memory).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Zeroed memory of the allocator's in place of a mapping; null where there is none, either.
///
/// # Safety
/// The layout has bytes.
#[cold]
unsafe fn allocate_unmapped(layout: Layout) -> *mut u8 {
    // SAFETY: by contract.
    let memory = unsafe { alloc_zeroed(layout) };
    if !memory.is_null() {
        FROM_ALLOCATOR.lock().insert(memory.addr());
        NUM_FROM_ALLOCATOR.fetch_add(1, Ordering::Relaxed);
    }
    memory
}

/// Whether a piece as large as mapped ones came from the allocator. Who owns the piece got it after it was listed.
fn is_unmapped(memory: *mut u8) -> bool {
    NUM_FROM_ALLOCATOR.load(Ordering::Relaxed) > 0 && FROM_ALLOCATOR.lock().contains(&memory.addr())
}

/// Gives memory back.
///
/// # Safety
/// It came from [`allocate`] with this layout, or was brought to its size by [`remap`], and is not used any more.
pub unsafe fn free(memory: NonNull<u8>, layout: Layout) {
    let is_mapped = is_mapped(layout.size());
    if is_mapped && is_unmapped(memory.as_ptr()) {
        // Before the address can be given away again.
        FROM_ALLOCATOR.lock().remove(&memory.as_ptr().addr());
        NUM_FROM_ALLOCATOR.fetch_sub(1, Ordering::Relaxed);
        // SAFETY: by contract, and `allocate_unmapped` called its counterpart.
        unsafe { dealloc(memory.as_ptr(), layout) };
        return;
    }
    // SAFETY: by contract, and each the counterpart of what `allocate` called for this size.
    unsafe {
        if is_mapped {
            unmap(memory.as_ptr(), layout.size());
        } else {
            dealloc(memory.as_ptr(), layout);
        }
    }
}

/// As `Vec`, for elements that are bits and nothing else.
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

    /// So many times the same.
    pub fn filled(value: T, len: usize) -> LargeVec<T> {
        let mut filled = LargeVec::new();
        filled.resize(len, value);
        filled
    }

    /// How many elements there is room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Appends an element.
    #[inline]
    pub fn push(&mut self, value: T) {
        self.extend_from_slice(&[value]);
    }

    /// Appends a copy of the elements.
    #[inline]
    pub fn extend_from_slice(&mut self, elements: &[T]) {
        if self.capacity - self.len < elements.len() {
            self.grow(elements.len());
        }
        // SAFETY: L1: there is room behind the first `len`; `elements` cannot be a part of this one's memory,
        // which is borrowed. Then L2 holds for those, too.
        unsafe {
            let end = self.start.as_ptr().add(self.len);
            ptr::copy_nonoverlapping(elements.as_ptr(), end, elements.len());
        }
        self.len += elements.len();
    }

    /// Cuts it to `len` elements, or fills it up with copies of `value`.
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

    /// Keeps the memory alone.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Makes room for exactly so many more, if there is less.
    pub fn reserve(&mut self, more: usize) {
        if self.capacity - self.len < more {
            self.change_capacity(self.len.saturating_add(more));
        }
    }

    /// Gives back room that is not used. Of a mapping that is what has pages; the rest costs nothing.
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

    /// Moves the elements, which are not more, to memory of this size.
    fn change_capacity(&mut self, capacity: usize) {
        let (old, new) = (layout::<T>(self.capacity), layout::<T>(capacity));
        if is_mapped(old.size())
            && is_mapped(new.size())
            && !is_unmapped(self.start.as_ptr().cast())
        {
            // SAFETY: L1, and nobody else has a pointer into it.
            let memory = unsafe { remap(self.start.as_ptr().cast(), old.size(), new.size()) };
            // Where the system refuses, the elements move.
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

    /// Gives the memory back, after which `start` and `capacity` mean nothing.
    fn release(&mut self) {
        let layout = layout::<T>(self.capacity);
        if layout.size() > 0 {
            // SAFETY: L1; nothing uses it any more.
            unsafe { free(self.start.cast(), layout) };
        }
    }
}

impl LargeVec<u8> {
    /// So many zeros, which a mapping has of itself.
    pub fn zeroed(len: usize) -> LargeVec<u8> {
        let mut zeroed = LargeVec::new();
        zeroed.reserve(len);
        if is_mapped(len) {
            // L2: it was mapped just now.
            zeroed.len = len;
        } else {
            zeroed.resize(len, 0);
        }
        zeroed
    }
}

#[cfg(test)]
impl LargeVec<u8> {
    /// Room for so many bytes, as many as are mapped, from the allocator.
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
        // SAFETY: L2, and borrowed by nobody else.
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
