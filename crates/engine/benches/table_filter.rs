//! Asking the Bloom filter of a table (10 bits per key) for keys that it holds and for others.
//!
//! Through [`Table::prefix_may_match`]: the prefix is the whole key, so the figure is that of hashing
//! 16 bytes and asking. The small filter stays in the processor's first cache, the large one does not.
//!
//! [`Table::prefix_may_match`]: ferrolith::internal::sst::Table::prefix_may_match

#![allow(missing_docs)] // What the macros of criterion make.

mod tables;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ferrolith::internal::hooks::NoopTransform;
use ferrolith::internal::options::{BlockBasedTableOptions, FilterPolicy};
use std::sync::Arc;

/// Even numbers are in the table, odd ones are not.
fn key(i: u64) -> [u8; 16] {
    let mut key = [b'0'; 16];
    key[..8].copy_from_slice(&i.to_be_bytes());
    key
}

fn may_match(c: &mut Criterion) {
    let mut group = c.benchmark_group("filter: may match");
    for keys in [10_000, 1_000_000] {
        let options = BlockBasedTableOptions {
            filter_policy: Some(FilterPolicy::Bloom { bits_per_key: 10.0 }),
            whole_key_filtering: false,
            ..BlockBasedTableOptions::default()
        };
        let all = (0..keys).map(|i| key(2 * i));
        let table = tables::table(options, Some(Arc::new(NoopTransform)), all, b"");
        let wrong = (0..10_000).filter(|i| table.prefix_may_match(&key(2 * i + 1))).count();
        assert!((1..500).contains(&wrong), "{wrong} of 10,000 other keys pass: is this a filter?");
        let mut random = fastrand::Rng::with_seed(1);
        for (name, odd) in [("hit", 0), ("miss", 1)] {
            group.bench_function(BenchmarkId::new(name, keys), |b| {
                b.iter(|| table.prefix_may_match(&key(2 * random.u64(..keys) + odd)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, may_match);
criterion_main!(benches);
