//! The pace of a thread with a target rate.
//!
//! A thread that is behind does not wait until it has caught up, so a stall is followed by a burst.

use std::time::{Duration, Instant};

/// The times at which a thread's operations should begin.
pub struct Schedule {
    next: Option<Instant>,
    step: Duration,
}

impl Schedule {
    /// Returns the schedule of thread `id` of `threads`, which together do `target` operations per second; 0 means
    /// as fast as possible. Threads begin one after the other, so that their operations are spread over a step.
    pub fn new(target: u64, threads: usize, id: usize) -> Schedule {
        if target == 0 {
            return Schedule { next: None, step: Duration::ZERO };
        }
        let step = Duration::from_secs_f64(threads as f64 / target as f64);
        let first = Instant::now() + step.mul_f64(id as f64 / threads as f64);
        Schedule { next: Some(first), step }
    }

    /// Waits for the next operation's time, unless that has passed; returns it.
    pub fn wait(&mut self) -> Option<Instant> {
        let intended = self.next?;
        let ahead = intended.saturating_duration_since(Instant::now());
        if !ahead.is_zero() {
            std::thread::sleep(ahead);
        }
        self.next = Some(intended + self.step);
        Some(intended)
    }
}
