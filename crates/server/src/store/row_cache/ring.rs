//! The places of a ring's entries: which words are free, and which entry is the oldest.
//!
//! ```text
//! start .. head     entries of this lap
//! head .. clean     free
//! clean .. before   entries of the lap before, the oldest first
//! before .. end     free, once the entries before are gone
//! ```

use parking_lot::{Mutex, MutexGuard};
use std::ops::Range;

/// A ring behind a lock, in cache lines of its own.
#[repr(align(128))]
pub(super) struct Shard(Mutex<Ring>);

impl Shard {
    /// Returns an empty ring of these words.
    pub(super) fn new(words: Range<usize>) -> Shard {
        Shard(Mutex::new(Ring::new(words)))
    }

    /// Waits for the ring.
    pub(super) fn lock(&self) -> MutexGuard<'_, Ring> {
        self.0.lock()
    }
}

/// A ring. All positions are numbers of words.
#[derive(Debug)]
pub(super) struct Ring {
    words: Range<usize>,
    head: usize,
    clean: usize,
    before: usize,
    /// The most words from the start that ever had entries.
    used: usize,
}

impl Ring {
    fn new(words: Range<usize>) -> Ring {
        let start = words.start;
        Ring { words, head: start, clean: start, before: start, used: 0 }
    }

    /// Returns the words that ever had entries.
    pub(super) fn used(&self) -> usize {
        self.used.max(self.head - self.words.start)
    }

    /// Takes free words; `None` if too few are free at the head.
    pub(super) fn take(&mut self, words: usize) -> Option<usize> {
        let place = self.head;
        if self.clean - place < words {
            return None;
        }
        self.head += words;
        Some(place)
    }

    /// Returns the place of the oldest entry, if it must make room; `None` if the lap before has no entry left.
    pub(super) fn oldest(&self) -> Option<usize> {
        (self.clean < self.before).then_some(self.clean)
    }

    /// Frees the words of the oldest entry.
    pub(super) fn drop_oldest(&mut self, words: usize) {
        // An entry has words; a step of none would never end.
        self.clean = (self.clean + words.max(1)).min(self.words.end);
    }

    /// Returns the place to which the oldest entry moves before it is dropped.
    pub(super) fn keep(&mut self, words: usize) -> usize {
        let place = self.head;
        self.head += words;
        place
    }

    /// Frees the words behind the lap before, or begins a lap. `None` if the ring is smaller than an entry.
    pub(super) fn go_on(&mut self, words: usize) -> Option<()> {
        if words > self.words.len() {
            return None;
        }
        if self.clean < self.words.end && self.words.end - self.head >= words {
            self.clean = self.words.end;
        } else {
            self.used = self.used();
            (self.before, self.head, self.clean) = (self.head, self.words.start, self.words.start);
        }
        Some(())
    }
}
