//! The table, with the published figures, and the lines of results.

use super::cases::{Limiter, Mix, PUBLISHED_BYTES, Published, size_text};
use crate::histogram::Histogram;
use crate::shared::latency::Latencies;
use crate::ycsb::run::Outcome;
use crate::ycsb::workload::Operation;
use serde_json::{Value, json};

/// A cell of the matrix, or the load before a row of them.
pub struct Case<'a> {
    /// The mix; `None` for the load.
    pub mix: Option<&'a Mix>,
    /// Rows have several sort keys.
    pub multi: bool,
    /// Bytes of a value.
    pub value_bytes: u64,
    /// The rate limiter.
    pub limiter: Limiter,
}

impl Case<'_> {
    /// Returns a name that no other case of the matrix has.
    pub fn name(&self) -> String {
        let mix = match (self.mix, self.multi) {
            (Some(mix), false) => format!("{} {}", size_text(self.value_bytes), mix.name),
            (None, false) => size_text(self.value_bytes),
            (_, true) => "multi".to_owned(),
        };
        match self.limiter {
            Limiter::Off => mix,
            limiter => format!("{mix} limiter {limiter}"),
        }
    }

    /// Returns the published figures of the reads and of the writes.
    fn published(&self) -> (Option<Published>, Option<Published>) {
        let is_published = self.limiter == Limiter::Off && self.value_bytes == PUBLISHED_BYTES;
        self.mix.filter(|_| is_published).map_or((None, None), |mix| mix.published)
    }
}

/// Completes the line of a phase.
pub fn line(case: &Case<'_>, mut line: Value, outcome: &Outcome) -> Value {
    line["suite"] = "pegasus".into();
    line["mix"] = case.mix.map(|mix| mix.name).into();
    line["value_bytes"] = case.value_bytes.into();
    line["rate_limiter"] = case.limiter.to_string().into();
    let rate = |operation| rate(outcome, operation);
    line["reads_per_sec"] = rate(Operation::Read).into();
    line["writes_per_sec"] = rate(Operation::Update).into();
    // Here, an update is a blind write.
    if let Some(latencies) = line["latencies_us"].as_object_mut()
        && let Some(writes) = latencies.remove(Operation::Update.name())
    {
        latencies.insert("WRITE".to_owned(), writes);
    }
    let figures = |published: Option<Published>| {
        published.map(|figures| {
            json!({
                "ops_per_sec": figures.ops_per_sec, "mean": figures.mean_us, "p99": figures.p99_us,
                "p99.9": figures.p999_us,
            })
        })
    };
    let (reads, writes) = case.published();
    line["published"] = match (reads, writes) {
        (None, None) => Value::Null,
        _ => json!({ "READ": figures(reads), "WRITE": figures(writes) }),
    };
    line
}

fn rate(outcome: &Outcome, operation: Operation) -> Option<f64> {
    let latencies = outcome.operations.get(&operation)?;
    Some(latencies.service.count() as f64 / outcome.elapsed.max(1e-9))
}

/// The heading of [`rows`].
pub fn heading() -> String {
    let names = [
        "ops/s",
        "mean us",
        "P95",
        "P99",
        "P99.9",
        "P99.99",
        "pub. ops/s",
        "mean us",
        "P99",
        "P99.9",
    ];
    let names: String = names.iter().map(|name| format!("{name:>11}")).collect();
    format!("{:<28}{:<6}{:>8}{names}", "case", "", "threads")
}

/// Returns the rows of a mix: reads and writes.
pub fn rows(case: &Case<'_>, mix: &Mix, threads: usize, outcome: &Outcome) -> String {
    let (reads, writes) = case.published();
    let sides = [
        (Operation::Read, "READ", mix.reads, reads),
        (Operation::Update, "WRITE", mix.writes, writes),
    ];
    let none = Latencies::default();
    let rows = sides.into_iter().filter(|(_, _, part, _)| *part > 0).map(
        |(operation, side, _, published)| {
            let latencies = outcome.operations.get(&operation).unwrap_or(&none);
            let measured = figures(&latencies.service, rate(outcome, operation).unwrap_or(0.0));
            let text =
                |figure: Option<u64>| figure.map_or("-".to_owned(), |figure| figure.to_string());
            let published = [
                text(published.map(|figures| figures.ops_per_sec)),
                text(published.and_then(|figures| figures.mean_us)),
                text(published.map(|figures| figures.p99_us)),
                text(published.and_then(|figures| figures.p999_us)),
            ];
            let cells: String =
                measured.iter().chain(&published).map(|cell| format!("{cell:>11}")).collect();
            format!("{:<28}{side:<6}{threads:>8}{cells}", case.name())
        },
    );
    rows.collect::<Vec<_>>().join("\n")
}

fn figures(histogram: &Histogram, rate: f64) -> Vec<String> {
    let percentiles = [95.0, 99.0, 99.9, 99.99].map(|p| histogram.percentile(p));
    let mut cells = vec![format!("{rate:.0}"), format!("{:.2}", histogram.mean())];
    cells.extend(percentiles.iter().map(|micros| format!("{micros:.2}")));
    cells
}
