//! Compares the engines figure by figure, with the mathematics of `compare`.
//!
//! Each chart is one table for the confidence: if nothing differs, at most one chart in a hundred (with 99 %) shows a
//! difference. Rows stay in the order in which they were measured, so wins and losses are equally easy to find.

use super::results::{Record, Results};
use crate::compare::{Judgement, Key, Rule, judge};
use std::collections::BTreeMap;

/// The charts that come first, in this order; other figures follow by name.
const FIRST: [&str; 8] = [
    "throughput",
    "P50 us",
    "P99 us",
    "P99.9 us",
    "CPU us/op",
    "write amplification",
    "space amplification",
    "resident bytes",
];

/// One chart: a figure of all measurements.
#[derive(Debug)]
pub struct Chart {
    /// The figure.
    pub figure: String,
    /// Whether a larger figure is better.
    pub larger_is_better: bool,
    /// The rows, in the order of measurements.
    pub rows: Vec<Row>,
}

/// One figure of one measurement, on all engines.
#[derive(Debug)]
pub struct Row {
    /// The number of the measurement.
    pub measurement: usize,
    /// The kind of operation, if the figure is of one kind.
    pub operation: String,
    /// The unit, if the rows of the chart have different ones.
    pub unit: String,
    /// A bar for each engine that has the figure, in the order of engines.
    pub bars: Vec<Bar>,
}

/// The values of one engine.
#[derive(Debug)]
pub struct Bar {
    /// The number of the engine.
    pub engine: usize,
    /// The records, in the order of pairs if there are pairs.
    pub records: Vec<usize>,
    /// The values of the records.
    pub values: Vec<f64>,
    /// The median.
    pub median: f64,
    /// The comparison with the baseline, except on the baseline itself.
    pub judgement: Option<Judgement>,
    /// Whether the runs were compared in pairs.
    pub is_paired: bool,
}

impl Bar {
    /// Returns the smallest and the largest value.
    pub fn range(&self) -> (f64, f64) {
        let fold =
            |first: f64, pick: fn(f64, f64) -> f64| self.values.iter().copied().fold(first, pick);
        (fold(f64::INFINITY, f64::min), fold(0.0, f64::max))
    }
}

/// Returns the charts. Engines are compared with `baseline`; `rule.paired` is set for each row.
pub fn charts(results: &Results, baseline: Option<usize>, rule: Rule) -> Vec<Chart> {
    let mut charts: Vec<Chart> = Vec::new();
    for (at, record) in results.records.iter().enumerate() {
        if !record.is_complete || record.is_preparation() {
            continue;
        }
        for (key, value) in &record.figures {
            let (figure, operation, unit) = split(key);
            let row = row(chart(&mut charts, figure, key), record, operation, unit);
            let bar = match row.bars.iter().position(|bar| bar.engine == record.engine) {
                Some(bar) => &mut row.bars[bar],
                None => {
                    row.bars.push(Bar::new(record.engine));
                    let last = row.bars.len() - 1;
                    &mut row.bars[last]
                }
            };
            bar.records.push(at);
            bar.values.push(*value);
        }
    }
    let place = |chart: &Chart| FIRST.iter().position(|first| *first == chart.figure);
    charts.sort_by_key(|chart| (place(chart).unwrap_or(FIRST.len()), chart.figure.clone()));
    for chart in &mut charts {
        chart.rows.sort_by_key(|row| row.measurement);
        finish(chart, results, baseline, rule);
    }
    charts
}

/// Splits `READ P99 us` into the chart's figure and the operation; rates of all kinds are one chart.
fn split(key: &Key) -> (String, String, String) {
    let figure = key.figure.as_str();
    if figure == "ops/s" || figure == "documents/s" {
        return ("throughput".to_owned(), String::new(), figure.to_owned());
    }
    if let Some(operation) = figure.strip_suffix(" documents/s") {
        return (
            "throughput by operation".to_owned(),
            operation.to_owned(),
            "documents/s".to_owned(),
        );
    }
    let words: Vec<&str> = figure.split(' ').collect();
    if let [operation, percentile, "us"] = words[..] {
        return (format!("{percentile} us"), operation.to_owned(), String::new());
    }
    (figure.to_owned(), String::new(), String::new())
}

fn chart<'a>(charts: &'a mut Vec<Chart>, figure: String, key: &Key) -> &'a mut Chart {
    let at = charts.iter().position(|chart| chart.figure == figure).unwrap_or_else(|| {
        let larger_is_better = key.larger_is_better;
        charts.push(Chart { figure, larger_is_better, rows: Vec::new() });
        charts.len() - 1
    });
    &mut charts[at]
}

fn row<'a>(chart: &'a mut Chart, record: &Record, operation: String, unit: String) -> &'a mut Row {
    let measurement = record.measurement;
    let is_it = |row: &Row| row.measurement == measurement && row.operation == operation;
    let at = chart.rows.iter().position(is_it).unwrap_or_else(|| {
        chart.rows.push(Row { measurement, operation, unit, bars: Vec::new() });
        chart.rows.len() - 1
    });
    &mut chart.rows[at]
}

impl Bar {
    fn new(engine: usize) -> Bar {
        let (records, values) = (Vec::new(), Vec::new());
        Bar { engine, records, values, median: 0.0, judgement: None, is_paired: false }
    }

    /// Returns the value of each pair, if each value belongs to a different one.
    fn pairs(&self, results: &Results) -> Option<BTreeMap<u64, (usize, f64)>> {
        let of = |(record, value): (&usize, &f64)| {
            let (_, pair) = results.records[*record].pair.as_ref()?;
            Some((*pair, (*record, *value)))
        };
        let pairs: Option<BTreeMap<_, _>> = self.records.iter().zip(&self.values).map(of).collect();
        pairs.filter(|pairs| pairs.len() == self.values.len())
    }

    fn order_by_pair(&mut self, results: &Results) {
        if let Some(pairs) = self.pairs(results) {
            (self.records, self.values) = pairs.into_values().unzip();
        }
    }
}

/// Computes medians and comparisons.
fn finish(chart: &mut Chart, results: &Results, baseline: Option<usize>, rule: Rule) {
    let is_other = |bar: &&Bar| Some(bar.engine) != baseline;
    let has_baseline = |row: &&Row| row.bars.iter().any(|bar| Some(bar.engine) == baseline);
    let compared = chart.rows.iter().filter(has_baseline);
    let comparisons = compared.map(|row| row.bars.iter().filter(is_other).count()).sum();
    for row in &mut chart.rows {
        row.bars.sort_by_key(|bar| bar.engine);
        for bar in &mut row.bars {
            bar.order_by_pair(results);
            bar.median = median(&bar.values);
        }
        let Some(at) = row.bars.iter().position(|bar| Some(bar.engine) == baseline) else {
            continue;
        };
        let base = row.bars[at].values.clone();
        let pairs = |bar: &Bar| Some(bar.pairs(results)?.into_keys().collect::<Vec<_>>());
        let base_pairs = pairs(&row.bars[at]);
        for bar in row.bars.iter_mut().filter(|bar| Some(bar.engine) != baseline) {
            bar.is_paired = base_pairs.is_some() && pairs(bar) == base_pairs;
            let rule = Rule { paired: bar.is_paired, ..rule };
            bar.judgement = Some(judge(&bar.values, &base, rule, comparisons));
        }
    }
}

/// Returns the median of a sample that is not empty.
pub fn median(sample: &[f64]) -> f64 {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n => (sorted[n / 2] + sorted[(n - 1) / 2]) / 2.0,
    }
}
