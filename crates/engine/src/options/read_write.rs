//! Options of individual operations.

use super::IoPriority;
use crate::env::sync::std_atomic::AtomicBool;
use std::sync::Arc;
use std::time::Duration;

/// Where a read searches. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum ReadTier {
    /// Everywhere.
    #[default]
    All = 0,
    /// In memory only; Incomplete if that is not sufficient.
    BlockCache = 1,
    /// Only data that a crash would not lose.
    Persisted = 2,
    /// In memtables only. As in RocksDB, this applies to iterators; lookups search everywhere.
    Memtable = 3,
}

/// Options of reads and iterators; names and defaults are RocksDB's.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Read at this snapshot's sequence number; `None` means the newest data.
    pub snapshot: Option<crate::base::SeqNo>,
    /// Accepted, has no effect: blocks read from files are always verified.
    pub verify_checksums: bool,
    /// Add blocks that are read to the block cache.
    pub fill_cache: bool,
    /// An iterator's first key, inclusive.
    pub iterate_lower_bound: Option<Vec<u8>>,
    /// An iterator's end, exclusive.
    pub iterate_upper_bound: Option<Vec<u8>>,
    /// End an iterator where the prefix of its seek target ends.
    pub prefix_same_as_start: bool,
    /// Make an iterator show all keys in order, even if a prefix extractor is set.
    pub total_order_seek: bool,
    /// Make an iterator show all keys in order, as with `total_order_seek`, and use prefix filters where that cannot
    /// change the result: when all keys within the bounds have one prefix, the order is bytewise, and
    /// `total_order_seek` is off.
    pub auto_prefix_mode: bool,
    /// Set by scans over a prefix and by `auto_prefix_mode`: all keys within the bounds have one prefix. An iterator
    /// then skips tables whose prefix filter excludes it. The results are those of a total order.
    pub within_one_prefix: bool,
    /// The readahead of iterators in bytes, from the first read of a table on. With 0, readahead begins after some
    /// sequential reads and grows, as the table's options say.
    pub readahead_size: usize,
    /// An iterator fails with Incomplete after this many hidden entries; 0 means never.
    pub max_skippable_internal_keys: u64,
    /// Where to search.
    pub read_tier: ReadTier,
    /// Make an iterator show the newest data at each seek. Snapshots are ignored.
    pub tailing: bool,
    /// The user-defined timestamp to read at. Refused: no comparator supports timestamps.
    pub timestamp: Option<Vec<u8>>,
    /// The oldest timestamp that an iterator shows. Refused, like `timestamp`.
    pub iter_start_ts: Option<Vec<u8>>,
    /// Microseconds since 1970 after which no file is read and the read fails with TimedOut; 0 means never.
    pub deadline_us: u64,
    /// The timeout of one file read in microseconds; accepted, has no effect: the operating system does not support it.
    pub io_timeout_us: u64,
    /// Ignore range deletions: also return entries that they hide, if these still exist.
    pub ignore_range_deletions: bool,
    /// Keep values in place while the iterator exists: it holds every block that it has read. A block cache with a
    /// strict limit may refuse it more blocks.
    pub pin_data: bool,
    /// Free an iterator's pinned blocks in the background; accepted, has no effect.
    pub background_purge_on_iterator_cleanup: bool,
    /// Make an iterator with an upper bound read ahead only to that bound, and not to blocks that are cached.
    pub auto_readahead_size: bool,
    /// Make a scan that reaches the next table of a level continue with the readahead that it had.
    pub adaptive_readahead: bool,
    /// Make iterators read the next piece while the current one is in use, and `multi_get` read blocks of several keys
    /// at once. With direct I/O, `multi_get` does this in any case.
    pub async_io: bool,
    /// Let `multi_get` spend processor time to save reads; accepted, has no effect.
    pub optimize_multiget_for_io: bool,
    /// The total size of values in bytes after which `multi_get` fails with Aborted.
    pub value_size_soft_limit: u64,
    /// The number of operands of one key at which a read is reported; accepted, has no effect.
    pub merge_operand_count_threshold: Option<u64>,
    /// Allow values to be fetched later; accepted, has no effect: values are always present.
    pub allow_unprepared_value: bool,
    /// Make an iterator with a snapshot release old versions from time to time; accepted, has no effect.
    pub auto_refresh_iterator_with_snapshot: bool,
    /// The priority of the file reads of lookups in `DbOptions::rate_limiter`; `IoPriority::Total` bypasses it.
    /// Iterators are not limited.
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
    /// The defaults as a constant, so that reads without options do not create them.
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

    /// Returns whether an iterator must show all keys in order even if a prefix extractor is set.
    pub(crate) fn total_order(&self) -> bool {
        self.total_order_seek || self.auto_prefix_mode
    }
}

/// Options of writes; names and defaults are RocksDB's.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    /// Sync the WAL before returning.
    pub sync: bool,
    /// Write no WAL record: a crash loses the write unless it was flushed.
    pub disable_wal: bool,
    /// Skip records of column families that do not exist, instead of failing.
    pub ignore_missing_column_families: bool,
    /// Fail with Incomplete instead of waiting in a stall.
    pub no_slowdown: bool,
    /// Wait longer than other writes in a stall; accepted, has no effect.
    pub low_pri: bool,
    /// Remember where the last key of a batch was inserted in the memtable; accepted, has no effect.
    pub memtable_insert_hint_per_batch: bool,
    /// With `IoPriority::User`, the WAL record waits for `DbOptions::rate_limiter`. `IoPriority::Total` does not wait.
    /// Other values are refused.
    pub rate_limiter_priority: IoPriority,
    /// Bytes of checksum per entry of the batch; accepted, has no effect.
    pub protection_bytes_per_key: usize,
}

/// Options of `flush`.
#[derive(Clone, Copy, Debug)]
pub struct FlushOptions {
    /// Wait for the flush to finish.
    pub wait: bool,
    /// Flush immediately even if writers will stall. Otherwise wait until one more memtable does not stop writers.
    pub allow_write_stall: bool,
}

impl Default for FlushOptions {
    fn default() -> FlushOptions {
        FlushOptions { wait: true, allow_write_stall: false }
    }
}

/// The treatment of the last level in `compact_range`. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum BottommostLevelCompaction {
    /// Skip it.
    Skip = 0,
    /// Rewrite it if a compaction filter is set.
    #[default]
    IfHaveCompactionFilter = 1,
    /// Rewrite it.
    Force = 2,
    /// Rewrite it, except files written by the same call.
    ForceOptimized = 3,
}

/// The treatment of old blobs in `compact_range`. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum BlobGarbageCollectionPolicy {
    /// Collect them.
    Force = 0,
    /// Keep them.
    Disable = 1,
    /// Use the column family's setting.
    #[default]
    UseDefault = 2,
}

/// Options of `compact_range`.
#[derive(Clone, Debug)]
pub struct CompactRangeOptions {
    /// Prevent other compactions from running at the same time.
    pub exclusive_manual_compaction: bool,
    /// Move the result's level to `target_level`. That level and all levels in between must be empty.
    pub change_level: bool,
    /// See `change_level`; negative means the smallest empty level that is large enough.
    pub target_level: i32,
    /// The index of the data path for the result.
    pub target_path_id: u32,
    /// Flush immediately even if writers will stall.
    pub allow_write_stall: bool,
    /// Setting it to true makes the call end soon with Incomplete.
    pub canceled: Option<Arc<AtomicBool>>,
    /// Drop versions with older timestamps. Not supported: there are no user-defined timestamps.
    pub full_history_ts_low: Option<Vec<u8>>,
    /// The treatment of the last level.
    pub bottommost_level_compaction: BottommostLevelCompaction,
    /// The number of threads that share the compaction; 0 means the database's setting.
    pub max_subcompactions: u32,
    /// The treatment of old blobs; accepted, has no effect: there are no blobs.
    pub blob_garbage_collection_policy: BlobGarbageCollectionPolicy,
    /// The fraction of the blob files that counts as old; accepted, has no effect.
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

/// The scope and precision of `approximate_sizes`; names and defaults are RocksDB's.
#[derive(Clone, Copy, Debug)]
pub struct SizeApproximationOptions {
    /// Include memtables.
    pub include_memtables: bool,
    /// Include files.
    pub include_files: bool,
    /// A fraction such as 0.1. Files that are only partly in the range are not searched if their total size is less
    /// than this fraction of the size of the files that are fully in it. Otherwise they are always searched.
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
    /// Fail with Aborted while background work is paused, instead of waiting for it to continue.
    pub abort_on_pause: bool,
    /// Flush all column families first.
    pub flush: bool,
    /// Also wait until obsolete files are deleted.
    pub wait_for_purge: bool,
    /// Close the database afterwards.
    pub close_db: bool,
    /// Fail with TimedOut after this time; zero means no limit.
    pub timeout: Duration,
}
