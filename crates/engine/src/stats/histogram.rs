//! A histogram with RocksDB's buckets, so that percentiles and printed tables can be compared line by line.
//!
//! Thread safety: `add` and `merge` take `&self` and use relaxed atomics; a concurrent snapshot may miss values that
//! are being added. A percentile is interpolated within its bucket and limited to the range of recorded values.

use crate::env::sync::LazyLock;
use crate::env::sync::std_atomic::{AtomicU64, Ordering::Relaxed};
use std::fmt::Write as _;

/// The number of buckets: two small ones, then each 1.5 times the previous one, truncated to two digits, up to the end
/// of u64.
const BUCKETS: usize = 109;

static LIMITS: LazyLock<[u64; BUCKETS]> = LazyLock::new(|| {
    let mut limits = [0; BUCKETS];
    let mut exact = 2.0f64;
    for (i, limit) in limits.iter_mut().enumerate() {
        *limit = match i {
            0 => 1,
            1 => 2,
            _ => {
                exact *= 1.5;
                two_digits(exact as u64)
            }
        };
    }
    limits
});

/// Returns `v` with all but its first two digits set to 0; numbers up to 109 are unchanged.
fn two_digits(mut v: u64) -> u64 {
    let mut scale = 1;
    while v / 10 > 10 {
        v /= 10;
        scale *= 10;
    }
    v * scale
}

/// Returns the inclusive upper limit of every bucket.
#[cfg(test)]
fn bucket_limits() -> &'static [u64] {
    &*LIMITS
}

fn bucket_of(v: u64) -> usize {
    LIMITS.partition_point(|limit| *limit < v).min(BUCKETS - 1)
}

/// A distribution of numbers.
#[derive(Debug)]
pub struct Histogram {
    min: AtomicU64,
    max: AtomicU64,
    count: AtomicU64,
    sum: AtomicU64,
    /// The sum of squares wraps when it exceeds 64 bits, which is late and affects only the standard deviation.
    sum_squares: AtomicU64,
    buckets: [AtomicU64; BUCKETS],
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram::new()
    }
}

impl Histogram {
    /// Creates an empty histogram.
    pub fn new() -> Histogram {
        Histogram {
            min: AtomicU64::new(u64::MAX),
            max: AtomicU64::new(0),
            count: AtomicU64::new(0),
            sum: AtomicU64::new(0),
            sum_squares: AtomicU64::new(0),
            buckets: [const { AtomicU64::new(0) }; BUCKETS],
        }
    }

    /// Counts one number.
    pub fn add(&self, v: u64) {
        self.buckets[bucket_of(v)].fetch_add(1, Relaxed);
        // Minimum and maximum rarely change: read them before requesting the cache line for writing.
        if v < self.min.load(Relaxed) {
            self.min.fetch_min(v, Relaxed);
        }
        if v > self.max.load(Relaxed) {
            self.max.fetch_max(v, Relaxed);
        }
        self.count.fetch_add(1, Relaxed);
        self.sum.fetch_add(v, Relaxed);
        self.sum_squares.fetch_add(v.wrapping_mul(v), Relaxed);
    }

    /// Adds the counts of another histogram.
    pub fn merge(&self, other: &Histogram) {
        self.min.fetch_min(other.min.load(Relaxed), Relaxed);
        self.max.fetch_max(other.max.load(Relaxed), Relaxed);
        self.count.fetch_add(other.count.load(Relaxed), Relaxed);
        self.sum.fetch_add(other.sum.load(Relaxed), Relaxed);
        self.sum_squares.fetch_add(other.sum_squares.load(Relaxed), Relaxed);
        for (mine, theirs) in self.buckets.iter().zip(&other.buckets) {
            mine.fetch_add(theirs.load(Relaxed), Relaxed);
        }
    }

    /// Removes all counts.
    pub fn clear(&self) {
        self.min.store(u64::MAX, Relaxed);
        for zero in [&self.max, &self.count, &self.sum, &self.sum_squares] {
            zero.store(0, Relaxed);
        }
        self.buckets.iter().for_each(|b| b.store(0, Relaxed));
    }

    /// Returns how many numbers were recorded.
    pub fn count(&self) -> u64 {
        self.count.load(Relaxed)
    }

    /// Returns the sum of the numbers.
    pub fn sum(&self) -> u64 {
        self.sum.load(Relaxed)
    }

    /// Returns the smallest number; 0 if there is none.
    pub fn min(&self) -> u64 {
        if self.count() == 0 { 0 } else { self.min.load(Relaxed) }
    }

    /// Returns the largest number; 0 if there is none.
    pub fn max(&self) -> u64 {
        self.max.load(Relaxed)
    }

    /// Returns the number below which `p` percent of the numbers are.
    pub fn percentile(&self, p: f64) -> f64 {
        let threshold = self.count() as f64 * (p / 100.0);
        let mut below = 0u64;
        for (i, bucket) in self.buckets.iter().enumerate() {
            let here = bucket.load(Relaxed);
            if here > 0 && (below + here) as f64 >= threshold {
                let low = if i == 0 { 0 } else { LIMITS[i - 1] } as f64;
                let high = LIMITS[i] as f64;
                let part = (threshold - below as f64) / here as f64;
                let at = low + (high - low) * part;
                return at.clamp(self.min() as f64, self.max() as f64);
            }
            below += here;
        }
        self.max() as f64
    }

    /// Returns the mean; 0 if nothing was recorded.
    pub fn average(&self) -> f64 {
        if self.count() == 0 { 0.0 } else { self.sum() as f64 / self.count() as f64 }
    }

    /// Returns the standard deviation; 0 if nothing was recorded.
    pub fn standard_deviation(&self) -> f64 {
        let count = self.count() as f64;
        if count == 0.0 {
            return 0.0;
        }
        let squares = self.sum_squares.load(Relaxed) as f64;
        (squares / count - self.average().powi(2)).max(0.0).sqrt()
    }

    /// Returns the figures of the histogram.
    pub fn data(&self) -> HistogramData {
        HistogramData {
            median: self.percentile(50.0),
            percentile95: self.percentile(95.0),
            percentile99: self.percentile(99.0),
            average: self.average(),
            standard_deviation: self.standard_deviation(),
            min: self.min(),
            max: self.max(),
            count: self.count(),
            sum: self.sum(),
        }
    }

    /// Returns the table that `db_bench --histogram` prints: the figures, then a line for each used bucket with its
    /// share, the cumulative share, and a bar.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let count = self.count();
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "Count: {count} Average: {:.4}  StdDev: {:.2}",
            self.average(),
            self.standard_deviation()
        );
        let _ = writeln!(
            out,
            "Min: {}  Median: {:.4}  Max: {}",
            self.min(),
            self.percentile(50.0),
            self.max()
        );
        let _ = writeln!(
            out,
            "Percentiles: P50: {:.2} P75: {:.2} P99: {:.2} P99.9: {:.2} P99.99: {:.2}",
            self.percentile(50.0),
            self.percentile(75.0),
            self.percentile(99.0),
            self.percentile(99.9),
            self.percentile(99.99)
        );
        let _ = writeln!(out, "{}", "-".repeat(54));
        let mut below = 0;
        for (i, bucket) in self.buckets.iter().enumerate() {
            let here = bucket.load(Relaxed);
            if here == 0 || count == 0 {
                continue;
            }
            below += here;
            let share = 100.0 * here as f64 / count as f64;
            let _ = write!(
                out,
                "{} {:>7}, {:>7} ] {:>8} {:>7.3}% {:>7.3}% ",
                if i == 0 { '[' } else { '(' },
                if i == 0 { 0 } else { LIMITS[i - 1] },
                LIMITS[i],
                here,
                share,
                100.0 * below as f64 / count as f64
            );
            let _ = writeln!(out, "{}", "#".repeat((share / 5.0 + 0.5) as usize));
        }
        out
    }
}

/// The figures of a histogram at one point in time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HistogramData {
    /// Half of the numbers are below it.
    pub median: f64,
    /// 95 % of the numbers are below it.
    pub percentile95: f64,
    /// 99 % of the numbers are below it.
    pub percentile99: f64,
    /// The mean.
    pub average: f64,
    /// The standard deviation.
    pub standard_deviation: f64,
    /// The smallest number.
    pub min: u64,
    /// The largest number.
    pub max: u64,
    /// The count of numbers.
    pub count: u64,
    /// The sum of the numbers.
    pub sum: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_rocksdbs() {
        let first = &bucket_limits()[..16];
        assert_eq!(first, [1, 2, 3, 4, 6, 10, 15, 22, 34, 51, 76, 110, 170, 250, 380, 580]);
        assert!(bucket_limits().windows(2).all(|w| w[0] < w[1]));
        assert!(*bucket_limits().last().unwrap() > u64::MAX / 2);
        for (i, limit) in bucket_limits().iter().enumerate() {
            assert_eq!(bucket_of(*limit), i);
        }
        assert_eq!(bucket_of(0), 0);
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn figures_are_right() {
        let h = Histogram::new();
        assert_eq!(h.data(), HistogramData::default());
        (1..=1000).for_each(|v| h.add(v));
        let d = h.data();
        assert_eq!((d.min, d.max, d.count, d.sum), (1, 1000, 1000, 500_500));
        assert!((d.median - 500.0).abs() < 10.0, "{d:?}");
        assert!((d.percentile99 - 990.0).abs() < 130.0, "{d:?}");
        assert!((d.standard_deviation - 288.67).abs() < 0.1, "{d:?}");
        let other = Histogram::new();
        other.add(5000);
        h.merge(&other);
        assert_eq!((h.max(), h.count()), (5000, 1001));
        assert!(h.to_text().contains("(     870,    1300 ]      130"), "{}", h.to_text());
        h.clear();
        assert_eq!(h.data(), HistogramData::default());
    }
}
