//! Compactions: picked under the state lock, run without it, then installed.

use super::memory::{CompactionMemory, limit_tables};
use super::pauses::Pauses;
use crate::catalog::{Catalog, ColumnFamilyState, Orphans, State, caught, is_unwanted};
use crate::compaction::plan::CompactionPlan;
use crate::compaction::{self, CompactionInputs};
use crate::env::clock::Instant;
use crate::env::epoch;
use crate::error::{Error, Result};
use crate::files::FileKeeper;
use crate::flush::OutputContext;
use crate::hooks::{BackgroundErrorReason, CompactionReason, TableFileCreationReason};
use crate::iter::Interrupt;
use crate::options;
use crate::report::{CompactionReport, LoggedCompaction, Reporter};
use crate::session::{ColumnFamilyData, Session};
use crate::stats::{self, Activity, HistogramType, Ticker, Timer, busy_with};
use crate::version::{Version, VersionEdit};
use std::path::PathBuf;
use std::sync::Arc;

/// A picked compaction.
pub(crate) struct CompactionWork {
    pub(crate) family: Arc<ColumnFamilyData>,
    pub(crate) version: Arc<Version>,
    pub(crate) plan: CompactionPlan,
    /// The number of threads that may share it.
    pub(crate) max_subcompactions: u32,
    /// Ends the compaction early if its result is no longer needed.
    pub(crate) interrupt: Option<Interrupt>,
}

/// Picks, runs and installs compactions.
pub(crate) struct Compactor {
    session: Arc<Session>,
    reporter: Arc<Reporter>,
    files: Arc<FileKeeper>,
    catalog: Arc<Catalog>,
    pauses: Arc<Pauses>,
}

impl Compactor {
    /// Creates the compactor of a database; `pauses` can stop it from starting work.
    pub(super) fn new(
        (session, reporter, files): (Arc<Session>, Arc<Reporter>, Arc<FileKeeper>),
        catalog: Arc<Catalog>,
        pauses: Arc<Pauses>,
    ) -> Compactor {
        Compactor { session, reporter, files, catalog, pauses }
    }

    /// Picks the most urgent compaction and counts it as running.
    pub(super) fn pick_compaction(&self, state: &mut State) -> Option<CompactionWork> {
        let (_, limit) = options::background_job_limits(&self.session.live_options());
        let full = self.pauses.automatic()
            || state.running.compactions() >= limit
            || self.session.memory().is_some_and(|account| !account.may_compact());
        let now = Instant::now();
        let waits = !state.running.retries.compactions.is_due(now);
        if full || waits || self.session.health.must_not_retry() {
            return None;
        }
        let context = self.catalog.pick_context();
        let wants = |f: &ColumnFamilyState| {
            let (shape, options) = (f.level_shape(), f.data.options());
            let needed = f.picker.needs_compaction(&f.current, &options, &shape, &context);
            needed.then_some((shape, f.data.id))
        };
        let mut wanting: Vec<_> =
            state.families.values().filter(|f| f.manual_waits == 0).filter_map(wants).collect();
        wanting.sort_by(|a, b| b.0.worst_score().total_cmp(&a.0.worst_score()));
        let work = wanting.into_iter().find_map(|(shape, id)| {
            let State { families, running, .. } = state;
            let family = families.get_mut(&id)?;
            let plan =
                family.picker.pick(&family.current, &family.data.options(), &shape, &context)?;
            let dir = family.data.paths.dir(plan.output_path);
            if plan.writes_tables() && !running.retries.may_compact(dir, plan.input_bytes(), now) {
                family.picker.release(&plan);
                return None;
            }
            Some(CompactionWork {
                family: Arc::clone(&family.data),
                version: Arc::clone(&family.current),
                plan,
                max_subcompactions: self.session.live_options().max_subcompactions,
                interrupt: None,
            })
        })?;
        state.running.start_compaction();
        Some(work)
    }

    /// Runs and installs a picked compaction, which is already counted as running, and releases its inputs in the
    /// picker.
    pub(crate) fn run_compaction(&self, mut work: CompactionWork) -> Result<()> {
        limit_tables(&self.session, &mut work.plan);
        let (family, plan) = (&work.family, &work.plan);
        let full = work.version.all_files().count() == plan.num_input_files();
        let mut report = self.reporter.compaction_report(plan, full);
        let what = LoggedCompaction {
            job_id: report.job_id,
            family,
            plan,
            max_subcompactions: work.max_subcompactions,
        };
        let before = self.catalog.shape_of(family);
        self.reporter.log_compaction_started(what, &before, self.catalog.snapshots().oldest());
        let start = Instant::now();
        let result = caught(|| {
            self.reporter.tell_compaction_begin(family, plan, &report, &before);
            drop(before);
            if plan.trivial_move {
                self.move_files(&work, &mut report)
            } else if plan.deletion {
                self.drop_files(&work)
            } else {
                let room = self.files.room_for_compaction(plan.input_bytes());
                room.and_then(|_room| self.compact_files(&work, &mut report))
            }
        });
        report.stats.elapsed_micros = start.elapsed().as_micros() as u64;
        if result.is_ok() {
            self.catalog.note_level_job(
                family.id,
                plan.output_level,
                report.level_jobs(plan),
                false,
            );
        }
        let after = self.catalog.shape_of(family);
        self.reporter.log_compaction_finished(what, &report, &after, &result);
        let told = caught(|| {
            self.reporter.tell_compaction_completed(family, plan, &report, &after, &result);
            Ok(())
        });
        drop(after);
        let ended = self.note_compaction_result(&work, &result);
        let mut state = self.catalog.state();
        state.running.end_compaction();
        match state.families.get_mut(&work.family.id) {
            Some(family) => family.picker.release(&work.plan),
            None => work.plan.input_files().for_each(|(_, f)| f.set_being_compacted(false)),
        }
        drop(state);
        self.catalog.notify_jobs();
        self.catalog.notify_waiters();
        if result.is_ok() {
            self.catalog.compaction_succeeded(ended);
        }
        // This is the last holder of the inputs, so they can be deleted immediately.
        drop(work);
        epoch::synchronize();
        self.files.purge_tables();
        result.and(told)
    }

    /// Schedules the retry of a failed compaction. Returns the lack-of-room error that a successful one has ended.
    fn note_compaction_result(&self, work: &CompactionWork, result: &Result<()>) -> Option<Error> {
        let (dir, bytes) = (work.family.paths.dir(work.plan.output_path), work.plan.input_bytes());
        let free = match result {
            Err(e) if e.is_no_space() => self.session.fs.free_space(dir).ok(),
            _ => None,
        };
        let retries = &mut self.catalog.state().running.retries;
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
        // A universal compaction moves disjoint runs, the last of which may be on the output level already.
        let to = work.plan.output_level;
        for (level, file) in work.plan.input_files().filter(|(level, _)| *level != to) {
            edit.delete_file(level, file.number);
            edit.add_file(to, Arc::clone(file));
            report.note_output(&work.family.paths, to, file);
        }
        self.catalog.install(vec![edit], |_| {})
    }

    /// Runs a FIFO compaction, which deletes its inputs without a replacement.
    fn drop_files(&self, work: &CompactionWork) -> Result<()> {
        let ticker = match work.plan.reason {
            CompactionReason::FIFOTtl => Ticker::FifoTtlCompactions,
            _ => Ticker::FifoMaxSizeCompactions,
        };
        stats::add(&self.session.statistics, ticker, 1);
        let mut edit = VersionEdit::for_column_family(work.family.id);
        for (level, file) in work.plan.input_files() {
            edit.delete_file(level, file.number);
            self.session.info_log.info(format_args!(
                "[{}] FIFO compaction: dropping file {} of {} bytes, reason {}",
                work.family.name,
                file.number,
                file.file_size,
                work.plan.reason.name()
            ));
        }
        self.catalog.install(vec![edit], |_| work.family.change_content())
    }

    fn compact_files(&self, work: &CompactionWork, report: &mut CompactionReport) -> Result<()> {
        let _timer = Timer::start(&self.session.statistics, HistogramType::CompactionTime);
        let plan = &work.plan;
        if plan.reason != CompactionReason::ManualCompaction {
            stats::record(
                &self.session.statistics,
                HistogramType::NumFilesInSingleCompaction,
                plan.num_input_files() as u64,
            );
        }
        let bytes_in = plan.input_bytes();
        let memory = CompactionMemory::new(&self.session, plan, work.max_subcompactions);
        let output = OutputContext {
            level: plan.output_level,
            path_id: plan.output_path,
            compression: plan.compression,
            target_file_size: plan.target_file_size,
            bottommost: plan.bottommost,
            oldest_ancestor_time: plan.oldest_ancestor_time(),
            job_id: report.job_id,
            reason: TableFileCreationReason::Compaction,
            kept_free: self.catalog.kept_free(work.family.paths.dir(plan.output_path)),
            ..self.session.output_context(&work.family)
        };
        let out = compaction::run(&CompactionInputs {
            plan,
            version: &work.version,
            snapshots: self.catalog.snapshots().for_job(),
            tables: &work.family.tables,
            max_subcompactions: memory.threads.max(1) as usize,
            readahead: memory.readahead,
            interrupt: work.interrupt.clone(),
            output,
        })?;
        let mut edit = VersionEdit::for_column_family(work.family.id);
        for (level, file) in plan.input_files() {
            edit.delete_file(level, file.number);
        }
        stats::record(
            &self.session.statistics,
            HistogramType::CompactionCpuTime,
            out.stats.cpu_micros,
        );
        let bytes_out: u64 = out.files.iter().map(|f| f.file_size).sum();
        report.note_records(plan, &out.stats);
        let mut made = Orphans::new(&self.catalog);
        out.files.iter().for_each(|file| made.push(file.number, work.family.paths.table(file)));
        let is_last = plan.output_level + 1 == work.version.num_levels();
        let busy = busy_with(Activity::Compaction);
        for file in out.files {
            file.set_at_last_level(is_last);
            // Open the table before readers use it; they would have to wait.
            work.family.tables.find(&file)?;
            report.note_output(&work.family.paths, plan.output_level, &file);
            edit.add_file(plan.output_level, Arc::new(file));
        }
        drop(busy);
        let paths: Vec<_> = report.outputs.iter().map(|(_, path)| path.clone()).collect();
        if let Err(e) = self.files.note_tables(&paths) {
            self.catalog.background_error(BackgroundErrorReason::Compaction, &e);
        }
        self.catalog.install(vec![edit], |_| {})?;
        made.claim(|_| true);
        self.reporter.totals().compaction_count.add(1);
        self.reporter.totals().compaction_read_bytes.add(bytes_in);
        self.reporter.totals().compaction_write_bytes.add(bytes_out);
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
            stats::add(&self.session.statistics, read, bytes_in);
            stats::add(&self.session.statistics, write, bytes_out);
        }
        for (ticker, n) in [
            (Ticker::CompactReadBytes, bytes_in),
            (Ticker::CompactWriteBytes, bytes_out),
            // As in RocksDB, these two include entries hidden by range tombstones, and obsolete tombstones.
            (Ticker::CompactionKeyDropNewerEntry, out.records_hidden + out.records_range_deleted),
            (Ticker::CompactionKeyDropObsolete, out.records_obsolete + out.tombstones_obsolete),
            (Ticker::CompactionOptimizedDelDropObsolete, out.records_optimized),
            (Ticker::CompactionCpuTotalTime, out.stats.cpu_micros),
            (Ticker::CompactionKeyDropUser, out.records_filtered),
            (Ticker::CompactionKeyDropRangeDel, out.records_range_deleted),
            (Ticker::CompactionRangeDelDropObsolete, out.tombstones_obsolete),
        ] {
            stats::add(&self.session.statistics, ticker, n);
        }
        Ok(())
    }

    /// Checks the free space of the directories where compactions wait for room.
    pub(super) fn sample_free_space(&self, dirs: &[PathBuf]) {
        for dir in dirs {
            let free = self.session.fs.free_space(dir).ok();
            self.catalog.state().running.retries.note_free(dir, free);
        }
    }
}
