//! The part of a column family that handles, readers and jobs share: its identity, its options in force, and its
//! super-version.

use crate::base::{KeyOrder, SeqNo};
use crate::cache::{Cache, CacheUser};
use crate::env::epoch::{self, EpochCell, Guard};
use crate::env::live::Live;
use crate::env::sync::OnceLock;
use crate::env::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::error::{Code, Error};
use crate::hooks::{MergeOperator, SliceTransform};
use crate::memtable::{AllocatorCell, Gaps, MemTable, SpareChunks};
use crate::options::{ColumnFamilyOptions, TableFactory};
use crate::read::{DbIter, IteratorPool, PoolKey, SuperVersion};
use crate::version::{DataPaths, TableCache};
use crate::write::StallLimits;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// Deletes the unused tables of a dropped family when its last handle is gone.
pub(crate) trait PurgesTables: Send + Sync {
    /// Waits for readers, then deletes the tables. Does nothing while the database closes, which deletes them itself.
    fn purge_dropped(&self);
}

/// The data of a column family that handles, readers and jobs share.
pub(crate) struct ColumnFamilyData {
    pub(crate) id: u32,
    pub(crate) name: String,
    /// The options, which `SetOptions` may change; see [`ColumnFamilyData::options`].
    options: Live<ColumnFamilyOptions>,
    pub(crate) order: KeyOrder,
    /// A copy from the options. It never changes, and every read needs it.
    pub(crate) merge_operator: Option<Arc<dyn MergeOperator>>,
    /// A copy from the options. It never changes.
    pub(crate) prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// The directories of the family's tables.
    pub(crate) paths: DataPaths,
    /// Opens this family's tables.
    pub(crate) tables: Arc<TableCache>,
    /// The super-version for readers. Empty only after the database was closed.
    super_version: EpochCell<SuperVersion>,
    /// Ranges without visible keys.
    pub(crate) gaps: Arc<Gaps>,
    /// The number of the content that the next super-version has; see `memtable/gaps.rs`.
    content: AtomicU64,
    /// Finished iterators of the family, kept for reuse.
    iterator_pool: IteratorPool,
    dropped: AtomicBool,
    /// The object that deletes the family's files when the last handle is dropped. Set when the family is dropped.
    dropped_from: OnceLock<Weak<dyn PurgesTables>>,
    /// The registration as a user of the block cache, if the family has one.
    _cache_user: Option<CacheUser>,
}

impl ColumnFamilyData {
    pub(crate) fn new(
        id: u32,
        name: &str,
        options: ColumnFamilyOptions,
        paths: DataPaths,
        tables: Arc<TableCache>,
        allocator: Arc<AllocatorCell>,
    ) -> ColumnFamilyData {
        let order = KeyOrder::new(Arc::clone(&options.comparator));
        ColumnFamilyData {
            id,
            name: name.to_owned(),
            _cache_user: block_cache(&options).map(Cache::join),
            gaps: Arc::new(Gaps::new(order.clone(), allocator)),
            content: AtomicU64::new(0),
            order,
            merge_operator: options.merge_operator.clone(),
            prefix_extractor: options.prefix_extractor.clone(),
            options: Live::new(options),
            paths,
            tables,
            super_version: EpochCell::new(None),
            iterator_pool: IteratorPool::default(),
            dropped: AtomicBool::new(false),
            dropped_from: OnceLock::new(),
        }
    }

    /// Returns the super-version, valid while the reader is pinned.
    #[inline]
    pub(crate) fn super_version<'g>(&self, guard: &'g Guard) -> Option<&'g SuperVersion> {
        self.super_version.load(guard)
    }

    /// Returns the super-version with a counted reference.
    pub(crate) fn hold_super_version(&self) -> Option<Arc<SuperVersion>> {
        self.super_version.load_arc()
    }

    /// Sets the super-version for readers, or `None` at close.
    pub(crate) fn set_super_version(&self, sv: Option<Arc<SuperVersion>>) {
        self.super_version.replace(sv);
        let pooled = self.iterator_pool.clear();
        if !pooled.is_empty() {
            // Do not free it here: locks are held, and freeing it may free tables.
            epoch::retire(pooled);
        }
    }

    /// Returns the number of the content that the next super-version has.
    pub(crate) fn content(&self) -> u64 {
        self.content.load(Ordering::Relaxed)
    }

    /// Notes that files were added or deleted whose keys are not those of other files. Call it under the lock under
    /// which the super-version with this change is made.
    pub(crate) fn change_content(&self) {
        self.content.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes a pooled iterator over the newest super-version, if it is suitable.
    pub(crate) fn pooled(
        &self,
        suits: impl FnOnce(&SuperVersion, &PoolKey) -> bool,
    ) -> Option<Box<DbIter>> {
        self.iterator_pool.take(|sv, pool_key| self.super_version.holds(sv) && suits(sv, pool_key))
    }

    /// Pools an iterator that its user has dropped, or frees it.
    pub(crate) fn pool(&self, iter: Box<DbIter>) {
        self.iterator_pool.put(iter, |sv| self.super_version.holds(sv));
    }

    /// Creates an empty memtable. With a memory limit, it is laid out for the family's part of the limit.
    pub(crate) fn new_memtable(
        &self,
        id: u64,
        earliest: SeqNo,
        families: usize,
        spare: Option<Arc<SpareChunks>>,
    ) -> Arc<MemTable> {
        let mem = self.new_memtable_of_size(id, earliest, families, spare);
        mem.close_gaps_of(Arc::clone(&self.gaps));
        mem
    }

    fn new_memtable_of_size(
        &self,
        id: u64,
        earliest: SeqNo,
        families: usize,
        spare: Option<Arc<SpareChunks>>,
    ) -> Arc<MemTable> {
        let (order, options) = (self.order.clone(), self.options());
        let Some(account) = self.tables.memory() else {
            return MemTable::with_spare(id, order, &options, earliest, spare);
        };
        let wanted = options.write_buffer_size;
        let mut smaller = ColumnFamilyOptions::clone(&options);
        smaller.write_buffer_size = account.memtable_size(wanted, families);
        // Derived from this size. With huge pages, a small memtable would take more than is charged.
        smaller.arena_block_size = 0;
        let mem = MemTable::with_spare(id, order, &smaller, earliest, spare);
        // The budget of all memtables decides when to flush. A memtable that were full earlier could stop writers.
        mem.set_write_buffer_size(wanted);
        mem.charge_to(account);
        mem
    }

    /// Returns the options in force. A job loads them once and uses them throughout.
    pub(crate) fn options(&self) -> Arc<ColumnFamilyOptions> {
        self.options.load()
    }

    /// Calls `f` with the options in force. For readers: it updates no reference count.
    pub(crate) fn read_options<R>(&self, f: impl FnOnce(&ColumnFamilyOptions) -> R) -> R {
        self.options.read(f)
    }

    /// Changes the options in force.
    pub(crate) fn set_options(&self, options: ColumnFamilyOptions) {
        self.options.replace(options);
    }

    pub(crate) fn is_dropped(&self) -> bool {
        self.dropped.load(Ordering::Acquire)
    }

    /// Marks the family as dropped. `from` deletes its files when the last handle is dropped.
    pub(crate) fn drop_from(&self, from: Weak<dyn PurgesTables>) {
        self.dropped.store(true, Ordering::Release);
        let _ = self.dropped_from.set(from);
    }

    /// Returns the object that deletes the family's files, if the family was dropped.
    #[inline]
    pub(crate) fn dropped_from(&self) -> Option<&Weak<dyn PurgesTables>> {
        self.dropped_from.get()
    }

    /// Called when a handle is dropped. If it is the last handle of a dropped family, the family's files are deleted,
    /// except those that iterators still hold.
    #[cold]
    pub(crate) fn delete_if_last(self: &Arc<Self>, db: &Weak<dyn PurgesTables>) {
        if Arc::strong_count(self) > 1 {
            return;
        }
        self.set_super_version(None);
        if let Some(db) = db.upgrade() {
            db.purge_dropped();
        }
    }

    /// Returns the limits at which this family's writers are delayed and stopped.
    pub(crate) fn stall_limits(&self) -> StallLimits {
        let o = self.options();
        StallLimits {
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

/// All open families, by number.
pub(crate) type ColumnFamilyMap = BTreeMap<u32, Arc<ColumnFamilyData>>;

/// Returns the error of an operation on a dropped family.
#[cold]
pub(crate) fn dropped(name: &str) -> Error {
    Error::new(Code::ColumnFamilyDropped, format!("column family {name:?} was dropped"))
}
