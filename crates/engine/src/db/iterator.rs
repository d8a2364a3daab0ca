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

/// An iterator over one column family. Keeps what it reads, and the database, alive.
pub struct DbIterator {
    /// Always there until `drop` pools it.
    pub(super) iter: Option<Box<DbIter>>,
    /// `None` is the default one, which `shared` keeps.
    pub(super) family: Option<ShardRef<ColumnFamilyData>>,
    pub(super) options: ReadOptions,
    /// Outlives `iter`, which is dropped first.
    pub(super) shared: ShardRef<CloseOnDrop>,
    /// What a tailing iterator read when it last sought.
    pub(super) followed: Option<Arc<SuperVersion>>,
}

impl DbIterator {
    /// The error that stopped it, if one did.
    pub fn status(&self) -> Result<()> {
        (**self).status().map_err(|e| e.in_family(&self.family().name))
    }

    /// The column family it reads.
    pub fn column_family(&self) -> ColumnFamily {
        ColumnFamily::new(Arc::clone(self.family()))
    }

    /// The order of its keys.
    pub(crate) fn key_order(&self) -> &KeyOrder {
        &self.family().order
    }

    pub(super) fn family(&self) -> &Arc<ColumnFamilyData> {
        match &self.family {
            Some(family) => family,
            None => self.shared.core.catalog.default_family(),
        }
    }

    /// Reads what is newest now, whatever it read before, also if that was a snapshot. It is not
    /// valid before its next seek.
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
