//! The structure for `prefix_hash` and `hash_linkedlist`: a hash table of prefixes, with entries ordered only within a
//! prefix.
//!
//! A bucket holds the groups (prefixes) that hash to it in one sorted sequence: a chain while there are few nodes, a
//! skip list from then on. The lowest level of the skip list is the chain, so a full chain only gets a head with more
//! levels. RocksDB's two structures differ in when that happens. Here they do not differ, so one type serves both
//! names.
//!
//! ```text
//!   bucket -> node -> node -> null               node = tower of links | entry (see `tower`)
//!   bucket -> head: [3] ----------------> null
//!                   [1] ------> node ---> null
//!                   [0] node -> node -> node -> null
//! ```
//! A lookup reads the bucket, and a node if the bucket's filter admits the key: two cache misses, mostly one when the
//! key is absent. Each key without a prefix is a group of its own. Buckets have no order among each other, so a reader
//! that needs total order sorts all entries (`sorted`).
//!
//! Threads: the caller admits one writer at a time; readers need no lock. The module needs `unsafe` for the towers.
//! Invariants:
//! * **HM1** A bucket or a link points to a node or head of this structure, in the arena of its memtable (R1), whose
//!   entry and links were written before (Release store, Acquire load).
//! * **HM2** On each level of a bucket the entries ascend. A linked node stays linked.
//! * **HM3** A bucket that became a skip list stays one. Nodes that were in it as a chain are on its lowest level only,
//!   whatever the height of their tower.
//!
//! Tests: `hash_test.rs` (model, threads, Miri).

#![allow(unsafe_code)]

use super::arena::Arena;
use super::buckets::{Buckets, CHAIN_MAX, Content, filter_bit, filter_of, may_hold};
use super::entry::Entry;
use super::rep::{MemtableRep, RepCursor};
use super::sorted::{self, Sorted, SortedCursor};
use super::tower::{MAX_HEIGHT, Node, link, new_tower};
use crate::base::hash::hash64;
use crate::base::key::user_key;
use crate::base::prefetch::{LINE, prefetch, prefetch_bytes};
use crate::base::{KeyOrder, LookupKey};
use crate::env::sync::Mutex;
use crate::env::sync::std_atomic::{AtomicPtr, AtomicUsize, Ordering};
use crate::hooks::Grouping;
use std::cmp;
use std::ptr::{NonNull, null_mut};
use std::sync::Arc;

/// The number of bytes of a node that are prefetched: links, key and the beginning of the value.
const NODE_AHEAD: usize = 2 * LINE;

/// The shape of the structure.
#[derive(Clone, Copy, Debug)]
pub struct HashShape {
    /// The requested number of buckets.
    pub bucket_count: usize,
    /// The maximum height of a tower in a bucket.
    pub height: usize,
    /// One in `branching` towers is one level taller.
    pub branching: u32,
}

/// The structure.
pub struct HashRep {
    order: KeyOrder,
    grouping: Grouping,
    /// Whether filters hold hashes of user keys; otherwise they hold hashes of groups.
    keys_are_bytes: bool,
    buckets: Buckets,
    max_height: usize,
    branching_bits: u32,
    /// The number of completed inserts.
    count: AtomicUsize,
    /// All entries in order, as of the last request. It is current while its length equals `count`.
    sorted: Mutex<Sorted>,
}

impl HashRep {
    /// An empty structure. The buckets take at most a quarter of `write_buffer_size`: a memtable
    /// too small for its buckets would be full before the first entry.
    pub fn new(
        order: KeyOrder,
        grouping: Grouping,
        shape: HashShape,
        write_buffer_size: usize,
    ) -> HashRep {
        let most = write_buffer_size / 4 / size_of::<AtomicPtr<u8>>();
        let branching = shape.branching.clamp(2, 1 << 16).next_power_of_two();
        HashRep {
            keys_are_bytes: order.tells_bytes_apart(),
            order,
            grouping,
            buckets: Buckets::new(shape.bucket_count.min(most)),
            max_height: shape.height.clamp(1, MAX_HEIGHT),
            branching_bits: branching.trailing_zeros(),
            count: AtomicUsize::new(0),
            sorted: Mutex::new(Arc::new([])),
        }
    }

    /// Visits the entries of the key's bucket, starting with the first that is not before the key,
    /// until `visit` returns false. Visits none if the filter rules the key out.
    #[inline]
    pub fn visit(&self, key: &LookupKey, mut visit: impl FnMut(Entry) -> bool) {
        let group = self.grouping.hash(key);
        let word = self.buckets.at(group).load(Ordering::Acquire);
        if !may_hold(word, if self.keys_are_bytes { key.hash() } else { group }) {
            return;
        }
        let mut at = self.split(Content::of(word), key.internal_key()).1;
        while let Some(node) = NonNull::new(at) {
            // SAFETY: HM1.
            if !visit(unsafe { Entry::from_ptr(node) }) {
                return;
            }
            // SAFETY: HM1.
            at = unsafe { link(node, 0) }.load(Ordering::Acquire);
        }
    }

    /// Prefetches the key's bucket.
    #[inline]
    pub fn prefetch(&self, key: &LookupKey) {
        let bucket = self.buckets.at(self.grouping.hash(key));
        prefetch(std::ptr::from_ref(bucket).cast());
    }

    /// Prefetches what a seek to the target reads: in step 0 the bucket, in step 1 its first node.
    pub(super) fn walk_ahead(&self, target: &[u8], step: usize) {
        let user_key = user_key(target);
        if !self.grouping.has_prefix(user_key) {
            return;
        }
        let bucket = self.buckets.at(hash64(self.grouping.of(user_key)));
        if step == 0 {
            return prefetch(std::ptr::from_ref(bucket).cast());
        }
        if let Content::Chain(node, _) | Content::SkipList(node) =
            Content::of(bucket.load(Ordering::Acquire))
        {
            prefetch_bytes(node.as_ptr(), NODE_AHEAD);
        }
    }

    /// The order of a node's key and `key`.
    #[inline]
    fn compare(&self, node: Node, key: &[u8]) -> cmp::Ordering {
        // SAFETY: HM1; heads are never compared.
        self.order.compare(unsafe { Entry::from_ptr(node).internal_key() }, key)
    }

    /// The last node before `key` and the first that is not before it. The former is a head or null
    /// if no node precedes `key`.
    #[inline]
    fn split(&self, content: Content, key: &[u8]) -> (*mut u8, *mut u8) {
        let (mut before, mut after) = match content {
            Content::Empty => return (null_mut(), null_mut()),
            Content::Chain(first, _) => (null_mut(), first.as_ptr()),
            Content::SkipList(head) => {
                let mut before = head;
                for level in (1..self.max_height).rev() {
                    before = self.walk(before, level, key).0;
                }
                // SAFETY: HM1.
                (before.as_ptr(), unsafe { link(before, 0) }.load(Ordering::Acquire))
            }
        };
        while let Some(node) = NonNull::new(after) {
            if !self.compare(node, key).is_lt() {
                break;
            }
            before = after;
            // SAFETY: HM1.
            after = unsafe { link(node, 0) }.load(Ordering::Acquire);
        }
        (before, after)
    }

    /// Walks on this level from `from`, which is before `key`. Returns the last node before `key`
    /// and the one after it.
    #[inline]
    fn walk(&self, from: Node, level: usize, key: &[u8]) -> (Node, *mut u8) {
        let mut before = from;
        loop {
            // SAFETY: HM1; `before` was reached on this level.
            let after = unsafe { link(before, level) }.load(Ordering::Acquire);
            match NonNull::new(after) {
                Some(node) if self.compare(node, key).is_lt() => before = node,
                _ => return (before, after),
            }
        }
    }

    /// Counts a completed insert. There is one writer, so a plain store is enough.
    fn count_insert(&self) {
        self.count.store(self.count.load(Ordering::Relaxed) + 1, Ordering::Release);
    }

    fn insert_in_chain(
        &self,
        bucket: &AtomicPtr<u8>,
        content: Content,
        filter: usize,
        node: Node,
        key: &[u8],
    ) {
        let (before, after) = self.split(content, key);
        // SAFETY: the node is not shared until it is linked.
        unsafe { link(node, 0) }.store(after, Ordering::Relaxed);
        let (first, count) = match content {
            Content::Chain(first, count) => (first, count),
            _ => (node, 0),
        };
        let first = match NonNull::new(before) {
            Some(before) => {
                // SAFETY: HM1.
                unsafe { link(before, 0) }.store(node.as_ptr(), Ordering::Release);
                first
            }
            None => node,
        };
        bucket.store(Content::Chain(first, count + 1).word(filter), Ordering::Release);
    }

    /// Turns a chain into a skip list.
    fn give_head(&self, arena: &Arena, first: Node) -> Node {
        let head = new_tower(arena, self.max_height, 0);
        // SAFETY: a new head has all levels and is not shared yet.
        unsafe { link(head, 0) }.store(first.as_ptr(), Ordering::Relaxed);
        head
    }

    fn insert_in_list(&self, head: Node, node: Node, height: usize, key: &[u8]) {
        let mut splice = [(head, null_mut()); MAX_HEIGHT];
        let mut before = head;
        for level in (0..self.max_height).rev() {
            splice[level] = self.walk(before, level, key);
            before = splice[level].0;
        }
        for (level, (before, after)) in splice.into_iter().enumerate().take(height) {
            // SAFETY: `node` has `height` links; HM1 for `before`. There is no other writer, so the
            // position is still right.
            unsafe {
                link(node, level).store(after, Ordering::Relaxed);
                link(before, level).store(node.as_ptr(), Ordering::Release);
            }
        }
    }

    /// All current entries, in order.
    fn sorted(&self) -> Sorted {
        let before = self.count.load(Ordering::Acquire);
        let last = Sorted::clone(&self.sorted.lock());
        if last.len() == before {
            return last;
        }
        let sorted = self.sort();
        // Keep only a list of exactly the counted entries: a list made during inserts may contain a
        // later entry and lack an earlier one.
        if sorted.len() == before && self.count.load(Ordering::Acquire) == before {
            *self.sorted.lock() = Sorted::clone(&sorted);
        }
        sorted
    }

    fn sort(&self) -> Sorted {
        let mut entries = Vec::new();
        for bucket in self.buckets.all() {
            let mut at = match Content::of(bucket.load(Ordering::Acquire)) {
                Content::Empty => continue,
                Content::Chain(first, _) => first.as_ptr(),
                // SAFETY: HM1.
                Content::SkipList(head) => unsafe { link(head, 0) }.load(Ordering::Acquire),
            };
            while let Some(node) = NonNull::new(at) {
                // SAFETY: HM1.
                unsafe {
                    entries.push(Entry::from_ptr(node));
                    at = link(node, 0).load(Ordering::Acquire);
                }
            }
        }
        sorted::sort(&self.order, entries)
    }
}

impl MemtableRep for HashRep {
    fn allocate(&self, arena: &Arena, size: usize) -> NonNull<u8> {
        let mut random = crate::env::random::bits();
        let mut height = 1;
        while height < self.max_height && random & ((1 << self.branching_bits) - 1) == 0 {
            height += 1;
            random >>= self.branching_bits;
        }
        let node = new_tower(arena, height, size);
        // The bottom link stores the height until `insert` overwrites it.
        // SAFETY: a new node has at least one link and is not shared yet.
        unsafe { link(node, 0) }.store(std::ptr::without_provenance_mut(height), Ordering::Relaxed);
        node
    }

    fn insert(&self, arena: &Arena, entry: Entry) {
        let node = entry.as_ptr();
        // SAFETY: `allocate` stored the height here; the caller's entry is alive (R1).
        let (height, key) =
            unsafe { (link(node, 0).load(Ordering::Relaxed).addr(), entry.internal_key()) };
        let user_key = user_key(key);
        let group = hash64(self.grouping.of(user_key));
        let bucket = self.buckets.at(group);
        let word = bucket.load(Ordering::Relaxed); // Only writers change it, one at a time.
        let known = if self.keys_are_bytes { hash64(user_key) } else { group };
        let filter = filter_of(word) | filter_bit(known);
        let head = match Content::of(word) {
            Content::Chain(first, CHAIN_MAX) => self.give_head(arena, first),
            Content::SkipList(head) => head,
            content => {
                self.insert_in_chain(bucket, content, filter, node, key);
                return self.count_insert();
            }
        };
        self.insert_in_list(head, node, height, key);
        // Stored last, so that a reader that sees the filter's bit also finds the entry.
        let new_word = Content::SkipList(head).word(filter);
        if new_word != word {
            bucket.store(new_word, Ordering::Release);
        }
        self.count_insert();
    }

    fn visit_from(&self, key: &LookupKey, visit: &mut dyn FnMut(Entry) -> bool) {
        self.visit(key, visit);
    }

    fn cursor(&self, total_order: bool) -> Box<dyn RepCursor + '_> {
        Box::new(HashCursor { rep: self, total_order, place: Position::Nowhere, group: Vec::new() })
    }

    fn outside_memory(&self) -> usize {
        self.buckets.memory()
    }
}

/// A position in a [`HashRep`]. A seek to a key with a prefix stays inside that prefix unless total order was
/// requested. With total order, and for a target without a prefix, all entries are sorted once. Without total order
/// there is no first and no last entry, as in RocksDB, and programs rely on that.
struct HashCursor<'a> {
    rep: &'a HashRep,
    total_order: bool,
    place: Position<'a>,
    /// The prefix that `Position::InBucket` stays in.
    group: Vec<u8>,
}

enum Position<'a> {
    Nowhere,
    /// The node may be null.
    InBucket(&'a AtomicPtr<u8>, *mut u8),
    InAll(SortedCursor),
}

// SAFETY: the cursor holds shared references and a node of the structure (HM1), which any thread
// may read.
unsafe impl Send for HashCursor<'_> {}

impl<'a> HashCursor<'a> {
    fn all(&mut self) -> &mut SortedCursor {
        if !matches!(self.place, Position::InAll(_)) {
            let entries = self.rep.sorted();
            self.place = Position::InAll(SortedCursor::new(self.rep.order.clone(), entries));
        }
        match &mut self.place {
            Position::InAll(cursor) => cursor,
            _ => unreachable!("the place was set above"),
        }
    }

    /// Whether the cursor has a first and a last entry; it has none if iteration stays within
    /// prefixes.
    fn has_ends(&self) -> bool {
        self.total_order || matches!(self.rep.grouping, Grouping::WholeKey)
    }

    /// The bucket that a seek to `target` stays in.
    fn bucket_of(&mut self, target: &[u8]) -> Option<&'a AtomicPtr<u8>> {
        let target = user_key(target);
        if self.total_order || !self.rep.grouping.has_prefix(target) {
            return None;
        }
        let group = self.rep.grouping.of(target);
        self.group.clear();
        self.group.extend_from_slice(group);
        Some(self.rep.buckets.at(hash64(group)))
    }

    /// Moves to `node` of the bucket if it belongs to the group.
    fn stand(&mut self, bucket: &'a AtomicPtr<u8>, node: *mut u8) {
        let inside = NonNull::new(node).filter(|&node| {
            // SAFETY: HM1.
            let (key, after) = unsafe { (Entry::from_ptr(node).internal_key(), link(node, 0)) };
            prefetch_bytes(after.load(Ordering::Relaxed), NODE_AHEAD);
            self.rep.grouping.of(user_key(key)) == self.group
        });
        self.place = Position::InBucket(bucket, inside.map_or(null_mut(), NonNull::as_ptr));
    }

    /// The node before the first one that is not before `key`, or null.
    fn node_before(&self, content: Content, key: &[u8]) -> *mut u8 {
        let before = self.rep.split(content, key).0;
        match content {
            Content::SkipList(head) if head.as_ptr() == before => null_mut(),
            _ => before,
        }
    }
}

impl RepCursor for HashCursor<'_> {
    fn release(&mut self) -> bool {
        self.place = Position::Nowhere;
        true
    }

    fn entry(&self) -> Option<Entry> {
        match &self.place {
            Position::Nowhere => None,
            Position::InBucket(_, node) => {
                // SAFETY: HM1.
                NonNull::new(*node).map(|n| unsafe { Entry::from_ptr(n) })
            }
            Position::InAll(cursor) => cursor.entry(),
        }
    }

    fn seek_to_first(&mut self) {
        if self.has_ends() {
            self.all().seek_to_first();
        } else {
            self.place = Position::Nowhere;
        }
    }

    fn seek_to_last(&mut self) {
        if self.has_ends() {
            self.all().seek_to_last();
        } else {
            self.place = Position::Nowhere;
        }
    }

    fn seek(&mut self, target: &[u8]) {
        let Some(bucket) = self.bucket_of(target) else { return self.all().seek(target) };
        let content = Content::of(bucket.load(Ordering::Acquire));
        let node = self.rep.split(content, target).1;
        self.stand(bucket, node);
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        let Some(bucket) = self.bucket_of(target) else { return self.all().seek_for_prev(target) };
        let content = Content::of(bucket.load(Ordering::Acquire));
        let after = self.rep.split(content, target).1;
        let node = match NonNull::new(after) {
            Some(node) if self.rep.compare(node, target).is_eq() => after,
            _ => self.node_before(content, target),
        };
        self.stand(bucket, node);
    }

    fn next(&mut self) {
        match &mut self.place {
            Position::Nowhere => {}
            Position::InBucket(bucket, node) => {
                let bucket = *bucket;
                if let Some(node) = NonNull::new(*node) {
                    // SAFETY: HM1.
                    let next = unsafe { link(node, 0) }.load(Ordering::Acquire);
                    self.stand(bucket, next);
                }
            }
            Position::InAll(cursor) => cursor.next(),
        }
    }

    fn prev(&mut self) {
        match &mut self.place {
            Position::Nowhere => {}
            Position::InBucket(bucket, node) => {
                let bucket = *bucket;
                if let Some(node) = NonNull::new(*node) {
                    // SAFETY: HM1.
                    let key = unsafe { Entry::from_ptr(node).internal_key() };
                    let content = Content::of(bucket.load(Ordering::Acquire));
                    let before = self.node_before(content, key);
                    self.stand(bucket, before);
                }
            }
            Position::InAll(cursor) => cursor.prev(),
        }
    }
}

#[cfg(test)]
#[path = "hash_test.rs"]
mod tests;
