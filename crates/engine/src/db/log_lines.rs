//! What stands in LOG: the head with its summary and options, and the lines of jobs. RocksDB's words,
//! since people and tools search for them.

use super::background::CompactionWork;
use super::builder::Builder;
use super::column_family::Immutable;
use super::events::CompactionReport;
use super::level_jobs::Ingested;
use super::log_state::{input_summary, inputs_in_full};
use super::recover::RECOVERY_JOB;
use super::state::DbInner;
use crate::base::checksum;
use crate::compaction::plan::CompactionPlan;
use crate::compress::CompressionType;
use crate::error::{Code, Result, SubCode};
use crate::fs::event_log::EventLine;
use crate::fs::filename::{self, FileKind};
use crate::fs::info_log::{InfoLog, LogLevel};
use crate::hooks::{CompactionReason, FlushReason};
use crate::options::{ColumnFamilyOptions, dump_cf_options, dump_db_options};
use crate::session::ColumnFamilyData;
use crate::session::Identity;
use crate::version::{DataPaths, FileMeta, VersionSet};
use std::borrow::Cow;
use std::iter::once;
use std::path::Path;
use std::sync::Arc;

impl Builder {
    /// Versions, what the directory holds, and the options in force.
    pub(super) fn log_header(&self, identity: &Identity) {
        let log = &*self.info_log;
        log.header(format_args!("RocksDB version: {}", crate::options::ROCKSDB_VERSION));
        // As RocksDB's build outside of a checkout, unless who builds says what it is built from.
        log.header(format_args!("Git sha {}", option_env!("FERROLITH_GIT_SHA").unwrap_or("0")));
        log.header(format_args!("Ferrolith version: {}", env!("CARGO_PKG_VERSION")));
        log.header(format_args!("DB SUMMARY"));
        log.header(format_args!("Host name (Env):  {}", identity.host));
        log.header(format_args!("DB Session ID:  {}", identity.session_id));
        self.log_files(log);
        dump_db_options(&self.options).iter().for_each(|line| log.header(format_args!("{line}")));
        log.header(format_args!("Compression algorithms supported:"));
        for codec in CompressionType::ALL.into_iter().filter(|c| *c != CompressionType::None) {
            let supported = u8::from(codec.is_supported());
            log.header(format_args!("\t{} supported: {supported}", codec.option_name()));
        }
        // As in RocksDB, the first says what the library was compiled for; the second what happens.
        log.header(format_args!("Fast CRC32 supported: {}", checksum::crc32c_target()));
        let hardware = u8::from(checksum::crc32c_hardware());
        log.header(format_args!("CRC32C instructions found at run time: {hardware}"));
        log.header(format_args!("DMutex implementation: parking_lot::Mutex"));
        log.header(format_args!("Jemalloc supported: 0"));
        for family in &self.descriptors {
            log_family(log, &family.name, &family.options);
        }
        self.changes.iter().for_each(|change| log.info(format_args!("{change}")));
    }

    /// What the MANIFEST gave.
    pub(super) fn log_versions(&self, versions: &VersionSet) {
        let (log, manifest) = (&*self.info_log, versions.manifest_number());
        let path = filename::manifest_file_name(&self.dir, manifest);
        log.info(format_args!("Recovering from manifest file: {}", path.display()));
        let log_numbers = || versions.column_families().map(|(_, stored)| stored.log_number());
        log.info(format_args!(
            "Recovered from manifest file:{} succeeded,manifest_file_number is {manifest}, \
             next_file_number is {}, last_sequence is {}, log_number is {},prev_log_number is \
             0,max_column_family is {},min_log_number_to_keep is {}",
            path.display(),
            versions.counters().next_file_number(),
            versions.counters().last_sequence(),
            log_numbers().max().unwrap_or(0),
            versions.max_column_family(),
            versions.min_log_number_to_keep(),
        ));
        for (id, stored) in versions.column_families() {
            let (name, number) = (stored.name(), stored.log_number());
            log.info(format_args!("Column family [{name}] (ID {id}), log number is {number}"));
        }
        log.info(format_args!("DB ID: {}", versions.db_id().unwrap_or_default()));
    }

    fn log_files(&self, log: &InfoLog) {
        let names_in = |dir: &Path| {
            let mut names = self.fs.list_dir(dir).unwrap_or_default();
            names.sort_unstable();
            names
        };
        let names = names_in(&self.dir);
        // Tables and WALs are mostly in the same directory, which may hold a thousand old LOGs.
        let again = |dir: &Path| match dir == self.dir {
            true => Cow::Borrowed(&names),
            false => Cow::Owned(names_in(dir)),
        };
        let size = |dir: &Path, name: &str| self.fs.file_size(&dir.join(name)).unwrap_or(0);
        for name in &names {
            match filename::parse_file_name(name) {
                Some(FileKind::Current) => log.header(format_args!("CURRENT file:  {name}")),
                Some(FileKind::Identity) => log.header(format_args!("IDENTITY file:  {name}")),
                Some(FileKind::Manifest(_)) => log.header(format_args!(
                    "MANIFEST file:  {name} size: {} Bytes",
                    size(&self.dir, name)
                )),
                _ => {}
            }
        }
        let is_table =
            |name: &&String| matches!(filename::parse_file_name(name), Some(FileKind::Table(_)));
        for dir in DataPaths::new(&*self.fs, &self.dir, &self.options.db_paths).dirs() {
            let names = again(dir);
            let tables: Vec<&String> = names.iter().filter(is_table).collect();
            let first: String = tables.iter().take(9).map(|name| format!("{name} ")).collect();
            let (dir, count) = (dir.display(), tables.len());
            log.header(format_args!("SST files in {dir} dir, Total Num: {count}, files: {first}"));
        }
        let is_wal =
            |name: &&String| matches!(filename::parse_file_name(name), Some(FileKind::Wal(_)));
        let wals: String = again(&self.wal_dir)
            .iter()
            .filter(is_wal)
            .map(|name| format!("{name} size: {} ; ", size(&self.wal_dir, name)))
            .collect();
        log.header(format_args!("Write Ahead Log file in {}: {wals}", self.wal_dir.display()));
    }
}

/// How full the level is; nobody asked that where a user wants a compaction.
fn logged_score(plan: &CompactionPlan) -> f64 {
    if plan.reason == CompactionReason::ManualCompaction { -1.0 } else { plan.score }
}

/// A table that a flush wrote.
pub(super) struct WrittenFlush {
    pub(super) job_id: i32,
    pub(super) number: u64,
    pub(super) size: u64,
    pub(super) micros: u64,
    pub(super) cpu_micros: u64,
}

/// Recovery begins to read these WALs.
pub(super) fn log_recovery_started(log: &InfoLog, wals: &[u64]) {
    EventLine::new()
        .num("job", RECOVERY_JOB)
        .text("event", "recovery_started")
        .list("wal_files", wals)
        .write(log);
}

/// What the WALs held is in tables or memtables.
pub(super) fn log_recovery_finished<T>(log: &InfoLog, result: &Result<T>) {
    let status = result.as_ref().map_or_else(ToString::to_string, |_| "OK".to_owned());
    EventLine::new()
        .num("job", RECOVERY_JOB)
        .text("event", "recovery_finished")
        .text("status", &status)
        .write(log);
}

/// The options of a column family.
pub(super) fn log_family(log: &InfoLog, name: &str, options: &ColumnFamilyOptions) {
    let write = |line: &String| log.log(LogLevel::Header, format_args!("{line}"));
    family_lines(name, options).iter().for_each(write);
}

fn family_lines(name: &str, options: &ColumnFamilyOptions) -> Vec<String> {
    let head = format!("--------------- Options for column family [{name}]:");
    once(head).chain(dump_cf_options(options)).collect()
}

/// Has later LOGs repeat the options of a column family until it is dropped.
pub(super) fn keep_family(log: &InfoLog, family: &ColumnFamilyData) {
    let (name, options) = (family.name.clone(), family.options());
    log.keep_section(&family.name, Box::new(move || family_lines(&name, &options)));
}

impl DbInner {
    /// Files per level of a family.
    fn lsm_state(&self, family: &ColumnFamilyData) -> (Vec<usize>, usize) {
        let state = self.state.lock();
        let Some(cf) = state.families.get(&family.id) else { return (Vec::new(), 0) };
        let levels = 0..cf.current.num_levels();
        (levels.map(|level| cf.current.num_files(level)).collect(), cf.immutables.len())
    }

    pub(super) fn log_flush_started(
        &self,
        family: &ColumnFamilyData,
        job: i32,
        number: u64,
        immutables: &[Immutable],
        reason: FlushReason,
    ) {
        let (name, log) = (&family.name, &self.info_log);
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

    /// The table of a flush is written, which took so long; nothing of it is installed yet.
    pub(super) fn log_flush_written(&self, family: &ColumnFamilyData, done: &WrittenFlush) {
        let (name, log, job) = (&family.name, &self.info_log, done.job_id);
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

    pub(super) fn log_flush_finished(
        &self,
        family: &ColumnFamilyData,
        job: i32,
        number: u64,
        memtables: u64,
    ) {
        let (name, log) = (&family.name, &self.info_log);
        for memtable in 1..=memtables {
            log.info(format_args!(
                "[{name}] Level-0 commit flush result of table #{number}: memtable #{memtable} done"
            ));
        }
        let (levels, immutables) = self.lsm_state(family);
        EventLine::new()
            .num("job", job)
            .text("event", "flush_finished")
            .text("output_compression", self.output_context(family).compression.name())
            .list("lsm_state", levels)
            .num("immutable_memtables", immutables)
            .write(log);
        if let Some(summary) = self.level_summary_of(family) {
            log.info(format_args!("[{name}] Level summary: {summary}"));
        }
    }

    pub(super) fn log_compaction_started(&self, work: &CompactionWork, job: i32) {
        let (name, log, plan) = (&work.family.name, &self.info_log, &work.plan);
        // What only changes the MANIFEST has lines of its own.
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
            self.memtables_made_of(&work.family),
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
        let oldest = self.snapshots.oldest().map_or(-1, |seq| seq as i64);
        line.num("score", logged_score(plan))
            .num("input_data_size", plan.input_bytes())
            .num("oldest_snapshot_seqno", oldest)
            .write(log);
    }

    pub(super) fn log_compaction_finished(
        &self,
        work: &CompactionWork,
        report: &CompactionReport,
        result: &Result<()>,
    ) {
        let (log, plan, stats) = (&self.info_log, &work.plan, &report.stats);
        let (name, job) = (&work.family.name, report.job_id);
        if let Err(e) = result {
            match e.code() {
                // Nothing failed: the database closes, or the family is gone.
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
        self.log_compacted_to(work, report);
        let (levels, _) = self.lsm_state(&work.family);
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
            .num("num_subcompactions", work.max_subcompactions.max(1))
            .text("output_compression", plan.compression.name())
            .num("num_single_delete_mismatches", 0)
            .num("num_single_delete_fallthrough", 0)
            .list("lsm_state", levels)
            .write(log);
    }

    /// The line with the figures of a compaction that was installed.
    fn log_compacted_to(&self, work: &CompactionWork, report: &CompactionReport) {
        let (plan, stats) = (&work.plan, &report.stats);
        let Some(summary) = self.level_summary_of(&work.family) else { return };
        let at_output = |level: usize| level == plan.output_level;
        let bytes = |wanted: bool| {
            let files = plan.input_files().filter(|(level, _)| at_output(*level) == wanted);
            files.map(|(_, file)| file.file_size).sum::<u64>()
        };
        let (upper, here, written) = (bytes(false), bytes(true), stats.total_output_bytes);
        // A byte per microsecond is what RocksDB calls a megabyte per second.
        let rate = |bytes: u64| bytes as f64 / stats.elapsed_micros.max(1) as f64;
        let amplification = |bytes: u64| match upper {
            0 => 0.0,
            upper => bytes as f64 / upper as f64,
        };
        let mib = |bytes: u64| bytes as f64 / 1048576.0;
        let files_here = stats.num_input_files_at_output_level;
        self.info_log.info(format_args!(
            "[{}] compacted to: {summary}, MB/sec: {:.1} rd, {:.1} wr, level {}, \
             files in({}, {files_here}) filtered(0, 0) out({} +0 blob) MB in({:.1}, {:.1} +0.0 blob) \
             filtered(0.0, 0.0) out({:.1} +0.0 blob), read-write-amplify({:.1}) \
             write-amplify({:.1}) OK, records in: {}, records dropped: {} output_compression: {}",
            work.family.name,
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

    /// Files from outside came to these levels: for LOG and for the figures of the family.
    pub(super) fn note_ingested(
        &self,
        family: &ColumnFamilyData,
        files: &[(usize, Arc<FileMeta>)],
    ) {
        let file = |(level, file): &(usize, Arc<FileMeta>)| {
            let path = family.paths.table(file);
            format!("\"file\", {:?}, \"level\", {level}", path.display().to_string())
        };
        let sum = |f: fn(&FileMeta) -> u64| files.iter().map(|(_, file)| f(file)).sum();
        let ingested = Ingested {
            bytes: sum(|file| file.file_size),
            files: files.len() as u64,
            level0_files: files.iter().filter(|(level, _)| *level == 0).count() as u64,
            keys: sum(|file| file.stats().num_entries),
        };
        if let Some(cf) = self.state.lock().families.get_mut(&family.id) {
            cf.jobs.note_ingested(ingested);
        }
        let (levels, _) = self.lsm_state(family);
        EventLine::new()
            .text("event", "ingest_finished")
            .list("files_ingested", files.iter().map(file))
            .list("lsm_state", levels)
            .write(&self.info_log);
    }

    pub(super) fn log_table_deleted(&self, number: u64, deleted: &Result<()>) {
        let status = deleted.as_ref().map_or_else(ToString::to_string, |()| "OK".to_owned());
        EventLine::new()
            .num("job", 0)
            .text("event", "table_file_deletion")
            .num("file_number", number)
            .text("status", &status)
            .write(&self.info_log);
    }
}
