//! Blocks that lookups of several keys wait for, and that are read at the same time.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::block::Block;
use super::counting::{BlockKind, count_read};
use super::parts::Parts;
use super::table::{BlockBasedTable, Lookup, NodePin};
use super::view::Found;
use crate::base::LookupKey;
use crate::base::key::trailer;
use crate::cache::{Held, Memory};
use crate::env::ahead::Ahead;
use crate::env::io_pool;
use crate::error::Result;
use crate::iter::GetContext;
use crate::options::ReadOptions;
use crate::sst::BlockAccess;

/// A block that a lookup needs, and that is not in the cache.
#[derive(Clone, Copy)]
pub struct Missing<'a> {
    pub(super) table: &'a BlockBasedTable,
    pub(super) parts: &'a Parts,
    pub(super) i: usize,
}

impl Missing<'_> {
    /// Whether both are the same block.
    pub fn is_same(&self, other: &Missing<'_>) -> bool {
        std::ptr::eq(self.table, other.table) && self.i == other.i
    }

    /// Whether the block is read past the page cache.
    pub fn is_direct(&self) -> bool {
        self.table.source.is_direct()
    }

    /// Whether reading the block would wait for a device, as far as the system can tell.
    pub fn would_wait(&self) -> bool {
        let handle = self.parts.fences.handle(self.i);
        handle.is_some_and(|handle| self.table.source.would_wait(handle))
    }

    /// Announces that the block will be read, so that the system begins to read it into the page cache.
    pub fn announce(&self) {
        if let Some(handle) = self.parts.fences.handle(self.i) {
            self.table.source.will_read(handle);
        }
    }

    /// Begins to read the block on another thread.
    pub fn begin(&self) -> Option<Ahead<Memory>> {
        let handle = self.parts.fences.handle(self.i)?;
        Some(io_pool::start(self.table.source.read_later(handle)?))
    }

    /// Reads the block, or takes it from this memory, and adds it to the cache if the options allow that.
    pub fn load(&self, ro: &ReadOptions, memory: Option<Memory>) -> Result<Held<Block>> {
        let (table, access) = (self.table, BlockAccess::of(ro));
        let Some(memory) = memory else {
            return table.load(self.parts, self.i, access, None, None);
        };
        let handle = self.parts.fences.handle(self.i).unwrap_or_default();
        table.count_not_cached(self.parts);
        let _timers = count_read(&table.statistics, BlockKind::Data, handle);
        let block = table.source.unpack_data(memory, handle, table.dictionary.as_ref())?;
        table.keep(self.parts, self.i, access, None, block)
    }

    /// Completes the lookup of `key` in its block, and in later ones if necessary.
    pub fn settle(
        &self,
        block: &Held<Block>,
        key: &LookupKey<'_>,
        ro: &ReadOptions,
        ctx: &mut GetContext<'_>,
    ) -> Result<()> {
        let (table, parts) = (self.table, self.parts);
        let t = trailer(key.internal_key());
        let max_trailer = if table.global_seqno.is_some() { u64::MAX } else { t };
        let lookup = Lookup::new(key.user_key(), key.hash(), t >> 8, max_trailer);
        if table.statistics.is_some() {
            table.count_filter(true, ctx);
        }
        let found = table.search(block.object(), None, &lookup, ctx, &NodePin(block));
        let found = found.map_err(|e| table.in_block(self.i, e))?;
        if found != Found::Finished && !parts.fences.keys_stay_in_one_block() {
            table.get_from(parts, self.i + 1, &lookup, ro, ctx)?;
        }
        if table.statistics.is_some() {
            table.count_outcome(&parts.filter, ctx);
        }
        Ok(())
    }
}
