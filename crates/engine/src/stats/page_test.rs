//! Generates the page of statistics, and checks its statements against the sources.

use super::{HistogramType, Ticker};
use crate::base::perf::PerfMetric;
use std::fmt::{Debug, Write};
use std::path::Path;

const HEAD: &str = "\
# Statistics

This page lists RocksDB's statistics and which of them Ferrolith counts. It is generated from `crates/engine/src/stats`
and `base/perf_metrics.rs`. Do not edit it; `UPDATE_DOCS=1 cargo test -p ferrolith --lib page_of_statistics` writes it
again.

Every ticker, histogram and perf context metric of RocksDB 10.10 exists under its name and number. The tables show the
ones that are counted. All others stay 0; the end of each section gives the reasons. The test
`crates/interop/tests/it/statistics.rs` runs the same script on both libraries and compares every count.
";

/// A counter on the page.
#[derive(Clone)]
struct Row {
    number: Option<usize>,
    name: &'static str,
    variant: String,
    reason: Option<&'static str>,
}

fn row(
    number: Option<usize>,
    name: &'static str,
    variant: impl Debug,
    reason: Option<&'static str>,
) -> Row {
    Row { number, name, variant: format!("{variant:?}"), reason }
}

fn tickers() -> Vec<Row> {
    let row_of = |t: &Ticker| row(Some(*t as usize), t.name(), t, t.reason_not_counted());
    Ticker::ALL.iter().map(row_of).collect()
}

fn histograms() -> Vec<Row> {
    let row_of = |h: &HistogramType| row(Some(*h as usize), h.name(), h, h.reason_not_counted());
    HistogramType::ALL.iter().map(row_of).collect()
}

fn metrics() -> Vec<Row> {
    PerfMetric::all().map(|m| row(None, m.name(), m, m.reason_not_counted())).collect()
}

fn section(page: &mut String, title: &str, rows: &[Row]) {
    // Writing to a String cannot fail.
    let _ = match rows.iter().any(|row| row.number.is_some()) {
        true => writeln!(page, "\n## {title}\n\n| Number | Name |\n|---|---|"),
        false => writeln!(page, "\n## {title}\n\n| Name |\n|---|"),
    };
    for Row { number, name, .. } in rows.iter().filter(|row| row.reason.is_none()) {
        let _ = match number {
            Some(number) => writeln!(page, "| {number} | `{name}` |"),
            None => writeln!(page, "| `{name}` |"),
        };
    }
    let mut reasons: Vec<&str> = Vec::new();
    for reason in rows.iter().filter_map(|row| row.reason) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let _ = writeln!(page, "\nNot counted:\n\n| Why | Names |\n|---|---|");
    for reason in reasons {
        let names = rows.iter().filter(|row| row.reason == Some(reason));
        let names: Vec<_> = names.map(|row| format!("`{}`", row.name)).collect();
        let _ = writeln!(page, "| {reason} | {} |", names.join(", "));
    }
}

#[test]
fn the_page_of_statistics_is_current() {
    let mut page = HEAD.to_owned();
    section(&mut page, "Tickers", &tickers());
    section(&mut page, "Histograms", &histograms());
    section(&mut page, "The perf context", &metrics());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/statistics.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(stored == page, "docs/statistics.md: run this test with UPDATE_DOCS=1");
}

fn sources(dir: &Path, all: &mut String) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            sources(&path, all);
        } else if name.ends_with(".rs")
            && !name.ends_with("_test.rs")
            && !["tickers.rs", "histogram_types.rs", "perf_metrics.rs"].contains(&name.as_str())
        {
            all.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// A counter is marked as counted exactly if some source file names it.
#[test]
fn what_is_called_counted_is_fed() {
    let mut all = String::new();
    sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut all);
    let is_named = |kind: &str, variant: &str| {
        let name = format!("{kind}::{variant}");
        all.match_indices(&name)
            .any(|(at, _)| !all[at + name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    let mut wrong = Vec::new();
    for (kinds, rows) in [
        (&["Ticker", "T"][..], tickers()),
        (&["HistogramType"], histograms()),
        (&["PerfMetric"], metrics()),
    ] {
        for Row { name, variant, reason, .. } in rows {
            if kinds.iter().any(|kind| is_named(kind, &variant)) != reason.is_none() {
                wrong.push(name);
            }
        }
    }
    assert!(wrong.is_empty(), "marked otherwise than the sources say: {wrong:?}");
}
