//! `ferrolith-bench replay`: a run directory of each suite runs again, into a new directory.

use super::suites::{bench, text};
use serde_json::Value;
use std::path::Path;

fn lines(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("results.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn environment(run: &Path) -> Value {
    let text = std::fs::read_to_string(run.join("environment.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The words of the recorded command but for the directory of results, sorted: its place changes.
fn words(environment: &Value) -> Vec<String> {
    let command = environment["command"].as_str().unwrap();
    let mut words: Vec<String> = command.split(' ').map(str::to_owned).collect();
    if let Some(flag) = words.iter().position(|word| word == "--results") {
        words.drain(flag..flag + 2);
    }
    words.sort_unstable();
    words
}

/// Checks that a replay did what the first run did: the fields that name a line, and those at `fields`, are
/// equal in all lines.
fn check_alike(first: &Path, again: &Path, fields: &[&str]) {
    let [one, two] = [first, again].map(environment);
    assert_eq!(words(&one), words(&two));
    for field in ["suite", "schema", "directory", "engine_flags"] {
        assert_eq!(one[field], two[field], "{field}");
    }
    assert_eq!((&one["complete"], &two["complete"]), (&true.into(), &true.into()));
    let [one, two] = [first, again].map(lines);
    assert_eq!(one.len(), two.len());
    let names = ["suite", "workload", "scenario", "step", "phase", "label", "engine", "threads"];
    for (one, two) in one.iter().zip(&two) {
        for field in names {
            assert_eq!(one[field], two[field], "{field}");
        }
        for path in fields {
            assert_eq!(one.pointer(path), two.pointer(path), "{path}");
            assert!(one.pointer(path).is_some(), "{path}: {one}");
        }
    }
}

/// Runs a suite and replays its run directory. `args` lack `--results`.
fn replayed(args: &[&str], fields: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (db, wal, first, again) = (path("db"), path("wal"), path("first"), path("again"));
    let args: Vec<&str> = args
        .iter()
        .map(|word| match *word {
            "DB" => db.as_str(),
            "WAL" => wal.as_str(),
            word => word,
        })
        .collect();
    let output = bench(&[&args[..], &["--results", &first]].concat());
    assert!(output.status.success(), "{args:?}\n{}", text(&output));
    let output = bench(&["replay", &first, "--results", &again]);
    assert!(output.status.success(), "{args:?}\n{}", text(&output));
    assert!(!lines(Path::new(&first)).is_empty());
    check_alike(Path::new(&first), Path::new(&again), fields);
}

#[test]
fn a_load_of_ycsb_is_replayed_into_a_new_directory() {
    let args = ["ycsb", "load", "-p", "recordcount=300", "--seed", "7", "--db", "DB"];
    replayed(&args, &["/operations", "/seed", "/properties"]);
}

#[test]
fn scenarios_of_tuning_and_a_sweep_are_replayed() {
    let scale = ["tuning", "--dir", "DB", "--scale", "0.0003", "--seed", "5", "--scenarios", "2,6"];
    let sweep = ["--sweep", "write_buffer_size=1048576,4194304"];
    replayed(
        &[&scale[..], &sweep].concat(),
        &["/operations", "/flags/seed", "/flags/num", "/flags/benchmarks"],
    );
}

#[test]
fn mixes_of_pegasus_are_replayed() {
    let args =
        ["pegasus", "--dir", "DB", "--scale", "0.00001", "--operations", "600", "--threads", "2"];
    let mixes = ["--mixes", "3:1,multi", "--values", "320", "--seed", "3"];
    replayed(&[&args[..], &mixes].concat(), &["/operations", "/properties"]);
}

#[test]
fn rows_in_memory_are_replayed() {
    let args = ["in-memory", "--dir", "DB", "--wal-dir", "WAL", "--rows", "1,3", "--keys", "3000"];
    let size = ["--seconds", "1", "--threads", "2"];
    replayed(&[&args[..], &size].concat(), &["/published_ops_per_sec"]);
}

#[test]
fn steps_of_forestdb_are_replayed() {
    let args = ["forestdb", "rall", "--preset", "cached-n10", "--scale", "0.0001", "--dir", "DB"];
    let steps = ["--steps", "load,ows.1,rq.n", "--nops", "300", "--warm", "0", "--after-load", "1"];
    replayed(&[&args[..], &steps].concat(), &["/phase"]);
}

#[test]
fn an_ini_file_of_forestdb_is_replayed_and_missed_when_it_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (ini, db, first, again) = (path("my.ini"), path("db"), path("first"), path("again"));
    let text_of_ini = "[document]\nndocs = 500\n[threads]\nreaders = 1\n[operation]\nnops = 200\n";
    std::fs::write(&ini, text_of_ini).unwrap();
    // The file need not come first.
    let args = ["forestdb", "run", "--engine", "ferrolith", "--dir", &db, "--quiet", &ini];
    let output = bench(&[&args[..], &["--results", &first]].concat());
    assert!(output.status.success(), "{}", text(&output));
    let output = bench(&["replay", &first, "--results", &again]);
    assert!(output.status.success(), "{}", text(&output));
    check_alike(Path::new(&first), Path::new(&again), &["/phase"]);
    std::fs::remove_file(&ini).unwrap();
    let output = bench(&["replay", &first, "--results", &path("third")]);
    assert!(!output.status.success());
    let expected = format!("the run needs {ini}, which does not exist any more");
    assert!(text(&output).contains(&expected), "{}", text(&output));
    assert!(!dir.path().join("third").exists());
}

/// The commands of each run, of which each has a run directory of its own.
fn check_sides(first: &Path, again: &Path, pairs: &[&str], parts: &[&str]) {
    for side in ["a", "b"] {
        for (pair, part) in pairs.iter().flat_map(|pair| parts.iter().map(move |part| (pair, part)))
        {
            let [one, two] = [first, again].map(|run| run.join(side).join(pair).join(part));
            // Their commands name the directory of results in each word that is a path.
            let [one, two] = [one, two].map(|run| (environment(&run), lines(&run)));
            assert_eq!(one.0["suite"], two.0["suite"]);
            assert_eq!(one.1.len(), two.1.len());
            for (one, two) in one.1.iter().zip(&two.1) {
                for field in ["suite", "phase", "side", "pair", "engine", "threads", "properties"] {
                    assert_eq!(one[field], two[field], "{field}");
                }
            }
        }
    }
}

#[test]
fn pairs_and_their_parts_are_replayed() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (scratch, workload, first, again) = (path("db"), path("w"), path("first"), path("again"));
    std::fs::write(&workload, "recordcount=60\noperationcount=80\n").unwrap();
    let of = |phase: &str| {
        format!(
            "ycsb {phase} -P {workload} --engine {{engine}} --db {{db}} --results {{results}}/{phase} {{flags}}"
        )
    };
    let (load, run) = (of("load"), of("run"));
    let args =
        ["pairs", "--dir", &scratch, "--pairs", "2", "--b", "ferrolith", "--b-flags", "--seed 9"];
    std::fs::create_dir(&scratch).unwrap();
    let output = bench(&[&args[..], &[&load, &run, "--results", &first]].concat());
    assert!(output.status.success(), "{}", text(&output));
    let output = bench(&["replay", &first, "--results", &again]);
    assert!(output.status.success(), "{}", text(&output));
    let [one, two] = [&first, &again].map(Path::new);
    assert_eq!(
        (&environment(two)["suite"], &environment(two)["complete"]),
        (&"pairs".into(), &true.into())
    );
    check_sides(one, two, &["001", "002"], &["load", "run"]);
    assert_eq!(lines(&two.join("b/002/run"))[0]["seed"], 9);
    // A part is a run, too. The database of its pair is gone.
    let part = |name: &str| path(&format!("first/b/001/{name}"));
    let output = bench(&["replay", &part("run"), "--results", &path("x")]);
    assert!(!output.status.success());
    assert!(text(&output).contains("there is no database"), "{}", text(&output));
    for (name, new) in [("load", "l"), ("run", "r")] {
        let output = bench(&["replay", &part(name), "--results", &path(new)]);
        assert!(output.status.success(), "{}", text(&output));
        assert_eq!(lines(Path::new(&path(new)))[0]["seed"], 9);
    }
    // Files that the commands of pairs need are looked for before anything runs.
    std::fs::remove_file(&workload).unwrap();
    let output = bench(&["replay", &first, "--results", &path("y")]);
    let expected = format!("the run needs {workload}, which does not exist any more");
    assert!(text(&output).contains(&expected), "{}", text(&output));
    assert!(!dir.path().join("y").exists());
}

#[test]
fn the_reference_suite_is_replayed() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (db, ram, first, again) = (path("db"), path(""), path("first"), path("again"));
    let args =
        ["suite", "reference", "--dir", &db, "--ram", &ram, "--minutes", "2", "--pairs", "1"];
    // The only part that does not run for a time, so that a fast engine ends early.
    let parts = ["--engines", "ferrolith,ferrolith", "--parts", "tuning", "--results", &first];
    let output = bench(&[&args[..], &parts].concat());
    assert!(output.status.success(), "{}", text(&output));
    let output = bench(&["replay", &first, "--results", &again]);
    assert!(output.status.success(), "{}", text(&output));
    let [one, two] = [&first, &again].map(Path::new);
    let names = |run: &Path| words(&environment(run));
    assert_eq!(names(one), names(two));
    assert_eq!(environment(two)["complete"], true);
    check_sides(one, two, &["001"], &["tuning/synced", "tuning/large", "tuning/scenarios"]);
}

#[test]
fn a_replay_overwrites_nothing_and_needs_a_run_directory() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (db, first, again) = (path("db"), path("first"), path("again"));
    let load = ["ycsb", "load", "-p", "recordcount=30", "--db", &db, "--results", &first];
    assert!(bench(&load).status.success());
    let output = bench(&["replay", &first, "--results", &again]);
    assert!(output.status.success(), "{}", text(&output));
    // A replay is a run, too.
    let output = bench(&["replay", &again, "--results", &first]);
    assert!(!output.status.success());
    assert!(text(&output).contains("first: exists; choose another --results"), "{}", text(&output));
    let output = bench(&["replay", dir.path().to_str().unwrap()]);
    let expected = "expected a run directory of ferrolith-bench";
    assert!(text(&output).contains(expected), "{}", text(&output));
}
