//! The program from outside: its output, its exit codes, its files.
//!
//! What runs on a library needs the real RocksDB where fetch-rocksdb.sh puts it, or in
//! `ROCKSDB_LIB`; without it those tests say so and pass.

mod benchmark_sh;
mod benchmarks;
mod device;
mod forestdb;
mod modes;
mod network;
mod options;
mod pairs;
mod peers;
mod pegasus;
mod reference;
mod replay;
mod suites;
mod tuning;
mod ycsb;
mod ycsb_files;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory that goes away.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Dir {
        let path = std::env::temp_dir().join(format!("db_bench-it-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Dir(path)
    }

    fn arg(&self, flag: &str, name: &str) -> String {
        format!("--{flag}={}", self.0.join(name).display())
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn bench(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_db_bench")).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs and returns standard output and standard error; it must end well.
fn good(args: &[&str]) -> (String, String) {
    let output = bench(args);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{args:?}\n{out}\n{err}");
    (out, err)
}

/// Runs and returns standard error; it must exit with 1.
fn bad(args: &[&str]) -> String {
    let output = bench(args);
    assert_eq!(output.status.code(), Some(1), "{args:?}\n{}", text(&output.stdout));
    text(&output.stderr)
}

/// Checks the fields that lines of results of all suites share.
fn check_record(line: &Value) {
    assert_eq!((&line["complete"], &line["error"]), (&true.into(), &Value::Null), "{line}");
    for text in ["suite", "phase", "engine", "time", "command"] {
        assert!(line[text].as_str().is_some_and(|text| !text.is_empty()), "{text}: {line}");
    }
    for number in ["threads", "seconds", "ops_per_sec"] {
        assert!(line[number].as_f64() > Some(0.0), "{number}: {line}");
    }
    for field in ["side", "pair", "label", "amplification", "warm_up"] {
        assert!(line.get(field).is_some(), "{field}: {line}");
    }
    let cost = &line["cost"];
    for field in ["peak_resident_bytes", "resident_bytes"] {
        assert!(cost[field].as_u64() > Some(0), "{field}: {line}");
    }
    assert!(cost["fsyncs"].is_u64() && cost["stall_seconds"].is_f64(), "{line}");
    assert!(cost["stalls_by_cause"]["memtable-limit-stops"].is_u64(), "{line}");
    for (kind, latencies) in line["latencies_us"].as_object().unwrap() {
        let curve = latencies["service"]["curve"].as_array().unwrap();
        let Some(last) = curve.last() else {
            assert_eq!(latencies["service"]["count"], 0, "{kind}: {line}");
            continue;
        };
        assert_eq!((&last[0], &last[1]), (&100.0.into(), &latencies["service"]["max"]), "{line}");
    }
}

fn library() -> Option<String> {
    let path = std::env::var("ROCKSDB_LIB")
        .map_or_else(|_| ferrolith_bench::target::default_library(), PathBuf::from);
    if path.exists() {
        return Some(format!("--engine_lib={}", path.display()));
    }
    eprintln!("skipped: no library at {}", path.display());
    None
}

/// `name : micros/op ops/sec seconds operations; ...` as numbers and the rest.
fn lines(out: &str) -> Vec<(String, u64, String)> {
    out.lines()
        .filter(|line| line.contains(" micros/op "))
        .map(|line| {
            let (name, rest) = line.split_once(" : ").unwrap();
            let words: Vec<&str> = rest.split_whitespace().collect();
            assert_eq!(
                (words[1], words[3], words[5]),
                ("micros/op", "ops/sec", "seconds"),
                "{line}"
            );
            assert!(words[7].starts_with("operations;"), "{line}");
            words[0].parse::<f64>().unwrap();
            let after = rest.split_once("operations;").unwrap().1.trim().to_owned();
            (name.trim().to_owned(), words[6].parse().unwrap(), after)
        })
        .collect()
}

const EVERYTHING: &str = "--benchmarks=fillseq,fillbatch,fillrandom,filluniquerandom,overwrite,readrandom,\
    readmissing,readhot,multireadrandom,readseq,readtocache,readreverse,newiterator,seekrandom,prefixscanrandom,\
    readrandomfast,multireadwhilewriting,newiteratorwhilewriting,readwhilescanning,\
    readwhilewriting,readwhilemerging,readrandomwriterandom,readwritedelete,updaterandom,mergerandom,readrandommergerandom,flush,\
    xorupdaterandom,appendrandom,randomwithverify,approximatesizerandom,compactall,\
    compact,waitforcompaction,readseq,levelstats,memstats,stats,deleteseq,deleterandom,randomreplacekeys,fillseekseq,fillsync,\
    fill100K,reopen";

/// Every benchmark runs, counts its operations and finds what it must.
fn everything(engine: &[&str], dir: &Dir) {
    let (db, json) = (dir.arg("db", "db"), dir.arg("json", "json"));
    let args = [
        EVERYTHING,
        &db,
        &json,
        "--num=600",
        "--reads=400",
        "--writes=600",
        "--key_size=20",
        "--prefix_size=12",
        "--keys_per_prefix=10",
        "--merge_operator=uint64add",
        "--threads=2",
        "--seek_nexts=3",
        "--batch_size=4",
        "--value_size=8",
        "--compression_type=none",
        "--seed=3",
    ];
    let (out, _) = good(&[&args[..], engine].concat());
    let lines = lines(&out);
    let of = |name: &str| {
        let line = lines.iter().find(|(n, ..)| n == name);
        line.unwrap_or_else(|| panic!("no {name} in {out}"))
    };
    assert_eq!(of("fillseq").1, 1200);
    assert_eq!(of("filluniquerandom").1, 600);
    assert_eq!(of("readrandom").1, 800);
    assert!(of("readrandom").2.ends_with("(800 of 800 found)"), "{out}");
    assert!(of("multireadrandom").2.ends_with("(800 of 800 found)"), "{out}");
    assert!(of("readmissing").2.ends_with("(0 of 800 found)"), "{out}");
    assert!(of("readwhilewriting").2.ends_with("(800 of 800 found)"), "{out}");
    assert!(
        of("prefixscanrandom").2.contains("(10.0 keys per prefix) (800 of 800 found)"),
        "{out}"
    );
    assert_eq!(of("readreverse").1, 800);
    let json = std::fs::read_to_string(dir.0.join("json")).unwrap();
    let phases: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(phases.len(), lines.len());
    for phase in &phases {
        assert!(phase["peak_rss_bytes"].as_u64().unwrap() > 0, "{phase}");
        assert!(phase["cpu_seconds"].as_f64().unwrap() >= 0.0, "{phase}");
    }
    let fill = &phases[0];
    assert!(fill["write_amplification"].as_f64().unwrap() > 0.5, "{fill}");
    assert!(fill["latency_micros"]["p99"].as_f64().unwrap() > 0.0, "{fill}");
}

#[test]
fn every_benchmark_runs_on_ferrolith() {
    everything(&[], &Dir::new("ferrolith"));
}

#[test]
fn every_benchmark_runs_on_a_library() {
    if let Some(library) = library() {
        everything(&[&library], &Dir::new("library"));
    }
}

/// The eight lines, on a smaller number of keys and seconds.
fn eight(engine: &[&str], dir: &Dir) {
    let commands = include_str!("../../testdata/in_memory_commands.txt");
    let (db, wal) = (dir.arg("db", "db"), dir.arg("wal_dir", "wal"));
    for line in commands.lines().filter(|line| line.starts_with("./db_bench")) {
        let mut args: Vec<&str> = line.split_whitespace().skip(1).collect();
        args.extend([db.as_str(), &wal, "--num=5000", "--threads=2"]);
        if line.contains("--duration") {
            args.push("--duration=1");
        }
        args.extend(engine);
        let (out, err) = good(&args);
        let lines = lines(&out);
        assert_eq!(lines.len(), 1, "{out}");
        if line.contains("readwhilewriting") {
            let (found, all) = lines[0].2.rsplit_once('(').unwrap().1.split_once(" of ").unwrap();
            assert_eq!(found, all.trim_end_matches(" found)"), "{out}");
        }
        let notices = err.lines().filter(|line| line.starts_with("--")).count();
        // A library takes the two options that Ferrolith has no use for.
        let expected = if engine.is_empty() { 7 } else { 5 };
        assert_eq!(notices, expected + usize::from(line.contains("writes_per_second")), "{err}");
    }
}

#[test]
fn the_eight_lines_run_on_ferrolith() {
    eight(&[], &Dir::new("eight"));
}

#[test]
fn the_eight_lines_run_on_a_library() {
    if let Some(library) = library() {
        eight(&[&library, "--hash_bucket_count=1000"], &Dir::new("eight-library"));
    }
}

#[test]
fn mistakes_exit_with_one_and_name_the_flag() {
    assert!(
        bad(&["--vlaue_size=3"])
            .contains("unknown command line flag 'vlaue_size'; did you mean --value_size?")
    );
    assert!(bad(&["--num=3x"]).contains("illegal value '3x' specified for int64 flag 'num'"));
    assert!(
        bad(&["--benchmarks=fillsq"])
            .contains("unknown benchmark 'fillsq'; did you mean fillseq?\nknown: fillseq")
    );
    assert!(bad(&["--engine_lib=/nowhere/lib.so"]).contains("/nowhere/lib.so"));
    assert!(bad(&["--use_blob_db=1"]).contains("--use_blob_db=1 is not supported"));
}

#[test]
fn histograms_intervals_and_reports() {
    let dir = Dir::new("reports");
    let (db, csv) = (dir.arg("db", "db"), dir.arg("report_file", "csv"));
    let (out, err) = good(&[
        "--benchmarks=fillrandom[X2-W1],mergerandom",
        "--histogram",
        "--stats_interval=500",
        "--num=1000",
        &db,
        &csv,
        "--report_interval_seconds=1",
        "--compression_type=none",
    ]);
    assert!(out.contains("Microseconds per write:\nCount: 1000 Average: "), "{out}");
    assert!(out.contains("Percentiles: P50: "), "{out}");
    assert!(out.contains("fillrandom [AVG    2 runs] : "), "{out}");
    assert!(out.contains("mergerandom  : skipped (--merge_operator is not set)"), "{out}");
    assert!(err.contains(" ... thread 0: (500,1000) ops and ("), "{err}");
    let csv = std::fs::read_to_string(dir.0.join("csv")).unwrap();
    assert!(csv.starts_with("secs_elapsed,interval_qps\n"), "{csv}");
}

#[test]
fn both_engines_are_compared_in_fresh_directories() {
    let Some(library) = library() else { return };
    let dir = Dir::new("both");
    let (db, json) = (dir.arg("db", "db"), dir.arg("json", "json"));
    let (out, _) = good(&[
        "--engine=both",
        &library,
        "--runs=2",
        "--num=2000",
        "--touch_memory=1000000",
        &db,
        &json,
        "--benchmarks=fillseq,readrandom",
        "--compression_type=none",
    ]);
    assert!(out.contains("--- pair 2 of 2: rocksdb"), "{out}");
    for figure in ["ops/sec", "P99 us", "P99.9 us", "longest us", "peak RSS MB", "CPU s"] {
        let row = out.lines().find(|line| {
            line.starts_with("readrandom  ") && line.contains(figure) && !line.contains("micros/op")
        });
        assert!(row.is_some(), "{figure}: {out}");
        // CPU is counted in hundredths of a second, of which so small a run may use none.
        let has_ratio = row.is_some_and(|row| row.contains("x ["));
        assert!(has_ratio || figure == "CPU s", "{figure}: {out}");
    }
    let exists = |name: &str| Path::new(&dir.0.join("db").join(name)).join("CURRENT").exists();
    assert!(exists("ferrolith") && exists("rocksdb"));
    let json = std::fs::read_to_string(dir.0.join("json")).unwrap();
    // The same objects as of one engine: two pairs, two engines, two benchmarks.
    let objects: Vec<Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let runs: Vec<(u64, &str)> = objects
        .iter()
        .map(|object| (object["run"].as_u64().unwrap(), object["engine"].as_str().unwrap()))
        .collect();
    let (ours, theirs) = ("ferrolith", "lib");
    let expected = [
        (1, ours),
        (1, ours),
        (1, theirs),
        (1, theirs),
        (2, theirs),
        (2, theirs),
        (2, ours),
        (2, ours),
    ];
    assert_eq!(runs, expected);
    let error = bad(&["--engine=both", &library, &db, "--touch_memory=9000000000000000000"]);
    assert!(error.contains("--touch_memory=9000000000000000000: "), "{error}");
}

#[test]
fn one_engine_alone_touches_no_memory() {
    let error = bad(&["--touch_memory=1", "--db=/none/db"]);
    assert!(error.contains("ERROR: --touch_memory needs --engine=both"), "{error}");
}
