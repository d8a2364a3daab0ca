//! Staged lookups in a block-based table; see [`crate::sst::Staged`].
//!
//! A lookup in a cached table has four consecutive cache misses: filter, slot, the block's object and entry; in a large
//! table the index adds a fifth. Only lookups that lead directly to an entry of a cached block run in stages; all
//! others end in [`BlockBasedTable::get`].

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::block::Block;
use super::counting::count_hit;
use super::fences::Search;
use super::fingerprints::{Candidates, Fingerprints};
use super::missing::Missing;
use super::parts::Parts;
use super::table::{BlockBasedTable, SlotPin};
use crate::base::LookupKey;
use crate::base::key::trailer;
use crate::base::prefetch::prefetch_bytes;
use crate::cache::{Node, SlotArray};
use crate::env::epoch::Guard;
use crate::error::Result;
use crate::iter::GetContext;
use crate::options::ReadOptions;

/// A staged lookup in a table.
pub struct Staged<'a> {
    table: &'a BlockBasedTable,
    parts: &'a Parts,
    slots: &'a SlotArray<Block>,
    key: &'a LookupKey<'a>,
    /// Entries with larger trailers are too new to be visible.
    max_trailer: u64,
    search: Search,
    block: usize,
    node: Option<&'a Node<Block>>,
    found: Option<(&'a Fingerprints, Candidates)>,
}

impl<'a> Staged<'a> {
    /// Prefetches the filter. Returns `None` if the table's parts are not loaded yet, if blocks are not cached or have
    /// no fingerprints, or if something other than an entry may decide the lookup.
    #[inline]
    pub fn begin(table: &'a BlockBasedTable, key: &'a LookupKey<'a>) -> Option<Staged<'a>> {
        let parts = table.parts.ready()?;
        let slots = parts.slots.as_deref()?;
        if !table.fingerprints || table.has_range_tombstones {
            return None;
        }
        table.prefetch(key);
        // Entries of an ingested file have a stored sequence number of 0 and an effective one of
        // `global_seqno`.
        let t = trailer(key.internal_key());
        let max_trailer = if table.global_seqno.is_some() { u64::MAX } else { t };
        let (search, block, node, found) = (Search::default(), 0, None, None);
        Some(Staged { table, parts, slots, key, max_trailer, search, block, node, found })
    }

    /// Checks the filter, and begins the search in the index.
    #[inline]
    pub fn passes_filter(&mut self) -> bool {
        let (table, user_key) = (self.table, self.key.user_key());
        let t = trailer(self.key.internal_key());
        if !table.filter_allows(&self.parts.filter, user_key, self.key.hash(), t) {
            return false;
        }
        self.search = self.parts.fences.begin(&table.order, user_key, self.max_trailer);
        true
    }

    /// The table, if it has statistics: a lookup that the filter ended is counted when it settles.
    #[inline]
    pub fn counting_table(&self) -> Option<&'a BlockBasedTable> {
        self.table.statistics.is_some().then_some(self.table)
    }

    /// Descends one level in the index.
    #[inline]
    pub fn descend(&mut self) -> bool {
        self.parts.fences.descend(&mut self.search)
    }

    /// Determines the block and prefetches its slot.
    #[inline]
    pub fn ask_slot(&mut self) {
        let (table, user_key) = (self.table, self.key.user_key());
        let fences = &self.parts.fences;
        self.block = fences.end(&table.order, user_key, self.max_trailer, &self.search);
        self.slots.prefetch(self.block);
    }

    /// Prefetches the block's object.
    #[inline]
    pub fn ask_block(&mut self, guard: &'a Guard) {
        self.node = self.slots.load(self.block, guard);
        if let Some(node) = self.node {
            prefetch_bytes(std::ptr::from_ref(node).cast(), size_of::<Node<Block>>());
        }
    }

    /// Matches the fingerprints and prefetches entries that may have the key.
    #[inline]
    pub fn ask_entry(&mut self) {
        let Some(node) = self.node else { return };
        if let Some(Some(fingerprints)) = node.object().fingerprints() {
            self.found = Some((
                fingerprints,
                fingerprints.ask_candidates(node.object().view(), self.key.hash()),
            ));
        }
    }

    /// The block of the lookup if it is not in the cache. Call it after [`Staged::ask_block`].
    pub fn missing(&self) -> Option<Missing<'a>> {
        let exists = self.node.is_none() && self.block < self.parts.fences.len();
        exists.then_some(Missing { table: self.table, parts: self.parts, i: self.block })
    }

    /// Completes the lookup like [`BlockBasedTable::get`].
    #[inline]
    pub fn settle(&self, ro: &ReadOptions, ctx: &mut GetContext) -> Result<()> {
        let (Some(node), Some((fingerprints, from))) = (self.node, self.found) else {
            return self.table.get(self.key, ro, ctx);
        };
        node.touch();
        if self.table.statistics.is_some() {
            return self.settle_counted(node.object(), fingerprints, from, ctx);
        }
        self.settle_in(node.object(), fingerprints, from, ctx)
    }

    #[inline(always)]
    fn settle_in(
        &self,
        block: &Block,
        fingerprints: &Fingerprints,
        from: Candidates,
        ctx: &mut GetContext,
    ) -> Result<()> {
        let (table, at) = (self.table, self.key.sequence());
        let pin = SlotPin { slots: self.slots, i: self.block };
        let (view, hash, user_key) = (block.view(), self.key.hash(), self.key.user_key());
        let visit = |t: u64, value: &[u8]| table.save(at, t, value, ctx, &pin);
        match fingerprints.find_from(from, view, hash, user_key, self.max_trailer, visit) {
            Ok(_) => Ok(()),
            Err(e) => Err(table.in_block(self.block, e)),
        }
    }

    /// The same with statistics: counts what [`BlockBasedTable::get`] counts.
    #[cold]
    #[inline(never)]
    fn settle_counted(
        &self,
        block: &Block,
        fingerprints: &Fingerprints,
        from: Candidates,
        ctx: &mut GetContext,
    ) -> Result<()> {
        let table = self.table;
        table.count_filter(true, ctx);
        if let Some(stats) = &table.statistics {
            count_hit(stats, block);
        }
        if let Some(cached) = &table.cached {
            cached.count_dictionary_use(&table.statistics);
        }
        self.settle_in(block, fingerprints, from, ctx)?;
        table.count_outcome(&self.parts.filter, ctx);
        Ok(())
    }
}

impl BlockBasedTable {
    /// Counts a staged lookup that the filter ended.
    #[cold]
    pub fn count_rejected(&self, ctx: &mut GetContext) {
        self.count_filter(false, ctx);
    }

    pub(super) fn count_filter(&self, allowed: bool, ctx: &mut GetContext) {
        if let Some(cached) = &self.cached {
            cached.count_filter_use(&self.statistics);
        }
        if let Some(parts) = self.parts.ready() {
            self.count_filter_answer(&parts.filter, allowed);
        }
        ctx.forget_seen();
    }
}
