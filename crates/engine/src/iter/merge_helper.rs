//! Collection and folding of merge operands. Iterators and compactions copy operands into one buffer, so collecting
//! allocates nothing once the buffer has grown. Point lookups collect their own (`get_context.rs`) and only fold here.

use crate::base::ValueType;
use crate::base::key::TRAILER_SIZE;
use crate::base::perf::{PerfMetric, PerfTimer};
use crate::env::clock::Instant;
use crate::error::{Error, Result, SubCode};
use crate::hooks::MergeOperator;
use crate::stats::{HistogramType, Statistics, Ticker};
use std::ops::Range;

/// The order of operands in [`MergeOperands`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collected {
    /// Collected by an iterator that moves forward.
    NewestFirst,
    /// Collected by an iterator that moves backward.
    OldestFirst,
}

/// Operands of one user key.
#[derive(Debug, Default)]
pub(crate) struct MergeOperands {
    bytes: Vec<u8>,
    ranges: Vec<Range<usize>>,
}

impl MergeOperands {
    /// Removes all operands.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ranges.clear();
    }

    /// Adds a copy of the next operand.
    pub(crate) fn push(&mut self, operand: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(operand);
        self.ranges.push(start..self.bytes.len());
    }

    /// The number of operands.
    pub(crate) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// The operand with this index in insertion order.
    pub(crate) fn get(&self, index: usize) -> &[u8] {
        &self.bytes[self.ranges[index].clone()]
    }

    /// Merges the operands with `base`.
    pub(crate) fn full_merge(
        &self,
        operator: &dyn MergeOperator,
        user_key: &[u8],
        base: Option<&[u8]>,
        collected: Collected,
    ) -> Result<Vec<u8>> {
        full_merge(operator, user_key, base, &self.oldest_first(collected))
    }

    /// Combines all operands into one, if the operator supports it.
    pub(crate) fn partial_merge(
        &self,
        operator: &dyn MergeOperator,
        user_key: &[u8],
        collected: Collected,
    ) -> Option<Vec<u8>> {
        operator.partial_merge(user_key, &self.oldest_first(collected))
    }

    fn oldest_first(&self, collected: Collected) -> Vec<&[u8]> {
        let all = (0..self.len()).map(|i| self.get(i));
        match collected {
            Collected::NewestFirst => all.rev().collect(),
            Collected::OldestFirst => all.collect(),
        }
    }
}

/// Merges `operands`, oldest first, with `base`; a failure of the operator is Corruption.
pub(crate) fn full_merge(
    operator: &dyn MergeOperator,
    user_key: &[u8],
    base: Option<&[u8]>,
    operands: &[&[u8]],
) -> Result<Vec<u8>> {
    operator.full_merge(user_key, base, operands).ok_or_else(|| {
        let error = Error::corruption("").with_subcode(SubCode::MergeOperatorFailed);
        error.explained(format!(
            "merge operator {:?} failed for key \"{}\"",
            operator.name(),
            user_key.escape_ascii()
        ))
    })
}

/// Runs a merge for a reader; statistics, if any, count its operands and its failure and record its time.
pub(crate) fn counted_merge<T>(
    stats: Option<&Statistics>,
    num_operands: usize,
    merge: impl FnOnce() -> Result<T>,
) -> Result<T> {
    if let Some(stats) = stats {
        stats.record(HistogramType::ReadNumMergeOperands, num_operands as u64);
    }
    timed_merge(stats, merge)
}

/// Runs a merge; statistics, if any, record its time and count its failure.
pub(crate) fn timed_merge<T>(
    stats: Option<&Statistics>,
    merge: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let _timer = PerfTimer::start(PerfMetric::MergeOperatorTimeNanos);
    let Some(stats) = stats else { return merge() };
    let start = Instant::now();
    let merged = merge();
    stats.add(Ticker::MergeOperationTotalTime, start.elapsed().as_nanos() as u64);
    stats.add(Ticker::NumberMergeFailures, u64::from(merged.is_err()));
    merged
}

/// The error for operands in a column family without a merge operator.
#[cold]
pub(crate) fn no_merge_operator() -> Error {
    Error::no_merge_operator("Invalid argument: merge_operator is not properly initialized.")
}

/// The error for a stored key without a trailer.
#[cold]
pub(crate) fn short_key(stored: &[u8]) -> Error {
    Error::corruption(format!(
        "internal key: expected at least {TRAILER_SIZE} bytes, found {}",
        stored.len()
    ))
}

/// The error for a stored key with a type that no format version defines.
#[cold]
pub(crate) fn unknown_type(trailer: u64) -> Error {
    Error::corruption(format!("internal key: unknown value type {}", trailer as u8))
}

/// Splits an internal key into user key and trailer, if it has one.
#[inline]
pub(crate) fn split(internal_key: &[u8]) -> Option<(&[u8], u64)> {
    let (user_key, trailer) = internal_key.split_last_chunk::<TRAILER_SIZE>()?;
    Some((user_key, u64::from_le_bytes(*trailer)))
}

/// The error for an entry of a kind that this engine does not support.
#[cold]
pub(crate) fn unsupported_entry(kind: ValueType) -> Error {
    Error::not_supported(format!("reading an entry of type {kind:?} (0x{:02x})", kind as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::StringAppendOperator;

    #[test]
    fn operands_fold_in_the_order_of_writing() {
        let operator = StringAppendOperator::default();
        let mut operands = MergeOperands::default();
        for operand in [&b"c"[..], b"", b"a"] {
            operands.push(operand);
        }
        let fold = |collected| operands.full_merge(&operator, b"k", Some(b"z"), collected).unwrap();
        assert_eq!(fold(Collected::NewestFirst), b"z,a,,c");
        assert_eq!(fold(Collected::OldestFirst), b"z,c,,a");
        let partial = operands.partial_merge(&operator, b"k", Collected::NewestFirst);
        assert_eq!(partial.unwrap(), b"a,,c");
        operands.clear();
        assert_eq!(operands.len(), 0);
    }
}
