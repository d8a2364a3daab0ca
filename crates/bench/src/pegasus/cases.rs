//! The matrix: mixes of reads and writes, sizes of values, rate limiters; and the figures that were published.

use crate::target::Result;
use std::fmt;

/// Published figures of one side of a mix.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    /// Operations per second.
    pub ops_per_sec: u64,
    /// The average latency in microseconds, if it was published.
    pub mean_us: Option<u64>,
    /// The 99th percentile in microseconds.
    pub p99_us: u64,
    /// The 99.9th percentile in microseconds, if it was published.
    pub p999_us: Option<u64>,
}

/// A mix of reads and writes.
#[derive(Clone, Copy, Debug)]
pub struct Mix {
    /// Its name: what it does alone, or reads:writes.
    pub name: &'static str,
    /// Parts of reads.
    pub reads: u32,
    /// Parts of writes.
    pub writes: u32,
    /// Client processes and threads of each.
    pub threads: (usize, usize),
    /// Figures for values of 1 KB: reads and writes.
    pub published: (Option<Published>, Option<Published>),
}

const fn figures(ops_per_sec: u64, mean_us: u64, p99_us: u64) -> Option<Published> {
    Some(Published { ops_per_sec, mean_us: Some(mean_us), p99_us, p999_us: None })
}

const fn mix(
    name: &'static str,
    (reads, writes): (u32, u32),
    threads: usize,
    published: (Option<Published>, Option<Published>),
) -> Mix {
    Mix { name, reads, writes, threads: (3, threads), published }
}

/// The mixes of Pegasus 2.4.0, in the order of its table.
#[rustfmt::skip]
pub const MIXES: [Mix; 7] = [
    mix("write", (0, 1), 15, (None, figures(56_953, 787, 1_786))),
    mix("read", (1, 0), 50, (figures(360_642, 413, 984), None)),
    mix("1:1", (1, 1), 30, (figures(62_572, 464, 5_274), figures(62_561, 985, 3_764))),
    mix("1:3", (1, 3), 15, (figures(16_844, 372, 3_980), figures(50_527, 762, 1_551))),
    mix("1:30", (1, 30), 15, (figures(1_861, 381, 3_557), figures(55_816, 790, 1_688))),
    mix("3:1", (3, 1), 30, (figures(140_484, 351, 3_277), figures(46_822, 856, 2_044))),
    mix("30:1", (30, 1), 50, (figures(336_106, 419, 1_221), figures(11_203, 763, 1_276))),
];

/// The case of `multi_get` and `batch_set`. Its number of threads was not published; it has those of the other mix of
/// many reads.
pub const MULTI: Mix = Mix {
    name: "multi",
    reads: 20,
    writes: 1,
    threads: (3, 50),
    published: (
        Some(Published { ops_per_sec: 150_000, mean_us: None, p99_us: 808, p999_us: Some(12_600) }),
        None,
    ),
};

/// Sort keys of a hash key in [`MULTI`], and hash keys of a batch.
pub const ROW: usize = 3;

/// Bytes of the values of a row in [`MULTI`], and of a batch.
pub const ROW_BYTES: u64 = 3 << 10;

/// The sizes of values in bytes.
pub const VALUES: [u64; 4] = [320, 1 << 10, 10 << 10, 20 << 10];

/// The size for which figures were published.
pub const PUBLISHED_BYTES: u64 = 1 << 10;

/// Bytes of values in a database at scale 1: a partition as large as Pegasus recommends at most.
pub const DATA_BYTES: u64 = 10 << 30;

impl Mix {
    /// Returns the mix of this name.
    pub fn find(name: &str) -> Result<&'static Mix> {
        const ALL: &[Mix] = &[MULTI];
        MIXES.iter().chain(ALL).find(|mix| mix.name == name).ok_or_else(|| {
            let known: Vec<&str> = MIXES.iter().chain(ALL).map(|mix| mix.name).collect();
            format!("mix {name}: expected {}", known.join(", "))
        })
    }

    /// Returns whether rows have several sort keys.
    pub fn is_multi(&self) -> bool {
        self.name == MULTI.name
    }

    /// Returns the published threads.
    pub fn published_threads(&self) -> usize {
        self.threads.0 * self.threads.1
    }
}

/// A limit for the bytes that flushes and compactions write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limiter {
    /// No limit.
    Off,
    /// Bytes per second.
    Fixed(u64),
    /// At most these bytes per second, adjusted to the demand.
    Auto(u64),
}

impl Limiter {
    /// Parses `off`, `500MB` or `auto:500MB`.
    pub fn parse(text: &str) -> Result<Limiter> {
        let rate = |size: &str| {
            bytes(size).filter(|rate| *rate > 0).ok_or_else(|| {
                format!("rate limiter {text}: expected off, a rate per second such as 500MB, or auto:500MB")
            })
        };
        match text.split_once(':') {
            None if text == "off" => Ok(Limiter::Off),
            None => rate(text).map(Limiter::Fixed),
            Some(("auto", size)) => rate(size).map(Limiter::Auto),
            Some(_) => rate("").map(Limiter::Fixed),
        }
    }

    /// Returns the flags of db_bench that set it.
    pub fn flags(self) -> Vec<String> {
        let flags = |rate: u64, tuned: bool| {
            vec![
                format!("--rate_limiter_bytes_per_sec={rate}"),
                format!("--rate_limiter_auto_tuned={tuned}"),
            ]
        };
        match self {
            Limiter::Off => Vec::new(),
            Limiter::Fixed(rate) => flags(rate, false),
            Limiter::Auto(rate) => flags(rate, true),
        }
    }
}

impl fmt::Display for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limiter::Off => f.write_str("off"),
            Limiter::Fixed(rate) => f.write_str(&size_text(*rate)),
            Limiter::Auto(rate) => write!(f, "auto:{}", size_text(*rate)),
        }
    }
}

const UNITS: [(&str, u32); 3] = [("GB", 30), ("MB", 20), ("KB", 10)];

/// Parses bytes: a number, or one with `KB`, `MB` or `GB`, which are powers of 1024 as in RocksDB's options.
pub fn bytes(text: &str) -> Option<u64> {
    let unit = UNITS.iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)));
    let (number, shift) = unit.unwrap_or((text, 0));
    let number: u64 = number.parse().ok()?;
    number.checked_mul(1 << shift)
}

/// Writes bytes so that [`bytes`] reads them.
pub fn size_text(bytes: u64) -> String {
    let unit = UNITS.iter().find(|(_, shift)| bytes > 0 && bytes.trailing_zeros() >= *shift);
    unit.map_or_else(|| bytes.to_string(), |(unit, shift)| format!("{}{unit}", bytes >> shift))
}
