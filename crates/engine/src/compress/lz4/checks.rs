//! What holds for every block and every stream. Unit tests, the soak and the fuzzer call these functions, which panic
//! if it does not hold.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)] // These are checks.

use super::decode::decode;
use super::encode::encode;
use lz4_flex::block as peer;

/// Encodes and decodes a block with this codec and with `lz4_flex`, in both directions. Returns its encoded form.
#[track_caller]
pub fn block(raw: &[u8]) -> Vec<u8> {
    let mut encoded = b"before".to_vec();
    assert!(encode(raw, &mut encoded));
    assert_eq!(encoded.drain(..6).as_slice(), b"before");
    let mut theirs = vec![0; raw.len()];
    let n = peer::decompress_into(&encoded, &mut theirs);
    assert!(n.ok() == Some(raw.len()) && theirs == raw, "lz4_flex reads {:?}", encoded);
    for stream in [&encoded, &peer::compress(raw)] {
        let mut ours = vec![0; raw.len()];
        assert_eq!(decode(stream, &mut ours), Ok(raw.len()), "{stream:?}");
        assert!(ours == raw, "{stream:?}");
        // Room for more than the block, and for less.
        let mut larger = vec![0; raw.len() + 100];
        assert_eq!(decode(stream, &mut larger), Ok(raw.len()));
        assert!(larger[..raw.len()] == *raw, "{stream:?}");
        if let Some(smaller) = raw.len().checked_sub(1) {
            assert!(decode(stream, &mut vec![0; smaller]).is_err());
        }
    }
    encoded
}

/// Decodes any bytes to `room` bytes. Both decoders accept the same streams, and read the same content.
#[track_caller]
pub fn stream(stream: &[u8], room: usize) {
    let (mut ours, mut theirs) = (vec![0xAA; room], vec![0; room]);
    let found = decode(stream, &mut ours);
    let expected = peer::decompress_into(stream, &mut theirs);
    match (found, expected) {
        (Ok(n), Ok(expected)) => {
            assert_eq!(n, expected, "{stream:?}");
            assert!(ours[..n] == theirs[..n], "{stream:?}");
        }
        (Err(_), Err(_)) => {}
        (found, expected) => panic!("expected {expected:?}, found {found:?} for {stream:?}"),
    }
}
