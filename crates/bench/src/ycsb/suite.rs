//! The command `ferrolith-bench ycsb`: opens the engine, runs a phase, reports.

use super::properties::{KNOWN, Properties, WITHOUT_EFFECT};
use super::result::Context;
use super::run::{self, Outcome, Phase, Terms};
use super::store::Store;
use super::workload::{Operation, Workload};
use crate::remote::{Protocol, Server, ServerChoice, Style};
use crate::report::say;
use crate::shared::engine::{Choice, create_directory};
use crate::shared::environment::About;
use crate::shared::meters::Meters;
use crate::shared::recorder::{self, Recorder};
use crate::shared::run_dir::{RunDir, placed};
use crate::shared::screen::{append_line, stop_at_ctrl_c};
use crate::shared::tree::Debt;
use crate::shared::view::{Screen, Size};
use crate::shared::warm_up::WarmUp;
use crate::target::{self, Result, WriteMode, has_database};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// The directory of the database; none for a server.
    pub db: Option<PathBuf>,
    /// The server that is measured instead of an engine.
    pub server: Option<ServerChoice>,
    /// The engine's name without its path, and the engine.
    pub engine: (&'static str, Choice),
    /// Sync every write.
    pub sync: bool,
    /// The seed.
    pub seed: u64,
    /// The file for the result as JSON.
    pub json: Option<PathBuf>,
    /// The directory of results, which must not exist.
    pub results: Option<PathBuf>,
    /// The warm-up of a run.
    pub warm_up: WarmUp,
    /// Show no progress.
    pub quiet: bool,
    /// Percent by which every operation is made longer.
    pub slowdown: f64,
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
    let properties = properties(settings)?;
    let workload = Workload::new(&properties)?;
    if settings.phase == Phase::Run && workload.operations == 0 && workload.seconds == 0 {
        return Err("a run needs operationcount or maxexecutiontime".to_owned());
    }
    let in_flight = settings.server.as_ref().map_or(1, |server| server.in_flight);
    refuse_in_flight(in_flight, &workload, settings.slowdown)?;
    let style = style(settings, &properties, &workload)?;
    let (store, name, mut dir) = open(settings, style)?;
    let stop = stop_at_ctrl_c()?;
    let meters = Arc::new(Meters::new(&Operation::ALL.map(Operation::name), workload.threads));
    let dirs: Vec<PathBuf> = settings.db.iter().cloned().collect();
    let debt = || Debt::now(store.targets(), &dirs);
    let before = debt();
    let timeline = dir.as_ref().map(RunDir::timeline);
    let mut recorder = record(settings, &workload, (&name, &store), &meters, timeline);
    let terms = Terms {
        phase: settings.phase,
        seed: settings.seed,
        slowdown: settings.slowdown,
        warm_up: settings.warm_up,
        in_flight,
    };
    let outcome = run::run(&workload, terms, || store.client(), &meters, &stop, &mut recorder);
    let records = match settings.phase {
        Phase::Load => meters.operations(),
        Phase::Run => workload.records + meters.operations_of(Operation::Insert as usize),
    };
    let context = Context {
        engine: &name,
        command: &settings.command,
        workload: &workload_name(&settings.files),
        properties: &properties,
        threads: workload.threads,
        target: workload.target,
        record: &recorder.finish()?,
        debt: (before, debt()),
        live_bytes: records as f64 * workload.shape.average_bytes(),
        terms,
    };
    let mut text = format!("{name}\n{}", outcome.text(settings.phase, &context).trim_end());
    if let Some(notice) = cut(settings.phase, &workload, &outcome) {
        text.push('\n');
        text.push_str(&notice);
    }
    let line = outcome.json(settings.phase, &context);
    if let Some(path) = &settings.json {
        append_line(path, &placed(line.clone()).to_string())?;
    }
    let complete = outcome.error.is_none() && !outcome.interrupted;
    match &mut dir {
        None => say(&text),
        Some(dir) => {
            dir.say(&text)?;
            dir.line(line)?;
            dir.end(complete)?;
        }
    }
    outcome.error.map_or(Ok(complete), Err)
}

/// Opens the database, or asks the server about itself. Returns the name for reports and the directory of results.
fn open(settings: &Settings, style: Style) -> Result<(Store, String, Option<RunDir>)> {
    let results = || settings.results.clone().map(|path| run_directory(settings, path)).transpose();
    let (store, version, mut dir) = match (&settings.server, &settings.db) {
        (Some(choice), _) => {
            let is_load = settings.phase == Phase::Load;
            let server = Server::open(choice, style, is_load)?;
            let version = server.version().to_owned();
            (Store::Server(server), version, results()?)
        }
        (None, Some(db)) => {
            let flags = settings.engine.1.flags(db, &settings.engine_flags)?;
            let engine = target::engine(&flags)?;
            check_directory(settings.phase, db)?;
            engine.notices().iter().for_each(|notice| eprintln!("{notice}"));
            let dir = results()?;
            let write = WriteMode { sync: settings.sync, ..Default::default() };
            (Store::Engine { target: engine.open()?, write, blind: false }, engine.name(), dir)
        }
        (None, None) => return Err("--db is missing: the directory of the database".to_owned()),
    };
    if let Some(dir) = &mut dir {
        dir.set_version(0, &version)?;
    }
    Ok((store, format!("{}, {version}", settings.engine.0), dir))
}

/// What a record is on a Redis server: the property `redis.datatype`, named as in go-ycsb. A string is read and written
/// as a whole, and has no order.
fn style(settings: &Settings, properties: &Properties, workload: &Workload) -> Result<Style> {
    let key = "redis.datatype";
    let is_redis = settings.server.as_ref().is_some_and(|s| s.address.protocol == Protocol::Redis);
    if !is_redis && properties.given().any(|(given, _)| given == key) {
        return Err(format!("{key}: only for --engine redis://HOST:PORT"));
    }
    let is_run = settings.phase == Phase::Run;
    let has = |key| properties.fraction(key).map(|weight| is_run && weight > 0.0);
    match properties.text(key).unwrap_or_default() {
        "hash" => Ok(Style::Fields),
        "string" if has("scanproportion")? => {
            Err(format!("{key}=string: strings have no order, so scanproportion must be 0"))
        }
        "string" if is_run && !workload.read_all_fields => Err(format!(
            "{key}=string: a read is of the whole record, so readallfields must be true"
        )),
        "string"
            if !workload.write_all_fields
                && (has("updateproportion")? || has("readmodifywriteproportion")?) =>
        {
            Err(format!("{key}=string: an update writes the whole record; say writeallfields=true"))
        }
        "string" => Ok(Style::Whole),
        other => Err(format!("{key}={other}: expected hash or string")),
    }
}

/// Refuses what counts on operations that end one after the other.
pub fn refuse_in_flight(in_flight: usize, workload: &Workload, slowdown: f64) -> Result<()> {
    let refuse = |what: &str| {
        Err(format!(
            "--in-flight {in_flight}: not supported together with {what}; use --in-flight 1"
        ))
    };
    match in_flight {
        0 | 1 => Ok(()),
        _ if workload.target > 0 => refuse("target"),
        _ if slowdown > 0.0 => refuse("--slowdown"),
        _ if workload.insert_retries.0 > 0 => refuse("core_workload_insertion_retry_limit"),
        _ if workload.keep_going => refuse("core_workload_insertion_keep_going_on_error"),
        _ => Ok(()),
    }
}

/// Reads the files, then the command line, and prints notices about properties without effect.
fn properties(settings: &Settings) -> Result<Properties> {
    let mut properties = Properties::default();
    for file in &settings.files {
        properties.read(file)?;
    }
    settings.assignments.iter().try_for_each(|assignment| properties.assign(assignment))?;
    for notice in properties.notices() {
        eprintln!("{notice}");
    }
    Ok(properties)
}

/// Returns a notice if `maxexecutiontime` ended a load, whose table is then smaller than the workload says.
fn cut(phase: Phase, workload: &Workload, outcome: &Outcome) -> Option<String> {
    let (tried, wanted) = (outcome.count() + outcome.failed_inserts.0, workload.load.1);
    let cut = phase == Phase::Load && tried < wanted;
    let ended = outcome.interrupted || outcome.error.is_some();
    (cut && !ended).then(|| format!("maxexecutiontime ended the load: {tried} of {wanted} records"))
}

fn run_directory(settings: &Settings, path: PathBuf) -> Result<RunDir> {
    let (name, choice) = &settings.engine;
    let about = About {
        suite: "ycsb",
        command: &settings.command,
        engines: vec![((*name).to_owned(), choice.clone())],
        engine_flags: &settings.engine_flags,
        place: settings.db.as_deref().unwrap_or(Path::new(".")),
    };
    RunDir::create(path, &about)
}

/// Begins to record the phase.
fn record(
    settings: &Settings,
    workload: &Workload,
    (engine, store): (&str, &Store),
    meters: &Arc<Meters>,
    timeline: Option<PathBuf>,
) -> Recorder {
    let (phase, files) = (settings.phase, workload_name(&settings.files));
    let fields =
        [("suite", "ycsb"), ("workload", &files), ("phase", phase.name()), ("engine", engine)];
    let seconds = Some(workload.seconds).filter(|seconds| *seconds > 0);
    let size = Size {
        warm_up_seconds: settings.warm_up.most_seconds() as f64,
        seconds: seconds.map(|seconds| seconds as f64),
        operations: phase.operations(workload),
        ..Size::default()
    };
    Recorder::start(recorder::Phase {
        name: format!("ycsb {files} {}", phase.name()),
        fields: recorder::texts(fields),
        meters: Arc::clone(meters),
        targets: store.targets().to_vec(),
        dirs: settings.db.iter().cloned().collect(),
        timeline,
        screen: Screen::of(settings.quiet),
        size,
        warm_up: settings.warm_up != WarmUp::None,
        server: store.pid(),
    })
}

/// Checks the directory. A run needs a loaded database; a load creates the directory, but not its parent.
fn check_directory(phase: Phase, db: &Path) -> Result<()> {
    match phase {
        Phase::Run if !has_database(db) => Err(format!(
            "{}: there is no database; run `ferrolith-bench ycsb load` first",
            db.display()
        )),
        Phase::Run => Ok(()),
        Phase::Load => create_directory(db),
    }
}

/// Returns the names of property files without their directories, joined with `+`.
fn workload_name(files: &[PathBuf]) -> String {
    let names = files.iter().filter_map(|file| file.file_name());
    names.map(|name| name.to_string_lossy()).collect::<Vec<_>>().join("+")
}
