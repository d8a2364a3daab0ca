//! Tests of the heap against a simple model, and of its pieces with several threads.

use super::*;
use crate::cache::Held;
use std::sync::atomic::{AtomicUsize, Ordering};

fn is(memory: &Memory, byte: u8) -> bool {
    memory.iter().all(|&b| b == byte)
}

#[test]
fn pieces_of_all_sizes_hold_what_was_written() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut pieces: Vec<(Memory, u8)> = Vec::new();
    let rounds = if cfg!(miri) { 200 } else { 20_000 };
    for round in 0..rounds {
        let byte = round as u8;
        if pieces.len() > 300 || rng.u8(..3) == 0 {
            if let Some(at) = pieces.len().checked_sub(1) {
                let (memory, byte) = pieces.swap_remove(rng.usize(..=at));
                assert!(is(&memory, byte), "in round {round}");
            }
            continue;
        }
        let len = match rng.u8(..10) {
            0 => 0,
            1 => rng.usize(PIECE_MAX - 20..PIECE_MAX + 20),
            2 => rng.usize(..16),
            _ => rng.usize(..9000),
        };
        let memory = if rng.bool() {
            let mut memory = Memory::zeroed(len);
            assert!(is(&memory, 0));
            memory.fill(byte);
            memory
        } else {
            Memory::copy_of(&vec![byte; len])
        };
        assert_eq!(memory.len(), len);
        assert!(len == 0 || memory.as_ptr().addr().is_multiple_of(ALIGN));
        pieces.push((memory, byte));
    }
    assert!(pieces.iter().all(|(memory, byte)| is(memory, *byte)));
}

/// An object that counts its instances.
struct Counted<'a>(&'a AtomicUsize, Memory);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        assert!(is(&self.1, 7));
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[test]
fn the_last_of_many_threads_frees_an_object_and_its_memory() {
    let alive = AtomicUsize::new(0);
    let objects: Vec<_> = (0..50)
        .map(|i| {
            alive.fetch_add(1, Ordering::Relaxed);
            Held::new(Counted(&alive, Memory::copy_of(&vec![7; 100 * i])))
        })
        .collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let objects = objects.clone();
            scope.spawn(move || {
                for object in objects {
                    let again = object.clone();
                    assert!(again.is_same(&object) && again.count() >= 2);
                    assert!(is(&again.object().1, 7));
                }
            });
        }
    });
    assert_eq!(alive.load(Ordering::Relaxed), 50);
    let mut objects = objects.into_iter();
    let mut one = objects.next().unwrap();
    assert!(one.get_mut().is_some());
    let two = one.clone();
    assert!(one.get_mut().is_none());
    drop((one, two, objects));
    assert_eq!(alive.load(Ordering::Relaxed), 0);
}

/// In a full cache a block takes the memory of an evicted one if that suits it. Otherwise it frees that.
#[test]
#[cfg(all(target_os = "linux", not(miri)))]
fn the_holes_of_a_full_heap_do_not_grow() {
    const BLOCKS: usize = 5000;
    let source =
        Source { page: Cell::default(), pages: Cell::default(), returned: Cell::default() };
    let heap = Mutex::new(Dlmalloc::new_with_allocator(source));
    let pool = Pool { heap, freed: AtomicUsize::new(0) };
    let mut pages = 0;
    let mut allocate = |size: usize| {
        pool.allocate(pool.heap.lock(), size, None).0.unwrap_or_else(|| {
            pages += 1;
            pool.allocate(pool.heap.lock(), size, Pages::map()).0.unwrap()
        })
    };
    let mut rng = fastrand::Rng::with_seed(5);
    let mut blocks: Vec<(NonNull<u8>, usize)> = Vec::new();
    for _ in 0..200_000 {
        let size = rounded(rng.usize(4200..4260));
        if blocks.len() < BLOCKS {
            blocks.push((allocate(size), size));
            continue;
        }
        let (piece, old) = &mut blocks[rng.usize(..BLOCKS)];
        if *old < size {
            // SAFETY: it comes from this pool, and is replaced.
            unsafe { pool.free(*piece, *old) };
            (*piece, *old) = (allocate(size), size);
        }
    }
    let live: usize = blocks.iter().map(|(_, size)| size).sum();
    assert!(pages * HUGE_PAGE < live + live / 20 + HUGE_PAGE, "{pages} pages for {live} bytes");
    for (piece, size) in blocks {
        // SAFETY: as above.
        unsafe { pool.free(piece, size) };
    }
    let locked = pool.heap.lock();
    assert!(pool.lock_briefly(true).is_none() && pool.lock_briefly(false).is_none());
    drop(locked);
    assert!(pool.lock_briefly(true).is_some() && pool.lock_briefly(false).is_some());
    let newest = pool.heap.into_inner().allocator_mut().pages.take();
    newest.into_iter().for_each(|start| stock::give_back_now(Pages { start, len: HUGE_PAGE }));
}

/// Memory that was not written as a whole is freed unread; Miri checks that.
#[test]
fn only_bytes_that_were_written_become_memory() {
    fn write(place: &mut [MaybeUninit<u8>]) -> &mut [u8] {
        place.iter_mut().for_each(|byte| *byte = MaybeUninit::new(7));
        // SAFETY: all bytes were just written.
        unsafe { &mut *(std::ptr::from_mut(place) as *mut [u8]) }
    }
    let memory = Memory::filled_by(1000, |place| Some(write(place))).unwrap();
    assert!(memory.len() >= 1000 && memory.suits_block(1000));
    assert!(memory[..1000].iter().all(|byte| *byte == 7) && memory[1000..].iter().all(|b| *b == 0));
    assert!(Memory::filled_by(1000, |_| None).is_none());
    assert!(Memory::filled_by(1000, |place| Some(&mut write(place)[..999])).is_none());
    assert!(Memory::filled_by(1000, |place| Some(&mut write(place)[1..])).is_none());
    assert!(Memory::filled_by(1000, |_| Some(&mut [])).is_none());
}
