//! All forms of a point lookup give what a map gives, wherever the value lies.

use super::support::{option_sets, ro, small, temp_dir, wo};
use ferrolith::internal::base::{ReverseBytewiseComparator, ValueBuffer};
use ferrolith::internal::cache::Cache;
use ferrolith::internal::db::Db;
use ferrolith::internal::options::{
    BlockBasedTableOptions, FilterPolicy, FlushOptions, IndexType, Options, PlainTableOptions,
    ReadOptions, TableFactory,
};
use std::collections::BTreeMap;
use std::sync::Arc;

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn key(i: u32) -> Vec<u8> {
    format!("key{i:07}").into_bytes()
}

/// Values of all sizes; some are too large to be copied.
fn value(rng: &mut fastrand::Rng) -> Vec<u8> {
    let len = if rng.u32(..50) == 0 { rng.usize(4000..9000) } else { rng.usize(..200) };
    (0..len).map(|_| rng.u8(b'a'..=b'z')).collect()
}

fn write_some(db: &Db, model: &mut Model, rng: &mut fastrand::Rng) {
    for _ in 0..800 {
        let key = key(rng.u32(..1000));
        match rng.u32(..10) {
            0 => {
                db.delete(&wo(), &key).unwrap();
                model.remove(&key);
            }
            1 => {
                db.merge(&wo(), &key, b"m").unwrap();
                let old = model.remove(&key);
                let merged = old.map_or(b"m".to_vec(), |old| [&old[..], b",m"].concat());
                model.insert(key, merged);
            }
            _ => {
                let value = value(rng);
                db.put(&wo(), &key, &value).unwrap();
                model.insert(key, value);
            }
        }
    }
}

fn check(db: &Db, ro: &ReadOptions, model: &Model, rng: &mut fastrand::Rng, name: &str) {
    let (cf, mut vec, mut buffer) = (db.default_cf(), vec![7], ValueBuffer::new());
    for _ in 0..4 {
        // Groups of all sizes, with keys that are there, that are not, and that come twice.
        let keys: Vec<Vec<u8>> = (0..rng.usize(..100)).map(|_| key(rng.u32(..1100))).collect();
        let values = db.multi_get(ro, &keys);
        assert_eq!(values.len(), keys.len());
        for (key, value) in keys.iter().zip(values) {
            let expected = model.get(key).map(Vec::as_slice);
            let at = || format!("{name}: {}", String::from_utf8_lossy(key));
            assert_eq!(value.unwrap().as_deref(), expected, "{}", at());
            assert_eq!(db.get(ro, key).unwrap().as_deref(), expected, "{}", at());
            let found = db.get_into(ro, key, &mut vec).unwrap().then_some(&vec[..]);
            assert_eq!(found, expected, "{}", at());
            let found = db.get_pinned_into_cf(ro, &cf, key, &mut buffer).unwrap();
            assert_eq!(found.then_some(&buffer[..]), expected, "{}", at());
            assert!(found || buffer.is_empty(), "{}", at());
            let copied = db.get_with(ro, Some(&cf), key, <[u8]>::to_vec).unwrap();
            assert_eq!(copied.as_deref(), expected, "{}", at());
        }
    }
}

fn run(name: &str, options: &Options) {
    let dir = temp_dir();
    let db = Db::open(options, dir.path()).unwrap();
    let (mut model, mut rng) = (Model::new(), fastrand::Rng::with_seed(5));
    for round in 0..4 {
        write_some(&db, &mut model, &mut rng);
        // Twice: the first lookups of a block prepare those that follow.
        check(&db, &ro(), &model, &mut rng, name);
        check(&db, &ro(), &model, &mut rng, name);
        if round == 2 {
            db.flush(&FlushOptions::default()).unwrap();
        }
    }
    let snapshot = db.snapshot();
    let then = model.clone();
    write_some(&db, &mut model, &mut rng);
    let old = ReadOptions { snapshot: Some(snapshot.sequence()), ..ro() };
    check(&db, &old, &then, &mut rng, name);
    check(&db, &ro(), &model, &mut rng, name);
}

/// What decides how a lookup goes through a block-based table.
fn block_based_sets() -> [(&'static str, BlockBasedTableOptions); 5] {
    let bloom = || BlockBasedTableOptions {
        filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 10.0 }),
        ..Default::default()
    };
    [
        ("blocks of many keys", BlockBasedTableOptions { block_size: 32 << 10, ..bloom() }),
        (
            "partitioned filters",
            BlockBasedTableOptions {
                block_size: 256,
                metadata_block_size: 256,
                partition_filters: true,
                index_type: IndexType::TwoLevelIndexSearch,
                ..bloom()
            },
        ),
        ("no cache", BlockBasedTableOptions { no_block_cache: true, ..bloom() }),
        (
            "a cache of few blocks",
            BlockBasedTableOptions {
                block_size: 512,
                block_cache: Some(Cache::new_lru(16 << 10)),
                ..bloom()
            },
        ),
        ("index of internal keys", BlockBasedTableOptions { format_version: 2, ..bloom() }),
    ]
}

#[test]
fn all_forms_of_a_lookup_agree_with_a_map() {
    for (name, options) in option_sets() {
        run(name, &options);
    }
    let (_, mut counted) = option_sets().remove(1);
    counted.db.statistics = Some(ferrolith::internal::stats::Statistics::new());
    run("with statistics", &counted);
    for (name, table) in block_based_sets() {
        let mut options = small();
        options.cf.table_factory = TableFactory::BlockBased(table);
        run(name, &options);
    }
    let mut reverse = small();
    reverse.cf.comparator = Arc::new(ReverseBytewiseComparator);
    run("reverse", &reverse);
    let mut whole_keys = small();
    whole_keys.cf.table_factory = TableFactory::Plain(PlainTableOptions::default());
    whole_keys.db.allow_mmap_reads = true;
    run("plain without prefixes", &whole_keys);
}

#[test]
fn a_buffer_keeps_its_memory_and_large_values_stay_where_they_are() {
    let (name, options) = option_sets().remove(0);
    let dir = temp_dir();
    let db = Db::open(&options, dir.path()).unwrap();
    let large = vec![b'x'; 20_000];
    db.put(&wo(), b"small", b"value").unwrap();
    db.put(&wo(), b"large", &large).unwrap();
    db.flush(&FlushOptions::default()).unwrap();
    let mut buffer = ValueBuffer::new();
    assert!(db.get_pinned_into(&ro(), b"small", &mut buffer).unwrap(), "{name}");
    let capacity = buffer.capacity();
    assert!(db.get_pinned_into(&ro(), b"large", &mut buffer).unwrap());
    assert_eq!(&buffer[..], &large);
    assert_eq!(buffer.capacity(), capacity, "a large value was copied");
    assert!(!db.get_pinned_into(&ro(), b"none", &mut buffer).unwrap());
    assert!(buffer.is_empty());
}

#[test]
fn values_of_one_call_live_as_long_as_they_are_kept() {
    let dir = temp_dir();
    let mut options = small();
    options.cf.write_buffer_size = 4 << 20;
    let db = Db::open(&options, dir.path()).unwrap();
    // Around the sizes that are copied together, copied one by one, and shared with their block.
    let sizes = [0, 1, 100, 511, 512, 513, 1000, 4095, 4096, 4097, 20_000];
    let value = |i: usize| vec![i as u8; sizes[i % sizes.len()]];
    for i in 0..100usize {
        db.put(&wo(), &i.to_be_bytes(), &value(i)).unwrap();
    }
    for _ in ["from the memtable", "from a table", "from the cache"] {
        for count in [1, 2, 31, 32, 33, 100, 120] {
            let keys: Vec<_> = (0..count).map(usize::to_be_bytes).collect();
            let mut kept: Vec<_> = db.multi_get(&ro(), &keys).into_iter().enumerate().collect();
            kept.retain(|(i, _)| i % 7 != 3);
            while let Some((i, found)) = kept.pop() {
                let expected = (i < 100).then(|| value(i));
                assert_eq!(found.unwrap().as_deref(), expected.as_deref(), "{i} of {count}");
            }
        }
        db.flush(&FlushOptions::default()).unwrap();
    }
    let keys: Vec<_> = (0..100).map(usize::to_be_bytes).collect();
    let kept = db.multi_get(&ro(), &keys);
    drop(db);
    for (i, found) in kept.into_iter().enumerate() {
        assert_eq!(
            found.unwrap().unwrap().into_vec(),
            value(i),
            "{i}, after the database was closed"
        );
    }
}
