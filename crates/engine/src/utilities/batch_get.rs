//! Looking up a key through an [`IndexedBatch`] that is not written yet.

use crate::base::PinnedValue;
use crate::batch::{BatchLookup, IndexedBatch, MergeBase};
use crate::db::{ColumnFamily, Db};
use crate::error::{Code, Error, Result};
use crate::hooks::MergeOperator;
use crate::iter::merge_helper::full_merge;
use crate::options::ReadOptions;

/// Returns the value of a key in the batch only. If the batch has operands whose base value is in the database, the
/// result is MergeInProgress.
pub fn get_from_batch(
    batch: &IndexedBatch,
    cf: u32,
    operator: Option<&dyn MergeOperator>,
    key: &[u8],
) -> Result<Option<Vec<u8>>> {
    match batch.get(cf, key) {
        BatchLookup::NotFound | BatchLookup::Deleted => Ok(None),
        BatchLookup::Value(value) => Ok(Some(value.to_vec())),
        BatchLookup::Merge { base: MergeBase::Database, .. } => {
            Err(Error::new(Code::MergeInProgress, ""))
        }
        BatchLookup::Merge { base, operands } => {
            let base = if let MergeBase::Value(value) = base { Some(value) } else { None };
            let operator = operator.ok_or_else(no_merge_operator)?;
            full_merge(operator, key, base, &operands).map(Some)
        }
    }
}

/// Returns the error for operands in a column family without a merge operator.
#[cold]
pub(super) fn no_merge_operator() -> Error {
    Error::no_merge_operator("Invalid argument: Merge operator must be set for column family")
}

impl Db {
    /// Returns the value of a key as if the batch were written.
    pub fn get_with_batch(
        &self,
        batch: &IndexedBatch,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
    ) -> Result<Option<PinnedValue>> {
        get_over_batch(batch, cf, key, || self.get_pinned_cf(ro, cf, key))
    }
}

/// Returns the value of a key as if the batch were written. `stored` looks the key up in the database.
pub(super) fn get_over_batch(
    batch: &IndexedBatch,
    cf: &ColumnFamily,
    key: &[u8],
    stored: impl FnOnce() -> Result<Option<PinnedValue>>,
) -> Result<Option<PinnedValue>> {
    match batch.get(cf.id(), key) {
        BatchLookup::NotFound => stored(),
        BatchLookup::Merge { base: MergeBase::Database, operands } => {
            let stored = stored()?;
            let operator = cf.data.merge_operator.as_deref();
            let operator = operator.ok_or_else(|| no_merge_operator().in_family(cf.name()))?;
            let merged = full_merge(operator, key, stored.as_deref(), &operands)?;
            Ok(Some(PinnedValue::owned(merged)))
        }
        _ => {
            let operator = cf.data.merge_operator.as_deref();
            let value = get_from_batch(batch, cf.id(), operator, key);
            Ok(value.map_err(|e| e.in_family(cf.name()))?.map(PinnedValue::owned))
        }
    }
}
