//! The clocks: the only file of the engine that reads the time and sleeps.
//!
//! [`Instant`] is the monotonic clock, [`since_1970`] the wall clock. The type is the engine's own, so that a time of
//! `std` cannot be mixed in. In a normal build, every function is an inlined call of `std`. In unit tests, a
//! `ManualClock` may replace both clocks for a thread and for the threads that it starts through
//! [`threads`](super::threads): its time passes only when a thread sleeps, waits with a timeout, or advances it.

use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::time::{Duration, SystemTime};

#[cfg(test)]
pub(crate) use manual::ManualClock;

/// A point in time on the monotonic clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Instant(std::time::Instant);

impl Instant {
    /// The current time.
    #[inline]
    pub fn now() -> Instant {
        #[cfg(test)]
        if let Some(now) = manual::monotonic() {
            return Instant(now);
        }
        Instant(std::time::Instant::now())
    }

    /// The time that has passed since this point in time.
    #[inline]
    pub fn elapsed(self) -> Duration {
        Instant::now().duration_since(self)
    }

    /// The time from `earlier` to this point in time; zero if `earlier` is not earlier.
    #[inline]
    pub fn duration_since(self, earlier: Instant) -> Duration {
        self.0.saturating_duration_since(earlier.0)
    }

    /// The point in time earlier by `by`, if the clock can represent it.
    #[cfg(test)]
    pub fn checked_sub(self, by: Duration) -> Option<Instant> {
        self.0.checked_sub(by).map(Instant)
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    #[inline]
    fn add(self, by: Duration) -> Instant {
        Instant(self.0 + by)
    }
}

impl AddAssign<Duration> for Instant {
    #[inline]
    fn add_assign(&mut self, by: Duration) {
        self.0 += by;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    #[inline]
    fn sub(self, by: Duration) -> Instant {
        Instant(self.0 - by)
    }
}

impl SubAssign<Duration> for Instant {
    #[inline]
    fn sub_assign(&mut self, by: Duration) {
        self.0 -= by;
    }
}

impl Sub for Instant {
    type Output = Duration;

    #[inline]
    fn sub(self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }
}

/// The wall clock: the time since the beginning of 1970, zero if the clock is set to an earlier time.
#[inline]
pub fn since_1970() -> Duration {
    #[cfg(test)]
    if let Some(now) = manual::wall() {
        return now;
    }
    of_file(SystemTime::now())
}

/// The same for a time from a file system.
#[inline]
pub fn of_file(time: SystemTime) -> Duration {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// Blocks this thread for `time`.
#[inline]
pub fn sleep(time: Duration) {
    #[cfg(test)]
    if manual::pass(time) {
        return;
    }
    std::thread::sleep(time);
}

#[cfg(test)]
pub(super) mod manual {
    use std::cell::RefCell;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::{Duration, Instant};

    thread_local!(static CLOCK: RefCell<Option<Arc<Clock>>> = const { RefCell::new(None) });

    pub(in crate::env) struct Clock {
        began: Instant,
        began_wall: Duration,
        passed_ns: AtomicU64,
    }

    /// Stops time on this thread, and on threads that it starts, until the clock is dropped: time passes only when
    /// tests advance it.
    pub(crate) struct ManualClock(Arc<Clock>);

    impl ManualClock {
        /// Stops the clocks at the current time.
        pub(crate) fn start() -> ManualClock {
            let began_wall = super::since_1970();
            let passed_ns = AtomicU64::new(0);
            let clock = Arc::new(Clock { began: Instant::now(), began_wall, passed_ns });
            inherit(Some(Arc::clone(&clock)));
            ManualClock(clock)
        }

        /// Advances the time by `by`.
        pub(crate) fn advance(&self, by: Duration) {
            self.0.advance(by);
        }

        /// The time that has passed since the start.
        pub(crate) fn passed(&self) -> Duration {
            self.0.passed()
        }
    }

    impl Drop for ManualClock {
        fn drop(&mut self) {
            inherit(None);
        }
    }

    impl Clock {
        fn advance(&self, by: Duration) {
            self.passed_ns.fetch_add(by.as_nanos() as u64, Ordering::SeqCst);
        }

        fn passed(&self) -> Duration {
            Duration::from_nanos(self.passed_ns.load(Ordering::SeqCst))
        }
    }

    /// The clock of this thread, for threads that it starts. A thread whose thread-locals are destroyed has none.
    pub(in crate::env) fn current() -> Option<Arc<Clock>> {
        CLOCK.try_with(|clock| clock.borrow().clone()).ok().flatten()
    }

    /// Sets this thread's clock.
    pub(in crate::env) fn inherit(clock: Option<Arc<Clock>>) {
        let _ = CLOCK.try_with(|own| *own.borrow_mut() = clock);
    }

    pub(super) fn monotonic() -> Option<Instant> {
        current().map(|clock| clock.began + clock.passed())
    }

    pub(super) fn wall() -> Option<Duration> {
        current().map(|clock| clock.began_wall + clock.passed())
    }

    /// Advances a manual clock instead of waiting; returns false if there is none.
    pub(super) fn pass(time: Duration) -> bool {
        let Some(clock) = current() else { return false };
        clock.advance(time);
        std::thread::yield_now();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::sync::{Condvar, Mutex};
    use crate::env::threads;

    #[test]
    fn manual_time_passes_only_by_sleeping_waiting_and_advancing() {
        let clock = ManualClock::start();
        let (start, wall) = (Instant::now(), since_1970());
        assert_eq!(start.elapsed(), Duration::ZERO);
        sleep(Duration::from_secs(3600));
        clock.advance(Duration::from_secs(1));
        let child = threads::spawn("child", || sleep(Duration::from_secs(2)));
        child.unwrap().join().unwrap();
        let (lock, changed) = (Mutex::new(()), Condvar::new());
        assert!(changed.wait_for(&mut lock.lock(), Duration::from_secs(7)), "timed out");
        assert_eq!(start.elapsed(), Duration::from_secs(3610));
        assert_eq!(since_1970() - wall, Duration::from_secs(3610));
        assert_eq!(clock.passed(), Duration::from_secs(3610));
        drop(clock);
        assert!(start.elapsed() < Duration::from_secs(3610), "the real clock again");
    }

    #[test]
    fn a_moment_before_is_no_negative_time() {
        let now = Instant::now();
        assert_eq!(now - (now + Duration::from_secs(1)), Duration::ZERO);
        assert_eq!(of_file(SystemTime::UNIX_EPOCH - Duration::from_secs(1)), Duration::ZERO);
    }
}
