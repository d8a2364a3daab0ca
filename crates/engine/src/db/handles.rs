//! Users' handles of a database and its families. They are owned and reference-counted. Each keeps the database open;
//! the last one closes it.

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

/// An open database. Clones share it. It closes when the last clone, iterator and snapshot is dropped, or at
/// [`Db::close`].
#[derive(Clone)]
pub struct Db {
    shared: Arc<CloseOnDrop>,
    /// The references through which iterators and snapshots keep the database open.
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
    /// Whether dropping this closes the database.
    pub(super) closes: bool,
}

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        if self.core.session.health.is_of_parent() {
            // Leak the database: dropping a log would truncate it to its used length, but the parent process still
            // writes it.
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
    /// The references through which iterators keep the family alive.
    sharded: Sharded<ColumnFamilyData>,
}

impl Drop for ColumnFamily {
    #[inline]
    fn drop(&mut self) {
        if let Some(db) = self.data.dropped_from() {
            // Drop these first: they hold references too.
            drop(std::mem::take(&mut self.sharded));
            self.data.delete_if_last(db);
        }
    }
}

impl ColumnFamily {
    pub(crate) fn new(data: Arc<ColumnFamilyData>) -> ColumnFamily {
        ColumnFamily { data, sharded: Sharded::default() }
    }

    /// Returns the data that the family shares with readers.
    #[cfg(test)]
    pub(crate) fn data(&self) -> &ColumnFamilyData {
        &self.data
    }

    /// Returns a reference that keeps the family alive, for an iterator.
    pub(super) fn hold(&self) -> ShardRef<ColumnFamilyData> {
        self.sharded.hold(&self.data)
    }

    /// Returns the family's number.
    pub fn id(&self) -> u32 {
        self.data.id
    }

    /// Returns the family's name.
    pub fn name(&self) -> &str {
        &self.data.name
    }

    /// Returns whether the family was dropped from its database.
    #[inline]
    pub(crate) fn is_dropped(&self) -> bool {
        self.data.is_dropped()
    }

    /// Returns the options in force: as sanitized at open, with later changes applied.
    pub fn options(&self) -> Arc<ColumnFamilyOptions> {
        self.data.options()
    }
}

impl Db {
    /// Returns the owners that make up the database.
    #[inline]
    pub(crate) fn core(&self) -> &Core {
        &self.shared.core
    }

    /// Returns a reference that keeps the database open, for an object that users hold.
    pub(super) fn hold(&self) -> ShardRef<CloseOnDrop> {
        self.sharded.hold(&self.shared)
    }

    /// Creates another handle of the database `core`. It does not keep the database open.
    pub(super) fn of_core(core: Arc<Core>) -> Db {
        Db::new(core, false)
    }

    /// Returns the number of this opening, which is unique in the process.
    #[inline]
    pub(crate) fn serial(&self) -> u64 {
        self.core().session.serial
    }

    /// Returns whether both are handles of the same opening of a database.
    #[inline]
    pub(crate) fn is_same_opening(&self, other: &Db) -> bool {
        Arc::ptr_eq(&self.shared.core, &other.shared.core)
    }

    /// Returns the database directory.
    pub fn path(&self) -> &Path {
        &self.core().session.dir
    }

    /// Returns the content of the file IDENTITY. It never changes while the database exists.
    pub fn identity(&self) -> &str {
        &self.core().session.identity.db_id
    }

    /// Returns the key order of the default column family.
    pub(crate) fn default_key_order(&self) -> &KeyOrder {
        &self.core().catalog.default_family().order
    }

    /// Returns whether all keys that begin with `start` have the same prefix. Without `cf`, the default family is
    /// meant.
    pub(crate) fn is_one_prefix(&self, cf: Option<&ColumnFamily>, start: &[u8]) -> bool {
        let family = cf.map_or(self.core().catalog.default_family(), |cf| &cf.data);
        family.prefix_extractor.as_deref().is_some_and(|e| is_one_prefix(e, start))
    }

    /// Returns the default column family.
    pub fn default_cf(&self) -> ColumnFamily {
        ColumnFamily::new(Arc::clone(self.core().catalog.default_family()))
    }

    /// Returns the open column family with this number.
    pub fn cf_by_id(&self, id: u32) -> Option<ColumnFamily> {
        self.core().catalog.family_by_id(id).map(ColumnFamily::new)
    }

    /// Returns the names of the open column families, ordered by number.
    pub(crate) fn column_family_names(&self) -> Vec<String> {
        self.core().catalog.all_families().iter().map(|family| family.name.clone()).collect()
    }

    /// Returns the open column family with this name.
    pub fn cf(&self, name: &str) -> Option<ColumnFamily> {
        self.core().catalog.family_by_name(name).map(ColumnFamily::new)
    }

    /// Creates a column family.
    pub fn create_cf(&self, name: &str, options: &ColumnFamilyOptions) -> Result<ColumnFamily> {
        Ok(ColumnFamily::new(self.core().create_family(name, options)?))
    }

    /// Drops a column family. New readers no longer see its data, and its files are deleted when no reader uses them
    /// any more. Existing handles can still read.
    pub fn drop_cf(&self, cf: &ColumnFamily) -> Result<()> {
        self.core().drop_family(&cf.data)
    }

    /// Returns another handle, which does not keep the database open. Once the database is closed, its calls fail.
    #[must_use]
    pub fn without_keeping_open(&self) -> Db {
        Db::new(Arc::clone(&self.shared.core), false)
    }

    /// Returns the database's statistics, if the option `statistics` is on.
    pub fn statistics(&self) -> Option<Arc<Statistics>> {
        self.core().session.statistics.clone()
    }

    /// Closes the database even if other handles exist. Their calls return errors from now on. Iterators can still be
    /// used.
    pub fn close(&self) -> Result<()> {
        self.core().close()
    }

    /// Returns whether the database was closed.
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
