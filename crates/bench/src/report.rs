//! The printed report: RocksDB's lines, then two or three of our own per benchmark, and JSON.

use crate::flags::Flags;
use crate::process::{Memory, Usage};
use crate::shared::tree::{Counters, Debt};
use crate::stats::Total;
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes of a megabyte.
pub(crate) const MB: f64 = 1_048_576.0;

/// The result and the resource use of one benchmark.
pub struct Phase {
    /// The benchmark's name.
    pub name: String,
    /// `ferrolith`, or `lib`.
    pub engine: &'static str,
    /// Which repetition of the benchmark it is, from 1.
    pub repeat: u32,
    /// Foreground threads.
    pub threads: usize,
    /// The work of its threads.
    pub total: Total,
    /// The resources that the process used.
    pub usage: Usage,
    /// The memory of the process.
    pub memory: Memory,
    /// Bytes that went into files.
    pub written: u64,
    /// Bytes of tables and logs that the engine reports as written, if it reports them.
    pub engine_written: Option<f64>,
    /// Bytes of the database's files after it.
    pub disk: u64,
    /// Bytes of live keys and values after the benchmark, as far as known.
    pub live: f64,
    /// What the engine says about the benchmark.
    pub state: EngineState,
    /// Whether it ended by itself.
    pub complete: bool,
    /// The warm-up before it.
    pub warm_up: WarmedUp,
}

/// A warm-up that is over.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarmedUp {
    /// Seconds; 0: there was none.
    pub seconds: f64,
    /// Whether it ended because the throughput was steady.
    pub detected: bool,
}

/// What the engine says about a benchmark.
#[derive(Default)]
pub struct EngineState {
    /// Syncs and stalls during it.
    pub counters: Counters,
    /// Compaction debt before and after it.
    pub debt: (Debt, Debt),
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "n/a".to_owned(), |value| format!("{value:.2}"))
}

/// RocksDB's line about the threads of a benchmark.
pub fn line(name: &str, total: &Total) -> String {
    let elapsed = total.elapsed.max(1e-9);
    let mut extra = String::new();
    if total.bytes > 0 {
        extra = format!(" {:6.1} MB/s", total.bytes as f64 / MB / elapsed);
    }
    if !total.message.is_empty() {
        extra += &format!(" {}", total.message);
    }
    if let Some((found, read)) = total.found {
        extra += &format!(" ({found} of {read} found{})", total.found_note);
    }
    format!(
        "{name:<12} : {:11.3} micros/op {} ops/sec {elapsed:.3} seconds {} operations;{extra}",
        total.thread_seconds * 1e6 / total.done as f64,
        rate(total) as u64,
        total.done,
    )
}

/// A number as C's `%g` prints it: at most six digits.
pub fn general(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return format!("{number}");
    }
    let scientific = format!("{number:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(digits), exponent.abs());
    }
    trimmed(&format!("{number:.*}", (5 - exponent) as usize))
}

/// Operations per second.
fn rate(total: &Total) -> f64 {
    total.done as f64 / total.elapsed.max(1e-9)
}

impl Phase {
    /// Operations per second.
    pub fn rate(&self) -> f64 {
        rate(&self.total)
    }

    /// RocksDB's line.
    pub fn line(&self) -> String {
        line(&self.name, &self.total)
    }

    /// Returns the histograms, if every operation was timed.
    pub fn histograms(&self) -> String {
        let one = |(op, histogram): (&crate::stats::Op, &crate::histogram::Histogram)| {
            format!("Microseconds per {}:\n{}\n", op.name(), histogram.text())
        };
        self.total.latencies.iter().map(one).collect()
    }

    pub(crate) fn write_amplification(&self) -> Option<f64> {
        ratio(self.written as f64, self.total.user_written as f64)
    }

    pub(crate) fn engine_write_amplification(&self) -> Option<f64> {
        ratio(self.engine_written?, self.total.user_written as f64)
    }

    pub(crate) fn read_amplification(&self) -> Option<f64> {
        ratio(self.usage.read_calls_bytes as f64, self.total.user_read as f64)
    }

    pub(crate) fn space_amplification(&self) -> Option<f64> {
        ratio(self.disk as f64, self.live)
    }

    /// Returns the cost in two or three lines.
    pub fn costs(&self) -> String {
        let (total, usage, mb) = (&self.total, &self.usage, |bytes: u64| bytes as f64 / MB);
        let elapsed = total.elapsed.max(1e-9);
        let mut text = format!(
            "  amplification: write {} ({:.1} MB for {:.1} MB of the user), read {} ({:.1} MB \
             for {:.1} MB, {:.3} read calls/op), space {} ({:.1} MB for {:.1} MB)\n",
            shown(self.write_amplification()),
            mb(self.written),
            mb(total.user_written),
            shown(self.read_amplification()),
            mb(usage.read_calls_bytes),
            mb(total.user_read),
            usage.read_calls as f64 / total.done as f64,
            shown(self.space_amplification()),
            mb(self.disk),
            self.live / MB,
        );
        text += &format!(
            "  files: {:.1} MB/s written, {:.1} MB/s read; memory: peak {:.1} MB ({:.1} MB \
             private, {:.1} MB mapped files at the end); CPU: {:.2} s ({:.2} s user, {:.2} s \
             system)\n",
            mb(self.written) / elapsed,
            mb(usage.read_calls_bytes) / elapsed,
            mb(self.memory.peak),
            mb(self.memory.anonymous),
            mb(self.memory.mapped),
            usage.cpu_user + usage.cpu_system,
            usage.cpu_user,
            usage.cpu_system,
        );
        if let Some((ops, seconds)) = total.background {
            let rate = ops as f64 / seconds.max(1e-9);
            text += &format!("  background writer: {ops} operations, {rate:.0} ops/sec\n");
        }
        if !total.perf.is_empty() {
            text += &format!("PERF_CONTEXT:\n{}\n", total.perf);
        }
        text
    }
}

/// Prints a line and flushes it. If the reader has closed the pipe, the program ends.
pub fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
        std::process::exit(1);
    }
}

/// Returns the part of RocksDB's header that is printed to standard output.
pub fn header(flags: &Flags, entries: u64) -> String {
    let (key, num) = (flags.int("key_size") as f64, entries as f64);
    let value = match flags.text("value_size_distribution_type") {
        "fixed" => flags.int("value_size"),
        _ => (flags.int("value_size_min") + flags.int("value_size_max")) / 2,
    };
    let ratio = flags.double("compression_ratio");
    let compressed = value as f64 * ratio;
    let rep = match flags.text("memtablerep") {
        "prefix_hash" => "HashSkipListRepFactory",
        "hash_linkedlist" => "HashLinkListRepFactory",
        "vector" => "VectorRepFactory",
        _ => "SkipListFactory",
    };
    let codec = match flags.text("compression_type") {
        "none" => "NoCompression",
        "snappy" => "Snappy",
        "zlib" => "Zlib",
        "bzip2" => "BZip2",
        "lz4" => "LZ4",
        "lz4hc" => "LZ4HC",
        "xpress" => "Xpress",
        _ => "ZSTD",
    };
    let mut text = format!("Keys:       {key} bytes each (+ 0 bytes user-defined timestamp)\n");
    text += &format!(
        "Values:     {value} bytes each ({} bytes after compression)\n",
        (compressed + 0.5) as i64
    );
    text += &format!("Entries:    {entries}\n");
    text += &format!("Prefix:    {} bytes\n", flags.int("prefix_size"));
    text += &format!("Keys per prefix:    {}\n", flags.int("keys_per_prefix"));
    text += &format!("RawSize:    {:.1} MB (estimated)\n", (key + value as f64) * num / MB);
    text += &format!("FileSize:   {:.1} MB (estimated)\n", (key + compressed) * num / MB);
    text += &format!("Write rate: {} bytes/second\n", flags.int("benchmark_write_rate_limit"));
    if flags.int("writes_per_second") > 0 {
        text += &format!("Write rate: {} ops/second\n", flags.int("writes_per_second"));
    }
    text += &format!("Read rate: {} ops/second\n", flags.int("benchmark_read_rate_limit"));
    text += &format!("Compression: {codec}\nCompression sampling rate: 0\n");
    text += &format!("Memtablerep: {rep}\nPerf Level: {}\n", flags.int("perf_level"));
    if cfg!(debug_assertions) {
        text += "WARNING: Assertions are enabled; benchmarks unnecessarily slow\n";
    }
    text + "------------------------------------------------"
}

/// Returns the time now as `2026-11-21T07:00:00Z`.
pub fn timestamp() -> String {
    let (year, month, day, seconds) = civil(SystemTime::now());
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{h:02}:{m:02}:{s:02}Z")
}

/// Returns RocksDB's lines about the engine and the machine, for standard error.
pub fn environment(engine: &str, version: &str) -> String {
    let (models, caches) = (cpu_fields("model name"), cpu_fields("cache size"));
    let name = if engine == "lib" { "RocksDB" } else { "Ferrolith" };
    format!(
        "{:<12}{version}\nDate:       {}\nCPU:        {} * {}\nCPUCache:   {}",
        format!("{name}:"),
        date(SystemTime::now()),
        models.len(),
        models.first().map_or("unknown", String::as_str),
        caches.first().map_or("unknown", String::as_str),
    )
}

/// Returns a field of each processor.
pub(crate) fn cpu_fields(name: &str) -> Vec<String> {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let is_it = |line: &&str| line.split(':').next().is_some_and(|key| key.trim() == name);
    let value = |line: &str| line.split(':').nth(1).map(|value| value.trim().to_owned());
    cpuinfo.lines().filter(is_it).filter_map(value).collect()
}

/// Returns the time now as `2026/11/21-07:00:00`.
pub fn clock() -> String {
    let (year, month, day, seconds) = civil(SystemTime::now());
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}/{month:02}/{day:02}-{h:02}:{m:02}:{s:02}")
}

/// Returns the time as ctime prints it, in UTC.
fn date(now: SystemTime) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (year, month, day, seconds) = civil(now);
    let weekday = DAYS[(since / 86400 % 7) as usize];
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let month = MONTHS[month as usize - 1];
    format!("{weekday} {month} {day:2} {h:02}:{m:02}:{s:02} {year}")
}

/// Year, month, day and second of the day in UTC.
fn civil(now: SystemTime) -> (u64, u64, u64, u64) {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    // Years are counted from March, so that the leap day is the last day of a year.
    let days = since / 86400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + u64::from(month <= 2), month, day, since % 86400)
}

#[cfg(test)]
#[path = "report_test.rs"]
pub(crate) mod tests;
