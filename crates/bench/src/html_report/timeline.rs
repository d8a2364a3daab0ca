//! Time lines: what was measured in each second of a phase, as columns for the charts.
//!
//! A series is one phase of one run. Its lines follow each other in one file; a time that does not rise begins a new
//! series. Lines of older ForestDB runs have sums since the beginning of a step instead of the figures of one second.

use super::engines::Engine;
use super::results::{Record, Results};
use super::sources::{Line, Problem, Sources};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Fields that a line of a time line and the result of its phase have in common.
const SHARED: [&str; 9] =
    ["suite", "workload", "step", "scenario", "benchmark", "label", "phase", "threads", "engine"];

/// Figures of one second: the column's name, and the field.
const COLUMNS: [(&str, &str); 9] = [
    ("resident", "/resident_bytes"),
    ("pending", "/pending_compaction_bytes"),
    ("l0", "/l0_files"),
    ("immutable", "/immutable_memtables"),
    ("write_amp", "/amplification/write"),
    ("read_amp", "/amplification/read"),
    ("space_amp", "/amplification/space"),
    ("device", "/device_bytes_written"),
    ("read", "/bytes_read"),
];

/// The seconds of one phase.
#[derive(Debug)]
pub struct Series {
    /// The number of the measurement.
    pub measurement: usize,
    /// The number of the engine.
    pub engine: usize,
    /// The result of the phase, if there is one.
    pub record: Option<usize>,
    /// The number of the pair.
    pub pair: Option<u64>,
    /// The number of the file.
    pub file: usize,
    /// The line of each second.
    pub lines: Vec<usize>,
    /// Seconds since the phase began.
    pub times: Vec<f64>,
    /// Whether the second was part of the warm-up.
    pub warm_up: Vec<bool>,
    /// 1 if writes were delayed, 2 if they were stopped, 0 if neither, null if unknown.
    stalls: Vec<Value>,
    /// Operations per second, by kind.
    pub operations: BTreeMap<String, Vec<Option<f64>>>,
    /// P99 in microseconds of each second, by kind.
    latencies: BTreeMap<String, Vec<Option<f64>>>,
    /// Other figures, in the order of [`COLUMNS`].
    columns: [Vec<Option<f64>>; COLUMNS.len()],
    /// Bytes and files of each level.
    levels: [BTreeMap<usize, Vec<Option<f64>>>; 2],
    /// The fields of [`SHARED`].
    shared: Map<String, Value>,
    /// Seconds before the present part began.
    offset: f64,
    /// Sums of an older line.
    sums: Option<BTreeMap<String, f64>>,
}

/// Returns all series, in the order of files and lines.
pub fn series(sources: &mut Sources, results: &mut Results) -> Vec<Series> {
    let mut problems = Vec::new();
    let mut all: Vec<Series> = Vec::new();
    let mut used = Vec::new();
    for line in &sources.seconds {
        let shared = shared(&line.object);
        let Some(time) = number(&line.object, "/t").or(number(&line.object, "/seconds")) else {
            let place = format!("{}:{}", sources.files[line.place.file], line.place.line);
            let text = "expected `t` with the seconds since the phase began; the line is skipped";
            problems.push(Problem { place, text: text.to_owned() });
            continue;
        };
        let continues = all.last_mut().filter(|last| last.continues(line, &shared, time));
        match continues {
            Some(last) => last.push(line, time),
            None => {
                let mut new = Series::new(line, shared, results, &mut used);
                new.push(line, time);
                all.push(new);
            }
        }
    }
    sources.problems.extend(problems);
    all
}

fn number(object: &Value, path: &str) -> Option<f64> {
    object.pointer(path)?.as_f64().filter(|number| number.is_finite())
}

fn shared(object: &Value) -> Map<String, Value> {
    let field = |field: &&str| Some(((*field).to_owned(), object.get(*field)?.clone()));
    SHARED.iter().filter_map(field).collect()
}

impl Series {
    fn new(
        line: &Line,
        shared: Map<String, Value>,
        results: &mut Results,
        used: &mut Vec<usize>,
    ) -> Series {
        let record = record(line, &shared, results, used);
        used.extend(record);
        let (measurement, engine) = match record {
            Some(at) => (results.records[at].measurement, results.records[at].engine),
            None => {
                let words = ["suite", "workload", "step", "scenario", "label", "phase"];
                let words = words.iter().filter_map(|field| line.object[*field].as_str());
                let name = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
                let engine = line.object["engine"].as_str().unwrap_or("unknown engine");
                let engine = results.engines.number(Engine::parse(engine, None));
                (results.measurement(format!("{name} (no result)")), engine)
            }
        };
        let pair = line.object["pair"].as_u64().or(line.pair.as_ref().map(|(_, pair)| *pair));
        Series {
            measurement,
            engine,
            record,
            pair,
            file: line.place.file,
            lines: Vec::new(),
            times: Vec::new(),
            warm_up: Vec::new(),
            stalls: Vec::new(),
            operations: BTreeMap::new(),
            latencies: BTreeMap::new(),
            columns: Default::default(),
            levels: Default::default(),
            shared,
            offset: 0.0,
            sums: None,
        }
    }

    /// Returns whether a line belongs to this series. The measured part may count from zero again.
    fn continues(&self, line: &Line, shared: &Map<String, Value>, time: f64) -> bool {
        let after_warm_up =
            line.object["state"] == "measured" && self.warm_up.last() == Some(&true);
        let last = self.times.last().copied().unwrap_or(0.0);
        let pair = line.object["pair"].as_u64().or(line.pair.as_ref().map(|(_, pair)| *pair));
        let begins_again = line.object["state"] == "warm-up" && self.warm_up.last() == Some(&false);
        self.file == line.place.file
            && self.shared == *shared
            && self.pair == pair
            && !begins_again
            && !self.has_other_kinds(&line.object["ops"])
            && (time + self.offset >= last || after_warm_up)
    }

    /// Returns whether none of these kinds of operations occurred before: kinds only become more within a phase.
    fn has_other_kinds(&self, operations: &Value) -> bool {
        let kinds = operations.as_object().filter(|kinds| !kinds.is_empty());
        let is_new = |kind: &String| !self.operations.contains_key(kind);
        !self.operations.is_empty() && kinds.is_some_and(|kinds| kinds.keys().all(is_new))
    }

    fn push(&mut self, line: &Line, time: f64) {
        let object = &line.object;
        let before = self.times.last().copied().unwrap_or(0.0);
        let begins = object["state"] == "measured" && self.warm_up.last() == Some(&true);
        if begins && time + self.offset < before + 0.5 {
            // The measured part counts from zero again.
            self.offset = before;
        }
        let time = ((time + self.offset) * 1000.0).round() / 1000.0;
        let is_older = object["ops"].is_null() && number(object, "/read").is_some();
        let operations = if is_older {
            self.since(object, time - before)
        } else {
            rates(&object["ops"], number(object, "/window_s").unwrap_or(1.0))
        };
        let at = self.lines.len();
        self.lines.push(line.place.line);
        self.times.push(time);
        self.warm_up.push(object["state"] == "warm-up");
        self.stalls.push(stall(object));
        extend(&mut self.operations, operations, at);
        extend(&mut self.latencies, numbers(&object["p99_us"]), at);
        for (column, (_, path)) in self.columns.iter_mut().zip(COLUMNS) {
            column.push(number(object, path));
        }
        for (field, levels) in ["bytes", "files"].iter().zip(&mut self.levels) {
            let of = object["levels"].as_array().into_iter().flatten().enumerate();
            let of = of.filter_map(|(level, of)| Some((level, of[*field].as_f64()?)));
            extend(levels, of.collect(), at);
        }
    }

    /// Returns the rate of each kind of operation since the line before.
    fn since(&mut self, object: &Value, seconds: f64) -> BTreeMap<String, f64> {
        let kinds = [("READ", "/read"), ("RANGE", "/ranged"), ("WRITE", "/written")];
        let sum = |(kind, path): &(&str, &str)| Some(((*kind).to_owned(), number(object, path)?));
        let sums: BTreeMap<String, f64> = kinds.iter().filter_map(sum).collect();
        let before = self.sums.replace(sums.clone()).unwrap_or_default();
        let rate = |(kind, sum): (String, f64)| {
            let before = before.get(&kind).copied().unwrap_or(0.0);
            (kind, (sum - before).max(0.0) / seconds)
        };
        // A rate of a part of a second would be noise.
        sums.into_iter().filter(|_| seconds > 0.5).map(rate).collect()
    }

    /// Returns a column by its name.
    pub fn column(&self, name: &str) -> &[Option<f64>] {
        let at = COLUMNS.iter().position(|(known, _)| *known == name);
        at.map_or(&[], |at| &self.columns[at])
    }

    /// Returns the bytes of all levels in each second, if they are known.
    pub fn tree_bytes(&self) -> Vec<Option<f64>> {
        let levels = &self.levels[0];
        let sum = |at: usize| {
            let known: Vec<f64> = levels.values().filter_map(|level| level[at]).collect();
            (!known.is_empty()).then(|| known.iter().sum())
        };
        (0..self.times.len()).map(sum).collect()
    }

    /// Sets a column that the lines do not have.
    pub fn fill(&mut self, name: &str, values: Vec<Option<f64>>) {
        if let Some(at) = COLUMNS.iter().position(|(known, _)| *known == name)
            && self.columns[at].iter().all(Option::is_none)
        {
            self.columns[at] = values;
        }
    }

    /// Returns the operations of all kinds per second, if they are known.
    pub fn totals(&self) -> Vec<Option<f64>> {
        let total = |at: usize| {
            let known: Vec<f64> = self.operations.values().filter_map(|kind| kind[at]).collect();
            (!known.is_empty()).then(|| known.iter().sum())
        };
        (0..self.times.len()).map(total).collect()
    }

    /// Returns the object for the charts. Kinds of operations that never occur are left out.
    pub fn json(&self) -> Value {
        let some = |(_, values): &(&String, &Vec<Option<f64>>)| {
            values.iter().flatten().any(|value| *value > 0.0)
        };
        let kinds = |of: &BTreeMap<String, Vec<Option<f64>>>| -> Map<String, Value> {
            of.iter().filter(some).map(|(kind, values)| (kind.clone(), json!(values))).collect()
        };
        let mut object = json!({
            "measurement": self.measurement,
            "engine": self.engine,
            "record": self.record,
            "pair": self.pair,
            "file": self.file,
            "lines": self.lines,
            "t": self.times,
            "warm_up": self.warm_up.iter().map(|warm_up| u8::from(*warm_up)).collect::<Vec<_>>(),
            "ops": kinds(&self.operations),
            "p99": kinds(&self.latencies),
        });
        for ((name, _), column) in COLUMNS.iter().zip(&self.columns) {
            if column.iter().any(Option::is_some) {
                object[*name] = json!(column);
            }
        }
        if self.stalls.iter().any(|stall| !stall.is_null()) {
            object["stalls"] = json!(self.stalls);
        }
        for (name, levels) in ["level_bytes", "level_files"].iter().zip(&self.levels) {
            if !levels.is_empty() {
                object[*name] = json!(levels.values().collect::<Vec<_>>());
            }
        }
        object
    }
}

/// Appends a value to each column; new columns begin with as many unknown values as there are seconds before.
fn extend<K: Ord>(
    columns: &mut BTreeMap<K, Vec<Option<f64>>>,
    values: BTreeMap<K, f64>,
    at: usize,
) {
    for (key, value) in values {
        let column = columns.entry(key).or_default();
        column.resize(at, None);
        column.push(Some(value));
    }
    columns.values_mut().for_each(|column| column.resize(at + 1, None));
}

/// Returns operations per second from the operations of a window, which is not exactly a second.
fn rates(operations: &Value, window: f64) -> BTreeMap<String, f64> {
    let mut rates = numbers(operations);
    rates.values_mut().for_each(|count| *count /= window.max(1e-3));
    rates
}

fn numbers(object: &Value) -> BTreeMap<String, f64> {
    let fields = object.as_object().into_iter().flatten();
    fields.filter_map(|(key, value)| Some((key.clone(), value.as_f64()?))).collect()
}

fn stall(object: &Value) -> Value {
    let (stopped, delayed) = (&object["stopped"], &object["delayed"]);
    match (stopped.as_bool(), delayed.as_bool()) {
        (Some(true), _) => json!(2),
        (_, Some(true)) => json!(1),
        (None, None) => Value::Null,
        _ => json!(0),
    }
}

/// Returns the result that a line belongs to: in the same run, with the same shared fields, and not of an earlier
/// series. A step with a load and a run has the seconds of the load first.
fn record(
    line: &Line,
    shared: &Map<String, Value>,
    results: &Results,
    used: &[usize],
) -> Option<usize> {
    let matches = |record: &Record| {
        let same = |(field, value): (&String, &Value)| {
            let of = &record.object[field];
            of.is_null() || of == value
        };
        record.run == line.run
            && shared.iter().all(same)
            && (line.object["pair"].is_null() || line.object["pair"] == record.object["pair"])
            && (line.object["side"].is_null() || line.object["side"] == record.object["side"])
    };
    let all = results.records.iter().enumerate();
    let free = all.filter(|(at, record)| !used.contains(at) && matches(record));
    let free: Vec<(usize, &Record)> = free.collect();
    // Older time lines have the seconds of runs only.
    let has_phase = shared.contains_key("phase") || line.object["ops"].is_object();
    let is_run = |(_, record): &&(usize, &Record)| {
        has_phase || record.object["phase"] == "run" || record.object["phase"] == "measured"
    };
    free.iter().find(is_run).or(free.first()).map(|(at, _)| *at)
}
