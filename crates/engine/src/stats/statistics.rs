//! The statistics of one database, or of several databases that share them.
//!
//! All counters are sharded. A thread gets a shard when it first counts, and adds to it with a relaxed
//! read-modify-write on cache lines that other threads rarely use. A shard is allocated when it is first used. Readers
//! add up all shards.

use super::{Histogram, HistogramData, HistogramType, StatsLevel, Ticker};
use crate::env::clock::Instant;
use crate::env::sync::OnceLock;
use crate::env::sync::std_atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use crate::env::thread_number;
use std::fmt::Write as _;
use std::sync::Arc;

/// A power of two. If there are more threads, they share shards.
const SHARDS: usize = 16;

/// The counters of one shard. Aligned to two lines of 64 bytes, because processors fetch lines in pairs.
#[repr(align(128))]
struct Shard {
    tickers: [AtomicU64; Ticker::COUNT],
    histograms: [Histogram; HistogramType::COUNT],
}

impl Shard {
    fn new() -> Box<Shard> {
        Box::new(Shard {
            tickers: [const { AtomicU64::new(0) }; Ticker::COUNT],
            histograms: std::array::from_fn(|_| Histogram::new()),
        })
    }
}

/// Tickers and histograms.
pub struct Statistics {
    level: AtomicU8,
    shards: [OnceLock<Box<Shard>>; SHARDS],
}

impl std::fmt::Debug for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_text())
    }
}

/// Returns the shard of this thread.
#[inline]
fn my_shard() -> usize {
    thread_number() % SHARDS
}

impl Statistics {
    /// Creates statistics with all counters at 0, at RocksDB's default level.
    pub fn new() -> Arc<Statistics> {
        Arc::new(Statistics {
            level: AtomicU8::new(StatsLevel::default() as u8),
            shards: [const { OnceLock::new() }; SHARDS],
        })
    }

    /// Returns the level.
    pub fn level(&self) -> StatsLevel {
        let level = usize::from(self.level.load(Relaxed)).min(StatsLevel::ALL.len() - 1);
        StatsLevel::ALL[level]
    }

    /// Sets the level from now on.
    pub fn set_level(&self, level: StatsLevel) {
        self.level.store(level as u8, Relaxed);
    }

    #[inline]
    fn counts_above(&self, level: StatsLevel) -> bool {
        self.level.load(Relaxed) > level as u8
    }

    /// Returns whether times are measured.
    #[inline]
    pub fn has_timers(&self) -> bool {
        self.counts_above(StatsLevel::ExceptTimers)
    }

    /// Returns whether times within codecs are measured.
    #[inline]
    pub fn has_detailed_timers(&self) -> bool {
        self.counts_above(StatsLevel::ExceptDetailedTimers)
    }

    #[inline]
    fn mine(&self) -> &Shard {
        self.shards[my_shard()].get_or_init(Shard::new)
    }

    fn made(&self) -> impl Iterator<Item = &Shard> {
        self.shards.iter().filter_map(|shard| shard.get().map(|shard| &**shard))
    }

    /// Adds `n` to a ticker.
    #[inline]
    pub fn add(&self, ticker: Ticker, n: u64) {
        if self.counts_above(StatsLevel::DisableAll) {
            self.mine().tickers[ticker as usize].fetch_add(n, Relaxed);
        }
    }

    /// Records `v` in a histogram.
    #[inline]
    pub fn record(&self, histogram: HistogramType, v: u64) {
        if self.counts_above(StatsLevel::ExceptHistogramOrTimers) {
            self.mine().histograms[histogram as usize].add(v);
        }
    }

    /// Records the microseconds since `start` in a histogram, if times are measured.
    #[inline]
    pub(crate) fn record_since(&self, histogram: HistogramType, start: Instant) {
        if self.has_timers() {
            self.record(histogram, start.elapsed().as_micros() as u64);
        }
    }

    /// Returns this thread's counters, for several updates in a row.
    #[inline]
    pub(crate) fn local(&self) -> LocalCounters<'_> {
        LocalCounters { shard: self.mine(), level: self.level.load(Relaxed) }
    }

    /// Returns the value of a ticker.
    pub fn ticker(&self, ticker: Ticker) -> u64 {
        let counts = self.made().map(|s| s.tickers[ticker as usize].load(Relaxed));
        counts.fold(0, u64::wrapping_add)
    }

    /// Returns the value of a ticker and resets it to 0. Concurrent updates are not lost.
    pub fn take_ticker(&self, ticker: Ticker) -> u64 {
        let counts = self.made().map(|s| s.tickers[ticker as usize].swap(0, Relaxed));
        counts.fold(0, u64::wrapping_add)
    }

    /// Merges all shards of a histogram.
    fn merged(&self, histogram: HistogramType) -> Histogram {
        let all = Histogram::new();
        self.made().for_each(|s| all.merge(&s.histograms[histogram as usize]));
        all
    }

    /// Returns the figures of a histogram.
    pub fn histogram(&self, histogram: HistogramType) -> HistogramData {
        self.merged(histogram).data()
    }

    /// Returns the table of a histogram.
    pub fn histogram_text(&self, histogram: HistogramType) -> String {
        self.merged(histogram).to_text()
    }

    /// Resets all counters to 0.
    pub fn reset(&self) {
        for shard in self.made() {
            shard.tickers.iter().for_each(|t| t.store(0, Relaxed));
            shard.histograms.iter().for_each(Histogram::clear);
        }
    }

    /// Returns a line for each ticker and each histogram, as RocksDB prints them.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for t in Ticker::ALL {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{} COUNT : {}", t.name(), self.ticker(*t));
        }
        for h in HistogramType::ALL {
            let d = self.histogram(*h);
            let _ = writeln!(
                out,
                "{} P50 : {:.6} P95 : {:.6} P99 : {:.6} P100 : {:.6} COUNT : {} SUM : {}",
                h.name(),
                d.median,
                d.percentile95,
                d.percentile99,
                d.max as f64,
                d.count,
                d.sum
            );
        }
        out
    }
}

/// The counters of one thread, at the level that was set when this object was created.
#[derive(Clone, Copy)]
pub struct LocalCounters<'a> {
    shard: &'a Shard,
    level: u8,
}

impl LocalCounters<'_> {
    /// Adds `n` to a ticker.
    #[inline]
    pub fn add(&self, ticker: Ticker, n: u64) {
        if self.level > StatsLevel::DisableAll as u8 {
            self.shard.tickers[ticker as usize].fetch_add(n, Relaxed);
        }
    }

    /// Records `v` in a histogram.
    #[inline]
    pub fn record(&self, histogram: HistogramType, v: u64) {
        if self.level > StatsLevel::ExceptHistogramOrTimers as u8 {
            self.shard.histograms[histogram as usize].add(v);
        }
    }
}

/// Adds to a ticker if statistics are on.
#[inline]
pub fn add(stats: &Option<Arc<Statistics>>, ticker: Ticker, n: u64) {
    if let Some(stats) = stats {
        stats.add(ticker, n);
    }
}

/// Records in a histogram if statistics are on.
#[inline]
pub fn record(stats: &Option<Arc<Statistics>>, histogram: HistogramType, v: u64) {
    if let Some(stats) = stats {
        stats.record(histogram, v);
    }
}

/// Records the microseconds from its creation to its drop. Reads no clock if statistics are off.
#[derive(Debug)]
pub struct Timer<'a> {
    running: Option<(&'a Statistics, HistogramType, Instant)>,
}

impl<'a> Timer<'a> {
    /// Starts the timer.
    #[inline]
    pub fn start(stats: &'a Option<Arc<Statistics>>, histogram: HistogramType) -> Timer<'a> {
        let stats = stats.as_deref().filter(|s| s.has_timers());
        Timer { running: stats.map(|s| (s, histogram, Instant::now())) }
    }
}

impl Drop for Timer<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some((stats, histogram, start)) = self.running {
            stats.record_since(histogram, start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_add_up() {
        let stats = Statistics::new();
        std::thread::scope(|scope| {
            for _ in 0..40 {
                scope.spawn(|| (0..1000).for_each(|_| stats.add(Ticker::BytesRead, 3)));
            }
        });
        assert_eq!(stats.ticker(Ticker::BytesRead), 120_000);
        assert_eq!(stats.ticker(Ticker::BytesWritten), 0);
        assert_eq!(stats.take_ticker(Ticker::BytesRead), 120_000);
        assert_eq!(stats.ticker(Ticker::BytesRead), 0);
    }

    #[test]
    fn text_has_rocksdbs_lines() {
        let stats = Some(Statistics::new());
        add(&stats, Ticker::BlockCacheHit, 7);
        record(&stats, HistogramType::BytesPerRead, 100);
        drop(Timer::start(&stats, HistogramType::DbGet));
        let text = stats.as_ref().unwrap().to_text();
        assert!(text.contains("rocksdb.block.cache.hit COUNT : 7\n"), "{text}");
        let line = "rocksdb.bytes.per.read P50 : 100.000000 P95 : 100.000000 P99 : 100.000000 \
                    P100 : 100.000000 COUNT : 1 SUM : 100\n";
        assert!(text.contains(line), "{text}");
        assert_eq!(stats.as_ref().unwrap().histogram(HistogramType::DbGet).count, 1);
        stats.as_ref().unwrap().reset();
        assert_eq!(stats.as_ref().unwrap().histogram(HistogramType::DbGet).count, 0);
    }

    #[test]
    fn levels_say_what_is_counted() {
        let stats = Statistics::new();
        assert_eq!(stats.level(), StatsLevel::ExceptDetailedTimers);
        for (level, tickers, histograms, times) in [
            (StatsLevel::DisableAll, 0, 0, 0),
            (StatsLevel::ExceptHistogramOrTimers, 1, 0, 0),
            (StatsLevel::ExceptTimers, 1, 1, 0),
            (StatsLevel::ExceptDetailedTimers, 1, 1, 1),
            (StatsLevel::All, 1, 1, 1),
        ] {
            stats.reset();
            stats.set_level(level);
            stats.add(Ticker::BytesRead, 1);
            stats.record(HistogramType::BytesPerRead, 1);
            stats.record_since(HistogramType::DbGet, Instant::now());
            let counts = [HistogramType::BytesPerRead, HistogramType::DbGet]
                .map(|h| stats.histogram(h).count);
            assert_eq!(stats.ticker(Ticker::BytesRead), tickers, "{level:?}");
            assert_eq!(counts, [histograms, times], "{level:?}");
        }
    }

    #[test]
    fn off_counts_nothing() {
        add(&None, Ticker::BlockCacheHit, 7);
        record(&None, HistogramType::DbGet, 7);
        drop(Timer::start(&None, HistogramType::DbGet));
    }
}
