//! A pool of iterators that ended and wait for the next one.
//!
//! To make an iterator is to count what it reads: the super-version, memtables, levels, tables. All
//! threads count on the same lines, each of which the processor then has to bring from another core,
//! and the count is given back as dearly. So an iterator over the newest super-version is not taken
//! apart at its end but pooled, in one of a few slots, which one the thread decides; the thread's next
//! iterator takes it as it is.
//!
//! * **IP1** A pooled iterator is over the super-version that is newest while its slot is locked. Who
//!   installs another one clears all slots after that: whoever returns one later sees the new one.
//! * **IP2** It holds no block of a table, and only buffers of at most 4 KiB each.
//!
//! A slot is a lock of its own line. Takers and returners only try it: two threads with one slot make their
//! iterators as if there were none. Only the thread that clears the slots waits for it.

use super::{DbIter, SuperVersion};
use crate::env::lock_rank::{INNERMOST, RankedMutex};
use crate::env::sync::OnceLock;
use crate::env::thread_number;
use crate::sst::TableIterOptions;

/// How many iterators are pooled at most.
const SLOTS: usize = 16;

/// What of an iterator is decided when its children are made: one with other answers is not the same.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolKey {
    /// How its tables are read.
    pub tables: TableIterOptions,
    /// How many memtables had entries. Memtables only grow, so equal numbers are the same memtables.
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

/// The slot of this thread.
fn mine(slots: &[Slot]) -> &Slot {
    &slots[thread_number() % slots.len()]
}

impl IteratorPool {
    /// The pooled iterator of this thread, if it suits: what it reads and what decided its children.
    pub fn take(&self, suits: impl FnOnce(&SuperVersion, &PoolKey) -> bool) -> Option<Box<DbIter>> {
        // Where nothing was ever pooled there are no slots.
        let mut slot = mine(self.slots.get()?).0.try_lock()?;
        slot.take_if(|iter| {
            matches!((iter.super_version(), iter.pool_key()), (Some(sv), Some(it)) if suits(sv, it))
        })
    }

    /// Pools an iterator whose user has left, if it can be and `is_newest` says so of what it reads:
    /// it is asked when nobody can install another one unnoticed.
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

    /// Takes out all that is pooled: another super-version was installed. The caller drops it.
    // Iterators are handed out in the boxes that they came in.
    #[allow(clippy::vec_box)]
    pub fn clear(&self) -> Vec<Box<DbIter>> {
        let slots = self.slots.get().into_iter().flatten();
        slots.filter_map(|slot| slot.0.lock().take()).collect()
    }
}
