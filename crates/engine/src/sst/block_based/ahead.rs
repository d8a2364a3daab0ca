//! Walks ahead of point lookups: asks for the cache lines that a lookup will read.
//!
//! A lookup in a cached table is four cache misses, each of which waits for the one before: filter,
//! slot, the block's object, entry. With many keys the misses of different keys can overlap, if each
//! step is taken for all keys before the next one begins. Here are the steps of one key. They only ask for
//! memory; the lookup that follows decides everything by itself, so nothing depends on them.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::block::Block;
use super::table::BlockBasedTable;
use crate::base::LookupKey;
use crate::base::key::trailer;
use crate::base::prefetch::prefetch_bytes;
use crate::cache::Node;
use crate::env::epoch::Guard;

/// How far the walk for one key in one table has come.
pub struct Ahead<'a> {
    table: &'a BlockBasedTable,
    key: &'a LookupKey,
    hash: u64,
    block: usize,
}

impl<'a> Ahead<'a> {
    /// Asks for the filter; `None` if the table's blocks are not cached.
    #[inline]
    pub fn begin(table: &'a BlockBasedTable, key: &'a LookupKey) -> Option<Ahead<'a>> {
        table.slots.as_ref()?;
        table.prefetch(key);
        let hash = key.hash();
        Some(Ahead { table, key, hash, block: 0 })
    }

    /// Finds the block and asks for its slot; false if the key is not in the table.
    #[inline]
    pub fn find_block(&mut self) -> bool {
        let (table, user_key) = (self.table, self.key.user_key());
        let t = trailer(self.key.internal_key());
        if !table.filter_allows(user_key, self.hash, t) {
            return false;
        }
        let t = if table.global_seqno.is_some() { u64::MAX } else { t };
        self.block = table.fences.find(&table.order, user_key, t);
        if let Some(slots) = &table.slots {
            slots.walk_ahead(self.block);
        }
        true
    }

    /// Asks for the block's object.
    #[inline]
    pub fn find_object(&self, guard: &Guard) {
        if let Some(node) = self.node(guard) {
            prefetch_bytes(std::ptr::from_ref(node).cast(), size_of::<Node<Block>>());
        }
    }

    /// Asks for the entry.
    #[inline]
    pub fn find_entry(&self, guard: &Guard) {
        let Some(node) = self.node(guard) else { return };
        if let Some(Some(tags)) = node.object().tags() {
            tags.walk_ahead(node.object().view(), self.hash);
        }
    }

    #[inline]
    fn node<'g>(&self, guard: &'g Guard) -> Option<&'g Node<Block>>
    where
        'a: 'g,
    {
        self.table.slots.as_ref()?.load(self.block, guard)
    }
}
