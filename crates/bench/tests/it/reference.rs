//! `ferrolith-bench suite reference` and `in-memory`: small runs, Ctrl-C, and what goes wrong.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn bench(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrolith-bench")).args(args).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

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
        &[&["in-memory", "--dir", &db, "--wal-dir", &wal, "--rows", "1,4"], &size[..]].concat(),
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
    let dir = tempfile::tempdir().unwrap();
    let db = dir.path().join("db");
    let refused = |more: &[&str], expected: &str| {
        let output =
            bench(&[&["suite", "reference", "--dir", db.to_str().unwrap()], more].concat());
        assert!(!output.status.success(), "{more:?}");
        assert!(text(&output).contains(expected), "{more:?}: {}", text(&output));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "{more:?}");
    };
    refused(&["--minutes", "1"], "2 engines and 3 pairs need at least 6 minutes");
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
