//! What a walk over a cache found, kept for a while, so that databases which share a cache and report
//! on it walk it once.
//!
//! As in RocksDB the cache is charged for what is kept, from the first user on: an open database's
//! cache is never empty. While it has users, the charge is pinned; later it goes when all else has
//! gone and room is needed.

use super::Cache;
use crate::env::clock::Instant;
use std::sync::Arc;
use std::time::Duration;

/// What a walk found, and when.
#[derive(Clone, Copy, Debug, Default)]
pub struct EntryStats {
    /// Cached objects.
    pub objects: usize,
    /// Their charges.
    pub object_bytes: usize,
    /// What these statistics are charged themselves.
    pub own_bytes: usize,
    /// How often the cache was walked.
    pub collections: u64,
    /// How often the last walk's result was told again.
    pub last_copies: u64,
    /// How long the last walk took.
    pub last_elapsed: Duration,
    /// How long ago it ended.
    pub age: Duration,
}

/// Kept by each cache.
#[derive(Default)]
pub(super) struct Collector {
    users: usize,
    /// Zero while nothing is charged.
    charge: usize,
    found: EntryStats,
    walked: Option<Instant>,
}

/// A database's use of a cache, for one column family.
pub struct CacheUser(Arc<Cache>);

impl Drop for CacheUser {
    fn drop(&mut self) {
        self.0.collector.lock().users -= 1;
    }
}

impl Collector {
    /// One if the statistics are charged, as they count as an object then.
    pub(super) fn count(&self) -> usize {
        usize::from(self.charge > 0)
    }

    /// What is charged although nobody uses it.
    pub(super) fn idle_charge(&self) -> usize {
        if self.users == 0 { self.charge } else { 0 }
    }
}

impl Cache {
    /// Notes a user. The first one makes the cache pay for its statistics; where a strict limit has
    /// no room for that, there is no charge.
    pub fn join(self: &Arc<Self>) -> CacheUser {
        let charge = size_of::<Collector>();
        let mut collector = self.collector.lock();
        collector.users += 1;
        let first = std::mem::replace(&mut collector.charge, charge) == 0;
        drop(collector);
        if first && self.admit(charge, 0).is_err() {
            self.collector.lock().charge = 0;
        }
        CacheUser(Arc::clone(self))
    }

    /// What the cache holds, or held `age_max` ago at most.
    pub fn entry_stats(&self, age_max: Duration) -> EntryStats {
        let mut collector = self.collector.lock();
        match collector.walked {
            Some(walked) if walked.elapsed() <= age_max => collector.found.last_copies += 1,
            _ => self.collect(&mut collector),
        }
        let age = collector.walked.map_or(Duration::ZERO, |walked| walked.elapsed());
        EntryStats { age, own_bytes: collector.charge, ..collector.found }
    }

    fn collect(&self, collector: &mut Collector) {
        let begin = Instant::now();
        let (mut objects, mut object_bytes) = (0, 0);
        for shard in &self.shards {
            for entry in shard.lock().entries.iter().flatten() {
                objects += 1;
                object_bytes += entry.charge as usize;
            }
        }
        collector.found = EntryStats {
            objects,
            object_bytes,
            collections: collector.found.collections + 1,
            last_elapsed: begin.elapsed(),
            ..EntryStats::default()
        };
        collector.walked = Some(Instant::now());
    }

    /// Lets the charge go if nobody uses the cache.
    pub(super) fn drop_idle_stats(&self) {
        let mut collector = self.collector.lock();
        let charge = collector.idle_charge();
        if charge > 0 {
            collector.charge = 0;
            self.release(charge);
        }
    }
}
