//! Memtables, the ordered tree and `prefix_hash`: filling one in random order, and looking keys up.
//!
//! One thread, so the figures are those of the structures and not of their meeting writers. A fill is
//! timed as a whole, from the empty memtable on, since what an insertion costs depends on how many there
//! were. A lookup hashes its key, which both structures want.
//!
//! Missing keys have the prefix of ten others. The tree's filter answers nearly all such lookups; the
//! filter of a bucket of `prefix_hash` has 16 bits, of which ten keys set about half.
//!
//! The tree again with as many entries as a write buffer of 64 MiB has: numbers in random and in ascending
//! order, and keys of which ten begin alike and end in random bytes.

#![allow(missing_docs)] // What the macros of criterion make.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use ferrolith::internal::base::{InternalIterator, KeyOrder, LookupBuffer, ValueType};
use ferrolith::internal::hooks::FixedPrefixTransform;
use ferrolith::internal::iter::{GetContext, Outcome};
use ferrolith::internal::memtable::MemTable;
use ferrolith::internal::options::{ColumnFamilyOptions, MemtableFactory};
use std::hint::black_box;
use std::sync::Arc;

const KEYS: u64 = 100_000;
const MANY: u64 = 400_000;
const VALUE: [u8; 100] = [b'v'; 100];

/// Prefixes of 12 bytes with ten keys each.
fn key(i: u64) -> [u8; 20] {
    let mut key = [b'0'; 20];
    key[..8].copy_from_slice(&(i / 10).to_be_bytes());
    key[12..].copy_from_slice(&(i % 10).to_be_bytes());
    key
}

/// A number of eight bytes, and what `db_bench` puts behind it.
fn number(i: u64) -> [u8; 20] {
    let mut key = [b'0'; 20];
    key[..8].copy_from_slice(&i.to_be_bytes());
    key
}

/// Prefixes of 12 bytes with ten keys each that end in random bytes.
fn random_end(i: u64) -> [u8; 20] {
    let mut key = number(i / 10);
    key[12..].copy_from_slice(&i.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes());
    key
}

/// A key that is not there, with the prefix of one that is.
fn missing_key(i: u64) -> [u8; 20] {
    let mut missing = key(i);
    missing[12] = b'1';
    missing
}

fn structures() -> [(&'static str, ColumnFamilyOptions); 2] {
    let hash = ColumnFamilyOptions {
        memtable_factory: MemtableFactory::hash_skip_list(),
        prefix_extractor: Some(Arc::new(FixedPrefixTransform::new(12))),
        ..ColumnFamilyOptions::default()
    };
    [("tree", ColumnFamilyOptions::default()), ("prefix_hash", hash)]
}

fn empty(options: &ColumnFamilyOptions) -> Arc<MemTable> {
    MemTable::new(1, KeyOrder::bytewise(), options, 0)
}

fn fill(table: &MemTable, order: &[u64], key: impl Fn(u64) -> [u8; 20]) {
    for (&i, seq) in order.iter().zip(1..) {
        table.add(seq, ValueType::Value, &key(i), &VALUE);
    }
}

/// Every key once.
fn random_order(keys: u64) -> Vec<u64> {
    let mut order: Vec<u64> = (0..keys).collect();
    fastrand::Rng::with_seed(1).shuffle(&mut order);
    order
}

fn insert(c: &mut Criterion) {
    let order = random_order(KEYS);
    let mut group = c.benchmark_group("memtable: insert");
    group.throughput(Throughput::Elements(KEYS)).sample_size(20);
    for (name, options) in structures() {
        group.bench_function(name, |b| {
            // It is dropped after the clock has stopped.
            let filled = |table: Arc<MemTable>| {
                fill(&table, &order, key);
                table
            };
            b.iter_batched(|| empty(&options), filled, BatchSize::PerIteration);
        });
    }
    group.finish();
}

/// Whether the key is there. The value is seen where it lies.
fn lookup(table: &MemTable, key: &[u8]) -> bool {
    let mut receive = |value: &[u8]| {
        black_box(value);
    };
    let mut context = GetContext::new(key, None).with_receiver(&mut receive);
    table.get(&LookupBuffer::new(key, MANY).key(), &mut context);
    matches!(context.outcome(), Ok(Outcome::Received))
}

fn lookups(c: &mut Criterion) {
    let order = random_order(KEYS);
    for (name, options) in structures() {
        let table = empty(&options);
        fill(&table, &order, key);
        assert!((0..KEYS).all(|i| lookup(&table, &key(i)) && !lookup(&table, &missing_key(i))));
        let mut random = fastrand::Rng::with_seed(2);
        c.bench_function(&format!("memtable: lookup/{name}"), |b| {
            b.iter(|| lookup(&table, &key(random.u64(..KEYS))));
        });
        c.bench_function(&format!("memtable: lookup of a missing key/{name}"), |b| {
            b.iter(|| lookup(&table, &missing_key(random.u64(..KEYS))));
        });
    }
}

/// Insertions, lookups and a scan of a tree of `MANY` entries.
fn full(c: &mut Criterion) {
    let options = ColumnFamilyOptions::default();
    let (random, ascending) = (random_order(MANY), (0..MANY).collect::<Vec<u64>>());
    type KeyOf = fn(u64) -> [u8; 20];
    let cases: [(&str, &[u64], KeyOf); 3] = [
        ("numbers", &random, number),
        ("ascending numbers", &ascending, number),
        ("random ends", &random, random_end),
    ];
    let mut group = c.benchmark_group("memtable: full tree");
    group.sample_size(10);
    for (name, order, key_of) in cases {
        group.throughput(Throughput::Elements(MANY));
        group.bench_function(format!("insert/{name}"), |b| {
            let filled = |table: Arc<MemTable>| {
                fill(&table, order, key_of);
                table
            };
            b.iter_batched(|| empty(&options), filled, BatchSize::PerIteration);
        });
        let table = empty(&options);
        fill(&table, order, key_of);
        let mut scan = table.iter(true);
        group.bench_function(format!("scan/{name}"), |b| {
            b.iter(|| {
                scan.seek_to_first();
                while scan.valid() {
                    black_box(scan.value());
                    scan.next();
                }
            });
        });
        let mut random = fastrand::Rng::with_seed(2);
        group.throughput(Throughput::Elements(1));
        group.bench_function(format!("lookup/{name}"), |b| {
            b.iter(|| assert!(lookup(&table, &key_of(random.u64(..MANY)))));
        });
    }
    group.finish();
}

criterion_group!(benches, insert, lookups, full);
criterion_main!(benches);
