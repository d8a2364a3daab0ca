//! Pearson's chi-square test of samples against a distribution, for tests.
//!
//! Seeds are fixed, so a test that passed once passes always. A test also shows that it can fail: it compares the same
//! sample with a distribution that has a planted error.

use crate::rng::Random64;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// A sample fits a distribution if its p-value is above this.
const LEVEL: f64 = 1e-3;
/// A planted error is found if the p-value is below this.
const CERTAIN: f64 = 1e-9;
/// Neighbouring cells are pooled until a sample of the distribution is expected to have this many draws in them.
const POOLED: f64 = 10.0;

/// How often each number was drawn.
pub struct Sample {
    counts: Vec<u64>,
    /// Draws that are none of the cells.
    outside: u64,
}

impl Sample {
    /// Draws numbers, which should be below `cells`.
    pub fn new(cells: usize, draws: usize, mut draw: impl FnMut(&mut Random64) -> u64) -> Sample {
        let mut random = Random64::new(7);
        let mut sample = Sample { counts: vec![0; cells], outside: 0 };
        for _ in 0..draws {
            match sample.counts.get_mut(draw(&mut random) as usize) {
                Some(count) => *count += 1,
                None => sample.outside += 1,
            }
        }
        sample
    }

    /// Returns how often each number was drawn.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Returns the probability that a sample of the distribution is as far from it as this one or farther. A number
    /// that the distribution does not have makes it 0.
    pub fn p_value(&self, distribution: &[f64]) -> f64 {
        let sum: f64 = distribution.iter().sum();
        assert!((sum - 1.0).abs() < 1e-9, "the probabilities have the sum {sum}");
        let draws = self.counts.iter().sum::<u64>() + self.outside;
        let len = distribution.len().max(self.counts.len());
        let mut cells: Vec<(f64, f64)> = vec![(0.0, 0.0)];
        for i in 0..len {
            let probability = distribution.get(i).copied().unwrap_or(0.0);
            let count = self.counts.get(i).copied().unwrap_or(0);
            if probability <= 0.0 && count > 0 {
                return 0.0;
            }
            if cells.last().is_some_and(|(expected, _)| *expected >= POOLED) {
                cells.push((0.0, 0.0));
            }
            if let Some((expected, found)) = cells.last_mut() {
                *expected += probability * draws as f64;
                *found += count as f64;
            }
        }
        merge_last(&mut cells);
        assert!(cells.len() > 1, "one cell cannot be compared");
        let part = |(expected, found): &(f64, f64)| (found - expected).powi(2) / expected;
        let statistic: f64 = cells.iter().map(part).sum();
        let freedom = (cells.len() - 1) as f64;
        if self.outside > 0 { 0.0 } else { ChiSquared::new(freedom).unwrap().sf(statistic) }
    }

    /// Checks that the sample fits a distribution, and that it does not fit any of those with a planted error.
    pub fn check(&self, name: &str, distribution: &[f64], planted: &[(&str, Vec<f64>)]) {
        let p = self.p_value(distribution);
        assert!(p > LEVEL, "{name}: p = {p}");
        for (error, distribution) in planted {
            let p = self.p_value(distribution);
            assert!(p < CERTAIN, "{name}: the planted error ({error}) is not found: p = {p}");
        }
    }
}

/// The last cell may expect too little; it joins the one before it.
fn merge_last(cells: &mut Vec<(f64, f64)>) {
    if let Some((expected, found)) = cells.pop_if(|(expected, _)| *expected < POOLED) {
        match cells.last_mut() {
            Some(last) => (last.0, last.1) = (last.0 + expected, last.1 + found),
            None => cells.push((expected, found)),
        }
    }
}

/// Returns a distribution over `0..end` that is equal on `first..end` and 0 before.
pub fn equal(first: usize, end: usize) -> Vec<f64> {
    let probability = 1.0 / (end - first) as f64;
    (0..end).map(|i| if i < first { 0.0 } else { probability }).collect()
}

/// Returns a distribution in proportion to weights.
pub fn in_proportion(weights: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let weights: Vec<f64> = weights.into_iter().collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

#[test]
fn pooled_cells_give_the_known_p_value() {
    // 44 heads and 56 tails of a fair coin: chi-square is 1.44 with one degree of freedom.
    let coin = Sample { counts: vec![44, 56], outside: 0 };
    assert!((coin.p_value(&[0.5, 0.5]) - 0.230_139).abs() < 1e-5);
    // The last two cells expect 5 each and become one with 10; the third expects 90.
    let pooled = Sample { counts: vec![95, 3, 2], outside: 0 };
    let expected = ChiSquared::new(1.0).unwrap().sf(25.0 / 90.0 + 25.0 / 10.0);
    assert!((pooled.p_value(&[0.9, 0.05, 0.05]) - expected).abs() < 1e-12);
    assert_eq!(Sample { counts: vec![44, 56], outside: 1 }.p_value(&[0.5, 0.5]), 0.0);
    assert_eq!(coin.p_value(&[1.0, 0.0]), 0.0);
    assert!(Sample { counts: vec![44, 56, 0], outside: 0 }.p_value(&[0.5, 0.5]) > 0.2);
}
