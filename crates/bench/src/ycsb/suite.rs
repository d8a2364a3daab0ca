//! The command `ferrolith-bench ycsb`: opens the engine, runs a phase, reports.

use super::client::{Client, Embedded};
use super::properties::{KNOWN, Properties, WITHOUT_EFFECT};
use super::result::Context;
use super::run::{self, Phase};
use super::workload::Workload;
use crate::process::{Usage, size_on_disk};
use crate::report::say;
use crate::shared::engine::{Choice, create_directory, has_database};
use crate::shared::screen::{Bar, append_line, stop_at_ctrl_c};
use crate::target::{self, ReadMode, Result, WriteMode};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// The settings on the command line.
pub struct Settings {
    /// The phase to run.
    pub phase: Phase,
    /// The command line, for the report.
    pub command: String,
    /// Property files.
    pub files: Vec<PathBuf>,
    /// `KEY=VALUE`.
    pub assignments: Vec<String>,
    /// The directory of the database.
    pub db: PathBuf,
    /// The engine.
    pub engine: Choice,
    /// Sync every write.
    pub sync: bool,
    /// The seed.
    pub seed: u64,
    /// The file for the result as JSON.
    pub json: Option<PathBuf>,
    /// Show no progress.
    pub quiet: bool,
    /// Flags of db_bench for the engine.
    pub engine_flags: Vec<String>,
}

/// Prints the properties with their defaults.
pub fn print_properties() {
    say("Properties and their defaults:");
    for (key, default) in KNOWN {
        say(format!("  {key} = {default}").trim_end());
    }
    say("Accepted without effect:");
    for (key, why) in WITHOUT_EFFECT {
        say(&format!("  {key}: {why}"));
    }
}

/// Runs a phase and prints its result. Returns false if it was interrupted or failed; the measurements are reported
/// nevertheless.
pub fn run(settings: &Settings) -> Result<bool> {
    let mut properties = Properties::default();
    for file in &settings.files {
        properties.read(file)?;
    }
    settings.assignments.iter().try_for_each(|assignment| properties.assign(assignment))?;
    for notice in properties.notices() {
        eprintln!("{notice}");
    }
    let workload = Workload::new(&properties)?;
    if settings.phase == Phase::Run && workload.operations == 0 && workload.seconds == 0 {
        return Err("a run needs operationcount or maxexecutiontime".to_owned());
    }
    let flags = settings.engine.flags(&settings.db, &settings.engine_flags)?;
    let engine = target::engine(&flags)?;
    check_directory(settings)?;
    for notice in engine.notices() {
        eprintln!("{notice}");
    }
    let target = engine.open()?;
    let stop = stop_at_ctrl_c()?;
    let done: Vec<AtomicU64> = (0..workload.threads).map(|_| AtomicU64::new(0)).collect();
    let write = WriteMode { sync: settings.sync, ..Default::default() };
    let client = || -> Result<Box<dyn Client + '_>> {
        Ok(Box::new(Embedded::new(target.session(ReadMode::default(), write)?)))
    };
    let before = Usage::now();
    let sum = || done.iter().map(|count| count.load(Ordering::Relaxed)).sum();
    let outcome = bar(settings, &workload)
        .during(sum, || run::run(&workload, (settings.phase, settings.seed), client, &done, &stop));
    let name = format!("{}, {}", settings.engine.word(), engine.name());
    let context = Context {
        engine: &name,
        command: &settings.command,
        workload: &workload_name(&settings.files),
        properties: &properties,
        threads: workload.threads,
        target: workload.target,
        usage: Usage::now().since(&before),
        bytes_on_disk: size_on_disk(std::slice::from_ref(&settings.db)),
        seed: settings.seed,
    };
    say(&format!("{name}\n{}", outcome.text(settings.phase, &context).trim_end()));
    if let Some(path) = &settings.json {
        append_line(path, &outcome.json(settings.phase, &context).to_string())?;
    }
    match outcome.error {
        Some(error) => Err(error),
        None => Ok(!outcome.interrupted),
    }
}

/// Checks the directory. A run needs a loaded database; a load creates the directory, but not its parent.
fn check_directory(settings: &Settings) -> Result<()> {
    let db = &settings.db;
    match settings.phase {
        Phase::Run if !has_database(db) => Err(format!(
            "{}: there is no database; run `ferrolith-bench ycsb load` first",
            db.display()
        )),
        Phase::Run => Ok(()),
        Phase::Load => create_directory(db),
    }
}

/// The bar of the phase.
fn bar<'a>(settings: &Settings, workload: &Workload) -> Bar<'a> {
    let total = match settings.phase {
        Phase::Load => Some(workload.load.1),
        Phase::Run => Some(workload.operations).filter(|operations| *operations > 0),
    };
    Bar { name: settings.phase.name(), total, quiet: settings.quiet }
}

/// Returns the names of property files without their directories, joined with `+`.
fn workload_name(files: &[PathBuf]) -> String {
    let names = files.iter().filter_map(|file| file.file_name());
    names.map(|name| name.to_string_lossy()).collect::<Vec<_>>().join("+")
}
