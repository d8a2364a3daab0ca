//! The rate limiter: a token bucket for file I/O. It grants a number of bytes per refill period, higher priorities
//! first.
//!
//! A request takes what it needs from the available bytes, or waits for the next refill. While a request of higher
//! priority waits, others get nothing, except once in `fairness` refills, so that no request starves. There is one
//! mutex; requests wait on a condition variable with a deadline.

use crate::env::clock::Instant;
use crate::env::sync::std_atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use crate::env::sync::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Duration;

/// The priority of I/O in the rate limiter. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum IoPriority {
    /// Compactions.
    Low = 0,
    /// Between `Low` and `High`.
    Mid = 1,
    /// Flushes.
    High = 2,
    /// I/O that users wait for.
    User = 3,
    /// Not limited.
    #[default]
    Total = 4,
}

/// Which I/O is limited. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum RateLimiterMode {
    /// Reads.
    ReadsOnly = 0,
    /// Writes.
    #[default]
    WritesOnly = 1,
    /// Both.
    AllIo = 2,
}

/// The number of priorities that are limited.
const LEVELS: usize = 4;

struct State {
    available: i64,
    next_refill: Instant,
    refills: u64,
    waiting: [u32; LEVELS],
    /// The number of refills that were used up since the last tuning.
    drained: u64,
    /// The last refill that was counted as used up.
    drained_at: u64,
    tuned: Instant,
}

/// Limits the rate of file I/O in bytes per second, for any number of databases.
pub struct RateLimiter {
    mode: RateLimiterMode,
    period: Duration,
    fairness: u64,
    auto_tuned: bool,
    /// The rate that the user set; with tuning, the maximum rate.
    rate_max: AtomicI64,
    rate: AtomicI64,
    state: Mutex<State>,
    refilled: Condvar,
    bytes: [AtomicU64; LEVELS],
    requests: [AtomicU64; LEVELS],
    drains: AtomicU64,
}

/// RocksDB's default refill period in microseconds.
const PERIOD_US: i64 = 100_000;

/// The number of refill periods between two tunings.
const TUNE_PERIODS: u32 = 100;
/// The rate is never tuned below this fraction (the inverse) of the maximum.
const TUNE_RANGE: i64 = 20;

impl RateLimiter {
    /// Creates a limiter of this many bytes per second, granted in periods of `refill_period_us`.
    pub fn new(rate_bytes_per_sec: i64, refill_period_us: i64, fairness: i32) -> Arc<RateLimiter> {
        let mode = RateLimiterMode::default();
        RateLimiter::with_mode(rate_bytes_per_sec, refill_period_us, fairness, mode, false)
    }

    /// Creates a limiter with all settings. An `auto_tuned` limiter adapts its rate to demand, up to the given rate.
    pub fn with_mode(
        rate_bytes_per_sec: i64,
        refill_period_us: i64,
        fairness: i32,
        mode: RateLimiterMode,
        auto_tuned: bool,
    ) -> Arc<RateLimiter> {
        // A rate that is not positive means no limit, and a period that is not positive means the default, as in
        // RocksDB's builds without assertions.
        let rate_max = if rate_bytes_per_sec > 0 { rate_bytes_per_sec } else { i64::MAX };
        let period_us = if refill_period_us > 0 { refill_period_us } else { PERIOD_US };
        let rate = if auto_tuned { (rate_max / 2).max(1) } else { rate_max };
        let now = Instant::now();
        Arc::new(RateLimiter {
            mode,
            period: Duration::from_micros(period_us.min(60_000_000) as u64),
            fairness: fairness.clamp(1, 100) as u64,
            auto_tuned,
            rate_max: AtomicI64::new(rate_max),
            rate: AtomicI64::new(rate),
            state: Mutex::new(State {
                available: 0,
                next_refill: now,
                refills: 0,
                waiting: [0; LEVELS],
                drained: 0,
                drained_at: 0,
                tuned: now,
            }),
            refilled: Condvar::new(),
            bytes: Default::default(),
            requests: Default::default(),
            drains: AtomicU64::new(0),
        })
    }

    /// Returns which I/O is limited.
    pub fn mode(&self) -> RateLimiterMode {
        self.mode
    }

    /// Returns whether reads are limited.
    pub fn limits_reads(&self) -> bool {
        self.mode != RateLimiterMode::WritesOnly
    }

    /// Returns whether writes are limited.
    pub fn limits_writes(&self) -> bool {
        self.mode != RateLimiterMode::ReadsOnly
    }

    /// Returns the current rate.
    pub fn bytes_per_second(&self) -> i64 {
        self.rate.load(Relaxed)
    }

    /// Sets the rate; with tuning, the maximum rate.
    pub fn set_bytes_per_second(&self, rate: i64) {
        self.rate_max.store(rate.max(1), Relaxed);
        self.rate.store(rate.max(1), Relaxed);
    }

    /// Returns the maximum number of bytes that one request takes at once.
    pub fn single_burst_bytes(&self) -> i64 {
        let per_period = self.bytes_per_second() as f64 * self.period.as_secs_f64();
        (per_period as i64).max(1)
    }

    /// Returns the number of bytes granted at this priority.
    pub fn total_bytes_through(&self, priority: IoPriority) -> u64 {
        self.counter(&self.bytes, priority)
    }

    /// Returns the number of requests at this priority.
    pub fn total_requests(&self, priority: IoPriority) -> u64 {
        self.counter(&self.requests, priority)
    }

    /// Returns the number of refills that were used up before the next one.
    pub fn drains(&self) -> u64 {
        self.drains.load(Relaxed)
    }

    fn counter(&self, counters: &[AtomicU64; LEVELS], priority: IoPriority) -> u64 {
        match counters.get(priority as usize) {
            Some(counter) => counter.load(Relaxed),
            None => counters.iter().map(|counter| counter.load(Relaxed)).sum(),
        }
    }

    /// Waits until `bytes` may be read or written, and returns how often no bytes were left. Does nothing for
    /// [`IoPriority::Total`].
    pub fn request(&self, bytes: usize, priority: IoPriority) -> u64 {
        let level = priority as usize;
        if level >= LEVELS {
            return 0;
        }
        let mut drained = 0;
        self.requests[level].fetch_add(1, Relaxed);
        let mut left = bytes as i64;
        while left > 0 {
            let part = left.min(self.single_burst_bytes());
            drained += self.take(part, level);
            left -= part;
        }
        self.bytes[level].fetch_add(bytes as u64, Relaxed);
        drained
    }

    fn take(&self, bytes: i64, level: usize) -> u64 {
        let mut drained = 0;
        let mut state = self.state.lock();
        state.waiting[level] += 1;
        loop {
            self.refill(&mut state);
            let turn_of_all = state.refills.is_multiple_of(self.fairness);
            let more_urgent = state.waiting[level + 1..].iter().any(|waiting| *waiting > 0);
            if state.available >= bytes && (!more_urgent || turn_of_all) {
                break;
            }
            if state.drained_at != state.refills {
                state.drained_at = state.refills;
                state.drained += 1;
                self.drains.fetch_add(1, Relaxed);
                drained += 1;
            }
            let wait = state.next_refill.duration_since(Instant::now());
            self.refilled.wait_for(&mut state, wait.max(Duration::from_micros(50)));
        }
        state.available -= bytes;
        state.waiting[level] -= 1;
        drop(state);
        self.refilled.notify_all();
        drained
    }

    /// Adds the bytes that are due. Unused bytes accumulate up to one period's worth.
    fn refill(&self, state: &mut State) {
        let now = Instant::now();
        if now < state.next_refill {
            return;
        }
        if self.auto_tuned && now.duration_since(state.tuned) >= self.period * TUNE_PERIODS {
            self.tune(state, now);
        }
        let burst = self.single_burst_bytes();
        if state.available < burst {
            state.available += burst;
        }
        state.next_refill = now + self.period;
        state.refills += 1;
    }

    /// Adapts the rate to demand: it grows if nearly every refill is used up, and falls if few are.
    fn tune(&self, state: &mut State, now: Instant) {
        let periods = now.duration_since(state.tuned).as_secs_f64() / self.period.as_secs_f64();
        let used = (state.drained as f64 * 100.0 / periods.max(1.0)) as i64;
        let (largest, rate) = (self.rate_max.load(Relaxed), self.bytes_per_second());
        let smallest = (largest / TUNE_RANGE).max(1);
        let tuned = match used {
            0 => smallest,
            1..50 => (rate.saturating_mul(100) / 105).max(smallest),
            91.. => (rate.saturating_mul(105) / 100).min(largest),
            _ => rate,
        };
        self.rate.store(tuned, Relaxed);
        (state.drained, state.tuned) = (0, now);
    }
}

impl std::fmt::Debug for RateLimiter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RateLimiter({} bytes/s, {:?})", self.bytes_per_second(), self.mode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::clock::ManualClock;

    #[test]
    fn a_rate_is_kept() {
        let clock = ManualClock::start();
        let limiter = RateLimiter::new(1 << 20, 10_000, 10);
        for _ in 0..32 {
            limiter.request(8 << 10, IoPriority::Low);
        }
        let took = clock.passed().as_secs_f64();
        assert!((0.22..0.27).contains(&took), "a quarter of a second's worth took {took}");
        assert_eq!(limiter.total_bytes_through(IoPriority::Low), 256 << 10);
        assert_eq!(limiter.total_requests(IoPriority::Total), 32);
        assert!(limiter.drains() > 0);
        let start = clock.passed();
        limiter.request(1 << 30, IoPriority::Total);
        assert_eq!(clock.passed(), start, "not limited");
    }

    #[test]
    fn the_more_urgent_go_first_and_nobody_starves() {
        let limiter = RateLimiter::new(1 << 20, 5_000, 10);
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for priority in [IoPriority::Low, IoPriority::High] {
                let (limiter, stop) = (&limiter, &stop);
                scope.spawn(move || {
                    while !stop.load(Relaxed) {
                        limiter.request(4 << 10, priority);
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(300));
            stop.store(true, Relaxed);
        });
        let through = |priority| limiter.total_bytes_through(priority);
        assert!(through(IoPriority::High) > 2 * through(IoPriority::Low));
        assert!(through(IoPriority::Low) > 0);
    }

    #[test]
    fn tuning_follows_demand() {
        let mode = RateLimiterMode::WritesOnly;
        let limiter = RateLimiter::with_mode(10 << 20, 1_000, 10, mode, true);
        assert_eq!(limiter.bytes_per_second(), 5 << 20);
        let tuned_after = |drained: u64| {
            let mut state = limiter.state.lock();
            state.drained = drained;
            let now = state.tuned + limiter.period * TUNE_PERIODS;
            limiter.tune(&mut state, now);
            limiter.bytes_per_second()
        };
        let (middle, smallest) = (5 << 20, (10 << 20) / TUNE_RANGE);
        assert_eq!(tuned_after(70), middle);
        assert!(tuned_after(95) > middle);
        (0..100).for_each(|_| assert!(tuned_after(95) > middle));
        assert_eq!(limiter.bytes_per_second(), 10 << 20, "never more than the user set");
        assert!(tuned_after(30) < 10 << 20);
        assert_eq!(tuned_after(0), smallest, "nobody wants anything");
        assert_eq!(tuned_after(30), smallest);
    }
}
