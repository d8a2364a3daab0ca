//! The entry point of writes. It counts and times them, and delivers events to listeners when no lock is held.

use super::commit::CommitTerms;
use super::queue::CommitQueue;
use crate::base::perf::{self, PerfMetric, PerfTimer};
use crate::batch::WriteBatch;
use crate::env::clock::Instant;
use crate::error::Result;
use crate::options::WriteOptions;
use crate::stats::{HistogramType, Statistics, Ticker};

/// Measures the parts of a write for the perf context. The time outside the other parts counts as pre- and
/// post-processing.
struct PartsOfWrite {
    whole: PerfTimer,
    others: u64,
}

impl PartsOfWrite {
    const OTHERS: [PerfMetric; 4] = [
        PerfMetric::WriteWalTime,
        PerfMetric::WriteMemtableTime,
        PerfMetric::WriteDelayTime,
        PerfMetric::WriteSchedulingFlushesCompactionsTime,
    ];

    fn others() -> u64 {
        PartsOfWrite::OTHERS.into_iter().map(perf::value).sum()
    }

    #[cold]
    fn begin() -> PartsOfWrite {
        let whole = PerfTimer::start(PerfMetric::WritePreAndPostProcessTime);
        PartsOfWrite { whole, others: PartsOfWrite::others() }
    }

    #[cold]
    fn end(self) {
        drop(self.whole);
        let others = PartsOfWrite::others().saturating_sub(self.others);
        perf::take_away(PerfMetric::WritePreAndPostProcessTime, others);
    }
}

impl CommitQueue {
    /// Commits a batch atomically. It is durable as `wo` requires, and visible when this function returns.
    #[inline]
    pub(crate) fn write(
        &self,
        wo: &WriteOptions,
        batch: &mut WriteBatch,
        terms: CommitTerms<'_>,
    ) -> Result<()> {
        let parts = perf::is_used().then(PartsOfWrite::begin);
        let result = match &self.session.statistics {
            None => self.commit(wo, batch, terms),
            Some(stats) => self.counted_write(stats, wo, batch, terms),
        };
        if let Some(parts) = parts {
            parts.end();
        }
        // Deliver here: the writer is no longer pinned and holds no lock.
        self.reporter.deliver();
        result
    }

    fn counted_write(
        &self,
        stats: &Statistics,
        wo: &WriteOptions,
        batch: &mut WriteBatch,
        terms: CommitTerms<'_>,
    ) -> Result<()> {
        let start = Instant::now();
        let result = self.commit(wo, batch, terms);
        if result.is_ok() {
            let bytes = batch.data().len() as u64;
            stats.add(Ticker::NumberKeysWritten, u64::from(batch.count()));
            stats.add(Ticker::BytesWritten, bytes);
            // Every writer writes its own batch: there is no group leader.
            stats.add(Ticker::WriteDoneBySelf, 1);
            stats.record(HistogramType::BytesPerWrite, bytes);
            if !wo.disable_wal {
                stats.add(Ticker::WriteWithWal, 1);
                stats.add(Ticker::WalFileBytes, bytes);
            }
        }
        stats.record_since(HistogramType::DbWrite, start);
        result
    }
}
