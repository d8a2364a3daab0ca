//! Chunks of the memtable that was flushed last, for the next one.
//!
//! The pages of a chunk that comes from the operating system are mapped and filled with zeros one by
//! one, when they are first written: for values of 100 KB that was two fifths of a writer's time. The
//! chunks of a flushed memtable have their pages already. While writers are busy nothing is held longer than
//! without: at the moment when a memtable is freed its successor has begun to grow, and what it
//! takes from here it would have taken from the system.
//!
//! Bounds: there is never more than one memtable has left behind, since what is left of an older one
//! goes back to the system when the next one comes. What nobody has taken half a second later
//! goes back as well ([`SpareChunks::is_idle`], asked by the background), and everything at the end. A database whose
//! memtables share a budget has no spare chunks: there memory that one family has given up is any other's.

#![allow(unsafe_code)] // Pieces without an owner; invariant S1: each one is used by nobody else.

use super::chunk::{Chunk, free_chunk};
use crate::env::clock::Instant;
use crate::env::sync::Mutex;
use std::time::Duration;

/// Chunks that nobody has wanted in this time go back to the system.
const IDLE: Duration = Duration::from_millis(500);

/// The chunks. One for all memtables of a database.
pub struct SpareChunks(Mutex<Spare>);

struct Spare {
    chunks: Pieces,
    /// When the chunks were given.
    since: Instant,
    /// Nothing is taken in any more.
    closed: bool,
}

/// Mapped chunks of one size, freed when dropped.
pub(super) struct Pieces {
    pub(super) size: usize,
    pub(super) list: Vec<*mut Chunk>,
}

// SAFETY: nobody else uses the chunks (S1), and memory may be freed on any thread.
unsafe impl Send for Pieces {}

impl Pieces {
    /// No chunk yet.
    pub(super) fn none(size: usize) -> Pieces {
        Pieces { size, list: Vec::new() }
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        for &chunk in &self.list {
            // SAFETY: all are of this size, and nobody else uses them (S1).
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
    /// A chunk of exactly this size, whose bytes may be anything.
    pub(super) fn take(&self, size: usize) -> Option<*mut Chunk> {
        let mut spare = self.0.lock();
        if spare.chunks.size != size {
            return None;
        }
        spare.chunks.list.pop()
    }

    /// Takes in what a memtable leaves behind. What nobody has taken of the one before is freed.
    pub(super) fn give(&self, chunks: Pieces) {
        let mut spare = self.0.lock();
        if !spare.closed {
            spare.since = Instant::now();
            let older = std::mem::replace(&mut spare.chunks, chunks);
            drop(spare);
            drop(older);
        }
    }

    /// Whether there are chunks that nobody has wanted for a while: who has not filled a memtable in that
    /// time gains little by them.
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

    /// Frees all chunks, and those of memtables that are still to go.
    pub fn close(&self) {
        self.0.lock().closed = true;
        self.release();
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
#[path = "spare_test.rs"]
mod tests;
