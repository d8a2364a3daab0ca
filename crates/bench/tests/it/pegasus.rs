//! `ferrolith-bench pegasus`: a small matrix from load to report, and what goes wrong.

use super::suites::{self, text};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

fn bench(args: &[&str]) -> Output {
    suites::bench(&[&["pegasus"], args].concat())
}

/// Runs on a small scale; returns the lines of results and what was printed.
fn run(dir: &Path, more: &[&str]) -> (Vec<Value>, String) {
    let (db, results) = (dir.join("db"), dir.join("results"));
    let mut args = vec!["--dir", db.to_str().unwrap(), "--results", results.to_str().unwrap()];
    args.extend(["--scale", "0.00001", "--operations", "600", "--threads", "2", "--quiet"]);
    args.extend(more);
    let output = bench(&args);
    assert!(output.status.success(), "{}", text(&output));
    let lines = std::fs::read_to_string(results.join("results.jsonl")).unwrap();
    assert!(results.join("environment.json").exists() && results.join("timeline.jsonl").exists());
    (lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), text(&output))
}

fn count(line: &Value, side: &str) -> u64 {
    line["latencies_us"][side]["service"]["count"].as_u64().unwrap_or(0)
}

#[test]
fn the_matrix_has_each_mix_at_each_size_and_the_rows_of_several_keys() {
    let dir = tempfile::tempdir().unwrap();
    let (lines, shown) = run(dir.path(), &[]);
    assert_eq!(lines.len(), 4 * (1 + 7) + 1 + 1);
    let names: std::collections::BTreeSet<&str> =
        lines.iter().map(|line| line["workload"].as_str().unwrap()).collect();
    // The load of the rows and their mix have the same name, and phases tell them apart.
    assert_eq!(names.len(), lines.len() - 1);
    for line in &lines {
        assert_eq!((&line["suite"], &line["complete"]), (&"pegasus".into(), &true.into()));
        let name = line["workload"].as_str().unwrap();
        if line["phase"] == "load" {
            assert!(count(line, "INSERT") >= 100, "{name}");
            continue;
        }
        assert_eq!(line["operations"], 600, "{name}");
        let (reads, writes) = (count(line, "READ"), count(line, "WRITE"));
        assert_eq!(reads + writes, 600, "{name}: nothing else is done");
        let share = reads as f64 / 600.0;
        let wanted = match line["mix"].as_str().unwrap() {
            "write" => 0.0,
            "read" => 1.0,
            "multi" => 20.0 / 21.0,
            mix => {
                let (reads, writes) = mix.split_once(':').unwrap();
                let [reads, writes] = [reads, writes].map(|part| part.parse::<f64>().unwrap());
                reads / (reads + writes)
            }
        };
        assert!((share - wanted).abs() < 0.08, "{name}: {share} of {wanted}");
        if reads > 0 {
            assert_eq!(line["latencies_us"]["READ"]["not_found"], 0, "{name}");
            assert!(line["reads_per_sec"].as_f64() > Some(0.0));
        }
    }
    let of = |name: &str| lines.iter().rfind(|line| line["workload"] == name).unwrap();
    assert_eq!(of("1KB 1:3")["published"]["WRITE"]["p99"], 1551);
    assert_eq!(of("multi")["published"]["READ"]["p99.9"], 12600);
    assert_eq!(of("320 1:3")["published"], Value::Null);
    for part in ["1KB 30:1", "336106", "P99.99", "pub. ops/s"] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
}

#[test]
fn a_line_has_the_command_that_repeats_it() {
    let dir = tempfile::tempdir().unwrap();
    let more = ["--mixes", "3:1", "--values", "320", "--rate-limiter", "off,auto:64MB"];
    let (lines, _) = run(dir.path(), &more);
    let names: Vec<&str> = lines.iter().map(|line| line["workload"].as_str().unwrap()).collect();
    let limited = "320 3:1 limiter auto:64MB";
    assert_eq!(names, ["320", "320 3:1", "320 limiter auto:64MB", limited]);
    let command = lines[3]["command"].as_str().unwrap();
    let again = dir.path().join("again");
    let mut words: Vec<&str> = command.split(' ').skip(2).collect();
    words.extend(["--results", again.to_str().unwrap()]);
    let output = bench(&words);
    assert!(output.status.success(), "{command}\n{}", text(&output));
    let repeated = std::fs::read_to_string(again.join("results.jsonl")).unwrap();
    let last: Value = serde_json::from_str(repeated.lines().last().unwrap()).unwrap();
    for field in ["workload", "operations", "threads", "properties", "command"] {
        assert_eq!(last[field], lines[3][field], "{field}");
    }
}

#[test]
fn a_warm_up_comes_before_each_mix_and_does_not_count() {
    let dir = tempfile::tempdir().unwrap();
    let more = ["--mixes", "3:1", "--values", "320", "--warm-up", "1"];
    let (lines, _) = run(dir.path(), &more);
    let seconds: Vec<bool> =
        lines.iter().map(|line| line["warm_up"]["seconds"].as_f64() >= Some(1.0)).collect();
    assert_eq!(seconds, [false, true], "the load has none");
    assert_eq!(lines[1]["operations"], 600);
    assert!(lines[1]["command"].as_str().unwrap().contains("--warm-up 1"), "{}", lines[1]);
}

#[test]
fn it_runs_on_rocksdb() {
    if super::library().is_none() {
        return;
    }
    let path = super::library().unwrap().replace("--engine_lib=", "rocksdb:");
    let dir = tempfile::tempdir().unwrap();
    let more = [
        "--engine",
        &path,
        "--mixes",
        "1:1,multi",
        "--values",
        "1KB",
        "--rate-limiter",
        "auto:64MB",
    ];
    let (lines, _) = run(dir.path(), &more);
    assert_eq!(lines.len(), 4);
    assert!(lines.iter().all(|line| line["engine"].as_str().unwrap().starts_with("rocksdb")));
}

#[test]
fn mistakes_are_refused_by_name_and_create_nothing() {
    let refused = |more: &[&str], expected: &str| suites::refused(&["pegasus"], more, expected);
    refused(&["--mixes", "2:1"], "mix 2:1: expected write, read");
    refused(&["--values", "1"], "--values 1: expected 64 bytes to 1 GB");
    refused(&["--rate-limiter", "on"], "rate limiter on: expected off");
    refused(&["--scale", "0"], "--scale 0: expected more than 0");
    refused(&["--threads", "0"], "0 is not in 1..");
    refused(&["--threads", "10001"], "threadcount=10001: expected 1 to 10000");
    refused(&["--engine", "rocksdb:/none.so"], "/none.so");
    refused(&["--", "--cache_sise=1"], "cache_sise");
    if cfg!(feature = "fjall") {
        refused(&["--engine", "fjall", "--rate-limiter", "5MB"], "fjall has no rate limiter");
    }
    assert!(text(&bench(&[])).contains("--dir is missing"));
}

#[test]
fn rate_limiters_limit_flushes_alike_on_both_engines() {
    let engines = [Some("--engine=ferrolith".to_owned()), super::library()];
    for engine in engines.into_iter().flatten() {
        let dir = tempfile::tempdir().unwrap();
        let [db, json] =
            ["db", "json"].map(|name| format!("--{name}={}", dir.path().join(name).display()));
        let flush = |limit: &[&str]| {
            let args = [
                &engine,
                &db,
                &json,
                "--num=20000",
                "--benchmarks=fillseq,flush",
                "--compression_type=none",
            ];
            super::good(&[&args[..], limit].concat());
            let lines = std::fs::read_to_string(dir.path().join("json")).unwrap();
            let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
            assert_eq!(last["benchmark"], "flush");
            last["seconds"].as_f64().unwrap()
        };
        // A table of 2.3 MB. The tuned limit begins at half of the maximum.
        let fixed = flush(&["--rate_limiter_bytes_per_sec=2097152"]);
        assert!(fixed > 0.8, "{engine}: {fixed} s at 2 MB/s");
        let tuned = flush(&["--rate_limiter_bytes_per_sec=2097152", "--rate_limiter_auto_tuned"]);
        assert!(tuned > 1.6, "{engine}: {tuned} s at up to 2 MB/s");
    }
}
