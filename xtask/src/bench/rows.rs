//! The table of `cargo x bench`: one entry per data set, one per row. A row consists only of data; rows differ in their
//! flags.
//!
//! In flags, `{num}`, `{num/4}`, `{num*3/2}`, `{seconds}` and the like are replaced by values from the command line.

/// A database that rows share: it is filled once for both engines, and deleted after the last row.
pub(super) struct Data {
    pub(super) name: &'static str,
    /// The command that fills it; empty: each run fills its own directory.
    pub(super) fill: &'static str,
    /// The data shape and the options, for the fill and for the rows.
    pub(super) flags: &'static [&'static str],
    /// The command that runs before each row to fill the caches.
    pub(super) warm: &'static str,
    /// Whether it is on a device rather than in memory, because its rows sync.
    pub(super) on_disk: bool,
}

/// What the target of a row or phase limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Judge {
    /// The ratio of operations per second must reach the target.
    Rate,
    /// The ratio of processor seconds must not exceed the target.
    Cpu,
    /// Our median latency must not exceed the target times our median latency in this earlier phase of the run.
    Since(&'static str),
    /// Our P99 must not exceed the target, in microseconds.
    P99,
}

/// One line of the table.
pub(super) struct Row {
    /// The name in `--rows`, and of the file with its output.
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    pub(super) data: &'static str,
    pub(super) flags: &'static [&'static str],
    /// The benchmark whose figures count. It is also the one that runs, unless `flags` override it.
    pub(super) judged: &'static str,
    /// What `target` limits.
    pub(super) judge: Judge,
    /// By default the ratio of operations per second, ours to theirs: the target we set, and what seems possible.
    pub(super) target: f64,
    pub(super) stretch: f64,
    /// The maximum stall of ours in milliseconds.
    pub(super) stall_max: Option<f64>,
    /// Whether the row runs only by name or with `--long`.
    pub(super) long: bool,
}

impl Row {
    /// Returns whether the row compares with something else than RocksDB: with LMDB, or with Ferrolith itself.
    pub(super) fn has_own_peer(&self) -> bool {
        self.data == "lmdb" || self.has("--peer=")
    }

    /// Returns whether the flags contain this text.
    pub(super) fn has(&self, text: &str) -> bool {
        self.flags.iter().any(|flags| flags.contains(text))
    }
}

/// The flags of the reference command lines (crates/bench/testdata/in_memory_commands.txt) that today's RocksDB
/// supports.
const REFERENCE: &str = "--num={num} --num_levels=6 --key_size=20 --value_size=100 --compression_type=none \
    --write_buffer_size=134217728 --max_write_buffer_number=2 --level0_file_num_compaction_trigger=8 \
    --target_file_size_base=134217728 --max_bytes_for_level_base=1073741824 --max_background_jobs=4 \
    --level0_slowdown_writes_trigger=16 --level0_stop_writes_trigger=24 --use_plain_table=1 --open_files=-1 \
    --mmap_read=1 --memtablerep=prefix_hash --allow_concurrent_memtable_write=false --bloom_bits=10 --bloom_locality=1";

/// Block-based tables, with all blocks cached.
const BLOCK: &str = "--compression_type=none --bloom_bits=10 --cache_size=4000000000 --write_buffer_size=67108864 \
    --max_background_jobs=2";

pub(super) const fn data(
    name: &'static str,
    fill: &'static str,
    flags: &'static [&'static str],
) -> Data {
    Data { name, fill, flags, warm: "", on_disk: false }
}

/// Data sets of block-based tables that are read from the cache.
const fn cached(name: &'static str, flags: &'static [&'static str]) -> Data {
    Data { warm: "readtocache,", ..data(name, "--benchmarks=filluniquerandom,compact", flags) }
}

#[rustfmt::skip]
pub(super) const DATA: &[Data] = &[
    data("t1", "--benchmarks=filluniquerandom,waitforcompaction", &[REFERENCE, "--prefix_size=20 --keys_per_prefix=0"]),
    data("t2", "--benchmarks=filluniquerandom,waitforcompaction", &[REFERENCE, "--prefix_size=12 --keys_per_prefix=10"]),
    cached("k16v100", &[BLOCK, "--num={num} --key_size=16 --value_size=100"]),
    cached("k32v100", &[BLOCK, "--num={num} --key_size=32 --value_size=100"]),
    cached("k16v512", &[BLOCK, "--num={num/4} --key_size=16 --value_size=512"]),
    cached("k32v512", &[BLOCK, "--num={num/4} --key_size=32 --value_size=512"]),
    // uint64add adds eight bytes; with longer operands RocksDB logs an error per read.
    cached("counters", &[BLOCK, "--num={num} --key_size=16 --value_size=8 --merge_operator=uint64add"]),
    cached("lmdb", &[BLOCK, "--peer=lmdb --num={num} --key_size=16 --value_size=100"]),
    data("many", "--benchmarks=fillseq,waitforcompaction", &[BLOCK, "--num={num*5} --key_size=16 --value_size=100"]),
    // The log stays, so that each opening replays it.
    data("log", "--benchmarks=fillrandom", &[BLOCK, "--num={num} --key_size=16 --value_size=512 \
        --write_buffer_size=4294967296 --avoid_flush_during_recovery=1 --avoid_flush_during_shutdown=1"]),
    data("fresh", "", &[BLOCK, "--key_size=16 --value_size=100"]),
    data("debt", "--benchmarks=filluniquerandom,compact", &[BLOCK, "--num={num*2} --key_size=16 --value_size=100"]),
    Data { on_disk: true, ..data("synced", "", &[BLOCK, "--key_size=16 --value_size=100"]) },
];

pub(super) const fn row(
    name: &'static str,
    what: &'static str,
    data: &'static str,
    judged: &'static str,
    flags: &'static [&'static str],
    (target, stretch): (f64, f64),
) -> Row {
    Row {
        name,
        what,
        data,
        judged,
        flags,
        judge: Judge::Rate,
        target,
        stretch,
        stall_max: None,
        long: false,
    }
}

/// Rows of one data set are adjacent; those that write to it are last.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("test1-10k", "reference test 1 (PlainTable, whole key), 10K writes/s", "t1", "readwhilewriting",
        &["--threads=2 --duration={seconds} --benchmark_write_rate_limit=1228800"], (3.5, 6.0)),
    row("test1-80k", "the same, 80K writes/s", "t1", "readwhilewriting",
        &["--threads=2 --duration={seconds} --benchmark_write_rate_limit=9830400"], (4.0, 8.0)),
    row("test2-reads-10k", "reference test 2 (PlainTable, prefix of 12), point reads, 10K writes/s", "t2", "readwhilewriting",
        &["--threads=2 --duration={seconds} --benchmark_write_rate_limit=1228800"], (3.0, 6.0)),
    row("test2-seeks-10k", "reference test 2, seeks and 10 nexts, 10K writes/s", "t2", "seekrandomwhilewriting",
        &["--seek_nexts=10 --prefix_same_as_start=1 --threads=2 --duration={seconds} --benchmark_write_rate_limit=1228800"], (3.0, 6.0)),
    row("test2-reads-80k", "reference test 2, point reads, 80K writes/s", "t2", "readwhilewriting",
        &["--threads=2 --duration={seconds} --benchmark_write_rate_limit=9830400"], (3.0, 6.0)),
    row("test2-seeks-80k", "reference test 2, seeks and 10 nexts, 80K writes/s", "t2", "seekrandomwhilewriting",
        &["--seek_nexts=10 --prefix_same_as_start=1 --threads=2 --duration={seconds} --benchmark_write_rate_limit=9830400"], (3.0, 6.0)),
    row("reads-16-100", "cached reads, keys of 16, values of 100, uniform", "k16v100", "readrandom",
        &["--threads=2 --duration={seconds}"], (3.0, 6.0)),
    row("reads-16-100-zipf", "the same, Zipf's law", "k16v100", "readrandom",
        &["--read_random_exp_range=14.5 --threads=2 --duration={seconds}"], (3.0, 6.0)),
    row("scaling", "cached reads, 2 threads to 1 thread of ours", "k16v100", "readrandom",
        &["--peer=ferrolith --peer_flags=--threads=1 --threads=2 --duration={seconds}"], (1.9, 1.9)),
    row("missing", "reads of absent keys", "k16v100", "readmissing",
        &["--threads=2 --duration={seconds}"], (3.0, 5.0)),
    row("multiget-32", "`multi_get` of 32 cached keys", "k16v100", "multireadrandom",
        &["--batch_size=32 --threads=2 --duration={seconds}"], (10.0, 40.0)),
    row("pread", "cache of 32 MB: blocks from the page cache", "k16v100", "readrandom",
        &["--cache_size=33554432 --threads=2 --duration={seconds}"], (1.5, 3.0)),
    row("range-20", "seek and 20 nexts", "k16v100", "seekrandom",
        &["--seek_nexts=20 --threads=2 --duration={seconds}"], (2.5, 4.0)),
    row("scan", "full scan, cached", "k16v100", "readseq",
        &["--threads=2"], (2.0, 3.0)),
    row("range-20-writer", "seek and 20 nexts, 10K writes/s", "k16v100", "seekrandomwhilewriting",
        &["--seek_nexts=20 --threads=2 --duration={seconds} --benchmark_write_rate_limit=1200000"], (2.5, 6.0)),
    row("writing-1", "`readwhilewriting`, 1 reader, 10K writes/s", "k16v100", "readwhilewriting",
        &["--threads=1 --duration={seconds} --benchmark_write_rate_limit=1200000"], (3.5, 8.0)),
    row("writing-2", "the same, 2 readers", "k16v100", "readwhilewriting",
        &["--threads=2 --duration={seconds} --benchmark_write_rate_limit=1200000"], (3.5, 8.0)),
    row("writing-16", "the same, 16 readers", "k16v100", "readwhilewriting",
        &["--threads=16 --duration={seconds} --benchmark_write_rate_limit=1200000"], (3.5, 8.0)),
    row("writing-80", "the same, 80 readers", "k16v100", "readwhilewriting",
        &["--threads=80 --duration={seconds} --benchmark_write_rate_limit=1200000"], (3.5, 8.0)),
    row("reads-32-100", "cached reads, keys of 32, values of 100, uniform", "k32v100", "readrandom",
        &["--threads=2 --duration={seconds}"], (3.0, 6.0)),
    row("reads-32-100-zipf", "the same, Zipf's law", "k32v100", "readrandom",
        &["--read_random_exp_range=14.5 --threads=2 --duration={seconds}"], (3.0, 6.0)),
    row("reads-16-512", "cached reads, keys of 16, values of 512, uniform", "k16v512", "readrandom",
        &["--threads=2 --duration={seconds}"], (3.0, 6.0)),
    row("reads-16-512-zipf", "the same, Zipf's law", "k16v512", "readrandom",
        &["--read_random_exp_range=13.1 --threads=2 --duration={seconds}"], (3.0, 6.0)),
    row("reads-32-512", "cached reads, keys of 32, values of 512, uniform", "k32v512", "readrandom",
        &["--threads=2 --duration={seconds}"], (3.0, 6.0)),
    row("reads-32-512-zipf", "the same, Zipf's law", "k32v512", "readrandom",
        &["--read_random_exp_range=13.1 --threads=2 --duration={seconds}"], (3.0, 6.0)),
    row("merging-1", "`readwhilemerging` counters, 1 reader, 10K merges/s", "counters", "readwhilemerging",
        &["--threads=1 --duration={seconds} --benchmark_write_rate_limit=245760"], (3.0, 6.0)),
    row("merging-2", "the same, 2 readers", "counters", "readwhilemerging",
        &["--threads=2 --duration={seconds} --benchmark_write_rate_limit=245760"], (3.0, 6.0)),
    row("merging-16", "the same, 16 readers", "counters", "readwhilemerging",
        &["--threads=16 --duration={seconds} --benchmark_write_rate_limit=245760"], (3.0, 6.0)),
    row("merging-80", "the same, 80 readers", "counters", "readwhilemerging",
        &["--threads=80 --duration={seconds} --benchmark_write_rate_limit=245760"], (3.0, 6.0)),
    row("fillseq", "`fillseq`, log on", "fresh", "fillseq",
        &["--benchmarks=fillseq,flush,waitforcompaction --num={num}"], (4.0, 7.0)),
    row("fillrandom", "`fillrandom`, log on", "fresh", "fillrandom",
        &["--benchmarks=fillrandom,flush,waitforcompaction --num={num}"], (3.0, 6.0)),
    row("fillrandom-4", "`fillrandom`, 4 writers", "fresh", "fillrandom",
        &["--benchmarks=fillrandom,flush,waitforcompaction --num={num/4} --threads=4"], (3.0, 6.0)),
    row("fillrandom-16", "`fillrandom`, 16 writers", "fresh", "fillrandom",
        &["--benchmarks=fillrandom,flush,waitforcompaction --num={num/16} --threads=16"], (3.0, 6.0)),
    row("values-100k", "values of 100 KB", "fresh", "fillrandom",
        // Every write is timed: of 5,000, one in sixteen would be 312, too few for the 99.9th percentile.
        &["--benchmarks=fillrandom,flush,waitforcompaction --num={num/400} --value_size=102400 --histogram"], (1.5, 3.0)),
    row("fillsync-1", "`fillsync`, 1 writer", "synced", "fillsync",
        &["--num={num/500} --writes={num/500}"], (1.3, 1.7)),
    row("fillsync-16", "`fillsync`, 16 writers", "synced", "fillsync",
        // Enough writes that the 99.9th percentile is not a single sync, each of which covers 16 writes.
        &["--num={num/500} --writes={num/400} --threads=16 --histogram"], (2.0, 4.0)),
    row("open", "open, five times `--num` keys", "many", "reopen", &["--reads=10"], (2.0, 4.0)),
    row("recovery", "recovery of a log of about 1 GB", "log", "reopen", &["--reads=1"], (2.0, 4.0)),
    row("lmdb-reads", "cached reads, beside LMDB with one transaction per thread", "lmdb", "readrandom",
        &["--threads=2 --duration={seconds}"], (1.3, 1.3)),
    row("lmdb-reads-txn", "the same, LMDB with a transaction per lookup", "lmdb", "readrandom",
        &["--lmdb_read_txn=call --threads=2 --duration={seconds}"], (1.3, 1.3)),
    row("lmdb-range-20", "seek and 20 nexts, beside LMDB", "lmdb", "seekrandom",
        &["--seek_nexts=20 --threads=2 --duration={seconds}"], (1.0, 1.0)),
    row("lmdb-scan", "full scan, beside LMDB", "lmdb", "readseq",
        &["--threads=2"], (1.0, 1.0)),
    Row { long: true, stall_max: Some(250.0), ..row("overwrite", "overwrite for 10 minutes, compactions included", "debt", "(all)",
        &["--benchmarks=overwrite,flush,waitforcompaction --duration=600 --histogram"], (2.0, 4.0)) },
];

/// The phases of the table through the C functions. `read1` fills the cache for the later phases.
pub(super) struct Duel {
    /// In `--rows`, and of the file with its output.
    pub(super) name: &'static str,
    /// The number of pairs, if it is not that of the command line: for long runs.
    pub(super) pairs: Option<u64>,
    /// The arguments of kvduel, without the library and the directory.
    pub(super) args: &'static str,
    pub(super) phases: &'static [Phase],
}

/// One line of that table.
pub(super) struct Phase {
    /// Its name in kvduel.
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    /// What `target` limits.
    pub(super) judge: Judge,
    /// By default operations per second, ours to theirs: the target, and what seems possible.
    pub(super) target: f64,
    pub(super) stretch: f64,
    /// The row with the same workload in db_bench, which this phase decides; empty: no row.
    pub(super) row: &'static str,
}

pub(super) const fn phase(
    name: &'static str,
    what: &'static str,
    target: f64,
    row: &'static str,
) -> Phase {
    Phase { name, what, judge: Judge::Rate, target, stretch: target, row }
}

#[rustfmt::skip]
pub(super) const DUELS: &[Duel] = &[
    Duel { name: "test1-10k", pairs: None, args: "plain num={num} threads=2 secs={seconds} phases=filluniq,wait,readwhilewriting", phases: &[
        phase("readwhilewriting", "reference test 1, 10K writes/s", 3.5, "test1-10k"),
    ] },
    Duel { name: "test1-80k", pairs: None, args: "plain num={num} threads=2 secs={seconds} phases=filluniq,wait,readwhilewriting rate=81920", phases: &[
        phase("readwhilewriting", "reference test 1, 80K writes/s", 4.0, "test1-80k"),
    ] },
    Duel { name: "test2-10k", pairs: None, args: "plain num={num} threads=2 secs={seconds} phases=filluniq,wait,readwhilewriting,prefixscan \
        prefix=12 prefixes={num/10}", phases: &[
        phase("readwhilewriting", "reference test 2, point reads, 10K writes/s", 3.0, "test2-reads-10k"),
        phase("prefixscan", "reference test 2, seeks, 10K writes/s", 3.0, "test2-seeks-10k"),
    ] },
    Duel { name: "test2-80k", pairs: None, args: "plain num={num} threads=2 secs={seconds} phases=filluniq,wait,readwhilewriting,prefixscan \
        prefix=12 prefixes={num/10} rate=81920", phases: &[
        phase("readwhilewriting", "reference test 2, point reads, 80K writes/s", 3.0, "test2-reads-80k"),
        phase("prefixscan", "reference test 2, seeks, 80K writes/s", 3.0, "test2-seeks-80k"),
    ] },
    Duel { name: "block", pairs: None, args: "block num={num} key=16 value=100 threads=2 secs={seconds} range=20 read_fraction=1 \
        phases=filluniq,compact,read1,read,ycsb,scan,readwhilewriting,scanwhilewriting", phases: &[
        phase("filluniq", "block-based tables, fill in random order, log on", 3.0, ""),
        phase("read", "cached reads, uniform", 3.0, "reads-16-100"),
        phase("ycsb", "cached reads, Zipf's law", 3.0, "reads-16-100-zipf"),
        phase("scan", "seek and 20 nexts", 2.5, "range-20"),
        phase("readwhilewriting", "`readwhilewriting`, 2 readers, 10K writes/s", 3.5, "writing-2"),
        phase("scanwhilewriting", "seek and 20 nexts, 10K writes/s", 2.5, "range-20-writer"),
    ] },
    Duel { name: "counters", pairs: None, args: "block num={num} key=16 value=8 threads=2 secs={seconds} phases=filluniq,compact,read1,readwhilemerging", phases: &[
        phase("readwhilemerging", "`readwhilemerging` counters, 2 readers, 10K merges/s", 3.0, "merging-2"),
    ] },
    Duel { name: "fillseq", pairs: None, args: "block num={num} key=16 value=100 phases=fillseq", phases: &[
        phase("fillseq", "fill in order, log on", 4.0, "fillseq"),
    ] },
];

/// Workloads not used for tuning: each shape runs all kinds, and no cell may be below 1. Names of shapes are
/// key bytes, value bytes, threads, and `s` where reads are skewed.
pub(super) const SHAPES: &[(&str, &str)] = &[
    ("k8-v0-t2", "--num=300000 --key_size=8 --value_size=0 --threads=2"),
    (
        "k8-v40-t1-s",
        "--num=300000 --key_size=8 --value_size=40 --threads=1 --read_random_exp_range=10",
    ),
    (
        "k13-v1..300-t4",
        "--num=300000 --key_size=13 --value_size_distribution_type=uniform --value_size_min=1 --value_size_max=300 --threads=4",
    ),
    (
        "k24-v100-t8-s",
        "--num=300000 --key_size=24 --value_size=100 --threads=8 --read_random_exp_range=12",
    ),
    (
        "k24-v0..4000-t2",
        "--num=100000 --key_size=24 --value_size_distribution_type=uniform --value_size_min=0 --value_size_max=4000 --threads=2",
    ),
    (
        "k40p16-v64-t2",
        "--num=300000 --key_size=40 --prefix_size=16 --keys_per_prefix=50 --total_order_seek=1 --value_size=64 --threads=2",
    ),
    ("k64-v500-t1", "--num=150000 --key_size=64 --value_size=500 --threads=1"),
    (
        "k100-v1000-t2-s",
        "--num=100000 --key_size=100 --value_size=1000 --threads=2 --read_random_exp_range=10 --compression_type=lz4",
    ),
    ("k200-v20-t8", "--num=150000 --key_size=200 --value_size=20 --threads=8"),
    (
        "k200-v4000-t2-s",
        "--num=60000 --key_size=200 --value_size=4000 --threads=2 --read_random_exp_range=8",
    ),
];

/// The kinds of the table. Kinds that write for a fixed time are last, because the engines then have different data.
pub(super) const KINDS: &str = "--benchmarks=filluniquerandom,readrandom,readmissing,multireadrandom,seekrandom,readseq,\
    readwhilewriting,readwritedelete,overwrite,fillrandom --readwritepercent=50 --deletepercent=15 --seek_nexts=20 \
    --duration=1 --benchmark_write_rate_limit=0 --batch_size=1";

/// Small buffers and caches that hold everything: reads meet memtables, level 0 and deeper levels.
pub(super) const SMALL: &str = "--compression_type=none --bloom_bits=10 --cache_size=1000000000 --write_buffer_size=4194304 \
    --target_file_size_base=4194304 --max_bytes_for_level_base=16777216 --max_background_jobs=2";
