//! Two-phase commit: what is prepared outlives the process, whatever is flushed meanwhile, and nothing
//! of it is seen before its commit.

use super::support::{dump, small, temp_dir, wo};
use ferrolith::Code;
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::{Checkpoint, ColumnFamily, ColumnFamilyDescriptor, PlainDb as Db};
use ferrolith::internal::options::{FlushOptions, Options, ReadOptions, WriteOptions};
use ferrolith::internal::txn::{
    Transaction, TransactionDb, TransactionDbOptions, TransactionOptions, TransactionState,
};
use std::path::Path;
use std::time::{Duration, Instant};

fn quick() -> TransactionDbOptions {
    TransactionDbOptions {
        transaction_lock_timeout: 20,
        default_lock_timeout: 20,
        ..TransactionDbOptions::default()
    }
}

fn open(dir: &Path) -> (TransactionDb, ColumnFamily) {
    let db = TransactionDb::open(&small(), &quick(), dir).unwrap();
    let cf = db.db().default_cf();
    (db, cf)
}

fn begin(db: &TransactionDb) -> Transaction {
    db.begin(&wo(), &TransactionOptions::default())
}

/// A transaction that puts these keys, prepared under its name.
fn prepared(db: &TransactionDb, name: &str, keys: &[&str]) -> Transaction {
    let mut txn = begin(db);
    let cf = db.db().default_cf();
    for key in keys {
        txn.put(&cf, key.as_bytes(), name.as_bytes()).unwrap();
    }
    txn.set_name(name.as_bytes()).unwrap();
    txn.prepare().unwrap();
    txn
}

fn value(db: &Db, key: &str) -> Option<String> {
    let value = db.get(&ReadOptions::default(), key.as_bytes()).unwrap();
    value.map(|value| String::from_utf8(value).unwrap())
}

fn names(db: &TransactionDb) -> Vec<String> {
    db.prepared_names().into_iter().map(|name| String::from_utf8(name).unwrap()).collect()
}

/// Names and sizes of the files.
fn listed(dir: &Path) -> std::io::Result<Vec<(std::ffi::OsString, u64)>> {
    let files = std::fs::read_dir(dir)?.map(|entry| {
        let entry = entry?;
        Ok((entry.file_name(), entry.metadata()?))
    });
    let files = files.collect::<std::io::Result<Vec<_>>>()?;
    let files = files.into_iter().filter(|(_, metadata)| metadata.is_file());
    let mut files: Vec<_> = files.map(|(name, metadata)| (name, metadata.len())).collect();
    files.sort();
    Ok(files)
}

/// What a killed process leaves: a copy of a moment in which nothing changed. The background may still
/// delete what a flush has made obsolete.
fn killed(dir: &Path) -> tempfile::TempDir {
    let copied = |to: &Path| -> std::io::Result<bool> {
        let before = listed(dir)?;
        for (name, _) in before.iter().filter(|(name, _)| name != "LOCK") {
            std::fs::copy(dir.join(name), to.join(name))?;
        }
        Ok(listed(dir)? == before)
    };
    for _ in 0..1000 {
        let copy = temp_dir();
        if copied(copy.path()).unwrap_or(false) {
            return copy;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("{} never stands still", dir.display());
}

fn wals(dir: &Path) -> Vec<String> {
    let names = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name());
    let mut wals: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    wals.retain(|name| name.ends_with(".log"));
    wals.sort();
    wals
}

/// Fills and flushes a memtable, so that a new WAL begins.
fn fill_and_flush(db: &TransactionDb, key: &str) {
    db.put(&wo(), &db.db().default_cf(), key.as_bytes(), b"filler").unwrap();
    db.db().flush(&FlushOptions::default()).unwrap();
}

#[test]
fn a_prepared_transaction_is_found_again_with_its_name_and_its_locks() {
    let dir = temp_dir();
    let (db, cf) = open(dir.path());
    let one = prepared(&db, "one", &["a", "b"]);
    let two = prepared(&db, "two", &["c"]);
    let three = prepared(&db, "three", &["d"]);
    assert_eq!(one.state(), TransactionState::Prepared);
    assert_eq!(names(&db), ["one", "three", "two"]);
    // Others have them.
    assert!(db.get_all_prepared_transactions().is_empty());
    assert_eq!(db.put(&wo(), &cf, b"a", b"x").unwrap_err().code(), Code::TimedOut);
    assert_eq!(value(db.db(), "a"), None);
    let left = killed(dir.path());
    drop((one, two, three, db));
    for dir in [dir.path(), left.path()] {
        let (db, cf) = open(dir);
        assert_eq!(names(&db), ["one", "three", "two"]);
        assert!(dump(&db.db().clone().into()).is_empty());
        for key in [b"a", b"b", b"c", b"d"] {
            assert_eq!(db.put(&wo(), &cf, key, b"x").unwrap_err().code(), Code::TimedOut);
        }
        let mut two = db.get_transaction_by_name(b"two").unwrap();
        assert!(db.get_transaction_by_name(b"two").is_none());
        assert_eq!((two.name(), two.state()), (&b"two"[..], TransactionState::Prepared));
        let own = two.get(&ReadOptions::default(), &cf, b"c").unwrap();
        assert_eq!(own.as_deref(), Some(&b"two"[..]));
        two.rollback().unwrap();
        assert_eq!(two.state(), TransactionState::RolledBack);
        let mut rest = db.get_all_prepared_transactions();
        assert_eq!(rest.iter().map(Transaction::name).collect::<Vec<_>>(), [&b"one"[..], b"three"]);
        rest[0].commit().unwrap();
        db.put(&wo(), &cf, b"c", b"free").unwrap();
        db.put(&wo(), &cf, b"a", b"later").unwrap();
        assert_eq!(names(&db), ["three"]);
        drop((rest, two, db));
        let (db, _) = open(dir);
        assert_eq!(names(&db), ["three"]);
        let found = ["a", "b", "c", "d"].map(|key| value(db.db(), key));
        assert_eq!(found, [Some("later".into()), Some("one".into()), Some("free".into()), None]);
    }
}

#[test]
fn names_and_states_are_refused_in_rocksdbs_words() {
    let dir = temp_dir();
    let (db, cf) = open(dir.path());
    let says = |result: ferrolith::Result<()>, text: &str| {
        assert_eq!(result.unwrap_err().to_string(), text);
    };
    let mut txn = begin(&db);
    txn.put(&cf, b"k", b"v").unwrap();
    let unnamed = "Invalid argument: Cannot prepare a transaction that has not been named.";
    says(txn.prepare(), unnamed);
    let length = "Invalid argument: Transaction name length must be between 1 and 512 chars.";
    says(txn.set_name(b""), length);
    says(txn.set_name(&[b'x'; 513]), length);
    txn.set_name(&[b'x'; 512]).unwrap();
    says(txn.set_name(b"y"), "Invalid argument: Transaction has already been named.");
    let mut other = begin(&db);
    let taken = format!("Invalid argument: Duplicate txn name {}", "x".repeat(512));
    says(other.set_name(&[b'x'; 512]), &taken);
    txn.set_save_point();
    txn.prepare().unwrap();
    says(txn.prepare(), "Invalid argument: Transaction has already been prepared.");
    let beyond = "Invalid argument: Transaction is beyond state for rollback.";
    says(txn.rollback_to_save_point(), beyond);
    txn.commit().unwrap();
    says(txn.commit(), "Invalid argument: Transaction has already been committed.");
    says(txn.prepare(), "Invalid argument: Transaction has already been committed.");
    says(txn.rollback(), "Invalid argument: This transaction has already been committed.");
    says(txn.set_name(b"z"), "Invalid argument: Transaction is beyond state for naming.");
    // The name is free with the commit, another one's with its end.
    other.set_name(&[b'x'; 512]).unwrap();
    other.prepare().unwrap();
    other.rollback().unwrap();
    says(other.commit(), "Invalid argument: Transaction has already been rolledback.");
    says(other.prepare(), "Invalid argument: Transaction has already been rolledback.");
    says(other.rollback(), "Invalid argument: Two phase transaction is not in state for rollback.");
    let mut third = begin(&db);
    says(third.set_name(&[b'x'; 512]), &taken);
    drop(other);
    third.set_name(&[b'x'; 512]).unwrap();
    let strict = TransactionOptions { skip_prepare: false, ..TransactionOptions::default() };
    let mut unprepared = db.begin(&wo(), &strict);
    unprepared.put(&cf, b"q", b"v").unwrap();
    says(unprepared.commit(), "Invalid argument: Txn not prepared");
    unprepared.set_name(b"q").unwrap();
    unprepared.prepare().unwrap();
    unprepared.commit().unwrap();
    assert_eq!(value(db.db(), "q").as_deref(), Some("v"));
}

#[test]
fn a_name_with_something_undecided_under_it_stays_taken() {
    let dir = temp_dir();
    let (db, cf) = open(dir.path());
    drop(prepared(&db, "left", &["a"]));
    // Its locks are gone with it, as in RocksDB.
    db.put(&wo(), &cf, b"a", b"mine").unwrap();
    let mut again = begin(&db);
    assert_eq!(again.set_name(b"left").unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(names(&db), ["left"]);
    drop((again, db));
    let (db, _) = open(dir.path());
    let mut left = db.get_transaction_by_name(b"left").unwrap();
    left.commit().unwrap();
    assert_eq!(value(db.db(), "a").as_deref(), Some("left"));
}

#[test]
fn a_prepared_transaction_does_not_expire() {
    let dir = temp_dir();
    let (db, cf) = open(dir.path());
    let short = TransactionOptions { expiration: 1, ..TransactionOptions::default() };
    let mut txn = db.begin(&wo(), &TransactionOptions { expiration: 60_000, ..short });
    txn.put(&cf, b"a", b"1").unwrap();
    txn.set_name(b"x").unwrap();
    txn.prepare().unwrap();
    txn.commit().unwrap();
    let mut late = db.begin(&wo(), &short);
    late.set_name(b"late").unwrap();
    late.put(&cf, b"b", b"1").unwrap();
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(late.prepare().unwrap_err().code(), Code::Expired);
    assert!(names(&db).is_empty());
}

#[test]
fn the_wal_of_what_is_prepared_is_kept_until_its_decision_is_safe() {
    let dir = temp_dir();
    let (db, _) = open(dir.path());
    let mut committed = prepared(&db, "committed", &["a"]);
    let mut given_up = prepared(&db, "given up", &["b"]);
    let undecided = prepared(&db, "undecided", &["c"]);
    let first = wals(dir.path());
    for i in 0..3 {
        fill_and_flush(&db, &format!("filler {i}"));
        assert!(wals(dir.path()).contains(&first[0]));
        let left = killed(dir.path());
        let (db, _) = open(left.path());
        assert_eq!(names(&db), ["committed", "given up", "undecided"], "after {i} flushes");
    }
    committed.commit().unwrap();
    given_up.rollback().unwrap();
    for i in 0..3 {
        let left = killed(dir.path());
        let (again, _) = open(left.path());
        assert_eq!(names(&again), ["undecided"], "after {i} more flushes");
        assert_eq!(value(again.db(), "a").as_deref(), Some("committed"));
        assert_eq!(value(again.db(), "b"), None);
        drop(again);
        // Opening has copied it: now and again.
        let (again, _) = open(left.path());
        assert_eq!(names(&again), ["undecided"]);
        assert_eq!(wals(left.path()).len(), 1);
        fill_and_flush(&again, "more");
        drop(again);
        let (again, _) = open(left.path());
        assert_eq!(names(&again), ["undecided"]);
        let mut undecided = again.get_transaction_by_name(b"undecided").unwrap();
        undecided.commit().unwrap();
        assert_eq!(value(again.db(), "c").as_deref(), Some("undecided"));
        drop((again, undecided));
        let (again, _) = open(left.path());
        assert!(names(&again).is_empty());
        assert_eq!(value(again.db(), "c").as_deref(), Some("undecided"));
        fill_and_flush(&db, &format!("more filler {i}"));
    }
    drop((committed, given_up, undecided, db));
    let (db, _) = open(dir.path());
    db.get_transaction_by_name(b"undecided").unwrap().rollback().unwrap();
    fill_and_flush(&db, "the end");
    // The background deletes logs after it has said that the flush is done.
    let deadline = Instant::now() + Duration::from_secs(60);
    while wals(dir.path()).len() > 1 {
        assert!(Instant::now() < deadline, "{:?}", wals(dir.path()));
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_commit_keeps_the_wal_of_its_section_while_an_older_memtable_waits() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.min_write_buffer_number_to_merge = 2;
    options.cf.max_write_buffer_number = 4;
    let db = TransactionDb::open(&options, &quick(), dir.path()).unwrap();
    let (cf, other) = (db.db().default_cf(), db.db().create_cf("other", &small().cf).unwrap());
    let mut txn = prepared(&db, "x", &["a"]);
    let section = wals(dir.path()).pop().unwrap();
    fill_and_flush(&db, "b");
    // A full memtable, which began in a later log, waits for another one.
    let immutables = || db.db().property_int("rocksdb.num-immutable-mem-table").unwrap();
    for i in 0u32.. {
        db.put(&wo(), &cf, &i.to_be_bytes(), &[7; 1000]).unwrap();
        if immutables() == 1 {
            break;
        }
    }
    txn.commit().unwrap();
    db.put(&wo(), &other, b"k", b"filler").unwrap();
    let flush = |cf: &ColumnFamily| {
        db.db().flush_cf(&FlushOptions::default(), cf).unwrap();
        db.db().wait_for_compact().unwrap();
    };
    flush(&other);
    assert_eq!(immutables(), 1);
    assert!(wals(dir.path()).contains(&section), "the commit is in a memtable, and not synced");
    flush(&cf);
    assert!(!wals(dir.path()).contains(&section));
}

#[test]
fn a_plain_database_refuses_what_is_prepared_and_loses_nothing() {
    let dir = temp_dir();
    let (db, _) = open(dir.path());
    let txn = prepared(&db, "x", &["a"]);
    for flushed in [false, true] {
        if flushed {
            // The tables cover the WAL now: only the section keeps it.
            fill_and_flush(&db, "b");
        }
        let left = killed(dir.path());
        let text = "WAL contains prepared transactions. Open with TransactionDB::Open().";
        for _ in 0..2 {
            let error = Db::open(&small(), left.path()).map(|_| ()).unwrap_err();
            assert_eq!(error.code(), Code::NotSupported);
            assert!(
                error.message().starts_with(text) && error.message().ends_with(".log"),
                "{error}"
            );
            let reader = Db::open_for_read_only(&small(), left.path(), false);
            assert_eq!(reader.map(|_| ()).unwrap_err().code(), Code::NotSupported);
        }
        let mut options = small();
        options.db.allow_2pc = true;
        let reader = Db::open_for_read_only(&options, left.path(), false).unwrap();
        assert_eq!(value(&reader, "a"), None);
        drop(reader);
        // Kept, though nobody here can decide.
        for _ in 0..2 {
            let plain = Db::open(&options, left.path()).unwrap();
            plain.put(&wo(), b"c", b"plain").unwrap();
            plain.flush(&FlushOptions::default()).unwrap();
        }
        Db::repair(&small(), left.path()).unwrap();
        let (db, _) = open(left.path());
        assert_eq!(names(&db), ["x"]);
        assert_eq!(value(db.db(), "b").is_some(), flushed);
        assert_eq!(value(db.db(), "c").as_deref(), Some("plain"));
        db.get_transaction_by_name(b"x").unwrap().commit().unwrap();
        fill_and_flush(&db, "d");
        drop(db);
        assert_eq!(value(&Db::open(&small(), left.path()).unwrap(), "a").as_deref(), Some("x"));
    }
    drop(txn);
}

#[test]
fn the_stream_of_updates_shows_commits_and_no_marks() {
    let dir = temp_dir();
    let mut options = small();
    options.db.wal_ttl_seconds = 3600;
    let db = TransactionDb::open(&options, &quick(), dir.path()).unwrap();
    let cf = db.db().default_cf();
    let mut txn = prepared(&db, "x", &["a", "b"]);
    let mut gone = prepared(&db, "y", &["c"]);
    db.put(&wo(), &cf, b"m", b"1").unwrap();
    fill_and_flush(&db, "n");
    txn.commit().unwrap();
    gone.rollback().unwrap();
    db.put(&wo(), &cf, b"o", b"1").unwrap();
    let copy_dir = temp_dir();
    let copy = Db::open(&small(), copy_dir.path()).unwrap();
    let mut updates = db.db().get_updates_since(0).unwrap();
    let mut next = 1;
    while let Some(batch) = updates.batch() {
        assert_eq!(batch.sequence(), next);
        next += u64::from(batch.count());
        assert!(!batch.has_marks());
        let mut batch = WriteBatch::from_data(batch.data().to_vec()).unwrap();
        copy.write(&wo(), &mut batch).unwrap();
        updates.next();
    }
    updates.status().unwrap();
    assert_eq!(dump(&copy.into()), dump(&db.db().clone().into()));
    assert_eq!(next - 1, db.db().latest_sequence_number());
}

#[test]
fn a_checkpoint_has_what_is_prepared() {
    let dir = temp_dir();
    let (db, _) = open(dir.path());
    let _txn = prepared(&db, "x", &["a"]);
    for (i, log_size_for_flush) in [0, u64::MAX].into_iter().enumerate() {
        fill_and_flush(&db, "b");
        let to = temp_dir();
        let to = to.path().join(i.to_string());
        Checkpoint::new(db.db()).create(&to, log_size_for_flush).unwrap();
        let (copy, _) = open(&to);
        assert_eq!(names(&copy), ["x"]);
        copy.get_transaction_by_name(b"x").unwrap().commit().unwrap();
        assert_eq!(value(copy.db(), "a").as_deref(), Some("x"));
    }
}

fn with_families(dir: &Path, families: &[&str]) -> (TransactionDb, Vec<ColumnFamily>) {
    let Options { db, cf } = small();
    let descriptors = families.iter().map(|name| ColumnFamilyDescriptor::new(*name, cf.clone()));
    TransactionDb::open_cf(&db, &quick(), dir, descriptors.collect()).unwrap()
}

#[test]
fn a_dropped_family_takes_its_records_with_it_and_nothing_else() {
    let dir = temp_dir();
    let (db, cfs) = with_families(dir.path(), &["default", "gone", "kept"]);
    let put_everywhere = |name: &str| {
        let mut txn = begin(&db);
        for cf in &cfs {
            txn.put(cf, name.as_bytes(), b"1").unwrap();
        }
        txn.set_name(name.as_bytes()).unwrap();
        txn.prepare().unwrap();
        txn
    };
    let (mut here, later) = (put_everywhere("here"), put_everywhere("later"));
    db.db().drop_cf(&cfs[1]).unwrap();
    here.commit().unwrap();
    drop((here, later, cfs));
    let left = killed(dir.path());
    drop(db);
    for dir in [dir.path(), left.path()] {
        let (db, cfs) = with_families(dir, &["default", "kept"]);
        assert_eq!(names(&db), ["later"]);
        db.get_transaction_by_name(b"later").unwrap().commit().unwrap();
        for (cf, key) in cfs.iter().flat_map(|cf| [(cf, b"here".to_vec()), (cf, b"later".to_vec())])
        {
            let found = db.db().get_cf(&ReadOptions::default(), cf, &key).unwrap();
            assert_eq!(found.as_deref(), Some(&b"1"[..]));
        }
    }
}

#[test]
fn writes_after_the_preparation_take_effect_with_the_commit() {
    let dir = temp_dir();
    let (db, cf) = open(dir.path());
    db.put(&wo(), &cf, b"a", b"old").unwrap();
    let mut txn = prepared(&db, "x", &["b"]);
    txn.delete(&cf, b"a").unwrap();
    txn.commit().unwrap();
    let left = killed(dir.path());
    for db in [db, open(left.path()).0] {
        assert_eq!((value(db.db(), "a"), value(db.db(), "b").as_deref()), (None, Some("x")));
    }
}

#[test]
fn preparing_writes_to_the_log_whatever_the_options_say() {
    let dir = temp_dir();
    let (db, cf) = open(dir.path());
    let unlogged = WriteOptions { disable_wal: true, ..WriteOptions::default() };
    for (name, commits) in [("kept", false), ("done", true)] {
        let mut txn = db.begin(&unlogged, &TransactionOptions::default());
        txn.put(&cf, name.as_bytes(), b"1").unwrap();
        txn.set_name(name.as_bytes()).unwrap();
        txn.prepare().unwrap();
        if commits {
            txn.commit().unwrap();
        }
    }
    let left = killed(dir.path());
    let (left, _) = open(left.path());
    assert_eq!(names(&left), ["kept"]);
    assert_eq!(value(left.db(), "done").as_deref(), Some("1"));
}

#[test]
fn an_empty_transaction_is_prepared_too() {
    let dir = temp_dir();
    let (db, _) = open(dir.path());
    let mut done = prepared(&db, "done", &[]);
    drop(prepared(&db, "open", &[]));
    done.commit().unwrap();
    drop((done, db));
    let (db, _) = open(dir.path());
    assert_eq!(names(&db), ["open"]);
    db.get_transaction_by_name(b"open").unwrap().commit().unwrap();
    assert!(names(&db).is_empty());
}

#[test]
fn threads_prepare_commit_and_flush_beside_each_other() {
    let dir = temp_dir();
    let (db, cf) = open(dir.path());
    let db = &db;
    let cf = &cf;
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for i in 0..60 {
                    let name = format!("{thread} {i}");
                    let mut txn = begin(db);
                    txn.put(cf, name.as_bytes(), &[b'x'; 3000]).unwrap();
                    txn.set_name(name.as_bytes()).unwrap();
                    txn.prepare().unwrap();
                    match i % 4 {
                        0 => txn.rollback().unwrap(),
                        1 => {}
                        _ => txn.commit().unwrap(),
                    }
                }
            });
        }
        scope.spawn(move || (0..10).for_each(|i| fill_and_flush(db, &format!("filler {i}"))));
    });
    let check = |db: &TransactionDb| {
        assert_eq!(names(db).len(), 4 * 15);
        for (thread, i) in (0..4).flat_map(|thread| (0..60).map(move |i| (thread, i))) {
            let found = value(db.db(), &format!("{thread} {i}"));
            assert_eq!(found.is_some(), i % 4 > 1, "{thread} {i}");
        }
    };
    check(db);
    let left = killed(dir.path());
    check(&open(left.path()).0);
}
