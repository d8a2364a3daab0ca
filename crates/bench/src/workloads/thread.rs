//! One thread of a benchmark, and the state that the threads of a benchmark share.

use super::mixgraph::MixLimits;
use crate::config::{Config, Sine, WriteRate};
use crate::keys::KeyMaker;
use crate::rate::RateLimiter;
use crate::rng::Random64;
use crate::stats::{Op, Stats};
use crate::target::{Session, Target};
use crate::values::ValueShape;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

/// The state that the threads of a benchmark share.
pub struct Shared {
    /// The values that are written.
    pub values: ValueShape,
    /// Limits the writers of the foreground.
    pub write_limit: Option<Limit>,
    /// Limits all reads together.
    pub read_limit: Option<RateLimiter>,
    /// Limits of `mixgraph`.
    pub mix_limits: Option<MixLimits>,
    /// The time of `timeseries`.
    pub clock: Arc<AtomicU64>,
    /// The background thread ended.
    background_ended: AtomicBool,
    /// Foreground threads that still run.
    running: AtomicUsize,
    /// A thread failed.
    failed: AtomicBool,
    /// The user ended the benchmark.
    stop: Arc<AtomicBool>,
}

impl Shared {
    /// Creates the state of a benchmark with this configuration. `stop` ends it early.
    pub fn new(
        config: &Config,
        values: ValueShape,
        clock: Arc<AtomicU64>,
        stop: Arc<AtomicBool>,
    ) -> Shared {
        clock.store(0, Ordering::Relaxed);
        Shared {
            values,
            write_limit: Limit::of(config.write_rate),
            read_limit: (config.read_rate > 0).then(|| RateLimiter::new(config.read_rate)),
            mix_limits: MixLimits::of(config),
            clock,
            background_ended: AtomicBool::new(false),
            running: AtomicUsize::new(config.threads),
            failed: AtomicBool::new(false),
            stop,
        }
    }

    /// Returns whether the foreground of `timeseries` stops: the writer ended, or a thread failed.
    #[inline]
    pub fn background_is_done(&self) -> bool {
        self.background_ended.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed)
    }

    /// Returns whether background threads should stop: the foreground is done, or a thread failed.
    #[inline]
    pub fn foreground_is_done(&self) -> bool {
        self.running.load(Ordering::Relaxed) == 0 || self.failed.load(Ordering::Relaxed)
    }
}

/// A limit of writers: by bytes or by operations.
pub struct Limit {
    limiter: RateLimiter,
    by_bytes: bool,
    sine: Option<Sine>,
    /// The step of the sine to which the current rate belongs.
    step: AtomicU64,
}

impl Limit {
    /// Returns the limit that the flags ask for.
    pub fn of(rate: WriteRate) -> Option<Limit> {
        let limit = |rate, by_bytes, sine| {
            Some(Limit { limiter: RateLimiter::new(rate), by_bytes, sine, step: AtomicU64::new(0) })
        };
        match rate {
            WriteRate::Unlimited => None,
            WriteRate::Bytes(rate) => limit(rate, true, None),
            WriteRate::Ops(rate) => limit(rate, false, None),
            WriteRate::Sine(sine) => limit(sine.rate(0.0), true, Some(sine)),
        }
    }

    /// Waits as long as these writes must.
    pub fn request(&self, ops: u64, bytes: u64) {
        if let Some(sine) = &self.sine {
            let seconds = self.limiter.seconds();
            let step = (seconds * 1000.0) as u64 / sine.step_millis.max(1);
            if self.step.swap(step, Ordering::Relaxed) != step {
                self.limiter.set_rate(sine.rate(seconds));
            }
        }
        self.limiter.request(if self.by_bytes { bytes } else { ops });
    }
}

/// One thread.
pub struct Thread<'a> {
    /// Its number, from 0.
    pub id: usize,
    /// Its random numbers.
    pub random: Random64,
    /// Its statistics.
    pub stats: Stats,
    /// The configuration.
    pub config: &'a Config,
    /// The state that it shares with other threads.
    pub shared: &'a Shared,
    /// Its access to the database.
    pub session: Box<dyn Session + 'a>,
    /// The database.
    pub target: &'a dyn Target,
    /// Its key buffer.
    pub keys: KeyMaker,
}

impl Thread<'_> {
    /// Counts operations, and prints the line about the rate when it is due.
    #[inline]
    pub fn finished(&mut self, n: u64, op: Op) {
        if self.stats.finished(n, op) {
            self.line();
        }
    }

    #[cold]
    fn line(&mut self) {
        let Some(line) = self.stats.line() else { return };
        eprintln!("{line}");
        if !self.stats.wants_database_stats() {
            return;
        }
        let property = |name: &str| self.target.property(name).unwrap_or_default();
        eprint!("{}{}", property("rocksdb.stats"), property("ferrolith.memory-by-owner"));
        for name in ["num-running-compactions", "num-running-flushes"] {
            eprintln!("{name}: {}", property(&format!("rocksdb.{name}")));
        }
        for level in 0..self.config.table_property_levels {
            let text = property(&format!("rocksdb.aggregated-table-properties-at-level{level}"));
            if !text.is_empty() && !text.contains("# entries=0") {
                eprintln!("Level[{level}]: {text}");
            }
        }
    }

    /// Waits for the read limit once in 256 reads, as RocksDB does.
    #[inline]
    pub fn limit_reads(&mut self, reads: u64) {
        if let (Some(limit), 255) = (&self.shared.read_limit, reads % 256) {
            limit.request(256);
            self.stats.reset_clock();
        }
    }

    /// Selects the column family that contains the key of this number, if there are several.
    #[inline]
    pub fn choose(&mut self, number: u64) {
        if self.config.families > 1 {
            self.session.choose(number);
        }
    }

    /// Returns a random key number, skewed if asked.
    #[inline]
    pub fn random_key(&mut self) -> u64 {
        let random = self.random.draw();
        let num = self.config.num;
        if self.config.exp_range == 0.0 {
            return random % num;
        }
        const BIG: u64 = 1 << 62;
        let order = -((random % BIG) as f64) / BIG as f64 * self.config.exp_range;
        // Spread over the key space, so that often-read keys are not neighbours.
        ((order.exp() * num as f64) as u64).wrapping_mul(0x5bd1_e995) % num
    }
}

/// Limits how long a thread runs: by operations or by time, and not after another thread failed.
pub struct Budget<'a> {
    seconds: f64,
    max: u64,
    ops: u64,
    check_every: u64,
    next_check: u64,
    start: Instant,
    shared: &'a Shared,
}

impl<'a> Budget<'a> {
    /// Creates a budget of this many operations, or of this many seconds if that is not 0.
    pub fn new(config: &Config, shared: &'a Shared, seconds: u64, max: u64) -> Budget<'a> {
        Budget {
            seconds: seconds as f64,
            max,
            ops: 0,
            check_every: config.check_every,
            next_check: config.check_every,
            start: Instant::now(),
            shared,
        }
    }

    /// Books the next `n` operations. Returns whether there is no room for them.
    #[inline]
    pub fn done(&mut self, n: u64) -> bool {
        self.ops += n;
        let by_clock = self.seconds > 0.0;
        if !by_clock && self.ops > self.max {
            return true;
        }
        if self.ops < self.next_check {
            return false;
        }
        self.next_check = self.ops - self.ops % self.check_every + self.check_every;
        self.shared.failed.load(Ordering::Relaxed)
            || self.shared.stop.load(Ordering::Relaxed)
            || by_clock && self.start.elapsed().as_secs_f64() >= self.seconds
    }
}

/// Held by a thread while it runs, so that others learn when it ends, even by a panic.
pub struct Presence<'a> {
    shared: &'a Shared,
    foreground: bool,
    /// Whether it ended well.
    pub succeeded: bool,
}

impl<'a> Presence<'a> {
    /// Creates the presence of a thread that starts.
    pub fn new(shared: &'a Shared, foreground: bool) -> Presence<'a> {
        Presence { shared, foreground, succeeded: false }
    }
}

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        if !self.succeeded {
            self.shared.failed.store(true, Ordering::Relaxed);
        }
        if self.foreground {
            self.shared.running.fetch_sub(1, Ordering::Relaxed);
        } else {
            self.shared.background_ended.store(true, Ordering::Relaxed);
        }
    }
}
