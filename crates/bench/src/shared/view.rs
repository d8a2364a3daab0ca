//! The live view: what runs now, how fast, and when the phase and the whole suite will end.
//!
//! On a terminal it is a bar with a line below it, redrawn each second. Elsewhere it is a line on standard error every
//! ten seconds.

use super::origin::Origin;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Seconds between lines outside a terminal.
const PAUSE: Duration = Duration::from_secs(10);
/// Steps of a bar.
const STEPS: u64 = 1000;

/// Where the view is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    /// Nowhere.
    Off,
    /// As lines.
    Lines,
    /// As a bar.
    Terminal,
}

impl Screen {
    /// Returns the screen of this process, or `Off` if it should be quiet.
    pub fn of(quiet: bool) -> Screen {
        match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Screen::Off,
            (false, true) => Screen::Terminal,
            (false, false) => Screen::Lines,
        }
    }
}

/// How long a phase takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    /// Seconds of warm-up, at most.
    pub warm_up_seconds: f64,
    /// Seconds of the measured part, if it ends after a time.
    pub seconds: Option<f64>,
    /// Its operations, if it ends after a number of them.
    pub operations: Option<u64>,
    /// Seconds that later phases of the suite take, if that is known.
    pub later_seconds: Option<f64>,
}

/// The state of a phase at one time.
pub struct Sample {
    /// Nothing counts yet.
    pub warm_up: bool,
    /// Seconds since the warm-up or the measured part began.
    pub seconds: f64,
    /// Operations since then.
    pub done: u64,
    /// Operations per second of the last window.
    pub per_second: f64,
    /// Their 99th percentile in microseconds.
    pub p99_us: Option<f64>,
    /// Files of the levels.
    pub levels: Option<String>,
    /// Resident bytes.
    pub resident: u64,
}

impl Size {
    /// Returns the part of the phase that is done, and the seconds that it still takes.
    fn progress(&self, sample: &Sample) -> (Option<f64>, Option<f64>) {
        let per_second = sample.done as f64 / sample.seconds.max(1e-9);
        let of_operations = self.operations.filter(|_| per_second > 0.0);
        let by_operations = of_operations.map(|all| all as f64 / per_second);
        let measured = match (self.seconds, by_operations) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        if sample.warm_up {
            let left = (self.warm_up_seconds - sample.seconds).max(0.0);
            return (Some(0.0), measured.map(|measured| measured + left));
        }
        let left = measured.map(|measured| (measured - sample.seconds).max(0.0));
        (measured.map(|measured| (sample.seconds / measured.max(1e-9)).min(1.0)), left)
    }
}

/// The view of one phase.
pub struct View {
    screen: Screen,
    name: String,
    size: Size,
    bar: Option<ProgressBar>,
    next: Instant,
}

impl View {
    /// Begins the view of a phase.
    pub fn new(screen: Screen, name: &str, size: Size) -> View {
        let bar = (screen == Screen::Terminal).then(|| {
            let template = "{prefix} [{bar:32}] {percent:>3} % {elapsed} {msg}";
            let style = ProgressStyle::with_template(template);
            let style =
                style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ");
            ProgressBar::new(STEPS).with_style(style).with_prefix(name.to_owned())
        });
        View { screen, name: name.to_owned(), size, bar, next: Instant::now() + PAUSE }
    }

    /// Shows a sample.
    pub fn show(&mut self, sample: &Sample) {
        let origin = Origin::get();
        let (part, left) = self.size.progress(sample);
        let eta = left.map_or_else(|| "unknown".to_owned(), duration);
        let suite = self
            .suite_seconds(left, origin)
            .map(|seconds| format!("whole suite {}", duration(seconds)));
        let figures = figures(sample);
        match &self.bar {
            Some(bar) => {
                bar.set_position((part.unwrap_or(0.0) * STEPS as f64) as u64);
                let place = [origin.part.clone(), suite].into_iter().flatten().collect::<Vec<_>>();
                let place = if place.is_empty() {
                    String::new()
                } else {
                    format!("   {}", place.join(", "))
                };
                bar.set_message(format!("ETA {eta}\n  {figures}{place}"));
            }
            None if self.screen == Screen::Lines && Instant::now() >= self.next => {
                self.next += PAUSE;
                let suite = suite.map_or_else(String::new, |suite| format!(", {suite}"));
                eprintln!(
                    "{}: {}, {figures}, ETA {eta}{suite}",
                    self.name,
                    duration(sample.seconds)
                );
            }
            None => {}
        }
    }

    /// Returns the seconds that the whole suite still takes, if this phase is a part of one.
    fn suite_seconds(&self, left: Option<f64>, origin: &Origin) -> Option<f64> {
        let later = match (self.size.later_seconds, origin.later_seconds) {
            (None, None) => return None,
            (a, b) => a.unwrap_or(0.0) + b.unwrap_or(0.0),
        };
        Some(left? + later)
    }

    /// Removes the bar.
    pub fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// Returns the figures of a sample.
fn figures(sample: &Sample) -> String {
    let mut text = if sample.warm_up { "warm-up, ".to_owned() } else { String::new() };
    text += &format!("{:.0} ops/s", sample.per_second);
    if let Some(p99) = sample.p99_us {
        text += &format!(", P99 {p99:.1} us");
    }
    if let Some(levels) = &sample.levels {
        text += &format!(", files {levels}");
    }
    text + &format!(", {:.0} MB resident", sample.resident as f64 / 1e6)
}

/// Returns seconds as `3 s`, `2:03 min` or `1:02:03 h`.
pub fn duration(seconds: f64) -> String {
    let all = seconds.round() as u64;
    match (all / 3600, all / 60 % 60, all % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m}:{s:02} min"),
        (h, m, s) => format!("{h}:{m:02}:{s:02} h"),
    }
}

#[cfg(test)]
#[path = "view_test.rs"]
mod tests;
