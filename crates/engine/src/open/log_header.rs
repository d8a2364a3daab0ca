//! The header of LOG: versions, the content of the directory, the options in force; and the log lines of recovery.

use super::descriptor::ColumnFamilyDescriptor;
use crate::base::checksum;
use crate::compress::CompressionType;
use crate::error::Result;
use crate::fs::FileSystem;
use crate::fs::event_log::EventLine;
use crate::fs::filename::{self, FileKind};
use crate::fs::info_log::{InfoLog, LogLevel};
use crate::options::{ColumnFamilyOptions, DbOptions, dump_cf_options, dump_db_options};
use crate::report::RECOVERY_JOB;
use crate::session::{ColumnFamilyData, Identity};
use crate::version::{DataPaths, VersionSet};
use std::borrow::Cow;
use std::iter::once;
use std::path::Path;

/// The inputs for the header of LOG.
pub(super) struct LogHeader<'a> {
    pub(super) fs: &'a dyn FileSystem,
    pub(super) dir: &'a Path,
    pub(super) wal_dir: &'a Path,
    pub(super) options: &'a DbOptions,
    pub(super) descriptors: &'a [ColumnFamilyDescriptor],
    /// The option values that were changed.
    pub(super) changes: &'a [String],
    pub(super) info_log: &'a InfoLog,
}

impl LogHeader<'_> {
    /// Logs the versions, the content of the directory, and the options in force.
    pub(super) fn log(&self, identity: &Identity) {
        let log = self.info_log;
        log.header(format_args!("RocksDB version: {}", crate::options::ROCKSDB_VERSION));
        // The same as in a RocksDB build outside a checkout, unless the build sets the revision.
        log.header(format_args!("Git sha {}", option_env!("FERROLITH_GIT_SHA").unwrap_or("0")));
        log.header(format_args!("Ferrolith version: {}", env!("CARGO_PKG_VERSION")));
        log.header(format_args!("DB SUMMARY"));
        log.header(format_args!("Host name (Env):  {}", identity.host));
        log.header(format_args!("DB Session ID:  {}", identity.session_id));
        self.log_files(log);
        dump_db_options(self.options).iter().for_each(|line| log.header(format_args!("{line}")));
        log.header(format_args!("Compression algorithms supported:"));
        for codec in CompressionType::ALL.into_iter().filter(|c| *c != CompressionType::None) {
            let supported = u8::from(codec.is_supported());
            log.header(format_args!("\t{} supported: {supported}", codec.option_name()));
        }
        // As in RocksDB, the first line says what the library was compiled for, and the second what it uses at run
        // time.
        log.header(format_args!("Fast CRC32 supported: {}", checksum::crc32c_target()));
        let hardware = u8::from(checksum::crc32c_hardware());
        log.header(format_args!("CRC32C instructions found at run time: {hardware}"));
        log.header(format_args!("DMutex implementation: parking_lot::Mutex"));
        log.header(format_args!("Jemalloc supported: 0"));
        for family in self.descriptors {
            log_family(log, &family.name, &family.options);
        }
        self.changes.iter().for_each(|change| log.info(format_args!("{change}")));
    }

    /// Logs what the MANIFEST contained.
    pub(super) fn log_versions(&self, versions: &VersionSet) {
        let (log, manifest) = (self.info_log, versions.manifest_number());
        let path = filename::manifest_file_name(self.dir, manifest);
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
        let names = names_in(self.dir);
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
                    size(self.dir, name)
                )),
                _ => {}
            }
        }
        let is_table =
            |name: &&String| matches!(filename::parse_file_name(name), Some(FileKind::Table(_)));
        for dir in DataPaths::new(self.fs, self.dir, &self.options.db_paths).dirs() {
            let names = again(dir);
            let tables: Vec<&String> = names.iter().filter(is_table).collect();
            let first: String = tables.iter().take(9).map(|name| format!("{name} ")).collect();
            let (dir, count) = (dir.display(), tables.len());
            log.header(format_args!("SST files in {dir} dir, Total Num: {count}, files: {first}"));
        }
        let is_wal =
            |name: &&String| matches!(filename::parse_file_name(name), Some(FileKind::Wal(_)));
        let wals: String = again(self.wal_dir)
            .iter()
            .filter(is_wal)
            .map(|name| format!("{name} size: {} ; ", size(self.wal_dir, name)))
            .collect();
        log.header(format_args!("Write Ahead Log file in {}: {wals}", self.wal_dir.display()));
    }
}

/// Logs that recovery begins to read these WALs.
pub(super) fn log_recovery_started(log: &InfoLog, wals: &[u64]) {
    EventLine::new()
        .num("job", RECOVERY_JOB)
        .text("event", "recovery_started")
        .list("wal_files", wals)
        .write(log);
}

/// Logs that the content of the WALs is in tables or memtables.
pub(super) fn log_recovery_finished<T>(log: &InfoLog, result: &Result<T>) {
    let status = result.as_ref().map_or_else(ToString::to_string, |_| "OK".to_owned());
    EventLine::new()
        .num("job", RECOVERY_JOB)
        .text("event", "recovery_finished")
        .text("status", &status)
        .write(log);
}

/// Logs the options of a column family.
pub(crate) fn log_family(log: &InfoLog, name: &str, options: &ColumnFamilyOptions) {
    let write = |line: &String| log.log(LogLevel::Header, format_args!("{line}"));
    family_lines(name, options).iter().for_each(write);
}

fn family_lines(name: &str, options: &ColumnFamilyOptions) -> Vec<String> {
    let head = format!("--------------- Options for column family [{name}]:");
    once(head).chain(dump_cf_options(options)).collect()
}

/// Makes later LOG files repeat the options of a column family until it is dropped.
pub(crate) fn keep_family(log: &InfoLog, family: &ColumnFamilyData) {
    let (name, options) = (family.name.clone(), family.options());
    log.keep_section(&family.name, Box::new(move || family_lines(&name, &options)));
}
