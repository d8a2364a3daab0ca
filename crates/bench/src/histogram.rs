//! Latencies: recorded in nanoseconds, printed in RocksDB's shape in microseconds.

use hdrhistogram::Histogram as Hdr;
use std::fmt::Write;

/// Longer latencies count as this value: ten minutes.
const LONGEST: u64 = 600_000_000_000;

/// A histogram of one thread or of many.
#[derive(Clone)]
pub struct Histogram(Hdr<u32>);

impl Default for Histogram {
    fn default() -> Histogram {
        // Three digits; these bounds are valid, so the constructor cannot fail.
        Histogram(Hdr::new_with_bounds(1, LONGEST, 3).unwrap_or_else(|_| unreachable!()))
    }
}

impl Histogram {
    /// Adds one latency.
    #[inline]
    pub fn add(&mut self, nanos: u64) {
        self.0.saturating_record(nanos);
    }

    /// Adds all latencies of another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        // The bounds are equal, so no value is out of range.
        let _ = self.0.add(&other.0);
    }

    /// Returns the number of latencies.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// Returns the latency in microseconds below which this percentage is.
    pub fn percentile(&self, percent: f64) -> f64 {
        self.0.value_at_percentile(percent) as f64 / 1000.0
    }

    /// Returns the mean in microseconds.
    pub fn mean(&self) -> f64 {
        self.0.mean() / 1000.0
    }

    /// Returns the shortest, in microseconds.
    pub fn min(&self) -> f64 {
        if self.0.is_empty() { 0.0 } else { self.0.min() as f64 / 1000.0 }
    }

    /// Returns the longest, in microseconds.
    pub fn max(&self) -> f64 {
        self.0.max() as f64 / 1000.0
    }

    /// Returns pairs of a percentile and its latency in microseconds, for a curve on a logarithmic axis: two for each
    /// halving of the distance to 100 %, up to the longest latency at 100.
    pub fn curve(&self) -> Vec<(f64, f64)> {
        let point = |percent: f64| {
            // More digits are noise in a file.
            let digits = 1e6;
            ((percent * digits).round() / digits, self.percentile(percent))
        };
        let count = self.count() as f64;
        let mut points: Vec<(f64, f64)> = Vec::new();
        for half in 0..2 * u64::BITS {
            let left = 0.5_f64.powf(f64::from(half) / 2.0);
            if left * count < 1.0 {
                break;
            }
            points.push(point(100.0 * (1.0 - left)));
        }
        if count > 0.0 {
            points.push((100.0, self.max()));
        }
        points
    }

    /// Returns RocksDB's text: four lines, then one per used bucket.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let p = |percent| self.percentile(percent);
        let deviation = self.0.stdev() / 1000.0;
        // Writing into a string cannot fail.
        let _ = writeln!(
            out,
            "Count: {} Average: {:.4}  StdDev: {deviation:.2}",
            self.count(),
            self.mean()
        );
        let (min, median, max) = (self.min(), p(50.0), self.max());
        let _ = writeln!(out, "Min: {min:.0}  Median: {median:.4}  Max: {max:.0}");
        let _ = writeln!(
            out,
            "Percentiles: P50: {:.2} P75: {:.2} P99: {:.2} P99.9: {:.2} P99.99: {:.2}",
            p(50.0),
            p(75.0),
            p(99.0),
            p(99.9),
            p(99.99)
        );
        out.push_str("------------------------------------------------------\n");
        self.buckets(&mut out);
        out
    }

    fn buckets(&self, out: &mut String) {
        let (total, mut sum, mut low) = (self.count().max(1) as f64, 0u64, 0u64);
        let mut recorded = self.0.iter_recorded().peekable();
        for limit in limits() {
            let mut count = 0;
            while let Some(step) = recorded
                .next_if(|step| self.0.lowest_equivalent(step.value_iterated_to()) <= limit * 1000)
            {
                count += step.count_since_last_iteration();
            }
            if count > 0 {
                sum += count;
                let (share, so_far) = (100.0 * count as f64 / total, 100.0 * sum as f64 / total);
                let open = if low == 0 { '[' } else { '(' };
                let _ = writeln!(
                    out,
                    "{open} {low:7}, {limit:7} ] {count:8} {share:7.3}% {so_far:7.3}% {}",
                    "#".repeat((share / 5.0 + 0.5) as usize)
                );
            }
            low = limit;
        }
    }
}

/// RocksDB's bucket limits in microseconds: each half as large again as the last, to two digits.
fn limits() -> impl Iterator<Item = u64> {
    let mut exact = 2.0f64;
    let larger = std::iter::from_fn(move || {
        exact *= 1.5;
        let (mut limit, mut scale) = (exact as u64, 1);
        while limit / 10 > 10 {
            limit /= 10;
            scale *= 10;
        }
        Some(limit * scale)
    });
    [1, 2].into_iter().chain(larger.take_while(|limit| limit * 1000 < LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_rocksdb() {
        let limits: Vec<u64> = limits().take(17).collect();
        assert_eq!(limits, [1, 2, 3, 4, 6, 10, 15, 22, 34, 51, 76, 110, 170, 250, 380, 580, 870]);
    }

    #[test]
    fn a_curve_rises_to_the_longest_latency() {
        assert!(Histogram::default().curve().is_empty());
        let mut histogram = Histogram::default();
        for micros in 1..=1000u64 {
            histogram.add(micros * 1000);
        }
        let curve = histogram.curve();
        assert_eq!((curve[2].0, curve[2].1.round()), (50.0, 500.0));
        assert!(curve.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1));
        assert_eq!(curve.last().map(|(percent, us)| (*percent, us.round())), Some((100.0, 1000.0)));
        assert!(curve.len() > 20, "{curve:?}");
    }

    #[test]
    fn the_text_has_rocksdbs_shape() {
        let mut histogram = Histogram::default();
        for micros in 1..=100u64 {
            histogram.add(micros * 1000);
        }
        let text = histogram.text();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("Count: 100 Average: 50.5"), "{}", lines[0]);
        assert!(lines[2].starts_with("Percentiles: P50: 50."), "{}", lines[2]);
        assert!(lines[4].starts_with("[       0,       1 ]        1   1.000%   1.000% "));
        assert!(text.ends_with("100.000% #####\n"), "{text}");
    }
}
