//! What operators may know of a store: levels, memory, and background work.

use super::events::Events;
use super::{Partition, Store};
use std::sync::Arc;

/// One level of a partition.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Level {
    /// Its number.
    pub level: usize,
    /// Its table files.
    pub files: usize,
    /// Those that a compaction reads now.
    pub busy_files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Entries of any kind in them.
    pub entries: u64,
    /// Tombstones among these.
    pub tombstones: u64,
    /// How urgent its compaction is: from 1 on it is due.
    pub score: f64,
}

/// Memory in use and its limits, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// Rows that wait to be flushed, and those that are being flushed.
    pub memtables: u64,
    /// From this on, memtables are flushed.
    pub memtables_max: u64,
    /// The block cache, which is charged for memtables too.
    pub cache: u64,
    /// What the block cache is charged for memtables.
    pub cache_charged: u64,
    /// The limit of the block cache.
    pub cache_max: u64,
    /// The cache of rows.
    pub rows: u64,
    /// Indexes and filters of open table files outside of the cache.
    pub table_readers: u64,
}

/// Figures of a store for operators. Its functions take the lock of the engine's catalogue for a moment, which reads
/// never take, and writes only when a memtable is full.
pub trait Inspect: Store {
    /// Returns a named figure of a partition; `None` if there is no such figure or partition.
    fn partition_figure(&self, partition: Partition, name: &str) -> Option<u64>;

    /// Returns the levels of a partition, from 0 on; empty if there is no such partition.
    fn levels(&self, partition: Partition) -> Vec<Level>;

    /// Returns how often writes to a partition were delayed or stopped, by cause, in the engine's words.
    fn stall_causes(&self, partition: Partition) -> Vec<(String, u64)>;

    /// Returns the name by which events call a partition; `None` if there is no such partition.
    fn family(&self, partition: Partition) -> Option<String>;

    /// Returns the memory of all partitions.
    fn memory(&self) -> Memory;

    /// Returns the history of background work.
    fn events(&self) -> &Arc<Events>;

    /// Returns whether writes are refused because the disk is full: one was within the last seconds, or was before and
    /// there is still little space.
    fn has_full_disk(&self) -> bool;

    /// Returns the directory of the data.
    fn directory(&self) -> &std::path::Path;
}
