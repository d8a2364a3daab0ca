//! The reads and writes of one evaluation: a batch, and the overlay that makes its writes visible to its own reads.

use super::overlay::{Change, Overlay, Part};
use super::prefetched::Prefetched;
use super::{Batch, Partition, Range, RowCursor, Store, View};
use crate::error::Result;
use crate::rows::redis::RowKey;
use std::sync::Arc;

/// The reads and writes of a command, a MULTI, or a script. The caller commits the batch once, at the end.
///
/// A worker keeps one and reuses its memory.
pub struct Txn {
    store: Arc<dyn Store>,
    batch: Batch,
    overlay: Overlay,
    /// Whether reads must see own writes. A command that reads nothing after its first write does without.
    reads_own_writes: bool,
    view: Option<View>,
    prefetched: Prefetched,
}

impl Txn {
    /// Returns an empty transaction.
    pub fn new(store: Arc<dyn Store>) -> Txn {
        let (batch, overlay) = (Batch::default(), Overlay::default());
        let prefetched = Prefetched::default();
        Txn { store, batch, overlay, reads_own_writes: true, view: None, prefetched }
    }

    /// Returns the store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Discards all writes, and chooses whether later reads see later writes.
    pub fn reset(&mut self, reads_own_writes: bool) {
        self.batch.clear();
        self.overlay.clear();
        self.reads_own_writes = reads_own_writes;
        self.view = None;
        self.prefetched.clear();
    }

    /// Begins a list of rows that [`prefetch_each_alone`](Txn::prefetch_each_alone) looks up.
    pub fn begin_prefetch(&mut self) {
        self.prefetched.clear();
    }

    /// Adds a row to the list; `write` appends its key.
    pub fn add_prefetch(&mut self, partition: Partition, write: impl FnOnce(&mut Vec<u8>)) {
        self.prefetched.add(partition, write);
    }

    /// Looks up the rows of the list, each as of a moment of its own, as [`Store::get_each_alone`] does: the latches of
    /// their keys must be held, or they must be independent of each other. Later reads of them, in about the order of
    /// the list, are answered from it. Own writes hide them.
    pub fn prefetch_each_alone(&mut self) -> Result<()> {
        if self.prefetched.len() < 2 {
            self.prefetched.clear();
            return Ok(());
        }
        self.prefetched.look_up(&*self.store)
    }

    /// Fixes the moment of all further reads of the store.
    pub fn fix_view(&mut self) {
        self.prefetched.clear();
        self.view = Some(self.store.view());
    }

    /// Makes later reads see later writes, whatever [`reset`](Txn::reset) chose. Nothing may have been written, unless
    /// reads see writes already.
    pub fn see_own_writes(&mut self) {
        debug_assert!(self.reads_own_writes || self.batch.is_empty(), "earlier writes stay unseen");
        self.reads_own_writes = true;
    }

    /// Moves a fixed moment to now, so that reads see rows that the evaluation committed directly.
    pub fn refresh_view(&mut self) {
        if self.view.is_some() {
            self.view = Some(self.store.view());
        }
    }

    /// Returns whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.batch.is_empty()
    }

    /// Returns the number of writes.
    pub fn len(&self) -> usize {
        self.batch.len()
    }

    /// Commits the writes, and begins anew.
    ///
    /// # Errors
    ///
    /// Nothing is written if the store refuses the batch.
    pub fn commit(&mut self) -> Result<()> {
        let result = match self.batch.is_empty() {
            true => Ok(()),
            false => self.store.commit(&mut self.batch),
        };
        self.reset(self.reads_own_writes);
        result
    }

    /// Passes the value of a row to `found`, and returns its result; `None` if there is no such row.
    pub fn get<R>(
        &self,
        partition: Partition,
        key: &[u8],
        found: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>> {
        match self.overlay.get(partition, key) {
            Some(change) => Ok(change.map(found)),
            None => {
                if let Some(value) = self.prefetched.get(partition, key) {
                    return Ok(value.map(found));
                }
                let (mut found, mut result) = (Some(found), None);
                self.store.get(partition, key, self.view.as_ref(), &mut |value| {
                    result = found.take().map(|found| found(value));
                })?;
                Ok(result)
            }
        }
    }

    /// Returns whether a row exists.
    pub fn contains(&self, partition: Partition, key: &[u8]) -> Result<bool> {
        Ok(self.get(partition, key, |_| ())?.is_some())
    }

    /// Returns the values of many rows, which agree as those of [`Store::multi_get`] do.
    pub fn multi_get(&self, keys: &[(Partition, RowKey)]) -> Result<Vec<Option<ferrolith::Value>>> {
        if self.overlay.is_empty() && self.view.is_none() {
            return self.store.multi_get(keys);
        }
        keys.iter().map(|(at, key)| self.get(*at, key, |value| value.into())).collect()
    }

    /// Writes a row.
    pub fn put(&mut self, partition: Partition, key: &[u8], value: &[u8]) -> Result<()> {
        if self.reads_own_writes {
            self.overlay.set(partition, key, Some(value.to_vec()));
        }
        self.store.put(&mut self.batch, partition, key, value)
    }

    /// Deletes a row, whether it exists or not.
    pub fn delete(&mut self, partition: Partition, key: &[u8]) -> Result<()> {
        if self.reads_own_writes {
            self.overlay.set(partition, key, None);
        }
        self.store.delete(&mut self.batch, partition, key)
    }

    /// Deletes all rows of a range. It costs later reads of that range some time; for few rows, delete each.
    pub fn delete_range(&mut self, partition: Partition, range: &Range) -> Result<()> {
        if self.reads_own_writes {
            self.overlay.delete_range(partition, range);
        }
        self.store.delete_range(&mut self.batch, partition, range)
    }

    /// Returns an iteration over the rows of a range, own writes included. Rows that are written later are not in it,
    /// so a command may write while it iterates.
    pub fn rows(&self, partition: Partition, range: Range) -> Result<Rows> {
        let cursor = self.store.cursor(partition, &range, self.view.as_ref())?;
        let own = match self.overlay.is_empty() {
            true => Part::default(),
            false => self.overlay.part(partition, &range),
        };
        Ok(Rows { cursor, own, own_at: 0, current: Current::None, is_backwards: false })
    }
}

/// An iteration over rows. Begin with a seek or with [`first`](Rows::first); then [`next`](Rows::next).
pub struct Rows {
    cursor: Box<dyn RowCursor>,
    own: Part,
    /// The number of own rows below the position.
    own_at: usize,
    current: Current,
    is_backwards: bool,
}

enum Current {
    None,
    Stored,
    Own(usize),
}

impl Rows {
    /// Moves to the first row, and iterates forwards from it.
    pub fn first(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        self.is_backwards = false;
        self.cursor.seek_to_end(false);
        self.own_at = 0;
        self.settle()
    }

    /// Moves to the last row, and iterates backwards from it.
    pub fn last(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        self.is_backwards = true;
        self.cursor.seek_to_end(true);
        self.own_at = self.own.rows.len();
        self.settle()
    }

    /// Moves to the first row at or above a key, and iterates forwards from it.
    pub fn seek(&mut self, key: &[u8]) -> Result<Option<(&[u8], &[u8])>> {
        self.is_backwards = false;
        self.cursor.seek(key);
        self.own_at = self.own.rows.partition_point(|(own, _)| &own[..] < key);
        self.settle()
    }

    /// Moves to the last row at or below a key, and iterates backwards from it.
    pub fn seek_for_prev(&mut self, key: &[u8]) -> Result<Option<(&[u8], &[u8])>> {
        self.is_backwards = true;
        self.cursor.seek_for_prev(key);
        self.own_at = self.own.rows.partition_point(|(own, _)| &own[..] <= key);
        self.settle()
    }

    /// Moves to the next row in the direction of the iteration.
    #[expect(clippy::should_implement_trait, reason = "it lends the row")]
    pub fn next(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        match self.current {
            Current::None => return Ok(None),
            Current::Stored => self.cursor.step(self.is_backwards),
            Current::Own(_) => self.step_own(),
        }
        self.settle()
    }

    /// Returns the row at the position.
    pub fn item(&self) -> Option<(&[u8], &[u8])> {
        match self.current {
            Current::None => None,
            Current::Stored => self.cursor.item(),
            Current::Own(at) => {
                let (key, change) = self.own.rows.get(at)?;
                Some((key, change.as_deref()?))
            }
        }
    }

    fn step_own(&mut self) {
        match self.is_backwards {
            true => self.own_at = self.own_at.saturating_sub(1),
            false => self.own_at += 1,
        }
    }

    fn own_index(&self) -> Option<usize> {
        let at = if self.is_backwards { self.own_at.checked_sub(1)? } else { self.own_at };
        (at < self.own.rows.len()).then_some(at)
    }

    /// Finds the row at or behind the position that exists.
    fn settle(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        loop {
            let stored = self.cursor.item().map(|(key, _)| key);
            let own_at = self.own_index();
            let own: Option<&(RowKey, Change)> = own_at.and_then(|at| self.own.rows.get(at));
            let order = match (stored, own) {
                (None, None) => break self.current = Current::None,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => {
                    // Behind an error there may be stored rows before the own one.
                    self.cursor.status()?;
                    std::cmp::Ordering::Greater
                }
                (Some(stored), Some((own, _))) => match self.is_backwards {
                    true => own[..].cmp(stored),
                    false => stored.cmp(&own[..]),
                },
            };
            match order {
                std::cmp::Ordering::Less if stored.is_some_and(|key| self.own.is_deleted(key)) => {
                    self.cursor.step(self.is_backwards);
                }
                std::cmp::Ordering::Less => break self.current = Current::Stored,
                // The own row hides the stored one.
                std::cmp::Ordering::Equal => self.cursor.step(self.is_backwards),
                std::cmp::Ordering::Greater if own.is_some_and(|(_, change)| change.is_none()) => {
                    self.step_own();
                }
                std::cmp::Ordering::Greater => {
                    break self.current = own_at.map_or(Current::None, Current::Own);
                }
            }
        }
        if matches!(self.current, Current::None) {
            self.cursor.status()?;
        }
        Ok(self.item())
    }
}

#[cfg(test)]
#[path = "txn_test.rs"]
mod tests;
