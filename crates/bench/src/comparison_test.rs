//! The table of medians and ratios.

use super::*;

fn run(ops: f64, p99: Option<f64>) -> Run {
    let object = json!({
        "benchmark": "readrandom", "ops_per_sec": ops, "latency_micros": {"p99": p99},
        "peak_rss_bytes": 104_857_600u64, "cpu_seconds": 2.0, "operations": 1_000_000,
        "cpu_micros_per_op": 2.0,
    });
    vec![parse(&object.to_string(), "test").unwrap()]
}

#[test]
fn medians_ranges_and_ratios() {
    let ours = [run(3000.0, Some(5.0)), run(1000.0, Some(7.0)), run(2000.0, Some(6.0))];
    let theirs = [run(1000.0, None), run(1000.0, None), run(500.0, None)];
    let table = Comparison::of(["ferrolith", "rocksdb"], &ours, &theirs);
    let expected = "\
Medians [lowest..highest]; ratio is ferrolith / rocksdb [of pairs]
benchmark              figure                             ferrolith                          rocksdb  ratio
readrandom             ops/sec                    2000 [1000..3000]                 1000 [500..1000]  2.00x [1.00..4.00]
readrandom             P99 us                      6.00 [5.00..7.00]                              n/a  n/a
readrandom             peak RSS MB           100.00 [100.00..100.00]          100.00 [100.00..100.00]  1.00x [1.00..1.00]
readrandom             CPU s                        2.00 [2.00..2.00]                2.00 [2.00..2.00]  1.00x [1.00..1.00]
readrandom             CPU us/op                    2.00 [2.00..2.00]                2.00 [2.00..2.00]  1.00x [1.00..1.00]
";
    let squeeze = |text: &str| {
        text.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(squeeze(&table.text()), squeeze(expected));
}

#[test]
fn all_benchmarks_of_a_run_are_summed() {
    let phase = |name: &str, ops: u64, seconds: f64, engine: f64, user: u64| {
        let object = json!({
            "benchmark": name, "operations": ops, "seconds": seconds, "cpu_seconds": 1.0,
            "engine_bytes_written": engine, "user_bytes_written": user, "peak_rss_bytes": ops,
        });
        parse(&object.to_string(), "test").unwrap()
    };
    let run =
        vec![phase("fillrandom", 99, 1.0, 20.0, 10), phase("waitforcompaction", 1, 3.0, 10.0, 0)];
    let sum = with_whole(run).pop().unwrap();
    assert_eq!(sum["benchmark"], "(all)");
    assert_eq!(sum["ops_per_sec"], 25.0);
    assert_eq!(sum["engine_write_amplification"], 3.0);
    assert_eq!(sum["peak_rss_bytes"], 99.0);
}

#[test]
fn an_even_number_of_runs_takes_the_middle() {
    assert_eq!(Sample(vec![4.0, 1.0, 3.0, 2.0]).median(), Some(2.5));
    assert_eq!(Sample(vec![]).median(), None);
}
