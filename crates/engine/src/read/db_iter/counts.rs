//! What an iterator with statistics did for its user. Moves are counted here and handed over when the user leaves:
//! a scan would else write to a shared counter per entry.

use crate::env::clock::Instant;
use crate::stats::{HistogramType, Statistics, Ticker};
use std::sync::Arc;

/// A call that moves an iterator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// A seek to a key.
    Seek,
    /// `next`.
    Next,
    /// `prev`.
    Prev,
    /// A seek to the first or the last key, of which no times are kept.
    SeekToEnd,
}

/// How often it was moved, and to how many entries that led.
#[derive(Default)]
struct Moves {
    calls: u64,
    found: u64,
}

/// The counts of one iterator.
pub(super) struct IterCounts {
    stats: Arc<Statistics>,
    /// It has a user, whom it was counted as made for.
    in_use: bool,
    counts: Counts,
}

/// What it did for its present user.
#[derive(Default)]
struct Counts {
    moves: [Moves; 3],
    bytes: u64,
    /// Entries that moves passed over.
    skipped: u64,
    /// Seeks in the middle of moves.
    reseeks: u64,
}

impl IterCounts {
    /// The counts of an iterator that was just made.
    pub(super) fn new(stats: Arc<Statistics>) -> IterCounts {
        let mut counts = IterCounts { stats, in_use: false, counts: Counts::default() };
        counts.begin();
        counts
    }

    /// It has a new user.
    pub(super) fn begin(&mut self) {
        self.end();
        self.in_use = true;
        self.stats.add(Ticker::NoIteratorCreated, 1);
    }

    /// Its user has left: hands the counts over, and is at 0 again.
    pub(super) fn end(&mut self) {
        if !std::mem::take(&mut self.in_use) {
            return;
        }
        let Counts { moves: [seek, next, prev], bytes, skipped, reseeks } =
            std::mem::take(&mut self.counts);
        let mine = self.stats.local();
        for (ticker, n) in [
            (Ticker::NumberDbSeek, seek.calls),
            (Ticker::NumberDbSeekFound, seek.found),
            (Ticker::NumberDbNext, next.calls),
            (Ticker::NumberDbNextFound, next.found),
            (Ticker::NumberDbPrev, prev.calls),
            (Ticker::NumberDbPrevFound, prev.found),
            (Ticker::IterBytesRead, bytes),
            (Ticker::NumberIterSkip, skipped),
            (Ticker::NumberOfReseeksInIteration, reseeks),
            (Ticker::NoIteratorDeleted, 1),
        ] {
            if n != 0 {
                mine.add(ticker, n);
            }
        }
    }

    /// Where it counts.
    pub(super) fn statistics(&self) -> &Statistics {
        &self.stats
    }

    /// Notes a seek that saves many steps within a move.
    pub(super) fn add_reseek(&mut self) {
        self.counts.reseeks += 1;
    }

    /// Notes a call, the bytes of the entry that it found, how many entries it looked at, and when it
    /// began if that was noted.
    pub(super) fn add(
        &mut self,
        call: Call,
        found: Option<u64>,
        looked_at: u64,
        start: Option<Instant>,
    ) {
        self.counts.skipped += looked_at.saturating_sub(u64::from(found.is_some()));
        let moves = match call {
            Call::Seek | Call::SeekToEnd => &mut self.counts.moves[0],
            Call::Next => &mut self.counts.moves[1],
            Call::Prev => &mut self.counts.moves[2],
        };
        moves.calls += 1;
        if let Some(bytes) = found {
            moves.found += 1;
            self.counts.bytes += bytes;
        }
        if let Some(start) = start {
            self.stats.record_since(HistogramType::DbSeek, start);
        }
    }
}

impl Drop for IterCounts {
    fn drop(&mut self) {
        self.end();
    }
}
