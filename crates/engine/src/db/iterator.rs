//! The iterator that users hold.

use super::handles::{CloseOnDrop, ColumnFamily};
use crate::base::KeyOrder;
use crate::env::sharded::ShardRef;
use crate::error::Result;
use crate::lookup;
use crate::options::ReadOptions;
use crate::read::{DbIter, SuperVersion};
use crate::session::ColumnFamilyData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// An iterator over one column family. It keeps the database, and the data it reads, alive.
pub struct DbIterator {
    /// Always present until `drop` returns it to the pool.
    pub(super) iter: Option<Box<DbIter>>,
    /// `None` means the default family, which `shared` keeps alive.
    pub(super) family: Option<ShardRef<ColumnFamilyData>>,
    pub(super) options: ReadOptions,
    /// Outlives `iter`, which is dropped first.
    pub(super) shared: ShardRef<CloseOnDrop>,
    /// The super-version that a tailing iterator used at its last seek.
    pub(super) followed: Option<Arc<SuperVersion>>,
}

impl DbIterator {
    /// Returns the error that stopped the iterator, if any.
    pub fn status(&self) -> Result<()> {
        (**self).status().map_err(|e| e.in_family(&self.family().name))
    }

    /// Returns the column family that the iterator reads.
    pub fn column_family(&self) -> ColumnFamily {
        ColumnFamily::new(Arc::clone(self.family()))
    }

    /// Returns the order of the iterator's keys.
    pub(crate) fn key_order(&self) -> &KeyOrder {
        &self.family().order
    }

    pub(super) fn family(&self) -> &Arc<ColumnFamilyData> {
        match &self.family {
            Some(family) => family,
            None => self.shared.core.catalog.default_family(),
        }
    }

    /// Switches to the newest data, even if the iterator read from a snapshot before. It is invalid until its next
    /// seek.
    pub fn refresh(&mut self) -> Result<()> {
        self.options.snapshot = None;
        self.iter = Some(lookup::iterator(&*self.shared.core, self.family(), &self.options)?);
        Ok(())
    }
}

impl Deref for DbIterator {
    type Target = DbIter;
    #[inline]
    fn deref(&self) -> &DbIter {
        match &self.iter {
            Some(iter) => iter,
            None => unreachable!("`drop` alone takes it"),
        }
    }
}

impl DerefMut for DbIterator {
    #[inline]
    fn deref_mut(&mut self) -> &mut DbIter {
        match &mut self.iter {
            Some(iter) => iter,
            None => unreachable!("`drop` alone takes it"),
        }
    }
}

impl Drop for DbIterator {
    fn drop(&mut self) {
        if let Some(iter) = self.iter.take() {
            self.family().pool(iter);
        }
    }
}
