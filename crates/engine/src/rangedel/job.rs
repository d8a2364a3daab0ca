//! The tombstones of one flush or compaction: the entries that they drop, the tombstones that are written again, and
//! the output tables that receive them.
//!
//! * **J1** An entry is dropped if every reader that sees it also sees a tombstone over it.
//! * **J2** Of the tombstones between two snapshots only the newest is written.
//! * **J3** A tombstone is not written if every reader sees it and no older entries of its keys exist outside the job:
//!   J1 has dropped everything that it hides.
//! * **J4** Consecutive output tables divide the range between the job's bounds without gaps: each gets the tombstones
//!   from the end of the previous table to the beginning of the next one (G2).

use super::covered_iter::CoveredIter;
use super::cursor::Run;
use super::fragments::Fragments;
use crate::base::{InternalIterator, KeyOrder, SeqNo};
use crate::env::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// All tombstones of the inputs of a job.
#[derive(Clone)]
pub struct JobTombstones {
    fragments: Arc<Fragments>,
    snapshots: Arc<[SeqNo]>,
    hidden: Arc<AtomicU64>,
}

impl JobTombstones {
    /// The tombstones of these inputs; `None` if there are none. Snapshots must ascend.
    pub fn new(
        order: &KeyOrder,
        inputs: &[Arc<Fragments>],
        snapshots: &[SeqNo],
    ) -> Option<JobTombstones> {
        let all = inputs.iter().flat_map(|input| input.tombstones());
        let fragments = Fragments::for_snapshots(order, all, snapshots);
        if fragments.is_empty() {
            return None;
        }
        Some(JobTombstones {
            fragments: Arc::new(fragments),
            snapshots: snapshots.into(),
            hidden: Arc::new(AtomicU64::new(0)),
        })
    }

    /// The input without the entries that J1 drops.
    pub fn hide(
        &self,
        order: &KeyOrder,
        input: Box<dyn InternalIterator>,
    ) -> Box<dyn InternalIterator> {
        let run = Run::new([Arc::clone(&self.fragments)]);
        let (snapshots, hidden) = (Arc::clone(&self.snapshots), Arc::clone(&self.hidden));
        Box::new(CoveredIter::for_job(input, order, snapshots, run, hidden))
    }

    /// The number of entries that J1 has dropped so far.
    pub fn num_hidden(&self) -> u64 {
        self.hidden.load(Ordering::Relaxed)
    }

    /// The tombstones to write between the bounds of a job; `None` is unbounded. `is_last` returns
    /// for a range whether nothing older than the job's inputs is in it.
    pub fn to_write(
        &self,
        lower: Option<&[u8]>,
        upper: Option<&[u8]>,
        mut is_last: impl FnMut(&[u8], &[u8]) -> bool,
    ) -> OutputTombstones {
        let oldest_reader = self.snapshots.first().copied().unwrap_or(SeqNo::MAX);
        let mut dropped = 0;
        let fragments = self.fragments.filtered(lower, upper, |f, seq| {
            let obsolete = seq <= oldest_reader && is_last(f.begin, f.end);
            dropped += u64::from(obsolete);
            !obsolete
        });
        let lower = lower.map(<[u8]>::to_vec);
        OutputTombstones { fragments, lower, next: 0, waiting_bytes: 0, dropped }
    }
}

/// Tombstones to be written to consecutive tables (J4).
#[derive(Debug)]
pub struct OutputTombstones {
    fragments: Fragments,
    /// The tombstones before this key were returned already.
    lower: Option<Vec<u8>>,
    /// The first fragment that [`OutputTombstones::pass`] has not passed.
    next: usize,
    waiting_bytes: u64,
    dropped: u64,
}

impl OutputTombstones {
    /// The number of tombstones that J3 drops.
    pub fn num_dropped(&self) -> u64 {
        self.dropped
    }

    /// The beginning of the next fragment that [`OutputTombstones::pass`] has not passed.
    pub fn next_begin(&self) -> Option<&[u8]> {
        self.fragments.get(self.next).map(|f| f.begin)
    }

    /// Records that the current output table will contain the next fragment, or a part of it.
    pub fn pass(&mut self) {
        if let Some(f) = self.fragments.get(self.next) {
            let keys = (f.begin.len() + f.end.len() + 16) * f.seqs.len();
            self.waiting_bytes += keys as u64;
            self.next += 1;
        }
    }

    /// The approximate number of bytes that wait for the current output table.
    pub fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes
    }

    /// Returns the tombstones of the table that ends before `upper`; `None` is the last table.
    pub fn take(&mut self, upper: Option<&[u8]>) -> Fragments {
        let taken = self.fragments.clipped(self.lower.as_deref(), upper);
        self.waiting_bytes = 0;
        self.lower = upper.map(<[u8]>::to_vec);
        taken
    }
}

#[cfg(test)]
#[path = "job_test.rs"]
mod tests;
