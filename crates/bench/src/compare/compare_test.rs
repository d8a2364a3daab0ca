use super::judge::{Rule, judge};
use super::read::Results;
use super::table::Table;
use crate::rng::Random64;
use serde_json::json;
use std::fmt::Write;

const RULE: Rule = Rule { confidence: 0.99, smallest: 0.02, paired: true };

/// A value around 1 whose logarithm is normally distributed.
fn noise(rng: &mut Random64, deviation: f64) -> f64 {
    let uniform = |rng: &mut Random64| (rng.draw() >> 11) as f64 / (1u64 << 53) as f64;
    let radius: f64 = (-2.0_f64 * uniform(rng).max(1e-300).ln()).sqrt();
    (deviation * radius * (std::f64::consts::TAU * uniform(rng)).cos()).exp()
}

#[test]
fn intervals_are_those_of_the_textbook() {
    // Four pairs whose logarithms differ by 0, 1, 2 and 3: mean 1.5, deviation 1.29099, t(3; 0.975) = 3.18245.
    let a: Vec<f64> = (0..4).map(|i| f64::from(i).exp()).collect();
    let b = [1.0; 4];
    let rule = Rule { confidence: 0.95, ..RULE };
    let paired = judge(&a, &b, rule, 1);
    let (low, high) = paired.interval.unwrap();
    assert!((low.ln() - (1.5 - 2.05426)).abs() < 1e-4, "{}", low.ln());
    assert!((high.ln() - (1.5 + 2.05426)).abs() < 1e-4, "{}", high.ln());
    assert_eq!(paired.real, Some(false));
    // Welch: 0, 2 and 1 against 9, 11 and 10: difference -9, deviation sqrt(2/3), 4 degrees, t(4; 0.975) = 2.77645.
    let exp = |xs: [f64; 3]| xs.map(f64::exp);
    let separate = Rule { paired: false, ..rule };
    let welch = judge(&exp([0.0, 2.0, 1.0]), &exp([9.0, 11.0, 10.0]), separate, 1);
    let (low, high) = welch.interval.unwrap();
    assert!((low.ln() - (-9.0 - 2.26696)).abs() < 1e-4, "{}", low.ln());
    assert!((high.ln() - (-9.0 + 2.26696)).abs() < 1e-4, "{}", high.ln());
    assert_eq!(welch.real, Some(true));
}

#[test]
fn few_runs_have_no_verdict_and_small_differences_are_not_real() {
    assert_eq!(judge(&[1.0, 1.0], &[2.0, 2.0], RULE, 1).real, None);
    let exact = |ratio: f64| judge(&[ratio; 5], &[1.0; 5], RULE, 1).real;
    assert_eq!((exact(1.019), exact(1.021), exact(0.97)), (Some(false), Some(true), Some(true)));
}

/// Verdicts for tables of 12 figures over 7 pairs with 3 % of noise and a drift that both sides share.
fn tables(slowdown: f64, seed: u64) -> usize {
    let mut rng = Random64::new(seed);
    let judged = (0..12).map(|_| {
        let mut sample = || {
            let drift: Vec<f64> = (0..7).map(|_| noise(&mut rng, 0.1)).collect();
            let side = |rng: &mut Random64| -> Vec<f64> {
                drift.iter().map(|drift| drift * noise(rng, 0.02)).collect()
            };
            (side(&mut rng), side(&mut rng))
        };
        let (a, b) = sample();
        let a: Vec<f64> = a.iter().map(|x| x * slowdown).collect();
        judge(&a, &b, RULE, 12)
    });
    judged.filter(|judgement| judgement.real == Some(true)).count()
}

#[test]
fn equal_engines_differ_in_no_table_and_a_slowdown_shows() {
    let wrong = (0..1000).filter(|seed| tables(1.0, *seed) > 0).count();
    assert!(
        wrong <= 20,
        "{wrong} of 1000 tables of equal engines have a difference; expected about 10"
    );
    let found: usize = (0..200).map(|seed| tables(0.9, seed)).sum();
    let share = found as f64 / (200.0 * 12.0);
    assert!(share > 0.9, "10 % were found in {share} of all figures");
}

fn line(rate: f64, engine: &str) -> String {
    json!({
        "suite": "ycsb", "phase": "run", "workload": "workloada", "threads": 2, "target": 0,
        "engine": engine, "complete": true, "ops_per_sec": rate,
        "latencies_us": { "READ": { "service": { "count": 9, "p50": 1e6 / rate, "p99": 20.0 } } },
    })
    .to_string()
}

#[test]
fn results_are_read_grouped_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, rates: &[f64], engine: &str| {
        let mut text = String::new();
        rates.iter().for_each(|rate| writeln!(text, "{}", line(*rate, engine)).unwrap());
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let a = Results::read(&write("a.jsonl", &[100.0, 102.0, 101.0, 99.0, 100.0], "x")).unwrap();
    let b = Results::read(&write("b.jsonl", &[50.0, 51.0, 50.5, 49.5, 50.0], "y")).unwrap();
    assert_eq!((a.engines.as_slice(), a.figures.len()), (&["x".to_owned()][..], 3));
    let table = Table::new(&a, &b, RULE);
    assert_eq!(table.differences(), 2, "{}", table.text());
    let text = table.text();
    assert!(text.contains("ycsb workloada run, 2 threads\n"), "{text}");
    let row = text.lines().find(|line| line.contains("ops/s")).unwrap();
    assert!(row.contains(" 2.000 ") && row.ends_with("A is better"), "{row}");
    let row = text.lines().find(|line| line.contains("READ P50 us")).unwrap();
    assert!(row.contains(" 0.500 ") && row.ends_with("A is better"), "{row}");
    // A directory has all results below it; what did not complete is counted apart.
    std::fs::write(dir.path().join("c.jsonl"), line(1.0, "z").replace("true", "false")).unwrap();
    let all = Results::read(dir.path()).unwrap();
    assert_eq!((all.engines.len(), all.incomplete), (2, 1));
    assert!(all.figures.values().all(|values| values.len() == 10));
}

#[test]
fn a_pair_with_one_side_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let side = |name: &str, pairs: &[u64]| {
        let of = |pair: &u64| {
            let object = json!({
                "suite": "ycsb", "workload": "a", "phase": "run", "threads": 1, "pair": pair,
                "ops_per_sec": 100 * pair, "bytes_on_disk": 7,
            });
            format!("{object}\n")
        };
        let path = dir.path().join(name);
        std::fs::write(&path, pairs.iter().map(of).collect::<String>()).unwrap();
        Results::read(&path).unwrap()
    };
    let (mut a, mut b) = (side("a.jsonl", &[1, 2, 4]), side("b.jsonl", &[2, 3, 1]));
    a.keep(super::read::is_throughput);
    b.keep(super::read::is_throughput);
    assert_eq!(a.keep_pairs_of(&b), [4].into());
    assert_eq!(b.keep_pairs_of(&a), [3].into());
    let rates = |results: &Results| results.figures.values().next().cloned();
    assert_eq!((rates(&a), a.figures.len()), (Some(vec![100.0, 200.0]), 1));
    assert_eq!(rates(&b), Some(vec![100.0, 200.0]), "in the order of the pairs");
    let mut alone = side("c.jsonl", &[9]);
    alone.keep(super::read::is_throughput);
    alone.keep_pairs_of(&b);
    assert!(alone.figures.is_empty());
}

#[test]
fn parts_of_a_study_are_not_mixed() {
    let line = |scenario: serde_json::Value, label: &str| {
        let object = json!({
            "suite": "tuning", "phase": "measured", "scenario": scenario, "label": label,
            "benchmark": "readrandom", "threads": 4, "ops_per_sec": 5.0,
        });
        format!("{object}\n")
    };
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("results.jsonl");
    let lines = [line(json!(9), "4 readers"), line(json!(null), "a=1"), line(json!(null), "a=2")];
    std::fs::write(&path, lines.concat()).unwrap();
    let results = Results::read(&path).unwrap();
    let names: Vec<&str> = results.figures.keys().map(|key| key.workload.as_str()).collect();
    let benchmark = "measured: db_bench readrandom, 4 threads";
    let expected =
        ["9 4 readers", "sweep a=1", "sweep a=2"].map(|part| format!("tuning {part} {benchmark}"));
    assert_eq!(names, expected);
}

#[test]
fn bad_files_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bad.jsonl");
    let error = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Results::read(&path).unwrap_err()
    };
    assert!(error("{\"suite\":").contains("bad.jsonl, line 1: "), "{}", error("{\"suite\":"));
    assert!(error("\n[]\n").ends_with("line 2: expected a JSON object"));
    assert!(error("{}\n").ends_with("expected results of a suite, found none"));
    let missing = Results::read(&dir.path().join("none")).unwrap_err();
    assert!(missing.contains("none: cannot be read: "), "{missing}");
}
