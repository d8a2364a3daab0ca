//! Every trait a user may implement, and the plain data handed to it.

mod compaction_filter;
mod grouping;
mod merge_operator;
mod slice_transform;

pub use compaction_filter::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, FilterDecision,
    RemoveEmptyValueFilter, TableFileCreationReason, compaction_filter_by_name,
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
