//! Reading and aggregation, and the page's data. `UPDATE_DOCS=1` accepts the present data block.

use super::data::Data;
use super::engines::{Engine, Engines};
use super::overview::Verdict;
use super::sources::Root;
use super::verdicts::Tally;
use super::{numbers, page, picture};
use crate::compare::Rule;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const RULE: Rule = Rule { confidence: 0.99, smallest: 0.02, paired: true };

fn fixture(name: &str) -> Data {
    read(&[Path::new("testdata/report").join(name).as_path()]).unwrap()
}

fn read(paths: &[&Path]) -> Result<Data, String> {
    let roots: Vec<Root> =
        paths.iter().map(|path| Root { name: None, path: path.to_path_buf() }).collect();
    Data::read(&roots, None, RULE)
}

/// A directory with files.
fn directory(files: &[(&str, String)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    dir
}

fn result(engine: &str, rate: f64, more: &Value) -> String {
    let mut object = json!({
        "suite": "ycsb", "workload": "workloada", "phase": "run", "threads": 2, "target": 0,
        "engine": engine, "complete": true, "error": null, "ops_per_sec": rate,
    });
    object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    format!("{object}\n")
}

/// An object with a line for each item of its arrays.
fn lines(object: &Value) -> String {
    let mut text = String::new();
    for (key, items) in object.as_object().unwrap() {
        writeln!(text, "{key}").unwrap();
        items.as_array().unwrap().iter().for_each(|item| writeln!(text, "  {item}").unwrap());
    }
    text
}

#[test]
fn the_data_block_is_the_golden_one() {
    let data = fixture("runs");
    assert_eq!(data.sources.problems, []);
    let text = lines(&data.json());
    let path = PathBuf::from("testdata/report/runs.txt");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap();
    assert!(text == stored, "{}: run this test with UPDATE_DOCS=1", path.display());
    // The page has the same object.
    let page = page::html(&data, None, "0");
    let (_, rest) = page.split_once("id=\"data\" nonce=\"0\">").unwrap();
    let (block, _) = rest.split_once("</script>").unwrap();
    assert!(block == page::embedded(&data.json()), "the page has other data");
}

#[test]
fn names_of_engines_are_understood() {
    let parsed = |text: &str, version: Option<&str>| Engine::parse(text, version).label();
    assert_eq!(parsed("ferrolith, version 0.1.0", None), "Ferrolith 0.1.0");
    assert_eq!(parsed("lib", Some("version 10.10.1 (/x/librocksdb.so)")), "RocksDB 10.10.1");
    assert_eq!(parsed("RocksDB 10.10.1", None), "RocksDB 10.10.1");
    assert_eq!(parsed("lmdb, LMDB, by heed; NOSYNC, WRITEMAP", None), "LMDB");
    assert_eq!(parsed("redb, redb 3.1.0", None), "redb 3.1.0");
    assert_eq!(parsed("<script>", None), "<script>");
    let mut engines = Engines::default();
    let add = |engines: &mut Engines, text: &str| engines.number(Engine::parse(text, None));
    assert_eq!(add(&mut engines, "rocksdb, version unknown (/x)"), 0);
    assert_eq!(add(&mut engines, "rocksdb, version 10.10.1 (/x)"), 0, "a version that was unknown");
    assert_eq!(add(&mut engines, "ferrolith, version 0.1.0"), 1);
    assert_eq!(add(&mut engines, "rocksdb, version 10.10.1 (/y)"), 2);
    let labels = ["RocksDB 10.10.1 (/x)", "Ferrolith 0.1.0", "RocksDB 10.10.1 (/y)"];
    assert_eq!(engines.labels(), labels);
    assert_eq!(engines.colours()[..2], [1, 0], "known engines have their own colours");
    assert_eq!(engines.baseline(None), Ok(Some(0)));
    assert_eq!(engines.baseline(Some("ferro")), Ok(Some(1)));
    assert!(engines.baseline(Some("x y z")).unwrap_err().contains("no such engine"));
}

#[test]
fn pairs_are_compared_as_compare_does() {
    let rates = [(100.0, 52.0), (110.0, 54.0), (90.0, 46.0), (105.0, 51.0), (99.0, 50.0)];
    let mut files = Vec::new();
    for (i, (a, b)) in rates.iter().enumerate() {
        // The order of directories is not the order of pairs.
        files.push((format!("a/{}/run.jsonl", 9 - i), result("ferrolith", *a, &json!({}))));
        files.push((format!("b/{}/run.jsonl", 9 - i), result("rocksdb", *b, &json!({}))));
    }
    let files: Vec<(&str, String)> =
        files.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    let dir = directory(&files);
    let data = read(&[dir.path()]).unwrap();
    let bars = &data.charts[0].rows[0].bars;
    let (a, b): (Vec<f64>, Vec<f64>) = rates.iter().rev().copied().unzip();
    assert_eq!((&bars[0].values, &bars[1].values), (&a, &b));
    assert!(bars[0].is_paired);
    let expected = crate::compare::judge(&a, &b, RULE, 1);
    let judged = bars[0].judgement.unwrap();
    assert_eq!((judged.ratio, judged.interval), (expected.ratio, expected.interval));
    assert!(bars[0].verdict(true, 1) == Verdict::Better(0));
    assert!(
        bars[0].verdict(false, 1) == Verdict::Better(1),
        "the same figure as a latency is a loss"
    );
    assert_eq!(bars[0].median, 100.0);
}

#[test]
fn sides_of_one_engine_are_told_apart() {
    let files = ["a/1", "a/2", "b/1", "b/2"]
        .map(|at| (format!("{at}/x.jsonl"), result("ferrolith, version 0.1.0", 5.0, &json!({}))));
    let files: Vec<(&str, String)> =
        files.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    let dir = directory(&files);
    let data = read(&[dir.path()]).unwrap();
    assert_eq!(data.labels, ["Ferrolith 0.1.0 (side a)", "Ferrolith 0.1.0 (side b)"]);
    assert_eq!(data.baseline, Some(1));
    // Names for directories do the same for separate runs.
    let root =
        |name: &str, side: &str| Root { name: Some(name.to_owned()), path: dir.path().join(side) };
    let data =
        Data::read(&[root("before", "a/1"), root("after", "b/1")], Some("before"), RULE).unwrap();
    assert_eq!(
        (data.labels, data.baseline),
        (vec!["before".to_owned(), "after".to_owned()], Some(0))
    );
}

#[test]
fn what_cannot_be_read_is_named_and_skipped() {
    let data = fixture("hostile");
    let places: Vec<&str> = data
        .sources
        .problems
        .iter()
        .map(|problem| problem.place.rsplit('/').next().unwrap())
        .collect();
    let expected = [
        "results.jsonl:12",
        "results.jsonl:15",
        "results.jsonl:16",
        "timeline.jsonl:15",
        "environment.json:1",
        "results.jsonl:1",
        "results.jsonl:13",
    ];
    assert_eq!(places, expected);
    assert_eq!((data.results.records.len(), data.incomplete()), (11, 1));
    let unknown: Vec<&str> = data
        .results
        .records
        .iter()
        .filter(|record| !record.is_known)
        .map(|record| data.results.measurements[record.measurement].as_str())
        .collect();
    assert_eq!(
        unknown,
        [
            "later <script>window.pwned=1</script> x",
            "later <script>window.pwned=1</script> without figures"
        ]
    );
    // A result that did not complete is in no comparison.
    let compared = data.charts.iter().flat_map(|chart| &chart.rows).flat_map(|row| &row.bars);
    assert!(compared.flat_map(|bar| &bar.records).all(|at| data.results.records[*at].is_complete));
}

#[test]
fn directories_without_results_are_errors() {
    let error = |files: &[(&str, String)]| read(&[directory(files).path()]).unwrap_err();
    assert!(error(&[]).contains("expected files of results (*.jsonl)"), "{}", error(&[]));
    let broken = error(&[("results.jsonl", "{\"suite\":".to_owned())]);
    assert!(
        broken.contains("1 lines or files could not be read") && broken.contains("results.jsonl:1"),
        "{broken}"
    );
    let missing = read(&[Path::new("testdata/report/none")]).unwrap_err();
    assert!(missing.contains("testdata/report/none: cannot be read"), "{missing}");
}

#[test]
fn texts_of_results_are_escaped() {
    let data = fixture("hostile");
    let page = page::html(&data, Some("</title><script>"), "n");
    let svg = picture::svg(&data, None).unwrap();
    for text in [&page, &svg] {
        for part in ["<script>window", "<img", "</script><script>window", "</title><script>"] {
            assert!(!text.contains(part), "{part} is not escaped");
        }
    }
    let scripts = page.matches("<script").count();
    assert_eq!(
        scripts,
        page.matches("<script nonce=\"n\"").count() + 1,
        "each script has the nonce"
    );
    assert_eq!(page.matches("</script>").count(), scripts);
    for outside in ["src=\"http", "href=\"http", "url(", "@import", "fetch("] {
        assert!(!page.contains(outside), "{outside} may load something");
    }
    assert_eq!(page::embedded(&json!("</script>&")), "\"\\u003c/script\\u003e\\u0026\"");
    assert_ne!(page::nonce(), page::nonce());
}

#[test]
fn seconds_are_series_with_their_lines() {
    let second = |t: f64, state: &str, ops: u64| {
        json!({"suite": "ycsb", "workload": "workloada", "phase": "run", "engine": "ferrolith", "t": t, "state": state,
               "ops": {"READ": ops}, "p99_us": null, "levels": [{"files": 2, "bytes": 10}], "stopped": false,
               "delayed": true})
            .to_string()
            + "\n"
    };
    let mut timeline = String::new();
    for (t, state, ops) in
        [(1.0, "warm-up", 5), (2.0, "warm-up", 6), (1.0, "measured", 7), (2.0, "measured", 8)]
    {
        timeline += &second(t, state, ops);
    }
    timeline += &second(1.0, "measured", 9);
    timeline += "{\"ops\":{}}\n";
    let results =
        [result("ferrolith", 7.5, &json!({})), result("ferrolith", 9.0, &json!({}))].concat();
    let dir = directory(&[
        ("results.jsonl", results),
        ("timeline.jsonl", timeline),
        ("environment.json", "{}".to_owned()),
    ]);
    let data = read(&[dir.path()]).unwrap();
    assert_eq!(data.series.len(), 2, "a time that falls begins a new phase");
    assert_eq!(
        data.series.iter().map(|series| series.record).collect::<Vec<_>>(),
        [Some(0), Some(1)]
    );
    assert_eq!(data.series[0].times, [1.0, 2.0, 3.0, 4.0], "the measured part follows the warm-up");
    let object = data.series[0].json();
    assert_eq!(object["ops"]["READ"], json!([5.0, 6.0, 7.0, 8.0]));
    assert_eq!(
        (&object["lines"], &object["warm_up"]),
        (&json!([1, 2, 3, 4]), &json!([1, 1, 0, 0]))
    );
    assert_eq!(
        (&object["level_files"], &object["stalls"]),
        (&json!([[2.0, 2.0, 2.0, 2.0]]), &json!([1, 1, 1, 1]))
    );
    let problem = &data.sources.problems[0];
    assert!(
        problem.place.ends_with("timeline.jsonl:6") && problem.text.contains("`t`"),
        "{problem:?}"
    );
}

#[test]
fn amplifications_of_seconds_are_estimated() {
    let second = |t: f64, state: &str, device: u64, read: u64, level: u64| {
        let line = json!({
            "suite": "ycsb", "workload": "workloada", "phase": "run", "engine": "ferrolith", "t": t, "window_s": 0.5,
            "state": state, "ops": {"READ": 50}, "device_bytes_written": device, "bytes_read": read,
            "levels": [{"files": 1, "bytes": level}, {"files": 1, "bytes": 100}],
        });
        format!("{line}\n")
    };
    let timeline = [
        second(1.0, "warm-up", 900, 900, 0),
        second(1.0, "measured", 100, 40, 100),
        second(2.0, "measured", 300, 80, 300),
    ];
    // The user wrote 100 bytes and read 20; 200 bytes are live.
    let more = json!({
        "cost": {"bytes_written": 400, "bytes_read": 80, "cpu_user_s": 2.0, "cpu_system_s": 1.0}, "bytes_on_disk": 600,
        "amplification": {"write": 4.0, "read": 4.0, "space": 3.0}, "operations": 100,
    });
    let dir = directory(&[
        ("results.jsonl", result("ferrolith", 100.0, &more)),
        ("timeline.jsonl", timeline.concat()),
    ]);
    let data = read(&[dir.path()]).unwrap();
    let object = data.series[0].json();
    assert_eq!(
        object["ops"]["READ"],
        json!([100.0, 100.0, 100.0]),
        "50 operations in half a second"
    );
    assert_eq!(object["write_amp"], json!([null, 2.0, 3.0]), "100 of 50 bytes, then 300 of 100");
    assert_eq!(object["read_amp"], json!([null, 4.0, 4.0]));
    assert_eq!(object["space_amp"], json!([0.5, 1.0, 2.0]));
    // The figures of the whole result are under the same names for all suites.
    let figures = &data.results.records[0].figures;
    let figure =
        |name: &str| figures.iter().find(|(key, _)| key.figure == name).map(|(_, value)| *value);
    assert_eq!((figure("read amplification"), figure("CPU us/op")), (Some(4.0), Some(30000.0)));
}

#[test]
fn runs_that_were_cut_short_and_debug_builds_are_marked() {
    let environment = json!({"schema": 2, "complete": false, "debug_build": true}).to_string();
    let dir = directory(&[
        ("run/results.jsonl", result("ferrolith", 7.5, &json!({}))),
        ("run/environment.json", environment),
    ]);
    let page = page::html(&read(&[dir.path()]).unwrap(), None, "0");
    assert!(page.contains("1 run that was cut short") && page.contains("debug build"));
}

#[test]
fn a_step_has_the_seconds_of_its_load_and_of_its_run() {
    let second = |t: f64, state: &str, kind: &str| {
        let line =
            json!({"suite": "forestdb", "step": "load", "t": t, "state": state, "ops": {kind: 5}});
        format!("{line}\n")
    };
    let line = |phase: &str| {
        let line = json!({"suite": "forestdb", "step": "load", "phase": phase, "engine": "x", "documents_per_sec": 5.0});
        format!("{line}\n")
    };
    for state in ["warm-up", "measured"] {
        let timeline = [
            second(0.1, "measured", "LOAD"),
            second(1.0, state, "READ"),
            second(1.5, "measured", "READ"),
        ];
        let files =
            [("results.jsonl", line("load") + &line("run")), ("timeline.jsonl", timeline.concat())];
        let data = read(&[directory(&files).path()]).unwrap();
        let records: Vec<_> =
            data.series.iter().map(|series| (series.record, series.times.len())).collect();
        assert_eq!(records, [(Some(0), 1), (Some(1), 2)], "{state}");
    }
}

#[test]
fn seconds_of_older_steps_are_differences_of_sums() {
    let second = |state: &str, seconds: f64, read: u64| {
        let line = json!({"step": "pq.1", "state": state, "seconds": seconds, "read": read, "ranged": 0, "written": 0});
        format!("{line}\n")
    };
    let timeline = [
        second("warm-up", 1.0, 10),
        second("measured", 1.0, 30),
        second("measured", 2.0, 60),
        second("measured", 2.1, 61),
    ];
    let line = json!({"suite": "forestdb", "step": "pq.1", "phase": "run", "engine": "ferrolith", "documents_per_sec": 5.0});
    let dir =
        directory(&[("results.jsonl", format!("{line}\n")), ("timeline.jsonl", timeline.concat())]);
    let data = read(&[dir.path()]).unwrap();
    assert_eq!(data.series[0].times, [1.0, 2.0, 3.0, 3.1]);
    let expected = [Some(10.0), Some(20.0), Some(30.0), None];
    assert_eq!(data.series[0].totals(), expected, "a part of a second has no rate");
}

#[test]
fn sweeps_have_their_values_in_order() {
    let mut text = String::new();
    for (label, rate) in
        [("cache_size=100", 3.0), ("cache_size=20", 2.0), ("cache_size=20", 4.0), ("alone=1", 1.0)]
    {
        let line = json!({"suite": "tuning", "benchmark": "readrandom", "scenario": null, "phase": "measured",
            "label": label, "engine": "ferrolith", "threads": 1, "ops_per_sec": rate, "write_amplification": 2.0});
        writeln!(text, "{line}").unwrap();
    }
    let dir = directory(&[("results.jsonl", text)]);
    let data = read(&[dir.path()]).unwrap();
    assert_eq!(data.sweeps.len(), 1, "one value is no sweep");
    let sweep = &data.sweeps[0];
    assert_eq!(
        (sweep.parameter.as_str(), &sweep.values),
        ("cache_size", &vec!["20".to_owned(), "100".to_owned()])
    );
    let figure = &sweep.figures[0];
    let cells: Vec<f64> = (0..2).map(|value| figure.cell(0, value).unwrap().median()).collect();
    assert_eq!((figure.name.as_str(), cells), ("ops/s", vec![3.0, 3.0]));
}

#[test]
fn the_picture_shows_wins_and_losses() {
    let mut text = String::new();
    for (workload, a, b) in [("faster", 40.0, 10.0), ("slower", 10.0, 40.0), ("equal", 10.0, 10.0)]
    {
        for _ in 0..3 {
            text += &result("ferrolith", a, &json!({"workload": workload}));
            text += &result("rocksdb", b, &json!({"workload": workload}));
        }
    }
    let dir = directory(&[("results.jsonl", text)]);
    let data = read(&[dir.path()]).unwrap();
    let svg = picture::svg(&data, None).unwrap();
    let bars: Vec<&str> = svg.split("<rect class=\"c").skip(1).collect();
    assert_eq!(bars.len(), 3);
    let width =
        |bar: &str| bar.split("width=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_eq!(width(bars[0]), width(bars[1]), "twice as fast and half as fast are equally long");
    assert!(
        bars[0].starts_with("0\"") && bars[1].starts_with("1\""),
        "in the colour of the better engine"
    );
    assert!(bars[2].starts_with("1 pale") || bars[2].starts_with("0 pale"), "{}", bars[2]);
    assert!(svg.contains("prefers-color-scheme:dark"));
    let one = directory(&[("results.jsonl", result("ferrolith", 1.0, &json!({})))]);
    let error = picture::svg(&read(&[one.path()]).unwrap(), None).unwrap_err();
    assert!(error.contains("expected results of two engines"), "{error}");
}

#[test]
fn losses_are_as_plain_as_wins() {
    let mut text = String::new();
    for (workload, a, b) in
        [("faster", 40.0, 10.0), ("slower", 10.0, 35.0), ("slowest", 1.0, 9.0), ("equal", 5.0, 5.0)]
    {
        let more = json!({"workload": workload, "properties": {"recordcount": "30000"}});
        for run in 0..3 {
            text += &result("ferrolith", a + f64::from(run) / 1e6, &more);
            text += &result("rocksdb", b, &more);
        }
    }
    let dir = directory(&[("results.jsonl", text)]);
    let data = read(&[dir.path()]).unwrap();
    let tally = Tally::of(data.charts.iter(), 2, data.baseline.unwrap());
    assert_eq!(tally, Tally { better: vec![1, 2], equal: 1, too_few: 0 });
    let summary = super::verdicts::summary(&data).into_string();
    for engine in ["Ferrolith is better in <b>1</b>", "RocksDB is better in <b>2</b>"] {
        assert!(summary.contains(engine), "{engine}\n{summary}");
    }
    // Both lists have the same form, and the largest difference comes first.
    assert_eq!(summary.matches("<details open>").count(), 2, "{summary}");
    let (_, losses) = summary.split_once("RocksDB</span> is better: 2").unwrap();
    assert!(losses.find("slowest") < losses.find("slower"), "{losses}");
    assert!(losses.contains("<a href=\"#figure-0\">Throughput</a>"), "{losses}");
    assert!(page::html(&data, None, "0").contains(&summary));
    // The picture has the intervals as numbers, the number of runs and the size.
    let svg = picture::svg(&data, None).unwrap();
    assert!(svg.contains("3 runs of each engine; ycsb: 30,000 records of 1 kB"), "{svg}");
    assert!(svg.contains(">4.00–4.00</text>"), "{svg}");
}

#[test]
fn numbers_have_few_digits_and_units() {
    let plain = [0.0, 7.0, 0.25, 0.9996, 9.996, 12.34, 99.96, 1234567.8].map(numbers::plain);
    assert_eq!(plain, ["0", "7", "0.250", "1.00", "10.0", "12.3", "100", "1,234,568"]);
    assert_eq!([999.0, 1500.0, 25e9].map(numbers::bytes), ["999 B", "1.50 kB", "25 GB"]);
    assert_eq!([0.5, 1500.0, 2e6].map(numbers::micros), ["0.500 µs", "1.50 ms", "2 s"]);
    assert_eq!(
        [0.0001, 0.05, 1.0, 12.0, 123.0, 1e9].map(numbers::ratio),
        ["1e-4", "0.050", "1.00", "12.0", "123", "1e9"]
    );
}
