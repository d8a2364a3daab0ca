//! Scenarios against the study's definitions, and the chart.

use super::report::{chart, row};
use super::scenarios::{Run, SCENARIOS, sweep};
use serde_json::json;

fn flag(flags: &[String], name: &str) -> String {
    let prefix = format!("--{name}=");
    let found = flags.iter().rev().find_map(|flag| flag.strip_prefix(&prefix));
    found.unwrap_or_else(|| panic!("no {name} in {flags:?}")).to_owned()
}

fn runs(number: u64, scale: f64) -> Vec<Run> {
    SCENARIOS.iter().find(|scenario| scenario.number == number).unwrap().runs(scale)
}

#[test]
fn scenarios_have_the_numbers_of_the_study() {
    let expected = [
        (1, "fillseq", "10000000"),
        (2, "fillrandom", "10000000"),
        (3, "fillsync", "10000000"),
        (4, "fill100K", "100000000"),
        (5, "overwrite", "10000000"),
        (6, "readrandom", "10000000"),
        (7, "readwhilewriting", "10000000"),
        (8, "readwhilemerging", "10000000"),
    ];
    for (number, benchmark, keys) in expected {
        let [run] = &runs(number, 1.0)[..] else { panic!("{number}") };
        assert_eq!((run.benchmark, flag(&run.flags, "num").as_str()), (benchmark, keys));
        assert_eq!((flag(&run.flags, "benchmarks"), run.threads), (benchmark.to_owned(), 1));
        assert_eq!(
            (flag(&run.flags, "key_size"), flag(&run.flags, "value_size")),
            ("16".into(), "100".into())
        );
        // Reads and overwrites need a full database, which their own run must not delete.
        assert_eq!(run.fill.is_some(), number >= 5);
        assert_eq!(flag(&run.flags, "use_existing_db"), if number >= 5 { "1" } else { "0" });
    }
    assert_eq!(flag(&runs(3, 1.0)[0].flags, "writes"), "1000");
    assert_eq!(flag(&runs(3, 1.0)[0].flags, "sync"), "1");
    assert_eq!(flag(&runs(4, 1.0)[0].flags, "writes"), "100000");
    assert_eq!(flag(&runs(7, 0.001)[0].flags, "num"), "10000");
    let ninth = runs(9, 1.0);
    let readers: Vec<u64> = ninth.iter().map(|run| run.threads).collect();
    assert_eq!(readers, [1, 2, 10, 20, 30, 80]);
    let reads = |run: &Run| flag(&run.flags, "reads").parse::<u64>().unwrap() * run.threads;
    assert!(ninth.iter().all(|run| reads(run).abs_diff(10_000_000) < 80), "10M reads in all");
    assert_eq!(ninth[2].published, Some(398_887.0));
}

#[test]
fn a_sweep_changes_one_flag_of_the_base_case() {
    let runs = sweep("write_buffer_size=1048576,2097152", 0.01).unwrap();
    let sizes: Vec<String> = runs.iter().map(|run| flag(&run.flags, "write_buffer_size")).collect();
    assert_eq!(sizes, ["1048576", "2097152"]);
    for run in &runs {
        assert_eq!(
            flag(run.fill.as_ref().unwrap(), "write_buffer_size"),
            flag(&run.flags, "write_buffer_size")
        );
        assert_eq!(
            (flag(&run.flags, "threads"), run.benchmark),
            ("10".to_owned(), "readwhilemerging")
        );
    }
    for wrong in ["", "a", "a=", "=1", "a=1,,2"] {
        assert!(sweep(wrong, 1.0).unwrap_err().contains("expected FLAG=VALUE,VALUE"), "{wrong}");
    }
}

#[test]
fn rows_and_bars_show_what_was_measured() {
    let line = |label: &str, rate: f64| {
        json!({"scenario": 9, "benchmark": "readwhilemerging", "label": label, "ops_per_sec": rate,
               "write_amplification": 3.456, "latency_micros": {"p99": 7.0}})
    };
    let text = row(&line("x", 1234.5));
    assert!(text.starts_with("9  readwhilemerging  x "), "{text}");
    assert!(text.contains(" 7.00   3.46      -      -"), "{text}");
    let chart = chart(&[line("a", 100.0), line("b", 50.0)]);
    let widths: Vec<usize> = chart.lines().map(|line| line.matches('#').count()).collect();
    assert_eq!(widths, [50, 25]);
}
