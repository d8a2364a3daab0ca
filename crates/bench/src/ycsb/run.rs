//! Runs a phase of a workload: threads, their pace, their latencies.
//!
//! With a target rate each thread has a schedule. The latency of an operation counts from its place on the schedule,
//! so that one slow operation also counts against those that had to wait for it; the time of the call alone is
//! reported beside it. Without a target both are the same.

use super::chooser::{KeyChooser, below, uniform};
use super::client::Client;
use super::inserted::Inserted;
use super::workload::{Operation, Workload};
use crate::rng::Random64;
use crate::shared::latency::Latencies;
use crate::shared::meters::Meters;
use crate::shared::recorder::Recorder;
use crate::shared::schedule::Schedule;
use crate::shared::warm_up::WarmUp;
use crate::target::Result;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The phases of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Inserts the records.
    Load,
    /// Does the operations.
    Run,
}

impl Phase {
    /// Returns the number of operations of the phase, unless only time ends it.
    pub fn operations(self, workload: &Workload) -> Option<u64> {
        match self {
            Phase::Load => Some(workload.load.1),
            Phase::Run => Some(workload.operations).filter(|operations| *operations > 0),
        }
    }
}

/// The result of a phase.
pub struct Outcome {
    /// By kind.
    pub operations: BTreeMap<Operation, Latencies>,
    /// Records that scans read.
    pub scanned: u64,
    /// Inserts that failed for good, which are not in `operations`, and the first error of one.
    pub failed_inserts: (u64, Option<String>),
    /// Bytes of keys and values written and read.
    pub user_bytes: (u64, u64),
    /// Seconds.
    pub elapsed: f64,
    /// Whether the phase was ended early.
    pub interrupted: bool,
    /// The first error of a thread.
    pub error: Option<String>,
}

/// The state that the threads of a phase share.
struct Shared<'a> {
    workload: &'a Workload,
    terms: Terms,
    inserted: Inserted,
    /// Operations that were begun.
    begun: AtomicU64,
    limit: u64,
    stop: &'a AtomicBool,
    error: Mutex<Option<String>>,
    meters: &'a Meters,
    /// The warm-up is over.
    measured: AtomicBool,
    /// Threads that have ended.
    ended: AtomicUsize,
}

/// How a phase runs, apart from its workload.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// What is done.
    pub phase: Phase,
    /// The seed of the random numbers.
    pub seed: u64,
    /// Every operation takes this many percent longer, by busy waiting.
    pub slowdown: f64,
    /// The warm-up, whose operations do not count.
    pub warm_up: WarmUp,
}

/// Runs a phase. `client` creates a thread's client; `meters` has one for each thread and the kinds of
/// [`Operation::ALL`]; `stop` ends the phase early; `recorder` learns when the warm-up ends.
pub fn run<'c>(
    workload: &Workload,
    terms: Terms,
    client: impl Fn() -> Result<Box<dyn Client + 'c>> + Sync,
    meters: &Meters,
    stop: &AtomicBool,
    recorder: &mut Recorder,
) -> Outcome {
    let (first, _) = workload.load;
    let phase = terms.phase;
    let shared = Shared {
        workload,
        terms,
        inserted: Inserted::new(if phase == Phase::Load { first } else { workload.records }),
        begun: AtomicU64::new(0),
        limit: phase.operations(workload).unwrap_or(u64::MAX),
        stop,
        error: Mutex::new(None),
        meters,
        measured: AtomicBool::new(terms.warm_up == WarmUp::None),
        ended: AtomicUsize::new(0),
    };
    let (threads, elapsed) = std::thread::scope(|scope| {
        let spawn = |id: usize| {
            let (shared, client) = (&shared, &client);
            scope.spawn(move || shared.thread(id, client()).counted)
        };
        let mut start = Instant::now();
        let threads: Vec<_> = (0..meters.threads()).map(spawn).collect();
        if terms.warm_up != WarmUp::None {
            let detected = terms.warm_up.wait(meters, || shared.is_over());
            recorder.measured(detected);
            start = Instant::now();
            shared.measured.store(true, Ordering::Release);
        }
        let results: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        (results, start.elapsed().as_secs_f64())
    });
    let mut sum = Counted::default();
    let mut error = shared.error.into_inner().unwrap_or_else(PoisonError::into_inner);
    for thread in threads {
        let Ok(thread) = thread else {
            error.get_or_insert_with(|| "a thread panicked".to_owned());
            continue;
        };
        sum.merge(&thread);
    }
    Outcome {
        operations: sum.operations,
        scanned: sum.scanned,
        failed_inserts: sum.failed_inserts,
        user_bytes: sum.user_bytes,
        elapsed,
        interrupted: stop.load(Ordering::Relaxed),
        error,
    }
}

/// What a thread did.
#[derive(Default)]
struct Counted {
    operations: BTreeMap<Operation, Latencies>,
    scanned: u64,
    failed_inserts: (u64, Option<String>),
    user_bytes: (u64, u64),
}

impl Counted {
    fn merge(&mut self, other: &Counted) {
        for (operation, latencies) in &other.operations {
            self.operations.entry(*operation).or_default().merge(latencies);
        }
        self.scanned += other.scanned;
        self.failed_inserts.0 += other.failed_inserts.0;
        let first = self.failed_inserts.1.take();
        self.failed_inserts.1 = first.or_else(|| other.failed_inserts.1.clone());
        self.user_bytes.0 += other.user_bytes.0;
        self.user_bytes.1 += other.user_bytes.1;
    }
}

/// The state and the counts of one thread.
struct Thread<'s> {
    shared: &'s Shared<'s>,
    random: Random64,
    keys: KeyChooser,
    key: Vec<u8>,
    counted: Counted,
}

impl<'s> Shared<'s> {
    /// Returns whether nothing is left to wait for.
    fn is_over(&self) -> bool {
        let threads = self.meters.threads();
        self.stop.load(Ordering::Relaxed) || self.ended.load(Ordering::Relaxed) == threads
    }

    fn thread<'c>(&'s self, id: usize, client: Result<Box<dyn Client + 'c>>) -> Thread<'s> {
        let mut thread = Thread {
            shared: self,
            random: Random64::new(
                self.terms.seed.wrapping_add((id as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            ),
            keys: self.workload.key_chooser(),
            key: Vec::new(),
            counted: Counted::default(),
        };
        let result = client.and_then(|mut client| thread.work(id, &mut *client));
        if let Err(e) = result {
            self.stop.store(true, Ordering::Relaxed);
            let mut error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
            error.get_or_insert(e);
        }
        self.ended.fetch_add(1, Ordering::Relaxed);
        thread
    }
}

/// Waits for `percent` of the time since `begin`, on the processor. Returns the time at the end.
fn slow_down(begin: Instant, percent: f64) -> Instant {
    let now = Instant::now();
    if percent == 0.0 {
        return now;
    }
    let until = now + (now - begin).mul_f64(percent / 100.0);
    loop {
        let now = Instant::now();
        if now >= until {
            return now;
        }
        std::hint::spin_loop();
    }
}

impl Thread<'_> {
    fn work(&mut self, id: usize, client: &mut dyn Client) -> Result<()> {
        let shared = self.shared;
        let mut schedule = Schedule::new(shared.workload.target, shared.meters.threads(), id);
        let meter = shared.meters.of(id);
        let seconds = shared.workload.seconds;
        let end_from_now = || (seconds > 0).then(|| Instant::now() + Duration::from_secs(seconds));
        let mut measured = shared.measured.load(Ordering::Acquire);
        let mut end = end_from_now().filter(|_| measured);
        let mut warm_up_bytes = (0, 0);
        while !shared.stop.load(Ordering::Relaxed) {
            if !measured && shared.measured.load(Ordering::Acquire) {
                // What was counted so far belongs to the warm-up.
                (measured, end, self.counted) = (true, end_from_now(), Counted::default());
                warm_up_bytes = client.user_bytes();
            }
            if measured && shared.begun.fetch_add(1, Ordering::Relaxed) >= shared.limit {
                break;
            }
            let intended = schedule.wait();
            let begin = Instant::now();
            if end.is_some_and(|end| begin >= end) {
                break;
            }
            let Some((operation, found)) = self.operation(client)? else { continue };
            let finish = slow_down(begin, shared.terms.slowdown);
            let nanos = (finish - begin).as_nanos() as u64;
            let latencies = self.counted.operations.entry(operation).or_default();
            latencies.service.add(nanos);
            latencies.intended.add((finish - intended.unwrap_or(begin)).as_nanos() as u64);
            latencies.not_found += u64::from(!found);
            meter.count(operation as usize, 1);
            meter.time(operation as usize, nanos);
        }
        let (written, read) = client.user_bytes();
        self.counted.user_bytes = (written - warm_up_bytes.0, read - warm_up_bytes.1);
        if !measured {
            // Nothing was measured.
            self.counted = Counted::default();
        }
        Ok(())
    }

    /// Does the next operation. Returns its kind, and whether its record exists; `None` if it is an insert that failed
    /// and the phase goes on.
    fn operation(&mut self, client: &mut dyn Client) -> Result<Option<(Operation, bool)>> {
        let workload = self.shared.workload;
        let operation = match self.shared.terms.phase {
            Phase::Load => Operation::Insert,
            Phase::Run => workload.operation(uniform(&mut self.random)),
        };
        if operation == Operation::Insert {
            return Ok(self.insert(client)?.then_some((operation, true)));
        }
        let record = self.keys.pick(&mut self.random, &self.shared.inserted);
        workload.shape.key(record, &mut self.key);
        let (shape, key) = (&workload.shape, &self.key);
        let fields = shape.fields.len() as u64;
        let field =
            |all: bool, random: &mut Random64| (!all).then(|| below(random, fields) as usize);
        let found = match operation {
            Operation::Read => {
                client.read(shape, key, field(workload.read_all_fields, &mut self.random))?
            }
            Operation::Update => {
                let field = field(workload.write_all_fields, &mut self.random);
                client.update(shape, key, field, &mut self.random)?
            }
            Operation::Scan => {
                let length = workload.scan_length(&mut self.random);
                let field = field(workload.read_all_fields, &mut self.random);
                let records = client.scan(shape, key, length, field)?;
                self.counted.scanned += records;
                records > 0
            }
            Operation::ReadModifyWrite => {
                let read = field(workload.read_all_fields, &mut self.random);
                let written = field(workload.write_all_fields, &mut self.random);
                client.read(shape, key, read)?
                    && client.update(shape, key, written, &mut self.random)?
            }
            Operation::Insert => unreachable!("done above"),
        };
        Ok(Some((operation, found)))
    }

    /// Inserts the next record. Returns false if it failed and the phase goes on.
    fn insert(&mut self, client: &mut dyn Client) -> Result<bool> {
        let workload = self.shared.workload;
        let record = self.shared.inserted.begin();
        workload.shape.key(record, &mut self.key);
        let (retries, pause) = workload.insert_retries;
        let mut tried = 0;
        let result = loop {
            let result = client.insert(&workload.shape, &self.key, &mut self.random);
            if result.is_ok() || tried >= retries {
                break result;
            }
            tried += 1;
            // From 0.8 to 1.2 times the pause, so that threads do not retry at the same time.
            let pause = pause as f64 * (0.8 + 0.4 * uniform(&mut self.random));
            std::thread::sleep(Duration::from_secs_f64(pause));
        };
        self.shared.inserted.end(record);
        match result {
            Err(error) if workload.keep_going => {
                let failed = &mut self.counted.failed_inserts;
                failed.0 += 1;
                failed.1.get_or_insert(error);
                Ok(false)
            }
            result => result.map(|()| true),
        }
    }
}
