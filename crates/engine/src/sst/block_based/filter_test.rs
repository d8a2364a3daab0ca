use super::*;
use serde_json::Value;

fn vectors() -> Vec<Value> {
    let text = include_str!("../testdata/filters.json");
    serde_json::from_str::<Value>(text).unwrap().as_array().unwrap().clone()
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

fn filter_of(block: &[u8]) -> Filter {
    Filter::new(FilterLines::of(block))
}

fn may_match(filter: &Filter, key: &str) -> bool {
    filter.may_match(key.as_bytes(), hash64(key.as_bytes()))
}

#[test]
fn real_filters_say_exactly_what_rocksdb_says() {
    for v in vectors() {
        let filter = filter_of(&hex(v["hex"].as_str().unwrap()));
        for i in 0..v["n"].as_u64().unwrap() {
            assert!(may_match(&filter, &format!("key{i:05}")), "{v}");
        }
        let listed: Vec<u64> =
            v["fp"].as_array().unwrap().iter().map(|i| i.as_u64().unwrap()).collect();
        let ours: Vec<u64> =
            (0..2000).filter(|i| may_match(&filter, &format!("miss{i:05}"))).collect();
        assert_eq!(ours, listed, "{v}");
    }
}

#[test]
fn our_filters_are_rocksdbs_byte_for_byte() {
    let mut compared = 0;
    for v in vectors() {
        if v["kind"] != "bloom" || v["fv"] != 5 {
            continue;
        }
        let mut builder = FilterBuilder::new(v["bits"].as_f64().unwrap());
        for i in 0..v["n"].as_u64().unwrap() {
            builder.add(format!("key{i:05}").as_bytes());
        }
        assert_eq!(*builder.finish(), hex(v["hex"].as_str().unwrap()), "{v}");
        compared += 1;
    }
    assert_eq!(compared, 20);
}

#[test]
fn our_ribbons_are_rocksdbs_byte_for_byte() {
    let ribbons: Vec<_> = vectors().into_iter().filter(|v| v["kind"] == "ribbon").collect();
    assert_eq!(ribbons.len(), 4);
    for v in ribbons {
        let mut builder = FilterBuilder::ribbon(v["bits"].as_f64().unwrap());
        for i in 0..v["n"].as_u64().unwrap() {
            builder.add(format!("key{i:05}").as_bytes());
        }
        assert_eq!(*builder.finish(), hex(v["hex"].as_str().unwrap()), "{v}");
    }
}

#[test]
fn ribbons_deny_no_key_and_are_smaller_than_bloom() {
    for (bits, keys) in [(1.0, 3000), (5.5, 777), (10.0, 20_000), (20.0, 5000), (100.0, 1000)] {
        let (mut ribbon, mut bloom) = (FilterBuilder::ribbon(bits), FilterBuilder::new(bits));
        for i in 0..keys {
            ribbon.add(format!("k{i}").as_bytes());
            bloom.add(format!("k{i}").as_bytes());
        }
        let (bytes, bloom) = (ribbon.finish(), bloom.finish());
        assert_eq!(bytes[bytes.len() - METADATA_SIZE], 0xFE, "{bits}");
        assert!(bytes.len() * 5 < bloom.len() * 4, "{bits} bits: {} {}", bytes.len(), bloom.len());
        let (filter, bloom) = (filter_of(&bytes), filter_of(&bloom));
        assert!((0..keys).all(|i| may_match(&filter, &format!("k{i}"))));
        let passed = |filter| (0..10_000).filter(|i| may_match(filter, &format!("x{i}"))).count();
        let (ours, theirs) = (passed(&filter), passed(&bloom));
        assert!(ours <= theirs + theirs / 4 + 20, "{bits} bits: {ours} {theirs}");
    }
}

#[test]
fn no_key_is_ever_denied_and_few_others_pass() {
    for bits in [1.0, 5.0, 10.0, 20.0, 60.0] {
        let mut builder = FilterBuilder::new(bits);
        for i in 0..5000 {
            builder.add(format!("k{i}").as_bytes());
        }
        let filter = filter_of(&builder.finish());
        assert!((0..5000).all(|i| may_match(&filter, &format!("k{i}"))));
        let passed = (0..5000).filter(|i| may_match(&filter, &format!("x{i}"))).count();
        assert!(bits < 10.0 || passed < 100, "{bits} bits: {passed}");
    }
}

#[test]
fn damaged_filters_answer_something() {
    let mut rng = fastrand::Rng::with_seed(3);
    for v in vectors() {
        let original = hex(v["hex"].as_str().unwrap());
        for _ in 0..200 {
            let mut bytes = original.clone();
            bytes.truncate(rng.usize(..=bytes.len()));
            let n = bytes.len();
            for at in [n.wrapping_sub(1 + rng.usize(..8)), rng.usize(..n.max(1))] {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = rng.u8(..);
                }
            }
            let filter = filter_of(&bytes);
            let _ = (0..20).filter(|i| may_match(&filter, &format!("k{i}"))).count();
        }
    }
    assert!(!may_match(&filter_of(&[0; 5]), "k"), "an empty filter rejects keys");
    assert!(may_match(&filter_of(&[0; 6]), "k"), "six zeros admit every key");
    assert!(FilterBuilder::new(10.0).is_empty());
}

#[cfg(not(miri))]
#[test]
fn lines_are_those_of_the_cache() {
    for n in [100u32, 1000, 5000] {
        let mut builder = FilterBuilder::new(10.0);
        (0..n).for_each(|i| builder.add(format!("k{i}").as_bytes()));
        let filter = filter_of(&builder.finish());
        assert!(filter.body.bytes().as_ptr().addr().is_multiple_of(LINE));
        assert!((0..n).all(|i| may_match(&filter, &format!("k{i}"))));
    }
}
