//! The background: threads that wait for work, pick it under the lock, run it without, install it.
//!
//! Flushes have threads of their own, so that a long compaction never keeps writers waiting for
//! memory. Work is found by looking at the state, not by messages: a lost wake-up costs at most
//! the time of one idle wait.

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

/// An idle thread looks at the state at least this often.
const IDLE_WAIT: Duration = Duration::from_millis(500);
/// After the system refused a thread it is asked again after this time.
const THREADS_AGAIN: Duration = Duration::from_secs(1);
/// Tables that nobody else has deleted for so long are for a flush thread.
const PURGE_WAIT: Duration = Duration::from_millis(5);

/// Runs the jobs of a database.
pub(crate) struct Scheduler {
    pub(super) session: Arc<Session>,
    pub(super) reporter: Arc<Reporter>,
    pub(super) files: Arc<FileKeeper>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) commit: Arc<CommitQueue>,
    properties: Arc<Properties>,
    /// Who holds jobs up.
    pub(super) pauses: Arc<Pauses>,
    pub(super) flusher: Flusher,
    pub(super) compactor: Compactor,
    threads: Mutex<Threads>,
    /// Tables of which the background has to read index and filter; the last is next.
    pub(super) late_tables: Mutex<Vec<Weak<Table>>>,
    /// When figures went to LOG last.
    stats_dumped: Mutex<Instant>,
}

/// The threads of the background.
#[derive(Default)]
struct Threads {
    handles: Vec<JoinHandle<()>>,
    /// How many of them flush, and how many compact.
    counts: [usize; 2],
    /// The system refused some of them: when it is asked again.
    due: Option<Instant>,
}

impl Scheduler {
    /// Of a database without threads yet.
    pub(crate) fn new(
        (session, reporter, files): (Arc<Session>, Arc<Reporter>, Arc<FileKeeper>),
        catalog: Arc<Catalog>,
        commit: Arc<CommitQueue>,
        properties: Arc<Properties>,
    ) -> Scheduler {
        let pauses = Arc::<Pauses>::default();
        let base = || (Arc::clone(&session), Arc::clone(&reporter), Arc::clone(&files));
        let tree = (Arc::clone(&catalog), Arc::clone(&commit));
        let flusher = Flusher::new(base(), tree, Arc::clone(&pauses));
        let compactor = Compactor::new(base(), Arc::clone(&catalog), Arc::clone(&pauses));
        Scheduler {
            session,
            reporter,
            files,
            catalog,
            commit,
            properties,
            pauses,
            flusher,
            compactor,
            threads: Mutex::default(),
            late_tables: Mutex::default(),
            stats_dumped: Mutex::new(Instant::now()),
        }
    }

    /// What flushes memtables.
    pub(crate) fn flusher(&self) -> &Flusher {
        &self.flusher
    }

    /// Starts the threads of the background that the options ask for and that do not run yet. One of
    /// each kind must start; for those that the system refuses besides, it is asked again later.
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
        // First one of each kind.
        for (kind, count) in [(0, 1), (1, 1), (0, flushes), (1, compactions)] {
            // `close` says so before it takes the threads under this lock.
            while threads.counts[kind] < count && !self.session.health.is_closing() {
                self.start_thread(threads, kind)?;
            }
        }
        Ok(())
    }

    /// Starts a thread that flushes (0) or compacts (1).
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

    /// Starts threads that the system refused before, if it is time to ask again.
    fn start_missing_threads(self: &Arc<Self>) {
        let mut threads = self.threads.lock();
        if threads.due.is_some_and(|due| Instant::now() >= due)
            && self.start_threads(&mut threads).is_ok()
        {
            self.session.info_log.info(format_args!("all background threads are running now"));
        }
    }

    /// One thread that flushes, and does what else is to be done at once.
    fn flush_thread(self: &Arc<Self>) {
        let mut state = self.catalog.state();
        while !self.session.health.is_stopped() {
            if self.stats_due() {
                drop(state);
                self.properties.dump();
            } else if self.flusher.wants_new_wal(&state) {
                drop(state);
                self.flusher.renew_in_background();
            } else if let Some(family) = self.flusher.wanted_switch(&mut state) {
                drop(state);
                self.flusher.seal_in_background(&family);
            } else if let Some(work) = self.flusher.pick_flush(&mut state) {
                drop(state);
                if let Err(e) = self.flusher.run_flush(work) {
                    self.catalog.background_error(BackgroundErrorReason::Flush, &e);
                }
            } else if self.files.has_tables_to_purge() {
                // Who replaced them is about to delete them, and a flush should not wait for that.
                if self.catalog.wait_for_work(&mut state, PURGE_WAIT) {
                    continue;
                }
                drop(state);
                self.files.purge_table();
            } else if let Some(table) = self.next_late_table() {
                drop(state);
                self.read_late_table(&table);
            } else if self.commit.spare_chunks().is_idle() {
                drop(state);
                self.commit.spare_chunks().release();
            } else {
                self.start_missing_threads();
                let idle = state.running.retries.flushes.sleep(Instant::now(), IDLE_WAIT);
                self.catalog.wait_for_work(&mut state, idle);
                continue;
            }
            state = self.catalog.state();
        }
    }

    /// One thread that compacts.
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
                // The user's limit: it waits, and nothing has failed.
                Err(e) if e.code() == Code::CompactionTooLarge => {}
                Err(e) => self.catalog.background_error(BackgroundErrorReason::Compaction, &e),
                Ok(()) => {}
            }
            state = self.catalog.state();
        }
    }

    /// Whether it is time to write figures into LOG; if so, the next time is a period away.
    fn stats_due(&self) -> bool {
        let period_sec = self.session.live_options().stats_dump_period_sec;
        let mut dumped = self.stats_dumped.lock();
        let due = period_sec > 0 && dumped.elapsed() >= Duration::from_secs(period_sec.into());
        if due {
            *dumped = Instant::now();
        }
        due
    }

    /// Ends the threads and waits for them. Closing must have begun: no new one is started then.
    pub(crate) fn join(&self) {
        let threads = std::mem::take(&mut self.threads.lock().handles);
        self.catalog.notify_jobs();
        self.catalog.notify_waiters();
        for thread in threads {
            // A thread that panicked has said so; there is nothing to add.
            let _ = thread.join();
        }
        self.wait_for_users_jobs();
    }

    /// Waits for compactions on threads of users. Another process may open the directory as soon as
    /// the lock is let go: no job may install its result, or delete its inputs, after that.
    fn wait_for_users_jobs(&self) {
        let mut state = self.catalog.state();
        while state.running.manual() > 0 {
            self.catalog.wait_for_progress(&mut state);
        }
    }
}
