//! Loading of data blocks: from the slot in the cache, or from the file.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::block::Block;
use super::counting::{BlockKind, count_added, count_hit, count_miss, count_read, perf_hit};
use super::parts::Parts;
use super::raw_block::{SpareMemory, plain_block};
use super::readahead::Readahead;
use super::source::{BlockInBuffer, Scanned};
use super::table::BlockBasedTable;
use crate::base::perf::{PerfMetric, PerfTimer};
use crate::cache::{Held, SlotArray};
use crate::env::epoch;
use crate::error::Result;
use crate::sst::format::{BLOCK_TRAILER_SIZE, BlockHandle};
use crate::sst::{BlockAccess, ScanEnd};
use crate::stats::{self, Activity, Statistics, Ticker, busy_unless_known};

/// A block that was loaded for a scan.
pub(super) enum Loaded {
    /// A block in memory of its own, or in the cache.
    Held(Held<Block>),
    /// A block in the buffer of the scan.
    InBuffer(BlockInBuffer),
}

impl BlockBasedTable {
    /// Loads block `i` from its slot or from the file. A block that is not cached is put into the memory of `left`, a
    /// block that the caller has left, if nothing else uses it.
    pub(super) fn load(
        &self,
        parts: &Parts,
        i: usize,
        access: BlockAccess,
        mut readahead: Option<(&mut Readahead, &ScanEnd)>,
        mut left: Option<Held<Block>>,
    ) -> Result<Held<Block>> {
        let _timer = PerfTimer::start(PerfMetric::NewTableBlockIterNanos);
        if let Some(node) = self.cached_block(parts, i) {
            return Ok(node);
        }
        access.check()?;
        let handle = parts.fences.handle(i).unwrap_or_default();
        let recycles = access.fill_cache && self.source.wants_memory();
        let slots = parts.slots.as_ref().filter(|_| recycles);
        let mut evicted = None;
        let mut spare = |len: usize| {
            evicted = match slots {
                Some(slots) => slots.spare(|block| block.suits(len)),
                None => left.take(),
            };
            evicted.as_mut().and_then(Held::get_mut).and_then(|block| block.take_memory(len))
        };
        if let Some((readahead, scan_end)) = &mut readahead {
            self.limit_readahead(parts, i, readahead, scan_end);
        }
        let readahead = readahead.map(|(readahead, _)| readahead);
        let block = self.read_block(handle, readahead, &mut spare)?;
        self.keep(parts, i, access, evicted, block)
    }

    /// Loads block `i` for a scan whose blocks are not cached. A block that is stored as it is stays in the buffer of
    /// `readahead`, where it costs no copy.
    pub(super) fn load_scanned(
        &self,
        parts: &Parts,
        i: usize,
        access: BlockAccess,
        (readahead, scan_end): (&mut Readahead, &ScanEnd),
        mut left: Option<Held<Block>>,
    ) -> Result<Loaded> {
        if !self.source.wants_memory() {
            let readahead = Some((readahead, scan_end));
            return self.load(parts, i, access, readahead, left).map(Loaded::Held);
        }
        let handle = parts.fences.handle(i).unwrap_or_default();
        // A cached block saves reading and unpacking, but there is nothing to save if the window has it as it is used.
        let len = handle.size as usize + BLOCK_TRAILER_SIZE;
        if plain_block(readahead.bytes(handle.offset, len)).is_none() {
            if let Some(node) = self.cached_block(parts, i) {
                return Ok(Loaded::Held(node));
            }
        } else if parts.slots.as_ref().is_some_and(|slots| slots.load(i, &epoch::pin()).is_none()) {
            self.count_not_cached(parts);
        }
        access.check()?;
        self.limit_readahead(parts, i, readahead, scan_end);
        let _timers = count_read(&self.statistics, BlockKind::Data, handle);
        let mut evicted = None;
        let mut spare = |len: usize| {
            evicted = left.take();
            evicted.as_mut().and_then(Held::get_mut).and_then(|block| block.take_memory(len))
        };
        let dictionary = self.dictionary.as_ref();
        match self.source.read_scanned(handle, dictionary, readahead, &mut spare)? {
            Scanned::InBuffer(block) => Ok(Loaded::InBuffer(block)),
            Scanned::Unpacked(block) => {
                self.keep(parts, i, access, evicted, block).map(Loaded::Held)
            }
        }
    }

    /// Block `i` if it is cached. Counts the attempt.
    #[inline]
    fn cached_block(&self, parts: &Parts, i: usize) -> Option<Held<Block>> {
        let Some(node) = parts.slots.as_ref()?.hold(i) else {
            self.count_not_cached(parts);
            return None;
        };
        if let Some(cached) = &self.cached {
            cached.count_dictionary_use(&self.statistics);
        }
        perf_hit(node.object());
        if let Some(stats) = &self.statistics {
            count_hit(stats, node.object());
        }
        Some(node)
    }

    /// Counts a data block that was not in the cache, if blocks are cached.
    #[inline]
    pub(super) fn count_not_cached(&self, parts: &Parts) {
        if parts.slots.is_some() {
            if let Some(cached) = &self.cached {
                cached.count_dictionary_use(&self.statistics);
            }
            count_miss(&self.statistics);
        }
    }

    /// Adds block `i`, which was read from the file, to the cache if `access` allows that. Reuses the object of
    /// `spare`.
    pub(super) fn keep(
        &self,
        parts: &Parts,
        i: usize,
        access: BlockAccess,
        spare: Option<Held<Block>>,
        block: Block,
    ) -> Result<Held<Block>> {
        let block = block.with_marks(parts.fences.common());
        match &parts.slots {
            Some(slots) if access.fill_cache => {
                let charge = block.charge();
                let node = Held::new_in(spare, block);
                match &self.statistics {
                    None => slots.insert_node(i, node, charge),
                    Some(stats) => insert_counted(stats, slots, i, node, charge),
                }
            }
            _ => Ok(Held::new_in(spare, block)),
        }
    }

    /// Limits what is read ahead together with block `i`: to data blocks, and if the scan has an end, to those before
    /// it, without cached blocks at the end.
    fn limit_readahead(&self, parts: &Parts, i: usize, readahead: &mut Readahead, end: &ScanEnd) {
        let fences = &parts.fences;
        let handle = |i| fences.handle(i).unwrap_or_default();
        let end_of = |i| handle(i).end().unwrap_or_default();
        if readahead.has(handle(i).offset, handle(i).size as usize + BLOCK_TRAILER_SIZE) {
            return;
        }
        let data_end = end_of(fences.len().saturating_sub(1));
        let reach = readahead.reach(handle(i).offset).min(data_end);
        let last = end.with(|upper| fences.find(&self.order, upper, u64::MAX));
        let Some(last) = last.filter(|_| reach > end_of(i)) else {
            return readahead.set_limit(data_end);
        };
        let guard = epoch::pin();
        let mut limit = end_of(i);
        for next in i + 1..=last.min(fences.len().saturating_sub(1)) {
            if handle(next).offset >= reach {
                break;
            }
            if parts.slots.as_ref().is_none_or(|slots| slots.load(next, &guard).is_none()) {
                limit = end_of(next);
            }
        }
        if limit < reach {
            stats::add(&self.statistics, Ticker::ReadaheadTrimmed, 1);
        }
        readahead.set_limit(limit);
    }

    /// Reads, checks and counts a block from the file.
    pub(super) fn read_block(
        &self,
        handle: BlockHandle,
        readahead: Option<&mut Readahead>,
        spare: SpareMemory<'_>,
    ) -> Result<Block> {
        let _timers = count_read(&self.statistics, BlockKind::Data, handle);
        let is_scan = self.statistics.is_some() && readahead.is_some();
        let _busy = is_scan.then(|| busy_unless_known(Activity::Iterator));
        self.source.read_data(handle, self.dictionary.as_ref(), readahead, spare)
    }
}

/// Puts a block into its slot, and counts the result.
#[cold]
fn insert_counted(
    stats: &Statistics,
    slots: &SlotArray<Block>,
    i: usize,
    node: Held<Block>,
    charge: usize,
) -> Result<Held<Block>> {
    let mine = std::ptr::from_ref(node.object());
    let cached = slots.insert_node(i, node, charge);
    match &cached {
        // The cache did not take it.
        Ok(cached) if !cached.was_cached() => {}
        Ok(cached) => count_added(stats, charge as u64, !std::ptr::eq(mine, cached.object())),
        Err(_) => stats.add(Ticker::BlockCacheAddFailures, 1),
    }
    cached
}

#[cfg(test)]
#[path = "scanned_test.rs"]
mod tests;
