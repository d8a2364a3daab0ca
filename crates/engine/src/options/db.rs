//! Options of the whole database.

use super::ColumnFamilyOptions;
use crate::fs::FileSystem;
use std::path::PathBuf;
use std::sync::Arc;

/// What recovery does with a damaged WAL. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum WalRecoveryMode {
    /// A torn tail is dropped; any other damage fails the open.
    TolerateCorruptedTailRecords = 0,
    /// Any damage fails the open.
    AbsoluteConsistency = 1,
    /// Replay stops at the first damage: a consistent point in time.
    #[default]
    PointInTimeRecovery = 2,
    /// Damaged records are skipped; salvage only.
    SkipAnyCorruptedRecords = 3,
}

/// Options of the whole database; names and defaults are RocksDB 10.10's.
#[derive(Clone)]
pub struct DbOptions {
    /// Create the database if it does not exist.
    pub create_if_missing: bool,
    /// Create column families that are named at open and do not exist.
    pub create_missing_column_families: bool,
    /// Fail if the database exists.
    pub error_if_exists: bool,
    /// Accepted, has no effect: what RocksDB checks with it is always checked.
    pub paranoid_checks: bool,
    /// Open table readers kept at once; -1 keeps all.
    pub max_open_files: i32,
    /// Threads for opening files when `max_open_files` is -1.
    pub max_file_opening_threads: i32,
    /// Total size of live WALs, in bytes, from which the oldest memtables are flushed; 0 means
    /// four times the sum of all write buffers.
    pub max_total_wal_size: u64,
    /// Background jobs at once, flushes and compactions together.
    pub max_background_jobs: i32,
    /// Compactions at once; -1 derives it from `max_background_jobs`.
    pub max_background_compactions: i32,
    /// Flushes at once; -1 derives it from `max_background_jobs`.
    pub max_background_flushes: i32,
    /// Threads that share one compaction, at most.
    pub max_subcompactions: u32,
    /// `fsync` where otherwise `fdatasync` is enough.
    pub use_fsync: bool,
    /// Where WALs are; empty means the database directory.
    pub wal_dir: PathBuf,
    /// Where LOG is; empty means the database directory.
    pub db_log_dir: PathBuf,
    /// Accepted, has no effect: files are deleted as soon as nobody needs them, never by a scan.
    pub delete_obsolete_files_period_micros: u64,
    /// Old LOG files kept.
    pub keep_log_file_num: usize,
    /// Seconds that obsolete WALs stay in the archive; 0 with a zero limit deletes them at once.
    pub wal_ttl_seconds: u64,
    /// Megabytes of archived WALs kept; 0 means no limit by size.
    pub wal_size_limit_mb: u64,
    /// Size from which the MANIFEST is rewritten, in bytes.
    pub max_manifest_file_size: u64,
    /// Read tables through a memory map.
    pub allow_mmap_reads: bool,
    /// Write tables through a memory map. Not supported: true is refused at open.
    pub allow_mmap_writes: bool,
    /// Read tables past the page cache. Not supported: true is refused at open.
    pub use_direct_reads: bool,
    /// Write in flush and compaction past the page cache. Not supported: true is refused at open.
    pub use_direct_io_for_flush_and_compaction: bool,
    /// Give the file system hints and preallocate.
    pub allow_fallocate: bool,
    /// Bytes after which flush and compaction outputs are pushed to the device; 0 never.
    pub bytes_per_sync: u64,
    /// The same for the WAL.
    pub wal_bytes_per_sync: u64,
    /// Memory of all memtables of the database, in bytes; 0 means no limit.
    pub db_write_buffer_size: usize,
    /// Bytes per second that delayed writers get together; 0 lets the engine choose (16 MiB/s).
    pub delayed_write_rate: u64,
    /// Keep the inserts of concurrent writers concurrent.
    pub allow_concurrent_memtable_write: bool,
    /// What recovery does with a damaged WAL.
    pub wal_recovery_mode: WalRecoveryMode,
    /// Do not flush after recovery unless a memtable is full.
    pub avoid_flush_during_recovery: bool,
    /// Do not flush at close.
    pub avoid_flush_during_shutdown: bool,
    /// Write the WAL only on `flush_wal`.
    pub manual_wal_flush: bool,
    /// Collect tickers.
    pub statistics: bool,
    /// Seconds between statistics in LOG; 0 never.
    pub stats_dump_period_sec: u32,
    /// Write the database's identity into the MANIFEST.
    pub write_dbid_to_manifest: bool,
    /// The file system; `None` is the operating system's.
    pub file_system: Option<Arc<dyn FileSystem>>,
}

impl Default for DbOptions {
    fn default() -> DbOptions {
        DbOptions {
            create_if_missing: false,
            create_missing_column_families: false,
            error_if_exists: false,
            paranoid_checks: true,
            max_open_files: -1,
            max_file_opening_threads: 16,
            max_total_wal_size: 0,
            max_background_jobs: 2,
            max_background_compactions: -1,
            max_background_flushes: -1,
            max_subcompactions: 1,
            use_fsync: false,
            wal_dir: PathBuf::new(),
            db_log_dir: PathBuf::new(),
            delete_obsolete_files_period_micros: 6 * 60 * 60 * 1_000_000,
            keep_log_file_num: 1000,
            wal_ttl_seconds: 0,
            wal_size_limit_mb: 0,
            max_manifest_file_size: 1 << 30,
            allow_mmap_reads: false,
            allow_mmap_writes: false,
            use_direct_reads: false,
            use_direct_io_for_flush_and_compaction: false,
            allow_fallocate: true,
            bytes_per_sync: 0,
            wal_bytes_per_sync: 0,
            db_write_buffer_size: 0,
            delayed_write_rate: 0,
            allow_concurrent_memtable_write: true,
            wal_recovery_mode: WalRecoveryMode::default(),
            avoid_flush_during_recovery: false,
            avoid_flush_during_shutdown: false,
            manual_wal_flush: false,
            statistics: false,
            stats_dump_period_sec: 600,
            write_dbid_to_manifest: true,
            file_system: None,
        }
    }
}

/// Options of a database and of its default column family.
#[derive(Clone, Default)]
pub struct Options {
    /// The whole database's.
    pub db: DbOptions,
    /// The default column family's, and those of families opened without their own.
    pub cf: ColumnFamilyOptions,
}
