//! Everything a reader needs, immutable and pinned together: memtables and the version.

use crate::base::LookupKey;
use crate::memtable::MemTable;
use crate::rangedel::Run;
use crate::version::TableCache;
use crate::version::Version;
use std::sync::Arc;

/// One consistent set of places to look into, newest first. A reader takes it once and needs no
/// lock after that; writers go on inserting into `mem`, which sequence numbers hide.
pub struct SuperVersion {
    /// The active memtable.
    pub mem: Arc<MemTable>,
    /// Immutable memtables that are not flushed yet, newest first.
    pub immutables: Vec<Arc<MemTable>>,
    /// The files.
    pub version: Arc<Version>,
}

impl SuperVersion {
    /// The range tombstones of each place, newest place first: one of its own for each memtable, each
    /// file of level 0 and each other level that has files. `None` where there are none at all.
    pub fn range_tombstones(&self, tables: &TableCache) -> Option<Vec<Vec<Run>>> {
        if !self.has_range_tombstones(tables) {
            return None;
        }
        let memtables = std::iter::once(&self.mem).chain(&self.immutables);
        let runs = |mem: &Arc<MemTable>| {
            mem.range_tombstones().into_iter().map(|run| Run::new([run])).collect()
        };
        let mut places: Vec<Vec<Run>> = memtables.map(runs).collect();
        self.version.add_range_tombstones(tables, &mut places);
        Some(places)
    }

    /// Asks for what a lookup of the key reads first in each place, so that it waits for all of them
    /// at once.
    #[inline]
    pub fn prefetch(&self, key: &LookupKey) {
        self.mem.prefetch(key);
        self.immutables.iter().for_each(|immutable| immutable.prefetch(key));
        self.version.prefetch(key);
    }

    /// Whether there are range tombstones anywhere.
    pub fn has_range_tombstones(&self, tables: &TableCache) -> bool {
        let mut memtables = std::iter::once(&self.mem).chain(&self.immutables);
        memtables.any(|mem| mem.num_range_deletes() != 0)
            || self.version.has_range_tombstones(tables)
    }
}
