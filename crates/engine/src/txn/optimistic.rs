//! Databases whose transactions take no locks and check for conflicts at commit.

use super::transaction::{Control, Transaction};
use crate::db::{ColumnFamily, Db};
use crate::error::Result;
use crate::open::ColumnFamilyDescriptor;
use crate::options::{DbOptions, Options, WriteOptions};
use std::path::Path;

/// Options of an optimistic transaction.
#[derive(Clone, Copy, Debug, Default)]
pub struct OptimisticTransactionOptions {
    /// Whether to begin with a snapshot.
    pub set_snapshot: bool,
}

/// A database with optimistic transactions. Direct writes to the database count as other writers.
#[derive(Clone, Debug)]
pub struct OptimisticTransactionDb {
    db: Db,
}

impl OptimisticTransactionDb {
    /// Opens a database that has only the default column family.
    pub fn open(options: &Options, path: impl AsRef<Path>) -> Result<OptimisticTransactionDb> {
        Ok(OptimisticTransactionDb { db: Db::open(options, path)? })
    }

    /// Opens a database with these column families.
    pub fn open_cf(
        options: &DbOptions,
        path: impl AsRef<Path>,
        families: Vec<ColumnFamilyDescriptor>,
    ) -> Result<(OptimisticTransactionDb, Vec<ColumnFamily>)> {
        let (db, families) = Db::open_cf(options, path, families)?;
        Ok((OptimisticTransactionDb { db }, families))
    }

    /// Returns the database, for reads and for writes outside transactions.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Begins a transaction.
    pub fn begin(
        &self,
        write_options: &WriteOptions,
        options: &OptimisticTransactionOptions,
    ) -> Transaction {
        let control = Control::Check { _floor: self.db.snapshot_to_check() };
        Transaction::new(&self.db, control, write_options, options.set_snapshot, 0)
    }
}
