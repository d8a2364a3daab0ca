//! A skip list that many threads insert into and read at once, without a lock.
//!
//! A node is a tower of forward pointers that grows down from its entry; a pointer to a node is the
//! entry's address:
//! ```text
//!   next[h-1] ... next[1] next[0] | entry
//!                                 ^ node
//! ```
//! The head is a tower without an entry. A node on level `i` is on all levels below.
//!
//! Insertion links a node level by level, from the bottom up, with one compare-and-swap each: once
//! the bottom one is done the entry is in. Nodes are never removed, so a pointer once read stays
//! good and a failed swap searches on from where it was.
//!
//! Unsafe, for the towers. Invariants:
//! * **S1** What a link points to is a node of this list whose entry and lower links were written
//!   before (Release swap, Acquire load), or null at the end.
//! * **S2** On each level the entries ascend. Only links change, and only to a smaller entry.
//!
//! Tests: `skiplist_test.rs` (model, threads, Miri) and its loom model of insert and read.

#![allow(unsafe_code)]

use super::arena::Arena;
use super::rep::{Entry, MemtableRep, RepCursor};
use crate::base::KeyOrder;
use crate::env::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::cmp;
use std::ptr::{NonNull, null_mut};

/// The tallest tower there can be.
pub const MAX_HEIGHT: usize = 12;

type Link = AtomicPtr<u8>;
/// A node's entry, or the end of the head's tower.
pub(super) type Node = NonNull<u8>;

/// The list. It does not own the arena; R1 in [`super::rep`] keeps it alive.
pub struct SkipList {
    order: KeyOrder,
    head: Node,
    /// Levels in use; a hint, read relaxed.
    height: AtomicUsize,
    max_height: usize,
    /// One tower in `2^branching_bits` is a level taller.
    branching_bits: u32,
}

// SAFETY: the head is a node, and all nodes are shared by the rules above.
unsafe impl Send for SkipList {}
// SAFETY: as for `Send`.
unsafe impl Sync for SkipList {}

/// Where a new node goes: per level the node before and the one after.
struct Splice {
    before: [Node; MAX_HEIGHT],
    after: [*mut u8; MAX_HEIGHT],
}

impl SkipList {
    /// An empty list with RocksDB's shape: twelve levels, one tower in four a level taller.
    pub fn new(order: KeyOrder, arena: &Arena) -> SkipList {
        SkipList::with_shape(order, arena, MAX_HEIGHT, 4)
    }

    /// An empty list of another shape. The height is clamped to what there can be, the branching
    /// factor rounded up to a power of two.
    pub fn with_shape(
        order: KeyOrder,
        arena: &Arena,
        max_height: usize,
        branching: u32,
    ) -> SkipList {
        let max_height = max_height.clamp(1, MAX_HEIGHT);
        let branching_bits = branching.clamp(2, 1 << 16).next_power_of_two().trailing_zeros();
        let head = new_tower(arena, max_height, 0);
        SkipList { order, head, height: AtomicUsize::new(1), max_height, branching_bits }
    }

    /// Room for a node with an entry of `size` bytes; the height is drawn here.
    pub fn allocate_node(&self, arena: &Arena, size: usize) -> NonNull<u8> {
        // The height waits in the tower's bottom link, which `insert` then overwrites.
        let height = self.random_height();
        let node = new_tower(arena, height, size);
        // SAFETY: a new node has at least one link, and nobody else knows it.
        unsafe { link(node, 0) }.store(std::ptr::without_provenance_mut(height), Ordering::Relaxed);
        node
    }

    /// Adds an entry that was written where [`SkipList::allocate_node`] said.
    pub fn insert_node(&self, entry: Entry) {
        let node = entry.as_ptr();
        // SAFETY: `allocate_node` left the height here.
        let height = unsafe { link(node, 0) }.load(Ordering::Relaxed).addr();
        // SAFETY: the caller's entry is alive (R1).
        let key = unsafe { entry.internal_key() };
        let mut splice =
            Splice { before: [self.head; MAX_HEIGHT], after: [null_mut(); MAX_HEIGHT] };
        self.height.fetch_max(height, Ordering::Relaxed);
        self.find_splice(key, &mut splice);
        for level in 0..height {
            loop {
                // SAFETY: S1 for `before`; `node` has `height` links.
                let (mine, theirs) =
                    unsafe { (link(node, level), link(splice.before[level], level)) };
                let after = splice.after[level];
                mine.store(after, Ordering::Relaxed);
                let linked = theirs.compare_exchange(
                    after,
                    node.as_ptr(),
                    Ordering::Release,
                    Ordering::Relaxed,
                );
                if linked.is_ok() {
                    break;
                }
                let from = splice.before[level];
                (splice.before[level], splice.after[level]) = self.walk(from, level, key);
            }
        }
    }

    /// Visits the entries from the first `>= target` on, in order, until `visit` returns false.
    #[inline]
    pub fn visit(&self, target: &[u8], mut visit: impl FnMut(Entry) -> bool) {
        let mut at = self.seek_node(target);
        while let Some(node) = NonNull::new(at) {
            // SAFETY: S1.
            if !visit(unsafe { Entry::from_ptr(node) }) {
                return;
            }
            // SAFETY: S1.
            at = unsafe { link(node, 0) }.load(Ordering::Acquire);
        }
    }

    /// A position in the list.
    pub fn iter(&self) -> SkipListCursor<'_> {
        SkipListCursor { list: self, node: null_mut() }
    }

    /// Whether nothing was inserted.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.first().is_null()
    }

    fn first(&self) -> *mut u8 {
        // SAFETY: the head has all levels.
        unsafe { link(self.head, 0) }.load(Ordering::Acquire)
    }

    fn random_height(&self) -> usize {
        let mut random = super::random::next();
        let mut height = 1;
        while height < self.max_height && random & ((1 << self.branching_bits) - 1) == 0 {
            height += 1;
            random >>= self.branching_bits;
        }
        height
    }

    /// The order of a node's key and `key`.
    #[inline]
    fn compare(&self, node: Node, key: &[u8]) -> cmp::Ordering {
        // SAFETY: S1; the head is never compared.
        let node_key = unsafe { Entry::from_ptr(node).internal_key() };
        self.order.compare(node_key, key)
    }

    /// From `from`, which is before `key`, to the last node before `key` on this level, and the one
    /// after it.
    #[inline]
    fn walk(&self, from: Node, level: usize, key: &[u8]) -> (Node, *mut u8) {
        let mut before = from;
        loop {
            // SAFETY: S1; `before` was reached on this level.
            let after = unsafe { link(before, level) }.load(Ordering::Acquire);
            match NonNull::new(after) {
                Some(node) if self.compare(node, key).is_lt() => before = node,
                _ => return (before, after),
            }
        }
    }

    fn find_splice(&self, key: &[u8], splice: &mut Splice) {
        let mut before = self.head;
        for level in (0..self.height.load(Ordering::Relaxed)).rev() {
            let (b, after) = self.walk(before, level, key);
            (splice.before[level], splice.after[level]) = (b, after);
            before = b;
        }
    }

    /// The last node before `key`, which may be the head, and the first that is not.
    #[inline]
    fn split_at(&self, key: &[u8]) -> (Node, *mut u8) {
        let mut before = self.head;
        let mut after = null_mut();
        // The first node not before `key` of the level above need not be compared again.
        let mut known: *mut u8 = null_mut();
        for level in (0..self.height.load(Ordering::Relaxed)).rev() {
            loop {
                // SAFETY: S1; `before` was reached on this level or one above.
                after = unsafe { link(before, level) }.load(Ordering::Acquire);
                match NonNull::new(after) {
                    Some(node) if after != known && self.compare(node, key).is_lt() => {
                        before = node;
                    }
                    _ => break,
                }
            }
            known = after;
        }
        (before, after)
    }

    fn seek_node(&self, key: &[u8]) -> *mut u8 {
        self.split_at(key).1
    }

    /// The last node, or the head.
    fn last(&self) -> Node {
        let mut before = self.head;
        for level in (0..self.height.load(Ordering::Relaxed)).rev() {
            loop {
                // SAFETY: S1.
                let after = unsafe { link(before, level) }.load(Ordering::Acquire);
                let Some(node) = NonNull::new(after) else { break };
                before = node;
            }
        }
        before
    }

    fn unless_head(&self, node: Node) -> *mut u8 {
        if node == self.head { null_mut() } else { node.as_ptr() }
    }
}

impl MemtableRep for SkipList {
    fn allocate(&self, arena: &Arena, size: usize) -> NonNull<u8> {
        self.allocate_node(arena, size)
    }
    fn insert(&self, _arena: &Arena, entry: Entry) {
        self.insert_node(entry);
    }
    fn visit_from(&self, target: &[u8], visit: &mut dyn FnMut(Entry) -> bool) {
        self.visit(target, visit);
    }
    fn cursor(&self, _total_order: bool) -> Box<dyn RepCursor + '_> {
        Box::new(self.iter())
    }
}

/// A position in a [`SkipList`]: a node, or null.
pub struct SkipListCursor<'a> {
    list: &'a SkipList,
    node: *mut u8,
}

// SAFETY: a cursor is a shared reference and a node of the list (S1), which any thread may read.
unsafe impl Send for SkipListCursor<'_> {}

impl RepCursor for SkipListCursor<'_> {
    #[inline]
    fn entry(&self) -> Option<Entry> {
        // SAFETY: S1.
        NonNull::new(self.node).map(|node| unsafe { Entry::from_ptr(node) })
    }
    fn seek_to_first(&mut self) {
        self.node = self.list.first();
    }
    fn seek_to_last(&mut self) {
        self.node = self.list.unless_head(self.list.last());
    }
    fn seek(&mut self, target: &[u8]) {
        self.node = self.list.seek_node(target);
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        let (before, after) = self.list.split_at(target);
        self.node = match NonNull::new(after) {
            Some(node) if self.list.compare(node, target).is_eq() => after,
            _ => self.list.unless_head(before),
        };
    }
    #[inline]
    fn next(&mut self) {
        if let Some(node) = NonNull::new(self.node) {
            // SAFETY: S1.
            self.node = unsafe { link(node, 0) }.load(Ordering::Acquire);
        }
    }
    fn prev(&mut self) {
        if let Some(entry) = self.entry() {
            // SAFETY: the list's entries outlive the cursor (R1).
            let key = unsafe { entry.internal_key() };
            self.node = self.list.unless_head(self.list.split_at(key).0);
        }
    }
}

/// A tower of null links with room for `size` bytes above it.
pub(super) fn new_tower(arena: &Arena, height: usize, size: usize) -> Node {
    let tower = height * size_of::<Link>();
    // SAFETY: inside or at the end of the piece.
    let node = unsafe { arena.allocate(tower + size).add(tower) };
    for level in 0..height {
        // SAFETY: `level < height` links below `node` belong to the new piece; the arena's
        // alignment is enough for a pointer.
        unsafe { link_ptr(node, level).write(Link::new(null_mut())) };
    }
    node
}

#[inline]
fn link_ptr(node: Node, level: usize) -> *mut Link {
    node.as_ptr().cast::<Link>().wrapping_sub(level + 1)
}

/// # Safety
/// `node` must be a live node with more than `level` links.
#[inline]
pub(super) unsafe fn link<'a>(node: Node, level: usize) -> &'a Link {
    // SAFETY: by contract; links are only used atomically.
    unsafe { &*link_ptr(node, level) }
}

#[cfg(test)]
#[path = "skiplist_test.rs"]
mod tests;
