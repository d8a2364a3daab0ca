//! Everything the page shows, and the part of it that its script gets as JSON.

use super::amplification;
use super::curves::{Curve, curves};
use super::ratios::{Chart, charts};
use super::results::{Record, Results};
use super::sources::{Root, Run, Sources};
use super::sweeps::{Sweep, sweeps};
use super::timeline::{Series, series};
use crate::compare::Rule;
use serde_json::{Value, json};

/// The contents of a report.
#[derive(Debug)]
pub struct Data {
    /// The files, and what could not be read.
    pub sources: Sources,
    /// The results.
    pub results: Results,
    /// The labels of the engines.
    pub labels: Vec<String>,
    /// The number of each engine's colour.
    pub colours: Vec<usize>,
    /// The engine that the others are compared with.
    pub baseline: Option<usize>,
    /// What counts as a real difference.
    pub rule: Rule,
    /// Comparisons, figure by figure.
    pub charts: Vec<Chart>,
    /// Latencies.
    pub curves: Vec<Curve>,
    /// Time lines.
    pub series: Vec<Series>,
    /// Sweeps.
    pub sweeps: Vec<Sweep>,
}

impl Data {
    /// Reads directories and computes everything.
    ///
    /// # Errors
    /// A directory that does not exist, no result at all, and an unknown baseline.
    pub fn read(roots: &[Root], baseline: Option<&str>, rule: Rule) -> Result<Data, String> {
        let mut sources = Sources::read(roots)?;
        let mut results = Results::new(&mut sources);
        if results.records.is_empty() {
            return Err(nothing(roots, &sources));
        }
        let mut series = series(&mut sources, &mut results);
        amplification::estimate(&mut series, &results);
        let baseline = results.engines.baseline(baseline)?;
        Ok(Data {
            labels: results.engines.labels(),
            colours: results.engines.colours(),
            charts: charts(&results, baseline, rule),
            curves: curves(&results),
            sweeps: sweeps(&results),
            baseline,
            rule,
            series,
            sources,
            results,
        })
    }

    /// Returns the file and line of a record.
    pub fn place(&self, record: usize) -> String {
        let place = self.results.records[record].place;
        format!("{}:{}", self.sources.files[place.file], place.line)
    }

    /// Returns the number of results whose run did not complete.
    pub fn incomplete(&self) -> usize {
        self.results.records.iter().filter(|record| !record.is_complete).count()
    }

    /// Returns the runs whose environment says that they were ended early, or killed.
    pub fn cut_short(&self) -> impl Iterator<Item = &Run> {
        self.sources.runs.iter().filter(|run| run.environment["complete"] == false)
    }

    /// Returns whether some run was made with a debug build, whose figures mean nothing.
    pub fn has_debug_builds(&self) -> bool {
        self.sources.runs.iter().any(|run| run.environment["debug_build"] == true)
    }

    /// Returns the distinct commands, in the order of their first result.
    pub fn commands(&self) -> Vec<&str> {
        let mut commands: Vec<&str> = Vec::new();
        for command in self.results.records.iter().filter_map(|record| record.command.as_deref()) {
            if !commands.contains(&command) {
                commands.push(command);
            }
        }
        commands
    }

    /// Returns the object for the script.
    pub fn json(&self) -> Value {
        let commands = self.commands();
        let engine = |(label, colour): (&String, &usize)| json!({"label": label, "colour": colour});
        let record = |record: &Record| {
            let is_its = |command: &&str| Some(*command) == record.command.as_deref();
            json!({
                "file": record.place.file,
                "line": record.place.line,
                "engine": record.engine,
                "measurement": record.measurement,
                "complete": record.is_complete,
                "error": record.error,
                "pair": record.pair.as_ref().map(|(_, pair)| pair),
                "command": commands.iter().position(is_its),
                "time": record.object["time"],
            })
        };
        let curve = |curve: &Curve| {
            json!({
                "record": curve.record,
                "operation": curve.operation,
                "from_schedule": curve.from_schedule,
                "points": curve.points,
            })
        };
        json!({
            "engines": self.labels.iter().zip(&self.colours).map(engine).collect::<Vec<_>>(),
            "files": self.sources.files,
            "measurements": self.results.measurements,
            "commands": commands,
            "records": self.results.records.iter().map(record).collect::<Vec<_>>(),
            "series": self.series.iter().map(Series::json).collect::<Vec<_>>(),
            "curves": self.curves.iter().map(curve).collect::<Vec<_>>(),
        })
    }
}

/// Returns the error for directories without results.
fn nothing(roots: &[Root], sources: &Sources) -> String {
    let paths: Vec<String> = roots.iter().map(|root| root.path.display().to_string()).collect();
    let mut text = format!(
        "{}: expected files of results (*.jsonl) of a suite with at least one result, found none",
        paths.join(", ")
    );
    if let Some(first) = sources.problems.first() {
        let count = sources.problems.len();
        text += &format!(
            "; {count} lines or files could not be read, the first is {}: {}",
            first.place, first.text
        );
    }
    text
}
