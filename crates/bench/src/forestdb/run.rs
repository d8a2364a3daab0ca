//! The measured part of a step: warm-up, time and limits.
//!
//! Threads begin with the warm-up. When it ends, each thread sets its counters to zero before its next batch; a batch
//! that began in the warm-up does not count. Batches that began before the end count, and the elapsed time goes on
//! until the last of them is done. The original program counts them too, but stops the clock before.

use super::config::Config;
use super::files::Files;
use super::worker::{self, Role};
use crate::shared::latency::Latencies;
use crate::shared::meters::Meters;
use crate::shared::recorder::Recorder;
use crate::shared::warm_up::WarmUp;
use crate::target::WriteMode;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The longest pause of the thread that watches the others.
const PAUSE: Duration = Duration::from_millis(20);

/// The phase of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// Warm-up: nothing counts.
    Warm,
    /// Batches count.
    Measured,
    /// No batch begins.
    Over,
}

/// The work of the threads of one role in the measured part.
#[derive(Clone, Default)]
pub struct Counted {
    /// Documents that were read or written.
    pub documents: u64,
    /// Batches.
    pub batches: u64,
    /// Latencies of batches.
    pub latencies: Latencies,
    /// When the last batch ended.
    pub last: Option<Instant>,
}

impl Counted {
    fn merge(&mut self, other: &Counted) {
        self.documents += other.documents;
        self.batches += other.batches;
        self.latencies.merge(&other.latencies);
        self.last = self.last.max(other.last);
    }
}

/// The result of a step.
pub struct Outcome {
    /// By role.
    pub roles: BTreeMap<Role, Counted>,
    /// Seconds of the measured part.
    pub elapsed: f64,
    /// It was ended before its limit.
    pub interrupted: bool,
    /// The first error of a thread.
    pub error: Option<String>,
}

/// The state that the threads of a step share.
pub struct Shared<'a> {
    /// The settings.
    pub config: &'a Config,
    /// The databases.
    pub files: &'a Files,
    /// The options of writes.
    pub write: WriteMode,
    /// Documents of each role, in [`Role`]'s order, the warm-up included.
    pub meters: Arc<Meters>,
    state: AtomicU8,
    documents: AtomicU64,
    batches: AtomicU64,
    error: Mutex<Option<String>>,
}

impl<'a> Shared<'a> {
    /// Before the threads begin.
    pub fn new(config: &'a Config, files: &'a Files, write: WriteMode) -> Shared<'a> {
        let threads = &config.threads;
        let threads = threads.readers + threads.iterators + threads.writers;
        Shared {
            config,
            files,
            write,
            meters: Arc::new(Meters::new(&Role::ALL.map(Role::name), threads)),
            state: AtomicU8::new(State::Warm as u8),
            documents: AtomicU64::new(0),
            batches: AtomicU64::new(0),
            error: Mutex::new(None),
        }
    }

    /// Returns where the step is.
    pub fn state(&self) -> State {
        match self.state.load(Ordering::Acquire) {
            0 => State::Warm,
            1 => State::Measured,
            _ => State::Over,
        }
    }

    fn set(&self, state: State) {
        // A thread may have ended the step meanwhile.
        self.state.fetch_max(state as u8, Ordering::AcqRel);
    }

    /// Takes a batch of this many documents from what the limits leave. False, and the end of the step, if they leave
    /// nothing. The last batch may exceed the limit of documents.
    pub fn take(&self, documents: u64) -> bool {
        let limits = &self.config.limits;
        let take = |limit: u64, counter: &AtomicU64, amount: u64| {
            limit == 0 || counter.fetch_add(amount, Ordering::Relaxed) < limit
        };
        let taken = take(limits.documents, &self.documents, documents)
            && take(limits.batches, &self.batches, 1);
        if !taken {
            self.set(State::Over);
        }
        taken
    }

    /// Ends the step with an error.
    pub fn fail(&self, error: String) {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.set(State::Over);
    }

    fn watch(&self, until: Option<Instant>, stop: &AtomicBool) {
        while self.state() != State::Over {
            let now = Instant::now();
            if stop.load(Ordering::Relaxed) {
                return self.set(State::Over);
            }
            let left = until.map_or(PAUSE, |until| until.saturating_duration_since(now));
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(PAUSE));
        }
    }
}

/// Runs the measured part, which `recorder` records.
pub fn run(shared: &Shared<'_>, stop: &AtomicBool, recorder: &mut Recorder) -> Outcome {
    let config = shared.config;
    std::thread::scope(|scope| {
        let threads = worker::spawn(scope, shared);
        if config.warm_up != WarmUp::None {
            let is_over = || stop.load(Ordering::Relaxed) || shared.state() == State::Over;
            let detected = config.warm_up.wait(&shared.meters, is_over);
            recorder.measured(detected);
        }
        let start = Instant::now();
        shared.set(State::Measured);
        let seconds = Some(config.limits.seconds).filter(|seconds| *seconds > 0);
        let until = seconds.map(|seconds| start + Duration::from_secs(seconds));
        shared.watch(until, stop);
        shared.set(State::Over);
        let mut end = until.is_some_and(|until| Instant::now() >= until).then(Instant::now);
        let mut roles = BTreeMap::<Role, Counted>::new();
        for (role, thread) in threads {
            match thread.join() {
                Ok(counted) => roles.entry(role).or_default().merge(&counted),
                Err(_) => shared.fail("a thread panicked".to_owned()),
            }
        }
        end = end.max(roles.values().filter_map(|counted| counted.last).max());
        let end = end.unwrap_or_else(Instant::now);
        Outcome {
            roles,
            elapsed: end.saturating_duration_since(start).as_secs_f64(),
            interrupted: stop.load(Ordering::Relaxed),
            error: shared.error.lock().unwrap_or_else(PoisonError::into_inner).take(),
        }
    })
}
