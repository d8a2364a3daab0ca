//! The text of `/metrics`, in the format of Prometheus.

use crate::redis::Server;
use crate::redis::table;
use crate::store::Store;
use std::fmt::{Display, Write};

/// Figures of the engine: property, name of the metric, and what it is.
const FIGURES: [(&str, &str, &str); 11] = [
    ("rocksdb.cur-size-all-mem-tables", "memtable_bytes", "Rows that wait to be flushed."),
    ("rocksdb.block-cache-usage", "block_cache_bytes", "Cached blocks of table files."),
    ("ferrolith.row-cache-usage", "row_cache_bytes", "Cached rows and their table."),
    ("rocksdb.live-sst-files-size", "table_file_bytes", "Table files of the latest version."),
    ("rocksdb.estimate-num-keys", "rows", "Estimated rows of all tables."),
    ("rocksdb.num-running-flushes", "running_flushes", "Flushes that run."),
    ("rocksdb.num-running-compactions", "running_compactions", "Compactions that run."),
    (
        "rocksdb.estimate-pending-compaction-bytes",
        "pending_compaction_bytes",
        "Bytes that compactions have to rewrite.",
    ),
    (
        "rocksdb.is-write-stopped",
        "writes_stopped",
        "1 while writes wait for flushes or compactions.",
    ),
    ("rocksdb.num-snapshots", "snapshots", "Open snapshots."),
    ("rocksdb.background-errors", "background_errors", "Failed flushes and compactions."),
];

/// Counters of the store: the same.
const COUNTERS: [(&str, &str, &str); 2] = [
    ("ferrolith.row-cache-hits", "row_cache_hits_total", "Rows that the cache of rows had."),
    ("ferrolith.row-cache-misses", "row_cache_misses_total", "Rows that it did not have."),
];

/// A text in the format of Prometheus.
#[derive(Default)]
struct Text(String);

impl Text {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string does not fail.
        _ = write!(self.0, "# HELP ferrolith_{name} {help}\n# TYPE ferrolith_{name} {kind}\n");
    }

    fn value(&mut self, name: &str, labels: &str, value: impl Display) {
        _ = writeln!(self.0, "ferrolith_{name}{labels} {value}");
    }

    fn single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.family(name, kind, help);
        self.value(name, "", value);
    }
}

/// Returns all metrics of a server.
pub(super) fn text(server: &Server) -> String {
    let mut text = Text::default();
    let uptime_us = server.clock.monotonic_us().saturating_sub(server.started_us);
    text.single("uptime_seconds", "gauge", "Time since the start.", uptime_us / 1_000_000);
    clients(server, &mut text);
    handshakes(server, &mut text);
    commands(server, &mut text);
    let gauges = FIGURES.iter().map(|figure| (figure, "gauge"));
    for ((property, name, help), kind) in
        gauges.chain(COUNTERS.iter().map(|figure| (figure, "counter")))
    {
        if let Some(value) = server.store.figure(property) {
            text.single(name, kind, help, value);
        }
    }
    text.0
}

fn clients(server: &Server, text: &mut Text) {
    let totals = server.stats.totals_since_start();
    let counters = [
        ("connections_total", "Accepted connections of Redis clients.", totals.connections),
        ("refused_connections_total", "Connections above the limit.", totals.refused),
        ("received_bytes_total", "Bytes from Redis clients.", totals.bytes_in),
        ("sent_bytes_total", "Bytes to Redis clients.", totals.bytes_out),
    ];
    for (name, help, value) in counters {
        text.single(name, "counter", help, value);
    }
    text.single("clients", "gauge", "Connected Redis clients.", server.clients.len());
    let blocked = server.waiters.len() + server.pause.waiting();
    text.single("blocked_clients", "gauge", "Redis clients that wait in a command.", blocked);
    text.single("slow_commands", "gauge", "Entries of the slow log.", server.slowlog.len());
}

fn handshakes(server: &Server, text: &mut Text) {
    let Some(tls) = &server.settings.tls else { return };
    let (done, failed) = tls.handshakes();
    text.single("tls_handshakes_total", "counter", "TLS handshakes that succeeded.", done);
    text.single("tls_failed_handshakes_total", "counter", "TLS handshakes that failed.", failed);
}

fn commands(server: &Server, text: &mut Text) {
    let totals = server.stats.totals_since_start();
    let used: Vec<_> = table::every()
        .zip(&totals.commands)
        .filter(|(_, total)| total.calls + total.rejected > 0)
        .map(|(command, total)| (format!("{{command=\"{}\"}}", command.full_name), total))
        .collect();
    text.family("commands_total", "counter", "Redis commands that ran.");
    used.iter().for_each(|(label, total)| text.value("commands_total", label, total.calls));
    text.family("command_seconds_total", "counter", "Time in Redis commands.");
    for (label, total) in &used {
        text.value("command_seconds_total", label, total.us as f64 / 1e6);
    }
    text.family("failed_commands_total", "counter", "Redis commands that replied an error.");
    used.iter().for_each(|(label, total)| text.value("failed_commands_total", label, total.failed));
    text.family("rejected_commands_total", "counter", "Redis commands that were not run.");
    for (label, total) in &used {
        text.value("rejected_commands_total", label, total.rejected);
    }
    text.family("errors_total", "counter", "Error replies by their code.");
    for (code, count) in &totals.errors {
        let code: String = code.chars().filter(|it| it.is_ascii_alphanumeric()).collect();
        text.value("errors_total", &format!("{{code=\"{code}\"}}"), count);
    }
}

/// Returns what is wrong with the server; `None` if nothing is.
pub(super) fn illness(store: &dyn Store) -> Option<String> {
    let is_above_zero = |name: &str| store.figure(name).is_some_and(|value| value > 0);
    if is_above_zero("rocksdb.background-errors") {
        return Some("a flush or a compaction failed: see the log".to_owned());
    }
    if is_above_zero("rocksdb.is-write-stopped") {
        return Some("writes wait for flushes or compactions".to_owned());
    }
    None
}
