//! A hit in the block cache: a load of the slot under a pin, which point lookups do, and a counted hold,
//! which iterators and pinned values do.
//!
//! Objects are numbers instead of blocks: what is timed is the way to the object, not what is done
//! there. With few objects all are in the processor's cache, with many each hit waits for memory.

#![allow(missing_docs)] // What the macros of criterion make.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ferrolith::internal::cache::{Cache, SlotArray};
use ferrolith::internal::env::epoch;
use std::sync::Arc;

/// What each object is charged: a block of 4 KiB.
const CHARGE: usize = 4 << 10;

fn filled(objects: usize) -> Arc<SlotArray<u64>> {
    let slots = SlotArray::new(Cache::new_lru(2 * CHARGE * objects), objects);
    for slot in 0..objects {
        drop(slots.insert(slot, slot as u64, CHARGE).expect("insert"));
    }
    slots
}

fn hits(c: &mut Criterion) {
    let mut group = c.benchmark_group("cache slot");
    for objects in [1_000, 1_000_000] {
        let slots = filled(objects);
        let mut random = fastrand::Rng::with_seed(1);
        let mut any = || random.usize(..objects);
        group.bench_function(BenchmarkId::new("pin and load", objects), |b| {
            b.iter(|| {
                let guard = epoch::pin();
                let node = slots.load(any(), &guard).expect("cached");
                node.touch();
                *node.object()
            });
        });
        group.bench_function(BenchmarkId::new("load, pinned already", objects), |b| {
            let guard = epoch::pin();
            b.iter(|| {
                let node = slots.load(any(), &guard).expect("cached");
                node.touch();
                *node.object()
            });
        });
        group.bench_function(BenchmarkId::new("hold and let go", objects), |b| {
            b.iter(|| *slots.hold(any()).expect("cached").object());
        });
        slots.clear();
    }
    group.finish();
}

criterion_group!(benches, hits);
criterion_main!(benches);
