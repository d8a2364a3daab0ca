//! Closures as merge operators, filters, comparators and prefix extractors.

use std::cmp::Ordering;
use std::sync::Arc;

pub use crate::base::Comparator;
pub use crate::hooks::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, FilterDecision,
    MergeOperator, SliceTransform,
};

/// A closure and the name under which it is recorded on disk.
struct Named<F> {
    name: String,
    call: F,
}

/// Creates a merge operator from a closure that merges all operands into the value.
pub(crate) fn merge_operator<F>(name: &str, call: F) -> Arc<dyn MergeOperator>
where
    F: Fn(&[u8], Option<&[u8]>, &[&[u8]]) -> Option<Vec<u8>> + Send + Sync + 'static,
{
    Arc::new(Named { name: name.to_owned(), call })
}

impl<F> MergeOperator for Named<F>
where
    F: Fn(&[u8], Option<&[u8]>, &[&[u8]]) -> Option<Vec<u8>> + Send + Sync + 'static,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn full_merge(
        &self,
        key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Option<Vec<u8>> {
        (self.call)(key, existing, operands)
    }
}

/// A merge operator whose operands can be merged with each other in the same way as with the value.
struct Associative<F>(Named<F>);

/// Creates a merge operator from a closure, for operands and values of the same type.
pub(crate) fn associative<F>(name: &str, call: F) -> Arc<dyn MergeOperator>
where
    F: Fn(&[u8], Option<&[u8]>, &[&[u8]]) -> Option<Vec<u8>> + Send + Sync + 'static,
{
    Arc::new(Associative(Named { name: name.to_owned(), call }))
}

impl<F> MergeOperator for Associative<F>
where
    F: Fn(&[u8], Option<&[u8]>, &[&[u8]]) -> Option<Vec<u8>> + Send + Sync + 'static,
{
    fn name(&self) -> &str {
        &self.0.name
    }

    fn full_merge(
        &self,
        key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Option<Vec<u8>> {
        (self.0.call)(key, existing, operands)
    }

    fn partial_merge(&self, key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        (self.0.call)(key, None, operands)
    }
}

struct Filter<F>(Named<F>);

/// Creates a compaction filter from a closure.
pub(crate) fn compaction_filter<F>(name: &str, call: F) -> Arc<dyn CompactionFilter>
where
    F: Fn(usize, &[u8], &[u8]) -> FilterDecision + Send + Sync + 'static,
{
    Arc::new(Filter(Named { name: name.to_owned(), call }))
}

impl<F> CompactionFilter for Filter<F>
where
    F: Fn(usize, &[u8], &[u8]) -> FilterDecision + Send + Sync + 'static,
{
    fn name(&self) -> &str {
        &self.0.name
    }

    fn filter(&self, level: usize, key: &[u8], value: &[u8]) -> FilterDecision {
        (self.0.call)(level, key, value)
    }
}

struct Order<F>(Named<F>);

/// Creates a comparator from a closure.
pub(crate) fn comparator<F>(name: &str, call: F) -> Arc<dyn Comparator>
where
    F: Fn(&[u8], &[u8]) -> Ordering + Send + Sync + 'static,
{
    Arc::new(Order(Named { name: name.to_owned(), call }))
}

impl<F> Comparator for Order<F>
where
    F: Fn(&[u8], &[u8]) -> Ordering + Send + Sync + 'static,
{
    fn name(&self) -> &str {
        &self.0.name
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        (self.0.call)(a, b)
    }
}

struct Prefix<F>(Named<F>);

/// Creates a prefix extractor from a closure, which returns `None` for a key without a prefix.
pub(crate) fn prefix_extractor<F>(name: &str, call: F) -> Arc<dyn SliceTransform>
where
    F: Fn(&[u8]) -> Option<&[u8]> + Send + Sync + 'static,
{
    Arc::new(Prefix(Named { name: name.to_owned(), call }))
}

impl<F> SliceTransform for Prefix<F>
where
    F: Fn(&[u8]) -> Option<&[u8]> + Send + Sync + 'static,
{
    fn name(&self) -> &str {
        &self.0.name
    }

    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        (self.0.call)(key).unwrap_or_default()
    }

    fn in_domain(&self, key: &[u8]) -> bool {
        (self.0.call)(key).is_some()
    }
}
