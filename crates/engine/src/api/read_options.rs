//! Options of single reads and writes.

use super::Snapshot;
use crate::env::clock;
use crate::error::{Error, Result};
use crate::options;
use std::time::Duration;

pub use crate::options::{IoPriority, ReadTier};

/// The options of reads without explicit options.
pub(crate) static READ: options::ReadOptions =
    options::ReadOptions { total_order_seek: true, ..options::ReadOptions::DEFAULT };

/// Options of a read, set with chained methods.
///
/// The defaults are RocksDB's, with one exception: [`total_order_seek`](ReadOptions::total_order_seek) is on, so that
/// an iterator shows all keys even if the column family has a prefix extractor.
///
/// ```
/// use ferrolith::{Db, ReadOptions};
/// # let dir = tempfile::tempdir().unwrap();
/// # let db = Db::open(dir.path())?;
/// db.put("key", "old")?;
/// let then = ReadOptions::new().snapshot(&db.snapshot()).fill_cache(false);
/// db.put("key", "new")?;
/// assert_eq!(db.get_opt("key", &then)?.unwrap(), "old");
/// # Ok::<(), ferrolith::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReadOptions {
    inner: options::ReadOptions,
    /// Keeps the data of `inner.snapshot` alive.
    snapshot: Option<Snapshot>,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions { inner: READ.clone(), snapshot: None }
    }
}

impl ReadOptions {
    /// Returns the defaults.
    pub fn new() -> ReadOptions {
        ReadOptions::default()
    }

    /// Reads at this snapshot. The options keep the snapshot's data alive even if the [`Snapshot`] itself is dropped.
    /// Using the options with another database is an error.
    #[must_use]
    pub fn snapshot(mut self, snapshot: &Snapshot) -> ReadOptions {
        self.inner.snapshot = Some(snapshot.sequence());
        self.snapshot = Some(snapshot.clone());
        self
    }

    /// Adds blocks that are read to the block cache. Default: true. Turn it off for large scans.
    #[must_use]
    pub fn fill_cache(mut self, yes: bool) -> ReadOptions {
        self.inner.fill_cache = yes;
        self
    }

    /// Sets the first key that an iterator shows.
    #[must_use]
    pub fn iterate_lower_bound(mut self, key: impl Into<Vec<u8>>) -> ReadOptions {
        self.inner.iterate_lower_bound = Some(key.into());
        self
    }

    /// Sets the key before which an iterator ends.
    #[must_use]
    pub fn iterate_upper_bound(mut self, key: impl Into<Vec<u8>>) -> ReadOptions {
        self.inner.iterate_upper_bound = Some(key.into());
        self
    }

    /// Ends a cursor where the prefix of its seek target ends. If `yes`, turns
    /// [`total_order_seek`](ReadOptions::total_order_seek) off. For [`Cursor`](crate::Cursor) only.
    #[must_use]
    pub fn prefix_same_as_start(mut self, yes: bool) -> ReadOptions {
        self.inner.prefix_same_as_start = yes;
        self.inner.total_order_seek = !yes;
        self
    }

    /// Shows all keys in order even if the column family has a prefix extractor. Default: true. If off, a cursor is
    /// exact only within the prefix of its seek target, but may skip tables by their prefix filters.
    #[must_use]
    pub fn total_order_seek(mut self, yes: bool) -> ReadOptions {
        self.inner.total_order_seek = yes;
        self
    }

    /// Shows all keys in order, and skips tables by their prefix filters if all keys within the bounds have one prefix.
    /// If `yes`, turns [`total_order_seek`](ReadOptions::total_order_seek) off. Default: false. For
    /// [`Cursor`](crate::Cursor): a scan with [`Db::prefix`](crate::Db::prefix) does this itself.
    #[must_use]
    pub fn auto_prefix_mode(mut self, yes: bool) -> ReadOptions {
        self.inner.auto_prefix_mode = yes;
        self.inner.total_order_seek = !yes;
        self
    }

    /// Sets the number of bytes that an iterator reads ahead. With 0, the default, readahead begins after some
    /// sequential reads and grows.
    #[must_use]
    pub fn readahead_size(mut self, bytes: usize) -> ReadOptions {
        self.inner.readahead_size = bytes;
        self
    }

    /// Makes a scan that reaches the next table of a level continue with the readahead that it had. Default: false.
    #[must_use]
    pub fn adaptive_readahead(mut self, yes: bool) -> ReadOptions {
        self.inner.adaptive_readahead = yes;
        self
    }

    /// Makes a scan with an upper bound read ahead only to that bound, and no cached blocks. Default: true.
    #[must_use]
    pub fn auto_readahead_size(mut self, yes: bool) -> ReadOptions {
        self.inner.auto_readahead_size = yes;
        self
    }

    /// Makes scans read the next piece of a table while the current one is in use, and lookups of many keys read
    /// several blocks at once. Default: false.
    #[must_use]
    pub fn async_io(mut self, yes: bool) -> ReadOptions {
        self.inner.async_io = yes;
        self
    }

    /// Makes an iterator fail with `Incomplete` after this many consecutive hidden entries; 0 means never.
    #[must_use]
    pub fn max_skippable_internal_keys(mut self, entries: u64) -> ReadOptions {
        self.inner.max_skippable_internal_keys = entries;
        self
    }

    /// Sets where to search: everywhere, or in memory only.
    #[must_use]
    pub fn read_tier(mut self, tier: ReadTier) -> ReadOptions {
        self.inner.read_tier = tier;
        self
    }

    /// Makes a cursor show the newest state at each seek. Not for iterators, which show one state.
    #[must_use]
    pub fn tailing(mut self, yes: bool) -> ReadOptions {
        self.inner.tailing = yes;
        self
    }

    /// Makes reads fail with `TimedOut` if they would read a file after this time has passed from now.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> ReadOptions {
        let now = clock::since_1970();
        let deadline = now.saturating_add(timeout).as_micros();
        self.inner.deadline_us = u64::try_from(deadline).unwrap_or(u64::MAX);
        self
    }

    /// Ignores range deletions: also returns entries that they hide, if these still exist.
    #[must_use]
    pub fn ignore_range_deletions(mut self, yes: bool) -> ReadOptions {
        self.inner.ignore_range_deletions = yes;
        self
    }

    /// Makes a cursor keep every block that it has read until the cursor is dropped.
    #[must_use]
    pub fn pin_data(mut self, yes: bool) -> ReadOptions {
        self.inner.pin_data = yes;
        self
    }

    /// Ends `multi_get` with `Aborted` once its values exceed this many bytes.
    #[must_use]
    pub fn value_size_soft_limit(mut self, bytes: u64) -> ReadOptions {
        self.inner.value_size_soft_limit = bytes;
        self
    }

    /// Sets the priority of lookups in the rate limiter; `Total` (the default) bypasses it.
    #[must_use]
    pub fn rate_limiter_priority(mut self, priority: IoPriority) -> ReadOptions {
        self.inner.rate_limiter_priority = priority;
        self
    }

    /// Returns whether the options have a snapshot.
    pub(crate) fn has_snapshot(&self) -> bool {
        self.snapshot.is_some()
    }

    /// Returns the engine's options, if the snapshot belongs to this opening of a database.
    #[inline]
    pub(crate) fn checked(&self, db: &crate::db::Db) -> Result<&options::ReadOptions> {
        match &self.snapshot {
            Some(snapshot) if !snapshot.is_of(db) => Err(foreign_snapshot()),
            _ => Ok(&self.inner),
        }
    }
}

#[cold]
fn foreign_snapshot() -> Error {
    super::error::foreign("the snapshot in the read options")
}

/// Options of a write, set with chained methods. Names and defaults are RocksDB's.
///
/// ```
/// use ferrolith::{Db, WriteOptions};
/// # let dir = tempfile::tempdir().unwrap();
/// # let db = Db::open(dir.path())?;
/// let durable = WriteOptions::new().sync(true);
/// db.put_opt("key", "value", &durable)?; // on the device when this returns
/// # Ok::<(), ferrolith::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    pub(crate) inner: options::WriteOptions,
}

/// The options of writes without explicit options.
pub(crate) static WRITE: options::WriteOptions = options::WriteOptions {
    sync: false,
    disable_wal: false,
    ignore_missing_column_families: false,
    no_slowdown: false,
    low_pri: false,
    memtable_insert_hint_per_batch: false,
    rate_limiter_priority: IoPriority::Total,
    protection_bytes_per_key: 0,
};

impl WriteOptions {
    /// Returns the defaults.
    pub fn new() -> WriteOptions {
        WriteOptions::default()
    }

    /// Syncs the log before the write returns. Default: false; then a crash of the machine may lose the write, but a
    /// crash of the program does not.
    #[must_use]
    pub fn sync(mut self, yes: bool) -> WriteOptions {
        self.inner.sync = yes;
        self
    }

    /// Writes no log record: a crash loses the write unless it was flushed.
    #[must_use]
    pub fn disable_wal(mut self, yes: bool) -> WriteOptions {
        self.inner.disable_wal = yes;
        self
    }

    /// Skips records for dropped column families instead of failing.
    #[must_use]
    pub fn ignore_missing_column_families(mut self, yes: bool) -> WriteOptions {
        self.inner.ignore_missing_column_families = yes;
        self
    }

    /// Fails with `Incomplete` if the write would have to wait for a flush or compaction.
    #[must_use]
    pub fn no_slowdown(mut self, yes: bool) -> WriteOptions {
        self.inner.no_slowdown = yes;
        self
    }

    /// Sets the priority of the log record in the rate limiter: `Total` (the default) bypasses it, `User` uses it.
    #[must_use]
    pub fn rate_limiter_priority(mut self, priority: IoPriority) -> WriteOptions {
        self.inner.rate_limiter_priority = priority;
        self
    }
}
