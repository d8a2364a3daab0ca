//! The operation counts of an iterator with statistics. Moves are counted here and added to the statistics when the
//! iterator is dropped; otherwise a scan would write to a shared counter for each entry.

use super::DbIter;
use crate::base::perf::{self, PerfMetric, PerfTimer};
use crate::env::clock::Instant;
use crate::fs::cpu_timer::CpuTimer;
use crate::stats::{HistogramType, Statistics, Ticker};
use std::sync::Arc;

/// A call that moves an iterator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// A seek to a key.
    Seek,
    /// `next`.
    Next,
    /// `prev`.
    Prev,
    /// A seek to the first or the last key. Its time is not recorded.
    SeekToEnd,
}

/// The number of moves, and how many of them led to an entry.
#[derive(Default)]
struct Moves {
    calls: u64,
    found: u64,
}

/// The counts of one iterator.
pub(super) struct IterCounts {
    stats: Arc<Statistics>,
    /// Whether the iterator has a user, for whom its creation was counted.
    in_use: bool,
    counts: Counts,
}

/// The counts for the current user.
#[derive(Default)]
struct Counts {
    moves: [Moves; 3],
    bytes: u64,
    /// Entries that moves passed over.
    skipped: u64,
    /// Reseeks within moves.
    reseeks: u64,
}

impl IterCounts {
    /// Creates the counts of a new iterator.
    pub(super) fn new(stats: Arc<Statistics>) -> IterCounts {
        let mut counts = IterCounts { stats, in_use: false, counts: Counts::default() };
        counts.begin();
        counts
    }

    /// Begins counting for a new user.
    pub(super) fn begin(&mut self) {
        self.end();
        self.in_use = true;
        self.stats.add(Ticker::NoIteratorCreated, 1);
    }

    /// Adds the counts to the statistics when the user has dropped the iterator, and resets them.
    pub(super) fn end(&mut self) {
        if !std::mem::take(&mut self.in_use) {
            return;
        }
        let Counts { moves: [seek, next, prev], bytes, skipped, reseeks } =
            std::mem::take(&mut self.counts);
        let mine = self.stats.local();
        for (ticker, n) in [
            (Ticker::NumberDbSeek, seek.calls),
            (Ticker::NumberDbSeekFound, seek.found),
            (Ticker::NumberDbNext, next.calls),
            (Ticker::NumberDbNextFound, next.found),
            (Ticker::NumberDbPrev, prev.calls),
            (Ticker::NumberDbPrevFound, prev.found),
            (Ticker::IterBytesRead, bytes),
            (Ticker::NumberIterSkip, skipped),
            (Ticker::NumberOfReseeksInIteration, reseeks),
            (Ticker::NoIteratorDeleted, 1),
        ] {
            if n != 0 {
                mine.add(ticker, n);
            }
        }
    }

    /// Returns the statistics to which the counts are added.
    pub(super) fn statistics(&self) -> &Statistics {
        &self.stats
    }

    /// Counts a reseek within a move.
    pub(super) fn add_reseek(&mut self) {
        self.counts.reseeks += 1;
    }

    /// Counts a call: the bytes of the entry that it found, how many entries it examined, and its start time if that
    /// was taken.
    pub(super) fn add(
        &mut self,
        call: Call,
        found: Option<u64>,
        looked_at: u64,
        start: Option<Instant>,
    ) {
        self.counts.skipped += looked_at.saturating_sub(u64::from(found.is_some()));
        let moves = match call {
            Call::Seek | Call::SeekToEnd => &mut self.counts.moves[0],
            Call::Next => &mut self.counts.moves[1],
            Call::Prev => &mut self.counts.moves[2],
        };
        moves.calls += 1;
        if let Some(bytes) = found {
            moves.found += 1;
            self.counts.bytes += bytes;
        }
        if let Some(start) = start {
            self.stats.record_since(HistogramType::DbSeek, start);
        }
    }
}

impl Drop for IterCounts {
    fn drop(&mut self) {
        self.end();
    }
}

impl DbIter {
    /// Runs a move and, with statistics, counts it.
    #[inline]
    pub(super) fn counted(&mut self, call: Call, go: impl FnOnce(&mut DbIter)) {
        if perf::is_used() {
            return self.counted_by_perf(call, go);
        }
        self.counted_by_statistics(call, go);
    }

    /// Runs a move while some thread uses the perf context.
    #[cold]
    fn counted_by_perf(&mut self, call: Call, go: impl FnOnce(&mut DbIter)) {
        let (count, cpu, time) = match call {
            Call::Seek | Call::SeekToEnd => (
                PerfMetric::IterSeekCount,
                PerfMetric::IterSeekCpuNanos,
                PerfMetric::SeekInternalSeekTime,
            ),
            Call::Next => {
                // Count the entry that the iterator leaves.
                perf::count(PerfMetric::InternalKeySkippedCount, 1);
                let time = PerfMetric::FindNextUserEntryTime;
                (PerfMetric::IterNextCount, PerfMetric::IterNextCpuNanos, time)
            }
            Call::Prev => {
                let time = PerfMetric::FindNextUserEntryTime;
                (PerfMetric::IterPrevCount, PerfMetric::IterPrevCpuNanos, time)
            }
        };
        perf::count(count, 1);
        let timers = (PerfTimer::start(time), CpuTimer::start(cpu));
        self.counted_by_statistics(call, go);
        drop(timers);
        if self.valid {
            perf::count(PerfMetric::IterReadBytes, (self.key().len() + self.value().len()) as u64);
        }
    }

    #[inline]
    fn counted_by_statistics(&mut self, call: Call, go: impl FnOnce(&mut DbIter)) {
        if self.counts.is_none() {
            return go(self);
        }
        let start = (call == Call::Seek).then(Instant::now);
        go(self);
        let bytes = self.valid.then(|| (self.key().len() + self.value().len()) as u64);
        let looked_at = self.looked_at;
        if let Some(counts) = &mut self.counts {
            counts.add(call, bytes, looked_at, start);
        }
    }

    /// Counts a reseek within a move.
    #[cold]
    pub(super) fn count_reseek(&mut self) {
        if let Some(counts) = &mut self.counts {
            counts.add_reseek();
        }
    }
}
