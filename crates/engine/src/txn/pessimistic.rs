//! Databases whose transactions lock keys.

use super::locks::{LockManager, Owner};
use super::names::Names;
use super::transaction::{Control, Transaction};
use crate::batch::{BatchHandler, WriteBatch, iterate};
use crate::db::{ColumnFamily, Db};
use crate::env::clock::Instant;
use crate::env::sync::Mutex;
use crate::env::sync::std_atomic::{AtomicU64, Ordering};
use crate::error::Result;
use crate::open::{ColumnFamilyDescriptor, DEFAULT_COLUMN_FAMILY};
use crate::options::{DbOptions, Options, WriteOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Options of a database with pessimistic transactions; names and defaults are RocksDB's.
#[derive(Clone, Copy, Debug)]
pub struct TransactionDbOptions {
    /// The maximum number of locks per column family; negative means no limit.
    pub max_num_locks: i64,
    /// The number of stripes of the lock table.
    pub num_stripes: usize,
    /// How long a transaction waits for a lock, in milliseconds; negative means no limit.
    pub transaction_lock_timeout: i64,
    /// How long a write outside transactions waits for a lock, in milliseconds; negative means no limit.
    pub default_lock_timeout: i64,
}

impl Default for TransactionDbOptions {
    fn default() -> TransactionDbOptions {
        TransactionDbOptions {
            max_num_locks: -1,
            num_stripes: 16,
            transaction_lock_timeout: 1000,
            default_lock_timeout: 1000,
        }
    }
}

/// Options of a pessimistic transaction; names and defaults are RocksDB's.
#[derive(Clone, Copy, Debug)]
pub struct TransactionOptions {
    /// Whether to begin with a snapshot.
    pub set_snapshot: bool,
    /// Whether to fail immediately if waiting for a lock would be a deadlock.
    pub deadlock_detect: bool,
    /// How long to wait for a lock, in milliseconds; negative means the database's setting.
    pub lock_timeout: i64,
    /// Milliseconds until others may take the transaction's locks and it cannot commit any more; negative means never.
    pub expiration: i64,
    /// The number of waiting steps that deadlock detection follows.
    pub deadlock_detect_depth: i64,
    /// The maximum size of the transaction's writes in bytes; 0 means no limit.
    pub max_write_batch_size: usize,
    /// Whether the transaction may be committed without being prepared.
    pub skip_prepare: bool,
}

impl Default for TransactionOptions {
    fn default() -> TransactionOptions {
        TransactionOptions {
            set_snapshot: false,
            deadlock_detect: false,
            lock_timeout: -1,
            expiration: -1,
            deadlock_detect_depth: 50,
            max_write_batch_size: 0,
            skip_prepare: true,
        }
    }
}

/// A database with pessimistic transactions. Its own writes take locks too; writes to [`TransactionDb::db`] do not.
#[derive(Clone, Debug)]
pub struct TransactionDb {
    db: Db,
    locks: Arc<LockManager>,
    options: TransactionDbOptions,
    next_id: Arc<AtomicU64>,
    names: Arc<Names>,
    /// Transactions that were prepared before the database was opened, until a caller takes them. They hold the
    /// database, so no part of the database may hold them.
    recovered: Arc<Mutex<BTreeMap<Vec<u8>, Transaction>>>,
}

/// Returns a time given in milliseconds, or `None` if it is negative.
fn millis(value: i64) -> Option<Duration> {
    u64::try_from(value).ok().map(Duration::from_millis)
}

impl TransactionDb {
    /// Opens a database that has only the default column family.
    pub fn open(
        options: &Options,
        transaction_options: &TransactionDbOptions,
        path: impl AsRef<Path>,
    ) -> Result<TransactionDb> {
        let default = ColumnFamilyDescriptor::new(DEFAULT_COLUMN_FAMILY, options.cf.clone());
        Ok(TransactionDb::open_cf(&options.db, transaction_options, path, vec![default])?.0)
    }

    /// Opens a database with these column families.
    pub fn open_cf(
        options: &DbOptions,
        transaction_options: &TransactionDbOptions,
        path: impl AsRef<Path>,
        families: Vec<ColumnFamilyDescriptor>,
    ) -> Result<(TransactionDb, Vec<ColumnFamily>)> {
        let options = DbOptions { allow_2pc: true, ..options.clone() };
        let (db, families) = Db::open_cf(&options, path, families)?;
        let db = TransactionDb::over(db, transaction_options);
        db.recover()?;
        Ok((db, families))
    }

    fn over(db: Db, options: &TransactionDbOptions) -> TransactionDb {
        let limit = u64::try_from(options.max_num_locks).ok().filter(|&limit| limit > 0);
        TransactionDb {
            db,
            locks: Arc::new(LockManager::new(options.num_stripes, limit)),
            options: *options,
            next_id: Arc::new(AtomicU64::new(1)),
            names: Arc::default(),
            recovered: Arc::default(),
        }
    }

    /// Creates transactions for the sections that were prepared before the database was opened.
    fn recover(&self) -> Result<()> {
        let (wo, options) = (WriteOptions::default(), TransactionOptions::default());
        let mut recovered = self.recovered.lock();
        for (name, section) in self.db.take_recovered() {
            let mut transaction = self.begin_with(&wo, &options, 0);
            transaction.restore(&name, &section)?;
            if let Control::Locks { timeout, .. } = &mut transaction.control {
                *timeout = millis(self.options.transaction_lock_timeout);
            }
            recovered.insert(name, transaction);
        }
        Ok(())
    }

    /// Returns the transactions that were prepared before the database was opened and are undecided, ordered by name.
    /// Each is returned once. One that is dropped undecided is found again at the next open.
    pub fn get_all_prepared_transactions(&self) -> Vec<Transaction> {
        std::mem::take(&mut *self.recovered.lock()).into_values().collect()
    }

    /// Returns one of [`TransactionDb::get_all_prepared_transactions`], if it was not taken before.
    pub fn get_transaction_by_name(&self, name: &[u8]) -> Option<Transaction> {
        self.recovered.lock().remove(name)
    }

    /// Returns the names of all transactions that are prepared and undecided, including those that callers have taken.
    pub fn prepared_names(&self) -> Vec<Vec<u8>> {
        self.db.prepared_names()
    }

    /// Returns the database, for reads and maintenance. Direct writes to it take no locks.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Begins a transaction.
    pub fn begin(&self, write_options: &WriteOptions, options: &TransactionOptions) -> Transaction {
        let timeout = match options.lock_timeout {
            ..0 => self.options.transaction_lock_timeout,
            given => given,
        };
        self.begin_with(write_options, options, timeout)
    }

    fn begin_with(
        &self,
        write_options: &WriteOptions,
        options: &TransactionOptions,
        timeout: i64,
    ) -> Transaction {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let expires = millis(options.expiration).map(|after| Instant::now() + after);
        let depth = match options.deadlock_detect {
            true => usize::try_from(options.deadlock_detect_depth).unwrap_or(0),
            false => 0,
        };
        let control = Control::Locks {
            locks: Arc::clone(&self.locks),
            owner: Arc::new(Owner::new(id, expires)),
            timeout: millis(timeout),
            deadlock_depth: depth,
            names: Arc::clone(&self.names),
            skip_prepare: options.skip_prepare,
        };
        let (snapshot, bytes) = (options.set_snapshot, options.max_write_batch_size);
        Transaction::new(&self.db, control, write_options, snapshot, bytes)
    }

    /// Returns a transaction for one write outside transactions.
    fn once(&self, write_options: &WriteOptions) -> Transaction {
        let options = TransactionOptions::default();
        self.begin_with(write_options, &options, self.options.default_lock_timeout)
    }

    /// Sets a key, after waiting for its lock.
    pub fn put(
        &self,
        write_options: &WriteOptions,
        cf: &ColumnFamily,
        key: &[u8],
        value: &[u8],
    ) -> Result<()> {
        let mut transaction = self.once(write_options);
        transaction.put(cf, key, value)?;
        transaction.commit()
    }

    /// Deletes a key, after waiting for its lock.
    pub fn delete(
        &self,
        write_options: &WriteOptions,
        cf: &ColumnFamily,
        key: &[u8],
    ) -> Result<()> {
        let mut transaction = self.once(write_options);
        transaction.delete(cf, key)?;
        transaction.commit()
    }

    /// Adds a merge operand, after waiting for the key's lock.
    pub fn merge(
        &self,
        write_options: &WriteOptions,
        cf: &ColumnFamily,
        key: &[u8],
        operand: &[u8],
    ) -> Result<()> {
        let mut transaction = self.once(write_options);
        transaction.merge(cf, key, operand)?;
        transaction.commit()
    }

    /// Commits a batch after waiting for the locks of its keys. The locks are taken in key order, so that two batches
    /// never wait for each other.
    pub fn write(&self, write_options: &WriteOptions, batch: &mut WriteBatch) -> Result<()> {
        let mut keys = Keys::default();
        iterate(batch.data(), &mut keys)?;
        let mut transaction = self.once(write_options);
        transaction.lock_all(keys.0)?;
        self.db.write(write_options, batch)
    }
}

/// The keys of a batch.
#[derive(Default)]
struct Keys(BTreeSet<(u32, Vec<u8>)>);

impl Keys {
    fn add(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.0.insert((cf, key.to_vec()));
        Ok(())
    }
}

impl BatchHandler for Keys {
    fn put(&mut self, cf: u32, key: &[u8], _value: &[u8]) -> Result<()> {
        self.add(cf, key)
    }
    fn delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.add(cf, key)
    }
    fn single_delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.add(cf, key)
    }
    fn merge(&mut self, cf: u32, key: &[u8], _operand: &[u8]) -> Result<()> {
        self.add(cf, key)
    }
}
