//! The distributions of `mixgraph`, from Cao et al., "Characterizing, Modeling, and Benchmarking RocksDB Key-Value
//! Workloads at Facebook", FAST '20.
//!
//! Random numbers are integers below some limit, as db_bench draws them. A number is used for several choices of one
//! operation, so that these choices depend on each other as they do in RocksDB's program.

use crate::rng::Random64;

/// Probabilities below this count as zero.
const NEGLIGIBLE: f64 = 1e-16;

/// The generalized Pareto distribution: `P(X > x) = (1 + k (x - theta) / sigma)^(-1/k)`.
#[derive(Clone, Copy, Debug)]
pub struct Pareto {
    /// The location.
    pub theta: f64,
    /// The shape; 0 is the exponential distribution.
    pub k: f64,
    /// The scale.
    pub sigma: f64,
}

impl Pareto {
    /// Returns the value that a sample exceeds with probability `u`, rounded up; 0 if it is negative.
    pub fn quantile(&self, u: f64) -> u64 {
        let value = if self.k == 0.0 {
            self.theta - self.sigma * u.ln()
        } else {
            self.theta + self.sigma * (u.powf(-self.k) - 1.0) / self.k
        };
        value.ceil() as u64
    }
}

/// Returns the x at which the power law `a x^b` is `u`, rounded up.
pub fn power_law(u: f64, [a, b]: [f64; 2]) -> u64 {
    (u / a).powf(1.0 / b).ceil() as u64
}

/// Kinds of operations, chosen by their shares.
pub struct Choice {
    /// Numbers below the first limit mean the first kind, and so on.
    limits: [u64; 3],
}

impl Choice {
    /// Three kinds with these shares, in thousandths that are rounded up.
    pub fn new(shares: [f64; 3]) -> Choice {
        let sum: f64 = shares.iter().sum();
        let mut end = 0;
        Choice {
            limits: shares.map(|share| {
                end += (1000.0 * (share / sum)).ceil() as u64;
                end
            }),
        }
    }

    /// Returns the kind that a random number means.
    pub fn of(&self, random: u64) -> usize {
        let at = random % self.limits[2];
        self.limits.iter().position(|limit| at < *limit).unwrap_or(0)
    }
}

/// Ranges of keys of equal size, some used more than others: range `x` of `1..=n` has the probability
/// `a exp(b x) + c exp(d x)`, rounded down to multiples of the smallest one. The ranges lie in random order in the key
/// space, the same for the same parameters.
pub struct KeyRanges {
    /// The keys of a range.
    size: u64,
    /// The begin of each range's share of `0..total`.
    starts: Vec<u64>,
    total: u64,
}

impl KeyRanges {
    /// Divides `keys` into `count` ranges, or returns that no range has a probability above zero.
    pub fn new(keys: u64, count: u64, [a, b, c, d]: [f64; 4]) -> Result<KeyRanges, String> {
        let probability = |x: u64| {
            let p = a * (b * x as f64).exp() + c * (d * x as f64).exp();
            if p < NEGLIGIBLE { 0.0 } else { p }
        };
        let probabilities: Vec<f64> = (1..=count).rev().map(probability).collect();
        // The first range with a probability gets a share of about one.
        let first = probabilities.iter().find(|p| **p > 0.0).ok_or(
            "mixgraph: --keyrange_dist_a to --keyrange_dist_d give no key range a probability above 0",
        )?;
        let scale = (1.0 / first).floor() + 1.0;
        let mut shares: Vec<u64> = probabilities.iter().map(|p| (scale * p) as u64).collect();
        let total = shares.iter().fold(0u64, |sum, share| sum.saturating_add(*share)).max(1);
        let mut random = Random64::new(total);
        for i in 0..shares.len() {
            shares.swap(i, (random.draw() % count) as usize);
        }
        let mut next = 0u64;
        let starts = shares.iter().map(|share| {
            let start = next;
            next = next.saturating_add(*share);
            start
        });
        Ok(KeyRanges { size: keys / count, starts: starts.collect(), total })
    }

    /// Returns the number of the range that a random number means.
    pub fn range(&self, random: u64) -> u64 {
        let at = random % self.total;
        self.starts.partition_point(|start| *start <= at) as u64 - 1
    }

    /// Returns the key number that a random number means: a range, and a key of it by the power law or, if one of its
    /// parameters is 0, any key of it.
    pub fn key(&self, random: u64, power: [f64; 2]) -> u64 {
        let within = random % self.size;
        let offset = if power.contains(&0.0) {
            within
        } else {
            hot_key(within as f64 / self.size as f64, power, self.size)
        };
        self.size * self.range(random) + offset
    }
}

/// A key number below `keys` by the power law: the popularity of a key is a number, which is spread over the keys.
pub fn hot_key(u: f64, power: [f64; 2], keys: u64) -> u64 {
    Random64::first(power_law(u, power)) % keys
}

#[cfg(test)]
#[path = "distributions_test.rs"]
mod tests;
