//! Blocks of many kinds for tests.

use fastrand::Rng;

pub(crate) const KINDS: usize = 15;

/// Returns a block of a kind below [`KINDS`].
pub(crate) fn sample(rng: &mut Rng, kind: usize, len: usize) -> Vec<u8> {
    let mut raw = Vec::with_capacity(len + 300);
    let (a, b) = (rng.u8(..), rng.u8(..));
    let bits = rng.u32(1..8);
    let mut piece_kind = kind;
    while raw.len() < len {
        // The last kind is a mixture of all others.
        if kind == KINDS - 1 && (raw.is_empty() || rng.u8(..) < 3) {
            piece_kind = rng.usize(..KINDS - 1);
        }
        match piece_kind {
            0 => raw.push(rng.u8(..)),
            1 => raw.push(a),
            2 => raw.push(if rng.u32(..).trailing_zeros() >= bits { a } else { b }),
            3 => raw.push(a.wrapping_add((1.0 / (rng.f64() + 0.004)) as u8)),
            // Counts that double, for which the best code is longer than the format allows.
            4 => raw.push((rng.u64(..) | 1 << 40).trailing_zeros() as u8),
            5 => repeat(rng, &mut raw, 1 << 12, 1 << 9),
            6 => repeat(rng, &mut raw, 3, 1 << 7),
            7 => record(rng, &mut raw),
            8 => piece(rng, &mut raw),
            9 => entry(rng, &mut raw),
            10 => repeat(rng, &mut raw, 1 << 17, 1 << 16),
            11 => words(rng, &mut raw),
            // Small numbers, and a series of measurements.
            12 => raw.extend(rng.u32(..5000).to_le_bytes()),
            _ => {
                let time = 1_760_000_000_000 + 1000 * raw.len() as u64 + rng.u64(..200);
                raw.extend(time.to_le_bytes());
                raw.extend((20.0 + f32::from(rng.u8(..100)) / 16.0).to_le_bytes());
            }
        }
    }
    raw.truncate(len);
    raw
}

/// Appends some text.
fn words(rng: &mut Rng, raw: &mut Vec<u8>) {
    const TEXT: &str =
        "the key of a row, its value and the time at which it was written; a table has blocks ";
    let at = rng.usize(..TEXT.len() - 8);
    raw.extend_from_slice(&TEXT.as_bytes()[at..at + rng.usize(1..8)]);
}

/// Appends a few random bytes, and then earlier ones.
fn repeat(rng: &mut Rng, raw: &mut Vec<u8>, offset_max: usize, len_max: usize) {
    for _ in 0..rng.usize(0..20) {
        raw.push(rng.u8(..) & 0x7F);
    }
    if !raw.is_empty() {
        let offset = rng.usize(1..=raw.len().min(offset_max));
        let len = rng.usize(3..len_max) >> rng.u32(0..10);
        for _ in 0..len {
            raw.push(raw[raw.len() - offset]);
        }
    }
}

/// Appends text.
fn record(rng: &mut Rng, raw: &mut Vec<u8>) {
    const CITIES: [&str; 5] = ["Utrecht", "Lyon", "Porto", "Gdansk", "Turku"];
    let city = CITIES[rng.usize(..CITIES.len())];
    let (user, score, rate) = (rng.u32(..5000), rng.u32(..), rng.u8(..100));
    let line = format!(
        "{{\"user\":{user},\"city\":\"{city}\",\"score\":{score},\"active\":{},\"rate\":0.{rate}}}\n",
        rate > 50
    );
    raw.extend_from_slice(line.as_bytes());
}

/// Appends 100 bytes as db_bench makes them: half of them is random, and occurs twice.
fn piece(rng: &mut Rng, raw: &mut Vec<u8>) {
    let unique: [u8; 50] = std::array::from_fn(|_| rng.u8(..127));
    raw.extend_from_slice(&unique);
    raw.extend_from_slice(&unique);
}

/// Appends an entry of a block: sizes, the end of a key, a sequence number, and a value.
fn entry(rng: &mut Rng, raw: &mut Vec<u8>) {
    raw.extend_from_slice(&[12, 12, 0x80, 0x04]);
    raw.extend_from_slice(&rng.u32(..100_000).to_be_bytes());
    raw.extend_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0]);
    for _ in 0..rng.usize(1..6) {
        piece(rng, raw);
    }
}
