//! Replay of records that contain the markers of two-phase commit.
//!
//! A prepared section is kept until its transaction is committed or rolled back, in the same WAL or a newer one. A
//! commit's records get sequence numbers from the position of the commit in the log. A family takes the records if the
//! WAL of the commit is not too old for it, even if the section itself is in an older WAL.

use super::apply::{MemtableInserter, MemtableLookup};
use crate::base::SeqNo;
use crate::batch::{BatchHandler, WriteBatch, iterate};
use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// The sections that are prepared and neither committed nor rolled back, by the names of their transactions.
pub type Sections = BTreeMap<Vec<u8>, WriteBatch>;

/// More records than one: how many a WAL record has is not known in advance.
const MANY: u64 = u64::MAX;

/// The tag that begins a section under the write-committed policy.
const BEGIN_PREPARE: u8 = 0x09;

/// Inserts the records of one WAL record, except those that are only prepared.
pub struct SectionReplay<'a, L> {
    inserter: MemtableInserter<'a, L>,
    /// `None` if sections are refused.
    sections: Option<&'a mut Sections>,
    /// The section whose end has not been reached yet.
    open: Option<WriteBatch>,
}

impl<'a, L: MemtableLookup> SectionReplay<'a, L> {
    /// Creates a replay whose first sequence number is `first`. Without `sections`, a prepared section is an error.
    pub fn new(
        lookup: &'a L,
        first: SeqNo,
        sections: Option<&'a mut Sections>,
    ) -> SectionReplay<'a, L> {
        let inserter = MemtableInserter::new(lookup, first, MANY);
        SectionReplay { inserter, sections, open: None }
    }

    /// Finishes the insertion and returns the next sequence number. Returns `Corruption` if a section has no end.
    pub fn finish(mut self) -> Result<SeqNo> {
        match self.open {
            Some(_) => Err(Error::corruption("WriteBatch ends within a prepared section")),
            None => Ok(self.inserter.finish()),
        }
    }

    /// Removes and returns the section with this name, if replay has found one.
    fn take(&mut self, name: &[u8]) -> Option<WriteBatch> {
        self.sections.as_mut()?.remove(name)
    }
}

impl<L: MemtableLookup> BatchHandler for SectionReplay<'_, L> {
    #[inline]
    fn put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        match &mut self.open {
            None => self.inserter.put(cf, key, value),
            Some(section) => section.put_cf(cf, key, value),
        }
    }

    fn delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        match &mut self.open {
            None => self.inserter.delete(cf, key),
            Some(section) => section.delete_cf(cf, key),
        }
    }

    fn single_delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        match &mut self.open {
            None => self.inserter.single_delete(cf, key),
            Some(section) => section.single_delete_cf(cf, key),
        }
    }

    fn merge(&mut self, cf: u32, key: &[u8], operand: &[u8]) -> Result<()> {
        match &mut self.open {
            None => self.inserter.merge(cf, key, operand),
            Some(section) => section.merge_cf(cf, key, operand),
        }
    }

    fn delete_range(&mut self, cf: u32, begin: &[u8], end: &[u8]) -> Result<()> {
        match &mut self.open {
            None => self.inserter.delete_range(cf, begin, end),
            Some(section) => section.delete_range_cf(cf, begin, end),
        }
    }

    fn log_data(&mut self, blob: &[u8]) -> Result<()> {
        self.open.as_mut().map_or(Ok(()), |section| section.put_log_data(blob))
    }

    fn mark_begin_prepare(&mut self, tag: u8) -> Result<()> {
        if tag != BEGIN_PREPARE {
            return Err(Error::not_supported(
                "WritePrepared/WriteUnprepared txn tag when write_after_commit_ is enabled (in \
                 default WriteCommitted mode). If it is not due to corruption, the WAL must be \
                 emptied before changing the WritePolicy.",
            ));
        }
        if self.sections.is_none() {
            return Err(prepared_here());
        }
        match self.open.replace(WriteBatch::new()) {
            Some(_) => Err(Error::corruption("WriteBatch has a prepared section in another one")),
            None => Ok(()),
        }
    }

    fn mark_end_prepare(&mut self, name: &[u8]) -> Result<()> {
        match (self.open.take(), &mut self.sections) {
            (Some(section), Some(sections)) => {
                sections.insert(name.to_vec(), section);
                Ok(())
            }
            _ => Err(Error::corruption("WriteBatch has the end of a section that was not begun")),
        }
    }

    fn mark_commit(&mut self, name: &[u8]) -> Result<()> {
        // A missing section was committed earlier, and its records are in tables.
        let section = self.take(name);
        section.map_or(Ok(()), |section| iterate(section.data(), &mut self.inserter))
    }

    fn mark_rollback(&mut self, name: &[u8]) -> Result<()> {
        self.take(name);
        Ok(())
    }
}

/// Returns the error for a prepared section that cannot be handled here.
#[cold]
pub(crate) fn prepared_here() -> Error {
    Error::not_supported("WAL contains prepared transactions. Open with TransactionDB::Open().")
}

#[cfg(test)]
#[path = "sections_test.rs"]
mod tests;
