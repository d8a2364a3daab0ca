//! Vectors computed with librocksdb 7.8.3; they cover every branch on the length.

use super::*;
use serde_json::Value;

pub(crate) fn vectors() -> Vec<(Vec<u8>, Value)> {
    let all: Value = serde_json::from_str(include_str!("testdata/hashes.json")).unwrap();
    all.as_array().unwrap().iter().map(|v| (input(v), v.clone())).collect()
}

fn input(v: &Value) -> Vec<u8> {
    let len = v["len"].as_u64().unwrap() as usize;
    match v["input_hex"].as_str() {
        Some(hex) => {
            (0..len).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
        }
        None => (0..len).map(|i| (i * 131 + 7) as u8).collect(),
    }
}

#[test]
fn hashes_equal_rocksdb() {
    let vectors = vectors();
    assert!(vectors.len() > 40);
    for (data, v) in vectors {
        let want = |name: &str| u64::from_str_radix(v[name].as_str().unwrap(), 16).unwrap();
        assert_eq!(hash64(&data), want("hash64_xxph3"), "length {}", data.len());
        assert_eq!(u64::from(hash32(&data, 397)), want("hash32_seed397"), "length {}", data.len());
        assert_eq!(u64::from(hash32(&data, 0xBC9F_1D34)), want("hash32_bloomseed"));
    }
}

#[test]
fn every_length_is_hashed_without_a_panic() {
    let data: Vec<u8> = (0..5000u32).map(|i| (i * 7) as u8).collect();
    let mut seen = std::collections::HashSet::new();
    for n in 0..data.len() {
        assert!(seen.insert(hash64(&data[..n])));
        hash32(&data[..n], 0);
    }
}
