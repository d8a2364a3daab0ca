//! The wall clock and the monotonic clock. The server takes time only from here, so that tests can set it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A source of time.
pub trait Clock: Send + Sync + 'static {
    /// Returns the wall time in microseconds since 1970. It may step backwards.
    fn wall_us(&self) -> u64;

    /// Returns microseconds since an arbitrary moment. It never steps backwards.
    fn monotonic_us(&self) -> u64;

    /// Returns the wall time in milliseconds since 1970.
    fn wall_ms(&self) -> u64 {
        self.wall_us() / 1000
    }
}

/// The clocks of the operating system.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// Returns the system's clocks; monotonic time starts now.
    #[expect(clippy::new_without_default, reason = "the moment of creation matters")]
    pub fn new() -> SystemClock {
        SystemClock { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn wall_us(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_micros() as u64)
    }

    fn monotonic_us(&self) -> u64 {
        self.start.elapsed().as_micros() as u64
    }
}

/// A clock that stands still until a test moves it.
#[derive(Debug, Default)]
pub struct ManualClock {
    us: AtomicU64,
}

impl ManualClock {
    /// Returns a clock that shows this wall time.
    pub fn new(wall_ms: u64) -> ManualClock {
        ManualClock { us: AtomicU64::new(wall_ms * 1000) }
    }

    /// Moves both clocks forwards.
    pub fn advance_ms(&self, ms: u64) {
        self.us.fetch_add(ms * 1000, Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn wall_us(&self) -> u64 {
        self.us.load(Ordering::Relaxed)
    }

    fn monotonic_us(&self) -> u64 {
        self.us.load(Ordering::Relaxed)
    }
}
