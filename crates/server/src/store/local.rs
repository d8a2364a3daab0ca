//! The store on one engine: one column family per partition, one WAL for all.
//!
//! ```text
//! family "default"   partition 0: rows of the server itself (epoch, horizons, catalogue of tables)
//! family "r<N>"      partition N of a Redis table
//! family "p<N>"      partition N of a Pegasus table
//! ```
//!
//! The letter says which filter compactions use, so that a database opens before its catalogue is read.

mod cursor;
mod damage;
mod full_disk;
mod ingest;
mod inspect;
mod options;

use super::events::{Events, Listener};
use super::filter::FamilySlot;
use super::row_cache::{RowCache, Ticket};
use super::sync::SyncProgress;
use super::{
    Batch, DirectoryFormat, Durability, Format, Horizons, Partition, Range, RowCursor, Store,
    Versions, View,
};
use crate::backup::{self, BackupProgress, Creation, Vault};
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::rows::redis::RowKey;
use arc_swap::ArcSwap;
pub use damage::dropped_log_parts;
use ferrolith::events::TracingListener;
use ferrolith::{ColumnFamily, Db, ReadOptions, Snapshot, WriteOptions};
use full_disk::FullDisk;
pub use options::StoreOptions;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

/// The partition of the server's own rows.
pub const SYSTEM: Partition = Partition(0);

/// How far W and H stay behind, in milliseconds. A command must be shorter.
const HORIZON_LAG_MS: u64 = 60_000;

const EPOCH_ROW: &[u8] = b"S.epoch";
const HORIZONS_ROW: &[u8] = b"S.horizons";

/// A store on one engine.
pub struct LocalStore {
    db: Db,
    /// The families of partitions, by number.
    families: ArcSwap<Vec<Option<ColumnFamily>>>,
    /// Serialises changes of `families`; holds what filters use.
    slots: Mutex<Vec<FamilySlot>>,
    options: StoreOptions,
    rows: RowCache,
    horizons: Arc<Horizons>,
    versions: Versions,
    /// The time and version of the tick before: they become W and H when they are old enough.
    pending: Mutex<Option<(u64, u64)>>,
    progress: Arc<SyncProgress>,
    syncer: Mutex<Option<JoinHandle<()>>>,
    write_options: WriteOptions,
    events: Arc<Events>,
    full_disk: FullDisk,
    format: DirectoryFormat,
    path: PathBuf,
}

impl LocalStore {
    /// Opens the store in this directory, and creates it if there is none.
    ///
    /// # Errors
    ///
    /// Fails if the directory is in use, cannot be written, or if its files are damaged.
    pub fn open(path: &Path, options: StoreOptions) -> Result<Arc<LocalStore>> {
        backup::check_complete(path)?;
        let horizons = Arc::new(Horizons::default());
        let format = DirectoryFormat::read(path, options.formats)?;
        let (opening, slots) = options.opening(path, &horizons)?;
        let events = Arc::new(Events::default());
        let opening = opening.listener(Listener(events.clone())).listener(TracingListener::new());
        let db = Db::open_with(&opening, path)?;
        // With the lock of the directory: another process may be loading.
        ingest::remove_staged(path)?;
        format.settle(&db)?;
        let mut families = vec![Some(db.default_cf())];
        for (partition, name) in slots.iter().map(|(partition, _, name)| (*partition, name)) {
            let at = partition.0 as usize;
            families.resize_with(families.len().max(at + 1), || None);
            families[at] = Some(db.cf(name)?);
        }
        let mut held = vec![FamilySlot::default()];
        for (partition, slot, _) in slots {
            let at = partition.0 as usize;
            held.resize_with(held.len().max(at + 1), FamilySlot::default);
            *slot.lock() = families[at].clone();
            held[at] = slot;
        }
        let of_causes = db.clone();
        events.set_causes(Some(Box::new(move |family| {
            of_causes.cf(family).map(|family| inspect::stall_causes(&family)).unwrap_or_default()
        })));
        let epoch = next_epoch(&db)?;
        if let Some(bytes) = db.get(HORIZONS_ROW)? {
            horizons.raise(number(&bytes, 0), number(&bytes, 8));
        }
        let progress = Arc::new(SyncProgress::new(options.durability));
        let store = LocalStore {
            versions: Versions::new(epoch),
            families: ArcSwap::from_pointee(families),
            slots: Mutex::new(held),
            horizons,
            pending: Mutex::default(),
            progress: progress.clone(),
            syncer: Mutex::default(),
            write_options: WriteOptions::new(),
            rows: RowCache::new(options.row_cache_bytes())?,
            events,
            full_disk: FullDisk::new(),
            format,
            path: path.to_owned(),
            options,
            db: db.clone(),
        };
        if store.options.durability != Durability::Os {
            let thread = std::thread::Builder::new().name("wal-sync".into());
            let run = move || {
                progress.run(|| db.latest_sequence_number(), || db.flush_wal(true).is_ok());
            };
            let thread = thread.spawn(run);
            let thread = thread.map_err(|e| Error::Io("starting a thread".into(), e))?;
            *store.syncer.lock() = Some(thread);
        }
        Ok(Arc::new(store))
    }

    /// Returns the engine's database.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Raises W and H to the values of a call at least a minute ago, after persisting them. The server calls this every
    /// few seconds. W stays as it is unless `drops_expired`: at a replica, commands may still come for keys that have
    /// expired by its clock.
    pub fn tick(&self, clock: &dyn Clock, drops_expired: bool) -> Result<()> {
        let now_ms = clock.wall_ms();
        let now = || (now_ms, self.versions.peek());
        let mut pending = self.pending.lock();
        match *pending {
            Some((ms, version)) if now_ms >= ms + HORIZON_LAG_MS => {
                let expired_ms = if drops_expired { ms } else { self.horizons.expired_ms() };
                let mut row = expired_ms.to_be_bytes().to_vec();
                row.extend(version.to_be_bytes());
                self.db.put(HORIZONS_ROW, row)?;
                self.horizons.raise(expired_ms, version);
                *pending = Some(now());
            }
            Some((ms, _)) if now_ms >= ms => {}
            // The first call, or a clock that was set back.
            _ => *pending = Some(now()),
        }
        Ok(())
    }

    /// Stops the thread, syncs the WAL, and closes the database. No other call may follow.
    pub fn close(&self) -> Result<()> {
        self.progress.close();
        if let Some(thread) = self.syncer.lock().take() {
            // It cannot panic on data of clients; a panic would have been printed.
            let _ = thread.join();
        }
        for slot in self.slots.lock().iter() {
            slot.lock().take();
        }
        self.events.set_causes(None);
        self.families.store(Arc::default());
        self.db.flush_wal(true)?;
        self.db.close()?;
        Ok(())
    }

    /// Calls `run` for each partition of these rows, with its family and the positions of its rows.
    fn each_partition<K>(
        &self,
        keys: &[(Partition, K)],
        mut run: impl FnMut(&ColumnFamily, &[usize]) -> ferrolith::Result<()>,
    ) -> Result<()> {
        let families = self.families.load();
        let mut order: SmallVec<[usize; TOGETHER]> = (0..keys.len()).collect();
        order.sort_by_key(|at| keys[*at].0);
        for part in order.chunk_by(|one, other| keys[*one].0 == keys[*other].0) {
            let partition = keys[part[0]].0;
            match families.get(partition.0 as usize) {
                Some(Some(family)) => run(family, part)?,
                _ => return Err(no_partition(partition)),
            }
        }
        Ok(())
    }

    /// Stores a row that the engine returned in the cache of rows, if its ticket allows it.
    fn fill(&self, ticket: Option<Ticket>, (partition, key): (Partition, &[u8]), value: &[u8]) {
        if let Some(ticket) = ticket {
            self.rows.fill(ticket, partition, key, value);
        }
    }

    fn with_family<R>(
        &self,
        partition: Partition,
        run: impl FnOnce(&ColumnFamily) -> R,
    ) -> Result<R> {
        let families = self.families.load();
        match families.get(partition.0 as usize) {
            Some(Some(family)) => Ok(run(family)),
            _ => Err(no_partition(partition)),
        }
    }
}

/// Rows that are looked up together without an allocation for their places.
const TOGETHER: usize = 32;

fn no_partition(partition: Partition) -> Error {
    Error::corrupt(format!("partition {} does not exist", partition.0))
}

/// Counts the openings of this database.
fn next_epoch(db: &Db) -> Result<u64> {
    let epoch = db.get(EPOCH_ROW)?.map_or(0, |bytes| number(&bytes, 0)) + 1;
    db.put_opt(EPOCH_ROW, epoch.to_be_bytes(), &WriteOptions::new().sync(true))?;
    Ok(epoch)
}

/// Returns the integer at an offset; 0 if there is none.
fn number(bytes: &[u8], at: usize) -> u64 {
    bytes
        .get(at..)
        .and_then(|rest| rest.first_chunk())
        .map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

/// Returns options for reads at a view.
fn read_options(view: &View) -> ReadOptions {
    match view.0.downcast_ref::<Snapshot>() {
        Some(snapshot) => snapshot.read_options(),
        None => ReadOptions::new(),
    }
}

impl Store for LocalStore {
    fn get(
        &self,
        partition: Partition,
        key: &[u8],
        view: Option<&View>,
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool> {
        if let Some(view) = view {
            let options = read_options(view);
            let value =
                self.with_family(partition, |family| family.get_with_opt(key, &options, found))??;
            return Ok(value.is_some());
        }
        match self.rows.get(partition, key, found) {
            Ok(()) => Ok(true),
            Err(ticket) => {
                let value = self.with_family(partition, |family| {
                    family.get_with(key, |value| {
                        self.fill(ticket, (partition, key), value);
                        found(value);
                    })
                })??;
                Ok(value.is_some())
            }
        }
    }

    fn multi_get(&self, keys: &[(Partition, RowKey)]) -> Result<Vec<Option<ferrolith::Value>>> {
        let mut values = vec![None; keys.len()];
        self.each_partition(keys, |family, part| {
            if let [at] = part {
                values[*at] = family.get(&keys[*at].1)?;
                return Ok(());
            }
            let found = family.multi_get(part.iter().map(|at| &keys[*at].1));
            for (at, value) in part.iter().zip(found) {
                values[*at] = value?;
            }
            Ok(())
        })?;
        Ok(values)
    }

    fn multi_get_with(
        &self,
        keys: &[(Partition, &[u8])],
        found: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<()> {
        self.each_partition(keys, |family, part| {
            let rows: SmallVec<[&[u8]; TOGETHER]> = part.iter().map(|at| keys[*at].1).collect();
            family.multi_get_with(&rows, |at, value| found(part[at], value))
        })
    }

    fn get_each_alone(
        &self,
        keys: &[(Partition, &[u8])],
        found: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<()> {
        let rest = self.rows.get_each(keys, found);
        let Some((first, _)) = rest.missed.first() else { return Ok(()) };
        let missed: SmallVec<[(Partition, &[u8]); TOGETHER]> =
            rest.missed.iter().map(|(at, _)| keys[*at]).collect();
        let (mut places, mut values) = (Vec::new(), Vec::new());
        self.multi_get_with(&missed, &mut |at, value| {
            let (position, ticket) = rest.missed[at];
            self.fill(ticket, missed[at], value);
            if rest.has_later() {
                places.push((position, values.len()..values.len() + value.len()));
                values.extend_from_slice(value);
            } else {
                found(position, value);
            }
        })?;
        if self.rows.are_still(&rest) {
            rest.deliver(found);
            places.into_iter().for_each(|(at, place)| found(at, &values[place]));
            return Ok(());
        }
        let behind = keys.get(*first..).unwrap_or_default();
        self.multi_get_with(behind, &mut |at, value| found(first + at, value))
    }

    fn cursor(
        &self,
        partition: Partition,
        range: &Range,
        view: Option<&View>,
    ) -> Result<Box<dyn RowCursor>> {
        let options = view.map_or_else(ReadOptions::new, read_options);
        let options = options
            .iterate_lower_bound(range.start.to_vec())
            .iterate_upper_bound(range.end.to_vec())
            .auto_prefix_mode(true);
        let cursor = self.with_family(partition, |family| family.cursor_opt(&options))?;
        Ok(Box::new(cursor::LocalCursor(cursor)))
    }

    fn view(&self) -> View {
        View(Box::new(self.db.snapshot()))
    }

    fn put(&self, batch: &mut Batch, partition: Partition, key: &[u8], value: &[u8]) -> Result<()> {
        self.with_family(partition, |family| {
            batch.inner.put_cf(family, key, value);
            let end = batch.inner.size_in_bytes();
            self.rows.note_write(&mut batch.writes, (partition, key), Some(value), end);
        })
    }

    fn delete(&self, batch: &mut Batch, partition: Partition, key: &[u8]) -> Result<()> {
        self.with_family(partition, |family| {
            batch.inner.delete_cf(family, key);
            let end = batch.inner.size_in_bytes();
            self.rows.note_write(&mut batch.writes, (partition, key), None, end);
        })
    }

    fn delete_range(&self, batch: &mut Batch, partition: Partition, range: &Range) -> Result<()> {
        self.with_family(partition, |family| {
            batch.inner.delete_range_cf(family, &range.start, &range.end);
            self.rows.note_range(&mut batch.writes, partition, range);
        })
    }

    fn commit(&self, batch: &mut Batch) -> Result<()> {
        let marks = self.rows.mark(&mut batch.writes);
        let result = self.db.write_opt(&mut batch.inner, &self.write_options);
        self.full_disk.note(&self.path, &result);
        match result {
            Ok(()) => marks.committed(batch.inner.data()),
            Err(_) => drop(marks),
        }
        batch.clear();
        result?;
        self.progress.note_commit();
        Ok(())
    }

    fn sync(&self) -> &SyncProgress {
        &self.progress
    }

    fn sync_now(&self) -> Result<()> {
        Ok(self.db.flush_wal(true)?)
    }

    fn create_partition(&self, partition: Partition, format: Format) -> Result<()> {
        let at = partition.0 as usize;
        let mut slots = self.slots.lock();
        let mut families = Vec::clone(&self.families.load());
        families.resize_with(families.len().max(at + 1), || None);
        let len = families.len().max(slots.len());
        slots.resize_with(len, FamilySlot::default);
        if families[at].is_some() {
            return Ok(());
        }
        let options = self.options.family(format, &self.horizons, &slots[at]);
        let family = self.db.create_cf_with(&options::family_name(partition, format), options)?;
        *slots[at].lock() = Some(family.clone());
        families[at] = Some(family);
        self.families.store(Arc::new(families));
        Ok(())
    }

    fn drop_partition(&self, partition: Partition) -> Result<()> {
        let slots = self.slots.lock();
        let mut families = Vec::clone(&self.families.load());
        let family = families.get_mut(partition.0 as usize).and_then(Option::take);
        let Some(family) = family else { return Ok(()) };
        if let Some(slot) = slots.get(partition.0 as usize) {
            slot.lock().take();
        }
        self.families.store(Arc::new(families));
        self.rows.forget_partition(partition);
        self.db.drop_cf(family.name())?;
        // Afterwards: until then the engine may report more of it.
        self.events.forget(family.name());
        Ok(())
    }

    fn set_options(&self, partition: Partition, options: &[(&str, &str)]) -> Result<()> {
        Ok(self.with_family(partition, |family| family.set_options(options))??)
    }

    fn horizons(&self) -> &Horizons {
        &self.horizons
    }

    fn versions(&self) -> &Versions {
        &self.versions
    }

    fn back_up(
        &self,
        vault: &mut Vault,
        how: &Creation,
        progress: &Arc<BackupProgress>,
    ) -> Result<u32> {
        vault.create(&self.db, how, progress)
    }

    fn format(&self) -> &DirectoryFormat {
        &self.format
    }

    fn finalize(&self) -> Result<()> {
        self.format.finalize(&self.db)
    }

    fn figure(&self, name: &str) -> Option<u64> {
        self.rows.figure(name).or_else(|| self.total(name))
    }
}

#[cfg(test)]
#[path = "local_test.rs"]
mod tests;
