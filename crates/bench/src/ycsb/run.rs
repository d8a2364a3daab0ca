//! Runs a phase of a workload: threads, their pace, their latencies.
//!
//! With a target rate each thread has a schedule. The latency of an operation counts from its place on the schedule,
//! so that one slow operation also counts against those that had to wait for it; the time of the call alone is
//! reported beside it. Without a target both are the same.

use super::client::Client;
use super::inserted::Inserted;
use super::thread::{Counted, Thread};
use super::workload::{Operation, Workload};
use crate::shared::latency::Latencies;
use crate::shared::meters::Meters;
use crate::shared::recorder::Recorder;
use crate::shared::warm_up::WarmUp;
use crate::target::Result;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

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
pub(super) struct Shared<'a> {
    pub(super) workload: &'a Workload,
    pub(super) terms: Terms,
    pub(super) inserted: Inserted,
    /// Operations that were begun.
    pub(super) begun: AtomicU64,
    pub(super) limit: u64,
    pub(super) stop: &'a AtomicBool,
    pub(super) error: Mutex<Option<String>>,
    pub(super) meters: &'a Meters,
    /// The warm-up is over.
    pub(super) measured: AtomicBool,
    /// Threads that have ended.
    pub(super) ended: AtomicUsize,
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
    /// Operations that each thread has in flight at a time.
    pub in_flight: usize,
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

impl<'s> Shared<'s> {
    /// Returns whether nothing is left to wait for.
    fn is_over(&self) -> bool {
        let threads = self.meters.threads();
        self.stop.load(Ordering::Relaxed) || self.ended.load(Ordering::Relaxed) == threads
    }

    fn thread<'c>(&'s self, id: usize, client: Result<Box<dyn Client + 'c>>) -> Thread<'s> {
        let mut thread = Thread::new(self, id);
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
