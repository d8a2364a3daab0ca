//! Nodes of the memtable's tree: layout, and search inside a node.
//!
//! ```text
//! packed leaf := header (permutation, state, skip, level, wide, next, high), words[12]   128 bytes
//! wide leaf   := header, prefixes[14], keys[14]                                         256 bytes
//! inner       := wide leaf, first child, children[14]                                   384 bytes
//! ```
//! Slots are filled in any order; the permutation, one word, lists the slots in use in the order of their keys. So an
//! insertion fills a free slot and then publishes it with one store, and a reader that has loaded the permutation sees
//! an unchanging node.
//!
//! Leaves take up most of a tree's memory. A slot of a packed leaf is one word: an address and the 19 bits of the key
//! that follow the node's `skip`. These bits distinguish ten keys if `skip` covers what all keys of a narrow range have
//! in common. A leaf is wide where 19 bits are not enough. One case is the right end, where the range has no upper
//! bound and nothing is skipped (ascending inserts create all leaves there and fill them). The other is a leaf whose
//! initial keys need more bits.

#![allow(unsafe_code)]

use super::arena::Arena;
use super::btree_slot::{MAX_SLOTS, Permutation, Word, short_prefix_in, short_prefix_of};
use super::entry::Entry;
use crate::base::prefetch::{LINE, prefetch_bytes};
use crate::env::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};
use std::ops::Deref;
use std::ptr::{NonNull, null_mut};

/// The number of slots of a packed leaf.
pub(super) const PACKED_SLOTS: usize = if cfg!(loom) { 3 } else { 12 };
/// The number of slots of other nodes.
pub(super) const WIDE_SLOTS: usize = MAX_SLOTS;

const LOCKED: u32 = 1;
const VERSION: u32 = 2;

/// The header of each node. Fields that are not atomic are written before the node is shared and never again.
#[repr(C)]
pub(super) struct Node {
    permutation: AtomicU64,
    /// Bit 0 is the writers' lock. The rest counts how often slots in use became free; a reader
    /// that loaded slots across such a change may have values of another permutation.
    state: AtomicU32,
    /// The number of leading bits that all keys of the node's range share; prefixes start after
    /// them.
    pub(super) skip: u16,
    /// 0 for leaves.
    pub(super) level: u8,
    /// Whether the node is a `WideNode`, as inner nodes are, or a `Packed`.
    wide: bool,
    next: AtomicPtr<Node>,
    /// The word of the first key to the right of the node; null if there is none.
    high: AtomicPtr<u8>,
}

#[repr(C, align(64))]
struct Packed {
    node: Node,
    words: [AtomicPtr<u8>; PACKED_SLOTS],
}

#[repr(C, align(64))]
struct WideNode {
    node: Node,
    prefixes: [AtomicU64; WIDE_SLOTS],
    keys: [AtomicPtr<u8>; WIDE_SLOTS],
}

#[repr(C)]
struct Inner {
    wide: WideNode,
    /// The child before the first separator. Every other child starts at its separator.
    first: AtomicPtr<Node>,
    children: [AtomicPtr<Node>; WIDE_SLOTS],
}

#[cfg(all(target_pointer_width = "64", not(loom)))]
const _: () = assert!(size_of::<Packed>() == 2 * LINE && size_of::<WideNode>() == 4 * LINE);

/// A node of a live tree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeRef(NonNull<Node>);

impl Deref for NodeRef {
    type Target = Node;
    #[inline]
    fn deref(&self) -> &Node {
        // SAFETY: nodes live as long as the tree's arena, and only atomics in them change (BT1).
        unsafe { self.0.as_ref() }
    }
}

/// An element of a node: a key and, above the leaves, the child that starts with it.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub(super) key: Entry,
    pub(super) child: Option<NodeRef>,
}

impl NodeRef {
    /// An empty, locked node that is not shared yet. `packed` is for leaves; `first` is the first
    /// child of an inner node.
    pub(super) fn new(
        arena: &Arena,
        level: u8,
        skip: u16,
        packed: bool,
        first: Option<NodeRef>,
    ) -> NodeRef {
        let node = Node {
            permutation: AtomicU64::new(Permutation::empty().0),
            state: AtomicU32::new(LOCKED),
            skip,
            level,
            wide: level > 0 || !packed,
            next: AtomicPtr::new(null_mut()),
            high: AtomicPtr::new(null_mut()),
        };
        if !node.wide {
            return place(arena, Packed { node, words: nulls() });
        }
        let prefixes = std::array::from_fn(|_| AtomicU64::new(0));
        let wide = WideNode { node, prefixes, keys: nulls() };
        if level == 0 {
            return place(arena, wide);
        }
        let first = AtomicPtr::new(first.map_or(null_mut(), NodeRef::as_ptr));
        place(arena, Inner { wide, first, children: nulls() })
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
    fn packed(&self) -> &Packed {
        debug_assert!(!self.wide);
        // SAFETY: the node was made as `Packed`; the pointer comes from the arena and covers all of
        // it.
        unsafe { self.0.cast::<Packed>().as_ref() }
    }

    #[inline]
    fn wide(&self) -> &WideNode {
        debug_assert!(self.wide);
        // SAFETY: the node was made as `WideNode`, or as `Inner`, which begins with it; as in
        // `packed`.
        unsafe { self.0.cast::<WideNode>().as_ref() }
    }

    #[inline]
    fn inner(&self) -> &Inner {
        debug_assert!(self.level > 0);
        // SAFETY: nodes above level 0 were made as `Inner`; as in `packed`.
        unsafe { self.0.cast::<Inner>().as_ref() }
    }

    /// The number of slots.
    #[inline]
    pub(super) fn slots(self) -> usize {
        if self.wide { WIDE_SLOTS } else { PACKED_SLOTS }
    }

    /// The child to the right of the first `separators` separators.
    #[inline]
    pub(super) fn child(self, permutation: Permutation, separators: usize) -> NodeRef {
        let inner = self.inner();
        let child = match separators {
            0 => &inner.first,
            n => &inner.children[permutation.slot(n - 1)],
        };
        let Some(child) = NodeRef::from_ptr(child.load(Ordering::Acquire)) else {
            unreachable!("an inner node without a child (BT1)")
        };
        child
    }

    /// The key of this rank.
    #[inline]
    pub(super) fn key(self, permutation: Permutation, rank: usize) -> Entry {
        if self.wide {
            self.wide_key(permutation, rank)
        } else {
            self.packed_key(permutation, rank)
        }
    }

    #[inline]
    fn wide_key(self, permutation: Permutation, rank: usize) -> Entry {
        let key = self.wide().keys[permutation.slot(rank)].load(Ordering::Acquire);
        let Some(key) = NonNull::new(key) else { unreachable!("a slot in use without key (BT1)") };
        // SAFETY: keys are entries of the memtable's arena, which outlives the tree (R1).
        unsafe { Entry::from_ptr(key) }
    }

    #[inline]
    fn packed_key(self, permutation: Permutation, rank: usize) -> Entry {
        let word = self.packed().words[permutation.slot(rank)].load(Ordering::Acquire);
        let Some(word) = Word::from_ptr(word) else {
            unreachable!("a slot in use without key (BT1)")
        };
        // SAFETY: as in `wide_key`.
        unsafe { word.entry() }
    }

    /// The keys of a leaf in their order.
    #[inline]
    pub(super) fn each_key(self, permutation: Permutation, mut visit: impl FnMut(usize, Entry)) {
        if self.wide {
            (0..permutation.count()).for_each(|rank| visit(rank, self.wide_key(permutation, rank)));
        } else {
            (0..permutation.count())
                .for_each(|rank| visit(rank, self.packed_key(permutation, rank)));
        }
    }

    /// The key and child of this rank.
    pub(super) fn item(self, permutation: Permutation, rank: usize) -> Item {
        let child = (self.level > 0).then(|| self.child(permutation, rank + 1));
        Item { key: self.key(permutation, rank), child }
    }

    /// Puts `item` at `rank` of a node that has room. The caller holds the lock, or the node is not
    /// shared yet.
    #[inline]
    pub(super) fn put(self, rank: usize, prefix: u64, item: Item) {
        debug_assert!(self.permutation().count() < self.slots());
        let (permutation, slot) = self.permutation().insert(rank);
        // Release: a reader with an outdated permutation that loads one of these values also loads
        // the version that reveals the change.
        if self.wide {
            let wide = self.wide();
            wide.prefixes[slot].store(prefix, Ordering::Release);
            wide.keys[slot].store(item.key.as_ptr().as_ptr(), Ordering::Release);
        } else {
            let word = Word::new(item.key, prefix);
            self.packed().words[slot].store(word.as_ptr(), Ordering::Release);
        }
        if let Some(child) = item.child {
            self.inner().children[slot].store(child.as_ptr(), Ordering::Release);
        }
        self.permutation.store(permutation.0, Ordering::Release);
    }

    /// The number of keys with a smaller prefix and the number with a smaller or equal one, as far as the node stores
    /// prefixes.
    #[inline]
    pub(super) fn count_prefixes(self, permutation: Permutation, prefix: u64) -> (usize, usize) {
        let (mut less, mut up_to) = (0, 0);
        if self.wide {
            let prefixes = &self.wide().prefixes;
            for rank in 0..permutation.count() {
                // SAFETY: a permutation holds slot numbers below the node's `slots` and nothing else (BT1).
                let other = unsafe { prefixes.get_unchecked(permutation.slot(rank)) };
                let other = other.load(Ordering::Relaxed);
                less += usize::from(other < prefix);
                up_to += usize::from(other <= prefix);
            }
        } else {
            let (words, short_prefix) = (&self.packed().words, short_prefix_of(prefix));
            for rank in 0..permutation.count() {
                // SAFETY: as above.
                let other = unsafe { words.get_unchecked(permutation.slot(rank)) };
                let other = short_prefix_in(other.load(Ordering::Relaxed));
                less += usize::from(other < short_prefix);
                up_to += usize::from(other <= short_prefix);
            }
        }
        (less, up_to)
    }

    /// Prefetches the lines of a node of this level (of a wide leaf, the first ones). A search needs them one after the
    /// other: the permutation, then prefixes, then a key or a child.
    #[inline]
    pub(super) fn prefetch(self, level: u8) {
        let bytes = if level == 0 { size_of::<Packed>() } else { size_of::<Inner>() };
        prefetch_bytes(self.0.as_ptr().cast(), bytes);
    }

    /// Prefetches the lines of this leaf's neighbour, which is mostly of the same kind.
    #[inline]
    pub(super) fn prefetch_neighbour(self, leaf: NodeRef) {
        let bytes = if self.wide { size_of::<WideNode>() } else { size_of::<Packed>() };
        prefetch_bytes(leaf.0.as_ptr().cast(), bytes);
    }
}

fn nulls<T, const N: usize>() -> [AtomicPtr<T>; N] {
    std::array::from_fn(|_| AtomicPtr::new(null_mut()))
}

/// Moves a node, which begins with a `Node`, into the arena.
fn place<T>(arena: &Arena, node: T) -> NodeRef {
    const { assert!(align_of::<T>() == LINE) };
    // All pieces of this arena are multiples of a line, so they are aligned to one.
    let place = arena.allocate(size_of::<T>()).cast::<T>();
    debug_assert!(place.is_aligned());
    // SAFETY: a fresh piece, large enough and aligned for the node.
    unsafe { place.write(node) };
    NodeRef(place.cast())
}

impl Node {
    #[inline]
    pub(super) fn permutation(&self) -> Permutation {
        Permutation(self.permutation.load(Ordering::Acquire))
    }

    /// The version. A reader loads it before the values that [`Node::unchanged_since`] is to
    /// validate.
    #[inline]
    pub(super) fn version(&self) -> u32 {
        self.state.load(Ordering::Acquire) & !LOCKED
    }

    /// Whether the slots of a permutation loaded after `version` still belonged to that permutation
    /// when they were read.
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
    pub(super) fn high(&self) -> Option<Word> {
        Word::from_ptr(self.high.load(Ordering::Acquire))
    }

    /// Links `right`, which already holds the keys from `separator` on, into the tree, and keeps only the first `count`
    /// ranks in this node. Both nodes are locked; `right` is unlocked at the end. `high` is this node's old bound and
    /// becomes the bound of `right`. Each word has the prefix after its node's `skip`.
    pub(super) fn hand_over_to(
        &self,
        right: NodeRef,
        separator: Word,
        high: Option<Word>,
        count: usize,
    ) {
        // `right` is not reachable yet, so no other thread loads these.
        right.next.store(self.next.load(Ordering::Relaxed), Ordering::Relaxed);
        right.high.store(high.map_or(null_mut(), Word::as_ptr), Ordering::Relaxed);
        // In this order: a reader that sees fewer ranks also sees the bound, and then the link.
        self.next.store(right.as_ptr(), Ordering::Release);
        self.high.store(separator.as_ptr(), Ordering::Release);
        let permutation = self.permutation();
        if count < permutation.count() {
            self.permutation.store(permutation.truncate(count).0, Ordering::Release);
            let state = self.state.load(Ordering::Relaxed);
            self.state.store(state.wrapping_add(VERSION), Ordering::Release);
        }
        // Not earlier: ranks in this node must not hide an insertion into `right` that has returned.
        right.unlock();
    }
}

/// Waits briefly for another thread; yields after a while, since that thread may not be running.
pub(super) fn pause(spins: &mut u32) {
    *spins += 1;
    #[cfg(loom)]
    crate::env::sync::thread::yield_now();
    #[cfg(not(loom))]
    if *spins < 64 {
        std::hint::spin_loop();
    } else {
        crate::env::threads::yield_now();
    }
}
