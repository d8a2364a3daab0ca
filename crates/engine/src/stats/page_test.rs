//! The page of statistics is made here.

use super::{HistogramType, Ticker};
use std::fmt::Write;

const HEAD: &str = "\
# Statistics

Made from `crates/engine/src/stats`; do not edit. `UPDATE_DOCS=1 cargo test -p ferrolith --lib
page_of_statistics` writes it anew.

Every ticker and histogram of RocksDB 10.10 is there under its name and number, so that programs find
what they ask for. Those below are counted; every other one stays 0.
";

fn table<T: Copy>(
    page: &mut String,
    title: &str,
    all: &[T],
    row: impl Fn(T) -> (usize, &'static str, bool),
) {
    let _ = writeln!(page, "\n## {title}\n\n| Number | Name |\n|---|---|");
    for (number, name, counted) in all.iter().map(|item| row(*item)) {
        if counted {
            let _ = writeln!(page, "| {number} | `{name}` |");
        }
    }
}

#[test]
fn the_page_of_statistics_is_current() {
    let mut page = HEAD.to_owned();
    table(&mut page, "Tickers", Ticker::ALL, |t| (t as usize, t.name(), t.is_counted()));
    table(&mut page, "Histograms", HistogramType::ALL, |h| (h as usize, h.name(), h.is_counted()));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/statistics.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(stored == page, "docs/statistics.md: run this test with UPDATE_DOCS=1");
}
