//! Frames that the crate `structured-zstd` and, with the feature `zstd-c`, the C library write; frames made by hand;
//! damaged frames.

use super::*;
use crate::compress::zstd_checks;
use crate::compress::zstd_checks::frame as check;
use structured_zstd::encoding::{CompressionLevel, FrameCompressor};

const TEXT: &str =
    "the key of a row, its value and the time at which it was written; a table has blocks ";

/// Blocks of different kinds, by number.
fn block(rng: &mut fastrand::Rng, kind: usize, len: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(len + 100);
    let word = rng.usize(1..40);
    let symbols = rng.usize(1..=256);
    while out.len() < len {
        match kind % 9 {
            0 => out.push(rng.u8(..)),
            1 => out.push(7),
            2 => out.push(b'a' + u8::from(rng.u8(..) < 30)),
            // Few frequent symbols and many rare ones.
            3 => out.push((symbols as f64).powf(rng.f64()) as u8),
            // As db_bench makes values: half of each piece is new.
            4 => {
                let new: Vec<u8> = (0..50).map(|_| rng.u8(0..127)).collect();
                out.extend(new.repeat(2));
            }
            5 => {
                let at = rng.usize(..TEXT.len() - 8);
                out.extend_from_slice(&TEXT.as_bytes()[at..at + rng.usize(1..8)]);
            }
            6 => out.extend(format!("{{\"id\":{},\"n\":{}}},", out.len() / 20, rng.u8(..)).bytes()),
            // Overlapping matches of all short offsets.
            7 => {
                let pattern: Vec<u8> = (0..word).map(|_| rng.u8(..)).collect();
                out.extend(pattern.iter().cycle().take(rng.usize(1..300)));
            }
            _ => out.extend(rng.u32(..5000).to_le_bytes()),
        }
    }
    out.truncate(len);
    out
}

fn by_crate(raw: &[u8], level: i32, checksum: bool) -> Vec<u8> {
    let mut frame = Vec::new();
    let mut encoder: FrameCompressor = FrameCompressor::new(CompressionLevel::from_level(level));
    encoder.set_content_checksum(checksum);
    encoder.compress_independent_frame_into(raw, &mut frame);
    frame
}

#[test]
fn every_short_length_is_read() {
    let mut rng = fastrand::Rng::with_seed(1);
    for len in (0..600).step_by(if cfg!(miri) { 199 } else { 1 }) {
        let raw = block(&mut rng, len, len);
        check(&by_crate(&raw, 3, len % 5 == 0), &raw);
    }
}

#[test]
fn frames_of_the_crate_are_read() {
    let mut rng = fastrand::Rng::with_seed(2);
    for round in 0..if cfg!(miri) { 9 } else { 900 } {
        let len = match round % 100 {
            _ if cfg!(miri) => rng.usize(..300),
            0 => rng.usize(..=MAX_BLOCK),
            1..10 => rng.usize(..20_000),
            _ => rng.usize(..5000),
        };
        let raw = block(&mut rng, round, len);
        let level = [1, 3, -3, 5, 9][round / 9 % 5];
        check(&by_crate(&raw, level, round % 2 == 0), &raw);
    }
    let raw = block(&mut rng, 5, if cfg!(miri) { 1000 } else { MAX_BLOCK });
    check(&by_crate(&raw, 3, true), &raw);
}

#[test]
#[cfg(feature = "zstd-c")]
fn frames_of_the_library_are_read() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut encoder = zstd_safe::CCtx::create();
    for round in 0..6000 {
        let len = match round % 500 {
            0 => rng.usize(..=MAX_BLOCK),
            1..20 => rng.usize(..20_000),
            _ => rng.usize(..2000),
        };
        let raw = block(&mut rng, round, len);
        let level = rng.i32(-5..=22);
        let flag = zstd_safe::CParameter::ChecksumFlag(rng.bool());
        encoder.set_parameter(flag).unwrap();
        encoder.set_parameter(zstd_safe::CParameter::CompressionLevel(level)).unwrap();
        // Several blocks, which use each other's tables and trees.
        let most = if round % 10 == 0 { 1340 } else { 0 };
        encoder.set_parameter(zstd_safe::CParameter::TargetCBlockSize(most)).unwrap();
        let mut frame = Vec::with_capacity(zstd_safe::compress_bound(raw.len()));
        encoder.compress2(&mut frame, &raw).unwrap();
        check(&frame, &raw);
    }
}

/// A frame of a content's size and these blocks.
fn frame(content: u16, blocks: &[&[u8]]) -> Vec<u8> {
    let size = (content - 256).to_le_bytes();
    [&MAGIC.to_le_bytes()[..], &[0x60], &size, &blocks.concat()].concat()
}

/// A block of a type and its bytes.
fn typed(kind: u32, is_last: bool, bytes: &[u8]) -> Vec<u8> {
    let size = bytes.len() as u32;
    let header = (u32::from(is_last) | kind << 1 | size << 3).to_le_bytes();
    [&header[..3], bytes].concat()
}

#[test]
fn several_blocks_are_one_content() {
    // Raw, a run of 250, and raw literals.
    let run = [&(1_u32 << 1 | 250 << 3).to_le_bytes()[..3], &[9]].concat();
    let literals = [&[5 << 3][..], b"12345", &[0]].concat();
    let stream = frame(260, &[&typed(0, false, b"hello"), &run, &typed(2, true, &literals)]);
    let content = [&b"hello"[..], &[9; 250], b"12345"].concat();
    check(&stream, &content);
}

#[test]
fn one_sequence_of_single_codes_is_executed() {
    // Two literals, then a match: lengths and offset are stored as single codes. The match of 263 bytes has 8 extra
    // bits; code 0 of offsets repeats the last one, which is 1 at the beginning.
    let sequence = [2 << 3, b'a', b'b', 1, 0b0101_0100, 2, 0, 44, 0b0000_0100, 0b1];
    let stream = frame(265, &[&typed(2, true, &sequence)]);
    let content = [&b"a"[..], &[b'b'; 264]].concat();
    check(&stream, &content);
}

#[test]
fn other_frames_are_left_to_the_crate() {
    let raw = TEXT.repeat(20).into_bytes();
    let frame = by_crate(&raw, 3, false);
    let mut room = vec![0; 2 * MAX_BLOCK];
    // The number of a dictionary, a reserved bit, no size, another magic number, less than a header.
    for (at, bits) in [(4, 1), (4, 8), (0, 1)] {
        let mut other = frame.clone();
        other[at] ^= bits;
        assert_eq!(decompress(&other, &mut room), Ok(None), "{at}");
    }
    for len in 0..6 {
        assert_eq!(decompress(&frame[..len], &mut room), Ok(None), "{len}");
    }
    // The encoder takes minutes for this under Miri.
    if !cfg!(miri) {
        let large = by_crate(&vec![1; MAX_BLOCK + 1], 3, false);
        assert_eq!(decompress(&large, &mut room), Ok(None));
    }
    // Two frames, and a frame to be skipped.
    let skipped = [0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 9];
    for stream in [[&frame[..], &frame].concat(), [&frame[..], &skipped].concat()] {
        assert_eq!(decompress(&stream, &mut room), Ok(None));
    }
    assert_eq!(decompress(&skipped, &mut room), Ok(None));
    // A window that is smaller than the content.
    let window = [&MAGIC.to_le_bytes()[..], &[0x40, 0, 0, 4]].concat();
    assert_eq!(decompress(&window, &mut room), Ok(None));
}

#[test]
fn damage_is_named() {
    let mut room = [0; 1000];
    let mut fault = |blocks: &[&[u8]]| match decompress(&frame(300, blocks), &mut room) {
        Err(fault) => fault.to_string(),
        Ok(n) => panic!("{n:?}"),
    };
    let compressed = |bytes: &[u8]| typed(2, true, bytes);
    assert_eq!(fault(&[]), "the frame ends within its block header");
    assert_eq!(fault(&[&[1, 0, 0][..]]), "size of the content: expected 300, found 0");
    assert_eq!(fault(&[&[7, 0, 0][..]]), "type of a block: expected at most 2, found 3");
    let above = "size of a block: expected at most 300, found 301";
    assert_eq!(fault(&[&typed(0, true, &[0; 301])]), above);
    assert_eq!(fault(&[&compressed(&[0; 301])]), above);
    assert_eq!(
        fault(&[&typed(0, false, &[0; 300]), &typed(0, true, &[0])]),
        "content: expected at most 300, found 301"
    );
    assert_eq!(fault(&[&compressed(&[])]), "the frame ends within its section of literals");
    assert_eq!(fault(&[&compressed(&[0])]), "the frame ends within its section of sequences");
    assert_eq!(
        fault(&[&compressed(&[3, 0, 0, 0])]),
        "literals without a Huffman tree: expected a tree before"
    );
    assert_eq!(
        fault(&[&compressed(&[0, 1, 0b1100_0000, 0])]),
        "repeated table of codes: expected a table before"
    );
    assert_eq!(
        fault(&[&compressed(&[0, 1, 1, 0])]),
        "reserved bits of the tables' modes: expected 0, found 1"
    );
    assert_eq!(
        fault(&[&compressed(&[0, 1, 0b0001_0000, 32, 1])]),
        "code of a sequence: expected at most 31, found 32"
    );
    assert_eq!(
        fault(&[&compressed(&[0, 1, 0, 0])]),
        "section of sequences: expected a last byte that is not 0"
    );
    // An offset to before the content.
    assert_eq!(
        fault(&[&compressed(&[0, 1, 0b0101_0100, 0, 5, 0, 0b10_0000])]),
        "sequences: expected literals, offsets and lengths within what there is"
    );
    // The last offset less 1, which is 0.
    assert_eq!(
        fault(&[&compressed(&[0, 1, 0b0101_0100, 0, 1, 0, 0b11])]),
        "sequences: expected literals, offsets and lengths within what there is"
    );
    let mut short = [0; 299];
    let e = decompress(&frame(300, &[]), &mut short).unwrap_err();
    assert_eq!(e.to_string(), "size of the content: expected 299, found 300");
    let mut checked = by_crate(TEXT.as_bytes(), 3, true);
    *checked.last_mut().unwrap() ^= 1;
    let e = decompress(&checked, &mut room).unwrap_err().to_string();
    assert!(e.starts_with("checksum: expected "), "{e}");
}

#[test]
fn damaged_frames_are_no_panic_and_never_differ() {
    let mut rng = fastrand::Rng::with_seed(4);
    for round in 0..if cfg!(miri) { 3 } else { 200 } {
        let len = rng.usize(1..if cfg!(miri) { 200 } else { 3000 });
        let raw = block(&mut rng, round, len);
        let frame = by_crate(&raw, [1, 3, 7][round % 3], false);
        let mut room = vec![0; len];
        if round < 20 {
            for cut in 0..frame.len() {
                assert!(!matches!(decompress(&frame[..cut], &mut room), Ok(Some(_))), "{cut}");
            }
        }
        for _ in 0..if cfg!(miri) { 10 } else { 100 } {
            let mut bad = frame.clone();
            for _ in 0..rng.usize(1..4) {
                let at = rng.usize(..bad.len());
                bad[at] ^= 1 << rng.u8(..8);
            }
            zstd_checks::stream(&bad);
        }
        check(&frame, &raw);
    }
}
