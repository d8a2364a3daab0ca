//! The comparison of two engines: medians, ranges and ratios, as text.

use serde_json::{Value, json};

/// The compared figures: the field of the JSON object, the name, and the divisor.
const METRICS: [(&str, &str, f64); 9] = [
    ("/ops_per_sec", "ops/sec", 1.0),
    ("/latency_micros/p50", "P50 us", 1.0),
    ("/latency_micros/p99", "P99 us", 1.0),
    ("/latency_micros/p99.9", "P99.9 us", 1.0),
    ("/latency_micros/max", "longest us", 1.0),
    ("/peak_rss_bytes", "peak RSS MB", 1_048_576.0),
    ("/engine_write_amplification", "write amp", 1.0),
    ("/cpu_seconds", "CPU s", 1.0),
    ("/cpu_micros_per_op", "CPU us/op", 1.0),
];

/// The objects of one run, in the order of the benchmarks.
pub(crate) type Run = Vec<Value>;

/// The name of the sum of a run's benchmarks.
const WHOLE: &str = "(all)";

/// Reads one line of a run.
pub(crate) fn parse(line: &str, name: &str) -> Result<Value, String> {
    serde_json::from_str(line).map_err(|error| format!("{name}: {error}"))
}

fn number(object: &Value, key: &str) -> f64 {
    object.get(key).and_then(Value::as_f64).unwrap_or(0.0)
}

/// Adds the sum of the benchmarks, if there is more than one.
pub(crate) fn with_whole(mut run: Run) -> Run {
    if run.len() > 1 {
        run.push(whole(&run));
    }
    run
}

/// Combines all benchmarks of a run into one. If `waitforcompaction` follows, the work that writers left to compactions
/// is included, in the time as well as in the bytes.
fn whole(run: &[Value]) -> Value {
    let sum = |key: &str| run.iter().map(|phase| number(phase, key)).sum::<f64>();
    let most = |key: &str| run.iter().map(|phase| number(phase, key)).fold(0.0, f64::max);
    let (ops, cpu) = (sum("operations"), sum("cpu_seconds"));
    let (engine, user) = (sum("engine_bytes_written"), sum("user_bytes_written"));
    json!({
        "benchmark": WHOLE,
        "operations": ops,
        "ops_per_sec": ops / sum("seconds").max(1e-9),
        "peak_rss_bytes": most("peak_rss_bytes"),
        "engine_write_amplification": (engine > 0.0 && user > 0.0).then(|| engine / user),
        "cpu_seconds": cpu,
        "cpu_micros_per_op": cpu * 1e6 / ops.max(1.0),
    })
}

/// The values of one figure in several runs.
struct Sample(Vec<f64>);

impl Sample {
    /// Returns the sample of benchmark `index` in all runs.
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
}

/// One figure of one benchmark.
struct Line {
    benchmark: String,
    metric: &'static str,
    ours: Sample,
    theirs: Sample,
}

impl Line {
    /// Returns our value divided by the peer's.
    fn ratio(&self) -> Option<f64> {
        let theirs = self.theirs.median().filter(|median| *median > 0.0)?;
        Some(self.ours.median()? / theirs)
    }

    /// Returns the smallest and the largest ratio of a pair.
    fn ratio_range(&self) -> Option<(f64, f64)> {
        let pairs = self.ours.0.iter().zip(&self.theirs.0);
        let ratios = Sample(pairs.filter(|(_, t)| **t > 0.0).map(|(o, t)| o / t).collect());
        (!ratios.0.is_empty()).then(|| ratios.range())
    }
}

/// All figures of all benchmarks.
pub(crate) struct Comparison {
    lines: Vec<Line>,
    names: [&'static str; 2],
}

impl Comparison {
    /// Compares runs in pairs, under these names.
    pub(crate) fn of(names: [&'static str; 2], ours: &[Run], theirs: &[Run]) -> Comparison {
        let first = ours.first().map_or(&[][..], Vec::as_slice);
        let mut lines = Vec::new();
        for (index, phase) in first.iter().enumerate() {
            let benchmark = phase["benchmark"].as_str().unwrap_or_default().to_owned();
            for (pointer, metric, scale) in METRICS {
                let sample = |runs| Sample::of(runs, index, pointer, scale);
                let (ours, theirs) = (sample(ours), sample(theirs));
                // Reads have no write amplification, and a benchmark that runs once has no percentiles.
                if !(ours.0.is_empty() && theirs.0.is_empty()) {
                    lines.push(Line { benchmark: benchmark.clone(), metric, ours, theirs });
                }
            }
        }
        Comparison { lines, names }
    }

    /// Returns the table.
    pub(crate) fn text(&self) -> String {
        let [ours, theirs] = self.names;
        let mut text =
            format!("Medians [lowest..highest]; ratio is {ours} / {theirs} [of pairs]\n");
        let row = |a: &str, b: &str, c: &str, d: &str, e: &str| {
            format!("{a:<22} {b:<11} {c:>32} {d:>32}  {e}\n")
        };
        text += &row("benchmark", "figure", ours, theirs, "ratio");
        for line in &self.lines {
            let ratio = line.ratio().map_or("n/a".to_owned(), |ratio| {
                let (low, high) = line.ratio_range().unwrap_or((ratio, ratio));
                format!("{ratio:.2}x [{low:.2}..{high:.2}]")
            });
            text +=
                &row(&line.benchmark, line.metric, &line.ours.text(), &line.theirs.text(), &ratio);
        }
        text
    }
}

#[cfg(test)]
#[path = "comparison_test.rs"]
mod tests;
