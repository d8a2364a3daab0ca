//! Chunks that are ready for the next memtable: those of the last flushed one, and one that is prepared ahead.
//!
//! The kernel maps and zeroes the pages of a new chunk one by one, on the first write to each: for values of 100 KB
//! that took two fifths of a writer's time. The chunks of a flushed memtable already have their pages. While writers
//! are busy, this holds no memory longer than necessary: when a memtable is freed, its successor has begun to grow, and
//! takes from here what it would otherwise take from the system.
//!
//! While no flushed memtable has left chunks, the helper thread (`env/ahead.rs`) prepares one chunk at a time if
//! writers use up a chunk within half a second. Otherwise each writer that begins a chunk would wait while the kernel
//! zeroes a huge page: 0.1 to 7 ms, for one write of 1 KB in two thousand.
//!
//! Bounds: the spare chunks are never more than one memtable left behind, since the remaining chunks of an older one
//! are freed when the next one arrives. Chunks not taken within half a second are freed as well
//! ([`SpareChunks::is_idle`], polled by the background thread), and all are freed when the database closes. A budget of
//! all memtables holds, too: when a flush ends, the spare chunks and the memtables together are what the memtables were
//! before, and memtables of any family then grow by spare chunks. Only memtables smaller than a few MiB grow by other
//! chunks, for as long as there are spare ones. A database with a limit for all memory has none.

#![allow(unsafe_code)] // Pieces without an owner; invariant S1: nothing else uses a spare chunk.

use super::chunk::{Chunk, free_chunk, populated_chunk};
use crate::env::ahead::Helper;
use crate::env::clock::Instant;
use crate::env::mapping::HUGE_PAGE;
use crate::env::sync::Mutex;
use std::sync::Arc;
use std::time::Duration;

/// Chunks not taken within this time are returned to the system.
const IDLE: Duration = Duration::from_millis(500);

/// The spare chunks, shared by all memtables of a database.
pub struct SpareChunks(Mutex<Spare>);

struct Spare {
    chunks: Pieces,
    /// The time when the chunks were given.
    since: Instant,
    /// The time when an arena last began a chunk.
    begun: Instant,
    /// Whether the helper thread is preparing a chunk.
    preparing: bool,
    helper: Option<Arc<Helper>>,
    /// Whether chunks are no longer accepted.
    closed: bool,
}

/// Mapped chunks of one size, freed when dropped.
pub(super) struct Pieces {
    pub(super) size: usize,
    pub(super) list: Vec<*mut Chunk>,
}

// SAFETY: nothing else uses the chunks (S1), and memory may be freed on any thread.
unsafe impl Send for Pieces {}

impl Pieces {
    /// An empty list.
    pub(super) fn none(size: usize) -> Pieces {
        Pieces { size, list: Vec::new() }
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        for &chunk in &self.list {
            // SAFETY: all have this size, and nothing else uses them (S1).
            unsafe { free_chunk(chunk, self.size) };
        }
    }
}

impl Default for SpareChunks {
    fn default() -> SpareChunks {
        let (chunks, now) = (Pieces::none(0), Instant::now());
        SpareChunks(Mutex::new(Spare {
            chunks,
            since: now,
            begun: now,
            preparing: false,
            helper: None,
            closed: false,
        }))
    }
}

impl SpareChunks {
    /// Takes a chunk of exactly this size, whose bytes are arbitrary.
    pub(super) fn take(&self, size: usize) -> Option<*mut Chunk> {
        let mut spare = self.0.lock();
        if spare.chunks.size != size {
            return None;
        }
        spare.chunks.list.pop()
    }

    /// Accepts the chunks of a freed memtable. The remaining chunks of the previous one are freed.
    pub(super) fn give(&self, chunks: Pieces) {
        let mut spare = self.0.lock();
        if !spare.closed {
            spare.since = Instant::now();
            let older = std::mem::replace(&mut spare.chunks, chunks);
            drop(spare);
            drop(older);
        }
    }

    /// Has the helper thread prepare another chunk of this size, if none is left and chunks are used up quickly. Called
    /// by an arena that has just begun a chunk. Smaller chunks have no huge pages, and do without.
    pub(super) fn prepare_another(self: &Arc<Self>, size: usize) {
        if size < HUGE_PAGE {
            return;
        }
        let mut spare = self.0.lock();
        let now = Instant::now();
        let last = std::mem::replace(&mut spare.begun, now);
        let quick = now.duration_since(last) < IDLE;
        if !quick || spare.closed || spare.preparing || !spare.chunks.list.is_empty() {
            return;
        }
        if spare.helper.is_none() {
            spare.helper = Helper::get();
        }
        let Some(helper) = spare.helper.clone() else { return };
        spare.preparing = true;
        drop(spare);
        let this = Arc::clone(self);
        helper.run(move || this.add(populated_chunk(size), size));
    }

    /// Accepts a prepared chunk of this size.
    fn add(&self, chunk: Option<*mut Chunk>, size: usize) {
        let prepared = Pieces { size, list: chunk.into_iter().collect() };
        let mut spare = self.0.lock();
        spare.preparing = false;
        // A flushed memtable may have left its chunks in the meantime.
        if !spare.closed && spare.chunks.list.is_empty() {
            spare.chunks = prepared;
            spare.since = Instant::now();
        }
    }

    /// Whether there are chunks that nothing has taken for a while: a writer that takes longer to fill a memtable gains
    /// little from them.
    pub fn is_idle(&self) -> bool {
        let spare = self.0.lock();
        !spare.chunks.list.is_empty() && spare.since.elapsed() >= IDLE
    }

    /// Frees all chunks.
    pub fn release(&self) {
        let mut spare = self.0.lock();
        let chunks = std::mem::replace(&mut spare.chunks, Pieces::none(0));
        drop(spare);
        drop(chunks);
    }

    /// Frees all chunks, and those that memtables freed later would leave.
    pub fn close(&self) {
        let mut spare = self.0.lock();
        spare.closed = true;
        let helper = spare.helper.take();
        drop(spare);
        drop(helper);
        self.release();
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
#[path = "spare_test.rs"]
mod tests;
