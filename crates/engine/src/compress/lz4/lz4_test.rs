//! The encoder and the decoder against the crate `lz4_flex`, in both directions.

use super::*;
use fastrand::Rng;

/// A block of one of several kinds, which also occur in tables.
fn block_of_kind(rng: &mut Rng, kind: usize, len: usize) -> Vec<u8> {
    match kind {
        0 => vec![rng.u8(..); len],
        1 => (0..len).map(|_| rng.u8(..)).collect(),
        2 => (0..len).map(|_| b'a' + rng.u8(..2)).collect(),
        // Small numbers are frequent, as in encoded integers.
        3 => (0..len).map(|_| (255.0 * rng.f64().powi(6)) as u8).collect(),
        4 => pieces(rng, len, 50, 50),
        5 => {
            let (unique, copied) = (rng.usize(1..40), rng.usize(1..300));
            pieces(rng, len, unique, copied)
        }
        6 => records(rng, len),
        // Runs of few bytes: matches that overlap themselves.
        _ => {
            let mut raw = Vec::new();
            while raw.len() < len {
                let pattern: Vec<u8> = (0..rng.usize(1..20)).map(|_| rng.u8(..)).collect();
                let n = rng.usize(1..200);
                raw.extend(pattern.iter().cycle().take(n));
            }
            raw.truncate(len);
            raw
        }
    }
}

const KINDS: usize = 8;

/// Random bytes, and copies of earlier ones.
fn pieces(rng: &mut Rng, len: usize, unique: usize, copied: usize) -> Vec<u8> {
    let mut raw = Vec::new();
    while raw.len() < len {
        raw.extend((0..unique).map(|_| rng.u8(..127)));
        let offset = rng.usize(1..=raw.len().min(2 * unique));
        for _ in 0..copied {
            raw.push(raw[raw.len() - offset]);
        }
    }
    raw.truncate(len);
    raw
}

/// Similar lines.
fn records(rng: &mut Rng, len: usize) -> Vec<u8> {
    let mut raw = Vec::new();
    while raw.len() < len {
        let (id, city) = (rng.u32(..), ["Bern", "Oslo", "Lima"][rng.usize(..3)]);
        raw.extend(format!("{{\"user\":{id},\"city\":\"{city}\",\"on\":true}}\n").bytes());
    }
    raw.truncate(len);
    raw
}

#[test]
fn both_implementations_read_what_either_writes() {
    let mut rng = Rng::with_seed(41);
    for kind in 0..KINDS {
        for len in (0..300).step_by(if cfg!(miri) { 99 } else { 1 }) {
            checks::block(&block_of_kind(&mut rng, kind, len));
        }
    }
    for i in 0..if cfg!(miri) { KINDS } else { 2000 } {
        let most = if cfg!(miri) { 400 } else { 5000 };
        let len = if i % 10 == 9 { rng.usize(..70_000) } else { rng.usize(..most) };
        checks::block(&block_of_kind(&mut rng, i % KINDS, len));
    }
}

#[test]
fn lengths_around_the_limits_of_the_format_are_read() {
    let mut rng = Rng::with_seed(42);
    let step = if cfg!(miri) { 4 } else { 1 };
    for literals in [14, 15, 16, 269, 270, 271, 524, 525, 526].into_iter().step_by(step) {
        for copied in [4, 18, 19, 20, 272, 273, 274, 275, 528, 529, 530].into_iter().step_by(step) {
            for rest in [0, 5, 12, 13].into_iter().step_by(step) {
                let mut raw: Vec<u8> = (0..literals).map(|_| rng.u8(..)).collect();
                raw.extend_from_within(..copied.min(literals));
                raw.extend((0..rest).map(|_| rng.u8(..)));
                checks::block(&raw);
            }
        }
    }
    // Offsets around the largest, and positions around the largest that 16 bits can number.
    if cfg!(miri) {
        return;
    }
    for distance in [65_400, 65_533, 65_534, 65_535, 65_536, 65_537, 131_071, 200_000] {
        let noise: Vec<u8> = (0..100).map(|_| rng.u8(1..)).collect();
        let mut raw = noise.clone();
        raw.resize(distance, 0);
        raw.extend(noise);
        let is_found = checks::block(&raw).len() < distance / 255 + 160;
        assert_eq!(is_found, distance <= 65_535, "{distance}");
    }
}

#[test]
fn a_table_forgets_earlier_blocks() {
    // The numbers of 16 bits wrap after 16 blocks of this size.
    let mut rng = Rng::with_seed(43);
    let len = if cfg!(miri) { 400 } else { 4096 };
    let blocks: Vec<Vec<u8>> = (0..5).map(|_| block_of_kind(&mut rng, 4, len)).collect();
    let alone: Vec<Vec<u8>> = blocks.iter().map(|raw| checks::block(raw)).collect();
    for i in 0..if cfg!(miri) { 3 } else { 200 } {
        assert_eq!(checks::block(&blocks[i % 5]), alone[i % 5]);
    }
    assert!(alone.iter().all(|encoded| encoded.len() < 2600), "half of each block is copied");
}

#[test]
fn the_end_of_a_block_obeys_the_format() {
    // The last match begins at least 12 bytes before the end, and ends at least 5 bytes before it.
    for len in (13..200).step_by(if cfg!(miri) { 20 } else { 1 }) {
        let encoded = checks::block(&vec![7; len]);
        let (literals, token) = (1, encoded[0]);
        assert_eq!(usize::from(token >> 4), literals);
        let (mut at, mut matched) = (4, usize::from(token & 15) + 4);
        if matched == 19 {
            matched += usize::from(encoded[at]);
            at += 1;
        }
        assert_eq!(literals + matched + 5, len, "{encoded:?}");
        assert_eq!(encoded[at..], [0x50, 7, 7, 7, 7, 7]);
    }
    assert_eq!(checks::block(&[7; 12])[0], 12 << 4);
}

#[test]
fn damaged_streams_decode_as_in_the_crate() {
    let mut rng = Rng::with_seed(44);
    for i in 0..if cfg!(miri) { 2 * KINDS } else { 3000 } {
        let len = rng.usize(1..if cfg!(miri) { 300 } else { 3000 });
        let raw = block_of_kind(&mut rng, i % KINDS, len);
        let mut stream = checks::block(&raw);
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(..stream.len());
            stream[at] = if rng.bool() { rng.u8(..) } else { 0xFF };
        }
        if rng.u8(..4) == 0 {
            stream.truncate(rng.usize(..stream.len()));
        }
        checks::stream(&stream, raw.len());
    }
}
