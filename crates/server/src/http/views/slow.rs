//! The log of slow commands, and the latency monitor.

use super::super::App;
use super::super::bytes::show;
use super::super::query::Query;
use super::super::refusal::Refusal;
use crate::redis::parameters::Id;
use schemars::JsonSchema;
use serde::Serialize;

const SLOWER_THAN: Id = Id::of("slowlog-log-slower-than");
const THRESHOLD: Id = Id::of("latency-monitor-threshold");

/// Slow commands. Passwords among their arguments are hidden.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct Slow {
    /// Commands that took at least so many microseconds are logged; a negative number logs none. The parameter
    /// `slowlog-log-slower-than` sets it.
    threshold_us: i64,
    /// The entries of SLOWLOG, the newest first.
    entries: Vec<SlowEntry>,
    /// Events that took at least so many milliseconds are monitored; 0 monitors none. The parameter
    /// `latency-monitor-threshold` sets it.
    event_threshold_ms: i64,
    /// The events of LATENCY.
    events: Vec<Event>,
}

/// A slow command.
#[derive(Debug, Serialize, JsonSchema)]
struct SlowEntry {
    /// Counts all entries since the start.
    id: u64,
    /// When it ended, in seconds since 1970.
    at_s: u64,
    /// How long it took, in microseconds.
    us: u64,
    /// Its arguments, shortened as SLOWLOG does, with bytes that are no text escaped.
    args: Vec<String>,
    /// The address of the client.
    address: String,
    /// The name of the client.
    name: String,
}

/// An event of the latency monitor.
#[derive(Debug, Serialize, JsonSchema)]
struct Event {
    /// Its name.
    event: String,
    /// The longest time since the last reset, in milliseconds.
    max_ms: u64,
    /// The longest time of each of the latest seconds that had one; the oldest first.
    samples: Vec<EventSample>,
}

/// The longest time of an event in one second.
#[derive(Debug, Serialize, JsonSchema)]
struct EventSample {
    /// The second, since 1970.
    at_s: u64,
    /// The time in milliseconds.
    ms: u64,
}

/// Returns the slow commands.
pub(in crate::http) fn get(app: &App, query: &Query<'_>) -> Result<Slow, Refusal> {
    let server = &app.parts.server;
    let count = query.number("count")? as usize;
    let entry = |it: crate::redis::slowlog::Entry| SlowEntry {
        id: it.id,
        at_s: it.at_s,
        us: it.us,
        args: it.args.iter().map(|arg| show(arg)).collect(),
        address: it.address,
        name: show(&it.name),
    };
    let event = |(event, series): (String, crate::redis::latency::Series)| Event {
        event,
        max_ms: series.max_ms,
        samples: series
            .samples
            .iter()
            .map(|sample| EventSample { at_s: sample.at_s, ms: sample.ms })
            .collect(),
    };
    Ok(Slow {
        threshold_us: server.parameters.number(SLOWER_THAN),
        entries: server.slowlog.newest(count).into_iter().map(entry).collect(),
        event_threshold_ms: server.parameters.number(THRESHOLD),
        events: server.latency.all().into_iter().map(event).collect(),
    })
}
