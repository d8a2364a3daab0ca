//! Distributions against their definitions, property files, records, and whole phases on a small database.

use super::chooser::{KeyChooser, LengthChooser, uniform};
use super::distribution::{Exponential, Hotspot, Scrambled, ZIPFIAN_EXPONENT, Zipfian, fnv};
use super::inserted::Inserted;
use super::properties::Properties;
use super::record::{Fields, Shape};
use super::workload::{Operation, Workload};
use crate::rng::Random64;
use std::sync::Arc;

const DRAWS: usize = 400_000;

fn properties(text: &str) -> Result<Properties, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("workload");
    std::fs::write(&path, text).unwrap();
    let mut properties = Properties::default();
    properties.read(&path)?;
    Ok(properties)
}

/// The statistic of Pearson's test of `counts` against probabilities, as a multiple of the degrees of freedom.
fn pearson(counts: &[u64], probability: impl Fn(usize) -> f64) -> f64 {
    let total: u64 = counts.iter().sum();
    let part = |(i, count): (usize, &u64)| {
        let expected = probability(i) * total as f64;
        assert!(expected > 5.0, "cell {i} expects {expected}");
        (*count as f64 - expected).powi(2) / expected
    };
    counts.iter().enumerate().map(part).sum::<f64>() / (counts.len() - 1) as f64
}

fn counts(n: usize, mut draw: impl FnMut(&mut Random64) -> u64) -> Vec<u64> {
    let mut random = Random64::new(7);
    let mut counts = vec![0; n];
    (0..DRAWS).for_each(|_| counts[draw(&mut random) as usize] += 1);
    counts
}

#[test]
fn uniform_keys_are_equally_likely() {
    let mut keys = KeyChooser::Uniform { first: 0, count: 100 };
    let inserted = Inserted::new(100);
    let counts = counts(100, |random| keys.pick(random, &inserted));
    // With 99 degrees of freedom, 1.5 is passed once in a thousand times.
    let x = pearson(&counts, |_| 0.01);
    assert!(x < 1.5, "{x}");
}

#[test]
fn zipfian_items_have_their_probabilities() {
    let zipfian = Zipfian::new(1000);
    let counts = counts(1000, |random| zipfian.pick(uniform(random)));
    let sum: f64 = (1..=1000).map(|i| f64::from(i).powf(-ZIPFIAN_EXPONENT)).sum();
    let expected = |i: usize| (i as f64 + 1.0).powf(-ZIPFIAN_EXPONENT) / sum * DRAWS as f64;
    // Exact for the first two. The method approximates the others: it favours the next ones by up to a tenth.
    for (i, count) in counts.iter().enumerate().take(2) {
        let (count, expected) = (*count as f64, expected(i));
        assert!((count / expected - 1.0).abs() < 0.02, "item {i}: {count}, expected {expected}");
    }
    for (begin, end) in [(2, 10), (10, 100), (100, 1000)] {
        let count: u64 = counts[begin..end].iter().sum();
        let expected: f64 = (begin..end).map(expected).sum();
        assert!((count as f64 / expected - 1.0).abs() < 0.1, "{begin}..{end}: {count}, {expected}");
    }
}

#[test]
fn a_grown_zipfian_is_like_a_new_one() {
    let mut grown = Zipfian::new(10);
    grown.grow(500);
    let new = Zipfian::new(500);
    for i in 0..1000 {
        let u = f64::from(i) / 1000.0;
        assert_eq!(grown.pick(u), new.pick(u), "{u}");
    }
    grown.grow(3);
    assert_eq!(grown.pick(0.999), new.pick(0.999), "it never shrinks");
}

#[test]
fn scrambled_items_are_spread_and_as_popular_as_before() {
    let scrambled = Scrambled::new(1000, 100);
    let counts = counts(1100, |random| scrambled.pick(uniform(random)));
    assert_eq!(counts[..1000].iter().sum::<u64>(), 0);
    // The most popular item has 1 / zeta of ten billion items; nothing else comes near its key but by chance.
    let hottest = 1000 + (fnv(0) % 100) as usize;
    let share = counts[hottest] as f64 / DRAWS as f64;
    assert!(share > 1.0 / 26.47 * 0.95, "{share}");
    assert_eq!(counts.iter().max(), counts.get(hottest));
    assert!(counts[1000..].iter().all(|count| *count > 0));
}

#[test]
fn the_latest_records_are_popular() {
    let mut keys = KeyChooser::Latest(Zipfian::new(100));
    let inserted = Inserted::new(100);
    let before = counts(100, |random| keys.pick(random, &inserted));
    assert_eq!(before.iter().max(), before.last());
    for _ in 0..50 {
        let record = inserted.begin();
        inserted.end(record);
    }
    let after = counts(150, |random| keys.pick(random, &inserted));
    assert_eq!(after.iter().max(), after.last());
    assert!(after[0] > 0 && after[149] > 5 * after[140]);
}

#[test]
fn a_hotspot_gets_its_share() {
    let hotspot = Hotspot::new(10, 100, 0.2, 0.8);
    let counts = counts(110, |random| hotspot.pick(uniform(random), uniform(random)));
    let x = pearson(&counts[10..], |i| if i < 20 { 0.8 / 20.0 } else { 0.2 / 80.0 });
    assert!(x < 1.5, "{x}");
    let (all, none) = (Hotspot::new(0, 10, 1.0, 0.5), Hotspot::new(0, 10, 0.0, 0.5));
    assert!(all.pick(0.9, 0.99) < 10 && none.pick(0.1, 0.99) < 10);
}

#[test]
fn exponential_distances_have_their_percentile() {
    let exponential = Exponential::new(95.0, 1000.0);
    let counts = counts(100_000, |random| exponential.pick(uniform(random)));
    let near: u64 = counts[..1000].iter().sum();
    let share = near as f64 / DRAWS as f64;
    assert!((share - 0.95).abs() < 0.003, "{share}");
    let half: u64 = counts[..231].iter().sum();
    let half = half as f64 / DRAWS as f64;
    assert!((half - 0.5).abs() < 0.005, "{half}");
}

#[test]
fn sequential_keys_come_in_turn_over_threads() {
    let keys = KeyChooser::Sequential { first: 5, count: 3, taken: Arc::default() };
    let (mut one, mut two) = (keys.clone(), keys);
    let (inserted, mut random) = (Inserted::new(8), Random64::new(1));
    let picked: Vec<u64> = (0..4)
        .map(|i| if i % 2 == 0 { &mut one } else { &mut two }.pick(&mut random, &inserted))
        .collect();
    assert_eq!(picked, [5, 6, 7, 5]);
}

#[test]
fn records_under_way_are_not_read() {
    let inserted = Inserted::new(10);
    let (a, b) = (inserted.begin(), inserted.begin());
    assert_eq!((a, b), (10, 11));
    inserted.end(b);
    assert_eq!(inserted.limit(), 10);
    inserted.end(a);
    assert_eq!(inserted.limit(), 12);
}

#[test]
fn lengths_follow_a_histogram() {
    let length = LengthChooser::histogram("BlockSize\t10\n0\t3\n1\t0\n2\t1\n").unwrap();
    let counts = counts(31, |random| length.pick(random));
    assert_eq!(counts[20], 0);
    let x = pearson(&[counts[10], counts[30]], |i| [0.75, 0.25][i]);
    assert!(x < 11.0, "{x}");
    for bad in
        ["", "BlockSize\tx\n", "BlockSize\t1\n", "BlockSize\t1\n1\t1\n", "BlockSize\t1\n0\t0\n"]
    {
        assert!(LengthChooser::histogram(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn property_files_are_read_as_java_reads_them() {
    let text = "# c\n! c\n\n  recordcount = 5\r\noperationcount:7\nfieldcount 3\ntable=a\\\n   b\\u0021\n\
                insertstart=1\ninsertstart=2\n";
    let p = properties(text).unwrap();
    assert_eq!(p.int("recordcount"), Ok(5));
    assert_eq!(p.int("operationcount"), Ok(7));
    assert_eq!(p.int("fieldcount"), Ok(3));
    assert_eq!(p.text("table"), Some("ab!"));
    assert_eq!(p.int("insertstart"), Ok(2), "the last one wins");
    assert_eq!(p.text("insertorder"), Some("hashed"), "the default");
}

#[test]
fn wrong_properties_are_named() {
    let error = |text: &str| match properties(text) {
        Err(e) => e,
        Ok(p) => Workload::new(&p).err().unwrap(),
    };
    assert!(
        error("\nreadproportoin=1\n")
            .contains("line 2: unknown property readproportoin; did you mean readproportion?")
    );
    assert!(error("nonsense=1").contains("unknown property nonsense"));
    assert_eq!(error("operationcount=1"), "the property recordcount is missing");
    let with = |line: &str| error(&format!("recordcount=10\n{line}\n"));
    assert!(with("readproportion=2").contains("readproportion=2: expected a number from 0 to 1"));
    assert!(with("requestdistribution=gauss").contains("expected uniform, sequential"));
    assert!(with("insertstart=8\ninsertcount=3").contains("insertstart=8, insertcount=3"));
    assert!(with("scanlengthdistribution=constant").contains("scanlengthdistribution"));
    assert!(with("minscanlength=9\nmaxscanlength=3").contains("from 9 to 3"));
    assert!(with("workload=x.TimeSeriesWorkload").contains("only the core workload"));
    assert!(with("dataintegrity=true\nfieldlengthdistribution=uniform").contains("constant"));
    assert!(with("readproportion=0\nupdateproportion=0\ninsertproportion=0").contains("all are 0"));
    assert!(with("threadcount=0").contains("threadcount=0"));
    assert!(
        with("fieldlengthdistribution=histogram\nfieldlengthhistogram=/none").contains("/none")
    );
}

#[test]
fn operations_have_their_shares() {
    let p = properties(
        "recordcount=10\nreadproportion=0.5\nupdateproportion=0.2\ninsertproportion=0.1\n\
         scanproportion=0.1\nreadmodifywriteproportion=0.1\n",
    );
    let workload = Workload::new(&p.unwrap()).unwrap();
    let counts = counts(5, |random| {
        let operation = workload.operation(uniform(random));
        Operation::ALL.iter().position(|other| *other == operation).unwrap() as u64
    });
    let x = pearson(&counts, |i| [0.5, 0.2, 0.1, 0.1, 0.1][i]);
    assert!(x < 4.6, "{x}");
}

fn shape(checked: bool) -> Shape {
    let fields = vec!["field0".to_owned(), "field1".to_owned()];
    Shape { fields, length: LengthChooser::Constant(40), zero_padding: 12, hashed: false, checked }
}

#[test]
fn records_look_as_ycsb_stores_them() {
    let (mut key, mut value, mut random) = (Vec::new(), Vec::new(), Random64::new(1));
    shape(true).key(42, &mut key);
    assert_eq!(key, b"user000000000042");
    let hashed = Shape { hashed: true, zero_padding: 1, ..shape(true) };
    // YCSB's key of record 0.
    hashed.key(0, &mut key);
    assert_eq!(key, b"user6284781860667377211");
    shape(true).value(&key, &mut random, &mut value);
    assert_eq!(value[..14], *b"\0\0\0\x06field0\0\0\0\x28");
    assert!(shape(true).is_whole(&key, &value).unwrap());
    assert!(!shape(true).is_whole(b"other", &value).unwrap());
    let fields: Vec<_> = Fields(&value).map(Result::unwrap).collect();
    assert_eq!(fields.len(), 2);
    assert!(fields[1].1.starts_with(b"user6284781860667377211:field1:"), "{:?}", fields[1]);
}

#[test]
fn an_update_replaces_one_field() {
    let (shape, mut random) = (shape(false), Random64::new(3));
    let (mut old, mut new) = (Vec::new(), Vec::new());
    shape.value(b"k", &mut random, &mut old);
    shape.with_field(&old, (b"k", 1), &mut random, &mut new).unwrap();
    let fields = |value: &[u8]| -> Vec<Vec<u8>> {
        Fields(value).map(|field| field.unwrap().1.to_vec()).collect()
    };
    assert_eq!(fields(&old)[0], fields(&new)[0]);
    assert_ne!(fields(&old)[1], fields(&new)[1]);
    let error = shape.with_field(b"\0\0\0\x09x", (b"k", 1), &mut random, &mut new).unwrap_err();
    assert!(error.contains("5 bytes are no field"), "{error}");
}
