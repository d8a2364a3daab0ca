//! What a first program does: write, read, reopen, iterate; and what handles promise.

use super::support::{dump, ro, small, temp_dir, wo};
use ferrolith::Code;
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::Db;
use ferrolith::internal::options::{CompactRangeOptions, FlushOptions, ReadOptions, WriteOptions};

#[test]
fn a_value_survives_flush_compaction_and_reopening() {
    let dir = temp_dir();
    let options = small();
    let db = Db::open(&options, dir.path()).unwrap();
    db.put(&wo(), b"k", b"v1").unwrap();
    assert_eq!(db.get(&ro(), b"k").unwrap().as_deref(), Some(&b"v1"[..]));
    db.flush(&FlushOptions::default()).unwrap();
    assert_eq!(db.get(&ro(), b"k").unwrap().as_deref(), Some(&b"v1"[..]));
    db.put(&wo(), b"k", b"v2").unwrap();
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    assert_eq!(db.get(&ro(), b"k").unwrap().as_deref(), Some(&b"v2"[..]));
    db.put(&wo(), b"k", b"v3").unwrap();
    drop(db);
    let db = Db::open(&options, dir.path()).unwrap();
    assert_eq!(db.get(&ro(), b"k").unwrap().as_deref(), Some(&b"v3"[..]));
    db.delete(&wo(), b"k").unwrap();
    assert_eq!(db.get(&ro(), b"k").unwrap(), None);
}

#[test]
fn iterators_and_snapshots_keep_the_database_alive() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    for i in 0..1000u32 {
        db.put(&wo(), &i.to_be_bytes(), b"v").unwrap();
    }
    let snapshot = db.snapshot();
    let mut iter = db.iter(&ro()).unwrap();
    drop(db);
    // The lock is still held: somebody uses the database.
    assert_eq!(Db::open(&small(), dir.path()).unwrap_err().code(), Code::Busy);
    let walked = std::thread::spawn(move || {
        iter.seek_to_first();
        let mut n = 0;
        while iter.valid() {
            n += 1;
            iter.next();
        }
        n
    });
    assert_eq!(walked.join().unwrap(), 1000);
    drop(snapshot);
    Db::open(&small(), dir.path()).unwrap();
}

#[test]
fn a_closed_database_refuses_but_its_iterators_go_on() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    db.put(&wo(), b"k", b"v").unwrap();
    let mut iter = db.iter(&ro()).unwrap();
    db.close().unwrap();
    db.close().unwrap();
    iter.seek_to_first();
    assert_eq!((iter.key(), iter.value()), (&b"k"[..], &b"v"[..]));
    assert!(db.put(&wo(), b"k", b"w").is_err());
    assert!(db.get(&ro(), b"k").is_err());
    assert!(db.flush(&FlushOptions::default()).is_err());
    let again = Db::open(&small(), dir.path()).unwrap();
    assert_eq!(dump(&again), vec![(b"k".to_vec(), b"v".to_vec())]);
}

#[test]
fn a_snapshot_sees_its_moment() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    db.put(&wo(), b"a", b"1").unwrap();
    let snapshot = db.snapshot();
    db.put(&wo(), b"a", b"2").unwrap();
    db.put(&wo(), b"b", b"2").unwrap();
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    let then = ReadOptions { snapshot: Some(snapshot.sequence()), ..ReadOptions::default() };
    assert_eq!(db.get(&then, b"a").unwrap().as_deref(), Some(&b"1"[..]));
    assert_eq!(db.get(&then, b"b").unwrap(), None);
    assert_eq!(db.get(&ro(), b"a").unwrap().as_deref(), Some(&b"2"[..]));
}

#[test]
fn single_delete_takes_one_put_with_it() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    db.put(&wo(), b"a", b"1").unwrap();
    db.flush(&FlushOptions::default()).unwrap();
    db.single_delete(&wo(), b"a").unwrap();
    assert_eq!(db.get(&ro(), b"a").unwrap(), None);
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    assert_eq!(dump(&db), vec![]);
    assert_eq!(db.property_int("rocksdb.estimate-num-keys"), Some(0));
}

#[test]
fn writes_without_a_wal_are_kept_by_a_clean_close() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    let unlogged = WriteOptions { disable_wal: true, ..WriteOptions::default() };
    db.put(&unlogged, b"k", b"v").unwrap();
    drop(db);
    let db = Db::open(&small(), dir.path()).unwrap();
    assert_eq!(dump(&db), vec![(b"k".to_vec(), b"v".to_vec())]);
    let both = WriteOptions { disable_wal: true, sync: true, ..WriteOptions::default() };
    assert_eq!(db.put(&both, b"k", b"v").unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn many_writers_and_readers_agree() {
    const THREADS: u32 = 6;
    const PER_THREAD: u32 = 3_000;
    let dir = temp_dir();
    let options = small();
    let db = Db::open(&options, dir.path()).unwrap();
    std::thread::scope(|scope| {
        for t in 0..THREADS {
            let db = db.clone();
            scope.spawn(move || {
                for i in 0..PER_THREAD {
                    let key = [t.to_be_bytes(), i.to_be_bytes()].concat();
                    let mut batch = WriteBatch::new();
                    batch.put(&key, &i.to_le_bytes()).unwrap();
                    batch.put(b"last", &t.to_le_bytes()).unwrap();
                    let sync = i % 500 == 0;
                    db.write(&WriteOptions { sync, ..WriteOptions::default() }, &mut batch)
                        .unwrap();
                    // A writer reads its own write at once.
                    let found = db.get(&ReadOptions::default(), &key).unwrap();
                    assert_eq!(found.as_deref(), Some(&i.to_le_bytes()[..]));
                }
            });
        }
    });
    let expected = (THREADS * PER_THREAD + 1) as usize;
    assert_eq!(dump(&db).len(), expected);
    assert_eq!(db.latest_sequence_number(), u64::from(THREADS * PER_THREAD * 2));
    drop(db);
    assert_eq!(dump(&Db::open(&options, dir.path()).unwrap()).len(), expected);
}

#[test]
fn files_that_nobody_needs_are_deleted() {
    let dir = temp_dir();
    let db = Db::open(&small(), dir.path()).unwrap();
    let tables = || {
        let names = std::fs::read_dir(dir.path()).unwrap();
        let names = names.map(|e| e.unwrap().file_name().into_string().unwrap());
        names.filter(|n| n.ends_with(".sst")).count()
    };
    for round in 0..5u32 {
        for i in 0..2000u32 {
            db.put(&wo(), &i.to_be_bytes(), &round.to_be_bytes()).unwrap();
        }
        db.flush(&FlushOptions::default()).unwrap();
    }
    // Compactions that the flushes set off leave tables that go a moment later.
    let number = |name: String| db.property(&name).unwrap().parse::<usize>().unwrap();
    let live = || (0..7).map(|l| number(format!("rocksdb.num-files-at-level{l}"))).sum::<usize>();
    db.wait_for_compact().unwrap();
    for _ in 0..100 {
        if tables() == live() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let iter = db.iter(&ro()).unwrap();
    let held = tables();
    assert_eq!(held, live());
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    assert!(tables() >= held, "a table went although an iterator may read it");
    drop(iter);
    db.wait_for_compact().unwrap();
    // The background notices within its idle wait.
    for _ in 0..100 {
        if tables() <= 2 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{} tables are left", tables());
}
