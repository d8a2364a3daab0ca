//! Delivers events to listeners, and never under a lock.
//!
//! Jobs call listeners directly. An event under a lock (a sealed memtable, a change of stalls, an error of the WAL) is
//! queued. The thread that caused it, or a background thread, delivers it when it holds no lock. Without listeners
//! nothing is queued: the cost is one check of an empty list.

use super::totals::Totals;
use crate::env::clock::Instant;
use crate::env::lock_rank::{self, INNERMOST, RankedMutex};
use crate::env::sync::OnceLock;
use crate::env::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use crate::error::{Error, Result};
use crate::hooks::{
    BackgroundErrorReason, EventDb, EventListener, ExternalFileIngestionInfo, MemTableInfo,
    TableFileDeletionInfo, WriteStallCondition, WriteStallInfo,
};
use crate::memtable::MemTable;
use crate::session::{ColumnFamilyData, Session};
use std::any::Any;
use std::path::Path;
use std::sync::Arc;

/// The id of the recovery job, the first of a database.
pub(crate) const RECOVERY_JOB: i32 = 1;

/// An event that happened under a lock.
#[derive(Debug)]
pub(crate) enum Event {
    Sealed(MemTableInfo),
    Stalls(WriteStallInfo),
    Failed(BackgroundErrorReason, Error),
    Recovered(Error),
}

/// The queued events, the numbering of jobs, and the database's totals.
pub(crate) struct Reporter {
    pub(super) session: Arc<Session>,
    /// The database handle that listeners get.
    database: OnceLock<Box<dyn Any + Send + Sync>>,
    opened: Instant,
    /// Whether the queue has events.
    waiting: AtomicBool,
    queue: RankedMutex<Vec<Event>, INNERMOST>,
    /// The number of jobs since recovery.
    jobs: AtomicI32,
    totals: Totals,
}

impl Reporter {
    /// Creates the reporter of a database that is being opened.
    pub(crate) fn new(session: Arc<Session>) -> Reporter {
        Reporter {
            session,
            database: OnceLock::new(),
            opened: Instant::now(),
            waiting: AtomicBool::new(false),
            queue: RankedMutex::default(),
            jobs: AtomicI32::new(0),
            totals: Totals::default(),
        }
    }

    /// Sets the database handle that listeners get. Later calls do nothing.
    pub(crate) fn set_database(&self, database: impl Any + Send + Sync) {
        let _ = self.database.set(Box::new(database));
    }

    /// Returns the counters of the database's work.
    pub(crate) fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Returns the seconds since the database was opened; never 0.
    pub(crate) fn uptime(&self) -> f64 {
        self.opened.elapsed().as_secs_f64().max(1e-6)
    }

    /// Returns the number of a new background job.
    pub(crate) fn new_job_id(&self) -> i32 {
        self.jobs.fetch_add(1, Ordering::Relaxed) + RECOVERY_JOB + 1
    }

    /// Returns whether there are listeners.
    pub(crate) fn has_listeners(&self) -> bool {
        !self.session.options.components.listeners.is_empty()
    }

    /// Calls every listener. The caller must hold no lock.
    pub(crate) fn tell(&self, mut call: impl FnMut(&dyn EventListener)) {
        // A listener may call the database.
        lock_rank::assert_free_from(lock_rank::OPTIONS);
        self.session.options.components.listeners.iter().for_each(|listener| call(&**listener));
    }

    pub(super) fn event_db(&self) -> EventDb<'_> {
        let database = self.database.get().map(|database| &**database);
        EventDb { path: &self.session.dir, inner: database.unwrap_or(&()) }
    }

    // ---- what happens under a lock -----------------------------------------------------------

    /// Queues an event for listeners.
    pub(crate) fn queue(&self, event: impl FnOnce() -> Event) {
        if self.has_listeners() {
            self.queue.lock().push(event());
            self.waiting.store(true, Ordering::Release);
        }
    }

    /// Delivers the queued events to listeners. The caller must hold no lock.
    #[inline]
    pub(crate) fn deliver(&self) {
        if self.waiting.load(Ordering::Relaxed) {
            self.deliver_waiting();
        }
    }

    #[cold]
    fn deliver_waiting(&self) {
        let mut queue = self.queue.lock();
        self.waiting.store(false, Ordering::Release);
        let events = std::mem::take(&mut *queue);
        drop(queue);
        for event in events {
            match event {
                Event::Sealed(info) => self.tell(|l| l.on_memtable_sealed(&info)),
                Event::Stalls(info) => self.tell(|l| l.on_stall_conditions_changed(&info)),
                // The error cannot be changed any more: the thread in which it occurred has reported it.
                Event::Failed(reason, e) => {
                    self.tell(|l| l.on_background_error(reason, &mut Some(e.clone())));
                }
                Event::Recovered(old) => self.tell(|l| l.on_error_recovery_completed(&old)),
            }
        }
    }

    /// Notes that a memtable became immutable.
    pub(crate) fn note_sealed(&self, family: &ColumnFamilyData, mem: &MemTable) {
        self.queue(|| {
            Event::Sealed(MemTableInfo {
                cf_name: family.name.clone(),
                first_seqno: mem.first_sequence(),
                earliest_seqno: mem.earliest_sequence(),
                num_entries: mem.num_entries(),
                num_deletes: mem.num_deletes(),
            })
        });
    }

    /// Notes that the stall condition of a family's writers has changed.
    pub(crate) fn stall_changed(
        &self,
        family: &ColumnFamilyData,
        prev: WriteStallCondition,
        cur: WriteStallCondition,
    ) {
        self.queue(|| Event::Stalls(WriteStallInfo { cf_name: family.name.clone(), cur, prev }));
    }

    // ---- the rest ----------------------------------------------------------------------------

    /// Reports that a table was deleted, or that this failed.
    pub(crate) fn tell_table_deleted(&self, path: &Path, status: &Result<()>) {
        if self.has_listeners() {
            let info = TableFileDeletionInfo {
                db_name: self.session.dir.clone(),
                file_path: path.to_owned(),
                job_id: 0,
                status: status.clone(),
            };
            self.tell(|l| l.on_table_file_deleted(&info));
        }
    }

    /// Reports that an ingested file became part of the database.
    pub(crate) fn tell_file_ingested(&self, info: &ExternalFileIngestionInfo) {
        self.tell(|l| l.on_external_file_ingested(self.event_db(), info));
    }

    /// Reports a job's error to listeners, which may replace or clear it. The caller must hold no lock.
    pub(crate) fn ask_about_error(
        &self,
        reason: BackgroundErrorReason,
        error: Error,
        recovers: bool,
    ) -> Option<Error> {
        let mut error = Some(error);
        self.tell(|l| l.on_background_error(reason, &mut error));
        if let (Some(e), true) = (&error, recovers) {
            self.tell(|l| l.on_error_recovery_begin(reason, e));
        }
        error
    }
}
