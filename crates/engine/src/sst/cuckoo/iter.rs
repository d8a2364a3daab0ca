//! An iterator over a CuckooTable in key order. The reader sorts the buckets when the first iterator is positioned.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::reader::{Bucket, Reader};
use crate::base::InternalIterator;
use crate::base::key::{append_internal_key, trailer, user_key};
use crate::error::{Error, Result};
use std::cmp::Ordering;
use std::sync::Arc;

/// An iterator over the entries of one file.
pub struct CuckooIter {
    reader: Arc<Reader>,
    /// The index in the sorted order; `None` means not valid.
    at: Option<usize>,
    status: Option<Error>,
    /// The current bucket.
    bucket: u64,
    /// The current internal key, if the file stores only user keys.
    key: Vec<u8>,
}

impl CuckooIter {
    pub(super) fn new(reader: Arc<Reader>) -> CuckooIter {
        CuckooIter { reader, at: None, status: None, bucket: 0, key: Vec::new() }
    }

    /// Moves to the index that `place` returns for the sorted buckets.
    fn go(&mut self, place: impl FnOnce(&Reader, &[u32]) -> Option<usize>) {
        (self.at, self.status) = (None, None);
        match self.reader.sorted() {
            Ok(sorted) => {
                let at = place(&self.reader, sorted);
                let bucket = at.and_then(|at| sorted.get(at)).copied();
                self.stand(at, bucket);
            }
            Err(e) => self.status = Some(e),
        }
    }

    fn stand(&mut self, at: Option<usize>, bucket: Option<u32>) {
        self.at = None;
        let Some(bucket) = bucket.map(u64::from) else { return };
        let entry = self.reader.entry(bucket);
        // Other processes can change a mapped file.
        if let Err(e) = self.reader.kind(bucket, entry.trailer) {
            self.status = Some(e);
            return;
        }
        if self.reader.layout().is_last_level() {
            self.key.clear();
            append_internal_key(&mut self.key, entry.user_key, entry.trailer);
        }
        (self.at, self.bucket) = (at, bucket);
    }

    fn step(&mut self, to: impl FnOnce(usize) -> Option<usize>) {
        let to = self.at.and_then(to);
        self.go(|_, _| to);
    }
}

/// The index of the first entry that is not before the internal key `target`.
fn lower_bound(reader: &Reader, sorted: &[u32], target: &[u8]) -> usize {
    sorted.partition_point(|&bucket| compare(reader, bucket, target) == Ordering::Less)
}

fn compare(reader: &Reader, bucket: u32, target: &[u8]) -> Ordering {
    let entry = reader.entry(bucket.into());
    let by_user_key = reader.order().compare_user(entry.user_key, user_key(target));
    by_user_key.then_with(|| trailer(target).cmp(&entry.trailer))
}

impl InternalIterator for CuckooIter {
    fn valid(&self) -> bool {
        self.at.is_some()
    }

    fn seek_to_first(&mut self) {
        self.go(|_, _| Some(0));
    }

    fn seek_to_last(&mut self) {
        self.go(|_, sorted| sorted.len().checked_sub(1));
    }

    fn seek(&mut self, target: &[u8]) {
        self.go(|reader, sorted| Some(lower_bound(reader, sorted, target)));
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        self.go(|reader, sorted| {
            let after = sorted
                .partition_point(|&bucket| compare(reader, bucket, target) != Ordering::Greater);
            after.checked_sub(1)
        });
    }

    fn next(&mut self) {
        debug_assert!(self.valid(), "next on an iterator that is not valid");
        self.step(|at| at.checked_add(1));
    }

    fn prev(&mut self) {
        debug_assert!(self.valid(), "prev on an iterator that is not valid");
        self.step(|at| at.checked_sub(1));
    }

    fn key(&self) -> &[u8] {
        if self.reader.layout().is_last_level() {
            return &self.key;
        }
        let Bucket { key, .. } = self.reader.entry(self.bucket);
        key
    }

    fn value(&self) -> &[u8] {
        self.reader.entry(self.bucket).value
    }

    fn status(&self) -> Result<()> {
        self.status.clone().map_or(Ok(()), Err)
    }
}
