//! The choice between two policies of eviction, by a contest between shards.
//!
//! Which policy has fewer misses depends on the accesses: [`Policy::Trial`] if some blocks are accessed more often than
//! others or scans pass by, [`Policy::Clock`] if the blocks of the last minutes are those of the next. So one shard in
//! sixteen always follows the one and another one always follows the other. The score is the difference of their
//! misses, and all other shards follow the leaders with fewer. As blocks are distributed over the shards by a hash, the
//! leaders see samples of the same accesses.
//!
//! The method is known from processor caches as set dueling (Qureshi et al., "Adaptive Insertion Policies for High
//! Performance Caching", ISCA 2007).

use crate::env::sync::std_atomic::{AtomicI32, Ordering};

/// How a shard chooses the blocks to evict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// A block stays for a round of the hand, and for another one after each that it was used in.
    Clock,
    /// A new block is on trial in a small part of the shard. If it is used there, or comes back soon after its
    /// eviction, it gets a place in the large part, where each of its uses, up to three, counts for one round.
    Trial,
}

/// One leader of either policy for so many shards. Caches with fewer shards follow [`Policy::Clock`].
const SHARDS_PER_LEADER: usize = 16;

/// The limit of the score's amount: so many more misses of one side are forgotten at most.
const SCORE_MAX: i32 = 1024;

/// The misses that a leader counts before it changes the score, which all shards read.
const REPORTED: u8 = 16;

/// The score of the contest: misses of the leaders that follow [`Policy::Clock`] less those of the others.
#[derive(Default)]
pub(super) struct Duel(AtomicI32);

impl Duel {
    /// The policy of a shard among `shards`.
    #[inline]
    pub(super) fn policy(&self, shard: usize, shards: usize) -> Policy {
        match leader(shard, shards) {
            Some(policy) => policy,
            None if shards < SHARDS_PER_LEADER => Policy::Clock,
            None if self.0.load(Ordering::Relaxed) < 0 => Policy::Clock,
            None => Policy::Trial,
        }
    }

    /// Counts a miss in a full shard. `pending` are those of the shard that are not in the score yet.
    #[inline]
    pub(super) fn count_miss(&self, shard: usize, shards: usize, pending: &mut u8) {
        let Some(policy) = leader(shard, shards) else { return };
        *pending += 1;
        if *pending < REPORTED {
            return;
        }
        *pending = 0;
        let sign = if policy == Policy::Clock { 1 } else { -1 };
        // Two leaders at once may lose a report.
        let score = self.0.load(Ordering::Relaxed) + sign * i32::from(REPORTED);
        self.0.store(score.clamp(-SCORE_MAX, SCORE_MAX), Ordering::Relaxed);
    }
}

/// The policy of a shard that leads.
fn leader(shard: usize, shards: usize) -> Option<Policy> {
    match shard % SHARDS_PER_LEADER {
        _ if shards < SHARDS_PER_LEADER => None,
        0 => Some(Policy::Clock),
        8 => Some(Policy::Trial),
        _ => None,
    }
}
