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

/// Options of a database with locking transactions; names and defaults are RocksDB's.
#[derive(Clone, Copy, Debug)]
pub struct TransactionDbOptions {
    /// Locks per column family; negative for no limit.
    pub max_num_locks: i64,
    /// Parts of the lock table.
    pub num_stripes: usize,
    /// Milliseconds that a transaction waits for a lock; negative for ever.
    pub transaction_lock_timeout: i64,
    /// The same for writes outside transactions.
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

/// Options of a locking transaction; names and defaults are RocksDB's.
#[derive(Clone, Copy, Debug)]
pub struct TransactionOptions {
    /// Begin with a snapshot.
    pub set_snapshot: bool,
    /// Give up at once where waiting for a lock would never end.
    pub deadlock_detect: bool,
    /// Milliseconds to wait for a lock; negative for the database's.
    pub lock_timeout: i64,
    /// Milliseconds until others may take its locks and it cannot commit; negative for never.
    pub expiration: i64,
    /// Steps of waiting that deadlock detection follows.
    pub deadlock_detect_depth: i64,
    /// Bytes that a transaction may write; 0 for no limit.
    pub max_write_batch_size: usize,
    /// It may be committed without being prepared.
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

/// A database with locking transactions. Its own writes take locks, too; those of [`TransactionDb::db`]
/// do not.
#[derive(Clone, Debug)]
pub struct TransactionDb {
    db: Db,
    locks: Arc<LockManager>,
    options: TransactionDbOptions,
    next_id: Arc<AtomicU64>,
    names: Arc<Names>,
    /// What was prepared before the database was opened, until somebody takes it. The transactions
    /// hold the database, so no part of it may hold them.
    recovered: Arc<Mutex<BTreeMap<Vec<u8>, Transaction>>>,
}

/// A time in milliseconds, where negative means none.
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

    /// Opens a database with its column families.
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

    /// Makes transactions of what was prepared before.
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

    /// The transactions that were prepared before the database was opened and are not decided, in the
    /// order of their names. Each is handed out once; one that is dropped undecided is found again at
    /// the next opening.
    pub fn get_all_prepared_transactions(&self) -> Vec<Transaction> {
        std::mem::take(&mut *self.recovered.lock()).into_values().collect()
    }

    /// One of [`TransactionDb::get_all_prepared_transactions`], if nobody took it.
    pub fn get_transaction_by_name(&self, name: &[u8]) -> Option<Transaction> {
        self.recovered.lock().remove(name)
    }

    /// The names of all transactions that are prepared and undecided, whoever has them.
    pub fn prepared_names(&self) -> Vec<Vec<u8>> {
        self.db.prepared_names()
    }

    /// The database, for reads and maintenance. Writes to it directly take no locks.
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

    /// A transaction for one write outside transactions.
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

    /// Commits a batch, after waiting for the locks of its keys, which are taken in order so that two
    /// batches never wait for each other.
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
