//! A cursor over the tombstones of one place, for an iterator that moves over keys.

use super::fragments::{FragmentRef, Fragments};
use crate::base::KeyOrder;
use std::cmp::Ordering;
use std::sync::Arc;

/// The fragments of one place, in pieces in key order: a level has one piece per file.
#[derive(Clone, Debug)]
pub struct Run(Arc<[Arc<Fragments>]>);

impl Default for Run {
    fn default() -> Run {
        Run::new([])
    }
}

impl Run {
    /// A run of these pieces, which must be in order and disjoint; empty ones are skipped.
    pub fn new(pieces: impl IntoIterator<Item = Arc<Fragments>>) -> Run {
        Run(pieces.into_iter().filter(|piece| !piece.is_empty()).collect())
    }

    /// Whether there are no tombstones.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A cursor on the first fragment that ends after some key.
pub(super) struct Cursor {
    run: Run,
    piece: usize,
    at: usize,
}

/// The number of fragments to pass one by one; beyond that, a search is cheaper.
const STEPS_MAX: usize = 8;

impl Cursor {
    pub(super) fn new(run: Run) -> Cursor {
        Cursor { run, piece: 0, at: 0 }
    }

    /// The current fragment.
    #[inline]
    pub(super) fn fragment(&self) -> Option<FragmentRef<'_>> {
        self.run.0.get(self.piece)?.get(self.at)
    }

    /// The current fragment, if it contains `key`, which the cursor was last moved for.
    #[inline]
    pub(super) fn over(&self, order: &KeyOrder, key: &[u8]) -> Option<FragmentRef<'_>> {
        self.fragment().filter(|f| order.compare_user(f.begin, key) != Ordering::Greater)
    }

    /// Moves the cursor for any key.
    pub(super) fn seek(&mut self, order: &KeyOrder, key: &[u8]) {
        let ends_before = |piece: &Arc<Fragments>| {
            let last = piece.len().checked_sub(1).and_then(|i| piece.get(i));
            last.is_none_or(|f| order.compare_user(f.end, key) != Ordering::Greater)
        };
        self.piece = self.run.0.partition_point(ends_before);
        self.at = self.run.0.get(self.piece).map_or(0, |piece| piece.find(key));
    }

    /// Moves the cursor for a key that is not before the previous one.
    #[inline]
    pub(super) fn advance(&mut self, order: &KeyOrder, key: &[u8]) {
        for _ in 0..STEPS_MAX {
            match self.fragment() {
                Some(f) if order.compare_user(f.end, key) != Ordering::Greater => {
                    self.step_forward();
                }
                _ => return,
            }
        }
        self.seek(order, key);
    }

    /// Moves the cursor for a key that is not after the previous one.
    pub(super) fn retreat(&mut self, order: &KeyOrder, key: &[u8]) {
        for _ in 0..STEPS_MAX {
            if !self.step_back_if(|f| order.compare_user(f.end, key) == Ordering::Greater) {
                return;
            }
        }
        self.seek(order, key);
    }

    /// Moves to the next fragment.
    pub(super) fn step_forward(&mut self) {
        self.at += 1;
        if self.run.0.get(self.piece).is_some_and(|piece| self.at >= piece.len()) {
            (self.piece, self.at) = (self.piece + 1, 0);
        }
    }

    /// Moves to the previous fragment if `wanted` accepts it.
    pub(super) fn step_back_if(&mut self, wanted: impl FnOnce(FragmentRef<'_>) -> bool) -> bool {
        let Some((piece, at, _)) = self.before().filter(|(_, _, f)| wanted(*f)) else {
            return false;
        };
        (self.piece, self.at) = (piece, at);
        true
    }

    fn before(&self) -> Option<(usize, usize, FragmentRef<'_>)> {
        let (piece, at) = match self.at.checked_sub(1) {
            Some(at) => (self.piece, at),
            None => {
                let piece = self.piece.checked_sub(1)?;
                (piece, self.run.0.get(piece)?.len().checked_sub(1)?)
            }
        };
        Some((piece, at, self.run.0.get(piece)?.get(at)?))
    }
}
