//! The background: threads that wait for work, pick it under the lock, run it without, install it.
//!
//! Flushes have threads of their own, so that a long compaction never keeps writers waiting for
//! memory. Work is found by looking at the state, not by messages: a lost wake-up costs at most
//! the time of one idle wait.

use super::column_family::ColumnFamilyState;
use super::errors::{caught, is_unwanted};
use super::events::CompactionReport;
use super::state::{DbInner, State};
use super::unclaimed::Unclaimed;
use crate::compaction::picker::LevelShape;
use crate::compaction::plan::CompactionPlan;
use crate::compaction::{self, CompactionInputs};
use crate::env::epoch;
use crate::env::sync::MutexGuard;
use crate::env::sync::atomic::Ordering;
use crate::env::threads;
use crate::error::{Code, Error, Result};
use crate::flush::OutputContext;
use crate::hooks::{BackgroundErrorReason, CompactionReason, FlushReason, TableFileCreationReason};
use crate::iter::Interrupt;
use crate::options;
use crate::session::ColumnFamilyData;
use crate::stats::{self, Activity, HistogramType, Ticker, Timer, busy_with};
use crate::version::{Version, VersionEdit};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An idle thread looks at the state at least this often.
const IDLE_WAIT: Duration = Duration::from_millis(500);
/// After the system refused a thread it is asked again after this time.
const THREADS_AGAIN: Duration = Duration::from_secs(1);
/// Tables that nobody else has deleted for so long are for a flush thread.
const PURGE_WAIT: Duration = Duration::from_millis(5);

/// A compaction that was picked.
pub(super) struct CompactionWork {
    pub(super) family: Arc<ColumnFamilyData>,
    pub(super) version: Arc<Version>,
    pub(super) plan: CompactionPlan,
    /// Threads that may share it.
    pub(super) max_subcompactions: u32,
    /// Ends it when it is not wanted any more.
    pub(super) interrupt: Option<Interrupt>,
}

/// How much a family's tree is out of shape.
fn worst_score(family: &ColumnFamilyState) -> f64 {
    let shape = LevelShape::new(&family.current, &family.data.options());
    shape.scores.first().map_or(0.0, |(_, score)| *score)
}

impl DbInner {
    /// Starts the threads of the background that the options ask for and that do not run yet. One of
    /// each kind must start; for those that the system refuses besides, it is asked again later.
    pub(crate) fn start_background(self: &Arc<Self>) -> Result<()> {
        let mut state = self.state.lock();
        match self.start_threads(&mut state) {
            Err(e) if state.thread_counts.contains(&0) => Err(e),
            Err(e) => {
                self.info_log
                    .warn(format_args!("{e}: continuing with the other background threads"));
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn start_threads(self: &Arc<Self>, state: &mut MutexGuard<'_, State>) -> Result<()> {
        let (flushes, compactions) = options::background_job_limits(&self.live_options());
        state.threads_due = None;
        // First one of each kind.
        for (kind, count) in [(0, 1), (1, 1), (0, flushes), (1, compactions)] {
            // `close` says so before it takes the threads under this lock.
            while state.thread_counts[kind] < count && !self.is_closing() {
                self.start_thread(state, kind)?;
            }
        }
        Ok(())
    }

    /// Starts a thread that flushes (0) or compacts (1).
    fn start_thread(self: &Arc<Self>, state: &mut State, kind: usize) -> Result<()> {
        let inner = Arc::clone(self);
        let number = state.thread_counts[kind];
        let spawned = match kind {
            0 => threads::spawn(&format!("ferro-flush{number}"), move || inner.flush_thread()),
            _ => threads::spawn(&format!("ferro-compact{number}"), move || {
                inner.compaction_thread();
            }),
        };
        let spawned = spawned.map_err(|e| {
            state.threads_due = Some(Instant::now() + THREADS_AGAIN);
            Error::io("While starting a background thread", e)
        })?;
        state.threads.push(spawned);
        state.thread_counts[kind] += 1;
        Ok(())
    }

    /// Starts threads that the system refused before, if it is time to ask again.
    fn start_missing_threads(self: &Arc<Self>, state: &mut MutexGuard<'_, State>) {
        if state.threads_due.is_some_and(|due| Instant::now() >= due)
            && self.start_threads(state).is_ok()
        {
            self.info_log.info(format_args!("all background threads are running now"));
        }
    }

    fn flush_thread(self: &Arc<Self>) {
        let mut state = self.state.lock();
        while !self.is_stopped() {
            if state.stats_due(self.live_options().stats_dump_period_sec) {
                drop(state);
                self.dump_stats();
            } else if self.wants_new_wal(&state) {
                drop(state);
                self.renew_in_background();
            } else if let Some(family) = self.wanted_switch(&mut state) {
                drop(state);
                self.switch_in_background(&family);
            } else if let Some(work) = self.pick_flush(&mut state) {
                drop(state);
                if let Err(e) = self.run_flush(work) {
                    self.background_error(BackgroundErrorReason::Flush, &e);
                }
            } else if self.has_tables_to_purge() {
                // Who replaced them is about to delete them, and a flush should not wait for that.
                if !self.work.wait_for(&mut state, PURGE_WAIT).timed_out() {
                    continue;
                }
                drop(state);
                self.purge_table();
            } else if let Some(table) = state.late_tables.pop() {
                drop(state);
                self.read_late_table(&table);
            } else if self.spare_chunks.is_idle() {
                drop(state);
                self.spare_chunks.release();
            } else {
                self.start_missing_threads(&mut state);
                let idle = state.retries.flushes.sleep(Instant::now(), IDLE_WAIT);
                self.work.wait_for(&mut state, idle);
                continue;
            }
            state = self.state.lock();
        }
    }

    fn compaction_thread(self: &Arc<Self>) {
        let mut state = self.state.lock();
        while !self.is_stopped() {
            let to_sample = state.retries.dirs_to_sample(Instant::now());
            if !to_sample.is_empty() {
                drop(state);
                self.sample_free_space(&to_sample);
                state = self.state.lock();
            }
            let Some(work) = self.pick_compaction(&mut state) else {
                let idle = state.retries.compactions.sleep(Instant::now(), IDLE_WAIT);
                self.work.wait_for(&mut state, idle);
                continue;
            };
            drop(state);
            match self.run_compaction(work) {
                // The user's limit: it waits, and nothing has failed.
                Err(e) if e.code() == Code::CompactionTooLarge => {}
                Err(e) => self.background_error(BackgroundErrorReason::Compaction, &e),
                Ok(()) => {}
            }
            state = self.state.lock();
        }
    }

    /// Looks at what is free where compactions wait for room.
    fn sample_free_space(&self, dirs: &[PathBuf]) {
        for dir in dirs {
            let free = self.fs.free_space(dir).ok();
            self.state.lock().retries.note_free(dir, free);
        }
    }

    /// A family whose memtable should be switched to let an old WAL go.
    fn wanted_switch(&self, state: &mut MutexGuard<'_, State>) -> Option<Arc<ColumnFamilyData>> {
        if self.pauses.all() || !state.retries.flushes.is_due(Instant::now()) {
            return None;
        }
        let family = state.families.values_mut().find(|family| family.switch_wanted)?;
        family.switch_wanted = false;
        let data = Arc::clone(&family.data);
        if self.options.atomic_flush {
            // One for all.
            state.families.values_mut().for_each(|family| family.switch_wanted = false);
        }
        // Who waits for the background waits for the flush that this leads to.
        state.running_flushes += 1;
        Some(data)
    }

    fn switch_in_background(&self, family: &ColumnFamilyData) {
        let mut write = self.write.lock();
        let switched = self.seal_and_flush(&mut write, family, FlushReason::WalFull);
        drop(write);
        self.deliver_events();
        self.state.lock().running_flushes -= 1;
        self.progress.notify_all();
        let Err(e) = switched else { return };
        // Nothing else would ask again, and only the flush that follows lets writes go on.
        if let Some(family) = self.state.lock().families.get_mut(&family.id) {
            family.switch_wanted = true;
        }
        self.state.lock().retries.flushes.failed(Instant::now());
        self.background_error(BackgroundErrorReason::WriteCallback, &e);
    }

    // ---- compaction ------------------------------------------------------------------------

    fn pick_compaction(&self, state: &mut MutexGuard<'_, State>) -> Option<CompactionWork> {
        let (_, limit) = options::background_job_limits(&self.live_options());
        let full = self.pauses.automatic() || state.running_compactions >= limit;
        let now = Instant::now();
        let waits = !state.retries.compactions.is_due(now);
        if full || waits || DbInner::must_not_retry(&state.error) {
            return None;
        }
        let moment = self.moment();
        let needs = |f: &ColumnFamilyState| {
            f.picker.needs_compaction(&f.current, &f.data.options(), &moment)
        };
        let mut wanting: Vec<(f64, u32)> = state
            .families
            .iter()
            .filter(|(_, f)| f.manual_waits == 0 && needs(f))
            .map(|(id, f)| (worst_score(f), *id))
            .collect();
        wanting.sort_by(|a, b| b.0.total_cmp(&a.0));
        let work = wanting.into_iter().find_map(|(_, id)| {
            let State { families, retries, .. } = &mut **state;
            let family = families.get_mut(&id)?;
            let plan = family.picker.pick(&family.current, &family.data.options(), &moment)?;
            let dir = family.data.paths.dir(plan.output_path);
            if plan.writes_tables() && !retries.may_compact(dir, plan.input_bytes(), now) {
                family.picker.release(&plan);
                return None;
            }
            Some(CompactionWork {
                family: Arc::clone(&family.data),
                version: Arc::clone(&family.current),
                plan,
                max_subcompactions: self.live_options().max_subcompactions,
                interrupt: None,
            })
        })?;
        state.running_compactions += 1;
        Some(work)
    }

    /// Runs a picked compaction, which is counted, installs it, and gives it back to its picker.
    pub(super) fn run_compaction(&self, work: CompactionWork) -> Result<()> {
        let (family, plan) = (&work.family, &work.plan);
        let full = work.version.all_files().count() == plan.num_input_files();
        let mut report = self.compaction_report(plan, full);
        self.log_compaction_started(&work, report.job_id);
        let start = Instant::now();
        let result = caught(|| {
            self.tell_compaction_begin(family, plan, &report);
            if plan.trivial_move {
                self.move_files(&work, &mut report)
            } else if plan.deletion {
                self.drop_files(&work)
            } else {
                let room = self.room_for_compaction(plan.input_bytes());
                room.and_then(|_room| self.compact_files(&work, &mut report))
            }
        });
        report.stats.elapsed_micros = start.elapsed().as_micros() as u64;
        if result.is_ok() {
            self.note_level_job(family.id, plan.output_level, report.level_jobs(plan), false);
        }
        self.log_compaction_finished(&work, &report, &result);
        let told = caught(|| {
            self.tell_compaction_completed(family, plan, &report, &result);
            Ok(())
        });
        let ended = self.note_compaction_result(&work, &result);
        let mut state = self.state.lock();
        state.running_compactions -= 1;
        match state.families.get_mut(&work.family.id) {
            Some(family) => family.picker.release(&work.plan),
            None => work.plan.input_files().for_each(|(_, f)| f.set_being_compacted(false)),
        }
        drop(state);
        self.work.notify_all();
        self.progress.notify_all();
        if result.is_ok() {
            self.compaction_succeeded(ended);
        }
        // The last holder of the inputs: they can be deleted here and now.
        drop(work);
        epoch::synchronize();
        self.purge_tables();
        result.and(told)
    }

    /// Sets when a compaction that failed is tried again. Returns the want of room that this one ended.
    fn note_compaction_result(&self, work: &CompactionWork, result: &Result<()>) -> Option<Error> {
        let (dir, bytes) = (work.family.paths.dir(work.plan.output_path), work.plan.input_bytes());
        let free = match result {
            Err(e) if e.is_no_space() => self.fs.free_space(dir).ok(),
            _ => None,
        };
        let retries = &mut self.state.lock().retries;
        match result {
            Ok(()) if work.plan.writes_tables() => {
                retries.compactions.succeeded();
                return retries.found_room(dir, bytes);
            }
            Err(e) if e.is_no_space() && work.plan.writes_tables() => {
                retries.no_room(dir, bytes, free, e, Instant::now());
            }
            Err(e) if !is_unwanted(e) => retries.compactions.failed(Instant::now()),
            _ => {}
        }
        None
    }

    fn move_files(&self, work: &CompactionWork, report: &mut CompactionReport) -> Result<()> {
        let mut edit = VersionEdit::for_column_family(work.family.id);
        for (level, file) in work.plan.input_files() {
            edit.delete_file(level, file.number);
            edit.add_file(work.plan.output_level, Arc::clone(file));
            report.note_output(&work.family.paths, work.plan.output_level, file);
        }
        self.install(vec![edit], |_| {})
    }

    /// FIFO compaction: the inputs go, and nothing takes their place.
    fn drop_files(&self, work: &CompactionWork) -> Result<()> {
        let ticker = match work.plan.reason {
            CompactionReason::FIFOTtl => Ticker::FifoTtlCompactions,
            _ => Ticker::FifoMaxSizeCompactions,
        };
        stats::add(&self.statistics, ticker, 1);
        let mut edit = VersionEdit::for_column_family(work.family.id);
        for (level, file) in work.plan.input_files() {
            edit.delete_file(level, file.number);
            self.info_log.info(format_args!(
                "[{}] FIFO compaction: dropping file {} of {} bytes, reason {}",
                work.family.name,
                file.number,
                file.file_size,
                work.plan.reason.name()
            ));
        }
        self.install(vec![edit], |_| {})
    }

    fn compact_files(&self, work: &CompactionWork, report: &mut CompactionReport) -> Result<()> {
        let _timer = Timer::start(&self.statistics, HistogramType::CompactionTime);
        let plan = &work.plan;
        let files = plan.num_input_files() as u64;
        if plan.reason != CompactionReason::ManualCompaction {
            stats::record(&self.statistics, HistogramType::NumFilesInSingleCompaction, files);
        }
        let inputs = || plan.input_files().map(|(_, file)| file);
        let bytes_in: u64 = inputs().map(|f| f.file_size).sum();
        let output = OutputContext {
            level: plan.output_level,
            path_id: plan.output_path,
            compression: plan.compression,
            target_file_size: plan.target_file_size,
            bottommost: plan.bottommost,
            oldest_ancestor_time: plan.oldest_ancestor_time(),
            job_id: report.job_id,
            reason: TableFileCreationReason::Compaction,
            kept_free: self.kept_free(work.family.paths.dir(plan.output_path)),
            ..self.output_context(&work.family)
        };
        let out = compaction::run(&CompactionInputs {
            plan,
            version: &work.version,
            snapshots: self.snapshots.for_job(),
            tables: &work.family.tables,
            max_subcompactions: work.max_subcompactions.max(1) as usize,
            interrupt: work.interrupt.clone(),
            output,
        })?;
        let mut edit = VersionEdit::for_column_family(work.family.id);
        for (level, file) in plan.input_files() {
            edit.delete_file(level, file.number);
        }
        stats::record(&self.statistics, HistogramType::CompactionCpuTime, out.stats.cpu_micros);
        let bytes_out: u64 = out.files.iter().map(|f| f.file_size).sum();
        report.note_records(plan, &out.stats);
        let mut made = Unclaimed::new(self);
        out.files.iter().for_each(|file| made.push(file.number, work.family.paths.table(file)));
        let is_last = plan.output_level + 1 == work.version.num_levels();
        let busy = busy_with(Activity::Compaction);
        for file in out.files {
            file.set_at_last_level(is_last);
            // Before readers come to it, who would wait.
            work.family.tables.find(&file)?;
            report.note_output(&work.family.paths, plan.output_level, &file);
            edit.add_file(plan.output_level, Arc::new(file));
        }
        drop(busy);
        let paths: Vec<_> = report.outputs.iter().map(|(_, path)| path.clone()).collect();
        self.note_tables(&paths, BackgroundErrorReason::Compaction);
        self.install(vec![edit], |_| {})?;
        made.claim(|_| true);
        self.totals.compaction_count.fetch_add(1, Ordering::Relaxed);
        self.totals.compaction_read_bytes.fetch_add(bytes_in, Ordering::Relaxed);
        self.totals.compaction_write_bytes.fetch_add(bytes_out, Ordering::Relaxed);
        let of_reason = match plan.reason {
            CompactionReason::FilesMarkedForCompaction => {
                Some((Ticker::CompactReadBytesMarked, Ticker::CompactWriteBytesMarked))
            }
            CompactionReason::PeriodicCompaction => {
                Some((Ticker::CompactReadBytesPeriodic, Ticker::CompactWriteBytesPeriodic))
            }
            CompactionReason::Ttl => {
                Some((Ticker::CompactReadBytesTtl, Ticker::CompactWriteBytesTtl))
            }
            _ => None,
        };
        if let Some((read, write)) = of_reason {
            stats::add(&self.statistics, read, bytes_in);
            stats::add(&self.statistics, write, bytes_out);
        }
        for (ticker, n) in [
            (Ticker::CompactReadBytes, bytes_in),
            (Ticker::CompactWriteBytes, bytes_out),
            // As in RocksDB these two hold what range tombstones hide, and obsolete ones of those.
            (Ticker::CompactionKeyDropNewerEntry, out.records_hidden + out.records_range_deleted),
            (Ticker::CompactionKeyDropObsolete, out.records_obsolete + out.tombstones_obsolete),
            (Ticker::CompactionOptimizedDelDropObsolete, out.records_optimized),
            (Ticker::CompactionCpuTotalTime, out.stats.cpu_micros),
            (Ticker::CompactionKeyDropUser, out.records_filtered),
            (Ticker::CompactionKeyDropRangeDel, out.records_range_deleted),
            (Ticker::CompactionRangeDelDropObsolete, out.tombstones_obsolete),
        ] {
            stats::add(&self.statistics, ticker, n);
        }
        Ok(())
    }
}
