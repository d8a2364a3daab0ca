//! The state of the server in a few numbers.

use super::super::App;
use super::super::history::Rates;
use super::super::refusal::Refusal;
use crate::redis::replica::Mode;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::atomic::Ordering;

/// The state of the server.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct Overview {
    /// The version of the server.
    version: &'static str,
    /// The time of the server in milliseconds since 1970.
    now_ms: u64,
    /// Seconds since the start.
    uptime_seconds: u64,
    /// `master`, `replica`, or `loading` while the copy of another server is incomplete.
    role: &'static str,
    /// What happens per second, as of the latest sample.
    rates: Rates,
    /// Counts since the start.
    totals: Totals,
    /// Connected Redis clients.
    clients: usize,
    /// Redis clients that wait in a command.
    blocked_clients: usize,
    /// Entries of the log of slow commands.
    slow_commands: usize,
    /// Estimated rows of all tables.
    rows: u64,
    /// Bytes of table files.
    table_file_bytes: u64,
    /// Commands since the start, by how much time they took together; at most 20.
    commands: Vec<CommandUse>,
    /// Error replies since the start, by their code.
    errors: Vec<ErrorCount>,
}

/// Counts since the start. CONFIG RESETSTAT does not change them.
#[derive(Debug, Serialize, JsonSchema)]
struct Totals {
    /// Redis commands that ran.
    commands: u64,
    /// Requests of Pegasus clients that were evaluated.
    pegasus_requests: u64,
    /// Accepted connections of Redis clients.
    connections: u64,
    /// Connections of Redis clients that were refused since there were too many.
    refused_connections: u64,
    /// Bytes from Redis clients.
    received_bytes: u64,
    /// Bytes to Redis clients.
    sent_bytes: u64,
    /// Keys that commands read and found.
    key_hits: u64,
    /// Keys that commands read and did not find.
    key_misses: u64,
    /// Keys that were removed since they had expired.
    expired_keys: u64,
}

/// One command since the start.
#[derive(Debug, Serialize, JsonSchema)]
struct CommandUse {
    /// Its name, such as `config|get`.
    command: &'static str,
    /// How often it ran.
    calls: u64,
    /// How long all calls took together, in microseconds.
    total_us: u64,
    /// The time in microseconds that half of the calls did not exceed.
    p50_us: u64,
    /// The time in microseconds that 99 % of the calls did not exceed.
    p99_us: u64,
    /// The time in microseconds that 99.9 % of the calls did not exceed.
    p999_us: u64,
    /// How often it replied an error.
    failed: u64,
    /// How often it was refused before it ran.
    rejected: u64,
}

/// Error replies of one code.
#[derive(Debug, Serialize, JsonSchema)]
struct ErrorCount {
    /// The code, such as `WRONGTYPE`. Scripts can make up codes.
    code: String,
    /// How many there were.
    count: u64,
}

/// The commands in the list.
const COMMANDS_MAX: usize = 20;

/// Returns the state of the server.
pub(in crate::http) fn get(app: &App) -> Result<Overview, Refusal> {
    let (server, store) = (&app.parts.server, &app.parts.store);
    let totals = server.stats.totals_since_start();
    let mut commands: Vec<_> = crate::redis::table::every()
        .zip(&totals.commands)
        .filter(|(_, total)| total.calls + total.rejected > 0)
        .map(|(command, total)| CommandUse {
            command: command.full_name,
            calls: total.calls,
            total_us: total.us,
            p50_us: total.times.percentile(50.0),
            p99_us: total.times.percentile(99.0),
            p999_us: total.times.percentile(99.9),
            failed: total.failed,
            rejected: total.rejected,
        })
        .collect();
    commands.sort_by_key(|command| std::cmp::Reverse(command.total_us));
    commands.truncate(COMMANDS_MAX);
    let pegasus = app.parts.pegasus.as_ref();
    Ok(Overview {
        version: env!("CARGO_PKG_VERSION"),
        now_ms: server.clock.wall_ms(),
        uptime_seconds: server.clock.monotonic_us().saturating_sub(server.started_us) / 1_000_000,
        role: match server.replication.mode() {
            Mode::Master => "master",
            Mode::Replica => "replica",
            Mode::Loading => "loading",
        },
        rates: app.history.rates(),
        clients: server.clients.len(),
        blocked_clients: server.waiters.len() + server.pause.waiting(),
        slow_commands: server.slowlog.len(),
        rows: store.figure("rocksdb.estimate-num-keys").unwrap_or(0),
        table_file_bytes: store.figure("rocksdb.live-sst-files-size").unwrap_or(0),
        commands,
        errors: totals
            .errors
            .iter()
            .map(|(code, count)| ErrorCount { code: code.clone(), count: *count })
            .collect(),
        totals: Totals {
            commands: totals.calls(),
            pegasus_requests: pegasus
                .map_or(0, |service| service.counters().evaluated.load(Ordering::Relaxed)),
            connections: totals.connections,
            refused_connections: totals.refused,
            received_bytes: totals.bytes_in,
            sent_bytes: totals.bytes_out,
            key_hits: totals.hits,
            key_misses: totals.misses,
            expired_keys: totals.expired,
        },
    })
}
