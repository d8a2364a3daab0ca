//! Runs the list of benchmarks on one engine in this process.

use super::crowd::Crowd;
use super::live::Live;
use super::recording::Recording;
use super::{Benchmark, Body, Entry, parse_list};
use crate::config::Config;
use crate::engine_writes::{self, Opened};
use crate::flags::Flags;
use crate::histogram::Histogram;
use crate::json::{Context, Sink};
use crate::keys::KeyMaker;
use crate::process::{FileWatch, Memory, Usage, size_on_disk};
use crate::progress::{Progress, Show};
use crate::report::{self, EngineState, Phase, WarmedUp, say};
use crate::shared::meters::Meters;
use crate::shared::recorder::Recorder;
use crate::shared::tree::{Counters, Debt};
use crate::shared::warm_up::WarmUp;
use crate::stats::{Counter, Op, Stats, Total};
use crate::target::{self, Engine, Result, Target};
use crate::values::ValueShape;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Runs everything that the flags ask for.
pub fn run(flags: &Flags, seed: u64) -> Result<()> {
    run_recorded(flags, seed, &Recording::default())
}

/// Runs everything that the flags ask for and records it.
pub fn run_recorded(flags: &Flags, seed: u64, recording: &Recording) -> Result<()> {
    let entries = parse_list(flags.text("benchmarks"))?;
    let config = Config::new(flags, seed)?;
    let engine = target::engine(flags)?;
    // A suite checks the flags of all its runs first and prints these notices once.
    if recording.name.is_none() {
        engine.notices().iter().for_each(|notice| eprintln!("{notice}"));
    }
    let json = Sink::open(flags.text("json"))?;
    let mut runner = Runner::new(flags, config, engine, json, recording)?;
    let result = entries.iter().try_for_each(|entry| runner.entry(entry));
    result.and_then(|()| runner.finish())
}

struct Runner<'a> {
    flags: &'a Flags,
    config: Config,
    engine: Box<dyn Engine>,
    target: Option<Arc<dyn Target>>,
    opened: Opened,
    json: Sink,
    context: Context,
    show: Show,
    dirs: Vec<PathBuf>,
    watch: FileWatch,
    live: Live,
    /// The number of threads so far: each has its own seed, as in RocksDB.
    threads: u64,
    recording: &'a Recording,
}

impl<'a> Runner<'a> {
    fn new(
        flags: &'a Flags,
        config: Config,
        engine: Box<dyn Engine>,
        json: Sink,
        recording: &'a Recording,
    ) -> Result<Runner<'a>> {
        let (db, wal) = target::directories(flags);
        if !flags.on("use_existing_db") && !flags.on("readonly") {
            engine.destroy()?;
        }
        if flags.on("use_existing_db") && !target::has_database(&db) {
            eprintln!(
                "--use_existing_db: {} contains no database; creating an empty one",
                db.display()
            );
        }
        let begun = Instant::now();
        let target = engine.open()?;
        let opened = Opened::since(begun);
        if flags.on("report_open_timing") {
            say(&format!("OpenDb:     {} milliseconds", begun.elapsed().as_secs_f64() * 1000.0));
        }
        let wal = wal.filter(|wal| !wal.starts_with(&db));
        let dirs: Vec<PathBuf> = std::iter::once(db.clone()).chain(wal).collect();
        let every = flags.uint("report_interval_seconds");
        let show = Show {
            bar: flags.on("progress_reports") && config.interval.ops == 0,
            csv: (every > 0).then(|| (flags.text("report_file").to_owned(), every)),
        };
        let version = engine.name();
        if recording.name.is_none() {
            eprintln!("{}", report::environment(engine_word(flags), &version));
        }
        let mut runner = Runner {
            flags,
            config,
            engine,
            json,
            context: Context::new(flags, version),
            show,
            watch: FileWatch::start(dirs.clone()),
            dirs,
            live: Live::default(),
            threads: 0,
            target: None,
            opened,
            recording,
        };
        runner.learn_existing(&*target)?;
        say(&report::header(flags, runner.config.num));
        say(&format!("DB path: [{}]", db.display()));
        runner.target = Some(target);
        Ok(runner)
    }

    /// Reads the properties of an existing database.
    fn learn_existing(&mut self, target: &dyn Target) -> Result<()> {
        let estimate = target.property("rocksdb.estimate-num-keys");
        let keys = estimate.and_then(|text| text.trim().parse().ok()).unwrap_or(0u64);
        let values = ValueShape::new(self.flags, self.config.value_size);
        let entry = self.config.keys.key_size as f64 + values.average();
        self.live = Live::new(keys.min(self.config.num), entry);
        if !self.flags.on("use_existing_keys") {
            return Ok(());
        }
        let read = target::ReadMode { total_order_seek: true, ..Default::default() };
        let mut session = target.session(read, target::WriteMode::default())?;
        session.open_iterator(None, None)?;
        session.seek_to_first();
        let mut keys = Vec::new();
        while session.valid() {
            keys.push(session.key().to_vec());
            session.next();
        }
        session.status()?;
        if keys.is_empty() {
            return Err("--use_existing_keys: the database is empty".to_owned());
        }
        self.config.use_keys(keys);
        Ok(())
    }

    fn entry(&mut self, entry: &Entry) -> Result<()> {
        let benchmark = entry.benchmark;
        if super::needs_merge_operator(benchmark.name) && !self.config.can_merge {
            say(&format!("{:<12} : skipped (--merge_operator is not set)", benchmark.name));
            return Ok(());
        }
        if benchmark.fresh {
            if self.flags.on("use_existing_db") || self.flags.on("readonly") {
                say(&format!("{:<12} : skipped (--use_existing_db is true)", benchmark.name));
                return Ok(());
            }
            if self.threads > 0 {
                self.start_over()?;
            }
        }
        if entry.warmup > 0 {
            say(&format!("Warming up benchmark by running {} times", entry.warmup));
        }
        if entry.repeat > 1 {
            say(&format!("Running benchmark for {} times", entry.repeat));
        }
        let mut rates = Vec::new();
        for i in 0..entry.warmup + entry.repeat {
            let rate = self.benchmark(benchmark, i + 1)?;
            if i >= entry.warmup {
                rates.extend(rate);
            }
        }
        self.summary(benchmark.name, rates);
        Ok(())
    }

    fn summary(&self, name: &str, mut rates: Vec<f64>) {
        if rates.len() < 2 {
            return;
        }
        let runs = rates.len();
        let mean = rates.iter().sum::<f64>() / runs as f64;
        let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
        let half = 1.959_964 * (squares / (runs as f64 - 1.0)).sqrt() / (runs as f64).sqrt();
        rates.sort_by(f64::total_cmp);
        let median = (rates[runs / 2] + rates[(runs - 1) / 2]) / 2.0;
        if self.flags.on("confidence_interval_only") {
            println!(
                "{name} [CI95 {runs} runs] : ({:.0}, {:.0}) ops/sec",
                mean - half,
                mean + half
            );
            return;
        }
        let millis = 1000.0 / mean;
        println!(
            "{name} [AVG    {runs} runs] : {mean:.0} (\u{b1} {half:.0}) ops/sec; {millis:.3} ms/op"
        );
        say(&format!("{name} [MEDIAN {runs} runs] : {median:.0} ops/sec"));
    }

    fn start_over(&mut self) -> Result<()> {
        self.target = None;
        self.engine.destroy()?;
        let begun = Instant::now();
        self.target = Some(self.engine.open()?);
        self.opened = Opened::since(begun);
        self.live = Live::default();
        Ok(())
    }

    /// Runs one benchmark once, prints it, and returns operations per second.
    fn benchmark(&mut self, benchmark: &Benchmark, repeat: u32) -> Result<Option<f64>> {
        if let Body::Reopen = benchmark.body {
            return self.reopen(benchmark.name, repeat).map(Some);
        }
        let target = Arc::clone(self.target.as_ref().ok_or("no database is open")?);
        if let Body::Properties(names) = benchmark.body {
            print_properties(&*target, names);
            return Ok(None);
        }
        let mut config = self.config.clone();
        (benchmark.tune)(&mut config);
        let values = ValueShape::new(self.flags, config.value_size);
        let entry_size = config.keys.key_size as f64 + values.average();
        let threads = config.threads;
        let mut crowd = self.crowd(benchmark, &config, &values, &*target);
        let mut recorder = self.recorder(benchmark, &target, crowd.as_ref());
        let warm_up = match &mut crowd {
            Some(crowd) => self.warm_up(benchmark, crowd, recorder.as_mut())?,
            None => WarmedUp::default(),
        };
        Memory::reset_peak();
        let (before, files) = (Usage::now(), self.watch.bytes());
        let engine = engine_written(&*target, self.opened);
        let (counters, debt) = self.engine_state(&target);
        let total = self.measure(benchmark, &config, crowd.as_ref(), &*target);
        if let Some(recorder) = recorder {
            recorder.finish()?;
        }
        let total = total?;
        let usage = Usage::now().since(&before);
        let grown = self.watch.bytes() - files;
        let engine_written = engine_written(&*target, self.opened);
        // Both values are parsed from rounded text, so the difference of two equal values may be slightly below zero.
        let (counters_now, debt_now) = self.engine_state(&target);
        let state = EngineState { counters: counters_now.since(&counters), debt: (debt, debt_now) };
        let engine_written = engine_written.zip(engine).map(|(now, then)| (now - then).max(0.0));
        let ops = total.background.map_or(total.done, |(ops, _)| ops);
        self.live.apply(benchmark.effect, ops, config.fill_num, entry_size);
        let phase = Phase {
            name: benchmark.name.to_owned(),
            engine: engine_word(self.flags),
            repeat,
            threads,
            total,
            usage,
            memory: Memory::now(),
            written: grown.max(usage.write_calls_bytes),
            engine_written,
            disk: size_on_disk(&self.dirs),
            live: self.live.bytes(),
            state,
            complete: self.is_complete(),
            warm_up,
        };
        self.print(&phase)?;
        if benchmark.name == "randomtransaction" && config.transactions.on {
            super::transaction::verify(&*target, config.transactions.sets)?;
            say("RandomTransactionVerify Success.");
        }
        Ok(Some(phase.rate()))
    }

    /// Closes and opens the database repeatedly. Only opening and one lookup are timed: an engine that defers work
    /// until the first access pays for it here.
    fn reopen(&mut self, name: &str, repeat: u32) -> Result<f64> {
        let rounds = u64::try_from(self.flags.int("reads")).unwrap_or(10).max(1);
        let config = &self.config;
        Memory::reset_peak();
        let (before, files) = (Usage::now(), self.watch.bytes());
        let mut latencies = Histogram::default();
        let mut keys = KeyMaker::new(&config.keys);
        let mut elapsed = 0.0;
        for round in 0..rounds {
            self.target = None;
            let start = Instant::now();
            let target = self.engine.open()?;
            self.opened = Opened::since(start);
            let mut session = target.session(config.read_mode, config.write_mode)?;
            session.get(keys.make(round % config.num, config.num))?;
            let taken = start.elapsed();
            drop(session);
            latencies.add(taken.as_nanos() as u64);
            elapsed += taken.as_secs_f64();
            self.target = Some(target);
        }
        let total = Total {
            done: rounds,
            elapsed,
            thread_seconds: elapsed,
            latencies: [(Op::Other, latencies)].into(),
            ..Total::default()
        };
        let usage = Usage::now().since(&before);
        let phase = Phase {
            name: name.to_owned(),
            engine: engine_word(self.flags),
            repeat,
            threads: 1,
            total,
            usage,
            memory: Memory::now(),
            written: (self.watch.bytes() - files).max(usage.write_calls_bytes),
            engine_written: None,
            disk: size_on_disk(&self.dirs),
            live: self.live.bytes(),
            state: EngineState::default(),
            complete: self.is_complete(),
            warm_up: WarmedUp::default(),
        };
        self.print(&phase)?;
        Ok(phase.rate())
    }

    fn print(&mut self, phase: &Phase) -> Result<()> {
        say(&phase.line());
        if self.flags.on("histogram") {
            say(phase.histograms().trim_end_matches('\n'));
        }
        say(phase.costs().trim_end());
        self.json.write(&self.context.object(phase))?;
        std::io::stdout().flush().map_err(|error| error.to_string())
    }

    /// Returns the threads of a benchmark that has some.
    fn crowd<'c>(
        &mut self,
        benchmark: &Benchmark,
        config: &'c Config,
        values: &'c ValueShape,
        target: &'c dyn Target,
    ) -> Option<Crowd<'c>> {
        let (body, extra) = match benchmark.body {
            Body::Threads(body) => (body, 0),
            Body::WithWriter(body) => (body, 1),
            Body::Once(_) | Body::Properties(_) | Body::Reopen => return None,
        };
        let count = config.threads + extra;
        let first = self.threads + 1;
        self.threads += count as u64;
        let is_recorded = self.recording.name.is_some() || config.warm_up != WarmUp::None;
        let meters = is_recorded.then(|| Arc::new(Meters::new(&Op::ALL.map(Op::name), count)));
        let stop = Arc::clone(&self.recording.stop);
        Some(Crowd { config, body, values, target, first, extra, meters, stop })
    }

    /// Runs the warm-up of a benchmark. Nothing of it counts but the keys that it writes.
    fn warm_up(
        &mut self,
        benchmark: &Benchmark,
        crowd: &mut Crowd<'_>,
        recorder: Option<&mut Recorder>,
    ) -> Result<WarmedUp> {
        let config = crowd.config;
        if config.warm_up == WarmUp::None {
            return Ok(WarmedUp::default());
        }
        if !benchmark.has_warm_up() {
            say(&format!(
                "{:<12} : no warm-up (it begins with an empty database, or deletes)",
                benchmark.name
            ));
            return Ok(WarmedUp::default());
        }
        let begun = Instant::now();
        let (threads, detected) = crowd.warm_up(config.warm_up)?;
        let seconds = begun.elapsed().as_secs_f64();
        if let Some(recorder) = recorder {
            recorder.measured(detected);
        }
        // The measured part draws other keys.
        crowd.first += crowd.count() as u64;
        self.threads += crowd.count() as u64;
        let total = Total::of(threads);
        let ops = total.background.map_or(total.done, |(ops, _)| ops);
        let entry_size = config.keys.key_size as f64 + crowd.values.average();
        self.live.apply(benchmark.effect, ops, config.fill_num, entry_size);
        let how = if detected { "until the throughput was steady" } else { "not counted" };
        say(&format!("Warm-up:    {seconds:.1} seconds, {how}"));
        Ok(WarmedUp { seconds, detected })
    }

    /// Runs the measured part of a benchmark: its threads, or the action that it is.
    fn measure(
        &mut self,
        benchmark: &Benchmark,
        config: &Config,
        crowd: Option<&Crowd<'_>>,
        target: &dyn Target,
    ) -> Result<Total> {
        if let Body::Once(action) = benchmark.body {
            let mut stats = Stats::start(0, config.timing, 0, config.interval, Arc::default());
            action(target, self.flags)?;
            stats.stop();
            self.threads += 1;
            return Ok(Total::of(vec![stats]));
        }
        let Some(crowd) = crowd else { return Ok(Total::default()) };
        let counters: Vec<Arc<Counter>> = (0..crowd.count()).map(|_| Arc::default()).collect();
        let foreground = counters.iter().skip(crowd.extra).cloned().collect();
        let ops = operations(config);
        let progress =
            Progress::start(&self.show, benchmark.name, foreground, ops, config.duration)?;
        let threads = crowd.run(&counters);
        drop(progress);
        threads.map(Total::of)
    }

    /// Begins to record a benchmark, if it has threads and a suite asks for a record.
    fn recorder(
        &self,
        benchmark: &Benchmark,
        target: &Arc<dyn Target>,
        crowd: Option<&Crowd<'_>>,
    ) -> Option<Recorder> {
        let crowd = crowd?;
        let mut config = crowd.config.clone();
        if !benchmark.has_warm_up() {
            config.warm_up = WarmUp::None;
        }
        let ops = operations(&config);
        let version = &self.context.engine_version;
        self.recording.start(&config, target, crowd.meters.as_ref(), ops, version)
    }

    fn engine_state(&self, target: &Arc<dyn Target>) -> (Counters, Debt) {
        let targets = std::slice::from_ref(target);
        (Counters::now(targets), Debt::now(targets, &self.dirs))
    }

    fn is_complete(&self) -> bool {
        !self.recording.stop.load(Ordering::Relaxed)
    }

    fn finish(&mut self) -> Result<()> {
        if let (true, Some(target)) = (self.flags.on("statistics"), &self.target) {
            say(&format!("STATISTICS:\n{}", target.statistics().unwrap_or_default()));
            if let Some(memory) = target.property("ferrolith.memory-by-owner") {
                say(&format!("MEMORY:\n{memory}"));
            }
        }
        Ok(())
    }
}

/// Returns the operations of all threads of a benchmark that ends after a number of them.
fn operations(config: &Config) -> u64 {
    config.reads.max(config.writes) * config.threads as u64
}

fn print_properties(target: &dyn Target, names: &[&str]) {
    let value = |name: &str| target.property(name).unwrap_or_else(|| "(failed)".to_owned());
    match names {
        [name] => say(&format!("\n{}", value(name))),
        names => {
            names.iter().for_each(|name| say(&format!("{name}: {}", value(name).trim_end())));
        }
    }
}

/// Bytes of tables and logs that the engine says it wrote since it was opened.
fn engine_written(target: &dyn Target, opened: Opened) -> Option<f64> {
    let seconds = opened.seconds();
    engine_writes::of(&target.property("rocksdb.stats")?, seconds)
}

fn engine_word(flags: &Flags) -> &'static str {
    match target::peer(flags.text("engine")) {
        Some(peer) => peer.word,
        None if flags.uses_library() => "lib",
        None => "ferrolith",
    }
}
