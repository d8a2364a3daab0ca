//! Statistics as Prometheus text, single counters and histograms, and properties.
//!
//! `cargo run -p ferrolith --example metrics`

use ferrolith::{Db, HistogramType, Options, Result, Ticker};
use std::path::Path;

/// The program, in this directory.
pub fn run(dir: &Path) -> Result<()> {
    let options = Options::new().create_if_missing(true).enable_statistics();
    let db = Db::open_with(options, dir.join("db"))?;
    for n in 0..1000 {
        db.put(format!("key{n}"), "value")?;
    }
    db.flush()?;
    for n in 0..1000 {
        db.get(format!("key{n}"))?;
    }

    let statistics = db.statistics().expect("they are on");
    assert_eq!(statistics.ticker(Ticker::NumberKeysWritten), 1000);
    let lookups = statistics.histogram(HistogramType::DbGet);
    println!("{} lookups, 99 % within {} µs", lookups.count, lookups.percentile99);

    // What an HTTP handler returns to a scraper, with the content type `PROMETHEUS_CONTENT_TYPE`.
    let text = statistics.to_prometheus();
    let line = text.lines().find(|line| line.starts_with("rocksdb_number_keys_read_total "));
    assert_eq!(line, Some("rocksdb_number_keys_read_total 1000"));

    // Properties tell the present state rather than what has happened.
    for name in ["rocksdb.estimate-num-keys", "rocksdb.total-sst-files-size"] {
        println!("{name} = {}", db.property_int(name).expect("a known property"));
    }
    println!("{}", db.property("rocksdb.levelstats").expect("a known property"));
    Ok(())
}

fn main() -> Result<()> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    run(dir.path())
}
