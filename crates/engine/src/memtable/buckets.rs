//! The bucket array of the hash structures, and the encoding of a bucket's word.
//!
//! ```text
//! word   = filter:16 | address:45 | form:3                    all 0 = empty
//! form   = 1..=6: that many nodes in one chain; the address is that of the first one
//!        | 7: a skip list; the address is that of its head
//! filter = one bit for each user key in the bucket, chosen by its hash
//! ```
//! The filter saves most lookups of absent keys the access to a node. Nodes are aligned to 8 and
//! lie in the lower half of the address space, whose addresses have 48 bits on current systems.
//!
//! Tests: `hash_test.rs`, also under Miri.

use super::tower::Node;
use super::zeroed::Zeroed;
use crate::env::sync::std_atomic::AtomicPtr;
use std::ptr::NonNull;

/// The maximum number of nodes in a chain.
pub(super) const CHAIN_MAX: usize = 6;

const FORM_MASK: usize = 7;
const SKIP_LIST: usize = 7;
#[cfg(target_pointer_width = "64")]
const FILTER_SHIFT: u32 = 48;
/// Words of 32 bits have no room for a filter; its bit is never tested there.
#[cfg(not(target_pointer_width = "64"))]
const FILTER_SHIFT: u32 = 0;
const FILTER_MASK: usize = if FILTER_SHIFT == 0 { 0 } else { 0xFFFF << FILTER_SHIFT };

/// The array.
pub(super) struct Buckets(Zeroed<AtomicPtr<u8>>);

impl Buckets {
    /// An array of `count` empty buckets, at least one.
    pub(super) fn new(count: usize) -> Buckets {
        Buckets(Zeroed::new(count))
    }

    /// The bucket of this hash.
    #[inline]
    pub(super) fn at(&self, hash: u64) -> &AtomicPtr<u8> {
        &self.0[((u128::from(hash) * self.0.len() as u128) >> 64) as usize]
    }

    /// All buckets.
    pub(super) fn all(&self) -> &[AtomicPtr<u8>] {
        &self.0
    }

    /// Bytes of the array.
    pub(super) fn memory(&self) -> usize {
        self.0.memory()
    }
}

/// The decoded content of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Empty,
    /// The first node and the number of nodes.
    Chain(Node, usize),
    /// A skip list with this head.
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

    /// The word that encodes this content and a filter.
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

/// The filter bit for the hash of a user key. The upper bits of its group's hash choose the bucket.
#[inline]
pub(super) fn filter_bit(hash: u64) -> usize {
    (1 << (FILTER_SHIFT + (hash & 15) as u32)) & FILTER_MASK
}

/// Whether a word's filter admits a user key with this hash.
#[inline]
pub(super) fn may_hold(word: *mut u8, hash: u64) -> bool {
    let bit = filter_bit(hash);
    word.addr() & bit == bit
}
