//! Sweeps: runs of one workload that differ in one parameter.
//!
//! The parameter is in the label of a result: `write_buffer_size=16777216` of a sweep of the tuning suite, or
//! `10 readers` of its scenario by threads.

use super::ratios::median;
use super::results::{Record, Results};
use serde_json::Value;

/// The figures that come first; others follow by name.
const FIRST: [&str; 3] = ["ops/s", "documents/s", "P50 us"];

/// The values of one parameter, and what was measured with each.
#[derive(Debug)]
pub struct Sweep {
    /// The suite and the benchmark.
    pub about: String,
    /// The parameter.
    pub parameter: String,
    /// Its values, numbers in rising order.
    pub values: Vec<String>,
    /// The figures, throughput first.
    pub figures: Vec<Figure>,
}

/// One figure of a sweep.
#[derive(Debug)]
pub struct Figure {
    /// The name.
    pub name: String,
    /// Whether a larger one is better.
    pub larger_is_better: bool,
    /// The cells, in no particular order.
    pub cells: Vec<Cell>,
}

/// One figure with one value of the parameter on one engine.
#[derive(Debug)]
pub struct Cell {
    /// The number of the engine.
    pub engine: usize,
    /// The place of the value in [`Sweep::values`].
    pub value: usize,
    /// The records.
    pub records: Vec<usize>,
    samples: Vec<f64>,
}

impl Cell {
    /// Returns the median of the records.
    pub fn median(&self) -> f64 {
        median(&self.samples)
    }
}

impl Figure {
    /// Returns the smallest and the largest median.
    pub fn range(&self) -> (f64, f64) {
        let medians = || self.cells.iter().map(Cell::median);
        (medians().fold(f64::INFINITY, f64::min), medians().fold(0.0, f64::max))
    }

    /// Returns the cell of an engine and a value.
    pub fn cell(&self, engine: usize, value: usize) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.engine == engine && cell.value == value)
    }
}

impl Sweep {
    /// Returns the engines that have results, in rising order.
    pub fn engines(&self) -> Vec<usize> {
        let cells = self.figures.iter().flat_map(|figure| &figure.cells);
        let mut engines: Vec<usize> = cells.map(|cell| cell.engine).collect();
        engines.sort_unstable();
        engines.dedup();
        engines
    }
}

/// Returns the sweeps with at least two values, in the order of their first results.
pub fn sweeps(results: &Results) -> Vec<Sweep> {
    let mut sweeps: Vec<Sweep> = Vec::new();
    for record in results.records.iter().filter(|record| is_point(record)) {
        if let Some((about, parameter, value)) = point(record) {
            let sweep = sweep(&mut sweeps, about, parameter);
            if !sweep.values.contains(&value) {
                sweep.values.push(value);
            }
        }
    }
    for sweep in &mut sweeps {
        let number = |text: &String| text.parse::<f64>().ok();
        if sweep.values.iter().all(|text| number(text).is_some()) {
            sweep.values.sort_by(|a, b| number(a).partial_cmp(&number(b)).unwrap_or(a.cmp(b)));
        }
    }
    for (at, record) in results.records.iter().enumerate().filter(|(_, record)| is_point(record)) {
        if let Some((about, parameter, value)) = point(record) {
            add(sweep(&mut sweeps, about, parameter), &value, at, record);
        }
    }
    let place = |figure: &Figure| FIRST.iter().position(|first| *first == figure.name);
    for sweep in &mut sweeps {
        sweep.figures.sort_by_key(|figure| place(figure).unwrap_or(FIRST.len()));
    }
    sweeps.retain(|sweep| sweep.values.len() > 1);
    sweeps
}

fn is_point(record: &Record) -> bool {
    record.is_complete && !record.is_preparation()
}

/// Returns what was swept: the workload, the parameter and its value.
fn point(record: &Record) -> Option<(String, String, String)> {
    let object = &record.object;
    let label = object["label"].as_str()?;
    let word = |field: &str| match &object[field] {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    let (suite, scenario) = (word("suite"), word("scenario"));
    let workload = ["benchmark", "workload", "step"].map(word).concat();
    let about =
        [suite, scenario, workload].join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    let (parameter, value) = match (label.split_once('='), label.split_once(' ')) {
        (Some((parameter, value)), _) => (parameter, value),
        (None, Some((value, parameter))) if value.parse::<u64>().is_ok() => (parameter, value),
        _ => return None,
    };
    Some((about, parameter.to_owned(), value.to_owned()))
}

fn sweep(sweeps: &mut Vec<Sweep>, about: String, parameter: String) -> &mut Sweep {
    let is_it = |sweep: &Sweep| sweep.about == about && sweep.parameter == parameter;
    let at = sweeps.iter().position(is_it).unwrap_or_else(|| {
        sweeps.push(Sweep { about, parameter, values: Vec::new(), figures: Vec::new() });
        sweeps.len() - 1
    });
    &mut sweeps[at]
}

fn add(sweep: &mut Sweep, value: &str, at: usize, record: &Record) {
    let Some(value) = sweep.values.iter().position(|known| known == value) else { return };
    for (key, number) in &record.figures {
        let is_it = |figure: &Figure| figure.name == key.figure;
        let figure = sweep.figures.iter().position(is_it).unwrap_or_else(|| {
            let (name, larger_is_better) = (key.figure.clone(), key.larger_is_better);
            sweep.figures.push(Figure { name, larger_is_better, cells: Vec::new() });
            sweep.figures.len() - 1
        });
        let cells = &mut sweep.figures[figure].cells;
        let is_it = |cell: &Cell| cell.engine == record.engine && cell.value == value;
        let cell = cells.iter().position(is_it).unwrap_or_else(|| {
            let engine = record.engine;
            cells.push(Cell { engine, value, records: Vec::new(), samples: Vec::new() });
            cells.len() - 1
        });
        cells[cell].records.push(at);
        cells[cell].samples.push(*number);
    }
}
