//! Compaction filters: user code that examines every value which a compaction would keep, and drops or changes it.
//!
//! A filter sees the newest version of a key, even if a snapshot needs it. Like RocksDB since 6.0, filters do not
//! respect snapshots, and a filter that requests this makes the compaction fail. Merge operands are an exception: those
//! that a snapshot sees are not filtered.

use super::TableFileCreationReason;
use std::sync::Arc;

/// The decision about a value or a merge operand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FilterDecision {
    /// Keep it.
    #[default]
    Keep,
    /// Delete the key: the value is replaced by a tombstone, which hides older versions below. For a merge operand:
    /// drop it.
    Remove,
    /// Replace the value by this one.
    ChangeValue(Vec<u8>),
    /// Drop the value without a tombstone, and drop all keys before this key without examining them. Entries that they
    /// hide on deeper levels may reappear. A key that is not after the current one means `Keep`.
    RemoveAndSkipUntil(Vec<u8>),
}

/// Examines the entries that compactions write. Several threads may call a filter that is set as an option at the same
/// time. A filter created by a factory is called only by the thread of its sub-compaction.
pub trait CompactionFilter: Send + Sync + 'static {
    /// Returns the name in OPTIONS and LOG.
    fn name(&self) -> &str;

    /// Decides about the newest version of `key`. `level` is the first level that the compaction reads.
    fn filter(&self, level: usize, key: &[u8], value: &[u8]) -> FilterDecision;

    /// Decides about a merge operand that no snapshot sees.
    fn filter_merge_operand(&self, _level: usize, _key: &[u8], _operand: &[u8]) -> FilterDecision {
        FilterDecision::Keep
    }

    /// Returns whether versions that a snapshot needs are filtered too. False is not supported, as in RocksDB:
    /// compactions fail.
    fn ignore_snapshots(&self) -> bool {
        true
    }
}

/// What a factory learns about the job for which it creates a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactionFilterContext {
    /// Whether the job reads all tables.
    pub is_full_compaction: bool,
    /// Whether a user requested the job.
    pub is_manual_compaction: bool,
    /// The first level that is read; `None` for flushes.
    pub input_start_level: Option<usize>,
    /// The column family.
    pub column_family_id: u32,
    /// Why tables are written.
    pub reason: TableFileCreationReason,
}

/// Creates a filter for each sub-compaction and, if it chooses to, for each flush.
pub trait CompactionFilterFactory: Send + Sync + 'static {
    /// Returns the name in OPTIONS and LOG.
    fn name(&self) -> &str;

    /// Creates a filter for one job, or returns `None`.
    fn create(&self, context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>>;

    /// Returns whether tables written for this reason are filtered. RocksDB's default: only those of compactions.
    fn should_filter_table_file_creation(&self, reason: TableFileCreationReason) -> bool {
        reason == TableFileCreationReason::Compaction
    }
}

/// RocksDB's built-in filter, which drops keys with empty values.
#[derive(Clone, Copy, Debug, Default)]
pub struct RemoveEmptyValueFilter;

impl CompactionFilter for RemoveEmptyValueFilter {
    fn name(&self) -> &str {
        "RemoveEmptyValueCompactionFilter"
    }

    fn filter(&self, _level: usize, _key: &[u8], value: &[u8]) -> FilterDecision {
        if value.is_empty() { FilterDecision::Remove } else { FilterDecision::Keep }
    }
}

/// Returns the built-in filter with this name.
pub fn compaction_filter_by_name(name: &str) -> Option<Arc<dyn CompactionFilter>> {
    match name {
        "RemoveEmptyValueCompactionFilter" => Some(Arc::new(RemoveEmptyValueFilter)),
        _ => None,
    }
}
