//! The text of `/metrics`, in the format of Prometheus.
//!
//! `table` has one row per metric. The text, the page `docs/server/metrics.md` and the test of the dashboard are made
//! of it.

mod table;

use super::App;
use super::history::{CLASSES, times_by_class};
use crate::redis::stats::{Times, Totals};
use crate::store::Memory;
use std::fmt::{Display, Write};
use table::{METRICS, Metric};

/// The type of the text.
pub(super) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The beginning of all names.
const PREFIX: &str = "ferrolith_";

/// What one scrape sees.
pub(super) struct Scrape<'a> {
    pub(super) app: &'a App,
    pub(super) totals: Totals,
    pub(super) memory: Memory,
    pub(super) classes: [Times; CLASSES.len()],
}

/// The lines of one metric.
pub(super) struct Lines<'t> {
    metric: &'static Metric,
    text: &'t mut String,
}

impl Lines<'_> {
    /// Writes the only value.
    pub(super) fn value(&mut self, value: impl Display) {
        self.ending("", &[], value);
    }

    /// Writes a value with the values of its labels.
    pub(super) fn with(&mut self, labels: &[&str], value: impl Display) {
        self.ending("", labels, value);
    }

    /// Writes a value whose name has an end, as those of histograms have.
    pub(super) fn ending(&mut self, end: &str, labels: &[&str], value: impl Display) {
        let Lines { metric, text } = self;
        // Writing to a string does not fail.
        _ = write!(text, "{PREFIX}{}{end}", metric.name);
        for (at, (label, value)) in metric.labels.iter().zip(labels).enumerate() {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            _ = write!(text, "{}{label}=\"{value}\"", if at == 0 { '{' } else { ',' });
        }
        _ = writeln!(text, "{} {value}", if labels.is_empty() { "" } else { "}" });
    }
}

/// Returns all metrics of a server.
pub(super) fn text(app: &App) -> String {
    let totals = app.parts.server.stats.totals_since_start();
    let (classes, memory) = (times_by_class(&totals), app.parts.store.memory());
    let scrape = Scrape { app, totals, memory, classes };
    let mut text = String::new();
    for metric in METRICS {
        _ = writeln!(text, "# HELP {PREFIX}{} {}", metric.name, metric.help);
        _ = writeln!(text, "# TYPE {PREFIX}{} {}", metric.name, metric.kind.name());
        _ = writeln!(text, "# UNIT {PREFIX}{} {}", metric.name, metric.unit);
        (metric.values)(&scrape, &mut Lines { metric, text: &mut text });
    }
    text
}

#[cfg(test)]
#[path = "../metrics_test.rs"]
mod tests;
