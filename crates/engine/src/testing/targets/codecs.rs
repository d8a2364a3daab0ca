//! The engine's own codecs of Zstandard and LZ4, beside the crates that read and write the same formats.

use crate::compress::{lz4_checks, zstd_checks};
use structured_zstd::encoding::{CompressionLevel, FrameCompressor};

/// The longest block that the encoder of Zstandard accepts, in bytes.
const BLOCK_MAX: usize = 128 << 10;

/// Every level of the engine's encoder, and one that it leaves to the crate. Levels above it are the same code.
const LEVELS: [i32; 12] = [-100, -7, -5, -2, -1, 0, 1, 2, 3, 4, 5, 6];

/// The input is a frame.
pub fn zstd(data: &[u8]) {
    // A frame that only this decoder accepts may be one that it should refuse.
    assert_ne!(zstd_checks::stream(data), zstd_checks::Accepted::Ours);
}

/// The input is the room for the block in two bytes, and a stream.
pub fn lz4(data: &[u8]) {
    if let Some((room, stream)) = data.split_first_chunk() {
        lz4_checks::stream(stream, u16::from_le_bytes(*room).into());
    }
}

/// The input is a level, a flag for a checksum, and a block or a description of one.
pub fn encoders(data: &[u8]) {
    let Some((&settings, rest)) = data.split_first() else { return };
    let level = LEVELS[usize::from(settings & 0x0F) % LEVELS.len()];
    let (checksum, is_described) = (settings & 0x10 != 0, settings & 0x20 != 0);
    let described;
    let raw = if is_described {
        described = block_of(rest);
        &described
    } else {
        rest
    };
    zstd_checks::block(level, checksum, raw);
    lz4_checks::block(raw);
}

/// Returns the block that a description stands for: literals, runs, and repetitions near and far. So a short input is a
/// long block.
fn block_of(mut description: &[u8]) -> Vec<u8> {
    let mut raw = Vec::new();
    while let Some((&operation, rest)) = description.split_first() {
        if raw.len() >= BLOCK_MAX {
            break;
        }
        let number = usize::from(operation & 0x3F) + 1;
        let taken = match operation >> 6 {
            0 => {
                let literals = &rest[..number.min(rest.len())];
                raw.extend_from_slice(literals);
                literals.len()
            }
            1 => {
                raw.resize(raw.len() + number, rest.first().copied().unwrap_or(0));
                1.min(rest.len())
            }
            far => {
                let Some(offset) = rest.first_chunk() else { break };
                let offset = usize::from(u16::from_le_bytes(*offset)) * usize::from(far - 1) + 1;
                let from = raw.len().saturating_sub(offset);
                let len = if far == 3 { number << 8 } else { number + 2 };
                for at in from..from + len.min(BLOCK_MAX - raw.len()) {
                    raw.push(raw.get(at).copied().unwrap_or(0));
                }
                2
            }
        };
        description = &rest[taken..];
    }
    raw.truncate(BLOCK_MAX);
    raw
}

/// Blocks of a few kinds.
fn blocks() -> Vec<Vec<u8>> {
    let number = |i: u32| i.wrapping_mul(0x9E37_79B1) >> 7;
    let text =
        |n| (0..n).map(|i| format!("{{\"id\":{i},\"city\":\"Utrecht\",\"n\":{}}}\n", number(i)));
    let bytes = |n: u32, most: u32| (0..n).map(move |i| (number(i) % most) as u8);
    vec![
        Vec::new(),
        b"abc".to_vec(),
        vec![7; 300],
        text(8).collect::<String>().into_bytes(),
        text(40).collect::<String>().into_bytes(),
        bytes(700, 5).collect(),
        bytes(400, 60).chain(bytes(400, 60)).collect(),
        bytes(300, 256).collect(),
        // Matches of all short offsets.
        (1..32)
            .flat_map(|n| (0..n + 4 + n % 17).map(move |i| number(n * 31 + i % n) as u8))
            .collect(),
        (0..200).flat_map(|i| number(i).to_le_bytes()[..2].to_vec()).collect(),
    ]
}

/// Frames of both encoders, and one of libzstd whose blocks use each other's trees and tables.
pub fn zstd_seeds() -> Vec<Vec<u8>> {
    let mut seeds = vec![include_bytes!("../../compress/testdata/blocks.zst").to_vec()];
    for (i, raw) in blocks().iter().enumerate() {
        for level in [-5, 1, 3, 5] {
            seeds.extend(zstd_checks::block(level, i % 3 == 0, raw));
        }
        for level in [3, 12] {
            let mut encoder: FrameCompressor =
                FrameCompressor::new(CompressionLevel::from_level(level));
            encoder.set_content_checksum(i % 3 == 1);
            let mut frame = Vec::new();
            encoder.compress_independent_frame_into(raw, &mut frame);
            seeds.push(frame);
        }
    }
    seeds
}

/// Streams of both encoders.
pub fn lz4_seeds() -> Vec<Vec<u8>> {
    let with_room =
        |raw: &[u8], stream: Vec<u8>| [&(raw.len() as u16).to_le_bytes()[..], &stream].concat();
    let of = |raw: &Vec<u8>| {
        [with_room(raw, lz4_checks::block(raw)), with_room(raw, lz4_flex::block::compress(raw))]
    };
    blocks().iter().flat_map(of).collect()
}

/// Blocks at several levels, and a description of a long one.
pub fn encoder_seeds() -> Vec<Vec<u8>> {
    let with_level = |(i, raw): (usize, Vec<u8>)| [vec![(i * 5) as u8 & 0x1F], raw].concat();
    let mut seeds: Vec<_> = blocks().into_iter().enumerate().map(with_level).collect();
    // Literals, a run, a match, and ten long repetitions.
    let mut long = [&[0x28, 20][..], b"the first literals..,", &[0x50, 9, 0x85, 3, 0]].concat();
    long.extend([0xFF, 30, 0].repeat(10));
    seeds.push(long);
    seeds
}
