//! The command `ferrolith-bench ycsb`: opens the engine, runs a phase, reports.

use super::client::{Client, Embedded};
use super::properties::{KNOWN, Properties, WITHOUT_EFFECT};
use super::result::Context;
use super::run::{self, Phase};
use super::workload::Workload;
use crate::flags::{self, Flags, Parsed};
use crate::process::{Usage, size_on_disk};
use crate::report::say;
use crate::target::{self, ReadMode, Result, WriteMode};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// What the command line says.
pub struct Settings {
    /// What is run.
    pub phase: Phase,
    /// The command line, for the report.
    pub command: String,
    /// Property files.
    pub files: Vec<PathBuf>,
    /// `KEY=VALUE`.
    pub assignments: Vec<String>,
    /// The directory of the database.
    pub db: PathBuf,
    /// The engine's name.
    pub engine: Option<String>,
    /// A library with RocksDB's C functions.
    pub library: Option<String>,
    /// Sync every write.
    pub sync: bool,
    /// The seed.
    pub seed: u64,
    /// Where the result goes as JSON.
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

/// Runs a phase and prints its result. False if it was interrupted or failed; what was measured is reported all the
/// same.
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
    let flags = engine_flags(settings)?;
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
    let outcome = with_progress(settings, &workload, &done, || {
        run::run(&workload, (settings.phase, settings.seed), client, &done, &stop)
    });
    let word = match (&settings.engine, &settings.library) {
        (Some(engine), _) => engine,
        (None, Some(library)) => library,
        (None, None) => "ferrolith",
    };
    let name = format!("{word}, {}", engine.name());
    let context = Context {
        engine: &name,
        command: &settings.command,
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

/// The flags of db_bench that configure the engine.
fn engine_flags(settings: &Settings) -> Result<Flags> {
    let mut args =
        vec![format!("--db={}", settings.db.display()), "--use_existing_db=1".to_owned()];
    args.extend(settings.engine.iter().map(|engine| format!("--engine={engine}")));
    args.extend(settings.library.iter().map(|path| format!("--engine_lib={path}")));
    args.extend(settings.engine_flags.iter().cloned());
    match flags::parse(&args)? {
        Parsed::Run(flags, notices) => {
            notices.iter().for_each(|notice| eprintln!("{notice}"));
            Ok(*flags)
        }
        Parsed::Print(_) => Err("flags after -- must configure the engine".to_owned()),
    }
}

/// A run needs a loaded database; a load makes the directory, but not the one that it is in.
fn check_directory(settings: &Settings) -> Result<()> {
    let db = &settings.db;
    let has = |name: &str| db.join(name).exists();
    match settings.phase {
        Phase::Run if !has("CURRENT") && !has("data.mdb") => Err(format!(
            "{}: there is no database; run `ferrolith-bench ycsb load` first",
            db.display()
        )),
        Phase::Run => Ok(()),
        Phase::Load => match std::fs::create_dir(db) {
            Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => {
                Err(format!("{}: cannot be created: {e}", db.display()))
            }
            _ => Ok(()),
        },
    }
}

/// The first Ctrl-C ends the phase and keeps what was measured; the second ends the program.
fn stop_at_ctrl_c() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        eprintln!("stopping; the result so far follows (Ctrl-C again ends at once)");
    })
    .map_err(|e| format!("the handler of Ctrl-C cannot be set: {e}"))?;
    Ok(stop)
}

/// Shows a bar while `work` runs, if standard error is a terminal.
fn with_progress<R>(
    settings: &Settings,
    workload: &Workload,
    done: &[AtomicU64],
    work: impl FnOnce() -> R,
) -> R {
    if settings.quiet || !std::io::stderr().is_terminal() {
        return work();
    }
    let total = match settings.phase {
        Phase::Load => Some(workload.load.1),
        Phase::Run => Some(workload.operations).filter(|operations| *operations > 0),
    };
    let bar = total.map_or_else(ProgressBar::no_length, ProgressBar::new);
    let template = "{prefix:6} [{bar:32}] {pos}/{len} {per_sec} {elapsed} ETA {eta}";
    let style = ProgressStyle::with_template(template);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
    bar.set_prefix(settings.phase.name());
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                bar.set_position(done.iter().map(|count| count.load(Ordering::Relaxed)).sum());
                std::thread::sleep(Duration::from_millis(100));
            }
            bar.finish_and_clear();
        });
        let result = work();
        ended.store(true, Ordering::Relaxed);
        result
    })
}

fn append_line(path: &Path, line: &str) -> Result<()> {
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map_err(|e| format!("{}: {e}", path.display()))?;
    writeln!(file, "{line}").map_err(|e| format!("{}: {e}", path.display()))
}
