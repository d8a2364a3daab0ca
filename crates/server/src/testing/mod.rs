//! Help for tests: mutated bytes, and a real Redis to compare with.

pub mod failing;
pub mod process;
pub mod redis;

use fastrand::Rng;

/// Changes one to four places: flips, replaces, inserts, removes, copies or cuts.
pub fn mutate(random: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..random.usize(1..=4) {
        if bytes.is_empty() {
            bytes.push(random.u8(..));
            continue;
        }
        let at = random.usize(..bytes.len());
        match random.usize(..8) {
            0 => bytes[at] ^= 1 << random.u32(..8),
            1 => bytes[at] = random.u8(..),
            2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xc0, 0xff][random.usize(..6)],
            3 => bytes.insert(at, random.u8(..)),
            4 => drop(bytes.remove(at)),
            5 => bytes.truncate(at),
            6 => {
                let to = (at + random.usize(..16)).min(bytes.len());
                let part = bytes[at..to].to_vec();
                bytes.splice(at..at, part);
            }
            _ => {
                let to = (at + 4).min(bytes.len());
                let word = [0, 1, u32::MAX, i32::MAX as u32, random.u32(..)][random.usize(..5)];
                bytes[at..to].copy_from_slice(&word.to_le_bytes()[..to - at]);
            }
        }
    }
}

/// Returns how many mutations a test makes of each kind: 100,000, or `FERROLITH_FUZZ_ROUNDS`.
pub fn fuzz_rounds() -> usize {
    let rounds = std::env::var("FERROLITH_FUZZ_ROUNDS").ok();
    rounds.map_or(100_000, |rounds| rounds.parse().expect("FERROLITH_FUZZ_ROUNDS is a number"))
}

/// Returns up to `length_max` random bytes.
pub fn bytes(random: &mut Rng, length_max: usize) -> Vec<u8> {
    (0..random.usize(..=length_max)).map(|_| random.u8(..)).collect()
}
