//! The directory of results of a run: the environment, lines of results, the time line and the report.

use super::environment::{About, Environment};
use super::origin::Origin;
use super::results;
use super::screen::append_line;
use crate::report::say;
use crate::target::Result;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A directory that was created for a run.
pub struct RunDir {
    dir: PathBuf,
    environment: Environment,
}

impl RunDir {
    /// Creates the directory, which must not exist, and writes the environment into it.
    pub fn create(dir: PathBuf, about: &About<'_>) -> Result<RunDir> {
        results::create(&dir)?;
        let environment = Environment::begin(&dir, about)?;
        Ok(RunDir { dir, environment })
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

    /// Notes at the end whether everything ran.
    pub fn end(&mut self, complete: bool) -> Result<()> {
        self.environment.end(complete)
    }
}

/// Adds side and pair to a line of results.
pub fn placed(mut line: Value) -> Value {
    if let Value::Object(line) = &mut line {
        line.extend(Origin::get().fields());
    }
    line
}
