//! Hits and misses, counted by many threads in different cache lines.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Cells; threads beyond this number share them.
const CELLS: usize = 32;

thread_local! {
    /// The number of the thread's cell, in all tallies.
    static CELL: Cell<Option<usize>> = const { Cell::new(None) };
}

static THREADS: AtomicUsize = AtomicUsize::new(0);

#[repr(align(128))]
#[derive(Debug, Default)]
struct Counts {
    hits: AtomicU64,
    misses: AtomicU64,
}

/// The number of hits and misses.
#[derive(Debug)]
pub(super) struct Tally([Counts; CELLS]);

impl Default for Tally {
    fn default() -> Tally {
        Tally(std::array::from_fn(|_| Counts::default()))
    }
}

impl Tally {
    /// Adds hits and misses.
    #[inline]
    pub(super) fn add(&self, hits: usize, misses: usize) {
        let cell = CELL.get().unwrap_or_else(|| {
            let cell = THREADS.fetch_add(1, Ordering::Relaxed) % CELLS;
            CELL.set(Some(cell));
            cell
        });
        let Some(counts) = self.0.get(cell) else { return };
        if hits > 0 {
            counts.hits.fetch_add(hits as u64, Ordering::Relaxed);
        }
        if misses > 0 {
            counts.misses.fetch_add(misses as u64, Ordering::Relaxed);
        }
    }

    /// Returns all hits.
    pub(super) fn hits(&self) -> u64 {
        self.0.iter().map(|counts| counts.hits.load(Ordering::Relaxed)).sum()
    }

    /// Returns all misses.
    pub(super) fn misses(&self) -> u64 {
        self.0.iter().map(|counts| counts.misses.load(Ordering::Relaxed)).sum()
    }
}
