//! A write batch that can be read before it is written: RocksDB's `WriteBatchWithIndex`.
//!
//! ```text
//! batch   records, in the order they were added: what a write commits
//! index   family -> key -> updates of that key, oldest first; an update is a kind and the range
//!         of its value within the batch's bytes
//! ```
//! **I1** The index has exactly the puts, deletes and merges of the batch: a rollback removes the updates that are
//! beyond the remaining bytes.
//!
//! Keys of a family are ordered by its comparator once it is set with [`IndexedBatch::register`], otherwise by the
//! batch's own. Range deletions are refused, as in RocksDB.

use super::WriteBatch;
use crate::base::KeyOrder;
use crate::error::{Code, Error, Result, SubCode};
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::{Bound, Range};

/// The effect of an update on its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Put,
    Delete,
    Merge,
}

/// One update of a key. `value` is a range in the batch's bytes.
#[derive(Clone, Debug)]
struct Update {
    kind: Kind,
    value: Range<usize>,
    /// The size of the batch after this update. A rollback to a smaller size undoes the update.
    batch_size: usize,
}

/// The content of a batch for a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchLookup<'a> {
    /// The batch has no update of the key, so the database's value applies.
    NotFound,
    /// The key is deleted.
    Deleted,
    /// The key has this value.
    Value(&'a [u8]),
    /// Merge operands on top of a value in the batch, of a deletion, or of the database's value.
    Merge {
        /// The base of the merge.
        base: MergeBase<'a>,
        /// The operands, oldest first.
        operands: Vec<&'a [u8]>,
    },
}

/// The base of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeBase<'a> {
    /// The batch contains a put of this value.
    Value(&'a [u8]),
    /// The batch deletes the key.
    Nothing,
    /// The batch has no base value: the database's value is used, if there is one.
    Database,
}

/// A key of the index, with its order.
#[derive(Clone, Debug)]
struct IndexKey {
    order: KeyOrder,
    bytes: Box<[u8]>,
}

/// A borrowed key for searches, which need no copy of its bytes.
trait Ordered {
    fn order(&self) -> &KeyOrder;
    fn bytes(&self) -> &[u8];
}

impl Ordered for IndexKey {
    fn order(&self) -> &KeyOrder {
        &self.order
    }
    fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

struct Probe<'a>(&'a KeyOrder, &'a [u8]);

impl Ordered for Probe<'_> {
    fn order(&self) -> &KeyOrder {
        self.0
    }
    fn bytes(&self) -> &[u8] {
        self.1
    }
}

impl Ord for dyn Ordered + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().compare_user(self.bytes(), other.bytes())
    }
}

impl PartialOrd for dyn Ordered + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for dyn Ordered + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for dyn Ordered + '_ {}

impl Ord for IndexKey {
    fn cmp(&self, other: &Self) -> Ordering {
        (self as &dyn Ordered).cmp(other)
    }
}

impl PartialOrd for IndexKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for IndexKey {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for IndexKey {}

impl<'a> Borrow<dyn Ordered + 'a> for IndexKey {
    fn borrow(&self) -> &(dyn Ordered + 'a) {
        self
    }
}

/// The updates of one family.
#[derive(Clone, Debug)]
struct Family {
    order: KeyOrder,
    keys: BTreeMap<IndexKey, Vec<Update>>,
}

/// A write batch that can be read before it is written.
#[derive(Clone, Debug)]
pub struct IndexedBatch {
    batch: WriteBatch,
    families: BTreeMap<u32, Family>,
    order: KeyOrder,
}

impl Default for IndexedBatch {
    fn default() -> IndexedBatch {
        IndexedBatch::new(KeyOrder::bytewise(), 0)
    }
}

impl IndexedBatch {
    /// Creates an empty batch with room for this many bytes of records. `order` is the key order of families that are
    /// not registered.
    pub fn new(order: KeyOrder, reserved_bytes: usize) -> IndexedBatch {
        let batch = WriteBatch::with_capacity(reserved_bytes);
        IndexedBatch { batch, families: BTreeMap::new(), order }
    }

    /// Sets the order of a family's keys. Later calls for the same family have no effect.
    pub fn register(&mut self, cf: u32, order: &KeyOrder) {
        let family = || Family { order: order.clone(), keys: BTreeMap::new() };
        self.families.entry(cf).or_insert_with(family);
    }

    /// Sets a key.
    pub fn put_cf(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        self.batch.put_cf(cf, key, value)?;
        self.index(cf, key, Kind::Put, value.len());
        Ok(())
    }

    /// Deletes a key.
    pub fn delete_cf(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.batch.delete_cf(cf, key)?;
        self.index(cf, key, Kind::Delete, 0);
        Ok(())
    }

    /// Deletes a key that was put once.
    pub fn single_delete_cf(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.batch.single_delete_cf(cf, key)?;
        self.index(cf, key, Kind::Delete, 0);
        Ok(())
    }

    /// Adds a merge operand to a key.
    pub fn merge_cf(&mut self, cf: u32, key: &[u8], operand: &[u8]) -> Result<()> {
        self.batch.merge_cf(cf, key, operand)?;
        self.index(cf, key, Kind::Merge, operand.len());
        Ok(())
    }

    /// Always returns an error, with RocksDB's message.
    pub fn delete_range_cf(&mut self, _cf: u32, _begin: &[u8], _end: &[u8]) -> Result<()> {
        Err(Error::not_supported("DeleteRange unsupported in WriteBatchWithIndex"))
    }

    /// Adds bytes that are written to the log only.
    pub fn put_log_data(&mut self, blob: &[u8]) -> Result<()> {
        self.batch.put_log_data(blob)
    }

    /// Adds what `record` adds. If the batch would then exceed `max_bytes`, it stays unchanged and RocksDB's error
    /// Memory limit is returned. 0 means no limit.
    pub fn add_within(
        &mut self,
        max_bytes: usize,
        record: impl FnOnce(&mut IndexedBatch) -> Result<()>,
    ) -> Result<()> {
        if max_bytes == 0 {
            return record(self);
        }
        self.set_save_point();
        let added = record(self);
        if added.is_ok() && self.batch.data_size() <= max_bytes {
            return self.pop_save_point();
        }
        self.rollback_to_save_point()?;
        added.and(Err(Error::new(Code::Aborted, "").with_subcode(SubCode::MemoryLimit)))
    }

    /// Indexes the record that was just added. Its value is the end of the batch.
    fn index(&mut self, cf: u32, key: &[u8], kind: Kind, value_len: usize) {
        let batch_size = self.batch.data_size();
        let update = Update { kind, value: batch_size - value_len..batch_size, batch_size };
        let order = &self.order;
        let family = || Family { order: order.clone(), keys: BTreeMap::new() };
        let family = self.families.entry(cf).or_insert_with(family);
        let probe = Probe(&family.order, key);
        match family.keys.get_mut(&probe as &dyn Ordered) {
            Some(updates) => updates.push(update),
            None => {
                let key = IndexKey { order: family.order.clone(), bytes: key.into() };
                family.keys.insert(key, vec![update]);
            }
        }
    }

    /// Removes all records. Registered families stay registered.
    pub fn clear(&mut self) {
        self.batch.clear();
        for family in self.families.values_mut() {
            family.keys.clear();
        }
    }

    /// Returns the batch to write.
    pub fn batch(&self) -> &WriteBatch {
        &self.batch
    }

    /// Returns the batch to write, which receives its sequence number. Records added to it directly are not indexed.
    pub fn batch_mut(&mut self) -> &mut WriteBatch {
        &mut self.batch
    }

    /// Sets a save point at the current state of the batch.
    pub fn set_save_point(&mut self) {
        self.batch.set_save_point();
    }

    /// Removes the newest save point. Returns `NotFound` if there is none.
    pub fn pop_save_point(&mut self) -> Result<()> {
        self.batch.pop_save_point()
    }

    /// Rolls back to the newest save point and removes it. Returns `NotFound` if there is none.
    pub fn rollback_to_save_point(&mut self) -> Result<()> {
        self.batch.rollback_to_save_point()?;
        let size = self.batch.data_size();
        for family in self.families.values_mut() {
            family.keys.retain(|_, updates| {
                updates.retain(|update| update.batch_size <= size);
                !updates.is_empty()
            });
        }
        Ok(())
    }

    /// Returns the batch's content for a key.
    pub fn get(&self, cf: u32, key: &[u8]) -> BatchLookup<'_> {
        let Some(family) = self.families.get(&cf) else { return BatchLookup::NotFound };
        let probe = Probe(&family.order, key);
        match family.keys.get(&probe as &dyn Ordered) {
            Some(updates) => self.resolve(updates),
            None => BatchLookup::NotFound,
        }
    }

    fn resolve(&self, updates: &[Update]) -> BatchLookup<'_> {
        let value = |u: &Update| &self.batch.data()[u.value.clone()];
        let merges = updates.iter().rev().take_while(|u| u.kind == Kind::Merge).count();
        let (below, merges) = updates.split_at(updates.len() - merges);
        let base = below.last().map(|u| (u.kind, value(u)));
        if merges.is_empty() {
            return match base {
                None => BatchLookup::NotFound,
                Some((Kind::Put, value)) => BatchLookup::Value(value),
                Some(_) => BatchLookup::Deleted,
            };
        }
        let base = match base {
            None => MergeBase::Database,
            Some((Kind::Put, value)) => MergeBase::Value(value),
            Some(_) => MergeBase::Nothing,
        };
        BatchLookup::Merge { base, operands: merges.iter().map(value).collect() }
    }

    /// Returns the first key of a family at or after `bound`.
    pub(crate) fn first_key(&self, cf: u32, bound: Bound<&[u8]>) -> Option<&[u8]> {
        self.range(cf, bound, Bound::Unbounded)?.next().map(|(key, _)| &*key.bytes)
    }

    /// Returns the last key of a family at or before `bound`.
    pub(crate) fn last_key(&self, cf: u32, bound: Bound<&[u8]>) -> Option<&[u8]> {
        self.range(cf, Bound::Unbounded, bound)?.next_back().map(|(key, _)| &*key.bytes)
    }

    fn range(
        &self,
        cf: u32,
        from: Bound<&[u8]>,
        to: Bound<&[u8]>,
    ) -> Option<std::collections::btree_map::Range<'_, IndexKey, Vec<Update>>> {
        let family = self.families.get(&cf)?;
        let (from, to) =
            (from.map(|k| Probe(&family.order, k)), to.map(|k| Probe(&family.order, k)));
        let from = from.as_ref().map(|p| p as &dyn Ordered);
        let to = to.as_ref().map(|p| p as &dyn Ordered);
        Some(family.keys.range::<dyn Ordered, _>((from, to)))
    }
}

#[cfg(test)]
#[path = "indexed_test.rs"]
mod tests;
