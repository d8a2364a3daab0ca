//! redb, a copy-on-write B+-tree in Rust: one table in one file.
//!
//! A write without a batch is a transaction. redb itself offers two kinds of commits: synced ones, and those that a
//! crash of the process loses. A write here is of the first kind, and without `sync` the file skips the system
//! call. As on the other engines, it survives a crash of the process, but a power failure may corrupt the database.
//! Writes with `disable_wal` are of the second kind.
//!
//! Lookups use one read transaction per thread, renewed after the thread's own writes, or one per lookup with
//! `--redb_read_txn=call`. A cursor always has its own transaction.

use super::peers::{self, Peer};
use super::ranges::{Bounds, RangeCursor, Ranges};
use super::store::{Change, Plain, Store};
use super::{Engine, ReadMode, Result, Session, Target, WriteMode};
use crate::flags::Flags;
use redb::backends::FileBackend;
use redb::{
    Builder, Database, Durability, OwnedAccessGuard, OwnedRange, ReadOnlyTable, ReadableDatabase,
    ReadableTableMetadata, StorageBackend, Table, TableDefinition,
};
use std::fs::OpenOptions;
use std::io;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

const TABLE: TableDefinition<&[u8], &[u8]> = TableDefinition::new("default");

type Bytes = &'static [u8];
type Reader = ReadOnlyTable<Bytes, Bytes>;

/// The engine, with the settings for opening databases.
pub(super) struct Redb {
    flags: Flags,
    peer: &'static Peer,
}

impl Redb {
    /// Creates the engine. Refuses flags for features that redb does not have.
    pub(super) fn new(flags: &Flags, peer: &'static Peer) -> Result<Redb> {
        peers::refuse(flags, peer)?;
        Ok(Redb { flags: flags.clone(), peer })
    }
}

fn text(error: impl Into<redb::Error>) -> String {
    format!("redb: {}", error.into())
}

impl Engine for Redb {
    fn name(&self) -> String {
        let sync = if self.flags.on("sync") { "" } else { "; commits without fdatasync" };
        format!("redb {}{sync}", peers::locked_version("redb"))
    }

    fn open(&self) -> Result<Arc<dyn Target>> {
        super::make_directories(&self.flags)?;
        let place = peers::place(&self.flags, self.peer.word);
        let of = |error: String| format!("{}: {error}", place.display());
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&place).map_err(|error| of(error.to_string()))?;
        let sync = Arc::new(AtomicBool::new(true));
        let inner = FileBackend::new(file).map_err(|error| of(text(error)))?;
        let backend = Backend { inner, sync: Arc::clone(&sync) };
        let cache = usize::try_from(self.flags.uint("cache_size")).unwrap_or(usize::MAX);
        let db = Builder::new().set_cache_size(cache).create_with_backend(backend);
        let db = RwLock::new(db.map_err(|error| of(text(error)))?);
        let open = Open { db, sync, per_call: self.flags.text("redb_read_txn") == "call" };
        // Readers need the table.
        open.commit(Durability::Immediate, true, |_| Ok(())).map_err(of)?;
        Ok(Arc::new(open))
    }

    fn destroy(&self) -> Result<()> {
        super::remove_files(&self.flags)
    }

    fn notices(&self) -> Vec<String> {
        peers::notices(&self.flags, self.peer, &["cache_size"])
    }
}

/// redb's file, which skips syncs while `sync` is off. The thread with the write transaction sets it.
#[derive(Debug)]
struct Backend {
    inner: FileBackend,
    sync: Arc<AtomicBool>,
}

impl StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.inner.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.inner.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        if self.sync.load(Ordering::Relaxed) { self.inner.sync_data() } else { Ok(()) }
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.inner.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.inner.close()
    }

    fn try_lock_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> std::result::Result<bool, redb::BackendError> {
        self.inner.try_lock_range(start, end)
    }

    fn unlock_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> std::result::Result<(), redb::BackendError> {
        self.inner.unlock_range(start, end)
    }
}

/// An open database.
struct Open {
    /// Locked for writing only by a compaction, which needs the database alone.
    db: RwLock<Database>,
    sync: Arc<AtomicBool>,
    per_call: bool,
}

impl Open {
    fn db(&self) -> RwLockReadGuard<'_, Database> {
        self.db.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the table in one transaction.
    fn commit(
        &self,
        durability: Durability,
        sync: bool,
        change: impl FnOnce(&mut Table<'_, Bytes, Bytes>) -> std::result::Result<(), redb::StorageError>,
    ) -> Result<()> {
        let db = self.db();
        let mut write = db.begin_write().map_err(text)?;
        // There is one write transaction at a time, so that this is about its own commit.
        self.sync.store(sync, Ordering::Relaxed);
        write.set_durability(durability).map_err(text)?;
        change(&mut write.open_table(TABLE).map_err(text)?).map_err(text)?;
        write.commit().map_err(text)
    }

    fn reader(&self) -> Result<Reader> {
        let read = self.db().begin_read().map_err(text)?;
        read.open_table(TABLE).map_err(text)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // Closing writes the state of the allocator.
        self.sync.store(true, Ordering::Relaxed);
    }
}

impl Target for Open {
    fn session(&self, _: ReadMode, write: WriteMode) -> Result<Box<dyn Session + '_>> {
        let durability = match write.disable_wal {
            true => Durability::None,
            false => Durability::Immediate,
        };
        let thread = Thread { open: self, durability, sync: write.sync, read: None };
        Ok(Box::new(Plain::new(thread)))
    }

    fn property(&self, name: &str) -> Option<String> {
        let count = || Some(self.reader().ok()?.len().ok()?.to_string());
        if name == "rocksdb.estimate-num-keys" { count() } else { None }
    }

    fn compact(&self, _rewrite_last: bool) -> Result<()> {
        self.sync.store(true, Ordering::Relaxed);
        let mut db = self.db.write().unwrap_or_else(PoisonError::into_inner);
        db.compact().map(|_| ()).map_err(|error| {
            format!("{}; redb compacts only while no iterator or lookup is open", text(error))
        })
    }

    fn flush(&self) -> Result<()> {
        self.commit(Durability::Immediate, true, |_| Ok(()))
    }

    fn wait_for_compaction(&self) -> Result<()> {
        Ok(())
    }

    fn statistics(&self) -> Option<String> {
        None
    }
}

/// One thread's access.
struct Thread<'a> {
    open: &'a Open,
    durability: Durability,
    sync: bool,
    read: Option<Reader>,
}

impl Thread<'_> {
    fn commit(
        &mut self,
        change: impl FnOnce(&mut Table<'_, Bytes, Bytes>) -> std::result::Result<(), redb::StorageError>,
    ) -> Result<()> {
        // This thread's next read must see its own write.
        self.read = None;
        self.open.commit(self.durability, self.sync, change)
    }
}

impl Store for Thread<'_> {
    type Value = Value;
    type Cursor = RangeCursor<Reader>;

    fn name(&self) -> &'static str {
        "redb"
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.commit(|table| table.insert(key, value).map(|_| ()))
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.commit(|table| table.remove(key).map(|_| ()))
    }

    fn write(&mut self, changes: &[Change]) -> Result<()> {
        self.commit(|table| {
            changes.iter().try_for_each(|(key, value)| match value {
                Some(value) => table.insert(&key[..], &value[..]).map(|_| ()),
                None => table.remove(&key[..]).map(|_| ()),
            })
        })
    }

    #[inline]
    fn get(&mut self, key: &[u8]) -> Result<Option<Value>> {
        if self.open.per_call {
            self.read = None;
        }
        let read = match &mut self.read {
            Some(read) => read,
            none => none.insert(self.open.reader()?),
        };
        Ok(read.get_owned(key).map_err(text)?.map(Value))
    }

    fn cursor(&mut self, lower: Option<&[u8]>, upper: Option<&[u8]>) -> Result<Self::Cursor> {
        Ok(RangeCursor::new(self.open.reader()?, lower, upper))
    }
}

/// A value in redb's cache.
struct Value(OwnedAccessGuard<Bytes>);

impl AsRef<[u8]> for Value {
    fn as_ref(&self) -> &[u8] {
        self.0.value()
    }
}

impl Ranges for Reader {
    type Entry = (OwnedAccessGuard<Bytes>, OwnedAccessGuard<Bytes>);
    type Range = Range;

    fn range(&self, bounds: Bounds<'_>) -> Result<Range> {
        self.range_owned::<&[u8]>(bounds).map(Range).map_err(text)
    }

    fn parts(entry: &Self::Entry) -> (&[u8], &[u8]) {
        (entry.0.value(), entry.1.value())
    }
}

/// A range of the table.
pub(super) struct Range(OwnedRange<Bytes, Bytes>);

impl Iterator for Range {
    type Item = Result<(OwnedAccessGuard<Bytes>, OwnedAccessGuard<Bytes>)>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|entry| entry.map_err(text))
    }
}

impl DoubleEndedIterator for Range {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|entry| entry.map_err(text))
    }
}
