//! Counters of a table: reads of blocks by kind, uses of the cache and of the filter. Every function costs one branch
//! if there are no statistics and the perf context is not in use.

use super::block::Block;
use crate::base::perf::{self, PerfMetric, PerfTimer};
use crate::fs::cpu_timer::CpuTimer;
use crate::sst::format::{BLOCK_TRAILER_SIZE, BlockHandle};
use crate::stats::{self, Activity, HistogramType, Statistics, Ticker, Timer};
use std::sync::Arc;

/// The kind of a block's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Entries.
    Data,
    /// The index, or a partition of it.
    Index,
    /// The filter, or a partition of it.
    Filter,
    /// The compression dictionary.
    Dictionary,
    /// Properties, range tombstones, the metaindex.
    Other,
}

/// The timers of one block read; their times are recorded when they are dropped.
#[must_use]
pub(super) struct ReadTimers<'a> {
    _histogram: Timer<'a>,
    _perf: PerfTimer,
    _perf_of_kind: PerfTimer,
    _cpu: CpuTimer,
}

/// Counts a read of a block from the file. The result must be kept until the block has been read.
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

/// Counts a read in the perf context, and times reads of this kind.
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

/// The memory that index, filter and dictionary take from the cache's budget, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct CachedParts {
    pub(super) index: u64,
    /// `None` without a filter.
    pub(super) filter: Option<u64>,
    /// `None` without a dictionary.
    pub(super) dictionary: Option<u64>,
}

/// Counts a block that was found in the cache. `of_kind` is the ticker for hits of its kind.
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
    /// Counts the parts as read and added to the cache.
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

    /// Counts a use of the dictionary. As in RocksDB, each request for a data block counts one.
    pub(super) fn count_dictionary_use(&self, stats: &Option<Arc<Statistics>>) {
        let Some(bytes) = self.dictionary else { return };
        if let Some(stats) = stats {
            hit(stats, Ticker::BlockCacheCompressionDictHit, bytes);
        }
        perf::count(PerfMetric::BlockCacheCompressionDictReadByte, bytes);
        perf_hit_of(None, bytes);
    }
}

/// Counts a data block that was in the cache, in the perf context.
#[inline]
pub(super) fn perf_hit(block: &Block) {
    if perf::is_used() {
        perf_hit_of(None, block.charge() as u64);
    }
}

/// Counts a data block that was in the cache, in the database's statistics.
pub(super) fn count_hit(stats: &Statistics, block: &Block) {
    hit(stats, Ticker::BlockCacheDataHit, block.charge() as u64);
}

/// Counts a data block that was not in the cache.
pub(super) fn count_miss(stats: &Option<Arc<Statistics>>) {
    stats::add(stats, Ticker::BlockCacheMiss, 1);
    stats::add(stats, Ticker::BlockCacheDataMiss, 1);
}

/// Counts a data block that is added to the cache, or that another thread added first.
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
