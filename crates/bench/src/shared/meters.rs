//! Counts and latencies of running threads, which others may read at any time.
//!
//! Each meter has one writer, so that a count is a load and a store without a locked instruction. Readers see each
//! number a little late. The buckets of latencies are a sixteenth of a power of two wide: a percentile is at most 6 %
//! above the exact value. Exact percentiles of whole phases come from [`crate::histogram::Histogram`].

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Buckets of a power of two.
const PARTS: u64 = 16;
/// Longer latencies, from 2^41 ns (36 minutes) on, count as the last bucket.
const BUCKETS: usize = 38 * PARTS as usize;

/// The meters of all threads of a phase.
pub struct Meters {
    /// The kinds of operations.
    pub kinds: Vec<&'static str>,
    threads: Vec<Meter>,
}

/// What one thread has done.
pub struct Meter(Vec<Kind>);

/// Operations of one kind, on cache lines of their own.
#[derive(Default)]
#[repr(align(128))]
struct Kind {
    operations: AtomicU64,
    buckets: OnceLock<Box<[AtomicU64]>>,
}

impl Meters {
    /// Creates the meters of this many threads for these kinds of operations.
    pub fn new(kinds: &[&'static str], threads: usize) -> Meters {
        let meter = |_| Meter(kinds.iter().map(|_| Kind::default()).collect());
        Meters { kinds: kinds.to_vec(), threads: (0..threads).map(meter).collect() }
    }

    /// Returns the meter of a thread, which must be its only writer.
    pub fn of(&self, thread: usize) -> &Meter {
        &self.threads[thread]
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Returns the operations of one kind.
    pub fn operations_of(&self, kind: usize) -> u64 {
        self.threads.iter().map(|meter| meter.0[kind].operations.load(Ordering::Relaxed)).sum()
    }

    /// Returns the number of all operations.
    pub fn operations(&self) -> u64 {
        let kinds = self.threads.iter().flat_map(|meter| &meter.0);
        kinds.map(|kind| kind.operations.load(Ordering::Relaxed)).sum()
    }

    /// Returns the sums over all threads.
    pub fn read(&self) -> Reading {
        let kinds = self.kinds.len();
        let mut reading = Reading { operations: vec![0; kinds], buckets: vec![Vec::new(); kinds] };
        for (i, kind) in self.threads.iter().flat_map(|meter| meter.0.iter().enumerate()) {
            reading.operations[i] += kind.operations.load(Ordering::Relaxed);
            let Some(buckets) = kind.buckets.get() else { continue };
            let sums = &mut reading.buckets[i];
            sums.resize(BUCKETS, 0);
            for (sum, bucket) in sums.iter_mut().zip(buckets) {
                *sum += bucket.load(Ordering::Relaxed);
            }
        }
        reading
    }
}

impl Meter {
    /// Counts `n` operations of a kind.
    #[inline]
    pub fn count(&self, kind: usize, n: u64) {
        add(&self.0[kind].operations, n);
    }

    /// Records the latency of one call.
    #[inline]
    pub fn time(&self, kind: usize, nanos: u64) {
        let create = || (0..BUCKETS).map(|_| AtomicU64::new(0)).collect();
        add(&self.0[kind].buckets.get_or_init(create)[bucket(nanos)], 1);
    }
}

#[inline]
fn add(counter: &AtomicU64, n: u64) {
    counter.store(counter.load(Ordering::Relaxed).wrapping_add(n), Ordering::Relaxed);
}

/// Returns the bucket of a latency: below 16 ns one for each, then sixteen for each power of two.
fn bucket(nanos: u64) -> usize {
    if nanos < PARTS {
        return nanos as usize;
    }
    let shift = nanos.ilog2() - PARTS.ilog2();
    let place = u64::from(shift) * PARTS + (nanos >> shift);
    (place as usize).min(BUCKETS - 1)
}

/// Returns the first latency above a bucket, in nanoseconds.
fn end(bucket: usize) -> u64 {
    let bucket = bucket as u64 + 1;
    if bucket < PARTS {
        return bucket;
    }
    let shift = bucket / PARTS - 1;
    (PARTS + bucket % PARTS) << shift
}

/// Sums over all threads at one time, or their growth since an earlier time.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// Operations, by kind.
    pub operations: Vec<u64>,
    buckets: Vec<Vec<u64>>,
}

impl Reading {
    /// Returns the growth since an earlier reading.
    pub fn since(&self, earlier: &Reading) -> Reading {
        let less = |now: &[u64], then: Option<&Vec<u64>>| {
            let then = |i: usize| then.and_then(|then| then.get(i)).copied().unwrap_or(0);
            now.iter().enumerate().map(|(i, now)| now.saturating_sub(then(i))).collect()
        };
        Reading {
            operations: less(&self.operations, Some(&earlier.operations)),
            buckets: (0..self.buckets.len())
                .map(|i| less(&self.buckets[i], earlier.buckets.get(i)))
                .collect(),
        }
    }

    /// Returns a percentile of one kind in microseconds; `None` if no call of it was timed.
    pub fn percentile(&self, kind: usize, percent: f64) -> Option<f64> {
        percentile(self.buckets.get(kind)?, percent)
    }

    /// Returns a percentile of all kinds together in microseconds; `None` if no call was timed.
    pub fn percentile_of_all(&self, percent: f64) -> Option<f64> {
        let mut sums = vec![0; BUCKETS];
        for kind in &self.buckets {
            sums.iter_mut().zip(kind).for_each(|(sum, count)| *sum += count);
        }
        percentile(&sums, percent)
    }
}

fn percentile(buckets: &[u64], percent: f64) -> Option<f64> {
    let count: u64 = buckets.iter().sum();
    let rank = ((count as f64 * percent / 100.0).ceil() as u64).max(1);
    let mut seen = 0;
    let place = buckets.iter().position(|bucket| {
        seen += bucket;
        seen >= rank
    })?;
    Some((end(place) - 1) as f64 / 1000.0)
}

#[cfg(test)]
#[path = "meters_test.rs"]
mod tests;
