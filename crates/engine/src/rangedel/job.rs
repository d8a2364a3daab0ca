//! The tombstones of one flush or compaction: which entries they drop on the way, which of them are
//! written again, and into which of the new tables.
//!
//! * **J1** An entry is dropped if every reader who sees it sees a tombstone over it.
//! * **J2** Of the tombstones between two snapshots only the newest is written.
//! * **J3** A tombstone that every reader sees, over keys of which nothing older is left outside the
//!   job, is not written: J1 has dropped all that it hides.
//! * **J4** Tables that follow one another share the range between the job's bounds without gap: each
//!   gets the tombstones from where the one before ended to where the next begins (G2).

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
    /// The tombstones of these inputs; `None` if there are none. Snapshots ascend.
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

    /// The input without what is dropped by J1.
    pub fn hide(
        &self,
        order: &KeyOrder,
        input: Box<dyn InternalIterator>,
    ) -> Box<dyn InternalIterator> {
        let run = Run::new([Arc::clone(&self.fragments)]);
        let (snapshots, hidden) = (Arc::clone(&self.snapshots), Arc::clone(&self.hidden));
        Box::new(CoveredIter::for_job(input, order, snapshots, run, hidden))
    }

    /// How many entries were dropped by J1 so far.
    pub fn num_hidden(&self) -> u64 {
        self.hidden.load(Ordering::Relaxed)
    }

    /// What is to be written between the bounds of a job; `None` is open. `is_last` says of a range
    /// whether nothing older than the job's inputs is in it.
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

/// Tombstones on their way into a row of tables (J4).
#[derive(Debug)]
pub struct OutputTombstones {
    fragments: Fragments,
    /// What lies before has been handed out.
    lower: Option<Vec<u8>>,
    /// The first fragment that no table was asked about.
    next: usize,
    waiting_bytes: u64,
    dropped: u64,
}

impl OutputTombstones {
    /// How many tombstones are left out by J3.
    pub fn num_dropped(&self) -> u64 {
        self.dropped
    }

    /// Where the next fragment begins that [`OutputTombstones::pass`] has not passed.
    pub fn next_begin(&self) -> Option<&[u8]> {
        self.fragments.get(self.next).map(|f| f.begin)
    }

    /// The table that is being written will have the next fragment, or a part of it.
    pub fn pass(&mut self) {
        if let Some(f) = self.fragments.get(self.next) {
            let keys = (f.begin.len() + f.end.len() + 16) * f.seqs.len();
            self.waiting_bytes += keys as u64;
            self.next += 1;
        }
    }

    /// About how many bytes wait for the table that is being written.
    pub fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes
    }

    /// Hands out what belongs to the table that ends before `upper`; `None` is the last one.
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
