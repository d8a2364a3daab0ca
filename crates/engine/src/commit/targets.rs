//! The targets of a batch: its families, which records they accept, and their memtables.

use super::queue::{CommitQueue, WriteState};
use crate::batch::{BatchHandler, WriteBatch, iterate};
use crate::env::epoch::{self, Guard};
use crate::env::lock_rank::RankedGuard;
use crate::error::{Error, Result};
use crate::hooks::FlushReason;
use crate::memtable::MemTable;
use crate::options::{TableFactory, WriteOptions};
use crate::read::SuperVersion;
use crate::session::{ColumnFamilyData, ColumnFamilyMap};
use crate::write::{MemtableLookup, unknown_column_family};

/// The memtables of one batch. They are looked up under the write lock and stay valid while the writer is pinned.
pub(super) enum Targets<'g> {
    /// All records go to the default column family.
    Default(&'g MemTable),
    /// The batch also names other families.
    Many { by_id: Vec<(u32, &'g MemTable)>, ignore_missing: bool },
}

impl MemtableLookup for Targets<'_> {
    #[inline]
    fn memtable(&self, column_family: u32) -> Result<Option<&MemTable>> {
        match self {
            Targets::Default(memtable) if column_family == 0 => Ok(Some(memtable)),
            Targets::Default(_) => Err(unknown_column_family(column_family)),
            Targets::Many { by_id, ignore_missing } => {
                match by_id.iter().find(|(id, _)| *id == column_family) {
                    Some((_, memtable)) => Ok(Some(memtable)),
                    None if *ignore_missing => Ok(None),
                    None => Err(unknown_column_family(column_family)),
                }
            }
        }
    }
}

impl Targets<'_> {
    /// Returns the numbers of the batch's families.
    pub(super) fn families(&self) -> Vec<u32> {
        match self {
            Targets::Default(_) => vec![0],
            Targets::Many { by_id, .. } => by_id.iter().map(|(id, _)| *id).collect(),
        }
    }

    /// Returns whether all these memtables allow concurrent inserts.
    pub(super) fn concurrent(&self) -> bool {
        match self {
            Targets::Default(memtable) => memtable.supports_concurrent_insert(),
            Targets::Many { by_id, .. } => {
                by_id.iter().all(|(_, memtable)| memtable.supports_concurrent_insert())
            }
        }
    }
}

/// Collects the families that a batch touches, and refuses records that the engine cannot apply.
#[derive(Default)]
struct FamiliesOf {
    ids: Vec<u32>,
}

impl FamiliesOf {
    fn see(&mut self, cf: u32) -> Result<()> {
        if !self.ids.contains(&cf) {
            self.ids.push(cf);
        }
        Ok(())
    }
}

impl BatchHandler for FamiliesOf {
    fn put(&mut self, cf: u32, _key: &[u8], _value: &[u8]) -> Result<()> {
        self.see(cf)
    }
    fn delete(&mut self, cf: u32, _key: &[u8]) -> Result<()> {
        self.see(cf)
    }
    fn single_delete(&mut self, cf: u32, _key: &[u8]) -> Result<()> {
        self.see(cf)
    }
    fn merge(&mut self, cf: u32, _key: &[u8], _operand: &[u8]) -> Result<()> {
        self.see(cf)
    }
    fn delete_range(&mut self, cf: u32, _begin: &[u8], _end: &[u8]) -> Result<()> {
        self.see(cf)
    }
}

/// Checks merges and range deletions against the options of their families. RocksDB finds the same errors only when the
/// record is already in the WAL, and then stops all writes.
struct RecordCheck<'a> {
    families: &'a [(u32, &'a ColumnFamilyData)],
}

impl RecordCheck<'_> {
    /// Returns the family, or `None` if the records of this family are ignored.
    fn family(&self, cf: u32) -> Option<&ColumnFamilyData> {
        self.families.iter().find(|(id, _)| *id == cf).map(|(_, family)| *family)
    }
}

impl BatchHandler for RecordCheck<'_> {
    fn put(&mut self, _cf: u32, _key: &[u8], _value: &[u8]) -> Result<()> {
        Ok(())
    }
    fn delete(&mut self, _cf: u32, _key: &[u8]) -> Result<()> {
        Ok(())
    }
    fn single_delete(&mut self, _cf: u32, _key: &[u8]) -> Result<()> {
        Ok(())
    }
    fn merge(&mut self, cf: u32, _key: &[u8], _operand: &[u8]) -> Result<()> {
        self.family(cf).map_or(Ok(()), check_merges)
    }
    fn delete_range(&mut self, cf: u32, begin: &[u8], end: &[u8]) -> Result<()> {
        let Some(family) = self.family(cf) else { return Ok(()) };
        if let TableFactory::Plain(_) | TableFactory::Cuckoo(_) = family.options().table_factory {
            return Err(Error::not_supported(format!(
                "CF {} reports it does not support DeleteRange",
                family.name
            )));
        }
        if family.order.compare_user(begin, end).is_gt() {
            return Err(Error::invalid_argument("end key comes before start key"));
        }
        Ok(())
    }
}

impl CommitQueue {
    /// Returns the families of a batch, or `None` if it has only records of the default family and was checked when it
    /// was built.
    pub(super) fn families_of(&self, batch: &WriteBatch) -> Result<Option<Vec<u32>>> {
        if batch.needs_no_check() {
            return Ok(None);
        }
        let mut families = FamiliesOf::default();
        iterate(batch.data(), &mut families)?;
        Ok(Some(families.ids))
    }

    /// Looks up the memtables of a batch. Full memtables are replaced first.
    pub(super) fn targets<'g>(
        &self,
        write: &mut RankedGuard<'_, WriteState>,
        guard: &'g Guard,
        batch: &WriteBatch,
        families: Option<Vec<u32>>,
        wo: &WriteOptions,
    ) -> Result<Targets<'g>> {
        let Some(ids) = families else {
            check_default_merges(self.catalog.default_family(), batch)?;
            let memtable = self.active_memtable(write, guard, self.catalog.default_family())?;
            return Ok(Targets::Default(memtable));
        };
        let by_id = self.checked_families(guard, batch, ids, wo)?;
        // Two passes, because sealing one family's full memtable may seal those of other families too.
        for (_, family) in &by_id {
            self.active_memtable(write, guard, family)?;
        }
        let found = |(id, family)| Ok((id, &super_version(family, guard)?.mem as &MemTable));
        let by_id = by_id.into_iter().map(found).collect::<Result<_>>()?;
        Ok(Targets::Many { by_id, ignore_missing: wo.ignore_missing_column_families })
    }

    /// Returns the open families of a batch, after checking that they accept its records.
    fn checked_families<'g>(
        &self,
        guard: &'g Guard,
        batch: &WriteBatch,
        ids: Vec<u32>,
        wo: &WriteOptions,
    ) -> Result<Vec<(u32, &'g ColumnFamilyData)>> {
        let map = self.catalog.families(guard);
        let mut by_id: Vec<(u32, &ColumnFamilyData)> = Vec::with_capacity(ids.len());
        for id in ids {
            match map.and_then(|m: &ColumnFamilyMap| m.get(&id)) {
                Some(family) => by_id.push((id, family)),
                None if wo.ignore_missing_column_families => {}
                None => return Err(unknown_column_family(id)),
            }
        }
        // A batch may have operands for one family and values for another; the latter then needs no merge operator.
        let folds_all = || by_id.iter().all(|(_, family)| family.merge_operator.is_some());
        if batch.has_delete_range() || (batch.has_merge() && !folds_all()) {
            iterate(batch.data(), &mut RecordCheck { families: &by_id })?;
        }
        Ok(by_id)
    }

    /// Returns an error for records that a commit would refuse.
    pub(super) fn check_batch(&self, batch: &WriteBatch, wo: &WriteOptions) -> Result<()> {
        match self.families_of(batch)? {
            None => check_default_merges(self.catalog.default_family(), batch),
            Some(ids) => self.checked_families(&epoch::pin(), batch, ids, wo).map(|_| ()),
        }
    }

    #[inline]
    fn active_memtable<'g>(
        &self,
        write: &mut RankedGuard<'_, WriteState>,
        guard: &'g Guard,
        family: &ColumnFamilyData,
    ) -> Result<&'g MemTable> {
        let sv = super_version(family, guard)?;
        if !sv.mem.should_flush() {
            return Ok(&sv.mem);
        }
        self.seal_full(write, family, FlushReason::WriteBufferFull)?;
        Ok(&super_version(family, guard)?.mem)
    }
}

#[inline]
fn super_version<'g>(family: &ColumnFamilyData, guard: &'g Guard) -> Result<&'g SuperVersion> {
    family.super_version(guard).ok_or_else(Error::closed)
}

/// Returns an error if a batch of the default family has merge operands and the family has no merge operator.
#[inline]
fn check_default_merges(family: &ColumnFamilyData, batch: &WriteBatch) -> Result<()> {
    if batch.has_merge() { check_merges(family) } else { Ok(()) }
}

/// Refuses merge operands for a family without a merge operator, before they get into the WAL.
#[inline]
fn check_merges(family: &ColumnFamilyData) -> Result<()> {
    if family.merge_operator.is_none() {
        let rocksdb =
            "Invalid argument: Merge requires `ColumnFamilyOptions::merge_operator != nullptr`";
        return Err(Error::no_merge_operator(rocksdb).in_family(&family.name));
    }
    Ok(())
}
