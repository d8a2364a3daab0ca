//! Scans over prefixes that ask prefix filters: they skip tables, and hide nothing.

use ferrolith::transaction::OptimisticTransactionDb;
use ferrolith::{
    BlockBasedOptions, CompressionType, Db, Error, Key, Options, ReadOptions,
    ReverseBytewiseComparator, Statistics, Ticker, Value,
};
use std::collections::{BTreeMap, VecDeque};

type Model = BTreeMap<Vec<u8>, Vec<u8>>;
type Extractor = (&'static str, fn(Options) -> Options);

/// Up to and with the separator.
fn to_separator(key: &[u8]) -> Option<&[u8]> {
    key.iter().position(|byte| *byte == b':').map(|at| &key[..=at])
}

/// What is before the separator, or all: prefixes that begin other prefixes.
fn before_separator(key: &[u8]) -> Option<&[u8]> {
    key.split(|byte| *byte == b':').next()
}

const EXTRACTORS: [Extractor; 6] = [
    ("fixed", |options| options.fixed_prefix(2)),
    ("capped", |options| options.capped_prefix(2)),
    ("noop", |options| options.set("prefix_extractor", "rocksdb.Noop").unwrap()),
    ("to separator", |options| options.prefix_extractor("test.To", to_separator)),
    ("before separator", |options| options.prefix_extractor("test.Before", before_separator)),
    ("none", |options| options),
];

/// Small blocks, tables and filters, so that a scan meets many.
fn options(extractor: Extractor, partitioned: bool) -> Options {
    let mut table = BlockBasedOptions::new().block_size(64).bloom_filter(10.0);
    if partitioned {
        table = table.set("index_type", "kTwoLevelIndexSearch").unwrap();
        table = table.set("partition_filters", "true").unwrap();
        table = table.set("metadata_block_size", "32").unwrap();
    }
    let options = Options::in_memory().block_based_table(table).enable_statistics();
    let options = options.compression(CompressionType::None);
    (extractor.1)(options.set("target_file_size_base", "1024").unwrap())
}

fn random_key(rng: &mut fastrand::Rng, longest: usize) -> Vec<u8> {
    let letters = [0, b'a', b'b', b'c', b'd', b':', b':', 0xff];
    (0..rng.usize(..=longest)).map(|_| letters[rng.usize(..letters.len())]).collect()
}

/// Data in deep levels, in level 0 and in the memtable, with deletions of keys and of ranges.
fn fill(db: &Db, rng: &mut fastrand::Rng) -> Model {
    let mut model = Model::new();
    for round in 0..5 {
        for n in 0..[400, 400, 60, 60, 30][round] {
            let key = random_key(rng, 6);
            match rng.u8(..20) {
                0 => {
                    // Within one prefix mostly.
                    let key = [&b"b"[..], &key].concat();
                    let end = [&key[..], b"b"].concat();
                    db.delete_range(&key, &end).unwrap();
                    model.retain(|k, _| *k < key || *k >= end);
                }
                1..5 => {
                    db.delete(&key).unwrap();
                    model.remove(&key);
                }
                _ => {
                    let value = format!("{round}-{n}").into_bytes();
                    db.put(&key, &value).unwrap();
                    model.insert(key, value);
                }
            }
        }
        match round {
            0 | 1 => db.compact().unwrap(),
            2 | 3 => db.flush().unwrap(),
            _ => {}
        }
    }
    model
}

/// Takes items from both ends, forward with this probability in percent, and compares with the model.
fn check<I>(mut iter: I, model: &Model, prefix: &[u8], forward: u8, rng: &mut fastrand::Rng)
where
    I: DoubleEndedIterator<Item = Result<(Key, Value), Error>>,
{
    let expected = model.iter().filter(|(key, _)| key.starts_with(prefix));
    let mut expected: VecDeque<_> = expected.map(|(k, v)| (k.clone(), v.clone())).collect();
    loop {
        let (got, want) = match rng.u8(..100) < forward {
            true => (iter.next(), expected.pop_front()),
            false => (iter.next_back(), expected.pop_back()),
        };
        let got = got.map(|item| item.unwrap()).map(|(k, v)| (k.into_vec(), v.into_vec()));
        assert_eq!(got, want, "prefix {}, {forward} % forward", prefix.escape_ascii());
        if want.is_none() {
            return;
        }
    }
}

fn seeks_with_filter(statistics: &Statistics) -> [u64; 2] {
    let of = |tickers: [Ticker; 2]| tickers.into_iter().map(|t| statistics.ticker(t)).sum();
    [
        of([Ticker::LastLevelSeekFiltered, Ticker::NonLastLevelSeekFiltered]),
        of([Ticker::LastLevelSeekFilterMatch, Ticker::NonLastLevelSeekFilterMatch]),
    ]
}

#[test]
fn prefixes_match_a_model_with_every_extractor() {
    for (extractor, partitioned) in EXTRACTORS.into_iter().flat_map(|e| [(e, false), (e, true)]) {
        let mut rng = fastrand::Rng::with_seed(11);
        let options = options(extractor, partitioned);
        let mut db = Db::open_with(&options, "/db").unwrap();
        let model = fill(&db, &mut rng);
        for round in 0..2 {
            let statistics = db.statistics().unwrap();
            let before = seeks_with_filter(&statistics);
            for _ in 0..150 {
                let prefix = random_key(&mut rng, 4);
                let forward = [100, 0, 50, 80][rng.usize(..4)];
                check(db.prefix(&prefix), &model, &prefix, forward, &mut rng);
            }
            let after = seeks_with_filter(&statistics);
            // Noop has a prefix per key, so that a scan has many.
            let asks = !matches!(extractor.0, "noop" | "none");
            assert_eq!(after[0] > before[0], asks, "{} filtered", extractor.0);
            assert_eq!(after[1] > before[1], asks, "{} matched", extractor.0);
            if round == 0 {
                // The same from a newly opened database.
                db.close().unwrap();
                db = Db::open_with(&options, "/db").unwrap();
            }
        }
    }
}

#[test]
fn bounds_snapshots_and_transactions_keep_their_meaning() {
    for extractor in EXTRACTORS {
        let mut rng = fastrand::Rng::with_seed(12);
        let db = OptimisticTransactionDb::open_with(options(extractor, false), "/db").unwrap();
        let (db, txn) = (db.db(), db.begin());
        let old = fill(db, &mut rng);
        let snapshot = db.snapshot();
        let new = fill(db, &mut rng);
        let mut new: Model = old.clone().into_iter().chain(new).collect();
        // What the second filling deleted is gone.
        let all: Vec<_> = db.iter().map(|item| item.unwrap().0.into_vec()).collect();
        new.retain(|key, _| all.binary_search(key).is_ok());
        let mut own = new.clone();
        for _ in 0..50 {
            let key = random_key(&mut rng, 5);
            txn.put(&key, "own").unwrap();
            own.insert(key, b"own".to_vec());
        }
        for _ in 0..200 {
            let (prefix, forward) = (random_key(&mut rng, 4), [100, 0, 60][rng.usize(..3)]);
            check(snapshot.prefix(&prefix), &old, &prefix, forward, &mut rng);
            check(txn.prefix(&prefix), &own, &prefix, forward, &mut rng);
            let (low, high) = (random_key(&mut rng, 5), random_key(&mut rng, 5));
            let narrow = ReadOptions::new().iterate_lower_bound(&low[..]);
            let narrow = narrow.iterate_upper_bound(&high[..]);
            let mut within = new.clone();
            within.retain(|key, _| *key >= low && *key < high);
            check(db.prefix_opt(&prefix, &narrow), &within, &prefix, forward, &mut rng);
        }
    }
}

/// A database with one table for each of two halves of the keys, and its statistics.
fn two_tables(options: Options) -> (Db, std::sync::Arc<Statistics>) {
    let db = Db::open_with(options, "/db").unwrap();
    for half in [0, 1] {
        for n in 0..100_u32 {
            db.put(format!("{:04}:x", 2 * n + half), [7; 50]).unwrap();
        }
        db.flush().unwrap();
    }
    let statistics = db.statistics().unwrap();
    (db, statistics)
}

#[test]
fn a_scan_skips_tables_without_its_prefix() {
    for extractor in [EXTRACTORS[3], ("fixed", |options| options.fixed_prefix(5))] {
        let (db, statistics) = two_tables(options(extractor, false));
        let mut scans = 0;
        for n in 0..200 {
            for prefix in [format!("{n:04}:"), format!("{n:04}:x")] {
                assert_eq!(db.prefix(&prefix).count(), 1);
                assert_eq!(db.prefix(&prefix).rev().count(), 1);
                scans += 2;
            }
        }
        // Each key is in one of two tables.
        let [filtered, matched] = seeks_with_filter(&statistics);
        assert_eq!(filtered + matched, 2 * scans);
        assert!(filtered > scans * 9 / 10, "{filtered} of {scans}");
        let data = || {
            let tickers = [Ticker::LastLevelSeekData, Ticker::NonLastLevelSeekData];
            tickers.into_iter().map(|ticker| statistics.ticker(ticker)).sum::<u64>()
        };
        assert_eq!(data(), matched, "what is filtered reads no block");
        // Shorter prefixes, those outside of the domain, and ranges ask nothing.
        assert_eq!(db.prefix("001").count(), 10);
        assert_eq!(db.prefix("").count(), 200);
        assert_eq!(db.range("0010:".."0010;").count(), 1);
        assert_eq!(db.range("0010:".."0010;").rev().count(), 1);
        assert_eq!(seeks_with_filter(&statistics), [filtered, matched]);

        // The same in a level of many tables: the table behind or before a filtered one is not read either.
        db.compact().unwrap();
        assert!(db.live_files().len() > 3);
        for is_backward in [false, true] {
            let (before, [filtered, matched]) = (data(), seeks_with_filter(&statistics));
            for n in 0..200 {
                let prefix = format!("{n:04}0:");
                let found = match is_backward {
                    false => db.prefix(prefix).count(),
                    true => db.prefix(prefix).rev().count(),
                };
                assert_eq!(found, 0);
            }
            let [filtered, matched] = {
                let [f, m] = seeks_with_filter(&statistics);
                [f - filtered, m - matched]
            };
            assert!(filtered > 150, "{filtered}");
            assert_eq!(data() - before, matched, "backward: {is_backward}");
        }
    }
}

/// Moves a cursor with `auto_prefix_mode` at random, and compares with the keys of the model within the bounds.
fn check_cursor(db: &Db, model: &Model, (low, high): (&[u8], &[u8]), rng: &mut fastrand::Rng) {
    let options = ReadOptions::new().iterate_lower_bound(low).iterate_upper_bound(high);
    let mut cursor = db.cursor_opt(&options.auto_prefix_mode(true));
    let within = |key: &&Vec<u8>| &key[..] >= low && &key[..] < high;
    let keys: Vec<&Vec<u8>> = model.keys().filter(within).collect();
    // The index of the key at the cursor.
    let mut at: Option<usize> = None;
    for _ in 0..12 {
        let target = [low, &random_key(rng, 2)].concat();
        at = match rng.u8(..6) {
            0 => {
                cursor.seek_to_first();
                (!keys.is_empty()).then_some(0)
            }
            1 => {
                cursor.seek_to_last();
                keys.len().checked_sub(1)
            }
            2 => {
                cursor.seek(&target);
                Some(keys.partition_point(|key| **key < target)).filter(|at| *at < keys.len())
            }
            3 => {
                cursor.seek_for_prev(&target);
                keys.partition_point(|key| **key <= target).checked_sub(1)
            }
            4 => {
                cursor.next();
                at.map(|at| at + 1).filter(|at| *at < keys.len())
            }
            _ => {
                cursor.prev();
                at.and_then(|at| at.checked_sub(1))
            }
        };
        cursor.status().unwrap();
        assert_eq!(cursor.key(), at.map(|at| &keys[at][..]), "{}", low.escape_ascii());
    }
}

#[test]
fn cursors_ask_filters_within_one_prefix_only() {
    for (extractor, partitioned) in EXTRACTORS.into_iter().flat_map(|e| [(e, false), (e, true)]) {
        let mut rng = fastrand::Rng::with_seed(13);
        let db = Db::open_with(options(extractor, partitioned), "/db").unwrap();
        let model = fill(&db, &mut rng);
        for _ in 0..300 {
            let low = random_key(&mut rng, 4);
            let high = match rng.u8(..3) {
                0 => [&low[..], &random_key(&mut rng, 2)].concat(),
                1 => random_key(&mut rng, 4),
                // The first key after those that begin with `low`.
                _ => match low.iter().rposition(|byte| *byte != 0xff) {
                    Some(last) => [&low[..last], &[low[last] + 1]].concat(),
                    None => continue,
                },
            };
            check_cursor(&db, &model, (&low, &high), &mut rng);
        }
        let [filtered, matched] = seeks_with_filter(&db.statistics().unwrap());
        // Keys that begin with a prefix "before separator" may have another one.
        let asks = !matches!(extractor.0, "noop" | "none" | "before separator");
        assert_eq!((filtered > 0, matched > 0), (asks, asks), "{}", extractor.0);
    }
    // The bounds decide.
    let (db, statistics) = two_tables(options(EXTRACTORS[3], false));
    let count = |low: &str, high: &str, asks: bool| {
        let options = ReadOptions::new().iterate_lower_bound(low).iterate_upper_bound(high);
        let mut cursor = db.cursor_opt(&options.auto_prefix_mode(asks));
        cursor.seek_to_first();
        let mut count = 0;
        while cursor.valid() {
            (count, _) = (count + 1, cursor.next());
        }
        (count, seeks_with_filter(&statistics).iter().sum::<u64>())
    };
    assert_eq!(
        count("0010:", "0011:", true),
        (1, 0),
        "0011 is another prefix, in spite of the order"
    );
    assert_eq!(count("0010:", "0010;", false), (1, 0));
    assert_eq!(count("0010:", "0010;", true), (1, 2), "two tables were asked");
    assert_eq!(count("0010:a", "0010:z", true), (1, 4));
}

#[test]
fn other_orders_and_other_extractors_ask_no_filter() {
    let fixed: Extractor = ("fixed", |options| options.fixed_prefix(5));
    let reverse = options(fixed, false).comparator_object(ReverseBytewiseComparator);
    let (db, statistics) = two_tables(reverse);
    assert_eq!(db.prefix("0010:").count(), 1);
    assert_eq!(seeks_with_filter(&statistics), [0, 0]);

    // The tables' filters hold prefixes of another length.
    let options = options(fixed, false);
    let (db, _) = two_tables(options.clone());
    db.close().unwrap();
    let db = Db::open_with(options.fixed_prefix(4), "/db").unwrap();
    assert_eq!(db.prefix("0010").count(), 1);
    assert_eq!(db.prefix("0010:x").count(), 1);
    assert_eq!(seeks_with_filter(&db.statistics().unwrap()), [0, 0]);
}
