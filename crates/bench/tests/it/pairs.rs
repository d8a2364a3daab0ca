//! `ferrolith-bench pairs` and `compare`: runs that alternate, their results, and what goes wrong.

use super::suites::{bench, text};
use std::path::Path;

/// A command that inserts a few records.
const LOAD: &str =
    "ycsb load -p recordcount=50 --engine {engine} --db {db} --json {results}/load.jsonl";

#[test]
fn pairs_alternate_on_fresh_directories_and_are_compared() {
    let dir = tempfile::tempdir().unwrap();
    let results = dir.path().join("results");
    let [scratch, out] = [dir.path(), &results].map(|path: &Path| path.to_str().unwrap());
    let output = bench(&[
        "pairs",
        "--dir",
        scratch,
        "--results",
        out,
        "--pairs",
        "3",
        "--b",
        "ferrolith",
        LOAD,
    ]);
    let shown = text(&output);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("ycsb without a file load, 1 threads"), "{shown}");
    assert!(shown.contains("99.0 % confidence"), "{shown}");
    assert!(!dir.path().join("pairs-db").exists());
    assert!(results.join("environment.json").exists());
    for (side, run) in ["a", "b"].iter().flat_map(|s| ["001", "002", "003"].map(|r| (s, r))) {
        let path = results.join(side).join(run).join("load.jsonl");
        let line = std::fs::read_to_string(path).unwrap();
        let line: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line["operations"], 50);
    }
    // The results can be compared again, and with a side of another number of runs only without --paired.
    let (a, b) = (results.join("a"), results.join("b").join("001"));
    let [a, b] = [&a, &b].map(|path| path.to_str().unwrap());
    let output = bench(&["compare", a, b]);
    assert!(text(&output).contains("too few runs"), "{}", text(&output));
    let output = bench(&["compare", "--paired", a, b]);
    let lacking = "results of pairs that the other side lacks: 2, 3";
    assert!(text(&output).contains(lacking), "{}", text(&output));
    assert!(text(&output).contains("too few runs"), "{}", text(&output));
}

#[test]
fn what_cannot_run_says_so_and_keeps_results() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let pairs = |results: &str, more: &[&str]| {
        let results = path(results);
        let base = ["pairs", "--dir", dir.path().to_str().unwrap(), "--results", &results];
        let output = bench(&[&base[..], more].concat());
        assert!(!output.status.success(), "{more:?}");
        text(&output)
    };
    let missing = pairs("a", &["--b", "rocksdb:/none.so", LOAD]);
    assert!(missing.contains("--engine_lib=/none.so: no such file"), "{missing}");
    assert!(!dir.path().join("a").exists(), "nothing runs without the engine");
    let line = format!("{LOAD} {{flags}}");
    let failed = pairs("a", &["--b", "ferrolith", "--b-flags", "-p recordcount=x", &line]);
    assert!(failed.contains("recordcount=x: expected a whole number"), "{failed}");
    assert!(dir.path().join("a/a/001/load.jsonl").exists(), "the side that ran is kept");
    assert!(pairs("b", &["ycsb load"]).contains("expected {engine} in it"));
    assert!(pairs("a", &["--b", "ferrolith", LOAD]).contains("a: exists; choose another"));
    assert!(pairs("c", &["--pairs", "0", LOAD]).contains("0 is not in 1..=999"));
    let lost = pairs("e", &["--b-flags", "--slowdown 10", LOAD]);
    assert!(lost.contains("--b-flags: no command has the word {flags}"), "{lost}");
    assert!(pairs("d", &["--confidence", "100", LOAD]).contains("expected 50 to 99.99"));
    assert!(text(&bench(&["compare", &path("none"), &path("none")])).contains("cannot be read"));
}
