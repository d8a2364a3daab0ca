//! The writes of a command that is not committed yet, so that it sees them itself.

use super::{Partition, Range};
use crate::rows::redis::RowKey;
use std::collections::BTreeMap;
use std::ops::Bound;

/// A row of the overlay: its value, or `None` if it was deleted.
pub(super) type Change = Option<Vec<u8>>;

/// Uncommitted writes, in the order of rows.
#[derive(Debug, Default)]
pub(super) struct Overlay {
    rows: BTreeMap<(Partition, RowKey), Change>,
    /// Deleted ranges of the rows below. A later write in such a range is in `rows`.
    deleted: Vec<(Partition, Range)>,
}

impl Overlay {
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.deleted.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.deleted.clear();
    }

    pub(super) fn set(&mut self, partition: Partition, key: &[u8], change: Change) {
        self.rows.insert((partition, RowKey::from_slice(key)), change);
    }

    pub(super) fn delete_range(&mut self, partition: Partition, range: &Range) {
        self.rows
            .retain(|(at, key), _| *at != partition || *key < range.start || *key >= range.end);
        self.deleted.push((partition, range.clone()));
    }

    /// Returns what the overlay has for a row; `None` if the store's row is valid.
    pub(super) fn get(&self, partition: Partition, key: &[u8]) -> Option<Option<&[u8]>> {
        if self.is_empty() {
            return None;
        }
        match self.rows.get(&(partition, RowKey::from_slice(key))) {
            Some(change) => Some(change.as_deref()),
            None => self.is_deleted(partition, key).then_some(None),
        }
    }

    /// Returns whether a range deletion covers a row of the store.
    pub(super) fn is_deleted(&self, partition: Partition, key: &[u8]) -> bool {
        let covers = |range: &Range| &range.start[..] <= key && key < &range.end[..];
        self.deleted.iter().any(|(at, range)| *at == partition && covers(range))
    }

    /// Returns copies of the rows of a range, in order, and the deleted ranges of the partition.
    pub(super) fn part(&self, partition: Partition, range: &Range) -> Part {
        let bounds = (
            Bound::Included((partition, range.start.clone())),
            Bound::Excluded((partition, range.end.clone())),
        );
        if range.start >= range.end {
            return Part::default();
        }
        let rows = self.rows.range(bounds);
        let rows = rows.map(|((_, key), change)| (key.clone(), change.clone())).collect();
        let deleted = self.deleted.iter().filter(|(at, _)| *at == partition);
        Part { rows, deleted: deleted.map(|(_, range)| range.clone()).collect() }
    }
}

/// A copy of a part of the overlay, for an iteration.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) rows: Vec<(RowKey, Change)>,
    pub(super) deleted: Vec<Range>,
}

impl Part {
    pub(super) fn is_deleted(&self, key: &[u8]) -> bool {
        self.deleted.iter().any(|range| &range.start[..] <= key && key < &range.end[..])
    }
}
