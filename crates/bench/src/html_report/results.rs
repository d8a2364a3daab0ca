//! Results: each line with the engine, the measurement, the figures that `compare` knows, and where it came from.

use super::engines::{Engine, Engines};
use super::figures::{figures, number};
use super::sources::{Line, Place, Problem, Sources};
use crate::compare::{self, Key};
use serde_json::Value;

/// One result.
#[derive(Debug)]
pub struct Record {
    /// The line.
    pub place: Place,
    /// The run directory.
    pub run: Option<usize>,
    /// The number of the engine.
    pub engine: usize,
    /// The number of the measurement; equal ones are repetitions.
    pub measurement: usize,
    /// Whether `compare` knows the suite.
    pub is_known: bool,
    /// Whether the run ended by itself, without an error.
    pub is_complete: bool,
    /// The error of the run.
    pub error: Option<String>,
    /// The side and number of its pair.
    pub pair: Option<(String, u64)>,
    /// The command that produced it: its own, or that of its run directory.
    pub command: Option<String>,
    /// The figures, also of runs that did not complete.
    pub figures: Vec<(Key, f64)>,
    /// The line as it is.
    pub object: Value,
}

/// All results of a report.
#[derive(Debug, Default)]
pub struct Results {
    /// The engines.
    pub engines: Engines,
    /// The names of the measurements, in the order of their first result.
    pub measurements: Vec<String>,
    /// The results, in the order of files and lines.
    pub records: Vec<Record>,
}

impl Results {
    /// Takes the results of all lines. Lines that are no results become problems.
    pub fn new(sources: &mut Sources) -> Results {
        let mut results = Results::default();
        let mut problems = Vec::new();
        let both = engines_on_both_sides(&sources.results);
        for line in &sources.results {
            if let Err(text) = results.add(line, sources, &both) {
                let Place { file, line } = line.place;
                problems.push(Problem { place: format!("{}:{line}", sources.files[file]), text });
            }
        }
        sources.problems.extend(problems);
        results
    }

    fn add(&mut self, line: &Line, sources: &Sources, both: &[Engine]) -> Result<(), String> {
        let object = &line.object;
        let known = compare::workload(object);
        let is_known = known.is_some();
        let name = known
            .or_else(|| unknown_workload(object))
            .ok_or("not a result: it has neither `benchmark` nor `suite`; the line is skipped")?;
        let pair = pair(line);
        let mut engine = engine(line);
        if both.contains(&engine) {
            engine.side = pair.as_ref().map(|(side, _)| side.clone());
        }
        let figures = figures(&name, object);
        let (engine, measurement) =
            (self.engines.number(engine), self.measurement(readable(&name)));
        let error = object["error"].as_str().map(str::to_owned);
        let environment = line.run.map(|run| &sources.runs[run].environment);
        let command = text(object, "command").or_else(|| text(environment?, "command"));
        self.records.push(Record {
            place: line.place,
            run: line.run,
            engine,
            measurement,
            is_known,
            is_complete: object["complete"] != Value::Bool(false) && error.is_none(),
            error,
            pair,
            command,
            figures,
            object: object.clone(),
        });
        Ok(())
    }

    /// Returns the number of a measurement, which is added if it is new.
    pub fn measurement(&mut self, name: String) -> usize {
        self.measurements.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.measurements.push(name);
            self.measurements.len() - 1
        })
    }

    /// Returns the complete records of a measurement on an engine.
    pub fn complete(&self, measurement: usize, engine: usize) -> impl Iterator<Item = usize> {
        let is_wanted = move |record: &Record| {
            record.measurement == measurement && record.engine == engine && record.is_complete
        };
        let records = self.records.iter().enumerate();
        records.filter(move |(_, record)| is_wanted(record)).map(|(at, _)| at)
    }
}

impl Record {
    /// Returns whether this only prepared a measurement.
    pub fn is_preparation(&self) -> bool {
        self.object["phase"] == "fill"
    }

    /// Returns a figure by the names of its field, which differ between suites.
    pub fn number(&self, paths: &[&str]) -> Option<f64> {
        number(&self.object, paths)
    }

    /// Returns the throughput and its unit.
    pub fn throughput(&self) -> Option<(f64, &'static str)> {
        let documents = self.number(&["/documents_per_sec"]).map(|rate| (rate, "documents/s"));
        documents.or_else(|| Some((self.number(&["/ops_per_sec"])?, "ops/s")))
    }
}

fn text(object: &Value, field: &str) -> Option<String> {
    object[field].as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Returns the engine of a line, or `unknown engine`.
fn engine(line: &Line) -> Engine {
    let name = line.object["engine"].as_str().unwrap_or("unknown engine");
    let engine = Engine::parse(name, line.object["engine_version"].as_str());
    match &line.name {
        Some(name) => Engine { name: name.clone(), ..Engine::default() },
        None => engine,
    }
}

/// Returns the side and pair: of the line itself, otherwise of its directory.
fn pair(line: &Line) -> Option<(String, u64)> {
    let object = &line.object;
    match (object["side"].as_str(), object["pair"].as_u64()) {
        (Some(side), Some(pair)) => Some((side.to_owned(), pair)),
        _ => line.pair.clone(),
    }
}

/// Returns the engines that are on both sides of pairs, so that only the side tells the results apart.
fn engines_on_both_sides(lines: &[Line]) -> Vec<Engine> {
    let mut seen: Vec<(Engine, String)> = Vec::new();
    for line in lines {
        if let Some((side, _)) = pair(line) {
            let one = (engine(line), side);
            if !seen.contains(&one) {
                seen.push(one);
            }
        }
    }
    let is_repeated =
        |engine: &Engine| seen.iter().filter(|(other, _)| other == engine).count() > 1;
    let mut both: Vec<Engine> = seen.iter().map(|(engine, _)| engine.clone()).collect();
    both.retain(is_repeated);
    both
}

/// Returns the name of `compare` without words that all runs of db_bench share.
fn readable(name: &str) -> String {
    let name = name.replace("measured: db_bench ", "").replace(": db_bench ", " ");
    let name = name.replace(", 1 threads", ", 1 thread");
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a name for a result of a suite that this version does not know.
fn unknown_workload(object: &Value) -> Option<String> {
    let suite = text(object, "suite")?;
    let part = |field: &&str| match &object[*field] {
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let parts = ["workload", "step", "scenario", "label", "phase"];
    let mut name = suite;
    for part in parts.iter().filter_map(part) {
        name = format!("{name} {part}");
    }
    Some(name)
}
