//! Flags of the tool itself: what is run, on which database, and what is printed.
//!
//! Defaults are those of db_bench of RocksDB 10.10.

use super::Fate::{Noted, Used};
use super::Kind::{Bool, Choice, Double, Int32, Int64, Text, Uint32, Uint64};
use super::{Row, row};

/// The default benchmarks: those of RocksDB's list that this tool has.
const DEFAULT_BENCHMARKS: &str = "fillseq,fillsync,fillrandom,filluniquerandom,overwrite,readrandom,\
    newiterator,seekrandom,readseq,readreverse,compact,readrandom,multireadrandom,readseq,readwhilewriting,\
    readrandomwriterandom,deleteseq,deleterandom,fill100K,crc32c";

/// Flags that RocksDB's db_bench does not have.
#[rustfmt::skip]
pub(super) const ENGINE: &[Row] = &[
    row("engine", Choice(&["ferrolith", "lib", "lmdb", "fjall", "redb", "forestdb", "both"]), "ferrolith", Used, "Engine to measure: ferrolith; lib, the library that --engine_lib names; lmdb, fjall or redb, each of which needs the cargo feature of its name; forestdb, whose library --engine_lib names; or both, which alternates between ferrolith and --peer"),
    row("peer", Choice(&["lib", "lmdb", "fjall", "redb", "forestdb", "ferrolith"]), "lib", Used, "Second engine of --engine=both. With ferrolith, the same engine runs again on the same directory with --peer_flags"),
    row("own_lib", Text, "", Used, "With --engine=both, a library with RocksDB's C functions that takes the place of the built-in Ferrolith, to compare two builds"),
    row("peer_flags", Text, "", Used, "Additional flags for --peer only, separated by spaces"),
    row("engine_lib", Text, "", Used, "Shared library with RocksDB's C functions, or with ForestDB's for --engine=forestdb. Without --engine, it implies --engine=lib"),
    row("options_string", Text, "", Used, "Additional options in RocksDB's form, name=value;part={setting=value}. They are applied after all flags, so that every option can be set"),
    row("lmdb_read_txn", Choice(&["thread", "call"]), "thread", Used, "Scope of the read transactions of --engine=lmdb: one per thread or one per lookup"),
    row("redb_read_txn", Choice(&["thread", "call"]), "thread", Used, "Scope of the read transactions of --engine=redb: one per thread or one per lookup"),
    row("forestdb_commit", Choice(&["write", "auto"]), "write", Used, "Commits of --engine=forestdb without --sync: after each write, or by the library when its WAL index is full, so that a crash of the process loses writes"),
    row("forestdb_options", Text, "", Used, "Options of --engine=forestdb, as name=value;name=value; the names are those of ForestDB's C header"),
    row("runs", Int32, "3", Used, "Number of pairs of runs of --engine=both"),
    row("touch_memory", Int64, "0", Used, "With --engine=both, write to this many bytes of fresh memory and free them before each run, so that no run pays for memory that a virtual machine has returned to its host"),
    row("json", Text, "", Used, "Write one JSON object per benchmark to this file; - means standard output"),
    row("warm_up", Text, "0", Used, "Operations before each benchmark that do not count: for this number of seconds; or auto, until the throughput is steady, for at most 60 seconds, or N with auto:N. Benchmarks that begin with an empty database or delete have none"),
    row("skew_seeks", Bool, "false", Used, "Let --read_random_exp_range also skew the keys of seekrandom; RocksDB's program seeks to uniformly distributed keys"),
    row("sample_latency", Int64, "0", Used, "Without --histogram, time every n-th operation; 0 means none (16 with --json or --engine=both)"),
];

/// The workload.
#[rustfmt::skip]
pub(super) const WORKLOAD: &[Row] = &[
    row("benchmarks", Text, DEFAULT_BENCHMARKS, Used, "Comma-separated list of benchmarks, run in this order; name[X3-W1] runs a benchmark 3 times after 1 warm-up run"),
    row("num", Int64, "1000000", Used, "Number of keys in the database, and of operations per thread unless --reads or --writes is given"),
    row("reads", Int64, "-1", Used, "Number of reads per thread; a negative number means --num"),
    row("writes", Int64, "-1", Used, "Number of writes per thread; a negative number means --num"),
    row("deletes", Int64, "-1", Used, "Number of deletes per thread; a negative number means --num"),
    row("merge_keys", Int64, "-1", Used, "Number of distinct keys of mergerandom; a negative number means --num"),
    row("threads", Int32, "1", Used, "Number of threads of a benchmark, without the background writer"),
    row("duration", Int32, "0", Used, "Run random benchmarks for this number of seconds; 0 means to run the given number of operations"),
    row("ops_between_duration_checks", Int32, "1000", Used, "Number of operations between two checks of --duration"),
    row("seed", Int64, "0", Used, "Seed of the random number generator; 0 means to take it from the clock"),
    row("key_size", Int32, "16", Used, "Size of a key, in bytes"),
    row("value_size", Int32, "100", Used, "Size of a value, in bytes"),
    row("value_size_distribution_type", Choice(&["fixed", "uniform"]), "fixed", Used, "Distribution of value sizes"),
    row("value_size_min", Int32, "100", Used, "Smallest value of the uniform distribution, in bytes"),
    row("value_size_max", Int32, "102400", Used, "Largest value of the uniform distribution, in bytes"),
    row("same_value_percentage", Int32, "0", Used, "Percentage of writes that use the same value"),
    row("compression_ratio", Double, "0.5", Used, "Generate values that compress to this fraction of their size"),
    row("prefix_size", Int32, "0", Used, "Size of the key prefix, in bytes; above 0, a fixed-length prefix extractor is set"),
    row("keys_per_prefix", Int64, "0", Used, "Average number of keys per prefix; 0 means that keys have no separate prefix part"),
    row("batch_size", Int64, "1", Used, "Number of entries per write batch and of keys per MultiGet"),
    row("seek_nexts", Int32, "0", Used, "Number of Next or Prev calls after each seek"),
    row("reverse_iterator", Bool, "false", Used, "Iterate backwards after each seek"),
    row("max_scan_distance", Int64, "0", Used, "Set an iterator bound at this distance, in keys, from the seek target; 0 means no bound"),
    row("seek_missing_prefix", Bool, "false", Used, "Seek to prefixes that do not exist; needs --prefix_size above 8"),
    row("read_random_exp_range", Double, "0", Used, "Skew of random reads: key numbers are distributed as exp(-x) with x up to this value; 0 means uniform"),
    row("multiread_stride", Int64, "0", Used, "Distance between the keys of one MultiGet; 0 means random keys"),
    row("readwritepercent", Int32, "90", Used, "Percentage of reads in readrandomwriterandom"),
    row("deletepercent", Int32, "2", Used, "Percentage of deletes in readwritedelete"),
    row("mergereadpercent", Int32, "70", Used, "Percentage of merges in readrandommergerandom"),
    row("benchmark_write_rate_limit", Uint64, "0", Used, "Limit of the benchmark's writes, in bytes per second; 0 means no limit"),
    row("benchmark_read_rate_limit", Uint64, "0", Used, "Limit of the benchmark's reads, in reads per second over all threads; 0 means no limit"),
    row("finish_after_writes", Bool, "false", Used, "In mixed benchmarks, let the background writer complete its --writes before the benchmark ends"),
    row("use_existing_keys", Bool, "false", Used, "Read all keys of the database at the start and use them instead of generated keys"),
    row("multiread_batched", Bool, "false", Noted("multireadrandom always uses the batched form"), "Use the batched form of MultiGet"),
    row("overwrite_probability", Double, "0", Used, "Probability that a write of filluniquerandom overwrites one of the latest keys"),
    row("overwrite_window_size", Uint32, "1", Used, "Number of latest keys from which --overwrite_probability chooses"),
    row("writes_before_delete_range", Int64, "0", Used, "Number of entries written before the first range tombstone"),
    row("writes_per_range_tombstone", Int64, "0", Used, "Number of entries written per range tombstone; 0 means no range tombstones"),
    row("range_tombstone_width", Int64, "100", Used, "Number of keys that a range tombstone covers"),
    row("max_num_range_tombstones", Int64, "0", Used, "Maximum number of range tombstones"),
    row("expand_range_tombstones", Bool, "false", Used, "Delete the keys of each range one by one instead of with a range tombstone"),
    row("use_single_deletes", Bool, "true", Used, "Use single deletes in randomreplacekeys"),
    row("numdistinct", Int64, "1000", Used, "Number of distinct keys in randomreplacekeys"),
    row("stddev", Double, "2000", Used, "Standard deviation of the keys that randomreplacekeys chooses"),
    row("transaction_sets", Uint64, "2", Used, "Number of key sets; each transaction of randomtransaction changes one key of each set"),
    row("transaction_set_snapshot", Bool, "false", Used, "Take a snapshot at the start of each transaction of randomtransaction"),
    row("transaction_lock_timeout", Uint64, "100", Used, "Lock timeout of randomtransaction, in milliseconds"),
    row("truth_db", Text, "/dev/shm/truth_db/dbbench", Used, "Database with which verify compares"),
    row("write_batch_protection_bytes_per_key", Uint32, "0", Noted("Ferrolith ignores this flag; with a library it is not supported"), "Number of checksum bytes per entry of a write batch"),
    row("sine_write_rate", Bool, "false", Used, "Vary --benchmark_write_rate_limit as a sine wave: A sin(B x + C) + D"),
    row("sine_write_rate_interval_milliseconds", Uint64, "10000", Used, "Interval between changes of the sine wave's rate, in milliseconds"),
    row("sine_a", Double, "1", Used, "A of the sine wave"),
    row("sine_b", Double, "1", Used, "B of the sine wave"),
    row("sine_c", Double, "0", Used, "C of the sine wave"),
    row("sine_d", Double, "1", Used, "D of the sine wave"),
];

/// The output.
#[rustfmt::skip]
pub(super) const REPORT: &[Row] = &[
    row("histogram", Bool, "false", Used, "Time every operation and print percentiles"),
    row("stats_interval", Int64, "0", Used, "Print a line after this number of operations of a thread; 0 means a progress bar on a terminal"),
    row("stats_interval_seconds", Int64, "0", Used, "Print a line per thread at this interval, in seconds; overrides --stats_interval"),
    row("stats_per_interval", Int32, "0", Used, "Also print the database statistics with each line of --stats_interval"),
    row("report_interval_seconds", Int64, "0", Used, "Write the rate to --report_file at this interval, in seconds; 0 means never"),
    row("report_file", Text, "report.csv", Used, "CSV file for --report_interval_seconds, with the columns secs_elapsed and interval_qps"),
    row("progress_reports", Bool, "true", Used, "Show progress"),
    row("confidence_interval_only", Bool, "false", Used, "After repeated runs, print only the confidence intervals"),
    row("slow_usecs", Uint64, "1000000", Used, "With --histogram, report each operation that takes at least this time, in microseconds"),
    row("perf_level", Int32, "1", Used, "Level of the perf context that threads collect and print: 0 and 1 none, 2 counters, 3 to 6 counters and times"),
    row("build_info", Bool, "false", Used, "Print how this program was built and exit"),
    row("show_table_properties", Bool, "false", Used, "With --stats_interval, also print the table properties of each level"),
];
