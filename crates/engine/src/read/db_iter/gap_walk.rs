//! Jumps over gaps (`memtable/gaps.rs`), and notes about ranges in which a walk found nothing.
//!
//! A walk is a number of deleted keys, one after the other, within one call of the iterator. It begins at a deleted key
//! and ends before the next visible one, so the iterator has seen every key in between, up to its sequence number.

use super::{BEFORE_ALL, DbIter, set, set_target};
use crate::base::{InternalIterator, ValueType};
use crate::memtable::Gaps;
use crate::options::{ReadOptions, ReadTier};
use std::sync::Arc;

/// The number of entries from which on a walk is noted. A jump costs about as much as a walk through a few dozen.
const NOTED_FROM: u64 = 64;
/// The number of entries after which a walking iterator looks for a gap again.
const LOOK_EVERY: u64 = 32;

/// The current walk.
#[derive(Default)]
pub(super) struct GapWalk {
    /// The family's gaps, and the content number of the iterator's super-version. `None` if gaps do not concern it.
    gaps: Option<(Arc<Gaps>, u64)>,
    /// Whether the read options allow jumps.
    is_allowed: bool,
    is_walking: bool,
    /// The first key of the walk, or the end of the gap that it continues.
    start: Vec<u8>,
    /// The number of entries that the call had examined when the walk began.
    from: u64,
    /// The number of examined entries from which on the iterator looks for a gap.
    next_look: u64,
}

impl GapWalk {
    /// Sets the gaps of the family, for an iterator over a super-version with this content.
    pub(super) fn set_gaps(&mut self, gaps: Arc<Gaps>, content: u64) {
        self.gaps = Some((gaps, content));
    }

    /// Applies the read options of a new reader. `total_order`: whether it sees all keys in one order.
    pub(super) fn renew(&mut self, options: &ReadOptions, total_order: bool) {
        self.is_walking = false;
        self.is_allowed = total_order
            && !options.tailing
            && !options.ignore_range_deletions
            && options.read_tier == ReadTier::All
            // Who limits the work of a call expects that it is counted.
            && options.max_skippable_internal_keys == 0;
    }

    /// Whether deleted keys are to be told to [`DbIter::meet_deleted`].
    #[inline]
    pub(super) fn is_allowed(&self) -> bool {
        self.is_allowed && self.gaps.is_some()
    }

    /// Ends the walk without a note.
    #[inline]
    pub(super) fn stop(&mut self) {
        self.is_walking = false;
    }

    /// The capacity of the buffer in bytes.
    pub(super) fn capacity(&self) -> usize {
        self.start.capacity()
    }
}

impl DbIter {
    /// Continues or begins a walk at `key`, whose newest visible entry is a tombstone, while moving forward. Returns
    /// true if `inner` has jumped to the end of a gap.
    pub(super) fn meet_deleted(&mut self, kind: ValueType) -> bool {
        if kind == ValueType::SingleDeletion {
            self.walk.stop();
            return false;
        }
        let walk = &mut self.walk;
        if !walk.is_walking {
            walk.is_walking = true;
            set(&mut walk.start, &self.key);
            walk.from = self.looked_at;
            walk.next_look = self.looked_at;
        }
        if self.looked_at < walk.next_look {
            return false;
        }
        walk.next_look = self.looked_at + LOOK_EVERY;
        let Some((gaps, content)) = &walk.gaps else { return false };
        if !gaps.find_end(&self.key, self.seq, *content, &mut self.target) {
            return false;
        }
        // What was walked before the gap is noted if it was long. A new walk begins behind the gap.
        self.note_up_to_key();
        set(&mut self.walk.start, &self.target);
        self.walk.from = self.looked_at;
        set_target(&mut self.target, &self.walk.start, BEFORE_ALL);
        self.inner.skip_to(&self.target);
        true
    }

    /// Ends the walk before `key`, which is visible or is the last one that was examined.
    #[inline]
    pub(super) fn end_walk(&mut self) {
        if self.walk.is_walking {
            self.walk.stop();
            self.note_up_to_key();
        }
    }

    /// Stops at the end of `inner`, and ends the walk unless that is an error.
    #[cold]
    pub(super) fn end_walk_with_inner(&mut self) {
        self.stop_with_inner();
        if self.error.is_none() {
            self.end_walk();
        }
    }

    /// Notes that nothing is from the start of the walk up to `key`, if that was a long way.
    fn note_up_to_key(&self) {
        let walk = &self.walk;
        if self.looked_at.saturating_sub(walk.from) >= NOTED_FROM
            && let Some((gaps, content)) = &walk.gaps
        {
            gaps.note(&walk.start, &self.key, self.seq, *content);
        }
    }
}
