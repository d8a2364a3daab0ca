//! What the server counts: calls and times of commands, errors, and bytes.
//!
//! Files in reading order: `counter`, `histogram`, then this one.
//!
//! Each worker has its own counters, which only its thread changes, so counting shares no cache line. INFO sums them.
//! CONFIG RESETSTAT does not change them either: it keeps the sums, which are subtracted from later ones.

mod counter;
mod histogram;

pub use counter::Counter;
pub use histogram::{Histogram, Times};

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Codes of errors that are counted; further ones are counted together. Scripts can make up codes.
const CODES_MAX: usize = 128;

/// The counters of one command.
#[derive(Debug, Default)]
struct CommandCounters {
    calls: Counter,
    us: Counter,
    rejected: Counter,
    failed: Counter,
    times: OnceLock<Box<Histogram>>,
}

/// The counters of one worker.
#[derive(Debug)]
pub struct WorkerStats {
    commands: Box<[CommandCounters]>,
    errors: Mutex<BTreeMap<String, u64>>,
    /// Bytes that were read from clients.
    pub bytes_in: Counter,
    /// Bytes that were written to clients.
    pub bytes_out: Counter,
    /// Reads from sockets.
    pub reads: Counter,
    /// Writes to sockets.
    pub writes: Counter,
    /// Rows that commands wrote or deleted.
    pub changes: Counter,
    /// Look-ups of keys by commands that read, which found the key.
    pub hits: Counter,
    /// Those which did not find it.
    pub misses: Counter,
    /// Keys that were removed for their events when they expired.
    pub expired: Counter,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Outcome {
    /// It replied.
    Done,
    /// It replied an error.
    Failed,
    /// It was refused before it ran.
    Rejected,
}

impl WorkerStats {
    fn new(commands: usize) -> WorkerStats {
        WorkerStats {
            commands: (0..commands).map(|_| CommandCounters::default()).collect(),
            errors: Mutex::default(),
            bytes_in: Counter::new(),
            bytes_out: Counter::new(),
            reads: Counter::new(),
            writes: Counter::new(),
            changes: Counter::new(),
            hits: Counter::new(),
            misses: Counter::new(),
            expired: Counter::new(),
        }
    }

    /// Counts a command, which took this many microseconds. `has_times` says whether its histogram counts it too.
    pub fn count(&self, command: u16, outcome: Outcome, us: u64, has_times: bool) {
        let Some(counters) = self.commands.get(usize::from(command)) else { return };
        if outcome == Outcome::Rejected {
            return counters.rejected.add(1);
        }
        counters.calls.add(1);
        self.count_waited(command, outcome, us, has_times);
    }

    /// Counts a command that waits. [`count_waited`](WorkerStats::count_waited) counts the rest when it is answered.
    pub fn count_waiting(&self, command: u16) {
        if let Some(counters) = self.commands.get(usize::from(command)) {
            counters.calls.add(1);
        }
    }

    /// Counts time and outcome of a command whose call is counted.
    pub fn count_waited(&self, command: u16, outcome: Outcome, us: u64, has_times: bool) {
        let Some(counters) = self.commands.get(usize::from(command)) else { return };
        counters.us.add(us);
        if outcome == Outcome::Failed {
            counters.failed.add(1);
        }
        if has_times {
            counters.times.get_or_init(Histogram::new).record(us);
        }
    }

    /// Counts the look-up of a key.
    #[inline]
    pub fn count_lookup(&self, is_found: bool) {
        if is_found { self.hits.add(1) } else { self.misses.add(1) }
    }

    /// Counts an error reply.
    pub fn count_error(&self, text: &str) {
        let code = text.split(' ').next().unwrap_or_default();
        let mut errors = self.errors.lock();
        let is_full = errors.len() >= CODES_MAX && !errors.contains_key(code);
        let code = if is_full { "OTHER" } else { code };
        match errors.get_mut(code) {
            Some(count) => *count += 1,
            None => drop(errors.insert(code.to_owned(), 1)),
        }
    }
}

/// The sums of one command.
#[derive(Clone, Debug, Default)]
pub struct CommandTotals {
    /// How often it ran.
    pub calls: u64,
    /// How long it ran, in microseconds.
    pub us: u64,
    /// How often it was refused before it ran.
    pub rejected: u64,
    /// How often it failed.
    pub failed: u64,
    /// The times of its calls.
    pub times: Times,
}

/// The sums of all workers since the start or the last reset.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// By the number of the command.
    pub commands: Vec<CommandTotals>,
    /// By the code of the error.
    pub errors: BTreeMap<String, u64>,
    /// Bytes that were read from clients.
    pub bytes_in: u64,
    /// Bytes that were written to clients.
    pub bytes_out: u64,
    /// Reads from sockets.
    pub reads: u64,
    /// Writes to sockets.
    pub writes: u64,
    /// Rows that commands wrote or deleted since the start; a reset does not change it.
    pub changes: u64,
    /// Look-ups of keys by commands that read, which found the key.
    pub hits: u64,
    /// Those which did not find it.
    pub misses: u64,
    /// Keys that were removed since they had expired.
    pub expired: u64,
    /// Accepted connections.
    pub connections: u64,
    /// Connections that were refused since there were too many.
    pub refused: u64,
}

/// The counters of all workers.
#[derive(Debug)]
pub struct Stats {
    /// The number of commands.
    commands: usize,
    workers: Mutex<Vec<Arc<WorkerStats>>>,
    /// Keys whose rows compactions removed since they had expired.
    compacted: Arc<AtomicU64>,
    /// Accepted connections.
    pub connections: AtomicU64,
    /// Connections that were refused since there were too many.
    pub refused: AtomicU64,
    baseline: Mutex<Totals>,
    rates: Mutex<(Sample, Rates)>,
}

/// Sums at one moment.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    at_us: u64,
    calls: u64,
    bytes_in: u64,
    bytes_out: u64,
}

/// Rates per second.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rates {
    /// Commands.
    pub calls: u64,
    /// Bytes that were read from clients.
    pub bytes_in: f64,
    /// Bytes that were written to clients.
    pub bytes_out: f64,
}

impl Stats {
    /// Returns zeros for this many commands. `compacted` counts keys that compactions removed since they had expired.
    pub fn new(commands: usize, compacted: Arc<AtomicU64>) -> Stats {
        Stats {
            commands,
            workers: Mutex::default(),
            compacted,
            connections: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            baseline: Mutex::default(),
            rates: Mutex::default(),
        }
    }

    /// Returns the counters of a new worker.
    pub fn add_worker(&self) -> Arc<WorkerStats> {
        let worker = Arc::new(WorkerStats::new(self.commands));
        self.workers.lock().push(worker.clone());
        worker
    }

    /// Computes the rates since the last sample. The server calls it every few seconds.
    pub fn sample(&self, now_us: u64) {
        let sum = self.sum();
        let (bytes_in, bytes_out) = (sum.bytes_in, sum.bytes_out);
        let sample = Sample { at_us: now_us, calls: sum.calls(), bytes_in, bytes_out };
        let mut rates = self.rates.lock();
        let before = std::mem::replace(&mut rates.0, sample);
        let seconds = sample.at_us.saturating_sub(before.at_us).max(1) as f64 / 1e6;
        rates.1 = Rates {
            calls: ((sample.calls - before.calls) as f64 / seconds) as u64,
            bytes_in: (bytes_in - before.bytes_in) as f64 / seconds,
            bytes_out: (bytes_out - before.bytes_out) as f64 / seconds,
        };
    }

    /// Returns the rates between the last two samples.
    pub fn rates(&self) -> Rates {
        self.rates.lock().1
    }

    /// Returns the sums since the last reset.
    pub fn totals(&self) -> Totals {
        let mut totals = self.sum();
        totals.subtract(&self.baseline.lock());
        totals
    }

    /// Returns the sums since the start, whatever was reset.
    pub fn totals_since_start(&self) -> Totals {
        self.sum()
    }

    /// Begins to count at zero.
    pub fn reset(&self) {
        *self.baseline.lock() = self.sum();
    }

    /// Returns the sums since the start.
    fn sum(&self) -> Totals {
        let mut totals = Totals {
            commands: vec![CommandTotals::default(); self.commands],
            connections: self.connections.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
            expired: self.compacted.load(Ordering::Relaxed),
            ..Totals::default()
        };
        for worker in &*self.workers.lock() {
            totals.add(worker);
        }
        totals
    }
}

impl Totals {
    /// Returns the number of commands that ran.
    pub fn calls(&self) -> u64 {
        self.commands.iter().map(|command| command.calls).sum()
    }

    fn add(&mut self, worker: &WorkerStats) {
        for (total, counters) in self.commands.iter_mut().zip(&worker.commands) {
            total.calls += counters.calls.get();
            total.us += counters.us.get();
            total.rejected += counters.rejected.get();
            total.failed += counters.failed.get();
            if let Some(times) = counters.times.get() {
                total.times.add(times);
            }
        }
        for (code, count) in &*worker.errors.lock() {
            *self.errors.entry(code.clone()).or_default() += count;
        }
        self.bytes_in += worker.bytes_in.get();
        self.bytes_out += worker.bytes_out.get();
        self.reads += worker.reads.get();
        self.writes += worker.writes.get();
        self.changes += worker.changes.get();
        self.hits += worker.hits.get();
        self.misses += worker.misses.get();
        self.expired += worker.expired.get();
    }

    fn subtract(&mut self, earlier: &Totals) {
        for (total, before) in self.commands.iter_mut().zip(&earlier.commands) {
            total.calls -= before.calls.min(total.calls);
            total.us -= before.us.min(total.us);
            total.rejected -= before.rejected.min(total.rejected);
            total.failed -= before.failed.min(total.failed);
            total.times.subtract(&before.times);
        }
        for (code, count) in &mut self.errors {
            *count = count.saturating_sub(earlier.errors.get(code).copied().unwrap_or(0));
        }
        self.errors.retain(|_, count| *count > 0);
        self.bytes_in = self.bytes_in.saturating_sub(earlier.bytes_in);
        self.bytes_out = self.bytes_out.saturating_sub(earlier.bytes_out);
        self.reads = self.reads.saturating_sub(earlier.reads);
        self.writes = self.writes.saturating_sub(earlier.writes);
        self.hits = self.hits.saturating_sub(earlier.hits);
        self.misses = self.misses.saturating_sub(earlier.misses);
        self.expired = self.expired.saturating_sub(earlier.expired);
        self.connections = self.connections.saturating_sub(earlier.connections);
        self.refused = self.refused.saturating_sub(earlier.refused);
    }
}

#[cfg(test)]
#[path = "stats_test.rs"]
mod tests;
