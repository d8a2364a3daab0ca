//! Finding the block of a key in the fences, the decoded index of a table.
//!
//! Through [`Table::approximate_offset_of`], which finds the fence and reads the block's place beside it.
//! The small table's fences stay in the processor's first cache; the large one's, as many as a table of
//! 400 MB has, do not, so that its figure shows what a step down the tree costs.
//!
//! [`Table::approximate_offset_of`]: ferrolith::internal::sst::Table::approximate_offset_of

#![allow(missing_docs)] // What the macros of criterion make.

mod tables;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ferrolith::internal::options::BlockBasedTableOptions;

/// db_bench's keys: the number, big-endian, then zeros.
fn key(i: u64) -> [u8; 16] {
    let mut key = [b'0'; 16];
    key[..8].copy_from_slice(&i.to_be_bytes());
    key
}

fn find(c: &mut Criterion) {
    let mut group = c.benchmark_group("fences: find");
    for blocks in [250, 100_000] {
        // Every entry fills its block.
        let options = BlockBasedTableOptions { block_size: 1, ..BlockBasedTableOptions::default() };
        // Gaps, as between the keys of real blocks.
        let table = tables::table(options, None, (0..blocks).map(|i| key(i * 1000)), b"");
        assert_eq!(table.properties().num_data_blocks, blocks);
        let mut random = fastrand::Rng::with_seed(1);
        // Made ahead: only the search is to be timed.
        let targets: Vec<Vec<u8>> =
            (0..1 << 12).map(|_| tables::internal(&key(random.u64(..blocks * 1000)))).collect();
        let mut next = targets.iter().cycle();
        group.bench_function(BenchmarkId::from_parameter(blocks), |b| {
            b.iter(|| table.approximate_offset_of(next.next().expect("endless")).expect("offset"));
        });
    }
    group.finish();
}

criterion_group!(benches, find);
criterion_main!(benches);
