//! `ferrolith-bench tuning`: all scenarios on a small scale, a sweep, and what goes wrong.

use super::suites::{self, text};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

fn bench(args: &[&str]) -> Output {
    suites::bench(&[&["tuning"], args].concat())
}

/// Runs on a small scale; returns the lines of results and the report.
fn run(dir: &Path, more: &[&str]) -> (Vec<Value>, String) {
    let (db, results) = (dir.join("db"), dir.join("results"));
    let mut args = vec!["--dir", db.to_str().unwrap(), "--results", results.to_str().unwrap()];
    args.extend(["--scale", "0.0003"]);
    args.extend(more);
    let output = bench(&args);
    assert!(output.status.success(), "{}", text(&output));
    let lines = std::fs::read_to_string(results.join("results.jsonl")).unwrap();
    let lines = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (lines, std::fs::read_to_string(results.join("report.txt")).unwrap())
}

/// Checks the operations of all scenarios at a scale of 0.0003.
fn check_scenarios(lines: &[Value]) {
    let measured = |line: &&Value| line["phase"] == "measured";
    let number =
        |line: &Value| (line["scenario"].as_u64().unwrap(), line["operations"].as_u64().unwrap());
    let found: Vec<(u64, u64)> = lines.iter().filter(measured).map(number).collect();
    let expected = [
        (1, 3000),
        (2, 3000),
        (3, 1),
        (4, 30),
        (5, 3000),
        (6, 3000),
        (7, 3000),
        (8, 3000),
        (9, 3000),
        (9, 3000),
        (9, 3000),
        (9, 3000),
        (9, 3000),
        (9, 2960),
    ];
    assert_eq!(found, expected);
    assert_eq!(lines.iter().filter(|line| line["phase"] == "fill").count(), 10);
    for line in lines.iter().filter(measured) {
        super::check_record(line);
        assert!(line["latency_micros"]["p99"].as_f64() > Some(0.0), "{line}");
        let reads = line["scenario"].as_u64() >= Some(6);
        let found = line["found"].as_u64();
        // A fill of random keys leaves more than a third of the keys out.
        assert_eq!(found.is_some_and(|found| found > 1500), reads, "{line}");
        assert!(reads || line["write_amplification"].as_f64() > Some(0.0), "{line}");
        assert!(line["space_amplification"].as_f64() > Some(0.0), "{line}");
        assert!(line["published_ops_per_sec"].as_f64() > Some(0.0), "{line}");
    }
}

#[test]
fn the_scenarios_run_on_ferrolith() {
    let dir = tempfile::tempdir().unwrap();
    let (lines, report) = run(dir.path(), &[]);
    check_scenarios(&lines);
    assert!(report.contains("\n9  readwhilemerging  80 readers"), "{report}");
    assert!(report.contains("802698"), "{report}");
    let environment = std::fs::read_to_string(dir.path().join("results/environment.json")).unwrap();
    assert!(environment.contains("\"name\": \"ferrolith\""), "{environment}");
}

#[test]
fn the_scenarios_run_on_a_library() {
    if let Some(library) = super::library() {
        let dir = tempfile::tempdir().unwrap();
        let engine = library.replace("--engine_lib=", "rocksdb:");
        check_scenarios(&run(dir.path(), &["--engine", &engine]).0);
    }
}

#[test]
fn a_sweep_draws_a_bar_for_each_value() {
    let dir = tempfile::tempdir().unwrap();
    let sweep = ["--sweep", "write_buffer_size=1048576,4194304", "--seed", "3"];
    let (lines, report) = run(dir.path(), &sweep);
    assert_eq!(lines.len(), 4, "two fills and two measured runs, no scenario");
    assert_eq!(lines[3]["flags"]["write_buffer_size"], 4_194_304);
    assert_eq!(lines[3]["flags"]["seed"], 3);
    let bars =
        report.lines().filter(|line| line.starts_with("write_buffer_size=") && line.contains('#'));
    assert_eq!(bars.count(), 2, "{report}");
}

#[test]
fn mistakes_are_refused_by_name_and_create_nothing() {
    let refused = |more: &[&str], expected: &str| suites::refused(&["tuning"], more, expected);
    refused(&["--scenarios", "10"], "10 is not in 1..=9");
    refused(&["--scale", "0"], "--scale 0: expected more than 0");
    refused(&["--engine", "wt"], "engine wt: expected ferrolith, rocksdb, rocksdb:PATH, lmdb");
    refused(&["--engine", "rocksdb:/none.so"], "/none.so");
    refused(&["--engine", "lmdb"], "readwhilemerging: LMDB has no merges");
    refused(&["--sweep", "write_bufer_size=1,2"], "write_bufer_size");
    refused(&["--sweep", "write_buffer_size"], "expected FLAG=VALUE,VALUE");
    refused(&["--", "--cache_sise=1"], "cache_sise");
    assert!(text(&bench(&[])).contains("--dir <DIR>"));
}
