//! What users hold: owned, counted handles. Each keeps the database open; the last one closes it.

use super::state::DbInner;
use super::write::Terms;
use crate::base::{KeyOrder, PinnedValue, SeqNo};
use crate::batch::WriteBatch;
use crate::env::parted::{Counted, Parted};
use crate::error::{Code, Error, Result};
use crate::hooks::is_one_prefix;
use crate::lookup;
use crate::options::{
    ColumnFamilyOptions, CompactRangeOptions, FlushOptions, ReadOptions, WaitForCompactOptions,
    WriteOptions,
};
use crate::read::{DbIter, SuperVersion, Taken};
use crate::session::ColumnFamilyData;
use crate::stats::Statistics;
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::Arc;

/// An open database. Clones share it; it closes when the last clone, iterator and snapshot is
/// gone, or at [`Db::close`].
#[derive(Clone)]
pub struct Db {
    pub(super) shared: Arc<Shared>,
    /// What iterators and snapshots hold the database by.
    parted: Parted<Shared>,
}

impl Db {
    pub(super) fn new(inner: Arc<DbInner>, closes: bool) -> Db {
        Db { shared: Arc::new(Shared { inner, closes }), parted: Parted::default() }
    }
}

/// Closes the database when the last handle is dropped.
pub(super) struct Shared {
    pub(super) inner: Arc<DbInner>,
    /// Whether the database is closed with it.
    pub(super) closes: bool,
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.inner.is_of_parent() {
            // Kept for ever: a log that is dropped is cut to its length, and the parent goes on writing it.
            std::mem::forget(Arc::clone(&self.inner));
            return;
        }
        if !self.closes {
            return;
        }
        if let Err(e) = self.inner.close() {
            self.inner.info_log.info(format_args!("[db/close] {e}"));
        }
    }
}

/// A column family of an open database.
#[derive(Clone)]
pub struct ColumnFamily {
    pub(super) data: Arc<ColumnFamilyData>,
    /// What its iterators hold it by.
    parted: Parted<ColumnFamilyData>,
}

impl Drop for ColumnFamily {
    #[inline]
    fn drop(&mut self) {
        if let Some(db) = self.data.dropped_from() {
            // Its parts are holders, too.
            drop(std::mem::take(&mut self.parted));
            self.data.delete_if_last(db);
        }
    }
}

impl ColumnFamily {
    pub(super) fn new(data: Arc<ColumnFamilyData>) -> ColumnFamily {
        ColumnFamily { data, parted: Parted::default() }
    }

    /// What it shares with readers.
    #[cfg(test)]
    pub(crate) fn data(&self) -> &ColumnFamilyData {
        &self.data
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

/// A moment of the database that reads can go back to. Keeps the database open.
pub struct Snapshot {
    shared: Counted<Shared>,
    taken: Taken,
}

impl Snapshot {
    /// What to put into [`ReadOptions::snapshot`].
    pub fn sequence(&self) -> SeqNo {
        self.taken.sequence()
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        let inner = &self.shared.inner;
        inner.snapshots.release(&self.taken);
        inner.snapshot_released();
    }
}

/// An iterator over one column family. Keeps what it reads, and the database, alive.
pub struct DbIterator {
    /// Always there until `drop` parks it.
    pub(super) iter: Option<Box<DbIter>>,
    /// `None` is the default one, which `shared` keeps.
    family: Option<Counted<ColumnFamilyData>>,
    pub(super) options: ReadOptions,
    /// Outlives `iter`, which is dropped first.
    pub(super) shared: Counted<Shared>,
    /// What a tailing iterator read when it last sought.
    pub(super) followed: Option<Arc<SuperVersion>>,
}

impl DbIterator {
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
            None => &self.shared.inner.default_family,
        }
    }

    /// Reads what is newest now, whatever it read before, also if that was a snapshot. It is not
    /// valid before its next seek.
    pub fn refresh(&mut self) -> Result<()> {
        self.options.snapshot = None;
        self.iter = Some(lookup::iterator(&*self.shared.inner, self.family(), &self.options)?);
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
            self.family().park(iter);
        }
    }
}

thread_local! {
    /// The batch of single writes: its memory is used again.
    static SCRATCH: RefCell<WriteBatch> = RefCell::new(WriteBatch::new());
}

/// A scratch batch larger than this is not kept.
const SCRATCH_MAX: usize = 1 << 20;

impl Db {
    #[inline]
    pub(super) fn inner(&self) -> &DbInner {
        &self.shared.inner
    }

    /// The number of this opening: no other one in the process has it.
    #[inline]
    pub(crate) fn serial(&self) -> u64 {
        self.shared.inner.session.serial
    }

    /// Whether both are handles of one opening of a database.
    #[inline]
    pub(crate) fn is_same_opening(&self, other: &Db) -> bool {
        Arc::ptr_eq(&self.shared.inner, &other.shared.inner)
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.inner().dir
    }

    /// What the file IDENTITY says: the same for as long as the database exists.
    pub fn identity(&self) -> &str {
        &self.inner().session.identity.db_id
    }

    /// The order of keys in the default column family.
    pub(crate) fn default_key_order(&self) -> &KeyOrder {
        &self.inner().default_family.order
    }

    /// Whether all keys of a family, by default the default one, that begin with `start` have the same prefix.
    pub(crate) fn is_one_prefix(&self, cf: Option<&ColumnFamily>, start: &[u8]) -> bool {
        let family = cf.map_or(&self.inner().default_family, |cf| &cf.data);
        family.prefix_extractor.as_deref().is_some_and(|e| is_one_prefix(e, start))
    }

    /// The default column family.
    pub fn default_cf(&self) -> ColumnFamily {
        ColumnFamily::new(Arc::clone(&self.inner().default_family))
    }

    /// Sets a key in the default column family.
    pub fn put(&self, wo: &WriteOptions, key: &[u8], value: &[u8]) -> Result<()> {
        self.write_one(wo, |batch| batch.put(key, value))
    }

    /// Sets a key.
    pub fn put_cf(
        &self,
        wo: &WriteOptions,
        cf: &ColumnFamily,
        key: &[u8],
        value: &[u8],
    ) -> Result<()> {
        self.write_one(wo, |batch| batch.put_cf(cf.id(), key, value))
    }

    /// Deletes a key of the default column family.
    pub fn delete(&self, wo: &WriteOptions, key: &[u8]) -> Result<()> {
        self.write_one(wo, |batch| batch.delete(key))
    }

    /// Deletes a key.
    pub fn delete_cf(&self, wo: &WriteOptions, cf: &ColumnFamily, key: &[u8]) -> Result<()> {
        self.write_one(wo, |batch| batch.delete_cf(cf.id(), key))
    }

    /// Deletes a key that was put exactly once since it was last deleted.
    pub fn single_delete(&self, wo: &WriteOptions, key: &[u8]) -> Result<()> {
        self.write_one(wo, |batch| batch.single_delete(key))
    }

    /// [`Db::single_delete`] in a column family.
    pub fn single_delete_cf(&self, wo: &WriteOptions, cf: &ColumnFamily, key: &[u8]) -> Result<()> {
        self.write_one(wo, |batch| batch.single_delete_cf(cf.id(), key))
    }

    /// Deletes the keys in `[begin, end)` of the default column family: one record, however many keys
    /// there are. An `end` before `begin` is refused; equal ones delete nothing.
    pub fn delete_range(&self, wo: &WriteOptions, begin: &[u8], end: &[u8]) -> Result<()> {
        self.write_one(wo, |batch| batch.delete_range(begin, end))
    }

    /// [`Db::delete_range`] in a column family.
    pub fn delete_range_cf(
        &self,
        wo: &WriteOptions,
        cf: &ColumnFamily,
        begin: &[u8],
        end: &[u8],
    ) -> Result<()> {
        self.write_one(wo, |batch| batch.delete_range_cf(cf.id(), begin, end))
    }

    /// Adds a merge operand to a key of the default column family.
    pub fn merge(&self, wo: &WriteOptions, key: &[u8], operand: &[u8]) -> Result<()> {
        self.merge_cf(wo, &self.default_cf(), key, operand)
    }

    /// Adds a merge operand to a key.
    pub fn merge_cf(
        &self,
        wo: &WriteOptions,
        cf: &ColumnFamily,
        key: &[u8],
        operand: &[u8],
    ) -> Result<()> {
        // A batch with an operand is refused with another text, as in RocksDB.
        if cf.data.merge_operator.is_none() && !self.inner().read_only {
            return Err(Error::not_supported("Provide a merge_operator when opening DB"));
        }
        self.write_one(wo, |batch| batch.merge_cf(cf.id(), key, operand))
    }

    fn write_one(
        &self,
        wo: &WriteOptions,
        fill: impl Fn(&mut WriteBatch) -> Result<()>,
    ) -> Result<()> {
        let inner = self.inner();
        let kept = SCRATCH.try_with(|scratch| {
            let mut batch = scratch.try_borrow_mut().ok()?;
            batch.clear();
            let result =
                fill(&mut batch).and_then(|()| inner.write(wo, &mut batch, Terms::default()));
            if batch.data().len() > SCRATCH_MAX {
                *batch = WriteBatch::new();
            }
            Some(result)
        });
        // A merge operator or comparator that writes on this thread finds the batch borrowed, and the destructor
        // of another thread-local finds it gone.
        kept.ok().flatten().unwrap_or_else(|| {
            let mut batch = WriteBatch::new();
            fill(&mut batch)?;
            inner.write(wo, &mut batch, Terms::default())
        })
    }

    /// Commits a batch: all of it or nothing, over any number of column families. The batch gets
    /// its sequence number and can be used again.
    pub fn write(&self, wo: &WriteOptions, batch: &mut WriteBatch) -> Result<()> {
        self.inner().write(wo, batch, Terms::default())
    }

    /// Commits a batch if `check` allows it at the moment of the commit: every write before it is
    /// visible then, and none comes between.
    pub(crate) fn write_if(
        &self,
        wo: &WriteOptions,
        batch: &mut WriteBatch,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<()> {
        self.inner().write(wo, batch, Terms { check: Some(check), ends: None })
    }

    /// The sequence number of the newest write to a key; 0 where there is none.
    pub(crate) fn newest_sequence(&self, cf: u32, key: &[u8]) -> Result<SeqNo> {
        self.inner().newest_sequence(cf, key)
    }

    /// The value of a key of the default column family.
    pub fn get(&self, ro: &ReadOptions, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.get_pinned(ro, key)?.map(PinnedValue::into_vec))
    }

    /// The value of a key.
    pub fn get_cf(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
    ) -> Result<Option<Vec<u8>>> {
        Ok(self.get_pinned_cf(ro, cf, key)?.map(PinnedValue::into_vec))
    }

    /// The value of a key of the default column family, without copying a large one.
    pub fn get_pinned(&self, ro: &ReadOptions, key: &[u8]) -> Result<Option<PinnedValue>> {
        let inner = self.inner();
        lookup::get(inner, &inner.default_family, ro, key)
    }

    /// The value of a key, without copying a large one.
    pub fn get_pinned_cf(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        key: &[u8],
    ) -> Result<Option<PinnedValue>> {
        lookup::get(self.inner(), &cf.data, ro, key)
    }

    /// The values of many keys of the default column family, as of one moment.
    pub fn multi_get<K: AsRef<[u8]>>(
        &self,
        ro: &ReadOptions,
        keys: &[K],
    ) -> Vec<Result<Option<PinnedValue>>> {
        let inner = self.inner();
        lookup::multi_get(inner, &inner.default_family, ro, keys)
    }

    /// The values of many keys, as of one moment.
    pub fn multi_get_cf<K: AsRef<[u8]>>(
        &self,
        ro: &ReadOptions,
        cf: &ColumnFamily,
        keys: &[K],
    ) -> Vec<Result<Option<PinnedValue>>> {
        lookup::multi_get(self.inner(), &cf.data, ro, keys)
    }

    /// An iterator over the default column family. It is not valid before its first seek.
    pub fn iter(&self, ro: &ReadOptions) -> Result<DbIterator> {
        self.iter_of(ro, None)
    }

    /// An iterator over a column family.
    pub fn iter_cf(&self, ro: &ReadOptions, cf: &ColumnFamily) -> Result<DbIterator> {
        self.iter_of(ro, Some(cf.parted.hold(&cf.data)))
    }

    fn iter_of(
        &self,
        ro: &ReadOptions,
        family: Option<Counted<ColumnFamilyData>>,
    ) -> Result<DbIterator> {
        let data = family.as_deref().unwrap_or(&self.inner().default_family);
        let iter = lookup::iterator(self.inner(), data, ro)?;
        let shared = self.parted.hold(&self.shared);
        let mut options = ro.clone();
        if options.tailing {
            options.snapshot = None;
        }
        Ok(DbIterator { iter: Some(iter), family, options, shared, followed: None })
    }

    /// Whether snapshots show one moment. With `inplace_update_support` in some column family they
    /// do not: a value that takes the place of an older one is seen by all readers.
    pub fn supports_snapshots(&self) -> bool {
        self.inner().snapshots.show_moments()
    }

    /// A snapshot of this moment; see [`Db::supports_snapshots`].
    pub fn snapshot(&self) -> Snapshot {
        self.take_snapshot(false)
    }

    /// A snapshot for a transaction, which asks of keys whether they were written later: also where
    /// nothing is left to read, a trace of that stays as long as the snapshot.
    pub(crate) fn snapshot_to_check(&self) -> Snapshot {
        self.take_snapshot(true)
    }

    fn take_snapshot(&self, checking: bool) -> Snapshot {
        let inner = self.inner();
        let taken = inner.snapshots.take(checking, || inner.order.visible());
        Snapshot { shared: self.parted.hold(&self.shared), taken }
    }

    /// The newest sequence number that readers see.
    pub fn latest_sequence_number(&self) -> SeqNo {
        self.inner().order.visible()
    }

    /// Makes a new column family.
    pub fn create_cf(&self, name: &str, options: &ColumnFamilyOptions) -> Result<ColumnFamily> {
        if self.inner().stamps_values() {
            return self.create_cf_with_ttl(name, options, 0);
        }
        Ok(ColumnFamily::new(self.inner().create_family(name, options)?))
    }

    /// Drops a column family: its data is gone for new readers, its files follow when nobody reads
    /// them any more. Handles stay valid for reading what they pinned.
    pub fn drop_cf(&self, cf: &ColumnFamily) -> Result<()> {
        self.inner().drop_family(&cf.data)
    }

    /// The open column family with this number.
    pub fn cf_by_id(&self, id: u32) -> Option<ColumnFamily> {
        self.inner().family_by_id(id).map(ColumnFamily::new)
    }

    /// The open column family with this name.
    pub fn cf(&self, name: &str) -> Option<ColumnFamily> {
        self.inner().family_by_name(name).map(ColumnFamily::new)
    }

    /// Writes the memtable of the default column family into a table.
    pub fn flush(&self, fo: &FlushOptions) -> Result<()> {
        self.flush_cf(fo, &self.default_cf())
    }

    /// Writes the memtable of a column family into a table.
    pub fn flush_cf(&self, fo: &FlushOptions, cf: &ColumnFamily) -> Result<()> {
        self.flush_cfs(fo, &[cf])
    }

    /// Writes the memtables of several column families into tables. With the option `atomic_flush`
    /// all of them count from one moment on, also after a crash.
    pub fn flush_cfs(&self, fo: &FlushOptions, cfs: &[&ColumnFamily]) -> Result<()> {
        let families: Vec<_> = cfs.iter().map(|cf| &*cf.data).collect();
        self.inner().flush(&families, fo)
    }

    /// Hands buffered WAL records to the operating system; with `sync`, to the device.
    pub fn flush_wal(&self, sync: bool) -> Result<()> {
        if sync { self.inner().sync_wal() } else { self.inner().flush_wal() }
    }

    /// Waits until the device has every record written so far.
    pub fn sync_wal(&self) -> Result<()> {
        self.inner().sync_wal()
    }

    /// Compacts a range of the default column family down to its last level; `None` is unbounded.
    pub fn compact_range(
        &self,
        options: &CompactRangeOptions,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.compact_range_cf(options, &self.default_cf(), begin, end)
    }

    /// Compacts a range of a column family.
    pub fn compact_range_cf(
        &self,
        options: &CompactRangeOptions,
        cf: &ColumnFamily,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.inner().compact_range(&cf.data, options, begin, end)
    }

    /// Compacts the tables of one level of a column family into the next level; memtables and other levels stay as
    /// they are. Universal compaction, which has no levels, merges all tables.
    pub fn compact_level(&self, cf: &ColumnFamily, level: usize) -> Result<()> {
        self.inner().compact_level(&cf.data, level)
    }

    /// Waits until no flush and no compaction runs or is due.
    pub fn wait_for_compact(&self) -> Result<()> {
        self.wait_for_compact_opt(&WaitForCompactOptions::default())
    }

    /// [`Db::wait_for_compact`] with options.
    pub fn wait_for_compact_opt(&self, options: &WaitForCompactOptions) -> Result<()> {
        self.inner().wait_for_compact(options)
    }

    /// Asks for a range of a column family to be compacted down when there is time.
    pub fn suggest_compact_range_cf(
        &self,
        cf: &ColumnFamily,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.inner().suggest_compact_range(&cf.data, begin, end)
    }

    /// Lets no flush and no compaction start until [`Db::continue_background_work`], and waits until
    /// none runs. Calls count.
    pub fn pause_background_work(&self) -> Result<()> {
        self.inner().pause_background_work();
        Ok(())
    }

    /// Takes one [`Db::pause_background_work`] back.
    pub fn continue_background_work(&self) -> Result<()> {
        self.inner().continue_background_work()
    }

    /// Ends calls of `compact_range` with Incomplete, waits for their end, and lets none begin until
    /// [`Db::enable_manual_compaction`]. Calls count.
    pub fn disable_manual_compaction(&self) {
        self.inner().disable_manual_compaction();
    }

    /// Takes one [`Db::disable_manual_compaction`] back.
    pub fn enable_manual_compaction(&self) {
        self.inner().enable_manual_compaction();
    }

    /// Ends flushes and compactions for good. The database can still be read and closed; writes go
    /// on without ever being flushed. With `wait`, no job runs any more at the return.
    pub fn cancel_all_background_work(&self, wait: bool) {
        self.inner().cancel_all_background_work(wait);
    }

    /// A property of the default column family, by RocksDB's name (`rocksdb.stats`).
    pub fn property(&self, name: &str) -> Option<String> {
        self.property_cf(&self.default_cf(), name)
    }

    /// A property of a column family.
    pub fn property_cf(&self, cf: &ColumnFamily, name: &str) -> Option<String> {
        self.inner().property(&cf.data, name)
    }

    /// A property of a column family that is a number.
    pub fn property_int_cf(&self, cf: &ColumnFamily, name: &str) -> Option<u64> {
        // Text in RocksDB, too, though it is a number.
        let is_text = name.contains(".live-sst-files-size-at-temperature");
        self.property_cf(cf, name).filter(|_| !is_text)?.parse().ok()
    }

    /// The sum of a property that is a number over all column families.
    pub fn aggregated_property_int(&self, name: &str) -> Option<u64> {
        self.inner().aggregated_property_int(name)
    }

    /// Another handle, which does not keep the database open: once that is closed, calls fail.
    #[must_use]
    pub fn without_keeping_open(&self) -> Db {
        Db::new(Arc::clone(&self.shared.inner), false)
    }

    /// A property that is a number.
    pub fn property_int(&self, name: &str) -> Option<u64> {
        self.property_int_cf(&self.default_cf(), name)
    }

    /// What the database counts, if the option `statistics` is on.
    pub fn statistics(&self) -> Option<Arc<Statistics>> {
        self.inner().statistics.clone()
    }

    /// Tries again after a background error whose cause is gone.
    pub fn resume(&self) -> Result<()> {
        self.inner().resume()
    }

    /// Closes the database, whoever still holds handles: they get errors from now on. Iterators
    /// can go on.
    pub fn close(&self) -> Result<()> {
        self.inner().close()
    }

    /// Whether the database was closed.
    pub fn is_closed(&self) -> bool {
        self.inner().is_closing()
    }
}

impl std::fmt::Debug for Db {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Db({})", self.inner().dir.display())
    }
}

impl std::fmt::Debug for ColumnFamily {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ColumnFamily({}, {:?})", self.data.id, self.data.name)
    }
}

/// The error of an operation on a dropped family.
#[cold]
pub(super) fn dropped(name: &str) -> Error {
    Error::new(Code::ColumnFamilyDropped, format!("column family {name:?} was dropped"))
}
