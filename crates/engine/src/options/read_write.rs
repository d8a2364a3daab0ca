//! Options of single operations.

use super::IoPriority;
use crate::env::sync::std_atomic::AtomicBool;
use std::sync::Arc;
use std::time::Duration;

/// Where a read looks. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum ReadTier {
    /// Everywhere.
    #[default]
    All = 0,
    /// In memory; Incomplete if that does not answer.
    BlockCache = 1,
    /// Where a crash would not lose it.
    Persisted = 2,
    /// In memtables. As in RocksDB that is for iterators; lookups look everywhere.
    Memtable = 3,
}

/// Options of reads and iterators; names and defaults are RocksDB's.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Read as of this snapshot's sequence number; `None` means now.
    pub snapshot: Option<crate::base::SeqNo>,
    /// Accepted, has no effect: what is read from files is always verified.
    pub verify_checksums: bool,
    /// Put what is read into the block cache.
    pub fill_cache: bool,
    /// An iterator's first key, inclusive.
    pub iterate_lower_bound: Option<Vec<u8>>,
    /// An iterator's end, exclusive.
    pub iterate_upper_bound: Option<Vec<u8>>,
    /// An iterator ends where the prefix of its seek target ends.
    pub prefix_same_as_start: bool,
    /// An iterator sees all keys in order although a prefix extractor is set.
    pub total_order_seek: bool,
    /// An iterator sees all keys in order, as with `total_order_seek`. RocksDB also asks prefix
    /// filters where that cannot change results; we never do here.
    pub auto_prefix_mode: bool,
    /// All keys within the bounds have one prefix, which a scan over a prefix knows: an iterator that goes forward
    /// skips tables whose prefix filter excludes it. Results are those of a total order.
    pub within_one_prefix: bool,
    /// Bytes read ahead by iterators; 0 leaves it to the engine.
    pub readahead_size: usize,
    /// An iterator gives up with Incomplete after so many hidden entries; 0 never.
    pub max_skippable_internal_keys: u64,
    /// Where to look.
    pub read_tier: ReadTier,
    /// An iterator sees at each seek what is newest then. Snapshots do not count for it.
    pub tailing: bool,
    /// The user's timestamp to read at. Refused: no comparator has timestamps.
    pub timestamp: Option<Vec<u8>>,
    /// The oldest timestamp that an iterator shows. Refused, as `timestamp`.
    pub iter_start_ts: Option<Vec<u8>>,
    /// Microseconds since 1970 after which no file is read: TimedOut; 0 never.
    pub deadline_us: u64,
    /// Microseconds after which one read of a file gives up; accepted, has no effect: the operating
    /// system has no such reads.
    pub io_timeout_us: u64,
    /// Read what range deletions hide, if it is still there.
    pub ignore_range_deletions: bool,
    /// Values stay where they are while the iterator lives: it holds every block that it has read, and a
    /// block cache with a strict limit may refuse it more.
    pub pin_data: bool,
    /// Free what an iterator pinned in the background; accepted, has no effect.
    pub background_purge_on_iterator_cleanup: bool,
    /// Read ahead as far as bounds allow; accepted, has no effect.
    pub auto_readahead_size: bool,
    /// Read ahead with what was learned at other levels; accepted, has no effect.
    pub adaptive_readahead: bool,
    /// Read from several files at once; accepted, has no effect.
    pub async_io: bool,
    /// Let `multi_get` spend processor time for fewer reads; accepted, has no effect.
    pub optimize_multiget_for_io: bool,
    /// Bytes of values after which `multi_get` gives up: Aborted.
    pub value_size_soft_limit: u64,
    /// Operands of one key from which a read is told of; accepted, has no effect.
    pub merge_operand_count_threshold: Option<u64>,
    /// Values may be fetched later; accepted, has no effect: they are there.
    pub allow_unprepared_value: bool,
    /// An iterator with a snapshot lets go of old versions now and then; accepted, has no effect.
    pub auto_refresh_iterator_with_snapshot: bool,
    /// The priority with which the file reads of lookups ask `DbOptions::rate_limiter`; `IoPriority::Total`
    /// asks nobody. Iterators are not limited.
    pub rate_limiter_priority: IoPriority,
    /// Not supported: iterators with true are refused. Lookups ignore it.
    pub managed: bool,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions::DEFAULT
    }
}

impl ReadOptions {
    /// The defaults as a constant, so that reads without options build none.
    pub(crate) const DEFAULT: ReadOptions = {
        ReadOptions {
            snapshot: None,
            verify_checksums: true,
            fill_cache: true,
            iterate_lower_bound: None,
            iterate_upper_bound: None,
            prefix_same_as_start: false,
            total_order_seek: false,
            auto_prefix_mode: false,
            within_one_prefix: false,
            readahead_size: 0,
            max_skippable_internal_keys: 0,
            read_tier: ReadTier::All,
            tailing: false,
            timestamp: None,
            iter_start_ts: None,
            deadline_us: 0,
            io_timeout_us: 0,
            ignore_range_deletions: false,
            pin_data: false,
            background_purge_on_iterator_cleanup: false,
            auto_readahead_size: true,
            adaptive_readahead: false,
            async_io: false,
            optimize_multiget_for_io: true,
            value_size_soft_limit: u64::MAX,
            merge_operand_count_threshold: None,
            allow_unprepared_value: false,
            auto_refresh_iterator_with_snapshot: false,
            rate_limiter_priority: IoPriority::Total,
            managed: false,
        }
    };

    /// Whether an iterator must see all keys in order although a prefix extractor is set.
    pub(crate) fn total_order(&self) -> bool {
        self.total_order_seek || self.auto_prefix_mode
    }
}

/// Options of writes; names and defaults are RocksDB's.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    /// Return after the WAL is on the device.
    pub sync: bool,
    /// Write no WAL: lost unless flushed.
    pub disable_wal: bool,
    /// Skip column families that do not exist instead of failing.
    pub ignore_missing_column_families: bool,
    /// Fail with Incomplete instead of waiting in a stall.
    pub no_slowdown: bool,
    /// Wait longer than others in a stall; accepted, has no effect.
    pub low_pri: bool,
    /// Remember where the last key of a batch went in the memtable; accepted, has no effect.
    pub memtable_insert_hint_per_batch: bool,
    /// With `IoPriority::User` the WAL record waits for `DbOptions::rate_limiter`; `IoPriority::Total` does
    /// not wait; other values are refused.
    pub rate_limiter_priority: IoPriority,
    /// Bytes of checksum per entry of the batch; accepted, has no effect.
    pub protection_bytes_per_key: usize,
}

/// Options of `flush`.
#[derive(Clone, Copy, Debug)]
pub struct FlushOptions {
    /// Return after the flush.
    pub wait: bool,
    /// Go on although writers will stall. Otherwise wait until one more memtable stops nobody.
    pub allow_write_stall: bool,
}

impl Default for FlushOptions {
    fn default() -> FlushOptions {
        FlushOptions { wait: true, allow_write_stall: false }
    }
}

/// What `compact_range` does with the last level. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum BottommostLevelCompaction {
    /// Leave it.
    Skip = 0,
    /// Rewrite it if a compaction filter is set.
    #[default]
    IfHaveCompactionFilter = 1,
    /// Rewrite it.
    Force = 2,
    /// Rewrite it, except files that this call made.
    ForceOptimized = 3,
}

/// What `compact_range` does with old blobs. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum BlobGarbageCollectionPolicy {
    /// Collect them.
    Force = 0,
    /// Leave them.
    Disable = 1,
    /// What the column family says.
    #[default]
    UseDefault = 2,
}

/// Options of `compact_range`.
#[derive(Clone, Debug)]
pub struct CompactRangeOptions {
    /// No other compaction runs meanwhile.
    pub exclusive_manual_compaction: bool,
    /// Move the level that the result lies on to `target_level`, which must be free, as all levels
    /// between.
    pub change_level: bool,
    /// See `change_level`; negative means the smallest empty level that is large enough.
    pub target_level: i32,
    /// The path that the result goes to: there is one, 0.
    pub target_path_id: u32,
    /// Flush at once although writers will stall.
    pub allow_write_stall: bool,
    /// Set it to true to make the call end soon with Incomplete.
    pub canceled: Option<Arc<AtomicBool>>,
    /// Drop versions with older timestamps. Not supported: there are no user-defined timestamps.
    pub full_history_ts_low: Option<Vec<u8>>,
    /// What to do with the last level.
    pub bottommost_level_compaction: BottommostLevelCompaction,
    /// Threads that share it; 0 means the database's.
    pub max_subcompactions: u32,
    /// What to do with old blobs; accepted, has no effect: there are none.
    pub blob_garbage_collection_policy: BlobGarbageCollectionPolicy,
    /// Which part of the blob files is old; accepted, has no effect.
    pub blob_garbage_collection_age_cutoff: f64,
}

impl Default for CompactRangeOptions {
    fn default() -> CompactRangeOptions {
        CompactRangeOptions {
            exclusive_manual_compaction: false,
            change_level: false,
            target_level: -1,
            target_path_id: 0,
            allow_write_stall: false,
            canceled: None,
            full_history_ts_low: None,
            bottommost_level_compaction: BottommostLevelCompaction::default(),
            max_subcompactions: 0,
            blob_garbage_collection_policy: BlobGarbageCollectionPolicy::UseDefault,
            blob_garbage_collection_age_cutoff: -1.0,
        }
    }
}

/// What `approximate_sizes` counts, and how precisely; names and defaults are RocksDB's.
#[derive(Clone, Copy, Debug)]
pub struct SizeApproximationOptions {
    /// Count what memtables hold.
    pub include_memtables: bool,
    /// Count what files hold.
    pub include_files: bool,
    /// A share, as 0.1: files that lie in the range partly are not searched while all of them
    /// together are less than this share of the files that lie in it wholly. Otherwise always.
    pub files_size_error_margin: f64,
}

impl Default for SizeApproximationOptions {
    fn default() -> SizeApproximationOptions {
        SizeApproximationOptions {
            include_memtables: false,
            include_files: true,
            files_size_error_margin: -1.0,
        }
    }
}

/// Options of `wait_for_compact`.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaitForCompactOptions {
    /// End with Aborted while background work is paused, instead of waiting for it to go on.
    pub abort_on_pause: bool,
    /// Flush all column families first.
    pub flush: bool,
    /// Wait until obsolete files are deleted, too.
    pub wait_for_purge: bool,
    /// Close the database afterwards.
    pub close_db: bool,
    /// End with TimedOut after this; zero waits without end.
    pub timeout: Duration,
}
