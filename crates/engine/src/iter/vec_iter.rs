//! An iterator over entries in a vector: a child for tests, and the model that they compare
//! against.

use crate::base::key::append_internal_key;
use crate::base::key::pack_trailer;
use crate::base::{InternalIterator, KeyOrder, SeqNo, ValueType};
use crate::error::{Error, Result};
use std::sync::Arc;

/// An internal key and its value.
pub(crate) type Entry = (Vec<u8>, Vec<u8>);

/// An internal key from its parts.
pub(crate) fn ikey(user_key: &[u8], seq: SeqNo, kind: ValueType) -> Vec<u8> {
    let mut key = Vec::new();
    append_internal_key(&mut key, user_key, pack_trailer(seq, kind));
    key
}

/// Iterates over a sorted vector of entries. It can be set to fail when it reaches a given one.
pub(crate) struct VecIter {
    order: KeyOrder,
    entries: Arc<Vec<Entry>>,
    at: Option<usize>,
    fail_on: Option<usize>,
    error: Option<Error>,
}

impl VecIter {
    /// Sorts the entries.
    pub(crate) fn new(order: KeyOrder, mut entries: Vec<Entry>) -> VecIter {
        entries.sort_by(|a, b| order.compare(&a.0, &b.0));
        VecIter::shared(order, Arc::new(entries))
    }

    /// An iterator over entries that are already sorted.
    pub(crate) fn shared(order: KeyOrder, entries: Arc<Vec<Entry>>) -> VecIter {
        VecIter { order, entries, at: None, fail_on: None, error: None }
    }

    /// Makes the iterator fail when it reaches this entry.
    pub(crate) fn failing_on(mut self, index: usize) -> VecIter {
        self.fail_on = Some(index);
        self
    }

    fn go(&mut self, at: Option<usize>) {
        self.error = None;
        self.at = at.filter(|&i| i < self.entries.len());
        if self.at.is_some() && self.at == self.fail_on {
            self.at = None;
            self.error = Some(Error::corruption("VecIter was told to fail"));
        }
    }

    fn entry(&self) -> &Entry {
        &self.entries[self.at.expect("I2: the iterator is valid")]
    }
}

impl InternalIterator for VecIter {
    fn valid(&self) -> bool {
        self.at.is_some()
    }
    fn seek_to_first(&mut self) {
        self.go(Some(0));
    }
    fn seek_to_last(&mut self) {
        self.go(self.entries.len().checked_sub(1));
    }
    fn seek(&mut self, target: &[u8]) {
        let order = &self.order;
        let at = self.entries.partition_point(|e| order.compare(&e.0, target).is_lt());
        self.go(Some(at));
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        let order = &self.order;
        let after = self.entries.partition_point(|e| order.compare(&e.0, target).is_le());
        self.go(after.checked_sub(1));
    }
    fn next(&mut self) {
        self.go(Some(self.at.expect("I2: the iterator is valid") + 1));
    }
    fn prev(&mut self) {
        self.go(self.at.expect("I2: the iterator is valid").checked_sub(1));
    }
    fn key(&self) -> &[u8] {
        &self.entry().0
    }
    fn value(&self) -> &[u8] {
        &self.entry().1
    }
    fn status(&self) -> Result<()> {
        self.error.clone().map_or(Ok(()), Err)
    }
}
