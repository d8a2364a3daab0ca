//! Observers of lookups: none, the database's statistics, or the perf context of the calling thread.
//!
//! A lookup is compiled once per observer. An unobserved lookup therefore costs one branch at its start ([`observed`])
//! and nothing afterwards.

use crate::base::PinnedValue;
use crate::base::perf::{self, PerfMetric, PerfTimer};
use crate::env::clock::Instant;
use crate::error::Result;
use crate::fs::cpu_timer::CpuTimer;
use crate::memtable::MemTable;
use crate::stats::{Activity, Busy, HistogramType, LocalCounters, Statistics, Ticker, busy_with};
use std::sync::Arc;

/// The results of a lookup of many keys.
pub(super) type Values = Vec<Result<Option<PinnedValue>>>;

/// The kind of a lookup call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// One key.
    Get,
    /// Many keys.
    MultiGet,
}

/// A part of a lookup that is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Pinning and choosing what to read.
    Pin,
    /// Everything after that.
    Search,
    /// Searching memtables.
    Memtables,
    /// Searching files.
    Files,
}

/// Observes one call.
pub(super) trait Observe {
    /// Whether anything is observed. If not, data that only observers need is not prepared.
    const OBSERVES: bool;
    /// A guard that ends a phase when it is dropped.
    type Span;

    /// Begins a phase.
    fn span(&self, phase: Phase) -> Self::Span;
    /// Returns the statistics in which merges are counted.
    fn statistics(&self) -> Option<&Statistics>;
    /// Notes that a memtable is searched for a key.
    fn asks_memtable(&self, mem: &MemTable);
    /// Notes that the memtables were searched for a key. `is_hit` means that one of their entries settled the answer.
    fn left_memtables(&self, is_hit: bool);
    /// Notes that a file of this level had the value of a key.
    fn found_in_level(&self, level: usize);
    /// Notes the end of a lookup of one key: the size of its value in bytes, 0 if it has none, or `None` after an
    /// error.
    fn got(&self, bytes: Option<u64>);
    /// Notes the end of a lookup of many keys.
    fn got_many(&self, values: &Values);
}

/// Observes nothing.
pub(super) struct Unobserved;

impl Observe for Unobserved {
    const OBSERVES: bool = false;
    type Span = ();

    #[inline(always)]
    fn span(&self, _phase: Phase) {}
    #[inline(always)]
    fn statistics(&self) -> Option<&Statistics> {
        None
    }
    #[inline(always)]
    fn asks_memtable(&self, _mem: &MemTable) {}
    #[inline(always)]
    fn left_memtables(&self, _is_hit: bool) {}
    #[inline(always)]
    fn found_in_level(&self, _level: usize) {}
    #[inline(always)]
    fn got(&self, _bytes: Option<u64>) {}
    #[inline(always)]
    fn got_many(&self, _values: &Values) {}
}

/// Updates the database's statistics.
pub(super) struct Counted<'a> {
    stats: &'a Statistics,
    mine: LocalCounters<'a>,
    /// The start time of the call, if times are measured.
    start: Option<Instant>,
    _busy: Busy,
}

impl<'a> Counted<'a> {
    /// Observes a call that begins now.
    #[inline]
    pub(super) fn new(stats: &'a Statistics, call: Call) -> Counted<'a> {
        let activity = match call {
            Call::Get => Activity::Get,
            Call::MultiGet => Activity::MultiGet,
        };
        let start = stats.has_timers().then(Instant::now);
        Counted { stats, mine: stats.local(), start, _busy: busy_with(activity) }
    }

    #[inline]
    fn record_time(&self, histogram: HistogramType) {
        if let Some(start) = self.start {
            self.mine.record(histogram, start.elapsed().as_micros() as u64);
        }
    }
}

impl Observe for Counted<'_> {
    const OBSERVES: bool = true;
    type Span = ();

    #[inline(always)]
    fn span(&self, _phase: Phase) {}

    #[inline]
    fn statistics(&self) -> Option<&Statistics> {
        Some(self.stats)
    }

    #[inline(always)]
    fn asks_memtable(&self, _mem: &MemTable) {}

    #[inline]
    fn left_memtables(&self, is_hit: bool) {
        self.mine.add(if is_hit { Ticker::MemtableHit } else { Ticker::MemtableMiss }, 1);
    }

    #[inline]
    fn found_in_level(&self, level: usize) {
        let hit = match level {
            0 => Ticker::GetHitL0,
            1 => Ticker::GetHitL1,
            _ => Ticker::GetHitL2AndUp,
        };
        self.mine.add(hit, 1);
    }

    #[inline]
    fn got(&self, bytes: Option<u64>) {
        self.mine.add(Ticker::NumberKeysRead, 1);
        if let Some(bytes) = bytes {
            self.mine.add(Ticker::BytesRead, bytes);
            self.mine.record(HistogramType::BytesPerRead, bytes);
        }
        self.record_time(HistogramType::DbGet);
    }

    fn got_many(&self, values: &Values) {
        let (mut found, mut bytes) = (0, 0);
        for value in values.iter().filter_map(|value| value.as_ref().ok()?.as_ref()) {
            found += 1;
            bytes += value.len() as u64;
        }
        self.mine.add(Ticker::NumberMultigetCalls, 1);
        self.mine.add(Ticker::NumberMultigetKeysRead, values.len() as u64);
        self.mine.add(Ticker::NumberMultigetKeysFound, found);
        self.mine.add(Ticker::NumberMultigetBytesRead, bytes);
        self.mine.record(HistogramType::BytesPerMultiget, bytes);
        self.record_time(HistogramType::DbMultiget);
    }
}

/// Updates the perf context, and the statistics if they are enabled.
struct Measured<'a> {
    call: Call,
    counted: Option<Counted<'a>>,
}

/// The timer of a phase.
enum MeasuredSpan {
    None,
    Time { _timer: PerfTimer },
    Cpu { _timer: CpuTimer },
}

impl Observe for Measured<'_> {
    const OBSERVES: bool = true;
    type Span = MeasuredSpan;

    fn span(&self, phase: Phase) -> MeasuredSpan {
        let metric = match (phase, self.call) {
            (Phase::Pin, Call::Get) => PerfMetric::GetSnapshotTime,
            (Phase::Search, Call::Get) => {
                return MeasuredSpan::Cpu { _timer: CpuTimer::start(PerfMetric::GetCpuNanos) };
            }
            (Phase::Pin | Phase::Search, Call::MultiGet) => return MeasuredSpan::None,
            (Phase::Memtables, _) => PerfMetric::GetFromMemtableTime,
            (Phase::Files, _) => PerfMetric::GetFromOutputFilesTime,
        };
        MeasuredSpan::Time { _timer: PerfTimer::start(metric) }
    }

    fn statistics(&self) -> Option<&Statistics> {
        self.counted.as_ref()?.statistics()
    }

    fn asks_memtable(&self, mem: &MemTable) {
        perf::count(PerfMetric::GetFromMemtableCount, u64::from(!mem.is_empty()));
    }

    fn left_memtables(&self, is_hit: bool) {
        self.counted.iter().for_each(|counted| counted.left_memtables(is_hit));
    }

    fn found_in_level(&self, level: usize) {
        self.counted.iter().for_each(|counted| counted.found_in_level(level));
    }

    fn got(&self, bytes: Option<u64>) {
        perf::count(PerfMetric::GetReadBytes, bytes.unwrap_or(0));
        self.counted.iter().for_each(|counted| counted.got(bytes));
    }

    fn got_many(&self, values: &Values) {
        let found = values.iter().filter_map(|value| value.as_ref().ok()?.as_ref());
        perf::count(PerfMetric::MultigetReadBytes, found.map(|value| value.len() as u64).sum());
        self.counted.iter().for_each(|counted| counted.got_many(values));
    }
}

/// An operation that can run with any observer.
pub(super) trait Observable {
    /// The result of the operation.
    type Output;

    /// Runs the operation.
    fn run<O: Observe>(self, observer: &O) -> Self::Output;
}

/// Runs a call with the observer that the database and the process require.
#[inline(always)]
pub(super) fn observed<T: Observable>(
    stats: Option<&Arc<Statistics>>,
    call: Call,
    what: T,
) -> T::Output {
    if perf::is_used() {
        return measured(stats, call, what);
    }
    match stats {
        None => what.run(&Unobserved),
        Some(stats) => counted(stats, call, what),
    }
}

#[inline(never)]
fn counted<T: Observable>(stats: &Statistics, call: Call, what: T) -> T::Output {
    what.run(&Counted::new(stats, call))
}

#[cold]
#[inline(never)]
fn measured<T: Observable>(stats: Option<&Arc<Statistics>>, call: Call, what: T) -> T::Output {
    what.run(&Measured { call, counted: stats.map(|stats| Counted::new(stats, call)) })
}
