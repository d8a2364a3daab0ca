//! The iterator pool: finished iterators that are kept for reuse.
//!
//! Creating an iterator increments the reference counts of what it reads: the super-version, memtables, levels, tables.
//! All threads update the same cache lines, so the processor has to fetch each line from another core, and decrementing
//! costs the same again. Therefore an iterator over the newest super-version is not destroyed when its user drops it.
//! It is kept in one of a few slots, chosen by the thread, and the thread's next iterator reuses it unchanged.
//!
//! * **IP1** A pooled iterator reads the super-version that is the newest while its slot is locked. A thread that
//!   installs a new super-version clears all slots afterwards; a thread that returns an iterator later sees the new
//!   super-version.
//! * **IP2** A pooled iterator holds no block of a table, and only buffers of at most 4 KiB each.
//!
//! Each slot is a lock on its own cache lines. Taking and returning use try-lock: two threads that share a slot create
//! iterators as if there were no pool. Only the thread that clears the slots waits for the lock.

use super::{DbIter, SuperVersion};
use crate::env::lock_rank::{INNERMOST, RankedMutex};
use crate::env::sync::OnceLock;
use crate::env::thread_number;
use crate::sst::TableIterOptions;

/// The maximum number of pooled iterators.
const SLOTS: usize = 16;

/// What determines the children of an iterator. Iterators with different keys are not interchangeable.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolKey {
    /// How tables are read.
    pub tables: TableIterOptions,
    /// The number of memtables that had entries. Memtables only grow, so equal numbers mean the same memtables.
    pub filled: usize,
}

/// The pooled iterators of one column family.
#[derive(Default)]
pub struct IteratorPool {
    slots: OnceLock<Box<[Slot]>>,
}

#[derive(Default)]
#[repr(align(128))]
struct Slot(RankedMutex<Option<Box<DbIter>>, INNERMOST>);

/// Returns the slot of this thread.
fn mine(slots: &[Slot]) -> &Slot {
    &slots[thread_number() % slots.len()]
}

impl IteratorPool {
    /// Takes the pooled iterator of this thread if `suits` accepts its super-version and its key.
    pub fn take(&self, suits: impl FnOnce(&SuperVersion, &PoolKey) -> bool) -> Option<Box<DbIter>> {
        // If no iterator was ever pooled, there are no slots.
        let mut slot = mine(self.slots.get()?).0.try_lock()?;
        slot.take_if(|iter| {
            matches!((iter.super_version(), iter.pool_key()), (Some(sv), Some(it)) if suits(sv, it))
        })
    }

    /// Pools an iterator that its user has dropped, if it can be pooled and `is_newest` confirms its super-version.
    /// `is_newest` is called while no other super-version can be installed unnoticed.
    pub fn put(&self, mut iter: Box<DbIter>, is_newest: impl FnOnce(&SuperVersion) -> bool) {
        if iter.pool_key().is_none() || !iter.release() {
            return;
        }
        let slots = self.slots.get_or_init(|| (0..SLOTS).map(|_| Slot::default()).collect());
        let Some(mut slot) = mine(slots).0.try_lock() else { return };
        if iter.super_version().is_some_and(is_newest) {
            let before = slot.replace(iter);
            drop(slot);
            drop(before);
        }
    }

    /// Removes all pooled iterators after a new super-version was installed. The caller drops them.
    // Iterators are returned in the boxes in which they were pooled.
    #[allow(clippy::vec_box)]
    pub fn clear(&self) -> Vec<Box<DbIter>> {
        let slots = self.slots.get().into_iter().flatten();
        slots.filter_map(|slot| slot.0.lock().take()).collect()
    }
}
