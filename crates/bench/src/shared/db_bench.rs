//! Runs db_bench in this process as a part of a suite: its lines of results get the fields that all suites share.

use super::engine::Choice;
use super::results::joined;
use super::run_dir::RunDir;
use crate::report::timestamp;
use crate::target::{self, Result};
use crate::workloads::{Recording, run_recorded};
use serde_json::{Map, Value, json};
use std::path::Path;

/// One run of db_bench.
pub struct Bench<'a> {
    /// The engine's name in reports, and the engine.
    pub engine: (&'a str, &'a Choice),
    /// The directory of the database.
    pub db: &'a Path,
    /// Flags of db_bench.
    pub flags: &'a [String],
    /// The seed.
    pub seed: u64,
    /// Fields of the suite, such as its name, for the lines of results.
    pub fields: Map<String, Value>,
    /// Flags of a run that must fill the database before, for the command line of the record.
    pub fill: Option<&'a [String]>,
}

/// Checks the flags of several runs before anything is created. Prints each notice once.
pub fn check(choice: &Choice, db: &Path, runs: impl Iterator<Item = Vec<String>>) -> Result<()> {
    let mut printed: Vec<String> = Vec::new();
    for flags in runs {
        let (flags, mut notices) = choice.flags_and_notices(db, &flags)?;
        notices.extend(target::engine(&flags)?.notices());
        for notice in notices {
            if !printed.contains(&notice) {
                eprintln!("{notice}");
                printed.push(notice);
            }
        }
    }
    Ok(())
}

impl Bench<'_> {
    /// Runs the benchmarks and appends their lines to the results. Returns the last line.
    ///
    /// # Errors
    /// What db_bench reports; a line of results has it, too.
    pub fn run(&self, dir: &mut RunDir, recording: &Recording) -> Result<Value> {
        let json = dir.path().join("db_bench.json");
        let mut flags = self.flags.to_vec();
        flags.push(format!("--json={}", json.display()));
        let (flags, _) = self.engine.1.flags_and_notices(self.db, &flags)?;
        let result = run_recorded(&flags, self.seed, recording);
        let text = std::fs::read_to_string(&json).unwrap_or_default();
        let mut last = Value::Null;
        for line in text.lines() {
            let line =
                serde_json::from_str(line).map_err(|e| format!("{}: {e}", json.display()))?;
            last = self.complete(line);
            dir.set_version(0, last["engine_version"].as_str().unwrap_or_default())?;
            dir.line(last.clone())?;
        }
        if let Err(error) = result {
            dir.line(self.failed(&error))?;
            return Err(error);
        }
        std::fs::remove_file(&json).map_err(|e| format!("{}: {e}", json.display()))?;
        match last {
            Value::Null => Err(format!("{}: db_bench measured nothing", flags.text("benchmarks"))),
            last => Ok(last),
        }
    }

    /// Adds the fields that all suites share.
    fn complete(&self, mut line: Value) -> Value {
        let memory = [&line["private_rss_bytes"], &line["mapped_rss_bytes"]];
        let resident = memory.iter().map(|bytes| bytes.as_u64().unwrap_or(0)).sum::<u64>();
        let cost = json!({
            "cpu_user_s": line["cpu_user_seconds"],
            "cpu_system_s": line["cpu_system_seconds"],
            "resident_bytes": resident,
            "peak_resident_bytes": line["peak_rss_bytes"],
            "bytes_written": line["bytes_written"],
            "bytes_read": line["bytes_read"],
            "device_bytes_written": line["device_bytes_written"],
            "device_bytes_read": line["device_bytes_read"],
            "fsyncs": line["fsyncs"],
            "stall_seconds": line["stall_seconds"],
            "stalls_by_cause": line["stalls_by_cause"],
        });
        let amplification = json!({
            "write": line["write_amplification"],
            "read": line["read_amplification"],
            "space": line["space_amplification"],
        });
        let engine =
            format!("{}, {}", self.engine.0, line["engine_version"].as_str().unwrap_or("?"));
        if let Value::Object(line) = &mut line {
            line.extend(self.fields.clone());
            line.insert("engine".to_owned(), engine.into());
            line.insert("command".to_owned(), self.command().into());
            line.insert("error".to_owned(), Value::Null);
            line.insert("cost".to_owned(), cost);
            line.insert("amplification".to_owned(), amplification);
        }
        line
    }

    /// Returns the line of a run that failed.
    fn failed(&self, error: &str) -> Value {
        let mut line = self.fields.clone();
        let own = [
            ("time", timestamp().into()),
            ("engine", self.engine.0.into()),
            ("command", self.command().into()),
            ("complete", false.into()),
            ("error", error.into()),
        ];
        line.extend(own.map(|(name, value): (&str, Value)| (name.to_owned(), value)));
        Value::Object(line)
    }

    /// Returns the shell command that repeats this run alone.
    fn command(&self) -> String {
        let one = |flags: &[String]| {
            let words = self.engine.1.arguments(self.db, flags);
            joined(["db_bench"].into_iter().chain(words.iter().map(String::as_str)))
        };
        let fill = self.fill.map(|flags| one(flags) + " && ");
        fill.unwrap_or_default() + &one(self.flags)
    }
}
