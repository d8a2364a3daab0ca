//! The write path: reserve, append to the WAL, insert, publish.
//!
//! Under the write lock a writer gets its sequence numbers, appends its record and looks up its
//! memtables; that is all that is serial. Then it syncs if asked (together with others), inserts,
//! and publishes in order (`write/order.rs`). It is pinned (`env/epoch.rs`) from inside the lock
//! until it has published, so a flush that waits for pinned readers has also waited for every
//! writer that may still insert into the memtable it is about to write.

use super::state::{DbInner, WriteState};
use crate::base::perf::{PerfMetric, PerfTimer};
use crate::batch::{BatchHandler, WriteBatch, iterate, section};
use crate::env::epoch::{self, Guard};
use crate::env::sync::MutexGuard;
use crate::env::sync::atomic::Ordering;
use crate::error::{Code, Error, Result};
use crate::hooks::FlushReason;
use crate::lookup::closed;
use crate::memtable::MemTable;
use crate::options::{TableFactory, WriteOptions};
use crate::read::SuperVersion;
use crate::session::{ColumnFamilyData, ColumnFamilyMap};
use crate::stats::{self, HistogramType, Ticker, Timer};
use crate::write::{Followers, MemtableInserter, MemtableLookup, Turn, unknown_column_family};
use std::time::Duration;

/// An insert takes microseconds.
const INSERT_PATIENCE: Duration = Duration::from_micros(200);
/// A sync takes as long as the device does.
const SYNC_PATIENCE: Duration = Duration::from_millis(20);

/// What a commit depends on, and what it ends.
#[derive(Clone, Copy, Default)]
pub(super) struct Terms<'a> {
    /// Runs when every write before this one is visible and none can come between; its error ends the
    /// commit.
    pub(super) check: Option<&'a dyn Fn() -> Result<()>>,
    /// The prepared transaction that is decided with it; see `prepared.rs`.
    pub(super) ends: Option<&'a [u8]>,
}

/// The memtables of one batch, found under the write lock and valid while pinned.
enum Targets<'g> {
    /// Everything goes to the default column family.
    Default(&'g MemTable),
    /// The batch names other families, too.
    Many { by_id: Vec<(u32, &'g MemTable)>, ignore_missing: bool },
}

impl MemtableLookup for Targets<'_> {
    #[inline]
    fn memtable(&self, column_family: u32) -> Result<Option<&MemTable>> {
        match self {
            Targets::Default(memtable) if column_family == 0 => Ok(Some(memtable)),
            Targets::Default(_) => Err(unknown_column_family(column_family)),
            Targets::Many { by_id, ignore_missing } => {
                match by_id.iter().find(|(id, _)| *id == column_family) {
                    Some((_, memtable)) => Ok(Some(memtable)),
                    None if *ignore_missing => Ok(None),
                    None => Err(unknown_column_family(column_family)),
                }
            }
        }
    }
}

impl Targets<'_> {
    fn families(&self) -> Vec<u32> {
        match self {
            Targets::Default(_) => vec![0],
            Targets::Many { by_id, .. } => by_id.iter().map(|(id, _)| *id).collect(),
        }
    }

    fn concurrent(&self) -> bool {
        match self {
            Targets::Default(memtable) => memtable.supports_concurrent_insert(),
            Targets::Many { by_id, .. } => {
                by_id.iter().all(|(_, memtable)| memtable.supports_concurrent_insert())
            }
        }
    }
}

/// Publishes a write however its insertion ends, since later writers wait for it.
///
/// A comparator of the user may panic in the middle of a batch. Writes stop then for good, before
/// the writer's pin is gone: so no flush can make the half that was inserted durable, and the next
/// open replays the whole batch from the WAL.
struct PublishOnDrop<'a> {
    inner: &'a DbInner,
    turn: &'a Turn,
}

impl Drop for PublishOnDrop<'_> {
    #[inline]
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.inner.fail(&Error::corruption("a panic while a write was inserted"));
        }
        self.inner.order.publish(self.turn);
    }
}

/// Which families a batch touches; refuses records that the engine cannot apply.
#[derive(Default)]
struct FamiliesOf {
    ids: Vec<u32>,
}

impl FamiliesOf {
    fn see(&mut self, cf: u32) -> Result<()> {
        if !self.ids.contains(&cf) {
            self.ids.push(cf);
        }
        Ok(())
    }
}

impl BatchHandler for FamiliesOf {
    fn put(&mut self, cf: u32, _key: &[u8], _value: &[u8]) -> Result<()> {
        self.see(cf)
    }
    fn delete(&mut self, cf: u32, _key: &[u8]) -> Result<()> {
        self.see(cf)
    }
    fn single_delete(&mut self, cf: u32, _key: &[u8]) -> Result<()> {
        self.see(cf)
    }
    fn merge(&mut self, cf: u32, _key: &[u8], _operand: &[u8]) -> Result<()> {
        self.see(cf)
    }
    fn delete_range(&mut self, cf: u32, _begin: &[u8], _end: &[u8]) -> Result<()> {
        self.see(cf)
    }
}

/// Checks merges and range deletions against their families. RocksDB finds the same faults when the record
/// is in the WAL already, and then stops all writes.
struct RecordCheck<'a> {
    families: &'a [(u32, &'a ColumnFamilyData)],
}

impl RecordCheck<'_> {
    /// `None` for a family whose records are ignored.
    fn family(&self, cf: u32) -> Option<&ColumnFamilyData> {
        self.families.iter().find(|(id, _)| *id == cf).map(|(_, family)| *family)
    }
}

impl BatchHandler for RecordCheck<'_> {
    fn put(&mut self, _cf: u32, _key: &[u8], _value: &[u8]) -> Result<()> {
        Ok(())
    }
    fn delete(&mut self, _cf: u32, _key: &[u8]) -> Result<()> {
        Ok(())
    }
    fn single_delete(&mut self, _cf: u32, _key: &[u8]) -> Result<()> {
        Ok(())
    }
    fn merge(&mut self, cf: u32, _key: &[u8], _operand: &[u8]) -> Result<()> {
        self.family(cf).map_or(Ok(()), check_merges)
    }
    fn delete_range(&mut self, cf: u32, begin: &[u8], end: &[u8]) -> Result<()> {
        let Some(family) = self.family(cf) else { return Ok(()) };
        if let TableFactory::Plain(_) | TableFactory::Cuckoo(_) = family.options().table_factory {
            return Err(Error::not_supported(format!(
                "CF {} reports it does not support DeleteRange",
                family.name
            )));
        }
        if family.order.compare_user(begin, end).is_gt() {
            return Err(Error::invalid_argument("end key comes before start key"));
        }
        Ok(())
    }
}

impl DbInner {
    /// Commits a batch: all of it or nothing, durable as `wo` says, visible when this returns.
    pub(super) fn commit(
        &self,
        wo: &WriteOptions,
        batch: &mut WriteBatch,
        terms: Terms<'_>,
    ) -> Result<()> {
        if wo.sync && wo.disable_wal {
            return Err(Error::invalid_argument("Sync writes has to enable WAL."));
        }
        let count = u64::from(batch.count());
        let bytes = batch.data().len();
        if self.controller.is_active() && !self.wait_in_stall(bytes, wo.no_slowdown) {
            return Err(Error::new(Code::Incomplete, "Write stall"));
        }
        self.wait_for_budgets(wo, bytes)?;
        let families = self.families_of(batch)?;
        let mut write = match terms.check {
            None => self.lock_with_room(),
            Some(check) => {
                let write = self.lock_when_quiet();
                check()?;
                write
            }
        };
        let guard = epoch::pin();
        self.check_writable()?;
        if write.user_bytes >= write.next_limit_check {
            self.keep_limits(&mut write)?;
        }
        let timer = PerfTimer::start(PerfMetric::WriteSchedulingFlushesCompactionsTime);
        let targets = self.targets(&mut write, &guard, batch, families, wo)?;
        drop(timer);
        batch.set_sequence(write.line.last_allocated() + 1);
        if let Some(name) = terms.ends {
            self.keep_section(name, &targets.families());
            self.append(&mut write, &section::ending_record(batch, name))?;
        } else if !wo.disable_wal {
            let _timer = PerfTimer::start(PerfMetric::WriteWalTime);
            self.append(&mut write, batch.data())?;
        }
        let ticket = write.ticket;
        // Not earlier: what was reserved must be published.
        let turn = (count > 0).then(|| write.line.reserve(count));
        write.user_bytes += bytes as u64;
        write.writes += 1;
        write.keys += count;
        if wo.disable_wal && !self.unlogged_data.load(Ordering::Relaxed) {
            self.unlogged_data.store(true, Ordering::Relaxed);
        }
        drop(write);

        let synced = if wo.sync { self.sync_up_to(ticket) } else { Ok(Followers::default()) };
        let applied = match &turn {
            Some(turn) => self.apply(&targets, batch, turn, synced.is_ok()),
            None => Ok(()),
        };
        drop(synced.inspect_err(|e| self.wal_sync_failed(ticket, e))?);
        applied?;
        if let Some(name) = terms.ends {
            self.forget_section(name);
        }
        Ok(())
    }

    /// The write lock, with room for another write in flight.
    #[inline]
    fn lock_with_room(&self) -> MutexGuard<'_, WriteState> {
        let _timer = PerfTimer::start_for_lock(PerfMetric::DbMutexLockNanos);
        loop {
            let mut write = self.write.lock();
            if write.line.has_room(&self.order) {
                return write;
            }
            // Not with the lock held: who syncs needs it before it can make room.
            drop(write);
            std::thread::yield_now();
        }
    }

    /// The write lock at a moment when everything that was reserved is visible. Inserts are waited for
    /// with the lock held, so that others cannot starve us; a sync needs the lock itself and is not.
    #[cold]
    fn lock_when_quiet(&self) -> MutexGuard<'_, WriteState> {
        loop {
            let write = self.lock_with_room();
            let last = write.line.last_allocated();
            if self.order.wait_visible(last, INSERT_PATIENCE) {
                return write;
            }
            drop(write);
            self.order.wait_visible(last, SYNC_PATIENCE);
        }
    }

    /// Inserts the batch and makes it visible, in the order of sequence numbers. A batch that
    /// could not be synced takes its place in the order without being inserted.
    #[inline]
    fn apply(
        &self,
        targets: &Targets<'_>,
        batch: &WriteBatch,
        turn: &Turn,
        insert: bool,
    ) -> Result<()> {
        let _published = PublishOnDrop { inner: self, turn };
        // Memtables with one writer at a time take their turn in commit order.
        if !(self.options.allow_concurrent_memtable_write && targets.concurrent()) {
            self.order.wait_turn(turn);
        }
        if insert {
            let _timer = PerfTimer::start(PerfMetric::WriteMemtableTime);
            let mut inserter = MemtableInserter::new(targets, turn.first());
            iterate(batch.data(), &mut inserter)?;
            if inserter.updated() > 0 {
                stats::add(&self.statistics, Ticker::NumberKeysUpdated, inserter.updated());
            }
        }
        Ok(())
    }

    /// `None` where the batch stays in the default family and was checked when it was made.
    fn families_of(&self, batch: &WriteBatch) -> Result<Option<Vec<u32>>> {
        if batch.needs_no_check() {
            return Ok(None);
        }
        let mut families = FamiliesOf::default();
        iterate(batch.data(), &mut families)?;
        Ok(Some(families.ids))
    }

    /// Finds the memtables of a batch; memtables that are full are replaced first.
    fn targets<'g>(
        &self,
        write: &mut MutexGuard<'_, WriteState>,
        guard: &'g Guard,
        batch: &WriteBatch,
        families: Option<Vec<u32>>,
        wo: &WriteOptions,
    ) -> Result<Targets<'g>> {
        let Some(ids) = families else {
            self.check_default_merges(batch)?;
            let memtable = self.active_memtable(write, guard, &self.default_family)?;
            return Ok(Targets::Default(memtable));
        };
        let by_id = self.checked_families(guard, batch, ids, wo)?;
        // Two passes: one family's full memtable may have those of others sealed, too.
        for (_, family) in &by_id {
            self.active_memtable(write, guard, family)?;
        }
        let found = |(id, family)| Ok((id, &super_version(family, guard)?.mem as &MemTable));
        let by_id = by_id.into_iter().map(found).collect::<Result<_>>()?;
        Ok(Targets::Many { by_id, ignore_missing: wo.ignore_missing_column_families })
    }

    /// The open families of a batch, which can take its records.
    fn checked_families<'g>(
        &self,
        guard: &'g Guard,
        batch: &WriteBatch,
        ids: Vec<u32>,
        wo: &WriteOptions,
    ) -> Result<Vec<(u32, &'g ColumnFamilyData)>> {
        let map = self.families.load(guard);
        let mut by_id: Vec<(u32, &ColumnFamilyData)> = Vec::with_capacity(ids.len());
        for id in ids {
            match map.and_then(|m: &ColumnFamilyMap| m.get(&id)) {
                Some(family) => by_id.push((id, family)),
                None if wo.ignore_missing_column_families => {}
                None => return Err(unknown_column_family(id)),
            }
        }
        // A batch may have operands for one family and values for another, which needs no operator then.
        let folds_all = || by_id.iter().all(|(_, family)| family.merge_operator.is_some());
        if batch.has_delete_range() || (batch.has_merge() && !folds_all()) {
            iterate(batch.data(), &mut RecordCheck { families: &by_id })?;
        }
        Ok(by_id)
    }

    /// An error for records that a commit would refuse.
    pub(super) fn check_batch(&self, batch: &WriteBatch, wo: &WriteOptions) -> Result<()> {
        match self.families_of(batch)? {
            None => self.check_default_merges(batch),
            Some(ids) => self.checked_families(&epoch::pin(), batch, ids, wo).map(|_| ()),
        }
    }

    /// An error for operands in a batch of the default family alone, if that cannot fold them.
    #[inline]
    fn check_default_merges(&self, batch: &WriteBatch) -> Result<()> {
        if batch.has_merge() { check_merges(&self.default_family) } else { Ok(()) }
    }

    #[inline]
    fn active_memtable<'g>(
        &self,
        write: &mut MutexGuard<'_, WriteState>,
        guard: &'g Guard,
        family: &ColumnFamilyData,
    ) -> Result<&'g MemTable> {
        let sv = super_version(family, guard)?;
        if !sv.mem.should_flush() {
            return Ok(&sv.mem);
        }
        self.seal_full(write, family, FlushReason::WriteBufferFull)?;
        Ok(&super_version(family, guard)?.mem)
    }

    #[inline]
    pub(super) fn append(
        &self,
        write: &mut MutexGuard<'_, WriteState>,
        record: &[u8],
    ) -> Result<()> {
        if let Err(e) = write.wal.add_record(record) {
            // Nothing was placed, and the next record may follow, or the log says that it is broken. One that is as
            // large as files may be takes nothing more.
            if write.wal.is_broken() || (e.is_file_too_large() && write.wal.size() > 0) {
                self.wal_failed(write, &e);
            }
            return Err(e);
        }
        write.ticket += 1;
        write.logged_bytes += record.len() as u64;
        Ok(())
    }

    /// Waits until the record with this ticket is on the device, and every record before it.
    pub(super) fn sync_up_to(&self, ticket: u64) -> Result<Followers> {
        self.sync_group.wait(ticket, || {
            let (covered, full, live, number) = {
                let mut write = self.write.lock();
                // With `manual_wal_flush` records wait in a buffer.
                write.wal.flush()?;
                (write.ticket, write.unsynced.clone(), write.wal.syncer(), write.wal.log_number())
            };
            self.totals.wal_syncs.fetch_add(1, Ordering::Relaxed);
            let timer = Timer::start(&self.statistics, HistogramType::WalFileSyncMicros);
            full.iter().try_for_each(|wal| wal.syncer.sync())?;
            live.sync()?;
            self.sync_wal_names(number)?;
            drop(timer);
            stats::add(&self.statistics, Ticker::WalFileSynced, 1);
            let mut write = self.write.lock();
            write.unsynced.retain(|wal| !full.iter().any(|synced| synced.number == wal.number));
            write.synced_ticket = write.synced_ticket.max(covered);
            Ok(covered)
        })
    }

    /// Makes sure that the WALs up to this one have their names on the device.
    pub(crate) fn sync_wal_names(&self, newest: u64) -> Result<()> {
        if self.write.lock().named_wal >= newest {
            return Ok(());
        }
        self.fs.sync_dir(&self.wal_dir)?;
        let mut write = self.write.lock();
        write.named_wal = write.named_wal.max(newest);
        Ok(())
    }

    /// Syncs everything that was written so far.
    pub(crate) fn sync_wal(&self) -> Result<()> {
        self.check_may_write()?;
        let ticket = {
            let write = self.write.lock();
            self.check_open()?;
            self.check_wal(&write)?;
            write.ticket
        };
        self.sync_up_to(ticket).map(drop).inspect_err(|e| self.wal_sync_failed(ticket, e))
    }

    /// Hands the records that `manual_wal_flush` keeps in a buffer to the operating system.
    pub(crate) fn flush_wal(&self) -> Result<()> {
        self.check_may_write()?;
        let mut write = self.write.lock();
        self.check_open()?;
        self.flush_live_wal(&mut write)
    }
}

#[inline]
fn super_version<'g>(family: &ColumnFamilyData, guard: &'g Guard) -> Result<&'g SuperVersion> {
    family.super_version(guard).ok_or_else(closed)
}

/// Operands that nobody could fold must not get into the WAL.
#[inline]
fn check_merges(family: &ColumnFamilyData) -> Result<()> {
    if family.merge_operator.is_none() {
        return Err(Error::invalid_argument(
            "Merge requires `ColumnFamilyOptions::merge_operator != nullptr`",
        ));
    }
    Ok(())
}
