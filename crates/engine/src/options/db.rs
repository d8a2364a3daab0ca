//! Options of the whole database.

use super::unnamed::Unnamed;
use super::{CacheTier, ColumnFamilyOptions, DbPath, InfoLogLevel, Temperature};
use crate::budget::{RateLimiter, SstFileManager, WriteBufferManager};
use crate::cache::Cache;
use crate::compress::CompressionType;
use crate::fs::FileSystem;
use crate::fs::info_log::Logger;
use crate::hooks::EventListener;
use crate::stats::Statistics;
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
    /// Numbers without a name that were set through the C ABI; opening refuses them.
    pub unnamed: Unnamed,
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
    /// LOG files kept, the live one counted.
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
    /// Where events are counted; `None` counts nothing. Databases may share it.
    pub statistics: Option<Arc<Statistics>>,
    /// Seconds between statistics in LOG; 0 never.
    pub stats_dump_period_sec: u32,
    /// Write the database's identity into the MANIFEST.
    pub write_dbid_to_manifest: bool,
    /// Limits what flushes and compactions write, and what is read if it says so.
    pub rate_limiter: Option<Arc<RateLimiter>>,
    /// The budget of memtables, shared with other databases; instead of `db_write_buffer_size`.
    pub write_buffer_manager: Option<Arc<WriteBufferManager>>,
    /// Follows tables: their space, and how fast obsolete ones are removed.
    pub sst_file_manager: Option<Arc<SstFileManager>>,
    /// Takes the lines that else go to LOG; then `info_log_level` does not count.
    pub info_log: Option<Arc<dyn Logger>>,
    /// Who is told what the engine does.
    pub listeners: Vec<Arc<dyn EventListener>>,
    /// The file system; `None` is the operating system's.
    pub file_system: Option<Arc<dyn FileSystem>>,
    /// Bytes that a compaction reads ahead. The engine always reads 256 KiB ahead. Accepted, has no
    /// effect.
    pub compaction_readahead_size: usize,
    /// Writers wait until what `bytes_per_sync` pushed has reached the device. Accepted, has no
    /// effect.
    pub strict_bytes_per_sync: bool,
    /// Largest buffer of a file that is written, in bytes. Accepted, has no effect.
    pub writable_file_max_buffer_size: usize,
    /// Memory of the history of statistics, in bytes; none is kept.
    pub stats_history_buffer_size: usize,
    /// Seconds between entries of the history of statistics; none is kept.
    pub stats_persist_period_sec: u32,
    /// Keep the history of statistics in a hidden column family. Accepted, has no effect: there is no
    /// such history.
    pub persist_stats_to_disk: bool,
    /// A compaction fails if it finds a delete below a single delete of the same key. Accepted, has no
    /// effect: the engine always fails for that.
    pub enforce_single_del_contracts: bool,
    /// Which tiers of caches are used; there is one, in memory. Accepted, has no effect.
    pub lowest_used_cache_tier: CacheTier,
    /// Microseconds between attempts to recover from an error in the background. Accepted, has no
    /// effect.
    pub bgerror_resume_retry_interval: u64,
    /// Attempts to recover from an error in the background. Accepted, has no effect.
    pub max_bgerror_resume_count: i32,
    /// Bytes that recovery reads ahead in logs. Accepted, has no effect.
    pub log_readahead_size: usize,
    /// The codec of WAL records. Accepted, has no effect: records are written as they are. WALs compressed
    /// with zstd are read, those with another codec are refused.
    pub wal_compression: CompressionType,
    /// The host's name in the properties of tables. Accepted, has no effect: they always have the name
    /// of this machine.
    pub db_host_id: String,
    /// Writers of the WAL alone have a queue of their own. Accepted, has no effect.
    pub two_write_queues: bool,
    /// Overlap the WAL of one group of writers with the memtables of another; writers always
    /// overlap. Accepted, has no effect.
    pub enable_pipelined_write: bool,
    /// Give up order for speed. Writes stay in order. Accepted, has no effect.
    pub unordered_write: bool,
    /// Waiting writers spin before they sleep. Accepted, has no effect.
    pub enable_write_thread_adaptive_yield: bool,
    /// Microseconds after which a spinning writer finds that it waits. Accepted, has no effect.
    pub write_thread_slow_yield_usec: u64,
    /// Microseconds that a writer spins. Accepted, has no effect.
    pub write_thread_max_yield_usec: u64,
    /// Bytes that a group of writers writes together. Accepted, has no effect.
    pub max_write_batch_group_size_bytes: u64,
    /// Leave the deletion of files to the background. Accepted, has no effect.
    pub avoid_unnecessary_blocking_io: bool,
    /// Open without asking for the sizes of tables. Accepted, has no effect.
    pub skip_checking_sst_file_sizes_on_db_open: bool,
    /// Open without loading table properties for compaction statistics. Accepted, has no effect.
    pub skip_stats_update_on_db_open: bool,
    /// A flush counts the entries of its memtables; it always does.
    pub flush_verify_memtable_count: bool,
    /// A compaction counts the entries that it reads; it always does.
    pub compaction_verify_record_count: bool,
    /// Check a table's unique identifier against the MANIFEST's at open. Accepted, has no effect.
    pub verify_sst_unique_id_in_manifest: bool,
    /// Record synced WALs in the MANIFEST and look for them at open. Accepted, has no effect.
    pub track_and_verify_wals_in_manifest: bool,
    /// Record in each WAL what came before it and check that at open. Accepted, has no effect.
    pub track_and_verify_wals: bool,
    /// Report what threads do. Accepted, has no effect.
    pub enable_thread_tracking: bool,
    /// Keys may stand in messages. Accepted, has no effect.
    pub allow_data_in_errors: bool,
    /// Locks spin before they sleep. Accepted, has no effect.
    pub use_adaptive_mutex: bool,
    /// Close files in child processes; that is always so.
    pub is_fd_close_on_exec: bool,
    /// Size of LOG from which a new one is started, in bytes; 0 never.
    pub max_log_file_size: usize,
    /// Seconds after which a new LOG is started; 0 never.
    pub log_file_time_to_roll: usize,
    /// What goes into LOG.
    pub info_log_level: InfoLogLevel,
    /// Shards of the table cache as a power of two. Accepted, has no effect.
    pub table_cache_numshardbits: i32,
    /// The allocator's statistics go into LOG. Accepted, has no effect.
    pub dump_malloc_stats: bool,
    /// WALs that are kept to be written over. Accepted, has no effect.
    pub recycle_log_file_num: usize,
    /// Bytes that are reserved for the MANIFEST at once. Accepted, has no effect.
    pub manifest_preallocation_size: usize,
    /// Tell the system that tables are read at random. Accepted, has no effect.
    pub advise_random_on_open: bool,
    /// Open what can be saved when files are missing. Refused at open unless it is the default.
    pub best_efforts_recovery: bool,
    /// Seal all column families at one point between two writes and install their flushes together.
    /// For writes without a WAL to several families, which then stay consistent after a crash. A
    /// flush that names families is of these alone.
    pub atomic_flush: bool,
    /// Keep what transactions have prepared; without it such a WAL is an error at open. Databases with
    /// locking transactions set it.
    pub allow_2pc: bool,
    /// Keep the last level free for `ingest_behind`: no compaction reads or writes it, and none drops
    /// what would hide older data. To be set from the first opening on.
    pub allow_ingest_behind: bool,
    /// How much larger than its content the MANIFEST may grow, in percent. Accepted, has no effect.
    pub max_manifest_space_amp_pct: i32,
    /// When few people use the database, as `HH:mm-HH:mm`. Accepted, has no effect.
    pub daily_offpeak_time_utc: String,
    /// Leave closing WALs to the background. Accepted, has no effect.
    pub background_close_inactive_wals: bool,
    /// Write the file IDENTITY; it is always written.
    pub write_identity_file: bool,
    /// Milliseconds between a follower's looks at its leader. Accepted, has no effect.
    pub follower_refresh_catchup_period_ms: u64,
    /// How often a follower tries to catch up. Accepted, has no effect.
    pub follower_catchup_retry_count: u64,
    /// Milliseconds between these attempts. Accepted, has no effect.
    pub follower_catchup_retry_wait_ms: u64,
    /// The temperature of MANIFEST, OPTIONS and CURRENT. Accepted, has no effect.
    pub metadata_write_temperature: Temperature,
    /// The temperature of WALs. Accepted, has no effect.
    pub wal_write_temperature: Temperature,
    /// Iterators use prefixes only where a read option says so. Refused at open unless it is the
    /// default.
    pub prefix_seek_opt_in_only: bool,
    /// Where tables are, with target sizes: at most four directories, which are made if they are missing,
    /// but not those above them. Newer data goes to the first ones. Empty means the database directory. As in RocksDB
    /// they are not written to the OPTIONS file, and there is no checkpoint or backup of a database with
    /// tables elsewhere than in its directory.
    pub db_paths: Vec<DbPath>,
    /// A cache of rows. Accepted, has no effect.
    pub row_cache: Option<Arc<Cache>>,
}

impl Default for DbOptions {
    fn default() -> DbOptions {
        DbOptions {
            unnamed: Unnamed::default(),
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
            statistics: None,
            stats_dump_period_sec: 600,
            write_dbid_to_manifest: true,
            rate_limiter: None,
            write_buffer_manager: None,
            sst_file_manager: None,
            info_log: None,
            listeners: Vec::new(),
            file_system: None,
            compaction_readahead_size: 2 << 20,
            strict_bytes_per_sync: false,
            writable_file_max_buffer_size: 1 << 20,
            stats_history_buffer_size: 1 << 20,
            stats_persist_period_sec: 600,
            persist_stats_to_disk: false,
            enforce_single_del_contracts: true,
            lowest_used_cache_tier: CacheTier::default(),
            bgerror_resume_retry_interval: 1_000_000,
            max_bgerror_resume_count: i32::MAX,
            log_readahead_size: 0,
            wal_compression: CompressionType::None,
            db_host_id: String::from("__hostname__"),
            two_write_queues: false,
            enable_pipelined_write: false,
            unordered_write: false,
            enable_write_thread_adaptive_yield: true,
            write_thread_slow_yield_usec: 3,
            write_thread_max_yield_usec: 100,
            max_write_batch_group_size_bytes: 1 << 20,
            avoid_unnecessary_blocking_io: false,
            skip_checking_sst_file_sizes_on_db_open: false,
            skip_stats_update_on_db_open: false,
            flush_verify_memtable_count: true,
            compaction_verify_record_count: true,
            verify_sst_unique_id_in_manifest: true,
            track_and_verify_wals_in_manifest: false,
            track_and_verify_wals: false,
            enable_thread_tracking: false,
            allow_data_in_errors: false,
            use_adaptive_mutex: false,
            is_fd_close_on_exec: true,
            max_log_file_size: 0,
            log_file_time_to_roll: 0,
            info_log_level: InfoLogLevel::default(),
            table_cache_numshardbits: 6,
            dump_malloc_stats: false,
            recycle_log_file_num: 0,
            manifest_preallocation_size: 4 << 20,
            advise_random_on_open: true,
            best_efforts_recovery: false,
            atomic_flush: false,
            allow_2pc: false,
            allow_ingest_behind: false,
            max_manifest_space_amp_pct: 500,
            daily_offpeak_time_utc: String::new(),
            background_close_inactive_wals: false,
            write_identity_file: true,
            follower_refresh_catchup_period_ms: 10_000,
            follower_catchup_retry_count: 10,
            follower_catchup_retry_wait_ms: 100,
            metadata_write_temperature: Temperature::Unknown,
            wal_write_temperature: Temperature::Unknown,
            prefix_seek_opt_in_only: false,
            db_paths: Vec::new(),
            row_cache: None,
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
