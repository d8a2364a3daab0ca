//! Whether the device is full, for the log: it gets a line when writes begin to fail for it, and one when they succeed
//! again.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tracing::{error, info};

/// How long no write may have failed before the device has space again: a small write may fit into a full one.
const QUIET: Duration = Duration::from_secs(2);
/// How long a full device is not reported again.
const SILENCE: Duration = Duration::from_secs(60);

/// What is known of the space of the device.
#[derive(Debug, Default)]
pub(super) struct Space {
    is_full: AtomicBool,
    times: Mutex<Option<Times>>,
}

#[derive(Debug)]
struct Times {
    began: Instant,
    reported: Instant,
    failed: Instant,
}

impl Space {
    /// Notes a write that failed, or succeeded.
    #[inline]
    pub(super) fn note(&self, result: &ferrolith::Result<()>) {
        match result {
            Ok(()) if !self.is_full.load(Ordering::Relaxed) => {}
            Ok(()) => self.note_success(QUIET),
            Err(error) if error.is_no_space() => self.note_failure(error),
            Err(_) => {}
        }
    }

    #[cold]
    fn note_failure(&self, error: &ferrolith::Error) {
        let now = Instant::now();
        let mut times = self.times.lock();
        let new = Times { began: now, reported: now, failed: now };
        let is_new = times.is_none();
        let times = times.get_or_insert(new);
        times.failed = now;
        if is_new || now - times.reported >= SILENCE {
            times.reported = now;
            error!(target: "ferrolith::disk", %error, "the device is full: writes are refused");
        }
        self.is_full.store(true, Ordering::Relaxed);
    }

    #[cold]
    fn note_success(&self, quiet: Duration) {
        // Another thread that holds it does the same.
        let Some(mut held) = self.times.try_lock() else { return };
        if held.as_ref().is_some_and(|times| times.failed.elapsed() < quiet) {
            return;
        }
        self.is_full.store(false, Ordering::Relaxed);
        if let Some(times) = held.take() {
            let seconds = times.began.elapsed().as_secs();
            info!(target: "ferrolith::disk", seconds, "the device has space again: writes succeed");
        }
    }
}
