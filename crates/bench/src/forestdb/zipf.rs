//! Zipf's distribution over groups of documents. Ranks are dealt to groups at random, so that popular groups are
//! spread over the key space.

use crate::rng::{Permutation, Random64};
use crate::ycsb::chooser::uniform;

/// The shuffle of groups is the same in all runs: the popular groups of a step are those of the next one.
const SHUFFLE: u64 = 11;

/// The group of rank `r`, from 1, is chosen with a probability in proportion to `1 / r^s`.
pub struct Zipf {
    /// For each rank, the sum of the weights up to it.
    sums: Vec<f64>,
    groups: Permutation,
}

impl std::fmt::Debug for Zipf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Zipf over {} groups", self.sums.len())
    }
}

impl Zipf {
    /// Over `0..groups` with the exponent `s`. Takes eight bytes per group.
    pub fn new(groups: u64, s: f64) -> Zipf {
        let mut sum = 0.0;
        let weight = |rank: u64| {
            sum += (rank as f64).powf(-s);
            sum
        };
        let sums = (1..=groups.max(1)).map(weight).collect();
        Zipf { sums, groups: Permutation::new(groups.max(1), SHUFFLE) }
    }

    /// Chooses a group.
    pub fn pick(&self, random: &mut Random64) -> u64 {
        let at = uniform(random) * self.sums.last().copied().unwrap_or(1.0);
        let rank = self.sums.partition_point(|sum| *sum <= at).min(self.sums.len() - 1);
        self.group(rank as u64)
    }

    /// Returns the group of a rank, from 0.
    pub fn group(&self, rank: u64) -> u64 {
        self.groups.at(rank)
    }
}
