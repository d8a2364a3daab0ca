//! All metrics: names, types, units, labels, what they mean, and where their values come from.

use super::super::history::CLASSES;
use super::{Lines, Scrape};
use crate::redis::stats::CommandTotals;
use crate::redis::table;
use std::sync::atomic::Ordering;

/// The type of a metric.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::http) enum Type {
    /// It only grows until the server stops.
    Counter,
    /// It goes up and down.
    Gauge,
    /// Counts of times up to some bounds.
    Histogram,
}

impl Type {
    /// Returns Prometheus's name.
    pub(in crate::http) fn name(self) -> &'static str {
        match self {
            Type::Counter => "counter",
            Type::Gauge => "gauge",
            Type::Histogram => "histogram",
        }
    }
}

/// A metric.
pub(in crate::http) struct Metric {
    /// Its name without the prefix.
    pub(in crate::http) name: &'static str,
    pub(in crate::http) kind: Type,
    /// `bytes`, `seconds`, or what is counted.
    pub(in crate::http) unit: &'static str,
    pub(in crate::http) labels: &'static [&'static str],
    pub(in crate::http) help: &'static str,
    pub(in crate::http) values: fn(&Scrape<'_>, &mut Lines<'_>),
}

/// The bounds of the histogram, in microseconds and as texts in seconds.
const BOUNDS: [(u64, &str); 14] = [
    (50, "0.00005"),
    (100, "0.0001"),
    (250, "0.00025"),
    (500, "0.0005"),
    (1_000, "0.001"),
    (2_500, "0.0025"),
    (5_000, "0.005"),
    (10_000, "0.01"),
    (25_000, "0.025"),
    (50_000, "0.05"),
    (100_000, "0.1"),
    (250_000, "0.25"),
    (1_000_000, "1"),
    (10_000_000, "10"),
];

macro_rules! metric {
    ($name:literal, $kind:ident, $unit:literal, [$($label:literal),*], $help:literal, $values:expr) => {
        Metric {
            name: $name,
            kind: Type::$kind,
            unit: $unit,
            labels: &[$($label),*],
            help: $help,
            values: $values,
        }
    };
}

/// A metric that is a figure of the engine, in the unit of the metric.
macro_rules! figure {
    ($name:literal, $kind:ident, $unit:literal, $property:literal, $help:literal) => {
        metric!($name, $kind, $unit, [], $help, |scrape, lines| {
            if let Some(value) = scrape.app.parts.store.figure($property) {
                lines.value(value);
            }
        })
    };
}

/// All metrics, in the order of the text.
pub(in crate::http) const METRICS: &[Metric] = &[
    metric!("uptime_seconds", Gauge, "seconds", [], "Time since the start.", |scrape, lines| {
        let server = &scrape.app.parts.server;
        let us = server.clock.monotonic_us().saturating_sub(server.started_us);
        lines.value(us / 1_000_000);
    }),
    metric!(
        "connections_total",
        Counter,
        "connections",
        [],
        "Accepted connections of Redis clients.",
        |scrape, lines| lines.value(scrape.totals.connections)
    ),
    metric!(
        "refused_connections_total",
        Counter,
        "connections",
        [],
        "Connections of Redis clients that were refused because there were too many.",
        |scrape, lines| lines.value(scrape.totals.refused)
    ),
    metric!(
        "received_bytes_total",
        Counter,
        "bytes",
        [],
        "Bytes from Redis clients.",
        |scrape, lines| lines.value(scrape.totals.bytes_in)
    ),
    metric!(
        "sent_bytes_total",
        Counter,
        "bytes",
        [],
        "Bytes to Redis clients.",
        |scrape, lines| lines.value(scrape.totals.bytes_out)
    ),
    metric!("clients", Gauge, "clients", [], "Connected Redis clients.", |scrape, lines| {
        lines.value(scrape.app.parts.server.clients.len());
    }),
    metric!(
        "blocked_clients",
        Gauge,
        "clients",
        [],
        "Redis clients that wait in a command.",
        |scrape, lines| {
            let server = &scrape.app.parts.server;
            lines.value(server.waiters.len() + server.pause.waiting());
        }
    ),
    metric!("slow_commands", Gauge, "entries", [], "Entries of the slow log.", |scrape, lines| {
        lines.value(scrape.app.parts.server.slowlog.len());
    }),
    metric!(
        "tls_handshakes_total",
        Counter,
        "handshakes",
        [],
        "TLS handshakes that succeeded; absent without TLS.",
        |scrape, lines| handshakes(scrape, lines, |(done, _)| done)
    ),
    metric!(
        "tls_failed_handshakes_total",
        Counter,
        "handshakes",
        [],
        "TLS handshakes that failed; absent without TLS.",
        |scrape, lines| handshakes(scrape, lines, |(_, failed)| failed)
    ),
    metric!(
        "audit_lost_entries_total",
        Counter,
        "entries",
        [],
        "Entries of the audit log that could not be written; absent without one.",
        |scrape, lines| {
            if let Some(audit) = &scrape.app.parts.server.settings.audit {
                lines.value(audit.lost());
            }
        }
    ),
    metric!(
        "log_lost_lines_total",
        Counter,
        "lines",
        [],
        "Lines of the log that could not be written to its file; absent without one.",
        |scrape, lines| {
            let logs = scrape.app.parts.server.settings.logs.as_ref();
            if let Some(logs) = logs.filter(|logs| !logs.is_on_standard_error()) {
                lines.value(logs.lost());
            }
        }
    ),
    metric!(
        "commands_total",
        Counter,
        "commands",
        ["command"],
        "Redis commands that ran.",
        |scrape, lines| commands(scrape, lines, |total| total.calls as f64)
    ),
    metric!(
        "command_seconds_total",
        Counter,
        "seconds",
        ["command"],
        "Time in Redis commands.",
        |scrape, lines| commands(scrape, lines, |total| total.us as f64 / 1e6)
    ),
    metric!(
        "failed_commands_total",
        Counter,
        "commands",
        ["command"],
        "Redis commands that replied an error.",
        |scrape, lines| commands(scrape, lines, |total| total.failed as f64)
    ),
    metric!(
        "rejected_commands_total",
        Counter,
        "commands",
        ["command"],
        "Redis commands that were not run.",
        |scrape, lines| commands(scrape, lines, |total| total.rejected as f64)
    ),
    metric!(
        "command_latency_seconds",
        Histogram,
        "seconds",
        ["class", "le"],
        "Times of Redis commands by class: read, write, script, other. The parameter latency-tracking switches it.",
        latency
    ),
    metric!(
        "errors_total",
        Counter,
        "errors",
        ["code"],
        "Error replies by their code.",
        |scrape, lines| {
            for (code, count) in &scrape.totals.errors {
                let code: String = code.chars().filter(|it| it.is_ascii_alphanumeric()).collect();
                lines.with(&[&code], count);
            }
        }
    ),
    metric!(
        "key_hits_total",
        Counter,
        "keys",
        [],
        "Keys that commands read and found.",
        |scrape, lines| lines.value(scrape.totals.hits)
    ),
    metric!(
        "key_misses_total",
        Counter,
        "keys",
        [],
        "Keys that commands read and did not find.",
        |scrape, lines| lines.value(scrape.totals.misses)
    ),
    metric!(
        "expired_keys_total",
        Counter,
        "keys",
        [],
        "Keys that were removed because they had expired.",
        |scrape, lines| lines.value(scrape.totals.expired)
    ),
    metric!(
        "written_rows_total",
        Counter,
        "rows",
        [],
        "Rows that Redis commands wrote or deleted.",
        |scrape, lines| lines.value(scrape.totals.changes)
    ),
    metric!(
        "pegasus_requests_total",
        Counter,
        "requests",
        [],
        "Requests of Pegasus clients that were evaluated; absent without them.",
        |scrape, lines| pegasus(scrape, lines, |counters| &counters.evaluated)
    ),
    metric!(
        "pegasus_delayed_requests_total",
        Counter,
        "requests",
        [],
        "Requests of Pegasus clients that a limit delayed; absent without them.",
        |scrape, lines| pegasus(scrape, lines, |counters| &counters.delayed)
    ),
    metric!(
        "pegasus_rejected_requests_total",
        Counter,
        "requests",
        [],
        "Requests of Pegasus clients that a limit rejected; absent without them.",
        |scrape, lines| pegasus(scrape, lines, |counters| &counters.rejected)
    ),
    metric!(
        "pegasus_slow_requests_total",
        Counter,
        "requests",
        [],
        "Requests of Pegasus clients above their table's threshold of slow queries; absent without them.",
        |scrape, lines| pegasus(scrape, lines, |counters| &counters.slow)
    ),
    figure!(
        "memtable_bytes",
        Gauge,
        "bytes",
        "rocksdb.cur-size-all-mem-tables",
        "Rows that wait to be flushed."
    ),
    metric!(
        "memtable_budget_bytes",
        Gauge,
        "bytes",
        [],
        "Bytes of all memtables from which on they are flushed although they are not full.",
        |scrape, lines| lines.value(scrape.memory.memtables_max)
    ),
    figure!(
        "block_cache_bytes",
        Gauge,
        "bytes",
        "rocksdb.block-cache-usage",
        "Cached blocks of table files, and the memtables that are charged to the cache."
    ),
    figure!(
        "block_cache_limit_bytes",
        Gauge,
        "bytes",
        "rocksdb.block-cache-capacity",
        "The limit of the block cache."
    ),
    figure!(
        "row_cache_bytes",
        Gauge,
        "bytes",
        "ferrolith.row-cache-usage",
        "Cached rows and their table."
    ),
    figure!(
        "row_cache_hits_total",
        Counter,
        "rows",
        "ferrolith.row-cache-hits",
        "Rows that the cache of rows had."
    ),
    figure!(
        "row_cache_misses_total",
        Counter,
        "rows",
        "ferrolith.row-cache-misses",
        "Rows that the cache of rows did not have."
    ),
    figure!(
        "table_reader_bytes",
        Gauge,
        "bytes",
        "rocksdb.estimate-table-readers-mem",
        "Indexes and filters of open table files outside of the cache."
    ),
    figure!(
        "table_file_bytes",
        Gauge,
        "bytes",
        "rocksdb.live-sst-files-size",
        "Table files of the latest version."
    ),
    figure!("rows", Gauge, "rows", "rocksdb.estimate-num-keys", "Estimated rows of all tables."),
    figure!("running_flushes", Gauge, "jobs", "rocksdb.num-running-flushes", "Flushes that run."),
    figure!(
        "running_compactions",
        Gauge,
        "jobs",
        "rocksdb.num-running-compactions",
        "Compactions that run."
    ),
    figure!("flushes_total", Counter, "jobs", "rocksdb.flush-count", "Flushes since the start."),
    figure!(
        "compactions_total",
        Counter,
        "jobs",
        "rocksdb.compaction-count",
        "Compactions since the start."
    ),
    figure!(
        "flush_written_bytes_total",
        Counter,
        "bytes",
        "rocksdb.flush-write-bytes",
        "Bytes that flushes wrote."
    ),
    figure!(
        "compaction_read_bytes_total",
        Counter,
        "bytes",
        "rocksdb.compaction-read-bytes",
        "Bytes that compactions read."
    ),
    figure!(
        "compaction_written_bytes_total",
        Counter,
        "bytes",
        "rocksdb.compaction-write-bytes",
        "Bytes that compactions wrote."
    ),
    figure!(
        "pending_compaction_bytes",
        Gauge,
        "bytes",
        "rocksdb.estimate-pending-compaction-bytes",
        "Bytes that compactions have to rewrite."
    ),
    metric!(
        "write_stall_seconds_total",
        Counter,
        "seconds",
        [],
        "Time in which writers were delayed or stopped, summed over writers.",
        |scrape, lines| {
            let us = scrape.app.parts.store.figure("rocksdb.write-stall-micros").unwrap_or(0);
            lines.value(us as f64 / 1e6);
        }
    ),
    figure!(
        "writes_stopped",
        Gauge,
        "boolean",
        "rocksdb.is-write-stopped",
        "1 while writes wait for flushes or compactions."
    ),
    figure!("snapshots", Gauge, "snapshots", "rocksdb.num-snapshots", "Open snapshots."),
    figure!(
        "background_errors",
        Gauge,
        "boolean",
        "rocksdb.background-errors",
        "1 while a failed flush or compaction stops writes."
    ),
    metric!(
        "partition_table_file_bytes",
        Gauge,
        "bytes",
        ["table", "partition"],
        "Table files of each partition.",
        |scrape, lines| partitions(scrape, lines, "rocksdb.live-sst-files-size")
    ),
    metric!(
        "partition_rows",
        Gauge,
        "rows",
        ["table", "partition"],
        "Estimated rows of each partition.",
        |scrape, lines| partitions(scrape, lines, "rocksdb.estimate-num-keys")
    ),
];

/// The partitions that are told apart; those of further tables are in the sums only.
const PARTITIONS_MAX: usize = 256;

fn handshakes(scrape: &Scrape<'_>, lines: &mut Lines<'_>, which: fn((u64, u64)) -> u64) {
    if let Some(tls) = &scrape.app.parts.server.settings.tls {
        lines.value(which(tls.handshakes()));
    }
}

fn commands(scrape: &Scrape<'_>, lines: &mut Lines<'_>, which: fn(&CommandTotals) -> f64) {
    let all = table::every().zip(&scrape.totals.commands);
    for (command, total) in all.filter(|(_, total)| total.calls + total.rejected > 0) {
        lines.with(&[command.full_name], which(total));
    }
}

fn latency(scrape: &Scrape<'_>, lines: &mut Lines<'_>) {
    let mut seconds = [0.0; CLASSES.len()];
    for (command, total) in table::every().zip(&scrape.totals.commands) {
        if let Some(sum) = seconds.get_mut(super::super::history::class_of(command)) {
            *sum += total.us as f64 / 1e6;
        }
    }
    for ((class, times), sum) in CLASSES.iter().zip(&scrape.classes).zip(seconds) {
        for (us, bound) in BOUNDS {
            let count = times.count_up_to(us * 1000);
            lines.ending("_bucket", &[class, bound], count);
        }
        let count = times.count();
        lines.ending("_bucket", &[class, "+Inf"], count);
        lines.ending("_sum", &[class], sum);
        lines.ending("_count", &[class], count);
    }
}

fn pegasus(
    scrape: &Scrape<'_>,
    lines: &mut Lines<'_>,
    which: fn(&crate::pegasus::Counters) -> &std::sync::atomic::AtomicU64,
) {
    if let Some(service) = &scrape.app.parts.pegasus {
        lines.value(which(service.counters()).load(Ordering::Relaxed));
    }
}

fn partitions(scrape: &Scrape<'_>, lines: &mut Lines<'_>, property: &str) {
    let parts = &scrape.app.parts;
    let tables = parts.catalogue.list();
    let all = tables.iter().filter(|table| table.is_available()).flat_map(|table| {
        let name = &table.info().app_name;
        table.partitions().iter().map(move |partition| (name, *partition))
    });
    for (table, partition) in all.take(PARTITIONS_MAX) {
        if let Some(value) = parts.store.partition_figure(partition, property) {
            lines.with(&[table, &partition.0.to_string()], value);
        }
    }
}
