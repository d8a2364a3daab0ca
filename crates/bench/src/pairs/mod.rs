//! `ferrolith-bench pairs`: runs commands on two sides that alternate, each on a fresh directory, and compares them.
//!
//! A machine's speed drifts. Alternating sides meet the same drift, and the comparison of pairs cancels it. The order
//! within pairs alternates too (A B, B A, A B, ...), because the second run of a pair may find a warmer machine.

pub mod command;
mod line;

use crate::compare::{self, Figures, Rule};
use crate::report::say;
use crate::shared::child::{self, Interrupts};
use crate::shared::engine::Choice;
use crate::shared::environment::About;
use crate::shared::origin::Origin;
use crate::shared::results;
use crate::shared::run_dir::RunDir;
use crate::target::Result;
use line::{Line, Side};
use std::path::{Path, PathBuf};
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

/// The directory below `--dir` that `{db}` stands for.
const DATABASE: &str = "pairs-db";

/// Runs all pairs and prints the comparison. Returns false if Ctrl-C ended it early; finished runs keep their results.
///
/// # Errors
/// A command that fails ends the job, with the command in the error.
pub fn run(job: &Job) -> Result<bool> {
    let results = job.results.clone().unwrap_or_else(|| results::with_time("pairs"));
    let mut engines = Vec::new();
    for side in &job.sides {
        let (_, choice) = Choice::parse(&side.engine)?;
        choice.check(&job.dir)?;
        engines.push((side.engine.clone(), choice));
    }
    results::create_parent(&job.dir.join(DATABASE))?;
    let about = About {
        suite: "pairs",
        command: &job.command,
        engines,
        engine_flags: &[],
        place: &job.dir,
    };
    let mut dir = RunDir::create(results.clone(), &about)?;
    let interrupts = Interrupts::install()?;
    let sides = ["a", "b"].map(|side| results.join(side));
    for side in &sides {
        results::create(side)?;
    }
    let begin = Instant::now();
    let mut complete = 0;
    for pair in 0..job.pairs {
        if !one_pair(job, pair, &sides, &interrupts)? {
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
        // A pair that was ended early is left out.
        compare::print([&sides[0], &sides[1]], job.rule, Figures::All)?;
        say(&format!("drawn by: ferrolith-bench report {}", results.display()));
    }
    dir.end(complete == job.pairs)?;
    Ok(complete == job.pairs)
}

/// Runs both sides once. Returns false if Ctrl-C ended it; what was measured is kept.
fn one_pair(job: &Job, pair: u32, sides: &[PathBuf; 2], interrupts: &Interrupts) -> Result<bool> {
    let order = if pair.is_multiple_of(2) { [0, 1] } else { [1, 0] };
    for side in order {
        let results = sides[side].join(format!("{:03}", pair + 1));
        results::create(&results)?;
        let letter = ["a", "b"][side].to_owned();
        let pair = Some(u64::from(pair) + 1);
        let origin = Origin { side: Some(letter), pair, ..Origin::default() };
        if !one_run(job, &job.sides[side], &results, (&origin, interrupts))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Runs all commands for one side, on a database directory that does not exist before and after. Returns false if
/// Ctrl-C ended it.
fn one_run(
    job: &Job,
    side: &Side,
    results: &Path,
    (origin, interrupts): (&Origin, &Interrupts),
) -> Result<bool> {
    let db = job.dir.join(DATABASE);
    child::remove(&db)?;
    let mut complete = true;
    for line in &job.lines {
        complete = complete && child::run(&line.words(side, &db, results), origin, interrupts)?;
    }
    child::remove(&db)?;
    Ok(complete)
}
