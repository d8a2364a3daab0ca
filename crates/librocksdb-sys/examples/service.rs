//! The service of crates/engine/examples/service.rs on the crate `rocksdb`: docs/from-rust-rocksdb.md shows both.
//! `cargo x sys` builds and runs it.

use rocksdb::backup::{BackupEngine, BackupEngineOptions};
use rocksdb::checkpoint::Checkpoint;
use rocksdb::{BlockBasedOptions, ColumnFamily, ColumnFamilyDescriptor, CompactionDecision};
use rocksdb::{Env, Error, ErrorKind, IteratorMode, MergeOperands, OptimisticTransactionDB};
use rocksdb::{Options, PrefixRange, ReadOptions, SliceTransform, Transaction};
use std::path::Path;
use std::time::{Duration, SystemTime};

type Result<T> = std::result::Result<T, Error>;

struct Service {
    db: OptimisticTransactionDB, // families: users, names, posts, by_user, counters, sessions
    options: Options,
}

fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_secs())
}

fn number(value: &[u8]) -> u64 {
    value.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

fn add(_key: &[u8], old: Option<&[u8]>, operands: &MergeOperands) -> Option<Vec<u8>> {
    let all = old.into_iter().chain(operands);
    let sum: u64 = all.filter_map(|n| Some(u64::from_le_bytes(n.try_into().ok()?))).sum();
    Some(sum.to_le_bytes().to_vec())
}

impl Service {
    fn open(path: &Path) -> Result<Service> {
        let mut by_prefix = Options::default();
        by_prefix.set_prefix_extractor(SliceTransform::create_fixed_prefix(8));
        let mut table = BlockBasedOptions::default();
        table.set_bloom_filter(10.0, false);
        by_prefix.set_block_based_table_factory(&table);
        let mut counters = Options::default();
        counters.set_merge_operator_associative("add", add);
        let mut sessions = Options::default();
        sessions.set_compaction_filter("expired", |_level: u32, _token: &[u8], session: &[u8]| {
            match number(session) <= now() {
                true => CompactionDecision::Remove,
                false => CompactionDecision::Keep,
            }
        });
        let mut options = Options::default();
        options.create_if_missing(true);
        options.create_missing_column_families(true);
        options.enable_statistics();
        let families = [
            ColumnFamilyDescriptor::new("users", Options::default()),
            ColumnFamilyDescriptor::new("names", Options::default()),
            ColumnFamilyDescriptor::new("posts", Options::default()),
            ColumnFamilyDescriptor::new("by_user", by_prefix),
            ColumnFamilyDescriptor::new("counters", counters),
            ColumnFamilyDescriptor::new("sessions", sessions),
        ];
        let db = OptimisticTransactionDB::open_cf_descriptors(&options, path, families)?;
        Ok(Service { db, options })
    }

    /// A handle borrows from the database, so that it cannot stand beside it in the struct.
    fn cf(&self, name: &str) -> &ColumnFamily {
        self.db.cf_handle(name).expect("a family that was opened")
    }

    fn transact<R>(
        &self,
        body: impl Fn(&Transaction<OptimisticTransactionDB>) -> Result<R>,
    ) -> Result<R> {
        for _ in 1..10 {
            let txn = self.db.transaction();
            let result = body(&txn)?;
            match txn.commit() {
                Err(e) if e.kind() == ErrorKind::Busy => continue,
                committed => return committed.map(|()| result),
            }
        }
        let txn = self.db.transaction();
        let result = body(&txn)?;
        txn.commit().map(|()| result)
    }

    /// Counts up inside a transaction: two that do it at once cannot both commit.
    fn next_id(&self, txn: &Transaction<OptimisticTransactionDB>, of: &str) -> Result<u64> {
        let last = txn.get_for_update_cf(self.cf("counters"), of, true)?;
        let next = last.and_then(|value| value.first_chunk().copied().map(u64::from_le_bytes));
        let next = next.unwrap_or(0) + 1;
        txn.put_cf(self.cf("counters"), of, next.to_le_bytes())?;
        Ok(next)
    }

    /// Returns the number of the new user, or `None` if the name is taken.
    fn register(&self, name: &str) -> Result<Option<u64>> {
        self.transact(|txn| {
            if txn.get_for_update_cf(self.cf("names"), name, true)?.is_some() {
                return Ok(None);
            }
            let id = self.next_id(txn, "users")?;
            txn.put_cf(self.cf("users"), id.to_be_bytes(), name)?;
            txn.put_cf(self.cf("names"), name, id.to_be_bytes())?;
            Ok(Some(id))
        })
    }

    fn post(&self, user: u64, text: &str) -> Result<u64> {
        self.transact(|txn| {
            let id = self.next_id(txn, "posts")?;
            let key = [user.to_be_bytes(), id.to_be_bytes()].concat();
            txn.put_cf(self.cf("posts"), id.to_be_bytes(), text)?;
            txn.put_cf(self.cf("by_user"), key, "")?;
            txn.merge_cf(self.cf("counters"), format!("posts of {user}"), 1_u64.to_le_bytes())?;
            Ok(id)
        })
    }

    /// The newest posts of a user.
    fn timeline(&self, user: u64, limit: usize) -> Result<Vec<String>> {
        let mut texts = Vec::new();
        let mut read = ReadOptions::default();
        read.set_iterate_range(PrefixRange(user.to_be_bytes()));
        let entries = self.db.iterator_cf_opt(self.cf("by_user"), read, IteratorMode::End);
        for item in entries.take(limit) {
            let (key, _) = item?;
            if let Some(text) = self.db.get_cf(self.cf("posts"), &key[8..])? {
                texts.push(String::from_utf8_lossy(&text).into_owned());
            }
        }
        Ok(texts)
    }

    fn count_of_posts(&self, user: u64) -> Result<u64> {
        let count = self.db.get_cf(self.cf("counters"), format!("posts of {user}"))?;
        Ok(count.and_then(|value| value.first_chunk().copied()).map_or(0, u64::from_le_bytes))
    }

    fn log_in(&self, token: &str, user: u64, time: Duration) -> Result<()> {
        let expiry = now() + time.as_secs();
        let session = [expiry.to_be_bytes(), user.to_be_bytes()].concat();
        self.db.put_cf(self.cf("sessions"), token, session)
    }

    fn user_of(&self, token: &str) -> Result<Option<u64>> {
        let session = self.db.get_cf(self.cf("sessions"), token)?;
        let session = session.filter(|session| number(session) > now());
        Ok(session.map(|session| number(&session[8..])))
    }

    /// What runs at night: expired sessions go, a copy and a backup are made.
    fn maintain(&self, copy: &Path, backups: &Path) -> Result<()> {
        self.db.compact_range_cf(self.cf("sessions"), None::<&str>, None::<&str>);
        Checkpoint::new(&self.db)?.create_checkpoint(copy)?;
        let options = BackupEngineOptions::new(backups)?;
        let mut engine = BackupEngine::open(&options, &Env::new()?)?;
        engine.create_new_backup(&self.db)?;
        engine.purge_old_backups(7)
    }

    /// RocksDB's lines; a program that serves Prometheus parses them.
    fn metrics(&self) -> String {
        self.options.get_statistics().unwrap_or_default()
    }
}

/// The program, in this directory.
pub fn run(dir: &Path) -> Result<()> {
    let service = Service::open(&dir.join("db"))?;
    let ada = service.register("Ada")?.expect("a new name");
    assert_eq!(service.register("Ada")?, None);
    for text in ["first", "second", "third"] {
        service.post(ada, text)?;
    }
    assert_eq!(service.timeline(ada, 2)?, ["third", "second"]);
    assert_eq!(service.count_of_posts(ada)?, 3);

    service.log_in("old", ada, Duration::ZERO)?;
    service.log_in("new", ada, Duration::from_secs(3600))?;
    assert_eq!(service.user_of("new")?, Some(ada));
    assert_eq!(service.user_of("old")?, None);

    service.maintain(&dir.join("copy"), &dir.join("backups"))?;
    let sessions = service.db.iterator_cf(service.cf("sessions"), IteratorMode::Start);
    assert_eq!(sessions.count(), 1, "the expired session is gone");
    let copy = Service::open(&dir.join("copy"))?;
    assert_eq!(copy.timeline(ada, 1)?, ["third"]);
    assert!(service.metrics().contains("rocksdb.number.keys.written"));
    Ok(())
}
