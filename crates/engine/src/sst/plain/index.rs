//! The in-memory index of an open PlainTable, built by one pass over the rows at open.
//!
//! RocksDB's stored index serves the same purpose, but its bucket, sub-index and Bloom filter each cost a cache miss.
//! This index is one hash table of groups (a group is a prefix, or a user key if there is no prefix) and one array of
//! anchors:
//!
//! ```text
//! line    = 8 slots, one cache line; a group's home line is the high part of its hash
//! slot    = fingerprint:32 (low half of the hash) | long:1 | place:31        0 = empty
//! place   = 1 + offset of the group's first row                      long = 0
//!         | 1 + number of a `LongGroup`                              long = 1
//! anchors = offsets of full rows, ascending, about every `index_sparseness` rows
//! ```
//!
//! * A full line spills into the next one; a search ends at a line with an empty slot. The fingerprint is the filter:
//!   an absent key costs one line, a present one that line and its row.
//! * Fingerprints can collide, so every slot found must be verified against its row.
//! * A group whose rows are not contiguous has several slots. The search visits all of them.
//! * If groups have several keys, a second table of the same form maps each user key to its newest row: a point lookup
//!   then reads only the key's own rows. That costs eleven bytes per key.
//! * Anchors serve iteration in total order, backward iteration, and binary search inside long groups.
//!
//! The index is immutable after `IndexBuilder::finish` and may be used from many threads.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use crate::base::LookupKey;
use crate::base::prefetch::prefetch;
use crate::error::{Error, Result};
use crate::hooks::Grouping;
use memmap2::{Advice, MmapMut};

const SLOTS: usize = 8;
const LINE_BYTES: usize = SLOTS * 8;
const LONG: u32 = 1 << 31;
/// Tables of at least this size request huge pages, which saves a lookup one TLB miss.
const HUGE_FROM_BYTES: usize = 2 << 20;
/// The number of places that are inserted together.
const AHEAD: usize = 16;
/// With at least this many keys per group, keys have a table of their own.
const KEYS_PER_GROUP: usize = 2;

/// Places by hash, in anonymous memory: zeroed, aligned, and in huge pages if the system has them.
#[derive(Debug)]
pub(super) struct HashIndex {
    memory: MmapMut,
}

impl HashIndex {
    /// A table for `places` places, with an average of `8 * fill` per line.
    pub(super) fn new(places: usize, fill: f64) -> Result<HashIndex> {
        let lines = (places as f64 / (SLOTS as f64 * fill.clamp(0.25, 0.8))) as usize + 1;
        let bytes = lines * LINE_BYTES;
        let memory = MmapMut::map_anon(bytes)
            .map_err(|e| Error::io(format!("PlainTable index of {bytes} bytes"), e))?;
        #[cfg(target_os = "linux")]
        if bytes >= HUGE_FROM_BYTES {
            // Only a hint: without huge pages the table works the same.
            let _ = memory.advise(Advice::HugePage);
        }
        Ok(HashIndex { memory })
    }

    #[inline]
    fn home(hash: u64, lines: usize) -> usize {
        ((u128::from(hash) * lines as u128) >> 64) as usize
    }

    /// Inserts hashes with their places in batches, so that their cache misses overlap.
    pub(super) fn extend(&mut self, mut entries: impl Iterator<Item = (u64, u32)>) {
        let mut some = Vec::with_capacity(AHEAD);
        loop {
            some.extend(entries.by_ref().take(AHEAD));
            if some.is_empty() {
                return;
            }
            some.iter().for_each(|&(hash, _)| self.prefetch(hash));
            some.drain(..).for_each(|(hash, place)| self.insert(hash, place));
        }
    }

    fn insert(&mut self, hash: u64, place: u32) {
        let (lines, _) = self.memory.as_chunks_mut::<LINE_BYTES>();
        let mut line = HashIndex::home(hash, lines.len());
        // At most 80 % of the slots are in use, so the search for an empty one ends.
        loop {
            let (slots, _) = lines.get_mut(line).map_or(Default::default(), |l| l.as_chunks_mut());
            if let Some(slot) = slots.iter_mut().find(|s| **s == [0; 8]) {
                *slot = (u64::from(hash as u32) << 32 | u64::from(place)).to_le_bytes();
                return;
            }
            line = if line + 1 < lines.len() { line + 1 } else { 0 };
        }
    }

    /// The places of all groups with the fingerprint of `hash`, near its home line.
    #[inline]
    fn probe(&self, hash: u64) -> Probe<'_> {
        let (lines, _) = self.memory.as_chunks::<LINE_BYTES>();
        let line = HashIndex::home(hash, lines.len());
        let mut probe = Probe {
            lines,
            line,
            left: lines.len(),
            fingerprint: hash as u32,
            found: 0,
            last: false,
        };
        probe.look();
        probe
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        let home = HashIndex::home(hash, self.memory.len() / LINE_BYTES);
        prefetch(self.memory.as_ptr().wrapping_add(home * LINE_BYTES));
    }

    fn bytes(&self) -> usize {
        self.memory.len()
    }
}

#[derive(Clone)]
struct Probe<'a> {
    lines: &'a [[u8; LINE_BYTES]],
    line: usize,
    /// The number of lines not visited yet, including the current one.
    left: usize,
    fingerprint: u32,
    /// Slots of the current line that have the fingerprint and were not returned yet, as bits.
    found: u32,
    /// Whether the current line has an empty slot, so that nothing spilled over it.
    last: bool,
}

impl Probe<'_> {
    #[inline]
    fn slot(&self, i: u32) -> u64 {
        let slots = self.lines.get(self.line).map_or(&[][..], |l| l.as_chunks::<8>().0);
        slots.get(i as usize).map_or(0, |s| u64::from_le_bytes(*s))
    }

    #[inline]
    fn look(&mut self) {
        let Some(line) = self.lines.get(self.line) else {
            self.last = true;
            return;
        };
        let (mut found, mut empty) = (0, false);
        for (i, slot) in line.as_chunks::<8>().0.iter().enumerate() {
            let slot = u64::from_le_bytes(*slot);
            empty |= slot == 0;
            found |= u32::from((slot >> 32) as u32 == self.fingerprint && slot != 0) << i;
        }
        self.found = found;
        self.last = empty;
    }
}

impl Iterator for Probe<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        while self.found == 0 {
            if self.last || self.left <= 1 {
                return None;
            }
            self.left -= 1;
            self.line = if self.line + 1 < self.lines.len() { self.line + 1 } else { 0 };
            self.look();
        }
        let i = self.found.trailing_zeros();
        self.found &= self.found - 1;
        Some(self.slot(i) as u32)
    }
}

/// A group with so many rows that it has its own anchors.
#[derive(Clone, Copy, Debug)]
struct LongGroup {
    first_row: u32,
    anchors: (u32, u32),
}

/// The range to search for the rows of a group: start at `first_row`, or at the last of `anchors`
/// that is before the key.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchStart<'a> {
    pub(super) first_row: usize,
    pub(super) anchors: &'a [u32],
}

/// The finished index.
#[derive(Debug)]
pub(super) struct RowIndex {
    /// `None` means that the file must be searched in order (see `IndexBuilder::give_up_groups`).
    groups: Option<HashIndex>,
    /// The newest row of each user key, if groups are too large to scan.
    keys: Option<HashIndex>,
    long: Vec<LongGroup>,
    anchors: Vec<u32>,
}

impl RowIndex {
    /// Whether groups can be found by hash.
    #[inline]
    pub(super) fn has_groups(&self) -> bool {
        self.groups.is_some()
    }

    /// Adds the table of user keys; see [`IndexBuilder::wants_keys`].
    pub(super) fn set_keys(&mut self, keys: HashIndex) {
        self.keys = Some(keys);
    }

    /// Whether the index has places of user keys, not only of groups.
    #[inline]
    pub(super) fn has_keys(&self) -> bool {
        self.keys.is_some()
    }

    /// The places that may contain the key; mostly one or none.
    #[inline]
    pub(super) fn places_of(&self, grouping: &Grouping, key: &LookupKey) -> SearchStarts<'_> {
        match &self.keys {
            Some(keys) => SearchStarts { index: self, probe: Some(keys.probe(key.hash())) },
            None => self.places(grouping.hash(key)),
        }
    }

    /// Prefetches the line that a lookup of a key reads.
    #[inline]
    pub(super) fn prefetch(&self, grouping: &Grouping, key: &LookupKey) {
        match &self.keys {
            Some(keys) => keys.prefetch(key.hash()),
            None => self.prefetch_group(grouping.hash(key)),
        }
    }

    /// Prefetches the line that a search for the group with this hash reads.
    #[inline]
    pub(super) fn prefetch_group(&self, hash: u64) {
        if let Some(groups) = &self.groups {
            groups.prefetch(hash);
        }
    }

    /// The places that may contain a group with this hash; mostly one or none.
    #[inline]
    pub(super) fn places(&self, hash: u64) -> SearchStarts<'_> {
        SearchStarts { index: self, probe: self.groups.as_ref().map(|g| g.probe(hash)) }
    }

    #[inline]
    fn place(&self, place: u32) -> Option<SearchStart<'_>> {
        if place & LONG == 0 {
            return Some(SearchStart { first_row: place as usize - 1, anchors: &[] });
        }
        let long = self.long.get((place & !LONG) as usize - 1)?;
        let (lo, hi) = long.anchors;
        Some(SearchStart {
            first_row: long.first_row as usize,
            anchors: self.anchors.get(lo as usize..hi as usize)?,
        })
    }

    /// The whole file as one place.
    #[inline]
    pub(super) fn everything(&self) -> SearchStart<'_> {
        SearchStart { first_row: 0, anchors: &self.anchors }
    }

    /// The last anchor before `offset`.
    pub(super) fn anchor_before(&self, offset: usize) -> Option<usize> {
        let i = self.anchors.partition_point(|&a| (a as usize) < offset);
        self.anchors.get(i.checked_sub(1)?).map(|&a| a as usize)
    }

    /// The memory in use, in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        [&self.groups, &self.keys].into_iter().flatten().map(HashIndex::bytes).sum::<usize>()
            + self.long.capacity() * size_of::<LongGroup>()
            + self.anchors.capacity() * size_of::<u32>()
    }
}

/// The places that [`RowIndex::places`] found.
#[derive(Clone)]
pub(super) struct SearchStarts<'a> {
    index: &'a RowIndex,
    probe: Option<Probe<'a>>,
}

impl<'a> Iterator for SearchStarts<'a> {
    type Item = SearchStart<'a>;

    #[inline]
    fn next(&mut self) -> Option<SearchStart<'a>> {
        self.index.place(self.probe.as_mut()?.next()?)
    }
}

/// Builds the index while the rows are read in order.
#[derive(Debug)]
pub(super) struct IndexBuilder {
    sparseness: usize,
    groups: Option<Vec<(u64, u32)>>,
    long: Vec<LongGroup>,
    anchors: Vec<u32>,
    rows_since_anchor: usize,
    group: Option<OpenGroup>,
    keys: usize,
    all_full: bool,
}

#[derive(Clone, Copy, Debug)]
struct OpenGroup {
    hash: u64,
    first_row: u32,
    first_anchor: usize,
    rows: usize,
}

impl IndexBuilder {
    /// A new builder. With `hashed`, it builds a table of groups and not only anchors.
    pub(super) fn new(sparseness: usize, hashed: bool) -> IndexBuilder {
        IndexBuilder {
            // Less than one anchor per 64 rows would save nothing and slow reverse iteration down.
            sparseness: sparseness.clamp(1, 64),
            groups: hashed.then(Vec::new),
            long: Vec::new(),
            anchors: Vec::new(),
            rows_since_anchor: 0,
            group: None,
            keys: 0,
            all_full: true,
        }
    }

    /// Whether groups are still being collected.
    pub(super) fn wants_groups(&self) -> bool {
        self.groups.is_some()
    }

    /// Begins a group with the next row, which must be a full one.
    pub(super) fn start_group(&mut self, hash: u64, offset: u32) {
        self.end_group();
        let first_anchor = self.anchors.len();
        self.group = Some(OpenGroup { hash, first_row: offset, first_anchor, rows: 0 });
    }

    /// Gives up groups. They do not start at full rows (the file was written with another
    /// extractor), so a group's first row cannot be read alone: the file must be searched in order.
    pub(super) fn give_up_groups(&mut self) {
        self.groups = None;
        self.long = Vec::new();
        self.group = None;
    }

    /// Announces that the next row is the first one of a user key.
    pub(super) fn start_key(&mut self) {
        self.keys += 1;
    }

    /// The number of user keys for a table of them, if it is worth its memory. Rows must be
    /// readable alone.
    pub(super) fn wants_keys(&self) -> Option<usize> {
        let groups = self.groups.as_ref()?.len() + usize::from(self.group.is_some());
        (self.all_full && self.keys >= KEYS_PER_GROUP * groups.max(1)).then_some(self.keys)
    }

    /// Adds the next row.
    pub(super) fn add_row(&mut self, offset: u32, full: bool) {
        self.all_full &= full;
        if full && (self.anchors.is_empty() || self.rows_since_anchor >= self.sparseness) {
            self.anchors.push(offset);
            self.rows_since_anchor = 0;
        }
        self.rows_since_anchor += 1;
        if let Some(group) = &mut self.group {
            group.rows += 1;
        }
    }

    fn end_group(&mut self) {
        let (Some(group), Some(groups)) = (self.group.take(), &mut self.groups) else { return };
        let anchors = (group.first_anchor as u32, self.anchors.len() as u32);
        let place = if group.rows > self.sparseness && anchors.0 < anchors.1 {
            self.long.push(LongGroup { first_row: group.first_row, anchors });
            LONG | self.long.len() as u32
        } else {
            group.first_row + 1
        };
        groups.push((group.hash, place));
    }

    /// The index over the added rows. `fill` is `hash_table_ratio`.
    pub(super) fn finish(mut self, fill: f64) -> Result<RowIndex> {
        self.end_group();
        self.anchors.shrink_to_fit();
        self.long.shrink_to_fit();
        let groups = match self.groups {
            Some(entries) => {
                let mut table = HashIndex::new(entries.len(), fill)?;
                table.extend(entries.into_iter());
                Some(table)
            }
            None => None,
        };
        Ok(RowIndex { groups, keys: None, long: self.long, anchors: self.anchors })
    }
}

#[cfg(test)]
#[path = "index_test.rs"]
mod tests;
