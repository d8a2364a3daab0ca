//! Databases that share a memory limit.

use crate::budget::{MemoryAccount, MemoryOwner};
use crate::db::{Db, DbIterator};
use crate::env::epoch;
use crate::jobs::iterator_room::FLUSH_PATIENCE;
use crate::options::{CompactRangeOptions, FlushOptions, Options, ReadOptions, WriteOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;

fn fill(db: &Db, puts: u32) {
    let wo = WriteOptions::default();
    (0..puts).for_each(|i| db.put(&wo, &i.to_be_bytes(), &[7; 1000]).unwrap());
}

/// Ten databases hold the whole budget, each less than an eighth of it; another one writes.
#[test]
fn quiet_databases_are_flushed_rather_than_the_one_that_writes() {
    let account = MemoryAccount::new(64 * MIB);
    let mut options = Options::default();
    options.db.create_if_missing = true;
    options.db.components.memory_account = Some(Arc::clone(&account));
    options.cf.disable_auto_compactions = true;
    let dirs: Vec<_> = (0..11).map(|_| tempfile::tempdir().unwrap()).collect();
    let dbs: Vec<_> = dirs.iter().map(|dir| Db::open(&options, dir.path()).unwrap()).collect();
    let (writing, quiet) = dbs.split_first().unwrap();
    let tables = |db: &Db| db.property_int("rocksdb.num-files-at-level0").unwrap();
    for db in quiet {
        fill(db, 220);
        // So little is reported only when something else changes.
        db.set_options(&[("disable_auto_compactions", "true")]).unwrap();
    }
    assert_eq!(quiet.iter().map(tables).sum::<u64>(), 0);
    assert!(account.memtables().memory_usage() >= 2 * MIB, "{:?}", account.memtables());
    let _others = account.charge(MemoryOwner::Iterators, 100 * MIB);
    let until = |what: &str, holds: &dyn Fn() -> bool| {
        let end = Instant::now() + Duration::from_secs(10);
        while !holds() {
            assert!(Instant::now() < end, "{what}: {:?}", account.memtables());
            std::thread::sleep(Duration::from_millis(2));
        }
    };
    until("the least", &|| account.memtables().buffer_size() == 2 * MIB);
    fill(writing, 200);
    assert!(tables(writing) < 20, "{} tables", tables(writing));
    until("quiet databases flush", &|| account.memtables().memory_usage() < 2 * MIB);
}

/// A database with a limit of 64 MiB.
fn open_limited(account: &Arc<MemoryAccount>, dir: &Path) -> Db {
    let mut options = Options::default();
    options.db.create_if_missing = true;
    options.db.components.memory_account = Some(Arc::clone(account));
    Db::open(&options, dir).unwrap()
}

/// What `round` rounds of [`iterators_keep_few_flushed_memtables`] have left: a key of each round, which the next round
/// but one deletes, and one key that all rounds overwrite.
fn expected(rounds: u32) -> Vec<(Vec<u8>, Vec<u8>)> {
    let value = |round: u32| round.to_be_bytes().to_vec();
    let left = rounds.saturating_sub(2)..rounds;
    let mut all: Vec<_> = left.map(|round| (value(round), value(round))).collect();
    all.push((b"same".to_vec(), value(rounds - 1)));
    all
}

fn entries(iter: &mut DbIterator) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut all = Vec::new();
    iter.seek_to_first();
    while iter.valid() && iter.key() < b"z".as_slice() {
        all.push((iter.key().to_vec(), iter.value().to_vec()));
        iter.next();
    }
    iter.status().unwrap();
    all
}

/// Each iterator stays open while half a MiB is written and flushed, 60 times. It must not keep that memory, and still
/// see the entries of its moment.
#[test]
fn iterators_keep_few_flushed_memtables() {
    let account = MemoryAccount::new(64 * MIB);
    let dir = tempfile::tempdir().unwrap();
    let db = open_limited(&account, dir.path());
    let wo = WriteOptions::default();
    let mut open = Vec::new();
    for round in 0..60_u32 {
        for i in 0..512_u32 {
            let key = [b"z".as_slice(), &round.to_be_bytes(), &i.to_be_bytes()].concat();
            db.put(&wo, &key, &[7; 1000]).unwrap();
        }
        let number = |round: u32| round.to_be_bytes();
        db.put(&wo, &number(round), &number(round)).unwrap();
        db.put(&wo, b"same", &number(round)).unwrap();
        if let Some(last) = round.checked_sub(2) {
            db.delete_range(&wo, &number(last), &number(last + 1)).unwrap();
        }
        open.push(db.iter(&ReadOptions::default()).unwrap());
        db.flush(&FlushOptions::default()).unwrap();
        let kept = account.used(MemoryOwner::KeptMemtables);
        assert!(kept < 6 * MIB, "{kept} bytes after {round} rounds");
    }
    assert!(account.used(MemoryOwner::KeptMemtables) > 3 * MIB, "below a sixteenth, all may stay");
    db.compact_range(&CompactRangeOptions::default(), None, None).unwrap();
    for (rounds, iter) in (1..).zip(&mut open) {
        assert_eq!(entries(iter), expected(rounds), "{rounds} rounds");
    }
    drop(open);
    epoch::synchronize();
    assert_eq!(account.used(MemoryOwner::KeptMemtables), 0);
}

/// A memtable counts as kept as soon as an iterator takes it. It grows on only while iterators keep little.
#[test]
fn memtables_of_iterators_do_not_grow_on() {
    let account = MemoryAccount::new(64 * MIB);
    let dir = tempfile::tempdir().unwrap();
    let db = open_limited(&account, dir.path());
    let kept = || account.used(MemoryOwner::KeptMemtables);
    let tables = || db.property_int("rocksdb.num-files-at-level0").unwrap();
    fill(&db, 1000);
    assert_eq!(kept(), 0);
    let iter = db.iter(&ReadOptions::default()).unwrap();
    assert!(kept() > 1_000_000, "{} bytes", kept());
    fill(&db, 2000);
    assert_eq!(tables(), 0, "a sixteenth may be kept");
    let others = account.charge(MemoryOwner::KeptMemtables, 20 * MIB);
    fill(&db, 8000);
    db.flush(&FlushOptions::default()).unwrap();
    // Flushed memtables count until no reader can reach them, which other tests may delay.
    let own = || kept() - others.bytes();
    wait_until(|| own() < 5 * MIB, || format!("{} bytes of 11 MB written", own()));
    drop(iter);
    wait_until(|| own() == 0, || format!("{} bytes stay", own()));
}

/// Waits until memory that nobody can reach is freed and `is_done`, at most ten seconds.
fn wait_until(is_done: impl Fn() -> bool, what: impl Fn() -> String) {
    for _ in 0..1000 {
        epoch::synchronize();
        if is_done() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{}", what());
}

/// While flushes are paused, a new iterator does not wait for one. Snapshots show the same entries before and after.
#[test]
fn iterators_need_no_flush_that_is_impossible() {
    let account = MemoryAccount::new(64 * MIB);
    let dir = tempfile::tempdir().unwrap();
    let db = open_limited(&account, dir.path());
    let _kept = account.charge(MemoryOwner::KeptMemtables, 20 * MIB);
    fill(&db, 100);
    let snapshot = db.snapshot();
    fill(&db, 200);
    db.pause_background_work().unwrap();
    let start = Instant::now();
    let count = |ro: &ReadOptions| entries(&mut db.iter(ro).unwrap()).len();
    let of_snapshot = ReadOptions { snapshot: Some(snapshot.sequence()), ..Default::default() };
    assert_eq!((count(&of_snapshot), count(&ReadOptions::default())), (100, 200));
    assert!(start.elapsed() < FLUSH_PATIENCE, "{:?}", start.elapsed());
    db.continue_background_work().unwrap();
    assert_eq!((count(&of_snapshot), count(&ReadOptions::default())), (100, 200));
    let tables = db.property_int("rocksdb.num-files-at-level0").unwrap();
    assert_eq!(tables, 1, "the iterator flushes as soon as it may");
}
