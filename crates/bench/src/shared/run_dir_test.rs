//! Which directories of runs stay.

use super::*;
use serde_json::json;

fn about<'a>(place: &'a Path) -> About<'a> {
    About { suite: "ycsb", command: "x", engines: Vec::new(), engine_flags: &[], place }
}

/// Creates the directory of a run below `dir`.
fn run(dir: &tempfile::TempDir) -> RunDir {
    RunDir::create(dir.path().join("run"), &about(dir.path())).unwrap()
}

#[test]
fn a_run_that_measured_nothing_leaves_no_directory() {
    let dir = tempfile::tempdir().unwrap();
    drop(run(&dir));
    assert!(!dir.path().join("run").exists(), "the engine could not be opened");
    let mut failed = run(&dir);
    failed.say("results: run").unwrap();
    failed.line(json!({"complete": false, "error": "no space", "ops_per_sec": 0.0})).unwrap();
    append_line(&failed.timeline(), &json!({"t": 0.1, "ops": {}}).to_string()).unwrap();
    std::fs::create_dir_all(failed.path().join("a/001/ycsb")).unwrap();
    std::fs::create_dir(failed.path().join(WORKLOADS)).unwrap();
    std::fs::write(failed.path().join("workloads/workloada"), "recordcount=1").unwrap();
    failed.end(false).unwrap();
    assert!(!dir.path().join("run").exists(), "parts without results");
}

#[test]
fn what_was_measured_stays() {
    let complete = |run: &Path| {
        let text = std::fs::read_to_string(run.join("environment.json")).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["complete"].clone()
    };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    for (file, text) in [
        ("results.jsonl", "{\"ops_per_sec\":2.5,\"complete\":false}"),
        ("b/001/forestdb/results.jsonl", "{}\n{\"documents_per_sec\":1}"),
        ("timeline.jsonl", "{\"ops\":{\"READ\":1}}"),
        ("a/001/notes", "of the user"),
        ("results.jsonl", "{\"ops_per_sec\":2"),
    ] {
        let mut cut = run(&dir);
        let file = path.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        cut.end(false).unwrap();
        assert_eq!(complete(&path), false, "{}", file.display());
        drop(cut);
        assert!(file.exists(), "{}", file.display());
        std::fs::remove_dir_all(&path).unwrap();
    }
    // A run that ends as it should is not looked at.
    run(&dir).end(true).unwrap();
    assert_eq!(complete(&path), true);
}
