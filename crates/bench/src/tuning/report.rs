//! The table of all runs, and the chart of a sweep.

use serde_json::Value;

/// Columns of the widest bar of a chart.
const WIDEST: f64 = 50.0;

fn number(object: &Value, path: &str, digits: usize) -> String {
    match object.pointer(path).and_then(Value::as_f64) {
        Some(number) => format!("{number:.digits$}"),
        None => "-".to_owned(),
    }
}

/// Returns the heading of [`row`].
pub fn heading() -> String {
    format!(
        "{:<3}{:<18}{:<28}{:>10}{:>10}{:>9}{:>9}{:>10}{:>7}{:>7}{:>7}{:>11}",
        "",
        "benchmark",
        "",
        "ops/s",
        "us/op",
        "MB/s",
        "P50 us",
        "P99 us",
        "W-amp",
        "R-amp",
        "S-amp",
        "2017 ops/s"
    )
}

/// Returns the row of a run. Amplifications are of writes, reads and space; those that do not apply are `-`.
pub fn row(line: &Value) -> String {
    let scenario = line["scenario"].as_u64().unwrap_or(0);
    format!(
        "{:<3}{:<18}{:<28}{:>10}{:>10}{:>9}{:>9}{:>10}{:>7}{:>7}{:>7}{:>11}",
        if scenario > 0 { scenario.to_string() } else { String::new() },
        line["benchmark"].as_str().unwrap_or_default(),
        line["label"].as_str().unwrap_or_default(),
        number(line, "/ops_per_sec", 0),
        number(line, "/micros_per_op", 3),
        number(line, "/mb_per_sec", 1),
        number(line, "/latency_micros/p50", 2),
        number(line, "/latency_micros/p99", 2),
        number(line, "/write_amplification", 2),
        number(line, "/read_amplification", 2),
        number(line, "/space_amplification", 2),
        number(line, "/published_ops_per_sec", 0),
    )
}

/// Returns a bar for each run, in proportion to its operations per second.
pub fn chart(lines: &[Value]) -> String {
    let rate = |line: &Value| line["ops_per_sec"].as_f64().unwrap_or(0.0);
    let largest = lines.iter().map(rate).fold(1e-9, f64::max);
    let bar = |line: &Value| {
        let width = (rate(line) / largest * WIDEST).round() as usize;
        let label = line["label"].as_str().unwrap_or_default();
        format!("{label:<40} {:>10.0} ops/s {}\n", rate(line), "#".repeat(width))
    };
    lines.iter().map(bar).collect()
}
