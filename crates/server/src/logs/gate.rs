//! Limits how many lines of a kind the log gets.

use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// Lets some lines of a kind pass in a time, so that neither clients nor slow commands can fill the log.
#[derive(Debug)]
pub struct Gate {
    max: u32,
    time: Duration,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// When the present time began.
    began: Option<Instant>,
    passed: u32,
    skipped: u64,
}

impl Gate {
    /// Returns a gate that lets `max` lines pass in each `time`.
    pub const fn new(max: u32, time: Duration) -> Gate {
        let state = State { began: None, passed: 0, skipped: 0 };
        Gate { max, time, state: Mutex::new(state) }
    }

    /// Returns a gate that lets ten lines pass in a second.
    pub const fn ten_a_second() -> Gate {
        Gate::new(10, Duration::from_secs(1))
    }

    /// Lets a line pass, or returns `None`. Returns the number of lines that were held up before it, if there were any:
    /// an optional field of the line.
    pub fn pass(&self) -> Option<Option<u64>> {
        let mut state = self.state.lock();
        if state.began.is_none_or(|began| began.elapsed() >= self.time) {
            (state.began, state.passed) = (Some(Instant::now()), 0);
        }
        if state.passed >= self.max {
            state.skipped += 1;
            return None;
        }
        state.passed += 1;
        let skipped = std::mem::take(&mut state.skipped);
        Some((skipped > 0).then_some(skipped))
    }
}

#[cfg(test)]
#[path = "gate_test.rs"]
mod tests;
