use super::*;
use crate::env::mapping::HUGE_PAGE;
use crate::memtable::arena::Arena;
use std::sync::Arc;

const CHUNK: usize = 256 << 10;

impl SpareChunks {
    /// The number of bytes in spare chunks.
    fn memory(&self) -> usize {
        let spare = self.0.lock();
        spare.chunks.list.len() * spare.chunks.size
    }
}

/// An arena that has taken this many chunks of the full size.
fn filled(spare: &Arc<SpareChunks>, chunks: usize) -> Arena {
    let arena = Arena::with_spare(CHUNK, Some(Arc::clone(spare)));
    while arena.allocated() < (chunks + 1) * CHUNK {
        let piece = arena.allocate(500);
        // SAFETY: the piece has this length and no other owner.
        unsafe { piece.as_ptr().write_bytes(0xEE, 500) };
    }
    arena
}

#[test]
fn the_next_arena_takes_over_what_one_leaves() {
    let spare = Arc::new(SpareChunks::default());
    let (first, second) = (filled(&spare, 8), filled(&spare, 3));
    assert_eq!(spare.memory(), 0);
    drop(first);
    assert_eq!(spare.memory(), 8 * CHUNK);
    let third = filled(&spare, 5);
    assert_eq!(spare.memory(), 3 * CHUNK);
    assert_eq!(third.allocated(), 6 * CHUNK);
    // Chunks that nobody took are freed; the new ones are kept.
    drop(second);
    assert_eq!(spare.memory(), 3 * CHUNK);
    drop(third);
    assert_eq!(spare.memory(), 5 * CHUNK);
}

#[test]
fn chunks_of_another_size_are_left_alone() {
    let spare = Arc::new(SpareChunks::default());
    drop(filled(&spare, 2));
    let other = Arena::with_spare(2 * CHUNK, Some(Arc::clone(&spare)));
    while other.allocated() < 4 * CHUNK {
        other.allocate(500);
    }
    assert_eq!(spare.memory(), 2 * CHUNK);
    // A large piece has its own chunk, of a size that no other arena uses.
    let large = Arena::with_spare(CHUNK, Some(Arc::clone(&spare)));
    large.allocate(CHUNK);
    assert_eq!(spare.memory(), 2 * CHUNK);
    // It does not leave a spare chunk either.
    drop(large);
    assert_eq!(spare.memory(), 2 * CHUNK);
    drop(other);
    assert_eq!(spare.memory(), 2 * CHUNK);
    // Small chunks come from the allocator, and are returned to it.
    let small = Arena::with_spare(8 << 10, Some(Arc::clone(&spare)));
    small.allocate(7 << 10);
    drop(small);
    assert_eq!(spare.memory(), 2 * CHUNK);
}

#[test]
fn nothing_is_kept_for_long_or_after_the_end() {
    let spare = Arc::new(SpareChunks::default());
    let last = filled(&spare, 2);
    drop(filled(&spare, 2));
    assert!(!spare.is_idle());
    spare.0.lock().since -= IDLE;
    assert!(spare.is_idle());
    spare.release();
    assert!(spare.memory() == 0 && !spare.is_idle());
    spare.close();
    drop(last);
    assert_eq!(spare.memory(), 0);
}

#[test]
fn a_chunk_is_prepared_while_none_is_left_and_chunks_are_used_up_quickly() {
    let spare = Arc::new(SpareChunks::default());
    let wait = || {
        while spare.0.lock().preparing {
            std::thread::yield_now();
        }
    };
    let arena = Arena::with_spare(HUGE_PAGE, Some(Arc::clone(&spare)));
    let fill_to = |bytes| {
        while arena.allocated() < bytes {
            let piece = arena.allocate(500);
            // SAFETY: the piece has this length and no other owner.
            unsafe { piece.as_ptr().write_bytes(0xEE, 500) };
        }
    };
    fill_to(2 * HUGE_PAGE);
    wait();
    assert_eq!(spare.memory(), HUGE_PAGE);
    // The chunk is used like any other, and the next one is prepared.
    fill_to(3 * HUGE_PAGE);
    wait();
    assert_eq!(spare.memory(), HUGE_PAGE);
    spare.release();
    spare.0.lock().begun -= IDLE;
    spare.prepare_another(HUGE_PAGE);
    assert!(!spare.0.lock().preparing, "for a slow writer");
    spare.prepare_another(HUGE_PAGE);
    // The job may never run now.
    spare.close();
    spare.prepare_another(HUGE_PAGE);
    assert!(spare.memory() == 0 && spare.0.lock().helper.is_none(), "after the end");
}
