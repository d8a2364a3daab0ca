//! The work of one thread, and the sum over threads.
//!
//! `finished` runs once per operation: two additions, a store that others may read, and comparisons. The clock is read
//! only for latencies.

use crate::config::{Interval, Timing};
use crate::histogram::Histogram;
use crate::shared::meters::Meters;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Operations that a thread has done, on its own cache lines.
#[derive(Default)]
#[repr(align(128))]
pub struct Counter(AtomicU64);

impl Counter {
    /// Returns the current number, or a slightly earlier one.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Kinds of operations, in RocksDB's words and order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Op {
    /// Get, and steps of an iterator.
    Read,
    /// Put, and batches.
    Write,
    /// Delete.
    Delete,
    /// Seek with its steps.
    Seek,
    /// Merge.
    Merge,
    /// A checksum.
    Crc,
    /// A read and a write of what becomes of it.
    Update,
    /// A compression.
    Compress,
    /// A hash.
    Hash,
    /// A scan of several ranges.
    MultiScan,
    /// Anything else.
    Other,
}

impl Op {
    /// All of them, in the order of their numbers.
    pub const ALL: [Op; 11] = [
        Op::Read,
        Op::Write,
        Op::Delete,
        Op::Seek,
        Op::Merge,
        Op::Crc,
        Op::Update,
        Op::Compress,
        Op::Hash,
        Op::MultiScan,
        Op::Other,
    ];

    /// Returns the word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Op::Read => "read",
            Op::Write => "write",
            Op::Delete => "delete",
            Op::Seek => "seek",
            Op::Merge => "merge",
            Op::Crc => "crc",
            Op::Update => "update",
            Op::Compress => "compress",
            Op::Hash => "hash",
            Op::MultiScan => "multiscan",
            Op::Other => "op",
        }
    }
}

/// The work of one thread.
pub struct Stats {
    /// Operations.
    pub done: u64,
    /// Bytes for the MB/s of the report.
    pub bytes: u64,
    /// Bytes of keys and values that the user wrote.
    pub user_written: u64,
    /// Bytes of keys and values that the user read.
    pub user_read: u64,
    /// The number of keys found and of keys searched, if applicable.
    pub found: Option<(u64, u64)>,
    /// What follows these numbers in the report.
    pub found_note: String,
    /// More for the report.
    pub message: String,
    /// The counts of `--perf_level`.
    pub perf: String,
    /// Whether this is a background thread, whose operations do not count for the benchmark.
    pub background: bool,
    /// Latencies by kind.
    pub latencies: BTreeMap<Op, Histogram>,
    /// Seconds that it ran.
    pub seconds: f64,
    start: Instant,
    finish: Instant,
    timing: Timing,
    until_sample: u64,
    slow: Duration,
    last: Instant,
    interval: Interval,
    next_line: u64,
    last_line: (Instant, u64),
    id: usize,
    shared: Arc<Counter>,
    /// Counts by kind, if the benchmark is recorded.
    meters: Option<Arc<Meters>>,
}

impl Stats {
    /// A thread that starts now.
    pub fn start(
        id: usize,
        timing: Timing,
        slow_micros: u64,
        interval: Interval,
        shared: Arc<Counter>,
    ) -> Stats {
        let now = Instant::now();
        let mut latencies = BTreeMap::new();
        if timing != Timing::Off {
            // Create it here, so that the first operation does not pay for it.
            latencies.insert(Op::Read, Histogram::default());
        }
        Stats {
            done: 0,
            bytes: 0,
            user_written: 0,
            user_read: 0,
            found: None,
            found_note: String::new(),
            message: String::new(),
            perf: String::new(),
            background: false,
            latencies,
            seconds: 0.0,
            start: now,
            finish: now,
            timing,
            until_sample: match timing {
                Timing::Off => u64::MAX,
                Timing::Sampled(n) => n,
                Timing::Every => 1,
            },
            slow: Duration::from_micros(slow_micros),
            last: now,
            interval,
            next_line: if interval.ops == 0 { u64::MAX } else { interval.ops },
            last_line: (now, 0),
            id,
            shared,
            meters: None,
        }
    }

    /// Counts also in the meter of this thread.
    pub fn record(&mut self, meters: Arc<Meters>) {
        self.meters = Some(meters);
    }

    /// Counts `n` operations. Returns whether a line about the rate is due.
    #[inline]
    pub fn finished(&mut self, n: u64, op: Op) -> bool {
        self.done += n;
        self.shared.0.store(self.done, Ordering::Relaxed);
        if let Some(meters) = &self.meters {
            meters.of(self.id).count(op as usize, n);
        }
        self.until_sample -= 1;
        if self.until_sample <= 1 {
            self.time(op);
        }
        self.done >= self.next_line
    }

    /// Restarts the clock: waiting for a limit is not part of the next operation.
    pub fn reset_clock(&mut self) {
        if self.timing != Timing::Off {
            self.last = Instant::now();
        }
    }

    /// With sampling, called before and after the timed operation.
    #[inline(never)]
    fn time(&mut self, op: Op) {
        let now = Instant::now();
        match self.timing {
            Timing::Off => {
                self.until_sample = u64::MAX;
                return;
            }
            Timing::Sampled(_) if self.until_sample == 1 => {
                self.last = now;
                return;
            }
            Timing::Sampled(n) => self.until_sample = n,
            Timing::Every => self.until_sample = 1,
        }
        let taken = now - self.last;
        self.last = now;
        self.latencies.entry(op).or_default().add(taken.as_nanos() as u64);
        if let Some(meters) = &self.meters {
            meters.of(self.id).time(op as usize, taken.as_nanos() as u64);
        }
        if taken >= self.slow && self.timing == Timing::Every && self.interval.ops == 0 {
            eprintln!("long op: {} micros", taken.as_micros());
        }
    }

    /// Returns the line about the rate, unless it is too early.
    pub fn line(&mut self) -> Option<String> {
        self.next_line = self.done + self.interval.ops;
        let now = Instant::now();
        let (since, before) = self.last_line;
        let (step, total) = ((now - since).as_secs_f64(), (now - self.start).as_secs_f64());
        if self.interval.seconds > 0 && step < self.interval.seconds as f64 {
            return None;
        }
        let ops = self.done - before;
        self.last_line = (now, self.done);
        Some(format!(
            "{} ... thread {}: ({ops},{}) ops and ({:.1},{:.1}) ops/second in ({step:.6},{total:.6}) seconds",
            crate::report::clock(),
            self.id,
            self.done,
            ops as f64 / step,
            self.done as f64 / total
        ))
    }

    /// Forgets what was counted so far, except the user's bytes: the benchmark begins here.
    pub fn restart(&mut self) {
        (self.done, self.bytes) = (0, 0);
        self.shared.0.store(0, Ordering::Relaxed);
        self.latencies.values_mut().for_each(|histogram| *histogram = Histogram::default());
        self.start = Instant::now();
        self.last = self.start;
        self.last_line = (self.start, 0);
        self.next_line = if self.interval.ops == 0 { u64::MAX } else { self.interval.ops };
    }

    /// Ends the thread's time.
    pub fn stop(&mut self) {
        self.finish = Instant::now();
        self.seconds = (self.finish - self.start).as_secs_f64();
    }

    /// Returns whether a line should include the database's statistics.
    pub fn wants_database_stats(&self) -> bool {
        self.interval.with_stats && self.id == 0
    }
}

/// The work of all threads of a benchmark.
#[derive(Default)]
pub struct Total {
    /// Operations of the foreground.
    pub done: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes that the user wrote, background included.
    pub user_written: u64,
    /// Bytes that the user read, background included.
    pub user_read: u64,
    /// Seconds of all foreground threads together.
    pub thread_seconds: f64,
    /// Seconds from the first start to the last finish of the foreground.
    pub elapsed: f64,
    /// Keys found and looked for by one thread, as RocksDB prints it.
    pub message: String,
    /// The counts of `--perf_level` in one thread.
    pub perf: String,
    /// Keys found and looked for, all threads.
    pub found: Option<(u64, u64)>,
    /// What follows these numbers in the report, of one thread.
    pub found_note: String,
    /// Operations and seconds of the background.
    pub background: Option<(u64, f64)>,
    /// Latencies by kind.
    pub latencies: BTreeMap<Op, Histogram>,
}

impl Total {
    /// The sum. If no thread is in the foreground, those in the background take its place.
    pub fn of(threads: Vec<Stats>) -> Total {
        let mut total = Total::default();
        let alone = threads.iter().all(|stats| stats.background);
        let mut span: Option<(Instant, Instant)> = None;
        for stats in threads {
            total.user_written += stats.user_written;
            total.user_read += stats.user_read;
            if stats.background {
                total.background = Some((stats.done, stats.seconds));
            }
            if stats.background && !alone {
                continue;
            }
            total.done += stats.done;
            total.bytes += stats.bytes;
            total.thread_seconds += stats.seconds;
            let (start, finish) = span.unwrap_or((stats.start, stats.finish));
            span = Some((start.min(stats.start), finish.max(stats.finish)));
            if let Some((found, read)) = stats.found {
                let (f, r) = total.found.unwrap_or((0, 0));
                total.found = Some((f + found, r + read));
            }
            if total.found_note.is_empty() {
                total.found_note = stats.found_note;
            }
            if total.message.is_empty() {
                total.message = stats.message;
            }
            if total.perf.is_empty() {
                total.perf = stats.perf;
            }
            for (op, histogram) in stats.latencies {
                if histogram.count() > 0 {
                    total.latencies.entry(op).or_default().merge(&histogram);
                }
            }
        }
        if let Some((start, finish)) = span {
            total.elapsed = (finish - start).as_secs_f64();
        }
        // RocksDB reports one operation for benchmarks that count none.
        total.done = total.done.max(1);
        total
    }

    /// Returns all latencies in one histogram.
    pub fn all_latencies(&self) -> Option<Histogram> {
        let mut all = self.latencies.values();
        let mut sum = all.next()?.clone();
        all.for_each(|one| sum.merge(one));
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(timing: Timing) -> Stats {
        Stats::start(0, timing, 1_000_000, Interval::default(), Arc::new(Counter::default()))
    }

    #[test]
    fn sampling_times_one_in_n() {
        for (timing, expected) in
            [(Timing::Off, 0), (Timing::Sampled(16), 100), (Timing::Every, 1600)]
        {
            let mut stats = stats(timing);
            for _ in 0..1600 {
                stats.finished(1, Op::Read);
            }
            stats.stop();
            let total = Total::of(vec![stats]);
            assert_eq!(total.done, 1600);
            assert_eq!(total.all_latencies().map_or(0, |h| h.count()), expected, "{timing:?}");
        }
    }

    #[test]
    fn the_background_is_not_the_benchmark() {
        let (mut a, mut b) = (stats(Timing::Off), stats(Timing::Off));
        (a.done, b.done, b.background, b.user_written) = (10, 1000, true, 5);
        a.found = Some((3, 4));
        let total = Total::of(vec![a, b]);
        assert_eq!((total.done, total.user_written, total.found), (10, 5, Some((3, 4))));
        assert_eq!(total.background.map(|(ops, _)| ops), Some(1000));
        let mut alone = stats(Timing::Off);
        (alone.done, alone.background) = (7, true);
        assert_eq!(Total::of(vec![alone]).done, 7);
    }
}
