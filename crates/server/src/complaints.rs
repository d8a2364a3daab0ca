//! Errors of tasks that run again and again, printed so that they neither fill the output nor stay unseen.

use std::fmt::Display;

/// How long an error that stays the same is not printed again, in microseconds.
const SILENCE_US: u64 = 60_000_000;

/// The errors of a task. An error is printed when it begins or changes, and then once a minute. Its end is printed,
/// too.
#[derive(Debug)]
pub struct Complaints {
    task: &'static str,
    current: Option<Current>,
}

/// An error that lasts.
#[derive(Debug)]
struct Current {
    text: String,
    begun_us: u64,
    printed_us: u64,
}

impl Complaints {
    /// Returns the errors of a task, of which there is none yet. The name of the task begins each line.
    pub fn new(task: &'static str) -> Complaints {
        Complaints { task, current: None }
    }

    /// Notes how the task ended at this time of the monotonic clock. Returns the line to print, if any.
    pub fn note<E: Display>(&mut self, result: Result<(), E>, now_us: u64) -> Option<String> {
        let Err(error) = result else {
            let seconds = now_us.saturating_sub(self.current.take()?.begun_us) / 1_000_000;
            return Some(format!("{}: works again after {seconds} s", self.task));
        };
        let text = error.to_string();
        let begun_us = match &self.current {
            Some(current) if current.text == text && now_us < current.printed_us + SILENCE_US => {
                return None;
            }
            Some(current) => current.begun_us,
            None => now_us,
        };
        let line = format!("{}: {text}", self.task);
        self.current = Some(Current { text, begun_us, printed_us: now_us });
        Some(line)
    }
}

#[cfg(test)]
#[path = "complaints_test.rs"]
mod tests;
