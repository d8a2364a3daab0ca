//! The flags that say what is run, typed and checked. Each benchmark gets a copy and may change it.

use crate::flags::Flags;
use crate::keys::KeyShape;
use crate::target::{ReadMode, WriteMode};
use std::sync::Arc;

/// What limits writers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WriteRate {
    /// Nothing.
    Unlimited,
    /// Bytes of keys and values per second.
    Bytes(u64),
    /// Operations per second.
    Ops(u64),
}

/// When an operation is timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Timing {
    /// Never.
    Off,
    /// Every n-th one.
    Sampled(u64),
    /// All of them.
    Every,
}

/// What is run.
#[derive(Clone)]
pub struct Config {
    /// Keys of the database as the flags say.
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
    /// Operations between looks at the clock.
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
    /// Steps go backwards.
    pub reverse: bool,
    /// Bound of a seek, in keys.
    pub max_scan_distance: u64,
    /// Seeks go to prefixes that do not exist.
    pub missing_prefix: bool,
    /// Skew of random reads.
    pub exp_range: f64,
    /// Distance of the keys of a MultiGet.
    pub stride: u64,
    /// Percentage of reads among reads and writes.
    pub read_percent: u64,
    /// Percentage of deletions among reads, writes and deletions.
    pub delete_percent: u64,
    /// Percentage of merges among reads and merges.
    pub merge_percent: u64,
    /// What limits writers.
    pub write_rate: WriteRate,
    /// Reads per second over all threads; 0: no limit.
    pub read_rate: u64,
    /// The background writer ends with its own number of writes.
    pub finish_after_writes: bool,
    /// How reads are done.
    pub read_mode: ReadMode,
    /// How writes are done.
    pub write_mode: WriteMode,
    /// A merge operator is set.
    pub can_merge: bool,
    /// Bytes per operation of checksums.
    pub block_size: usize,
    /// When an operation is timed.
    pub timing: Timing,
    /// With `Timing::Every`, what counts as slow.
    pub slow_micros: u64,
    /// Lines while running.
    pub interval: Interval,
}

/// Lines about the rate while a benchmark runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interval {
    /// A line every so many operations of a thread; 0: none.
    pub ops: u64,
    /// But not more often than this many seconds.
    pub seconds: u64,
    /// With the database's statistics.
    pub with_stats: bool,
}

impl Config {
    /// As the flags say, or what is wrong with them.
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
            },
            write_mode: WriteMode { sync: flags.on("sync"), disable_wal: flags.on("disable_wal") },
            can_merge: !flags.text("merge_operator").is_empty(),
            block_size: flags.uint("block_size") as usize,
            timing: timing(flags),
            slow_micros: flags.uint("slow_usecs"),
            interval: interval(flags),
        };
        config.check(flags).map(|()| config)
    }

    /// Combinations that cannot be run. The names are the flags'.
    fn check(&self, flags: &Flags) -> Result<(), String> {
        let at_least = |name: &str, least: i64| match flags.int(name) {
            n if n < least => Err(format!("ERROR: --{name}={n} must be {least} or more")),
            _ => Ok(()),
        };
        for name in ["num", "key_size", "threads", "block_size", "runs"] {
            at_least(name, 1)?;
        }
        for name in ["value_size", "value_size_min", "value_size_max", "prefix_size"] {
            at_least(name, 0)?;
        }
        let (prefix, rep) = (self.keys.prefix_size, flags.text("memtablerep"));
        if prefix > self.keys.key_size {
            return Err("ERROR: --prefix_size is larger than --key_size".to_owned());
        }
        if prefix == 0 && ["prefix_hash", "hash_linkedlist"].contains(&rep) {
            return Err(format!("ERROR: --memtablerep={rep} needs --prefix_size"));
        }
        if flags.on("use_plain_table") && !flags.on("mmap_read") {
            return Err("ERROR: --use_plain_table needs --mmap_read".to_owned());
        }
        if self.missing_prefix && prefix <= 8 {
            return Err("ERROR: --seek_missing_prefix needs a --prefix_size above 8".to_owned());
        }
        if flags.on("use_existing_keys") && !flags.on("use_existing_db") {
            return Err("ERROR: --use_existing_keys needs --use_existing_db".to_owned());
        }
        if self.read_percent + self.delete_percent > 100 && flags.is_given("deletepercent") {
            return Err("ERROR: --readwritepercent and --deletepercent are over 100".to_owned());
        }
        if !(0.0..=1.0).contains(&flags.double("compression_ratio")) {
            return Err("ERROR: --compression_ratio must be between 0 and 1".to_owned());
        }
        Ok(())
    }

    /// Uses the keys that the database has.
    pub fn use_keys(&mut self, keys: Vec<Vec<u8>>) {
        self.num = keys.len() as u64;
        self.fill_num = self.num;
        self.keys.existing = Some(Arc::new(keys));
    }
}

fn write_rate(flags: &Flags) -> WriteRate {
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
