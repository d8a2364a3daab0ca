//! The iterator over a block-based table.
//!
//! It is positioned in one block at a time, on which it holds a reference. Blocks that are not
//! cached are read ahead: little at first, more while the reads stay sequential, and much for
//! compactions.
//!
//! From cached blocks the iterator prefetches what it will soon need: the first entries of the
//! interval that it seeks to, and near the end of a block the next block (`pace`).

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::block::Block;
use super::cursor::Cursor;
use super::loading::Loaded;
use super::parts::Parts;
use super::readahead::{Pacing, Progress, Readahead};
use super::source::BlockInBuffer;
use super::table::BlockBasedTable;
use super::view::BlockView;
use crate::base::key::{TRAILER_SIZE, trailer};
use crate::base::perf::{PerfMetric, PerfTimer};
use crate::base::prefetch::{LINE, prefetch_bytes};
use crate::base::{InternalIterator, SeqNo};
use crate::budget::{Charge, MemoryOwner};
use crate::cache::{Held, Node};
use crate::env::epoch;
use crate::error::{Error, Result};
use crate::sst::{BlockAccess, ScanEnd, Table, TableIterOptions};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// At this many bytes before the end of a block, the next block's object is prefetched.
const NEXT_BLOCK_FROM: usize = 1024;
/// At this many bytes before the end of a block, the next block's entries are prefetched.
const NEXT_ENTRIES_FROM: usize = 512;
/// The number of bytes of entries that are prefetched at once. The hardware prefetcher covers the
/// following ones.
const AHEAD: usize = 12 * LINE;
/// The window of compactions in bytes. The windows of about a dozen inputs should fit the second-level cache together.
/// What is read ahead beyond them waits in the page cache.
const COMPACTION_WINDOW: usize = 64 << 10;
/// The readahead of compactions with direct I/O that request none, as in RocksDB.
const DIRECT_COMPACTION_WINDOW: usize = 2 << 20;

/// An iterator over a block-based table.
pub struct TableIter {
    table: Arc<Table>,
    access: BlockAccess,
    readahead: Readahead,
    scan_end: ScanEnd,
    /// The index of `block`.
    i: usize,
    block: Option<Held<Block>>,
    /// The current block if it is in the buffer of `readahead`.
    in_buffer: Option<BlockInBuffer>,
    /// What is charged for copies of blocks, if memory is limited. Then the iterator copies blocks instead of holding
    /// them: an open iterator would keep the cache from returning whole pages.
    copies: Option<Charge>,
    /// The blocks that the iterator has left, if they stay pinned.
    pinned: Option<BTreeMap<usize, Held<Block>>>,
    cursor: Cursor,
    /// The offset in the block at which the next prefetch is due.
    pace_at: usize,
    valid: bool,
    /// Whether a block was entered since the last seek, and counted in the statistics.
    seek_counted: bool,
    /// Whether the iterator was released since it was last counted as created.
    released: bool,
    for_compaction: bool,
    /// Whether seeks check the prefix filter.
    asks_filter: bool,
    error: Option<Error>,
    /// The key with the sequence number of the ingested file; unused for other files.
    ingested: Option<(SeqNo, Vec<u8>)>,
}

impl TableIter {
    /// An iterator over a table, which must be block-based.
    pub fn new(table: Arc<Table>, ro: &TableIterOptions) -> Result<TableIter> {
        let _timer = PerfTimer::start(PerfMetric::NewTableIteratorNanos);
        let Table::BlockBased(inner) = &*table else {
            return Err(Error::invalid_argument("not a block-based table"));
        };
        inner.parts()?;
        inner.count_iterator();
        let owner = match ro.for_compaction {
            true => MemoryOwner::Compactions,
            false => MemoryOwner::Iterators,
        };
        let account = inner.parts.account();
        let readahead = Readahead::new(pacing(inner, ro)).with_account(account, owner);
        let copies = account.filter(|_| !ro.for_compaction);
        Ok(TableIter {
            ingested: inner.global_seqno.map(|seq| (seq, Vec::new())),
            access: BlockAccess {
                fill_cache: ro.access.fill_cache && !ro.for_compaction,
                ..ro.access
            },
            readahead,
            scan_end: ro.readahead.scan_end.clone(),
            i: 0,
            block: None,
            in_buffer: None,
            copies: copies.map(|account| account.charge(owner, 0)),
            pinned: ro.pin.then(BTreeMap::new),
            cursor: Cursor::default(),
            pace_at: usize::MAX,
            valid: false,
            seek_counted: ro.for_compaction,
            released: false,
            for_compaction: ro.for_compaction,
            asks_filter: ro.within_one_prefix,
            error: None,
            table,
        })
    }

    /// How far sequential reads have come.
    pub fn progress(&self) -> Progress {
        self.readahead.progress()
    }

    /// Continues the sequential reads of an iterator over the previous table.
    pub fn continue_from(&mut self, progress: Progress) {
        self.readahead.continue_from(progress);
    }

    /// Makes block `i` the current one; false if it does not exist or cannot be read.
    fn enter(&mut self, i: usize) -> bool {
        if self.i == i && (self.block.is_some() || self.in_buffer.is_some()) {
            return true;
        }
        let left = self.leave();
        let (table, parts) = (inner(&self.table), parts(&self.table));
        if i >= parts.fences.len() {
            return false;
        }
        if table.statistics.is_some() && !self.seek_counted {
            table.count_seek();
            self.seek_counted = true;
            if std::mem::take(&mut self.released) {
                // Reusing an iterator counts like creating one.
                table.count_iterator();
            }
        }
        let readahead = (&mut self.readahead, &self.scan_end);
        if self.for_compaction {
            let loaded = table.load_scanned(parts, i, self.access, readahead, left);
            // The blocks of a compaction are rarely cached, so none are prefetched.
            (self.i, self.pace_at) = (i, usize::MAX);
            match loaded {
                Ok(Loaded::Held(block)) => self.block = Some(block),
                Ok(Loaded::InBuffer(block)) => self.in_buffer = Some(block),
                Err(e) => self.error = Some(e),
            }
            return self.error.is_none();
        }
        let kept = self.pinned.as_ref().and_then(|pinned| pinned.get(&i));
        let load = || table.load(parts, i, self.access, Some(readahead), left);
        let loaded = kept.map_or_else(load, |block| Ok(block.clone()));
        let loaded = match (&mut self.copies, kept) {
            (Some(charge), None) => {
                loaded.and_then(|block| copied(block, parts, charge, self.pinned.is_some()))
            }
            _ => loaded,
        };
        match loaded {
            Ok(block) => {
                self.pace_at = block.object().entries_len().saturating_sub(NEXT_BLOCK_FROM);
                (self.i, self.block) = (i, Some(block));
                true
            }
            Err(e) => {
                self.error = Some(e);
                false
            }
        }
    }

    /// Leaves the current block: returns it, or pins it.
    #[inline]
    fn leave(&mut self) -> Option<Held<Block>> {
        self.in_buffer = None;
        let block = self.block.take()?;
        match &mut self.pinned {
            None => Some(block),
            Some(pinned) => {
                pinned.insert(self.i, block);
                None
            }
        }
    }

    /// Moves the cursor within the current block; returns false if this leaves the block or fails.
    #[inline]
    fn step(&mut self, go: impl FnOnce(&mut Cursor, &BlockView<'_>) -> Result<bool>) -> bool {
        let Some(view) = view(&self.block, &self.in_buffer, &self.readahead) else { return false };
        let moved = go(&mut self.cursor, &view);
        self.settle(moved)
    }

    /// Evaluates a move of the cursor; returns false if it left the block or failed.
    #[inline]
    fn settle(&mut self, moved: Result<bool>) -> bool {
        match moved {
            Ok(true) if self.cursor.key().len() >= TRAILER_SIZE => true,
            Ok(false) => false,
            Ok(true) => {
                let e = Error::corruption("an internal key is shorter than its trailer");
                self.fail_in_block(e)
            }
            Err(e) => self.fail_in_block(e),
        }
    }

    #[cold]
    fn fail_in_block(&mut self, e: Error) -> bool {
        self.error = Some(inner(&self.table).in_block(self.i, e));
        self.leave();
        false
    }

    /// Prefetches the next block: first its object, and, when the scan is halfway from there to the
    /// end of the current block, its entries.
    #[cold]
    fn pace(&mut self) {
        self.pace_at = usize::MAX;
        let (Some(block), Some(slots)) = (&self.block, &parts(&self.table).slots) else { return };
        let guard = epoch::pin();
        let Some(next) = slots.load(self.i + 1, &guard) else { return };
        let end = block.object().entries_len();
        if self.cursor.next_offset() + NEXT_ENTRIES_FROM < end {
            prefetch_bytes(std::ptr::from_ref(next).cast(), size_of::<Node<Block>>());
            self.pace_at = end.saturating_sub(NEXT_ENTRIES_FROM);
        } else {
            prefetch_bytes(next.object().view().entries().as_ptr(), AHEAD);
        }
    }

    fn start(&mut self) {
        self.valid = false;
        self.error = None;
    }

    /// Moves to the first entry of the first non-empty block from `i` on.
    fn first_from(&mut self, mut i: usize) {
        self.valid = loop {
            if !self.enter(i) {
                break false;
            }
            self.cursor.rewind_to_start();
            if self.step(|cursor, block| cursor.next(block)) {
                break true;
            }
            if self.error.is_some() {
                break false;
            }
            i += 1;
        };
        self.arrive();
    }

    /// Moves to the last entry of the last non-empty block before `end`.
    fn last_before(&mut self, mut end: usize) {
        self.valid = loop {
            let Some(i) = end.checked_sub(1) else {
                self.leave();
                break false;
            };
            if !self.enter(i) {
                break false;
            }
            if self.step(|cursor, block| cursor.seek_to_last(block)) {
                break true;
            }
            if self.error.is_some() {
                break false;
            }
            end = i;
        };
        self.arrive();
    }

    /// Moves to the first entry at or after an internal key.
    fn seek_to(&mut self, target: &[u8]) {
        self.start();
        let (user_key, t) = (user_part(target), trailer(target));
        let table = inner(&self.table);
        let (seqno, index_t) = (table.global_seqno, index_trailer(table, target));
        let fences = &parts(&self.table).fences;
        let i = fences.find(&table.order, user_key, index_t);
        self.seek_counted = self.for_compaction;
        let number = fences.number_of(user_key).ok();
        if !self.enter(i) {
            return;
        }
        let order = &inner(&self.table).order;
        let Some(view) = view(&self.block, &self.in_buffer, &self.readahead) else { return };
        let compare = |key: &[u8]| {
            let user = key.get(..key.len().saturating_sub(TRAILER_SIZE)).unwrap_or_default();
            let ordering = order.compare_user(user, user_key);
            ordering.then_with(|| t.cmp(&effective_trailer(key, seqno)))
        };
        let _timer = PerfTimer::start(PerfMetric::BlockSeekNanos);
        let restart_prefixes = self.block.as_ref().map(|block| block.object().restart_prefixes());
        let interval = number.zip(restart_prefixes).and_then(|(x, prefixes)| prefixes.interval(x));
        let moved = match interval {
            Some(start) => {
                prefetch_bytes(view.entries().as_ptr().wrapping_add(start), AHEAD);
                self.cursor.seek_from(&view, start, compare)
            }
            None => self.cursor.seek(&view, compare),
        };
        if self.settle(moved) {
            self.valid = true;
            self.arrive();
        } else if self.error.is_none() {
            self.first_from(i + 1);
        }
    }

    /// Sets the ingested file's sequence number in the key.
    #[inline]
    fn arrive(&mut self) {
        if self.valid
            && let Some((seq, key)) = &mut self.ingested
        {
            let stored = self.cursor.key();
            key.clear();
            key.extend_from_slice(stored);
            let t = (*seq << 8) | (trailer(stored) & 0xFF);
            key.truncate(stored.len().saturating_sub(TRAILER_SIZE));
            key.extend_from_slice(&t.to_le_bytes());
        }
    }
}

/// The current block, which is held or in the buffer.
#[inline(always)]
fn view<'a>(
    block: &'a Option<Held<Block>>,
    in_buffer: &Option<BlockInBuffer>,
    readahead: &'a Readahead,
) -> Option<BlockView<'a>> {
    match block {
        Some(block) => Some(block.object().view()),
        None => in_buffer.as_ref().map(|block| block.view(readahead)),
    }
}

/// The readahead of an iterator with these options.
fn pacing(table: &BlockBasedTable, ro: &TableIterOptions) -> Pacing {
    let (direct, size) = (table.source.is_direct(), ro.readahead.size);
    // If the system does not read ahead by itself, it is asked to, window by window.
    let asynchronous = ro.readahead.asynchronous || table.pacing.is_asynchronous();
    match (ro.for_compaction, direct, size) {
        (true, true, 0) => Pacing::fixed(DIRECT_COMPACTION_WINDOW),
        (true, false, 0) => Pacing::fixed(COMPACTION_WINDOW).in_pages().asynchronous(asynchronous),
        (true, false, size @ COMPACTION_WINDOW..) => {
            Pacing::fixed(COMPACTION_WINDOW).in_pages().announcing(size)
        }
        (false, _, 0) => table.pacing.asynchronous(asynchronous),
        (_, _, size) => Pacing::fixed(size).asynchronous(asynchronous),
    }
}

/// Copies a block, and charges the copy until the next one replaces it. If blocks stay `pinned`, all copies are
/// charged: each is made once.
#[cold]
fn copied(
    block: Held<Block>,
    parts: &Parts,
    charge: &mut Charge,
    pinned: bool,
) -> Result<Held<Block>> {
    let Some(copy) = block.object().copy_outside() else { return Ok(block) };
    let copy = copy?.with_marks(parts.fences.common());
    let before = if pinned { charge.bytes() } else { 0 };
    charge.set(before + copy.charge());
    Ok(Held::outside(copy))
}

fn inner(table: &Table) -> &BlockBasedTable {
    match table {
        Table::BlockBased(table) => table,
        Table::Plain(_) | Table::Cuckoo(_) => unreachable!("`new` refuses other tables"),
    }
}

fn parts(table: &Table) -> &Parts {
    match inner(table).parts.ready() {
        Some(parts) => parts,
        None => unreachable!("`new` reads them"),
    }
}

#[inline]
fn user_part(internal_key: &[u8]) -> &[u8] {
    internal_key.get(..internal_key.len().saturating_sub(TRAILER_SIZE)).unwrap_or_default()
}

/// The trailer for searching the index. The index contains stored trailers only, so for an ingested file the search is
/// for the user key's first entry.
#[inline]
fn index_trailer(table: &BlockBasedTable, target: &[u8]) -> u64 {
    if table.global_seqno.is_some() { u64::MAX } else { trailer(target) }
}

/// The trailer of a stored key that readers see: with the ingested file's sequence number.
#[inline]
fn effective_trailer(key: &[u8], seqno: Option<SeqNo>) -> u64 {
    let t = trailer(key);
    seqno.map_or(t, |seq| (seq << 8) | (t & 0xFF))
}

impl InternalIterator for TableIter {
    #[inline]
    fn valid(&self) -> bool {
        self.valid
    }

    fn release(&mut self) -> bool {
        self.start();
        (self.block, self.in_buffer) = (None, None);
        if let Some(charge) = &mut self.copies {
            charge.set(0);
        }
        self.readahead.release();
        self.seek_counted = self.for_compaction;
        self.released = true;
        self.pinned.is_none()
    }

    fn seek_to_first(&mut self) {
        self.start();
        self.first_from(0);
    }

    fn seek_to_last(&mut self) {
        self.start();
        self.last_before(parts(&self.table).fences.len());
    }

    fn seek(&mut self, target: &[u8]) {
        if self.asks_filter {
            let table = inner(&self.table);
            let (user_key, t) = (user_part(target), index_trailer(table, target));
            if !table.seek_may_match(&parts(&self.table).filter, user_key, t) {
                return self.start();
            }
        }
        self.seek_to(target);
    }

    fn seek_for_prev_within(&mut self, target: &[u8], lower: &[u8]) {
        if self.asks_filter {
            let table = inner(&self.table);
            if !table.may_have_prefix_of(&parts(&self.table).filter, lower) {
                return self.start();
            }
        }
        self.seek_for_prev(target);
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        // The target may be after all keys with the reader's prefix, so its own prefix says nothing.
        self.seek_to(target);
        if self.error.is_some() {
            return;
        }
        if !self.valid {
            self.seek_to_last();
        } else if inner(&self.table).order.compare(self.key(), target) != Ordering::Equal {
            self.prev();
        }
    }

    #[inline]
    fn next(&mut self) {
        debug_assert!(self.valid);
        if self.step(|cursor, block| cursor.next(block)) {
            self.arrive();
            if self.cursor.next_offset() > self.pace_at {
                self.pace();
            }
        } else if self.error.is_none() {
            self.first_from(self.i + 1);
        } else {
            self.valid = false;
        }
    }

    fn prev(&mut self) {
        debug_assert!(self.valid);
        if self.step(|cursor, block| cursor.prev(block)) {
            self.arrive();
        } else if self.error.is_none() {
            self.last_before(self.i);
        } else {
            self.valid = false;
        }
    }

    #[inline]
    fn key(&self) -> &[u8] {
        match &self.ingested {
            None => self.cursor.key(),
            Some((_, key)) => key,
        }
    }

    #[inline]
    fn value(&self) -> &[u8] {
        let (from, to) = self.cursor.value_range();
        match view(&self.block, &self.in_buffer, &self.readahead) {
            Some(view) => view.slice(from, to),
            None => &[],
        }
    }

    fn status(&self) -> Result<()> {
        self.error.clone().map_or(Ok(()), Err)
    }
}
