//! What handles, readers and jobs share of a column family: its identity, the options in force, and
//! what readers look at.

use crate::base::KeyOrder;
use crate::cache::{Cache, CacheUser};
use crate::env::epoch::{self, EpochCell, Guard};
use crate::env::live::Live;
use crate::env::sync::OnceLock;
use crate::env::sync::atomic::{AtomicBool, Ordering};
use crate::error::{Code, Error};
use crate::hooks::{MergeOperator, SliceTransform};
use crate::options::{ColumnFamilyOptions, TableFactory};
use crate::read::{DbIter, IteratorPool, PoolKey, SuperVersion};
use crate::version::{DataPaths, TableCache};
use crate::write::StallLimits;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// Deletes the tables that nobody can read any more, once a dropped family has lost its last handle.
pub(crate) trait PurgesTables: Send + Sync {
    /// Waits for readers, then deletes the tables. Does nothing while the database closes, which deletes them itself.
    fn purge_dropped(&self);
}

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
    iterator_pool: IteratorPool,
    dropped: AtomicBool,
    /// Deletes its files when the last handle goes. Set when it is dropped.
    dropped_from: OnceLock<Weak<dyn PurgesTables>>,
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
            iterator_pool: IteratorPool::default(),
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
    pub(crate) fn set_super_version(&self, sv: Option<Arc<SuperVersion>>) {
        self.super_version.replace(sv);
        let pooled = self.iterator_pool.clear();
        if !pooled.is_empty() {
            // Not here: locks are held, and tables may be freed with it.
            epoch::retire(pooled);
        }
    }

    /// A pooled iterator over the newest super-version, if it suits.
    pub(crate) fn pooled(
        &self,
        suits: impl FnOnce(&SuperVersion, &PoolKey) -> bool,
    ) -> Option<Box<DbIter>> {
        self.iterator_pool.take(|sv, pool_key| self.super_version.holds(sv) && suits(sv, pool_key))
    }

    /// Pools an iterator that has no user any more, or frees it.
    pub(crate) fn pool(&self, iter: Box<DbIter>) {
        self.iterator_pool.put(iter, |sv| self.super_version.holds(sv));
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
    pub(crate) fn set_options(&self, options: ColumnFamilyOptions) {
        self.options.replace(options);
    }

    pub(crate) fn is_dropped(&self) -> bool {
        self.dropped.load(Ordering::Acquire)
    }

    /// Marks it as dropped. `from` deletes its files when the last handle goes.
    pub(crate) fn drop_from(&self, from: Weak<dyn PurgesTables>) {
        self.dropped.store(true, Ordering::Release);
        let _ = self.dropped_from.set(from);
    }

    /// What deletes its files, if it was dropped.
    #[inline]
    pub(crate) fn dropped_from(&self) -> Option<&Weak<dyn PurgesTables>> {
        self.dropped_from.get()
    }

    /// Called when a handle goes. If it is the last of a dropped family, its files go as well; iterators, which
    /// hold what they read, keep theirs.
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

/// The error of an operation on a dropped family.
#[cold]
pub(crate) fn dropped(name: &str) -> Error {
    Error::new(Code::ColumnFamilyDropped, format!("column family {name:?} was dropped"))
}
