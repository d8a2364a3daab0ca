//! Staged lookups in a PlainTable; see [`crate::sst::Staged`].

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::index::{SearchStart, SearchStarts};
use super::table::PlainTable;
use crate::base::LookupKey;
use crate::base::prefetch::{LINE, prefetch_bytes};
use crate::error::Result;
use crate::iter::GetContext;

/// A staged lookup in a PlainTable: a line of the index, then rows.
pub struct Staged<'a> {
    table: &'a PlainTable,
    key: &'a LookupKey<'a>,
    /// The places that may contain the key: the first one, and the others.
    places: Option<(SearchStart<'a>, SearchStarts<'a>)>,
}

impl<'a> Staged<'a> {
    /// Prefetches the line of the index; `None` if groups are not hashed.
    #[inline]
    pub fn begin(table: &'a PlainTable, key: &'a LookupKey<'a>) -> Option<Staged<'a>> {
        let reader = table.reader();
        if !reader.index.has_groups() {
            return None;
        }
        reader.index.prefetch(&reader.grouping, key);
        Some(Staged { table, key, places: None })
    }

    /// Finds the first place and prefetches its first row; false if the file does not contain the
    /// key.
    #[inline]
    pub fn find_place(&mut self) -> bool {
        let reader = self.table.reader();
        let mut places = reader.index.places_of(&reader.grouping, self.key);
        let Some(first) = places.next() else { return false };
        if first.anchors.is_empty() {
            prefetch_bytes(reader.rows().as_ptr().wrapping_add(first.first_row), 3 * LINE);
        }
        self.places = Some((first, places));
        true
    }

    /// Completes the lookup like [`PlainTable::get`].
    #[inline]
    pub fn settle(&self, ctx: &mut GetContext) -> Result<()> {
        let Some((first, rest)) = &self.places else { return Ok(()) };
        let all = std::iter::once(*first).chain(rest.clone());
        self.table.get_from_places(all, self.key, ctx)
    }
}
