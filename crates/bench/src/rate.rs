//! Rate limits: operations are booked on a timeline, and a thread that is ahead of it sleeps.
//!
//! Sleeping only when at least a millisecond ahead keeps the limiter cheap. Unused time is lost after a tenth of a
//! second, as in RocksDB's limiter: a writer that stalled does not catch up with a burst.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const SLEEP_FROM: u64 = 1_000_000;
const CATCH_UP: u64 = 100_000_000;

/// A limit of units per second; any thread may use it.
pub struct RateLimiter {
    /// An `f64` as bits: the rate may change.
    nanos_per_unit: AtomicU64,
    start: Instant,
    booked: AtomicU64,
}

impl RateLimiter {
    /// Creates a limit that starts now.
    pub fn new(per_second: u64) -> RateLimiter {
        let limiter = RateLimiter {
            nanos_per_unit: AtomicU64::new(0),
            start: Instant::now(),
            booked: AtomicU64::new(0),
        };
        limiter.set_rate(per_second);
        limiter
    }

    /// Sets the rate in units per second from now on.
    pub fn set_rate(&self, per_second: u64) {
        self.nanos_per_unit.store((1e9 / per_second as f64).to_bits(), Ordering::Relaxed);
    }

    /// Seconds since the limit began.
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Books units and sleeps if they are early. Returns whether it slept.
    pub fn request(&self, units: u64) -> bool {
        let now = self.start.elapsed().as_nanos() as u64;
        let cost =
            (units as f64 * f64::from_bits(self.nanos_per_unit.load(Ordering::Relaxed))) as u64;
        let book = |booked: u64| Some(booked.max(now.saturating_sub(CATCH_UP)) + cost);
        let before = match self.booked.fetch_update(Ordering::Relaxed, Ordering::Relaxed, book) {
            Ok(before) | Err(before) => before,
        };
        let ahead = before.saturating_sub(now);
        if ahead < SLEEP_FROM {
            return false;
        }
        std::thread::sleep(Duration::from_nanos(ahead));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_over_many_small_requests() {
        let limiter = RateLimiter::new(100_000);
        let start = Instant::now();
        for _ in 0..5_000 {
            limiter.request(1);
        }
        let seconds = start.elapsed().as_secs_f64();
        assert!(seconds > 0.045, "{seconds}");
    }
}
