//! Searching one cached data block of 4 KiB: a point lookup with and without tags, and a seek.
//!
//! A block cannot be had without its table, so the table has this one block and no filter. Each figure
//! holds a little more than the search: hashing the key, a look at the only fence, the slot of the
//! cache. Tables of format version 2 have internal keys in their index, which rules tags out; their
//! data blocks are the same, so that the two lookups differ in nothing but the search.

#![allow(missing_docs)] // What the macros of criterion make.

mod tables;

use criterion::{Criterion, criterion_group, criterion_main};
use ferrolith::internal::base::{InternalIterator, LookupBuffer};
use ferrolith::internal::iter::{GetContext, Outcome};
use ferrolith::internal::options::{BlockBasedTableOptions, ReadOptions};
use ferrolith::internal::sst::{Table, TableIterOptions};
use std::hint::black_box;
use std::sync::Arc;

/// As many as a block of 4 KiB holds with values of 100 bytes.
const KEYS: u64 = 32;

/// Keys that share their beginning and end, as those of users often do.
fn key(i: u64) -> [u8; 16] {
    let mut key = *b"user000000000000";
    key[4..12].copy_from_slice(&(i * 1000).to_be_bytes());
    key
}

/// A key that would come right after one that is there.
fn missing_key(i: u64) -> [u8; 16] {
    let mut missing = key(i);
    missing[15] = b'1';
    missing
}

fn block(format_version: u32) -> Arc<Table> {
    let options = BlockBasedTableOptions { format_version, ..BlockBasedTableOptions::default() };
    let table = tables::table(options, None, (0..KEYS).map(key), &[b'v'; 100]);
    assert_eq!(table.properties().num_data_blocks, 1);
    // The first lookup loads the block, and later ones make its tags.
    for i in 0..KEYS {
        assert!(lookup(&table, &key(i)) && !lookup(&table, &missing_key(i)));
    }
    table
}

/// Whether the key is there. The value is seen where it lies.
fn lookup(table: &Table, key: &[u8]) -> bool {
    let mut receive = |value: &[u8]| {
        black_box(value);
    };
    let mut context = GetContext::new(key, None).with_receiver(&mut receive);
    let target = LookupBuffer::new(key, tables::SEQUENCE);
    let target = target.key();
    table.get(&target, &ReadOptions::default(), &mut context).expect("get");
    matches!(context.outcome(), Ok(Outcome::Received))
}

fn lookups(c: &mut Criterion) {
    for (name, format_version) in [("tags", 5), ("no tags", 2)] {
        let table = block(format_version);
        let mut random = fastrand::Rng::with_seed(1);
        c.bench_function(&format!("block: lookup, {name}"), |b| {
            b.iter(|| lookup(&table, &key(random.u64(..KEYS))));
        });
        c.bench_function(&format!("block: lookup of a missing key, {name}"), |b| {
            b.iter(|| lookup(&table, &missing_key(random.u64(..KEYS - 1))));
        });
    }
}

fn seeks(c: &mut Criterion) {
    let table = block(5);
    // It stays in the block, and need not look for it again.
    let mut iter = table.iter(&TableIterOptions::default());
    let targets: Vec<Vec<u8>> = (0..KEYS).map(|i| tables::internal(&key(i))).collect();
    let mut random = fastrand::Rng::with_seed(2);
    c.bench_function("block: seek", |b| {
        b.iter(|| {
            iter.seek(&targets[random.usize(..targets.len())]);
            assert!(iter.valid());
        });
    });
}

criterion_group!(benches, lookups, seeks);
criterion_main!(benches);
