//! Jobs that meet a closing database, a dropped family, or a device that recovers.

use super::super::support::{dump, open_three, ro, temp_dir, wo};
use super::{DIR, eventually, faulty, flush, gated, held, over, synced, unlogged, within};
use ferrolith::internal::db::{ColumnFamily, Db};
use ferrolith::internal::fs::FileSystem;
use ferrolith::internal::fs::fault::{Fault, FaultFs, FaultKind, Op};
use ferrolith::internal::fs::mem::MemFs;
use ferrolith::internal::options::{CompactRangeOptions, FlushOptions};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

fn merge_twice(db: &Db, cf: &ColumnFamily) {
    db.put_cf(&wo(), cf, b"key", b"a").unwrap();
    db.merge_cf(&wo(), cf, b"key", b"b").unwrap();
}

#[test]
fn dropping_a_family_while_it_is_flushed_stops_no_writes() {
    let (gate, options) = gated();
    let dir = temp_dir();
    let (db, cfs) = open_three(&options, dir.path());
    merge_twice(&db, &cfs[1]);
    let flushing = held(&gate, {
        let (db, cf) = (db.clone(), cfs[1].clone());
        move || db.flush_cf(&FlushOptions::default(), &cf)
    });
    db.drop_cf(&cfs[1]).unwrap();
    gate.shut.store(false, Ordering::SeqCst);
    let _ = flushing.join().unwrap();
    db.wait_for_compact().unwrap();
    std::thread::sleep(Duration::from_millis(50));
    db.put(&wo(), b"k", b"v").expect("writes go on");
    flush(&db).unwrap();
    db.create_cf("one", &options.cf).unwrap();
}

#[test]
fn dropping_a_family_while_it_is_compacted_stops_no_writes() {
    let (gate, options) = gated();
    let dir = temp_dir();
    let (db, cfs) = open_three(&options, dir.path());
    for _ in 0..2 {
        db.merge_cf(&wo(), &cfs[1], b"key", b"b").unwrap();
        db.flush_cf(&FlushOptions::default(), &cfs[1]).unwrap();
    }
    let compacting = held(&gate, {
        let (db, cf) = (db.clone(), cfs[1].clone());
        move || db.compact_range_cf(&CompactRangeOptions::default(), &cf, None, None)
    });
    db.drop_cf(&cfs[1]).unwrap();
    gate.shut.store(false, Ordering::SeqCst);
    assert!(compacting.join().unwrap().is_err());
    db.put(&wo(), b"k", b"v").expect("writes go on");
    flush(&db).unwrap();
}

/// The lock is let go only when nobody writes to the directory any more.
#[test]
fn close_waits_for_compactions_of_users() {
    let (gate, options) = gated();
    let dir = temp_dir();
    let db = Db::open(&options, dir.path()).unwrap();
    for _ in 0..2 {
        db.merge(&wo(), b"key", b"b").unwrap();
        flush(&db).unwrap();
    }
    let compacting = held(&gate, {
        let db = db.clone();
        move || db.compact_range(&CompactRangeOptions::default(), None, None)
    });
    let closing = std::thread::spawn({
        let db = db.clone();
        move || db.close()
    });
    eventually("the database is closing", || db.is_closed());
    std::thread::sleep(Duration::from_millis(100));
    assert!(!closing.is_finished(), "close did not wait");
    assert!(Db::open(&options, dir.path()).is_err(), "the lock was let go");
    gate.shut.store(false, Ordering::SeqCst);
    closing.join().unwrap().unwrap();
    let _ = compacting.join().unwrap();
    drop(db);
    assert_eq!(dump(&Db::open(&options, dir.path()).unwrap()), [(b"key".to_vec(), b"bb".to_vec())]);
}

#[test]
fn a_closed_database_answers_everything_with_an_error() {
    let dir = temp_dir();
    let options = super::small();
    let db = Db::open(&options, dir.path()).unwrap();
    db.put(&wo(), b"k", b"v").unwrap();
    let mut iter = db.iter(&ro()).unwrap();
    db.close().unwrap();
    let other = Db::open(&options, dir.path()).unwrap();
    assert!(db.put(&wo(), b"k", b"v").is_err());
    assert!(db.put(&synced(), b"k", b"v").is_err());
    assert!(db.put(&unlogged(), b"k", b"v").is_err());
    assert!(db.get(&ro(), b"k").is_err());
    assert!(db.iter(&ro()).is_err());
    assert!(flush(&db).is_err());
    assert!(db.sync_wal().is_err());
    assert!(db.flush_wal(true).is_err());
    assert!(db.flush_wal(false).is_err());
    assert!(db.compact_range(&CompactRangeOptions::default(), None, None).is_err());
    assert!(db.create_cf("x", &options.cf).is_err());
    assert!(db.drop_cf(&db.default_cf()).is_err());
    assert!(db.resume().is_err());
    let _ = (db.property("rocksdb.stats"), db.snapshot(), db.wait_for_compact());
    iter.seek_to_first();
    assert!(iter.valid() && iter.value() == b"v");
    drop((iter, db));
    other.put(&wo(), b"k", b"w").unwrap();
    assert_eq!(dump(&other).len(), 1);
}

/// Writers, flushes, compactions and families, and a close in the middle of them.
#[test]
fn close_amid_everything_ends_and_keeps_what_was_acknowledged() {
    for round in 0..6 {
        let dir = temp_dir();
        let options = super::small();
        let db = Db::open(&options, dir.path()).unwrap();
        let written = within(60, "close", {
            let db = db.clone();
            move || close_amid(&db, round)
        });
        drop(db);
        let names = Db::list_column_families(&options.db, dir.path()).unwrap();
        let descriptors = names.iter().map(|n| {
            ferrolith::internal::db::ColumnFamilyDescriptor::new(n.as_str(), options.cf.clone())
        });
        let (db, _) = Db::open_cf(&options.db, dir.path(), descriptors.collect()).unwrap();
        for (thread, n) in written.into_iter().enumerate() {
            for i in 0..n {
                let key = [&[thread as u8][..], &i.to_be_bytes()].concat();
                assert!(db.get(&ro(), &key).unwrap().is_some(), "thread {thread}: {i} of {n}");
            }
        }
    }
}

fn close_amid(db: &Db, round: u64) -> Vec<u32> {
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3u8)
            .map(|thread| {
                scope.spawn(move || {
                    let options = [wo(), synced(), unlogged()][thread as usize];
                    let mut n = 0u32;
                    let key = |n: u32| [&[thread][..], &n.to_be_bytes()].concat();
                    while db.put(&options, &key(n), &[7; 100]).is_ok() {
                        n += 1;
                    }
                    n
                })
            })
            .collect();
        scope.spawn(|| while flush(db).is_ok() {});
        scope.spawn(
            || {
                while db.compact_range(&CompactRangeOptions::default(), None, None).is_ok() {}
            },
        );
        scope.spawn(|| {
            while let Ok(cf) = db.create_cf("x", &db.default_cf().options()) {
                let _ = db.put_cf(&wo(), &cf, b"k", b"v");
                let _ = db.drop_cf(&cf);
            }
        });
        std::thread::sleep(Duration::from_millis(30 + 25 * round));
        db.close().unwrap();
        writers.into_iter().map(|w| w.join().unwrap()).collect()
    })
}

#[test]
fn writes_resume_after_a_compaction_that_failed_once() {
    let (_, fs) = faulty();
    let mut options = over(fs.clone());
    options.cf.level0_file_num_compaction_trigger = 2;
    let db = Db::open(&options, DIR).unwrap();
    db.put(&wo(), b"a", b"1").unwrap();
    db.put(&wo(), b"z", b"1").unwrap();
    flush(&db).unwrap();
    // The flush makes the first table, the compaction the second.
    fs.inject(Fault::nth(Op::Create, ".sst", 1, FaultKind::NoSpace));
    db.put(&wo(), b"a", b"2").unwrap();
    db.put(&wo(), b"z", b"2").unwrap();
    flush(&db).unwrap();
    eventually("the compaction is repeated", || {
        db.property("rocksdb.num-files-at-level0").as_deref() == Some("0")
    });
    eventually("writes resume", || db.put(&wo(), b"k", b"v").is_ok());
}

/// A database with four tables on level 0 that wait for a compaction.
fn waiting_for_compaction(fs: &FaultFs) -> Db {
    let mut options = over(fs.clone());
    options.cf.disable_auto_compactions = true;
    let db = Db::open(&options, DIR).unwrap();
    for i in 0..4u8 {
        db.put(&wo(), b"a", &[i]).unwrap();
        db.put(&wo(), b"z", &[i]).unwrap();
        flush(&db).unwrap();
    }
    db
}

fn compact_by_itself(db: &Db) {
    db.set_options(&[("disable_auto_compactions", "false")]).unwrap();
}

fn is_compacted(db: &Db) -> bool {
    db.property_int("rocksdb.num-files-at-level0").is_some_and(|n| n < 4)
}

fn tables_in(mem: &MemFs) -> usize {
    let names = mem.list_dir(Path::new(DIR)).unwrap();
    names.iter().filter(|name| name.ends_with(".sst")).count()
}

#[test]
fn a_compaction_that_finds_no_space_stops_no_writer() {
    let (mem, fs) = faulty();
    let db = waiting_for_compaction(&fs);
    fs.inject(Fault::always(Op::Append, ".sst", FaultKind::NoSpace));
    let before = fs.count(Op::Create);
    compact_by_itself(&db);
    // Also after the second try. Each put makes no file.
    eventually("it is tried again", || {
        db.put(&wo(), b"k", b"v").expect("a write");
        fs.count(Op::Create) >= before + 2
    });
    let e = db.wait_for_compact().unwrap_err();
    assert!(e.is_no_space(), "{e}");
    eventually("nothing is left over", || tables_in(&mem) == 4);
    fs.clear();
    db.resume().unwrap();
    eventually("the compaction is done", || is_compacted(&db));
    db.wait_for_compact().unwrap();
    assert_eq!(db.get(&ro(), b"a").unwrap(), Some(vec![3]));
}

#[test]
fn tables_of_a_compaction_that_could_not_be_recorded_go() {
    let (mem, fs) = faulty();
    let db = waiting_for_compaction(&fs);
    fs.inject(Fault::always(Op::Append, "MANIFEST", FaultKind::NoSpace));
    let before = fs.count(Op::Create);
    compact_by_itself(&db);
    eventually("it is tried again", || fs.count(Op::Create) >= before + 4);
    fs.clear();
    eventually("the compaction is done", || is_compacted(&db));
    eventually("nothing is left over", || tables_in(&mem) == db.live_files_metadata().len());
    eventually("writes go on", || db.put(&wo(), b"k", b"v").is_ok());
    db.close().unwrap();
    drop(db);
    let db = Db::open(&over(fs), DIR).unwrap();
    assert_eq!(db.get(&ro(), b"a").unwrap(), Some(vec![3]));
}

#[test]
fn writers_that_stall_are_told_why() {
    let (_, fs) = faulty();
    let db = Db::open(&over(fs.clone()), DIR).unwrap();
    fs.inject(Fault::always(Op::Create, ".sst", FaultKind::NoSpace));
    within(30, "a stalled writer", {
        let db = db.clone();
        move || {
            let failed =
                (0..5000u32).find_map(|i| db.put(&wo(), &i.to_be_bytes(), &[1; 200]).err());
            assert!(failed.expect("no error").is_no_space());
        }
    });
    fs.clear();
    eventually("writes resume", || db.put(&wo(), b"k", b"v").is_ok());
}

#[test]
fn a_switch_for_an_old_wal_is_tried_again() {
    let (_, fs) = faulty();
    let mut options = over(fs.clone());
    options.db.max_total_wal_size = 150 << 10;
    let (db, cfs) = open_three(&options, Path::new(DIR));
    db.put_cf(&wo(), &cfs[1], b"idle", b"v").unwrap();
    // The first new WAL is the writer's, the next the background's.
    for i in 0..1200u32 {
        if i == 300 {
            fs.inject(Fault { times: 1, ..Fault::nth(Op::Create, ".log", 1, FaultKind::NoSpace) });
        }
        eventually("a write", || db.put(&wo(), &i.to_be_bytes(), &[1; 200]).is_ok());
    }
    eventually("writes resume", || db.put(&wo(), b"k", b"v").is_ok());
}

/// Bytes in order, until a key asks for trouble.
struct Explosive;

impl ferrolith::internal::base::Comparator for Explosive {
    fn name(&self) -> &str {
        "test.Explosive"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
        assert!(a != b"boom" && b != b"boom", "the comparator panics as the test wants");
        a.cmp(b)
    }
}

#[test]
fn a_panic_in_a_comparator_stops_writes_and_leaves_no_half_batch() {
    let dir = crate::support::temp_dir();
    let mut options = crate::support::small();
    options.cf.comparator = std::sync::Arc::new(Explosive);
    let wo = ferrolith::internal::options::WriteOptions::default();
    let db = ferrolith::internal::db::Db::open(&options, dir.path()).unwrap();
    db.put(&wo, b"before", b"v").unwrap();
    let writer = db.clone();
    let panicked = std::thread::spawn(move || {
        let mut batch = ferrolith::internal::batch::WriteBatch::new();
        batch.put(b"half", b"v").unwrap();
        batch.put(b"boom", b"v").unwrap();
        writer.write(&wo, &mut batch)
    });
    assert!(panicked.join().is_err());
    assert!(db.put(&wo, b"after", b"v").is_err());
    assert!(db.flush(&ferrolith::internal::options::FlushOptions::default()).is_err());
    let tables = db.property("rocksdb.total-sst-files-size");
    assert_eq!(tables.as_deref(), Some("0"));
    db.close().unwrap();
}
