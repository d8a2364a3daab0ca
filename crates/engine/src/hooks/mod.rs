//! The traits that users may implement, and the plain data passed to them.

mod compaction_filter;
mod event_info;
mod event_listener;
mod event_reason;
mod grouping;
mod merge_operator;
mod slice_transform;
mod sst_partitioner;
#[cfg(feature = "tracing")]
mod tracing_listener;

pub use compaction_filter::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, FilterDecision,
    RemoveEmptyValueFilter, compaction_filter_by_name,
};
pub use event_info::{
    ColumnFamilyHandleInfo, CompactionFileInfo, CompactionJobInfo, CompactionJobStats,
    ExternalFileIngestionInfo, FlushJobInfo, ManualFlushInfo, MemTableInfo, SubcompactionJobInfo,
    TableFigures, TableFileCreationBriefInfo, TableFileCreationInfo, TableFileDeletionInfo,
    WriteStallInfo,
};
pub use event_listener::{EventDb, EventListener};
pub use event_reason::{
    BackgroundErrorReason, CompactionReason, FlushReason, TableFileCreationReason,
    WriteStallCondition,
};
pub(crate) use grouping::Grouping;
pub use merge_operator::{
    MaxOperator, MergeOperator, PutOperator, StringAppendOperator, UInt64AddOperator,
    merge_operator_by_name,
};
pub use slice_transform::{
    CappedPrefixTransform, FixedPrefixTransform, NoopTransform, SliceTransform,
    slice_transform_by_name,
};
pub(crate) use slice_transform::{is_one_prefix, is_range_of_one_prefix};
pub use sst_partitioner::{
    FixedPrefixPartitionerFactory, SstPartitioner, SstPartitionerContext, SstPartitionerFactory,
};
#[cfg(feature = "tracing")]
pub use tracing_listener::TracingListener;
