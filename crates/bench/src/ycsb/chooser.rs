//! Choosers: the key of an operation, the number of records of a scan, and the length of a field.

use super::distribution::{Exponential, Hotspot, Scrambled, Zipfian};
use super::inserted::Inserted;
use crate::rng::Random64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Returns a random number from `[0, 1)`.
#[inline]
pub fn uniform(random: &mut Random64) -> f64 {
    (random.draw() >> 11) as f64 / (1u64 << 53) as f64
}

/// Returns a random number below `n`.
#[inline]
pub fn below(random: &mut Random64, n: u64) -> u64 {
    ((u128::from(random.draw()) * u128::from(n)) >> 64) as u64
}

/// Chooses records that exist. Each thread has its own.
#[derive(Clone)]
pub enum KeyChooser {
    /// All of a range are equally likely.
    Uniform {
        /// The first.
        first: u64,
        /// The number of records.
        count: u64,
    },
    /// The records of a range one after the other, across all threads.
    Sequential {
        /// The first.
        first: u64,
        /// The number of records.
        count: u64,
        /// The number of records taken so far.
        taken: Arc<AtomicU64>,
    },
    /// Some records are popular, anywhere in the range.
    Zipfian(Scrambled),
    /// The newest are popular.
    Latest(Zipfian),
    /// A part is popular.
    Hotspot(Hotspot),
    /// Newer records are more popular, by an exponential distribution.
    Exponential(Exponential),
}

impl KeyChooser {
    /// Returns the number of a record that exists.
    #[inline]
    pub fn pick(&mut self, random: &mut Random64, inserted: &Inserted) -> u64 {
        let limit = inserted.limit();
        loop {
            let record = match self {
                KeyChooser::Uniform { first, count } => *first + below(random, *count),
                KeyChooser::Sequential { first, count, taken } => {
                    *first + taken.fetch_add(1, Ordering::Relaxed) % *count
                }
                KeyChooser::Zipfian(scrambled) => scrambled.pick(uniform(random)),
                KeyChooser::Latest(zipfian) => {
                    zipfian.grow(limit);
                    limit.saturating_sub(1 + zipfian.pick(uniform(random)))
                }
                KeyChooser::Hotspot(hotspot) => hotspot.pick(uniform(random), uniform(random)),
                // A record before the first one is drawn again, as in YCSB.
                KeyChooser::Exponential(distances) => {
                    let back = 1 + distances.pick(uniform(random));
                    if back > limit { u64::MAX } else { limit - back }
                }
            };
            // A zipfian choice may be a record that is expected but not inserted yet.
            if record < limit {
                return record;
            }
        }
    }
}

/// Chooses a length: of a field in bytes, or of a scan in records.
#[derive(Clone, Debug)]
pub enum LengthChooser {
    /// Always this.
    Constant(u64),
    /// From the first to the second, equally likely.
    Uniform(u64, u64),
    /// From this on, short ones are popular.
    Zipfian(u64, Zipfian),
    /// Blocks of this many, by their weights.
    Histogram {
        /// The size of a block.
        block: u64,
        /// For each number of blocks from one on, the sum of the weights up to it.
        sums: Vec<u64>,
    },
}

impl LengthChooser {
    /// Creates a chooser by the name of its distribution, from `min` to `max`.
    pub fn new(distribution: &str, min: u64, max: u64) -> Result<LengthChooser, String> {
        if min > max {
            return Err(format!("a length from {min} to {max}: the minimum is larger"));
        }
        match distribution {
            "constant" => Ok(LengthChooser::Constant(max)),
            "uniform" => Ok(LengthChooser::Uniform(min, max)),
            "zipfian" => Ok(LengthChooser::Zipfian(min, Zipfian::new(max - min + 1))),
            other => Err(format!("unknown distribution {other} of lengths")),
        }
    }

    /// From YCSB's histogram file: `BlockSize`, a tab, a number; then lines of a number and its weight.
    pub fn histogram(text: &str) -> Result<LengthChooser, String> {
        let mut lines = text.lines();
        let head = lines.next().and_then(|line| line.strip_prefix("BlockSize\t"));
        let block = head.and_then(|size| size.trim().parse().ok());
        let block = block.ok_or("expected BlockSize, a tab and a number in the first line")?;
        let (mut sums, mut sum) = (Vec::new(), 0u64);
        for (i, line) in lines.enumerate() {
            let (at, weight) = line.split_once('\t').unwrap_or((line, ""));
            let (at, weight): (Option<usize>, Option<u64>) =
                (at.trim().parse().ok(), weight.trim().parse().ok());
            match (at, weight) {
                (Some(at), Some(weight)) if at == i => sum = sum.saturating_add(weight),
                _ => return Err(format!("line {}: expected {i}, a tab and a weight", i + 2)),
            }
            sums.push(sum);
        }
        if sum == 0 {
            Err("no weights".to_owned())
        } else {
            Ok(LengthChooser::Histogram { block, sums })
        }
    }

    /// Returns a length.
    #[inline]
    pub fn pick(&self, random: &mut Random64) -> u64 {
        match self {
            LengthChooser::Constant(length) => *length,
            LengthChooser::Uniform(min, max) => min + below(random, max - min + 1),
            LengthChooser::Zipfian(min, zipfian) => min + zipfian.pick(uniform(random)),
            LengthChooser::Histogram { block, sums } => {
                let weight = below(random, sums.last().copied().unwrap_or(1));
                (sums.partition_point(|sum| *sum <= weight) as u64 + 1) * block
            }
        }
    }
}
