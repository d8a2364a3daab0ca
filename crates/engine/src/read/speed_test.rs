//! The cost of a step: `cargo test --release -p ferrolith --lib speed -- --ignored --nocapture`.
//!
//! Children return slices of one buffer, so nearly all of the time is spent in the code above them.

use super::DbIter;
use crate::base::{InternalIterator, KeyOrder, ValueType};
use crate::env::clock::Instant;
use crate::error::Result;
use crate::iter::vec_iter::ikey;
use crate::iter::{CompactionIter, MergingIterator, merging_iterator};
use crate::options::ReadOptions;
use crate::version::Source;
use std::hint::black_box;
use std::sync::Arc;

const ENTRIES: u64 = 400_000;
const VALUE: usize = 100;

/// Entries of equal length, stored contiguously.
struct Flat {
    bytes: Arc<Vec<u8>>,
    key_len: usize,
    at: usize,
}

impl Flat {
    fn len(&self) -> usize {
        self.bytes.len() / (self.key_len + VALUE)
    }
    fn key_at(&self, at: usize) -> &[u8] {
        let start = at * (self.key_len + VALUE);
        &self.bytes[start..start + self.key_len]
    }
}

impl InternalIterator for Flat {
    fn valid(&self) -> bool {
        self.at < self.len()
    }
    fn seek_to_first(&mut self) {
        self.at = 0;
    }
    fn seek_to_last(&mut self) {
        self.at = self.len().wrapping_sub(1);
    }
    fn seek(&mut self, target: &[u8]) {
        let order = KeyOrder::bytewise();
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if order.compare(self.key_at(middle), target).is_lt() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.at = low;
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        self.seek(target);
        if !self.valid() || self.key_at(self.at) != target {
            self.at = self.at.wrapping_sub(1);
        }
    }
    fn next(&mut self) {
        self.at += 1;
    }
    fn prev(&mut self) {
        self.at = self.at.wrapping_sub(1);
    }
    fn key(&self) -> &[u8] {
        self.key_at(self.at)
    }
    fn value(&self) -> &[u8] {
        let start = self.at * (self.key_len + VALUE) + self.key_len;
        &self.bytes[start..start + VALUE]
    }
    fn status(&self) -> Result<()> {
        Ok(())
    }
}

/// The form of the keys, and their distribution over the children.
#[derive(Clone, Copy, Debug)]
enum Keys {
    /// db_bench's keys: a big-endian number, then zeros; distributed at random.
    Numbers,
    /// YCSB's keys: `user` and decimal digits; distributed at random.
    Users,
    /// Numbers, in runs of a hundred from one child.
    Stretches,
    /// Numbers; every child has all of them, in different versions.
    Versions,
}

fn children(keys: Keys, n: u64) -> Vec<Arc<Vec<u8>>> {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut children = vec![Vec::new(); n as usize];
    for i in 0..ENTRIES {
        let (number, child) = match keys {
            Keys::Numbers | Keys::Users => (i, rng.u64(0..n)),
            Keys::Stretches => (i, i / 100 % n),
            Keys::Versions => (i / n, i % n),
        };
        let user = match keys {
            Keys::Users => format!("user{number:012}").into_bytes(),
            _ => [&number.to_be_bytes()[..], &[b'0'; 8]].concat(),
        };
        let child = &mut children[child as usize];
        child.extend_from_slice(&ikey(&user, ENTRIES - i, ValueType::Value));
        child.extend_from_slice(&[b'v'; VALUE]);
    }
    children.into_iter().map(Arc::new).collect()
}

fn merged(children: &[Arc<Vec<u8>>]) -> Box<dyn InternalIterator> {
    let flat = children.iter().map(|bytes| {
        let flat = Flat { bytes: bytes.clone(), key_len: 24, at: usize::MAX };
        Box::new(flat) as Box<dyn InternalIterator>
    });
    merging_iterator(KeyOrder::bytewise(), flat.collect())
}

/// The best of several runs, per entry, in nanoseconds.
fn best(mut run: impl FnMut() -> u64) -> f64 {
    let runs = (0..7).map(|_| {
        let start = Instant::now();
        let done = run();
        start.elapsed().as_nanos() as f64 / done as f64
    });
    runs.fold(f64::MAX, f64::min)
}

#[test]
#[ignore = "a measurement"]
fn speed_of_iterators() {
    for keys in [Keys::Numbers, Keys::Users, Keys::Stretches, Keys::Versions] {
        for n in [1, 2, 4, 10] {
            let children = children(keys, n);
            let merging = best(|| {
                let mut iter = merged(&children);
                iter.seek_to_first();
                let mut more = iter.valid();
                while more {
                    more = black_box(iter.next_key()).is_some();
                }
                ENTRIES
            });
            let options = ReadOptions::default();
            let db_iter = |seq| {
                let only = vec![Source::Other(merged(&children))];
                DbIter::new(
                    MergingIterator::new(KeyOrder::bytewise(), only),
                    KeyOrder::bytewise(),
                    seq,
                    None,
                    &options,
                    None,
                    Arc::new(()),
                )
            };
            let forward = best(|| {
                let mut iter = db_iter(u64::MAX >> 8);
                iter.seek_to_first();
                while iter.valid() {
                    black_box((iter.key(), iter.value()));
                    iter.next();
                }
                ENTRIES
            });
            let backward = best(|| {
                let mut iter = db_iter(u64::MAX >> 8);
                iter.seek_to_last();
                while iter.valid() {
                    black_box((iter.key(), iter.value()));
                    iter.prev();
                }
                ENTRIES
            });
            let mut rng = fastrand::Rng::with_seed(2);
            let seek = best(|| {
                let mut iter = db_iter(u64::MAX >> 8);
                for _ in 0..20_000 {
                    let number = rng.u64(0..ENTRIES);
                    match keys {
                        Keys::Users => iter.seek(format!("user{number:012}").as_bytes()),
                        _ => iter.seek(&number.to_be_bytes()),
                    }
                    black_box(iter.valid());
                }
                20_000
            });
            let compaction = best(|| {
                let mut iter = CompactionIter::new(
                    merged(&children),
                    KeyOrder::bytewise(),
                    Vec::new(),
                    None,
                    true,
                    |_| true,
                );
                iter.seek_to_first();
                while iter.valid() {
                    black_box((iter.key(), iter.value()));
                    iter.next();
                }
                ENTRIES
            });
            println!(
                "{keys:10?} {n:2} children: merge {merging:5.1}  next {forward:5.1}  \
                 prev {backward:5.1}  seek {seek:6.0}  compact {compaction:5.1} ns"
            );
        }
    }
}
