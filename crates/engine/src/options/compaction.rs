//! Compaction options of a column family.

use super::Temperature;
use super::registry::options;
use super::unnamed::Unnamed;

/// The compaction style. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum CompactionStyle {
    /// Sorted levels of increasing size.
    #[default]
    Level = 0,
    /// Sorted runs merged by size.
    Universal = 1,
    /// Old files are dropped.
    Fifo = 2,
    /// No automatic compaction.
    None = 3,
}

/// Which file of a level is compacted first. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum CompactionPri {
    /// The largest file, with extra weight for deletions.
    ByCompensatedSize = 0,
    /// The file whose newest data is oldest.
    OldestLargestSeqFirst = 1,
    /// The file whose oldest data is oldest.
    OldestSmallestSeqFirst = 2,
    /// The file that overlaps the least with the next level.
    #[default]
    MinOverlappingRatio = 3,
    /// The files in turn, in key order.
    RoundRobin = 4,
}

/// When universal compaction stops adding runs to a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum CompactionStopStyle {
    /// At a run that is much larger than the previous one.
    SimilarSize = 0,
    /// At a run that is larger than all previous ones together.
    #[default]
    TotalSize = 1,
}

options! {
    /// Settings of universal compaction; names and defaults are RocksDB 10.10's.
    #[derive(Clone, Debug, PartialEq)]
    UniversalCompactionOptions {
        /// Keep the inputs of a waiting compaction available to others. Accepted, has no effect.
        reduce_file_locking: bool = false => accepted().written_when_set().log(0);
        /// Merge the last level in parts. Not supported: true is refused at open.
        incremental: bool = false => refused();
        /// Percentage of the data, newest first, that stays uncompressed; -1 compresses all data.
        compression_size_percent: i32 = -1 => honoured().log(0);
        /// Move files without overlap instead of merging them.
        allow_trivial_move: bool = false => honoured();
        /// All runs are merged when the runs above the last one reach this percentage of its size.
        max_size_amplification_percent: u32 = 200 => honoured().log(0);
        /// The maximum number of runs that are merged.
        max_merge_width: u32 = u32::MAX => honoured().log(0);
        /// When to stop adding runs.
        stop_style: CompactionStopStyle = CompactionStopStyle::TotalSize => honoured().log(0);
        /// The minimum number of runs that are merged.
        min_merge_width: u32 = 2 => honoured().log(0);
        /// The maximum number of runs that a read may have to search; -1 follows the compaction trigger, 0 means no
        /// limit.
        max_read_amp: i32 = -1 => honoured().written_when_set().log(0);
        /// The percentage by which the next run may be larger and still be merged.
        size_ratio: u32 = 1 => honoured().log(0);
    }
    without_row {
        /// Numbers that are no enumeration value and were set through the C ABI; opening refuses them.
        unnamed: Unnamed = Unnamed::default();
    }
}

/// The temperature that FIFO compaction gives to files of a certain age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileTemperatureAge {
    /// The temperature.
    pub temperature: Temperature,
    /// The minimum age of such files, in seconds.
    pub age: u64,
}

options! {
    /// Settings of FIFO compaction; names and defaults are RocksDB 10.10's.
    #[derive(Clone, Debug, PartialEq)]
    FifoCompactionOptions {
        /// Size of the buffer for copying a file to another temperature, in bytes. Accepted, has no effect.
        trivial_copy_buffer_size: u64 = 4096 => accepted().written_when_set();
        /// Copy a file whose temperature changes instead of compacting it. Accepted, has no effect.
        allow_trivial_copy_when_change_temperature: bool = false => accepted().written_when_set();
        /// Temperatures by age. Accepted, has no effect.
        file_temperature_age_thresholds: Vec<FileTemperatureAge> = Vec::new()
            => accepted().written_when_set();
        /// Merge small files.
        allow_compaction: bool = false => honoured().log(0);
        /// Seconds after which a file becomes warm; an older form of `file_temperature_age_thresholds`. Accepted, has
        /// no effect.
        age_for_warm: u64 = 0 => accepted();
        /// The total size of tables in bytes above which the oldest are dropped.
        max_table_files_size: u64 = 1 << 30 => honoured().log(0);
        "ttl": fixed(Integer, "0") => accepted().never_written();
    }
}

/// Which blobs are added to the cache when they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum PrepopulateBlobCache {
    /// None.
    #[default]
    Disable = 0,
    /// The blobs of flushed tables.
    FlushOnly = 1,
}

/// Marks tables with many tombstones for compaction: RocksDB's `CompactOnDeletionCollector`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CompactOnDeletion {
    /// The number of consecutive keys that form a window; 0 means that only the whole table is examined.
    pub window_size: usize,
    /// The number of tombstones in a window at which the table is marked.
    pub deletion_trigger: usize,
    /// The fraction of tombstones in a table at which it is marked, from 0 (never) to 1.
    pub deletion_ratio: f64,
    /// The minimum size in bytes of a table that may be marked.
    pub min_file_size: u64,
}

/// The form in RocksDB's LOG.
impl std::fmt::Display for CompactOnDeletion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "CompactOnDeletionCollector (Sliding window size = {} Deletion trigger = {} Deletion \
             ratio = {})",
            self.window_size, self.deletion_trigger, self.deletion_ratio
        )
    }
}
