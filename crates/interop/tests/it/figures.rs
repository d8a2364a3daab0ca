//! What both engines say about the same work: names, numbers and the shape of texts.

use ferrolith::internal::base::perf::{self, PerfMetric};
use ferrolith::internal::db::Db;
use ferrolith::internal::options::{Options, WriteOptions};
use ferrolith::internal::stats::{HistogramType, Statistics, Ticker};
use ferrolith_interop::figures::{self, Figures};

/// The engine's twin of a [`Figures`].
fn ours(dir: &std::path::Path) -> (Db, std::sync::Arc<Statistics>) {
    let statistics = Statistics::new();
    let mut options = Options::default();
    options.db.create_if_missing = true;
    options.db.statistics = Some(statistics.clone());
    (Db::open(&options, dir).unwrap(), statistics)
}

fn key(i: u32) -> String {
    format!("key{i:06}")
}

#[test]
fn statistics_have_rocksdbs_names_numbers_and_text() {
    let root = tempfile::tempdir().unwrap();
    let theirs = Figures::open(&root.path().join("theirs"), "").unwrap();
    let (db, statistics) = ours(&root.path().join("ours"));
    for i in 0..100 {
        theirs.put(key(i).as_bytes(), b"value").unwrap();
        db.put(&WriteOptions::default(), key(i).as_bytes(), b"value").unwrap();
    }
    let (text, own) = (theirs.statistics().unwrap(), statistics.to_text());
    let name = |line: &str| line.split(' ').next().map(str::to_owned);
    assert_eq!(
        own.lines().map(name).collect::<Vec<_>>(),
        text.lines().map(name).collect::<Vec<_>>()
    );
    for ticker in [Ticker::NumberKeysWritten, Ticker::BytesWritten, Ticker::WriteWithWal] {
        assert_eq!(statistics.ticker(ticker), theirs.ticker(ticker as u32).unwrap(), "{ticker:?}");
        let line = format!("{} COUNT : {}\n", ticker.name(), statistics.ticker(ticker));
        assert!(own.contains(&line) && text.contains(&line), "{line}");
    }
    // A histogram over sizes is the same to the last digit.
    let line_of = |text: &str| {
        let name = HistogramType::BytesPerWrite.name();
        text.lines().find(|line| line.starts_with(name)).map(str::to_owned)
    };
    assert_eq!(line_of(&own), line_of(&text));
}

#[test]
fn the_perf_context_has_rocksdbs_names_and_numbers() {
    let root = tempfile::tempdir().unwrap();
    let theirs = Figures::open(root.path(), "").unwrap();
    figures::start_perf(6).unwrap();
    for i in 0..50 {
        theirs.put(key(i).as_bytes(), b"value").unwrap();
    }
    theirs.flush().unwrap();
    let (text, metrics) = figures::perf().unwrap();
    let names = |text: &str| {
        let pairs = text.split(", ").map(|pair| pair.split(" = ").next().unwrap().to_owned());
        pairs.collect::<Vec<_>>()
    };
    assert_eq!(names(&perf::report(false)), names(&text));
    for (number, value) in metrics.into_iter().enumerate() {
        let metric = PerfMetric::from_number(number).unwrap();
        let pair = format!("{} = {value}", metric.name());
        assert!(text.split(", ").any(|p| p == pair), "{number}: {pair}\n{text}");
    }
}

/// Properties after the same work: the same names are known, and what depends on the work alone is
/// the same to the letter.
#[test]
fn properties_are_rocksdbs() {
    let root = tempfile::tempdir().unwrap();
    let theirs = Figures::open(&root.path().join("theirs"), "").unwrap();
    let (db, _) = ours(&root.path().join("ours"));
    for round in 0..2 {
        for i in 0..100 {
            theirs.put(key(i).as_bytes(), b"value").unwrap();
            db.put(&WriteOptions::default(), key(i).as_bytes(), b"value").unwrap();
        }
        if round == 0 {
            theirs.flush().unwrap();
            db.flush(&ferrolith::internal::options::FlushOptions::default()).unwrap();
        }
    }
    // A flush is done for who waits for it a moment before its thread is.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while db.property_int("rocksdb.num-running-flushes") != Some(0)
        && std::time::Instant::now() < deadline
    {
        std::thread::yield_now();
    }
    let both = |name: &str| {
        let name = format!("rocksdb.{name}");
        (db.property(&name), theirs.property(&name).unwrap())
    };
    for name in [
        "levelstats",
        "num-files-at-level0",
        "num-files-at-level9",
        "estimate-num-keys",
        "num-entries-active-mem-table",
        "num-deletes-active-mem-table",
        "num-entries-imm-mem-tables",
        "num-immutable-mem-table",
        "mem-table-flush-pending",
        "compaction-pending",
        "num-running-flushes",
        "num-running-compactions",
        "background-errors",
        "num-snapshots",
        "oldest-snapshot-sequence",
        "oldest-snapshot-time",
        "aggregated-table-properties-at-level3",
        "aggregated-table-properties-at-level9",
        "base-level",
        "is-write-stopped",
        "is-file-deletions-enabled",
        "actual-delayed-write-rate",
        "estimate-pending-compaction-bytes",
        "cf-write-stall-stats",
        "db-write-stall-stats",
        "num-blob-files",
        "blob-stats",
        "compression-ratio-at-level1",
        "min-obsolete-sst-number-to-keep",
        "nothing",
    ] {
        let (own, other) = both(name);
        assert_eq!(own, other, "{name}");
    }
    let (own, other) = both("stats");
    let heads = |text: Option<String>| {
        let text = text.unwrap();
        let is_head = |line: &&str| line.starts_with("**") || line.starts_with("Level");
        let lines = text.lines().filter(is_head).filter(|line| !line.contains("latency"));
        lines.filter(|line| !line.contains("Histogram")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(heads(own), heads(other));
    // A table in one line, but for its number, size and the version.
    let (own, other) = both("sstables");
    let keys = |text: Option<String>| {
        let text = text.unwrap();
        let table = text.lines().find(|line| line.starts_with(' ')).unwrap().to_owned();
        table[table.find('[').unwrap()..].to_owned()
    };
    assert_eq!(keys(own), keys(other));
}
