//! Statistics about a cache's entries. The result of a scan over the cache is kept for a while, so that databases that
//! share a cache and report on it scan it once.
//!
//! As in RocksDB, the cache is charged for the kept result once it has a user: an open database's cache is never empty.
//! While there are users, the charge is pinned; after that it is released once everything else has been evicted and
//! room is needed.

use super::Cache;
use crate::env::clock::Instant;
use std::sync::Arc;
use std::time::Duration;

/// The result and the time of a scan.
#[derive(Clone, Copy, Debug, Default)]
pub struct EntryStats {
    /// The number of cached objects.
    pub objects: usize,
    /// The sum of their charges in bytes.
    pub object_bytes: usize,
    /// The charge of these statistics themselves in bytes.
    pub own_bytes: usize,
    /// How often the cache was scanned.
    pub collections: u64,
    /// How often the result of the last scan was returned again.
    pub last_copies: u64,
    /// The duration of the last scan.
    pub last_elapsed: Duration,
    /// The time since the scan ended.
    pub age: Duration,
}

/// The statistics of a cache and their users.
#[derive(Default)]
pub(super) struct Collector {
    users: usize,
    /// 0 while nothing is charged.
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
    /// 1 if the statistics are charged, since they then count as an object.
    pub(super) fn count(&self) -> usize {
        usize::from(self.charge > 0)
    }

    /// The charge of the statistics.
    pub(super) fn charge(&self) -> usize {
        self.charge
    }

    /// The charge that remains without users.
    pub(super) fn idle_charge(&self) -> usize {
        if self.users == 0 { self.charge } else { 0 }
    }
}

impl Cache {
    /// Registers a user. The first one charges the cache for its statistics; if a strict limit
    /// leaves no room for that, there is no charge.
    pub fn join(self: &Arc<Self>) -> CacheUser {
        let charge = size_of::<Collector>();
        let mut collector = self.collector.lock();
        collector.users += 1;
        let first = std::mem::replace(&mut collector.charge, charge) == 0;
        drop(collector);
        if first && self.admit(charge, None).is_err() {
            self.collector.lock().charge = 0;
        }
        CacheUser(Arc::clone(self))
    }

    /// The contents of the cache at a point in time at most `age_max` ago.
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
            for entry in shard.lock().entries() {
                objects += 1;
                object_bytes += entry.charge();
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

    /// Releases the charge if the cache has no users.
    pub(super) fn drop_idle_stats(&self) {
        let mut collector = self.collector.lock();
        let charge = collector.idle_charge();
        if charge > 0 {
            collector.charge = 0;
            self.release(charge);
        }
    }
}
