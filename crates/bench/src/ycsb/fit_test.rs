//! Keys, scan lengths, field lengths and mixes against the definitions of their distributions. Everything is drawn as a
//! run draws it: from properties.

use super::chooser::{KeyChooser, LengthChooser, below, uniform};
use super::distribution::{Exponential, Hotspot, ZIPFIAN_EXPONENT, Zipfian, fnv};
use super::inserted::Inserted;
use super::properties::Properties;
use super::workload::{Operation, Workload};
use crate::fit::{Sample, equal, in_proportion};
use crate::rng::Random64;
use statrs::distribution::{Exp, Uniform};
use statrs::stats_tests::NaNPolicy;
use statrs::stats_tests::ks_test::{
    KSOneSampleAlternativeMethod::TwoSidedAsymptotic, ks_onesample,
};
use std::sync::Arc;

const DRAWS: usize = 400_000;

/// A workload of 100 records with more properties.
fn workload(more: &[&str]) -> Workload {
    let mut properties = Properties::default();
    for assignment in ["recordcount=100", "operationcount=1000"].iter().chain(more) {
        properties.assign(assignment).unwrap();
    }
    Workload::new(&properties).unwrap()
}

/// Draws keys of a workload; `inserted` records exist.
fn keys(more: &[&str], inserted: u64) -> Sample {
    let mut keys = workload(more).key_chooser();
    let inserted = Inserted::new(inserted);
    Sample::new(inserted.limit() as usize, DRAWS, |random| keys.pick(random, &inserted))
}

/// The probabilities of Zipf's law for items from 0.
fn zipf(items: usize, exponent: f64) -> Vec<f64> {
    in_proportion((1..=items).map(|rank| (rank as f64).powf(-exponent)))
}

/// The probabilities of the method of Gray et al. with a given sum of weights: exact for the first two items; the
/// others are below `k` if the uniform number is below `(k^(1 - e) / items^(1 - e) - 1) / eta + 1`.
fn gray(items: u64, shown: usize, exponent: f64, zeta: f64) -> Vec<f64> {
    let power = |k: f64| (k / items as f64).powf(1.0 - exponent);
    let first_two = (1.0 + 0.5f64.powf(exponent)) / zeta;
    let eta = (1.0 - power(2.0)) / (1.0 - first_two);
    let below = |k: usize| match k {
        0 => 0.0,
        1 => 1.0 / zeta,
        k => (power(k as f64) - 1.0) / eta + 1.0,
    };
    (0..shown).map(|k| below(k + 1) - below(k)).collect()
}

/// The same for a few items, all of which are returned.
fn gray_of(items: usize, exponent: f64) -> Vec<f64> {
    if items <= 2 {
        return zipf(items, exponent);
    }
    let zeta = (1..=items).map(|rank| (rank as f64).powf(-exponent)).sum();
    gray(items as u64, items, exponent, zeta)
}

/// Zeros before a distribution.
fn from(first: usize, distribution: Vec<f64>) -> Vec<f64> {
    std::iter::repeat_n(0.0, first).chain(distribution).collect()
}

fn reversed(mut distribution: Vec<f64>) -> Vec<f64> {
    distribution.reverse();
    distribution
}

#[test]
fn uniform_numbers_are_uniform() {
    let p = |numbers: Vec<f64>| {
        let uniform = Uniform::new(0.0, 1.0).unwrap();
        ks_onesample(numbers, &uniform, TwoSidedAsymptotic, NaNPolicy::Error).unwrap().1
    };
    let mut random = Random64::new(7);
    let numbers: Vec<f64> = (0..DRAWS).map(|_| uniform(&mut random)).collect();
    let squeezed = numbers.iter().map(|number| number * 0.99).collect();
    let p = (p(numbers), p(squeezed));
    assert!(p.0 > 1e-3 && p.1 < 1e-9, "{p:?}");
    // The choice of one field.
    let fields = Sample::new(10, DRAWS, |random| below(random, 10));
    fields.check("fields", &equal(0, 10), &[("the last is never chosen", equal(0, 9))]);
}

#[test]
fn uniform_keys_are_equally_likely() {
    let part = ["requestdistribution=uniform", "insertstart=20", "insertcount=50"];
    let planted = |first, end| from(first, equal(0, end - first));
    keys(&part, 100).check(
        "uniform",
        &planted(20, 70),
        &[("one before", planted(19, 70)), ("one behind", planted(20, 71)), ("all", equal(0, 100))],
    );
}

#[test]
fn zipfian_items_have_the_probabilities_of_their_method() {
    for items in [2usize, 3, 100] {
        let zipfian = Zipfian::new(items as u64);
        let sample = Sample::new(items, DRAWS, |random| zipfian.pick(uniform(random)));
        let (fewer, more) =
            (gray_of(items - 1, ZIPFIAN_EXPONENT), gray_of(items + 1, ZIPFIAN_EXPONENT));
        let planted = [
            ("exponent 0.95", gray_of(items, 0.95)),
            ("an item less", fewer),
            ("an item more", more),
        ];
        let planted = if items == 2 { &planted[2..] } else { &planted[..] };
        sample.check(&format!("{items} items"), &gray_of(items, ZIPFIAN_EXPONENT), planted);
    }
}

/// The method is not exact. This is how much.
#[test]
fn the_method_is_near_zipfs_law() {
    for (items, far) in [(100, 0.0170), (1000, 0.0162), (100_000, 0.0125)] {
        let (method, law) = (gray_of(items, ZIPFIAN_EXPONENT), zipf(items, ZIPFIAN_EXPONENT));
        let distance: f64 =
            method.iter().zip(&law).map(|(method, law)| (method - law).abs()).sum::<f64>() / 2.0;
        assert!(distance < far, "{items} items: {distance}");
        let ratios: Vec<f64> = method.iter().zip(&law).map(|(method, law)| method / law).collect();
        assert!((ratios[0] - 1.0).abs() < 1e-12 && (ratios[1] - 1.0).abs() < 1e-12);
        assert!(ratios.iter().all(|ratio| (0.94..1.2).contains(ratio)), "{items} items");
    }
    // What the test of samples above would say about the law itself.
    let zipfian = Zipfian::new(100);
    let sample = Sample::new(100, DRAWS, |random| zipfian.pick(uniform(random)));
    assert!(sample.p_value(&zipf(100, ZIPFIAN_EXPONENT)) < 1e-9);
}

/// The probabilities of scrambled keys: the popular items one by one; the many others, which have 42 % together, are
/// spread so evenly by the hash that every key gets the same share of them.
fn scrambled(first: usize, keys: usize, exponent: f64) -> Vec<f64> {
    const ITEMS: u64 = 10_000_000_001;
    const POPULAR: usize = 1_000_000;
    let mut distribution = vec![0.0; keys];
    // Euler and Maclaurin's formula for the sum of all weights, after those of the popular items.
    let weight = |rank: f64| rank.powf(-exponent);
    let (last, all) = (POPULAR as f64, 1e10f64);
    let integral = (all.powf(1.0 - exponent) - last.powf(1.0 - exponent)) / (1.0 - exponent);
    let popular: f64 = (1..=POPULAR).map(|rank| weight(rank as f64)).sum();
    let zeta = popular + integral + (weight(all) - weight(last)) / 2.0;
    if exponent == ZIPFIAN_EXPONENT {
        assert!((zeta - 26.469_028_201_783_02).abs() < 1e-9, "YCSB's sum is {zeta}");
    }
    let mut rest = 1.0;
    for (item, probability) in gray(ITEMS, POPULAR, exponent, zeta).into_iter().enumerate() {
        distribution[(fnv(item as u64) % keys as u64) as usize] += probability;
        rest -= probability;
    }
    from(first, distribution.into_iter().map(|own| own + rest / keys as f64).collect())
}

#[test]
fn zipfian_keys_are_scrambled_over_existing_and_expected_records() {
    // Half of 1000 operations insert; YCSB expects twice as many new records, and one key more.
    let inserts = ["requestdistribution=zipfian", "insertproportion=0.5", "insertstart=10"];
    let existing =
        |keys: usize, exponent| in_proportion(scrambled(10, keys, exponent).into_iter().take(100));
    let planted = [
        ("exponent 0.95", existing(1091, 0.95)),
        ("no key more", existing(1090, ZIPFIAN_EXPONENT)),
        ("no new keys", existing(91, ZIPFIAN_EXPONENT)),
    ];
    keys(&inserts, 100).check("zipfian", &existing(1091, ZIPFIAN_EXPONENT), &planted);
    // When all exist, all are chosen.
    let all = scrambled(10, 1091, ZIPFIAN_EXPONENT);
    let moved = in_proportion(from(1, all[..1100].to_vec()));
    keys(&inserts, 1101).check("zipfian", &all, &[("moved by one", moved)]);
}

#[test]
fn the_latest_keys_are_popular() {
    let latest = |limit| reversed(gray_of(limit, ZIPFIAN_EXPONENT));
    let planted = |limit| {
        [
            ("exponent 0.95", reversed(gray_of(limit, 0.95))),
            ("without the newest", latest(limit - 1)),
            ("without the oldest", from(1, latest(limit - 1))),
        ]
    };
    let mut keys = workload(&["requestdistribution=latest"]).key_chooser();
    let inserted = Inserted::new(100);
    let mut check = |inserted: &Inserted| {
        let limit = inserted.limit() as usize;
        let sample = Sample::new(limit, DRAWS, |random| keys.pick(random, inserted));
        sample.check("latest", &latest(limit), &planted(limit));
    };
    check(&inserted);
    for _ in 0..50 {
        inserted.end(inserted.begin());
    }
    check(&inserted);
}

#[test]
fn a_hotspot_gets_its_share() {
    let part = |hot: usize, share: f64| {
        let cold = 90 - hot;
        let key = |i: usize| if i < hot { share / hot as f64 } else { (1.0 - share) / cold as f64 };
        from(10, (0..90).map(key).collect())
    };
    let planted =
        [("a key more", part(28, 0.7)), ("a key less", part(26, 0.7)), ("share", part(27, 0.71))];
    let properties = [
        "requestdistribution=hotspot",
        "insertstart=10",
        "hotspotdatafraction=0.3",
        "hotspotopnfraction=0.7",
    ];
    keys(&properties, 100).check("hotspot", &part(27, 0.7), &planted);
    keys(&["requestdistribution=hotspot"], 100).check(
        "hotspot by default",
        &in_proportion((0..100).map(|i| if i < 20 { 0.8 / 20.0 } else { 0.2 / 80.0 })),
        &[("all alike", equal(0, 100))],
    );
    let (all, none) = (Hotspot::new(0, 10, 1.0, 0.5), Hotspot::new(0, 10, 0.0, 0.5));
    assert!(all.pick(0.9, 0.99) < 10 && none.pick(0.1, 0.99) < 10);
}

#[test]
fn keys_are_exponentially_less_popular_with_their_age() {
    // Distances beyond the oldest record are drawn again.
    let aged = |percentile: f64, range: f64, limit: usize| {
        let mean = -range / (1.0 - percentile / 100.0).ln();
        let at_least = |distance: usize| (-(distance as f64) / mean).exp();
        let distances = in_proportion((0..limit).map(|d| at_least(d) - at_least(d + 1)));
        reversed(distances)
    };
    let properties =
        ["requestdistribution=exponential", "exponential.percentile=90", "exponential.frac=0.5"];
    let planted = [
        ("percentile", aged(90.5, 50.0, 100)),
        ("range", aged(90.0, 51.0, 100)),
        ("without the newest", aged(90.0, 50.0, 99)),
        ("without the oldest", from(1, aged(90.0, 50.0, 99))),
    ];
    keys(&properties, 100).check("exponential", &aged(90.0, 50.0, 100), &planted[..3]);
    // The range is a part of recordcount, whatever was inserted since.
    let all = [("range of all", aged(90.0, 75.0, 150))];
    keys(&properties, 150).check("exponential", &aged(90.0, 50.0, 150), &all);
    keys(&["requestdistribution=exponential"], 100).check(
        "exponential by default",
        &aged(95.0, 85.714_285_71, 100),
        &planted[3..],
    );
}

#[test]
fn exponential_distances_are_exponential() {
    let exponential = Exponential::new(95.0, 1e9);
    let mut random = Random64::new(7);
    let distances: Vec<f64> =
        (0..DRAWS).map(|_| exponential.pick(uniform(&mut random)) as f64).collect();
    let p = |percentile: f64| {
        let rate = -(1.0 - percentile / 100.0f64).ln() / 1e9;
        let exponential = Exp::new(rate).unwrap();
        ks_onesample(distances.clone(), &exponential, TwoSidedAsymptotic, NaNPolicy::Error)
            .unwrap()
            .1
    };
    let p = (p(95.0), p(95.5));
    assert!(p.0 > 1e-3 && p.1 < 1e-9, "{p:?}");
}

#[test]
fn sequential_keys_alternate_between_threads() {
    let properties = ["requestdistribution=sequential", "insertstart=5", "insertcount=3"];
    let keys = workload(&properties).key_chooser();
    let (mut one, mut two) = (keys.clone(), keys);
    let (inserted, mut random) = (Inserted::new(100), Random64::new(1));
    let picked: Vec<u64> = (0..5)
        .map(|i| if i % 2 == 0 { &mut one } else { &mut two }.pick(&mut random, &inserted))
        .collect();
    assert_eq!(picked, [5, 6, 7, 5, 6]);
    let KeyChooser::Sequential { taken, .. } = &one else { panic!("another chooser") };
    assert_eq!(Arc::strong_count(taken), 2);
}

#[test]
fn scan_lengths_are_uniform_or_zipfian_between_their_limits() {
    let scans = |more: &[&str]| {
        let workload = workload(&[more, &["minscanlength=3", "maxscanlength=40"]].concat());
        Sample::new(41, DRAWS, move |random| workload.scan_length(random))
    };
    let planted = [
        ("one less", from(3, equal(0, 37))),
        ("one more", from(3, equal(0, 39))),
        ("from 2 on", from(2, equal(0, 39))),
        ("from 4 on", from(4, equal(0, 37))),
    ];
    scans(&[]).check("uniform by default", &from(3, equal(0, 38)), &planted);
    scans(&["scanlengthdistribution=uniform"]).check("uniform", &from(3, equal(0, 38)), &planted);
    let zipfian = |first, items, exponent| from(first, gray_of(items, exponent));
    let planted = [
        ("one less", zipfian(3, 37, ZIPFIAN_EXPONENT)),
        ("one more", zipfian(3, 39, ZIPFIAN_EXPONENT)),
        ("from 2 on", zipfian(2, 39, ZIPFIAN_EXPONENT)),
        ("exponent 0.95", zipfian(3, 38, 0.95)),
    ];
    let sample = scans(&["scanlengthdistribution=zipfian"]);
    sample.check("zipfian", &zipfian(3, 38, ZIPFIAN_EXPONENT), &planted);
    let workload = workload(&[]);
    let default = Sample::new(1001, DRAWS, |random| workload.scan_length(random));
    default.check("default", &from(1, equal(0, 1000)), &[("from 0 on", equal(0, 1001))]);
}

#[test]
fn field_lengths_have_their_distribution() {
    let fields = |more: &[&str]| {
        let length = workload(more).shape.length;
        Sample::new(101, DRAWS, move |random| length.pick(random))
    };
    let limits = ["minfieldlength=10", "fieldlength=60"];
    let of = |distribution: &'static str| fields(&[&limits[..], &[distribution]].concat());
    assert_eq!(of("fieldlengthdistribution=constant").counts()[60], DRAWS as u64);
    assert_eq!(fields(&[]).counts()[100], DRAWS as u64, "the default");
    let planted = [
        ("one less", from(10, equal(0, 50))),
        ("one more", from(10, equal(0, 52))),
        ("from 9 on", from(9, equal(0, 52))),
    ];
    of("fieldlengthdistribution=uniform").check("uniform", &from(10, equal(0, 51)), &planted);
    let zipfian = |items, exponent| from(10, gray_of(items, exponent));
    let planted = [
        ("one less", zipfian(50, ZIPFIAN_EXPONENT)),
        ("one more", zipfian(52, ZIPFIAN_EXPONENT)),
        ("exponent 0.95", zipfian(51, 0.95)),
    ];
    let sample = of("fieldlengthdistribution=zipfian");
    sample.check("zipfian", &zipfian(51, ZIPFIAN_EXPONENT), &planted);
    let default = fields(&["fieldlengthdistribution=uniform"]);
    default.check("default", &from(1, equal(0, 100)), &[("from 0 on", equal(0, 101))]);
}

#[test]
fn lengths_follow_a_histogram() {
    let length = LengthChooser::histogram("BlockSize\t10\n0\t3\n1\t0\n2\t1\n3\t2\n").unwrap();
    let blocks = |weights: [f64; 4]| {
        let mut distribution = vec![0.0; 41];
        let sum: f64 = weights.iter().sum();
        weights
            .iter()
            .enumerate()
            .for_each(|(i, weight)| distribution[10 * (i + 1)] = weight / sum);
        distribution
    };
    let sample = Sample::new(41, DRAWS, |random| length.pick(random));
    // The last one is what YCSB draws: its last block has the size of the one before it.
    let planted = [
        ("another weight", blocks([3.1, 0.0, 1.0, 2.0])),
        ("moved by one", blocks([0.0, 3.0, 1.0, 2.0])),
        ("the last block", blocks([3.0, 0.0, 3.0, 0.0])),
    ];
    sample.check("histogram", &blocks([3.0, 0.0, 1.0, 2.0]), &planted);
    for bad in
        ["", "BlockSize\tx\n", "BlockSize\t1\n", "BlockSize\t1\n1\t1\n", "BlockSize\t1\n0\t0\n"]
    {
        assert!(LengthChooser::histogram(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn operations_have_their_shares() {
    let mix = |more: &[&str]| {
        let workload = workload(more);
        let index =
            |operation| Operation::ALL.iter().position(|other| *other == operation).unwrap() as u64;
        Sample::new(5, DRAWS, move |random| index(workload.operation(uniform(random))))
    };
    let all = [
        "readproportion=0.5",
        "updateproportion=0.2",
        "insertproportion=0.1",
        "scanproportion=0.05",
        "readmodifywriteproportion=0.15",
    ];
    let planted = [
        ("updates for inserts", vec![0.5, 0.1, 0.2, 0.05, 0.15]),
        ("one in a hundred", vec![0.49, 0.21, 0.1, 0.05, 0.15]),
    ];
    mix(&all).check("mix", &[0.5, 0.2, 0.1, 0.05, 0.15], &planted);
    // Weights need not have the sum 1. The defaults are 0.95 reads and 0.05 updates, nothing else.
    let weights = ["readproportion=0.9", "updateproportion=0.9"];
    mix(&weights).check(
        "weights",
        &[0.5, 0.5, 0.0, 0.0, 0.0],
        &[("as sums", vec![0.9, 0.1, 0.0, 0.0, 0.0])],
    );
    mix(&[]).check(
        "defaults",
        &[0.95, 0.05, 0.0, 0.0, 0.0],
        &[("more", vec![0.94, 0.06, 0.0, 0.0, 0.0])],
    );
}
