//! Samples against the definitions of the distributions, with fixed seeds.

use super::*;

const SAMPLES: u64 = 100_000;

/// Numbers of (0, 1), uniformly distributed.
fn uniform() -> impl Iterator<Item = f64> {
    let mut random = Random64::new(17);
    (0..SAMPLES).map(move |_| ((random.draw() >> 11) as f64 + 0.5) / (1u64 << 53) as f64)
}

/// Returns the largest distance of the samples' distribution from `cdf` at these points, as a multiple of that which
/// 1 % of all samples exceed by the test of Kolmogorov and Smirnov.
fn distance(samples: &[u64], points: &[u64], cdf: impl Fn(f64) -> f64) -> f64 {
    let at = |point: &u64| {
        let below = samples.iter().filter(|sample| *sample <= point).count();
        (below as f64 / samples.len() as f64 - cdf(*point as f64)).abs()
    };
    points.iter().map(at).fold(0.0, f64::max) * (samples.len() as f64).sqrt() / 1.63
}

/// Checks that the samples fit a distribution, and not one with a planted error.
fn check(samples: &[u64], points: &[u64], cdf: impl Fn(f64) -> f64, planted: impl Fn(f64) -> f64) {
    let distances = (distance(samples, points, cdf), distance(samples, points, planted));
    assert!(distances.0 < 1.0 && distances.1 > 1.5, "{distances:?}");
}

#[test]
fn value_sizes_and_scan_lengths_are_generalized_pareto() {
    let points = [1, 5, 10, 25, 50, 100, 300, 1000, 10_000];
    for (theta, k, sigma) in [(0.0, 0.2615, 25.45), (0.0, 2.517, 14.236), (3.0, 0.5, 40.0)] {
        let pareto = Pareto { theta, k, sigma };
        let samples: Vec<u64> = uniform().map(|u| pareto.quantile(u)).collect();
        let cdf = |k: f64, sigma: f64| {
            move |x: f64| 1.0 - (1.0 + k * (x - theta).max(0.0) / sigma).powf(-1.0 / k)
        };
        check(&samples, &points, cdf(k, sigma), cdf(k * 1.5, sigma));
        check(&samples, &points, cdf(k, sigma), cdf(k, sigma * 1.2));
    }
    let exponential = Pareto { theta: 2.0, k: 0.0, sigma: 30.0 };
    let samples: Vec<u64> = uniform().map(|u| exponential.quantile(u)).collect();
    let cdf = |theta: f64| move |x: f64| 1.0 - (-(x - theta).max(0.0) / 30.0).exp();
    check(&samples, &points, cdf(2.0), cdf(3.0));
}

#[test]
fn the_mean_of_value_sizes_is_that_of_the_distribution() {
    let pareto = Pareto { theta: 0.0, k: 0.2615, sigma: 25.45 };
    let mean = uniform().map(|u| pareto.quantile(u)).sum::<u64>() as f64 / SAMPLES as f64;
    // sigma / (1 - k), and a half for rounding up.
    let expected = 25.45 / (1.0 - 0.2615) + 0.5;
    assert!((mean - expected).abs() < 0.5, "{mean}, expected {expected}");
}

#[test]
fn keys_follow_the_power_law() {
    let power = [0.002312, 0.3467];
    let ranks: Vec<u64> = uniform().map(|u| power_law(u, power)).collect();
    let points = [1000, 100_000, 1_000_000, 10_000_000, 30_000_000];
    let cdf = |exponent: f64| move |x: f64| power[0] * x.powf(exponent);
    check(&ranks, &points, cdf(power[1]), cdf(power[1] + 0.001));
    let keys: Vec<u64> = uniform().map(|u| hot_key(u, power, 1000)).collect();
    assert!(keys.iter().all(|key| *key < 1000));
    // Equal ranks are equal keys, so that the most popular keys stand out.
    let mut uses = vec![0u64; 1000];
    keys.iter().for_each(|key| uses[*key as usize] += 1);
    uses.sort_unstable();
    assert!(uses[999] > 2 * uses[500], "{} and {}", uses[999], uses[500]);
}

#[test]
fn key_ranges_have_the_probabilities_of_the_two_term_exponential() {
    let terms = [14.18, -2.917, 0.0164, -0.08082];
    let (num, count) = (50_000_000, 30);
    let ranges = KeyRanges::new(num, count, terms).unwrap();
    let mut random = Random64::new(23);
    let mut uses = vec![0u64; count as usize];
    for _ in 0..SAMPLES {
        let number = random.draw() % num;
        let key = ranges.key(number, [0.0, 0.0]);
        assert_eq!(key / (num / count), ranges.range(number));
        uses[ranges.range(number) as usize] += 1;
    }
    let [a, b, c, d] = terms;
    let probability = |x: u64| a * (b * x as f64).exp() + c * (d * x as f64).exp();
    // The probabilities fall, so that the last one is the unit.
    let mut expected: Vec<f64> =
        (1..=count).map(|x| (probability(x) / probability(count)).floor()).collect();
    let sum: f64 = expected.iter().sum();
    expected.sort_by(f64::total_cmp);
    let order = uses.clone();
    uses.sort_unstable();
    let mut chi_square = 0.0;
    for (uses, share) in uses.iter().zip(&expected) {
        let wanted = share / sum * SAMPLES as f64;
        chi_square += (*uses as f64 - wanted).powi(2) / wanted;
        let exact = share / sum;
        assert!((*uses as f64 / SAMPLES as f64 - exact).abs() < 0.005, "{uses}, {share}");
    }
    // 29 degrees of freedom: above 49.6 in 1 % of all cases.
    assert!(chi_square < 49.6, "{chi_square}");
    assert_ne!(order, uses, "popular ranges are spread over the key space");
}

#[test]
fn a_power_law_applies_within_each_key_range() {
    let ranges = KeyRanges::new(3000, 3, [1.0, -0.5, 0.0, 0.0]).unwrap();
    let mut random = Random64::new(29);
    let mut within = vec![0u64; 1000];
    for _ in 0..SAMPLES {
        let number = random.draw() % 3000;
        let key = ranges.key(number, [0.002312, 0.3467]);
        assert_eq!(key / 1000, ranges.range(number));
        within[(key % 1000) as usize] += 1;
    }
    // All keys of a range are possible if they are uniform; by the power law they are not.
    let unused = within.iter().filter(|uses| **uses == 0).count();
    assert!(unused > 200, "{unused}");
}

#[test]
fn impossible_key_ranges_are_an_error() {
    let error = KeyRanges::new(100, 10, [-1.0, 0.0, 0.0, 0.0]).err().unwrap();
    assert!(error.contains("--keyrange_dist_a to --keyrange_dist_d"), "{error}");
}

#[test]
fn kinds_of_operations_have_their_shares() {
    let choice = Choice::new([0.83, 0.14, 0.03]);
    let mut counts = [0u64; 3];
    (0..SAMPLES).for_each(|number| counts[choice.of(number)] += 1);
    assert_eq!(counts, [83_000, 14_000, 3000]);
    let only = Choice::new([0.0, 2.0, 0.0]);
    assert!((0..2000).all(|number| only.of(number) == 1));
}
