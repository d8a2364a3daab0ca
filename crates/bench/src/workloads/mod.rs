//! The benchmarks: one row each, with RocksDB's names and meanings.

mod live;
mod read;
mod runner;
mod scan;
mod thread;
mod write;

#[cfg(test)]
#[path = "workloads_test.rs"]
mod tests;

pub use runner::run;

use crate::config::Config;
use crate::stats::Op;
use crate::target::{Result, Target};
use thread::Thread;

/// How a benchmark is run.
pub enum Body {
    /// By threads that count operations.
    Threads(fn(&mut Thread<'_>) -> Result<()>),
    /// As `Threads`, with thread 0 writing in the background.
    WithWriter(fn(&mut Thread<'_>) -> Result<()>),
    /// Once; the time it takes is its result.
    Once(fn(&dyn Target) -> Result<()>),
    /// Opens the database again and again.
    Reopen,
    /// Prints a property.
    Property(&'static str),
}

/// What a benchmark does to the number of live keys, for the space amplification.
#[derive(Clone, Copy, PartialEq)]
pub enum Effect {
    /// Nothing.
    None,
    /// Each write is a new key.
    AddsNew,
    /// Each write is to a random key.
    AddsRandom,
    /// Deletes keys from the first on.
    RemovesFirst,
    /// Deletes random keys.
    RemovesRandom,
}

/// One benchmark.
pub struct Benchmark {
    /// Its name in `--benchmarks`.
    pub name: &'static str,
    /// One line for `--help`.
    pub help: &'static str,
    /// It starts with an empty database.
    pub fresh: bool,
    /// What it does to the live keys.
    pub effect: Effect,
    /// Changes of the configuration for it.
    pub tune: fn(&mut Config),
    /// How it is run.
    pub body: Body,
}

fn as_is(_: &mut Config) {}

fn thousandth(config: &mut Config) {
    config.fill_num = (config.num / 1000).max(1);
}

const fn bench(name: &'static str, help: &'static str, body: Body) -> Benchmark {
    Benchmark { name, help, fresh: false, effect: Effect::None, tune: as_is, body }
}

const fn fill(name: &'static str, help: &'static str, effect: Effect, body: Body) -> Benchmark {
    Benchmark { name, help, fresh: true, effect, tune: as_is, body }
}

use Body::{Once, Property, Reopen, Threads, WithWriter};
use Effect::{AddsNew, AddsRandom, RemovesFirst, RemovesRandom};

/// All benchmarks.
#[rustfmt::skip]
pub const BENCHMARKS: &[Benchmark] = &[
    fill("fillseq", "write --num keys in order into a new database", AddsNew, Threads(write::sequential)),
    Benchmark { tune: |c| c.batch = 1000, ..fill("fillbatch", "fillseq in batches of 1000", AddsNew, Threads(write::sequential)) },
    fill("fillrandom", "write random keys into a new database", AddsRandom, Threads(write::random)),
    Benchmark { tune: |c| c.threads = 1, ..fill("filluniquerandom", "write each key once in random order, one thread", AddsNew, Threads(write::unique_random)) },
    Benchmark { tune: |c| { thousandth(c); c.write_mode.sync = true; }, ..fill("fillsync", "random writes of --num/1000 keys, each synced; --writes says how many", AddsRandom, Threads(write::random)) },
    Benchmark { tune: |c| { thousandth(c); c.value_size = 100_000; }, ..fill("fill100K", "random writes of --num/1000 keys, 100,000 bytes each; --writes says how many", AddsRandom, Threads(write::random)) },
    Benchmark { effect: AddsRandom, ..bench("overwrite", "write random keys into the database", Threads(write::random)) },
    bench("readrandom", "look up random keys", Threads(read::random)),
    Benchmark { tune: |c| c.reads /= 1000, ..bench("readrandomsmall", "readrandom with a thousandth of the reads", Threads(read::random)) },
    Benchmark { tune: |c| c.keys.key_size += 1, ..bench("readmissing", "look up keys that do not exist: one byte longer", Threads(read::random)) },
    bench("readhot", "look up random keys of the first hundredth", Threads(read::hot)),
    bench("multireadrandom", "look up --batch_size random keys per call", Threads(read::many_random)),
    bench("readseq", "iterate from the first key", Threads(scan::forward)),
    Benchmark { tune: |c| { c.threads = 1; c.reads = c.num; }, ..bench("readtocache", "iterate over all keys, one thread", Threads(scan::forward)) },
    bench("readreverse", "iterate from the last key", Threads(scan::backward)),
    bench("newiterator", "make iterators", Threads(scan::create)),
    bench("seekrandom", "seek to random keys, then --seek_nexts steps", Threads(scan::seek_random)),
    bench("prefixscanrandom", "read all keys of random prefixes", Threads(scan::prefix_random)),
    Benchmark { effect: AddsRandom, ..bench("readwhilewriting", "readrandom beside one writer", WithWriter(read::while_writing)) },
    Benchmark { effect: AddsRandom, ..bench("readwhilemerging", "readrandom beside one merger", WithWriter(read::while_merging)) },
    Benchmark { effect: AddsRandom, ..bench("seekrandomwhilewriting", "seekrandom beside one writer", WithWriter(scan::while_writing)) },
    Benchmark { effect: AddsRandom, ..bench("seekrandomwhilemerging", "seekrandom beside one merger", WithWriter(scan::while_merging)) },
    Benchmark { effect: AddsRandom, ..bench("readrandomwriterandom", "--readwritepercent reads, else writes", Threads(read::and_write)) },
    Benchmark { effect: AddsRandom, ..bench("readrandommergerandom", "--mergereadpercent merges, else reads", Threads(read::and_merge)) },
    Benchmark { effect: AddsRandom, ..bench("readwritedelete", "--readwritepercent reads, --deletepercent deletes, else writes", Threads(read::write_and_delete)) },
    Benchmark { effect: AddsRandom, ..bench("updaterandom", "read a random key and write it", Threads(write::update_random)) },
    Benchmark { effect: AddsRandom, ..bench("mergerandom", "merge into random keys", Threads(write::merge_random)) },
    Benchmark { effect: RemovesFirst, ..bench("deleteseq", "delete keys in order", Threads(write::delete_sequential)) },
    Benchmark { effect: RemovesRandom, ..bench("deleterandom", "delete random keys", Threads(write::delete_random)) },
    bench("compact", "compact the whole database", Once(|target| target.compact())),
    bench("flush", "flush the memtable", Once(|target| target.flush())),
    bench("waitforcompaction", "wait until nothing is left to flush or compact", Once(|target| target.wait_for_compaction())),
    bench("reopen", "close and open the database --reads times (10 unless given); only opening and one lookup are timed", Reopen),
    bench("stats", "print rocksdb.stats", Property("rocksdb.stats")),
    bench("levelstats", "print files and bytes per level", Property("rocksdb.levelstats")),
    bench("sstables", "print the table files", Property("rocksdb.sstables")),
    bench("crc32c", "checksum --block_size bytes, 5 GB in all", Threads(crc32c)),
];

fn needs_merge_operator(name: &str) -> bool {
    name.contains("merg")
}

/// RocksDB's crc32c benchmark measures its own function; here it is Ferrolith's in both engines.
fn crc32c(t: &mut Thread<'_>) -> Result<()> {
    let data = vec![b'x'; t.config.block_size];
    let mut sum = 0u32;
    let mut bytes = 0;
    while bytes < 5000 << 20 {
        sum = sum.wrapping_add(ferrolith::base::checksum::crc32c(std::hint::black_box(&data)));
        bytes += data.len() as u64;
        t.finished(1, Op::Crc);
    }
    std::hint::black_box(sum);
    t.stats.bytes = bytes;
    t.stats.message = format!("({} per op)", data.len());
    Ok(())
}

/// One entry of `--benchmarks`.
pub struct Entry {
    /// The benchmark.
    pub benchmark: &'static Benchmark,
    /// Runs that count.
    pub repeat: u32,
    /// Runs before them that do not.
    pub warmup: u32,
}

/// Reads `--benchmarks`: `name,name[X3],name[X3-W1]`.
pub fn parse_list(list: &str) -> Result<Vec<Entry>> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(parse_entry).collect()
}

fn parse_entry(text: &str) -> Result<Entry> {
    let (name, arguments) = match text.split_once('[') {
        Some((name, rest)) => match rest.strip_suffix(']') {
            Some(arguments) => (name, arguments),
            None => return Err(format!("unknown benchmark arguments '{text}'")),
        },
        None => (text, ""),
    };
    if name == "randomwithverify" {
        return Err("benchmark 'randomwithverify' is not supported: it checks, and ./test does that; readwritedelete has its mix of operations".to_owned());
    }
    let known = BENCHMARKS.iter().find(|benchmark| benchmark.name == name);
    let benchmark = known.ok_or_else(|| {
        let names: Vec<&str> = BENCHMARKS.iter().map(|benchmark| benchmark.name).collect();
        format!("unknown benchmark '{name}'; known: {}", names.join(", "))
    })?;
    let mut entry = Entry { benchmark, repeat: 1, warmup: 0 };
    for argument in arguments.split('-').filter(|argument| !argument.is_empty()) {
        let bad = || format!("unknown benchmark arguments '{text}'");
        let (kind, number) = argument.split_at_checked(1).ok_or_else(bad)?;
        let number = number.parse().map_err(|_| bad())?;
        match kind {
            "X" => entry.repeat = number,
            "W" => entry.warmup = number,
            _ => return Err(bad()),
        }
    }
    Ok(entry)
}

/// The list for `--help`.
pub fn help() -> String {
    BENCHMARKS.iter().map(|b| format!("  {:<24} {}\n", b.name, b.help)).collect()
}
