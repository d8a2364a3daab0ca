//! Databases by number: each is a table of the catalogue, created when it is first written to.

use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::store::{Format, Partition, Txn};
use crate::tables::{Catalogue, NewTable, Refusal};
use crate::text::slot::SLOTS;
use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The partitions of databases above 0, which few clients use.
const SMALL_PARTITIONS: i32 = 2;

/// A database.
#[derive(Clone, Debug)]
pub struct Database {
    index: u32,
    partitions: Vec<Partition>,
}

impl Database {
    /// Returns the number that clients select, by which also latches, watches, waiters and cursors know the database: a
    /// client keeps its index when SWAPDB exchanges the contents of two databases.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Returns its partitions, in the order of slots.
    pub fn partitions(&self) -> &[Partition] {
        &self.partitions
    }

    /// Returns the partition of a slot: each has a range of slots.
    pub fn partition_of(&self, slot: u16) -> Partition {
        let at = usize::from(slot) * self.partitions.len() / usize::from(SLOTS);
        self.partitions.get(at).copied().unwrap_or(crate::store::local::SYSTEM)
    }

    /// Returns the database under a number.
    fn under(self: Arc<Database>, index: u32) -> Arc<Database> {
        match self.index == index {
            true => self,
            false => Arc::new(Database { index, partitions: self.partitions.clone() }),
        }
    }

    /// Returns the slots of a partition, given by its place in [`partitions`](Database::partitions).
    pub fn slots_of(&self, at: usize) -> std::ops::Range<u16> {
        let bound = |at: usize| (at * usize::from(SLOTS)).div_ceil(self.partitions.len()) as u16;
        bound(at)..bound(at + 1)
    }
}

/// All databases of a server.
pub struct Databases {
    catalogue: Arc<Catalogue>,
    clock: Arc<dyn Clock>,
    open: Vec<ArcSwapOption<Database>>,
    /// The partitions of database 0.
    partitions: i32,
    /// Held while a database is created or two are swapped.
    change: Mutex<()>,
    /// Counts changes of `open`.
    changes: AtomicU64,
}

/// The databases as one thread uses them. They are copies, because each command counts a reference to its database, and
/// threads that count in the same place slow each other down.
#[derive(Default)]
pub struct OwnDatabases {
    copies: Vec<Option<Arc<Database>>>,
    /// The number of changes when the copies were made.
    changes: u64,
}

/// Exchanges of databases that an evaluation made and has yet to commit: nobody else sees them.
#[derive(Debug, Default)]
pub struct Swaps(Vec<(u32, u32)>);

impl Swaps {
    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds an exchange behind the others.
    pub fn add(&mut self, one: u32, other: u32) {
        self.0.push((one, other));
    }

    /// Forgets all exchanges.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the number under which all others see the contents that the evaluation sees under this one.
    fn origin(&self, index: u32) -> u32 {
        self.0.iter().rev().fold(index, |at, (one, other)| match at {
            at if at == *one => *other,
            at if at == *other => *one,
            at => at,
        })
    }
}

impl OwnDatabases {
    /// Returns a database, and creates its table if need be.
    ///
    /// # Errors
    ///
    /// As [`Databases::get`].
    pub fn get(&mut self, databases: &Databases, index: u32) -> Result<Arc<Database>> {
        let (at, changes) = (index as usize, databases.changes.load(Ordering::Acquire));
        if self.changes != changes {
            self.copies.clear();
            self.changes = changes;
        }
        if let Some(Some(copy)) = self.copies.get(at) {
            return Ok(copy.clone());
        }
        let shared = databases.get(index)?;
        let copy = Arc::new(Database::clone(&shared));
        self.copies.resize(self.copies.len().max(at + 1), None);
        if let Some(place) = self.copies.get_mut(at) {
            *place = Some(copy.clone());
        }
        Ok(copy)
    }
}

impl Databases {
    /// Returns `count` databases. Database 0 has so many partitions, a power of two, when it is created.
    pub fn new(
        catalogue: Arc<Catalogue>,
        clock: Arc<dyn Clock>,
        count: usize,
        partitions: i32,
    ) -> Databases {
        let open = (0..count.max(1)).map(|_| ArcSwapOption::empty()).collect();
        let (change, changes) = (Mutex::default(), AtomicU64::new(0));
        let databases = Databases { catalogue, clock, open, partitions, change, changes };
        for index in 0..databases.count() {
            databases.load(index);
        }
        databases
    }

    /// Returns the number of databases.
    pub fn count(&self) -> u32 {
        self.open.len() as u32
    }

    /// Returns a database if it was ever written to, as an evaluation with these exchanges sees it.
    pub fn existing_behind(&self, swaps: &Swaps, index: u32) -> Option<Arc<Database>> {
        let database = self.existing(swaps.origin(index))?;
        Some(database.under(index))
    }

    /// Returns a database as an evaluation with these exchanges sees it, and creates its table if need be.
    ///
    /// # Errors
    ///
    /// As [`get`](Databases::get).
    pub fn get_behind(&self, swaps: &Swaps, index: u32) -> Result<Arc<Database>> {
        // A number that is not valid is not exchanged, so the error has it.
        Ok(self.get(swaps.origin(index))?.under(index))
    }

    /// Returns a database if it was ever written to.
    pub fn existing(&self, index: u32) -> Option<Arc<Database>> {
        self.open.get(index as usize)?.load_full()
    }

    /// Returns a database, and creates its table if need be.
    ///
    /// # Errors
    ///
    /// There is no database of this number, or the store failed.
    pub fn get(&self, index: u32) -> Result<Arc<Database>> {
        if let Some(database) = self.existing(index) {
            return Ok(database);
        }
        let _change = self.change.lock();
        if let Some(database) = self.existing(index) {
            return Ok(database);
        }
        if index >= self.count() {
            return Err(Error::Setting(format!("there is no database {index}")));
        }
        let new = NewTable {
            name: table_name(index),
            format: Format::Redis,
            partitions: if index == 0 { self.partitions } else { SMALL_PARTITIONS },
            replicas: 1,
            envs: BTreeMap::new(),
        };
        match self.catalogue.create(new, self.clock.wall_ms() / 1000) {
            Ok(_) => {}
            Err(Refusal::Store(error)) => return Err(error),
            Err(other) => return Err(Error::Setting(format!("database {index}: {other:?}"))),
        }
        self.load(index).ok_or_else(|| Error::corrupt(format!("database {index} has no table")))
    }

    /// Commits a transaction together with exchanges of databases, which clients that come later see. The databases
    /// must exist.
    ///
    /// # Errors
    ///
    /// The store failed. Nothing is written or exchanged then.
    pub fn commit_swaps(&self, swaps: &Swaps, txn: &mut Txn) -> Result<()> {
        let names = swaps.0.iter().map(|(one, other)| [table_name(*one), table_name(*other)]);
        let names: Vec<_> = names.collect();
        let _change = self.change.lock();
        match self.catalogue.exchange(&names, txn) {
            Ok(()) => {}
            Err(Refusal::Store(error)) => return Err(error),
            Err(other) => return Err(Error::corrupt(format!("swapping tables: {other:?}"))),
        }
        for (one, other) in &swaps.0 {
            self.load(*one);
            self.load(*other);
        }
        Ok(())
    }

    /// Reads a database's table from the catalogue.
    fn load(&self, index: u32) -> Option<Arc<Database>> {
        let table = self.catalogue.by_name(&table_name(index))?;
        let partitions = table.partitions().to_vec();
        let database = Arc::new(Database { index, partitions });
        self.open.get(index as usize)?.store(Some(database.clone()));
        self.changes.fetch_add(1, Ordering::Release);
        Some(database)
    }
}

fn table_name(index: u32) -> String {
    format!("redis.{index}")
}
