//! First blocks of tables written by librocksdb 7.8.3, one per codec, and what comes back from
//! damaged ones.

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

const WRITABLE: [CompressionType; 5] = [
    CompressionType::Snappy,
    CompressionType::Zlib,
    CompressionType::Lz4,
    CompressionType::Lz4hc,
    CompressionType::Zstd,
];

#[test]
fn blocks_of_rocksdb_are_read() {
    let v = vectors();
    let raw = hex(&v["raw"]);
    for b in v["blocks"].as_array().unwrap() {
        let (t, block) = (codec(b), hex(&b["block"]));
        let got = decompress(t, 5, &block, None, 1 << 16);
        if t.is_supported_for_read() {
            assert_eq!(got.unwrap(), raw, "{t:?}");
        } else {
            assert_eq!(got.unwrap_err().to_string(), "Not implemented: BZip2 compression");
        }
    }
    let d = &v["dict"];
    let got = decompress(codec(d), 5, &hex(&d["block"]), Some(&hex(&d["dict"])), 1 << 16);
    assert_eq!(got.unwrap(), hex(&d["raw"]));
}

#[test]
fn what_is_written_is_read() {
    let text = hex(&vectors()["raw"]);
    let mut rng = fastrand::Rng::with_seed(7);
    let noise: Vec<u8> = (0..20_000).map(|_| rng.u8(..)).collect();
    let long = text.repeat(100);
    for t in WRITABLE {
        for fv in [0, 2, 5, 7] {
            for level in [DEFAULT_LEVEL, -1, 0, 1, 6, 19] {
                for raw in [&text, &long, &noise, &Vec::new()] {
                    let mut out = b"old".to_vec();
                    let shorter = compress(t, level, -14, fv, raw, &mut out).unwrap();
                    assert_eq!(shorter, out.len() < raw.len());
                    assert_eq!(&decompress(t, fv, &out, None, raw.len()).unwrap(), raw, "{t:?}");
                    let too_small = raw.len().wrapping_sub(1);
                    assert!(raw.is_empty() || decompress(t, fv, &out, None, too_small).is_err());
                }
            }
        }
        assert!(compress(t, DEFAULT_LEVEL, -14, 5, &long, &mut Vec::new()).unwrap());
    }
    assert!(!compress(CompressionType::None, 0, -14, 5, &text, &mut Vec::new()).unwrap());
    assert!(compress(CompressionType::Bzip2, 0, -14, 5, &text, &mut Vec::new()).is_err());
    assert!(compress(CompressionType::Xpress, 0, -14, 5, &text, &mut Vec::new()).is_err());
}

#[test]
fn dictionaries_of_deflate_and_lz4_are_used() {
    let dict = b"the quick brown fox jumps over the lazy dog".repeat(3);
    let raw = b"a lazy dog jumps over the quick brown fox".to_vec();
    let mut framed = vec![raw.len() as u8];
    framed.extend_from_slice(&lz4_flex::block::compress_with_dict(&raw, &dict));
    assert_eq!(decompress(CompressionType::Lz4, 5, &framed, Some(&dict), 100).unwrap(), raw);

    let mut state = flate2::Compress::new(flate2::Compression::default(), false);
    state.set_dictionary(&dict).unwrap();
    let mut stream = Vec::with_capacity(100);
    state.compress_vec(&raw, &mut stream, flate2::FlushCompress::Finish).unwrap();
    let mut framed = vec![raw.len() as u8];
    framed.extend_from_slice(&stream);
    assert_eq!(decompress(CompressionType::Zlib, 5, &framed, Some(&dict), 100).unwrap(), raw);
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
    // A size of 4 GiB with nothing behind it.
    for t in WRITABLE {
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
