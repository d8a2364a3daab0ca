//! `ferrolith-bench ycsb`: the mixes of the core workloads from load to report, and what goes wrong.

use super::suites::{bench, text};
use serde_json::Value;
use std::path::Path;

/// The mixes of YCSB's workloads A to F.
pub const WORKLOADS: &[(&str, &str)] = &[
    ("a", "readproportion=0.5\nupdateproportion=0.5\nrequestdistribution=zipfian"),
    ("b", "readproportion=0.95\nupdateproportion=0.05\nrequestdistribution=zipfian"),
    ("c", "readproportion=1\nupdateproportion=0\nrequestdistribution=zipfian"),
    (
        "d",
        "readproportion=0.95\nupdateproportion=0\ninsertproportion=0.05\nrequestdistribution=latest",
    ),
    (
        "e",
        "readproportion=0\nupdateproportion=0\nscanproportion=0.95\ninsertproportion=0.05\n\
         requestdistribution=zipfian\nmaxscanlength=100\nscanlengthdistribution=uniform",
    ),
    (
        "f",
        "readproportion=0.5\nupdateproportion=0\nreadmodifywriteproportion=0.5\nrequestdistribution=zipfian",
    ),
];

/// Runs a phase that succeeds; returns its JSON line.
pub fn phase(name: &str, dir: &Path, file: &Path, more: &[&str]) -> Value {
    let (db, json) = (dir.join("db"), dir.join("result.jsonl"));
    let mut args = vec!["ycsb", name, "-P", file.to_str().unwrap(), "--db", db.to_str().unwrap()];
    args.extend(["--json", json.to_str().unwrap()]);
    args.extend(more);
    let output = bench(&args);
    assert!(output.status.success(), "{}", text(&output));
    let lines = std::fs::read_to_string(json).unwrap();
    serde_json::from_str(lines.lines().last().unwrap()).unwrap()
}

/// Writes a property file with this mix.
pub fn workload(dir: &Path, mix: &str) -> std::path::PathBuf {
    let file = dir.join("workload");
    let common = "recordcount=2000\noperationcount=4000\nworkload=site.ycsb.workloads.CoreWorkload\n\
                  readallfields=true\ninsertproportion=0\n";
    std::fs::write(&file, format!("{common}{mix}\n")).unwrap();
    file
}

#[test]
fn the_core_workloads_run_from_load_to_report() {
    for (name, mix) in WORKLOADS {
        let dir = tempfile::tempdir().unwrap();
        let file = workload(dir.path(), mix);
        // Reads check what was written.
        let checked = ["-p", "dataintegrity=true", "-p", "threadcount=3"];
        let load = phase("load", dir.path(), &file, &checked);
        assert_eq!(load["operations"], 2000, "{name}");
        assert_eq!(load["latencies_us"]["INSERT"]["service"]["count"], 2000, "{name}");
        let run = phase("run", dir.path(), &file, &checked);
        assert_eq!(
            (run["operations"].as_u64(), run["complete"].as_bool()),
            (Some(4000), Some(true))
        );
        let kinds = run["latencies_us"].as_object().unwrap();
        let found = kinds.values().all(|kind| kind["not_found"] == 0);
        assert!(found, "{name}: every chosen record exists: {run}");
        let expected: &[&str] = match *name {
            "a" | "b" => &["READ", "UPDATE"],
            "c" => &["READ"],
            "d" => &["INSERT", "READ"],
            "e" => &["INSERT", "SCAN"],
            _ => &["READ", "READ-MODIFY-WRITE"],
        };
        let mut names: Vec<&str> = kinds.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, expected, "{name}");
        super::check_record(&load);
        super::check_record(&run);
        assert_eq!(run["records_scanned"].as_u64() > Some(0), *name == "e");
    }
}

#[test]
fn a_target_rate_is_kept_and_latencies_count_from_the_schedule() {
    let dir = tempfile::tempdir().unwrap();
    let file = workload(dir.path(), WORKLOADS[0].1);
    phase("load", dir.path(), &file, &[]);
    let rate = ["-p", "target=4000", "-p", "operationcount=2000", "-p", "threadcount=2"];
    let run = phase("run", dir.path(), &file, &rate);
    let seconds = run["seconds"].as_f64().unwrap();
    assert!(seconds > 0.49, "2000 operations at 4000 per second took {seconds} s");
    let read = &run["latencies_us"]["READ"];
    let mean = |kind: &str| read[kind]["mean"].as_f64().unwrap();
    assert!(mean("from_schedule") >= mean("service"));
}

#[test]
fn a_run_directory_has_the_environment_the_line_and_each_second() {
    let dir = tempfile::tempdir().unwrap();
    let file = workload(dir.path(), WORKLOADS[0].1);
    phase("load", dir.path(), &file, &[]);
    let results = dir.path().join("results");
    let time = ["-p", "operationcount=0", "-p", "maxexecutiontime=2"];
    let line = phase(
        "run",
        dir.path(),
        &file,
        &[&time[..], &["--results", results.to_str().unwrap()]].concat(),
    );
    let read = |name: &str| std::fs::read_to_string(results.join(name)).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&read("results.jsonl")).unwrap(), line);
    let environment: Value = serde_json::from_str(&read("environment.json")).unwrap();
    assert_eq!((&environment["schema"], &environment["complete"]), (&2.into(), &true.into()));
    assert_eq!(
        environment["engines"][0]["version"].as_str().map(|v| v.starts_with("version ")),
        Some(true)
    );
    let command = environment["command"].as_str().unwrap();
    assert!(command.starts_with("ferrolith-bench ycsb run -P "), "{command}");
    let timeline = read("timeline.jsonl");
    let seconds: Vec<Value> =
        timeline.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!((1..=3).contains(&seconds.len()), "{timeline}");
    let reads: u64 = seconds.iter().map(|second| second["ops"]["READ"].as_u64().unwrap()).sum();
    let counted = line["latencies_us"]["READ"]["service"]["count"].as_u64().unwrap();
    assert!(reads > 0 && reads <= counted, "{reads} of {counted}");
    for second in seconds {
        assert_eq!((&second["state"], &second["suite"]), (&"measured".into(), &"ycsb".into()));
        assert!(second["levels"][0]["files"].is_u64(), "{second}");
        assert!(second["p99_us"]["UPDATE"].as_f64() > Some(0.0), "{second}");
    }
    assert!(read("report.txt").contains("run: "));
}

#[test]
fn operations_of_a_warm_up_do_not_count() {
    let dir = tempfile::tempdir().unwrap();
    let file = workload(dir.path(), WORKLOADS[0].1);
    phase("load", dir.path(), &file, &[]);
    let results = dir.path().join("results");
    let more = ["--warm-up", "1", "-p", "threadcount=2", "--results", results.to_str().unwrap()];
    let run = phase("run", dir.path(), &file, &more);
    assert_eq!((&run["operations"], &run["complete"]), (&4000.into(), &true.into()), "{run}");
    assert_eq!(run["warm_up"]["detected"], false);
    assert!(run["warm_up"]["seconds"].as_f64() >= Some(1.0), "{run}");
    let timeline = std::fs::read_to_string(results.join("timeline.jsonl")).unwrap();
    let seconds: Vec<Value> =
        timeline.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(seconds.first().unwrap()["state"], "warm-up", "{timeline}");
    let last = seconds.last().unwrap();
    assert_eq!(last["state"], "measured", "{timeline}");
    let run = phase("run", dir.path(), &file, &["--warm-up", "auto:6"]);
    assert_eq!(run["operations"], 4000);
    let warm_up = run["warm_up"]["seconds"].as_f64().unwrap();
    assert!(warm_up >= 4.9, "five windows must agree: {run}");
    assert!(run["warm_up"]["detected"] == true || warm_up >= 6.0, "{run}");
    let refused = |name: &str, text: &str, expected: &str| {
        let db = dir.path().join("db");
        let output = bench(&["ycsb", name, "--db", db.to_str().unwrap(), "--warm-up", text]);
        assert!(!output.status.success());
        assert!(self::text(&output).contains(expected), "{}", self::text(&output));
    };
    refused("run", "soon", "warm-up soon: expected seconds, auto");
    refused("load", "auto", "--warm-up: a load has no warm-up");
}

#[test]
fn a_time_ends_a_run() {
    let dir = tempfile::tempdir().unwrap();
    let file = workload(dir.path(), WORKLOADS[2].1);
    phase("load", dir.path(), &file, &[]);
    let run =
        phase("run", dir.path(), &file, &["-p", "operationcount=0", "-p", "maxexecutiontime=1"]);
    assert!(run["operations"].as_u64() > Some(0));
    assert!((0.9..30.0).contains(&run["seconds"].as_f64().unwrap()), "{run}");
    // A load as well, which says that its table is smaller than the file says.
    let (file, db) = (file.to_str().unwrap(), dir.path().join("other"));
    let args = ["ycsb", "load", "-P", file, "--db", db.to_str().unwrap()];
    let more = ["-p", "recordcount=1000000000", "-p", "maxexecutiontime=1"];
    let output = bench(&[&args[..], &more].concat());
    assert!(output.status.success(), "{}", text(&output));
    let said = text(&output);
    assert!(said.contains("maxexecutiontime ended the load: "), "{said}");
    assert!(said.contains(" of 1000000000 records"), "{said}");
}

#[test]
fn wrong_input_is_refused_by_name_and_creates_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let file = workload(dir.path(), WORKLOADS[0].1);
    let (file, db) = (file.to_str().unwrap(), dir.path().join("db"));
    let db = db.to_str().unwrap();
    let refused = |args: &[&str], expected: &str| {
        let output = bench(args);
        assert!(!output.status.success(), "{args:?}");
        assert!(text(&output).contains(expected), "{args:?}: {}", text(&output));
        assert!(!Path::new(db).exists(), "{args:?}");
    };
    let base = ["ycsb", "load", "-P", file, "--db", db];
    let with = |more: &[&'static str]| [&base[..], more].concat();
    refused(&["ycsb", "run", "-P", file, "--db", db], "there is no database");
    refused(
        &["ycsb", "load", "-P", "/none", "--db", db],
        "/none: the property file cannot be read: No such file",
    );
    refused(&["ycsb", "load", "-P", file, "--db", &format!("{db}/x/y")], "cannot be created");
    refused(&["ycsb", "load", "-P", file], "--db is missing");
    refused(&with(&["-p", "recordcuont=1"]), "did you mean recordcount?");
    refused(&with(&["-p", "recordcount"]), "expected KEY=VALUE");
    refused(&with(&["-p", "recordcount=x"]), "recordcount=x: expected a whole number");
    refused(&with(&["--engine", "rocksdb:/none.so"]), "/none.so");
    refused(&with(&["--engine", "rocksbd"]), "expected ferrolith, rocksdb, rocksdb:PATH, lmdb");
    refused(&with(&["--", "--cache_sise=1"]), "cache_sise");
    refused(&["nonsense"], "unrecognized subcommand");
    refused(&[], "Usage: ferrolith-bench");
}

#[test]
fn a_value_of_another_program_is_an_error_that_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let db = dir.path().join("db");
    let other = ferrolith::Db::open(&db).unwrap();
    for record in 0..10 {
        other.put(format!("user{record}"), "not of YCSB").unwrap();
    }
    other.close().unwrap();
    let file = workload(dir.path(), WORKLOADS[2].1);
    let output = bench(&[
        "ycsb",
        "run",
        "-P",
        file.to_str().unwrap(),
        "--db",
        db.to_str().unwrap(),
        "-p",
        "recordcount=10",
        "-p",
        "insertorder=ordered",
    ]);
    assert!(!output.status.success());
    assert!(text(&output).contains("a value that YCSB did not write"), "{}", text(&output));
}
