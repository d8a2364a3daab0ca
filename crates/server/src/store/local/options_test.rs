//! Reads of one collection skip tables without it, and hide nothing.

use super::*;
use crate::rows::redis::{DATA, META, SCORE, meta_key, sub_key, sub_prefix};
use crate::store::local::LocalStore;
use crate::store::{Batch, Range, Store, Txn};
use ferrolith::internal::base::perf::{self, PerfLevel, PerfMetric};
use std::collections::BTreeMap;

const REDIS: Partition = Partition(1);
const PEGASUS: Partition = Partition(2);

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

/// Opens a store in which nothing is compacted unless the test asks for it.
fn open(path: &Path) -> Arc<LocalStore> {
    let store = LocalStore::open(path, StoreOptions::new(Durability::Os, 64 << 20, 1)).unwrap();
    for (partition, format) in [(REDIS, Format::Redis), (PEGASUS, Format::Pegasus)] {
        store.create_partition(partition, format).unwrap();
        store.set_options(partition, &[("disable_auto_compactions", "true")]).unwrap();
    }
    store
}

fn write(store: &LocalStore, rows: &[(Partition, Vec<u8>)]) {
    let mut batch = Batch::default();
    for (partition, key) in rows {
        store.put(&mut batch, *partition, key, &[7; 500]).unwrap();
    }
    store.commit(&mut batch).unwrap();
}

fn flush(store: &LocalStore) {
    for family in ["r1", "p2"] {
        store.db().cf(family).unwrap().flush().unwrap();
    }
}

/// Returns the keys of a range, forwards.
fn keys(store: &LocalStore, partition: Partition, range: &Range) -> Vec<Vec<u8>> {
    walk(store, partition, range, false)
}

fn walk(
    store: &LocalStore,
    partition: Partition,
    range: &Range,
    is_backwards: bool,
) -> Vec<Vec<u8>> {
    let mut cursor = store.cursor(partition, range, None).unwrap();
    cursor.seek_to_end(is_backwards);
    let mut keys = Vec::new();
    while let Some((key, _)) = cursor.item() {
        keys.push(key.to_vec());
        cursor.step(is_backwards);
    }
    cursor.status().unwrap();
    keys
}

/// Returns how many blocks `run` needs, from the cache or from a file.
fn blocks(run: impl FnOnce()) -> u64 {
    perf::set_level(PerfLevel::EnableCount);
    perf::reset();
    run();
    let metrics = [PerfMetric::BlockCacheHitCount, PerfMetric::BlockReadCount];
    let blocks = metrics.into_iter().map(perf::value).sum();
    perf::set_level(PerfLevel::Disable);
    blocks
}

const COLLECTIONS: u64 = 200;

fn redis_row(n: u64) -> Vec<u8> {
    sub_key(DATA, 9, format!("{n:04}").as_bytes(), n, b"field").to_vec()
}

fn pegasus_row(n: u64) -> Vec<u8> {
    pegasus::key(format!("{n:04}").as_bytes(), b"sort key")
}

/// Returns the range of collection `n`.
fn whole(partition: Partition, n: u64) -> Range {
    let row = if partition == REDIS { redis_row(n) } else { pegasus_row(n) };
    let prefix = match partition {
        REDIS => redis::collection_of(&row),
        _ => pegasus::hash_key_prefix(&row),
    };
    Range::prefix(prefix.unwrap())
}

/// Writes a collection of one row per number to each partition.
fn write_collections(store: &LocalStore, numbers: impl Iterator<Item = u64>) {
    let rows = numbers.flat_map(|n| [(REDIS, redis_row(n)), (PEGASUS, pegasus_row(n))]);
    write(store, &rows.collect::<Vec<_>>());
}

/// Returns how many blocks it takes to read each of some collections, of which each has one row.
fn blocks_of(store: &LocalStore, partition: Partition, numbers: impl Iterator<Item = u64>) -> u64 {
    let ranges: Vec<_> = numbers.map(|n| whole(partition, n)).collect();
    blocks(|| {
        for range in &ranges {
            assert_eq!(keys(store, partition, range).len(), 1);
        }
    })
}

#[test]
fn a_read_of_a_collection_skips_tables_without_it() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for part in 0..4 {
        write_collections(&store, (0..COLLECTIONS).filter(|n| n % 4 == part));
        flush(&store);
    }
    for partition in [REDIS, PEGASUS] {
        // The first reads of a table also read its index and its filter.
        blocks_of(&store, partition, 0..COLLECTIONS);
        let needed = blocks_of(&store, partition, 0..COLLECTIONS);
        // Without filters, one block of each of the four tables.
        assert!((COLLECTIONS..COLLECTIONS * 6 / 5).contains(&needed), "{partition:?}: {needed}");
        // A collection that does not exist needs none.
        let absent: Vec<_> = (COLLECTIONS..2 * COLLECTIONS).map(|n| whole(partition, n)).collect();
        let needed = blocks(|| {
            absent.iter().for_each(|range| assert!(keys(&store, partition, range).is_empty()));
        });
        assert!(needed < COLLECTIONS / 5, "{partition:?}: {needed}");
        // Backwards, as ZREVRANGE reads.
        let needed = blocks(|| {
            for n in 0..COLLECTIONS {
                assert_eq!(walk(&store, partition, &whole(partition, n), true).len(), 1);
            }
        });
        // For a row at an edge of a block, the next block is read, too. Without filters, it would be four tables.
        assert!((COLLECTIONS..COLLECTIONS * 2).contains(&needed), "{partition:?}: {needed}");
    }
    // Ranges of several collections show all of them.
    for kind in [DATA, META] {
        let expected = if kind == DATA { COLLECTIONS as usize } else { 0 };
        assert_eq!(keys(&store, REDIS, &Range::prefix(&[kind])).len(), expected);
    }
    let range = Range { start: whole(REDIS, 0).start, end: whole(REDIS, 1).end };
    assert_eq!(keys(&store, REDIS, &range).len(), 2);
    store.close().unwrap();
}

#[test]
fn tables_without_prefixes_are_read_with_later_ones() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store.close().unwrap();
    drop(store);
    // As builds before the extractors wrote them.
    let families = ["r1", "p2"];
    let plain = || {
        let options = Options::new();
        let options = families.into_iter().fold(options, |options, name| {
            options.column_family(
                name,
                ColumnFamilyOptions::new()
                    .set("disable_auto_compactions", "true")
                    .unwrap()
                    .block_based_table(BlockBasedOptions::new().bloom_filter(10.0)),
            )
        });
        Db::open_with(&options, dir.path()).unwrap()
    };
    let db = plain();
    for n in 0..COLLECTIONS / 2 {
        db.cf("r1").unwrap().put(redis_row(n), "old").unwrap();
        db.cf("p2").unwrap().put(pegasus_row(n), "old").unwrap();
    }
    families.into_iter().for_each(|name| db.cf(name).unwrap().flush().unwrap());
    db.close().unwrap();

    let store = open(dir.path());
    write_collections(&store, COLLECTIONS / 2..COLLECTIONS);
    flush(&store);
    for partition in [REDIS, PEGASUS] {
        blocks_of(&store, partition, 0..COLLECTIONS);
        let old = blocks_of(&store, partition, 0..COLLECTIONS / 2);
        assert!(old < COLLECTIONS * 6 / 10, "{partition:?}: {old}");
    }
    // Compactions write tables with prefixes.
    for family in families {
        store.db().cf(family).unwrap().compact().unwrap();
    }
    for partition in [REDIS, PEGASUS] {
        for n in 0..COLLECTIONS {
            assert_eq!(keys(&store, partition, &whole(partition, n)).len(), 1);
        }
    }
    store.close().unwrap();
    drop(store);

    // Programs without the extractors read the same rows.
    let db = plain();
    for (name, row) in [("r1", redis_row as fn(u64) -> Vec<u8>), ("p2", pegasus_row)] {
        let family = db.cf(name).unwrap();
        assert_eq!(family.iter().count() as u64, COLLECTIONS);
        for n in 0..COLLECTIONS {
            assert!(family.get(row(n)).unwrap().is_some());
            assert_eq!(family.prefix(row(n)).count(), 1);
        }
    }
    db.close().unwrap();
}

/// Keys of which one is the beginning of another, also with the length or the version that follows.
const KEYS: [&[u8]; 8] =
    [b"", b"a", b"ab", b"ab\0", b"\0\x01", b"\xff", b"\xff\xff", b"a\0\0\0\0\0"];
const SUBS: [&[u8]; 6] = [b"", b"\0", b"m", b"mm", b"\xff", b"\xff\xff\xff"];
const VERSIONS: [u64; 4] = [1, 2, 0x6100, u64::MAX];

/// Returns the prefix of a collection, and what may follow it.
fn pick(random: &mut fastrand::Rng) -> (redis::RowKey, &'static [u8]) {
    let kind = [DATA, SCORE][random.usize(..2)];
    let (key, version) = (KEYS[random.usize(..8)], VERSIONS[random.usize(..4)]);
    (sub_prefix(kind, 9, key, version), SUBS[random.usize(..6)])
}

#[test]
fn collections_match_a_model() {
    let mut random = fastrand::Rng::with_seed(5);
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let mut model = Model::new();
    for round in 0..60 {
        let mut txn = Txn::new(store.clone());
        for _ in 0..40 {
            let (prefix, sub) = pick(&mut random);
            let key = [&prefix[..], sub].concat();
            match random.u8(..20) {
                0 => {
                    txn.delete_range(REDIS, &Range::prefix(&prefix)).unwrap();
                    model.retain(|key, _| !key.starts_with(&prefix));
                }
                1 => {
                    // Rows that belong to no collection.
                    let key = meta_key(9, KEYS[random.usize(..8)]).to_vec();
                    txn.put(REDIS, &key, b"meta").unwrap();
                    model.insert(key, b"meta".to_vec());
                }
                2..8 => {
                    txn.delete(REDIS, &key).unwrap();
                    model.remove(&key);
                }
                _ => {
                    let value = vec![random.u8(..); 100];
                    txn.put(REDIS, &key, &value).unwrap();
                    model.insert(key, value);
                }
            }
        }
        check(&txn, &model, &mut random);
        txn.commit().unwrap();
        drop(txn);
        match round % 15 {
            3 | 6 | 9 => flush(&store),
            12 => store.db().cf("r1").unwrap().compact().unwrap(),
            14 => {
                store.close().unwrap();
                drop(store);
                store = open(dir.path());
            }
            _ => {}
        }
        check(&Txn::new(store.clone()), &model, &mut random);
    }
    store.close().unwrap();
}

/// Compares scans of collections and of parts of them, and one of everything.
fn check(txn: &Txn, model: &Model, random: &mut fastrand::Rng) {
    let mut ranges = vec![Range::prefix(&[DATA]), Range::prefix(&[SCORE]), Range::prefix(&[META])];
    for _ in 0..30 {
        let (prefix, sub) = pick(random);
        let whole = Range::prefix(&prefix);
        let from = redis::RowKey::from_vec([&prefix[..], sub].concat());
        ranges.push(Range { start: from.clone(), end: whole.end.clone() });
        ranges.push(Range { start: whole.start.clone(), end: from });
        ranges.push(whole);
    }
    for range in ranges {
        let within = |key: &[u8]| &range.start[..] <= key && key < &range.end[..];
        let expected: Vec<_> =
            model.iter().filter(|(key, _)| within(key)).map(|(k, v)| (&k[..], &v[..])).collect();
        let mut rows = txn.rows(REDIS, range.clone()).unwrap();
        let mut row = rows.first().unwrap();
        for expected in &expected {
            assert_eq!(row, Some(*expected));
            row = rows.next().unwrap();
        }
        assert_eq!(row, None);
        let mut row = rows.last().unwrap();
        for expected in expected.iter().rev() {
            assert_eq!(row, Some(*expected));
            row = rows.next().unwrap();
        }
        assert_eq!(row, None);
    }
}
