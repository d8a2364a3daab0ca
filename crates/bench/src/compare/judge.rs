//! The statistics: ratios, their intervals of confidence, and the verdict.
//!
//! Times and rates vary by factors, so samples are compared by logarithms: the mean difference of logarithms is the
//! logarithm of a ratio of geometric means. Runs that alternated are compared in pairs, which cancels the drift of a
//! machine; other samples are compared by Welch's test. See B. L. Welch, "The generalization of Student's problem when
//! several different population variances are involved", Biometrika 34 (1947).

use statrs::distribution::{ContinuousCDF, StudentsT};

/// What counts as a real difference.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The probability with which all verdicts of a table are right if nothing differs.
    pub confidence: f64,
    /// Smaller differences are never called real, as fractions of 1.
    pub smallest: f64,
    /// Whether the runs alternated, so that the i-th values of both sides belong together.
    pub paired: bool,
}

/// The comparison of one figure.
#[derive(Clone, Copy, Debug)]
pub struct Judgement {
    /// The medians of both sides.
    pub medians: (f64, f64),
    /// The geometric mean of A divided by that of B.
    pub ratio: f64,
    /// The interval that contains the true ratio with the rule's confidence; none with fewer than three values a side.
    pub interval: Option<(f64, f64)>,
    /// Whether the difference is real; none where there is no interval.
    pub real: Option<bool>,
}

/// Compares two samples of positive numbers, which must not be empty. `comparisons` is the number of figures in the
/// table: the error probability is divided by it (Bonferroni).
pub fn judge(a: &[f64], b: &[f64], rule: Rule, comparisons: usize) -> Judgement {
    let logarithms = |sample: &[f64]| sample.iter().map(|x| x.ln()).collect::<Vec<_>>();
    let (log_a, log_b) = (logarithms(a), logarithms(b));
    let error = (1.0 - rule.confidence) / comparisons.max(1) as f64;
    let difference = mean(&log_a) - mean(&log_b);
    let spread = if rule.paired && a.len() == b.len() {
        let pairs: Vec<f64> = log_a.iter().zip(&log_b).map(|(a, b)| a - b).collect();
        paired_spread(&pairs, error)
    } else {
        welch_spread(&log_a, &log_b, error)
    };
    let interval = spread.map(|spread| ((difference - spread).exp(), (difference + spread).exp()));
    let ratio = difference.exp();
    let real = interval.map(|(low, high)| {
        let beyond_chance = low > 1.0 || high < 1.0;
        beyond_chance && (ratio - 1.0).abs() >= rule.smallest
    });
    Judgement { medians: (median(a), median(b)), ratio, interval, real }
}

/// Returns half of the interval of the mean of differences.
fn paired_spread(differences: &[f64], error: f64) -> Option<f64> {
    let n = differences.len();
    if n < 3 {
        return None;
    }
    let standard_error = (variance(differences) / n as f64).sqrt();
    Some(quantile(n as f64 - 1.0, error)? * standard_error)
}

/// Returns half of the interval of the difference of two means.
fn welch_spread(a: &[f64], b: &[f64], error: f64) -> Option<f64> {
    if a.len() < 3 || b.len() < 3 {
        return None;
    }
    let (of_a, of_b) = (variance(a) / a.len() as f64, variance(b) / b.len() as f64);
    let sum = of_a + of_b;
    if sum == 0.0 {
        return Some(0.0);
    }
    let terms = of_a.powi(2) / (a.len() - 1) as f64 + of_b.powi(2) / (b.len() - 1) as f64;
    Some(quantile(sum.powi(2) / terms, error)? * sum.sqrt())
}

/// Returns the value that Student's t exceeds in either direction with probability `error`.
fn quantile(degrees: f64, error: f64) -> Option<f64> {
    let t = StudentsT::new(0.0, 1.0, degrees).ok()?;
    Some(t.inverse_cdf(1.0 - error / 2.0))
}

fn mean(sample: &[f64]) -> f64 {
    sample.iter().sum::<f64>() / sample.len() as f64
}

fn variance(sample: &[f64]) -> f64 {
    let mean = mean(sample);
    sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (sample.len() - 1) as f64
}

fn median(sample: &[f64]) -> f64 {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    (sorted[sorted.len() / 2] + sorted[(sorted.len() - 1) / 2]) / 2.0
}
