//! The warm-up of a measured phase: a number of seconds, or until the throughput is steady.
//!
//! The throughput is steady when each of the last five windows of one second is within a tenth of their mean. A longer
//! window would wait for compactions that come and go for as long as a phase runs; a shorter one would take chance for
//! steadiness. The warm-up ends after a number of seconds in any case, and the results say which it was.

use super::meters::Meters;
use crate::target::Result;
use clap::{Arg, ArgMatches};
use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

/// Windows that must agree.
const WINDOWS: usize = 5;
/// How far each may be from their mean, as a fraction of it.
const TOLERANCE: f64 = 0.1;
/// The length of a window.
const WINDOW: Duration = Duration::from_secs(1);
/// The longest warm-up, in seconds, unless the user says otherwise.
const MOST: u64 = 60;
/// The pause between two looks at whether the phase has ended.
const PAUSE: Duration = Duration::from_millis(20);

/// How a phase begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WarmUp {
    /// It is measured at once.
    #[default]
    None,
    /// After this many seconds.
    Seconds(u64),
    /// When the throughput is steady, or after this many seconds.
    Auto(u64),
}

/// Returns the argument `--warm-up` of a suite.
pub fn argument(help: &'static str) -> Arg {
    Arg::new("warm-up").long("warm-up").value_name("SECONDS|auto[:MOST]").help(help)
}

impl WarmUp {
    /// Returns the warm-up that [`argument`] names; none if it is not given.
    ///
    /// # Errors
    /// As [`WarmUp::parse`].
    pub fn of(args: &ArgMatches) -> Result<WarmUp> {
        args.get_one::<String>("warm-up").map_or(Ok(WarmUp::None), |text| WarmUp::parse(text))
    }

    /// Parses seconds, `auto`, or `auto:` and the most seconds.
    ///
    /// # Errors
    /// Anything else; the error names what was expected.
    pub fn parse(text: &str) -> Result<WarmUp> {
        let most = match text.split_once(':') {
            Some(("auto", most)) => most.parse().ok(),
            _ if text == "auto" => Some(MOST),
            _ => None,
        };
        match (most, text.parse()) {
            (Some(most), _) if most > WINDOWS as u64 => Ok(WarmUp::Auto(most)),
            (None, Ok(0)) => Ok(WarmUp::None),
            (None, Ok(seconds)) => Ok(WarmUp::Seconds(seconds)),
            _ => Err(format!(
                "warm-up {text}: expected seconds, auto, or auto: and the most seconds, more than {WINDOWS}"
            )),
        }
    }

    /// Returns the flag of db_bench that stands for it, if there is one.
    pub fn flag(self) -> Option<String> {
        (self != WarmUp::None).then(|| format!("--warm_up={self}"))
    }

    /// Returns the most seconds that it takes.
    pub fn most_seconds(self) -> u64 {
        match self {
            WarmUp::None => 0,
            WarmUp::Seconds(seconds) | WarmUp::Auto(seconds) => seconds,
        }
    }

    /// Waits for the end of the warm-up of threads with these meters, or until `is_over`. Returns whether the
    /// throughput was found to be steady.
    pub fn wait(self, meters: &Meters, is_over: impl Fn() -> bool) -> bool {
        let end = Instant::now() + Duration::from_secs(self.most_seconds());
        let mut steady = Steady::default();
        let mut last = (Instant::now(), meters.operations());
        while !is_over() {
            let now = Instant::now();
            let elapsed = now - last.0;
            if elapsed >= WINDOW && matches!(self, WarmUp::Auto(_)) {
                let done = meters.operations();
                if steady.add((done - last.1) as f64 / elapsed.as_secs_f64()) {
                    return true;
                }
                last = (now, done);
            }
            let left = end.saturating_duration_since(now);
            if left.is_zero() {
                return false;
            }
            std::thread::sleep(left.min(PAUSE));
        }
        false
    }
}

impl fmt::Display for WarmUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WarmUp::Auto(most) => write!(f, "auto:{most}"),
            other => write!(f, "{}", other.most_seconds()),
        }
    }
}

/// The last windows.
#[derive(Default)]
struct Steady(VecDeque<f64>);

impl Steady {
    /// Adds the throughput of a window. Returns whether the last windows agree.
    fn add(&mut self, rate: f64) -> bool {
        self.0.push_back(rate);
        if self.0.len() > WINDOWS {
            self.0.pop_front();
        }
        let mean = self.0.iter().sum::<f64>() / self.0.len() as f64;
        let agrees = |rate: &f64| (rate - mean).abs() <= TOLERANCE * mean;
        self.0.len() == WINDOWS && mean > 0.0 && self.0.iter().all(agrees)
    }
}

#[cfg(test)]
#[path = "warm_up_test.rs"]
mod tests;
