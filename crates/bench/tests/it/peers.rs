//! The suites on the engines without RocksDB's functions that this build has.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// The engines of this build as the suites name them, and ForestDB if the environment names its library.
fn engines() -> Vec<String> {
    let all = [
        ("lmdb", cfg!(feature = "lmdb")),
        ("fjall", cfg!(feature = "fjall")),
        ("redb", cfg!(feature = "redb")),
    ];
    let built = all.into_iter().filter(|(_, built)| *built).map(|(engine, _)| engine.to_owned());
    let library = std::env::var("FERROLITH_FORESTDB_LIB").ok().filter(|path| !path.is_empty());
    if library.is_none() {
        eprintln!("skipped on ForestDB: FERROLITH_FORESTDB_LIB names no library");
    }
    built.chain(library.map(|path| format!("forestdb:{path}"))).collect()
}

/// The name of an engine and the path of its library, which is empty if it is built in.
fn parts(engine: &str) -> (&str, &str) {
    engine.split_once(':').unwrap_or((engine, ""))
}

fn suite(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrolith-bench")).args(args).output().unwrap()
}

/// Runs a command that must end well.
fn good(args: &[&str]) -> String {
    let output = suite(args);
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}\n{text}");
    text
}

fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn db_bench_runs_reads_writes_and_scans() {
    let benchmarks = "--benchmarks=fillbatch,fillrandom,fillseq,overwrite,readrandom,readmissing,multireadrandom,\
        readseq,readreverse,newiterator,seekrandom,readwhilewriting,readrandomwriterandom,updaterandom,\
        flush,compact,waitforcompaction,readseq,deleteseq,deleterandom,fillsync,reopen";
    for engine in engines() {
        let (engine, library) = parts(&engine);
        let dir = tempfile::tempdir().unwrap();
        let [db, json] =
            ["db", "json"].map(|name| format!("--{name}={}", dir.path().join(name).display()));
        let [engine_flag, library] =
            [format!("--engine={engine}"), format!("--engine_lib={library}")];
        let size = ["--num=500", "--threads=2", "--seed=1"];
        let args = [&[benchmarks, &engine_flag, &library, &db, &json], &size[..]].concat();
        let (out, _) = super::good(&args);
        for name in ["readseq", "readreverse", "seekrandom", "fillsync"] {
            assert!(out.contains(&format!("\n{name} ")), "{engine}: {name}\n{out}");
        }
        let lines = lines(&dir.path().join("json"));
        assert!(lines.iter().all(|line| line["engine"] == engine), "{engine}");
        let of = |name: &str| lines.iter().find(|line| line["benchmark"] == name).unwrap();
        // After fillseq, every key exists.
        assert_eq!(of("multireadrandom")["found"], of("multireadrandom")["looked_for"], "{engine}");
        assert_eq!(of("readrandom")["found"], of("readrandom")["looked_for"], "{engine}");
        assert_eq!(of("readseq")["operations"], 1000, "{engine}: each of two threads reads 500");
        // Bounds and merges: LMDB has neither here, the others have bounds.
        let merge = super::bad(
            &[&args[1..], &["--benchmarks=mergerandom", "--merge_operator=put"]].concat(),
        );
        assert!(merge.contains("does not support merges"), "{merge}");
        if engine != "lmdb" {
            super::good(
                &[&args[1..], &["--benchmarks=fillseq,seekrandom", "--max_scan_distance=9"]]
                    .concat(),
            );
        }
    }
}

#[test]
fn ycsb_reads_whole_records_from_every_engine() {
    for engine in &engines() {
        let dir = tempfile::tempdir().unwrap();
        let [db, json] = ["db", "json"].map(|name| dir.path().join(name).display().to_string());
        let common = ["--engine", engine, "--db", &db, "--json", &json, "-p", "recordcount=500"];
        let more = ["-p", "dataintegrity=true", "-p", "threadcount=2"];
        good(&[&["ycsb", "load"], &common[..], &more].concat());
        let mix = [
            "-p",
            "operationcount=2000",
            "-p",
            "requestdistribution=latest",
            "-p",
            "insertproportion=0.2",
            "-p",
            "scanproportion=0.2",
            "-p",
            "readproportion=0.4",
            "-p",
            "updateproportion=0.2",
            "-p",
            "maxscanlength=10",
        ];
        good(&[&["ycsb", "run"], &common[..], &more, &mix].concat());
        let lines = lines(Path::new(&json));
        assert_eq!(lines[1]["operations"], 2000, "{engine}");
        for (kind, latencies) in lines[1]["latencies_us"].as_object().unwrap() {
            // With a new transaction for each lookup, even the newest record is found.
            assert_eq!(latencies["not_found"], 0, "{engine}: {kind}");
        }
        assert!(lines[1]["engine"].as_str().unwrap().to_lowercase().contains(parts(engine).0));
    }
}

#[test]
fn forestdb_runs_its_load_and_steps_and_states_the_guarantee() {
    for engine in &engines() {
        let dir = tempfile::tempdir().unwrap();
        let [db, log] = ["db", "log"].map(|name| dir.path().join(name).display().to_string());
        let line = format!("rall 1000 {log} /none 4 1 2 0 600 500 1 {engine} 5 no 2");
        let mut args = vec!["forestdb"];
        args.extend(line.split(' '));
        args.extend(["--dir", &db, "--nops", "60"]);
        let shown = good(&args);
        let results = std::fs::read_dir(&log).unwrap().next().unwrap().unwrap().path();
        let lines = lines(&results.join("results.jsonl"));
        assert_eq!(lines.len(), 14, "{engine}\n{shown}");
        assert!(lines.iter().all(|line| line["complete"] == true), "{engine}");
        let guarantee = |step: usize| lines[step]["write_guarantee"].as_str().unwrap().to_owned();
        assert!(guarantee(2).starts_with("sync: each transaction is synced"), "{engine}");
        let loses = if *engine == "fjall" { "not a power failure" } else { "corrupt the database" };
        assert!(guarantee(13).contains(loses), "{engine}: {}", guarantee(13));
    }
}

#[test]
fn tuning_and_pairs_take_every_engine() {
    for engine in &engines() {
        let dir = tempfile::tempdir().unwrap();
        let [db, results, pairs] =
            ["db", "results", "pairs"].map(|name| dir.path().join(name).display().to_string());
        let scenarios = ["--scenarios", "1,3,6,7", "--scale", "0.0002"];
        let base = ["tuning", "--dir", &db, "--engine", engine, "--results", &results];
        good(&[&base[..], &scenarios].concat());
        assert_eq!(lines(Path::new(&results).join("results.jsonl").as_path()).len(), 6, "{engine}");
        let scratch = dir.path().to_str().unwrap();
        let load =
            "ycsb load -p recordcount=50 --engine {engine} --db {db} --json {results}/x.jsonl";
        let base = ["pairs", "--dir", scratch, "--results", &pairs, "--pairs", "3"];
        let shown = good(&[&base[..], &["--b", engine, load]].concat());
        assert!(shown.contains("99.0 % confidence"), "{engine}\n{shown}");
    }
}

#[test]
fn an_unknown_engine_is_refused_with_the_known_ones() {
    let wrong = |engine: &str| {
        let output =
            suite(&["ycsb", "load", "-p", "recordcount=1", "--db", "/none/db", "--engine", engine]);
        assert!(!output.status.success(), "{engine}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for engine in
        ["fjal", "fjall:", "fjall:x", "rocksdb:", "ferrolith:x", "forestdb", "forestdb:", ""]
    {
        let error = wrong(engine);
        let expected = format!("engine {engine}: expected ferrolith, rocksdb, rocksdb:PATH, lmdb");
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn forestdb_as_a_peer_needs_its_library() {
    let error = super::bad(&["--engine=both", "--peer=forestdb", "--db=/none/db"]);
    assert!(error.contains("--peer=forestdb needs --engine_lib, its library"), "{error}");
    let error = super::bad(&["--engine=forestdb", "--engine_lib=libc.so.6", "--db=/none/db"]);
    assert!(error.contains("libc.so.6: it does not export fdb_get_default_config"), "{error}");
}
