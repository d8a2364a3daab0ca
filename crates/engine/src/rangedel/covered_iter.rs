//! An iterator that skips entries covered by range tombstones.
//!
//! * **CO1** If it is valid, no tombstone hides the current entry.
//! * **CO2** A fragment of a newer place hides every entry in its range (G1), so the child seeks past it. A fragment of
//!   the child's own place is compared with each entry, since its range may contain both newer and older entries.

use super::cursor::{Cursor, Run};
use crate::base::key::{TRAILER_SIZE, append_internal_key, trailer};
use crate::base::perf::{self, PerfMetric};
use crate::base::{InternalIterator, KeyOrder, SeqNo};
use crate::env::sync::atomic::{AtomicU64, Ordering};
use crate::error::Result;
use std::sync::Arc;

/// The trailer that sorts before all entries of a user key.
const BEFORE_ALL: u64 = u64::MAX;

/// The tombstones that can hide an entry.
pub(super) enum Visibility {
    /// The tombstones that a reader at this sequence number sees.
    Reader(SeqNo),
    /// The tombstones that every reader of the entry sees, since no snapshot separates them from
    /// it.
    Snapshots(Arc<[SeqNo]>),
}

impl Visibility {
    /// The sequence number of the newest tombstone that may hide an entry.
    #[inline]
    fn limit(&self, entry: SeqNo) -> SeqNo {
        match self {
            Visibility::Reader(at) => *at,
            Visibility::Snapshots(snapshots) => {
                let above = snapshots.partition_point(|&s| s < entry);
                snapshots.get(above).copied().unwrap_or(SeqNo::MAX)
            }
        }
    }
}

/// The way in which the child reached its position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastMove {
    /// A seek from anywhere, forward.
    SoughtForward,
    /// A seek from anywhere, backward.
    SoughtBackward,
    Forward,
    Backward,
}

pub(super) struct CoveredIter {
    child: Box<dyn InternalIterator>,
    order: KeyOrder,
    sight: Visibility,
    /// The tombstones of newer places; used only with [`Visibility::Reader`].
    newer: Vec<Cursor>,
    /// The tombstones of the child's place.
    own: Vec<Cursor>,
    /// The internal key of the next seek.
    target: Vec<u8>,
    hidden: Option<Arc<AtomicU64>>,
}

/// Wraps the iterators over places, newest first, so that they skip what `tombstones` delete for a
/// reader at `seq`. The tombstones are listed per place. Places that no tombstone can affect are
/// not wrapped.
pub fn hide_covered(
    order: &KeyOrder,
    seq: SeqNo,
    places: Vec<Box<dyn InternalIterator>>,
    tombstones: &[Vec<Run>],
) -> Vec<Box<dyn InternalIterator>> {
    let cursors = |runs: &[Run]| -> Vec<Cursor> { runs.iter().cloned().map(Cursor::new).collect() };
    let mut newer: Vec<Run> = Vec::new();
    let none = Vec::new();
    let wrap = |(i, child): (usize, Box<dyn InternalIterator>)| {
        let own = tombstones.get(i).unwrap_or(&none);
        let before = cursors(&newer);
        newer.extend(own.iter().cloned());
        if newer.is_empty() {
            return child;
        }
        Box::new(CoveredIter {
            child,
            order: order.clone(),
            sight: Visibility::Reader(seq),
            newer: before,
            own: cursors(own),
            target: Vec::new(),
            hidden: None,
        })
    };
    places.into_iter().enumerate().map(wrap).collect()
}

impl CoveredIter {
    /// An iterator over the input of a job without covered entries; their number is added to
    /// `hidden`.
    pub(super) fn for_job(
        child: Box<dyn InternalIterator>,
        order: &KeyOrder,
        snapshots: Arc<[SeqNo]>,
        tombstones: Run,
        hidden: Arc<AtomicU64>,
    ) -> CoveredIter {
        CoveredIter {
            child,
            order: order.clone(),
            sight: Visibility::Snapshots(snapshots),
            newer: Vec::new(),
            own: vec![Cursor::new(tombstones)],
            target: Vec::new(),
            hidden: Some(hidden),
        }
    }

    /// Moves on until the child is on an entry that is not hidden.
    #[inline]
    fn settle(&mut self, mut came: LastMove) {
        while self.child.valid() {
            let stored = self.child.key();
            let (user_key, entry) = (user_part(stored), trailer(stored) >> 8);
            for cursor in self.newer.iter_mut().chain(&mut self.own) {
                match came {
                    LastMove::Forward => cursor.advance(&self.order, user_key),
                    LastMove::Backward => cursor.retreat(&self.order, user_key),
                    _ => cursor.seek(&self.order, user_key),
                }
            }
            let forward = matches!(came, LastMove::Forward | LastMove::SoughtForward);
            came = if forward { LastMove::Forward } else { LastMove::Backward };
            if leave_newer(
                &mut self.newer,
                &self.order,
                &self.sight,
                user_key,
                forward,
                &mut self.target,
            ) {
                perf::count(PerfMetric::InternalRangeDelReseekCount, 1);
                if forward {
                    self.child.seek(&self.target);
                } else {
                    self.child.seek_for_prev(&self.target);
                }
                continue;
            }
            let limit = self.sight.limit(entry);
            let hides = |cursor: &Cursor| {
                cursor.over(&self.order, user_key).is_some_and(|f| f.newest_at(limit) > entry)
            };
            if !self.own.iter().any(hides) {
                return;
            }
            if let Some(hidden) = &self.hidden {
                hidden.fetch_add(1, Ordering::Relaxed);
            }
            if forward { self.child.next() } else { self.child.prev() }
        }
    }

    /// Whether newer places hide the user key of `target`; if so, `self.target` is set to where the seek must continue.
    fn leaves_before_seek(&mut self, target: &[u8], forward: bool) -> bool {
        if self.newer.is_empty() {
            return false;
        }
        let user_key = user_part(target);
        self.newer.iter_mut().for_each(|cursor| cursor.seek(&self.order, user_key));
        let (newer, order) = (&mut self.newer, &self.order);
        leave_newer(newer, order, &self.sight, user_key, forward, &mut self.target)
    }
}

/// If one of the cursors, which were moved to `user_key`, has a fragment over it that the reader sees, sets `target` to
/// the position after the fragment, or before it in backward iteration.
fn leave_newer(
    newer: &mut [Cursor],
    order: &KeyOrder,
    sight: &Visibility,
    user_key: &[u8],
    forward: bool,
    target: &mut Vec<u8>,
) -> bool {
    let Visibility::Reader(at) = *sight else { return false };
    for cursor in newer {
        let Some(f) = cursor.over(order, user_key) else { continue };
        if f.newest_at(at) == 0 {
            continue;
        }
        set_target(target, if forward { f.end } else { f.begin });
        // Adjacent fragments are skipped together.
        while goes_on(cursor, order, user_part(target), forward, at) {
            let Some(f) = cursor.fragment() else { break };
            set_target(target, if forward { f.end } else { f.begin });
        }
        return true;
    }
    false
}

/// Moves the cursor to its neighbour if that begins where this fragment ends and the reader sees
/// it.
fn goes_on(cursor: &mut Cursor, order: &KeyOrder, edge: &[u8], forward: bool, at: SeqNo) -> bool {
    if !forward {
        return cursor.step_back_if(|f| order.equal_user(f.end, edge) && f.newest_at(at) != 0);
    }
    cursor.step_forward();
    cursor.fragment().is_some_and(|f| order.equal_user(f.begin, edge) && f.newest_at(at) != 0)
}

fn user_part(internal_key: &[u8]) -> &[u8] {
    &internal_key[..internal_key.len().saturating_sub(TRAILER_SIZE)]
}

fn set_target(target: &mut Vec<u8>, user_key: &[u8]) {
    target.clear();
    append_internal_key(target, user_key, BEFORE_ALL);
}

impl InternalIterator for CoveredIter {
    #[inline]
    fn valid(&self) -> bool {
        self.child.valid()
    }

    fn seek_to_first(&mut self) {
        self.child.seek_to_first();
        self.settle(LastMove::SoughtForward);
    }

    fn seek_to_last(&mut self) {
        self.child.seek_to_last();
        self.settle(LastMove::SoughtBackward);
    }

    fn seek(&mut self, target: &[u8]) {
        if self.leaves_before_seek(target, true) {
            self.child.seek(&self.target);
        } else {
            self.child.seek(target);
        }
        self.settle(LastMove::SoughtForward);
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        if self.leaves_before_seek(target, false) {
            self.child.seek_for_prev(&self.target);
        } else {
            self.child.seek_for_prev(target);
        }
        self.settle(LastMove::SoughtBackward);
    }

    fn seek_for_prev_within(&mut self, target: &[u8], lower: &[u8]) {
        if self.leaves_before_seek(target, false) {
            self.child.seek_for_prev_within(&self.target, lower);
        } else {
            self.child.seek_for_prev_within(target, lower);
        }
        self.settle(LastMove::SoughtBackward);
    }

    #[inline]
    fn next(&mut self) {
        self.child.next();
        self.settle(LastMove::Forward);
    }

    #[inline]
    fn prev(&mut self) {
        self.child.prev();
        self.settle(LastMove::Backward);
    }

    #[inline]
    fn key(&self) -> &[u8] {
        self.child.key()
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.child.value()
    }

    fn status(&self) -> Result<()> {
        self.child.status()
    }

    fn skip_to(&mut self, target: &[u8]) {
        self.child.skip_to(target);
        self.settle(LastMove::SoughtForward);
    }
}

#[cfg(test)]
#[path = "covered_iter_test.rs"]
mod tests;
