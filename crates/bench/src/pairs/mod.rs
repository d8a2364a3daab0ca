//! `ferrolith-bench pairs`: runs commands on two sides that alternate, each on a fresh directory, and compares them.
//!
//! A machine's speed drifts. Alternating sides meet the same drift, and the comparison of pairs cancels it. The order
//! within pairs alternates too (A B, B A, A B, ...), because the second run of a pair may find a warmer machine.

pub mod command;
mod line;

use crate::compare::{self, Rule};
use crate::report::say;
use crate::shared::engine::Choice;
use crate::shared::environment::About;
use crate::shared::origin::Origin;
use crate::shared::results;
use crate::shared::run_dir::RunDir;
use crate::shared::screen::stop_at_ctrl_c;
use crate::target::Result;
use line::{Line, Side};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What to run.
pub struct Job {
    /// The command line of the whole program, for the record.
    pub command: String,
    /// Side A and side B.
    pub sides: [Side; 2],
    /// The number of pairs.
    pub pairs: u32,
    /// The commands of a run, in their order.
    pub lines: Vec<Line>,
    /// The directory for `{db}`, and for the results unless they have their own.
    pub dir: PathBuf,
    /// The directory of results; it must not exist.
    pub results: Option<PathBuf>,
    /// What counts as a real difference.
    pub rule: Rule,
}

/// Runs all pairs and prints the comparison. Returns false if Ctrl-C ended it early; finished runs keep their results.
///
/// # Errors
/// A command that fails ends the job, with the command in the error.
pub fn run(job: &Job) -> Result<bool> {
    results::create_parent(&job.dir)?;
    let results = job.results.clone().unwrap_or_else(|| results::with_time("pairs"));
    let mut engines = Vec::new();
    for side in &job.sides {
        engines.push((side.engine.clone(), Choice::parse(&side.engine)?.1));
    }
    let about = About {
        suite: "pairs",
        command: &job.command,
        engines,
        engine_flags: &[],
        place: &job.dir,
    };
    let mut dir = RunDir::create(results.clone(), &about)?;
    let stop = stop_at_ctrl_c()?;
    let sides = ["a", "b"].map(|side| results.join(side));
    for side in &sides {
        results::create(side)?;
    }
    let begin = Instant::now();
    let mut complete = 0;
    for pair in 0..job.pairs {
        if !one_pair(job, pair, &sides, &stop)? {
            break;
        }
        complete += 1;
        let left = begin.elapsed().mul_f64(f64::from(job.pairs - complete) / f64::from(complete));
        if complete < job.pairs {
            say(&format!(
                "pair {complete} of {} done, about {:.0} s left",
                job.pairs,
                left.as_secs_f64()
            ));
        }
    }
    say(&format!("results: {}", results.display()));
    if complete > 0 {
        compare::print([&sides[0], &sides[1]], job.rule)?;
    }
    dir.end(complete == job.pairs)?;
    Ok(complete == job.pairs)
}

/// Runs both sides once. Returns false, and removes the results of the pair, if Ctrl-C was pressed.
fn one_pair(job: &Job, pair: u32, sides: &[PathBuf; 2], stop: &AtomicBool) -> Result<bool> {
    let order = if pair.is_multiple_of(2) { [0, 1] } else { [1, 0] };
    let of = |side: usize| sides[side].join(format!("{:03}", pair + 1));
    for side in order {
        results::create(&of(side))?;
        let letter = ["a", "b"][side].to_owned();
        let origin =
            Origin { side: Some(letter), pair: Some(u64::from(pair) + 1), ..Origin::default() };
        one_run(job, &job.sides[side], &of(side), &origin)?;
        if stop.load(Ordering::Relaxed) {
            for side in order {
                remove(&of(side))?;
            }
            return Ok(false);
        }
    }
    Ok(true)
}

/// Runs all commands for one side, on a database directory that does not exist before and after.
fn one_run(job: &Job, side: &Side, results: &Path, origin: &Origin) -> Result<()> {
    let db = job.dir.join("pairs-db");
    remove(&db)?;
    let program = std::env::current_exe().map_err(|e| format!("this program's path: {e}"))?;
    for line in &job.lines {
        let words = line.words(side, &db, results);
        let mut command = Command::new(&program);
        command.args(&words).stdout(std::process::Stdio::null());
        origin.pass_to(&mut command);
        let status = command.status().map_err(|e| format!("{}: {e}", program.display()))?;
        if !status.success() {
            return Err(format!("ferrolith-bench {}: {status}", words.join(" ")));
        }
    }
    remove(&db)
}

/// Removes a directory and all it contains, if it exists.
fn remove(dir: &Path) -> Result<()> {
    match std::fs::remove_dir_all(dir) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{}: cannot be removed: {e}", dir.display()))
        }
        _ => Ok(()),
    }
}
