//! Options of the whole database.

use super::dump;
use super::registry::options;
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

options! {
    /// Options of the whole database; names and defaults are RocksDB 10.10's.
    #[derive(Clone)]
    DbOptions {
        /// Fail if the database exists.
        error_if_exists: bool = false => honoured().log(24);
        /// Create the database if it does not exist.
        create_if_missing: bool = false => honoured().log(22);
        /// Accepted, has no effect: what RocksDB checks with it is always checked.
        paranoid_checks: bool = true => accepted().log(24);
        /// A flush counts the entries of its memtables; it always does.
        flush_verify_memtable_count: bool = true => accepted().log(12);
        /// A compaction counts the entries that it reads; it always does.
        compaction_verify_record_count: bool = true => accepted().written_when_set().log(9);
        /// Record synced WALs in the MANIFEST and look for them at open. Accepted, has no effect.
        track_and_verify_wals_in_manifest: bool = false => accepted().log(30);
        /// Record in each WAL what came before it and check that at open. Accepted, has no effect.
        track_and_verify_wals: bool = false => accepted().written_when_set().log(30);
        /// Check a table's unique identifier against the MANIFEST's at open. Accepted, has no effect.
        verify_sst_unique_id_in_manifest: bool = true => accepted().log(7);
        "env": fixed(Text, "nullptr") => accepted().never_written().log_lines(dump::environment);
        /// Threads for opening files when `max_open_files` is -1.
        max_file_opening_threads: i32 = 16 => honoured().log(15);
        /// Where events are counted; `None` counts nothing. Databases may share it.
        statistics: Option<Arc<Statistics>> = None
            => honoured().never_written().log_lines(dump::statistics);
        /// `fsync` where otherwise `fdatasync` is enough.
        use_fsync: bool = false => honoured().log(30);
        /// Size of LOG from which a new one is started, in bytes; 0 never.
        max_log_file_size: usize = 0 => honoured().log(22);
        /// Seconds after which a new LOG is started; 0 never.
        log_file_time_to_roll: usize = 0 => honoured().log(18);
        /// LOG files kept, the live one counted.
        keep_log_file_num: usize = 1000 => honoured().log(22);
        /// WALs that are kept to be written over. Accepted, has no effect.
        recycle_log_file_num: usize = 0 => accepted().log(19);
        /// Give the file system hints and preallocate.
        allow_fallocate: bool = true => honoured().log(24);
        /// Read tables through a memory map.
        allow_mmap_reads: bool = false => honoured().log(23);
        /// Write tables through a memory map. Not supported: true is refused at open.
        allow_mmap_writes: bool = false => refused().log(22);
        /// Read tables past the page cache. Not supported: true is refused at open.
        use_direct_reads: bool = false => refused().log(23);
        /// Write in flush and compaction past the page cache. Not supported: true is refused at open.
        use_direct_io_for_flush_and_compaction: bool = false => refused().log(23);
        /// Create column families that are named at open and do not exist.
        create_missing_column_families: bool = false => honoured().log(9);
        /// Where LOG is; empty means the database directory.
        db_log_dir: PathBuf = PathBuf::new() => honoured().log(29);
        /// Where WALs are; empty means the database directory.
        wal_dir: PathBuf = PathBuf::new() => honoured().log(32);
        /// Shards of the table cache as a power of two. Accepted, has no effect.
        table_cache_numshardbits: i32 = 6 => accepted().log(15);
        /// Seconds that obsolete WALs stay in the archive; 0 with a zero limit deletes them at once.
        wal_ttl_seconds: u64 = 0 => honoured().named("WAL_ttl_seconds").log(24);
        /// Megabytes of archived WALs kept; 0 means no limit by size.
        wal_size_limit_mb: u64 = 0 => honoured().named("WAL_size_limit_MB").log(22);
        /// Bytes that a group of writers writes together. Accepted, has no effect.
        max_write_batch_group_size_bytes: u64 = 1 << 20 => accepted().log(23);
        /// Close files in child processes; that is always so.
        is_fd_close_on_exec: bool = true => accepted().log(20);
        /// Tell the system that tables are read at random. Accepted, has no effect.
        advise_random_on_open: bool = true => accepted().log(18);
        /// Memory of all memtables of the database, in bytes; 0 means no limit.
        db_write_buffer_size: usize = 0 => honoured().log_lines(dump::memtable_memory);
        /// Locks spin before they sleep. Accepted, has no effect.
        use_adaptive_mutex: bool = false => accepted().log(21);
        "rate_limiter": fixed(Text, "") => obsolete().log_lines(dump::write_rates);
        /// What recovery does with a damaged WAL.
        wal_recovery_mode: WalRecoveryMode = WalRecoveryMode::default()
            => honoured().log_as(22, |o| (o.wal_recovery_mode as u8).to_string());
        /// Report what threads do. Accepted, has no effect.
        enable_thread_tracking: bool = false => accepted().log(17);
        /// Overlap the WAL of one group of writers with the memtables of another; writers always
        /// overlap. Accepted, has no effect.
        enable_pipelined_write: bool = false => accepted().log(17);
        /// Give up order for speed. Writes stay in order. Accepted, has no effect.
        unordered_write: bool = false => accepted().log(17);
        /// Keep the inserts of concurrent writers concurrent.
        allow_concurrent_memtable_write: bool = true => honoured().log(8);
        /// Waiting writers spin before they sleep. Accepted, has no effect.
        enable_write_thread_adaptive_yield: bool = true => accepted().log(5);
        /// Microseconds that a writer spins. Accepted, has no effect.
        write_thread_max_yield_usec: u64 = 100 => accepted().log(12);
        /// Microseconds after which a spinning writer finds that it waits. Accepted, has no effect.
        write_thread_slow_yield_usec: u64 = 3 => accepted().log(11);
        /// A cache of rows. Accepted, has no effect.
        row_cache: Option<Arc<Cache>> = None
            => accepted().never_written().log_as(30, dump::row_cache);
        "wal_filter": fixed(Text, "nullptr") => refused().log_as(29, |_| "None".into());
        /// Do not flush after recovery unless a memtable is full.
        avoid_flush_during_recovery: bool = false => honoured().log(12);
        /// Keep the last level free for `ingest_behind`: no compaction reads or writes it, and none drops
        /// what would hide older data. To be set from the first opening on.
        allow_ingest_behind: bool = false => honoured().log(12);
        /// Writers of the WAL alone have a queue of their own. Accepted, has no effect.
        two_write_queues: bool = false => accepted().log(12);
        /// Write the WAL only on `flush_wal`.
        manual_wal_flush: bool = false => honoured().log(12);
        /// The codec of WAL records. Accepted, has no effect: records are written as they are. WALs compressed
        /// with zstd are read, those with another codec are refused.
        wal_compression: CompressionType = CompressionType::None
            => accepted().log_as(12, |o| (o.wal_compression as u8).to_string());
        /// Leave closing WALs to the background. Accepted, has no effect.
        background_close_inactive_wals: bool = false => accepted().written_when_set().log(12);
        /// Seal all column families at one point between two writes and install their flushes together.
        /// For writes without a WAL to several families, which then stay consistent after a crash. A
        /// flush that names families is of these alone.
        atomic_flush: bool = false => honoured().log(12);
        /// Leave the deletion of files to the background. Accepted, has no effect.
        avoid_unnecessary_blocking_io: bool = false => accepted().log(12);
        /// Iterators use prefixes only where a read option says so. Refused at open unless it is the
        /// default.
        prefix_seek_opt_in_only: bool = false => refused().written_when_set().log(12);
        /// Keep the history of statistics in a hidden column family. Accepted, has no effect: there is no
        /// such history.
        persist_stats_to_disk: bool = false => accepted().log(16);
        /// Write the database's identity into the MANIFEST.
        write_dbid_to_manifest: bool = true => honoured().log(16);
        /// Write the file IDENTITY; it is always written.
        write_identity_file: bool = true => accepted().written_when_set().log(16);
        /// Bytes that recovery reads ahead in logs. Accepted, has no effect.
        log_readahead_size: usize = 0 => accepted().log(16);
        "file_checksum_gen_factory": fixed(Text, "nullptr")
            => refused().log_as(16, |_| "Unknown".into());
        /// Open what can be saved when files are missing. Refused at open unless it is the default.
        best_efforts_recovery: bool = false => refused().log(16);
        /// Attempts to recover from an error in the background. Accepted, has no effect.
        max_bgerror_resume_count: i32 = i32::MAX => accepted().log(15);
        /// Microseconds between attempts to recover from an error in the background. Accepted, has no
        /// effect.
        bgerror_resume_retry_interval: u64 = 1_000_000 => accepted().log(11);
        /// Keys may stand in messages. Accepted, has no effect.
        allow_data_in_errors: bool = false => accepted().log(12);
        /// The host's name in the properties of tables. Accepted, has no effect: they always have the name
        /// of this machine.
        db_host_id: String = String::from("__hostname__") => accepted().log(12);
        /// A compaction fails if it finds a delete below a single delete of the same key. Accepted, has no
        /// effect: the engine always fails for that.
        enforce_single_del_contracts: bool = true => honoured().log_words(12);
        /// The temperature of MANIFEST, OPTIONS and CURRENT. Accepted, has no effect.
        metadata_write_temperature: Temperature = Temperature::Unknown
            => accepted().written_when_set().log(12);
        /// The temperature of WALs. Accepted, has no effect.
        wal_write_temperature: Temperature = Temperature::Unknown
            => accepted().written_when_set().log(12);
        /// Background jobs at once, flushes and compactions together.
        max_background_jobs: i32 = 2 => honoured().changeable().log(12);
        /// Compactions at once; -1 derives it from `max_background_jobs`.
        max_background_compactions: i32 = -1 => honoured().changeable().log(12);
        /// Threads that share one compaction, at most.
        max_subcompactions: u32 = 1 => honoured().changeable().log(12);
        /// Do not flush at close.
        avoid_flush_during_shutdown: bool = false => honoured().changeable().log(12);
        /// Largest buffer of a file that is written, in bytes. Accepted, has no effect.
        writable_file_max_buffer_size: usize = 1 << 20 => accepted().changeable().log(10);
        /// Bytes per second that delayed writers get together; 0 lets the engine choose (16 MiB/s).
        delayed_write_rate: u64 = 0 => honoured().changeable().log_lines(dump::delayed_write_rate);
        /// Total size of live WALs, in bytes, from which the oldest memtables are flushed; 0 means
        /// four times the sum of all write buffers.
        max_total_wal_size: u64 = 0 => honoured().changeable().log(12);
        /// Accepted, has no effect: files are deleted as soon as nobody needs them, never by a scan.
        delete_obsolete_files_period_micros: u64 = 6 * 60 * 60 * 1_000_000
            => accepted().changeable().log(12);
        /// Seconds between statistics in LOG; 0 never.
        stats_dump_period_sec: u32 = 600 => honoured().changeable().log(18);
        /// Seconds between entries of the history of statistics; none is kept.
        stats_persist_period_sec: u32 = 600 => accepted().changeable().log(16);
        /// Memory of the history of statistics, in bytes; none is kept.
        stats_history_buffer_size: usize = 1 << 20 => accepted().changeable().log(16);
        /// Open table readers kept at once; -1 keeps all.
        max_open_files: i32 = -1 => honoured().changeable().log(25);
        /// Bytes after which flush and compaction outputs are pushed to the device; 0 never.
        bytes_per_sync: u64 = 0 => honoured().changeable().log(25);
        /// The same for the WAL.
        wal_bytes_per_sync: u64 = 0 => honoured().changeable().log(21);
        /// Writers wait until what `bytes_per_sync` pushed has reached the device. Accepted, has no
        /// effect.
        strict_bytes_per_sync: bool = false => accepted().changeable().log(18);
        /// Bytes that a compaction reads ahead. The engine always reads 256 KiB ahead. Accepted, has no
        /// effect.
        compaction_readahead_size: usize = 2 << 20 => accepted().changeable().log(6);
        /// Flushes at once; -1 derives it from `max_background_jobs`.
        max_background_flushes: i32 = -1 => honoured().changeable().log(17);
        /// Size from which the MANIFEST is rewritten, in bytes.
        max_manifest_file_size: u64 = 1 << 30 => honoured().log(17);
        /// How much larger than its content the MANIFEST may grow, in percent. Accepted, has no effect.
        max_manifest_space_amp_pct: i32 = 500 => accepted().written_when_set().log(17);
        /// Bytes that are reserved for the MANIFEST at once. Accepted, has no effect.
        manifest_preallocation_size: usize = 4 << 20 => accepted().log(12);
        /// When few people use the database, as `HH:mm-HH:mm`. Accepted, has no effect.
        daily_offpeak_time_utc: String = String::new()
            => accepted().written_when_set().changeable().log(0);

        // LOG does not show these.
        /// Where tables are, with target sizes: at most four directories, which are made if they are missing,
        /// but not those above them. Newer data goes to the first ones. Empty means the database directory.
        /// As in RocksDB they are not written to the OPTIONS file, and there is no checkpoint or backup of a
        /// database with tables elsewhere than in its directory.
        db_paths: Vec<DbPath> = Vec::new() => honoured().never_written();
        /// Which tiers of caches are used; there is one, in memory. Accepted, has no effect.
        lowest_used_cache_tier: CacheTier = CacheTier::default() => accepted();
        "random_access_max_buffer_size": fixed(Integer, "1048576") => accepted();
        /// Open without asking for the sizes of tables. Accepted, has no effect.
        skip_checking_sst_file_sizes_on_db_open: bool = false => accepted();
        /// Open without loading table properties for compaction statistics. Accepted, has no effect.
        skip_stats_update_on_db_open: bool = false => accepted();
        "fail_if_options_file_error": fixed(Bool, "false") => accepted();
        /// What goes into LOG.
        info_log_level: InfoLogLevel = InfoLogLevel::default() => honoured();
        "access_hint_on_compaction_start": fixed(Text, "NORMAL") => accepted();
        /// The allocator's statistics go into LOG. Accepted, has no effect.
        dump_malloc_stats: bool = false => accepted();
        /// Keep what transactions have prepared; without it such a WAL is an error at open. Databases with
        /// locking transactions set it.
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
        /// Milliseconds between a follower's looks at its leader. Accepted, has no effect.
        follower_refresh_catchup_period_ms: u64 = 10_000 => accepted().written_when_set();
        /// How often a follower tries to catch up. Accepted, has no effect.
        follower_catchup_retry_count: u64 = 10 => accepted().written_when_set();
        /// Milliseconds between these attempts. Accepted, has no effect.
        follower_catchup_retry_wait_ms: u64 = 100 => accepted().written_when_set();
        "calculate_sst_write_lifetime_hint_set": fixed(Text, "") => accepted().never_written();
        "listeners": fixed(Text, "{}") => accepted().never_written();
        /// Limits what flushes and compactions write, and what is read if it says so.
        rate_limiter: Option<Arc<RateLimiter>> = None
            => honoured().named("rate_limiter_bytes_per_sec").never_written();
        "use_direct_io_for_compaction_reads": fixed(Bool, "false") => refused().never_written();

        // Of the past: RocksDB takes them and does nothing.
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
        /// Numbers without a name that were set through the C ABI; opening refuses them.
        unnamed: Unnamed = Unnamed::default();
        /// The budget of memtables, shared with other databases; instead of `db_write_buffer_size`.
        write_buffer_manager: Option<Arc<WriteBufferManager>> = None;
        /// Follows tables: their space, and how fast obsolete ones are removed.
        sst_file_manager: Option<Arc<SstFileManager>> = None;
        /// Takes the lines that else go to LOG; then `info_log_level` does not count.
        info_log: Option<Arc<dyn Logger>> = None;
        /// Who is told what the engine does.
        listeners: Vec<Arc<dyn EventListener>> = Vec::new();
        /// The file system; `None` is the operating system's.
        file_system: Option<Arc<dyn FileSystem>> = None;
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
