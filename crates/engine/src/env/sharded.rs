//! Sharded reference counts for objects that all threads share.
//!
//! If every thread increments and decrements one count, its cache line moves between cores each time. So there are a
//! few shards with a count each. A thread chooses its shard by its number, and each shard holds one reference to the
//! object, which lives as long as any shard has a holder.

use super::thread_number;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// The number of shards. Up to this many threads, started one after the other, use different shards.
const SHARDS: usize = 16;

/// The shards of a shared object. Clones have the same shards.
pub struct Sharded<T> {
    // Created at the first use, since most handles never need them.
    shards: Arc<OnceLock<Box<[ShardRef<T>]>>>,
}

/// A reference to a shared object, counted on a cache line of the thread's shard.
pub struct ShardRef<T>(Arc<Shard<T>>);

/// Alone on its cache lines, including the count of its `Arc`, which precedes it with the same
/// alignment.
#[repr(align(128))]
struct Shard<T>(Arc<T>);

impl<T> Sharded<T> {
    /// This thread's reference to `whole`, which must be the same object at each call.
    #[inline]
    pub fn hold(&self, whole: &Arc<T>) -> ShardRef<T> {
        let shards = self.shards.get_or_init(|| {
            let shard = || ShardRef(Arc::new(Shard(Arc::clone(whole))));
            (0..SHARDS).map(|_| shard()).collect()
        });
        let shard = &shards[thread_number() % shards.len()];
        debug_assert!(Arc::ptr_eq(&shard.0.0, whole), "shards of something else");
        ShardRef(Arc::clone(&shard.0))
    }
}

impl<T> Default for Sharded<T> {
    fn default() -> Sharded<T> {
        Sharded { shards: Arc::default() }
    }
}

impl<T> Clone for Sharded<T> {
    fn clone(&self) -> Sharded<T> {
        Sharded { shards: Arc::clone(&self.shards) }
    }
}

impl<T> Deref for ShardRef<T> {
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
        let sharded = Sharded::default();
        assert_eq!(Arc::strong_count(&whole), 1, "shards before their use");
        let mine = sharded.clone().hold(&whole);
        let others = std::thread::scope(|scope| {
            let hold = || sharded.hold(&whole);
            let threads: Vec<_> = (0..2 * SHARDS).map(|_| scope.spawn(hold)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        drop((whole, sharded));
        assert!(others.iter().all(|held| ***held == 7));
        drop(others);
        assert_eq!(**mine, 7);
        assert_eq!(alive.strong_count(), 1);
        drop(mine);
        assert_eq!(alive.strong_count(), 0);
    }

    #[test]
    fn counts_of_different_parts_are_on_different_lines() {
        assert!(align_of::<Shard<u8>>() == 128 && size_of::<Shard<u8>>() == 128);
    }
}
