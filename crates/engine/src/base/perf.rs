//! The perf context: per-thread metrics about the cost of operations, with RocksDB's names.
//!
//! Counters are per thread, so threads share no cache line. In a process that never uses the perf
//! context, each counting site costs one load of a constant flag: counting begins for all threads
//! with the first call of [`set_level`], [`reset`], [`value`] or [`report`]. From then on each
//! thread counts according to its level, which is [`PerfLevel::EnableCount`] initially.

use super::perf_metrics::REPORTED;
use crate::env::clock::Instant;
use crate::env::sync::std_atomic::{AtomicBool, Ordering::Relaxed};
use std::cell::Cell;
use std::fmt::Write;

pub use super::perf_metrics::PerfMetric;

/// The metrics that a thread collects. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum PerfLevel {
    /// Not a level.
    Uninitialized = 0,
    /// Nothing.
    Disable = 1,
    /// Counts.
    #[default]
    EnableCount = 2,
    /// Also waiting times.
    EnableWait = 3,
    /// Also other times, except those of mutexes.
    EnableTimeExceptForMutex = 4,
    /// Also processor time.
    EnableTimeAndCpuTimeExceptForMutex = 5,
    /// Everything.
    EnableTime = 6,
}

impl PerfLevel {
    /// The level with this number.
    pub fn from_number(number: u8) -> Option<PerfLevel> {
        Some(match number {
            0 => PerfLevel::Uninitialized,
            1 => PerfLevel::Disable,
            2 => PerfLevel::EnableCount,
            3 => PerfLevel::EnableWait,
            4 => PerfLevel::EnableTimeExceptForMutex,
            5 => PerfLevel::EnableTimeAndCpuTimeExceptForMutex,
            6 => PerfLevel::EnableTime,
            _ => return None,
        })
    }
}

/// Whether this process has used the perf context. Never cleared.
static USED: AtomicBool = AtomicBool::new(false);

struct Context {
    level: Cell<PerfLevel>,
    counts: [Cell<u64>; PerfMetric::COUNT],
}

thread_local! {
    static CONTEXT: Context = const {
        Context {
            level: Cell::new(PerfLevel::EnableCount),
            counts: [const { Cell::new(0) }; PerfMetric::COUNT],
        }
    };
}

/// Sets this thread's level.
pub fn set_level(level: PerfLevel) {
    USED.store(true, Relaxed);
    CONTEXT.with(|c| c.level.set(level));
}

/// This thread's level.
pub fn level() -> PerfLevel {
    CONTEXT.with(|c| c.level.get())
}

/// Sets all of this thread's metrics to 0.
pub fn reset() {
    USED.store(true, Relaxed);
    CONTEXT.with(|c| c.counts.iter().for_each(|count| count.set(0)));
}

/// The value of one of this thread's metrics.
pub fn value(metric: PerfMetric) -> u64 {
    USED.store(true, Relaxed);
    CONTEXT.with(|c| c.counts[metric as usize].get())
}

/// This thread's metrics in RocksDB's text form.
pub fn report(exclude_zeros: bool) -> String {
    let mut out = String::new();
    for (metric, name) in REPORTED {
        let count = value(*metric);
        if count > 0 || !exclude_zeros {
            let comma = if out.is_empty() { "" } else { ", " };
            // Writing to a String cannot fail.
            let _ = write!(out, "{comma}{name} = {count}");
        }
    }
    out
}

/// Whether this process has used the perf context.
#[inline]
pub(crate) fn is_used() -> bool {
    USED.load(Relaxed)
}

/// Adds to one of this thread's metrics if counting is on.
#[inline]
pub(crate) fn count(metric: PerfMetric, n: u64) {
    if USED.load(Relaxed) {
        count_used(metric, n);
    }
}

#[cold]
fn count_used(metric: PerfMetric, n: u64) {
    CONTEXT.with(|c| {
        if c.level.get() >= PerfLevel::EnableCount {
            let count = &c.counts[metric as usize];
            count.set(count.get() + n);
        }
    });
}

/// Subtracts from one of this thread's metrics an amount that other metrics also count.
#[cold]
pub(crate) fn take_away(metric: PerfMetric, n: u64) {
    CONTEXT.with(|c| {
        let count = &c.counts[metric as usize];
        count.set(count.get().saturating_sub(n));
    });
}

/// Adds the nanoseconds between its creation and its drop to a metric. Reads no clock unless the
/// level requires it.
#[must_use]
pub(crate) struct PerfTimer(Option<(PerfMetric, Instant)>);

impl PerfTimer {
    /// A timer that measures nothing.
    pub(crate) fn none() -> PerfTimer {
        PerfTimer(None)
    }

    /// Starts a timer.
    #[inline]
    pub(crate) fn start(metric: PerfMetric) -> PerfTimer {
        if !USED.load(Relaxed) {
            return PerfTimer(None);
        }
        PerfTimer::start_at(PerfLevel::EnableTimeExceptForMutex, metric)
    }

    /// Starts a timer if the level includes waiting times of locks.
    #[inline]
    pub(crate) fn start_for_lock(metric: PerfMetric) -> PerfTimer {
        if !USED.load(Relaxed) {
            return PerfTimer(None);
        }
        PerfTimer::start_at(PerfLevel::EnableTime, metric)
    }

    // Out of line, like `note`: hot paths contain timers, which are nearly always off.
    #[cold]
    #[inline(never)]
    fn start_at(least: PerfLevel, metric: PerfMetric) -> PerfTimer {
        PerfTimer((level() >= least).then(|| (metric, Instant::now())))
    }

    #[cold]
    #[inline(never)]
    fn note(metric: PerfMetric, start: Instant) {
        count_used(metric, start.elapsed().as_nanos() as u64);
    }
}

impl Drop for PerfTimer {
    #[inline]
    fn drop(&mut self) {
        if let Some((metric, start)) = self.0 {
            PerfTimer::note(metric, start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_counts_for_itself_and_as_its_level_says() {
        reset();
        count(PerfMetric::BlockReadCount, 2);
        drop(PerfTimer::start(PerfMetric::BlockReadTime));
        assert_eq!(report(true), "block_read_count = 2");
        assert!(report(false).starts_with("user_key_comparison_count = 0, block_cache_hit_count"));
        set_level(PerfLevel::EnableTime);
        let timer = PerfTimer::start(PerfMetric::BlockReadTime);
        std::thread::sleep(std::time::Duration::from_millis(1));
        drop(timer);
        assert!(value(PerfMetric::BlockReadTime) >= 1_000_000);
        set_level(PerfLevel::Disable);
        count(PerfMetric::BlockReadCount, 1);
        assert_eq!(value(PerfMetric::BlockReadCount), 2);
        let other = std::thread::spawn(|| {
            count(PerfMetric::BlockReadCount, 5);
            (level(), value(PerfMetric::BlockReadCount))
        });
        assert_eq!(other.join().unwrap(), (PerfLevel::EnableCount, 5));
        assert_eq!(value(PerfMetric::BlockReadCount), 2);
    }
}
