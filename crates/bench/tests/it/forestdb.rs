//! `ferrolith-bench forestdb`: the steps of `rall.sh` and ini files, from the load to the directory of results.

use super::suites::{self, text};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

const DOCUMENTS: u64 = 3000;
/// Documents after which a measured part ends.
const MEASURED: u64 = 500;

fn bench(args: &[&str]) -> Output {
    suites::bench(&[&["forestdb"], args].concat())
}

/// Runs the 14 arguments on a small scale, without waiting; returns the lines of results.
fn rall(dir: &Path, files: &str, periodic: &str, more: &[&str]) -> Vec<Value> {
    let documents = DOCUMENTS.to_string();
    let line = format!(
        "{documents} {0}/log /none 4 1 3 0 600 500 1 fdb 20 {periodic} {files}",
        dir.display()
    );
    let mut args = vec!["rall"];
    args.extend(line.split(' '));
    let (db, measured) = (dir.join("db"), MEASURED.to_string());
    args.extend(["--dir", db.to_str().unwrap(), "--nops", &measured]);
    args.extend(more);
    let output = bench(&args);
    assert!(output.status.success(), "{}", text(&output));
    lines(&results(dir), "results.jsonl")
}

/// The newest directory of results.
fn results(dir: &Path) -> PathBuf {
    let entries = std::fs::read_dir(dir.join("log")).unwrap();
    entries.map(|entry| entry.unwrap().path()).max().unwrap()
}

fn lines(results: &Path, file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(results.join(file)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn number(value: &Value, path: &str) -> u64 {
    value.pointer(path).and_then(Value::as_u64).unwrap_or_else(|| panic!("no {path} in {value}"))
}

/// Checks the operations of all steps: their roles, documents, batches, latencies and debt.
fn check_steps(lines: &[Value]) {
    let expected: [(&str, &[&str]); 13] = [
        ("load", &["READ"]),
        ("ows.1", &["WRITE"]),
        ("ows.n", &["WRITE"]),
        ("pqw.1", &["READ", "WRITE"]),
        ("pqw.n", &["READ", "WRITE"]),
        ("rqw.1", &["RANGE", "WRITE"]),
        ("rqw.n", &["RANGE", "WRITE"]),
        ("pq.1", &["READ"]),
        ("pq.n", &["READ"]),
        ("rq.1", &["RANGE"]),
        ("rq.n", &["RANGE"]),
        ("owa.1", &["WRITE"]),
        ("owa.n", &["WRITE"]),
    ];
    assert_eq!(number(&lines[0], "/documents"), DOCUMENTS);
    assert_eq!((&lines[0]["step"], &lines[0]["phase"]), (&"load".into(), &"load".into()));
    for ((step, roles), line) in expected.into_iter().zip(&lines[1..]) {
        assert_eq!((&line["step"], &line["phase"]), (&step.into(), &"run".into()));
        assert_eq!((&line["complete"], &line["error"]), (&true.into(), &Value::Null), "{line}");
        let operations = line["operations"].as_object().unwrap();
        let names: Vec<&str> = operations.keys().map(String::as_str).collect();
        assert_eq!(names, roles, "{step}");
        let is_range = roles.contains(&"RANGE");
        let mut taken = 0;
        for (name, operation) in operations {
            let (documents, batches) =
                (number(operation, "/documents"), number(operation, "/batches"));
            // A range has 20 documents unless the keys end; any other batch has one.
            let per_batch = if name == "RANGE" { 20 } else { 1 };
            assert!(documents <= batches * per_batch, "{step}: {operation}");
            assert!(name == "RANGE" || documents == batches, "{step}: {operation}");
            assert!(
                name != "RANGE" || documents * 10 > batches * per_batch * 9,
                "{step}: {operation}"
            );
            assert_eq!(number(operation, "/latencies_us/not_found"), 0, "{step}");
            assert_eq!(number(operation, "/latencies_us/service/count"), batches, "{step}");
            taken += batches * per_batch;
        }
        assert!((MEASURED..MEASURED + 20).contains(&taken), "{step}: {taken}");
        assert!(is_range || number(line, "/documents") == MEASURED, "{step}");
        super::check_record(line);
        assert!(line["debt_after"]["level0_files"].is_u64(), "{line}");
        assert!(line["debt_after"]["pending_compaction_bytes"].is_u64(), "{line}");
        let sync = line["write_guarantee"].as_str().unwrap().starts_with("sync: ");
        assert_eq!(sync, step.starts_with("ows"), "{step}");
    }
    assert_eq!(lines.len(), 14);
}

#[test]
fn the_steps_do_the_operations_of_the_script() {
    let dir = tempfile::tempdir().unwrap();
    let lines = rall(dir.path(), "2", "no", &["--engine", "ferrolith"]);
    check_steps(&lines);
    assert!(lines[0]["write_guarantee"].as_str().unwrap().starts_with("no WAL: "));
    let results = results(dir.path());
    let environment = std::fs::read_to_string(results.join("environment.json")).unwrap();
    let environment: Value = serde_json::from_str(&environment).unwrap();
    assert_eq!(environment["engines"][0]["name"], "ferrolith");
    assert_eq!(environment["complete"], true);
    assert!(environment["host"]["cpus"].as_u64() > Some(0));
    let report = std::fs::read_to_string(results.join("report.txt")).unwrap();
    assert!(report.contains("\nowa.n   WRITE             500"), "{report}");
    // A later run may use the database, and a step's own settings repeat it.
    let again = ["--engine", "ferrolith", "--doload", "0", "--steps", "pq.n,rq.1"];
    let steps: Vec<Value> =
        rall(dir.path(), "2", "no", &again).iter().map(|l| l["step"].clone()).collect();
    assert_eq!(steps, ["pq.n", "rq.1"]);
    let ini = results.join("pq.n.ini");
    let out = dir.path().join("out");
    let output = bench(&["run", ini.to_str().unwrap(), "--results", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(number(&self::lines(&out, "results.jsonl")[0], "/documents"), MEASURED);
    let first = std::fs::read_to_string(&ini).unwrap();
    assert_eq!(std::fs::read_to_string(out.join("pq.n.ini")).unwrap(), first);
}

#[test]
fn a_warm_up_ends_when_the_throughput_is_steady_or_after_its_most_seconds() {
    let dir = tempfile::tempdir().unwrap();
    let more = ["--engine", "ferrolith", "--steps", "load", "--warm-up", "auto:6"];
    let lines = rall(dir.path(), "1", "no", &more);
    let line = &lines[1];
    let seconds = line["warm_up"]["seconds"].as_f64().unwrap();
    assert!(seconds >= 4.9 && (line["warm_up"]["detected"] == true || seconds >= 6.0), "{line}");
    assert_eq!(number(line, "/documents"), MEASURED);
    // The step's own settings repeat the warm-up.
    let ini = std::fs::read_to_string(results(dir.path()).join("load.ini")).unwrap();
    assert!(ini.contains("warm_up = auto:6"), "{ini}");
}

#[test]
fn a_periodic_load_syncs_and_keeps_its_wal() {
    let dir = tempfile::tempdir().unwrap();
    let steps = ["--engine", "ferrolith", "--steps", "load"];
    let lines = rall(dir.path(), "1", "yes", &steps);
    assert!(lines[0]["write_guarantee"].as_str().unwrap().starts_with("sync: "));
    assert_eq!(number(&lines[0], "/latencies_us/LOAD_BATCH/service/count"), 1, "a batch of 4096");
}

#[test]
fn the_steps_run_on_a_library() {
    if let Some(library) = super::library() {
        let dir = tempfile::tempdir().unwrap();
        let engine = library.replace("--engine_lib=", "rocksdb:");
        check_steps(&rall(dir.path(), "2", "no", &["--engine", &engine]));
    }
}

/// Loads documents and returns the content of the database.
fn loaded(dir: &Path, name: &str, ini: &str, more: &[&str]) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let (file, out) = (dir.join(format!("{name}.ini")), dir.join(format!("{name}.out")));
    let prefix = dir.join(name);
    let ini = format!(
        "[db_file]\nfilename = {}\ninit_filename = {}-load\n[document]\nndocs = 1000\n\
         [population]\nbatchsize = 100\n[operation]\nduration = 0\nnbatches = 1\n{ini}",
        prefix.display(),
        prefix.display()
    );
    std::fs::write(&file, ini).unwrap();
    let mut args = vec!["run", file.to_str().unwrap(), "--results", out.to_str().unwrap()];
    args.extend(more);
    let output = bench(&args);
    assert!(output.status.success(), "{}", text(&output));
    let mut content = BTreeMap::new();
    for i in 0.. {
        let dir = format!("{}{i}.0", prefix.display());
        if !Path::new(&dir).exists() {
            break;
        }
        let db = ferrolith::Db::open(dir).unwrap();
        for entry in db.iter() {
            let (key, value) = entry.unwrap();
            content.insert(key.to_vec(), value.to_vec());
        }
        db.close().unwrap();
    }
    content
}

#[test]
fn a_load_depends_on_its_seed_alone() {
    let dir = tempfile::tempdir().unwrap();
    let read = "[threads]\nreaders = 1\n";
    let load = |name: &str, more: &[&str]| loaded(dir.path(), name, read, more);
    let first = load("first", &[]);
    assert_eq!(first.len(), 1000);
    assert!(first == load("second", &["--seed", "1"]));
    // Other databases, loaders and batches do not matter.
    let split = "[threads]\nreaders = 1\n[db_file]\nnfiles = 3\n[population]\nnthreads = 2\nbatchsize = 7\n";
    assert!(first == loaded(dir.path(), "split", split, &[]));
    let other = load("other", &["--seed", "2"]);
    assert!(first.keys().eq(other.keys()), "keys do not depend on the seed");
    assert!(first.values().map(Vec::len).eq(other.values().map(Vec::len)));
    // All bodies are 'x' by default, so that only random bytes differ.
    assert!(first == other);
    let random = format!("{read}[body_length]\ncompressibility = 50\n");
    let load = |name: &str, more: &[&str]| loaded(dir.path(), name, &random, more);
    let seeds = [load("r1", &["--seed", "1"]), load("r2", &["--seed", "2"])];
    assert!(seeds[0].keys().eq(seeds[1].keys()));
    assert!(seeds[0].values().zip(seeds[1].values()).all(|(a, b)| a != b && a.len() == b.len()));
    // Documents of one buffer share their random bytes; here the first of each batch of 100.
    let distinct = |content: &BTreeMap<Vec<u8>, Vec<u8>>| {
        let middle = content.values().map(|value| value[180..260].to_vec());
        middle.collect::<std::collections::HashSet<_>>().len()
    };
    assert_eq!(distinct(&seeds[0]), 1000);
    assert_eq!(distinct(&load("buffer", &["--filler", "buffer"])), 100);
}

#[test]
fn a_percentage_of_writes_and_a_rate_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let ini = "[threads]\nreaders = 2\nwriters = 1\nwriter_ops = 7\n[operation]\nnbatches = 0\nnops = 4000\n\
               write_ratio_percent = 25\nwrite_type = async\nbatchsize_distribution = uniform\n\
               read_batchsize_upper_bound = 1\nwrite_batchsize_lower_bound = 1\nwrite_batchsize_upper_bound = 1\n";
    loaded(dir.path(), "ratio", ini, &[]);
    let line = lines(&dir.path().join("ratio.out"), "results.jsonl").remove(1);
    let written = number(&line, "/operations/WRITE/documents");
    assert!((990..=1010).contains(&written), "{line}");
    let paced = "[threads]\nwriters = 1\nwriter_ops = 200\n[operation]\nnbatches = 0\nduration = 1\n\
                 write_ratio_percent = 1000\nwrite_type = async\n";
    loaded(dir.path(), "paced", paced, &[]);
    let line = lines(&dir.path().join("paced.out"), "results.jsonl").remove(1);
    let batches = number(&line, "/operations/WRITE/batches");
    let due = 200.0 * line["seconds"].as_f64().unwrap();
    assert!(batches > 0 && batches as f64 <= due + 20.0, "{line}");
    let timeline = lines(&dir.path().join("paced.out"), "timeline.jsonl");
    assert!(timeline.iter().any(|line| line["state"] == "measured"), "{timeline:?}");
}

#[test]
fn writers_may_have_their_own_databases_and_nothing_may_run() {
    let dir = tempfile::tempdir().unwrap();
    let disjoint = "[db_file]\nnfiles = 3\n[threads]\nwriters = 2\ndisjoint_write = 1\n[operation]\nnbatches = 50\n\
                    batch_distribution = zipfian\noperation_distribution = normal\nwrite_ratio_percent = 200\n";
    loaded(dir.path(), "disjoint", disjoint, &[]);
    let line = lines(&dir.path().join("disjoint.out"), "results.jsonl").remove(1);
    assert_eq!(number(&line, "/operations/WRITE/batches"), 50);
    let idle = "[operation]\nnbatches = 0\nduration = 1\n[latency_monitor]\nrate = 0\n";
    loaded(dir.path(), "idle", idle, &[]);
    let line = lines(&dir.path().join("idle.out"), "results.jsonl").remove(1);
    assert_eq!((number(&line, "/documents"), line["seconds"].as_f64() > Some(0.99)), (0, true));
}

#[test]
fn keys_without_effect_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f.ini");
    let prefix = dir.path().join("db");
    let ini = format!(
        "[db_file]\nfilename = {}\n[document]\nndocs = 10\n[db_config]\nfdb_wal = 1\nwt_type = lsm\n\
         [threads]\nreaders = 1\n[operation]\nnops = 10\nread_query = seq\n[latency_monitor]\nmax_samples = 5\n",
        prefix.display()
    );
    std::fs::write(&file, ini).unwrap();
    let out = dir.path().join("out");
    let output = bench(&["run", file.to_str().unwrap(), "--results", out.to_str().unwrap()]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{error}");
    for line in [
        "[db_config] fdb_wal has no effect on ferrolith: only ForestDB has it",
        "[db_config] wt_type has no effect on ferrolith: only WiredTiger has it",
        "[operation] read_query has no effect on ferrolith: the original program reads by key",
        "[latency_monitor] max_samples has no effect on ferrolith",
    ] {
        assert!(error.contains(line), "{error}");
    }
    assert_eq!(error.lines().count(), 4, "{error}");
}

#[test]
fn mistakes_are_refused_by_name_and_create_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f.ini");
    let db = dir.path().join("db");
    let (ini, db_text) = (file.to_str().unwrap(), db.to_str().unwrap());
    let refused = |args: &[&str], expected: &str| {
        let output = bench(args);
        assert!(!output.status.success(), "{args:?}");
        assert!(text(&output).contains(expected), "{args:?}: {}", text(&output));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "{args:?}");
    };
    std::fs::write(&file, "[document]\nndoc = 5\n").unwrap();
    refused(&["run", ini], "f.ini, line 2: unknown key ndoc in [document]; did you mean ndocs");
    refused(&["run", "/none.ini"], "/none.ini: No such file");
    std::fs::write(&file, "[population]\nload = 0\n").unwrap();
    refused(
        &["run", ini, "--dir", db_text],
        "db/dummy0.0: there is no database; run the load first",
    );
    std::fs::write(&file, "[log]\nfilename = x\n").unwrap();
    refused(&["run", ini, "--engine", "rocksdb:/none.so", "--dir", db_text], "/none.so");
    refused(&["run", ini, "--engine", "wt"], "engine wt: this program does not run it");
    refused(
        &["run", ini, "--engine", "nothing"],
        "expected ferrolith, rocksdb, rocksdb:PATH, lmdb",
    );
    refused(&["run", ini, "--dir", db_text, "--", "--cache_sise=1"], "cache_sise");
    let line = |line: &'static str, more: &[&'static str]| {
        [&["rall"], &line.split(' ').collect::<Vec<_>>()[..], more].concat()
    };
    refused(&["rall", "1", "2"], "rall: expected 14 arguments, found 2");
    refused(
        &["rall", "--rows", "5"],
        "or the flags that are missing: --logdir, --dbdir, --cachemb",
    );
    refused(&["rall", "--scale", "2"], "--preset");
    refused(&["rall", "--preset", "none"], "unknown preset none; known: cached-n10");
    refused(
        &line("x l d 4 1 3 0 1 5 1 ferrolith 20 no 1", &[]),
        "argument 1 (rows) is x: expected",
    );
    refused(
        &line("9 l d 4 1 3 0 1 5 2 ferrolith 20 no 1", &[]),
        "argument 10 (doload) is 2: expected 1 or 0",
    );
    refused(
        &line("9 l d 4 1 3 0 1 5 1 fdb 20 no 1", &[]),
        "engine fdb: this program does not run it",
    );
    refused(&line("9 l d 4 1 3 0 1 5 1 ferrolith 20 no 1", &["--steps", "pq"]), "pq.1");
    refused(&line("9 l d 4 1 3 0 1 5 0 ferrolith 20 no 1", &[]), "there is no database");
}

#[test]
fn lists_name_every_key_and_preset() {
    let (keys, presets) = (text(&bench(&["keys"])), text(&bench(&["presets"])));
    assert!(keys.contains("[document]\n  ndocs = 10000"), "{keys}");
    assert!(keys.contains("accepted without effect: only WiredTiger has it"), "{keys}");
    assert!(presets.contains("56000000 log db 102400 64 10 600 3600 1000 1 ferrolith 20 no 1"));
    let help = text(&bench(&["rall", "--help"]));
    assert!(help.contains("12 iterbatch   Documents per range"), "{help}");
}
