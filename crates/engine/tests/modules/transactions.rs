//! Transactions of both kinds.

use ferrolith::transaction::{
    OptimisticTransactionDb, Transaction, TransactionDb, TransactionDbOptions, TransactionIter,
    TransactionOptions,
};
use ferrolith::{
    ColumnFamilyOptions, Db, ErrorKind, Options, Result, Snapshot, Value, WriteBatch, WriteOptions,
};
use std::time::Duration;

fn locking(dir: &std::path::Path) -> TransactionDb {
    let timeout = Duration::from_millis(5);
    let locks =
        TransactionDbOptions::new().transaction_lock_timeout(timeout).default_lock_timeout(timeout);
    let options = Options::new()
        .create_if_missing(true)
        .column_family("other", ColumnFamilyOptions::new())
        .column_family("reverse", ColumnFamilyOptions::new().reverse_order());
    TransactionDb::open_opt(options, &locks, dir).unwrap()
}

fn keys(iter: impl Iterator<Item = Result<(ferrolith::Key, ferrolith::Value)>>) -> String {
    iter.map(|item| String::from_utf8(item.unwrap().0.into_vec()).unwrap()).collect()
}

/// `b`, `d` and `f` are in the database; `a`, `c` and `e` in the transaction, which also deletes `d`.
fn mixed(db: &TransactionDb, family: &str) -> Transaction {
    let cf = db.cf(family).unwrap();
    for key in ["b", "d", "f"] {
        db.put_cf(&cf, key, "database").unwrap();
    }
    let txn = db.begin();
    for key in ["a", "c", "e"] {
        txn.put_cf(&cf, key, "transaction").unwrap();
    }
    txn.delete_cf(&cf, "d").unwrap();
    txn
}

#[test]
fn iterators_merge_both_from_both_ends_within_bounds() {
    let dir = tempfile::tempdir().unwrap();
    let db = locking(dir.path());
    let txn = mixed(&db, "default");
    assert_eq!(keys(txn.iter()), "abcef");
    assert_eq!(keys(txn.iter().rev()), "fecba");
    assert_eq!(keys(txn.range("b".."e")), "bc");
    assert_eq!(keys(txn.range("b"..="e")), "bce");
    assert_eq!(keys(txn.range("b"..="e").rev()), "ecb");
    assert_eq!(keys(txn.range(.."c").rev()), "ba");
    assert_eq!(keys(txn.prefix("c")), "c");
    let mut both = txn.iter();
    let mut met = String::new();
    let mut front = true;
    while let Some(item) = if front { both.next() } else { both.next_back() } {
        met.push_str(std::str::from_utf8(&item.unwrap().0).unwrap());
        front = !front;
    }
    assert_eq!(met, "afbec");
    assert!(both.next().is_none() && both.next_back().is_none());

    let txn = mixed(&db, "reverse");
    let cf = db.cf("reverse").unwrap();
    assert_eq!(keys(txn.iter_cf(&cf)), "fecba");
    assert_eq!(keys(txn.range_cf(&cf, "e"..="b")), "ecb");
    assert_eq!(keys(txn.range_cf(&cf, "e".."b").rev()), "ce");
}

#[test]
fn a_transaction_changes_while_it_is_iterated() {
    let dir = tempfile::tempdir().unwrap();
    let db = locking(dir.path());
    let txn = mixed(&db, "default");
    let mut seen = 0;
    for item in txn.iter() {
        let (key, _) = item.unwrap();
        txn.delete(&key).unwrap();
        txn.put([&b"new "[..], &key].concat(), "").unwrap();
        seen += 1;
    }
    assert_eq!(seen, 5, "the iterator shows what was there when it was made");
    assert_eq!(txn.iter().count(), 5);
    let iter: TransactionIter = txn.iter();
    txn.commit().unwrap();
    assert_eq!(std::thread::spawn(|| iter.count()).join().unwrap(), 5, "owned, and Send");
    assert_eq!(keys(db.db().iter()), "new anew bnew cnew enew f");
}

#[test]
fn handles_of_other_databases_and_dropped_families_are_errors() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (db, other) = (locking(one.path()), Db::open(two.path()).unwrap());
    let foreign = other.create_cf("other").unwrap();
    let txn = db.begin();
    assert_eq!(txn.put_cf(&foreign, "k", "").unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(txn.get_cf(&foreign, "k").unwrap_err().kind(), ErrorKind::InvalidArgument);
    let mut iter = txn.iter_cf(&foreign);
    assert_eq!(iter.next().unwrap().unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert!(iter.next().is_none());
    assert!(db.put_cf(&foreign, "k", "").is_err());
    let mut batch = WriteBatch::new();
    batch.put_cf(&foreign, "k", "");
    assert!(db.write(batch).is_err());

    let family = db.cf("other").unwrap();
    db.db().drop_cf("other").unwrap();
    let e = txn.put_cf(&family, "k", "").unwrap_err();
    assert_eq!(e.kind(), ErrorKind::ColumnFamilyDropped);
}

#[test]
fn locks_keep_others_out_until_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let db = locking(dir.path());
    db.put("k", "0").unwrap();
    let (one, two) = (db.begin(), db.begin());
    assert!(one.get_for_share("k").unwrap().is_some());
    assert!(two.get_for_share("k").unwrap().is_some(), "shared");
    assert_eq!(one.put("k", "1").unwrap_err().kind(), ErrorKind::LockTimeout);
    two.rollback().unwrap();
    one.put("k", "1").unwrap();
    assert_eq!(two.get_for_update("k").unwrap_err().kind(), ErrorKind::LockTimeout);
    let mut batch = WriteBatch::new();
    batch.put("k", "2");
    assert_eq!(db.write(batch).unwrap_err().kind(), ErrorKind::LockTimeout);
    one.commit().unwrap();
    assert_eq!(two.get_for_update("k").unwrap().unwrap(), "1");
    drop(two);
    db.delete("k").unwrap();
    assert_eq!(db.get("k").unwrap(), None);
}

#[test]
fn options_of_a_transaction_take_effect() {
    let dir = tempfile::tempdir().unwrap();
    let db = locking(dir.path());
    let txn = db.begin_with(&TransactionOptions::new().set_snapshot(true));
    db.put("k", "later").unwrap();
    assert_eq!(txn.put("k", "1").unwrap_err().kind(), ErrorKind::Busy);

    let txn = db.begin_with(&TransactionOptions::new().max_write_batch_size(64));
    assert!(txn.put("small", "").is_ok() && txn.put("large", [0; 100]).is_err());
    drop(txn);

    let brief = TransactionOptions::new().expiration(Duration::from_millis(1));
    let txn = db.begin_with(&brief);
    txn.put("k", "1").unwrap();
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(txn.commit().unwrap_err().kind(), ErrorKind::Expired);

    let patient =
        TransactionOptions::new().deadlock_detect(true).lock_timeout(Duration::from_secs(60));
    let (one, two) = (db.begin_with(&patient), db.begin_with(&patient));
    one.put("a", "").unwrap();
    two.put("b", "").unwrap();
    // Whoever waits second meets the deadlock, and lets the other one go on.
    let wait = |txn: &Transaction, key: &str| {
        let waited = txn.put(key, "").map_err(|e| e.kind());
        if waited.is_err() {
            txn.rollback().unwrap();
        }
        waited
    };
    let mut results = std::thread::scope(|scope| {
        let other = scope.spawn(|| wait(&one, "b"));
        [wait(&two, "a"), other.join().unwrap()]
    });
    results.sort_by_key(|result| result.is_err());
    assert_eq!(results, [Ok(()), Err(ErrorKind::Deadlock)]);
}

#[test]
fn optimistic_transactions_notice_others_and_can_be_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let db = OptimisticTransactionDb::open(dir.path()).unwrap();
    let txn = db.begin();
    assert_eq!(txn.get_for_update("k").unwrap(), None);
    db.db().put("k", "other").unwrap();
    txn.put("l", "1").unwrap();
    assert_eq!(txn.commit().unwrap_err().kind(), ErrorKind::Busy);
    assert_eq!(db.db().get("l").unwrap(), None);

    let mut runs = 0;
    let result = db.transact(3, |txn| {
        runs += 1;
        txn.put("k", "mine")?;
        if runs < 3 {
            db.db().put("k", "other")?;
        }
        Ok(runs)
    });
    assert_eq!(result.unwrap(), 3);
    assert_eq!(db.db().get("k").unwrap().unwrap(), "mine");
    let never = db.transact(2, |txn| {
        txn.put("k", "mine")?;
        db.db().put("k", "other")
    });
    assert_eq!(never.unwrap_err().kind(), ErrorKind::Busy);
    let e = db.begin().prepare().unwrap_err();
    assert!(matches!(e.kind(), ErrorKind::InvalidArgument | ErrorKind::NotSupported), "{e}");
}

fn texts(found: Vec<Result<Option<Value>>>) -> String {
    let text = |value: Value| String::from_utf8(value.into_vec()).unwrap();
    let found = found.into_iter().map(|value| value.unwrap().map_or("-".to_owned(), text));
    found.collect::<Vec<_>>().join(" ")
}

/// What a transaction reads at its snapshot: its own writes, else what was committed then.
fn reads_at_its_snapshot(db: &Db, txn: &Transaction) {
    let cf = db.cf("other").unwrap();
    assert!(txn.snapshot().is_none());
    for (key, value) in [("a", "old"), ("b", "old"), ("pa", "old")] {
        db.put(key, value).unwrap();
        cf.put(key, value).unwrap();
    }
    txn.set_snapshot();
    txn.put("own", "mine").unwrap();
    txn.put_cf(&cf, "own", "mine").unwrap();
    db.put("a", "new").unwrap();
    db.put("pb", "new").unwrap();
    cf.put("a", "new").unwrap();
    cf.put("pb", "new").unwrap();
    db.flush().unwrap();
    db.compact().unwrap();

    let snapshot = txn.snapshot().unwrap();
    assert_eq!(snapshot.get("a").unwrap().unwrap(), "old");
    assert!(snapshot.get("own").unwrap().is_none(), "not committed then");
    let then = snapshot.read_options();
    assert_eq!(texts(txn.multi_get(["a", "b", "own", "pb"])), "new old mine new");
    assert_eq!(texts(txn.multi_get_opt(["a", "b", "own", "pb"], &then)), "old old mine -");
    let both = [(&cf, "a"), (&db.default_cf(), "b"), (&cf, "own"), (&cf, "pb")];
    assert_eq!(texts(txn.multi_get_cf(both)), "new old mine new");
    assert_eq!(texts(txn.multi_get_cf_opt(both, &then)), "old old mine -");
    assert_eq!(keys(txn.iter_cf(&cf)), "abownpapb");
    assert_eq!(keys(txn.iter_cf_opt(&cf, &then)), "abownpa");
    assert_eq!(keys(txn.range_opt("b".., &then)), "bownpa");
    assert_eq!(keys(txn.range_cf_opt(&cf, "b"..="pa", &then).rev()), "paownb");
    assert_eq!(keys(txn.prefix_opt("p", &then)), "pa");
    assert_eq!(keys(txn.prefix_cf_opt(&cf, "p", &then)), "pa");
    for value in [
        txn.get_for_update_opt("b", &then),
        txn.get_for_update_cf_opt(&cf, "b", &then),
        txn.get_for_share_opt("b", &then),
        txn.get_for_share_cf_opt(&cf, "b", &then),
    ] {
        assert_eq!(value.unwrap().unwrap(), "old");
    }

    // A later snapshot replaces it; what was made from the first keeps it.
    txn.set_snapshot();
    let later = txn.snapshot().unwrap();
    assert!(later.sequence() > snapshot.sequence());
    assert_eq!(txn.get_opt("a", &later.read_options()).unwrap().unwrap(), "new");
    assert_eq!(txn.get_opt("a", &then).unwrap().unwrap(), "old");
    txn.rollback().unwrap();
    assert!(txn.snapshot().is_none());
    assert_eq!(later.get("a").unwrap().unwrap(), "new");
    assert!(then_is_pinned(db, &snapshot));
}

fn then_is_pinned(db: &Db, snapshot: &Snapshot) -> bool {
    db.put("a", "newest").unwrap();
    db.flush().unwrap();
    db.compact().unwrap();
    snapshot.get("a").unwrap().unwrap() == "old"
}

#[test]
fn a_transaction_reads_at_its_snapshot() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let db = locking(one.path());
    reads_at_its_snapshot(db.db(), &db.begin());
    let options = Options::new().create_if_missing(true);
    let options = options.column_family("other", ColumnFamilyOptions::new());
    let db = OptimisticTransactionDb::open_with(options, two.path()).unwrap();
    reads_at_its_snapshot(db.db(), &db.begin());
}

#[test]
fn others_must_not_have_changed_what_is_read_for_update_at_the_snapshot() {
    let dir = tempfile::tempdir().unwrap();
    let db = locking(dir.path());
    db.put("k", "old").unwrap();
    let txn = db.begin_with(&TransactionOptions::new().set_snapshot(true));
    let then = txn.snapshot().unwrap().read_options();
    db.put("k", "new").unwrap();
    assert_eq!(txn.get_for_update_opt("k", &then).unwrap_err().kind(), ErrorKind::Busy);
    assert_eq!(txn.get_opt("k", &then).unwrap().unwrap(), "old");
}

#[test]
fn writes_outside_transactions_take_options_and_locks() {
    let dir = tempfile::tempdir().unwrap();
    let db = locking(dir.path());
    let (cf, fast) = (db.cf("other").unwrap(), WriteOptions::new().disable_wal(true));
    let before = db.db().property_int("rocksdb.cur-size-all-mem-tables").is_some();
    assert!(before);
    db.put_opt("k", "1", &fast).unwrap();
    db.put_cf_opt(&cf, "k", "2", &fast).unwrap();
    db.put_cf_opt(&cf, "gone", "2", &fast).unwrap();
    db.delete_cf_opt(&cf, "gone", &fast).unwrap();
    db.put_opt("gone", "1", &fast).unwrap();
    db.delete_opt("gone", &fast).unwrap();
    let mut batch = WriteBatch::new();
    batch.put("batch", "3");
    db.write_opt(batch, &fast).unwrap();
    assert!(db.merge_opt("k", "x", &fast).is_err() || db.get("k").is_err(), "no merge operator");
    assert!(db.merge_cf_opt(&cf, "k", "x", &fast).is_err() || db.get_cf(&cf, "k").is_err());
    assert_eq!(db.get("batch").unwrap().unwrap(), "3");
    assert!(db.get("gone").unwrap().is_none() && db.get_cf(&cf, "gone").unwrap().is_none());
    let then = db.db().snapshot().read_options();
    db.put("batch", "4").unwrap();
    assert_eq!(db.get_opt("batch", &then).unwrap().unwrap(), "3");

    let txn = db.begin();
    txn.put("locked", "").unwrap();
    for result in [db.put_opt("locked", "", &fast), db.delete_opt("locked", &fast)] {
        assert_eq!(result.unwrap_err().kind(), ErrorKind::LockTimeout);
    }
}

/// No database with transactions has entries that expire; asking for both is an error that says so.
#[test]
fn a_time_to_live_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let hour = Duration::from_secs(3600);
    let expiring = ColumnFamilyOptions::new().time_to_live(hour);
    let new = || Options::new().create_if_missing(true);
    for options in [new().time_to_live(hour), new().column_family("x", expiring)] {
        for e in [
            TransactionDb::open_with(&options, dir.path()).unwrap_err(),
            OptimisticTransactionDb::open_with(&options, dir.path()).unwrap_err(),
        ] {
            assert_eq!(e.kind(), ErrorKind::NotSupported);
            assert!(e.to_string().contains("time_to_live"), "{e}");
        }
    }
}
