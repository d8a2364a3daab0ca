//! Cursors over the memtable's tree.
//!
//! On entering a leaf, a cursor makes a consistent copy of its entries and then moves within the
//! copy. It does not see entries added to that leaf later until it enters the leaf again: they are
//! newer than any reader's sequence number at the time of the copy.
//!
//! Leaves may split between two copies, so on entering the next leaf the cursor skips entries that
//! are not past the one it was on.

use super::arena::Arena;
use super::btree::{Arrival, BTree, internal_key};
use super::btree_node::NodeRef;
use super::btree_slot::{MAX_SLOTS, Word};
use super::entry::Entry;
use super::rep::{MemtableRep, RepCursor};
use crate::base::LookupKey;
use crate::base::prefetch::{LINE, prefetch, prefetch_bytes};

/// A position in a [`BTree`].
pub struct BTreeCursor<'a> {
    tree: &'a BTree,
    /// A copy of a leaf: the first `len` elements are in use.
    entries: [Option<Entry>; MAX_SLOTS],
    len: usize,
    /// The rank of the current entry; the cursor is invalid if this is not below `len`.
    at: usize,
    next: Option<NodeRef>,
}

// SAFETY: a shared reference to a `Sync` tree, copies of `Send` entries, and a node of that tree.
#[allow(unsafe_code)]
unsafe impl Send for BTreeCursor<'_> {}

impl<'a> BTreeCursor<'a> {
    pub(super) fn new(tree: &'a BTree) -> BTreeCursor<'a> {
        BTreeCursor { tree, entries: [None; MAX_SLOTS], len: 0, at: 0, next: None }
    }

    fn leave(&mut self) {
        (self.len, self.at, self.next) = (0, 0, None);
    }

    /// Copies a leaf and returns how many of its entries are less than the key, if one is given.
    fn copy(&mut self, leaf: Arrival, key: Option<&[u8]>) -> usize {
        let node = leaf.0;
        loop {
            let version = node.version();
            let permutation = node.permutation();
            let rank = key.map_or(0, |key| self.tree.rank(leaf, permutation, key, false));
            self.len = permutation.count();
            node.each_key(permutation, |rank, key| self.entries[rank] = Some(key));
            // Loaded after the permutation: a permutation with fewer ranks comes with the link to
            // the node that took the others.
            self.next = node.next();
            if node.unchanged_since(version) {
                return rank;
            }
        }
    }

    /// Enters leaves, starting at `leaf`, until one has an entry past `key`, or, with `or_equal`,
    /// an entry at or past it.
    fn enter(&mut self, leaf: Option<NodeRef>, key: &[u8], or_equal: bool) {
        let mut leaf = leaf;
        while let Some(node) = leaf {
            self.copy((node, false), None);
            self.prefetch_entries(node);
            for i in 0..self.len {
                let order = self.entries[i].map(|entry| self.tree.compare(entry, key));
                if order.is_some_and(|order| order.is_gt() || (or_equal && order.is_eq())) {
                    self.at = i;
                    return;
                }
            }
            leaf = self.next;
        }
        self.leave();
    }

    /// Prefetches the leaf's entries, all of which a scan reads, so that their cache misses
    /// overlap.
    fn prefetch_entries(&self, leaf: NodeRef) {
        for entry in self.entries[..self.len].iter().flatten() {
            prefetch(entry.as_ptr().as_ptr());
        }
        if let Some(next) = self.next {
            leaf.prefetch_neighbour(next);
        }
    }

    /// Prefetches the next leaf. The cursor calls this in the middle of a leaf, when it is likely
    /// to continue into the next one.
    #[inline]
    fn prefetch_next_leaf(&self) {
        let Some(next) = self.next else { return };
        let permutation = next.permutation();
        // Most entries extend into a second line.
        next.each_key(permutation, |_, key| prefetch_bytes(key.as_ptr().as_ptr(), 2 * LINE));
    }

    /// Moves to the last entry that is less than `key`.
    fn seek_before(&mut self, key: &[u8]) {
        let mut leaf = self.tree.descend(key, 0, true);
        loop {
            let rank = self.copy(leaf, Some(key));
            if rank == self.len && self.tree.is_past(leaf, key, true) {
                if let Some(next) = leaf.0.next() {
                    leaf = (next, false);
                }
                continue;
            }
            // Every leaf except the leftmost holds its low bound, which is less than `key`.
            match rank.checked_sub(1) {
                Some(rank) => self.at = rank,
                None => self.leave(),
            }
            return;
        }
    }
}

impl RepCursor for BTreeCursor<'_> {
    #[inline]
    fn entry(&self) -> Option<Entry> {
        if self.at < self.len { self.entries[self.at] } else { None }
    }

    fn seek_to_first(&mut self) {
        self.copy((self.tree.leftmost(), false), None);
        self.prefetch_entries(self.tree.leftmost());
        self.at = 0;
    }

    fn seek_to_last(&mut self) {
        let mut node = self.tree.root();
        loop {
            if let Some(next) = node.next() {
                node = next;
            } else if node.level > 0 {
                let version = node.version();
                let permutation = node.permutation();
                let child = node.child(permutation, permutation.count());
                if node.unchanged_since(version) {
                    node = child;
                }
            } else {
                self.copy((node, false), None);
                match self.next {
                    Some(next) => node = next,
                    None => break,
                }
            }
        }
        match self.len.checked_sub(1) {
            Some(last) => self.at = last,
            None => self.leave(),
        }
    }

    fn seek(&mut self, target: &[u8]) {
        let leaf = self.tree.descend(target, 0, false);
        self.at = self.copy(leaf, Some(target));
        if self.at == self.len {
            self.enter(self.next, target, true);
        }
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        self.seek(target);
        if !self.entry().is_some_and(|entry| self.tree.compare(entry, target).is_eq()) {
            self.seek_before(target);
        }
    }

    #[inline]
    fn next(&mut self) {
        if self.at + 1 < self.len {
            self.at += 1;
            if self.at == self.len / 2 {
                self.prefetch_next_leaf();
            }
        } else if let Some(entry) = self.entry() {
            self.enter(self.next, internal_key(&entry), false);
        }
    }

    fn prev(&mut self) {
        if self.at > 0 {
            self.at -= 1;
        } else if let Some(entry) = self.entry() {
            self.seek_before(internal_key(&entry));
        }
    }
}

impl BTree {
    /// Visits the entries in order, starting with the first one `>= target`, until `visit` returns
    /// false.
    #[inline]
    pub fn visit(&self, target: &[u8], visit: impl FnMut(Entry) -> bool) {
        self.visit_first(self.lower_bound(target), visit);
    }

    /// Does the same as [`BTree::visit`], beginning in a leaf from [`BTree::leaves`].
    #[inline]
    pub(super) fn visit_in(&self, leaf: Arrival, target: &[u8], visit: impl FnMut(Entry) -> bool) {
        self.visit_first(self.lower_bound_from(leaf, target), visit);
    }

    #[inline]
    fn visit_first(&self, first: Option<Entry>, mut visit: impl FnMut(Entry) -> bool) {
        let Some(first) = first else { return };
        if visit(first) {
            let mut cursor = self.iter();
            cursor.seek(internal_key(&first));
            cursor.next();
            while let Some(entry) = cursor.entry() {
                if !visit(entry) {
                    return;
                }
                cursor.next();
            }
        }
    }

    /// A cursor over the tree.
    pub fn iter(&self) -> BTreeCursor<'_> {
        BTreeCursor::new(self)
    }
}

impl MemtableRep for BTree {
    fn insert(&self, _arena: &Arena, entry: Entry) {
        self.add(entry);
    }
    fn visit_from(&self, key: &LookupKey, visit: &mut dyn FnMut(Entry) -> bool) {
        self.visit(key.internal_key(), visit);
    }
    fn cursor(&self, _total_order: bool) -> Box<dyn RepCursor + '_> {
        Box::new(self.iter())
    }
    fn outside_memory(&self) -> usize {
        self.nodes.used()
    }
    #[inline]
    fn outside_room(&self, entries: u64) -> usize {
        self.nodes.used().saturating_sub(entries as usize * size_of::<Word>())
    }
}
