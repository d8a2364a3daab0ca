//! A column family: what handles, readers and jobs share (its identity, the options in force, what
//! readers look at), and what the database lock guards.

use super::level_jobs::FamilyJobs;
use super::state::DbInner;
use crate::base::KeyOrder;
use crate::cache::{Cache, CacheUser};
use crate::compaction::picker::CompactionPicker;
use crate::env::epoch::{self, EpochCell, Guard};
use crate::env::live::Live;
use crate::env::sync::atomic::{AtomicBool, Ordering};
use crate::hooks::{FlushReason, MergeOperator, SliceTransform, WriteStallCondition};
use crate::memtable::MemTable;
use crate::options::{ColumnFamilyOptions, TableFactory};
use crate::read::{DbIter, Parking, SuperVersion, Ticket};
use crate::version::{DataPaths, TableCache, Version};
use crate::write::StallLimits;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};

/// What of a column family is shared by handles, readers and jobs.
pub(crate) struct ColumnFamilyData {
    pub(crate) id: u32,
    pub(crate) name: String,
    /// What `SetOptions` may have changed; see [`ColumnFamilyData::options`].
    options: Live<ColumnFamilyOptions>,
    pub(crate) order: KeyOrder,
    /// Of the options: never changes, and every read needs it.
    pub(crate) merge_operator: Option<Arc<dyn MergeOperator>>,
    /// Of the options: never changes.
    pub(crate) prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// Where its tables are.
    pub(crate) paths: DataPaths,
    /// Opens this family's tables.
    pub(crate) tables: Arc<TableCache>,
    /// What readers look at. Empty only after the database was closed.
    super_version: EpochCell<SuperVersion>,
    /// Iterators over it that wait for the next one.
    parking: Parking,
    pub(crate) dropped: AtomicBool,
    /// The database that dropped it: who lets go of the last handle deletes the files there.
    pub(crate) dropped_from: OnceLock<Weak<DbInner>>,
    /// Its use of the block cache, if it has one.
    _cache_user: Option<CacheUser>,
}

impl ColumnFamilyData {
    pub(crate) fn new(
        id: u32,
        name: &str,
        options: ColumnFamilyOptions,
        paths: DataPaths,
        tables: Arc<TableCache>,
    ) -> ColumnFamilyData {
        ColumnFamilyData {
            id,
            name: name.to_owned(),
            _cache_user: block_cache(&options).map(Cache::join),
            order: KeyOrder::new(Arc::clone(&options.comparator)),
            merge_operator: options.merge_operator.clone(),
            prefix_extractor: options.prefix_extractor.clone(),
            options: Live::new(options),
            paths,
            tables,
            super_version: EpochCell::new(None),
            parking: Parking::default(),
            dropped: AtomicBool::new(false),
            dropped_from: OnceLock::new(),
        }
    }

    /// What readers look at, for as long as the reader is pinned.
    #[inline]
    pub(crate) fn super_version<'g>(&self, guard: &'g Guard) -> Option<&'g SuperVersion> {
        self.super_version.load(guard)
    }

    /// The same, counted.
    pub(crate) fn hold_super_version(&self) -> Option<Arc<SuperVersion>> {
        self.super_version.load_arc()
    }

    /// Shows readers this, or nothing any more.
    pub(super) fn set_super_version(&self, sv: Option<Arc<SuperVersion>>) {
        self.super_version.replace(sv);
        let parked = self.parking.clear();
        if !parked.is_empty() {
            // Not here: locks are held, and tables may be freed with it.
            epoch::retire(parked);
        }
    }

    /// A parked iterator over the newest super-version, if it suits.
    pub(super) fn parked(
        &self,
        suits: impl FnOnce(&SuperVersion, &Ticket) -> bool,
    ) -> Option<Box<DbIter>> {
        self.parking.take(|sv, ticket| self.super_version.holds(sv) && suits(sv, ticket))
    }

    /// Parks an iterator that has no user any more, or frees it.
    pub(super) fn park(&self, iter: Box<DbIter>) {
        self.parking.park(iter, |sv| self.super_version.holds(sv));
    }

    /// The options in force. A job takes them once and keeps to them.
    pub(crate) fn options(&self) -> Arc<ColumnFamilyOptions> {
        self.options.load()
    }

    /// What `f` says of the options in force. For readers: nothing is counted for it.
    pub(crate) fn read_options<R>(&self, f: impl FnOnce(&ColumnFamilyOptions) -> R) -> R {
        self.options.read(f)
    }

    /// Changes the options in force.
    pub(super) fn set_options(&self, options: ColumnFamilyOptions) {
        self.options.replace(options);
    }

    pub(crate) fn is_dropped(&self) -> bool {
        self.dropped.load(Ordering::Acquire)
    }

    /// Where this family's writers are delayed and stopped.
    pub(crate) fn stall_limits(&self) -> StallLimits {
        let o = self.options();
        StallLimits {
            memtable_bytes: o.write_buffer_size,
            immutables_stop: o.max_write_buffer_number.max(2) as usize,
            level0_slowdown: usize::try_from(o.level0_slowdown_writes_trigger).ok(),
            level0_stop: usize::try_from(o.level0_stop_writes_trigger).unwrap_or(usize::MAX),
            pending_soft: o.soft_pending_compaction_bytes_limit,
            pending_hard: o.hard_pending_compaction_bytes_limit,
        }
    }
}

fn block_cache(options: &ColumnFamilyOptions) -> Option<&Arc<Cache>> {
    match &options.table_factory {
        TableFactory::BlockBased(table) if !table.no_block_cache => table.block_cache.as_ref(),
        _ => None,
    }
}

/// All open families by number.
pub(crate) type ColumnFamilyMap = BTreeMap<u32, Arc<ColumnFamilyData>>;

/// A memtable that takes no more writes.
#[derive(Clone)]
pub(crate) struct Immutable {
    pub(crate) mem: Arc<MemTable>,
    /// The WAL that was live when the memtable was made: the oldest that holds its records.
    pub(crate) wal_number: u64,
    /// The WAL that was started when it became immutable: older ones hold nothing newer.
    pub(crate) next_wal_number: u64,
}

/// The part of a column family that changes; guarded by the database lock.
pub(crate) struct ColumnFamilyState {
    pub(crate) data: Arc<ColumnFamilyData>,
    pub(crate) mem: Arc<MemTable>,
    /// The WAL that was live when `mem` was made.
    pub(crate) mem_wal_number: u64,
    /// Oldest first.
    pub(crate) immutables: Vec<Immutable>,
    pub(crate) current: Arc<Version>,
    /// A flush of this family is running.
    pub(crate) flushing: bool,
    /// Somebody waits for everything immutable to be flushed.
    pub(crate) flush_requested: bool,
    /// The memtable should be switched to let an old WAL go.
    pub(crate) switch_wanted: bool,
    /// Memtables that were ever made, for their numbers.
    pub(crate) memtables_made: u64,
    /// Manual compactions that wait for a running one: no automatic one may start before them.
    pub(crate) manual_waits: usize,
    /// Chooses compactions, and knows which run.
    pub(crate) picker: CompactionPicker,
    /// Why the next flush will be started.
    pub(crate) flush_reason: FlushReason,
    /// How writers go, as listeners know it.
    pub(crate) stall_condition: WriteStallCondition,
    /// What jobs did to its levels.
    pub(crate) jobs: FamilyJobs,
    /// Cached for properties and stalls; renewed with every new version.
    pub(crate) pending_compaction_bytes: u64,
}

impl ColumnFamilyState {
    /// Makes the current memtables and version visible to readers.
    pub(crate) fn install_super_version(&self) {
        let immutables = self.immutables.iter().rev().map(|i| Arc::clone(&i.mem)).collect();
        self.data.set_super_version(Some(Arc::new(SuperVersion {
            mem: Arc::clone(&self.mem),
            immutables,
            version: Arc::clone(&self.current),
        })));
    }

    /// The oldest WAL that holds something of this family which is in no table yet; `None` where
    /// there is no such thing.
    pub(crate) fn oldest_wal_needed(&self) -> Option<u64> {
        if let Some(oldest) = self.immutables.first() {
            return Some(oldest.wal_number);
        }
        if self.mem.is_empty() { None } else { Some(self.mem_wal_number) }
    }

    /// Whether a flush should be started.
    pub(crate) fn wants_flush(&self) -> bool {
        let enough = self.data.options().min_write_buffer_number_to_merge.max(1) as usize;
        let ready = self.immutables.len();
        !self.flushing && ready > 0 && (self.flush_requested || ready >= enough)
    }
}
