//! The bucket array of the hash structures, and what a bucket's word says.
//!
//! ```text
//! word   = filter:16 | address:45 | form:3                    all 0 = empty
//! form   = 1..=6: that many nodes in one chain; the address is that of the first one
//!        | 7: a skip list; the address is that of its head
//! filter = one bit for each group in the bucket, chosen by its hash
//! ```
//! The filter spares most lookups of absent keys the way to a node. Nodes are aligned to 8 and lie
//! in the lower half of the address space, whose addresses have 48 bits on the systems there are.
//!
//! The array is asked for zeroed and large, so that the system maps its pages when they are first
//! written: a memtable that stays small does not pay for a million buckets.
//!
//! Unsafe, for the array. Invariant **B1**: it is `count` words, made by `new`, freed by `drop`.
//!
//! Tests: `hash_test.rs`, also under Miri.

#![allow(unsafe_code)]

use super::tower::Node;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::atomic::AtomicPtr;

/// The most nodes in a chain.
pub(super) const CHAIN_MAX: usize = 6;

const FORM_MASK: usize = 7;
const SKIP_LIST: usize = 7;
#[cfg(target_pointer_width = "64")]
const FILTER_SHIFT: u32 = 48;
/// Words of 32 bits have no room for a filter: its bit is then never looked at.
#[cfg(not(target_pointer_width = "64"))]
const FILTER_SHIFT: u32 = 0;
const FILTER_MASK: usize = if FILTER_SHIFT == 0 { 0 } else { 0xFFFF << FILTER_SHIFT };

/// The array.
pub(super) struct Buckets {
    words: NonNull<AtomicPtr<u8>>,
    count: usize,
}

// SAFETY: the words are atomics; what they point to is the business of the structure.
unsafe impl Send for Buckets {}
// SAFETY: as for `Send`.
unsafe impl Sync for Buckets {}

impl Buckets {
    /// So many empty buckets, at least one.
    pub(super) fn new(count: usize) -> Buckets {
        let count = count.max(1);
        let layout = Buckets::layout(count);
        // SAFETY: the size is not zero. Zeroed bytes are null pointers.
        let words = unsafe { alloc_zeroed(layout) }.cast::<AtomicPtr<u8>>();
        let Some(words) = NonNull::new(words) else { handle_alloc_error(layout) };
        advise_huge_pages(words.cast(), layout.size());
        Buckets { words, count }
    }

    /// The bucket of this hash.
    #[inline]
    pub(super) fn at(&self, hash: u64) -> &AtomicPtr<u8> {
        let i = ((u128::from(hash) * self.count as u128) >> 64) as usize;
        // SAFETY: B1, and `i < count`.
        unsafe { self.words.add(i).as_ref() }
    }

    /// All buckets.
    pub(super) fn all(&self) -> &[AtomicPtr<u8>] {
        // SAFETY: B1.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr(), self.count) }
    }

    /// Bytes of the array.
    pub(super) fn memory(&self) -> usize {
        self.count * size_of::<AtomicPtr<u8>>()
    }

    fn layout(count: usize) -> Layout {
        Layout::array::<AtomicPtr<u8>>(count).unwrap_or_else(|_| {
            panic!("hash memtable: {count} buckets are more than can be addressed")
        })
    }
}

impl Drop for Buckets {
    fn drop(&mut self) {
        // SAFETY: B1.
        unsafe { dealloc(self.words.as_ptr().cast(), Buckets::layout(self.count)) };
    }
}

/// Asks for huge pages under the whole pages of the array; a refusal costs speed alone.
fn advise_huge_pages(start: NonNull<u8>, size: usize) {
    #[cfg(all(target_os = "linux", not(miri)))]
    if size >= 2 << 20 {
        let skip = start.as_ptr().align_offset(4096);
        // SAFETY: advice about pages inside the allocation.
        unsafe { libc::madvise(start.as_ptr().add(skip).cast(), size - skip, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = (start, size);
}

/// What a word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Empty,
    /// The first node, and how many there are.
    Chain(Node, usize),
    /// The head.
    SkipList(Node),
}

impl Content {
    #[inline]
    pub(super) fn of(word: *mut u8) -> Content {
        let Some(node) = NonNull::new(word.map_addr(|a| a & !FORM_MASK & !FILTER_MASK)) else {
            return Content::Empty;
        };
        match word.addr() & FORM_MASK {
            SKIP_LIST => Content::SkipList(node),
            n => Content::Chain(node, n),
        }
    }

    /// The word that says this, with a filter.
    pub(super) fn word(self, filter: usize) -> *mut u8 {
        let (node, form) = match self {
            Content::Empty => return std::ptr::null_mut(),
            Content::Chain(node, n) => (node, n),
            Content::SkipList(head) => (head, SKIP_LIST),
        };
        let node = node.as_ptr();
        assert!(node.addr() & (FORM_MASK | FILTER_MASK) == 0, "node at {node:?}");
        node.map_addr(|a| a | form | filter)
    }
}

/// The filter of a word.
#[inline]
pub(super) fn filter_of(word: *mut u8) -> usize {
    word.addr() & FILTER_MASK
}

/// The filter's bit of a group. The bucket is chosen by the upper bits of the hash.
#[inline]
pub(super) fn filter_bit(hash: u64) -> usize {
    (1 << (FILTER_SHIFT + (hash & 15) as u32)) & FILTER_MASK
}

/// Whether a word's filter allows for a group with this hash.
#[inline]
pub(super) fn may_hold(word: *mut u8, hash: u64) -> bool {
    let bit = filter_bit(hash);
    word.addr() & bit == bit
}
