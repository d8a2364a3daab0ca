//! The filter of a table under construction: one filter for the whole file, or one partition per range of keys, so that
//! a reader with little memory can hold only some partitions.
//!
//! At the end of a partition, the prefix of the next key is added to it, and the prefix of the previous key is added to
//! the next partition: a search by prefix may reach either.

use super::filter::FilterBuilder;
use crate::base::key::{ValueType, pack_trailer};
use crate::env::mapping::LargeVec;
use crate::hooks::SliceTransform;

/// Collects keys and prefixes for the filter.
pub struct FilterParts {
    current: FilterBuilder,
    /// The number of entries of a full partition; `None` builds one filter.
    entries_per_part: Option<usize>,
    done: Vec<FilterPart>,
    /// The number of entries in `done`.
    entries_done: usize,
    last_prefix: Option<Vec<u8>>,
}

/// A finished partition.
pub struct FilterPart {
    /// No key of the partition sorts after this internal key.
    pub bound: Vec<u8>,
    /// The block.
    pub bytes: LargeVec<u8>,
}

impl FilterParts {
    /// One filter, or partitions of about `part_size` bytes.
    pub fn new(builder: FilterBuilder, part_size: Option<usize>) -> FilterParts {
        let entries_per_part = part_size.map(|size| builder.entries_within(size).max(1));
        FilterParts {
            current: builder,
            entries_per_part,
            done: Vec::new(),
            entries_done: 0,
            last_prefix: None,
        }
    }

    /// Whether the filter is partitioned.
    pub fn is_partitioned(&self) -> bool {
        self.entries_per_part.is_some()
    }

    /// Adds a user key. `is_new` says that the previous one, `last`, was another key or did not exist.
    pub fn add(
        &mut self,
        is_new: bool,
        last: Option<&[u8]>,
        key: &[u8],
        whole_keys: bool,
        extractor: Option<&dyn SliceTransform>,
    ) {
        let prefix_of = |key| extractor.filter(|e| e.in_domain(key)).map(|e| e.transform(key));
        let prefix = prefix_of(key);
        if let (Some(last), true) = (last.filter(|_| is_new), self.is_full()) {
            if let Some(prefix) = prefix {
                self.current.add(prefix);
            }
            self.end_part(last);
            if let Some(prefix) = prefix_of(last) {
                self.current.add(prefix);
            }
        }
        if whole_keys && is_new {
            self.current.add(key);
        }
        if let Some(prefix) = prefix
            && self.last_prefix.as_deref() != Some(prefix)
        {
            self.current.add(prefix);
            let last = self.last_prefix.get_or_insert_default();
            last.clear();
            last.extend_from_slice(prefix);
        }
    }

    fn is_full(&self) -> bool {
        self.entries_per_part.is_some_and(|limit| self.current.len() >= limit)
    }

    fn end_part(&mut self, last: &[u8]) {
        let next = self.current.renew();
        let full = std::mem::replace(&mut self.current, next);
        self.entries_done += full.len();
        let trailer = pack_trailer(0, ValueType::Deletion).to_le_bytes();
        self.done.push(FilterPart { bound: [last, &trailer].concat(), bytes: full.finish() });
        self.last_prefix = None;
    }

    /// The number of entries in all partitions.
    pub fn len(&self) -> usize {
        self.entries_done + self.current.len()
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All partitions, or the only filter; `last` is the last user key.
    pub fn finish(mut self, last: &[u8]) -> Vec<FilterPart> {
        if !self.current.is_empty() {
            self.end_part(last);
        }
        self.done
    }
}
