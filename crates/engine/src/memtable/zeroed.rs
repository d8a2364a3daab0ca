//! Arrays of atomics that start as zeros and take memory page by page, when pages are first written.
//!
//! A memtable sizes its arrays for as many entries as fit into it, but in a database with many column families most
//! memtables stay small. Pages mapped directly from the system are zero without being touched, and unmapping returns
//! them at once; a memory allocator would keep large freed pieces. The allocator is used only if the system refuses a
//! mapping.
//!
//! The module needs `unsafe` because it views bytes as `T`. Invariant **Z1**: from `start` on there are `len` values of
//! `T` in `memory`, all bytes of which were zero at first and which is only ever used as such.

#![allow(unsafe_code)]

use crate::env::sync::std_atomic::{AtomicPtr, AtomicU64};
use memmap2::{Advice, MmapMut};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::Deref;
use std::ptr::NonNull;

/// Arrays of at least this size request huge pages.
const HUGE_FROM: usize = 2 << 20;

/// Types for which zero bytes are a valid value, and which change only through shared references.
///
/// # Safety
///
/// The type must have these properties, and its alignment must be at most that of a page.
pub(super) unsafe trait ZeroAtomic: Send + Sync {}

// SAFETY: the number 0.
unsafe impl ZeroAtomic for AtomicU64 {}
// SAFETY: the null pointer.
unsafe impl<T> ZeroAtomic for AtomicPtr<T> {}
// SAFETY: as for its elements; there are 64 of 64 bits in a page.
unsafe impl<T: ZeroAtomic, const N: usize> ZeroAtomic for [T; N] {}

/// The memory of an array.
enum Memory {
    Mapped(MmapMut),
    /// Memory from the allocator, with this layout.
    Allocated(Layout),
}

/// The array.
pub(super) struct Zeroed<T> {
    memory: Memory,
    start: NonNull<T>,
    len: usize,
}

// SAFETY: it owns its elements, as `Box<[T]>` does.
unsafe impl<T: ZeroAtomic> Send for Zeroed<T> {}
// SAFETY: as for `Send`.
unsafe impl<T: ZeroAtomic> Sync for Zeroed<T> {}

impl<T: ZeroAtomic> Zeroed<T> {
    /// An array of `len` zeros, at least one.
    pub(super) fn new(len: usize) -> Zeroed<T> {
        let len = len.max(1);
        let Ok(layout) = Layout::array::<T>(len) else {
            panic!("memtable: {len} elements exceed the address space")
        };
        let Ok(mut memory) = MmapMut::map_anon(layout.size()) else {
            return Zeroed::allocated(len, layout);
        };
        // Miri has no madvise.
        #[cfg(all(target_os = "linux", not(miri)))]
        if layout.size() >= HUGE_FROM {
            // A refusal costs only speed.
            let _ = memory.advise(Advice::HugePage);
        }
        // SAFETY: mappings are not at address zero.
        let start = unsafe { NonNull::new_unchecked(memory.as_mut_ptr().cast()) };
        Zeroed { memory: Memory::Mapped(memory), start, len }
    }

    #[cold]
    fn allocated(len: usize, layout: Layout) -> Zeroed<T> {
        // SAFETY: there is at least one element, of at least one byte.
        let start = unsafe { alloc_zeroed(layout) }.cast();
        let Some(start) = NonNull::new(start) else { handle_alloc_error(layout) };
        Zeroed { memory: Memory::Allocated(layout), start, len }
    }

    /// The size of the array in bytes, including untouched pages.
    pub(super) fn memory(&self) -> usize {
        match &self.memory {
            Memory::Mapped(memory) => memory.len(),
            Memory::Allocated(layout) => layout.size(),
        }
    }
}

impl<T> Drop for Zeroed<T> {
    fn drop(&mut self) {
        if let Memory::Allocated(layout) = self.memory {
            // SAFETY: Z1; `allocated` called its counterpart with this layout.
            unsafe { dealloc(self.start.as_ptr().cast(), layout) };
        }
    }
}

impl<T: ZeroAtomic> Deref for Zeroed<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: Z1 and the trait's promise.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn all_elements_are_zero_until_they_are_written() {
        for len in [0, 1, 1000, 300_000] {
            let layout = Layout::array::<AtomicU64>(len.max(1)).unwrap();
            for words in [Zeroed::new(len), Zeroed::allocated(len.max(1), layout)] {
                let words: Zeroed<AtomicU64> = words;
                assert_eq!(words.len(), len.max(1));
                assert_eq!(words.memory(), 8 * len.max(1));
                assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == 0));
                let last = &words[words.len() - 1];
                last.store(7, Ordering::Relaxed);
                assert_eq!(words.iter().map(|word| word.load(Ordering::Relaxed)).sum::<u64>(), 7);
            }
        }
    }
}
