//! Runs all parts on all engines and compares them.
//!
//! ```text
//! RESULTS/environment.json       machine, engines, command line
//! RESULTS/workloads              YCSB's property files
//! RESULTS/a/001/PART/...         run directories of the first engine in the first pair
//! RESULTS/b/001/PART/...         of the second engine, and so on
//! RESULTS/report.txt             the comparison
//! ```
//!
//! Engines alternate in each part, and the order alternates from pair to pair, so that the drift of a machine meets
//! them alike.

use super::parts::{NEW_DATABASE, Part, Places, Plan, YCSB};
use crate::compare::{self, Figures, Rule};
use crate::report::say;
use crate::shared::child::{self, Interrupts};
use crate::shared::engine::{Choice, create_directory};
use crate::shared::environment::About;
use crate::shared::origin::Origin;
use crate::shared::results;
use crate::shared::run_dir::{RunDir, WORKLOADS};
use crate::shared::view::duration;
use crate::target::Result;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The letters of the sides, in the order of the engines.
pub const SIDES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// What the command line says.
pub struct Job {
    /// The command line, for the report.
    pub command: String,
    /// The engines; the first one is compared with each of the others.
    pub engines: Vec<String>,
    /// The size.
    pub plan: Plan,
    /// Only these parts.
    pub parts: Option<Vec<String>>,
    /// The directory for databases on a disk.
    pub dir: PathBuf,
    /// The directory for databases in RAM.
    pub ram: PathBuf,
    /// The directory of results, instead of one with the time in its name.
    pub results: Option<PathBuf>,
    /// What counts as a real difference.
    pub rule: Rule,
}

impl Job {
    /// Returns the parts that were asked for, with their sizes.
    pub fn wanted(&self) -> Result<Vec<Part>> {
        let mut parts = self.plan.parts()?;
        if let Some(wanted) = &self.parts {
            parts.retain(|part| wanted.iter().any(|name| name == part.name));
        }
        Ok(parts)
    }
}

/// Prints the parts, their sizes and their estimated times.
pub fn list(job: &Job) -> Result<()> {
    let parts = job.wanted()?;
    say(&format!("{:<12}{:>12}{:>14}  {}", "part", "s per run", "s in all", "size"));
    let runs = job.plan.engines as f64 * f64::from(job.plan.pairs);
    for part in &parts {
        say(&format!(
            "{:<12}{:>12.0}{:>14.0}  {}",
            part.name,
            part.seconds,
            part.seconds * runs,
            part.about
        ));
    }
    let all: f64 = parts.iter().map(|part| part.seconds * runs).sum();
    say(&format!(
        "{} engines, {} pairs: about {} on two cores",
        job.plan.engines,
        job.plan.pairs,
        duration(all)
    ));
    Ok(())
}

/// Runs the suite. Returns false if Ctrl-C ended it early; finished runs are compared, and all are kept.
///
/// # Errors
/// Engines and directories that cannot be used. A part that fails is reported at the end; the others run.
pub fn run(job: &Job) -> Result<bool> {
    let parts = job.wanted()?;
    let mut engines = Vec::new();
    for engine in &job.engines {
        engines.push((engine.clone(), Choice::parse(engine)?.1));
    }
    for (_, choice) in &engines {
        choice.check(&job.dir)?;
    }
    if !job.ram.is_dir() {
        return Err(format!("--ram {}: expected an existing directory", job.ram.display()));
    }
    create_directory(&job.dir)?;
    let about = About {
        suite: "reference",
        command: &job.command,
        engines,
        engine_flags: &[],
        place: &job.dir,
    };
    let named = || results::with_time("reference");
    let mut dir = RunDir::create(job.results.clone().unwrap_or_else(named), &about)?;
    write_workloads(&dir.path().join(WORKLOADS))?;
    for side in SIDES.iter().take(job.engines.len()) {
        results::create(&dir.path().join(side))?;
    }
    let runs = (job.engines.len() * job.plan.pairs as usize * parts.len()) as f64;
    let mut suite = Suite {
        job,
        dir: dir.path().to_owned(),
        interrupts: Interrupts::install()?,
        begin: Instant::now(),
        planned: runs / parts.len().max(1) as f64
            * parts.iter().map(|part| part.seconds).sum::<f64>(),
        done: 0.0,
        failed: Vec::new(),
    };
    suite.pairs(&parts)?;
    let complete = suite.failed.is_empty() && !suite.interrupts.any();
    for other in SIDES.iter().skip(1).take(job.engines.len().saturating_sub(1)) {
        suite.compare(&dir, other)?;
    }
    if cfg!(debug_assertions) {
        dir.say("WARNING: this is a debug build of ferrolith; its figures are meaningless")?;
    }
    dir.say(&format!(
        "results: {}\ntook {}",
        dir.path().display(),
        duration(suite.begin.elapsed().as_secs_f64())
    ))?;
    dir.end(complete)?;
    match &suite.failed[..] {
        [] => Ok(complete),
        failed => Err(format!("these runs failed:\n  {}", failed.join("\n  "))),
    }
}

/// Writes YCSB's property files.
fn write_workloads(dir: &Path) -> Result<()> {
    results::create(dir)?;
    for (name, mix) in YCSB {
        let text = format!(
            "# The mix of YCSB's core workload {}.\nworkload=site.ycsb.workloads.CoreWorkload\nrecordcount=1000\n\
             operationcount=1000\nreadallfields=true\ninsertproportion=0\n{mix}\n",
            name.to_uppercase()
        );
        results::write(&dir.join(format!("workload{name}")), &text)?;
    }
    Ok(())
}

struct Suite<'a> {
    job: &'a Job,
    dir: PathBuf,
    interrupts: Interrupts,
    begin: Instant,
    /// Estimated seconds of all runs and of those that are done.
    planned: f64,
    done: f64,
    failed: Vec<String>,
}

impl Suite<'_> {
    fn pairs(&mut self, parts: &[Part]) -> Result<()> {
        let engines = self.job.engines.len();
        for pair in 0..self.job.plan.pairs {
            for (number, part) in parts.iter().enumerate() {
                for place in 0..engines {
                    let side = if pair % 2 == 0 { place } else { engines - 1 - place };
                    if self.interrupts.any() {
                        return Ok(());
                    }
                    let label = format!("part {} of {}", number + 1, parts.len());
                    self.one(part, pair, side, label)?;
                }
            }
        }
        Ok(())
    }

    /// Runs one part on one engine. A failure is noted.
    fn one(&mut self, part: &Part, pair: u32, side: usize, label: String) -> Result<()> {
        let (job, begin) = (self.job, Instant::now());
        let engine = &job.engines[side];
        let results = self.dir.join(SIDES[side]).join(format!("{:03}", pair + 1)).join(part.name);
        results::create(&results)?;
        let places = Places {
            engine: engine.clone(),
            db: job.dir.join("reference-db"),
            ram: job.ram.join("ferrolith-reference-db"),
            results,
            workloads: self.dir.join(WORKLOADS),
        };
        let remove =
            || [&places.db, &places.ram].into_iter().try_for_each(|dir| child::remove(dir));
        remove()?;
        self.done += part.seconds;
        let origin = Origin {
            side: Some(SIDES[side].to_owned()),
            pair: Some(u64::from(pair) + 1),
            part: Some(format!("{label}, {engine}, pair {} of {}", pair + 1, job.plan.pairs)),
            later_seconds: Some(self.left(begin)),
        };
        for words in part.commands(&places) {
            if self.interrupts.any() {
                break;
            }
            if words == [NEW_DATABASE] {
                child::remove(&places.db)?;
                continue;
            }
            if let Err(error) = child::run(&words, &origin, &self.interrupts) {
                eprintln!("{error}");
                self.failed.push(error);
                break;
            }
        }
        remove()?;
        say(&format!(
            "pair {} of {}, {label} ({}), {engine}: {}; about {} left",
            pair + 1,
            job.plan.pairs,
            part.name,
            duration(begin.elapsed().as_secs_f64()),
            duration(self.left(Instant::now()))
        ));
        Ok(())
    }

    /// Returns the seconds after the run that began at `begin`: the plan's, times how much slower the earlier runs
    /// were than planned.
    fn left(&self, now: Instant) -> f64 {
        let left = (self.planned - self.done).max(0.0);
        let elapsed = (now - self.begin).as_secs_f64();
        // The first run has no earlier one.
        if elapsed > 1.0 { left * elapsed / self.done.max(1.0) } else { left }
    }

    fn compare(&self, dir: &RunDir, other: &str) -> Result<()> {
        let sides = [dir.path().join(SIDES[0]), dir.path().join(other)];
        match compare::text([&sides[0], &sides[1]], self.job.rule, Figures::Throughput) {
            Ok(text) => dir.say(&text),
            // Nothing was finished on both sides.
            Err(error) if self.interrupts.any() || !self.failed.is_empty() => dir.say(&error),
            Err(error) => Err(error),
        }
    }
}
