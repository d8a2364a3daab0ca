//! Latencies by percentile, of each kind of operation of each result.

use super::results::{Record, Results};
use serde_json::Value;

/// The percentiles of results without a curve.
const PERCENTILES: [(&str, f64); 6] = [
    ("p50", 50.0),
    ("p75", 75.0),
    ("p95", 95.0),
    ("p99", 99.0),
    ("p99.9", 99.9),
    ("p99.99", 99.99),
];

/// The latencies of one kind of operation.
#[derive(Debug)]
pub struct Curve {
    /// The number of the record.
    pub record: usize,
    /// The kind of operation.
    pub operation: String,
    /// Whether times count from the schedule instead of from the call.
    pub from_schedule: bool,
    /// Percentiles with latencies in microseconds, in rising order.
    pub points: Vec<(f64, f64)>,
    /// The operations.
    pub count: u64,
    /// The mean in microseconds.
    pub mean: Option<f64>,
    /// The longest in microseconds.
    pub max: Option<f64>,
}

impl Curve {
    /// Returns the latency at a percentile that the result has.
    pub fn at(&self, percentile: f64) -> Option<f64> {
        let point = self.points.iter().find(|(p, _)| (p - percentile).abs() < 1e-9);
        point.map(|(_, us)| *us)
    }
}

/// Returns all curves, in the order of records.
pub fn curves(results: &Results) -> Vec<Curve> {
    results.records.iter().enumerate().flat_map(|(at, record)| of(at, record)).collect()
}

/// Returns the curves of a record. db_bench has one histogram of all kinds of operations, ForestDB-Benchmark one in
/// each role; such a result repeats them in `latencies_us`.
fn of(at: usize, record: &Record) -> Vec<Curve> {
    let object = &record.object;
    let mut found = Vec::new();
    let has_others = object["latency_micros"].is_object() || object["operations"].is_object();
    found.extend(curve(at, "all", false, &object["latency_micros"]));
    let kinds = object["latencies_us"].as_object().filter(|_| !has_others);
    for (operation, latencies) in kinds.into_iter().flatten() {
        both(at, operation, latencies, &mut found);
    }
    for (role, figures) in object["operations"].as_object().into_iter().flatten() {
        both(at, role, &figures["latencies_us"], &mut found);
    }
    found
}

/// Adds the latencies of calls, and those from the schedule if there was one.
fn both(record: usize, operation: &str, latencies: &Value, found: &mut Vec<Curve>) {
    let (service, intended) = (&latencies["service"], &latencies["from_schedule"]);
    found.extend(curve(record, operation, false, service));
    if intended != service {
        found.extend(curve(record, operation, true, intended));
    }
}

fn curve(record: usize, operation: &str, from_schedule: bool, of: &Value) -> Option<Curve> {
    let count = of["count"].as_u64().filter(|count| *count > 0)?;
    let is_shown = |(percentile, us): &(f64, f64)| {
        (0.0..100.0).contains(percentile) && us.is_finite() && *us > 0.0
    };
    let named = |(field, percentile): &(&str, f64)| Some((*percentile, of[*field].as_f64()?));
    let mut points: Vec<(f64, f64)> = PERCENTILES.iter().filter_map(named).collect();
    let of_curve = |point: &Value| Some((point[0].as_f64()?, point[1].as_f64()?));
    points.extend(of["curve"].as_array().into_iter().flatten().filter_map(of_curve));
    points.retain(is_shown);
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points.dedup_by(|a, b| (a.0 - b.0).abs() < 1e-9);
    Some(Curve {
        record,
        operation: operation.to_owned(),
        from_schedule,
        points,
        count,
        mean: of["mean"].as_f64(),
        max: of["max"].as_f64(),
    })
}
