//! `ferrolith-bench suite reference` and `in-memory`: small runs, Ctrl-C, and what goes wrong.

use super::suites::{self, bench, text};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_rows_in_memory_read_what_they_wrote() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (db, wal, results) = (path("db"), path("wal"), path("results"));
    let size = ["--keys", "3000", "--seconds", "1", "--threads", "2", "--results", &results];
    let output = bench(
        &[
            &["in-memory", "--dir", &db, "--wal-dir", &wal, "--rows", "1,4", "--warm-up", "1"],
            &size[..],
        ]
        .concat(),
    );
    assert!(output.status.success(), "{}", text(&output));
    let lines = lines(&dir.path().join("results/results.jsonl"));
    let names: Vec<(u64, &str)> = lines
        .iter()
        .map(|line| (line["scenario"].as_u64().unwrap(), line["phase"].as_str().unwrap()))
        .collect();
    assert_eq!(names, [(1, "fill"), (1, "measured"), (4, "fill"), (4, "measured")]);
    for line in &lines {
        super::check_record(line);
    }
    let warm: Vec<bool> =
        lines.iter().map(|line| line["warm_up"]["seconds"].as_f64() >= Some(1.0)).collect();
    assert_eq!(warm, [false, true, false, true]);
    let read = &lines[1];
    assert_eq!(
        (&read["found"], &read["published_ops_per_sec"]),
        (&read["looked_for"], &4_553_529.0.into())
    );
    let report = std::fs::read_to_string(dir.path().join("results/report.txt")).unwrap();
    assert!(report.contains("prefix range, 10K writes/s"), "{report}");
    assert!(Path::new(&wal).exists());
}

#[test]
fn the_parts_are_listed_and_mistakes_create_nothing() {
    let list = text(&bench(&["suite", "reference", "--list"]));
    for part in ["in-memory", "tuning", "forestdb", "pegasus", "ycsb"] {
        assert!(list.contains(part), "{list}");
    }
    let refused = |more: &[&str], expected: &str| {
        suites::refused(&["suite", "reference"], more, expected);
    };
    refused(&["--minutes", "1", "--pairs", "3"], "2 engines and 3 pairs need at least 6 minutes");
    refused(&["--engines", "ferrolith"], "expected 2 to 6 engines, found 1");
    refused(&["--engines", "ferrolith,rocks"], "engine rocks: expected");
    refused(&["--parts", "all"], "in-memory, tuning, forestdb, pegasus, ycsb");
}

#[test]
fn engines_alternate_and_are_compared() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (db, ram, results) = (path("db"), path(""), path("results"));
    let output = bench(&[
        "suite",
        "reference",
        "--dir",
        &db,
        "--ram",
        &ram,
        "--results",
        &results,
        "--minutes",
        "2",
        "--pairs",
        "1",
        "--engines",
        "ferrolith,ferrolith",
        "--parts",
        "ycsb",
    ]);
    let shown = text(&output);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("ycsb workloade run, "), "{shown}");
    assert!(shown.contains("part 1 of 1 (ycsb), ferrolith: "), "{shown}");
    let results = dir.path().join("results");
    let environment = std::fs::read_to_string(results.join("environment.json")).unwrap();
    let environment: Value = serde_json::from_str(&environment).unwrap();
    assert_eq!(
        (&environment["complete"], &environment["suite"]),
        (&true.into(), &"reference".into())
    );
    for side in ["a", "b"] {
        for part in ["a-load", "a", "b", "c", "f", "d", "e-load", "e"] {
            let line =
                &lines(&results.join(side).join("001/ycsb").join(part).join("results.jsonl"))[0];
            super::check_record(line);
            assert_eq!((&line["side"], &line["pair"]), (&side.into(), &1.into()), "{line}");
        }
    }
    assert_eq!(std::fs::read_dir(&db).unwrap().count(), 0, "databases are removed");
}

/// Sends Ctrl-C once the timeline or results exist; returns the output.
fn interrupted(args: &[&str], begun: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferrolith-bench"));
    command.args(args).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let patience = std::time::Instant::now();
    while !begun.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before {}", begun.display());
        assert!(patience.elapsed().as_secs() < 120, "{} never appeared", begun.display());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    child.wait_with_output().unwrap()
}

/// Checks that the last line of results and the environment say that the run did not complete.
fn check_partial(results: &Path, output: &Output) {
    assert!(!output.status.success(), "{}", text(output));
    let line = lines(&results.join("results.jsonl")).pop().unwrap();
    assert_eq!(line["complete"], false, "{line}");
    let environment = std::fs::read_to_string(results.join("environment.json")).unwrap();
    let environment: Value = serde_json::from_str(&environment).unwrap();
    assert_eq!(environment["complete"], false, "{environment}");
    assert!(environment["end_time"].is_string(), "{environment}");
}

#[test]
fn ctrl_c_keeps_partial_results_of_each_suite() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (db, wal) = (path("db"), path("wal"));
    let many = "recordcount=100000000";
    let suites: [(&str, Vec<&str>); 4] = [
        ("ycsb", vec!["ycsb", "load", "-p", many, "--db", &db]),
        ("tuning", vec!["tuning", "--scenarios", "1", "--scale", "100", "--dir", &db]),
        ("in-memory", vec!["in-memory", "--rows", "1", "--dir", &db, "--wal-dir", &wal]),
        ("forestdb", vec!["forestdb", "rall", "--preset", "cached-n10", "--dir", &db]),
    ];
    for (suite, mut args) in suites {
        let results = path(suite);
        args.extend(["--results", &results]);
        let results = Path::new(&results);
        let output = interrupted(&args, &results.join("timeline.jsonl"));
        check_partial(results, &output);
        std::fs::remove_dir_all(&db).unwrap();
        std::fs::create_dir(&db).unwrap();
    }
}

#[test]
fn ctrl_c_ends_the_part_of_a_larger_run_and_keeps_its_results() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (db, ram, pairs, reference) = (path("db"), path(""), path("pairs"), path("reference"));
    std::fs::create_dir(&db).unwrap();
    let line =
        "ycsb load -p recordcount=100000000 --engine {engine} --db {db} --results {results}/load";
    let args = ["pairs", "--dir", &db, "--b", "ferrolith", "--results", &pairs, line];
    let part = Path::new(&pairs).join("a/001/load");
    let output = interrupted(&args, &part.join("timeline.jsonl"));
    check_partial(&part, &output);
    let of = |run: &str| std::fs::read_to_string(Path::new(run).join("environment.json")).unwrap();
    assert!(of(&pairs).contains("\"complete\": false"), "{}", of(&pairs));
    let args = [
        "suite",
        "reference",
        "--dir",
        &db,
        "--ram",
        &ram,
        "--results",
        &reference,
        "--minutes",
        "1000",
        "--engines",
        "ferrolith,ferrolith",
        "--parts",
        "ycsb",
    ];
    let part = Path::new(&reference).join("a/001/ycsb/a-load");
    let output = interrupted(&args, &part.join("timeline.jsonl"));
    check_partial(&part, &output);
    assert!(of(&reference).contains("\"complete\": false"), "{}", of(&reference));
    assert!(!Path::new(&reference).join("b/001").exists(), "nothing runs after Ctrl-C");
    assert_eq!(std::fs::read_dir(&db).unwrap().count(), 0, "databases are removed");
}
