//! Keys against those that RocksDB 7.8.3's db_bench wrote (`ldb scan --hex` of its databases).

use super::*;
use crate::rng::Random64;
use std::collections::BTreeSet;

const NUM: u64 = 300;

fn hex(key: &[u8]) -> String {
    key.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn maker(key_size: usize, prefix_size: usize, keys_per_prefix: u64) -> KeyMaker {
    KeyMaker::new(&KeyShape { key_size, prefix_size, keys_per_prefix, existing: None })
}

/// The files hold every 23rd of the 300 sorted keys, and the last.
#[test]
fn sequential_keys_are_those_of_rocksdb() {
    let cases = [
        (16, 0, 0, include_str!("../testdata/k16.keys")),
        (20, 12, 10, include_str!("../testdata/k20p12.keys")),
        (20, 20, 0, include_str!("../testdata/k20p20.keys")),
        (6, 0, 0, include_str!("../testdata/k6.keys")),
        (10, 4, 7, include_str!("../testdata/k10p4.keys")),
    ];
    for (key_size, prefix_size, keys_per_prefix, expected) in cases {
        let mut keys = maker(key_size, prefix_size, keys_per_prefix);
        let mut ours: Vec<String> = (0..NUM).map(|v| hex(keys.make(v, NUM))).collect();
        ours.sort();
        let mut sample: Vec<&str> = ours.iter().step_by(23).map(String::as_str).collect();
        sample.push(&ours[NUM as usize - 1]);
        assert_eq!(sample, expected.lines().collect::<Vec<_>>(), "key_size {key_size}");
    }
}

/// `fillrandom` draws a database before each batch, then one key per entry.
fn random_keys(threads: u64, batch: usize) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for thread in 1..=threads {
        let mut random = Random64::new(7 + thread);
        let mut keys = maker(16, 0, 0);
        for i in 0..NUM as usize {
            if i % batch == 0 {
                random.draw();
            }
            out.insert(hex(keys.make(random.draw() % NUM, NUM)));
        }
    }
    out
}

#[test]
fn random_keys_of_a_seed_are_those_of_rocksdb() {
    let expected = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let one = expected(include_str!("../testdata/fillrandom_seed7.keys"));
    assert_eq!(random_keys(1, 1), one);
    let two = expected(include_str!("../testdata/fillrandom_seed7_threads2_batch3.keys"));
    assert_eq!(random_keys(2, 3), two);
}

#[test]
fn a_missing_prefix_differs_after_its_number() {
    let mut keys = maker(20, 12, 10);
    let key = keys.make(5, NUM).to_vec();
    let missing = keys.make_missing_prefix(5, NUM).to_vec();
    assert_eq!((key[8], missing[8]), (b'0', b'1'));
    assert_eq!(key[..8], missing[..8]);
    assert_eq!(keys.make(5, NUM), key);
}

#[test]
fn existing_keys_are_used_as_they_are() {
    let existing = Some(std::sync::Arc::new(vec![b"a".to_vec(), b"bcd".to_vec()]));
    let shape = KeyShape { key_size: 16, prefix_size: 0, keys_per_prefix: 0, existing };
    assert_eq!(KeyMaker::new(&shape).make(1, 2), b"bcd");
}
