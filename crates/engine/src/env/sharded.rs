//! Counting what all threads share, in shards.
//!
//! A count that every thread goes up and down by is a line that every core has to bring from another one,
//! each time. So there is a count for each of a few shards, which a thread chooses by its number, and each
//! shard counts once on the thing itself: that lives as long as any shard has a holder.

use super::thread_number;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// How many shards there are. With as many threads or fewer, started one after the other, none meet.
const SHARDS: usize = 16;

/// Something shared, to be held by way of shards. Its clones have the same shards.
pub struct Sharded<T> {
    // Made at the first use: most handles are never used so.
    shards: Arc<OnceLock<Box<[ShardRef<T>]>>>,
}

/// A hold on something shared, counted on a line of its own thread.
pub struct ShardRef<T>(Arc<Shard<T>>);

/// Alone on its lines, the count of its `Arc` included: that is before it and aligned as it is.
#[repr(align(128))]
struct Shard<T>(Arc<T>);

impl<T> Sharded<T> {
    /// This thread's hold on `whole`, which is the same at each call.
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
