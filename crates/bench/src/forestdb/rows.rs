//! Every key of the ini file: those of ForestDB-Benchmark, those of its fork that `rall.sh` uses, and the section of
//! this program.

/// The engines that a key applies to, or why it has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// All engines.
    All,
    /// Engines with RocksDB's options.
    Lsm,
    /// ForestDB.
    ForestDb,
    /// No engine of this program; the text says why.
    Never(&'static str),
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The section, in lower case.
    pub section: &'static str,
    /// The key, in lower case.
    pub key: &'static str,
    /// The default; empty: derived from other keys, or none.
    pub default: &'static str,
    /// The engines to which it applies.
    pub effect: Effect,
    /// Its meaning.
    pub help: &'static str,
}

const fn row(
    section: &'static str,
    key: &'static str,
    default: &'static str,
    effect: Effect,
    help: &'static str,
) -> Row {
    Row { section, key, default, effect, help }
}

use Effect::{All, ForestDb, Lsm, Never};

const WIREDTIGER: Effect = Never("only WiredTiger has it");

/// All keys, by section.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    row("document", "ndocs", "10000", All, "Number of documents"),
    row("document", "key_file", "", All, "File with one key per line, instead of generated keys; ndocs becomes at most its number of lines"),
    row("log", "filename", "", All, "Prefix of the directory of results, which gets the time as suffix"),
    row("db_config", "cache_size_mb", "128", Lsm, "Block cache of each database, in MiB; ForestDB has one for all databases"),
    row("db_config", "compaction_mode", "auto", Never("compactions are always automatic"), "ForestDB: auto or manual compaction"),
    row("db_config", "auto_compaction_threads", "4", ForestDb, "ForestDB: compactor threads"),
    row("db_config", "wbs_init_mb", "4", Lsm, "Size of a memtable during the population, in MiB"),
    row("db_config", "wbs_bench_mb", "4", Lsm, "Size of a memtable afterwards, in MiB"),
    row("db_config", "bloom_bits_per_key", "0", Lsm, "Bits per key of Bloom filters; 0 means no filters"),
    row("db_config", "compaction_style", "level", Lsm, "level, universal or fifo; the first letter counts"),
    row("db_config", "fdb_wal", "4096", ForestDb, "ForestDB: entries of its WAL index"),
    row("db_config", "fdb_type", "hb+trie", Never("ForestDB's index is always the HB+-trie"), "ForestDB: kind of index"),
    row("db_config", "wt_type", "btree", WIREDTIGER, "WiredTiger: B-tree or LSM"),
    row("db_config", "compression", "false", Lsm, "Compress level 3 and below with Snappy, on ForestDB all bodies; on if it begins with t or e"),
    row("db_config", "split_pct", "100", WIREDTIGER, "WiredTiger: split of pages"),
    row("db_config", "leaf_pg_size_kb", "4", WIREDTIGER, "WiredTiger: size of a leaf page"),
    row("db_config", "int_pg_size_kb", "4", WIREDTIGER, "WiredTiger: size of an internal page"),
    row("db_file", "filename", "./dummy", All, "Prefix of database directories; database i is in PREFIXi.0"),
    row("db_file", "init_filename", "", All, "Prefix during the population, which then renames the directories to filename; default: filename"),
    row("db_file", "nfiles", "1", All, "Number of databases; each has a contiguous range of the documents"),
    row("population", "nthreads", "", All, "Loader threads, at most one per database; default: twice the number of processors"),
    row("population", "batchsize", "4096", All, "Documents per batch of the population"),
    row("population", "periodic_commit", "no", All, "no: load without a WAL, on ForestDB without commits; otherwise each batch is in the WAL or committed, and synced if write_type is sync"),
    row("population", "fdb_flush_wal", "no", Never("the original program does not use it either"), "Not used"),
    row("population", "compaction_wait", "0", All, "1: wait for compactions after the population"),
    row("population", "load", "1", All, "1: delete the databases and populate them"),
    row("threads", "readers", "0", All, "Threads that read documents by key"),
    row("threads", "iterators", "0", All, "Threads that read ranges"),
    row("threads", "writers", "0", All, "Threads that update documents"),
    row("threads", "reader_ops", "0", All, "Batches per second of each reader and iterator; 0 means no limit"),
    row("threads", "writer_ops", "0", All, "Batches per second of each writer; 0 means no limit"),
    row("threads", "seed_per_thread", "1", All, "1: each thread has its own seed; 0: all have the same"),
    row("threads", "disjoint_write", "false", All, "Each writer has its own databases"),
    row("key_length", "distribution", "normal", All, "normal or uniform"),
    row("key_length", "median", "64", All, "normal: median"),
    row("key_length", "standard_deviation", "8", All, "normal: standard deviation"),
    row("key_length", "lower_bound", "32", All, "uniform: shortest"),
    row("key_length", "upper_bound", "96", All, "uniform: longest"),
    row("prefix", "level", "0", All, "Number of segments before the last one; each ends with /"),
    row("prefix", "nprefixes", "100", All, "Distinct values of each segment"),
    row("prefix", "distribution", "uniform", All, "Length of segments: normal or uniform"),
    row("prefix", "lower_bound", "4", All, "uniform: shortest"),
    row("prefix", "upper_bound", "12", All, "uniform: longest"),
    row("prefix", "median", "8", All, "normal: median"),
    row("prefix", "standard_deviation", "1", All, "normal: standard deviation"),
    row("body_length", "distribution", "normal", All, "normal or uniform; lengths are rounded down to a multiple of 8"),
    row("body_length", "median", "512", All, "normal: median"),
    row("body_length", "standard_deviation", "32", All, "normal: standard deviation"),
    row("body_length", "lower_bound", "448", All, "uniform: shortest"),
    row("body_length", "upper_bound", "576", All, "uniform: longest"),
    row("body_length", "compressibility", "100", All, "Percentage of the average body that is a repeated letter; the rest is random"),
    row("operation", "warmingup", "0", All, "Seconds before the measured part"),
    row("operation", "duration", "0", All, "Seconds of the measured part; 60 if there is no other limit"),
    row("operation", "nops", "0", All, "Documents after which the measured part ends; 0 means no limit"),
    row("operation", "nbatches", "0", All, "Batches after which the measured part ends; 0 means no limit"),
    row("operation", "batch_distribution", "uniform", All, "Centre of a batch: uniform or zipfian"),
    row("operation", "batch_parameter1", "1", All, "zipfian: exponent"),
    row("operation", "batch_parameter2", "64", All, "zipfian: documents per group"),
    row("operation", "batchsize_distribution", "normal", All, "Documents per batch: normal or uniform"),
    row("operation", "read_batchsize_median", "3", All, "normal: median of a reader's batches"),
    row("operation", "read_batchsize_standard_deviation", "1", All, "normal: standard deviation of a reader's batches"),
    row("operation", "iterate_batchsize_median", "1000", All, "normal: median of ranges"),
    row("operation", "iterate_batchsize_standard_deviation", "100", All, "normal: standard deviation of ranges"),
    row("operation", "write_batchsize_median", "10", All, "normal: median of a writer's batches"),
    row("operation", "write_batchsize_standard_deviation", "1", All, "normal: standard deviation of a writer's batches"),
    row("operation", "read_batchsize_lower_bound", "1", All, "uniform: a reader's smallest batch"),
    row("operation", "read_batchsize_upper_bound", "5", All, "uniform: a reader's largest batch"),
    row("operation", "iterate_batchsize_lower_bound", "500", All, "uniform: shortest range"),
    row("operation", "iterate_batchsize_upper_bound", "1500", All, "uniform: longest range"),
    row("operation", "write_batchsize_lower_bound", "5", All, "uniform: a writer's smallest batch"),
    row("operation", "write_batchsize_upper_bound", "15", All, "uniform: a writer's largest batch"),
    row("operation", "operation_distribution", "uniform", All, "How documents of a batch lie around its centre: uniform or normal"),
    row("operation", "batch_range", "", All, "Distance from the centre; default: the average batch of writers"),
    row("operation", "read_query", "key", Never("the original program reads by key in any case"), "Not used"),
    row("operation", "write_ratio_percent", "20", All, "Percentage of writes in all operations; above 100 threads do not wait for each other"),
    row("operation", "write_type", "sync", All, "sync if it begins with s, otherwise async"),
    row("compaction", "threshold", "30", ForestDb, "ForestDB: percentage of stale data that starts a compaction"),
    row("compaction", "period", "60", ForestDb, "ForestDB: seconds between compactor checks"),
    row("compaction", "block_reuse", "", ForestDb, "ForestDB: percentage of stale data from which blocks are reused; 0 means never; default: that of the library"),
    row("latency_monitor", "rate", "100", All, "0: record no latencies; otherwise every batch is timed"),
    row("latency_monitor", "max_samples", "1000000", Never("histograms need no limit of samples"), "Not used"),
    row("ferrolith_bench", "seed", "1", All, "Seed of bodies and choices; keys and lengths do not depend on it"),
    row("ferrolith_bench", "filler", "document", All, "document: each document gets its own random bytes; buffer: one run of bytes per buffer, as in the original program"),
    row("ferrolith_bench", "warm_up", "", All, "auto, or auto: and the most seconds: measure when the throughput is steady; default: warmingup"),
    row("ferrolith_bench", "level_base_mb", "512", Lsm, "Target size of level 1, in MiB"),
    row("ferrolith_bench", "target_file_kb", "32768", Lsm, "Target size of an SST, in KiB"),
];

/// Returns the row of a key.
pub fn find(section: &str, key: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.section == section && row.key == key)
}
