//! What users hold of a database and its families: owned, counted handles. Each keeps the database open; the last one
//! closes it.

use crate::base::KeyOrder;
use crate::env::sharded::{ShardRef, Sharded};
use crate::error::Result;
use crate::hooks::is_one_prefix;
use crate::open::Core;
use crate::options::ColumnFamilyOptions;
use crate::session::ColumnFamilyData;
use crate::stats::Statistics;
use std::path::Path;
use std::sync::Arc;

/// An open database. Clones share it; it closes when the last clone, iterator and snapshot is
/// gone, or at [`Db::close`].
#[derive(Clone)]
pub struct Db {
    shared: Arc<CloseOnDrop>,
    /// What iterators and snapshots hold the database by.
    sharded: Sharded<CloseOnDrop>,
}

impl Db {
    pub(super) fn new(core: Arc<Core>, closes: bool) -> Db {
        Db { shared: Arc::new(CloseOnDrop { core, closes }), sharded: Sharded::default() }
    }
}

/// Closes the database when the last handle is dropped.
pub(super) struct CloseOnDrop {
    pub(super) core: Arc<Core>,
    /// Whether the database is closed with it.
    pub(super) closes: bool,
}

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        if self.core.session.health.is_of_parent() {
            // Kept for ever: a log that is dropped is cut to its length, and the parent goes on writing it.
            std::mem::forget(Arc::clone(&self.core));
            return;
        }
        if !self.closes {
            return;
        }
        if let Err(e) = self.core.close() {
            self.core.session.info_log.info(format_args!("[db/close] {e}"));
        }
    }
}

/// A column family of an open database.
#[derive(Clone)]
pub struct ColumnFamily {
    pub(crate) data: Arc<ColumnFamilyData>,
    /// What its iterators hold it by.
    sharded: Sharded<ColumnFamilyData>,
}

impl Drop for ColumnFamily {
    #[inline]
    fn drop(&mut self) {
        if let Some(db) = self.data.dropped_from() {
            // Its parts are holders, too.
            drop(std::mem::take(&mut self.sharded));
            self.data.delete_if_last(db);
        }
    }
}

impl ColumnFamily {
    pub(crate) fn new(data: Arc<ColumnFamilyData>) -> ColumnFamily {
        ColumnFamily { data, sharded: Sharded::default() }
    }

    /// What it shares with readers.
    #[cfg(test)]
    pub(crate) fn data(&self) -> &ColumnFamilyData {
        &self.data
    }

    /// What keeps it, for an iterator.
    pub(super) fn hold(&self) -> ShardRef<ColumnFamilyData> {
        self.sharded.hold(&self.data)
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.data.id
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.data.name
    }

    /// Whether it was dropped from its database.
    #[inline]
    pub(crate) fn is_dropped(&self) -> bool {
        self.data.is_dropped()
    }

    /// The options in force: as sanitized at open, and as changed since.
    pub fn options(&self) -> Arc<ColumnFamilyOptions> {
        self.data.options()
    }
}

impl Db {
    /// The owners of what the database consists of.
    #[inline]
    pub(crate) fn core(&self) -> &Core {
        &self.shared.core
    }

    /// What keeps the database open, for something that users hold.
    pub(super) fn hold(&self) -> ShardRef<CloseOnDrop> {
        self.sharded.hold(&self.shared)
    }

    /// Another handle of the database that `core` is; it does not keep it open.
    pub(super) fn of_core(core: Arc<Core>) -> Db {
        Db::new(core, false)
    }

    /// The number of this opening: no other one in the process has it.
    #[inline]
    pub(crate) fn serial(&self) -> u64 {
        self.core().session.serial
    }

    /// Whether both are handles of one opening of a database.
    #[inline]
    pub(crate) fn is_same_opening(&self, other: &Db) -> bool {
        Arc::ptr_eq(&self.shared.core, &other.shared.core)
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.core().session.dir
    }

    /// What the file IDENTITY says: the same for as long as the database exists.
    pub fn identity(&self) -> &str {
        &self.core().session.identity.db_id
    }

    /// The order of keys in the default column family.
    pub(crate) fn default_key_order(&self) -> &KeyOrder {
        &self.core().catalog.default_family().order
    }

    /// Whether all keys of a family, by default the default one, that begin with `start` have the same prefix.
    pub(crate) fn is_one_prefix(&self, cf: Option<&ColumnFamily>, start: &[u8]) -> bool {
        let family = cf.map_or(self.core().catalog.default_family(), |cf| &cf.data);
        family.prefix_extractor.as_deref().is_some_and(|e| is_one_prefix(e, start))
    }

    /// The default column family.
    pub fn default_cf(&self) -> ColumnFamily {
        ColumnFamily::new(Arc::clone(self.core().catalog.default_family()))
    }

    /// The open column family with this number.
    pub fn cf_by_id(&self, id: u32) -> Option<ColumnFamily> {
        self.core().catalog.family_by_id(id).map(ColumnFamily::new)
    }

    /// The names of the open column families, in the order of their ids.
    pub(crate) fn column_family_names(&self) -> Vec<String> {
        self.core().catalog.all_families().iter().map(|family| family.name.clone()).collect()
    }

    /// The open column family with this name.
    pub fn cf(&self, name: &str) -> Option<ColumnFamily> {
        self.core().catalog.family_by_name(name).map(ColumnFamily::new)
    }

    /// Makes a new column family.
    pub fn create_cf(&self, name: &str, options: &ColumnFamilyOptions) -> Result<ColumnFamily> {
        if self.core().session.stamps_values() {
            return self.create_cf_with_ttl(name, options, 0);
        }
        Ok(ColumnFamily::new(self.core().create_family(name, options)?))
    }

    /// Drops a column family: its data is gone for new readers, its files follow when nobody reads
    /// them any more. Handles stay valid for reading what they pinned.
    pub fn drop_cf(&self, cf: &ColumnFamily) -> Result<()> {
        self.core().drop_family(&cf.data)
    }

    /// Another handle, which does not keep the database open: once that is closed, calls fail.
    #[must_use]
    pub fn without_keeping_open(&self) -> Db {
        Db::new(Arc::clone(&self.shared.core), false)
    }

    /// What the database counts, if the option `statistics` is on.
    pub fn statistics(&self) -> Option<Arc<Statistics>> {
        self.core().session.statistics.clone()
    }

    /// Closes the database, whoever still holds handles: they get errors from now on. Iterators
    /// can go on.
    pub fn close(&self) -> Result<()> {
        self.core().close()
    }

    /// Whether the database was closed.
    pub fn is_closed(&self) -> bool {
        self.core().session.health.is_closing()
    }
}

impl std::fmt::Debug for Db {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Db({})", self.core().session.dir.display())
    }
}

impl std::fmt::Debug for ColumnFamily {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ColumnFamily({}, {:?})", self.data.id, self.data.name)
    }
}
