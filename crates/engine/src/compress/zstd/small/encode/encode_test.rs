//! Frames are read by independent decoders: the crate `structured-zstd`, and the C library if it is in the build.

use super::*;
use crate::compress::zstd_checks;
use crate::testing::samples::{KINDS, sample};
use fastrand::Rng;

const LEVELS: [i32; 8] = [-100, -5, -1, 1, 2, 3, 4, 5];

/// Encodes a block, and checks that all decoders read it.
#[track_caller]
fn frame_of(level: i32, checksum: bool, raw: &[u8]) -> Vec<u8> {
    zstd_checks::block(level, checksum, raw).expect("a block for this encoder")
}

#[test]
fn each_short_length_is_read() {
    let mut rng = Rng::with_seed(1);
    for len in 0..300 {
        for kind in 0..KINDS {
            let raw = sample(&mut rng, kind, len);
            let level = LEVELS[rng.usize(..LEVELS.len())];
            let frame = frame_of(level, len % 2 == 0, &raw);
            assert!(frame.len() <= len + 4 + 3 + 3 + 4, "stored as it is, if it is not shorter");
        }
    }
}

#[test]
fn random_blocks_are_read() {
    let mut rng = Rng::with_seed(2);
    for _ in 0..1500 {
        let len = rng.usize(0..=MAX_BLOCK) >> rng.u32(2..9);
        let kind = rng.usize(..KINDS);
        let raw = sample(&mut rng, kind, len);
        let level = LEVELS[rng.usize(..LEVELS.len())];
        frame_of(level, rng.bool(), &raw);
    }
}

#[test]
fn large_blocks_are_read() {
    let mut rng = Rng::with_seed(3);
    for kind in 0..KINDS {
        for len in [65_535, 65_536, 65_537, 65_791, 65_792, MAX_BLOCK - 1, MAX_BLOCK] {
            let raw = sample(&mut rng, kind, len);
            let level = LEVELS[rng.usize(..LEVELS.len())];
            frame_of(level, true, &raw);
        }
    }
    // Thousands of sequences, whose number takes three bytes.
    let raw: Vec<u8> = (0..MAX_BLOCK).map(|i| if i % 4 == 0 { rng.u8(..) } else { 7 }).collect();
    for level in LEVELS {
        frame_of(level, false, &raw);
    }
}

#[test]
fn only_small_blocks_and_low_levels_are_accepted() {
    let mut out = Vec::new();
    assert!(!compress(6, false, b"raw", &mut out));
    assert!(!compress(3, false, &vec![0; MAX_BLOCK + 1], &mut out));
    assert!(out.is_empty());
    assert_eq!(
        frame_of(0, false, b"level 0 is level 3"),
        frame_of(3, false, b"level 0 is level 3")
    );
}

#[test]
fn blocks_do_not_depend_on_earlier_ones() {
    let mut rng = Rng::with_seed(5);
    for level in LEVELS {
        let raw = sample(&mut rng, 7, 4000);
        let first = frame_of(level, false, &raw);
        for kind in 0..KINDS {
            frame_of(level, false, &sample(&mut rng, kind, 9000));
        }
        assert_eq!(frame_of(level, false, &raw), first, "level {level}");
    }
}

#[test]
fn types_of_blocks_follow_the_content() {
    let mut rng = Rng::with_seed(6);
    let kind = |raw: &[u8]| {
        let frame = frame_of(3, false, raw);
        let header = if raw.len() < 256 { 6 } else { 7 };
        (frame[header] >> 1 & 3, frame.len() - header - 3)
    };
    assert_eq!(kind(b""), (Kind::Raw as u8, 0));
    assert_eq!(kind(&[5; 1000]), (Kind::Rle as u8, 1));
    assert_eq!(kind(&sample(&mut rng, 0, 5000)), (Kind::Raw as u8, 5000));
    let (text, len) = kind(&sample(&mut rng, 7, 4096));
    assert!(text == Kind::Compressed as u8 && len < 1400, "{len}");
    let (pieces, len) = kind(&sample(&mut rng, 8, 4096));
    assert!(pieces == Kind::Compressed as u8 && len < 2100, "{len}");
}

#[test]
fn higher_levels_are_not_longer() {
    let mut rng = Rng::with_seed(7);
    let raw = sample(&mut rng, 7, 16_000);
    let lengths = [1, 3, 5].map(|level| frame_of(level, false, &raw).len());
    assert!(lengths.is_sorted_by(|a, b| a >= b), "{lengths:?}");
}
