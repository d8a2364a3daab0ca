//! The directory of results of a run: the environment, lines of results, the time line and the report.
//!
//! If a run ends before it has measured anything, its directory goes away again, so that the same command can run again
//! and no report finds a directory without results.

use super::environment::{About, Environment};
use super::origin::Origin;
use super::results;
use super::screen::append_line;
use crate::report::say;
use crate::target::Result;
use serde_json::Value;
use std::fs::DirEntry;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Files of a run that say nothing about a measurement; settings (`*.ini`) neither.
const ABOUT: [&str; 2] = ["environment.json", "report.txt"];
/// A directory of a run that says nothing about a measurement: YCSB's property files.
pub const WORKLOADS: &str = "workloads";

/// A directory that was created for a run.
pub struct RunDir {
    dir: PathBuf,
    environment: Environment,
    /// Whether the end is noted.
    ended: bool,
}

impl RunDir {
    /// Creates the directory, which must not exist, and writes the environment into it.
    pub fn create(dir: PathBuf, about: &About<'_>) -> Result<RunDir> {
        results::create(&dir)?;
        let begun = Environment::begin(&dir, about);
        let environment = begun.inspect_err(|_| remove_if_empty(&dir))?;
        // From here on, an early end removes the directory.
        Ok(RunDir { dir, environment, ended: false })
    }

    /// Returns the directory.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// Returns the file of the time line.
    pub fn timeline(&self) -> PathBuf {
        self.dir.join("timeline.jsonl")
    }

    /// Notes the version of an engine, once it is open.
    pub fn set_version(&mut self, engine: usize, version: &str) -> Result<()> {
        self.environment.set_version(engine, version)
    }

    /// Prints a text and adds it to the report.
    pub fn say(&self, text: &str) -> Result<()> {
        say(text);
        append_line(&self.dir.join("report.txt"), text)
    }

    /// Appends a line of results.
    pub fn line(&self, line: Value) -> Result<()> {
        append_line(&self.dir.join("results.jsonl"), &placed(line).to_string())
    }

    /// Notes at the end whether everything ran. If it did not and nothing was measured, removes the directory.
    pub fn end(&mut self, complete: bool) -> Result<()> {
        self.ended = true;
        if !complete {
            remove_if_empty(&self.dir);
        }
        match complete || self.dir.exists() {
            true => self.environment.end(complete),
            false => Ok(()),
        }
    }
}

impl Drop for RunDir {
    fn drop(&mut self) {
        // After an error; that error is the one to report.
        if !self.ended {
            remove_if_empty(&self.dir);
        }
    }
}

/// Removes the directory of a run that ended early, if nothing in it was measured.
fn remove_if_empty(dir: &Path) {
    // A file that cannot be read may have a result.
    if has_measurement(dir).unwrap_or(true) {
        return;
    }
    match std::fs::remove_dir_all(dir) {
        Ok(()) => eprintln!("{}: removed, because nothing was measured", dir.display()),
        Err(e) => eprintln!("{}: nothing was measured; it cannot be removed: {e}", dir.display()),
    }
}

/// Returns whether a directory has a result or a second in which something was done. Other files count, too.
fn has_measurement(dir: &Path) -> std::io::Result<bool> {
    for entry in std::fs::read_dir(dir)? {
        let entry: DirEntry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        let found = match entry.file_type()?.is_dir() {
            true if name == WORKLOADS => false,
            true => has_measurement(&path)?,
            false if ABOUT.iter().any(|about| name == *about) || has_end(&path, "ini") => false,
            false if has_end(&path, "jsonl") || has_end(&path, "json") => has_line(&path)?,
            false => entry.metadata()?.len() > 0,
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

fn has_end(path: &Path, end: &str) -> bool {
    path.extension().is_some_and(|extension| extension == end)
}

/// Returns whether a file has a line of results with a rate, or a second with operations. A line that is cut off may be
/// one.
fn has_line(path: &Path) -> std::io::Result<bool> {
    for line in BufReader::new(std::fs::File::open(path)?).lines() {
        let Ok(line) = serde_json::from_str::<Value>(&line?) else { return Ok(true) };
        let rate = |field: &str| line[field].as_f64() > Some(0.0);
        let kinds = line["ops"].as_object().into_iter().flatten();
        let mut done = kinds.map(|(_, number)| number.as_u64().unwrap_or(1));
        if rate("ops_per_sec") || rate("documents_per_sec") || done.any(|number| number > 0) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Adds side and pair to a line of results.
pub fn placed(mut line: Value) -> Value {
    if let Value::Object(line) = &mut line {
        line.extend(Origin::get().fields());
    }
    line
}

#[cfg(test)]
#[path = "run_dir_test.rs"]
mod tests;
