//! Nothing stays in memory of what came and went: families, handles, jobs, whole databases. One test in a
//! process of its own, since it counts the bytes of the whole heap.

use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::backup::{BackupEngine, BackupEngineOptions};
use ferrolith::internal::db::{Checkpoint, Db};
use ferrolith::internal::external::SstFileWriter;
use ferrolith::internal::hooks::EventListener;
use ferrolith::internal::options::{
    CompactRangeOptions, FlushOptions, IngestExternalFileOptions, Options, ReadOptions,
    WriteOptions,
};
use ferrolith::internal::stats::Statistics;
use ferrolith::internal::txn::{
    OptimisticTransactionDb, OptimisticTransactionOptions, TransactionDb, TransactionDbOptions,
    TransactionOptions,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

#[global_allocator]
static HEAP: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// What a round may leave: lists that grow by doubling, and what the standard library keeps.
const LEFT_MAX: isize = 64;

fn live_bytes() -> isize {
    let stats = HEAP.stats();
    stats.bytes_allocated as isize - stats.bytes_deallocated as isize
}

/// The bytes once the background is still: the least of several looks.
fn settled() -> isize {
    let look = |_| {
        std::thread::sleep(Duration::from_millis(30));
        live_bytes()
    };
    (0..10).map(look).min().unwrap_or_default()
}

/// What each round leaves in memory, once as many have gone before.
fn left_per_round(rounds: usize, mut round: impl FnMut(usize)) -> isize {
    (0..rounds).for_each(&mut round);
    let before = settled();
    (rounds..2 * rounds).for_each(&mut round);
    (settled() - before) / rounds as isize
}

fn options() -> Options {
    let mut options = Options::default();
    options.db.create_if_missing = true;
    // So that a new LOG comes now and then, and repeats what it must.
    options.db.max_log_file_size = 64 << 10;
    options.db.keep_log_file_num = 3;
    options.db.statistics = Some(Statistics::new());
    options.cf.write_buffer_size = 64 << 10;
    options
}

struct Judge(Vec<String>);

impl Judge {
    /// What leaks leaks each time; other growth, as of a list that doubles, ends.
    fn round(&mut self, what: &str, rounds: usize, mut round: impl FnMut(usize)) {
        let mut left = isize::MAX;
        for attempt in 0..4 {
            let from = 2 * rounds * attempt;
            left = left.min(left_per_round(rounds, |i| round(from + i)));
            if left <= LEFT_MAX {
                break;
            }
        }
        eprintln!("{what}: {left} bytes");
        if left > LEFT_MAX {
            self.0.push(format!("{what}: {left} bytes each"));
        }
    }
}

#[test]
fn nothing_is_left_of_what_came_and_went() {
    let mut judge = Judge(Vec::new());
    // In memory, where there is such a place: most of the time goes into syncs.
    let root = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let db = Db::open(&options(), root.path().join("db")).unwrap();
    of_families(&mut judge, &db);
    of_reads(&mut judge, &db);
    of_jobs(&mut judge, &db, root.path());
    of_options(&mut judge, &db);
    drop(db);
    of_databases(&mut judge, root.path());
    of_transactions(&mut judge, root.path());
    assert!(judge.0.is_empty(), "{:#?}", judge.0);
}

fn of_families(judge: &mut Judge, db: &Db) {
    let wo = WriteOptions::default();
    judge.round("an empty family made and dropped", 500, |i| {
        let cf = db.create_cf(&format!("empty {i}"), &options().cf).unwrap();
        db.drop_cf(&cf).unwrap();
    });
    judge.round("a family made, filled, flushed and dropped", 50, |i| {
        let cf = db.create_cf(&format!("family {i}"), &options().cf).unwrap();
        db.put_cf(&wo, &cf, b"key", b"value").unwrap();
        db.flush_cf(&FlushOptions::default(), &cf).unwrap();
        assert!(db.get_cf(&ReadOptions::default(), &cf, b"key").unwrap().is_some());
        db.drop_cf(&cf).unwrap();
    });
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
}

fn of_reads(judge: &mut Judge, db: &Db) {
    let (wo, ro) = (WriteOptions::default(), ReadOptions::default());
    (0..100u8).for_each(|i| db.put(&wo, &[i], b"value").unwrap());
    db.flush(&FlushOptions::default()).unwrap();
    judge.round("a snapshot", 1000, |_| drop(db.snapshot()));
    judge.round("an iterator", 1000, |_| {
        let mut iter = db.iter(&ro).unwrap();
        iter.seek_to_first();
        iter.next();
    });
    judge.round("an iterator on a thread", 100, |_| {
        let db = db.clone();
        let read = move || {
            let mut iter = db.iter(&ReadOptions::default()).unwrap();
            iter.seek_to_first();
            db.get(&ReadOptions::default(), &[1]).unwrap()
        };
        assert!(std::thread::spawn(read).join().unwrap().is_some());
    });
    judge.round("a batch", 500, |_| {
        let mut batch = WriteBatch::new();
        batch.put(b"a", b"b").unwrap();
        batch.delete(b"a").unwrap();
        db.write(&wo, &mut batch).unwrap();
    });
    judge.round("a range tombstone, flushed and compacted", 50, |_| {
        db.put(&wo, b"x", b"y").unwrap();
        db.delete_range(&wo, b"x", b"z").unwrap();
        db.flush(&FlushOptions::default()).unwrap();
        db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    });
    judge.round("a property", 200, |_| drop(db.property("rocksdb.stats")));
}

fn of_jobs(judge: &mut Judge, db: &Db, root: &Path) {
    let wo = WriteOptions::default();
    judge.round("a checkpoint", 30, |i| {
        let to = root.join(format!("checkpoint {i}"));
        Checkpoint::new(db).create(&to, 0).unwrap();
        Db::destroy(&options().db, &to).unwrap();
    });
    let mut backups = BackupEngine::open(BackupEngineOptions::new(root.join("backups"))).unwrap();
    judge.round("a backup made and deleted", 30, |_| {
        backups.create_new_backup(db).unwrap();
        backups.purge_old_backups(1).unwrap();
    });
    judge.round("a table made and ingested, and compacted", 30, |i| {
        let path = root.join(format!("{i}.sst"));
        let mut writer = SstFileWriter::new(&options());
        writer.open(&path).unwrap();
        writer.put(b"ingested", b"value").unwrap();
        writer.finish().unwrap();
        db.ingest_external_file(&[&path], &IngestExternalFileOptions::default()).unwrap();
        db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    });
    judge.round("a memtable filled, flushed and compacted", 20, |_| {
        (0..2000u32).for_each(|i| db.put(&wo, &i.to_be_bytes(), &[7; 100]).unwrap());
        db.flush(&FlushOptions::default()).unwrap();
        db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    });
}

fn of_options(judge: &mut Judge, db: &Db) {
    judge.round("options of a family changed", 100, |i| {
        let size = (65536 + i).to_string();
        db.set_options(&[("write_buffer_size", size.as_str())]).unwrap();
    });
    judge.round("options of a database changed", 100, |i| {
        let period = (600 + i).to_string();
        db.set_db_options(&[("stats_dump_period_sec", period.as_str())]).unwrap();
    });
}

struct Listener;

impl EventListener for Listener {}

fn of_databases(judge: &mut Judge, root: &Path) {
    let path = root.join("again");
    judge.round("a database opened and closed", 30, |_| {
        let mut options = options();
        options.db.components.listeners.push(Arc::new(Listener));
        let db = Db::open(&options, &path).unwrap();
        db.put(&WriteOptions::default(), b"key", b"value").unwrap();
        let mut iter = db.iter(&ReadOptions::default()).unwrap();
        iter.seek_to_first();
        drop(iter);
        drop(db.snapshot());
        db.close().unwrap();
    });
    judge.round("a database that cannot be opened", 50, |_| {
        let mut options = options();
        options.db.error_if_exists = true;
        assert!(Db::open(&options, &path).is_err());
    });
    judge.round("a database opened for reading", 30, |_| {
        let db = Db::open_for_read_only(&options(), &path, false).unwrap();
        assert!(db.get(&ReadOptions::default(), b"key").unwrap().is_some());
    });
}

fn of_transactions(judge: &mut Judge, root: &Path) {
    let wo = WriteOptions::default();
    let options = options();
    let db =
        TransactionDb::open(&options, &TransactionDbOptions::default(), root.join("t")).unwrap();
    let cf = db.db().default_cf();
    judge.round("a transaction", 300, |i| {
        let mut txn = db.begin(&wo, &TransactionOptions::default());
        txn.put(&cf, b"key", b"value").unwrap();
        txn.get_for_update(&ReadOptions::default(), &cf, b"other", true).unwrap();
        if i % 2 == 0 { txn.commit().unwrap() } else { txn.rollback().unwrap() }
    });
    judge.round("a transaction in two phases", 100, |i| {
        let mut txn = db.begin(&wo, &TransactionOptions::default());
        txn.set_name(format!("xid {i}").as_bytes()).unwrap();
        txn.put(&cf, b"key", b"value").unwrap();
        txn.prepare().unwrap();
        if i % 2 == 0 { txn.commit().unwrap() } else { txn.rollback().unwrap() }
    });
    drop((cf, db));
    let db = OptimisticTransactionDb::open(&options, root.join("o")).unwrap();
    let cf = db.db().default_cf();
    judge.round("an optimistic transaction", 300, |_| {
        let mut txn = db.begin(&wo, &OptimisticTransactionOptions::default());
        txn.put(&cf, b"key", b"value").unwrap();
        txn.commit().unwrap();
    });
}
