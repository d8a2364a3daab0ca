//! The latency monitor: the latest times of events that took at least `latency-monitor-threshold`.

use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};

/// The samples of an event that are kept.
const SAMPLES: usize = 160;

/// The longest time of an event in one second.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Sample {
    /// The second, since 1970.
    pub at_s: u64,
    /// The time in milliseconds.
    pub ms: u64,
}

/// The times of one event.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// The latest samples, the oldest first.
    pub samples: VecDeque<Sample>,
    /// The longest time since the last reset, in milliseconds.
    pub max_ms: u64,
}

/// The times of all events.
#[derive(Debug, Default)]
pub struct LatencyMonitor(Mutex<BTreeMap<String, Series>>);

impl LatencyMonitor {
    /// Adds a time of an event.
    pub fn add(&self, event: &str, at_s: u64, ms: u64) {
        let mut events = self.0.lock();
        let series = match events.get_mut(event) {
            Some(series) => series,
            None => events.entry(event.to_owned()).or_default(),
        };
        series.max_ms = series.max_ms.max(ms);
        match series.samples.back_mut() {
            Some(last) if last.at_s == at_s => last.ms = last.ms.max(ms),
            _ => series.samples.push_back(Sample { at_s, ms }),
        }
        if series.samples.len() > SAMPLES {
            series.samples.pop_front();
        }
    }

    /// Returns the times of all events, in the order of their names.
    pub fn all(&self) -> Vec<(String, Series)> {
        self.0.lock().iter().map(|(event, series)| (event.clone(), series.clone())).collect()
    }

    /// Returns the times of an event.
    pub fn series(&self, event: &[u8]) -> Option<Series> {
        self.0.lock().get(std::str::from_utf8(event).ok()?).cloned()
    }

    /// Removes an event. Returns whether it was there.
    pub fn remove(&self, event: &[u8]) -> bool {
        let mut events = self.0.lock();
        let before = events.len();
        events.retain(|name, _| !name.as_bytes().eq_ignore_ascii_case(event));
        events.len() < before
    }

    /// Removes all events. Returns their number.
    pub fn clear(&self) -> usize {
        std::mem::take(&mut *self.0.lock()).len()
    }
}

#[cfg(test)]
#[path = "latency_test.rs"]
mod tests;
