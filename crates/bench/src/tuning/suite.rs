//! Runs scenarios and sweeps one after the other.
//!
//! ```text
//! RESULTS/environment.json    machine, engine, command line
//! RESULTS/results.jsonl       a line for each fill and each measured run, as of db_bench's --json
//! RESULTS/timeline.jsonl      a line for each second of each run
//! RESULTS/report.txt          the table and the charts
//! ```

use super::report;
use super::scenarios::Run;
use crate::shared::db_bench::{self, Bench};
use crate::shared::engine::Choice;
use crate::shared::environment::About;
use crate::shared::results;
use crate::shared::run_dir::RunDir;
use crate::shared::screen::stop_at_ctrl_c;
use crate::shared::warm_up::WarmUp;
use crate::target::{Result, peer};
use crate::workloads::Recording;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

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
    /// The warm-up of runs on a filled database.
    pub warm_up: WarmUp,
    /// Flags of db_bench for the engine.
    pub engine_flags: Vec<String>,
}

/// Runs everything. All flags are checked before anything is created. False if Ctrl-C ended it early; what was
/// measured is reported all the same.
pub fn run(job: &Job) -> Result<bool> {
    let all = || job.runs.iter().chain(job.sweeps.iter().flatten());
    if let (Some(peer), Some(run)) = (peer(job.name), all().find(|run| run.merges())) {
        return Err(format!(
            "{}: {} has no merges; choose other scenarios with --scenarios",
            run.benchmark, peer.name
        ));
    }
    let fills = all().filter_map(|run| run.fill.as_ref()).map(|fill| with_engine(job, fill));
    let others = all().map(|run| measured(job, run));
    db_bench::check(&job.engine, &job.dir, fills.chain(others))?;
    if all().next().is_none() {
        return Err("no scenario is left to run".to_owned());
    }
    let named = || results::with_time(&format!("tuning.{}", job.name));
    let about = About {
        suite: "tuning",
        command: &job.command,
        engines: vec![(job.name.to_owned(), job.engine.clone())],
        engine_flags: &job.engine_flags,
        place: &job.dir,
    };
    let mut dir = RunDir::create(job.results.clone().unwrap_or_else(named), &about)?;
    let stop = stop_at_ctrl_c()?;
    let mut suite = Suite { job, stop, begin: Instant::now(), done: 0, all: all().count() };
    let result = suite.rows(&mut dir);
    let complete = result.is_ok() && !suite.stop.load(Ordering::Relaxed);
    dir.end(complete)?;
    result.map(|()| complete)
}

/// The state of all runs.
struct Suite<'a> {
    job: &'a Job,
    stop: Arc<AtomicBool>,
    begin: Instant,
    /// Runs that are done, and all.
    done: usize,
    all: usize,
}

impl Suite<'_> {
    /// Runs scenarios and sweeps, and writes the report of those that were done.
    fn rows(&mut self, dir: &mut RunDir) -> Result<()> {
        let mut rows = vec![report::heading()];
        let mut failed = None;
        for (runs, is_sweep) in std::iter::once((&self.job.runs, false))
            .chain(self.job.sweeps.iter().map(|s| (s, true)))
        {
            let mut lines = Vec::new();
            for run in runs {
                if failed.is_some() || self.stop.load(Ordering::Relaxed) {
                    break;
                }
                match self.one(run, dir) {
                    Ok(line) => lines.push(line),
                    Err(error) => failed = Some(error),
                }
            }
            rows.extend(lines.iter().map(report::row));
            if is_sweep && !lines.is_empty() {
                rows.push(report::chart(&lines).trim_end().to_owned());
            }
        }
        rows.push(format!("results: {}", dir.path().display()));
        dir.say(&rows.join("\n"))?;
        failed.map_or(Ok(()), Err)
    }

    /// Fills the database if the run needs it, and measures. Returns the line of the measured part, or of an
    /// interrupted fill.
    fn one(&mut self, run: &Run, dir: &mut RunDir) -> Result<Value> {
        if let Some(fill) = &run.fill {
            let line = self.bench(run, ("fill", &with_engine(self.job, fill)), dir)?;
            if self.stop.load(Ordering::Relaxed) {
                return Ok(line);
            }
        }
        let line = self.bench(run, ("measured", &measured(self.job, run)), dir)?;
        self.done += 1;
        Ok(line)
    }

    fn bench(
        &self,
        run: &Run,
        (phase, flags): (&str, &[String]),
        dir: &mut RunDir,
    ) -> Result<Value> {
        let job = self.job;
        let fill =
            run.fill.as_ref().filter(|_| phase == "measured").map(|fill| with_engine(job, fill));
        let bench = Bench {
            engine: (job.name, &job.engine),
            db: &job.dir,
            flags,
            seed: job.seed,
            fields: fields(run, phase),
            fill: fill.as_deref(),
        };
        bench.run(dir, &self.recording(run, phase, dir))
    }

    fn recording(&self, run: &Run, phase: &str, dir: &RunDir) -> Recording {
        let mut line = fields(run, phase);
        line.remove("published_ops_per_sec");
        line.insert("engine".to_owned(), self.job.name.into());
        let number = Some(run.scenario).filter(|number| *number > 0);
        let name = number.map_or_else(|| "sweep".to_owned(), |number| format!("scenario {number}"));
        // Runs that are done are the measure of the others.
        let per_run = self.begin.elapsed().as_secs_f64() / self.done.max(1) as f64;
        let later = per_run * (self.all - self.done).saturating_sub(1) as f64;
        Recording {
            name: Some(format!("{name} {} {} {phase}", run.benchmark, run.label)),
            fields: line,
            timeline: Some(dir.timeline()),
            quiet: self.job.quiet,
            later_seconds: (self.done > 0).then_some(later),
            stop: Arc::clone(&self.stop),
        }
    }
}

/// Returns the fields of the suite for a line of results.
fn fields(run: &Run, phase: &str) -> Map<String, Value> {
    let published = run.published.filter(|_| phase == "measured");
    let fields = [
        ("suite", json!("tuning")),
        ("phase", json!(phase)),
        ("scenario", json!(Some(run.scenario).filter(|number| *number > 0))),
        ("label", json!(run.label)),
        ("published_ops_per_sec", json!(published)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Returns the flags of the measured part of a run.
fn measured(job: &Job, run: &Run) -> Vec<String> {
    let mut flags = with_engine(job, &run.flags);
    if run.fill.is_some() {
        flags.extend(job.warm_up.flag());
    }
    flags
}

fn with_engine(job: &Job, flags: &[String]) -> Vec<String> {
    let mut all = flags.to_vec();
    all.push(format!("--seed={}", job.seed));
    all.push("--progress_reports=0".to_owned());
    all.extend(job.engine_flags.iter().cloned());
    all
}
