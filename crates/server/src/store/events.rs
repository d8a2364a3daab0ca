//! What the engine reports of its background work: running and finished flushes and compactions, and stalls of writers.
//!
//! The engine calls the listener a few times per job, on the threads of jobs, and once per memtable on a writing
//! thread. No read and no write passes here otherwise.

use crate::clock::{Clock, SystemClock};
use ferrolith::events::{
    BackgroundErrorReason, CompactionJobInfo, EventDb, EventListener, FlushJobInfo, FlushReason,
    MemTableInfo, WriteStallCondition, WriteStallInfo,
};
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// The finished jobs that are kept.
const JOBS_MAX: usize = 512;
/// The changes of stall conditions that are kept.
const STALLS_MAX: usize = 256;

/// The kind of a background job.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum JobKind {
    /// Memtables are written to a table file.
    Flush,
    /// Table files are merged.
    Compaction,
}

/// A flush or a compaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The kind.
    pub kind: JobKind,
    /// The engine's number of the job.
    pub id: i32,
    /// The name of the column family.
    pub family: String,
    /// Why it runs, in the engine's words.
    pub reason: &'static str,
    /// When it began, in milliseconds since 1970.
    pub started_ms: u64,
    /// When it ended, in milliseconds since 1970; `None` while it runs.
    pub ended_ms: Option<u64>,
    /// The first level that it reads; -1 for memtables.
    pub from_level: i32,
    /// The level that it writes to.
    pub to_level: i32,
    /// Bytes of table files read.
    pub read_bytes: u64,
    /// Bytes of table files written.
    pub written_bytes: u64,
    /// Why it failed; empty if it did not.
    pub error: String,
}

/// A change of the condition of writers to a column family.
#[derive(Clone, Debug, PartialEq)]
pub struct Stall {
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// The name of the column family.
    pub family: String,
    /// `normal`, `delayed` or `stopped`.
    pub condition: &'static str,
    /// Why, in the engine's words, such as `l0-file-count-limit-stops`; empty for `normal` and if it is unknown.
    pub cause: String,
}

/// Counts of stalls by cause.
pub(super) type Causes = Vec<(String, u64)>;

/// Returns the counts of a family.
type ReadCauses = Box<dyn Fn(&str) -> Causes + Send + Sync>;

/// The history of background work. It is bounded, and empty after a start.
pub struct Events {
    clock: SystemClock,
    log: Mutex<Log>,
    /// Set while the database is open.
    read_causes: Mutex<Option<ReadCauses>>,
}

#[derive(Default)]
struct Log {
    running: Vec<Job>,
    finished: VecDeque<Job>,
    stalls: VecDeque<Stall>,
    /// The counts of stalls when the latest one began, by family.
    causes: BTreeMap<String, Causes>,
    /// The present conditions that are not normal, by family.
    conditions: BTreeMap<String, &'static str>,
    /// The entries of all sealed memtables, by family.
    sealed: BTreeMap<String, u64>,
    /// The latest error that stopped writes.
    error: Option<(u64, String)>,
}

impl Default for Events {
    fn default() -> Events {
        Events { clock: SystemClock::new(), log: Mutex::default(), read_causes: Mutex::default() }
    }
}

impl Events {
    /// Returns the jobs that run, the oldest first.
    pub fn running(&self) -> Vec<Job> {
        self.log.lock().running.clone()
    }

    /// Returns the latest jobs that ended, the newest first.
    pub fn finished(&self, count: usize) -> Vec<Job> {
        self.log.lock().finished.iter().rev().take(count).cloned().collect()
    }

    /// Returns the latest changes of stall conditions, the newest first.
    pub fn stalls(&self) -> Vec<Stall> {
        self.log.lock().stalls.iter().rev().cloned().collect()
    }

    /// Returns the families whose writers are delayed or stopped, and which of the two.
    pub fn conditions(&self) -> Vec<(String, &'static str)> {
        self.log.lock().conditions.iter().map(|(family, it)| (family.clone(), *it)).collect()
    }

    /// Returns the number of entries of a family's sealed memtables since the start.
    pub fn sealed_entries(&self, family: &str) -> u64 {
        self.log.lock().sealed.get(family).copied().unwrap_or(0)
    }

    /// Returns when a background error stopped writes last, in milliseconds since 1970, and its text; `None` if there
    /// was none or writes resumed.
    pub fn error(&self) -> Option<(u64, String)> {
        self.log.lock().error.clone()
    }

    /// Sets what reads the counts of stalls by cause; `None` before the database closes.
    pub(super) fn set_causes(&self, read: Option<ReadCauses>) {
        *self.read_causes.lock() = read;
    }

    /// Forgets a family that was dropped, but for the history of its jobs and stalls.
    pub(super) fn forget(&self, family: &str) {
        let mut log = self.log.lock();
        log.causes.remove(family);
        log.conditions.remove(family);
        log.sealed.remove(family);
    }

    fn begin(&self, job: Job) {
        let mut log = self.log.lock();
        // The engine reports no end of a flush that failed: the next one of the family shows that it is over.
        let stale = |it: &Job| it.kind == JobKind::Flush && it.family == job.family;
        if job.kind == JobKind::Flush && log.running.iter().any(stale) {
            let at = log.running.iter().position(stale).unwrap_or(0);
            let old = log.running.remove(at);
            let error = "it was repeated".to_owned();
            log.finish(Job { ended_ms: Some(job.started_ms), error, ..old });
        }
        log.running.push(job);
    }

    fn end(&self, kind: JobKind, id: i32, family: &str, with: impl FnOnce(&mut Job)) {
        let now_ms = self.clock.wall_ms();
        let mut log = self.log.lock();
        let is_it = |it: &Job| it.kind == kind && it.id == id && it.family == family;
        let Some(at) = log.running.iter().position(is_it) else { return };
        let mut job = log.running.remove(at);
        job.ended_ms = Some(now_ms);
        with(&mut job);
        log.finish(job);
    }
}

impl Log {
    /// Returns the cause of a new condition: that whose count has grown.
    fn cause_of(&mut self, family: &str, condition: &str, now: Causes) -> String {
        let end = match condition {
            "delayed" => "-delays",
            "stopped" => "-stops",
            _ => return String::new(),
        };
        let before = self.causes.insert(family.to_owned(), now.clone()).unwrap_or_default();
        let old = |cause: &str| before.iter().find(|(it, _)| it == cause).map_or(0, |(_, n)| *n);
        let grown = now.iter().filter(|(cause, n)| cause.ends_with(end) && *n > old(cause));
        let grown: Vec<_> = grown.map(|(cause, _)| cause.as_str()).collect();
        grown.join(", ")
    }

    fn finish(&mut self, job: Job) {
        if self.finished.len() >= JOBS_MAX {
            self.finished.pop_front();
        }
        self.finished.push_back(job);
    }
}

/// The listener that fills the history.
pub(super) struct Listener(pub(super) Arc<Events>);

impl EventListener for Listener {
    fn on_flush_begin(&self, _: EventDb<'_>, info: &FlushJobInfo) {
        self.0.begin(Job {
            kind: JobKind::Flush,
            id: info.job_id,
            family: info.cf_name.clone(),
            reason: FlushReason::name(info.flush_reason),
            started_ms: self.0.clock.wall_ms(),
            ended_ms: None,
            from_level: -1,
            to_level: 0,
            read_bytes: 0,
            written_bytes: 0,
            error: String::new(),
        });
    }

    fn on_flush_completed(&self, _: EventDb<'_>, info: &FlushJobInfo) {
        self.0.end(JobKind::Flush, info.job_id, &info.cf_name, |job| {
            let table = &info.table_properties;
            job.written_bytes = table.data_size + table.index_size + table.filter_size;
        });
    }

    fn on_compaction_begin(&self, _: EventDb<'_>, info: &CompactionJobInfo) {
        self.0.begin(Job {
            kind: JobKind::Compaction,
            id: info.job_id,
            family: info.cf_name.clone(),
            reason: info.compaction_reason.name(),
            started_ms: self.0.clock.wall_ms(),
            ended_ms: None,
            from_level: info.base_input_level,
            to_level: info.output_level,
            read_bytes: info.stats.total_input_bytes,
            written_bytes: 0,
            error: String::new(),
        });
    }

    fn on_compaction_completed(&self, _: EventDb<'_>, info: &CompactionJobInfo) {
        self.0.end(JobKind::Compaction, info.job_id, &info.cf_name, |job| {
            job.read_bytes = info.stats.total_input_bytes;
            job.written_bytes = info.stats.total_output_bytes;
            job.error = info.status.as_ref().err().map(ToString::to_string).unwrap_or_default();
        });
    }

    fn on_memtable_sealed(&self, info: &MemTableInfo) {
        let mut log = self.0.log.lock();
        match log.sealed.get_mut(&info.cf_name) {
            Some(entries) => *entries += info.num_entries,
            None => drop(log.sealed.insert(info.cf_name.clone(), info.num_entries)),
        }
    }

    fn on_background_error(
        &self,
        reason: BackgroundErrorReason,
        error: &mut Option<ferrolith::Error>,
    ) {
        let (now_ms, mut log) = (self.0.clock.wall_ms(), self.0.log.lock());
        let text = error.as_ref().map(ToString::to_string).unwrap_or_default();
        if matches!(reason, BackgroundErrorReason::Flush | BackgroundErrorReason::FlushNoWal) {
            let running = std::mem::take(&mut log.running).into_iter();
            let (failed, running): (Vec<_>, Vec<_>) =
                running.partition(|job| job.kind == JobKind::Flush);
            log.running = running;
            for job in failed {
                log.finish(Job { ended_ms: Some(now_ms), error: text.clone(), ..job });
            }
        }
        log.error = Some((now_ms, format!("{}: {text}", reason.name())));
    }

    fn on_error_recovery_completed(&self, _: &ferrolith::Error) {
        self.0.log.lock().error = None;
    }

    fn on_stall_conditions_changed(&self, info: &WriteStallInfo) {
        let condition = match info.cur {
            WriteStallCondition::Normal => "normal",
            WriteStallCondition::Delayed => "delayed",
            WriteStallCondition::Stopped => "stopped",
        };
        // Before the lock: the engine may wait for one that another listener's call holds.
        let causes = self.0.read_causes.lock().as_ref().map(|read| read(&info.cf_name));
        let (at_ms, mut log) = (self.0.clock.wall_ms(), self.0.log.lock());
        let cause = log.cause_of(&info.cf_name, condition, causes.unwrap_or_default());
        match condition {
            "normal" => drop(log.conditions.remove(&info.cf_name)),
            _ => drop(log.conditions.insert(info.cf_name.clone(), condition)),
        }
        if log.stalls.len() >= STALLS_MAX {
            log.stalls.pop_front();
        }
        log.stalls.push_back(Stall { at_ms, family: info.cf_name.clone(), condition, cause });
    }
}

#[cfg(test)]
#[path = "events_test.rs"]
mod tests;
