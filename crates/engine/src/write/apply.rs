//! Inserts the records of a batch into memtables.

use crate::base::{SeqNo, ValueType};
use crate::batch::BatchHandler;
use crate::error::{Error, Result};
use crate::memtable::MemTable;

/// Finds the memtable for a column family.
pub trait MemtableLookup {
    /// The memtable that takes this family's records; `Ok(None)` where they are to be skipped.
    fn memtable(&self, column_family: u32) -> Result<Option<&MemTable>>;
}

/// Gives the records of one batch their sequence numbers and inserts them.
pub struct MemtableInserter<'a, L> {
    lookup: &'a L,
    next: SeqNo,
    /// The last memtable used: batches mostly stay in one family.
    last: Option<(u32, Option<&'a MemTable>)>,
    /// Puts that took the place of an older value.
    updated: u64,
}

impl<'a, L: MemtableLookup> MemtableInserter<'a, L> {
    /// Inserts from sequence number `first` on.
    pub fn new(lookup: &'a L, first: SeqNo) -> MemtableInserter<'a, L> {
        MemtableInserter { lookup, next: first, last: None, updated: 0 }
    }

    /// The sequence number that the next record would get.
    pub fn next_sequence(&self) -> SeqNo {
        self.next
    }

    /// How many puts took the place of an older value instead of adding an entry.
    pub fn updated(&self) -> u64 {
        self.updated
    }

    /// The memtable of a family, if it takes records.
    #[inline]
    fn memtable(&mut self, cf: u32) -> Result<Option<&'a MemTable>> {
        match self.last {
            Some((id, memtable)) if id == cf => Ok(memtable),
            _ => {
                let memtable = self.lookup.memtable(cf)?;
                self.last = Some((cf, memtable));
                Ok(memtable)
            }
        }
    }

    #[inline]
    fn add(&mut self, cf: u32, kind: ValueType, key: &[u8], value: &[u8]) -> Result<()> {
        if let Some(memtable) = self.memtable(cf)? {
            memtable.add(self.next, kind, key, value);
        }
        self.next += 1;
        Ok(())
    }
}

impl<L: MemtableLookup> BatchHandler for MemtableInserter<'_, L> {
    #[inline]
    fn put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        match self.memtable(cf)? {
            Some(memtable) if memtable.updates_in_place() => {
                self.updated += u64::from(memtable.put_in_place(self.next, key, value));
                self.next += 1;
                Ok(())
            }
            _ => self.add(cf, ValueType::Value, key, value),
        }
    }

    fn delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.add(cf, ValueType::Deletion, key, &[])
    }

    fn single_delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.add(cf, ValueType::SingleDeletion, key, &[])
    }

    fn merge(&mut self, cf: u32, key: &[u8], operand: &[u8]) -> Result<()> {
        self.add(cf, ValueType::Merge, key, operand)
    }

    fn delete_range(&mut self, cf: u32, begin: &[u8], end: &[u8]) -> Result<()> {
        if let Some(memtable) = self.memtable(cf)? {
            memtable.add_range_deletion(self.next, begin, end);
        }
        self.next += 1;
        Ok(())
    }
}

/// The error of a batch that names a family nobody has.
#[cold]
pub(crate) fn unknown_column_family(id: u32) -> Error {
    Error::invalid_argument(format!("Invalid column family specified in write batch: {id}"))
}
