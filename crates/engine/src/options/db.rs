//! Database-wide options.

use super::dump;
use super::registry::options;
use super::unnamed::Unnamed;
use super::{CacheTier, ColumnFamilyOptions, Components, DbPath, InfoLogLevel, Temperature};
use crate::budget::RateLimiter;
use crate::cache::Cache;
use crate::compress::CompressionType;
use crate::fs::ReadMode;
use crate::stats::Statistics;
use std::path::PathBuf;
use std::sync::Arc;

/// The treatment of a damaged WAL in recovery. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum WalRecoveryMode {
    /// A torn tail is dropped; any other damage makes the open fail.
    TolerateCorruptedTailRecords = 0,
    /// Any damage makes the open fail.
    AbsoluteConsistency = 1,
    /// Replay stops at the first damage, which gives a consistent point in time.
    #[default]
    PointInTimeRecovery = 2,
    /// Damaged records are skipped. For salvage only.
    SkipAnyCorruptedRecords = 3,
}

options! {
    /// Database-wide options; names and defaults are RocksDB 10.10's.
    #[derive(Clone)]
    DbOptions {
        /// Fail if the database exists.
        error_if_exists: bool = false => honoured().log(24);
        /// Create the database if it does not exist.
        create_if_missing: bool = false => honoured().log(22);
        /// Accepted, has no effect: the checks that it enables in RocksDB are always made.
        paranoid_checks: bool = true => accepted().log(24);
        /// Verify the number of memtable entries in a flush. Accepted, has no effect: it is always verified.
        flush_verify_memtable_count: bool = true => accepted().log(12);
        /// Verify the number of entries that a compaction reads. Accepted, has no effect: it is always verified.
        compaction_verify_record_count: bool = true => accepted().written_when_set().log(9);
        /// Record synced WALs in the MANIFEST and verify at open that they exist. Accepted, has no effect.
        track_and_verify_wals_in_manifest: bool = false => accepted().log(30);
        /// Record the preceding WAL in each WAL, and verify that at open. Accepted, has no effect.
        track_and_verify_wals: bool = false => accepted().written_when_set().log(30);
        /// Compare a table's unique id with the MANIFEST's at open. Accepted, has no effect.
        verify_sst_unique_id_in_manifest: bool = true => accepted().log(7);
        "env": fixed(Text, "nullptr") => accepted().never_written().log_lines(dump::environment);
        /// The number of threads that open files when `max_open_files` is -1.
        max_file_opening_threads: i32 = 16 => honoured().log(15);
        /// The statistics; `None` disables them. Databases may share an object.
        statistics: Option<Arc<Statistics>> = None
            => honoured().never_written().log_lines(dump::statistics);
        /// Use `fsync` where `fdatasync` would be sufficient.
        use_fsync: bool = false => honoured().log(30);
        /// The size of LOG in bytes at which a new one is started; 0 means never.
        max_log_file_size: usize = 0 => honoured().log(22);
        /// Seconds after which a new LOG is started; 0 means never.
        log_file_time_to_roll: usize = 0 => honoured().log(18);
        /// The number of LOG files that are kept, including the live one.
        keep_log_file_num: usize = 1000 => honoured().log(22);
        /// The number of WALs that are kept to be overwritten. Accepted, has no effect.
        recycle_log_file_num: usize = 0 => accepted().log(19);
        /// Preallocate files and give the file system hints.
        allow_fallocate: bool = true => honoured().log(24);
        /// Read tables through a memory map.
        allow_mmap_reads: bool = false => honoured().log(23);
        /// Write tables through a memory map. Not supported: true is refused at open.
        allow_mmap_writes: bool = false => refused().log(22);
        /// Read tables with direct I/O, past the page cache: lookups, iterators and compactions. Opening fails with
        /// InvalidArgument if the file system does not support it, and with `allow_mmap_reads`.
        use_direct_reads: bool = false => honoured().log(23);
        /// Write the tables of flushes and compactions with direct I/O, past the page cache. WALs and MANIFESTs are
        /// written as usual. Opening fails with InvalidArgument if the file system does not support it.
        use_direct_io_for_flush_and_compaction: bool = false => honoured().log(23);
        /// Create column families that are named at open and do not exist.
        create_missing_column_families: bool = false => honoured().log(9);
        /// The directory of LOG; empty means the database directory.
        db_log_dir: PathBuf = PathBuf::new() => honoured().log(29);
        /// The directory of WALs; empty means the database directory.
        wal_dir: PathBuf = PathBuf::new() => honoured().log(32);
        /// Shards of the table cache, as a power of two. Accepted, has no effect.
        table_cache_numshardbits: i32 = 6 => accepted().log(15);
        /// Seconds for which obsolete WALs stay in the archive; 0, together with a zero size limit, deletes them
        /// immediately.
        wal_ttl_seconds: u64 = 0 => honoured().named("WAL_ttl_seconds").log(24);
        /// The size limit of archived WALs in megabytes; 0 means no size limit.
        wal_size_limit_mb: u64 = 0 => honoured().named("WAL_size_limit_MB").log(22);
        /// The maximum number of bytes that a group of writers writes together. Accepted, has no effect.
        max_write_batch_group_size_bytes: u64 = 1 << 20 => accepted().log(23);
        /// Close files in child processes. Accepted, has no effect: this is always done.
        is_fd_close_on_exec: bool = true => accepted().log(20);
        /// Advise the system that block-based tables are read at random, so that it reads nothing ahead by itself for
        /// lookups. Scans and compactions tell it what they will read. Only without direct I/O and mapped reads.
        advise_random_on_open: bool = true => honoured().log(18);
        /// The memory limit for all memtables of the database, in bytes; 0 means no limit.
        db_write_buffer_size: usize = 0 => honoured().log_lines(dump::memtable_memory);
        /// Make mutexes spin before they sleep. Accepted, has no effect.
        use_adaptive_mutex: bool = false => accepted().log(21);
        "rate_limiter": fixed(Text, "") => obsolete().log_lines(dump::write_rates);
        /// The treatment of a damaged WAL in recovery.
        wal_recovery_mode: WalRecoveryMode = WalRecoveryMode::default()
            => honoured().log_as(22, |o| (o.wal_recovery_mode as u8).to_string());
        /// Track what threads do. Accepted, has no effect.
        enable_thread_tracking: bool = false => accepted().log(17);
        /// Overlap the WAL writes of one group of writers with the memtable inserts of another. Accepted, has no
        /// effect: writers always overlap.
        enable_pipelined_write: bool = false => accepted().log(17);
        /// Trade write order for speed. Accepted, has no effect: writes stay in order.
        unordered_write: bool = false => accepted().log(17);
        /// Let concurrent writers insert concurrently.
        allow_concurrent_memtable_write: bool = true => honoured().log(8);
        /// Make waiting writers spin before they sleep. Accepted, has no effect.
        enable_write_thread_adaptive_yield: bool = true => accepted().log(5);
        /// Microseconds for which a writer spins. Accepted, has no effect.
        write_thread_max_yield_usec: u64 = 100 => accepted().log(12);
        /// Microseconds after which a yield of a spinning writer counts as slow. Accepted, has no effect.
        write_thread_slow_yield_usec: u64 = 3 => accepted().log(11);
        /// A row cache. Accepted, has no effect.
        row_cache: Option<Arc<Cache>> = None
            => accepted().never_written().log_as(30, dump::row_cache);
        "wal_filter": fixed(Text, "nullptr") => refused().log_as(29, |_| "None".into());
        /// After recovery, flush only full memtables.
        avoid_flush_during_recovery: bool = false => honoured().log(12);
        /// Keep the last level free for `ingest_behind`: no compaction reads or writes it, and none drops entries that
        /// would hide older data. It must be set from the first opening on.
        allow_ingest_behind: bool = false => honoured().log(12);
        /// Give writers that write only the WAL a queue of their own. Accepted, has no effect.
        two_write_queues: bool = false => accepted().log(12);
        /// Write the WAL only on `flush_wal`.
        manual_wal_flush: bool = false => honoured().log(12);
        /// The codec of WAL records. Accepted, has no effect: records are written uncompressed. WALs that were
        /// compressed with zstd can be read; those with other codecs are refused.
        wal_compression: CompressionType = CompressionType::None
            => accepted().log_as(12, |o| (o.wal_compression as u8).to_string());
        /// Close WALs in the background. Accepted, has no effect.
        background_close_inactive_wals: bool = false => accepted().written_when_set().log(12);
        /// Seal all column families at one point between two writes, and install their flushes together, so that writes
        /// to several families without a WAL stay consistent after a crash. A flush of named families flushes only
        /// these.
        atomic_flush: bool = false => honoured().log(12);
        /// Delete files in the background. Accepted, has no effect.
        avoid_unnecessary_blocking_io: bool = false => accepted().log(12);
        /// Let iterators use prefixes only if a read option enables it. Refused at open unless it is the default.
        prefix_seek_opt_in_only: bool = false => refused().written_when_set().log(12);
        /// Store the history of statistics in a hidden column family. Accepted, has no effect: there is no such
        /// history.
        persist_stats_to_disk: bool = false => accepted().log(16);
        /// Write the database's identity to the MANIFEST.
        write_dbid_to_manifest: bool = true => honoured().log(16);
        /// Write the file IDENTITY. Accepted, has no effect: it is always written.
        write_identity_file: bool = true => accepted().written_when_set().log(16);
        /// The readahead for logs in recovery, in bytes. Accepted, has no effect.
        log_readahead_size: usize = 0 => accepted().log(16);
        "file_checksum_gen_factory": fixed(Text, "nullptr")
            => refused().log_as(16, |_| "Unknown".into());
        /// Open the salvageable part of a database when files are missing. Refused at open unless it is the default.
        best_efforts_recovery: bool = false => refused().log(16);
        /// The number of attempts to recover from a background error. Accepted, has no effect.
        max_bgerror_resume_count: i32 = i32::MAX => accepted().log(15);
        /// Microseconds between attempts to recover from a background error. Accepted, has no effect.
        bgerror_resume_retry_interval: u64 = 1_000_000 => accepted().log(11);
        /// Allow keys in error messages. Accepted, has no effect.
        allow_data_in_errors: bool = false => accepted().log(12);
        /// The host name in the properties of tables. Accepted, has no effect: it is always the name of this machine.
        db_host_id: String = String::from("__hostname__") => accepted().log(12);
        /// Make a compaction fail if it finds a delete below a single delete of the same key. If false, the single
        /// delete is dropped instead.
        enforce_single_del_contracts: bool = true => honoured().log_words(12);
        /// The temperature of MANIFEST, OPTIONS and CURRENT. Accepted, has no effect.
        metadata_write_temperature: Temperature = Temperature::Unknown
            => accepted().written_when_set().log(12);
        /// The temperature of WALs. Accepted, has no effect.
        wal_write_temperature: Temperature = Temperature::Unknown
            => accepted().written_when_set().log(12);
        /// The maximum number of concurrent background jobs, flushes and compactions together.
        max_background_jobs: i32 = 2 => honoured().changeable().log(12);
        /// The maximum number of concurrent compactions; -1 derives it from `max_background_jobs`.
        max_background_compactions: i32 = -1 => honoured().changeable().log(12);
        /// The maximum number of threads that share one compaction.
        max_subcompactions: u32 = 1 => honoured().changeable().log(12);
        /// Do not flush at close.
        avoid_flush_during_shutdown: bool = false => honoured().changeable().log(12);
        /// The buffer of a table that is written with direct I/O, in bytes: at most 64 MiB, 0 means 1 MiB. Buffered
        /// files always use 124 KiB.
        writable_file_max_buffer_size: usize = 1 << 20 => honoured().changeable().log(10);
        /// The total rate of delayed writers in bytes per second; 0 lets the engine choose (16 MiB/s).
        delayed_write_rate: u64 = 0 => honoured().changeable().log_lines(dump::delayed_write_rate);
        /// The total size of live WALs in bytes at which the oldest memtables are flushed; 0 means four times the sum
        /// of all write buffers.
        max_total_wal_size: u64 = 0 => honoured().changeable().log(12);
        /// Accepted, has no effect: files are deleted as soon as they are obsolete, never by a scan.
        delete_obsolete_files_period_micros: u64 = 6 * 60 * 60 * 1_000_000
            => accepted().changeable().log(12);
        /// Seconds between reports of statistics in LOG; 0 means never.
        stats_dump_period_sec: u32 = 600 => honoured().changeable().log(18);
        /// Seconds between entries of the history of statistics. Accepted, has no effect: there is no such history.
        stats_persist_period_sec: u32 = 600 => accepted().changeable().log(16);
        /// Memory for the history of statistics, in bytes. Accepted, has no effect: there is no such history.
        stats_history_buffer_size: usize = 1 << 20 => accepted().changeable().log(16);
        /// The maximum number of open table readers; -1 keeps all open.
        max_open_files: i32 = -1 => honoured().changeable().log(25);
        /// The number of bytes after which flush and compaction outputs are written back to the device; 0 means never.
        bytes_per_sync: u64 = 0 => honoured().changeable().log(25);
        /// The same for the WAL.
        wal_bytes_per_sync: u64 = 0 => honoured().changeable().log(21);
        /// Make writers wait until data pushed by `bytes_per_sync` has reached the device. Accepted, has no effect.
        strict_bytes_per_sync: bool = false => accepted().changeable().log(18);
        /// The readahead of compactions for each input, in bytes. 0 means 256 KiB, and 2 MiB with direct I/O. Without
        /// direct I/O, 256 KiB of it are in the process and the rest is in the page cache.
        compaction_readahead_size: usize = 2 << 20 => honoured().changeable().log(6);
        /// The maximum number of concurrent flushes; -1 derives it from `max_background_jobs`.
        max_background_flushes: i32 = -1 => honoured().changeable().log(17);
        /// The size of the MANIFEST in bytes at which it is rewritten.
        max_manifest_file_size: u64 = 1 << 30 => honoured().log(17);
        /// The percentage by which the MANIFEST may grow beyond its content. Accepted, has no effect.
        max_manifest_space_amp_pct: i32 = 500 => accepted().written_when_set().log(17);
        /// The number of bytes by which the MANIFEST is preallocated. Accepted, has no effect.
        manifest_preallocation_size: usize = 4 << 20 => accepted().log(12);
        /// The daily off-peak time, as `HH:mm-HH:mm`. Accepted, has no effect.
        daily_offpeak_time_utc: String = String::new()
            => accepted().written_when_set().changeable().log(0);

        // LOG does not show these.
        /// The directories of tables, with target sizes: at most four. Missing directories are created, but not their
        /// parents. Newer data is written to the first ones. Empty means the database directory. As in RocksDB, they
        /// are not written to the OPTIONS file, and a database with tables outside its directory cannot be checkpointed
        /// or backed up.
        db_paths: Vec<DbPath> = Vec::new() => honoured().never_written();
        /// The lowest cache tier in use. Accepted, has no effect: there is only one tier, in memory.
        lowest_used_cache_tier: CacheTier = CacheTier::default() => accepted();
        "random_access_max_buffer_size": fixed(Integer, "1048576") => accepted();
        /// Do not check the sizes of tables at open. Accepted, has no effect.
        skip_checking_sst_file_sizes_on_db_open: bool = false => accepted();
        /// Do not load table properties for compaction statistics at open. Accepted, has no effect.
        skip_stats_update_on_db_open: bool = false => accepted();
        "fail_if_options_file_error": fixed(Bool, "false") => accepted();
        /// The minimum severity of lines in LOG.
        info_log_level: InfoLogLevel = InfoLogLevel::default() => honoured();
        "access_hint_on_compaction_start": fixed(Text, "NORMAL") => accepted();
        /// Write the allocator's statistics to LOG. Accepted, has no effect.
        dump_malloc_stats: bool = false => accepted();
        /// Keep prepared transactions; without it, a WAL with prepared transactions is an error at open. Databases with
        /// pessimistic transactions set it.
        allow_2pc: bool = false => honoured();
        "verify_manifest_content_on_close": fixed(Bool, "false") => accepted().never_written();
        "optimize_manifest_for_recovery": fixed(Bool, "false") => accepted().never_written();
        "reuse_manifest_on_open": fixed(Bool, "false") => accepted().never_written();
        "max_compaction_trigger_wakeup_seconds": fixed(Integer, "43200")
            => accepted().never_written();
        "fast_sst_open": fixed(Bool, "false") => accepted().never_written();
        "open_files_async": fixed(Bool, "false") => accepted().never_written();
        "read_io_executor_threads": fixed(Integer, "0") => accepted().never_written();
        "async_wal_precreate": fixed(Bool, "false") => accepted().never_written();
        "enforce_write_buffer_manager_during_recovery": fixed(Bool, "true")
            => accepted().never_written();
        /// Milliseconds between a follower's checks of its leader. Accepted, has no effect.
        follower_refresh_catchup_period_ms: u64 = 10_000 => accepted().written_when_set();
        /// The number of attempts of a follower to catch up. Accepted, has no effect.
        follower_catchup_retry_count: u64 = 10 => accepted().written_when_set();
        /// Milliseconds between these attempts. Accepted, has no effect.
        follower_catchup_retry_wait_ms: u64 = 100 => accepted().written_when_set();
        "calculate_sst_write_lifetime_hint_set": fixed(Text, "") => accepted().never_written();
        "listeners": fixed(Text, "{}") => accepted().never_written();
        /// Limits the write rate of flushes and compactions, and the rate of reads if it is configured to.
        rate_limiter: Option<Arc<RateLimiter>> = None
            => honoured().named("rate_limiter_bytes_per_sec").never_written();
        /// The limit in bytes for the memory of the database: memtables, block caches, table readers, iterators and
        /// jobs; 0 means none. RocksDB does not have it. See [memory](memory.md).
        memory_limit: usize = 0 => honoured().never_written();
        "use_direct_io_for_compaction_reads": fixed(Bool, "false") => refused().never_written();

        // Obsolete: RocksDB accepts these and ignores them.
        "allow_os_buffer": fixed(Text, "") => obsolete().changeable();
        "base_background_compactions": fixed(Text, "") => obsolete().changeable();
        "concurrent_prepare": fixed(Text, "") => obsolete();
        "disableDataSync": fixed(Text, "") => obsolete();
        "disable_data_sync": fixed(Text, "") => obsolete();
        "experimental_allow_mempurge": fixed(Text, "") => obsolete();
        "experimental_mempurge_policy": fixed(Text, "") => obsolete();
        "new_table_reader_for_compaction_inputs": fixed(Text, "") => obsolete();
        "preserve_deletes": fixed(Text, "") => obsolete();
        "seq_per_batch": fixed(Text, "") => obsolete();
        "skip_log_error_on_recovery": fixed(Text, "") => obsolete();
        "use_direct_writes": fixed(Text, "") => obsolete();
    }
    without_row {
        /// Numbers that are no enumeration value and were set through the C ABI; opening refuses them.
        unnamed: Unnamed = Unnamed::default();
        /// Shared objects and hooks.
        components: Components = Components::default();
    }
}

impl DbOptions {
    /// How tables are read.
    pub(crate) fn read_mode(&self) -> ReadMode {
        match (self.allow_mmap_reads, self.use_direct_reads) {
            (true, _) => ReadMode::Mapped,
            (false, true) => ReadMode::Direct,
            (false, false) => ReadMode::Buffered,
        }
    }
}

/// Options of a database and of its default column family.
#[derive(Clone, Default)]
pub struct Options {
    /// The database-wide options.
    pub db: DbOptions,
    /// The options of the default column family and of families opened without their own options.
    pub cf: ColumnFamilyOptions,
}
