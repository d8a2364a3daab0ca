//! What stands in LOG: the head with its summary and options, and the lines of jobs. RocksDB's words,
//! since people and tools search for them.

use super::background::CompactionWork;
use super::builder::Builder;
use super::column_family::{ColumnFamilyData, Immutable};
use super::events::CompactionReport;
use super::recover::RECOVERY_JOB;
use super::session::Identity;
use super::state::DbInner;
use crate::base::checksum;
use crate::compress::CompressionType;
use crate::error::Result;
use crate::fs::event_log::EventLine;
use crate::fs::filename::{self, FileKind};
use crate::fs::info_log::InfoLog;
use crate::hooks::{CompactionReason, FlushReason};
use crate::options::{dump_cf_options, dump_db_options};
use crate::version::{DataPaths, VersionSet};
use std::borrow::Cow;
use std::path::Path;

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
            log_family(log, &family.name, &dump_cf_options(&family.options));
        }
        self.changes.iter().for_each(|change| log.info(format_args!("{change}")));
    }

    /// What the MANIFEST gave.
    pub(super) fn log_versions(&self, versions: &VersionSet) {
        let (log, manifest) = (&*self.info_log, versions.manifest_number());
        let log_numbers = || versions.column_families().map(|(_, stored)| stored.log_number());
        log.info(format_args!(
            "Recovered from manifest file:{} succeeded,manifest_file_number is {manifest}, \
             next_file_number is {}, last_sequence is {}, log_number is {},prev_log_number is \
             0,max_column_family is {},min_log_number_to_keep is {}",
            filename::manifest_file_name(&self.dir, manifest).display(),
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
pub(super) fn log_family(log: &InfoLog, name: &str, lines: &[String]) {
    log.header(format_args!("--------------- Options for column family [{name}]:"));
    lines.iter().for_each(|line| log.header(format_args!("{line}")));
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
        immutables: &[Immutable],
        reason: FlushReason,
    ) {
        let (name, log) = (&family.name, &self.info_log);
        for i in immutables {
            let (id, wal) = (i.mem.id(), i.next_wal_number);
            log.info(format_args!(
                "[{name}] [JOB {job}] Flushing memtable id {id} with next log file: {wal}"
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
    }

    pub(super) fn log_flush_finished(
        &self,
        family: &ColumnFamilyData,
        job: i32,
        number: u64,
        size: u64,
    ) {
        let (name, log) = (&family.name, &self.info_log);
        log.info(format_args!(
            "[{name}] [JOB {job}] Level-0 flush table #{number}: {size} bytes OK"
        ));
        let (levels, immutables) = self.lsm_state(family);
        EventLine::new()
            .num("job", job)
            .text("event", "flush_finished")
            .text("output_compression", self.output_context(family).compression.name())
            .list("lsm_state", levels)
            .num("immutable_memtables", immutables)
            .write(log);
    }

    pub(super) fn log_compaction_started(&self, work: &CompactionWork, job: i32) {
        let (name, log, plan) = (&work.family.name, &self.info_log, &work.plan);
        let counts: Vec<String> =
            plan.inputs.iter().map(|l| format!("{}@{}", l.files.len(), l.level)).collect();
        log.info(format_args!(
            "[{name}] [JOB {job}] Compacting {} files to L{}, score {:.2}",
            counts.join(" + "),
            plan.output_level,
            plan.score
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
        // Nobody asked how full the level is.
        let manual = plan.reason == CompactionReason::ManualCompaction;
        line.num("score", if manual { -1.0 } else { plan.score })
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
            log.info(format_args!("[{name}] [JOB {job}] Compaction failed: {e}"));
            return;
        }
        log.info(format_args!(
            "[{name}] [JOB {job}] Compacted {} files to L{} => {} bytes",
            plan.num_input_files(),
            plan.output_level,
            stats.total_output_bytes
        ));
        if plan.trivial_move {
            EventLine::new()
                .num("job", job)
                .text("event", "trivial_move")
                .num("destination_level", plan.output_level)
                .num("files", plan.num_input_files())
                .num("total_files_size", plan.input_bytes())
                .write(log);
            return;
        }
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
