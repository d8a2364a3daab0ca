//! Tells listeners what happens, and never under a lock.
//!
//! Jobs call them directly. What happens under the write or state lock (a sealed memtable, a change
//! of stalls, an error of the WAL) is put into a queue, and the thread that caused it, or a
//! background thread, delivers it when it holds nothing. Without listeners nothing is queued: the
//! cost is a look at an empty list.

use super::column_family::ColumnFamilyState;
use super::handles::{ColumnFamily, Db};
use super::level_jobs::LevelJobs;
use super::recover::RECOVERY_JOB;
use super::state::DbInner;
use crate::compaction::plan::CompactionPlan;
use crate::env::sync::Mutex;
use crate::env::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use crate::error::{Error, Result};
use crate::fs::{filename, thread_number};
use crate::hooks::{
    BackgroundErrorReason, ColumnFamilyHandleInfo, CompactionFileInfo, CompactionJobInfo,
    CompactionJobStats, CompactionReason, EventDb, EventListener, ExternalFileIngestionInfo,
    FlushJobInfo, FlushReason, ManualFlushInfo, MemTableInfo, TableFigures, TableFileDeletionInfo,
    WriteStallCondition, WriteStallInfo,
};
use crate::memtable::MemTable;
use crate::session::ColumnFamilyData;
use crate::version::{DataPaths, FileMeta};
use crate::write::Stall;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

/// Something that happened under a lock.
#[derive(Debug)]
pub(super) enum Event {
    Sealed(MemTableInfo),
    Stalls(WriteStallInfo),
    Failed(BackgroundErrorReason, Error),
    Recovered(Error),
}

/// What listeners have yet to be told, and the numbers of jobs.
#[derive(Default)]
pub(crate) struct Events {
    /// For handles that listeners get.
    myself: OnceLock<Weak<DbInner>>,
    /// When the database was opened.
    pub(super) opened: OnceLock<Instant>,
    /// The queue is not empty.
    waiting: AtomicBool,
    queue: Mutex<Vec<Event>>,
    /// Jobs since recovery.
    jobs: AtomicI32,
}

/// What listeners are told of a compaction besides its plan.
#[derive(Default)]
pub(super) struct CompactionReport {
    pub(super) job_id: i32,
    pub(super) stats: CompactionJobStats,
    /// The new files with their levels, and where they are.
    pub(super) outputs: Vec<(CompactionFileInfo, PathBuf)>,
}

impl CompactionReport {
    /// A file is part of the result.
    pub(super) fn note_output(&mut self, paths: &DataPaths, level: usize, file: &FileMeta) {
        let (level, file_number) = (level as i32, file.number);
        self.outputs.push((CompactionFileInfo { level, file_number }, paths.table(file)));
    }

    /// What the levels' table says of it.
    pub(super) fn level_jobs(&self, plan: &CompactionPlan) -> LevelJobs {
        let here = plan.input_files().filter(|(level, _)| *level == plan.output_level);
        let here: u64 = here.map(|(_, file)| file.file_size).sum();
        let stats = &self.stats;
        if plan.trivial_move {
            return LevelJobs { moved: stats.total_input_bytes, ..LevelJobs::default() };
        }
        LevelJobs {
            micros: stats.elapsed_micros,
            cpu_micros: stats.cpu_micros,
            read: stats.total_input_bytes - here,
            read_here: here,
            written: stats.total_output_bytes,
            moved: 0,
            count: 1,
            keys_in: stats.num_input_records,
            keys_dropped: stats.num_input_records.saturating_sub(stats.num_output_records),
        }
    }

    /// What the parts read and wrote. All of the inputs was read, whatever each part counted.
    pub(super) fn note_records(&mut self, plan: &CompactionPlan, parts: &CompactionJobStats) {
        self.stats.add_output(parts);
        let files = || plan.input_files().map(|(_, file)| file.stats());
        self.stats.num_input_records = files().map(|f| f.num_entries).sum();
        self.stats.num_input_deletion_records = files().map(|f| f.num_deletions).sum();
    }
}

impl Db {
    /// A handle of the database that a listener is told of. It does not keep the database open:
    /// once that is closed, calls fail.
    pub fn of_event(event: EventDb<'_>) -> Option<Db> {
        let inner = event.inner.downcast_ref::<DbInner>()?.events.myself.get()?.upgrade()?;
        Some(Db::new(inner, false))
    }

    /// Lets a handle go and tells listeners; a handle that is only dropped tells nobody.
    pub fn destroy_column_family_handle(&self, cf: ColumnFamily) {
        let info = ColumnFamilyHandleInfo { cf_id: cf.id(), cf_name: cf.name().to_owned() };
        self.shared.inner.tell(|l| l.on_column_family_handle_deletion_started(&info));
    }
}

impl DbInner {
    /// To be called once, when the database has its place.
    pub(super) fn prepare_events(self: &Arc<Self>) {
        let _ = self.events.myself.set(Arc::downgrade(self));
        let weak = Arc::downgrade(self);
        // The last holder of an obsolete table may hold locks. A flush thread deletes the file.
        self.graveyard.set_notify(move || {
            if let Some(inner) = weak.upgrade() {
                inner.work.notify_all();
            }
        });
        let _ = self.events.opened.set(Instant::now());
    }

    /// A reference that does not keep the database.
    pub(super) fn weak(&self) -> Weak<DbInner> {
        self.events.myself.get().cloned().unwrap_or_default()
    }

    /// A number for a job of the background.
    pub(crate) fn new_job_id(&self) -> i32 {
        self.events.jobs.fetch_add(1, Ordering::Relaxed) + RECOVERY_JOB + 1
    }

    /// Whether anybody listens.
    pub(super) fn has_listeners(&self) -> bool {
        !self.options.listeners.is_empty()
    }

    /// Calls every listener. No lock may be held.
    pub(super) fn tell(&self, mut call: impl FnMut(&dyn EventListener)) {
        self.options.listeners.iter().for_each(|listener| call(&**listener));
    }

    fn event_db(&self) -> EventDb<'_> {
        EventDb { path: &self.dir, inner: self }
    }

    // ---- what happens under a lock -----------------------------------------------------------

    /// Has listeners told soon.
    pub(super) fn queue_event(&self, event: impl FnOnce() -> Event) {
        if self.has_listeners() {
            self.events.queue.lock().push(event());
            self.events.waiting.store(true, Ordering::Release);
        }
    }

    /// Tells listeners what is queued. No lock may be held.
    #[inline]
    pub(super) fn deliver_events(&self) {
        if self.events.waiting.load(Ordering::Relaxed) {
            self.deliver_waiting();
        }
    }

    #[cold]
    fn deliver_waiting(&self) {
        let mut queue = self.events.queue.lock();
        self.events.waiting.store(false, Ordering::Release);
        let events = std::mem::take(&mut *queue);
        drop(queue);
        for event in events {
            match event {
                Event::Sealed(info) => self.tell(|l| l.on_memtable_sealed(&info)),
                Event::Stalls(info) => self.tell(|l| l.on_stall_conditions_changed(&info)),
                // It is too late to change the error: the thread that met it reported it.
                Event::Failed(reason, e) => {
                    self.tell(|l| l.on_background_error(reason, &mut Some(e.clone())));
                }
                Event::Recovered(old) => self.tell(|l| l.on_error_recovery_completed(&old)),
            }
        }
    }

    /// A memtable became immutable.
    pub(super) fn note_sealed(&self, family: &ColumnFamilyData, mem: &MemTable) {
        self.queue_event(|| {
            Event::Sealed(MemTableInfo {
                cf_name: family.name.clone(),
                first_seqno: mem.first_sequence(),
                earliest_seqno: mem.earliest_sequence(),
                num_entries: mem.num_entries(),
                num_deletes: mem.num_deletes(),
            })
        });
    }

    /// A verdict over a family's writers. Returns whether it is another one than before.
    pub(super) fn note_stall(&self, family: &mut ColumnFamilyState, stall: Stall) -> bool {
        let cur = match stall {
            Stall::None | Stall::Pace(_) => WriteStallCondition::Normal,
            Stall::Delay(..) => WriteStallCondition::Delayed,
            Stall::Stop(_) => WriteStallCondition::Stopped,
        };
        let prev = std::mem::replace(&mut family.stall_condition, cur);
        if prev != cur {
            family.jobs.note_stall(stall);
            let cf_name = &family.data.name;
            self.queue_event(|| {
                Event::Stalls(WriteStallInfo { cf_name: cf_name.clone(), cur, prev })
            });
        }
        prev != cur
    }

    // ---- jobs --------------------------------------------------------------------------------

    /// A user asked for a flush.
    pub(super) fn tell_manual_flush(
        &self,
        families: &[&ColumnFamilyData],
        flush_reason: FlushReason,
    ) {
        if self.has_listeners() {
            let info = |family: &&ColumnFamilyData| {
                let (cf_id, cf_name) = (family.id, family.name.clone());
                ManualFlushInfo { cf_id, cf_name, flush_reason }
            };
            let infos: Vec<_> = families.iter().map(info).collect();
            self.tell(|l| l.on_manual_flush_scheduled(self.event_db(), &infos));
        }
    }

    /// A flush is about to write table `file_number`; what to hand to
    /// [`DbInner::tell_flush_completed`]. Without listeners `None`.
    pub(super) fn tell_flush_begin(
        &self,
        family: &ColumnFamilyData,
        job_id: i32,
        file_number: u64,
        flush_reason: FlushReason,
    ) -> Option<FlushJobInfo> {
        if !self.has_listeners() {
            return None;
        }
        let (triggered_writes_slowdown, triggered_writes_stop) = self.level0_triggers(family);
        let info = FlushJobInfo {
            cf_id: family.id,
            cf_name: family.name.clone(),
            file_path: filename::table_file_name(family.paths.main(), file_number),
            file_number,
            thread_id: thread_number(),
            job_id,
            triggered_writes_slowdown,
            triggered_writes_stop,
            smallest_seqno: crate::base::MAX_SEQUENCE_NUMBER,
            largest_seqno: 0,
            table_properties: TableFigures::default(),
            flush_reason,
        };
        self.tell(|l| l.on_flush_begin(self.event_db(), &info));
        Some(info)
    }

    /// The flush that began with `info` is part of the database.
    pub(super) fn tell_flush_completed(&self, family: &ColumnFamilyData, info: FlushJobInfo) {
        let mut info = info;
        (info.triggered_writes_slowdown, info.triggered_writes_stop) = self.level0_triggers(family);
        self.tell(|l| l.on_flush_completed(self.event_db(), &info));
    }

    /// Whether level 0 has so many files that writers are delayed, and stopped.
    fn level0_triggers(&self, family: &ColumnFamilyData) -> (bool, bool) {
        let state = self.state.lock();
        let files = state.families.get(&family.id).map_or(0, |cf| cf.current.num_files(0));
        let limits = family.stall_limits();
        let slowdown = limits.level0_slowdown.is_some_and(|limit| files >= limit);
        (slowdown, files >= limits.level0_stop)
    }

    /// A compaction is about to run.
    pub(super) fn tell_compaction_begin(
        &self,
        family: &ColumnFamilyData,
        plan: &CompactionPlan,
        report: &CompactionReport,
    ) {
        if self.has_listeners() {
            let info = self.compaction_info(family, plan, report, Ok(()));
            self.tell(|l| l.on_compaction_begin(self.event_db(), &info));
        }
    }

    /// A compaction has ended.
    pub(super) fn tell_compaction_completed(
        &self,
        family: &ColumnFamilyData,
        plan: &CompactionPlan,
        report: &CompactionReport,
        result: &Result<()>,
    ) {
        if self.has_listeners() {
            let info = self.compaction_info(family, plan, report, result.clone());
            self.tell(|l| l.on_compaction_completed(self.event_db(), &info));
        }
    }

    fn compaction_info(
        &self,
        family: &ColumnFamilyData,
        plan: &CompactionPlan,
        report: &CompactionReport,
        status: Result<()>,
    ) -> CompactionJobInfo {
        let state = self.state.lock();
        let num_l0_files = state.families.get(&family.id).map_or(0, |cf| cf.current.num_files(0));
        drop(state);
        let inputs: Vec<CompactionFileInfo> = plan
            .input_files()
            .map(|(level, f)| CompactionFileInfo { level: level as i32, file_number: f.number })
            .collect();
        CompactionJobInfo {
            cf_id: family.id,
            cf_name: family.name.clone(),
            status,
            thread_id: thread_number(),
            job_id: report.job_id,
            num_l0_files,
            base_input_level: plan.start_level as i32,
            output_level: plan.output_level as i32,
            input_files: plan.input_files().map(|(_, f)| family.paths.table(f)).collect(),
            input_file_infos: inputs,
            output_files: report.outputs.iter().map(|(_, path)| path.clone()).collect(),
            output_file_infos: report.outputs.iter().map(|(info, _)| *info).collect(),
            compaction_reason: plan.reason,
            compression: plan.compression,
            stats: report.stats.clone(),
        }
    }

    /// What is known of a compaction before it runs.
    pub(super) fn compaction_report(&self, plan: &CompactionPlan, full: bool) -> CompactionReport {
        let at_output = plan.input_files().filter(|(level, _)| *level == plan.output_level);
        let files = || plan.input_files().map(|(_, file)| file.stats());
        let stats = CompactionJobStats {
            num_input_files: plan.num_input_files(),
            num_input_files_at_output_level: at_output.count(),
            num_input_files_trivially_moved: if plan.trivial_move {
                plan.num_input_files()
            } else {
                0
            },
            is_manual_compaction: plan.reason == CompactionReason::ManualCompaction,
            is_full_compaction: full,
            total_input_bytes: plan.input_bytes(),
            total_input_raw_key_bytes: files().map(|f| f.raw_key_size).sum(),
            total_input_raw_value_bytes: files().map(|f| f.raw_value_size).sum(),
            ..CompactionJobStats::default()
        };
        CompactionReport { job_id: self.new_job_id(), stats, outputs: Vec::new() }
    }

    // ---- the rest ----------------------------------------------------------------------------

    /// A table was deleted, or should have been.
    pub(super) fn tell_table_deleted(&self, path: &Path, status: &Result<()>) {
        if self.has_listeners() {
            let info = TableFileDeletionInfo {
                db_name: self.dir.clone(),
                file_path: path.to_owned(),
                job_id: 0,
                status: status.clone(),
            };
            self.tell(|l| l.on_table_file_deleted(&info));
        }
    }

    /// A file from outside became part of the database.
    pub(crate) fn tell_file_ingested(&self, info: &ExternalFileIngestionInfo) {
        self.tell(|l| l.on_external_file_ingested(self.event_db(), info));
    }

    /// A job failed: listeners may make the error another one, or none. No lock may be held.
    pub(super) fn ask_about_error(
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
