//! Reads results: JSON lines of `db_bench`, `ycsb` and `forestdb`, from files or from directories.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Figures at the top level of a result: the field, its name in tables, and whether a larger one is better.
const FIGURES: &[(&str, &str, bool)] = &[
    ("ops_per_sec", "ops/s", true),
    ("documents_per_sec", "documents/s", true),
    ("write_amplification", "write amplification", false),
    ("engine_write_amplification", "write amplification of the engine", false),
    ("space_amplification", "space amplification", false),
    ("cpu_micros_per_op", "CPU us/op", false),
    ("peak_rss_bytes", "peak resident bytes", false),
    ("resident_bytes", "resident bytes", false),
    ("bytes_on_disk", "bytes on disk", false),
];

/// Percentiles of latencies, in microseconds.
const PERCENTILES: &[&str] = &["p50", "p99", "p99.9"];

/// Returns what is wrong with a line that is not JSON. A line that ends early was cut off.
pub fn damage(error: &serde_json::Error) -> String {
    match error.is_eof() {
        true => "the line is cut off, as by a full disk; remove it, or repeat its run".to_owned(),
        false => format!("expected a JSON object: {error}"),
    }
}

/// What was measured: equal keys are repetitions of one measurement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The suite and its workload.
    pub workload: String,
    /// The figure.
    pub figure: String,
    /// Whether a larger figure is better.
    pub larger_is_better: bool,
}

/// All results of one side.
#[derive(Debug, Default)]
pub struct Results {
    /// The engines, with versions, in the order of their first result.
    pub engines: Vec<String>,
    /// Each figure's values, in the order in which they were measured.
    pub figures: BTreeMap<Key, Vec<f64>>,
    /// The numbers of the pairs that these values are from, 0 where a result has none.
    pairs: BTreeMap<Key, Vec<u64>>,
    /// The number of the pair that is read now.
    pair: u64,
    /// Results that were left out because their run did not complete.
    pub incomplete: usize,
}

impl Results {
    /// Reads a file, or all files of a directory whose names end in `.jsonl`. Unreadable files, lines that are not a
    /// JSON object, and the absence of any result are errors that name the file and line.
    pub fn read(path: &Path) -> Result<Results, String> {
        let mut results = Results::default();
        for file in files(path)? {
            let text = std::fs::read_to_string(&file)
                .map_err(|e| format!("{}: cannot be read: {e}", file.display()))?;
            for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let here = |e: String| format!("{}, line {}: {e}", file.display(), at + 1);
                let object: Value = serde_json::from_str(line).map_err(|e| here(damage(&e)))?;
                if !object.is_object() {
                    return Err(here("expected a JSON object".to_owned()));
                }
                results.add(&object);
            }
        }
        if results.figures.is_empty() {
            return Err(format!("{}: expected results of a suite, found none", path.display()));
        }
        Ok(results)
    }

    /// Adds the figures of one line. A line without a workload is not a result, such as those of single seconds.
    fn add(&mut self, object: &Value) {
        let is_second = object["state"].is_string();
        let Some(workload) = workload(object).filter(|_| !is_second) else { return };
        if object["complete"] == Value::Bool(false) {
            self.incomplete += 1;
            return;
        }
        if let Some(engine) = engine(object).filter(|engine| !self.engines.contains(engine)) {
            self.engines.push(engine);
        }
        self.pair = object["pair"].as_u64().unwrap_or(0);
        self.add_figures(&workload, object);
    }

    fn add_figures(&mut self, workload: &str, object: &Value) {
        for (field, name, larger_is_better) in FIGURES {
            // Documents per second are the operations of their suite.
            if !(*field == "ops_per_sec" && object["documents_per_sec"].is_number()) {
                self.add_figure(workload, name, *larger_is_better, &object[*field]);
            }
        }
        // db_bench has one histogram of all kinds of operations, ForestDB-Benchmark one in each role.
        let has_others = object["latency_micros"].is_object() || object["operations"].is_object();
        self.add_latencies(workload, "", &object["latency_micros"]);
        let operations = object["latencies_us"].as_object().filter(|_| !has_others);
        for (operation, latencies) in operations.into_iter().flatten() {
            self.add_latencies(workload, operation, &latencies["service"]);
        }
        for (role, figures) in object["operations"].as_object().into_iter().flatten() {
            let name = format!("{role} documents/s");
            self.add_figure(workload, &name, true, &figures["documents_per_sec"]);
            self.add_latencies(workload, role, &figures["latencies_us"]["service"]);
        }
    }

    fn add_latencies(&mut self, workload: &str, operation: &str, latencies: &Value) {
        if latencies["count"].as_u64() == Some(0) {
            return;
        }
        for percentile in PERCENTILES {
            let name = format!("{operation} {} us", percentile.to_uppercase());
            self.add_figure(workload, name.trim(), false, &latencies[*percentile]);
        }
    }

    fn add_figure(&mut self, workload: &str, figure: &str, larger_is_better: bool, value: &Value) {
        let Some(value) = value.as_f64().filter(|value| value.is_finite() && *value > 0.0) else {
            return;
        };
        let (workload, figure) = (workload.to_owned(), figure.to_owned());
        let key = Key { workload, figure, larger_is_better };
        self.pairs.entry(key.clone()).or_default().push(self.pair);
        self.figures.entry(key).or_default().push(value);
    }

    /// Keeps only these figures.
    pub fn keep(&mut self, is_wanted: impl Fn(&Key) -> bool) {
        self.figures.retain(|key, _| is_wanted(key));
        self.pairs.retain(|key, _| is_wanted(key));
    }

    /// Keeps only values of pairs that `other` has, too, in the order of the pairs. A run that was ended within a pair
    /// leaves one side of it. Results without numbers of pairs stay as they are. Returns the pairs that were left out.
    pub fn keep_pairs_of(&mut self, other: &Results) -> BTreeSet<u64> {
        let mut left_out = BTreeSet::new();
        for (key, values) in &mut self.figures {
            let (Some(own), Some(theirs)) = (self.pairs.get_mut(key), other.pairs.get(key)) else {
                continue;
            };
            if own.contains(&0) || theirs.contains(&0) {
                continue;
            }
            left_out.extend(own.iter().filter(|pair| !theirs.contains(pair)));
            let mut kept: Vec<(u64, f64)> = own.drain(..).zip(values.drain(..)).collect();
            kept.retain(|(pair, _)| theirs.contains(pair));
            kept.sort_by_key(|(pair, _)| *pair);
            (*own, *values) = kept.into_iter().unzip();
        }
        self.figures.retain(|_, values| !values.is_empty());
        self.pairs.retain(|_, pairs| !pairs.is_empty());
        left_out
    }
}

/// Returns whether a figure is a throughput.
pub fn is_throughput(key: &Key) -> bool {
    ["ops/s", "documents/s"].contains(&key.figure.as_str())
}

/// Returns the path itself, or the results in a directory and its subdirectories, by name.
fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = std::fs::read_dir(path)
        .map_err(|e| format!("{}: cannot be listed: {e}", path.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            found.push(path);
        }
    }
    Ok(found)
}

/// Returns the figures of one result, also if its run did not complete.
pub fn figures(workload: &str, object: &Value) -> Vec<(Key, f64)> {
    let mut results = Results::default();
    results.add_figures(workload, object);
    let of_key = |(key, values): (Key, Vec<f64>)| Some((key, *values.first()?));
    results.figures.into_iter().filter_map(of_key).collect()
}

/// Returns the suite and workload of a result, with the settings that make results incomparable if they differ.
pub fn workload(object: &Value) -> Option<String> {
    let text = |field: &str| object[field].as_str();
    if let Some(benchmark) = text("benchmark") {
        let threads = object["threads"].as_u64().unwrap_or(1);
        let part = match text("suite") {
            Some(suite) => {
                let scenario =
                    object["scenario"].as_u64().map_or("sweep".to_owned(), |n| n.to_string());
                let (label, phase) = (text("label").unwrap_or(""), text("phase").unwrap_or(""));
                format!("{suite} {scenario} {label} {phase}: ")
            }
            None => String::new(),
        };
        return Some(format!("{part}db_bench {benchmark}, {threads} threads"));
    }
    match text("suite")? {
        suite @ ("ycsb" | "pegasus") => {
            let name = text("workload").filter(|name| !name.is_empty()).unwrap_or("without a file");
            let threads = object["threads"].as_u64().unwrap_or(1);
            let target = match object["target"].as_u64() {
                Some(target) if target > 0 => format!(", {target} ops/s"),
                _ => String::new(),
            };
            Some(format!("{suite} {name} {}, {threads} threads{target}", text("phase")?))
        }
        suite => Some(format!("{suite} {}, {}", text("step")?, text("phase").unwrap_or("run"))),
    }
}

fn engine(object: &Value) -> Option<String> {
    let text = |field: &str| object[field].as_str();
    match (text("engine")?, text("engine_version")) {
        (engine, Some(version)) if !engine.contains(version) => {
            Some(format!("{engine}, {version}"))
        }
        (engine, _) => Some(engine.to_owned()),
    }
}
