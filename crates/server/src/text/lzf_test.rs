//! Tests of LZF. The differential tests exchange compressed strings with Redis.

use super::*;

#[test]
fn known_blocks() {
    assert_eq!(decompress(&[0x00, b'a', 0xe0, 0x08, 0x00], 18).unwrap(), b"a".repeat(18));
    assert_eq!(decompress(&[0x02, b'a', b'b', b'c', 0x20, 0x02], 6).unwrap(), b"abcabc");
    assert_eq!(decompress(&[], 0).unwrap(), b"");
}

#[test]
fn damaged_blocks() {
    for (block, length) in [
        (&[0x20, 0x00][..], 3),
        (&[0x01, b'a'], 2),
        (&[0x00, b'a', 0x20], 4),
        (&[0x00, b'a', 0xe0], 10),
        (&[0x00, b'a', 0x20, 0x01], 4),
        (&[0x00, b'a'], 2),
        (&[0x01, b'a', b'b'], 1),
        (&[0x00, b'a', 0x20, 0x00], 3),
        (&[0x00, b'a'], usize::MAX),
    ] {
        assert_eq!(decompress(block, length), None, "{block:?}");
    }
}

#[test]
fn what_was_compressed_comes_back() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut compressed = 0;
    for round in 0..2000 {
        let alphabet = 1 + random.usize(..if round % 2 == 0 { 3 } else { 200 });
        let length = random.usize(..if round % 50 == 0 { 40_000 } else { 600 });
        let bytes: Vec<u8> = (0..length).map(|_| random.usize(..alphabet) as u8).collect();
        if let Some(block) = compress(&bytes) {
            assert!(block.len() + 4 <= bytes.len());
            assert_eq!(decompress(&block, bytes.len()).as_deref(), Some(&bytes[..]));
            compressed += 1;
        }
    }
    assert!(compressed > 900, "{compressed}");
    let zeros = vec![0; 1 << 20];
    assert!(compress(&zeros).unwrap().len() < zeros.len() / 80);
    assert_eq!(compress(b"abcd"), None);
}
