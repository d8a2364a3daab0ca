//! Iterators from both ends against a model, and scans that fail.

use super::memory;
use ferrolith::internal::fs::fault::{Fault, FaultFs, FaultKind, Op};
use ferrolith::internal::fs::mem::MemFs;
use ferrolith::{
    BlockBasedOptions, Cursor, Db, Error, ErrorKind, Iter, Key, Options, ReadOptions, Value,
};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

/// Takes items from both ends as the random numbers say, and checks each against `expected`.
fn check(mut iter: Iter, mut expected: std::collections::VecDeque<(Vec<u8>, Vec<u8>)>, what: &str) {
    let style = fastrand::u8(0..4);
    loop {
        let forward = match style {
            0 => true,
            1 => false,
            2 => fastrand::bool(),
            // Long runs on one side.
            _ => fastrand::u8(0..10) < 8,
        };
        let (got, want) = match forward {
            true => (iter.next(), expected.pop_front()),
            false => (iter.next_back(), expected.pop_back()),
        };
        let got = got.map(|item| item.unwrap()).map(|(k, v)| (k.into_vec(), v.into_vec()));
        assert_eq!(got, want, "{what}, forward: {forward}");
        if want.is_none() {
            break;
        }
    }
    for _ in 0..3 {
        assert!(iter.next().is_none() && iter.next_back().is_none(), "{what}: not fused");
    }
}

/// Short keys of few letters, so that bounds hit keys, prefixes and the end of the byte range.
fn random_key() -> Vec<u8> {
    let letters = [0, 1, b'a', b'b', 0xfe, 0xff];
    (0..fastrand::usize(0..4)).map(|_| letters[fastrand::usize(0..letters.len())]).collect()
}

fn random_bound() -> Bound<Vec<u8>> {
    match fastrand::u8(0..3) {
        0 => Bound::Unbounded,
        1 => Bound::Included(random_key()),
        _ => Bound::Excluded(random_key()),
    }
}

fn within(order: fn(&[u8], &[u8]) -> std::cmp::Ordering, key: &[u8], range: &Range) -> bool {
    let after = match &range.0 {
        Bound::Unbounded => true,
        Bound::Included(start) => order(key, start).is_ge(),
        Bound::Excluded(start) => order(key, start).is_gt(),
    };
    let before = match &range.1 {
        Bound::Unbounded => true,
        Bound::Included(end) => order(key, end).is_le(),
        Bound::Excluded(end) => order(key, end).is_lt(),
    };
    after && before
}

type Range = (Bound<Vec<u8>>, Bound<Vec<u8>>);

/// Fills memtable, level 0 and deeper levels, with overwrites and deletions.
fn fill(db: &Db) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut model = BTreeMap::new();
    for round in 0..4 {
        for n in 0..60 {
            let key = random_key();
            if fastrand::u8(0..4) == 0 {
                db.delete(&key).unwrap();
                model.remove(&key);
            } else {
                let value = format!("{round}-{n}").into_bytes();
                db.put(&key, &value).unwrap();
                model.insert(key, value);
            }
        }
        match round {
            0 => db.compact().unwrap(),
            1 | 2 => db.flush().unwrap(),
            _ => {}
        }
    }
    model
}

fn against_the_model(options: Options, order: fn(&[u8], &[u8]) -> std::cmp::Ordering) {
    let db = Db::open_with(options, "/db").unwrap();
    let model = fill(&db);
    let mut pairs: Pairs = model.into_iter().collect();
    pairs.sort_by(|a, b| order(&a.0, &b.0));
    check(db.iter(), pairs.clone().into(), "all");
    for _ in 0..400 {
        let range = (random_bound(), random_bound());
        let expected = pairs.iter().filter(|(key, _)| within(order, key, &range)).cloned();
        check(db.range(range.clone()), expected.collect(), &format!("{range:?}"));
        // Bounds of the options narrow the range.
        let narrow = (Bound::Included(random_key()), Bound::Excluded(random_key()));
        let (Bound::Included(low), Bound::Excluded(high)) = narrow.clone() else { unreachable!() };
        let options = ReadOptions::new().iterate_lower_bound(low).iterate_upper_bound(high);
        let both = |key: &[u8]| within(order, key, &range) && within(order, key, &narrow);
        let expected = pairs.iter().filter(|(key, _)| both(key)).cloned();
        let iter = db.range_opt(range.clone(), &options);
        check(iter, expected.collect(), &format!("{range:?} within {narrow:?}"));
    }
}

fn prefixes_against_the_model(options: Options, order: fn(&[u8], &[u8]) -> std::cmp::Ordering) {
    let db = Db::open_with(options, "/db").unwrap();
    let mut pairs: Pairs = fill(&db).into_iter().collect();
    pairs.sort_by(|a, b| order(&a.0, &b.0));
    let fixed = [vec![], vec![0xff], vec![0xff, 0xff], vec![0xfe, 0xff], vec![0xff; 4], vec![0]];
    for prefix in fixed.into_iter().chain((0..100).map(|_| random_key())) {
        let expected = pairs.iter().filter(|(key, _)| key.starts_with(&prefix)).cloned();
        check(db.prefix(&prefix), expected.collect(), &format!("prefix {prefix:?}"));
    }
}

#[test]
fn both_ends_match_a_model() {
    for seed in 0..6 {
        fastrand::seed(seed);
        against_the_model(Options::in_memory(), |a, b| a.cmp(b));
        prefixes_against_the_model(Options::in_memory(), |a, b| a.cmp(b));
    }
}

#[test]
fn both_ends_match_a_model_in_other_orders() {
    fastrand::seed(7);
    against_the_model(Options::in_memory().reverse_order(), |a, b| b.cmp(a));
    prefixes_against_the_model(Options::in_memory().reverse_order(), |a, b| b.cmp(a));
    fn by_length(a: &[u8], b: &[u8]) -> std::cmp::Ordering {
        (a.len(), a).cmp(&(b.len(), b))
    }
    against_the_model(Options::in_memory().comparator("test.length", by_length), by_length);
}

/// With a prefix extractor, iterators still show all keys, in both directions.
#[test]
fn a_prefix_extractor_hides_nothing() {
    // Options in memory share their files with their clones.
    let options = |fixed: bool| {
        let hash = ferrolith::MemtableFactory::hash_skip_list();
        let options = Options::in_memory().allow_concurrent_memtable_write(false);
        let options = if fixed { options.fixed_prefix(1) } else { options.capped_prefix(2) };
        options.memtable_factory(hash)
    };
    for fixed in [true, false] {
        fastrand::seed(8);
        against_the_model(options(fixed), |a, b| a.cmp(b));
        prefixes_against_the_model(options(fixed), |a, b| a.cmp(b));
    }
}

#[test]
fn an_iterator_shows_one_state_and_needs_no_handle() {
    let db = memory();
    for n in 0..10 {
        db.put([n], "old").unwrap();
    }
    let mut iter = db.iter();
    assert_eq!(iter.next().unwrap().unwrap().0, [0]);
    for n in 0..20 {
        db.put([n], "new").unwrap();
    }
    db.flush().unwrap();
    db.compact().unwrap();
    assert_eq!(iter.next_back().unwrap().unwrap().0, [9]);
    drop(db);
    let rest = std::thread::spawn(move || iter.map(|item| item.unwrap().1).collect::<Vec<_>>());
    assert_eq!(rest.join().unwrap(), ["old"; 8]);
}

/// A database of many blocks, one of which in the middle is damaged.
fn damaged(dir: &std::path::Path) -> Db {
    let options =
        Options::new().create_if_missing(true).compression(ferrolith::CompressionType::None);
    let db = Db::open_with(&options, dir).unwrap();
    for n in 0..1000_u32 {
        db.put(n.to_be_bytes(), [7; 100]).unwrap();
    }
    db.flush().unwrap();
    let table = db.live_files()[0].path();
    db.close().unwrap();
    let mut bytes = std::fs::read(&table).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    std::fs::write(&table, bytes).unwrap();
    Db::open_with(&options, dir).unwrap()
}

#[test]
fn a_failed_scan_yields_one_error() {
    let dir = tempfile::tempdir().unwrap();
    let db = damaged(dir.path());
    let is_corruption = |error: &Error| assert_eq!(error.kind(), ErrorKind::Corruption, "{error}");
    let items: Vec<_> = db.iter().collect();
    assert!(items.len() > 1 && items.len() < 1000, "{}", items.len());
    is_corruption(items.last().unwrap().as_ref().unwrap_err());
    assert!(items[..items.len() - 1].iter().all(Result::is_ok));
    let backward: Vec<_> = db.iter().rev().collect();
    is_corruption(backward.last().unwrap().as_ref().unwrap_err());
    assert!(items.len() + backward.len() < 1002, "both stop at the damaged block");
    // A program that collects gets the error and not a part.
    let collected: Result<Vec<_>, _> = db.iter().collect();
    is_corruption(&collected.unwrap_err());
    // After the error there is nothing, on either side.
    let mut iter = db.iter();
    while iter.next().unwrap().is_ok() {}
    assert!(iter.next().is_none() && iter.next_back().is_none() && iter.next().is_none());

    let scan = |mut cursor: Cursor| {
        cursor.seek_to_first();
        while cursor.valid() {
            cursor.next();
        }
        cursor
    };
    let cursor = scan(db.cursor());
    is_corruption(&cursor.status().unwrap_err());
    assert_eq!(cursor.item(), None);
}

/// The numbers of the keys that a scan returned, and the error that ended it.
type Scanned = (Vec<u32>, Option<Error>);

fn number(key: &[u8]) -> u32 {
    u32::from_be_bytes(key.try_into().unwrap())
}

fn by_iterator(iter: impl Iterator<Item = Result<(Key, Value), Error>>) -> Scanned {
    let (mut keys, mut error) = (Vec::new(), None);
    for item in iter {
        assert!(error.is_none(), "nothing follows an error");
        match item {
            Ok((key, _)) => keys.push(number(&key)),
            Err(e) => error = Some(e),
        }
    }
    (keys, error)
}

fn by_cursor(db: &Db, start: fn(&mut Cursor), step: fn(&mut Cursor)) -> Scanned {
    let (mut cursor, mut keys) = (db.cursor(), Vec::new());
    start(&mut cursor);
    while let Some(key) = cursor.key() {
        keys.push(number(key));
        step(&mut cursor);
    }
    (keys, cursor.status().err())
}

/// Each read of a table fails once: a scan either returns everything or an error.
#[test]
fn a_read_that_fails_ends_a_scan_with_an_error() {
    let fs = FaultFs::new(Arc::new(MemFs::new()));
    let table = BlockBasedOptions::new().no_block_cache();
    let options = Options::new().create_if_missing(true).file_system(Arc::new(fs.clone()));
    let options = options.compression(ferrolith::CompressionType::None).block_based_table(table);
    let options = options.set("target_file_size_base", "100000").unwrap();
    let db = Db::open_with(options, "/db").unwrap();
    for part in 0..4_u32 {
        // Tables in two levels, and the memtable.
        (0..4000)
            .filter(|n| n % 4 == part)
            .for_each(|n: u32| db.put(n.to_be_bytes(), [7; 100]).unwrap());
        match part {
            0 | 1 => db.compact().unwrap(),
            2 => db.flush().unwrap(),
            _ => {}
        }
    }
    assert!(db.live_files().len() > 2);
    let scans: [fn(&Db) -> Scanned; 4] = [
        |db| by_iterator(db.iter()),
        |db| by_iterator(db.iter().rev()),
        |db| by_cursor(db, Cursor::seek_to_first, Cursor::next),
        |db| by_cursor(db, Cursor::seek_to_last, Cursor::prev),
    ];
    for (which, scan) in scans.into_iter().enumerate() {
        let (whole, error) = scan(&db);
        assert!(whole.len() == 4000 && error.is_none());
        let mut in_the_middle = 0;
        for skip in 0.. {
            fs.inject(Fault { skip, ..Fault::always(Op::Read, ".sst", FaultKind::Io) });
            let (keys, error) = scan(&db);
            fs.clear();
            assert!(whole.starts_with(&keys), "scan {which}, read {skip}");
            let Some(error) = error else {
                assert_eq!(keys, whole, "scan {which}, read {skip}");
                break;
            };
            assert_eq!(error.kind(), ErrorKind::Io, "{error}");
            assert!(keys.len() < whole.len());
            in_the_middle += usize::from(!keys.is_empty());
            let (again, error) = scan(&db);
            assert!(again == whole && error.is_none(), "scan {which} after read {skip}");
        }
        assert!(in_the_middle > 3, "scan {which}: {in_the_middle}");
    }
}

#[test]
fn a_closed_database_is_an_error_and_not_an_empty_one() {
    let db = memory();
    db.put("k", "v").unwrap();
    let cf = db.default_cf();
    db.close().unwrap();
    for mut iter in [db.iter(), db.range("a".."z"), db.prefix("k"), cf.iter()] {
        assert_eq!(iter.next().unwrap().unwrap_err().kind(), ErrorKind::Closed);
        assert!(iter.next().is_none());
    }
    assert_eq!(db.cursor().status().unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(db.first().unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(db.put("k", "v").unwrap_err().kind(), ErrorKind::Closed);
}
