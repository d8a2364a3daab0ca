use super::*;

#[test]
fn an_empty_arena_is_small_and_counts_exactly() {
    let arena = Arena::new(64 << 10);
    assert_eq!((arena.allocated(), arena.used()), (FIRST_CHUNK, LINE));
    arena.allocate(1);
    arena.allocate(8);
    arena.allocate(9);
    assert_eq!(arena.used(), LINE + 8 + 8 + 16);
}

#[test]
#[cfg(all(target_os = "linux", not(miri)))]
fn chunks_are_mapped_if_wanted() {
    let arena = Arena::new(256 << 10);
    arena.map_chunks();
    arena.allocate(FIRST_CHUNK);
    assert_eq!(arena.allocated(), FIRST_CHUNK + MAP_FROM);
    let small = Arena::new(32 << 10);
    small.map_chunks();
    small.allocate(FIRST_CHUNK);
    assert_eq!(small.allocated(), FIRST_CHUNK + MAP_FROM, "larger than its chunks");
}

#[test]
fn chunks_double_up_to_their_size() {
    let arena = Arena::new(32 << 10);
    let mut sizes = Vec::new();
    let mut last = 0;
    for _ in 0..2000 {
        arena.allocate(96);
        assert!(arena.used() <= arena.allocated());
        if arena.allocated() != last {
            sizes.push((arena.allocated() - last) >> 10);
            last = arena.allocated();
        }
    }
    assert_eq!(sizes[..6], [4, 4, 8, 16, 32, 32]);
}

#[test]
fn a_large_piece_gets_its_own_chunk() {
    let arena = Arena::new(32 << 10);
    arena.allocate(100);
    let used = arena.used();
    let big = arena.allocate(1 << 20);
    assert_eq!(arena.used(), used + (1 << 20) + LINE);
    assert_eq!(arena.allocated(), FIRST_CHUNK + (1 << 20) + LINE);
    // SAFETY: the piece has this length and no other owner.
    unsafe { big.as_ptr().write_bytes(7, 1 << 20) };
    // The rest of the first chunk is still in use.
    arena.allocate(100);
    assert_eq!(arena.allocated(), FIRST_CHUNK + (1 << 20) + LINE);
}

#[test]
fn the_chunk_size_follows_the_options() {
    assert_eq!(Arena::chunk_size_for(0, 64 << 20), 2 << 20);
    assert_eq!(Arena::chunk_size_for(0, 64 << 10), 8 << 10);
    assert_eq!(Arena::chunk_size_for(12345, 64 << 20), 12345);
    // What an OPTIONS file of a default database says.
    assert_eq!(Arena::chunk_size_for(1 << 20, 64 << 20), 2 << 20);
}

#[test]
fn huge_chunks_are_aligned() {
    if cfg!(miri) {
        return;
    }
    let arena = Arena::new(2 << 20);
    for _ in 0..600 {
        let piece = arena.allocate(10_000);
        // SAFETY: the piece has this length and no other owner.
        unsafe { piece.as_ptr().write_bytes(1, 10_000) };
    }
    let chunk = arena.current.load(Ordering::Acquire);
    assert!((chunk as usize).is_multiple_of(HUGE_PAGE));
}

/// Every thread fills its pieces with its own byte and finds them untouched at the end.
#[test]
fn pieces_of_many_threads_do_not_overlap() {
    let (threads, rounds) = if cfg!(miri) { (3, 60) } else { (8, 3000) };
    let arena = Arena::new(16 << 10);
    std::thread::scope(|scope| {
        for t in 0..threads {
            let arena = &arena;
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(t);
                let mut mine = Vec::new();
                for _ in 0..rounds {
                    let size = if random.u8(..) == 0 { 9000 } else { random.usize(1..300) };
                    let piece = arena.allocate(size);
                    assert!((piece.as_ptr() as usize).is_multiple_of(ALIGN));
                    // SAFETY: the piece has this length, and only this thread uses it.
                    unsafe { piece.as_ptr().write_bytes(t as u8, size) };
                    mine.push((piece, size));
                }
                for (piece, size) in mine {
                    // SAFETY: written above, and the arena still lives.
                    let bytes = unsafe { std::slice::from_raw_parts(piece.as_ptr(), size) };
                    assert!(bytes.iter().all(|&b| b == t as u8));
                }
            });
        }
    });
}
