//! A small service on six column families: transactions, prefix iteration, merge, expiring sessions, checkpoint, backup
//! and metrics. docs/from-rust-rocksdb.md shows it beside the same on rust-rocksdb.
//!
//! `cargo run -p ferrolith --example service`

use ferrolith::backup::BackupEngine;
use ferrolith::checkpoint::Checkpoint;
use ferrolith::transaction::{OptimisticTransactionDb, Transaction};
use ferrolith::{BlockBasedOptions, ColumnFamily, ColumnFamilyOptions, FilterDecision};
use ferrolith::{Options, Result};
use std::path::Path;
use std::time::{Duration, SystemTime};

struct Service {
    db: OptimisticTransactionDb,
    users: ColumnFamily,    // user id -> name
    names: ColumnFamily,    // name -> user id
    posts: ColumnFamily,    // post id -> text
    by_user: ColumnFamily,  // user id, post id -> nothing
    counters: ColumnFamily, // name -> number, 8 bytes, little-endian
    sessions: ColumnFamily, // token -> expiry in seconds since 1970, user id
}

fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_secs())
}

fn number(value: &[u8]) -> u64 {
    value.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

impl Service {
    fn open(path: &Path) -> Result<Service> {
        let by_prefix = ColumnFamilyOptions::new()
            .fixed_prefix(8)
            .block_based_table(BlockBasedOptions::new().bloom_filter(10.0));
        let counters = ColumnFamilyOptions::new().merge_operator_uint64_add();
        let sessions =
            ColumnFamilyOptions::new().compaction_filter("expired", |_level, _token, session| {
                match number(session) <= now() {
                    true => FilterDecision::Remove,
                    false => FilterDecision::Keep,
                }
            });
        let options = Options::new()
            .create_if_missing(true)
            .enable_statistics()
            .column_family("users", ColumnFamilyOptions::new())
            .column_family("names", ColumnFamilyOptions::new())
            .column_family("posts", ColumnFamilyOptions::new())
            .column_family("by_user", by_prefix)
            .column_family("counters", counters)
            .column_family("sessions", sessions);
        let db = OptimisticTransactionDb::open_with(options, path)?;
        Ok(Service {
            users: db.cf("users")?,
            names: db.cf("names")?,
            posts: db.cf("posts")?,
            by_user: db.cf("by_user")?,
            counters: db.cf("counters")?,
            sessions: db.cf("sessions")?,
            db,
        })
    }

    /// Counts up inside a transaction: two that do it at once cannot both commit.
    fn next_id(&self, txn: &Transaction, of: &str) -> Result<u64> {
        let last = txn.get_for_update_cf(&self.counters, of)?;
        let next = last.and_then(|value| value.first_chunk().copied().map(u64::from_le_bytes));
        let next = next.unwrap_or(0) + 1;
        txn.put_cf(&self.counters, of, next.to_le_bytes())?;
        Ok(next)
    }

    /// Returns the number of the new user, or `None` if the name is taken.
    fn register(&self, name: &str) -> Result<Option<u64>> {
        self.db.transact(10, |txn| {
            if txn.get_for_update_cf(&self.names, name)?.is_some() {
                return Ok(None);
            }
            let id = self.next_id(txn, "users")?;
            txn.put_cf(&self.users, id.to_be_bytes(), name)?;
            txn.put_cf(&self.names, name, id.to_be_bytes())?;
            Ok(Some(id))
        })
    }

    fn post(&self, user: u64, text: &str) -> Result<u64> {
        self.db.transact(10, |txn| {
            let id = self.next_id(txn, "posts")?;
            let key = [user.to_be_bytes(), id.to_be_bytes()].concat();
            txn.put_cf(&self.posts, id.to_be_bytes(), text)?;
            txn.put_cf(&self.by_user, key, "")?;
            txn.merge_cf(&self.counters, format!("posts of {user}"), 1_u64.to_le_bytes())?;
            Ok(id)
        })
    }

    /// The newest posts of a user.
    fn timeline(&self, user: u64, limit: usize) -> Result<Vec<String>> {
        let mut texts = Vec::new();
        for item in self.by_user.prefix(user.to_be_bytes()).rev().take(limit) {
            let (key, _) = item?;
            if let Some(text) = self.posts.get(&key[8..])? {
                texts.push(String::from_utf8_lossy(&text).into_owned());
            }
        }
        Ok(texts)
    }

    fn count_of_posts(&self, user: u64) -> Result<u64> {
        let count = self.counters.get(format!("posts of {user}"))?;
        Ok(count.and_then(|value| value.first_chunk().copied()).map_or(0, u64::from_le_bytes))
    }

    fn log_in(&self, token: &str, user: u64, time: Duration) -> Result<()> {
        let expiry = now() + time.as_secs();
        self.sessions.put(token, [expiry.to_be_bytes(), user.to_be_bytes()].concat())
    }

    fn user_of(&self, token: &str) -> Result<Option<u64>> {
        let session = self.sessions.get(token)?.filter(|session| number(session) > now());
        Ok(session.map(|session| number(&session[8..])))
    }

    /// What runs at night: expired sessions go, a copy and a backup are made.
    fn maintain(&self, copy: &Path, backups: &Path) -> Result<()> {
        self.sessions.compact()?;
        Checkpoint::new(self.db.db()).create_checkpoint(copy)?;
        let mut engine = BackupEngine::open(backups)?;
        engine.create_new_backup(self.db.db())?;
        engine.purge_old_backups(7)
    }

    /// What a scraper of metrics gets.
    fn metrics(&self) -> String {
        self.db.db().statistics().map_or_else(String::new, |all| all.to_prometheus())
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
    assert_eq!(service.sessions.iter().count(), 1, "the expired session is gone");
    let copy = Service::open(&dir.join("copy"))?;
    assert_eq!(copy.timeline(ada, 1)?, ["third"]);
    assert!(service.metrics().contains("rocksdb_number_keys_written_total"));
    println!("user {ada} has {} posts", service.count_of_posts(ada)?);
    Ok(())
}

fn main() -> Result<()> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    run(dir.path())
}
