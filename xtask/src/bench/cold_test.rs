//! The report on cold rows, and all of them at a tiny scale.

use super::*;
use crate::bench::{parse, work};
use std::fs;

const ROW: &str = "\
load: 0.12 0 0
commit: abc
$ db_bench --num=1000 --num=2000000 --key_size=100 --value_size=400

Medians [lowest..highest]; ratio is ferrolith / rocksdb [of pairs]
benchmark              figure                             ferrolith                          rocksdb  ratio
readrandom             ops/sec                       2000 [1990..2010]                1000 [900..1100]  2.00x [1.90..2.10]
readrandom             P50 us                         1.00 [1.00..1.00]                 2.00 [2.00..2.00]  0.50x [0.50..0.50]
readrandom             P99 us                         3.00 [3.00..3.00]                 4.00 [4.00..4.00]  0.75x [0.75..0.75]
readrandom             P99.9 us                       9.00 [9.00..9.00]                 6.00 [6.00..6.00]  1.50x [1.50..1.50]
readrandom             longest us                   300000 [1..300000]                 1000 [1000..1000]  300.00x [1.00..300.00]
readrandom             CPU us/op                      1.50 [1.50..1.50]                 3.00 [3.00..3.00]  0.50x [0.50..0.50]
compact                CPU s                         20.00 [20.00..20.00]              50.00 [50.00..50.00]  0.40x [0.30..0.50]

";

fn row(name: &str) -> &'static Row {
    COLD_ROWS.iter().find(|row| row.name == name).unwrap()
}

#[test]
fn a_row_shows_both_engines_and_its_tails_count() {
    let raw = Raw::of(ROW.to_owned());
    let text = Line::of_row(row("small-none-reads"), &raw).unwrap().text();
    for part in [
        "| 2, stretch 3 | **2.00** [1.90..2.10] | 2,000 : 1,000 | 1.00 : 2.00 | 3.00 : 4.00 | 9.00 : 6.00 |",
        "| 300 : 1.00 | 1.50 : 3.00 | no: P99.9 1.50, longest 300.00, stall of 300 ms | 0.12 | abc |",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let slow = Line::of_row(row("small-none-multiget"), &raw);
    assert!(slow.is_none(), "it was not measured");
}

#[test]
fn processor_time_is_that_of_a_gigabyte_and_must_be_low() {
    let raw = Raw::of(ROW.to_owned());
    let text = Line::of_row(row("compact-none"), &raw).unwrap().text();
    assert!(text.contains("| CPU at most 0.5, stretch 0.3 | **0.40** [0.30..0.50] |"), "{text}");
    assert!(text.contains("| 20.00 : 50.00 s/GB | yes |"), "{text}");
    let high = Row { target: 0.3, ..*row("compact-none") };
    assert_eq!(Line::of_row(&high, &raw).unwrap().faults(), ["0.40 > 0.3"]);
}

const PHASES: &str = "\
A seekgap ops/s=500000 p50=2.00 p99=3.0 p999=5.0 max=100 found=1/1 secs=1.00 cpu=1.00 rss_mb=10
A seekgap-memtable ops/s=200000 p50=5.00 p99=7.0 p999=9.0 max=100 found=1/1 secs=1.00 cpu=1.00 rss_mb=10
B seekgap-memtable ops/s=100 p50=9000.00 p99=9000.0 p999=9000.0 max=9000 found=1/1 secs=1.00 cpu=1.00 rss_mb=10
A queue ops/s=100 p50=5.00 p99=300.0 p999=400.0 max=500 found=1/1 secs=1.00 cpu=1.00 rss_mb=10
B queue ops/s=100 p50=9.00 p99=900.0 p999=900.0 max=900 found=1/1 secs=1.00 cpu=1.00 rss_mb=10
";

#[test]
fn phases_are_judged_by_an_earlier_phase_or_by_a_latency() {
    let raw = Raw::of(PHASES.to_owned());
    let line = |duel: &str, phase: &str| {
        let duel = COLD_DUELS.iter().find(|d| d.name == duel).unwrap();
        Line::of_phase(duel, duel.phases.iter().find(|p| p.name == phase).unwrap(), &raw)
    };
    let seek = line("tombstones", "seekgap-memtable").unwrap();
    assert!(seek.faults().is_empty(), "{:?}", seek.faults());
    assert!(seek.text().contains("3 times that of `seekgap` before, 2.00 us"), "{}", seek.text());
    assert!(seek.text().contains("| 5.00 : 10,000 |"), "time per operation: {}", seek.text());
    let slower = Line { before: Some(1.0), ..seek };
    assert_eq!(slower.faults(), ["5.00 > 3"]);
    assert_eq!(line("queue", "queue").unwrap().faults(), ["300.00 > 200"]);
    assert!(line("tombstones", "seekgap-flushed").is_none(), "it was not measured");
}

#[test]
fn drawn_rows_exist() {
    for (name, _) in DRAWN {
        assert!(COLD_ROWS.iter().any(|row| row.name == name), "{name}");
    }
}

#[test]
fn names_and_flags_are_checked() {
    let flags = |text: &str| parse(text.split_whitespace().map(str::to_owned));
    assert!(flags("--rows cold,mixgraph,queue,fillseq").is_ok());
    assert!(flags("--rows warm").err().unwrap().contains("\"warm\""));
    assert!(flags("--rows cold --duel").is_err(), "--duel has duels of its own");
    assert!(flags("--smoke --matrix").is_err());
    let smoke = flags("--smoke --num 500").ok().unwrap();
    assert_eq!((smoke.num, smoke.pairs, smoke.rows), (500, Some(1), vec!["cold".to_owned()]));
}

/// Each row runs on both engines and gives figures. It builds both libraries and takes minutes.
#[test]
#[ignore = "builds the debug profile, and needs RocksDB's library and a C compiler"]
fn all_rows_run() {
    let flags = parse(["--smoke".to_owned()].into_iter()).ok().unwrap();
    let out = flags.out.clone().unwrap();
    let _ = fs::remove_dir_all(&out);
    work(&flags).unwrap();
    let page = fs::read_to_string(out.join("cold.md")).unwrap();
    assert!(!page.contains("Not measured") && page.contains("debug profile"), "{page}");
    let phases = COLD_DUELS.iter().map(|duel| duel.phases.len()).sum::<usize>();
    assert!(page.contains(&format!(" of {} rows meet", COLD_ROWS.len() + phases)), "{page}");
    assert!(out.join("cold.svg").exists());
}
