//! Additions and lookups of many keys, whose cache misses overlap.
//!
//! A descent through a tree waits for one cache miss per level. Here the descents of all keys advance together, one
//! level at a time, so that the misses of a level are waited for once.

use super::btree::{BTree, internal_key};
use super::entry::Entry;
use super::kinds::Rep;
use super::memtable::MemTable;
use crate::base::hash::hash64;
use crate::base::key::{TRAILER_SIZE, user_key};
use crate::base::{LookupKey, SeqNo, ValueType};
use crate::iter::GetContext;
use smallvec::SmallVec;

/// The keys of a lookup that need no allocation.
const MANY: usize = 32;
/// The entries that are added together.
const TOGETHER: usize = 16;
/// With fewer entries there is too little to overlap.
const WORTHWHILE: usize = 4;
/// Up to this size in bytes, the nodes of a tree are mostly in the caches of a core.
const CACHED_BYTES: usize = 256 << 10;

impl MemTable {
    /// Does the same as [`MemTable::get`] for each key whose lookup is not complete. The cache misses of the keys
    /// overlap.
    pub fn get_many(&self, keys: &[LookupKey], contexts: &mut [GetContext<'_>]) {
        if self.is_empty() {
            return;
        }
        let open = contexts.iter_mut().zip(keys).filter(|(ctx, _)| !ctx.is_done());
        let Rep::BTree(tree) = self.rep() else {
            return open.for_each(|(ctx, key)| _ = self.get(key, ctx));
        };
        if self.num_range_deletes() != 0 {
            return open.for_each(|(ctx, key)| _ = self.get(key, ctx));
        }
        let may_contain = |key: &LookupKey| self.bloom().is_none_or(|b| b.may_contain(key));
        let mut found: SmallVec<[_; MANY]> = open.filter(|(_, key)| may_contain(key)).collect();
        let leaves = BTree::leaves(found.iter().map(|(_, key)| (tree, key.internal_key())));
        let mut copy = Vec::new();
        for ((ctx, key), leaf) in found.iter_mut().zip(leaves) {
            tree.visit_in(leaf, key.internal_key(), |entry| {
                self.save(entry, key.user_key(), &mut copy, ctx)
            });
        }
    }
}

/// Additions to memtables. They are in their memtables when [`finish`](Additions::finish) returns, some of them before;
/// what is dropped without it may be missing.
#[derive(Default)]
pub struct Additions<'m> {
    pending: SmallVec<[Pending<'m>; TOGETHER]>,
}

/// An entry that is written but that nothing finds yet.
struct Pending<'m> {
    memtable: &'m MemTable,
    tree: &'m BTree,
    entry: Entry,
    seq: SeqNo,
    kind: ValueType,
    /// The user key's [`hash64`], if there is a filter.
    hash: u64,
    /// The size of the internal key and the value.
    bytes: u64,
}

impl<'m> Additions<'m> {
    /// Does what [`MemTable::add`] does, now or later. The memtable must not update in place: a put would not find what
    /// is still pending, and overwrite an older value that the pending entry hides.
    #[inline]
    pub fn add(
        &mut self,
        memtable: &'m MemTable,
        seq: SeqNo,
        kind: ValueType,
        user_key: &[u8],
        value: &[u8],
    ) {
        debug_assert!(!memtable.updates_in_place(), "expected no updates in place");
        let Rep::BTree(tree) = memtable.rep() else {
            return memtable.add(seq, kind, user_key, value);
        };
        let entry = memtable.write(seq, kind, user_key, value);
        let mut hash = 0;
        if let Some(bloom) = memtable.bloom() {
            hash = hash64(user_key);
            bloom.prefetch_hash(hash);
        }
        let bytes = (user_key.len() + TRAILER_SIZE + value.len()) as u64;
        self.pending.push(Pending { memtable, tree, entry, seq, kind, hash, bytes });
        if self.pending.len() == TOGETHER {
            self.finish();
        }
    }

    /// Does what is left of all additions.
    pub fn finish(&mut self) {
        // Before the entries are found: a filter never hides an entry.
        for Pending { memtable, entry, hash, .. } in &self.pending {
            if let Some(bloom) = memtable.bloom() {
                bloom.add_hashed(user_key(internal_key(entry)), *hash);
            }
        }
        if self.is_worthwhile() {
            let targets = self.pending.iter().map(|one| (one.tree, internal_key(&one.entry)));
            for (one, leaf) in self.pending.iter().zip(BTree::leaves(targets)) {
                one.tree.add_in(leaf, one.entry);
            }
        } else {
            self.pending.iter().for_each(|one| one.tree.add(one.entry));
        }
        for Pending { memtable, seq, kind, bytes, .. } in self.pending.drain(..) {
            memtable.count(seq, kind, bytes);
        }
    }

    /// Returns whether descents would wait for caches. Ascending keys need no descents.
    fn is_worthwhile(&self) -> bool {
        self.pending.len() >= WORTHWHILE
            && self.pending.first().is_some_and(|first| {
                first.tree.size() > CACHED_BYTES && !first.tree.is_near_the_end(first.entry)
            })
    }
}

#[cfg(all(test, not(loom)))]
#[path = "many_test.rs"]
mod tests;
