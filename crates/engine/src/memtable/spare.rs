//! Chunks of the last flushed memtable, kept for the next one.
//!
//! The kernel maps and zeroes the pages of a new chunk one by one, on the first write to each: for values of 100 KB
//! that took two fifths of a writer's time. The chunks of a flushed memtable already have their pages. While writers
//! are busy, this holds no memory longer than necessary: when a memtable is freed, its successor has begun to grow, and
//! takes from here what it would otherwise take from the system.
//!
//! Bounds: the spare chunks are never more than one memtable left behind, since the remaining chunks of an older one
//! are freed when the next one arrives. Chunks not taken within half a second are freed as well
//! ([`SpareChunks::is_idle`], polled by the background thread), and all are freed when the database closes. A database
//! whose memtables share a budget has no spare chunks: memory that one family gives up must be available to every
//! other.

#![allow(unsafe_code)] // Pieces without an owner; invariant S1: nothing else uses a spare chunk.

use super::chunk::{Chunk, free_chunk};
use crate::env::clock::Instant;
use crate::env::sync::Mutex;
use std::time::Duration;

/// Chunks not taken within this time are returned to the system.
const IDLE: Duration = Duration::from_millis(500);

/// The spare chunks, shared by all memtables of a database.
pub struct SpareChunks(Mutex<Spare>);

struct Spare {
    chunks: Pieces,
    /// The time when the chunks were given.
    since: Instant,
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
        let (chunks, since) = (Pieces::none(0), Instant::now());
        SpareChunks(Mutex::new(Spare { chunks, since, closed: false }))
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
        self.0.lock().closed = true;
        self.release();
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
#[path = "spare_test.rs"]
mod tests;
