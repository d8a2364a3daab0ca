//! Runs steps one after the other. Each step opens the databases anew, so that it begins with an empty block cache,
//! and closes them. Nothing between steps waits for compactions.
//!
//! ```text
//! RESULTS/environment.json    machine, engine, command line
//! RESULTS/STEP.ini            settings of each step; `forestdb run` repeats it
//! RESULTS/results.jsonl       a line for each population and each measured part
//! RESULTS/timeline.jsonl      a line for each second of each step
//! RESULTS/report.txt          what was printed
//! ```

use super::config::{Config, Population};
use super::engine::{Kind, Stage};
use super::files::{Files, directories, move_loaded};
use super::ini::Ini;
use super::load::{self, Loaded};
use super::report::Context;
use super::run::{self, Outcome, Shared};
use crate::process::Usage;
use crate::report::say;
use crate::shared::engine::has_database;
use crate::shared::results;
use crate::shared::screen::{Bar, append_line, stop_at_ctrl_c};
use crate::target::{self, Result};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The settings on the command line.
pub struct Job {
    /// The command line, for the report.
    pub command: String,
    /// The names and settings of the steps.
    pub steps: Vec<(String, Ini)>,
    /// The engine.
    pub engine: Kind,
    /// The directory of results, instead of one that the settings name.
    pub results: Option<PathBuf>,
    /// Show no progress.
    pub quiet: bool,
    /// Flags of db_bench for the engine.
    pub engine_flags: Vec<String>,
}

/// A step with its checked settings.
struct Step<'a> {
    name: &'a str,
    ini: &'a Ini,
    config: Config,
}

/// The state that all steps share.
struct Suite<'a> {
    job: &'a Job,
    results: PathBuf,
    stop: &'a AtomicBool,
    /// Rows of the summary.
    summary: Vec<String>,
}

/// Runs the steps and prints their results. False if they were interrupted; what was measured is reported all the
/// same. Settings are checked before anything is created.
pub fn run(job: &Job) -> Result<bool> {
    let mut steps = Vec::new();
    for (name, ini) in &job.steps {
        steps.push(Step { name, ini, config: Config::new(ini)? });
    }
    let first = steps.first().ok_or("no step is left to run")?;
    check_start(job, &first.config)?;
    for notice in notices(job, &steps) {
        eprintln!("{notice}");
    }
    let results = results_directory(job, &first.config)?;
    results::write_environment(&results, &job.command, job.engine.name, &job.engine_flags)?;
    for step in &steps {
        results::write(&results.join(format!("{}.ini", step.name)), &step.ini.to_text())?;
    }
    let stop = stop_at_ctrl_c()?;
    let mut suite = Suite { job, results, stop: &stop, summary: Vec::new() };
    let mut failed = None;
    for step in &steps {
        if failed.is_some() || stop.load(Ordering::Relaxed) {
            break;
        }
        failed = suite.step(step).err();
    }
    suite.say_summary()?;
    match failed {
        Some(error) => Err(error),
        None => Ok(!stop.load(Ordering::Relaxed)),
    }
}

/// The engine must exist, and so must the databases if the first step does not populate them.
fn check_start(job: &Job, config: &Config) -> Result<()> {
    let stage = if config.population.is_some() { Stage::Load } else { Stage::Measure };
    for dir in directories(config, stage) {
        if stage == Stage::Measure && !has_database(&dir) {
            return Err(format!("{}: there is no database; run the load first", dir.display()));
        }
        target::engine(&job.engine.flags(&dir, config, stage, &job.engine_flags)?)?;
    }
    Ok(())
}

/// Keys without effect, each once.
fn notices(job: &Job, steps: &[Step<'_>]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for step in steps {
        let mut lines = step.ini.notices(job.engine.name, job.engine.lsm);
        if step.config.operation.write_percent.is_some() && step.config.threads.rates != (0, 0) {
            lines.push(
                "[threads] reader_ops and writer_ops have no effect: write_ratio_percent is at most 100"
                    .to_owned(),
            );
        }
        for line in lines {
            if !all.contains(&line) {
                all.push(line);
            }
        }
    }
    all
}

fn results_directory(job: &Job, config: &Config) -> Result<PathBuf> {
    let results = job.results.clone().unwrap_or_else(|| {
        let prefix = config.log.clone().unwrap_or_else(|| format!("forestdb.{}", job.engine.name));
        results::with_time(&prefix)
    });
    results::create(&results)?;
    Ok(results)
}

impl Suite<'_> {
    fn step(&mut self, step: &Step<'_>) -> Result<()> {
        if let Some(population) = &step.config.population {
            self.load(step, population)?;
            move_loaded(&step.config)?;
        }
        if self.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.measure(step)
    }

    fn load(&mut self, step: &Step<'_>, population: &Population) -> Result<()> {
        let (config, job) = (&step.config, self.job);
        let files = Files::open(config, &job.engine, Stage::Load, &job.engine_flags)?;
        let (mode, guarantee) = job.engine.writes(config, Stage::Load);
        let (debt, usage) = (files.debt(), Usage::now());
        let done = AtomicU64::new(0);
        let bar = Bar { name: step.name, total: Some(config.shape.documents), quiet: job.quiet };
        let loaded: Loaded = bar.during(
            || done.load(Ordering::Relaxed),
            || load::load((&files, config, population), mode, &done, self.stop),
        );
        let usage = Usage::now().since(&usage);
        let context = Context {
            step: step.name,
            engine: &format!("{}, {}", job.engine.name, files.engine),
            config,
            guarantee,
            debt: (debt, files.debt()),
        };
        self.say(&loaded.text(&context))?;
        self.line("results.jsonl", &loaded.json(&context, &usage))?;
        self.summary.push(summary_row(step.name, "LOAD", loaded.documents, loaded.rate()));
        loaded.error.map_or(Ok(()), Err)
    }

    fn measure(&mut self, step: &Step<'_>) -> Result<()> {
        let (config, job) = (&step.config, self.job);
        let files = Files::open(config, &job.engine, Stage::Measure, &job.engine_flags)?;
        let (mode, guarantee) = job.engine.writes(config, Stage::Measure);
        let debt = files.debt();
        let shared = Shared::new(config, &files, mode);
        let total = Some(config.limits.documents).filter(|documents| *documents > 0);
        let bar = Bar { name: step.name, total, quiet: job.quiet };
        let mut written = Ok(());
        let outcome: Outcome = bar.during(
            || shared.done(),
            || {
                run::run(&shared, self.stop, |mut line| {
                    line["step"] = Value::from(step.name);
                    let result = self.line("timeline.jsonl", &line);
                    if written.is_ok() {
                        written = result;
                    }
                })
            },
        );
        written?;
        let context = Context {
            step: step.name,
            engine: &format!("{}, {}", job.engine.name, files.engine),
            config,
            guarantee,
            debt: (debt, files.debt()),
        };
        self.say(&outcome.text(&context))?;
        self.line("results.jsonl", &outcome.json(&context))?;
        for (role, counted) in &outcome.roles {
            let rate = counted.documents as f64 / outcome.elapsed.max(1e-9);
            self.summary.push(summary_row(step.name, role.name(), counted.documents, rate));
        }
        outcome.error.map_or(Ok(()), Err)
    }

    fn say(&self, text: &str) -> Result<()> {
        say(text);
        append_line(&self.results.join("report.txt"), text)
    }

    fn line(&self, file: &str, line: &Value) -> Result<()> {
        append_line(&self.results.join(file), &line.to_string())
    }

    fn say_summary(&self) -> Result<()> {
        let heading = format!("{:<8}{:<7}{:>14}{:>16}", "step", "", "documents", "documents/s");
        let rows = self.summary.join("\n");
        self.say(&format!("{heading}\n{rows}\nresults: {}", self.results.display()))
    }
}

fn summary_row(step: &str, what: &str, documents: u64, rate: f64) -> String {
    format!("{step:<8}{what:<7}{documents:>14}{rate:>16.0}")
}
