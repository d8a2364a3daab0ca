//! Rates and latencies over time: samples of counters in two rings, one per second and one per minute.
//!
//! Workers count for themselves whether or not anybody looks. A sample sums their counters, and the difference of two
//! samples is a rate; the difference of two histograms has the percentiles of the time between them.

use super::App;
use crate::redis::command::{Command, Group, READONLY};
use crate::redis::stats::{Times, Totals};
use crate::redis::table;
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::atomic::Ordering;

/// Samples per second that are kept: ten minutes.
const SECONDS_MAX: usize = 600;
/// Samples per minute that are kept: a day.
const MINUTES_MAX: usize = 1440;
const MINUTE_US: u64 = 60_000_000;

/// Classes of commands whose latencies are told apart.
pub(crate) const CLASSES: [&str; 4] = ["read", "write", "script", "other"];

/// Returns the class of a command, as a place in [`CLASSES`].
pub(crate) fn class_of(command: &Command) -> usize {
    match command {
        command if command.group == Group::Scripting => 2,
        command if command.is_write() => 1,
        command if command.flags.has(READONLY) => 0,
        _ => 3,
    }
}

/// Returns the times of all commands, by class.
pub(crate) fn times_by_class(totals: &Totals) -> [Times; CLASSES.len()] {
    let mut classes: [Times; CLASSES.len()] = Default::default();
    for (command, total) in table::every().zip(&totals.commands) {
        if let Some(times) = classes.get_mut(class_of(command)) {
            times.merge(&total.times);
        }
    }
    classes
}

/// Defines numbers of a sample, and the same numbers over time.
macro_rules! series {
    (with rates: $(#[$one_doc:meta])* $one:ident, $(#[$all_doc:meta])* $all:ident { $($(#[$doc:meta])* $name:ident,)+ }) => {
        series! { $(#[$one_doc])* $one, $(#[$all_doc])* $all { $($(#[$doc])* $name,)+ } }

        impl $one {
            /// Returns how much each number grew per second.
            fn rates(&self, before: &$one, seconds: f64) -> $one {
                $one { $($name: (self.$name - before.$name).max(0.0) / seconds,)+ }
            }
        }
    };
    ($(#[$one_doc:meta])* $one:ident, $(#[$all_doc:meta])* $all:ident { $($(#[$doc:meta])* $name:ident,)+ }) => {
        $(#[$one_doc])*
        #[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
        pub(super) struct $one {
            $($(#[$doc])* pub(super) $name: f64,)+
        }

        $(#[$all_doc])*
        #[derive(Debug, Default, Serialize, JsonSchema)]
        pub(super) struct $all {
            $($(#[$doc])* pub(super) $name: Vec<f64>,)+
        }

        impl $all {
            fn push(&mut self, one: &$one) {
                $(self.$name.push(one.$name);)+
            }
        }
    };
}

series! {
    with rates:
    /// Rates.
    Rates,
    /// Rates over time.
    RateSeries {
        /// Redis commands per second.
        commands,
        /// Redis commands per second that replied an error or were refused.
        failed_commands,
        /// Requests of Pegasus clients per second.
        pegasus_requests,
        /// Bytes per second from Redis clients.
        received_bytes,
        /// Bytes per second to Redis clients.
        sent_bytes,
        /// Keys per second that commands read and found.
        key_hits,
        /// Keys per second that commands read and did not find.
        key_misses,
        /// Rows per second that Redis commands wrote or deleted.
        written_rows,
        /// Accepted connections of Redis clients per second.
        connections,
        /// Bytes per second that flushes wrote.
        flush_bytes,
        /// Bytes per second that compactions read.
        compaction_read_bytes,
        /// Bytes per second that compactions wrote.
        compaction_write_bytes,
        /// The share of time in which writers were delayed or stopped, summed over writers: 1 is one writer that waits
        /// all the time.
        stalled_writers,
    }
}

series! {
    /// States.
    Gauges,
    /// States over time.
    GaugeSeries {
        /// Connected Redis clients.
        clients,
        /// Redis clients that wait in a command.
        blocked_clients,
        /// Bytes of rows that wait to be flushed.
        memtable_bytes,
        /// Bytes of cached blocks.
        cache_bytes,
        /// Bytes of table files.
        table_file_bytes,
        /// Bytes that compactions have to rewrite.
        pending_compaction_bytes,
        /// Flushes that run.
        running_flushes,
        /// Compactions that run.
        running_compactions,
    }
}

/// The latencies of a class of commands in the time of a sample.
#[derive(Clone, Copy, Debug, Default)]
struct Latency {
    calls: u64,
    p50_us: u64,
    p99_us: u64,
    p999_us: u64,
}

/// The latencies of a class of commands over time. Times are off by at most a sixteenth.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct LatencySeries {
    /// `read`, `write`, `script` or `other`.
    pub(super) class: &'static str,
    /// The calls in the time of each sample.
    pub(super) calls: Vec<u64>,
    /// The time in microseconds that half of the calls did not exceed; 0 without calls.
    pub(super) p50_us: Vec<u64>,
    /// The time in microseconds that 99 % of the calls did not exceed; 0 without calls.
    pub(super) p99_us: Vec<u64>,
    /// The time in microseconds that 99.9 % of the calls did not exceed; 0 without calls.
    pub(super) p999_us: Vec<u64>,
}

/// One sample.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at_ms: u64,
    rates: Rates,
    gauges: Gauges,
    classes: [Latency; CLASSES.len()],
}

/// Sums at one moment.
#[derive(Default)]
struct Sums {
    at_us: u64,
    at_ms: u64,
    counters: Rates,
    gauges: Gauges,
    classes: [Times; CLASSES.len()],
}

/// A ring of samples.
#[derive(Default)]
struct Ring {
    last: Option<Sums>,
    samples: VecDeque<Sample>,
}

/// The rings.
#[derive(Default)]
pub(super) struct History(Mutex<[Ring; 2]>);

impl Ring {
    fn push(&mut self, now: Sums, max: usize) {
        if let Some(last) = &self.last {
            let seconds = now.at_us.saturating_sub(last.at_us).max(1) as f64 / 1e6;
            if self.samples.len() >= max {
                self.samples.pop_front();
            }
            let mut classes = [Latency::default(); CLASSES.len()];
            for ((latency, now), before) in classes.iter_mut().zip(&now.classes).zip(&last.classes)
            {
                let mut times = now.clone();
                times.subtract(before);
                let [p50_us, p99_us, p999_us] = [50.0, 99.0, 99.9].map(|it| times.percentile(it));
                *latency = Latency { calls: times.count(), p50_us, p99_us, p999_us };
            }
            self.samples.push_back(Sample {
                at_ms: now.at_ms,
                rates: now.counters.rates(&last.counters, seconds),
                gauges: now.gauges,
                classes,
            });
        }
        self.last = Some(now);
    }
}

/// The history of the server since its start. Each place of the lists is one sample; the oldest is first.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Series {
    /// The seconds between two samples.
    pub(super) resolution_seconds: u64,
    /// When each sample was taken, in milliseconds since 1970.
    pub(super) at_ms: Vec<u64>,
    /// What happened per second.
    pub(super) rates: RateSeries,
    /// What was the case.
    pub(super) gauges: GaugeSeries,
    /// How long Redis commands took, by class. Empty numbers if the parameter `latency-tracking` is off.
    pub(super) latencies: Vec<LatencySeries>,
}

impl History {
    /// Takes a sample. Called once per second.
    pub(super) fn sample(&self, app: &App) {
        let second = sums(app);
        let mut rings = self.0.lock();
        let [seconds, minutes] = &mut *rings;
        let is_due = minutes
            .last
            .as_ref()
            .is_none_or(|last| second.at_us.saturating_sub(last.at_us) >= MINUTE_US);
        if is_due {
            let classes = second.classes.clone();
            minutes.push(Sums { classes, ..second }, MINUTES_MAX);
        }
        seconds.push(second, SECONDS_MAX);
    }

    /// Returns the newest samples of a ring.
    pub(super) fn series(&self, by_minute: bool, count: usize) -> Series {
        let rings = self.0.lock();
        let [seconds, minutes] = &*rings;
        let ring = if by_minute { minutes } else { seconds };
        let mut series = Series {
            resolution_seconds: if by_minute { 60 } else { 1 },
            latencies: CLASSES
                .map(|class| LatencySeries { class, ..LatencySeries::default() })
                .into(),
            ..Series::default()
        };
        for sample in ring.samples.iter().skip(ring.samples.len().saturating_sub(count)) {
            series.at_ms.push(sample.at_ms);
            series.rates.push(&sample.rates);
            series.gauges.push(&sample.gauges);
            for (all, one) in series.latencies.iter_mut().zip(&sample.classes) {
                all.calls.push(one.calls);
                all.p50_us.push(one.p50_us);
                all.p99_us.push(one.p99_us);
                all.p999_us.push(one.p999_us);
            }
        }
        series
    }

    /// Returns the rates of the latest second.
    pub(super) fn rates(&self) -> Rates {
        let rings = self.0.lock();
        let [seconds, _] = &*rings;
        seconds.samples.back().map(|sample| sample.rates).unwrap_or_default()
    }
}

/// Sums all counters.
fn sums(app: &App) -> Sums {
    let server = &app.parts.server;
    let totals = server.stats.totals_since_start();
    let figure = |name: &str| app.parts.store.figure(name).unwrap_or(0) as f64;
    let failed: u64 = totals.commands.iter().map(|it| it.failed + it.rejected).sum();
    let pegasus = app.parts.pegasus.as_ref();
    let counters = Rates {
        commands: totals.calls() as f64,
        failed_commands: failed as f64,
        pegasus_requests: pegasus
            .map_or(0.0, |service| service.counters().evaluated.load(Ordering::Relaxed) as f64),
        received_bytes: totals.bytes_in as f64,
        sent_bytes: totals.bytes_out as f64,
        key_hits: totals.hits as f64,
        key_misses: totals.misses as f64,
        written_rows: totals.changes as f64,
        connections: totals.connections as f64,
        flush_bytes: figure("rocksdb.flush-write-bytes"),
        compaction_read_bytes: figure("rocksdb.compaction-read-bytes"),
        compaction_write_bytes: figure("rocksdb.compaction-write-bytes"),
        stalled_writers: figure("rocksdb.write-stall-micros") / 1e6,
    };
    let gauges = Gauges {
        clients: server.clients.len() as f64,
        blocked_clients: (server.waiters.len() + server.pause.waiting()) as f64,
        memtable_bytes: figure("rocksdb.cur-size-all-mem-tables"),
        cache_bytes: figure("rocksdb.block-cache-usage"),
        table_file_bytes: figure("rocksdb.live-sst-files-size"),
        pending_compaction_bytes: figure("rocksdb.estimate-pending-compaction-bytes"),
        running_flushes: figure("rocksdb.num-running-flushes"),
        running_compactions: figure("rocksdb.num-running-compactions"),
    };
    Sums {
        at_us: server.clock.monotonic_us(),
        at_ms: server.clock.wall_ms(),
        counters,
        gauges,
        classes: times_by_class(&totals),
    }
}

#[cfg(test)]
#[path = "history_test.rs"]
mod tests;
