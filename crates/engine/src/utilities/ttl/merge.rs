//! The merge operator of a database with a time to live.

use super::stamps::{now, split, stamp};
use crate::hooks::MergeOperator;
use crate::options::ColumnFamilyOptions;
use std::sync::Arc;

/// Wraps the user's merge operator, if there is one, in an operator that handles stamps.
pub(super) fn wrap_merge_operator(options: &mut ColumnFamilyOptions) {
    if let Some(user) = options.merge_operator.take() {
        options.merge_operator = Some(Arc::new(TtlMergeOperator(user)));
    }
}

/// Merges values and operands without their stamps. The result is stamped with the time of the merge.
struct TtlMergeOperator(Arc<dyn MergeOperator>);

/// Returns the operands without their stamps, or `None` if one has no stamp.
fn plain<'a>(operands: &[&'a [u8]]) -> Option<Vec<&'a [u8]>> {
    operands.iter().map(|operand| split(operand).map(|(plain, _)| plain)).collect()
}

impl MergeOperator for TtlMergeOperator {
    fn name(&self) -> &str {
        "Merge By TTL"
    }

    fn full_merge(
        &self,
        key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Option<Vec<u8>> {
        let existing = match existing {
            Some(existing) => Some(split(existing)?.0),
            None => None,
        };
        let merged = self.0.full_merge(key, existing, &plain(operands)?)?;
        Some(stamp(&merged, now()))
    }

    fn partial_merge(&self, key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        let merged = self.0.partial_merge(key, &plain(operands)?)?;
        Some(stamp(&merged, now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::StringAppendOperator;

    fn wrapped() -> Arc<dyn MergeOperator> {
        let mut options = ColumnFamilyOptions {
            merge_operator: Some(Arc::new(StringAppendOperator::default())),
            ..ColumnFamilyOptions::default()
        };
        wrap_merge_operator(&mut options);
        options.merge_operator.unwrap()
    }

    #[test]
    fn merges_what_is_before_the_stamps_and_stamps_the_result() {
        let before = now();
        let (value, operand) = (stamp(b"a", 1), stamp(b"b", 2));
        let merged = wrapped().full_merge(b"k", Some(&value), &[&operand, &operand]).unwrap();
        let (plain, time) = split(&merged).unwrap();
        assert_eq!(plain, b"a,b,b");
        assert!(time >= before);
    }

    #[test]
    fn a_value_or_operand_without_stamp_fails_the_merge() {
        let operand = stamp(b"b", 2);
        assert_eq!(wrapped().full_merge(b"k", Some(b"abc"), &[&operand]), None);
        assert_eq!(wrapped().full_merge(b"k", None, &[&operand, b"abc"]), None);
    }
}
