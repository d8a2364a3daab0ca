//! Nodes of the memtable's tree: layout, the order of slots, search inside a node.
//!
//! ```text
//! leaf  := header (permutation, state, skip, level, next, high), prefixes[14], keys[14]   256 bytes
//! inner := leaf, first child, children[14]                                               384 bytes
//! ```
//! Slots are filled in any order; the permutation, one word, says which are in use and in which
//! order. So an insertion fills a free slot and then publishes it with one store, and a reader that
//! loaded the permutation sees a node that does not change under it.
//!
//! A prefix is the eight bytes of the user key after the node's `skip`, big-endian, so that most
//! steps of a search compare integers in the node's own cache lines and touch no entry.

#![allow(unsafe_code)]

use super::arena::Arena;
use super::rep::Entry;
use crate::base::key::user_key;
use crate::base::prefetch::prefetch;
use crate::env::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};
use std::ops::Deref;
use std::ptr::{NonNull, null_mut};

/// Entries or separators of a node. Few under loom, so that its small models split nodes.
pub(super) const SLOTS: usize = if cfg!(loom) { 3 } else { 14 };

/// Bytes of a slot: a prefix and a key.
pub(super) const SLOT_SIZE: usize = 16;

const LINE: usize = 64;
const LOCKED: u32 = 1;
const VERSION: u32 = 2;

/// The slots of a node in the order of their keys: the count in the low four bits, then a slot
/// number of four bits for each rank. The free slots follow those in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Permutation(u64);

impl Permutation {
    /// No slot is in use.
    pub(super) fn empty() -> Permutation {
        Permutation((0..SLOTS as u64).fold(0, |word, slot| word | slot << (4 + 4 * slot)))
    }

    #[inline]
    pub(super) fn count(self) -> usize {
        (self.0 & 15) as usize
    }

    /// The slot of this rank; a free slot for ranks from the count on.
    #[inline]
    pub(super) fn slot(self, rank: usize) -> usize {
        debug_assert!(rank < SLOTS);
        (self.0 >> (4 + 4 * rank)) as usize & 15
    }

    /// The first free slot takes this rank; those from there on move up by one.
    #[inline]
    pub(super) fn insert(self, rank: usize) -> (Permutation, usize) {
        let count = self.count();
        debug_assert!(rank <= count && count < SLOTS);
        let slot = self.slot(count);
        let ranks = self.0 >> 4;
        let below = |n: usize| (1u64 << (4 * n)) - 1;
        let moved = (ranks & below(count) & !below(rank)) << 4;
        let rest = ranks & (below(rank) | !below(count + 1));
        let word = rest | moved | (slot as u64) << (4 * rank);
        (Permutation(word << 4 | (count as u64 + 1)), slot)
    }

    /// Only the first `count` ranks stay in use.
    pub(super) fn truncate(self, count: usize) -> Permutation {
        Permutation(self.0 & !15 | count as u64)
    }
}

/// A node. What is not atomic is written before the node is shared, and never again.
#[repr(C, align(64))]
pub(super) struct Node {
    permutation: AtomicU64,
    /// Bit 0 is the writers' lock. The rest counts how often slots in use became free, after which
    /// what a reader took from them may belong to another permutation.
    state: AtomicU32,
    /// Bytes that all keys of the node's range begin with; prefixes are taken after them.
    pub(super) skip: u16,
    /// 0 for leaves.
    pub(super) level: u8,
    next: AtomicPtr<Node>,
    /// The first key that is to the right of the node; null for none.
    high: AtomicPtr<u8>,
    prefixes: [AtomicU64; SLOTS],
    keys: [AtomicPtr<u8>; SLOTS],
}

#[repr(C)]
struct Inner {
    node: Node,
    /// What is before the first separator. A child is otherwise what is from its separator on.
    first: AtomicPtr<Node>,
    children: [AtomicPtr<Node>; SLOTS],
}

/// A node of a live tree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeRef(NonNull<Node>);

impl Deref for NodeRef {
    type Target = Node;
    #[inline]
    fn deref(&self) -> &Node {
        // SAFETY: nodes live as long as the tree's arena, and only atomics in them change (T1).
        unsafe { self.0.as_ref() }
    }
}

/// What goes into a node: a key and, above the leaves, the child that starts with it.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub(super) key: Entry,
    pub(super) child: Option<NodeRef>,
}

impl NodeRef {
    /// An empty node, locked, that nobody else knows yet. `first` is the first child of an inner
    /// node.
    pub(super) fn new(arena: &Arena, level: u8, skip: u16, first: Option<NodeRef>) -> NodeRef {
        let size = if level == 0 { size_of::<Node>() } else { size_of::<Inner>() };
        // All pieces of this arena are multiples of a line, so they are aligned to one.
        let place = arena.allocate(size.next_multiple_of(align_of::<Node>()));
        debug_assert!(place.cast::<Node>().is_aligned());
        let node = Node {
            permutation: AtomicU64::new(Permutation::empty().0),
            state: AtomicU32::new(LOCKED),
            skip,
            level,
            next: AtomicPtr::new(null_mut()),
            high: AtomicPtr::new(null_mut()),
            prefixes: std::array::from_fn(|_| AtomicU64::new(0)),
            keys: std::array::from_fn(|_| AtomicPtr::new(null_mut())),
        };
        // SAFETY: a fresh piece, large enough and aligned for what is written.
        unsafe {
            if level == 0 {
                place.cast::<Node>().write(node);
            } else {
                let first = AtomicPtr::new(first.map_or(null_mut(), NodeRef::as_ptr));
                let children = std::array::from_fn(|_| AtomicPtr::new(null_mut()));
                place.cast::<Inner>().write(Inner { node, first, children });
            }
        }
        NodeRef(place.cast())
    }

    pub(super) fn as_ptr(self) -> *mut Node {
        self.0.as_ptr()
    }

    /// The node at an address from [`NodeRef::as_ptr`], unless null.
    #[inline]
    pub(super) fn from_ptr(ptr: *mut Node) -> Option<NodeRef> {
        NonNull::new(ptr).map(NodeRef)
    }

    #[inline]
    fn inner(&self) -> &Inner {
        debug_assert!(self.level > 0);
        // SAFETY: nodes above level 0 were made as `Inner`; the pointer is the arena's, good for all
        // of it.
        unsafe { self.0.cast::<Inner>().as_ref() }
    }

    /// The child to the right of so many separators.
    #[inline]
    pub(super) fn child(self, permutation: Permutation, separators: usize) -> NodeRef {
        let inner = self.inner();
        let child = match separators {
            0 => &inner.first,
            n => &inner.children[permutation.slot(n - 1)],
        };
        let Some(child) = NodeRef::from_ptr(child.load(Ordering::Acquire)) else {
            unreachable!("an inner node without a child (T1)")
        };
        child
    }

    /// The key of this rank.
    #[inline]
    pub(super) fn key(self, permutation: Permutation, rank: usize) -> Entry {
        let key = self.keys[permutation.slot(rank)].load(Ordering::Acquire);
        let Some(key) = NonNull::new(key) else { unreachable!("a slot in use without key (T1)") };
        // SAFETY: keys are entries of the memtable's arena, which outlives the tree (R1).
        unsafe { Entry::from_ptr(key) }
    }

    /// The key and child of this rank.
    pub(super) fn item(self, permutation: Permutation, rank: usize) -> Item {
        let child = (self.level > 0).then(|| self.child(permutation, rank + 1));
        Item { key: self.key(permutation, rank), child }
    }

    /// Puts `item` at `rank` of a node that has room. The caller holds the lock or knows the node
    /// alone.
    #[inline]
    pub(super) fn put(self, rank: usize, prefix: u64, item: Item) {
        let (permutation, slot) = self.permutation().insert(rank);
        // Release, so that a reader with an outdated permutation that gets one of these values also
        // gets the version that tells it so.
        self.prefixes[slot].store(prefix, Ordering::Release);
        self.keys[slot].store(item.key.as_ptr().as_ptr(), Ordering::Release);
        if let Some(child) = item.child {
            self.inner().children[slot].store(child.as_ptr(), Ordering::Release);
        }
        self.permutation.store(permutation.0, Ordering::Release);
    }

    /// Asks for all lines of a node of this level. A search needs them one after the other: the
    /// permutation, then prefixes, then a key or a child.
    #[inline]
    pub(super) fn prefetch(self, level: u8) {
        let lines = if level == 0 { size_of::<Node>() } else { size_of::<Inner>() }.div_ceil(LINE);
        for line in 0..lines {
            prefetch(self.0.as_ptr().cast::<u8>().wrapping_add(line * LINE));
        }
    }
}

impl Node {
    #[inline]
    pub(super) fn permutation(&self) -> Permutation {
        Permutation(self.permutation.load(Ordering::Acquire))
    }

    /// To be loaded before what [`Node::unchanged_since`] is to vouch for.
    #[inline]
    pub(super) fn version(&self) -> u32 {
        self.state.load(Ordering::Acquire) & !LOCKED
    }

    /// Whether the slots of a permutation loaded after `version` still were that permutation's when
    /// they were read.
    #[inline]
    pub(super) fn unchanged_since(&self, version: u32) -> bool {
        fence(Ordering::Acquire);
        self.state.load(Ordering::Relaxed) & !LOCKED == version
    }

    #[inline]
    pub(super) fn lock(&self) {
        let mut spins = 0u32;
        loop {
            let state = self.state.load(Ordering::Relaxed);
            if state & LOCKED == 0
                && self
                    .state
                    .compare_exchange_weak(
                        state,
                        state | LOCKED,
                        Ordering::Acquire,
                        Ordering::Relaxed,
                    )
                    .is_ok()
            {
                return;
            }
            pause(&mut spins);
        }
    }

    #[inline]
    pub(super) fn unlock(&self) {
        let state = self.state.load(Ordering::Relaxed);
        debug_assert!(state & LOCKED != 0);
        self.state.store(state & !LOCKED, Ordering::Release);
    }

    /// The node to the right.
    #[inline]
    pub(super) fn next(&self) -> Option<NodeRef> {
        NodeRef::from_ptr(self.next.load(Ordering::Acquire))
    }

    #[inline]
    pub(super) fn high(&self) -> Option<Entry> {
        // SAFETY: as for `key`.
        NonNull::new(self.high.load(Ordering::Acquire)).map(|key| unsafe { Entry::from_ptr(key) })
    }

    /// Makes `right`, which took over what is from `separator` on, part of the tree, and keeps only
    /// the first `count` ranks here. Both nodes are locked; `right` is unlocked.
    pub(super) fn hand_over_to(&self, right: NodeRef, separator: Entry, count: usize) {
        // Before it is reachable; nobody loads these yet.
        right.next.store(self.next.load(Ordering::Relaxed), Ordering::Relaxed);
        right.high.store(self.high.load(Ordering::Relaxed), Ordering::Relaxed);
        // In this order: whoever sees the fewer ranks also sees the bound, and then the link.
        self.next.store(right.as_ptr(), Ordering::Release);
        self.high.store(separator.as_ptr().as_ptr(), Ordering::Release);
        let permutation = self.permutation();
        if count < permutation.count() {
            self.permutation.store(permutation.truncate(count).0, Ordering::Release);
            let state = self.state.load(Ordering::Relaxed);
            self.state.store(state.wrapping_add(VERSION), Ordering::Release);
        }
        // Not earlier: an insertion into `right` that has returned must not be hidden by ranks here.
        right.unlock();
    }

    /// How many keys have a smaller prefix, and how many a smaller or equal one.
    #[inline]
    pub(super) fn count_prefixes(&self, permutation: Permutation, prefix: u64) -> (usize, usize) {
        let (mut less, mut up_to) = (0, 0);
        for rank in 0..permutation.count() {
            // SAFETY: a permutation holds slot numbers below `SLOTS` and nothing else (T1).
            let other = unsafe { self.prefixes.get_unchecked(permutation.slot(rank)) };
            let other = other.load(Ordering::Relaxed);
            less += usize::from(other < prefix);
            up_to += usize::from(other <= prefix);
        }
        (less, up_to)
    }
}

/// The eight bytes of a user key after `skip`, as a number that orders as the bytes do.
#[inline]
pub(super) fn prefix_of(internal_key: &[u8], skip: u16) -> u64 {
    let key = user_key(internal_key);
    let rest = key.get(usize::from(skip)..).unwrap_or_default();
    match rest.first_chunk::<8>() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => {
            let mut bytes = [0; 8];
            bytes[..rest.len()].copy_from_slice(rest);
            u64::from_be_bytes(bytes)
        }
    }
}

/// Waits a little for another thread; gives way after a while, since it may not be running.
pub(super) fn pause(spins: &mut u32) {
    *spins += 1;
    #[cfg(loom)]
    loom::thread::yield_now();
    #[cfg(not(loom))]
    if *spins < 64 {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}
