//! What one table costs: `cargo run --release --example table_get [keys]`.
//!
//! One block-based table in memory, all blocks cached, keys of 16 and values of 100 bytes. Times
//! are CPU time of the thread, so that other work on the machine disturbs them less; memory
//! bandwidth and caches are still shared.

use ferrolith::internal::base::InternalIterator;
use ferrolith::internal::base::key::{append_internal_key, pack_trailer};
use ferrolith::internal::base::{KeyOrder, LookupBuffer, ValueType};
use ferrolith::internal::cache::Cache;
use ferrolith::internal::compress::CompressionType;
use ferrolith::internal::fs::{FileSystem, WritableOptions, mem::MemFs};
use ferrolith::internal::iter::GetContext;
use ferrolith::internal::options::{
    BlockBasedTableOptions, CompressionOptions, FilterPolicy, ReadOptions, TableFactory,
};
use ferrolith::internal::sst::{
    Table, TableBuilder, TableBuilderContext, TableIterOptions, TableReadContext,
};
use std::path::Path;
use std::sync::Arc;

fn cpu_ns() -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes the time into `t`, which outlives it.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

/// db_bench's keys: the number, big-endian, then zeros.
fn key(i: u64) -> [u8; 16] {
    let mut key = [b'0'; 16];
    key[..8].copy_from_slice(&i.to_be_bytes());
    key
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0) * u128::from(n)) >> 64) as u64
    }
}

fn options(filter: bool) -> BlockBasedTableOptions {
    let policy = FilterPolicy::Bloom { bits_per_key: 10.0 };
    BlockBasedTableOptions {
        filter_policy: filter.then_some(policy),
        ..BlockBasedTableOptions::default()
    }
}

fn build(fs: &MemFs, path: &Path, n: u64) {
    let ctx = TableBuilderContext {
        order: KeyOrder::bytewise(),
        factory: TableFactory::BlockBased(options(true)),
        prefix_extractor: None,
        merge_operator_name: None,
        compression: CompressionType::None,
        compression_opts: CompressionOptions::default(),
        target_file_size: 0,
        level: 6,
        column_family_id: 0,
        column_family_name: "default".into(),
        file_number: 9,
        db_id: String::new(),
        db_session_id: String::new(),
        host: String::new(),
        creation_time: 0,
        oldest_key_time: 0,
        file_creation_time: 0,
        bottommost: true,
        skip_filter: false,
        for_ingestion: false,
        statistics: None,
    };
    let file = fs.new_writable(path, WritableOptions::default()).expect("create");
    let mut builder = TableBuilder::new(file, ctx).expect("builder");
    let value = [b'v'; 100];
    let mut internal = Vec::new();
    let start = cpu_ns();
    for i in 0..n {
        internal.clear();
        append_internal_key(&mut internal, &key(2 * i), pack_trailer(0, ValueType::Value));
        builder.add(&internal, &value).expect("add");
    }
    builder.finish().expect("finish");
    report("build, per entry", start, n);
}

fn report(what: &str, start: u64, n: u64) {
    println!("{what:<44} {:>8.1} ns", (cpu_ns() - start) as f64 / n as f64);
}

fn get(table: &Table, key: &[u8]) -> usize {
    let mut ctx = GetContext::new(key, None);
    let lookup = LookupBuffer::new(key, 100);
    let lookup = lookup.key();
    let ro = READ.get_or_init(ReadOptions::default);
    table.get(&lookup, ro, &mut ctx).expect("get");
    ctx.finish().expect("finish").map_or(0, |value| value[50] as usize)
}

static READ: std::sync::OnceLock<ReadOptions> = std::sync::OnceLock::new();

fn measure(name: &str, table: &Arc<Table>, n: u64) {
    let rounds = 2_000_000;
    for i in 0..n {
        get(table, &key(2 * i));
    }
    let mut rng = Random(88172645463325252);
    let mut found = 0;
    let start = cpu_ns();
    for _ in 0..rounds {
        found += usize::from(get(table, &key(2 * rng.below(n))) != 0);
    }
    report(&format!("{name}: get, independent"), start, rounds);
    assert_eq!(found as u64, rounds);

    // One pin around all: what remains when a pin needs no fence, which keeps the memory accesses
    // of neighbouring lookups apart.
    let guard = ferrolith::internal::env::epoch::pin();
    let start = cpu_ns();
    for _ in 0..rounds {
        found += usize::from(get(table, &key(2 * rng.below(n))) != 0);
    }
    report(&format!("{name}: get, independent, pinned once"), start, rounds);
    drop(guard);

    let start = cpu_ns();
    let mut last = 0;
    for _ in 0..rounds / 2 {
        // The next key is not known before this one was found.
        let i = rng.below(n) ^ (last & 1);
        last = get(table, &key(2 * i.min(n - 1))) as u64;
    }
    report(&format!("{name}: get, each after the last"), start, rounds / 2);

    let start = cpu_ns();
    for _ in 0..rounds {
        found += get(table, &key(2 * rng.below(n) + 1));
    }
    report(&format!("{name}: get of absent keys"), start, rounds);

    let mut iter = table.iter(&TableIterOptions::default());
    let mut internal = Vec::new();
    let start = cpu_ns();
    for _ in 0..rounds / 4 {
        internal.clear();
        let trailer = pack_trailer(100, ValueType::Value);
        append_internal_key(&mut internal, &key(2 * rng.below(n)), trailer);
        iter.seek(&internal);
        found += iter.value().len();
    }
    report(&format!("{name}: seek"), start, rounds / 4);

    let start = cpu_ns();
    iter.seek_to_first();
    while iter.valid() {
        found += usize::from(iter.value()[0]) + usize::from(iter.key()[0]);
        iter.next();
    }
    report(&format!("{name}: next"), start, n);
    std::hint::black_box(found);
}

fn main() {
    let n = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let fs = MemFs::new();
    let path = Path::new("/db/000009.sst");
    fs.create_dir_if_missing(Path::new("/db")).expect("mkdir");
    build(&fs, path, n);
    for (name, filter) in [("cached, Bloom", true), ("cached, no filter", false)] {
        let ctx = TableReadContext {
            order: KeyOrder::bytewise(),
            factory: TableFactory::BlockBased(options(filter)),
            prefix_extractor: None,
            cache: Some(Cache::new_lru(4 << 30)),
            mmap: false,
            file_number: 9,
            global_seqno: None,
            statistics: None,
            memory: None,
            random_reads: false,
            at_last_level: false,
        };
        let file = fs.open_random_access(path, false).expect("open");
        let table = Table::open(file, &ctx).expect("table");
        measure(name, &table, n);
    }
}
