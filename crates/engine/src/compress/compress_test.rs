//! First blocks of tables written by librocksdb 7.8.3, one per codec, and damaged variants of them. Codecs that are
//! left out of the build are skipped.

use super::*;
use serde_json::Value;

fn vectors() -> Value {
    serde_json::from_str(include_str!("testdata/blocks.json")).unwrap()
}

fn hex(v: &Value) -> Vec<u8> {
    let digits = v.as_str().unwrap().as_bytes().chunks_exact(2);
    digits.map(|d| u8::from_str_radix(std::str::from_utf8(d).unwrap(), 16).unwrap()).collect()
}

fn codec(v: &Value) -> CompressionType {
    CompressionType::from_byte(v["codec"].as_u64().unwrap() as u8).unwrap()
}

/// The codecs of this build.
fn writable() -> impl Iterator<Item = CompressionType> {
    let all = CompressionType::ALL.into_iter().filter(|&t| t != CompressionType::None);
    all.filter(|t| t.is_supported())
}

fn with(kind: CompressionType, level: i32, format_version: u32) -> Codec {
    Codec { kind, level, window_bits: -14, checksum: false, format_version }
}

#[test]
fn blocks_of_rocksdb_are_read() {
    let v = vectors();
    let raw = hex(&v["raw"]);
    for b in v["blocks"].as_array().unwrap() {
        let (t, block) = (codec(b), hex(&b["block"]));
        if t.is_supported() {
            let got = decompress(t, 5, &block, None, 1 << 16);
            assert_eq!(got.unwrap(), raw, "{t:?}");
        }
    }
    let d = &v["dict"];
    if !codec(d).is_supported() {
        return;
    }
    let got = decompress(codec(d), 5, &hex(&d["block"]), Some(&hex(&d["dict"])), 1 << 16);
    assert_eq!(got.unwrap(), hex(&d["raw"]));
}

#[test]
fn what_is_written_is_read() {
    let text = hex(&vectors()["raw"]);
    let mut rng = fastrand::Rng::with_seed(7);
    let noise: Vec<u8> = (0..20_000).map(|_| rng.u8(..)).collect();
    let long = text.repeat(100);
    for t in writable() {
        for fv in [0, 2, 5, 7] {
            for level in [DEFAULT_LEVEL, -1, 0, 1, 6, 19] {
                for raw in [&text, &long, &noise, &Vec::new()] {
                    let mut out = b"old".to_vec();
                    let shorter = with(t, level, fv).compress(raw, None, &mut out).unwrap();
                    assert_eq!(shorter, out.len() < raw.len());
                    assert_eq!(&decompress(t, fv, &out, None, raw.len()).unwrap(), raw, "{t:?}");
                    let too_small = raw.len().wrapping_sub(1);
                    assert!(raw.is_empty() || decompress(t, fv, &out, None, too_small).is_err());
                }
            }
        }
        assert!(with(t, DEFAULT_LEVEL, 5).compress(&long, None, &mut Vec::new()).unwrap());
    }
    let none = with(CompressionType::None, 0, 5);
    assert!(!none.compress(&text, None, &mut Vec::new()).unwrap());
    let xpress = with(CompressionType::Xpress, 0, 5).compress(&text, None, &mut Vec::new());
    assert_eq!(xpress.unwrap_err().to_string(), "Not implemented: Xpress compression");
}

/// Similar records, and a sample of them.
fn records(first: usize, count: usize) -> Vec<u8> {
    let line = |i: usize| {
        format!(
            "{{\"tenant\":\"demo\",\"order\":{i},\"state\":\"shipped\",\"sum\":{}}}\n",
            i * 37 % 991
        )
    };
    (first..first + count).flat_map(|i| line(i).into_bytes()).collect()
}

#[test]
fn dictionaries_make_blocks_shorter() {
    let raw = records(5000, 6);
    let samples = records(0, 1000);
    let lengths = vec![samples.len() / 100; 100];
    let samples = &samples[..lengths.iter().sum()];
    use DictionarySource::{Finalized, Samples, Trained};
    let kinds = [
        (CompressionType::Zlib, Samples),
        (CompressionType::Lz4, Samples),
        (CompressionType::Lz4hc, Samples),
        (CompressionType::Zstd, Samples),
        (CompressionType::Zstd, Trained),
        (CompressionType::Zstd, Finalized),
    ];
    for (kind, source) in kinds.into_iter().filter(|(kind, _)| kind.is_supported()) {
        let dict = Dictionary::from_samples(source, samples, &lengths, 2048, DEFAULT_LEVEL);
        let dict = dict.unwrap();
        assert!(kind.takes_dictionary() && dict.bytes().len() <= 2048);
        for (fv, level) in [(2, DEFAULT_LEVEL), (5, 1), (6, 9)] {
            let codec = Codec { checksum: level == 1, ..with(kind, level, fv) };
            let (mut alone, mut out) = (Vec::new(), Vec::new());
            codec.compress(&raw, None, &mut alone).unwrap();
            assert!(codec.compress(&raw, Some(&dict), &mut out).unwrap());
            assert!(out.len() * 10 < alone.len() * 9, "{kind:?} {source:?} {level}");
            let got = decompress_with(kind, fv, &out, Some(&dict), raw.len()).unwrap();
            assert_eq!(got, raw, "{kind:?} {source:?}");
            let without = decompress(kind, fv, &out, None, raw.len());
            assert!(without.map_or(true, |got| got != raw), "the dictionary is not used");
        }
    }
    // Too few samples for training are not an error; RocksDB continues without a dictionary.
    let one = Dictionary::from_samples(Trained, b"abc", &[3], 2048, DEFAULT_LEVEL);
    assert!(one.is_none());
}

#[test]
fn damaged_blocks_fail_without_a_panic_or_a_large_allocation() {
    let v = vectors();
    let mut rng = fastrand::Rng::with_seed(11);
    let dict = hex(&v["dict"]["dict"]);
    let mut blocks: Vec<_> = v["blocks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| (codec(b), hex(&b["block"]), None))
        .collect();
    blocks.push((CompressionType::Zstd, hex(&v["dict"]["block"]), Some(dict.as_slice())));
    for (t, block, dict) in blocks {
        for fv in [0, 5] {
            for cut in 0..block.len() {
                assert!(decompress(t, fv, &block[..cut], dict, 1 << 16).is_err(), "{t:?} {cut}");
            }
            for _ in 0..2000 {
                let mut bad = block.clone();
                for _ in 0..rng.usize(1..4) {
                    let at = rng.usize(..bad.len());
                    bad[at] = rng.u8(..);
                }
                if let Ok(raw) = decompress(t, fv, &bad, dict, 1 << 16) {
                    assert!(raw.len() <= 1 << 16);
                }
            }
        }
    }
    // A size of 4 GiB without data.
    for t in writable() {
        assert!(decompress(t, 5, &[0xff, 0xff, 0xff, 0xff, 0x0f, 1], None, usize::MAX).is_err());
    }
}

#[test]
fn names_and_numbers_go_both_ways() {
    for n in 0..=7u8 {
        let t = CompressionType::from_byte(n).unwrap();
        assert_eq!(t as u8, n);
        assert_eq!(CompressionType::from_name(t.name()), Some(t));
        assert_eq!(CompressionType::from_name(t.option_name()), Some(t));
    }
    assert_eq!(CompressionType::from_byte(0x40), Some(CompressionType::Zstd));
    assert_eq!(CompressionType::from_byte(8), None);
    assert_eq!(CompressionType::from_name("Brotli"), None);
}
