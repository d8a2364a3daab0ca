//! Retries of failed background work.
//!
//! A failure is followed by a wait that doubles with each further failure, up to a limit. The limit is low for failures
//! that stop writers, so that writers resume soon after the cause is gone. A compaction that found no room stops no
//! writer, and another attempt would fill the device again. It waits longer, unless room appears before then.
//! Directories may be on different devices, so each has its own wait.

use crate::env::clock::Instant;
use crate::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Exponential waits after consecutive failures.
#[derive(Debug)]
pub(crate) struct Backoff {
    first: Duration,
    longest: Duration,
    failures: u32,
    until: Option<Instant>,
}

impl Backoff {
    const fn new(first: Duration, longest: Duration) -> Backoff {
        Backoff { first, longest, failures: 0, until: None }
    }

    /// Notes another failure.
    pub(crate) fn failed(&mut self, now: Instant) {
        let wait = self.first.saturating_mul(1 << self.failures.min(20)).min(self.longest);
        self.failures += 1;
        self.until = Some(now + wait);
    }

    /// Notes a success, which ends the wait.
    pub(crate) fn succeeded(&mut self) {
        self.failures = 0;
        self.until = None;
    }

    /// Ends the wait, because a retry was requested.
    pub(crate) fn try_now(&mut self) {
        self.until = None;
    }

    /// Returns whether an attempt may be made now.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.until.is_none_or(|until| now >= until)
    }

    /// Returns how long an idle thread may sleep that otherwise sleeps for `idle`.
    pub(crate) fn sleep(&self, now: Instant, idle: Duration) -> Duration {
        match self.until {
            Some(until) if until > now => idle.min(until - now),
            _ => idle,
        }
    }
}

/// A directory in which compactions found no room.
#[derive(Debug)]
struct Shortage {
    dir: PathBuf,
    /// The input bytes of the smallest of these compactions, which is about the size of its output.
    needed: u64,
    /// The free space after the last of them had removed its tables; `None` if unknown.
    free_after: Option<u64>,
    /// The free space at the last check.
    free: Option<u64>,
    error: Error,
    backoff: Backoff,
}

impl Shortage {
    /// Returns whether there is room for a compaction that writes `bytes`. A compaction that failed with the same free
    /// space would fail again; this happens where the limit is a quota, which cannot be queried.
    fn has_room(&self, bytes: u64) -> bool {
        let Some(free) = self.free else { return false };
        free >= bytes && (bytes < self.needed || self.free_after.is_some_and(|then| free > then))
    }
}

/// The failed work that waits for its next attempt.
#[derive(Debug)]
pub(crate) struct Retries {
    /// Flushes, and background switches of memtables.
    pub(crate) flushes: Backoff,
    /// Compactions that failed for a reason other than lack of room.
    pub(crate) compactions: Backoff,
    shortages: Vec<Shortage>,
    sampled: Option<Instant>,
}

impl Retries {
    /// The interval between checks of the free space.
    pub(crate) const SAMPLE_EVERY: Duration = Duration::from_millis(500);

    pub(crate) const fn new() -> Retries {
        let (first, longest) = (Duration::from_millis(250), Duration::from_secs(2));
        Retries {
            flushes: Backoff::new(first, longest),
            compactions: Backoff::new(first, longest),
            shortages: Vec::new(),
            sampled: None,
        }
    }

    /// Notes that a compaction with an input of this many `bytes` found no room in `dir`, where `free` bytes are free.
    pub(crate) fn no_room(
        &mut self,
        dir: &Path,
        bytes: u64,
        free: Option<u64>,
        error: &Error,
        now: Instant,
    ) {
        let at = self.shortages.iter().position(|s| s.dir == dir).unwrap_or_else(|| {
            self.shortages.push(Shortage {
                dir: dir.to_owned(),
                needed: bytes,
                free_after: None,
                free: None,
                error: error.clone(),
                backoff: Backoff::new(Duration::from_secs(1), Duration::from_secs(300)),
            });
            self.shortages.len() - 1
        });
        let shortage = &mut self.shortages[at];
        shortage.needed = shortage.needed.min(bytes);
        (shortage.free_after, shortage.free) = (free, free);
        shortage.error = error.clone();
        shortage.backoff.failed(now);
    }

    /// Returns whether a compaction into `dir` with an input of `bytes` should be attempted: either there is room, or
    /// it is time to find out.
    pub(crate) fn may_compact(&mut self, dir: &Path, bytes: u64, now: Instant) -> bool {
        let Some(shortage) = self.shortages.iter_mut().find(|s| s.dir == dir) else { return true };
        if shortage.has_room(bytes) {
            return true;
        }
        let due = shortage.backoff.is_due(now);
        if due {
            // Only one compaction at a time probes for room. Its failure sets the time of the next probe.
            shortage.backoff.until = Some(now + shortage.backoff.longest);
        }
        due
    }

    /// Notes that a compaction into `dir` succeeded. Returns the error that this ends.
    pub(crate) fn found_room(&mut self, dir: &Path, bytes: u64) -> Option<Error> {
        let ended = |s: &Shortage| s.dir == dir && bytes >= s.needed;
        let at = self.shortages.iter().position(ended)?;
        Some(self.shortages.swap_remove(at).error)
    }

    /// Returns the error of compactions that wait for room, if there are any.
    pub(crate) fn shortage(&self) -> Option<&Error> {
        self.shortages.first().map(|shortage| &shortage.error)
    }

    /// Makes all work due now.
    pub(crate) fn try_now(&mut self) {
        self.flushes.try_now();
        self.compactions.try_now();
        self.shortages.iter_mut().for_each(|shortage| shortage.backoff.try_now());
    }

    /// Returns the directories whose free space should be checked now.
    pub(crate) fn dirs_to_sample(&mut self, now: Instant) -> Vec<PathBuf> {
        let recent = |at: Instant| now.duration_since(at) < Retries::SAMPLE_EVERY;
        if self.shortages.is_empty() || self.sampled.is_some_and(recent) {
            return Vec::new();
        }
        self.sampled = Some(now);
        self.shortages.iter().map(|shortage| shortage.dir.clone()).collect()
    }

    /// Notes the free space in `dir`.
    pub(crate) fn note_free(&mut self, dir: &Path, free: Option<u64>) {
        for shortage in self.shortages.iter_mut().filter(|s| s.dir == dir) {
            shortage.free = free;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    #[test]
    fn waits_double_up_to_a_limit() {
        let mut backoff = Backoff::new(Duration::from_millis(250), Duration::from_secs(2));
        let now = Instant::now();
        let idle = Duration::from_secs(60);
        assert!(backoff.is_due(now));
        let waits = [250, 500, 1000, 2000, 2000].map(Duration::from_millis);
        for wait in waits {
            backoff.failed(now);
            assert_eq!(backoff.sleep(now, idle), wait);
            assert!(!backoff.is_due(now) && backoff.is_due(now + wait));
        }
        (0..100).for_each(|_| backoff.failed(now));
        assert_eq!(backoff.sleep(now, idle), waits[4]);
        backoff.try_now();
        assert!(backoff.is_due(now));
        backoff.succeeded();
        backoff.failed(now);
        assert_eq!(backoff.sleep(now, idle), waits[0]);
    }

    #[test]
    fn a_compaction_waits_for_room_or_for_its_time() {
        let mut retries = Retries::new();
        let (a, b) = (Path::new("/a"), Path::new("/b"));
        let (now, second) = (Instant::now(), Duration::from_secs(1));
        let full = Error::new(Code::IOError, "full");
        retries.no_room(a, 100, Some(60), &full, now);
        assert!(retries.may_compact(b, 1000, now), "another directory");
        assert!(!retries.may_compact(a, 100, now));
        assert!(retries.may_compact(a, 50, now), "a smaller one fits");
        assert_eq!(retries.dirs_to_sample(now), [a]);
        assert!(retries.dirs_to_sample(now).is_empty(), "just looked");
        retries.note_free(a, Some(99));
        assert!(!retries.may_compact(a, 100, now));
        retries.note_free(a, Some(100));
        assert!(retries.may_compact(a, 100, now), "there is room");
        assert!(retries.found_room(a, 50).is_none() && retries.shortage().is_some());
        assert!(retries.found_room(a, 100).is_some() && retries.shortage().is_none());

        // The free space is no indication here: the limit is a quota, or the error was injected.
        retries.no_room(a, 100, Some(1 << 40), &full, now);
        assert!(!retries.may_compact(a, 100, now));
        assert!(retries.may_compact(a, 100, now + second), "it is time");
        assert!(!retries.may_compact(a, 100, now + second), "for one");
        retries.no_room(a, 100, Some(1 << 40), &full, now + second);
        assert!(!retries.may_compact(a, 100, now + 2 * second));
        assert!(retries.may_compact(a, 100, now + 3 * second));
        retries.try_now();
        assert!(retries.may_compact(a, 100, now + 3 * second), "a user asked");
    }
}
