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
use crate::shared::environment::About;
use crate::shared::meters::Meters;
use crate::shared::recorder::{self, Phase, Recorder};
use crate::shared::results;
use crate::shared::run_dir::RunDir;
use crate::shared::screen::stop_at_ctrl_c;
use crate::shared::view::{Screen, Size};
use crate::target::{self, Result, has_database};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    dir: &'a mut RunDir,
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
    let mut dir = run_directory(job, &first.config)?;
    for step in &steps {
        results::write(&dir.path().join(format!("{}.ini", step.name)), &step.ini.to_text())?;
    }
    let stop = stop_at_ctrl_c()?;
    let mut suite = Suite { job, dir: &mut dir, stop: &stop, summary: Vec::new() };
    let mut failed = None;
    for (i, step) in steps.iter().enumerate() {
        if failed.is_some() || stop.load(Ordering::Relaxed) {
            break;
        }
        let later = steps[i + 1..].iter().map(|step| seconds(&step.config)).sum();
        failed = suite.step(step, later).err();
    }
    suite.say_summary()?;
    dir.end(failed.is_none() && !stop.load(Ordering::Relaxed))?;
    match failed {
        Some(error) => Err(error),
        None => Ok(!stop.load(Ordering::Relaxed)),
    }
}

/// Returns how long a step takes, without its load.
fn seconds(config: &Config) -> f64 {
    (config.warm_up.most_seconds() + config.limits.seconds) as f64
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
        let mut lines = step.ini.notices(&job.engine);
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

fn run_directory(job: &Job, config: &Config) -> Result<RunDir> {
    let named = || {
        let prefix = config.log.clone().unwrap_or_else(|| format!("forestdb.{}", job.engine.name));
        results::with_time(&prefix)
    };
    let about = About {
        suite: "forestdb",
        command: &job.command,
        engines: vec![(job.engine.name.to_owned(), job.engine.choice().clone())],
        engine_flags: &job.engine_flags,
        place: Path::new(&config.files.prefix),
    };
    RunDir::create(job.results.clone().unwrap_or_else(named), &about)
}

impl Suite<'_> {
    fn step(&mut self, step: &Step<'_>, later: f64) -> Result<()> {
        if let Some(population) = &step.config.population {
            self.load(step, population, later + seconds(&step.config))?;
            move_loaded(&step.config)?;
        }
        if self.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.measure(step, later)
    }

    /// Opens the databases and notes the version of the engine.
    fn open(&mut self, step: &Step<'_>, stage: Stage) -> Result<Files> {
        let job = self.job;
        let files = Files::open(&step.config, &job.engine, stage, &job.engine_flags)?;
        self.dir.set_version(0, &files.engine)?;
        Ok(files)
    }

    /// Begins to record a phase of a step.
    fn record(&self, step: &Step<'_>, files: &Files, meters: &Arc<Meters>, size: Size) -> Recorder {
        let engine = self.engine(files);
        let fields = [("suite", "forestdb"), ("step", step.name), ("engine", &engine)];
        Recorder::start(Phase {
            name: step.name.to_owned(),
            fields: recorder::texts(fields),
            meters: Arc::clone(meters),
            targets: files.targets().to_vec(),
            dirs: files.dirs().to_vec(),
            timeline: Some(self.dir.timeline()),
            screen: Screen::of(self.job.quiet),
            size,
            warm_up: size.warm_up_seconds > 0.0,
            server: None,
        })
    }

    fn engine(&self, files: &Files) -> String {
        format!("{}, {}", self.job.engine.name, files.engine)
    }

    /// Returns the command line that repeats a step on the databases as they are.
    fn command(&self, step: &Step<'_>) -> String {
        let job = self.job;
        let ini = self.dir.path().join(format!("{}.ini", step.name)).display().to_string();
        let engine = job.engine.choice().argument();
        let mut words = vec!["ferrolith-bench", "forestdb", "run", &ini, "--engine", &engine];
        if !job.engine_flags.is_empty() {
            words.push("--");
            words.extend(job.engine_flags.iter().map(String::as_str));
        }
        results::joined(words)
    }

    fn load(&mut self, step: &Step<'_>, population: &Population, later: f64) -> Result<()> {
        let (config, job) = (&step.config, self.job);
        let files = self.open(step, Stage::Load)?;
        let (mode, guarantee) = job.engine.writes(config, Stage::Load, &job.engine_flags);
        let debt = files.debt();
        let meters = Arc::new(Meters::new(&["LOAD"], population.threads));
        let operations = Some(config.shape.documents);
        let size = Size { operations, later_seconds: Some(later), ..Size::default() };
        let recorder = self.record(step, &files, &meters, size);
        let loaded: Loaded = load::load((&files, config, population), mode, &meters, self.stop);
        let context = Context {
            step: step.name,
            engine: &self.engine(&files),
            config,
            guarantee,
            record: &recorder.finish()?,
            debt: (debt, files.debt()),
            command: &self.command(step),
        };
        self.dir.say(&loaded.text(&context))?;
        self.dir.line(loaded.json(&context, population.threads))?;
        self.summary.push(summary_row(step.name, "LOAD", loaded.documents, loaded.rate()));
        loaded.error.map_or(Ok(()), Err)
    }

    fn measure(&mut self, step: &Step<'_>, later: f64) -> Result<()> {
        let (config, job) = (&step.config, self.job);
        let files = self.open(step, Stage::Measure)?;
        let (mode, guarantee) = job.engine.writes(config, Stage::Measure, &job.engine_flags);
        let debt = files.debt();
        let shared = Shared::new(config, &files, mode);
        let limit = |limit: u64| Some(limit).filter(|limit| *limit > 0);
        let size = Size {
            warm_up_seconds: config.warm_up.most_seconds() as f64,
            seconds: limit(config.limits.seconds).map(|seconds| seconds as f64),
            operations: limit(config.limits.documents),
            later_seconds: Some(later),
        };
        let mut recorder = self.record(step, &files, &shared.meters, size);
        let outcome: Outcome = run::run(&shared, self.stop, &mut recorder);
        let context = Context {
            step: step.name,
            engine: &self.engine(&files),
            config,
            guarantee,
            record: &recorder.finish()?,
            debt: (debt, files.debt()),
            command: &self.command(step),
        };
        self.dir.say(&outcome.text(&context))?;
        self.dir.line(outcome.json(&context))?;
        for (role, counted) in &outcome.roles {
            let rate = counted.documents as f64 / outcome.elapsed.max(1e-9);
            self.summary.push(summary_row(step.name, role.name(), counted.documents, rate));
        }
        outcome.error.map_or(Ok(()), Err)
    }

    fn say_summary(&self) -> Result<()> {
        let heading = format!("{:<8}{:<7}{:>14}{:>16}", "step", "", "documents", "documents/s");
        let rows = self.summary.join("\n");
        self.dir.say(&format!("{heading}\n{rows}\nresults: {}", self.dir.path().display()))
    }
}

fn summary_row(step: &str, what: &str, documents: u64, rate: f64) -> String {
    format!("{step:<8}{what:<7}{documents:>14}{rate:>16.0}")
}
