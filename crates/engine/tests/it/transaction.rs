//! Transactions: who sees what, who waits, who is refused, and that sums stay right under load.

use ferrolith::Code;
use ferrolith::internal::db::{ColumnFamily, PlainDb as Db};
use ferrolith::internal::error::rocksdb_text;
use ferrolith::internal::options::{
    BottommostLevelCompaction, CompactRangeOptions, FlushOptions, Options, ReadOptions,
    WriteOptions,
};
use ferrolith::internal::txn::{
    OptimisticTransactionDb, OptimisticTransactionOptions, Transaction, TransactionDb,
    TransactionDbOptions, TransactionOptions,
};
use std::path::Path;

fn options() -> Options {
    let mut options = Options::default();
    options.db.create_if_missing = true;
    options
}

fn wo() -> WriteOptions {
    WriteOptions::default()
}

fn ro() -> ReadOptions {
    ReadOptions::default()
}

fn locking(dir: &Path) -> (TransactionDb, ColumnFamily) {
    let quick = TransactionDbOptions {
        transaction_lock_timeout: 20,
        default_lock_timeout: 20,
        ..TransactionDbOptions::default()
    };
    let db = TransactionDb::open(&options(), &quick, dir).unwrap();
    let cf = db.db().default_cf();
    (db, cf)
}

fn optimistic(dir: &Path) -> (OptimisticTransactionDb, ColumnFamily) {
    let db = OptimisticTransactionDb::open(&options(), dir).unwrap();
    let cf = db.db().default_cf();
    (db, cf)
}

fn begin(db: &OptimisticTransactionDb) -> Transaction {
    db.begin(&wo(), &OptimisticTransactionOptions::default())
}

fn value(db: &Db, key: &[u8]) -> Option<Vec<u8>> {
    db.get(&ro(), key).unwrap()
}

#[test]
fn writes_are_seen_inside_and_only_after_the_commit_outside() {
    let dir = tempfile::tempdir().unwrap();
    let (db, cf) = locking(dir.path());
    db.put(&wo(), &cf, b"a", b"old").unwrap();
    let mut txn = db.begin(&wo(), &TransactionOptions::default());
    txn.put(&cf, b"a", b"new").unwrap();
    txn.put(&cf, b"b", b"1").unwrap();
    txn.set_save_point();
    txn.delete(&cf, b"a").unwrap();
    assert_eq!(txn.get(&ro(), &cf, b"a").unwrap().as_deref(), None);
    txn.rollback_to_save_point().unwrap();
    assert_eq!(txn.get(&ro(), &cf, b"a").unwrap().as_deref(), Some(&b"new"[..]));
    assert_eq!(value(db.db(), b"a").unwrap(), b"old");
    let mut iter = txn.iter(&ro(), &cf).unwrap();
    iter.seek_to_last();
    assert_eq!((iter.key(), iter.value()), (&b"b"[..], &b"1"[..]));
    drop(iter);
    txn.commit().unwrap();
    assert_eq!(value(db.db(), b"a").unwrap(), b"new");
    let e = txn.commit().unwrap_err().to_string();
    assert_eq!(e, "Invalid argument: Transaction has already been committed.");
}

#[test]
fn a_locked_key_waits_for_its_owner() {
    let dir = tempfile::tempdir().unwrap();
    let (db, cf) = locking(dir.path());
    let mut first = db.begin(&wo(), &TransactionOptions::default());
    first.put(&cf, b"k", b"1").unwrap();
    let e = db.put(&wo(), &cf, b"k", b"2").unwrap_err();
    assert_eq!(rocksdb_text(&e), "Operation timed out: Timeout waiting to lock key");
    let mut second = db.begin(&wo(), &TransactionOptions::default());
    assert_eq!(second.get_for_update(&ro(), &cf, b"k", true).unwrap_err().code(), Code::TimedOut);
    first.rollback().unwrap();
    second.get_for_update(&ro(), &cf, b"k", true).unwrap();
    assert!(db.delete(&wo(), &cf, b"k").is_err());
    drop(second);
    db.put(&wo(), &cf, b"k", b"3").expect("a dropped transaction holds nothing");
}

#[test]
fn with_a_snapshot_a_later_write_by_others_is_a_conflict_wherever_it_lies() {
    let dir = tempfile::tempdir().unwrap();
    let (db, cf) = locking(dir.path());
    for flushed in [false, true] {
        db.put(&wo(), &cf, b"k", b"0").unwrap();
        let with_snapshot =
            TransactionOptions { set_snapshot: true, ..TransactionOptions::default() };
        let mut txn = db.begin(&wo(), &with_snapshot);
        db.put(&wo(), &cf, b"k", b"1").unwrap();
        if flushed {
            db.db().flush(&FlushOptions::default()).unwrap();
            db.db().compact_range(&Default::default(), None, None).unwrap();
        }
        assert_eq!(txn.put(&cf, b"k", b"2").unwrap_err().code(), Code::Busy);
        txn.put(&cf, b"other", b"2").unwrap();
        db.put(&wo(), &cf, b"k", b"3").expect("the refused write holds no lock");
    }
}

#[test]
fn an_optimistic_commit_fails_where_a_key_changed_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (db, cf) = optimistic(dir.path());
    for change in [
        (|db: &Db| db.put(&wo(), b"k", b"x")) as fn(&Db) -> ferrolith::Result<()>,
        |db| db.delete(&wo(), b"k"),
        |db| db.delete_range(&wo(), b"a", b"z"),
    ] {
        for flushed in [false, true] {
            db.db().put(&wo(), b"k", b"0").unwrap();
            let mut txn = begin(&db);
            txn.get_for_update(&ro(), &cf, b"k", true).unwrap();
            txn.put(&cf, b"l", b"1").unwrap();
            change(db.db()).unwrap();
            if flushed {
                db.db().flush(&FlushOptions::default()).unwrap();
                db.db().compact_range(&Default::default(), None, None).unwrap();
            }
            assert_eq!(txn.commit().unwrap_err().to_string(), "Resource busy: ");
            assert_eq!(value(db.db(), b"l"), None);
            txn.rollback().unwrap();
            txn.put(&cf, b"k", b"2").unwrap();
            txn.commit().expect("after a rollback it starts anew");
            assert_eq!(value(db.db(), b"k").unwrap(), b"2");
        }
    }
}

/// A write that left nothing to read was one all the same, also in tables of the last level.
#[test]
fn a_key_that_came_and_went_is_a_conflict_after_compactions() {
    let dir = tempfile::tempdir().unwrap();
    let (db, cf) = optimistic(dir.path());
    let compact = || {
        let how = CompactRangeOptions {
            bottommost_level_compaction: BottommostLevelCompaction::Force,
            ..CompactRangeOptions::default()
        };
        db.db().compact_range(&how, None, None).unwrap();
    };
    let mut txns: Vec<Transaction> = (0..2).map(|_| begin(&db)).collect();
    for (txn, key) in txns.iter_mut().zip([b"single", b"delete"]) {
        assert!(txn.get_for_update(&ro(), &cf, key, true).unwrap().is_none());
        txn.put(&cf, b"mine", b"1").unwrap();
    }
    db.db().put(&wo(), b"single", b"1").unwrap();
    db.db().single_delete(&wo(), b"single").unwrap();
    db.db().put(&wo(), b"delete", b"1").unwrap();
    db.db().delete(&wo(), b"delete").unwrap();
    compact();
    compact();
    for mut txn in txns {
        assert_eq!(txn.commit().unwrap_err().code(), Code::Busy);
    }
    // Nobody asks any more: both go.
    compact();
    assert!(db.db().live_files_metadata().is_empty());
}

const ACCOUNTS: u64 = 6;
const TRANSFERS: u64 = 300;

/// Moves 1 from one account to another, both read before.
fn transfer(txn: &mut Transaction, cf: &ColumnFamily, from: u64, to: u64) -> ferrolith::Result<()> {
    let mut read = |account: u64| {
        let found = txn.get_for_update(&ro(), cf, &account.to_be_bytes(), true)?;
        Ok(i64::from_le_bytes(found.unwrap()[..].try_into().unwrap()))
    };
    let (a, b): (i64, i64) = (read(from)?, read(to)?);
    txn.put(cf, &from.to_be_bytes(), &(a - 1).to_le_bytes())?;
    txn.put(cf, &to.to_be_bytes(), &(b + 1).to_le_bytes())?;
    txn.commit()
}

/// Threads move money with transactions of `begin`; the sum must stay, and each must succeed often.
fn money_is_kept(db: &Db, begin: impl Fn() -> Transaction + Sync) {
    let cf = db.default_cf();
    for account in 0..ACCOUNTS {
        db.put(&wo(), &account.to_be_bytes(), &100i64.to_le_bytes()).unwrap();
    }
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let (begin, cf) = (&begin, &cf);
            scope.spawn(move || {
                let mut rng = fastrand::Rng::with_seed(seed);
                let mut done = 0;
                while done < TRANSFERS {
                    let from = rng.u64(..ACCOUNTS);
                    let to = (from + rng.u64(1..ACCOUNTS)) % ACCOUNTS;
                    match transfer(&mut begin(), cf, from, to) {
                        Ok(()) => done += 1,
                        Err(e) => {
                            assert!(matches!(e.code(), Code::Busy | Code::TimedOut), "{e}");
                        }
                    }
                }
            });
        }
    });
    let sum: i64 = (0..ACCOUNTS)
        .map(|account| value(db, &account.to_be_bytes()).unwrap())
        .map(|v| i64::from_le_bytes(v.try_into().unwrap()))
        .sum();
    assert_eq!(sum, 100 * ACCOUNTS as i64);
}

#[test]
fn threads_with_locks_keep_the_sum() {
    let dir = tempfile::tempdir().unwrap();
    let (db, _) = locking(dir.path());
    let detect = TransactionOptions { deadlock_detect: true, ..TransactionOptions::default() };
    money_is_kept(db.db(), || db.begin(&wo(), &detect));
}

#[test]
fn threads_that_check_at_commit_keep_the_sum() {
    let dir = tempfile::tempdir().unwrap();
    let (db, _) = optimistic(dir.path());
    money_is_kept(db.db(), || begin(&db));
}
