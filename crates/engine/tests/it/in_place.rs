//! `inplace_update_support`: the same results as ordinary puts without snapshots, in less memory.

use super::support::{dump_cf, open_three, ro, small, temp_dir, wo};
use ferrolith::internal::batch::WriteBatch;
use ferrolith::internal::db::{ColumnFamily, Db};
use ferrolith::internal::options::{FlushOptions, MemtableFactory, Options, ReadOptions};
use ferrolith::internal::stats::{Statistics, Ticker};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn in_place() -> Options {
    let mut options = small();
    options.cf.inplace_update_support = true;
    options.cf.inplace_update_num_locks = 100;
    options.db.allow_concurrent_memtable_write = false;
    options.db.statistics = Some(Statistics::new());
    options
}

#[test]
fn updates_take_no_memory() {
    let dir = temp_dir();
    let options = Options { cf: in_place().cf, ..in_place() };
    let db = Db::open(&options, dir.path()).unwrap();
    let figure = |name: &str| db.property_int(name).unwrap();
    let key = |i: u32| (i % 10).to_be_bytes();
    (0..10).for_each(|i| db.put(&wo(), &key(i), &[0; 1000]).unwrap());
    let before = figure("rocksdb.cur-size-active-mem-table");
    for i in 0..5000u32 {
        db.put(&wo(), &key(i), &vec![i as u8; 1000 - i as usize / 10]).unwrap();
    }
    assert_eq!(figure("rocksdb.cur-size-active-mem-table"), before);
    assert_eq!(figure("rocksdb.num-entries-active-mem-table"), 10);
    let statistics = options.db.statistics.as_ref().unwrap();
    assert_eq!(statistics.ticker(Ticker::NumberKeysUpdated), 5000);
    assert_eq!(statistics.ticker(Ticker::NumberKeysWritten), 5010);
    // Neither a snapshot nor an iterator goes back.
    assert!(!db.supports_snapshots());
    let mut iter = db.iter(&ro()).unwrap();
    db.put(&wo(), &key(0), b"newer").unwrap();
    iter.seek(&key(0));
    assert_eq!(iter.value(), b"newer");
    db.delete(&wo(), &key(1)).unwrap();
    db.put(&wo(), &key(2), &[1; 3000]).unwrap();
    db.flush(&FlushOptions::default()).unwrap();
    let found = |k| db.get(&ro(), &key(k)).unwrap();
    assert_eq!((found(0), found(1)), (Some(b"newer".to_vec()), None));
    assert_eq!(found(2), Some(vec![1; 3000]));
}

#[test]
fn a_put_sees_the_records_before_it_in_its_batch() {
    let dir = temp_dir();
    let mut options = in_place();
    options.db.avoid_flush_during_shutdown = true;
    let db = Db::open(&options, dir.path()).unwrap();
    let keys: [&[u8]; 3] = [b"deleted", b"merged", b"single"];
    keys.iter().for_each(|key| db.put(&wo(), key, b"older").unwrap());
    let mut batch = WriteBatch::new();
    batch.delete(b"deleted").unwrap();
    batch.put(b"deleted", b"newer").unwrap();
    batch.merge(b"merged", b"operand").unwrap();
    batch.put(b"merged", b"newer").unwrap();
    batch.single_delete(b"single").unwrap();
    batch.put(b"single", b"newer").unwrap();
    db.write(&wo(), &mut batch).unwrap();
    let check = |db: &Db| {
        for key in keys {
            let name = String::from_utf8_lossy(key);
            assert_eq!(db.get(&ro(), key).unwrap().as_deref(), Some(&b"newer"[..]), "{name}");
        }
    };
    check(&db);
    db.close().unwrap();
    drop(db);
    check(&Db::open(&options, dir.path()).unwrap());
}

#[test]
fn families_differ() {
    let dir = temp_dir();
    let options = in_place();
    let db = Db::open(&options, dir.path()).unwrap();
    assert!(!db.supports_snapshots());
    drop(db);
    let plain = Options { cf: small().cf, ..options.clone() };
    let db = Db::open(&plain, dir.path()).unwrap();
    assert!(db.supports_snapshots());
    let cf = db.create_cf("in place", &options.cf).unwrap();
    assert!(!db.supports_snapshots());
    db.drop_cf(&cf).unwrap();
    assert!(db.supports_snapshots());
}

type Map = BTreeMap<Vec<u8>, Vec<u8>>;

/// Random writes, reopening and crashes (what is not closed is replayed) against maps.
#[test]
fn random_writes_agree_with_maps() {
    let seed = fastrand::u64(..1 << 40);
    eprintln!("seed {seed}");
    let memtables = [
        MemtableFactory::SkipList { lookahead: 0 },
        MemtableFactory::HashLinkList { bucket_count: 50 },
        MemtableFactory::Vector { count: 0 },
    ];
    for (i, memtable) in memtables.into_iter().enumerate() {
        let mut rng = fastrand::Rng::with_seed(seed);
        let dir = temp_dir();
        let mut options = in_place();
        options.cf.prefix_extractor =
            Some(Arc::new(ferrolith::internal::hooks::FixedPrefixTransform::new(1)));
        options.cf.memtable_factory = memtable;
        let (mut db, mut cfs) = open_three(&options, dir.path());
        let mut maps = [Map::new(), Map::new(), Map::new()];
        for round in 0..4000 {
            write(&db, &cfs, &mut maps, &mut rng);
            let (cf, key) = (rng.usize(..3), vec![rng.u8(..40)]);
            let found = db.get_cf(&ro(), &cfs[cf], &key).unwrap();
            assert_eq!(found.as_ref(), maps[cf].get(&key), "{i}, round {round}");
            match rng.u32(..400) {
                0 => db.flush_cf(&FlushOptions::default(), &cfs[cf]).unwrap(),
                1..4 => compare(&db, &cfs, &maps),
                4 => {
                    drop((db, cfs));
                    (db, cfs) = open_three(&options, dir.path());
                    compare(&db, &cfs, &maps);
                }
                _ => {}
            }
        }
        compare(&db, &cfs, &maps);
    }
}

fn write(db: &Db, cfs: &[ColumnFamily], maps: &mut [Map; 3], rng: &mut fastrand::Rng) {
    let mut batch = WriteBatch::new();
    for _ in 0..rng.usize(1..6) {
        let (cf, key) = (rng.usize(..3), vec![rng.u8(..40)]);
        match rng.u32(..20) {
            0 => {
                batch.delete_cf(cfs[cf].id(), &key).unwrap();
                maps[cf].remove(&key);
            }
            1 if rng.u32(..10) == 0 => {
                let end = vec![key[0] + 3];
                batch.delete_range_cf(cfs[cf].id(), &key, &end).unwrap();
                maps[cf].retain(|k, _| *k < key || *k >= end);
            }
            2 => {
                batch.merge_cf(cfs[cf].id(), &key, b"m").unwrap();
                let value = maps[cf].entry(key).and_modify(|v| v.push(b','));
                value.or_default().push(b'm');
            }
            _ => {
                let value = vec![rng.u8(b'a'..=b'z'); rng.usize(..300)];
                batch.put_cf(cfs[cf].id(), &key, &value).unwrap();
                maps[cf].insert(key, value);
            }
        }
    }
    db.write(&wo(), &mut batch).unwrap();
}

fn compare(db: &Db, cfs: &[ColumnFamily], maps: &[Map; 3]) {
    for (cf, map) in cfs.iter().zip(maps) {
        assert!(dump_cf(db, cf).into_iter().eq(map.clone()), "{}", cf.name());
        let keys: Vec<_> = map.keys().cloned().collect();
        for (found, expected) in db.multi_get_cf(&ro(), cf, &keys).into_iter().zip(map.values()) {
            assert_eq!(&*found.unwrap().unwrap(), &expected[..]);
        }
    }
}

/// Readers of every kind beside two writers: each value is one that was written, whole.
#[test]
fn readers_beside_writers_see_whole_values() {
    let dir = temp_dir();
    let db = Db::open(&in_place(), dir.path()).unwrap();
    let of = |n: u8| vec![n; 600 - usize::from(n)];
    (0..20u8).for_each(|key| db.put(&wo(), &[key], &of(0)).unwrap());
    let whole = |value: &[u8]| assert_eq!(value, of(value[0]), "torn");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|reader| {
                let (db, done) = (&db, &done);
                scope.spawn(move || {
                    let keys: Vec<[u8; 1]> = (0..20).map(|key| [key]).collect();
                    while !done.load(Ordering::Relaxed) {
                        if reader == 0 {
                            keys.iter().for_each(|k| whole(&db.get(&ro(), k).unwrap().unwrap()));
                            let values = db.multi_get(&ro(), &keys);
                            values.into_iter().for_each(|v| whole(&v.unwrap().unwrap()));
                            continue;
                        }
                        let mut iter = db.iter(&ReadOptions::default()).unwrap();
                        iter.seek_to_last();
                        while iter.valid() {
                            whole(iter.value());
                            iter.prev();
                        }
                    }
                })
            })
            .collect();
        let writers: Vec<_> = (0..2u8)
            .map(|writer| {
                let db = &db;
                scope.spawn(move || {
                    for i in 0..3000u32 {
                        let key = [(i % 10) as u8 * 2 + writer];
                        db.put(&wo(), &key, &of((i / 20) as u8)).unwrap();
                    }
                })
            })
            .collect();
        let ended: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        done.store(true, Ordering::Relaxed);
        assert!(ended.iter().all(Result::is_ok));
        drop(readers);
    });
}

#[test]
fn concurrent_writes_are_refused_with_rocksdbs_words() {
    let mut options = in_place();
    options.db.allow_concurrent_memtable_write = true;
    let e = Db::open(&options, temp_dir().path()).unwrap_err();
    assert_eq!(
        e.to_string(),
        "Invalid argument: In-place memtable updates (inplace_update_support) is not compatible with \
         concurrent writes (allow_concurrent_memtable_write)"
    );
}
