//! What it costs to pin an epoch, which every read does.

#![allow(missing_docs)] // What the macros of criterion make.

use criterion::{Criterion, criterion_group, criterion_main};
use ferrolith::internal::env::epoch;

fn pin(c: &mut Criterion) {
    c.bench_function("epoch: pin and release", |b| b.iter(epoch::pin));
    let _outer = epoch::pin();
    c.bench_function("epoch: pin and release, pinned already", |b| b.iter(epoch::pin));
}

criterion_group!(benches, pin);
criterion_main!(benches);
