//! Options of single operations.

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
    /// Bytes read ahead by iterators; 0 leaves it to the engine.
    pub readahead_size: usize,
    /// An iterator gives up with Incomplete after so many hidden entries; 0 never.
    pub max_skippable_internal_keys: u64,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            snapshot: None,
            verify_checksums: true,
            fill_cache: true,
            iterate_lower_bound: None,
            iterate_upper_bound: None,
            prefix_same_as_start: false,
            total_order_seek: false,
            auto_prefix_mode: false,
            readahead_size: 0,
            max_skippable_internal_keys: 0,
        }
    }
}

impl ReadOptions {
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

/// Options of `compact_range`.
#[derive(Clone, Copy, Debug)]
pub struct CompactRangeOptions {
    /// No automatic compaction starts meanwhile. Accepted, has no effect: that is always so.
    pub exclusive_manual_compaction: bool,
    /// Move the result to `target_level`. Not supported: true is refused.
    pub change_level: bool,
    /// See `change_level`.
    pub target_level: i32,
    /// What to do with the last level.
    pub bottommost_level_compaction: BottommostLevelCompaction,
    /// Threads that share it; 0 means the database's.
    pub max_subcompactions: u32,
}

impl Default for CompactRangeOptions {
    fn default() -> CompactRangeOptions {
        CompactRangeOptions {
            exclusive_manual_compaction: false,
            change_level: false,
            target_level: -1,
            bottommost_level_compaction: BottommostLevelCompaction::default(),
            max_subcompactions: 0,
        }
    }
}
