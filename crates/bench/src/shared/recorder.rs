//! Records a phase while it runs: a line of the time line for each second, the live view, and the costs at its end.
//!
//! One thread samples once a second. It reads counters of the threads, of the kernel and of the engine, and takes no
//! lock that a measured thread takes, except those inside the engine that its properties need. Levels and debt are
//! cheap properties; see [`super::tree`].
//!
//! A phase begins in the warm-up, or at once in the measured part. [`Recorder::measured`] ends the warm-up: costs count
//! from there. A second in which the state changes is split.

use super::meters::{Meters, Reading};
use super::origin::Origin;
use super::screen::append_line;
use super::tree::{Counters, Tree};
use super::view::{Sample, Screen, Size, View};
use crate::process::{FileWatch, Memory, Usage};
use crate::target::{Result, Target};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The time between two samples.
const PERIOD: Duration = Duration::from_secs(1);
/// A window at the end of a state gets its own line from this length on, or if it is the only one.
const SHORTEST: f64 = 0.9;

/// What is recorded.
pub struct Phase {
    /// Its name in the live view.
    pub name: String,
    /// Fields of each line of the time line.
    pub fields: Map<String, Value>,
    /// What its threads do.
    pub meters: Arc<Meters>,
    /// The databases.
    pub targets: Vec<Arc<dyn Target>>,
    /// Directories whose growth counts as bytes written; none if somebody else watches them.
    pub dirs: Vec<PathBuf>,
    /// The file of the time line.
    pub timeline: Option<PathBuf>,
    /// Where the live view is shown.
    pub screen: Screen,
    /// How long it takes.
    pub size: Size,
    /// It begins with a warm-up.
    pub warm_up: bool,
    /// The process of the server, if one is measured and its process is known.
    pub server: Option<u32>,
}

/// Returns fields of [`Phase`] that are texts.
pub fn texts<const N: usize>(fields: [(&str, &str); N]) -> Map<String, Value> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect()
}

/// The costs of the measured part.
pub struct Record {
    /// Costs of the process.
    pub usage: Usage,
    /// The server's process and its costs, if it is known and still runs.
    pub server: Option<(u32, Usage)>,
    /// Memory: the peak of the measured part, and its end.
    pub memory: Memory,
    /// Bytes that went into files.
    pub written: u64,
    /// Syncs and stalls.
    pub counters: Counters,
    /// Seconds of warm-up before it.
    pub warm_up_seconds: f64,
    /// The warm-up ended because the throughput was steady.
    pub warm_up_detected: bool,
}

/// Bytes that the user wrote, read, and keeps: what amplifications are relative to. 0: not known.
#[derive(Clone, Copy, Debug, Default)]
pub struct UserBytes {
    /// Keys and values written.
    pub written: f64,
    /// Keys and values read.
    pub read: f64,
    /// Keys and values that the database holds.
    pub live: f64,
}

impl Record {
    /// Returns the object `cost` of a line of results.
    pub fn cost(&self) -> Value {
        json!({
            "cpu_user_s": self.usage.cpu_user,
            "cpu_system_s": self.usage.cpu_system,
            "resident_bytes": self.memory.anonymous + self.memory.mapped,
            "peak_resident_bytes": self.memory.peak,
            "bytes_written": self.written,
            "bytes_read": self.usage.read_calls_bytes,
            "device_bytes_written": self.usage.device_written,
            "device_bytes_read": self.usage.device_read,
            "fsyncs": self.counters.fsyncs,
            "stall_seconds": self.counters.stall_seconds,
            "stalls_by_cause": self.counters.stalls,
        })
    }

    /// Returns the object `warm_up` of a line of results.
    pub fn warm_up(&self) -> Value {
        json!({"seconds": self.warm_up_seconds, "detected": self.warm_up_detected})
    }

    /// Returns the object `amplification` of a line of results.
    pub fn amplification(&self, user: UserBytes, bytes_on_disk: u64) -> Value {
        let ratio = |part: u64, whole: f64| (whole > 0.0).then(|| part as f64 / whole);
        json!({
            "write": ratio(self.written, user.written),
            "read": ratio(self.usage.read_calls_bytes, user.read),
            "space": ratio(bytes_on_disk, user.live),
        })
    }
}

/// The beginning of the warm-up or of the measured part.
#[derive(Clone)]
struct Base {
    at: Instant,
    usage: Usage,
    server: Option<Usage>,
    reading: Reading,
}

/// The state that the caller and the sampling thread share.
struct Current {
    base: Base,
    measured: bool,
    over: bool,
}

struct Shared {
    phase: Phase,
    current: Mutex<Current>,
    changed: Condvar,
}

/// Records until [`Recorder::finish`].
pub struct Recorder {
    shared: Arc<Shared>,
    watch: Option<FileWatch>,
    thread: Option<JoinHandle<Result<()>>>,
    /// The beginning of the warm-up.
    began: Instant,
    /// Bytes written and counters of the engine at the beginning of the measured part.
    written: u64,
    counters: Counters,
    /// The warm-up ended because the throughput was steady.
    detected: bool,
}

impl Recorder {
    /// Begins to record.
    pub fn start(phase: Phase) -> Recorder {
        Memory::reset_peak();
        let watch = (!phase.dirs.is_empty()).then(|| FileWatch::start(phase.dirs.clone()));
        let base = Base::now(&phase);
        let (began, measured) = (base.at, !phase.warm_up);
        let counters = Counters::now(&phase.targets);
        let current = Mutex::new(Current { base, measured, over: false });
        let shared = Arc::new(Shared { phase, current, changed: Condvar::new() });
        let written = watch.as_ref().map_or(0, FileWatch::bytes);
        let sampled = Arc::clone(&shared);
        let thread = std::thread::spawn(move || Sampler::new(&sampled).run());
        Recorder { shared, watch, thread: Some(thread), began, written, counters, detected: false }
    }

    /// Ends the warm-up, because the throughput was steady if `detected`.
    pub fn measured(&mut self, detected: bool) {
        self.detected = detected;
        Memory::reset_peak();
        self.written = self.watch.as_ref().map_or(0, FileWatch::bytes);
        self.counters = Counters::now(&self.shared.phase.targets);
        let base = Base::now(&self.shared.phase);
        let mut current = self.shared.lock();
        (current.base, current.measured) = (base, true);
        drop(current);
        self.shared.changed.notify_all();
    }

    /// Ends the phase.
    ///
    /// # Errors
    /// The time line could not be written.
    pub fn finish(mut self) -> Result<Record> {
        let base = self.shared.lock().base.clone();
        let usage = Usage::now().since(&base.usage);
        let pid = self.shared.phase.server;
        let server = pid.and_then(|pid| Some((pid, Usage::of(pid)?.since(base.server.as_ref()?))));
        let memory = Memory::now();
        let grown = self.watch.as_ref().map_or(0, FileWatch::bytes) - self.written;
        let counters = Counters::now(&self.shared.phase.targets).since(&self.counters);
        self.stop()?;
        Ok(Record {
            usage,
            server,
            memory,
            written: grown.max(usage.write_calls_bytes),
            counters,
            warm_up_seconds: if self.shared.phase.warm_up {
                (base.at - self.began).as_secs_f64()
            } else {
                0.0
            },
            warm_up_detected: self.detected,
        })
    }

    fn stop(&mut self) -> Result<()> {
        self.shared.lock().over = true;
        self.shared.changed.notify_all();
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(_)) => Err("the thread that records the phase panicked".to_owned()),
            None => Ok(()),
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // After an error of the phase; that error is the one to report.
        let _ = self.stop();
    }
}

impl Base {
    fn now(phase: &Phase) -> Base {
        let server = phase.server.and_then(Usage::of);
        Base { at: Instant::now(), usage: Usage::now(), server, reading: phase.meters.read() }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sampling thread.
struct Sampler<'a> {
    shared: &'a Shared,
    view: View,
    base: Base,
    measured: bool,
    /// The end of the last window, and the counts there.
    last: (Instant, Reading),
    lines: u64,
}

impl<'a> Sampler<'a> {
    fn new(shared: &'a Shared) -> Sampler<'a> {
        let phase = &shared.phase;
        let current = shared.lock();
        let base = current.base.clone();
        Sampler {
            shared,
            view: View::new(phase.screen, &phase.name, phase.size),
            last: (base.at, base.reading.clone()),
            measured: current.measured,
            base,
            lines: 0,
        }
    }

    fn run(mut self) -> Result<()> {
        let mut result = Ok(());
        loop {
            let (over, changed) = self.wait();
            let at_end = over || changed.is_some();
            let window = self.window(changed.as_ref());
            let is_due = !at_end || self.lines == 0 || window.seconds >= SHORTEST;
            if is_due && window.seconds > 0.0 {
                let written = self.sample(&window);
                result = result.and(written);
            }
            if let Some(base) = changed {
                self.last = (base.at, base.reading.clone());
                (self.base, self.measured, self.lines) = (base, true, 0);
            }
            if over {
                self.view.end();
                return result;
            }
        }
    }

    /// Waits for the end of the second, of the warm-up or of the phase.
    fn wait(&self) -> (bool, Option<Base>) {
        let next = self.last.0 + PERIOD;
        let mut current = self.shared.lock();
        loop {
            let changed = current.measured && !self.measured;
            if current.over || changed {
                return (current.over, changed.then(|| current.base.clone()));
            }
            let left = next.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return (false, None);
            }
            current = match self.shared.changed.wait_timeout(current, left) {
                Ok((guard, _)) => guard,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }

    /// Returns what was done since the last window, up to now or to the end of the warm-up.
    fn window(&mut self, end: Option<&Base>) -> Window {
        let (at, reading) = match end {
            Some(base) => (base.at, base.reading.clone()),
            None => (Instant::now(), self.shared.phase.meters.read()),
        };
        let window = Window {
            seconds: at.saturating_duration_since(self.last.0).as_secs_f64(),
            since_start: at.saturating_duration_since(self.base.at).as_secs_f64(),
            done: reading.since(&self.base.reading).operations.iter().sum(),
            growth: reading.since(&self.last.1),
        };
        // A late sample does not move the later ones, unless it missed a whole second.
        let due = self.last.0 + PERIOD;
        self.last = (if at < due + PERIOD { at.min(due) } else { at }, reading);
        window
    }

    /// Writes a line and updates the view.
    fn sample(&mut self, window: &Window) -> Result<()> {
        let phase = &self.shared.phase;
        let tree = Tree::now(&phase.targets);
        let memory = Memory::now();
        let resident = memory.anonymous + memory.mapped;
        self.lines += 1;
        self.view.show(&Sample {
            warm_up: !self.measured,
            seconds: window.since_start,
            done: window.done,
            per_second: window.growth.operations.iter().sum::<u64>() as f64 / window.seconds,
            p99_us: window.growth.percentile_of_all(99.0),
            levels: tree.line(),
            resident,
        });
        let Some(path) = &phase.timeline else { return Ok(()) };
        let mut line = phase.fields.clone();
        line.extend(Origin::get().fields());
        let kinds = phase.meters.kinds.iter().enumerate();
        let p99 = |i: usize| window.growth.percentile(i, 99.0);
        let usage = Usage::now().since(&self.base.usage);
        let more = json!({
            "t": window.since_start,
            "window_s": window.seconds,
            "state": if self.measured { "measured" } else { "warm-up" },
            "ops": used(&phase.meters, kinds.clone().map(|(i, _)| json!(window.growth.operations[i]))),
            "p99_us": used(&phase.meters, kinds.map(|(i, _)| json!(p99(i)))),
            "resident_bytes": resident,
            "device_bytes_written": usage.device_written,
            "bytes_read": usage.read_calls_bytes,
        });
        for part in [more, tree.json()] {
            if let Value::Object(part) = part {
                line.extend(part);
            }
        }
        append_line(path, &Value::Object(line).to_string())
    }
}

/// Returns an object of the kinds of operations that the phase has done so far.
fn used(meters: &Meters, values: impl Iterator<Item = Value>) -> Value {
    let kinds = meters.kinds.iter().zip(meters.read().operations);
    let object = kinds.zip(values).filter(|((_, done), _)| *done > 0);
    Value::Object(object.map(|((kind, _), value)| ((*kind).to_owned(), value)).collect())
}

/// What was done in one window.
struct Window {
    seconds: f64,
    since_start: f64,
    done: u64,
    growth: Reading,
}

#[cfg(test)]
#[path = "recorder_test.rs"]
mod tests;
