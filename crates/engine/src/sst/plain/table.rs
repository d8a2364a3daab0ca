//! An open PlainTable: point lookups, and the interface of the format to the rest of the engine.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::index::{IndexBuilder, SearchStart};
use super::iter::PlainIter;
use super::reader::{First, Reader};
use super::scan::Scan;
use crate::base::hash::hash64;
use crate::base::key::user_key;
use crate::base::pinned::{Pin, PinnedBytes};
use crate::base::{LookupKey, PinnedValue};
use crate::budget::Charge;
use crate::env::sync::OnceLock;
use crate::error::Result;
use crate::fs::RandomAccessFile;
use crate::hooks::Grouping;
use crate::iter::GetContext;
use crate::options::{PlainTableOptions, ReadOptions};
use crate::sst::{TableIterOptions, TableProperties, TableReadContext};
use std::sync::Arc;

/// An open PlainTable. Clones share one reader.
#[derive(Clone)]
pub struct PlainTable(Arc<Reader>);

impl PlainTable {
    /// Opens a file: reads and checks all rows once and builds the index.
    pub fn open(
        file: Arc<dyn RandomAccessFile>,
        ctx: &TableReadContext,
        opts: &PlainTableOptions,
    ) -> Result<PlainTable> {
        Reader::open(file, ctx, opts).map(|reader| PlainTable(Arc::new(reader)))
    }

    /// Looks a key up: calls `ctx.save` for the visible entries of the user key, newest first,
    /// until the context needs no more.
    #[inline]
    pub fn get(&self, key: &LookupKey, _ro: &ReadOptions, ctx: &mut GetContext) -> Result<()> {
        let reader = &*self.0;
        if !reader.index.has_groups() {
            let everything = reader.index.everything();
            return reader.get_from(everything, First::Any, key, ctx, self).map(|_found| ());
        }
        self.get_from_places(reader.index.places_of(&reader.grouping, key), key, ctx)
    }

    /// Like [`PlainTable::get`], if only these places may contain the key.
    #[inline]
    pub(super) fn get_from_places<'a>(
        &self,
        places: impl Iterator<Item = SearchStart<'a>>,
        key: &LookupKey,
        ctx: &mut GetContext,
    ) -> Result<()> {
        let reader = &*self.0;
        let first = match reader.index.has_keys() {
            true => First::Key,
            false => First::Group(reader.grouping.of(key.user_key())),
        };
        for place in places {
            if reader.get_from(place, first, key, ctx, self)? {
                break;
            }
        }
        Ok(())
    }

    #[inline]
    pub(super) fn reader(&self) -> &Reader {
        &self.0
    }

    /// Prefetches what a lookup of the key reads first.
    #[inline]
    pub fn prefetch(&self, key: &LookupKey) {
        let reader = &*self.0;
        reader.index.prefetch(&reader.grouping, key);
    }

    /// An iterator over the rows; it keeps the table open. Unless `total_order` is set, a seek to a
    /// key with a prefix uses the hash index, and the iterator ends where that prefix ends; it is
    /// not valid if no row has the prefix.
    pub fn iter(&self, ro: &TableIterOptions) -> PlainIter {
        let total_order = ro.total_order || ro.for_compaction;
        PlainIter::new(Arc::clone(&self.0), total_order)
    }

    /// Whether keys with this prefix may exist; true if groups are not prefixes.
    pub fn prefix_may_match(&self, user_prefix: &[u8]) -> bool {
        let reader = &*self.0;
        if !reader.index.has_groups() || matches!(reader.grouping, Grouping::WholeKey) {
            return true;
        }
        reader.index.places(hash64(user_prefix)).next().is_some()
    }

    /// The approximate number of bytes of the file before this internal key.
    pub fn approximate_offset_of(&self, internal_key: &[u8]) -> u64 {
        let reader = &*self.0;
        let start = reader.start_of_search(reader.index.everything(), user_key(internal_key));
        start.unwrap_or(reader.rows_end) as u64
    }

    /// The file's properties.
    pub fn properties(&self) -> &TableProperties {
        &self.0.properties
    }

    /// The memory that the reader holds, in bytes; a mapped file is not counted.
    pub fn memory_usage(&self) -> usize {
        size_of::<Reader>()
            + self.0.index.memory_usage()
            + self.0.image.as_ref().map_or(0, Vec::capacity)
    }

    /// The place of the reader's charge.
    pub(in crate::sst) fn charge(&self) -> &OnceLock<Charge> {
        &self.0.charge
    }

    /// Reads every row again and repeats the checks of `open`. Rows have no checksums.
    pub fn verify_rows(&self) -> Result<()> {
        let reader = &*self.0;
        let index = IndexBuilder::new(64, false);
        let context = Scan {
            rows: reader.rows(),
            format: reader.format,
            order: &reader.order,
            grouping: &reader.grouping,
        };
        let scanned = context.run(index);
        scanned.map(|_| ()).map_err(|(at, why)| reader.corruption(at, why))
    }
}

impl Pin for PlainTable {
    fn pin(&self, value: &[u8]) -> Option<PinnedValue> {
        let owner: Arc<dyn PinnedBytes> = Arc::clone(&self.0) as _;
        PinnedValue::part_of(owner, value)
    }
}

#[cfg(test)]
#[path = "table_test.rs"]
mod tests;
