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
