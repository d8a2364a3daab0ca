//! Adds the records of a batch to a transaction.

use super::transaction::Transaction;
use crate::batch::{BatchHandler, WriteBatch, iterate};
use crate::db::ColumnFamily;
use crate::error::{Error, Result};

/// The batch handler that adds the records.
pub(super) struct Rebuild<'a> {
    txn: &'a mut Transaction,
    /// Whether the batch was prepared before the database was closed. Then a missing family was dropped since, and
    /// locks that are not free are not waited for.
    recovered: bool,
}

impl Transaction {
    /// Adds the records of a batch as if they were written one by one.
    pub fn rebuild_from(&mut self, batch: &WriteBatch) -> Result<()> {
        iterate(batch.data(), &mut Rebuild { txn: self, recovered: false })
    }

    /// Returns an open column family by number.
    pub(super) fn family(&self, cf: u32) -> Result<ColumnFamily> {
        let unknown = || Error::invalid_argument(format!("Invalid column family specified: {cf}"));
        self.db.cf_by_id(cf).ok_or_else(unknown)
    }
}

impl<'a> Rebuild<'a> {
    /// Creates the handler for a section that recovery found.
    pub(super) fn recovered(txn: &'a mut Transaction) -> Rebuild<'a> {
        Rebuild { txn, recovered: true }
    }

    /// Returns the family of a record, or `None` if the record is omitted.
    fn family(&self, cf: u32) -> Result<Option<ColumnFamily>> {
        match self.txn.family(cf) {
            Ok(family) => Ok(Some(family)),
            Err(_) if self.recovered => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Locks the key of a record and adds it.
    fn write(
        &mut self,
        cf: u32,
        key: &[u8],
        add: impl FnOnce(&mut Transaction, &ColumnFamily) -> Result<()>,
    ) -> Result<()> {
        let Some(family) = self.family(cf)? else { return Ok(()) };
        let claimed = self.txn.claim(&family, key, true);
        if !self.recovered {
            claimed?;
        }
        add(self.txn, &family)
    }
}

impl BatchHandler for Rebuild<'_> {
    fn put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        self.write(cf, key, |txn, family| txn.add(family, |batch, cf| batch.put_cf(cf, key, value)))
    }
    fn delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.write(cf, key, |txn, family| txn.add(family, |batch, cf| batch.delete_cf(cf, key)))
    }
    fn single_delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.write(cf, key, |txn, family| {
            txn.add(family, |batch, cf| batch.single_delete_cf(cf, key))
        })
    }
    fn merge(&mut self, cf: u32, key: &[u8], operand: &[u8]) -> Result<()> {
        self.write(cf, key, |txn, family| {
            txn.add(family, |batch, cf| batch.merge_cf(cf, key, operand))
        })
    }
    fn delete_range(&mut self, cf: u32, begin: &[u8], end: &[u8]) -> Result<()> {
        if !self.recovered {
            let text = "DeleteRange record in a WriteBatch";
            return Err(Error::not_supported(text));
        }
        // It was added directly to the batch under the index, which takes no locks.
        match self.family(cf)? {
            Some(_) => self.txn.batch_mut().batch_mut().delete_range_cf(cf, begin, end),
            None => Ok(()),
        }
    }
    fn log_data(&mut self, blob: &[u8]) -> Result<()> {
        self.txn.batch_mut().put_log_data(blob)
    }
}
