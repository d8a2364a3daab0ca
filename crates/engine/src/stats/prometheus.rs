//! Statistics in Prometheus' text format, which a program can serve to a scraper.
//!
//! A ticker becomes a counter and a histogram becomes a summary. A name is RocksDB's with underscores instead of dots:
//! `rocksdb.block.cache.hit` is `rocksdb_block_cache_hit_total`. Metrics that the engine does not update are included,
//! because RocksDB's dashboards expect them; their help text gives the reason why they stay 0.

use super::{HistogramData, HistogramType, Statistics, Ticker};
use std::fmt::Write as _;

/// The value of the HTTP header `Content-Type` for this text.
pub const PROMETHEUS_CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

impl Statistics {
    /// Returns all tickers and histograms in Prometheus' text format, version 0.0.4.
    ///
    /// Histograms are summaries with the quantiles 0.5, 0.95, 0.99 and 1 (the maximum). Sizes are in bytes. Times are
    /// in microseconds or nanoseconds, as the end of the name indicates.
    ///
    /// ```
    /// use ferrolith::{Db, Options};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path();
    /// let db = Db::open_with(Options::new().create_if_missing(true).enable_statistics(), path)?;
    /// db.put("key", "value")?;
    /// let text = db.statistics().expect("they are on").to_prometheus();
    /// assert!(text.contains("\nrocksdb_number_keys_written_total 1\n"));
    /// # Ok::<(), ferrolith::Error>(())
    /// ```
    pub fn to_prometheus(&self) -> String {
        prometheus_text(&[("", self)])
    }
}

/// Returns the statistics of several databases as one text: each sample has the label `db` with the name given here.
/// Without a name (`""`) there is no label.
///
/// Use this instead of joining several texts: a metric may be described only once per text.
///
/// ```
/// use ferrolith::{Statistics, prometheus_text};
/// let (users, orders) = (Statistics::new(), Statistics::new());
/// let text = prometheus_text(&[("users", &users), ("orders", &orders)]);
/// assert!(text.contains("rocksdb_bytes_read_total{db=\"orders\"} 0\n"));
/// ```
pub fn prometheus_text(databases: &[(&str, &Statistics)]) -> String {
    let databases: Vec<(String, &Statistics)> =
        databases.iter().map(|(name, statistics)| (label(name), *statistics)).collect();
    let mut out = String::with_capacity(128 << 10);
    for ticker in Ticker::ALL {
        let name = format!("{}_total", metric_name(ticker.name()));
        describe(&mut out, &name, ticker.name(), ticker.reason_not_counted(), "counter");
        for (label, statistics) in &databases {
            sample(&mut out, &name, &[label], statistics.ticker(*ticker));
        }
    }
    for histogram in HistogramType::ALL {
        let name = metric_name(histogram.name());
        let reason = histogram.reason_not_counted();
        describe(&mut out, &name, histogram.name(), reason, "summary");
        for (label, statistics) in &databases {
            summary(&mut out, &name, label, &statistics.histogram(*histogram));
        }
    }
    out
}

fn summary(out: &mut String, name: &str, label: &str, data: &HistogramData) {
    let quantiles = [
        ("0.5", data.median),
        ("0.95", data.percentile95),
        ("0.99", data.percentile99),
        ("1", data.max as f64),
    ];
    for (quantile, value) in quantiles {
        // Nothing was recorded, so there are no quantiles, for which the format prescribes NaN.
        let value = if data.count == 0 { f64::NAN } else { value };
        sample(out, name, &[label, &format!("quantile=\"{quantile}\"")], value);
    }
    sample(out, &format!("{name}_sum"), &[label], data.sum);
    sample(out, &format!("{name}_count"), &[label], data.count);
}

// Writing to a String cannot fail: the results below are dropped.

fn describe(out: &mut String, name: &str, theirs: &str, reason: Option<&str>, kind: &str) {
    let _ = match reason {
        None => writeln!(out, "# HELP {name} {theirs}"),
        Some(reason) => writeln!(out, "# HELP {name} {theirs}. Always 0: {reason}"),
    };
    let _ = writeln!(out, "# TYPE {name} {kind}");
}

fn sample(out: &mut String, name: &str, labels: &[&str], value: impl std::fmt::Display) {
    out.push_str(name);
    let mut separator = '{';
    for label in labels.iter().filter(|label| !label.is_empty()) {
        out.push(separator);
        out.push_str(label);
        separator = ',';
    }
    if separator == ',' {
        out.push('}');
    }
    let _ = writeln!(out, " {value}");
}

/// Returns a valid metric name: letters, digits, underscores and colons.
fn metric_name(name: &str) -> String {
    name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

/// Returns the label of a database, escaped as the format requires.
fn label(name: &str) -> String {
    if name.is_empty() {
        return String::new();
    }
    let escaped = name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("db=\"{escaped}\"")
}

#[cfg(test)]
#[path = "prometheus_test.rs"]
mod tests;
