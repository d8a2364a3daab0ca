//! Rows that were looked up at once, in the order in which they will be read.

use super::{Partition, Store};
use crate::error::Result;
use smallvec::SmallVec;
use std::cell::Cell;
use std::ops::Range;

/// How many rows may be skipped: those of commands that failed before they read.
const SKIPPED_MAX: usize = 8;
/// The bytes of values for which memory is kept.
const KEPT_BYTES: usize = 64 << 10;

/// Rows that were looked up at once. Keys and values share two buffers, whose memory is reused.
#[derive(Debug, Default)]
pub(super) struct Prefetched {
    rows: Vec<Row>,
    keys: Vec<u8>,
    values: Vec<u8>,
    /// The row that was read last.
    at: Cell<usize>,
}

#[derive(Debug)]
struct Row {
    partition: Partition,
    /// Where the key is in `keys`.
    key: Range<usize>,
    /// Where the value is in `values`, if the row exists.
    value: Option<Range<usize>>,
}

impl Prefetched {
    /// Forgets all rows.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.keys.clear();
        self.values.clear();
        if self.values.capacity() > KEPT_BYTES {
            self.values = Vec::new();
        }
        self.at.set(0);
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds a row, whose key `write` appends.
    pub(super) fn add(&mut self, partition: Partition, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.keys.len();
        write(&mut self.keys);
        self.rows.push(Row { partition, key: start..self.keys.len(), value: None });
    }

    /// Looks up all rows.
    ///
    /// # Errors
    ///
    /// The store failed; then no row is answered.
    pub(super) fn look_up(&mut self, store: &dyn Store) -> Result<()> {
        let Prefetched { rows, keys, values, .. } = self;
        let key = |row: &Row| (row.partition, keys.get(row.key.clone()).unwrap_or_default());
        let wanted: SmallVec<[(Partition, &[u8]); 32]> = rows.iter().map(key).collect();
        let result = store.get_each_alone(&wanted, &mut |at, value| {
            let start = values.len();
            values.extend_from_slice(value);
            if let Some(row) = rows.get_mut(at) {
                row.value = Some(start..values.len());
            }
        });
        if result.is_err() {
            rows.clear();
        }
        result
    }

    /// Returns the value of a row if it was looked up and is among the next ones.
    #[inline]
    pub(super) fn get(&self, partition: Partition, key: &[u8]) -> Option<Option<&[u8]>> {
        let from = self.at.get();
        let next = self.rows.get(from..)?.iter().take(SKIPPED_MAX);
        let is_same =
            |row: &Row| row.partition == partition && self.keys.get(row.key.clone()) == Some(key);
        let (skipped, row) = next.enumerate().find(|(_, row)| is_same(row))?;
        self.at.set(from + skipped);
        Some(row.value.clone().and_then(|value| self.values.get(value)))
    }
}
