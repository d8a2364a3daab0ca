//! A number for each thread, by which it chooses its shard of sharded data.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of this thread, in the order of the first calls.
#[inline]
pub fn thread_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static NUMBER: Cell<usize> = const { Cell::new(usize::MAX) });
    NUMBER.with(|number| {
        if number.get() == usize::MAX {
            number.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        number.get()
    })
}
