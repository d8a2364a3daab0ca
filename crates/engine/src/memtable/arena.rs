//! The arena: a bump allocator for one memtable's memory, which is freed all at once.
//!
//! Chunk sizes double from 4 KiB to the arena's chunk size, so that an empty memtable costs little. Chunks of 2 MiB and
//! more are aligned to and advised for huge pages: a lookup in a full memtable otherwise pays for a page walk with each
//! cache miss. Mapped chunks of the full size are reused: the arena takes those that the previous memtable left and
//! leaves its own to the next one (`spare.rs`).
//!
//! Threads: any number of threads may allocate concurrently. The common path is one `fetch_add`; adding a chunk takes a
//! lock. The holder of a pointer may read and write the memory behind it; publishing that memory to other threads is
//! the caller's task.
//!
//! The module needs `unsafe` because allocated pieces have no static owner. Invariants:
//! * **A1** `current` points to a live chunk; chunks are freed, or handed on to the next memtable (`spare.rs`), only by
//!   `drop`, which has `&mut self`.
//! * **A2** A chunk's cursor only grows, so that no two allocations overlap.
//!
//! Tests: `arena_test.rs`, also under Miri.

#![allow(unsafe_code)]

use super::chunk::{Chunk, begin_chunk, bump, free_chunk, new_chunk};
use super::spare::{Pieces, SpareChunks};
use crate::env::mapping::{self, MAP_FROM, is_mapped};
use crate::env::sync::Mutex;
use crate::env::sync::std_atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use crate::options::default_arena_block_size;
use std::ptr::NonNull;
use std::sync::Arc;

/// All allocations are aligned to this number of bytes.
pub const ALIGN: usize = 8;

const FIRST_CHUNK: usize = 4 << 10;
const HUGE_PAGE: usize = mapping::HUGE_PAGE;
const LINE: usize = 64;
/// Allocations of at least this size, which span several pages, have their pages populated at once.
const POPULATE_FROM: usize = 32 << 10;

/// The memory of one memtable.
pub struct Arena {
    current: AtomicPtr<Chunk>,
    /// Bytes in all chunks.
    allocated: AtomicUsize,
    /// Bytes in chunks that allocations no longer use: full chunks and chunks of single large
    /// pieces.
    closed: AtomicUsize,
    chunk_size: usize,
    /// See [`Arena::map_chunks`].
    maps_chunks: AtomicBool,
    /// The source and destination of full-size chunks, if they are mapped.
    spare: Option<Arc<SpareChunks>>,
    /// Held while a chunk is added; guards the newest chunk, which is the head of the list.
    newest: Mutex<Newest>,
}

struct Newest(*mut Chunk);

// SAFETY: the raw pointer is the head of a list that is walked only under the lock or through `&mut Arena`, and chunks
// may be freed on any thread.
unsafe impl Send for Newest {}

impl Arena {
    /// An arena whose chunks grow up to `chunk_size` bytes.
    pub fn new(chunk_size: usize) -> Arena {
        Arena::with_spare(chunk_size, None)
    }

    /// An arena that takes spare chunks and leaves its own chunks to the next arena.
    pub fn with_spare(chunk_size: usize, spare: Option<Arc<SpareChunks>>) -> Arena {
        let chunk_size = chunk_size.clamp(FIRST_CHUNK, isize::MAX as usize / 2);
        let first = new_chunk(FIRST_CHUNK, std::ptr::null_mut());
        Arena {
            current: AtomicPtr::new(first),
            allocated: AtomicUsize::new(FIRST_CHUNK),
            closed: AtomicUsize::new(0),
            chunk_size,
            maps_chunks: AtomicBool::new(false),
            spare: spare.filter(|_| is_mapped(chunk_size)),
            newest: Mutex::new(Newest(first)),
        }
    }

    /// Makes further chunks large enough to be mapped, whatever the arena's chunk size: an allocator keeps smaller ones
    /// that are freed.
    pub fn map_chunks(&self) {
        self.maps_chunks.store(true, Ordering::Relaxed);
    }

    /// The chunk size for a memtable of `write_buffer_size` bytes. This is `arena_block_size` unless that is 0 or what
    /// RocksDB derives from 0. Then it is up to a huge page: without huge pages, cache misses pay for page walks, too.
    pub fn chunk_size_for(arena_block_size: usize, write_buffer_size: usize) -> usize {
        if arena_block_size == 0 || arena_block_size == default_arena_block_size(write_buffer_size)
        {
            (write_buffer_size / 8).min(HUGE_PAGE)
        } else {
            arena_block_size
        }
    }

    /// `size` bytes that live as long as the arena, aligned to [`ALIGN`], not initialised.
    #[inline]
    pub fn allocate(&self, size: usize) -> NonNull<u8> {
        let size = size.next_multiple_of(ALIGN);
        if size >= POPULATE_FROM {
            return self.allocate_large(size);
        }
        let chunk = self.current.load(Ordering::Acquire);
        // SAFETY: A1. The Acquire load pairs with the Release store that published the chunk.
        match unsafe { bump(chunk, size) } {
            Some(piece) => piece,
            None => self.allocate_slow(size).0,
        }
    }

    /// Like [`Arena::allocate`], but populates all pages of the piece with one system call.
    #[cold]
    fn allocate_large(&self, size: usize) -> NonNull<u8> {
        let chunk = self.current.load(Ordering::Acquire);
        // SAFETY: A1, as above.
        let (piece, chunk) = match unsafe { bump(chunk, size) } {
            Some(piece) => (piece, chunk),
            None => self.allocate_slow(size),
        };
        // SAFETY: A1; whether a chunk is fresh never changes, and fresh ones are mapped.
        unsafe {
            if (*chunk).fresh {
                mapping::populate(piece.as_ptr(), size);
            }
        }
        piece
    }

    /// Bytes that can no longer be used for anything else. A memtable is full according to this
    /// number.
    #[inline]
    pub fn used(&self) -> usize {
        let chunk = self.current.load(Ordering::Acquire);
        // SAFETY: A1.
        let chunk = unsafe { &*chunk };
        let in_current = chunk.cursor.load(Ordering::Relaxed).min(chunk.size);
        self.closed.load(Ordering::Relaxed) + in_current
    }

    /// Bytes taken from the system.
    #[cfg(test)]
    pub fn allocated(&self) -> usize {
        self.allocated.load(Ordering::Relaxed)
    }

    /// Allocates a piece on the slow path. Returns the piece and the chunk that contains it.
    #[cold]
    fn allocate_slow(&self, size: usize) -> (NonNull<u8>, *mut Chunk) {
        let (piece, chunk, added) = self.allocate_in_new_chunk(size);
        if let Some(spare) = self.spare.as_ref().filter(|_| added == self.chunk_size) {
            spare.prepare_another(added);
        }
        (piece, chunk)
    }

    /// As above; also returns the size of the added chunk, or 0.
    fn allocate_in_new_chunk(&self, size: usize) -> (NonNull<u8>, *mut Chunk, usize) {
        let mut newest = self.newest.lock();
        let current = self.current.load(Ordering::Acquire);
        // Another thread may have added a chunk while this one waited for the lock.
        // SAFETY: A1.
        if let Some(piece) = unsafe { bump(current, size) } {
            return (piece, current, 0);
        }
        let total = self.allocated.load(Ordering::Relaxed);
        let least = if self.maps_chunks.load(Ordering::Relaxed) { MAP_FROM } else { 0 };
        let chunk_size = total.next_power_of_two().min(self.chunk_size).max(least);
        let needed = size.saturating_add(LINE); // `layout` rejects impossible sizes.
        // A large piece gets a chunk of its own, so that the rest of the current one is not lost.
        let alone = needed > chunk_size / 4;
        let size_of_chunk = if alone { needed.next_multiple_of(LINE) } else { chunk_size };
        let spare = self.spare.as_ref().filter(|_| size_of_chunk == self.chunk_size);
        let chunk = match spare.and_then(|spare| spare.take(size_of_chunk)) {
            // SAFETY: the chunk has this size, and this arena is its only owner now.
            Some(chunk) => unsafe { begin_chunk(chunk, size_of_chunk, false, newest.0) },
            None => new_chunk(size_of_chunk, newest.0),
        };
        newest.0 = chunk;
        // SAFETY: the chunk was just made and has room for the piece.
        let (chunk_ref, piece) = unsafe { (&*chunk, bump(chunk, size)) };
        let piece = piece.unwrap_or_else(|| unreachable!("a new chunk has room for its piece"));
        self.allocated.fetch_add(chunk_ref.size, Ordering::Relaxed);
        if alone {
            self.closed.fetch_add(chunk_ref.size, Ordering::Relaxed);
        } else {
            // SAFETY: A1.
            self.closed.fetch_add(unsafe { (*current).size }, Ordering::Relaxed);
            self.current.store(chunk, Ordering::Release);
        }
        (piece, chunk, chunk_ref.size)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let mut chunk = self.newest.get_mut().0;
        let mut left = Pieces::none(self.chunk_size);
        while !chunk.is_null() {
            // SAFETY: every chunk is on the list once and was made by `new_chunk` with this layout;
            // no reference to the arena is left.
            unsafe {
                let (older, size) = ((*chunk).older, (*chunk).size);
                if self.spare.is_some() && size == self.chunk_size {
                    left.list.push(chunk);
                } else {
                    free_chunk(chunk, size);
                }
                chunk = older;
            }
        }
        if let Some(spare) = self.spare.as_ref().filter(|_| !left.list.is_empty()) {
            spare.give(left);
        }
    }
}

// SAFETY: see "Threads" above; all shared state is atomic or locked.
unsafe impl Send for Arena {}
// SAFETY: as for `Send`.
unsafe impl Sync for Arena {}

#[cfg(test)]
#[path = "arena_test.rs"]
mod tests;
