//! Lookups of the merge operands of a key, instead of the merged value.

use super::Host;
use super::observe::Unobserved;
use super::one::pinned;
use crate::env::sync::Mutex;
use crate::error::Result;
use crate::hooks::MergeOperator;
use crate::options::ReadOptions;
use crate::session::ColumnFamilyData;

/// Replaces the family's merge operator, and keeps the operands that it would merge.
#[derive(Default)]
struct Collector(Mutex<Vec<Vec<u8>>>);

impl MergeOperator for Collector {
    fn name(&self) -> &str {
        "Collector"
    }

    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Option<Vec<u8>> {
        let all = existing.iter().chain(operands);
        *self.0.lock() = all.map(|operand| operand.to_vec()).collect();
        Some(Vec::new())
    }
}

/// Returns the operands of a key, oldest first, after the value below them if there is one. The result has one element
/// for a key with a value and no operands, and none for a key without a value.
pub(crate) fn merge_operands<H: Host>(
    host: &H,
    family: &ColumnFamilyData,
    ro: &ReadOptions,
    user_key: &[u8],
) -> Result<Vec<Vec<u8>>> {
    let collector = Collector::default();
    let value =
        pinned(host, family, ro, &Unobserved, |lookup, _| lookup.merged_by(user_key, &collector))?;
    let operands = collector.0.into_inner();
    Ok(match value {
        Some(value) if operands.is_empty() => vec![value.into_vec()],
        _ => operands,
    })
}
