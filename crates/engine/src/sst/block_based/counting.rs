//! What a table counts: reads of blocks by kind, uses of the cache, uses of the filter. Every function costs one
//! branch while there are no statistics and nobody uses the perf context.

use super::block::Block;
use crate::base::perf::{self, PerfMetric, PerfTimer};
use crate::fs::cpu_timer::CpuTimer;
use crate::sst::format::{BLOCK_TRAILER_SIZE, BlockHandle};
use crate::stats::{self, Activity, HistogramType, Statistics, Ticker, Timer};
use std::sync::Arc;

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Entries.
    Data,
    /// A part of the index.
    Index,
    /// A part of the filter.
    Filter,
    /// The dictionary of the codec.
    Dictionary,
    /// Properties, range tombstones, the metaindex.
    Other,
}

/// The times of one read of a block, noted when it is dropped.
#[must_use]
pub(super) struct ReadTimers<'a> {
    _histogram: Timer<'a>,
    _perf: PerfTimer,
    _perf_of_kind: PerfTimer,
    _cpu: CpuTimer,
}

/// Counts a read of a block from the file; to be held until the block is there.
#[inline]
pub(super) fn count_read(
    statistics: &Option<Arc<Statistics>>,
    kind: BlockKind,
    handle: BlockHandle,
) -> ReadTimers<'_> {
    let perf_of_kind = if perf::is_used() { perf_read(kind, handle) } else { PerfTimer::none() };
    let histogram = match statistics {
        Some(_) if stats::activity() == Activity::Compaction => {
            HistogramType::ReadBlockCompactionMicros
        }
        _ => HistogramType::ReadBlockGetMicros,
    };
    ReadTimers {
        _histogram: Timer::start(statistics, histogram),
        _perf: PerfTimer::start(PerfMetric::BlockReadTime),
        _perf_of_kind: perf_of_kind,
        _cpu: CpuTimer::start(PerfMetric::BlockReadCpuTime),
    }
}

/// Counts a read for who measures one operation, and times reads of this kind.
#[cold]
fn perf_read(kind: BlockKind, handle: BlockHandle) -> PerfTimer {
    perf::count(PerfMetric::BlockReadCount, 1);
    perf::count(PerfMetric::BlockReadByte, handle.size.saturating_add(BLOCK_TRAILER_SIZE as u64));
    let (count, time) = match kind {
        BlockKind::Index => {
            (PerfMetric::IndexBlockReadCount, Some(PerfMetric::ReadIndexBlockNanos))
        }
        BlockKind::Filter => {
            (PerfMetric::FilterBlockReadCount, Some(PerfMetric::ReadFilterBlockNanos))
        }
        BlockKind::Dictionary => (PerfMetric::CompressionDictBlockReadCount, None),
        BlockKind::Data | BlockKind::Other => return PerfTimer::none(),
    };
    perf::count(count, 1);
    time.map_or(PerfTimer::none(), PerfTimer::start)
}

/// What index, filter and dictionary take from the cache's budget.
#[derive(Clone, Copy, Debug)]
pub(super) struct CachedParts {
    pub(super) index: u64,
    /// `None` without a filter.
    pub(super) filter: Option<u64>,
    /// `None` without a dictionary.
    pub(super) dictionary: Option<u64>,
}

/// Counts a block that was found in the cache. `of_kind` are the hits of its kind.
fn hit(stats: &Statistics, of_kind: Ticker, bytes: u64) {
    let mine = stats.local();
    mine.add(Ticker::BlockCacheHit, 1);
    mine.add(of_kind, 1);
    mine.add(Ticker::BlockCacheBytesRead, bytes);
}

#[cold]
fn perf_hit_of(of_kind: Option<(PerfMetric, PerfMetric)>, bytes: u64) {
    perf::count(PerfMetric::BlockCacheHitCount, 1);
    perf::count(PerfMetric::BlockCacheReadByte, bytes);
    if let Some((hits, read)) = of_kind {
        perf::count(hits, 1);
        perf::count(read, bytes);
    }
}

impl CachedParts {
    /// Counts the parts as read and put into the cache.
    pub(super) fn count_added(&self, stats: &Statistics) {
        use Ticker as T;
        for (bytes, miss, add, inserted) in [
            (
                Some(self.index),
                T::BlockCacheIndexMiss,
                T::BlockCacheIndexAdd,
                T::BlockCacheIndexBytesInsert,
            ),
            (
                self.filter,
                T::BlockCacheFilterMiss,
                T::BlockCacheFilterAdd,
                T::BlockCacheFilterBytesInsert,
            ),
            (
                self.dictionary,
                T::BlockCacheCompressionDictMiss,
                T::BlockCacheCompressionDictAdd,
                T::BlockCacheCompressionDictBytesInsert,
            ),
        ] {
            let Some(bytes) = bytes else { continue };
            for ticker in [T::BlockCacheMiss, miss, T::BlockCacheAdd, add] {
                stats.add(ticker, 1);
            }
            stats.add(inserted, bytes);
            stats.add(T::BlockCacheBytesWrite, bytes);
        }
    }

    /// Counts a use of the filter.
    pub(super) fn count_filter_use(&self, stats: &Option<Arc<Statistics>>) {
        let Some(bytes) = self.filter else { return };
        if let Some(stats) = stats {
            hit(stats, Ticker::BlockCacheFilterHit, bytes);
        }
        let metrics = (PerfMetric::BlockCacheFilterHitCount, PerfMetric::BlockCacheFilterReadByte);
        perf_hit_of(Some(metrics), bytes);
    }

    /// Counts a use of the index.
    pub(super) fn count_index_use(&self, stats: &Option<Arc<Statistics>>) {
        if let Some(stats) = stats {
            hit(stats, Ticker::BlockCacheIndexHit, self.index);
        }
        let metrics = (PerfMetric::BlockCacheIndexHitCount, PerfMetric::BlockCacheIndexReadByte);
        perf_hit_of(Some(metrics), self.index);
    }

    /// Counts a use of the dictionary: as in RocksDB one for each data block that is asked for.
    pub(super) fn count_dictionary_use(&self, stats: &Option<Arc<Statistics>>) {
        let Some(bytes) = self.dictionary else { return };
        if let Some(stats) = stats {
            hit(stats, Ticker::BlockCacheCompressionDictHit, bytes);
        }
        perf::count(PerfMetric::BlockCacheCompressionDictReadByte, bytes);
        perf_hit_of(None, bytes);
    }
}

/// Counts a data block that was in the cache: for who measures one operation.
#[inline]
pub(super) fn perf_hit(block: &Block) {
    if perf::is_used() {
        perf_hit_of(None, block.charge() as u64);
    }
}

/// Counts a data block that was in the cache: for the database's statistics.
pub(super) fn count_hit(stats: &Statistics, block: &Block) {
    hit(stats, Ticker::BlockCacheDataHit, block.charge() as u64);
}

/// Counts a data block that was not in the cache.
pub(super) fn count_miss(stats: &Option<Arc<Statistics>>) {
    stats::add(stats, Ticker::BlockCacheMiss, 1);
    stats::add(stats, Ticker::BlockCacheDataMiss, 1);
}

/// Counts a data block that goes into the cache, or that somebody else was faster to put there.
pub(super) fn count_added(stats: &Statistics, charge: u64, is_redundant: bool) {
    stats.add(Ticker::BlockCacheAdd, 1);
    stats.add(Ticker::BlockCacheDataAdd, 1);
    stats.add(Ticker::BlockCacheDataBytesInsert, charge);
    stats.add(Ticker::BlockCacheBytesWrite, charge);
    if is_redundant {
        stats.add(Ticker::BlockCacheAddRedundant, 1);
        stats.add(Ticker::BlockCacheDataAddRedundant, 1);
    }
}
