//! Counting what all threads share, in parts.
//!
//! A count that every thread goes up and down by is a line that every core has to bring from another one,
//! each time. So there is a count for each of a few parts, which a thread chooses by its number, and each
//! part counts once on the thing itself: that lives as long as any part has a holder.

use super::thread_number;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// How many parts there are. With as many threads or fewer, started one after the other, none meet.
const PARTS: usize = 16;

/// Something shared, to be held by way of parts. Its clones have the same parts.
pub struct Parted<T> {
    // Made at the first use: most handles are never used so.
    parts: Arc<OnceLock<Box<[Counted<T>]>>>,
}

/// A hold on something shared, counted on a line of its own thread.
pub struct Counted<T>(Arc<Part<T>>);

/// Alone on its lines, the count of its `Arc` included: that is before it and aligned as it is.
#[repr(align(128))]
struct Part<T>(Arc<T>);

impl<T> Parted<T> {
    /// This thread's hold on `whole`, which is the same at each call.
    #[inline]
    pub fn hold(&self, whole: &Arc<T>) -> Counted<T> {
        let parts = self.parts.get_or_init(|| {
            let part = || Counted(Arc::new(Part(Arc::clone(whole))));
            (0..PARTS).map(|_| part()).collect()
        });
        let part = &parts[thread_number() % parts.len()];
        debug_assert!(Arc::ptr_eq(&part.0.0, whole), "parts of something else");
        Counted(Arc::clone(&part.0))
    }
}

impl<T> Default for Parted<T> {
    fn default() -> Parted<T> {
        Parted { parts: Arc::default() }
    }
}

impl<T> Clone for Parted<T> {
    fn clone(&self) -> Parted<T> {
        Parted { parts: Arc::clone(&self.parts) }
    }
}

impl<T> Deref for Counted<T> {
    type Target = Arc<T>;

    #[inline]
    fn deref(&self) -> &Arc<T> {
        &self.0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thing_lives_until_the_last_hold_goes() {
        let whole = Arc::new(7);
        let alive = Arc::downgrade(&whole);
        let parted = Parted::default();
        assert_eq!(Arc::strong_count(&whole), 1, "parts before their use");
        let mine = parted.clone().hold(&whole);
        let others = std::thread::scope(|scope| {
            let hold = || parted.hold(&whole);
            let threads: Vec<_> = (0..2 * PARTS).map(|_| scope.spawn(hold)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        drop((whole, parted));
        assert!(others.iter().all(|held| ***held == 7));
        drop(others);
        assert_eq!(**mine, 7);
        assert_eq!(alive.strong_count(), 1);
        drop(mine);
        assert_eq!(alive.strong_count(), 0);
    }

    #[test]
    fn counts_of_different_parts_are_on_different_lines() {
        assert!(align_of::<Part<u8>>() == 128 && size_of::<Part<u8>>() == 128);
    }
}
