//! Cached point reads of the engine on two threads, beside a loop that does only what no engine can
//! avoid on the same data: pin an epoch, probe a hash index over the same keys once, copy the value.
//!
//! `cargo bench -p ferrolith --bench bare_loop` prints both rates and the share of the engine, which
//! should be 25 % or more. Keys are independent of each other, so that misses may overlap in
//! both.

#![allow(missing_docs)] // What the macros of criterion make.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ferrolith::internal::cache::Cache;
use ferrolith::internal::db::Db;
use ferrolith::internal::options::{
    CompactRangeOptions, Options, ReadOptions, TableFactory, WriteOptions,
};
use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};

const KEYS: u64 = 1_000_000;
const THREADS: u64 = 2;
const VALUE: usize = 100;

/// db_bench's keys: the number, big-endian, then zeros.
fn key(i: u64) -> [u8; 16] {
    let mut key = [b'0'; 16];
    key[..8].copy_from_slice(&i.to_be_bytes());
    key
}

fn value(i: u64) -> [u8; VALUE] {
    [i as u8; VALUE]
}

/// Keys in random order, the same for both.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0) * u128::from(KEYS)) >> 64) as u64
    }
}

/// The index: open addressing, half full, 8 bytes per slot: a tag of the hash and the entry's number.
struct Bare {
    slots: Vec<u64>,
    entries: Vec<([u8; 16], [u8; VALUE])>,
}

impl Bare {
    fn new() -> Bare {
        let mut bare = Bare {
            slots: vec![u64::MAX; (KEYS as usize * 2).next_power_of_two()],
            entries: Vec::with_capacity(KEYS as usize),
        };
        for i in 0..KEYS {
            let hash = hash(&key(i));
            let mut slot = hash as usize & (bare.slots.len() - 1);
            while bare.slots[slot] != u64::MAX {
                slot = (slot + 1) & (bare.slots.len() - 1);
            }
            bare.slots[slot] = (hash >> 32 << 32) | i;
            bare.entries.push((key(i), value(i)));
        }
        bare
    }

    fn get(&self, key: &[u8; 16], out: &mut [u8; VALUE]) -> bool {
        let hash = hash(key);
        let mut slot = hash as usize & (self.slots.len() - 1);
        loop {
            let found = self.slots[slot];
            if found == u64::MAX {
                return false;
            }
            if found >> 32 == hash >> 32 {
                let (known, value) = &self.entries[found as u32 as usize];
                if known == key {
                    out.copy_from_slice(value);
                    return true;
                }
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

fn hash(key: &[u8; 16]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(key)
}

/// The time that all threads need for `rounds` reads together.
fn on_threads(rounds: u64, read: impl Fn(&[u8; 16], &mut [u8; VALUE]) -> bool + Sync) -> Duration {
    let barrier = Barrier::new(THREADS as usize + 1);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (barrier, read) = (&barrier, &read);
            scope.spawn(move || {
                let mut random = Random(88172645463325252 + thread);
                let mut out = [0; VALUE];
                barrier.wait();
                for _ in 0..rounds / THREADS {
                    assert!(read(&key(random.next()), &mut out));
                    black_box(&out);
                }
                barrier.wait();
            });
        }
        barrier.wait();
        let start = Instant::now();
        barrier.wait();
        start.elapsed()
    })
}

/// A compacted database, all of it in the block cache.
fn database(dir: &std::path::Path) -> Db {
    let mut options = Options::default();
    options.db.create_if_missing = true;
    if let TableFactory::BlockBased(table) = &mut options.cf.table_factory {
        table.block_cache = Some(Cache::new_lru(1 << 30));
    }
    let db = Db::open(&options, dir).expect("open");
    for i in 0..KEYS {
        db.put(&WriteOptions::default(), &key(i), &value(i)).expect("put");
    }
    db.compact_range(&CompactRangeOptions::default(), None, None).expect("compact");
    for i in 0..KEYS {
        assert!(db.get(&ReadOptions::default(), &key(i)).expect("get").is_some());
    }
    db
}

fn bare_loop(c: &mut Criterion) {
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("directory");
    let db = database(dir.path());
    let bare = Bare::new();
    let options = ReadOptions::default();
    let engine = |key: &[u8; 16], out: &mut [u8; VALUE]| {
        let value = db.get_pinned(&options, key).expect("get");
        value.is_some_and(|value| {
            out.copy_from_slice(&value);
            true
        })
    };
    let unavoidable = |key: &[u8; 16], out: &mut [u8; VALUE]| {
        let _pin = ferrolith::internal::env::epoch::pin();
        bare.get(key, out)
    };
    let mut group = c.benchmark_group("cached reads, 2 threads");
    group.throughput(Throughput::Elements(1));
    group.bench_function("bare loop", |b| b.iter_custom(|n| on_threads(n, unavoidable)));
    group.bench_function("engine", |b| b.iter_custom(|n| on_threads(n, engine)));
    group.finish();
    // In turn, so that both have the same noise: the median of five pairs.
    let mut shares: Vec<f64> = (0..5)
        .map(|_| {
            let bare = on_threads(4 * KEYS, unavoidable);
            bare.as_secs_f64() / on_threads(4 * KEYS, engine).as_secs_f64()
        })
        .collect();
    shares.sort_by(f64::total_cmp);
    println!(
        "the engine reads at {:.0} % of the bare loop [{:.0}..{:.0}]",
        100.0 * shares[2],
        100.0 * shares[0],
        100.0 * shares[4]
    );
}

criterion_group!(benches, bare_loop);
criterion_main!(benches);
