//! Vectors computed with librocksdb 7.8.3, and ids found in real MANIFESTs.

use super::*;
use crate::base::hash::tests::vectors;
use serde_json::Value;

fn number(v: &Value) -> u64 {
    u64::from_str_radix(v.as_str().unwrap(), 16).unwrap()
}

#[test]
fn block_checksums_equal_rocksdb() {
    for (data, v) in vectors() {
        assert_eq!(u64::from(crc32c(&data)), number(&v["crc32c"]));
        assert_eq!(u64::from(mask(crc32c(&data))), number(&v["crc32c_masked"]));
        for (name, type_byte) in
            [("block_checksum_type_byte0", 0), ("block_checksum_type_byte7", 7)]
        {
            for kind in 0..=4u8 {
                let want = number(&v[name][kind.to_string()]);
                let kind = ChecksumType::from_byte(kind).unwrap();
                let got = block_checksum(kind, &data, type_byte);
                assert_eq!(u64::from(got), want, "{kind:?} of {} bytes", data.len());
            }
        }
        let (lo, hi) = xxh3_128(&data, 0x1234_5678_90ab_cdef);
        assert_eq!(lo, number(&v["xxh3_128_seed_1234567890abcdef_lo"]));
        assert_eq!(hi, number(&v["xxh3_128_seed_1234567890abcdef_hi"]));
    }
    assert_eq!(ChecksumType::from_byte(5), None);
}

#[test]
fn a_crc_extends_and_unmasks() {
    assert_eq!(crc32c(b"123456789"), 0xE306_9283);
    assert_eq!(mask(0xE306_9283), 0xC78A_B0E5);
    assert_eq!(crc32c_extend(crc32c(b"1234"), b"56789"), 0xE306_9283);
    for crc in [0, 1, u32::MAX, 0xE306_9283] {
        assert_eq!(unmask(mask(crc)), crc);
    }
}

#[test]
fn the_context_ties_a_block_to_its_place() {
    assert_eq!(context_modifier(0, 77), 0);
    assert_eq!(context_modifier(0x8000_0001, 0x0000_0002_0000_0003), 0x8000_0001 ^ 5);
}

#[test]
fn unique_ids_equal_those_in_real_manifests() {
    let all: Value = serde_json::from_str(include_str!("testdata/unique_ids.json")).unwrap();
    for v in all.as_array().unwrap() {
        let id = unique_id(
            v["db_identity"].as_str().unwrap(),
            v["session_identity"].as_str().unwrap(),
            v["original_file_number"].as_u64().unwrap(),
        );
        let hex: String = id.unwrap().iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(hex, v["unique_id_hex"].as_str().unwrap());
    }
    assert_eq!(unique_id("", "5QNTJYG9S66EHI65A9Z2", 9), None);
    assert_eq!(unique_id("x", "5QNTJYG9S66EHI65A9Z2", 0), None);
    assert_eq!(unique_id("x", "short", 1), None);
    assert_eq!(unique_id("x", "5QNTJYG9S66EHI65A9Z_", 1), None);
}
