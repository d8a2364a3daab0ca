//! Running and finished flushes and compactions, and when writers had to wait.

use super::super::App;
use super::super::query::Query;
use super::super::refusal::Refusal;
use super::place_of;
use crate::store::JobKind;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// Background work since the start, as far as it is remembered.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct Jobs {
    /// What runs, the oldest first.
    running: Vec<Job>,
    /// What ended, the newest first; at most 512.
    finished: Vec<Job>,
    /// When writers began or ceased to wait, the newest first; at most 256.
    stalls: Vec<Stall>,
}

/// A flush or a compaction.
#[derive(Debug, Serialize, JsonSchema)]
struct Job {
    /// `flush` or `compaction`.
    kind: &'static str,
    /// The engine's number of the job.
    id: i32,
    /// The name of the table.
    table: String,
    /// The number of the partition; null for rows of the server itself and for dropped tables.
    partition: Option<u32>,
    /// Why it runs, in the engine's words.
    reason: &'static str,
    /// When it began, in milliseconds since 1970.
    started_ms: u64,
    /// When it ended, in milliseconds since 1970; null while it runs.
    ended_ms: Option<u64>,
    /// The first level that it reads; -1 for memtables.
    from_level: i32,
    /// The level that it writes to.
    to_level: i32,
    /// Bytes of table files read; known at the end.
    read_bytes: u64,
    /// Bytes of table files written; known at the end.
    written_bytes: u64,
    /// Why it failed; empty if it did not.
    error: String,
}

/// A change of the condition of writers.
#[derive(Debug, Serialize, JsonSchema)]
struct Stall {
    /// When, in milliseconds since 1970.
    at_ms: u64,
    /// The name of the table.
    table: String,
    /// The number of the partition; null for rows of the server itself and for dropped tables.
    partition: Option<u32>,
    /// From then on writers are `normal`, `delayed` or `stopped`.
    writes: &'static str,
    /// Why, in the engine's words, such as `l0-file-count-limit-stops`; empty for `normal` and if it is unknown.
    cause: String,
}

/// Returns the background work.
pub(in crate::http) fn get(app: &App, query: &Query<'_>) -> Result<Jobs, Refusal> {
    let count = query.number("count")? as usize;
    let events = app.parts.store.events();
    let mut places: HashMap<String, (String, Option<u32>)> = HashMap::new();
    let mut place = |family: &str| match places.get(family) {
        Some(place) => place.clone(),
        None => places.entry(family.to_owned()).or_insert_with(|| place_of(app, family)).clone(),
    };
    let mut job = |it: crate::store::Job| {
        let (table, partition) = place(&it.family);
        Job {
            kind: match it.kind {
                JobKind::Flush => "flush",
                JobKind::Compaction => "compaction",
            },
            id: it.id,
            table,
            partition,
            reason: it.reason,
            started_ms: it.started_ms,
            ended_ms: it.ended_ms,
            from_level: it.from_level,
            to_level: it.to_level,
            read_bytes: it.read_bytes,
            written_bytes: it.written_bytes,
            error: it.error,
        }
    };
    let running = events.running().into_iter().map(&mut job).collect();
    let finished = events.finished(count).into_iter().map(&mut job).collect();
    let stall = |it: crate::store::Stall| {
        let (table, partition) = place(&it.family);
        Stall { at_ms: it.at_ms, table, partition, writes: it.condition, cause: it.cause }
    };
    Ok(Jobs { running, finished, stalls: events.stalls().into_iter().map(stall).collect() })
}
