use super::*;
use crate::clock::ManualClock;

fn open(path: &Path) -> Arc<LocalStore> {
    let store = LocalStore::open(path, StoreOptions::new(Durability::Os, 64 << 20, 2)).unwrap();
    store.create_partition(Partition(1), Format::Redis).unwrap();
    store
}

#[test]
fn epochs_grow_and_partitions_survive_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut batch = Batch::default();
    store.put(&mut batch, Partition(1), b"k", b"v").unwrap();
    store.commit(&mut batch).unwrap();
    let before = store.versions().next();
    store.close().unwrap();
    drop(store);
    let store = open(dir.path());
    assert!(store.versions().next() > before + (1 << 39));
    let mut seen = Vec::new();
    assert!(store.get(Partition(1), b"k", None, &mut |value| seen = value.to_vec()).unwrap());
    assert_eq!(seen, b"v");
    assert!(store.get(Partition(2), b"k", None, &mut |_| {}).is_err());
    store.drop_partition(Partition(1)).unwrap();
    store.drop_partition(Partition(1)).unwrap();
    assert!(store.get(Partition(1), b"k", None, &mut |_| {}).is_err());
    store.close().unwrap();
}

#[test]
fn horizons_follow_by_a_minute_and_survive() {
    let dir = tempfile::tempdir().unwrap();
    let (store, clock) = (open(dir.path()), ManualClock::new(1_000_000));
    store.tick(&clock, true).unwrap();
    let version = store.versions().peek();
    store.versions().next();
    clock.advance_ms(HORIZON_LAG_MS - 1);
    store.tick(&clock, true).unwrap();
    assert_eq!(store.horizons().expired_ms(), 0);
    clock.advance_ms(1);
    store.tick(&clock, true).unwrap();
    assert_eq!(store.horizons().expired_ms(), 1_000_000);
    assert_eq!(store.horizons().version(), version);
    // A replica keeps W, and raises H.
    let version = store.versions().peek();
    for _ in 0..2 {
        clock.advance_ms(HORIZON_LAG_MS);
        store.tick(&clock, false).unwrap();
    }
    assert_eq!(store.horizons().expired_ms(), 1_000_000);
    assert_eq!(store.horizons().version(), version);
    store.close().unwrap();
    drop(store);
    let store = open(dir.path());
    assert_eq!(store.horizons().expired_ms(), 1_000_000);
    // A clock that was set back cannot revive what a compaction may have dropped.
    assert_eq!(store.horizons().evaluation_ms(5), 1_000_000);
    store.close().unwrap();
}

#[test]
fn compactions_drop_expired_keys_and_orphans_only() {
    use crate::rows::redis::{Collection, DATA, Head, Type, meta_key, sub_key};
    use std::sync::atomic::Ordering;
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let (old, current, future) = (store.versions().next(), store.versions().next(), u64::MAX);
    let mut batch = Batch::default();
    let mut put = |key: &[u8], value: &[u8]| {
        store.put(&mut batch, Partition(1), key, value).unwrap();
    };
    for (key, expire_ms) in [(&b"dead"[..], 99), (b"alive", 100), (b"forever", 0)] {
        let mut row = Vec::new();
        Head { ty: Type::String, encoding: 0, expire_ms }.write(&mut row);
        put(&meta_key(7, key), &row);
    }
    let head = Head { ty: Type::Hash, encoding: 0, expire_ms: 0 };
    let row = Collection { head, version: current, count: 1, extra: Default::default() };
    put(&meta_key(7, b"hash"), &row.to_bytes());
    for version in [old, current, future] {
        put(&sub_key(DATA, 7, b"hash", version, b"field"), b"value");
    }
    put(&sub_key(DATA, 7, b"gone", old, b"field"), b"value");
    store.commit(&mut batch).unwrap();
    store.horizons().raise(100, current + 1);
    let family = store.db().cf("r1").unwrap();
    family.flush().unwrap();
    let force = ferrolith::CompactRangeOptions {
        bottommost_level_compaction: ferrolith::BottommostLevelCompaction::Force,
        ..Default::default()
    };
    family.compact_range_opt(.., &force).unwrap();
    let left: Vec<_> = family.iter().map(|row| row.unwrap().0.into_vec()).collect();
    let expected = [
        sub_key(DATA, 7, b"hash", current, b"field").to_vec(),
        sub_key(DATA, 7, b"hash", future, b"field").to_vec(),
        meta_key(7, b"alive").to_vec(),
        meta_key(7, b"forever").to_vec(),
        meta_key(7, b"hash").to_vec(),
    ];
    assert_eq!(left, expected);
    assert_eq!(store.horizons().removed().load(Ordering::Relaxed), 1);
    store.close().unwrap();
}

#[test]
fn figures_of_the_database_are_not_summed() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for partition in 2..6 {
        store.create_partition(Partition(partition), Format::Redis).unwrap();
    }
    let mut batch = Batch::default();
    for partition in 1..6 {
        store.put(&mut batch, Partition(partition), b"k", &[7; 50_000]).unwrap();
    }
    store.commit(&mut batch).unwrap();
    let figure = |name: &str| store.figure(&format!("rocksdb.{name}")).unwrap();
    let view = store.view();
    assert_eq!(figure("num-snapshots"), 1);
    drop(view);
    assert_eq!(figure("num-snapshots"), 0);
    // A quarter of the 64 MB is for cached rows.
    assert_eq!(figure("block-cache-capacity"), 48 << 20);
    let usage = figure("block-cache-usage");
    assert!(usage > 0 && usage <= 48 << 20, "{usage}");
    assert_eq!(figure("is-file-deletions-enabled"), 1);
    for name in inspect::SHARED {
        assert_eq!(store.figure(name), store.db().property_int(name), "{name}");
    }
    // These are of families.
    assert_eq!(figure("num-entries-active-mem-table"), 6, "five rows and the epoch");
    let one = store.db().property_int("rocksdb.cur-size-all-mem-tables").unwrap();
    assert!(figure("cur-size-all-mem-tables") > one + 250_000);
    assert_eq!(store.figure("rocksdb.no-such-figure"), None);
}

/// Returns the value of a row by [`Store::get`], after checking that the other ways of reading agree.
fn read(store: &LocalStore, key: &[u8]) -> Option<Vec<u8>> {
    let value = store.multi_get(&[(Partition(1), RowKey::from_slice(key))]).unwrap().remove(0);
    let value = value.map(|value| value.to_vec());
    let check = |is_found: bool, found: &[u8]| {
        assert_eq!(is_found.then_some(found), value.as_deref(), "{key:?}");
    };
    for _ in 0..2 {
        let mut found = Vec::new();
        let get = |found: &mut Vec<u8>, view| {
            let run = &mut |value: &[u8]| *found = value.to_vec();
            store.get(Partition(1), key, view, run).unwrap()
        };
        let is_found = get(&mut found, None);
        check(is_found, &found);
        let is_found = get(&mut found, Some(&store.view()));
        check(is_found, &found);
        let (mut is_found, mut found) = (false, Vec::new());
        let wanted = [(Partition(1), b"never".as_slice()), (Partition(1), key)];
        store
            .get_each_alone(&wanted, &mut |at, value| {
                assert_eq!(at, 1);
                (is_found, found) = (true, value.to_vec());
            })
            .unwrap();
        check(is_found, &found);
    }
    value
}

#[test]
fn cached_rows_are_those_of_the_engine() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut random = fastrand::Rng::with_seed(5);
    let (mut model, mut batch) = (std::collections::BTreeMap::new(), Batch::default());
    for _ in 0..1500 {
        for _ in 0..random.usize(1..5) {
            let key = vec![b"MD"[random.usize(..2)], random.u8(..20)];
            match random.u8(..16) {
                0 => {
                    let range = Range::prefix(&key[..1 + random.usize(..2)]);
                    store.delete_range(&mut batch, Partition(1), &range).unwrap();
                    model.retain(|at: &Vec<u8>, _| {
                        at[..] < range.start[..] || at[..] >= range.end[..]
                    });
                }
                1..5 => {
                    store.delete(&mut batch, Partition(1), &key).unwrap();
                    model.remove(&key);
                }
                _ => {
                    let length = [3, 100, 150, 4096, 4097][random.usize(..5)];
                    let value = vec![random.u8(..); length];
                    store.put(&mut batch, Partition(1), &key, &value).unwrap();
                    model.insert(key, value);
                }
            }
        }
        store.commit(&mut batch).unwrap();
        for _ in 0..6 {
            let key = vec![b"MD"[random.usize(..2)], random.u8(..20)];
            assert_eq!(read(&store, &key).as_ref(), model.get(&key));
        }
    }
    let hits = store.figure("ferrolith.row-cache-hits").unwrap();
    assert!(hits > 5000, "{hits} hits");
    store.close().unwrap();
}

#[test]
fn refused_batches_change_no_cached_row() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut batch = Batch::default();
    store.put(&mut batch, Partition(1), b"Mk", b"old").unwrap();
    store.commit(&mut batch).unwrap();
    assert_eq!(read(&store, b"Mk").unwrap(), b"old");
    store.create_partition(Partition(2), Format::Redis).unwrap();
    store.put(&mut batch, Partition(1), b"Mk", b"new").unwrap();
    store.put(&mut batch, Partition(2), b"Mk", b"new").unwrap();
    store.drop_partition(Partition(2)).unwrap();
    assert!(store.commit(&mut batch).is_err());
    assert!(batch.is_empty());
    assert_eq!(read(&store, b"Mk").unwrap(), b"old");
    store.close().unwrap();
}

#[test]
fn a_dropped_partition_has_no_cached_rows() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut batch = Batch::default();
    store.put(&mut batch, Partition(1), b"Mk", b"v").unwrap();
    store.commit(&mut batch).unwrap();
    assert_eq!(read(&store, b"Mk").unwrap(), b"v");
    store.drop_partition(Partition(1)).unwrap();
    assert!(store.get(Partition(1), b"Mk", None, &mut |_| panic!("it was dropped")).is_err());
    store.close().unwrap();
}

/// A pipeline that sees a commit in one reply sees it in the following ones.
#[test]
fn rows_of_a_list_are_read_in_its_order() {
    use std::sync::atomic::{AtomicBool, Ordering};
    const KEYS: [&[u8]; 4] = [b"Ma", b"Mb", b"Mc", b"Md"];
    let dir = tempfile::tempdir().unwrap();
    let (store, is_over) = (open(dir.path()), AtomicBool::new(false));
    let write = |version: u64| {
        let mut batch = Batch::default();
        for key in KEYS {
            store.put(&mut batch, Partition(1), key, &version.to_be_bytes()).unwrap();
        }
        store.commit(&mut batch).unwrap();
    };
    write(0);
    let run = |seed| {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut newest = 0;
        while !is_over.load(Ordering::Relaxed) {
            // Some of the rows are cached, some are not.
            let key = KEYS[random.usize(..KEYS.len())];
            store.get(Partition(1), key, None, &mut |_| {}).unwrap();
            let wanted: Vec<_> =
                (0..8).map(|_| (Partition(1), KEYS[random.usize(..KEYS.len())])).collect();
            let mut found = [None; 8];
            store
                .get_each_alone(&wanted, &mut |at, value| {
                    assert!(found[at].replace(number(value, 0)).is_none(), "twice");
                })
                .unwrap();
            for version in found {
                assert!(version.unwrap() >= newest, "{found:?} after {newest}");
                newest = version.unwrap();
            }
        }
    };
    std::thread::scope(|scope| {
        let run = &run;
        (0..3).for_each(|seed| drop(scope.spawn(move || run(seed))));
        (1..4000).for_each(write);
        // Readers may have had no turn on a busy machine.
        while store.figure("ferrolith.row-cache-hits").unwrap() < 100 {
            std::thread::yield_now();
        }
        is_over.store(true, Ordering::Relaxed);
    });
    store.close().unwrap();
}
