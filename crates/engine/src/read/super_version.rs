//! The super-version: the memtables and the version that a reader uses together.

use crate::base::LookupKey;
use crate::memtable::MemTable;
use crate::rangedel::Run;
use crate::version::TableCache;
use crate::version::Version;
use std::sync::Arc;

/// An immutable, consistent set of places to search, newest first. A reader takes it once and needs no lock afterwards.
/// Writers keep inserting into `mem`, but the reader's sequence number hides their entries.
pub struct SuperVersion {
    /// The active memtable.
    pub mem: Arc<MemTable>,
    /// Immutable memtables that are not flushed yet, newest first.
    pub immutables: Vec<Arc<MemTable>>,
    /// The files.
    pub version: Arc<Version>,
    /// The number of the content, as `memtable/gaps.rs` defines it.
    pub content: u64,
}

impl SuperVersion {
    /// Asserts that the memtables are ordered newest first, and that writers may insert only into the first.
    pub fn check(&self) {
        debug_assert!(
            !self.mem.is_immutable(),
            "expected an active memtable, found {} immutable",
            self.mem.id()
        );
        let ids = || self.memtables().map(|mem| mem.id());
        debug_assert!(
            ids().is_sorted_by(|newer, older| newer > older),
            "expected the newest memtable first, found {:?}",
            ids().collect::<Vec<_>>()
        );
    }

    /// Returns the memtables, newest first.
    pub fn memtables(&self) -> impl Iterator<Item = &Arc<MemTable>> {
        std::iter::once(&self.mem).chain(&self.immutables)
    }

    /// Returns the range tombstones of each place, newest place first: of these memtables, each file of level 0, and
    /// each deeper level that has files. `None` if there are no range tombstones.
    pub fn range_tombstones(
        &self,
        memtables: &[&Arc<MemTable>],
        tables: &TableCache,
    ) -> Option<Vec<Vec<Run>>> {
        if !self.has_range_tombstones(tables) {
            return None;
        }
        let runs = |mem: &&Arc<MemTable>| {
            mem.range_tombstones().into_iter().map(|run| Run::new([run])).collect()
        };
        let mut places: Vec<Vec<Run>> = memtables.iter().map(runs).collect();
        self.version.add_range_tombstones(tables, &mut places);
        Some(places)
    }

    /// Prefetches what a lookup of the key reads first in each place, so that the cache misses overlap.
    #[inline]
    pub fn prefetch(&self, key: &LookupKey) {
        self.mem.prefetch(key);
        self.immutables.iter().for_each(|immutable| immutable.prefetch(key));
        self.version.prefetch(key);
    }

    /// Returns whether there are range tombstones anywhere.
    pub fn has_range_tombstones(&self, tables: &TableCache) -> bool {
        self.memtables().any(|mem| mem.num_range_deletes() != 0)
            || self.version.has_range_tombstones(tables)
    }
}
