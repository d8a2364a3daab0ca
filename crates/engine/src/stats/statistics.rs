//! The counters of one database.
//!
//! Tickers are sharded: a thread is given a shard when it first counts, and adds there with a
//! relaxed read-modify-write on a cache line that other threads rarely touch. Histograms are not,
//! as whoever fills them has just read the clock twice, which costs more.

use super::{Histogram, HistogramData, HistogramType, StatsLevel, Ticker};
use std::cell::Cell;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// A power of two; more threads than this share.
const SHARDS: usize = 16;

/// One thread's counters. Two lines of 64 bytes, since processors fetch lines in pairs.
#[repr(align(128))]
struct Shard {
    tickers: [AtomicU64; Ticker::COUNT],
}

/// Tickers and histograms of one database.
pub struct Statistics {
    shards: Box<[Shard]>,
    histograms: Box<[Histogram]>,
    level: AtomicU8,
}

impl std::fmt::Debug for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_text())
    }
}

/// The shard of this thread.
#[inline]
fn my_shard() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static MINE: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    MINE.with(|mine| {
        if mine.get() == usize::MAX {
            mine.set(NEXT.fetch_add(1, Relaxed) % SHARDS);
        }
        mine.get()
    })
}

impl Statistics {
    /// All at 0.
    pub fn new() -> Arc<Statistics> {
        let shard = |_| Shard { tickers: [const { AtomicU64::new(0) }; Ticker::COUNT] };
        Arc::new(Statistics {
            shards: (0..SHARDS).map(shard).collect(),
            histograms: (0..HistogramType::COUNT).map(|_| Histogram::new()).collect(),
            level: AtomicU8::new(StatsLevel::default() as u8),
        })
    }

    /// How much is counted.
    pub fn level(&self) -> StatsLevel {
        StatsLevel::ALL[self.level.load(Relaxed) as usize]
    }

    /// Changes how much is counted from now on.
    pub fn set_level(&self, level: StatsLevel) {
        self.level.store(level as u8, Relaxed);
    }

    /// Adds `n` to a ticker.
    #[inline]
    pub fn add(&self, ticker: Ticker, n: u64) {
        if self.level.load(Relaxed) == StatsLevel::DisableAll as u8 {
            return;
        }
        self.shards[my_shard()].tickers[ticker as usize].fetch_add(n, Relaxed);
    }

    /// Counts `v` in a histogram.
    pub fn record(&self, histogram: HistogramType, v: u64) {
        let from = match histogram.is_time() {
            true => StatsLevel::ExceptTimers,
            false => StatsLevel::ExceptHistogramOrTimers,
        };
        if self.level.load(Relaxed) <= from as u8 {
            return;
        }
        self.histograms[histogram as usize].add(v);
    }

    /// The value of a ticker.
    pub fn ticker(&self, ticker: Ticker) -> u64 {
        let counts = self.shards.iter().map(|s| s.tickers[ticker as usize].load(Relaxed));
        counts.fold(0, u64::wrapping_add)
    }

    /// The value of a ticker, which starts at 0 again. Nothing counted meanwhile is lost.
    pub fn take_ticker(&self, ticker: Ticker) -> u64 {
        let counts = self.shards.iter().map(|s| s.tickers[ticker as usize].swap(0, Relaxed));
        counts.fold(0, u64::wrapping_add)
    }

    /// The figures of a histogram.
    pub fn histogram(&self, histogram: HistogramType) -> HistogramData {
        self.histograms[histogram as usize].data()
    }

    /// The table of a histogram.
    pub fn histogram_text(&self, histogram: HistogramType) -> String {
        self.histograms[histogram as usize].to_text()
    }

    /// All at 0 again.
    pub fn reset(&self) {
        Ticker::ALL.iter().for_each(|t| {
            self.take_ticker(*t);
        });
        self.histograms.iter().for_each(Histogram::clear);
    }

    /// A line per ticker and per histogram, shaped like RocksDB's.
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

/// Adds to a ticker if statistics are on.
#[inline]
pub fn add(stats: &Option<Arc<Statistics>>, ticker: Ticker, n: u64) {
    if let Some(stats) = stats {
        stats.add(ticker, n);
    }
}

/// Counts in a histogram if statistics are on.
#[inline]
pub fn record(stats: &Option<Arc<Statistics>>, histogram: HistogramType, v: u64) {
    if let Some(stats) = stats {
        stats.record(histogram, v);
    }
}

/// Counts the microseconds from its making to its drop; reads no clock if statistics are off.
#[derive(Debug)]
pub struct Timer<'a> {
    running: Option<(&'a Statistics, HistogramType, Instant)>,
}

impl<'a> Timer<'a> {
    /// Starts.
    #[inline]
    pub fn start(stats: &'a Option<Arc<Statistics>>, histogram: HistogramType) -> Timer<'a> {
        Timer { running: stats.as_deref().map(|s| (s, histogram, Instant::now())) }
    }
}

impl Drop for Timer<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some((stats, histogram, start)) = self.running {
            stats.record(histogram, start.elapsed().as_micros() as u64);
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
    fn levels_leave_out() {
        let stats = Statistics::new();
        let counted = |level: StatsLevel| {
            stats.reset();
            stats.set_level(level);
            stats.add(Ticker::BytesRead, 1);
            stats.record(HistogramType::BytesPerRead, 1);
            stats.record(HistogramType::DbGet, 1);
            let histograms = [HistogramType::BytesPerRead, HistogramType::DbGet];
            (stats.ticker(Ticker::BytesRead), histograms.map(|h| stats.histogram(h).count))
        };
        assert_eq!(counted(StatsLevel::DisableAll), (0, [0, 0]));
        assert_eq!(counted(StatsLevel::ExceptHistogramOrTimers), (1, [0, 0]));
        assert_eq!(counted(StatsLevel::ExceptTimers), (1, [1, 0]));
        assert_eq!(counted(StatsLevel::All), (1, [1, 1]));
    }

    #[test]
    fn off_counts_nothing() {
        add(&None, Ticker::BlockCacheHit, 7);
        record(&None, HistogramType::DbGet, 7);
        drop(Timer::start(&None, HistogramType::DbGet));
    }
}
