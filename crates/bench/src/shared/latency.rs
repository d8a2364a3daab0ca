//! Latencies of one kind of operation: two histograms, as rows of a table and as JSON.

use crate::histogram::Histogram;
use crate::process::Memory;
use serde_json::{Value, json};

/// Latencies of one kind of operation.
#[derive(Clone, Default)]
pub struct Latencies {
    /// The calls alone.
    pub service: Histogram,
    /// From the time at which they should have begun.
    pub intended: Histogram,
    /// Operations on records that do not exist.
    pub not_found: u64,
}

impl Latencies {
    /// Adds those of another thread.
    pub fn merge(&mut self, other: &Latencies) {
        self.service.merge(&other.service);
        self.intended.merge(&other.intended);
        self.not_found += other.not_found;
    }

    /// The object of a report, in microseconds.
    pub fn json(&self) -> Value {
        json!({
            "service": of(&self.service),
            "from_schedule": of(&self.intended),
            "not_found": self.not_found,
        })
    }
}

/// Returns the figures of a histogram, in microseconds.
pub fn of(h: &Histogram) -> Value {
    json!({
        "count": h.count(), "mean": h.mean(), "min": h.min(), "max": h.max(),
        "p50": h.percentile(50.0), "p95": h.percentile(95.0), "p99": h.percentile(99.0),
        "p99.9": h.percentile(99.9), "p99.99": h.percentile(99.99), "curve": h.curve(),
    })
}

/// The heading of [`row`].
pub fn heading() -> String {
    format!(
        "{:<18}{:>12}{:>11}{:>10}{:>10}{:>10}{:>10}{:>10}{:>11}",
        "latency (us)", "count", "mean", "P50", "P95", "P99", "P99.9", "P99.99", "max"
    )
}

/// A histogram as a row of a table, in microseconds.
pub fn row(name: &str, h: &Histogram) -> String {
    format!(
        "{name:<18}{:>12}{:>11.2}{:>10.2}{:>10.2}{:>10.2}{:>10.2}{:>10.2}{:>11.2}",
        h.count(),
        h.mean(),
        h.percentile(50.0),
        h.percentile(95.0),
        h.percentile(99.0),
        h.percentile(99.9),
        h.percentile(99.99),
        h.max()
    )
}

/// Returns the resident bytes of this process.
pub fn resident() -> u64 {
    let memory = Memory::now();
    memory.anonymous + memory.mapped
}
