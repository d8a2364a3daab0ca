//! Everything a reader needs, immutable and pinned together: memtables and the version.

use crate::base::LookupKey;
use crate::error::Result;
use crate::iter::GetContext;
use crate::memtable::MemTable;
use crate::options::ReadOptions;
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
    /// Looks a key up in the memtables, then in the files, newest place first.
    #[inline]
    pub fn get(
        &self,
        key: &LookupKey,
        ro: &ReadOptions,
        ctx: &mut GetContext<'_>,
        tables: &TableCache,
    ) -> Result<()> {
        if !self.get_from_memtables(key, ctx) {
            self.version.get(key, ro, ctx, tables)?;
        }
        Ok(())
    }

    /// Looks a key up in the memtables; true if that settled the answer.
    #[inline]
    pub fn get_from_memtables(&self, key: &LookupKey, ctx: &mut GetContext<'_>) -> bool {
        self.mem.get(key, ctx) || self.immutables.iter().any(|immutable| immutable.get(key, ctx))
    }
}
