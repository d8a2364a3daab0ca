//! Arrays of atomics that start as zeros and take memory when they are written, page by page.
//!
//! A memtable makes its arrays for as many entries as fit into it, but most memtables of a database with
//! many column families stay small. Pages straight from the system are zero without being touched, and
//! go back to it at once: large pieces that a memory allocator got back, it would keep.
//!
//! Unsafe, for seeing the bytes as `T`. Invariant **Z1**: the mapping holds `len` values of `T`, starts
//! at a page and is only ever used as such.

#![allow(unsafe_code)]

use memmap2::{Advice, MmapMut};
use std::alloc::{Layout, handle_alloc_error};
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::atomic::{AtomicPtr, AtomicU64};

/// From this size on huge pages are asked for.
const HUGE_FROM: usize = 2 << 20;

/// Types of which zero bytes are a value, and that change through shared references only.
///
/// # Safety
///
/// That is so, and the alignment is at most that of a page.
pub(super) unsafe trait ZeroAtomic: Send + Sync {}

// SAFETY: the number 0.
unsafe impl ZeroAtomic for AtomicU64 {}
// SAFETY: the null pointer.
unsafe impl<T> ZeroAtomic for AtomicPtr<T> {}
// SAFETY: as for its elements; there are 64 of 64 bits in a page.
unsafe impl<T: ZeroAtomic, const N: usize> ZeroAtomic for [T; N] {}

/// The array.
pub(super) struct Zeroed<T> {
    memory: MmapMut,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: ZeroAtomic> Zeroed<T> {
    /// So many zeros, at least one.
    pub(super) fn new(len: usize) -> Zeroed<T> {
        let len = len.max(1);
        let Ok(layout) = Layout::array::<T>(len) else {
            panic!("memtable: {len} elements are more than can be addressed")
        };
        let Ok(memory) = MmapMut::map_anon(layout.size()) else { handle_alloc_error(layout) };
        #[cfg(target_os = "linux")]
        if layout.size() >= HUGE_FROM {
            // A refusal costs speed alone.
            let _ = memory.advise(Advice::HugePage);
        }
        Zeroed { memory, len, elements: PhantomData }
    }

    /// Bytes of the array, the untouched ones included.
    pub(super) fn memory(&self) -> usize {
        self.memory.len()
    }
}

impl<T: ZeroAtomic> Deref for Zeroed<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: Z1 and the trait's promise.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn all_elements_are_zero_until_they_are_written() {
        for len in [0, 1, 1000, 300_000] {
            let words: Zeroed<AtomicU64> = Zeroed::new(len);
            assert_eq!(words.len(), len.max(1));
            assert_eq!(words.memory(), 8 * len.max(1));
            assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == 0));
            let last = &words[words.len() - 1];
            last.store(7, Ordering::Relaxed);
            assert_eq!(words.iter().map(|word| word.load(Ordering::Relaxed)).sum::<u64>(), 7);
        }
    }
}
