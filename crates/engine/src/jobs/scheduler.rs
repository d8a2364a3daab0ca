//! The background threads: each waits for work, picks it under the state lock, runs it without the lock, and installs
//! it.
//!
//! Flushes have threads of their own, so that a long compaction never makes writers wait for memory. Threads find work
//! by checking the state, not through messages: a lost notification costs at most one idle wait.

use super::compaction::Compactor;
use super::flush::Flusher;
use super::pauses::Pauses;
use crate::catalog::Catalog;
use crate::commit::CommitQueue;
use crate::env::clock::Instant;
use crate::env::sync::Mutex;
use crate::env::threads;
use crate::env::threads::JoinHandle;
use crate::error::{Code, Error, Result};
use crate::files::FileKeeper;
use crate::hooks::BackgroundErrorReason;
use crate::options;
use crate::properties::Properties;
use crate::report::Reporter;
use crate::session::Session;
use crate::sst::Table;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// An idle thread checks the state at least this often.
const IDLE_WAIT: Duration = Duration::from_millis(500);
/// After the system refused to start a thread, the next attempt is made after this time.
const THREADS_AGAIN: Duration = Duration::from_secs(1);
/// If no other thread deletes obsolete tables within this time, a flush thread does.
const PURGE_WAIT: Duration = Duration::from_millis(5);

/// Runs the background jobs of a database.
pub(crate) struct Scheduler {
    pub(super) session: Arc<Session>,
    pub(super) reporter: Arc<Reporter>,
    pub(super) files: Arc<FileKeeper>,
    pub(super) catalog: Arc<Catalog>,
    properties: Arc<Properties>,
    /// The pauses in force.
    pub(super) pauses: Arc<Pauses>,
    pub(super) flusher: Flusher,
    pub(super) compactor: Compactor,
    threads: Mutex<Threads>,
    /// Tables whose index and filter the background still has to load; the last one is next.
    pub(super) late_tables: Mutex<Vec<Weak<Table>>>,
    /// When statistics were last written to LOG.
    stats_dumped: Mutex<Instant>,
}

/// The background threads.
#[derive(Default)]
struct Threads {
    handles: Vec<JoinHandle<()>>,
    /// The number of flush threads and of compaction threads.
    counts: [usize; 2],
    /// When to try again to start threads that the system refused.
    due: Option<Instant>,
}

impl Scheduler {
    /// Creates a scheduler that has no threads yet.
    pub(crate) fn new(
        (session, reporter, files): (Arc<Session>, Arc<Reporter>, Arc<FileKeeper>),
        catalog: Arc<Catalog>,
        commit: Arc<CommitQueue>,
        properties: Arc<Properties>,
    ) -> Scheduler {
        let pauses = Arc::<Pauses>::default();
        let base = || (Arc::clone(&session), Arc::clone(&reporter), Arc::clone(&files));
        let tree = (Arc::clone(&catalog), commit);
        let flusher = Flusher::new(base(), tree, Arc::clone(&pauses));
        let compactor = Compactor::new(base(), Arc::clone(&catalog), Arc::clone(&pauses));
        Scheduler {
            session,
            reporter,
            files,
            catalog,
            properties,
            pauses,
            flusher,
            compactor,
            threads: Mutex::default(),
            late_tables: Mutex::default(),
            stats_dumped: Mutex::new(Instant::now()),
        }
    }

    /// Returns the flusher.
    pub(crate) fn flusher(&self) -> &Flusher {
        &self.flusher
    }

    /// Starts the background threads that the options require and that are not running yet. One thread of each kind
    /// must start; the system may refuse the others, which are tried again later.
    pub(crate) fn start(self: &Arc<Self>) -> Result<()> {
        let mut threads = self.threads.lock();
        match self.start_threads(&mut threads) {
            Err(e) if threads.counts.contains(&0) => Err(e),
            Err(e) => {
                self.session
                    .info_log
                    .warn(format_args!("{e}: continuing with the other background threads"));
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn start_threads(self: &Arc<Self>, threads: &mut Threads) -> Result<()> {
        let (flushes, compactions) = options::background_job_limits(&self.session.live_options());
        threads.due = None;
        // Start one thread of each kind first.
        for (kind, count) in [(0, 1), (1, 1), (0, flushes), (1, compactions)] {
            // `close` sets the flag before it takes the threads under this lock.
            while threads.counts[kind] < count && !self.session.health.is_closing() {
                self.start_thread(threads, kind)?;
            }
        }
        Ok(())
    }

    /// Starts a thread for flushes (0) or compactions (1).
    fn start_thread(self: &Arc<Self>, threads: &mut Threads, kind: usize) -> Result<()> {
        let jobs = Arc::clone(self);
        let number = threads.counts[kind];
        let spawned = match kind {
            0 => threads::spawn(&format!("ferro-flush{number}"), move || jobs.flush_thread()),
            _ => threads::spawn(&format!("ferro-compact{number}"), move || {
                jobs.compaction_thread();
            }),
        };
        let spawned = spawned.map_err(|e| {
            threads.due = Some(Instant::now() + THREADS_AGAIN);
            Error::io("While starting a background thread", e)
        })?;
        threads.handles.push(spawned);
        threads.counts[kind] += 1;
        Ok(())
    }

    /// Starts threads that the system refused before, if it is time to try again.
    fn start_missing_threads(self: &Arc<Self>) {
        let mut threads = self.threads.lock();
        if threads.due.is_some_and(|due| Instant::now() >= due)
            && self.start_threads(&mut threads).is_ok()
        {
            self.session.info_log.info(format_args!("all background threads are running now"));
        }
    }

    /// The loop of a flush thread, which also does other urgent work.
    fn flush_thread(self: &Arc<Self>) {
        let mut state = self.catalog.state();
        while !self.session.health.is_stopped() {
            if self.stats_due() {
                drop(state);
                self.properties.dump();
            } else if self.flusher.wants_new_wal(&state) {
                let attempt = state.wals.begin_renewal();
                drop(state);
                self.flusher.renew_in_background(attempt);
            } else if let Some((family, reason)) = self.flusher.wanted_switch(&mut state) {
                drop(state);
                self.flusher.seal_in_background(&family, reason);
            } else if let Some(work) = self.flusher.pick_flush(&mut state) {
                drop(state);
                if let Err(e) = self.flusher.run_flush(work) {
                    self.catalog.background_error(BackgroundErrorReason::Flush, &e);
                }
            } else if self.files.has_tables_to_purge() {
                // The thread that replaced the tables is about to delete them, and a flush should not wait for that.
                if self.catalog.wait_for_work(&mut state, PURGE_WAIT) {
                    continue;
                }
                drop(state);
                self.files.purge_table();
            } else if let Some(table) = self.next_late_table() {
                drop(state);
                self.read_late_table(&table);
            } else if self.session.spare_chunks.is_idle() {
                drop(state);
                self.session.spare_chunks.release();
            } else {
                self.start_missing_threads();
                let idle = state.running.retries.flushes.sleep(Instant::now(), IDLE_WAIT);
                self.catalog.wait_for_work(&mut state, idle);
                continue;
            }
            state = self.catalog.state();
        }
    }

    /// The loop of a compaction thread.
    fn compaction_thread(self: &Arc<Self>) {
        let mut state = self.catalog.state();
        while !self.session.health.is_stopped() {
            let to_sample = state.running.retries.dirs_to_sample(Instant::now());
            if !to_sample.is_empty() {
                drop(state);
                self.compactor.sample_free_space(&to_sample);
                state = self.catalog.state();
            }
            let Some(work) = self.compactor.pick_compaction(&mut state) else {
                let idle = state.running.retries.compactions.sleep(Instant::now(), IDLE_WAIT);
                self.catalog.wait_for_work(&mut state, idle);
                continue;
            };
            drop(state);
            match self.compactor.run_compaction(work) {
                // The user's limit: the compaction waits, but has not failed.
                Err(e) if e.code() == Code::CompactionTooLarge => {}
                Err(e) => self.catalog.background_error(BackgroundErrorReason::Compaction, &e),
                Ok(()) => {}
            }
            state = self.catalog.state();
        }
    }

    /// Returns whether it is time to write statistics to LOG. If so, begins the next period.
    fn stats_due(&self) -> bool {
        let period_sec = self.session.live_options().stats_dump_period_sec;
        let mut dumped = self.stats_dumped.lock();
        let due = period_sec > 0 && dumped.elapsed() >= Duration::from_secs(period_sec.into());
        if due {
            *dumped = Instant::now();
        }
        due
    }

    /// Joins the threads. Closing must have begun, so that no new thread is started.
    pub(crate) fn join(&self) {
        let threads = std::mem::take(&mut self.threads.lock().handles);
        self.catalog.notify_jobs();
        self.catalog.notify_waiters();
        for thread in threads {
            // A panic in a thread has already been reported.
            let _ = thread.join();
        }
        self.wait_for_users_jobs();
    }

    /// Waits for compactions on users' threads. Another process may open the directory as soon as the directory lock is
    /// released; no job may install its result or delete its inputs after that.
    fn wait_for_users_jobs(&self) {
        let mut state = self.catalog.state();
        while state.running.manual() > 0 {
            self.catalog.wait_for_progress(&mut state);
        }
        debug_assert_eq!(state.running.flushes(), 0, "expected no flush while closing");
        for family in state.families.values() {
            debug_assert!(!family.flushing, "expected no flush of {:?}", family.data.name);
            debug_assert!(
                family.picker.is_idle(),
                "expected no compaction while closing, found {:?}",
                family.picker
            );
        }
    }
}
