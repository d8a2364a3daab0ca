//! How a table gets a data block: from its slot in the cache, or from the file.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::block::Block;
use super::parts::Parts;
use super::source::Readahead;
use super::table::BlockBasedTable;
use crate::base::perf::{self, PerfMetric, PerfTimer};
use crate::cache::{Held, Memory};
use crate::error::Result;
use crate::sst::BlockAccess;
use crate::sst::format::{BLOCK_TRAILER_SIZE, BlockHandle};
use crate::stats::{self, HistogramType, Statistics, Ticker, Timer};

/// A place for a block and memory for its bytes, where there are any to be used again.
type Spare = (Option<Held<Block>>, Option<Memory>);

impl BlockBasedTable {
    /// Block `i`, from its slot or the file.
    pub(super) fn load(
        &self,
        parts: &Parts,
        i: usize,
        access: BlockAccess,
        readahead: Option<&mut Readahead>,
    ) -> Result<Held<Block>> {
        if let Some(slots) = &parts.slots {
            if let Some(node) = slots.hold(i) {
                perf_hit(node.object());
                if let Some(stats) = &self.statistics {
                    count_hit(stats, node.object());
                }
                return Ok(node);
            }
            self.count_miss();
        }
        access.check()?;
        let handle = parts.fences.handle(i).unwrap_or_default();
        let recycles = access.fill_cache && readahead.is_none();
        let (spare, memory) = if recycles { self.spare(parts, handle) } else { (None, None) };
        let block = self.read_block(handle, readahead, memory)?;
        let block = block.with_marks(parts.fences.common());
        match &parts.slots {
            Some(slots) if access.fill_cache => {
                let charge = block.charge();
                for (ticker, n) in [
                    (Ticker::BlockCacheAdd, 1),
                    (Ticker::BlockCacheDataAdd, 1),
                    (Ticker::BlockCacheDataBytesInsert, charge as u64),
                    (Ticker::BlockCacheBytesWrite, charge as u64),
                ] {
                    stats::add(&self.statistics, ticker, n);
                }
                slots.insert_node(i, Held::new_in(spare, block), charge)
            }
            _ => Ok(Held::new(block)),
        }
    }

    /// A block is not in the cache.
    pub(super) fn count_miss(&self) {
        stats::add(&self.statistics, Ticker::BlockCacheMiss, 1);
        stats::add(&self.statistics, Ticker::BlockCacheDataMiss, 1);
    }

    /// Reads a block from the file, checked and counted.
    pub(super) fn read_block(
        &self,
        handle: BlockHandle,
        readahead: Option<&mut Readahead>,
        memory: Option<Memory>,
    ) -> Result<Block> {
        perf::count(PerfMetric::BlockReadCount, 1);
        perf::count(PerfMetric::BlockReadByte, handle.size + BLOCK_TRAILER_SIZE as u64);
        let perf_timer = PerfTimer::start(PerfMetric::BlockReadTime);
        let get_timer = Timer::start(&self.statistics, HistogramType::ReadBlockGetMicros);
        let sst_timer = Timer::start(&self.statistics, HistogramType::SstReadMicros);
        let block = self.source.read_data(handle, self.dictionary.as_ref(), readahead, memory)?;
        drop((sst_timer, get_timer, perf_timer));
        stats::add(&self.statistics, Ticker::BlockChecksumComputeCount, 1);
        Ok(block)
    }

    /// A place for a block that is about to be read, and memory for its bytes, from one that was evicted.
    fn spare(&self, parts: &Parts, handle: BlockHandle) -> Spare {
        let len = handle.size as usize + BLOCK_TRAILER_SIZE;
        let slots = parts.slots.as_ref().filter(|_| self.source.wants_memory());
        let mut spare = slots.and_then(|slots| slots.spare(|block| block.suits(len)));
        let memory = spare.as_mut().and_then(Held::get_mut).and_then(|b| b.take_memory(len));
        (spare, memory)
    }
}

/// A block was in the cache: for who measures one operation.
#[inline]
pub(super) fn perf_hit(block: &Block) {
    perf::count(PerfMetric::BlockCacheHitCount, 1);
    perf::count(PerfMetric::BlockCacheReadByte, block.charge() as u64);
}

/// A block was in the cache: for the database's statistics.
pub(super) fn count_hit(stats: &Statistics, block: &Block) {
    stats.add(Ticker::BlockCacheHit, 1);
    stats.add(Ticker::BlockCacheDataHit, 1);
    stats.add(Ticker::BlockCacheBytesRead, block.charge() as u64);
}
