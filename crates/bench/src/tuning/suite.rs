//! Runs scenarios and sweeps one after the other.
//!
//! ```text
//! RESULTS/environment.json    machine, engine, command line
//! RESULTS/results.jsonl       a line for each fill and each measured run, as of db_bench's --json
//! RESULTS/report.txt          the table and the charts
//! ```

use super::report;
use super::scenarios::Run;
use crate::report::say;
use crate::shared::engine::Choice;
use crate::shared::results;
use crate::shared::screen::append_line;
use crate::target::{self, Result};
use crate::workloads;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What the command line says.
pub struct Job {
    /// The command line, for the report.
    pub command: String,
    /// The engine's name without its path.
    pub name: &'static str,
    /// The engine.
    pub engine: Choice,
    /// Scenarios.
    pub runs: Vec<Run>,
    /// Sweeps.
    pub sweeps: Vec<Vec<Run>>,
    /// The directory of the database. Each run begins with an empty one.
    pub dir: PathBuf,
    /// The directory of results, instead of one with the time in its name.
    pub results: Option<PathBuf>,
    /// The seed.
    pub seed: u64,
    /// Show no progress.
    pub quiet: bool,
    /// Flags of db_bench for the engine.
    pub engine_flags: Vec<String>,
}

/// Runs everything. All flags are checked before anything is created.
pub fn run(job: &Job) -> Result<()> {
    let all = || job.runs.iter().chain(job.sweeps.iter().flatten());
    if let Some(run) = all().find(|run| job.name == "lmdb" && run.merges()) {
        return Err(format!(
            "{}: LMDB has no merges; choose other scenarios with --scenarios",
            run.benchmark
        ));
    }
    for run in all() {
        for flags in run.fill.iter().chain([&run.flags]) {
            target::engine(&job.engine.flags(&job.dir, &with_engine(job, flags))?)?;
        }
    }
    if all().next().is_none() {
        return Err("no scenario is left to run".to_owned());
    }
    let named = || results::with_time(&format!("tuning.{}", job.name));
    let results = job.results.clone().unwrap_or_else(named);
    results::create(&results)?;
    results::write_environment(&results, &job.command, job.name, &job.engine_flags)?;
    let mut rows = vec![report::heading()];
    for run in &job.runs {
        rows.push(report::row(&one(job, run, &results)?));
    }
    for sweep in &job.sweeps {
        let mut lines = Vec::new();
        for run in sweep {
            let line = one(job, run, &results)?;
            rows.push(report::row(&line));
            lines.push(line);
        }
        rows.push(report::chart(&lines).trim_end().to_owned());
    }
    rows.push(format!("results: {}", results.display()));
    let text = rows.join("\n");
    say(&text);
    append_line(&results.join("report.txt"), &text)
}

fn with_engine(job: &Job, flags: &[String]) -> Vec<String> {
    let mut all = flags.to_vec();
    all.push(format!("--seed={}", job.seed));
    all.push(format!("--progress_reports={}", !job.quiet));
    all.extend(job.engine_flags.iter().cloned());
    all
}

/// Fills the database if the run needs it, and measures. Returns the line of the measured part.
fn one(job: &Job, run: &Run, results: &Path) -> Result<Value> {
    if let Some(fill) = &run.fill {
        bench(job, run, ("fill", fill), results)?;
    }
    bench(job, run, ("measured", &run.flags), results)
}

fn bench(job: &Job, run: &Run, (phase, flags): (&str, &[String]), results: &Path) -> Result<Value> {
    let json = results.join("db_bench.json");
    let mut all = with_engine(job, flags);
    all.push(format!("--json={}", json.display()));
    let parsed = job.engine.flags(&job.dir, &all)?;
    workloads::run(&parsed, job.seed)?;
    let text = std::fs::read_to_string(&json).map_err(|e| format!("{}: {e}", json.display()))?;
    let mut last = Value::Null;
    for line in text.lines() {
        let mut object: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
        object["suite"] = "tuning".into();
        object["phase"] = phase.into();
        object["scenario"] = Some(run.scenario).filter(|number| *number > 0).into();
        object["label"] = run.label.as_str().into();
        object["published_ops_per_sec"] = run.published.filter(|_| phase == "measured").into();
        append_line(&results.join("results.jsonl"), &object.to_string())?;
        last = object;
    }
    std::fs::remove_file(&json).map_err(|e| format!("{}: {e}", json.display()))?;
    match last {
        Value::Null => Err(format!("{}: db_bench measured nothing", run.benchmark)),
        last => Ok(last),
    }
}
