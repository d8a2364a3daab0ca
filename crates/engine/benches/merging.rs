//! A step of the merging iterator over 2, 4 and 8 children, which every scan and every compaction takes.
//!
//! Children are arrays, so that their own steps cost next to nothing. Two shapes: the next key is in any
//! child, as in files of level 0, or in nine of ten cases in the last one, as where levels grow by ten.

#![allow(missing_docs)] // What the macros of criterion make.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ferrolith::Result;
use ferrolith::internal::base::key::{append_internal_key, pack_trailer};
use ferrolith::internal::base::{InternalIterator, KeyOrder, ValueType};
use ferrolith::internal::iter::MergingIterator;

/// In all children together.
const KEYS: u64 = 100_000;

/// Internal keys in order, one after the other. Valid while `at` is one of them.
struct Rows {
    keys: Vec<[u8; 24]>,
    at: usize,
}

impl InternalIterator for Rows {
    #[inline]
    fn valid(&self) -> bool {
        self.at < self.keys.len()
    }
    fn seek_to_first(&mut self) {
        self.at = 0;
    }
    fn seek_to_last(&mut self) {
        self.at = self.keys.len().wrapping_sub(1);
    }
    fn seek(&mut self, target: &[u8]) {
        let order = KeyOrder::bytewise();
        self.at = self.keys.partition_point(|key| order.compare(key, target).is_lt());
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        let order = KeyOrder::bytewise();
        let after = self.keys.partition_point(|key| order.compare(key, target).is_le());
        self.at = after.wrapping_sub(1);
    }
    #[inline]
    fn next(&mut self) {
        self.at += 1;
    }
    fn prev(&mut self) {
        self.at = self.at.wrapping_sub(1);
    }
    #[inline]
    fn key(&self) -> &[u8] {
        &self.keys[self.at]
    }
    #[inline]
    fn value(&self) -> &[u8] {
        &[]
    }
    fn status(&self) -> Result<()> {
        Ok(())
    }
}

/// db_bench's keys as internal ones.
fn key(i: u64) -> [u8; 24] {
    let mut key = Vec::from(i.to_be_bytes());
    key.resize(16, b'0');
    let user_key = std::mem::take(&mut key);
    append_internal_key(&mut key, &user_key, pack_trailer(i + 1, ValueType::Value));
    key.try_into().expect("24 bytes")
}

fn merged(children: usize, in_last: f64) -> MergingIterator<Rows> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut rows = vec![Vec::new(); children];
    for i in 0..KEYS {
        let child = if random.f64() < in_last { children - 1 } else { random.usize(..children) };
        rows[child].push(key(i));
    }
    let rows = rows.into_iter().map(|keys| Rows { at: keys.len(), keys });
    MergingIterator::new(KeyOrder::bytewise(), rows.collect())
}

fn next(c: &mut Criterion) {
    let mut group = c.benchmark_group("merging: next");
    for (name, in_last) in [("any child", 0.0), ("mostly the last", 0.9)] {
        for children in [2, 4, 8] {
            let mut merged = merged(children, in_last);
            merged.seek_to_first();
            group.bench_function(BenchmarkId::new(name, children), |b| {
                b.iter(|| {
                    merged.next();
                    // Once in 100,000 steps.
                    if !merged.valid() {
                        merged.seek_to_first();
                    }
                    merged.key()[7]
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, next);
criterion_main!(benches);
