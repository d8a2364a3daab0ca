//! Parsers, on texts that RocksDB 10.10.1 prints.

use super::*;

const DBSTATS: &str = "
** DB Stats **
Uptime(secs): 6.4 total, 0.0 interval
Cumulative writes: 300K writes, 300K keys, 300K commit groups, 1.0 writes per commit group, ingest: 0.04 GB, 5.83 MB/s
Cumulative WAL: 300K writes, 12K syncs, 25.00 writes per sync, written: 0.04 GB, 5.83 MB/s
Cumulative stall: 01:02:3.250 H:M:S, 0.9 percent
Interval WAL: 0 writes, 7 syncs, 0.00 writes per sync, written: 0.00 GB, 0.00 MB/s
Interval stall: 00:00:0.000 H:M:S, 0.0 percent
";

#[test]
fn counters_are_those_since_the_opening() {
    assert_eq!(syncs(DBSTATS), Some(12_000));
    assert_eq!(syncs("Cumulative WAL: 9 writes, 8 syncs, x"), Some(8));
    assert_eq!(stall_seconds(DBSTATS), Some(3723.25));
    let statistics = "rocksdb.wal.synced COUNT : 11987\nrocksdb.wal.bytes COUNT : 5\n";
    assert_eq!(ticker(statistics, "rocksdb.wal.synced"), Some(11_987));
    for text in ["", "Cumulative WAL: x", "Cumulative stall: ::"] {
        assert_eq!(
            (syncs(text), stall_seconds(text), ticker(text, "rocksdb.wal.synced")),
            (None, None, None)
        );
    }
}

#[test]
fn stalls_have_causes_and_no_sums() {
    let text = "Write Stall (count): cf-l0-file-count-limit-delays-with-ongoing-compaction: 3, memtable-limit-stops: 2, total-delays: 3, total-stops: 2\n";
    let expected =
        [("cf-l0-file-count-limit-delays-with-ongoing-compaction", 3), ("memtable-limit-stops", 2)];
    assert_eq!(parse_stalls(text), expected.map(|(cause, n)| (cause.to_owned(), n)).into());
    assert!(parse_stalls("nothing").is_empty());
}

#[test]
fn growth_and_sums_are_by_cause() {
    let counters = |fsyncs, stalls: u64| Counters {
        fsyncs: Some(fsyncs),
        stall_seconds: Some(stalls as f64),
        stalls: Some([("memtable-limit-stops".to_owned(), stalls)].into()),
    };
    assert_eq!(counters(9, 5).since(&counters(4, 2)), counters(5, 3));
    assert_eq!(counters(9, 5).plus(&counters(4, 2)), counters(13, 7));
    let unknown = Counters::default();
    assert_eq!(counters(9, 5).plus(&unknown), unknown);
    assert_eq!(unknown.since(&counters(4, 2)), unknown);
}

#[test]
fn levels_are_rows_below_a_rule() {
    let text = "Level Files Size(MB)\n--------------------\n  0        2        3\n  1        0        0\n  2       11      640\n";
    let levels = parse_levels(text).unwrap();
    assert_eq!(levels[2], Level { files: 11, bytes: 640 << 20 });
    let tree = Tree { levels: Some(levels), ..Tree::default() };
    assert_eq!(tree.line().as_deref(), Some("2/0/11"));
    assert_eq!(tree.json()["l0_files"], 2);
    assert_eq!(parse_levels("Level\n---\n 0 many\n"), None);
    assert_eq!(Tree::now(&[]), Tree::default());
}
