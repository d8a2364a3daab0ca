//! `--engine=both`: two engines in turn, in fresh processes, and the comparison.
//!
//! One process is one run of one engine, so that its memory and its CPU are that engine's. Pairs
//! alternate which engine goes first. Each engine has its own directories below `--db` and
//! `--wal_dir`; everything else on the command line is the same, the seed included.

use crate::flags::Flags;
use crate::report::say;
use crate::target;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The engines: the flag's word, the name in tables, the directory.
const ENGINES: [(&str, &str); 2] = [("ferrolith", "ferrolith"), ("lib", "rocksdb")];

/// What is compared: the field of the JSON object, the name, what to divide by.
const METRICS: [(&str, &str, f64); 5] = [
    ("/ops_per_sec", "ops/sec", 1.0),
    ("/latency_micros/p99", "P99 us", 1.0),
    ("/peak_rss_bytes", "peak RSS MB", 1_048_576.0),
    ("/cpu_seconds", "CPU s", 1.0),
    ("/cpu_micros_per_op", "CPU us/op", 1.0),
];

/// The objects of one run, in the order of the benchmarks.
type Run = Vec<Value>;

/// Runs the pairs and prints the comparison.
pub fn run(flags: &Flags, args: &[String], seed: u64) -> Result<(), String> {
    crate::workloads::parse_list(flags.text("benchmarks"))?;
    crate::config::Config::new(flags, seed)?;
    let library = match flags.text("engine_lib") {
        "" => target::default_library(),
        path => PathBuf::from(path),
    };
    if !library.exists() {
        return Err(format!(
            "--engine=both: no library at {}; see --engine_lib",
            library.display()
        ));
    }
    let pairs = flags.uint("runs");
    let mut runs: [Vec<Run>; 2] = [Vec::new(), Vec::new()];
    for pair in 0..pairs {
        let order = if pair % 2 == 0 { [0, 1] } else { [1, 0] };
        for engine in order {
            say(&format!("--- pair {} of {pairs}: {}", pair + 1, ENGINES[engine].1));
            runs[engine].push(child(flags, args, &library, engine, seed)?);
        }
    }
    if cfg!(debug_assertions) {
        say("WARNING: this is a debug build of ferrolith; the comparison means nothing");
    }
    let [ours, theirs] = &runs;
    let table = Comparison::of(ours, theirs);
    say(&format!("\n{}", table.text()));
    match flags.text("json") {
        "" => Ok(()),
        "-" => {
            say(&table.json_lines());
            Ok(())
        }
        path => std::fs::write(path, table.json_lines() + "\n")
            .map_err(|e| format!("--json={path}: {e}")),
    }
}

/// One run of one engine in a process of its own.
fn child(
    flags: &Flags,
    args: &[String],
    library: &Path,
    engine: usize,
    seed: u64,
) -> Result<Run, String> {
    let (word, name) = ENGINES[engine];
    let (db, wal) = target::directories(flags);
    let json = std::env::temp_dir().join(format!("db_bench-{}-{word}.json", std::process::id()));
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    // The last one of a flag wins, so that the command line is kept and corrected at its end.
    command.args(args).arg(format!("--engine={word}"));
    command.arg(format!("--engine_lib={}", library.display()));
    command.arg(format!("--db={}", db.join(name).display()));
    if let Some(wal) = wal {
        command.arg(format!("--wal_dir={}", wal.join(name).display()));
    }
    command.arg(format!("--json={}", json.display())).arg(format!("--seed={seed}"));
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| format!("{name}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{name} failed: {}\n{text}\n{errors}", output.status));
    }
    // The header is the same in each run; what follows the ruler is this run's.
    let body = text.split_once("----\n").map_or("", |(_, body)| body);
    say(body.trim_end());
    let lines = std::fs::read_to_string(&json).map_err(|e| format!("{}: {e}", json.display()))?;
    let _ = std::fs::remove_file(&json);
    lines.lines().map(|line| parse(line, name)).collect()
}

fn parse(line: &str, name: &str) -> Result<Value, String> {
    let mut object: Value =
        serde_json::from_str(line).map_err(|error| format!("{name}: {error}"))?;
    let number = |key: &str| object.get(key).and_then(Value::as_f64).unwrap_or(0.0);
    let per_op = number("cpu_seconds") * 1e6 / number("operations").max(1.0);
    object["cpu_micros_per_op"] = json!(per_op);
    Ok(object)
}

/// Some runs of one figure.
struct Sample(Vec<f64>);

impl Sample {
    /// Of benchmark `index` in all runs.
    fn of(runs: &[Run], index: usize, pointer: &str, scale: f64) -> Sample {
        let figures = runs.iter().filter_map(|run| run.get(index)?.pointer(pointer)?.as_f64());
        Sample(figures.map(|figure| figure / scale).collect())
    }

    fn median(&self) -> Option<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let (a, b) = (sorted.get(sorted.len() / 2)?, sorted.get((sorted.len().max(1) - 1) / 2)?);
        Some((a + b) / 2.0)
    }

    fn range(&self) -> (f64, f64) {
        let low = self.0.iter().copied().fold(f64::INFINITY, f64::min);
        (low, self.0.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    }

    fn text(&self) -> String {
        let Some(median) = self.median() else { return "n/a".to_owned() };
        let digits = if median >= 1000.0 { 0 } else { 2 };
        let (low, high) = self.range();
        format!("{median:.digits$} [{low:.digits$}..{high:.digits$}]")
    }

    fn json(&self) -> Value {
        let (low, high) = self.range();
        json!({"median": self.median(), "min": low, "max": high, "runs": self.0})
    }
}

/// One figure of one benchmark.
struct Line {
    benchmark: String,
    index: usize,
    metric: &'static str,
    ours: Sample,
    theirs: Sample,
}

impl Line {
    /// Ours divided by theirs.
    fn ratio(&self) -> Option<f64> {
        let theirs = self.theirs.median().filter(|median| *median > 0.0)?;
        Some(self.ours.median()? / theirs)
    }

    /// The smallest and the largest ratio of a pair.
    fn ratio_range(&self) -> Option<(f64, f64)> {
        let pairs = self.ours.0.iter().zip(&self.theirs.0);
        let ratios = Sample(pairs.filter(|(_, t)| **t > 0.0).map(|(o, t)| o / t).collect());
        (!ratios.0.is_empty()).then(|| ratios.range())
    }
}

/// All figures of all benchmarks.
struct Comparison(Vec<Line>);

impl Comparison {
    fn of(ours: &[Run], theirs: &[Run]) -> Comparison {
        let first = ours.first().map_or(&[][..], Vec::as_slice);
        let mut lines = Vec::new();
        for (index, phase) in first.iter().enumerate() {
            let benchmark = phase["benchmark"].as_str().unwrap_or_default().to_owned();
            for (pointer, metric, scale) in METRICS {
                lines.push(Line {
                    benchmark: benchmark.clone(),
                    index,
                    metric,
                    ours: Sample::of(ours, index, pointer, scale),
                    theirs: Sample::of(theirs, index, pointer, scale),
                });
            }
        }
        Comparison(lines)
    }

    fn text(&self) -> String {
        let [(_, ours), (_, theirs)] = ENGINES;
        let mut text =
            format!("Medians [lowest..highest]; ratio is {ours} / {theirs} [of pairs]\n");
        let row = |a: &str, b: &str, c: &str, d: &str, e: &str| {
            format!("{a:<22} {b:<11} {c:>32} {d:>32}  {e}\n")
        };
        text += &row("benchmark", "figure", ours, theirs, "ratio");
        for line in &self.0 {
            let ratio = line.ratio().map_or("n/a".to_owned(), |ratio| {
                let (low, high) = line.ratio_range().unwrap_or((ratio, ratio));
                format!("{ratio:.2}x [{low:.2}..{high:.2}]")
            });
            text +=
                &row(&line.benchmark, line.metric, &line.ours.text(), &line.theirs.text(), &ratio);
        }
        text
    }

    fn json_lines(&self) -> String {
        let [(_, ours), (_, theirs)] = ENGINES;
        let mut objects: Vec<Value> = Vec::new();
        for line in &self.0 {
            if objects.len() <= line.index {
                objects.push(json!({"benchmark": line.benchmark}));
            }
            objects[line.index][line.metric] = json!({
                ours: line.ours.json(), theirs: line.theirs.json(), "ratio": line.ratio(),
            });
        }
        objects.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
#[path = "both_test.rs"]
mod tests;
