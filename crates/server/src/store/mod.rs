//! What commands read and write: partitions of rows, batches, latches, versions, and the removal of dead rows.
//!
//! [`Store`] is the only door to rows. [`local`] implements it on one engine; a cluster implements it a second time and
//! replicates [`Batch`]es.

pub mod directory;
mod events;
mod filter;
mod horizons;
mod ingest;
mod inspect;
mod latches;
pub mod local;
mod overlay;
mod pegasus_filter;
mod prefetched;
mod row_cache;
mod sync;
mod txn;

pub use directory::DirectoryFormat;
pub use events::{Events, Job, JobKind, Stall};
pub use horizons::{Horizons, Versions};
pub use ingest::Ingest;
pub use inspect::{Inspect, Level, Memory};
pub use latches::{Guards, Latches, Mode};
pub use sync::{Durability, SyncProgress};
pub use txn::{Rows, Txn};

use crate::backup::{BackupProgress, Creation, Vault};
use crate::error::Result;
use crate::rows::redis::RowKey;
use std::any::Any;
use std::sync::Arc;

/// The identity of a partition. It is never used twice.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Partition(pub u32);

/// What the rows of a partition are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Format {
    /// Rows of [`rows::redis`](crate::rows::redis).
    Redis,
    /// Rows as Pegasus writes them.
    Pegasus,
}

/// Writes that are committed together. [`Store`] has the functions that append to it.
#[derive(Debug, Default)]
pub struct Batch {
    inner: ferrolith::WriteBatch,
    /// The rows that the writes concern, for the cache of rows.
    writes: row_cache::Writes,
}

impl Batch {
    /// Returns whether there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    /// Returns the number of writes.
    pub fn len(&self) -> usize {
        self.inner.len()
    }

    /// Removes all writes.
    pub fn clear(&mut self) {
        self.inner.clear();
        self.writes.clear();
    }
}

/// The rows in which an iteration takes an interest: from `start` (included) to `end` (excluded).
#[derive(Clone, Debug)]
pub struct Range {
    /// The first key that may be returned.
    pub start: RowKey,
    /// The first key that may not be returned.
    pub end: RowKey,
}

impl Range {
    /// Returns the range of all keys with this prefix.
    pub fn prefix(prefix: &[u8]) -> Range {
        let end = crate::rows::redis::after_prefix(prefix);
        Range { start: RowKey::from_slice(prefix), end }
    }
}

/// A position among the rows of a range. It sees the rows as they were when it was created.
pub trait RowCursor: Send {
    /// Moves to the first row, or to the last one.
    fn seek_to_end(&mut self, is_last: bool);
    /// Moves to the first row at or above a key.
    fn seek(&mut self, key: &[u8]);
    /// Moves to the last row at or below a key.
    fn seek_for_prev(&mut self, key: &[u8]);
    /// Moves to the next row, or to the previous one.
    fn step(&mut self, is_backwards: bool);
    /// Returns the row; `None` at the end, or after an error, which [`status`](RowCursor::status) returns.
    fn item(&self) -> Option<(&[u8], &[u8])>;
    /// Returns the error that ended the iteration, if one did.
    fn status(&self) -> Result<()>;
}

/// A store of rows in partitions.
///
/// A read sees all commits that ended before it began. [`view`](Store::view) fixes a moment for several reads. All
/// functions may block for the device.
pub trait Store: Send + Sync + 'static {
    /// Passes the value of a row to `found` and returns `true`, or returns `false`. Reads without a view may be
    /// answered by a cache; each is as of a moment of its own.
    fn get(
        &self,
        partition: Partition,
        key: &[u8],
        view: Option<&View>,
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool>;

    /// Returns the values of rows: those of each partition as of one moment. Rows of several partitions agree if the
    /// latches of their keys are held.
    fn multi_get(&self, keys: &[(Partition, RowKey)]) -> Result<Vec<Option<ferrolith::Value>>>;

    /// Passes the position and the value of each of these rows that exists to `found`, in any order. The rows agree as
    /// those of [`multi_get`](Store::multi_get) do. `found` must be quick and must not use the store.
    fn multi_get_with(
        &self,
        keys: &[(Partition, &[u8])],
        found: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<()>;

    /// Passes the position and the value of each of these rows that exists to `found`, in any order. **Each row is as
    /// of a moment of its own**: the caller holds the latches of their keys, or does nothing with a row that depends on
    /// another one. The moments of a partition's rows are in the order of the list. `found` must be quick and must not
    /// use the store.
    fn get_each_alone(
        &self,
        keys: &[(Partition, &[u8])],
        found: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<()>;

    /// Returns a cursor over a range of a partition.
    fn cursor(
        &self,
        partition: Partition,
        range: &Range,
        view: Option<&View>,
    ) -> Result<Box<dyn RowCursor>>;

    /// Returns a view of the store as it is now.
    fn view(&self) -> View;

    /// Appends the write of a row to a batch.
    fn put(&self, batch: &mut Batch, partition: Partition, key: &[u8], value: &[u8]) -> Result<()>;

    /// Appends the deletion of a row to a batch.
    fn delete(&self, batch: &mut Batch, partition: Partition, key: &[u8]) -> Result<()>;

    /// Appends the deletion of all rows of a range to a batch.
    fn delete_range(&self, batch: &mut Batch, partition: Partition, range: &Range) -> Result<()>;

    /// Commits a batch, and clears it. Here a batch may span partitions and is atomic; a cluster refuses it with
    /// CROSSSLOT.
    ///
    /// The commit survives a crash of the process when this function returns. When it survives a crash of the machine
    /// is decided by the [`Durability`]: see [`sync`](Store::sync).
    fn commit(&self, batch: &mut Batch) -> Result<()>;

    /// Returns what tells when commits are on the device.
    fn sync(&self) -> &SyncProgress;

    /// Makes all commits so far survive a crash of the machine.
    fn sync_now(&self) -> Result<()>;

    /// Creates an empty partition. It does nothing if the partition exists.
    fn create_partition(&self, partition: Partition, format: Format) -> Result<()>;

    /// Drops a partition and its rows. It does nothing if the partition does not exist.
    fn drop_partition(&self, partition: Partition) -> Result<()>;

    /// Changes options of a partition by the engine's names, until the store closes.
    ///
    /// # Errors
    ///
    /// Fails for options that do not exist or cannot change.
    fn set_options(&self, partition: Partition, options: &[(&str, &str)]) -> Result<()>;

    /// Returns the time and version below which rows may be dropped.
    fn horizons(&self) -> &Horizons;

    /// Returns the source of versions.
    fn versions(&self) -> &Versions;

    /// Creates a backup of everything that is committed, and returns its number. Commits go on meanwhile.
    ///
    /// # Errors
    ///
    /// As [`Vault::create`].
    fn back_up(
        &self,
        vault: &mut Vault,
        how: &Creation,
        progress: &Arc<BackupProgress>,
    ) -> Result<u32>;

    /// Returns the format of the directory.
    fn format(&self) -> &DirectoryFormat;

    /// Gives the directory the newest format; older servers cannot open it any more.
    ///
    /// # Errors
    ///
    /// The directory cannot be written.
    fn finalize(&self) -> Result<()>;

    /// Returns named figures of the store, for INFO and metrics; `None` for unknown names.
    fn figure(&self, name: &str) -> Option<u64>;
}

/// A fixed moment of a store: reads with it do not see later commits. It keeps old rows alive while it exists.
pub struct View(Box<dyn Any + Send + Sync>);
