//! One row per benchmark, and the ones of RocksDB that are not here.

use super::{Benchmark, Body, Effect, machine, read, scan, transaction, update, verify, write};
use crate::config::Config;
use crate::flags::Flags;
use crate::report::say;
use crate::target::{Result, Target};

/// What `memstats` prints.
const MEMTABLE_PROPERTIES: &[&str] = &[
    "rocksdb.num-immutable-mem-table",
    "rocksdb.cur-size-active-mem-table",
    "rocksdb.cur-size-all-mem-tables",
    "rocksdb.size-all-mem-tables",
    "rocksdb.num-entries-active-mem-table",
    "rocksdb.num-entries-imm-mem-tables",
];

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

use Body::{Once, Properties, Reopen, Threads, WithWriter};
use Effect::{AddsNew, AddsRandom, RemovesFirst, RemovesRandom};

/// All benchmarks.
#[rustfmt::skip]
pub const BENCHMARKS: &[Benchmark] = &[
    fill("fillseq", "write --num keys in order into a new database", AddsNew, Threads(write::sequential)),
    Benchmark { tune: |c| c.batch = 1000, ..fill("fillbatch", "fillseq in batches of 1000", AddsNew, Threads(write::sequential)) },
    fill("fillrandom", "write random keys into a new database", AddsRandom, Threads(write::random)),
    Benchmark { tune: |c| c.threads = 1, ..fill("filluniquerandom", "write each key once in random order, one thread", AddsNew, Threads(write::unique_random)) },
    Benchmark { tune: |c| c.threads = 1, ..fill("fillseekseq", "write each key in order and seek to it, one thread", AddsNew, Threads(scan::fill_and_seek)) },
    Benchmark { tune: |c| { thousandth(c); c.write_mode.sync = true; }, ..fill("fillsync", "random writes of --num/1000 keys, each synced; --writes says how many", AddsRandom, Threads(write::random)) },
    Benchmark { tune: |c| { thousandth(c); c.value_size = 100_000; }, ..fill("fill100K", "random writes of --num/1000 keys, 100,000 bytes each; --writes says how many", AddsRandom, Threads(write::random)) },
    Benchmark { effect: AddsRandom, ..bench("overwrite", "write random keys into the database", Threads(write::random)) },
    bench("readrandom", "look up random keys", Threads(read::random)),
    Benchmark { tune: |c| c.reads /= 1000, ..bench("readrandomsmall", "readrandom with a thousandth of the reads", Threads(read::random)) },
    bench("readrandomfast", "readrandom over the next power of two of --num", Threads(read::fast)),
    Benchmark { tune: |c| c.keys.key_size += 1, ..bench("readmissing", "look up keys that do not exist: one byte longer", Threads(read::random)) },
    bench("readhot", "look up random keys of the first hundredth", Threads(read::hot)),
    bench("multireadrandom", "look up --batch_size random keys per call", Threads(read::many_random)),
    Benchmark { effect: AddsRandom, ..bench("multireadwhilewriting", "multireadrandom beside one writer", WithWriter(read::many_while_writing)) },
    bench("readseq", "iterate from the first key", Threads(scan::forward)),
    Benchmark { tune: |c| { c.threads = 1; c.reads = c.num; }, ..bench("readtocache", "iterate over all keys, one thread", Threads(scan::forward)) },
    bench("readreverse", "iterate from the last key", Threads(scan::backward)),
    bench("newiterator", "make iterators", Threads(scan::create)),
    Benchmark { effect: AddsRandom, ..bench("newiteratorwhilewriting", "newiterator beside one writer", WithWriter(scan::create_while_writing)) },
    bench("seekrandom", "seek to random keys, then --seek_nexts steps", Threads(scan::seek_random)),
    bench("prefixscanrandom", "read all keys of random prefixes", Threads(scan::prefix_random)),
    Benchmark { effect: AddsRandom, ..bench("readwhilewriting", "readrandom beside one writer", WithWriter(read::while_writing)) },
    Benchmark { effect: AddsRandom, ..bench("readwhilemerging", "readrandom beside one merger", WithWriter(read::while_merging)) },
    bench("readwhilescanning", "readrandom beside one thread that scans everything", WithWriter(read::while_scanning)),
    Benchmark { effect: AddsRandom, ..bench("seekrandomwhilewriting", "seekrandom beside one writer", WithWriter(scan::while_writing)) },
    Benchmark { effect: AddsRandom, ..bench("seekrandomwhilemerging", "seekrandom beside one merger", WithWriter(scan::while_merging)) },
    Benchmark { effect: AddsRandom, ..bench("readrandomwriterandom", "--readwritepercent reads, else writes", Threads(read::and_write)) },
    Benchmark { effect: AddsRandom, ..bench("readrandommergerandom", "--mergereadpercent merges, else reads", Threads(read::and_merge)) },
    Benchmark { effect: AddsRandom, ..bench("readwritedelete", "--readwritepercent reads, --deletepercent deletes, else writes", Threads(read::write_and_delete)) },
    Benchmark { effect: AddsRandom, ..bench("updaterandom", "read a random key and write it", Threads(update::random)) },
    Benchmark { effect: AddsRandom, ..bench("xorupdaterandom", "read a random key, combine its bytes with others, write it", Threads(update::xor_random)) },
    Benchmark { effect: AddsRandom, ..bench("appendrandom", "read a random key, append a value, write it", Threads(update::append_random)) },
    Benchmark { effect: AddsRandom, ..bench("randomwithverify", "read, write and delete three keys at a time of --numdistinct, and check them", Threads(update::with_verify)) },
    fill("randomreplacekeys", "delete keys and write the next in their place, in a new database", AddsRandom, Threads(update::replace_keys)),
    Benchmark { effect: AddsRandom, ..bench("randomtransaction", "transactions that change --transaction_sets keys, then a check of sums", Threads(transaction::random)) },
    Benchmark { effect: AddsRandom, ..bench("mergerandom", "merge into random keys", Threads(write::merge_random)) },
    Benchmark { effect: RemovesFirst, ..bench("deleteseq", "delete keys in order", Threads(write::delete_sequential)) },
    Benchmark { effect: RemovesRandom, ..bench("deleterandom", "delete random keys", Threads(write::delete_random)) },
    bench("compact", "compact the whole database", Once(|target, _| target.compact(true))),
    bench("compactall", "compact the whole database; the last level only where it must", Once(|target, _| target.compact(false))),
    bench("compact0", "compact level 0 into the next level that has data", Once(|target, _| compact_level(target, 0))),
    bench("compact1", "compact the first level below 0 into the next", Once(|target, _| compact_level(target, 1))),
    bench("flush", "flush the memtable", Once(|target, _| target.flush())),
    bench("waitforcompaction", "wait until nothing is left to flush or compact", Once(|target, _| target.wait_for_compaction())),
    bench("backup", "make a backup in --backup_dir", Once(|target, flags| with_dir(flags, &["backup_dir"], || target.backup(flags)))),
    bench("restore", "restore the newest backup of --backup_dir into --restore_dir", Once(|target, flags| with_dir(flags, &["backup_dir", "restore_dir"], || target.restore(flags)))),
    bench("verify", "compare the database with the one of --truth_db, by lookups and by a scan", Once(verify::against_truth)),
    bench("resetstats", "set the counters of --statistics to zero", Once(|target, _| target.reset_statistics())),
    bench("approximatesizerandom", "ask for the sizes of random ranges", Threads(read::approximate_sizes)),
    bench("approximatememtablestats", "ask what memtables hold of random ranges", Threads(read::approximate_memtables)),
    bench("reopen", "close and open the database --reads times (10 unless given); only opening and one lookup are timed", Reopen),
    bench("stats", "print rocksdb.stats", Properties(&["rocksdb.stats"])),
    bench("levelstats", "print files and bytes per level", Properties(&["rocksdb.levelstats"])),
    bench("memstats", "print sizes of memtables", Properties(MEMTABLE_PROPERTIES)),
    bench("block_cache_entry_stats", "print what the block cache holds", Properties(&["rocksdb.block-cache-entry-stats"])),
    bench("sstables", "print the table files", Properties(&["rocksdb.sstables"])),
    bench("crc32c", "checksum --block_size bytes, 5 GB in all", Threads(machine::crc32c_blocks)),
    bench("xxhash", "the same with xxHash of 32 bits", Threads(machine::xxhash)),
    bench("xxhash64", "the same with xxHash of 64 bits", Threads(machine::xxhash64)),
    bench("xxh3", "the same with XXH3", Threads(machine::xxh3)),
    bench("acquireload", "load a shared word 100,000,000 times", Threads(machine::acquire_load)),
    bench("compress", "compress 1 GB in blocks of --block_size", Threads(machine::compress)),
    bench("uncompress", "decompress 1 GB in blocks of --block_size", Threads(machine::uncompress)),
];

fn compact_level(target: &dyn Target, level: usize) -> Result<()> {
    say(&target.compact_level(level)?);
    Ok(())
}

/// Runs what needs directories, after a look at their flags.
fn with_dir(flags: &Flags, names: &[&str], run: impl FnOnce() -> Result<()>) -> Result<()> {
    match names.iter().find(|name| flags.text(name).is_empty()) {
        Some(name) => Err(format!("--{name} is not set")),
        None => {
            names.iter().for_each(|name| say(&format!("--{name}: [{}]", flags.text(name))));
            run()
        }
    }
}

/// Benchmarks of RocksDB 10.10 that are not here, and why: "benchmark 'name' is not supported: ...".
pub const MISSING: &[(&str, &str)] = &[
    (
        "fillseqdeterministic",
        "it compacts files that it chooses itself (CompactFiles), which Ferrolith does not have",
    ),
    (
        "filluniquerandomdeterministic",
        "it compacts files that it chooses itself (CompactFiles), which Ferrolith does not have",
    ),
    ("fillanddeleteuniquerandom", "this tool's filluniquerandom has no disposable entries"),
    ("readtorowcache", "Ferrolith has no cache of rows"),
    ("multiscan", "neither Ferrolith nor rocksdb/c.h has the multi-range scan that it measures"),
    ("mixgraph", "this tool does not have its model of key ranges"),
    ("timeseries", "this tool does not have it; readwhilewriting is the nearest"),
    ("getmergeoperands", "Ferrolith has no GetMergeOperands"),
    ("readrandomoperands", "Ferrolith has no GetMergeOperands"),
    ("cache_report_problems", "Ferrolith's cache keeps no list of problems"),
    ("stats_history", "Ferrolith keeps no history of its statistics"),
    ("replay", "Ferrolith does not replay traces"),
    (
        "verifychecksum",
        "Ferrolith has no VerifyChecksum; sst_dump --command=verify does it per table",
    ),
    ("verifyfilechecksums", "Ferrolith has no checksums of whole files"),
    ("openandcompact", "Ferrolith has no remote compaction"),
];
