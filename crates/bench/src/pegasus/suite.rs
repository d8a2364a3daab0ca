//! Loads a database for each size of values and each rate limiter, and measures the mixes on it.
//!
//! After a load, the suite waits for compactions. Nothing waits between the mixes: their compaction debt is in the
//! results.

use super::cases::{DATA_BYTES, Limiter, Mix, ROW, ROW_BYTES, size_text};
use super::client::Rows;
use super::report::{self, Case};
use crate::remote::{Server, ServerChoice, Style};
use crate::shared::engine::{Choice, create_directory};
use crate::shared::environment::About;
use crate::shared::meters::Meters;
use crate::shared::recorder::{self, Recorder};
use crate::shared::results;
use crate::shared::run_dir::RunDir;
use crate::shared::screen::stop_at_ctrl_c;
use crate::shared::tree::Debt;
use crate::shared::view::{Screen, Size};
use crate::shared::warm_up::WarmUp;
use crate::target::{self, Result, WriteMode};
use crate::ycsb::client::Client;
use crate::ycsb::properties::Properties;
use crate::ycsb::result::Context;
use crate::ycsb::run::{self, Phase, Terms};
use crate::ycsb::store::Store;
use crate::ycsb::workload::Workload;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the command line says.
pub struct Job {
    /// The command line, for the report.
    pub command: String,
    /// The engine's name without its path, and the engine.
    pub engine: (&'static str, Choice),
    /// The server that is measured instead of an engine.
    pub server: Option<ServerChoice>,
    /// The mixes.
    pub mixes: Vec<&'static Mix>,
    /// Sizes of values in bytes.
    pub values: Vec<u64>,
    /// Rate limiters.
    pub limiters: Vec<Limiter>,
    /// Multiplies records and cache.
    pub scale: f64,
    /// Threads, instead of the published ones.
    pub threads: Option<usize>,
    /// Seconds of each mix; 0: no limit.
    pub seconds: u64,
    /// Operations of each mix; 0: no limit.
    pub operations: u64,
    /// The warm-up of each mix.
    pub warm_up: WarmUp,
    /// Sync every write.
    pub sync: bool,
    /// The directory of the database; none for a server.
    pub dir: Option<PathBuf>,
    /// The directory of results, instead of one with the time in its name.
    pub results: Option<PathBuf>,
    /// The seed.
    pub seed: u64,
    /// Show no progress.
    pub quiet: bool,
    /// Flags of db_bench for the engine.
    pub engine_flags: Vec<String>,
}

/// Records of one form, and the mixes that run on them.
struct Group {
    limiter: Limiter,
    /// Bytes of a value.
    value_bytes: u64,
    /// Hash keys.
    records: u64,
    mixes: Vec<&'static Mix>,
}

impl Job {
    fn groups(&self) -> Vec<Group> {
        let (multi, plain): (Vec<_>, Vec<_>) = self.mixes.iter().partition(|mix| mix.is_multi());
        let records = |row: u64| ((DATA_BYTES as f64 * self.scale / row as f64) as u64).max(100);
        let mut groups = Vec::new();
        for limiter in &self.limiters {
            if !plain.is_empty() {
                groups.extend(self.values.iter().map(|&value_bytes| Group {
                    limiter: *limiter,
                    value_bytes,
                    records: records(value_bytes),
                    mixes: plain.clone(),
                }));
            }
            if !multi.is_empty() {
                groups.push(Group {
                    limiter: *limiter,
                    value_bytes: ROW_BYTES / ROW as u64,
                    records: records(ROW_BYTES),
                    mixes: multi.clone(),
                });
            }
        }
        groups
    }

    fn dir(&self) -> Result<&Path> {
        self.dir
            .as_deref()
            .ok_or_else(|| "--dir is missing: the directory of the database".to_owned())
    }

    fn in_flight(&self) -> usize {
        self.server.as_ref().map_or(1, |server| server.in_flight)
    }

    fn flags(&self, group: &Group) -> Result<crate::flags::Flags> {
        let cache = (DATA_BYTES as f64 * self.scale) as u64;
        let mut all = vec![format!("--cache_size={}", cache.max(1 << 20))];
        all.extend(group.limiter.flags());
        all.extend(self.engine_flags.iter().cloned());
        self.engine.1.flags(self.dir()?, &all)
    }

    /// Returns the command line that repeats one case on a new database.
    fn command(&self, group: &Group, mix: &Mix) -> String {
        let mut words = vec!["ferrolith-bench".to_owned(), "pegasus".to_owned()];
        let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
        option("engine", self.engine.1.argument());
        self.dir.iter().for_each(|dir| option("dir", dir.display().to_string()));
        if let Some(server) = &self.server {
            option("in-flight", server.in_flight.to_string());
        }
        option("mixes", mix.name.to_owned());
        option("values", size_text(group.value_bytes));
        option("rate-limiter", group.limiter.to_string());
        option("scale", self.scale.to_string());
        option("threads", self.threads.unwrap_or(mix.published_threads()).to_string());
        option("seed", self.seed.to_string());
        for (name, limit) in [("seconds", self.seconds), ("operations", self.operations)] {
            if limit > 0 {
                option(name, limit.to_string());
            }
        }
        if self.warm_up != WarmUp::None {
            words.extend(["--warm-up".to_owned(), self.warm_up.to_string()]);
        }
        words.extend(self.sync.then(|| "--sync".to_owned()));
        if !self.engine_flags.is_empty() {
            words.push("--".to_owned());
            words.extend(self.engine_flags.iter().cloned());
        }
        results::joined(words.iter().map(String::as_str))
    }
}

/// Runs all cases. Everything is checked before anything is created. False if Ctrl-C ended it early; what was measured
/// is kept.
pub fn run(job: &Job) -> Result<bool> {
    let groups = job.groups();
    for group in &groups {
        if job.server.is_none() {
            target::engine(&job.flags(group)?)?;
        }
        for mix in &group.mixes {
            workload(job, group, Some(mix))?;
        }
    }
    if job.server.is_none() {
        create_directory(job.dir()?)?;
    }
    let named = || results::with_time(&format!("pegasus.{}", job.engine.0));
    let about = About {
        suite: "pegasus",
        command: &job.command,
        engines: vec![(job.engine.0.to_owned(), job.engine.1.clone())],
        engine_flags: &job.engine_flags,
        place: job.dir.as_deref().unwrap_or(Path::new(".")),
    };
    let mut dir = RunDir::create(job.results.clone().unwrap_or_else(named), &about)?;
    let stop = stop_at_ctrl_c()?;
    let mut suite = Suite { job, dir: &mut dir, stop: &stop, rows: Vec::new() };
    let left: Vec<usize> = groups.iter().map(|group| group.mixes.len()).collect();
    let mut result = Ok(());
    for (i, group) in groups.iter().enumerate() {
        if result.is_ok() && !stop.load(Ordering::Relaxed) {
            result = suite.group(group, left[i + 1..].iter().sum());
        }
    }
    let rows = suite.rows.join("\n");
    let text = format!("{}\n{rows}\nresults: {}", report::heading(), dir.path().display());
    dir.say(&text)?;
    let complete = result.is_ok() && !stop.load(Ordering::Relaxed);
    dir.end(complete)?;
    result.map(|()| complete)
}

/// Returns the workload of a mix, or of the load.
fn workload(job: &Job, group: &Group, mix: Option<&Mix>) -> Result<(Properties, Workload)> {
    let mut properties = Properties::default();
    let mut set = |name: &str, value: String| properties.assign(&format!("{name}={value}"));
    // A value is one field: its name, and two lengths of four bytes.
    let field = group.value_bytes - "field0".len() as u64 - 8;
    set("recordcount", group.records.to_string())?;
    set("fieldcount", "1".to_owned())?;
    set("fieldlength", field.to_string())?;
    set("writeallfields", "true".to_owned())?;
    set("zeropadding", "20".to_owned())?;
    set("requestdistribution", "zipfian".to_owned())?;
    set("insertproportion", "0".to_owned())?;
    let threads = match mix {
        Some(mix) => {
            let all = f64::from(mix.reads + mix.writes);
            set("readproportion", (f64::from(mix.reads) / all).to_string())?;
            set("updateproportion", (f64::from(mix.writes) / all).to_string())?;
            set("operationcount", job.operations.to_string())?;
            set("maxexecutiontime", job.seconds.to_string())?;
            job.threads.unwrap_or(mix.published_threads())
        }
        None => std::thread::available_parallelism().map_or(1, usize::from).min(16),
    };
    set("threadcount", threads.to_string())?;
    let workload = Workload::new(&properties)?;
    Ok((properties, workload))
}

/// The names of YCSB's operations here, in its order.
const KINDS: [&str; 5] = ["READ", "WRITE", "INSERT", "SCAN", "READ-MODIFY-WRITE"];

struct Suite<'a> {
    job: &'a Job,
    dir: &'a mut RunDir,
    stop: &'a Arc<AtomicBool>,
    /// Rows of the table.
    rows: Vec<String>,
}

impl Suite<'_> {
    /// Loads the records and runs the mixes on them. `left` is the number of mixes in later groups.
    fn group(&mut self, group: &Group, left: usize) -> Result<()> {
        let (store, version) = self.open(group)?;
        self.dir.set_version(0, &version)?;
        let name = format!("{}, {version}", self.job.engine.0);
        self.phase(group, None, (&name, &store), group.mixes.len() + left)?;
        if self.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        for target in store.targets() {
            target.flush()?;
            target.wait_for_compaction()?;
        }
        for (i, mix) in group.mixes.iter().enumerate() {
            if !self.stop.load(Ordering::Relaxed) {
                self.phase(group, Some(mix), (&name, &store), group.mixes.len() - i - 1 + left)?;
            }
        }
        Ok(())
    }

    /// Opens a new database, or asks the server about itself. Returns also the version.
    fn open(&self, group: &Group) -> Result<(Store, String)> {
        if let Some(choice) = &self.job.server {
            let server = Server::open(choice, Style::Whole, true)?;
            let version = server.version().to_owned();
            return Ok((Store::Server(server), version));
        }
        let engine = target::engine(&self.job.flags(group)?)?;
        engine.destroy()?;
        engine.notices().iter().for_each(|notice| eprintln!("{notice}"));
        let write = WriteMode { sync: self.job.sync, ..Default::default() };
        Ok((Store::Engine { target: engine.open()?, write, blind: true }, engine.name()))
    }

    /// Runs the load or a mix, and writes its line.
    fn phase(
        &mut self,
        group: &Group,
        mix: Option<&Mix>,
        (engine, store): (&str, &Store),
        left: usize,
    ) -> Result<()> {
        let job = self.job;
        let (properties, workload) = workload(job, group, mix)?;
        let of = mix.unwrap_or(group.mixes[0]);
        let case = Case {
            mix,
            multi: of.is_multi(),
            value_bytes: group.value_bytes,
            limiter: group.limiter,
        };
        let (phase, warm_up) = match mix {
            Some(_) => (Phase::Run, job.warm_up),
            None => (Phase::Load, WarmUp::None),
        };
        let client = || -> Result<Box<dyn Client + '_>> {
            let client = store.client()?;
            Ok(if case.multi { Box::new(Rows::new(client, &workload)) } else { client })
        };
        let meters = Arc::new(Meters::new(&KINDS, workload.threads));
        let debt = || Debt::now(store.targets(), job.dir.as_slice());
        let before = debt();
        let mut recorder = self.record(&case, phase, &workload, (engine, store), &meters, left);
        let terms =
            Terms { phase, seed: job.seed, slowdown: 0.0, warm_up, in_flight: job.in_flight() };
        let outcome = run::run(&workload, terms, client, &meters, self.stop, &mut recorder);
        let name = case.name();
        let values = if case.multi { ROW as f64 } else { 1.0 };
        let context = Context {
            engine,
            command: &job.command(group, of),
            workload: &name,
            properties: &properties,
            threads: workload.threads,
            target: 0,
            record: &recorder.finish()?,
            debt: (before, debt()),
            live_bytes: group.records as f64 * values * workload.shape.average_bytes(),
            terms,
        };
        let text = outcome.text(phase, &context);
        self.dir.say(&format!("{name}, {}: {}", engine, text.trim_end()))?;
        self.dir.line(report::line(&case, outcome.json(phase, &context), &outcome))?;
        self.rows.extend(mix.map(|mix| report::rows(&case, mix, workload.threads, &outcome)));
        outcome.error.map_or(Ok(()), Err)
    }

    /// Begins to record a phase.
    fn record(
        &self,
        case: &Case<'_>,
        phase: Phase,
        workload: &Workload,
        (engine, store): (&str, &Store),
        meters: &Arc<Meters>,
        left: usize,
    ) -> Recorder {
        let job = self.job;
        let name = case.name();
        let fields = [
            ("suite", "pegasus"),
            ("workload", &name),
            ("phase", phase.name()),
            ("engine", engine),
        ];
        let seconds = Some(job.seconds).filter(|seconds| phase == Phase::Run && *seconds > 0);
        let warm_up = if phase == Phase::Run { job.warm_up } else { WarmUp::None };
        Recorder::start(recorder::Phase {
            name: format!("{name} {}", phase.name()),
            fields: recorder::texts(fields),
            meters: Arc::clone(meters),
            targets: store.targets().to_vec(),
            dirs: job.dir.iter().cloned().collect(),
            timeline: Some(self.dir.timeline()),
            screen: Screen::of(job.quiet),
            size: Size {
                seconds: seconds.map(|seconds| seconds as f64),
                operations: phase.operations(workload),
                later_seconds: Some(
                    (left as u64 * (job.warm_up.most_seconds() + job.seconds)) as f64,
                ),
                warm_up_seconds: warm_up.most_seconds() as f64,
            },
            warm_up: warm_up != WarmUp::None,
            server: store.pid(),
        })
    }
}
