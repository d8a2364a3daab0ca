//! Compaction filters: users look at every value that a compaction would keep, and drop or change
//! it.
//!
//! A filter sees the newest version of a key, whether or not a snapshot needs it: like RocksDB since
//! 6.0, filters do not spare snapshots, and one that asks for that makes the compaction fail. Merge
//! operands are the exception: those that a snapshot sees are left alone.

use super::TableFileCreationReason;
use std::sync::Arc;

/// What to do with a value or a merge operand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FilterDecision {
    /// Keep it.
    #[default]
    Keep,
    /// Delete the key: a tombstone takes its place, which hides older versions below. Of a merge
    /// operand: drop the operand.
    Remove,
    /// Put this in its place.
    ChangeValue(Vec<u8>),
    /// Drop it without a tombstone, and all keys before this one unseen: what they hide on deeper
    /// levels may come back. A key that is not after the current one means `Keep`.
    RemoveAndSkipUntil(Vec<u8>),
}

/// Looks at what compactions write. One given as an option is asked by several threads at once;
/// one made by a factory only by the thread of its sub-compaction.
pub trait CompactionFilter: Send + Sync + 'static {
    /// The name in OPTIONS and LOG.
    fn name(&self) -> &str;

    /// Decides about the newest version of `key`; `level` is the first one that the compaction
    /// reads.
    fn filter(&self, level: usize, key: &[u8], value: &[u8]) -> FilterDecision;

    /// Decides about a merge operand that no snapshot sees.
    fn filter_merge_operand(&self, _level: usize, _key: &[u8], _operand: &[u8]) -> FilterDecision {
        FilterDecision::Keep
    }

    /// Whether versions that a snapshot needs are filtered too. False is not supported, as in
    /// RocksDB: compactions fail.
    fn ignore_snapshots(&self) -> bool {
        true
    }
}

/// What a factory is told about the job that a filter is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactionFilterContext {
    /// The job reads all tables.
    pub is_full_compaction: bool,
    /// A user asked for the job.
    pub is_manual_compaction: bool,
    /// The first level that is read; `None` for flushes.
    pub input_start_level: Option<usize>,
    /// The column family.
    pub column_family_id: u32,
    /// Why tables are written.
    pub reason: TableFileCreationReason,
}

/// Makes a filter per sub-compaction, and per flush where it wants.
pub trait CompactionFilterFactory: Send + Sync + 'static {
    /// The name in OPTIONS and LOG.
    fn name(&self) -> &str;

    /// A filter for one job, or none.
    fn create(&self, context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>>;

    /// Whether tables made for this reason are filtered. RocksDB's default: compactions alone.
    fn should_filter_table_file_creation(&self, reason: TableFileCreationReason) -> bool {
        reason == TableFileCreationReason::Compaction
    }
}

/// RocksDB's built-in filter: drops keys whose values are empty.
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

/// The built-in filter with this name.
pub fn compaction_filter_by_name(name: &str) -> Option<Arc<dyn CompactionFilter>> {
    match name {
        "RemoveEmptyValueCompactionFilter" => Some(Arc::new(RemoveEmptyValueFilter)),
        _ => None,
    }
}
