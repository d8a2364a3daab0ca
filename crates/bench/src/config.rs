//! The flags that define the workload, typed and checked. Each benchmark gets a copy and may change it.

use crate::checks;
use crate::flags::Flags;
use crate::keys::KeyShape;
use crate::parameters::{Disposable, Mix, Ranges, Series, Tree};
use crate::shared::warm_up::WarmUp;
use crate::target::{ReadMode, TransactionMode, WriteMode};
use std::sync::Arc;

/// The limit on writers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WriteRate {
    /// Nothing.
    Unlimited,
    /// Bytes of keys and values per second.
    Bytes(u64),
    /// Operations per second.
    Ops(u64),
    /// Bytes per second that follow a sine.
    Sine(Sine),
}

/// `A sin(B x + C) + D` bytes per second, x in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sine {
    /// A, B, C and D.
    pub parameters: [f64; 4],
    /// Milliseconds between its steps.
    pub step_millis: u64,
}

impl Sine {
    /// The wave of the flags, in steps of this length.
    pub fn new(flags: &Flags, step_millis: u64) -> Sine {
        Sine {
            parameters: ["sine_a", "sine_b", "sine_c", "sine_d"].map(|name| flags.double(name)),
            step_millis,
        }
    }

    /// Returns the wave after this time.
    pub fn value(&self, seconds: f64) -> f64 {
        let [a, b, c, d] = self.parameters;
        a * (b * seconds + c).sin() + d
    }

    /// Returns the rate after this time: at least one byte per second.
    pub fn rate(&self, seconds: f64) -> u64 {
        self.value(seconds).max(1.0) as u64
    }
}

/// Which operations are timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Timing {
    /// Never.
    Off,
    /// Every n-th one.
    Sampled(u64),
    /// All of them.
    Every,
}

/// The configuration of a run.
#[derive(Clone)]
pub struct Config {
    /// The number of keys in the database, as the flags say.
    pub num: u64,
    /// Keys that a filling benchmark draws from.
    pub fill_num: u64,
    /// Reads per thread.
    pub reads: u64,
    /// Writes per thread.
    pub writes: u64,
    /// Deletes per thread.
    pub deletes: u64,
    /// Distinct keys of merges.
    pub merge_keys: u64,
    /// Operations per thread of benchmarks that read and write.
    pub readwrites: u64,
    /// Threads, without a background writer.
    pub threads: usize,
    /// Seconds; 0: by operations.
    pub duration: u64,
    /// The warm-up of benchmarks on a database that is filled.
    pub warm_up: WarmUp,
    /// The number of operations between checks of the clock.
    pub check_every: u64,
    /// The first seed.
    pub seed: u64,
    /// The shape of keys.
    pub keys: KeyShape,
    /// Bytes of a fixed-size value.
    pub value_size: usize,
    /// Entries per batch.
    pub batch: u64,
    /// Steps after a seek.
    pub seek_nexts: u64,
    /// Whether steps after a seek go backwards.
    pub reverse: bool,
    /// Bound of a seek, in keys.
    pub max_scan_distance: u64,
    /// Whether seeks use prefixes that do not exist.
    pub missing_prefix: bool,
    /// Skew of random reads.
    pub exp_range: f64,
    /// Whether the skew also holds for seeks.
    pub skew_seeks: bool,
    /// Distance of the keys of a MultiGet.
    pub stride: u64,
    /// Percentage of reads among reads and writes.
    pub read_percent: u64,
    /// Percentage of deletions among reads, writes and deletions.
    pub delete_percent: u64,
    /// Percentage of merges among reads and merges.
    pub merge_percent: u64,
    /// The limit on writers.
    pub write_rate: WriteRate,
    /// Reads per second over all threads; 0: no limit.
    pub read_rate: u64,
    /// Whether the background writer ends with its own number of writes.
    pub finish_after_writes: bool,
    /// The options of reads.
    pub read_mode: ReadMode,
    /// The options of writes.
    pub write_mode: WriteMode,
    /// Whether seeks read one snapshot.
    pub explicit_snapshot: bool,
    /// Column families that keys are spread over.
    pub families: u64,
    /// The repetition of keys in writes that are otherwise unique.
    pub overwrite: Overwrite,
    /// Range tombstones between writes.
    pub tombstones: RangeTombstones,
    /// The settings of `randomtransaction`.
    pub transactions: Transactions,
    /// The settings of `randomreplacekeys`.
    pub replace: Replace,
    /// The settings of `mixgraph`.
    pub mix: Mix,
    /// The settings of `timeseries`.
    pub series: Series,
    /// The settings of `multiscan`.
    pub ranges: Ranges,
    /// The settings of `fillseqdeterministic` and `filluniquerandomdeterministic`.
    pub tree: Tree,
    /// The settings of `fillanddeleteuniquerandom`.
    pub disposable: Disposable,
    /// Bytes of the row cache.
    pub row_cache_size: u64,
    /// Levels whose properties of tables are printed with the statistics.
    pub table_property_levels: u64,
    /// The level of the per-thread counters.
    pub perf_level: u8,
    /// Whether a merge operator is set.
    pub can_merge: bool,
    /// The codec that is measured, by its name in options, and its level.
    pub codec: &'static str,
    /// Its level; 32767: its default.
    pub codec_level: i32,
    /// Bytes per operation of checksums.
    pub block_size: usize,
    /// Which operations are timed.
    pub timing: Timing,
    /// With `Timing::Every`, the latency above which an operation counts as slow.
    pub slow_micros: u64,
    /// The lines printed while running.
    pub interval: Interval,
}

/// Lines about the rate while a benchmark runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interval {
    /// The number of operations of a thread between lines; 0: no lines.
    pub ops: u64,
    /// The minimum number of seconds between lines.
    pub seconds: u64,
    /// Whether to add the database's statistics.
    pub with_stats: bool,
}

/// How often `filluniquerandom` writes one of its last keys again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overwrite {
    /// From 0 to 1.
    pub probability: f64,
    /// The number of recent keys to choose from.
    pub window: usize,
}

/// Range tombstones that filling benchmarks write.
#[derive(Clone, Copy, Debug, Default)]
pub struct RangeTombstones {
    /// Entries before the first one.
    pub after: u64,
    /// The number of entries from one tombstone to the next; 0: no tombstones.
    pub every: u64,
    /// The number of keys that one tombstone covers.
    pub width: u64,
    /// The maximum number of tombstones.
    pub max: u64,
    /// Whether to delete the keys one by one instead.
    pub expand: bool,
}

/// The settings of `randomtransaction`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Transactions {
    /// Whether the database has transactions; otherwise batches are written.
    pub on: bool,
    /// Whether transactions are checked at commit.
    pub optimistic: bool,
    /// The number of keys of one transaction, each from its own set.
    pub sets: u64,
    /// The options with which they begin.
    pub mode: TransactionMode,
}

/// The settings of `randomreplacekeys`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Replace {
    /// Keys that are alive at a time.
    pub distinct: u64,
    /// The standard deviation of the choice between them.
    pub deviation: f64,
    /// Whether old keys are deleted by single deletes.
    pub single_deletes: bool,
}

impl Config {
    /// Creates the configuration from the flags, or returns what is wrong with them.
    pub fn new(flags: &Flags, seed: u64) -> Result<Config, String> {
        let or_num = |name| match flags.int(name) {
            n if n < 0 => flags.uint("num"),
            n => n as u64,
        };
        let (reads, writes) = (flags.int("reads"), flags.int("writes"));
        let readwrites = if reads < 0 && writes < 0 { flags.int("num") } else { reads.max(writes) };
        let config = Config {
            num: flags.uint("num"),
            fill_num: flags.uint("num"),
            reads: or_num("reads"),
            writes: or_num("writes"),
            deletes: or_num("deletes"),
            merge_keys: or_num("merge_keys"),
            readwrites: readwrites.max(0) as u64,
            threads: flags.uint("threads") as usize,
            duration: flags.uint("duration"),
            warm_up: WarmUp::parse(flags.text("warm_up")).map_err(|e| format!("--warm_up: {e}"))?,
            check_every: flags.uint("ops_between_duration_checks").max(1),
            seed,
            keys: KeyShape {
                key_size: flags.uint("key_size") as usize,
                prefix_size: flags.uint("prefix_size") as usize,
                keys_per_prefix: flags.uint("keys_per_prefix"),
                existing: None,
            },
            value_size: flags.uint("value_size") as usize,
            batch: flags.uint("batch_size").max(1),
            seek_nexts: flags.uint("seek_nexts"),
            reverse: flags.on("reverse_iterator"),
            max_scan_distance: flags.uint("max_scan_distance"),
            missing_prefix: flags.on("seek_missing_prefix"),
            exp_range: flags.double("read_random_exp_range"),
            skew_seeks: flags.on("skew_seeks"),
            stride: flags.uint("multiread_stride"),
            read_percent: flags.uint("readwritepercent"),
            delete_percent: flags.uint("deletepercent"),
            merge_percent: flags.uint("mergereadpercent"),
            write_rate: write_rate(flags),
            read_rate: flags.uint("benchmark_read_rate_limit"),
            finish_after_writes: flags.on("finish_after_writes"),
            read_mode: ReadMode {
                verify_checksums: flags.on("verify_checksum"),
                total_order_seek: flags.on("total_order_seek"),
                prefix_same_as_start: flags.on("prefix_same_as_start"),
                auto_prefix_mode: flags.on("auto_prefix_mode"),
                readahead_size: flags.uint("readahead_size") as usize,
                tailing: flags.on("use_tailing_iterator"),
                auto_readahead_size: flags.on("auto_readahead_size"),
                adaptive_readahead: flags.on("adaptive_readahead"),
                async_io: flags.on("async_io"),
                optimize_multiget_for_io: flags.on("optimize_multiget_for_io"),
                auto_refresh: flags.on("auto_refresh_iterator_with_snapshot"),
                rate_limited: flags.on("rate_limit_user_ops"),
            },
            write_mode: WriteMode {
                sync: flags.on("sync"),
                disable_wal: flags.on("disable_wal"),
                rate_limited: flags.on("rate_limit_auto_wal_flush"),
                protection_bytes: flags.uint("write_batch_protection_bytes_per_key") as usize,
            },
            explicit_snapshot: flags.on("explicit_snapshot"),
            families: flags.uint("num_column_families").max(1),
            overwrite: Overwrite {
                probability: flags.double("overwrite_probability").clamp(0.0, 1.0),
                window: flags.uint("overwrite_window_size") as usize,
            },
            tombstones: RangeTombstones {
                after: flags.uint("writes_before_delete_range"),
                every: flags.uint("writes_per_range_tombstone"),
                width: flags.uint("range_tombstone_width"),
                max: flags.uint("max_num_range_tombstones"),
                expand: flags.on("expand_range_tombstones"),
            },
            transactions: Transactions {
                on: flags.on("transaction_db") || flags.on("optimistic_transaction_db"),
                optimistic: flags.on("optimistic_transaction_db"),
                sets: flags.uint("transaction_sets"),
                mode: TransactionMode {
                    lock_timeout: flags.uint("transaction_lock_timeout") as i64,
                    set_snapshot: flags.on("transaction_set_snapshot"),
                },
            },
            replace: Replace {
                distinct: flags.uint("numdistinct"),
                deviation: flags.double("stddev"),
                single_deletes: flags.on("use_single_deletes"),
            },
            mix: Mix::new(flags)?,
            series: Series::new(flags),
            ranges: Ranges::new(flags),
            tree: Tree::new(flags),
            disposable: Disposable::new(flags)?,
            row_cache_size: flags.uint("row_cache_size"),
            table_property_levels: if flags.on("show_table_properties") {
                flags.uint("num_levels")
            } else {
                0
            },
            perf_level: flags.uint("perf_level") as u8,
            can_merge: !flags.text("merge_operator").is_empty(),
            codec: crate::target::codec_option(flags.text("compression_type"))
                .unwrap_or("kNoCompression"),
            codec_level: flags.int32("compression_level"),
            block_size: flags.uint("block_size") as usize,
            timing: timing(flags),
            slow_micros: flags.uint("slow_usecs"),
            interval: interval(flags),
        };
        checks::check(&config, flags).map(|()| config)
    }

    /// Uses the keys that the database has.
    pub fn use_keys(&mut self, keys: Vec<Vec<u8>>) {
        self.num = keys.len() as u64;
        self.fill_num = self.num;
        self.keys.existing = Some(Arc::new(keys));
    }
}

fn write_rate(flags: &Flags) -> WriteRate {
    if flags.on("sine_write_rate") {
        let step_millis = flags.uint("sine_write_rate_interval_milliseconds");
        return WriteRate::Sine(Sine::new(flags, step_millis));
    }
    match (flags.uint("benchmark_write_rate_limit"), flags.uint("writes_per_second")) {
        (0, 0) => WriteRate::Unlimited,
        (0, ops) => WriteRate::Ops(ops),
        (bytes, _) => WriteRate::Bytes(bytes),
    }
}

fn timing(flags: &Flags) -> Timing {
    match (flags.on("histogram"), flags.uint("sample_latency")) {
        (true, _) => Timing::Every,
        (false, 0) if !flags.text("json").is_empty() && !flags.is_given("sample_latency") => {
            Timing::Sampled(16)
        }
        (false, 0) => Timing::Off,
        (false, n) => Timing::Sampled(n.max(2)),
    }
}

fn interval(flags: &Flags) -> Interval {
    let seconds = flags.uint("stats_interval_seconds");
    let ops = if seconds > 0 { 1000 } else { flags.uint("stats_interval") };
    let shown = flags.on("progress_reports");
    Interval {
        ops: if shown { ops } else { 0 },
        seconds,
        with_stats: flags.int("stats_per_interval") > 0,
    }
}
