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
fn a_warm_up_comes_before_runs_on_a_filled_database_and_does_not_count() {
    let dir = tempfile::tempdir().unwrap();
    let (lines, _) = run(dir.path(), &["--scenarios", "1,5,8", "--warm-up", "1"]);
    let seconds = |line: &Value| line["warm_up"]["seconds"].as_f64().unwrap();
    let names: Vec<(u64, &str, bool)> = lines
        .iter()
        .map(|line| {
            let phase = line["phase"].as_str().unwrap();
            (line["scenario"].as_u64().unwrap(), phase, seconds(line) >= 1.0)
        })
        .collect();
    let expected = [
        (1, "measured", false),
        (5, "fill", false),
        (5, "measured", true),
        (8, "fill", false),
        (8, "measured", true),
    ];
    assert_eq!(names, expected);
    for line in &lines {
        super::check_record(line);
        assert_eq!(line["operations"], 3000, "{line}");
        let has_flag = line["command"].as_str().unwrap().contains("--warm_up=1");
        assert_eq!(has_flag, seconds(line) > 0.0, "{line}");
        // What is counted is what the measured part wrote.
        let written = line["user_bytes_written"].as_u64().unwrap();
        assert!(line["scenario"] == 8 || written == 3000 * 116, "{line}");
    }
    let timeline = std::fs::read_to_string(dir.path().join("results/timeline.jsonl")).unwrap();
    let seconds = timeline.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let warm: Vec<Value> = seconds.filter(|line| line["state"] == "warm-up").collect();
    assert!(!warm.is_empty() && warm.iter().all(|line| line["scenario"] != 1), "{warm:?}");
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
    refused(&["--warm-up", "auto:3"], "warm-up auto:3: expected seconds, auto, or auto:");
    assert!(text(&bench(&[])).contains("--dir <DIR>"));
}
