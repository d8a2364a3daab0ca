//! An open block-based table: point lookups, and queries of the LSM tree.
//!
//! The hit path of a lookup takes no lock, writes to no shared line and allocates nothing: the
//! filter is one cache line, the fences are flat arrays, the block is reached through its slot
//! under an epoch pin, and its fingerprints lead to the entry.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::block::Block;
use super::counting::{CachedParts, count_hit, perf_hit};
use super::fingerprints::Fingerprints;
use super::parts::{LateParts, Parts, TableFilter};
use super::readahead::{Pacing, Readahead};
use super::source::BlockSource;
use super::view::{Found, kind_of};
use crate::base::hash::hash64;
use crate::base::key::{sequence, trailer, user_key};
use crate::base::perf::{self, PerfMetric, PerfTimer};
use crate::base::pinned::Pin;
use crate::base::{KeyOrder, LookupKey, MAX_SEQUENCE_NUMBER, PinnedValue, SeqNo};
use crate::budget::Charge;
use crate::cache::{Held, Reservation, SlotArray};
use crate::compress::Dictionary;
use crate::env::epoch;
use crate::env::sync::OnceLock;
use crate::env::sync::atomic::AtomicBool;
use crate::error::{Error, Result};
use crate::hooks::SliceTransform;
use crate::iter::GetContext;
use crate::options::ReadOptions;
use crate::rangedel::Fragments;
use crate::sst::BlockAccess;
use crate::sst::properties::TableProperties;
use crate::stats::{self, Activity, Statistics, Ticker, busy_unless_known};
use std::sync::Arc;

/// An open block-based table.
pub struct BlockBasedTable {
    pub(super) source: BlockSource,
    pub(super) order: KeyOrder,
    pub(super) parts: LateParts,
    /// Whether the filter contains whole keys.
    pub(super) whole_keys: bool,
    /// If the filter contains prefixes, the extractor that produces them.
    pub(super) prefixes: Option<Arc<dyn SliceTransform>>,
    /// Whether blocks may be searched by fingerprints.
    pub(super) fingerprints: bool,
    /// Whether `range_tombstones` is set. This flag is next to others that every lookup reads, so that it costs no
    /// additional cache line.
    pub(super) has_range_tombstones: bool,
    pub(super) range_tombstones: Option<Arc<Fragments>>,
    pub(super) dictionary: Option<Dictionary>,
    /// The sequence number of every entry, if the file was ingested.
    pub(super) global_seqno: Option<SeqNo>,
    pub(super) properties: TableProperties,
    /// The readahead of iterators that request none.
    pub(super) pacing: Pacing,
    pub(super) statistics: Option<Arc<Statistics>>,
    /// Whether the file is, or was when it was opened, on the last level; used by statistics.
    pub(super) at_last_level: bool,
    /// The sizes of index and filter in the cache's budget, if they are charged to it; used by
    /// statistics.
    pub(super) cached: Option<Box<CachedParts>>,
    /// The reservation of index and filter in the cache's budget, if they are charged to it.
    pub(super) _reservation: Option<Reservation>,
    /// What is charged for everything except index and filter, if memory is limited.
    pub(super) charge: OnceLock<Charge>,
}

/// The key of a lookup in the table.
pub(super) struct Lookup<'a> {
    pub(super) user_key: &'a [u8],
    hash: u64,
    seq: SeqNo,
    /// Entries with larger trailers are too new, or need not be visited.
    pub(super) max_trailer: u64,
}

impl Lookup<'_> {
    /// A lookup of a user key with this hash at `seq`.
    pub(super) fn new(user_key: &[u8], hash: u64, seq: SeqNo, max_trailer: u64) -> Lookup<'_> {
        Lookup { user_key, hash, seq, max_trailer }
    }
}

impl BlockBasedTable {
    /// Fences, filter and slots, which are loaded if necessary.
    #[inline]
    pub(super) fn parts(&self) -> Result<&Parts> {
        self.parts.get(&self.source, &self.order)
    }

    /// See [`crate::sst::Table::read_parts`].
    pub fn read_parts(&self, cancelled: &AtomicBool) -> Result<()> {
        self.parts.read(&self.source, &self.order, cancelled).map(|_| ())
    }

    /// Looks a key up; see [`crate::sst::Table::get`].
    #[inline]
    pub fn get(&self, key: &LookupKey, ro: &ReadOptions, ctx: &mut GetContext) -> Result<()> {
        let user_key = key.user_key();
        let hash = key.hash();
        let t = trailer(key.internal_key());
        if self.has_range_tombstones {
            self.cover(user_key, t >> 8, ctx);
        }
        // Entries of an ingested file have a stored sequence number of 0 and an effective one of
        // `global_seqno`.
        let max_trailer = if self.global_seqno.is_some() { u64::MAX } else { t };
        let lookup = Lookup { user_key, hash, seq: t >> 8, max_trailer };
        let parts = match self.parts.ready() {
            Some(parts) => parts,
            None => match self.get_early(&lookup, ro, ctx)? {
                Some(parts) => parts,
                None => return Ok(()),
            },
        };
        let counts = self.statistics.is_some() || perf::is_used();
        if counts && let Some(cached) = &self.cached {
            cached.count_filter_use(&self.statistics);
        }
        let allowed = self.filter_allows(&parts.filter, user_key, hash, t);
        if counts {
            self.count_filter_answer(&parts.filter, allowed);
            ctx.forget_seen();
        }
        if !allowed {
            return Ok(());
        }
        let i = parts.fences.find(&self.order, user_key, max_trailer);
        self.get_from(parts, i, &lookup, ro, ctx)?;
        if counts {
            self.count_outcome(&parts.filter, ctx);
        }
        Ok(())
    }

    /// Looks a key up in block `i` and, if necessary, in the following ones.
    #[inline]
    pub(super) fn get_from(
        &self,
        parts: &Parts,
        mut i: usize,
        lookup: &Lookup,
        ro: &ReadOptions,
        ctx: &mut GetContext,
    ) -> Result<()> {
        while i < parts.fences.len() {
            let found = self.get_in_block(parts, i, lookup, ro, ctx)?;
            if found == Found::Finished || parts.fences.keys_stay_in_one_block() {
                break;
            }
            i += 1;
        }
        Ok(())
    }

    /// Counts the filter's answer.
    #[cold]
    pub(super) fn count_filter_answer(&self, filter: &TableFilter, allowed: bool) {
        if matches!(filter, TableFilter::None) {
            return;
        }
        let metric =
            if allowed { PerfMetric::BloomSstHitCount } else { PerfMetric::BloomSstMissCount };
        perf::count(metric, 1);
        let Some(stats) = &self.statistics else { return };
        match (self.whole_keys, allowed) {
            (true, true) => stats.add(Ticker::BloomFilterFullPositive, 1),
            (true, false) => stats.add(Ticker::BloomFilterUseful, 1),
            (false, _) => self.count_prefix_answer(allowed),
        }
    }

    fn count_prefix_answer(&self, allowed: bool) {
        stats::add(&self.statistics, Ticker::BloomFilterPrefixChecked, 1);
        if !allowed {
            stats::add(&self.statistics, Ticker::BloomFilterPrefixUseful, 1);
        }
    }

    /// Counts a lookup that the filter admitted: uses of the index, and whether the key was found.
    #[cold]
    pub(super) fn count_outcome(&self, filter: &TableFilter, ctx: &GetContext) {
        if let Some(cached) = &self.cached {
            cached.count_index_use(&self.statistics);
        }
        if ctx.has_seen() && !matches!(filter, TableFilter::None) {
            let ticker = match self.whole_keys {
                true => Ticker::BloomFilterFullTruePositive,
                false => Ticker::BloomFilterPrefixTruePositive,
            };
            stats::add(&self.statistics, ticker, 1);
        }
    }

    /// Prefetches what a lookup of the key reads first.
    #[inline]
    pub fn prefetch(&self, key: &LookupKey) {
        if let Some(Parts { filter: TableFilter::Full(filter), .. }) = self.parts.ready() {
            filter.walk_ahead(key.hash());
        }
    }

    #[cold]
    fn cover(&self, user_key: &[u8], at: SeqNo, ctx: &mut GetContext) {
        if let Some(tombstones) = &self.range_tombstones {
            ctx.cover(|| tombstones.newest_over(user_key, at));
        }
    }

    /// See [`crate::sst::Table::range_tombstones`].
    pub fn range_tombstones(&self) -> Option<&Arc<Fragments>> {
        self.range_tombstones.as_ref()
    }

    /// See [`crate::sst::Table::clip_range_tombstones`].
    pub fn clip_range_tombstones(&mut self, smallest: &[u8], largest: &[u8]) {
        let Some(all) = self.range_tombstones.take() else { return };
        let mut upper = user_key(largest).to_vec();
        if sequence(largest) != MAX_SEQUENCE_NUMBER {
            // The boundary is an entry. Tombstones may extend past it only in files of old releases, which could split
            // a user key. In other orders the next possible key is unknown.
            upper.push(0);
        }
        let is_ordered = sequence(largest) == MAX_SEQUENCE_NUMBER || self.order.is_bytewise();
        let clipped = all.clipped(Some(user_key(smallest)), is_ordered.then_some(&upper));
        self.range_tombstones = Some(Arc::new(clipped)).filter(|left| !left.is_empty());
        self.has_range_tombstones = self.range_tombstones.is_some();
    }

    #[inline]
    pub(super) fn filter_allows(
        &self,
        filter: &TableFilter,
        user_key: &[u8],
        hash: u64,
        t: u64,
    ) -> bool {
        let filter = match filter {
            TableFilter::None => return true,
            TableFilter::Full(filter) => filter,
            TableFilter::Partitioned(fences, filters) => {
                let i = fences.find(&self.order, user_key, t);
                match filters.get(i).or(filters.last()) {
                    Some(filter) => filter,
                    None => return true,
                }
            }
        };
        if self.whole_keys {
            return filter.may_match(user_key, hash);
        }
        match &self.prefixes {
            Some(extractor) if extractor.in_domain(user_key) => {
                let prefix = extractor.transform(user_key);
                filter.may_match(prefix, hash64(prefix))
            }
            _ => true,
        }
    }

    /// Whether a key at or after this one may have its prefix; true if the filter does not decide.
    pub(super) fn seek_may_match(&self, filter: &TableFilter, user_key: &[u8], t: u64) -> bool {
        let Some(extractor) = self.prefixes.as_ref().filter(|e| e.in_domain(user_key)) else {
            return true;
        };
        let prefix = extractor.transform(user_key);
        let hash = hash64(prefix);
        let may = match filter {
            TableFilter::None => return true,
            TableFilter::Full(filter) => filter.may_match(prefix, hash),
            // A partition's bound may be after its last key: then the first key is that of the next partition.
            TableFilter::Partitioned(fences, filters) => {
                let from = fences.find(&self.order, user_key, t).min(filters.len());
                from == filters.len()
                    || filters.iter().skip(from).take(2).any(|f| f.may_match(prefix, hash))
            }
        };
        self.count_seek_filter(may);
        may
    }

    /// Whether a key with the prefix of this one may exist, wherever it is; true if the filter does not decide, as a
    /// partitioned one, since the prefix may be in any partition.
    pub(super) fn may_have_prefix_of(&self, filter: &TableFilter, user_key: &[u8]) -> bool {
        let extractor = self.prefixes.as_ref().filter(|e| e.in_domain(user_key));
        let (Some(extractor), TableFilter::Full(filter)) = (extractor, filter) else { return true };
        let prefix = extractor.transform(user_key);
        let may = filter.may_match(prefix, hash64(prefix));
        self.count_seek_filter(may);
        may
    }

    #[inline]
    fn get_in_block(
        &self,
        parts: &Parts,
        i: usize,
        lookup: &Lookup,
        ro: &ReadOptions,
        ctx: &mut GetContext,
    ) -> Result<Found> {
        if let Some(slots) = &parts.slots {
            let guard = epoch::pin();
            if let Some(node) = slots.load(i, &guard) {
                node.touch();
                let block = node.object();
                perf_hit(block);
                if let Some(stats) = &self.statistics {
                    count_hit(stats, block);
                    if let Some(cached) = &self.cached {
                        cached.count_dictionary_use(&self.statistics);
                    }
                }
                let fingerprints =
                    if self.fingerprints { self.fingerprints_of(block, slots, i) } else { None };
                let found = self.search(block, fingerprints, lookup, ctx, &SlotPin { slots, i });
                return found.map_err(|e| self.in_block(i, e));
            }
        }
        let node = self.load(parts, i, BlockAccess::of(ro), None, None)?;
        let found = self.search(node.object(), None, lookup, ctx, &NodePin(&node));
        found.map_err(|e| self.in_block(i, e))
    }

    #[inline]
    fn fingerprints_of<'a>(
        &self,
        block: &'a Block,
        slots: &SlotArray<Block>,
        i: usize,
    ) -> Option<&'a Fingerprints> {
        match block.fingerprints() {
            Some(fingerprints) => fingerprints,
            None => {
                note_lookup(block, slots, i);
                None
            }
        }
    }

    #[inline]
    pub(super) fn search(
        &self,
        block: &Block,
        fingerprints: Option<&Fingerprints>,
        lookup: &Lookup,
        ctx: &mut GetContext,
        pin: &dyn Pin,
    ) -> Result<Found> {
        // A timer that always exists would cost a lookup more than its branch, since it must be dropped on each return
        // path.
        if perf::is_used() {
            return self.search_timed(block, fingerprints, lookup, ctx, pin);
        }
        self.search_in(block, fingerprints, lookup, ctx, pin)
    }

    #[cold]
    #[inline(never)]
    fn search_timed(
        &self,
        block: &Block,
        fingerprints: Option<&Fingerprints>,
        lookup: &Lookup,
        ctx: &mut GetContext,
        pin: &dyn Pin,
    ) -> Result<Found> {
        let _timer = PerfTimer::start(PerfMetric::BlockSeekNanos);
        self.search_in(block, fingerprints, lookup, ctx, pin)
    }

    #[inline]
    fn search_in(
        &self,
        block: &Block,
        fingerprints: Option<&Fingerprints>,
        lookup: &Lookup,
        ctx: &mut GetContext,
        pin: &dyn Pin,
    ) -> Result<Found> {
        let visit = |t: u64, value: &[u8]| self.save(lookup.seq, t, value, ctx, pin);
        let (view, key, max) = (block.view(), lookup.user_key, lookup.max_trailer);
        match fingerprints {
            Some(fingerprints) => fingerprints.find(view, lookup.hash, key, max, visit),
            None => view.find(&self.order, key, max, visit),
        }
    }

    /// Passes an entry of the key to `ctx` if readers at `at` see it. Returns whether older entries are needed.
    #[inline]
    pub(super) fn save(
        &self,
        at: SeqNo,
        t: u64,
        value: &[u8],
        ctx: &mut GetContext,
        pin: &dyn Pin,
    ) -> Result<bool> {
        let seq = self.global_seqno.unwrap_or(t >> 8);
        if seq > at {
            return Ok(true);
        }
        Ok(ctx.save(seq, kind_of(t)?, value, Some(pin)))
    }

    /// Adds the file and the block's location to an error.
    #[cold]
    pub(super) fn in_block(&self, i: usize, e: Error) -> Error {
        let handle = self.parts.ready().and_then(|parts| parts.fences.handle(i));
        self.source.locate(handle.unwrap_or_default(), e)
    }

    /// Whether keys with this prefix may exist; true if the filter does not decide.
    pub fn prefix_may_match(&self, user_prefix: &[u8]) -> bool {
        // If the parts cannot be read, the next operation returns the error.
        match self.parts().map(|parts| &parts.filter) {
            Ok(TableFilter::Full(filter)) if self.prefixes.is_some() => {
                let may = filter.may_match(user_prefix, hash64(user_prefix));
                self.count_prefix_answer(may);
                may
            }
            _ => true,
        }
    }

    /// The approximate number of bytes of the file before this key.
    pub fn approximate_offset_of(&self, internal_key: &[u8]) -> Result<u64> {
        let cut = internal_key.len().saturating_sub(crate::base::key::TRAILER_SIZE);
        let user_key = internal_key.get(..cut).unwrap_or_default();
        let fences = &self.parts()?.fences;
        let i = fences.find(&self.order, user_key, trailer(internal_key));
        Ok(match fences.handle(i) {
            Some(handle) => handle.offset,
            None => {
                let last = fences.len().checked_sub(1).and_then(|i| fences.handle(i));
                last.and_then(|handle| handle.end()).unwrap_or(0)
            }
        })
    }

    /// The file's properties.
    pub fn properties(&self) -> &TableProperties {
        &self.properties
    }

    /// The place of the charge for everything except index and filter, and the number of bytes.
    pub(in crate::sst) fn fixed_charge(&self) -> (&OnceLock<Charge>, usize) {
        (&self.charge, self.memory_usage() - self.parts.memory_usage())
    }

    /// The memory outside the cache's blocks, in bytes.
    pub fn memory_usage(&self) -> usize {
        let parts = self.parts.memory_usage();
        let tombstones = self.range_tombstones.as_ref().map_or(0, |t| t.memory_usage());
        let dictionary = self.dictionary.as_ref().map_or(0, |d| d.bytes().len());
        size_of::<BlockBasedTable>() + parts + tombstones + dictionary
    }

    /// Reads and checks every data block of the file.
    pub fn verify_checksums(&self) -> Result<()> {
        let mut readahead = Readahead::new(Pacing::fixed(1 << 20));
        let _busy = busy_unless_known(Activity::VerifyDbChecksum);
        let fences = &self.parts()?.fences;
        for i in 0..fences.len() {
            let handle = fences.handle(i).unwrap_or_default();
            self.source.read_data(
                handle,
                self.dictionary.as_ref(),
                Some(&mut readahead),
                &mut |_| None,
            )?;
            stats::add(&self.statistics, Ticker::VerifyChecksumReadBytes, handle.size);
        }
        Ok(())
    }
}

/// Builds the fingerprints of a cached block at its second point lookup. If the lock for charging them to the cache is
/// taken, a later lookup builds them.
#[cold]
fn note_lookup(block: &Block, slots: &SlotArray<Block>, i: usize) {
    if !block.is_looked_up_again() || slots.is_busy(i) {
        return;
    }
    // Freed after the lock is released, if another thread was faster.
    let mut fingerprints = Fingerprints::build(block.view());
    match fingerprints.as_ref().map_or(0, Fingerprints::memory_usage) {
        0 => {
            block.keep_fingerprints(&mut fingerprints);
        }
        size => slots.try_grow(i, size, |cached| {
            std::ptr::eq(cached, block) && block.keep_fingerprints(&mut fingerprints)
        }),
    }
}

/// Keeps the block of a value alive that was found through its slot.
pub(super) struct SlotPin<'a> {
    pub(super) slots: &'a SlotArray<Block>,
    pub(super) i: usize,
}

impl Pin for SlotPin<'_> {
    fn pin(&self, value: &[u8]) -> Option<PinnedValue> {
        // If the slot was refilled in the meantime, the value is not part of its current block.
        PinnedValue::part_of(Arc::new(self.slots.hold(self.i)?), value)
    }
}

/// Keeps the block of a value alive that is reference-counted.
pub(super) struct NodePin<'a>(pub(super) &'a Held<Block>);

impl Pin for NodePin<'_> {
    fn pin(&self, value: &[u8]) -> Option<PinnedValue> {
        PinnedValue::part_of(Arc::new(self.0.clone()), value)
    }
}
