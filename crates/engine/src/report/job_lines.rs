//! LOG lines about flushes, compactions and ingestions. They use RocksDB's words, because people and tools search for
//! them.

use super::job_events::CompactionReport;
use super::reporter::Reporter;
use super::state_lines::{input_summary, inputs_in_full};
use super::tree_shape::TreeShape;
use crate::base::SeqNo;
use crate::compaction::picker::compression_for_flush;
use crate::compaction::plan::CompactionPlan;
use crate::error::{Code, Result, SubCode};
use crate::flush::Immutable;
use crate::fs::event_log::EventLine;
use crate::hooks::{CompactionReason, FlushReason};
use crate::session::ColumnFamilyData;
use crate::version::FileMeta;
use std::sync::Arc;

/// The data of a compaction for its LOG lines.
#[derive(Clone, Copy)]
pub(crate) struct LoggedCompaction<'a> {
    pub(crate) job_id: i32,
    pub(crate) family: &'a ColumnFamilyData,
    pub(crate) plan: &'a CompactionPlan,
    /// The number of threads that may share it.
    pub(crate) max_subcompactions: u32,
}

/// Returns the level's score, or -1 for a manual compaction, which has none.
fn logged_score(plan: &CompactionPlan) -> f64 {
    if plan.reason == CompactionReason::ManualCompaction { -1.0 } else { plan.score }
}

/// A table that a flush has written.
pub(crate) struct WrittenFlush {
    pub(crate) job_id: i32,
    pub(crate) number: u64,
    pub(crate) size: u64,
    pub(crate) micros: u64,
    pub(crate) cpu_micros: u64,
}

impl Reporter {
    /// Logs that a flush begins to write table `number`.
    pub(crate) fn log_flush_started(
        &self,
        family: &ColumnFamilyData,
        job: i32,
        number: u64,
        immutables: &[Immutable],
        reason: FlushReason,
    ) {
        let (name, log) = (&family.name, &self.session.info_log);
        for i in immutables {
            let (id, wal) = (i.mem.id(), i.next_wal_number);
            log.info(format_args!(
                "[{name}] [JOB {job}] Flushing memtable id {id} with next log file: {wal}, \
                 marked_for_flush: 0"
            ));
        }
        let sum = |f: &dyn Fn(&Immutable) -> u64| immutables.iter().map(f).sum::<u64>();
        EventLine::new()
            .num("job", job)
            .text("event", "flush_started")
            .num("num_memtables", immutables.len())
            .num("total_num_input_entries", sum(&|i| i.mem.num_entries()))
            .num("num_deletes", sum(&|i| i.mem.num_deletes()))
            .num("total_data_size", sum(&|i| i.mem.raw_data_size()))
            .num("memory_usage", sum(&|i| i.mem.approximate_memory_usage() as u64))
            .num("num_range_deletes", sum(&|i| i.mem.num_range_deletes()))
            .text("flush_reason", reason.name())
            .write(log);
        log.info(format_args!("[{name}] [JOB {job}] Level-0 flush table #{number}: started"));
    }

    /// Logs that the table of a flush is written, with the time this took. The table is not installed yet.
    pub(crate) fn log_flush_written(&self, family: &ColumnFamilyData, done: &WrittenFlush) {
        let (name, log, job) = (&family.name, &self.session.info_log, done.job_id);
        log.info(format_args!(
            "[{name}] [JOB {job}] Flush lasted {} microseconds, and {} cpu microseconds.",
            done.micros, done.cpu_micros
        ));
        let (number, size) = (done.number, done.size);
        log.info(format_args!(
            "[{name}] [JOB {job}] Level-0 flush table #{number}: {size} bytes OK"
        ));
        log.info(format_args!("[{name}] Level-0 commit flush result of table #{number} started"));
    }

    pub(crate) fn log_flush_finished(
        &self,
        family: &ColumnFamilyData,
        (job, number): (i32, u64),
        memtables: u64,
        tree: &TreeShape,
    ) {
        let (name, log) = (&family.name, &self.session.info_log);
        for memtable in 1..=memtables {
            log.info(format_args!(
                "[{name}] Level-0 commit flush result of table #{number}: memtable #{memtable} done"
            ));
        }
        let compression = compression_for_flush(&family.options());
        EventLine::new()
            .num("job", job)
            .text("event", "flush_finished")
            .text("output_compression", compression.name())
            .list("lsm_state", tree.files())
            .num("immutable_memtables", tree.immutables)
            .write(log);
        if let Some(summary) = tree.summary(&family.options()) {
            log.info(format_args!("[{name}] Level summary: {summary}"));
        }
    }

    /// Logs that a compaction begins. `oldest` is the oldest snapshot for which it keeps entries.
    pub(crate) fn log_compaction_started(
        &self,
        what: LoggedCompaction<'_>,
        tree: &TreeShape,
        oldest: Option<SeqNo>,
    ) {
        let (name, log, plan) = (&what.family.name, &self.session.info_log, what.plan);
        let job = what.job_id;
        // Compactions that only change the MANIFEST have log lines of their own.
        if plan.trivial_move {
            log.info(format_args!(
                "[{name}] Moving {} files to level-{}",
                plan.num_input_files(),
                plan.output_level
            ));
            return;
        }
        if plan.deletion {
            return;
        }
        log.info(format_args!(
            "[{name}] [JOB {job}] Compacting {}, score {:.2}",
            input_summary(plan),
            logged_score(plan)
        ));
        log.info(format_args!(
            "[{name}]: Compaction start summary: Base version {} Base level {}, inputs: {}",
            tree.memtables_made,
            plan.start_level,
            inputs_in_full(plan)
        ));
        let mut line = EventLine::new()
            .num("job", job)
            .text("event", "compaction_started")
            .text("cf_name", name)
            .text("compaction_reason", plan.reason.name());
        for level in &plan.inputs {
            let numbers = level.files.iter().map(|file| file.number);
            line = line.list(&format!("files_L{}", level.level), numbers);
        }
        let oldest = oldest.map_or(-1, |seq| seq as i64);
        line.num("score", logged_score(plan))
            .num("input_data_size", plan.input_bytes())
            .num("oldest_snapshot_seqno", oldest)
            .write(log);
    }

    /// Logs that a compaction ended.
    pub(crate) fn log_compaction_finished(
        &self,
        what: LoggedCompaction<'_>,
        report: &CompactionReport,
        tree: &TreeShape,
        result: &Result<()>,
    ) {
        let (log, plan, stats) = (&self.session.info_log, what.plan, &report.stats);
        let (name, job) = (&what.family.name, what.job_id);
        if let Err(e) = result {
            match e.code() {
                // This is no failure: the database is closing, or the family was dropped.
                Code::ShutdownInProgress | Code::ColumnFamilyDropped => log.info(format_args!(
                    "[{name}] [JOB {job}] Ignore compaction errors found during shutting down: {e}"
                )),
                _ if e.subcode() == SubCode::ManualCompactionPaused => {
                    log.info(format_args!("[{name}] [JOB {job}] Stopping manual compaction"));
                }
                _ => log.warn(format_args!("[{name}] [JOB {job}] Compaction error: {e}")),
            }
            return;
        }
        if plan.deletion {
            log.info(format_args!("[{name}] Deleted {} files", plan.num_input_files()));
            return;
        }
        if plan.trivial_move {
            EventLine::new()
                .num("job", job)
                .text("event", "trivial_move")
                .num("destination_level", plan.output_level)
                .num("files", plan.num_input_files())
                .num("total_files_size", plan.input_bytes())
                .write(log);
            for (_, file) in plan.input_files() {
                log.info(format_args!(
                    "[{name}] Moved #{} to level-{} {} bytes",
                    file.number, plan.output_level, file.file_size
                ));
            }
            return;
        }
        log.info(format_args!(
            "[{name}] [JOB {job}] Compacted {} => {} bytes",
            input_summary(plan),
            stats.total_output_bytes
        ));
        self.log_compacted_to(what, report, tree);
        EventLine::new()
            .num("job", job)
            .text("event", "compaction_finished")
            .num("compaction_time_micros", stats.elapsed_micros)
            .num("compaction_time_cpu_micros", stats.cpu_micros)
            .num("output_level", plan.output_level)
            .num("num_output_files", report.outputs.len())
            .num("total_output_size", stats.total_output_bytes)
            .num("num_input_records", stats.num_input_records)
            .num("num_output_records", stats.num_output_records)
            .num("num_subcompactions", what.max_subcompactions.max(1))
            .text("output_compression", plan.compression.name())
            .num("num_single_delete_mismatches", 0)
            .num("num_single_delete_fallthrough", 0)
            .list("lsm_state", tree.files())
            .write(log);
    }

    /// Logs the figures of a compaction that was installed.
    fn log_compacted_to(
        &self,
        what: LoggedCompaction<'_>,
        report: &CompactionReport,
        tree: &TreeShape,
    ) {
        let (plan, stats) = (what.plan, &report.stats);
        let Some(summary) = tree.summary(&what.family.options()) else { return };
        let at_output = |level: usize| level == plan.output_level;
        let bytes = |wanted: bool| {
            let files = plan.input_files().filter(|(level, _)| at_output(*level) == wanted);
            files.map(|(_, file)| file.file_size).sum::<u64>()
        };
        let (upper, here, written) = (bytes(false), bytes(true), stats.total_output_bytes);
        // RocksDB calls one byte per microsecond a megabyte per second.
        let rate = |bytes: u64| bytes as f64 / stats.elapsed_micros.max(1) as f64;
        let amplification = |bytes: u64| match upper {
            0 => 0.0,
            upper => bytes as f64 / upper as f64,
        };
        let mib = |bytes: u64| bytes as f64 / 1048576.0;
        let files_here = stats.num_input_files_at_output_level;
        self.session.info_log.info(format_args!(
            "[{}] compacted to: {summary}, MB/sec: {:.1} rd, {:.1} wr, level {}, \
             files in({}, {files_here}) filtered(0, 0) out({} +0 blob) MB in({:.1}, {:.1} +0.0 blob) \
             filtered(0.0, 0.0) out({:.1} +0.0 blob), read-write-amplify({:.1}) \
             write-amplify({:.1}) OK, records in: {}, records dropped: {} output_compression: {}",
            what.family.name,
            rate(upper + here),
            rate(written),
            plan.output_level,
            stats.num_input_files - files_here,
            report.outputs.len(),
            mib(upper),
            mib(here),
            mib(written),
            amplification(upper + here + written),
            amplification(written),
            stats.num_input_records,
            stats.num_input_records.saturating_sub(stats.num_output_records),
            plan.compression.name(),
        ));
    }

    /// Logs that ingested files were added to these levels.
    pub(crate) fn log_ingested(
        &self,
        family: &ColumnFamilyData,
        files: &[(usize, Arc<FileMeta>)],
        tree: &TreeShape,
    ) {
        let file = |(level, file): &(usize, Arc<FileMeta>)| {
            let path = family.paths.table(file);
            format!("\"file\", {:?}, \"level\", {level}", path.display().to_string())
        };
        EventLine::new()
            .text("event", "ingest_finished")
            .list("files_ingested", files.iter().map(file))
            .list("lsm_state", tree.files())
            .write(&self.session.info_log);
    }

    /// Logs the deletion of a table, or its failure.
    pub(crate) fn log_table_deleted(&self, number: u64, deleted: &Result<()>) {
        let status = deleted.as_ref().map_or_else(ToString::to_string, |()| "OK".to_owned());
        EventLine::new()
            .num("job", 0)
            .text("event", "table_file_deletion")
            .num("file_number", number)
            .text("status", &status)
            .write(&self.session.info_log);
    }
}
