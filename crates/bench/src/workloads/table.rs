//! One row per benchmark, and RocksDB's benchmarks that are not supported.

use super::{
    Benchmark, Body, Effect, deterministic, evict, machine, mixgraph, operands, read, scan,
    timeseries, transaction, update, verify, write,
};
use crate::config::Config;
use crate::flags::Flags;
use crate::report::say;
use crate::target::{Result, Target};

/// The properties that `memstats` prints.
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

/// All benchmarks, by the heading that they have in `--help`.
#[rustfmt::skip]
pub const GROUPS: &[(&str, &[Benchmark])] = &[
    ("Fill a new database", &[
        fill("fillseq", "write --num keys in order into a new database", AddsNew, Threads(write::sequential)),
        Benchmark { tune: |c| c.batch = 1000, ..fill("fillbatch", "run fillseq with batches of 1000 entries", AddsNew, Threads(write::sequential)) },
        fill("fillrandom", "write random keys into a new database", AddsRandom, Threads(write::random)),
        Benchmark { tune: |c| c.threads = 1, ..fill("filluniquerandom", "write each key once in random order, with one thread", AddsNew, Threads(write::unique_random)) },
        Benchmark { tune: |c| c.threads = 1, ..fill("fillanddeleteuniquerandom", "run filluniquerandom with entries that are deleted later (--disposable_entries_batch_size) and others that stay", AddsNew, Threads(write::unique_random)) },
        Benchmark { tune: |c| c.threads = 1, ..fill("fillseqdeterministic", "fill each level with one sorted run, the last level in order; needs --disable_auto_compactions", AddsNew, Threads(deterministic::sequential)) },
        Benchmark { tune: |c| c.threads = 1, ..fill("filluniquerandomdeterministic", "run fillseqdeterministic with all levels in random order", AddsNew, Threads(deterministic::unique_random)) },
        Benchmark { tune: |c| c.threads = 1, ..fill("fillseekseq", "write all keys in order and seek to each key twice, with one thread; only the seeks count", AddsNew, Threads(scan::fill_and_seek)) },
        Benchmark { tune: |c| { thousandth(c); c.write_mode.sync = true; }, ..fill("fillsync", "random writes of --num/1000 keys, each synced; --writes overrides the number", AddsRandom, Threads(write::random)) },
        Benchmark { tune: |c| { thousandth(c); c.value_size = 100_000; }, ..fill("fill100K", "random writes of --num/1000 keys, with values of 100,000 bytes; --writes overrides the number", AddsRandom, Threads(write::random)) },
    ]),
    ("Write", &[
        Benchmark { effect: AddsRandom, ..bench("overwrite", "write random keys into the database", Threads(write::random)) },
        Benchmark { effect: AddsRandom, ..bench("updaterandom", "read a random key and write it back", Threads(update::random)) },
        Benchmark { effect: AddsRandom, ..bench("xorupdaterandom", "read a random key, XOR its value with another, and write it back", Threads(update::xor_random)) },
        Benchmark { effect: AddsRandom, ..bench("appendrandom", "read a random key, append to its value, and write it back", Threads(update::append_random)) },
        fill("randomreplacekeys", "replace keys by deleting one and writing its successor, in a new database", AddsRandom, Threads(update::replace_keys)),
        Benchmark { effect: AddsRandom, ..bench("mergerandom", "merge into random keys", Threads(write::merge_random)) },
        Benchmark { effect: RemovesFirst, ..bench("deleteseq", "delete keys in order", Threads(write::delete_sequential)) },
        Benchmark { effect: RemovesRandom, ..bench("deleterandom", "delete random keys", Threads(write::delete_random)) },
    ]),
    ("Look up", &[
        bench("readrandom", "look up random keys", Threads(read::random)),
        Benchmark { tune: |c| c.reads /= 1000, ..bench("readrandomsmall", "run readrandom with a thousandth of the reads", Threads(read::random)) },
        bench("readrandomfast", "run readrandom over the smallest power of two that is at least --num", Threads(read::fast)),
        Benchmark { tune: |c| c.keys.key_size += 1, ..bench("readmissing", "look up keys that do not exist, each one byte longer than an existing key", Threads(read::random)) },
        bench("readhot", "look up random keys from the first 1 % of the key range", Threads(read::hot)),
        bench("readtorowcache", "look up all keys in order; needs --use_existing_keys and --row_cache_size, and a library, because Ferrolith has no row cache", Threads(read::to_row_cache)),
        bench("multireadrandom", "look up --batch_size random keys per call", Threads(read::many_random)),
        bench("readrandomoperands", "look up the merge operands of random keys", Threads(operands::random)),
        bench("getmergeoperands", "merge sorted lists into one key; search the value and then the single operands", Threads(operands::of_one_key)),
        bench("approximatesizerandom", "query the approximate sizes of random ranges", Threads(read::approximate_sizes)),
        bench("approximatememtablestats", "query the number of memtable entries in random ranges of --batch_size keys", Threads(read::approximate_memtables)),
    ]),
    ("Scan", &[
        bench("readseq", "iterate from the first key", Threads(scan::forward)),
        Benchmark { tune: |c| { c.threads = 1; c.reads = c.num; }, ..bench("readtocache", "iterate over all keys with one thread", Threads(scan::forward)) },
        bench("readreverse", "iterate from the last key", Threads(scan::backward)),
        bench("newiterator", "create iterators", Threads(scan::create)),
        bench("seekrandom", "seek to random keys, each followed by --seek_nexts steps", Threads(scan::seek_random)),
        bench("prefixscanrandom", "read all keys of random prefixes", Threads(scan::prefix_random)),
        bench("multiscan", "read --multiscan_size ranges of keys per operation, with gaps between them", Threads(scan::ranges)),
    ]),
    ("Mix operations", &[
        Benchmark { effect: AddsRandom, ..bench("readwhilewriting", "run readrandom while another thread writes", WithWriter(read::while_writing)) },
        Benchmark { effect: AddsRandom, ..bench("readwhilemerging", "run readrandom while another thread merges", WithWriter(read::while_merging)) },
        bench("readwhilescanning", "run readrandom while another thread scans the whole database, whose steps count, too", WithWriter(read::while_scanning)),
        Benchmark { effect: AddsRandom, ..bench("multireadwhilewriting", "run multireadrandom while another thread writes", WithWriter(read::many_while_writing)) },
        Benchmark { effect: AddsRandom, ..bench("newiteratorwhilewriting", "run newiterator while another thread writes", WithWriter(scan::create_while_writing)) },
        Benchmark { effect: AddsRandom, ..bench("seekrandomwhilewriting", "run seekrandom while another thread writes", WithWriter(scan::while_writing)) },
        Benchmark { effect: AddsRandom, ..bench("seekrandomwhilemerging", "run seekrandom while another thread merges", WithWriter(scan::while_merging)) },
        Benchmark { effect: AddsRandom, ..bench("readrandomwriterandom", "mix reads (--readwritepercent) and writes", Threads(read::and_write)) },
        Benchmark { effect: AddsRandom, ..bench("readrandommergerandom", "mix merges (--mergereadpercent) and reads", Threads(read::and_merge)) },
        Benchmark { effect: AddsRandom, ..bench("readwritedelete", "mix reads (--readwritepercent), deletes (--deletepercent) and writes", Threads(read::write_and_delete)) },
        Benchmark { effect: AddsRandom, ..bench("mixgraph", "mix lookups, writes and scans (--mix_get_ratio, --mix_put_ratio, --mix_seek_ratio) with the distributions of a social graph", Threads(mixgraph::run)) },
        Benchmark { tune: |c| c.threads -= 1, ..fill("timeseries", "one of --threads writes entries of --key_id_range series into a new database; the others read series, or delete with --expire_style=delete", AddsNew, WithWriter(timeseries::run)) },
        Benchmark { effect: AddsRandom, ..bench("randomwithverify", "read, write and delete groups of three keys out of --numdistinct, and verify them", Threads(update::with_verify)) },
        Benchmark { effect: AddsRandom, ..bench("randomtransaction", "run transactions that change one key in each of --transaction_sets sets, then verify the sums", Threads(transaction::random)) },
    ]),
    ("Maintain the database", &[
        bench("compact", "compact the whole database", Once(|target, _| target.compact(true))),
        bench("compactall", "compact the whole database; rewrite the last level only where necessary", Once(|target, _| target.compact(false))),
        bench("compact0", "compact level 0 into the next level that has data", Once(|target, _| compact_level(target, 0))),
        bench("compact1", "compact the first non-empty level below level 0 into the next level", Once(|target, _| compact_level(target, 1))),
        bench("flush", "flush the memtable", Once(|target, _| target.flush())),
        bench("waitforcompaction", "wait for pending flushes and compactions", Once(|target, _| target.wait_for_compaction())),
        bench("evictfiles", "write the files of the database to the device and drop them from the page cache; needs Linux", Once(evict::files)),
        bench("backup", "create a backup in --backup_dir", Once(|target, flags| with_dir(flags, &["backup_dir"], || target.backup(flags)))),
        bench("restore", "restore the newest backup of --backup_dir into --restore_dir", Once(|target, flags| with_dir(flags, &["backup_dir", "restore_dir"], || target.restore(flags)))),
        bench("verify", "compare the database with --truth_db, by lookups and by a scan", Once(verify::against_truth)),
        bench("verifychecksum", "read all tables and verify their checksums", Once(|target, _| target.verify_checksums())),
        bench("resetstats", "set the counters of --statistics to zero", Once(|target, _| target.reset_statistics())),
        bench("reopen", "close and open the database --reads times (default 10); the times include opening and one lookup", Reopen),
    ]),
    ("Print", &[
        bench("stats", "print rocksdb.stats", Properties(&["rocksdb.stats"])),
        bench("levelstats", "print the number of files and bytes per level", Properties(&["rocksdb.levelstats"])),
        bench("memstats", "print the sizes of memtables", Properties(MEMTABLE_PROPERTIES)),
        bench("block_cache_entry_stats", "print the contents of the block cache by block type", Properties(&["rocksdb.block-cache-entry-stats"])),
        bench("sstables", "print the table files", Properties(&["rocksdb.sstables"])),
    ]),
    ("Measure functions", &[
        bench("crc32c", "compute CRC32C of blocks of --block_size bytes, 5 GB in total", Threads(machine::crc32c_blocks)),
        bench("xxhash", "compute 32-bit xxHash in the same way as crc32c", Threads(machine::xxhash)),
        bench("xxhash64", "compute 64-bit xxHash in the same way as crc32c", Threads(machine::xxhash64)),
        bench("xxh3", "compute XXH3 in the same way as crc32c", Threads(machine::xxh3)),
        bench("acquireload", "load a shared pointer with acquire ordering 100,000,000 times", Threads(machine::acquire_load)),
        bench("compress", "compress 1 GB in blocks of --block_size", Threads(machine::compress)),
        bench("uncompress", "decompress 1 GB in blocks of --block_size", Threads(machine::uncompress)),
    ]),
];

/// Returns all benchmarks.
pub fn benchmarks() -> impl Iterator<Item = &'static Benchmark> {
    GROUPS.iter().flat_map(|(_, benchmarks)| benchmarks.iter())
}

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

/// RocksDB 10.10's benchmarks that are not supported, with the text that follows "benchmark is not supported: ".
pub const MISSING: &[(&str, &str)] = &[
    ("cache_report_problems", "Ferrolith's block cache does not record problems"),
    ("stats_history", "Ferrolith does not keep a statistics history"),
    ("replay", "Ferrolith does not replay traces"),
    ("verifyfilechecksums", "Ferrolith does not support whole-file checksums"),
    ("openandcompact", "Ferrolith does not support remote compaction"),
];
