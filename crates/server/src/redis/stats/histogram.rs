//! A histogram of times that one thread fills and others read.

use super::counter::Counter;

/// Buckets per power of two, as a power of two. Times are off by at most a sixteenth.
const PART_BITS: u32 = 4;
const PARTS: usize = 1 << PART_BITS;
/// Times from 2^30 microseconds, 18 minutes, are in the last bucket.
const MAX_BITS: u32 = 30;
const BUCKETS: usize = PARTS + (MAX_BITS - PART_BITS) as usize * PARTS;

/// A histogram of times in microseconds. Only one thread may record.
#[derive(Debug)]
pub struct Histogram {
    buckets: [Counter; BUCKETS],
}

/// A sum of histograms.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// The counts of all buckets; empty if there are none.
    counts: Vec<u64>,
}

impl Histogram {
    /// Returns an empty histogram.
    pub fn new() -> Box<Histogram> {
        Box::new(Histogram { buckets: [const { Counter::new() }; BUCKETS] })
    }

    /// Counts a time in microseconds.
    pub fn record(&self, us: u64) {
        if let Some(bucket) = self.buckets.get(bucket_of(us)) {
            bucket.add(1);
        }
    }
}

impl Times {
    /// Adds the counts of a histogram.
    pub fn add(&mut self, histogram: &Histogram) {
        self.counts.resize(BUCKETS, 0);
        for (count, bucket) in self.counts.iter_mut().zip(&histogram.buckets) {
            *count += bucket.get();
        }
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &Times) {
        self.counts.resize(self.counts.len().max(other.counts.len()), 0);
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }

    /// Subtracts the counts of an earlier sum.
    pub fn subtract(&mut self, earlier: &Times) {
        for (count, before) in self.counts.iter_mut().zip(&earlier.counts) {
            *count = count.saturating_sub(*before);
        }
    }

    /// Returns the number of times.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the number of times up to this one, in nanoseconds.
    pub fn count_up_to(&self, ns: u64) -> u64 {
        let counts = self.counts.iter().enumerate();
        counts.take_while(|(at, _)| lowest(*at) * 1000 <= ns).map(|(_, count)| count).sum()
    }

    /// Returns the time in microseconds that this percentage of times is not above; 0 if there are no times.
    pub fn percentile(&self, percentage: f64) -> u64 {
        let rank = (self.count() as f64 * percentage / 100.0).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (at, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return lowest(at + 1) - 1;
            }
        }
        0
    }
}

fn bucket_of(us: u64) -> usize {
    if us < PARTS as u64 {
        return us as usize;
    }
    let power = us.ilog2().min(MAX_BITS - 1);
    let us = us.min((1 << MAX_BITS) - 1);
    let part = (us >> (power - PART_BITS)) as usize & (PARTS - 1);
    PARTS + (power - PART_BITS) as usize * PARTS + part
}

/// Returns the lowest time of a bucket.
fn lowest(bucket: usize) -> u64 {
    match bucket.checked_sub(PARTS) {
        None => bucket as u64,
        Some(at) => ((PARTS + at % PARTS) as u64) << (at / PARTS),
    }
}

#[cfg(test)]
#[path = "histogram_test.rs"]
mod tests;
