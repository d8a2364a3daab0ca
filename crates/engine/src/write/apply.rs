//! Inserts the records of a batch into memtables.

use crate::base::{SeqNo, ValueType};
use crate::batch::BatchHandler;
use crate::error::{Error, Result};
use crate::memtable::{Additions, MemTable};

/// Finds the memtable of a column family.
pub trait MemtableLookup {
    /// Returns the memtable for this family's records, or `Ok(None)` if they are skipped.
    fn memtable(&self, column_family: u32) -> Result<Option<&MemTable>>;
}

/// Inserts the records of one batch, with ascending sequence numbers. They are in their memtables when
/// [`finish`](MemtableInserter::finish) has returned.
pub struct MemtableInserter<'a, L> {
    lookup: &'a L,
    next: SeqNo,
    /// The last memtable used: most batches stay in one family.
    last: Option<(u32, Option<&'a MemTable>)>,
    /// The number of puts that replaced an older value in place.
    updated: u64,
    /// What a batch of several records adds; `None` for a batch of one, which is inserted at once. Memtables that
    /// update in place get everything at once: a put must see the records before it.
    additions: Option<Additions<'a>>,
}

impl<'a, L: MemtableLookup> MemtableInserter<'a, L> {
    /// Creates an inserter of so many records, or about so many, whose first sequence number is `first`.
    pub fn new(lookup: &'a L, first: SeqNo, records: u64) -> MemtableInserter<'a, L> {
        let additions = (records > 1).then(Additions::default);
        MemtableInserter { lookup, next: first, last: None, updated: 0, additions }
    }

    /// Finishes the insertion. Returns the sequence number that the next record would get.
    pub fn finish(&mut self) -> SeqNo {
        if let Some(additions) = &mut self.additions {
            additions.finish();
        }
        self.next
    }

    /// Returns the number of puts that replaced an older value in place instead of adding an entry.
    pub fn updated(&self) -> u64 {
        self.updated
    }

    /// Returns the memtable of a family, if its records are not skipped.
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
            match &mut self.additions {
                Some(additions) if !memtable.updates_in_place() => {
                    additions.add(memtable, self.next, kind, key, value);
                }
                _ => memtable.add(self.next, kind, key, value),
            }
        }
        self.next += 1;
        Ok(())
    }
}

impl<L: MemtableLookup> BatchHandler for MemtableInserter<'_, L> {
    #[inline]
    fn put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        let memtable = self.memtable(cf)?;
        if let Some(memtable) = memtable {
            memtable.close_gap(key);
        }
        match memtable {
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
        if let Some(memtable) = self.memtable(cf)? {
            memtable.close_gap(key);
        }
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

/// Returns the error of a batch that names an unknown family.
#[cold]
pub(crate) fn unknown_column_family(id: u32) -> Error {
    Error::invalid_argument(format!("Invalid column family specified in write batch: {id}"))
}
