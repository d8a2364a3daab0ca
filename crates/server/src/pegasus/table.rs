//! A table as operations see it: its partitions, its environments in effect, and the numbers of its writes.

use super::envs::Settings;
use crate::store::Partition;
use crate::tables;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A table in use. A change of its environments makes a new one that goes on with the numbers of writes.
#[derive(Debug)]
pub struct Table {
    pub(super) app_id: i32,
    entry: Arc<tables::Table>,
    settings: Settings,
    /// The writes of each partition since the server started.
    decrees: Arc<[AtomicI64]>,
}

impl Table {
    /// Returns a table with these settings, which goes on from `old`.
    pub(super) fn new(entry: Arc<tables::Table>, settings: Settings, old: Option<&Table>) -> Table {
        let decrees = match old {
            Some(old) => old.decrees.clone(),
            None => entry.partitions().iter().map(|_| AtomicI64::new(0)).collect(),
        };
        Table { app_id: entry.info().app_id, entry, settings, decrees }
    }

    /// Returns the entry in the catalogue.
    pub fn entry(&self) -> &Arc<tables::Table> {
        &self.entry
    }

    /// Returns the table's name.
    pub fn name(&self) -> &str {
        &self.entry.info().app_name
    }

    /// Returns the environments in effect.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the number of partitions.
    pub fn count(&self) -> u32 {
        self.entry.partitions().len() as u32
    }

    /// Returns a partition in the store; `None` if the table has no partition of that number.
    pub fn at(&self, partition: i32) -> Option<Partition> {
        self.entry.partitions().get(usize::try_from(partition).ok()?).copied()
    }

    /// Returns the number of the next write of a partition, from 1.
    pub(super) fn next_decree(&self, partition: i32) -> i64 {
        let decree = usize::try_from(partition).ok().and_then(|at| self.decrees.get(at));
        decree.map_or(0, |decree| decree.fetch_add(1, Ordering::Relaxed) + 1)
    }
}
