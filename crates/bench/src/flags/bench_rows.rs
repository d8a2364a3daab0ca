//! Flags of the tool itself: what is run, on which database, and what is printed.
//!
//! Defaults are those of db_bench of RocksDB 10.10.

use super::Fate::{Noted, Used};
use super::Kind::{Bool, Choice, Double, Int32, Int64, Text, Uint32, Uint64};
use super::{Row, row};

/// What runs if nothing is asked for: what RocksDB's list has and this tool too.
const DEFAULT_BENCHMARKS: &str = "fillseq,fillsync,fillrandom,filluniquerandom,overwrite,readrandom,\
    newiterator,seekrandom,readseq,readreverse,compact,readrandom,multireadrandom,readseq,readwhilewriting,\
    readrandomwriterandom,deleteseq,deleterandom,fill100K,crc32c";

/// Flags that RocksDB's db_bench does not have.
#[rustfmt::skip]
pub(super) const ENGINE: &[Row] = &[
    row("engine", Choice(&["ferrolith", "lib", "lmdb", "both"]), "ferrolith", Used, "What is measured: ferrolith, lib (what --engine_lib names), lmdb (needs the cargo feature of that name), or ferrolith and --peer, alternating"),
    row("peer", Choice(&["lib", "lmdb", "ferrolith"]), "lib", Used, "The second engine of --engine=both; ferrolith: the same one on the same directory, with --peer_flags"),
    row("peer_flags", Text, "", Used, "More flags for --peer only, between spaces"),
    row("engine_lib", Text, "", Used, "A shared library with RocksDB's C functions; alone it implies --engine=lib"),
    row("options_string", Text, "", Used, "More options, set after all flags, in RocksDB's form: name=value;part={setting=value}; so every option can be set"),
    row("lmdb_read_txn", Choice(&["thread", "call"]), "thread", Used, "Read transactions of --engine=lmdb: one per thread, or one per lookup"),
    row("runs", Int32, "3", Used, "Pairs of runs of --engine=both"),
    row("json", Text, "", Used, "Write one JSON object per benchmark to this file; - is standard output"),
    row("sample_latency", Int64, "0", Used, "Without --histogram, time every n-th operation; 0: none (16 with --json or --engine=both)"),
];

/// What is run.
#[rustfmt::skip]
pub(super) const WORKLOAD: &[Row] = &[
    row("benchmarks", Text, DEFAULT_BENCHMARKS, Used, "Comma-separated list of what to run, in order; name[X3-W1] repeats 3 times after 1 warm-up"),
    row("num", Int64, "1000000", Used, "Keys of the database, and operations per thread unless --reads or --writes says otherwise"),
    row("reads", Int64, "-1", Used, "Reads per thread; negative: --num"),
    row("writes", Int64, "-1", Used, "Writes per thread; negative: --num"),
    row("deletes", Int64, "-1", Used, "Deletes per thread; negative: --num"),
    row("merge_keys", Int64, "-1", Used, "Distinct keys of mergerandom; negative: --num"),
    row("threads", Int32, "1", Used, "Threads of a benchmark, a background writer not counted"),
    row("duration", Int32, "0", Used, "Seconds per benchmark of random operations; 0: run the number of operations"),
    row("ops_between_duration_checks", Int32, "1000", Used, "Operations between looks at the clock while --duration is set"),
    row("seed", Int64, "0", Used, "Seed of the random numbers; 0: the clock"),
    row("key_size", Int32, "16", Used, "Bytes per key"),
    row("value_size", Int32, "100", Used, "Bytes per value"),
    row("value_size_distribution_type", Choice(&["fixed", "uniform"]), "fixed", Used, "Sizes of values"),
    row("value_size_min", Int32, "100", Used, "Smallest value of the uniform distribution"),
    row("value_size_max", Int32, "102400", Used, "Largest value of the uniform distribution"),
    row("same_value_percentage", Int32, "0", Used, "Percentage of writes that all use one value"),
    row("compression_ratio", Double, "0.5", Used, "Values are made so that they compress to this fraction"),
    row("prefix_size", Int32, "0", Used, "Bytes of prefix: a fixed-length prefix extractor is set"),
    row("keys_per_prefix", Int64, "0", Used, "Keys that share a prefix on average; 0: no special prefix part"),
    row("batch_size", Int64, "1", Used, "Entries per write batch, and keys per MultiGet"),
    row("seek_nexts", Int32, "0", Used, "Steps after a seek"),
    row("reverse_iterator", Bool, "false", Used, "Step backwards after a seek"),
    row("max_scan_distance", Int64, "0", Used, "Bound of a seek, in keys from the target; 0: none"),
    row("seek_missing_prefix", Bool, "false", Used, "Seek to prefixes that do not exist; needs --prefix_size above 8"),
    row("read_random_exp_range", Double, "0", Used, "Skew of random reads: keys are drawn as exp(-x), x up to this; 0: uniform"),
    row("multiread_stride", Int64, "0", Used, "Distance between the keys of one MultiGet; 0: random keys"),
    row("readwritepercent", Int32, "90", Used, "Percentage of reads of readrandomwriterandom"),
    row("deletepercent", Int32, "2", Used, "Percentage of deletions of readwritedelete"),
    row("mergereadpercent", Int32, "70", Used, "Percentage of merges of readrandommergerandom"),
    row("benchmark_write_rate_limit", Uint64, "0", Used, "Bytes per second that writers may write; 0: no limit"),
    row("benchmark_read_rate_limit", Uint64, "0", Used, "Reads per second over all threads; 0: no limit"),
    row("finish_after_writes", Bool, "false", Used, "The background writer of a mixed benchmark finishes its --writes"),
    row("use_existing_keys", Bool, "false", Used, "Read all keys at the start and use them instead of generated ones"),
    row("multiread_batched", Bool, "false", Noted("multireadrandom always uses the batched call"), "Use the batched form of MultiGet"),
    row("overwrite_probability", Double, "0", Used, "Part of filluniquerandom that overwrites one of the last keys"),
    row("overwrite_window_size", Uint32, "1", Used, "Keys that it chooses from"),
    row("writes_before_delete_range", Int64, "0", Used, "Entries before the first range tombstone"),
    row("writes_per_range_tombstone", Int64, "0", Used, "Entries per range tombstone; 0: none"),
    row("range_tombstone_width", Int64, "100", Used, "Keys of a range tombstone"),
    row("max_num_range_tombstones", Int64, "0", Used, "Most range tombstones"),
    row("expand_range_tombstones", Bool, "false", Used, "Delete the keys one by one instead"),
    row("use_single_deletes", Bool, "true", Used, "randomreplacekeys uses single deletes"),
    row("numdistinct", Int64, "1000", Used, "Distinct keys of randomreplacekeys"),
    row("stddev", Double, "2000", Used, "Standard deviation of its choice"),
    row("transaction_sets", Uint64, "2", Used, "Keys that randomtransaction changes at once"),
    row("transaction_set_snapshot", Bool, "false", Used, "Its transactions begin with a snapshot"),
    row("transaction_lock_timeout", Uint64, "100", Used, "Milliseconds that they wait for a lock"),
    row("truth_db", Text, "/dev/shm/truth_db/dbbench", Used, "Database that verify compares with"),
    row("write_batch_protection_bytes_per_key", Uint32, "0", Noted("Ferrolith has no use for it; not with a library"), "Checksum bytes per entry of a write batch"),
    row("sine_write_rate", Bool, "false", Used, "--benchmark_write_rate_limit follows a sine: A sin(B x + C) + D"),
    row("sine_write_rate_interval_milliseconds", Uint64, "10000", Used, "Milliseconds between its steps"),
    row("sine_a", Double, "1", Used, "A of it"),
    row("sine_b", Double, "1", Used, "B of it"),
    row("sine_c", Double, "0", Used, "C of it"),
    row("sine_d", Double, "1", Used, "D of it"),
];

/// What is printed.
#[rustfmt::skip]
pub(super) const REPORT: &[Row] = &[
    row("histogram", Bool, "false", Used, "Time every operation and print percentiles"),
    row("stats_interval", Int64, "0", Used, "A line every so many operations of a thread; 0: a progress bar on a terminal"),
    row("stats_interval_seconds", Int64, "0", Used, "A line every so many seconds of a thread; wins over --stats_interval"),
    row("stats_per_interval", Int32, "0", Used, "Also print the database statistics with that line"),
    row("report_interval_seconds", Int64, "0", Used, "Write the rate to --report_file every so many seconds; 0: do not"),
    row("report_file", Text, "report.csv", Used, "CSV of secs_elapsed,interval_qps"),
    row("progress_reports", Bool, "true", Used, "Show progress"),
    row("confidence_interval_only", Bool, "false", Used, "Print only intervals after repeated runs"),
    row("slow_usecs", Uint64, "1000000", Used, "With --histogram, say so when an operation takes this long"),
    row("perf_level", Int32, "1", Used, "Level of the counters that threads keep and print: 0 and 1 none, 2 counts, 3 to 6 times too"),
    row("build_info", Bool, "false", Used, "Print how this program was built, and end"),
    row("show_table_properties", Bool, "false", Used, "Also print properties of tables per level with --stats_interval"),
];
