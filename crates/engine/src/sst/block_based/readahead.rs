//! The readahead buffer of an iterator over a block-based table.
//!
//! A miss reads a window: the wanted block and what probably follows. The next miss keeps the part of the buffer that
//! it still needs, usually the beginning of a block that the window cut, and reads only what follows that part. With
//! direct I/O, windows begin and end at multiples of the file's alignment, so that they need no copy.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use crate::budget::{Charge, IoPriority, MemoryAccount, MemoryOwner, priority_of_reads};
use crate::env::ahead::Ahead;
use crate::env::io_pool;
use crate::env::mapping::LargeVec;
use crate::error::Result;
use crate::fs::RandomAccessFile;
use crate::options::BlockBasedTableOptions;
use crate::sst::format::{read_exact_at, truncated_read};
use crate::stats::{self, Activity, HistogramType, Statistics, Ticker};
use std::sync::Arc;

/// The largest window in bytes: a program may request any number.
const WINDOW_LARGEST: usize = 1 << 30;

/// The size of a page of the system's cache in bytes.
const PAGE: u64 = 4 << 10;

/// What an iterator over a table takes besides its buffer, in bytes.
const ITERATOR: usize = 1 << 10;

/// When an iterator reads ahead, and how much.
#[derive(Clone, Copy, Debug)]
pub struct Pacing {
    /// The number of sequential reads that come before the first window.
    after: u64,
    /// The sizes of the first window and of the largest one in bytes; windows double.
    first: usize,
    largest: usize,
    /// Whether to read the next window while the current one is in use.
    asynchronous: bool,
    /// Whether windows end at the end of a page of the system's cache, which then is not read twice.
    in_pages: bool,
    /// The number of bytes that the system is asked to read ahead, where it can do that; 0 means none.
    announced: u32,
}

impl Pacing {
    /// Windows of `size` bytes from the first read on.
    pub fn fixed(size: usize) -> Pacing {
        let size = size.min(WINDOW_LARGEST);
        let (asynchronous, in_pages) = (false, false);
        Pacing { after: 0, first: size, largest: size, asynchronous, in_pages, announced: 0 }
    }

    /// Windows that begin after some sequential reads and grow, as the options say.
    pub fn automatic(options: &BlockBasedTableOptions) -> Pacing {
        let largest = options.max_auto_readahead_size.min(WINDOW_LARGEST);
        let first = options.initial_auto_readahead_size.min(largest);
        let largest = if first == 0 { 0 } else { largest };
        let after = options.num_file_reads_for_auto_readahead;
        let (asynchronous, in_pages) = (false, false);
        Pacing { after, first, largest, asynchronous, in_pages, announced: 0 }
    }

    /// Whether windows have the size that was requested.
    fn is_fixed(self) -> bool {
        self.after == 0 && self.first == self.largest
    }

    /// The same, with the next window read in the background if `asynchronous`.
    #[must_use]
    pub fn asynchronous(self, asynchronous: bool) -> Pacing {
        Pacing { asynchronous, ..self }
    }

    /// The same, with windows that end at the end of a page, where the system has a cache. They must be larger than a
    /// page.
    #[must_use]
    pub fn in_pages(self) -> Pacing {
        Pacing { in_pages: true, ..self }
    }

    /// Whether the next window is read in the background.
    pub fn is_asynchronous(self) -> bool {
        self.asynchronous
    }

    /// The same, and the system is asked to read `bytes` ahead.
    #[must_use]
    pub fn announcing(self, bytes: usize) -> Pacing {
        Pacing { announced: bytes.min(WINDOW_LARGEST) as u32, ..self }
    }
}

/// How far a sequence of reads has come; the next table of a level may continue it.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    window: usize,
    /// The number of sequential reads so far.
    reads: u64,
}

/// The readahead buffer of an iterator.
pub struct Readahead {
    /// The memory of the buffer. It stays initialised from window to window, so that no window is zeroed first.
    memory: LargeVec<u8>,
    /// The length of the buffer, which is the beginning of `memory`.
    len: usize,
    /// The offset of the buffer in the file.
    start: u64,
    pacing: Pacing,
    progress: Progress,
    /// The offset of the next read if the reads are sequential; `None` if any offset continues the sequence.
    expected: Option<u64>,
    /// Nothing is read ahead beyond this offset.
    limit: u64,
    /// The offset up to which the system was asked to read.
    announced: u64,
    /// The next window and its offset, while it is read in the background.
    next: Option<(u64, Ahead<LargeVec<u8>>)>,
    /// What is charged for the iterator and its buffer, if memory is limited.
    charge: Option<Charge>,
}

impl Readahead {
    /// An empty buffer.
    pub fn new(pacing: Pacing) -> Readahead {
        Readahead {
            memory: LargeVec::new(),
            len: 0,
            start: 0,
            pacing,
            progress: Progress { window: pacing.first, reads: 0 },
            expected: Some(u64::MAX),
            limit: u64::MAX,
            announced: 0,
            next: None,
            charge: None,
        }
    }

    /// Charges the buffer to an account, which also limits how much is read ahead unless that was requested.
    #[must_use]
    pub fn with_account(
        mut self,
        account: Option<&Arc<MemoryAccount>>,
        owner: MemoryOwner,
    ) -> Readahead {
        self.charge = account.map(|account| account.charge(owner, ITERATOR));
        self
    }

    /// Discards the buffered data and starts anew.
    pub fn release(&mut self) {
        let mut charge = self.charge.take();
        if let Some(charge) = &mut charge {
            charge.set(ITERATOR);
        }
        *self = Readahead { charge, ..Readahead::new(self.pacing) };
    }

    /// How far the current sequence of reads has come.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Continues a sequence of reads from another table, with whatever block is read first.
    pub fn continue_from(&mut self, progress: Progress) {
        (self.progress, self.expected) = (progress, None);
    }

    /// Whether these bytes are in the buffer.
    #[inline]
    pub fn has(&self, offset: u64, len: usize) -> bool {
        let within = offset.checked_sub(self.start).map(|at| at as usize);
        within.is_some_and(|at| at.saturating_add(len) <= self.len)
    }

    /// These bytes, if they are in the buffer; otherwise none.
    #[inline]
    pub fn bytes(&self, offset: u64, len: usize) -> &[u8] {
        let at = offset.wrapping_sub(self.start) as usize;
        let buffer = self.memory.get(..self.len).unwrap_or_default();
        buffer.get(at..at.saturating_add(len)).unwrap_or_default()
    }

    /// The offset up to which a read from `offset` would reach if nothing limited it.
    pub fn reach(&self, offset: u64) -> u64 {
        let is_sequential = self.expected.is_none_or(|expected| expected == offset);
        let (window, reads) = match is_sequential {
            true => (self.progress.window, self.progress.reads),
            false => (self.pacing.first, 0),
        };
        if reads >= self.pacing.after { offset.saturating_add(window as u64) } else { offset }
    }

    /// Sets the offset beyond which nothing is read ahead.
    pub fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Whether `len` bytes at `offset` are to be read alone: none of them is in the buffer, and nothing is read ahead
    /// with them. If so, the read is counted, and the caller reads them into their final memory.
    pub fn reads_alone(&mut self, offset: u64, len: usize) -> bool {
        let end = offset.saturating_add(len as u64);
        if self.has(offset, 1) || self.reach(offset) > end {
            return false;
        }
        self.advance(offset);
        self.expected = Some(end);
        true
    }

    /// Reads `len` bytes at `offset`. Nothing is read ahead beyond `end`.
    pub fn read(
        &mut self,
        file: &Arc<dyn RandomAccessFile>,
        offset: u64,
        len: usize,
        end: u64,
        statistics: &Option<Arc<Statistics>>,
    ) -> Result<&[u8]> {
        if self.has(offset, len) {
            count_prefetched(statistics, len);
        } else {
            let wanted = self.advance(offset);
            let reach = self.allowed(offset, wanted);
            let needed = offset.saturating_add(len as u64);
            let end = end.min(self.limit);
            // The page in which the scan ends would be read in pieces.
            let is_whole = self.pacing.in_pages && reach < end;
            let reach = if is_whole { reach / PAGE * PAGE } else { reach };
            self.fill(file, offset, needed, reach.min(end).max(needed), statistics)?;
            // Most scans end within their first two windows.
            let is_long = self.pacing.is_fixed() || self.progress.reads > self.pacing.after + 2;
            if self.pacing.asynchronous && reach > offset && is_long {
                self.begin_next(file, end);
            }
        }
        self.expected = Some(offset.saturating_add(len as u64));
        let at = (offset - self.start) as usize;
        Ok(self.memory.get(at..at + len).unwrap_or_default())
    }

    /// Returns the offset up to which a read from `offset` may reach that should reach up to `wanted`. Frees a buffer
    /// that has become too large.
    #[inline]
    fn allowed(&mut self, offset: u64, wanted: u64) -> u64 {
        let Some(charge) = self.charge.as_ref().filter(|_| !self.pacing.is_fixed()) else {
            return wanted;
        };
        let bytes = wanted.saturating_sub(offset) as usize;
        if charge.account().readahead_of_scan(1) == 0 {
            (self.memory, self.len) = (LargeVec::new(), 0);
            return offset;
        }
        match bytes > self.memory.capacity() {
            true => offset + charge.account().readahead_of_scan(bytes) as u64,
            false => wanted,
        }
    }

    /// Counts a read from `offset`. Returns the offset up to which it should reach.
    fn advance(&mut self, offset: u64) -> u64 {
        let reach = self.reach(offset);
        if self.expected.is_some_and(|expected| expected != offset) {
            self.progress = Progress { window: self.pacing.first, reads: 0 };
        }
        if self.progress.reads >= self.pacing.after {
            let doubled = self.progress.window.saturating_mul(2);
            self.progress.window = doubled.min(self.pacing.largest);
        }
        self.progress.reads = self.progress.reads.saturating_add(1);
        reach
    }

    /// Makes the buffer begin at or before `offset` and end at or after `needed`, if possible at `wanted`.
    fn fill(
        &mut self,
        file: &Arc<dyn RandomAccessFile>,
        offset: u64,
        needed: u64,
        wanted: u64,
        statistics: &Option<Arc<Statistics>>,
    ) -> Result<()> {
        let align = file.alignment() as u64;
        self.keep_from(offset / align * align);
        let position = self.start + self.len as u64;
        if let Some((at, next)) = self.next.take()
            && at == position
            && let Some(bytes) = next.finish()
        {
            count_prefetch(statistics, bytes.len(), 0);
            self.memory.truncate(self.len);
            self.memory.extend_from_slice(&bytes);
            self.len = self.memory.len();
        }
        let (kept, from) = (self.len, self.start + self.len as u64);
        if from >= needed {
            return Ok(());
        }
        let to = wanted.next_multiple_of(align).min(file.size()).max(needed);
        self.announce(&**file, from, to);
        let len = (to - self.start) as usize;
        if len > self.memory.len() {
            self.memory.resize(len, 0);
        }
        if let Some(charge) = &mut self.charge {
            charge.set(ITERATOR + self.memory.capacity());
        }
        let read = file.read_at(from, self.memory.get_mut(kept..len).unwrap_or_default());
        let end = from + *read.as_ref().unwrap_or(&0) as u64;
        if end < needed {
            self.len = 0;
            let (len, found) = ((needed - offset) as usize, end.saturating_sub(offset) as usize);
            return Err(read.err().unwrap_or_else(|| truncated_read(&**file, offset, len, found)));
        }
        self.len = (end - self.start) as usize;
        if to > needed.next_multiple_of(align) {
            count_prefetch(statistics, (to - from) as usize, (needed - from) as usize);
        }
        Ok(())
    }

    /// Moves the buffer's bytes from this offset on to its beginning, and discards the others.
    fn keep_from(&mut self, offset: u64) {
        let at = offset.checked_sub(self.start).and_then(|at| usize::try_from(at).ok());
        match at.filter(|at| *at < self.len) {
            Some(at) => {
                self.memory.copy_within(at..self.len, 0);
                self.len -= at;
            }
            None => self.len = 0,
        }
        self.start = offset;
    }

    /// Asks the system to read ahead, if a read up to `to` passes what it was asked before.
    fn announce(&mut self, file: &dyn RandomAccessFile, from: u64, to: u64) {
        let bytes = u64::from(self.pacing.announced).min(self.limit.saturating_sub(from));
        if bytes > 0 && to > self.announced && file.alignment() == 1 {
            file.will_read(from, bytes);
            self.announced = from + bytes;
        }
    }

    /// Begins to read the window after the buffer: with direct I/O on another thread, otherwise in the system.
    fn begin_next(&mut self, file: &Arc<dyn RandomAccessFile>, end: u64) {
        let align = file.alignment() as u64;
        let from = self.start + self.len as u64;
        let to = from.saturating_add(self.progress.window as u64).min(end);
        let to = to.next_multiple_of(align).min(file.size());
        if self.next.is_some() || from >= to || !from.is_multiple_of(align) {
            return;
        }
        // A rate limiter charges reads to the thread that makes them, which would be another one.
        if priority_of_reads() != IoPriority::Total {
            return;
        }
        if align == 1 {
            return file.will_read(from, to - from);
        }
        // A window on the way would not be charged.
        if self.charge.is_some() {
            return;
        }
        let file = Arc::clone(file);
        let job = move || {
            let mut bytes = LargeVec::zeroed((to - from) as usize);
            // After an error, the iterator reads the bytes itself and gets the error.
            read_exact_at(&*file, from, &mut bytes).ok().map(|()| bytes)
        };
        self.next = Some((from, io_pool::start(job)));
    }
}

/// Counts a read of `want` bytes of which `len` are needed now.
fn count_prefetch(statistics: &Option<Arc<Statistics>>, want: usize, len: usize) {
    let Some(stats) = statistics else { return };
    match stats::activity() {
        Activity::Compaction => stats.record(HistogramType::CompactionPrefetchBytes, want as u64),
        _ => {
            stats.add(Ticker::PrefetchBytes, want as u64);
            stats.add(Ticker::PrefetchBytesUseful, len as u64);
        }
    }
}

/// Counts `len` bytes that were read ahead.
fn count_prefetched(statistics: &Option<Arc<Statistics>>, len: usize) {
    let Some(stats) = statistics else { return };
    if stats::activity() != Activity::Compaction {
        stats.add(Ticker::PrefetchHits, 1);
        stats.add(Ticker::PrefetchBytesUseful, len as u64);
    }
}

#[cfg(test)]
#[path = "readahead_test.rs"]
mod tests;
